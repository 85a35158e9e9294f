// SPDX-License-Identifier: GPL-2.0
/*
 * What 10,000 ops on one function each take of memory, struct ftrace_ops
 * aside.  Each is on a kernel function of its own, named by its number in
 * available_filter_functions.
 */
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#define NR	10000

static struct ftrace_ops *all;

static void nothing(unsigned long ip, unsigned long parent_ip,
		    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
}

static unsigned long free_bytes(void)
{
	struct sysinfo info;

	si_meminfo(&info);
	return info.freeram * info.mem_unit;
}

static int hook_number(struct ftrace_ops *ops, int number)
{
	char text[16];
	int len, ret;

	ops->func = nothing;
	len = snprintf(text, sizeof(text), "%d", number);
	ret = ftrace_set_filter(ops, text, len, 1);
	return ret ?: register_ftrace_function(ops);
}

static void unhook_all(void)
{
	int i;

	for (i = 0; i < NR; i++) {
		if (all[i].flags & FTRACE_OPS_FL_ENABLED)
			unregister_ftrace_function(&all[i]);
		ftrace_free_filter(&all[i]);
	}
	vfree(all);
}

static int __init hooks_memory_init(void)
{
	unsigned long before, after;
	int i, ret = 0;

	all = vzalloc(NR * sizeof(*all));
	if (!all)
		return -ENOMEM;
	/* What is allocated once is not what each takes. */
	ret = hook_number(&all[0], 1);
	before = free_bytes();
	for (i = 1; i < NR && !ret; i++)
		ret = hook_number(&all[i], i + 1);
	after = free_bytes();
	if (ret)
		pr_err("hooks_memory: number %d: error %d\n", i, ret);
	else
		pr_info("hooks_memory: %ld bytes each of %d\n",
			(long)(before - after) / (NR - 1), NR);
	unhook_all();
	return ret;
}
module_init(hooks_memory_init);

static void __exit hooks_memory_exit(void)
{
}
module_exit(hooks_memory_exit);

MODULE_DESCRIPTION("What an ops takes of memory");
MODULE_LICENSE("GPL");
