// SPDX-License-Identifier: GPL-2.0
/*
 * A module whose two type_show() share their name with functions of the kernel. With
 * attach=1 an ops is registered for functions of this name.
 */
#include <linux/ftrace.h>
#include <linux/module.h>

#include "hooks_names.h"

static bool attach;
module_param(attach, bool, 0444);

static noinline __noclone int type_show(int x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

static unsigned long hits;

static void count(unsigned long ip, unsigned long parent_ip,
		  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	hits++;
}

static struct ftrace_ops ops = { .func = count };

static int __init hooks_names_init(void)
{
	int ret = 0;

	if (attach)
		ret = ftrace_set_filter(&ops, "type_show", 9, 1) ?:
		      register_ftrace_function(&ops);
	if (ret)
		return ret;
	if (hooks_names_two(type_show(0)) != 2)
		pr_err("hooks_names: wrong results\n");
	if (attach)
		pr_info("hooks_names: %lu hits\n", hits);
	return 0;
}
module_init(hooks_names_init);

static void __exit hooks_names_exit(void)
{
	if (!attach)
		return;
	unregister_ftrace_function(&ops);
	ftrace_free_filter(&ops);
}
module_exit(hooks_names_exit);

MODULE_DESCRIPTION("Functions with a name that others have");
MODULE_LICENSE("GPL");
