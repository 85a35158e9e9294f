// SPDX-License-Identifier: GPL-2.0
/* A module with 200 functions to hook, each called by its init. */
#include <linux/module.h>

#define FUNCTION(n)						\
static noinline __noclone int hooks_many_##n(int x)		\
{								\
	asm volatile("" : "+r" (x));				\
	return x + 1;						\
}
#define TEN(do, n)						\
	do(n##0) do(n##1) do(n##2) do(n##3) do(n##4)		\
	do(n##5) do(n##6) do(n##7) do(n##8) do(n##9)
#define TWO_HUNDRED(do)						\
	TEN(do, 0) TEN(do, 1) TEN(do, 2) TEN(do, 3) TEN(do, 4)	\
	TEN(do, 5) TEN(do, 6) TEN(do, 7) TEN(do, 8) TEN(do, 9)	\
	TEN(do, 10) TEN(do, 11) TEN(do, 12) TEN(do, 13)		\
	TEN(do, 14) TEN(do, 15) TEN(do, 16) TEN(do, 17)		\
	TEN(do, 18) TEN(do, 19)

TWO_HUNDRED(FUNCTION)

#define CALL(n)	x = hooks_many_##n(x);

static int __init hooks_many_init(void)
{
	int x = 0;

	TWO_HUNDRED(CALL)
	return x == 200 ? 0 : -ERANGE;
}
module_init(hooks_many_init);

static void __exit hooks_many_exit(void)
{
}
module_exit(hooks_many_exit);

MODULE_DESCRIPTION("Two hundred functions of a module to hook");
MODULE_LICENSE("GPL");
