// SPDX-License-Identifier: GPL-2.0
/* The other t_start() of hooks_names_one.c. */
#include <linux/compiler.h>

#include "hooks_names.h"

static noinline __noclone int t_start(int x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

notrace int hooks_names_two(int x)
{
	return t_start(x);
}
