// SPDX-License-Identifier: GPL-2.0
/*
 * What a hit costs, in instructions: for a guest in which an instruction is a
 * nanosecond (-icount shift=0).  Prints a line for each figure, and in the end
 * whether two callbacks cost the same with 1,024 registered elsewhere.
 */
#include <linux/ftrace.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>

#define CALLS		1000
#define ELSEWHERE	1024

static noinline void target(void)
{
	asm volatile("");
}

/* Functions elsewhere; each a little different, or they become one. */
static noinline void other_a(void) { asm volatile("# a"); }
static noinline void other_b(void) { asm volatile("# b"); }
static noinline void other_c(void) { asm volatile("# c"); }
static noinline void other_d(void) { asm volatile("# d"); }
static noinline void other_e(void) { asm volatile("# e"); }
static noinline void other_f(void) { asm volatile("# f"); }
static noinline void other_g(void) { asm volatile("# g"); }
static noinline void other_h(void) { asm volatile("# h"); }

static void (*const others[])(void) = {
	other_a, other_b, other_c, other_d, other_e, other_f, other_g, other_h
};

static void nothing(unsigned long ip, unsigned long parent_ip,
		    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
}

/* Instructions a call, the least of some runs: a tick may fall into one. */
static u64 measure(void)
{
	u64 least = U64_MAX, start;
	unsigned long flags;
	int run, i;

	for (run = 0; run < 5; run++) {
		local_irq_save(flags);
		start = ktime_get_ns();
		for (i = 0; i < CALLS; i++)
			target();
		least = min(least, ktime_get_ns() - start);
		local_irq_restore(flags);
	}
	return (least + CALLS / 2) / CALLS;
}

static int hook(struct ftrace_ops *ops, void *func, unsigned long flags)
{
	int ret;

	ops->func = nothing;
	ops->flags = flags;
	ret = ftrace_set_filter_ip(ops, (unsigned long)func, 0, 1);
	return ret ?: register_ftrace_function(ops);
}

static void unhook(struct ftrace_ops *ops, int nr)
{
	while (nr--) {
		if (ops[nr].flags & FTRACE_OPS_FL_ENABLED)
			unregister_ftrace_function(&ops[nr]);
		ftrace_free_filter(&ops[nr]);
	}
}

static int hits_with(const char *what, unsigned long flags, int nr, u64 *cost)
{
	struct ftrace_ops *ops = kcalloc(nr, sizeof(*ops), GFP_KERNEL);
	u64 unhooked = measure();
	int i, ret = ops ? 0 : -ENOMEM;

	for (i = 0; i < nr && !ret; i++)
		ret = hook(&ops[i], target, flags);
	if (!ret) {
		*cost = measure() - unhooked;
		pr_info("hooks_cost: %s: %llu instructions a hit\n", what,
			*cost);
		unhook(ops, nr);
	}
	kfree(ops);
	return ret;
}

static int attach_costs(void)
{
	struct ftrace_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL);
	u64 start, attached, detached;
	int ret;

	if (!ops)
		return -ENOMEM;
	start = ktime_get_ns();
	ret = hook(ops, target, 0);
	attached = ktime_get_ns() - start;
	if (!ret) {
		start = ktime_get_ns();
		unhook(ops, 1);
		detached = ktime_get_ns() - start;
		pr_info("hooks_cost: attach: %llu instructions\n", attached);
		pr_info("hooks_cost: detach: %llu instructions\n", detached);
	}
	kfree(ops);
	return ret;
}

static int compare(void)
{
	struct ftrace_ops *ops = kcalloc(ELSEWHERE, sizeof(*ops), GFP_KERNEL);
	u64 alone = 0, among = 1;
	int i, ret;

	if (!ops)
		return -ENOMEM;
	ret = hits_with("2 ops", 0, 2, &alone);
	for (i = 0; i < ELSEWHERE && !ret; i++)
		ret = hook(&ops[i], others[i % ARRAY_SIZE(others)], 0);
	if (!ret)
		ret = hits_with("2 ops, 1,024 elsewhere", 0, 2, &among);
	if (!ret)
		ret = attach_costs();
	unhook(ops, ELSEWHERE);
	kfree(ops);
	if (!ret && alone != among) {
		pr_err("hooks_cost: it costs what others have hooked\n");
		ret = -ERANGE;
	}
	return ret;
}

static int __init hooks_cost_init(void)
{
	u64 cost;
	int ret;

	ret = hits_with("1 op", 0, 1, &cost);
	ret = ret ?: hits_with("1 op, all registers",
			       FTRACE_OPS_FL_SAVE_REGS, 1, &cost);
	ret = ret ?: hits_with("1 op, recursion guard",
			       FTRACE_OPS_FL_RECURSION, 1, &cost);
	ret = ret ?: hits_with("1 op, recursion and RCU guard",
			       FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU, 1,
			       &cost);
	ret = ret ?: hits_with("4 ops", 0, 4, &cost);
	ret = ret ?: hits_with("16 ops", 0, 16, &cost);
	ret = ret ?: attach_costs();
	return ret ?: compare();
}
module_init(hooks_cost_init);

static void __exit hooks_cost_exit(void)
{
}
module_exit(hooks_cost_exit);

MODULE_DESCRIPTION("What a hit costs");
MODULE_LICENSE("GPL");
