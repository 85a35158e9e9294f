/* SPDX-License-Identifier: GPL-2.0 */
/* Functions by the thousand that nobody calls: the engine itself hits no hook. */
#ifndef _HOOKS_BENCH_MANY_H
#define _HOOKS_BENCH_MANY_H

#include <linux/compiler.h>

/* Each is a little different from the others, or they become one. */
#define BENCH_FUNCTION(n)						\
	static noinline void bench_function_##n(void)			\
	{								\
		asm volatile("# " #n);					\
	}

#define BENCH_ADDRESS(n)	bench_function_##n,

/* @f of each three digits behind @n. */
#define BENCH_TEN(f, n)		f(n##0) f(n##1) f(n##2) f(n##3) f(n##4)	\
				f(n##5) f(n##6) f(n##7) f(n##8) f(n##9)
#define BENCH_HUNDRED(f, n)	BENCH_TEN(f, n##0) BENCH_TEN(f, n##1)	\
				BENCH_TEN(f, n##2) BENCH_TEN(f, n##3)	\
				BENCH_TEN(f, n##4) BENCH_TEN(f, n##5)	\
				BENCH_TEN(f, n##6) BENCH_TEN(f, n##7)	\
				BENCH_TEN(f, n##8) BENCH_TEN(f, n##9)
#define BENCH_THOUSAND(f, n)	BENCH_HUNDRED(f, n##0) BENCH_HUNDRED(f, n##1) \
				BENCH_HUNDRED(f, n##2) BENCH_HUNDRED(f, n##3) \
				BENCH_HUNDRED(f, n##4) BENCH_HUNDRED(f, n##5) \
				BENCH_HUNDRED(f, n##6) BENCH_HUNDRED(f, n##7) \
				BENCH_HUNDRED(f, n##8) BENCH_HUNDRED(f, n##9)

extern void (*const bench_functions_1000[1000])(void);

#endif /* _HOOKS_BENCH_MANY_H */
