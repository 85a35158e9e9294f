// SPDX-License-Identifier: GPL-2.0
/*
 * Changes what it hooks while it runs: writing a pattern to the parameter
 * "functions" moves the hook there, in one step; reading "hits" tells how
 * often it was called since.
 */
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static atomic_long_t hits;

static void count(unsigned long ip, unsigned long parent_ip,
		  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	atomic_long_inc(&hits);
}

static struct ftrace_ops ops = { .func = count };

static int set_functions(const char *value, const struct kernel_param *kp)
{
	char pattern[128];
	int ret;

	strscpy(pattern, value);
	strim(pattern);
	ret = ftrace_set_filter(&ops, pattern, strlen(pattern), 1);
	if (!ret)
		atomic_long_set(&hits, 0);
	return ret;
}

static int get_hits(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%ld\n", atomic_long_read(&hits));
}

static const struct kernel_param_ops functions_ops = { .set = set_functions };
static const struct kernel_param_ops hits_ops = { .get = get_hits };

module_param_cb(functions, &functions_ops, NULL, 0200);
MODULE_PARM_DESC(functions, "which functions to count calls of");
module_param_cb(hits, &hits_ops, NULL, 0444);
MODULE_PARM_DESC(hits, "how often they were called");

static int __init hooks_filter_init(void)
{
	int ret;

	/* Without a filter it would be every function. */
	ret = ftrace_set_filter_ip(&ops, (unsigned long)set_functions, 0, 0);
	if (!ret)
		ret = register_ftrace_function(&ops);
	if (ret)
		ftrace_free_filter(&ops);
	return ret;
}
module_init(hooks_filter_init);

static void __exit hooks_filter_exit(void)
{
	unregister_ftrace_function(&ops);
	ftrace_free_filter(&ops);
}
module_exit(hooks_filter_exit);

MODULE_DESCRIPTION("Moves a hook while it runs");
MODULE_LICENSE("GPL");
