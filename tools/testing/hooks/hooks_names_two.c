// SPDX-License-Identifier: GPL-2.0
/* The other type_show() of hooks_names_one.c. */
#include <linux/compiler.h>

#include "hooks_names.h"

static noinline __noclone int type_show(int x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

notrace int hooks_names_two(int x)
{
	return type_show(x);
}
