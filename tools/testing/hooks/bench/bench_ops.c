// SPDX-License-Identifier: GPL-2.0
/* Attaching and detaching: ops on a function of their own each, an ops on all. */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "bench.h"
#include "hooks_bench_many.h"

static struct ftrace_ops *others;
static unsigned int others_nr;

static struct ftrace_ops on_all = { .func = bench_nothing };

static void (*const *functions)(void);

unsigned long bench_function(unsigned int i, unsigned int nr)
{
	return nr <= 1000 ? (unsigned long)functions[i] : bench_kernel[i];
}

int bench_get_functions(void)
{
	functions = (void (*const *)(void))symbol_get(bench_functions_1000);
	return functions ? 0 : -ENODATA;
}

void bench_put_functions(void)
{
	symbol_put(bench_functions_1000);
}

/* One ops more, of a function where none is; and what a hit of two then costs. */
static int among_others(unsigned int nr)
{
	struct ftrace_ops *ops = kcalloc(2, sizeof(*ops), GFP_KERNEL);
	u64 before = bench_measure(bench_call), took;
	int ret;

	if (!ops)
		return -ENOMEM;
	took = ktime_get_ns();
	ret = bench_hook(&ops[0], (unsigned long)bench_target, 0);
	took = ktime_get_ns() - took;
	if (!ret) {
		bench_report("attach one ops, others elsewhere", nr, took);
		ret = bench_hook(&ops[1], (unsigned long)bench_target, 0);
	}
	if (!ret)
		bench_report("hit, 2 ops, others elsewhere", nr,
			     bench_measure(bench_call) - before);
	bench_unhook(&ops[1]);
	took = ktime_get_ns();
	bench_unhook(&ops[0]);
	took = ktime_get_ns() - took;
	if (!ret)
		bench_report("detach one ops, others elsewhere", nr, took);
	kfree(ops);
	return ret;
}

/* @nr ops, which stay. */
int bench_attach(unsigned int nr)
{
	unsigned int i;
	u64 start;
	int ret;

	if (others)
		return -EBUSY;
	if (!nr)
		return among_others(0);
	ret = nr > 1000 && nr > bench_kernel_nr ? -ENODATA :
	      bench_get_functions();
	if (ret)
		return ret;
	others = vzalloc(array_size(BENCH_MOST, sizeof(*others)));
	if (!others) {
		bench_put_functions();
		return -ENOMEM;
	}
	others_nr = nr;
	start = ktime_get_ns();
	for (i = 0; i < nr && !ret; i++)
		ret = bench_hook(&others[i], bench_function(i, nr), 0);
	if (ret)
		return ret;
	bench_report_each("attach ops one by one, each", nr, start);
	return among_others(nr);
}

int bench_detach(unsigned int nr)
{
	unsigned int i;
	u64 start;

	if (!others)
		return 0;
	start = ktime_get_ns();
	for (i = 0; i < others_nr; i++)
		bench_unhook(&others[i]);
	bench_report_each("detach ops one by one, each", others_nr, start);
	vfree(others);
	others = NULL;
	bench_put_functions();
	return 0;
}

/* An ops on all functions, which stays. */
int bench_attach_all(unsigned int nr)
{
	u64 start = ktime_get_ns();
	int ret = register_ftrace_function(&on_all);

	if (!ret)
		bench_report_each("attach to all functions", 1, start);
	return ret;
}

int bench_detach_all(unsigned int nr)
{
	u64 start;

	if (!(on_all.flags & FTRACE_OPS_FL_ENABLED))
		return 0;
	start = ktime_get_ns();
	unregister_ftrace_function(&on_all);
	bench_report_each("detach from all functions", 1, start);
	return 0;
}
