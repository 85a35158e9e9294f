// SPDX-License-Identifier: GPL-2.0
/*
 * The guards: the only C code of the engine that a hit runs.
 *
 * A trampoline calls a guard before a callback that asked for one and, where
 * the guard took something, gives it back afterwards.  Which guard that is was
 * decided when the chain was built; a callback without guards is called by the
 * trampoline at once.
 *
 * Context of all of them: any, with preemption off.  Nothing here is traced or
 * instrumented (see the Makefile).
 */
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include "dispatch.h"
#include "internal.h"

/**
 * ftrace_guard_rcu - a call for which RCU has to be watching
 *
 * Return: 0, or -1: leave this call out.
 */
int notrace ftrace_guard_rcu(void)
{
	return rcu_is_watching() ? 0 : -1;
}

/**
 * ftrace_guard_pid - a call that is subject to a trace array's pid lists
 * @ops: the ops
 *
 * Return: 0, or -1: leave this call out.
 */
int notrace ftrace_guard_pid(struct ftrace_ops *ops)
{
	return ftrace_pid_allows(ops) ? 0 : -1;
}

/**
 * ftrace_guard_recursion - a call that must not run inside itself
 * @ip:        the site
 * @parent_ip: its caller
 *
 * Its family of bits is not that of ftrace_test_recursion_trylock(), which the
 * callback itself may use.
 *
 * Return: what ftrace_unguard_recursion() wants, or -1: leave this call out.
 */
int notrace ftrace_guard_recursion(unsigned long ip, unsigned long parent_ip)
{
	return trace_test_and_set_recursion(ip, parent_ip, TRACE_LIST_START);
}

/**
 * ftrace_unguard_recursion - end what ftrace_guard_recursion() began
 * @bit: what that returned
 */
void notrace ftrace_unguard_recursion(int bit)
{
	trace_clear_recursion(bit);
}

#ifdef CONFIG_PREEMPTION
/**
 * ftrace_resched - schedule now, as it came due during the callbacks
 *
 * Context: the trampoline switched preemption on again and found it so.
 */
void notrace ftrace_resched(void)
{
	__preempt_schedule_notrace();
}
#endif

/* A breakpoint here would run probes, which come here. */
NOKPROBE_SYMBOL(ftrace_guard_rcu);
NOKPROBE_SYMBOL(ftrace_guard_pid);
NOKPROBE_SYMBOL(ftrace_guard_recursion);
NOKPROBE_SYMBOL(ftrace_unguard_recursion);
#ifdef CONFIG_PREEMPTION
NOKPROBE_SYMBOL(ftrace_resched);
#endif
