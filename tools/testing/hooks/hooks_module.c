// SPDX-License-Identifier: GPL-2.0
/* A module with functions to hook: one called by its init, an init function. */
#include <linux/module.h>

static noinline __noclone int hooks_module_core(int x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

static noinline __noclone int __init hooks_module_early(int x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

static int __init hooks_module_init(void)
{
	return hooks_module_core(1) == 2 && hooks_module_early(1) == 2 ?
	       0 : -ERANGE;
}
module_init(hooks_module_init);

static void __exit hooks_module_exit(void)
{
	hooks_module_core(2);
}
module_exit(hooks_module_exit);

MODULE_DESCRIPTION("Functions of a module to hook");
MODULE_LICENSE("GPL");
