// SPDX-License-Identifier: GPL-2.0
/* What a hit of ops costs. */
#include <linux/slab.h>

#include "bench.h"

/* Not to be called for itself by an ops on all functions. */
notrace void bench_nothing(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
}

int bench_hook(struct ftrace_ops *ops, unsigned long addr, unsigned long flags)
{
	int ret;

	ops->func = bench_nothing;
	ops->flags = flags;
	ret = ftrace_set_filter_ip(ops, addr, 0, 1);
	return ret ?: register_ftrace_function(ops);
}

void bench_unhook(struct ftrace_ops *ops)
{
	if (ops->flags & FTRACE_OPS_FL_ENABLED)
		unregister_ftrace_function(ops);
	ftrace_free_filter(ops);
}

static int hits_with(const char *row, unsigned long flags, unsigned int nr)
{
	struct ftrace_ops *ops = kcalloc(nr, sizeof(*ops), GFP_KERNEL);
	u64 before = bench_measure(bench_call);
	unsigned int i;
	int ret = ops ? 0 : -ENOMEM;

	for (i = 0; i < nr && !ret; i++)
		ret = bench_hook(&ops[i], (unsigned long)bench_target, flags);
	if (!ret)
		bench_report(row, nr, bench_measure(bench_call) - before);
	for (i = 0; ops && i < nr; i++)
		bench_unhook(&ops[i]);
	kfree(ops);
	return ret;
}

static void call_notrace(void)
{
	bench_target_notrace(1);
}

/* What it costs a function that it could be hooked. */
int bench_unhooked(unsigned int nr)
{
	bench_report("hit, not hooked", 1, bench_measure(bench_call) -
		     bench_measure(call_notrace));
	return 0;
}

int bench_guards(unsigned int nr)
{
	return hits_with("hit, all registers", FTRACE_OPS_FL_SAVE_REGS, 1) ?:
	       hits_with("hit, recursion guard", FTRACE_OPS_FL_RECURSION, 1) ?:
	       hits_with("hit, recursion and RCU guard",
			 FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU, 1);
}

int bench_several(unsigned int nr)
{
	return hits_with("hit, ops on the function", 0, nr);
}
