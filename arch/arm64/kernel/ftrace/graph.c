// SPDX-License-Identifier: GPL-2.0
/*
 * The graph tracer's callback: it has the traced function return to
 * return_to_handler instead of its caller.
 */
#include <linux/ftrace.h>

/* Unwinders know the call by its caller's frame, too. */
static void hook_return(unsigned long ip, struct pt_regs *regs)
{
	unsigned long frame = frame_pointer(regs);
	unsigned long caller = procedure_link_pointer(regs);

	if (!function_graph_enter(caller, ip, frame, (void *)frame))
		procedure_link_pointer_set(regs,
					   (unsigned long)return_to_handler);
}

static bool graph_is_off(void)
{
	bool paused = atomic_read(&current->tracing_graph_pause);

	return paused || ftrace_graph_is_dead();
}

/**
 * ftrace_graph_func - hand a function entry to the graph tracer
 * @ip:        the site
 * @parent_ip: the traced function's caller
 * @ops:       the graph tracer's ops
 * @fregs:     registers at entry
 *
 * Context: any, with preemption off; called from trampolines.
 */
void ftrace_graph_func(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	int level;

	if (unlikely(graph_is_off()))
		return;
	level = ftrace_test_recursion_trylock(ip, parent_ip);
	if (level < 0)
		return;
	hook_return(ip, &arch_ftrace_regs(fregs)->regs);
	ftrace_test_recursion_unlock(level);
}
