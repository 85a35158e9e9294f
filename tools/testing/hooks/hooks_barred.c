// SPDX-License-Identifier: GPL-2.0
/* A module with functions that may not be probed, and data. */
#include <linux/kprobes.h>
#include <linux/module.h>

static int hooks_barred_data = 1;

static noinline __noclone int hooks_barred_marked(int x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

NOKPROBE_SYMBOL(hooks_barred_marked);

static noinline __noclone int __kprobes hooks_barred_section(int x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

static noinline __noclone noinstr int hooks_barred_noinstr(int x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

static int __init hooks_barred_init(void)
{
	int x = READ_ONCE(hooks_barred_data);

	x = hooks_barred_marked(x);
	x = hooks_barred_section(x);
	return hooks_barred_noinstr(x) == 4 ? 0 : -ERANGE;
}
module_init(hooks_barred_init);

static void __exit hooks_barred_exit(void)
{
}
module_exit(hooks_barred_exit);

MODULE_DESCRIPTION("Functions of a module that may not be probed");
MODULE_LICENSE("GPL");
