/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The guards, for the architecture's trampolines to call.
 *
 * They are asked in this order, each only where the call has its flag; the
 * first that says no, by a negative value, ends it.
 *
 *	flag			guard			arguments
 *	FTRACE_CALL_RCU		ftrace_guard_rcu	none
 *	FTRACE_CALL_PID		ftrace_guard_pid	the ops
 *	FTRACE_CALL_RECURSION	ftrace_guard_recursion	ip, parent_ip
 *
 * What the last one returned goes to ftrace_unguard_recursion() after the call.
 */
#ifndef _KERNEL_TRACE_FTRACE_DISPATCH_H
#define _KERNEL_TRACE_FTRACE_DISPATCH_H

struct ftrace_ops;

int ftrace_guard_rcu(void);
int ftrace_guard_pid(struct ftrace_ops *ops);
int ftrace_guard_recursion(unsigned long ip, unsigned long parent_ip);
void ftrace_unguard_recursion(int bit);
void ftrace_resched(void);

#endif /* _KERNEL_TRACE_FTRACE_DISPATCH_H */
