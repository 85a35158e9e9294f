/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the function graph tracer and the engine share.  The engine's own
 * layers are in ftrace/internal.h.
 */
#ifndef _KERNEL_TRACE_FTRACE_INTERNAL_H_SHARED
#define _KERNEL_TRACE_FTRACE_INTERNAL_H_SHARED

#include <linux/ftrace.h>
#include <linux/mutex.h>

#ifdef CONFIG_FUNCTION_TRACER

/* Who is registered and what sites call changes under it only. */
extern struct mutex ftrace_lock;

/* The top trace array's ops; its lists are the global filter. */
extern struct ftrace_ops global_ops;

/* A manager's subops share its one call; ftrace_lock is held. */
int ftrace_startup_subops(struct ftrace_ops *ops, struct ftrace_ops *subops,
			  int command);
int ftrace_shutdown_subops(struct ftrace_ops *ops, struct ftrace_ops *subops,
			   int command);

/* On the hit path: whether an ops' own lists accept a site. */
int ftrace_ops_test(struct ftrace_ops *ops, unsigned long ip, void *regs);

/* How many functions an ops' filter names; 0 where it names none. */
unsigned int ftrace_ops_filter_nr(struct ftrace_ops *ops);

/* Ops of probes, each with a filter of its own, many at a time. */
int ftrace_attach_probes(struct ftrace_ops **ops, unsigned int nr);
void ftrace_detach_probes(struct ftrace_ops **ops, unsigned int nr);

#endif /* CONFIG_FUNCTION_TRACER */

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
extern int ftrace_graph_active;
void fgraph_update_pid_func(void);
#else
#define ftrace_graph_active 0
static inline void fgraph_update_pid_func(void) { }
#endif

#endif /* _KERNEL_TRACE_FTRACE_INTERNAL_H_SHARED */
