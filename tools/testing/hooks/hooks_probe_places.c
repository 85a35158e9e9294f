// SPDX-License-Identifier: GPL-2.0
/* Four hundred functions of 250 instructions: 100,000 places for probes. */
#include <linux/module.h>

#include "hooks_probe_places.h"

#define FUNCTION(n)						\
static noinline __noclone unsigned long places_##n(void)	\
{								\
	unsigned long first;					\
								\
	asm volatile("leaq 1f(%%rip), %0\n"			\
		     "1:\n\t"					\
		     ".rept 250\n\t"				\
		     "nop\n\t"					\
		     ".endr" : "=r" (first));			\
	return first;						\
}
#define ADDRESS(n)	places_##n,
#define TEN(do, n)						\
	do(n##0) do(n##1) do(n##2) do(n##3) do(n##4)		\
	do(n##5) do(n##6) do(n##7) do(n##8) do(n##9)
#define HUNDRED(do, n)						\
	TEN(do, n##0) TEN(do, n##1) TEN(do, n##2) TEN(do, n##3)	\
	TEN(do, n##4) TEN(do, n##5) TEN(do, n##6) TEN(do, n##7)	\
	TEN(do, n##8) TEN(do, n##9)
#define ALL(do)							\
	HUNDRED(do, 1) HUNDRED(do, 2) HUNDRED(do, 3) HUNDRED(do, 4)

ALL(FUNCTION)

static unsigned long (*const functions[PLACES_FUNCTIONS])(void) = {
	ALL(ADDRESS)
};

/* Address of place @i, below PLACES; far from those with numbers beside it. */
unsigned long hooks_probe_place(unsigned int i)
{
	return functions[i % PLACES_FUNCTIONS]() + i / PLACES_FUNCTIONS;
}
