// SPDX-License-Identifier: GPL-2.0
/* A callback with the recursion guard that calls what it hooks. */
#include <linux/ftrace.h>
#include <linux/module.h>

static noinline __noclone int hooks_recursion_target(int x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

static int calls;

static notrace noinline void
hooks_recursion_callback(unsigned long ip, unsigned long parent_ip,
			 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	WRITE_ONCE(calls, calls + 1);
	hooks_recursion_target(1);
	/* Not a tail call: it is the parent that is to be listed. */
	barrier();
}

static struct ftrace_ops ops = {
	.func	= hooks_recursion_callback,
	.flags	= FTRACE_OPS_FL_RECURSION,
};

static int __init hooks_recursion_init(void)
{
	int ret;

	ret = ftrace_set_filter_ip(&ops, (unsigned long)hooks_recursion_target,
				   0, 1);
	ret = ret ?: register_ftrace_function(&ops);
	if (ret)
		return ret;
	hooks_recursion_target(1);
	unregister_ftrace_function(&ops);
	ftrace_free_filter(&ops);
	return READ_ONCE(calls) == 1 || READ_ONCE(calls) == 2 ? 0 : -ERANGE;
}
module_init(hooks_recursion_init);

static void __exit hooks_recursion_exit(void)
{
}
module_exit(hooks_recursion_exit);

MODULE_DESCRIPTION("A callback that calls what it hooks");
MODULE_LICENSE("GPL");
