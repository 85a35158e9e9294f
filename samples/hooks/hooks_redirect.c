// SPDX-License-Identifier: GPL-2.0
/*
 * Redirects a function: what /proc/cmdline shows comes from here while the
 * module is loaded.
 *
 * The callback sets the instruction pointer to a function with the same
 * prototype; IPMODIFY says so, and makes sure that nobody else does it there.
 */
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/seq_file.h>

static int my_cmdline_proc_show(struct seq_file *m, void *v)
{
	seq_puts(m, "this comes from hooks_redirect\n");
	return 0;
}

static void redirect(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	unsigned long to = (unsigned long)my_cmdline_proc_show;

	ftrace_regs_set_instruction_pointer(fregs, to);
}

static struct ftrace_ops ops = {
	.func	= redirect,
	.flags	= FTRACE_OPS_FL_IPMODIFY,
};

static int __init hooks_redirect_init(void)
{
	char *name = "cmdline_proc_show";
	int ret;

	ret = ftrace_set_filter(&ops, name, strlen(name), 1);
	if (!ret)
		ret = register_ftrace_function(&ops);
	if (ret)
		ftrace_free_filter(&ops);
	return ret;
}
module_init(hooks_redirect_init);

static void __exit hooks_redirect_exit(void)
{
	unregister_ftrace_function(&ops);
	ftrace_free_filter(&ops);
}
module_exit(hooks_redirect_exit);

MODULE_DESCRIPTION("Redirects a kernel function");
MODULE_LICENSE("GPL");
