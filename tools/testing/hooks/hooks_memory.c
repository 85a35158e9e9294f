// SPDX-License-Identifier: GPL-2.0
/*
 * Ops on one function each, for what they take of memory: the script compares
 * a few of them with many.  Each is on a kernel function of its own, named by
 * its number in available_filter_functions.
 */
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

#define MOST	10000

static unsigned int nr = MOST;
module_param(nr, uint, 0444);
MODULE_PARM_DESC(nr, "how many ops, at most 10,000");

static struct ftrace_ops *all;

static void nothing(unsigned long ip, unsigned long parent_ip,
		    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
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
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (all[i].flags & FTRACE_OPS_FL_ENABLED)
			unregister_ftrace_function(&all[i]);
		ftrace_free_filter(&all[i]);
	}
	vfree(all);
}

static int __init hooks_memory_init(void)
{
	unsigned int i;
	int ret = 0;

	if (nr > MOST)
		return -EINVAL;
	/* The same size always: struct ftrace_ops itself is not to count. */
	all = vzalloc(MOST * sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (i = 0; i < nr && !ret; i++)
		ret = hook_number(&all[i], i + 1);
	if (ret) {
		pr_err("hooks_memory: number %u: error %d\n", i, ret);
		unhook_all();
	}
	return ret;
}
module_init(hooks_memory_init);

static void __exit hooks_memory_exit(void)
{
	unhook_all();
}
module_exit(hooks_memory_exit);

MODULE_DESCRIPTION("What an ops takes of memory");
MODULE_LICENSE("GPL");
