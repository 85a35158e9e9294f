/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests hook, and how they count. */
#ifndef _KERNEL_TRACE_FTRACE_KUNIT_TARGET_H
#define _KERNEL_TRACE_FTRACE_KUNIT_TARGET_H

#include <linux/ftrace.h>

/* Each returns its argument plus 1, 2, 3, 4. */
int ftrace_kunit_one(int x);
int ftrace_kunit_two(int x);
int ftrace_kunit_three(int x);
int ftrace_kunit_other(int x);

/* Calls ftrace_kunit_one() from a function with a name. */
int ftrace_kunit_caller(int x);

/* Targets of direct calls, in assembly, and what the first of them notes. */
void ftrace_kunit_tramp(void);
void ftrace_kunit_skip(void);
extern unsigned long ftrace_kunit_tramp_hits;
extern unsigned long ftrace_kunit_tramp_to;

/**
 * struct counter - an ops that counts
 * @ops:    the ops
 * @hits:   calls
 * @ip:     of the last call
 * @parent: of the last call
 * @op:     of the last call
 */
struct counter {
	struct ftrace_ops	ops;
	unsigned long		hits;
	unsigned long		ip;
	unsigned long		parent;
	struct ftrace_ops	*op;
};

static inline void count_call(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct counter *c = container_of(op, struct counter, ops);

	c->hits++;
	c->ip = ip;
	c->parent = parent_ip;
	c->op = op;
}

/* An address to calculate with, which objtool need not find ENDBR at. */
static inline unsigned long addr_of(const void *func)
{
	OPTIMIZER_HIDE_VAR(func);
	return (unsigned long)func;
}

static inline int on(struct ftrace_ops *ops, int (*func)(int x))
{
	return ftrace_set_filter_ip(ops, (unsigned long)func, 0, 0);
}

#endif /* _KERNEL_TRACE_FTRACE_KUNIT_TARGET_H */
