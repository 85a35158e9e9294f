// SPDX-License-Identifier: GPL-2.0
/*
 * The graph tracer's callback: it has the traced function return to
 * return_to_handler instead of its caller.
 */
#include <linux/ftrace.h>
#include <linux/mm.h>

/**
 * ftrace_graph_func - hand a function entry to the graph tracer
 * @ip:        the site
 * @parent_ip: the traced function's caller
 * @op:        the graph tracer's ops
 * @fregs:     registers at entry
 *
 * Context: any, with preemption off; called from trampolines.
 */
void ftrace_graph_func(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	unsigned long *slot = (void *)ftrace_regs_get_stack_pointer(fregs);
	int bit;

	/* Early in resume the stack is not in the kernel's address space yet. */
	if (unlikely((long)slot >= 0))
		return;
	if (unlikely(ftrace_graph_is_dead() ||
		     atomic_read(&current->tracing_graph_pause)))
		return;

	bit = ftrace_test_recursion_trylock(ip, *slot);
	if (bit < 0)
		return;
	if (!function_graph_enter(*slot, ip, 0, slot))
		*slot = (unsigned long)return_to_handler;
	ftrace_test_recursion_unlock(bit);
}
