// SPDX-License-Identifier: GPL-2.0
/* Functions for the tests to probe. */
#include <linux/compiler.h>
#include <linux/kprobes.h>

#include "kunit_target.h"

noinline int kprobe_kunit_one(int x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x + 1;
}

noinline int kprobe_kunit_two(int x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x + 2;
}

noinline int kprobe_kunit_three(int x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x + 3;
}

notrace noinline int kprobe_kunit_untraced(int x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x + 4;
}

/* The instruction is as long as a jump, so that one may take its place. */
noinline __noclone int kprobe_kunit_body(int x)
{
	int ret;

	asm volatile(".Lkprobe_kunit_insn:\n\t"
		     "leal 0x1000(%%rdi), %0\n\t"
		     ".pushsection .rodata\n\t"
		     ".balign 8\n\t"
		     ".globl kprobe_kunit_insn\n"
		     "kprobe_kunit_insn: .quad .Lkprobe_kunit_insn\n\t"
		     ".popsection"
		     : "=a" (ret) : "D" (x));
	return ret;
}

noinline __noclone int kprobe_kunit_neighbours(int x)
{
	asm volatile(".Lkprobe_kunit_pair:\n\t"
		     "addl $1, %0\n\t"
		     "addl $2, %0\n\t"
		     ".pushsection .rodata\n\t"
		     ".balign 8\n\t"
		     ".globl kprobe_kunit_pair\n"
		     "kprobe_kunit_pair: .quad .Lkprobe_kunit_pair\n\t"
		     ".popsection"
		     : "+D" (x));
	return x;
}

noinline int kprobe_kunit_around(int (*fn)(void *data), void *data)
{
	int ret = fn(data);

	OPTIMIZER_HIDE_VAR(ret);
	return ret + 1;
}

noinline int kprobe_kunit_recurse(int depth)
{
	int ret = depth ? kprobe_kunit_recurse(depth - 1) : 0;

	OPTIMIZER_HIDE_VAR(ret);
	return ret + 1;
}

int __kprobes kprobe_kunit_section(int x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x + 1;
}

noinline int kprobe_kunit_marked(int x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x + 1;
}

NOKPROBE_SYMBOL(kprobe_kunit_marked);

noinstr int kprobe_kunit_noinstr(int x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x + 1;
}

noinline __noclone int kprobe_kunit_int3(int x)
{
	if (x == INT_MIN)
		asm volatile(".Lkprobe_kunit_int3: int3\n\t"
			     ".pushsection .rodata\n\t"
			     ".balign 8\n\t"
			     ".globl kprobe_kunit_int3_insn\n"
			     "kprobe_kunit_int3_insn: .quad .Lkprobe_kunit_int3\n\t"
			     ".popsection");
	return x + 1;
}

#define FUNC(n)								\
static noinline int func_##n(int x)					\
{									\
	asm volatile("# " #n : "+r" (x));				\
	return x + 1;							\
}
#define ADDR(n)		func_##n,
#define TEN(do, n)							\
	do(n##0) do(n##1) do(n##2) do(n##3) do(n##4)			\
	do(n##5) do(n##6) do(n##7) do(n##8) do(n##9)
#define FIFTY(do)	TEN(do, 1) TEN(do, 2) TEN(do, 3) TEN(do, 4) TEN(do, 5)

FIFTY(FUNC)

int (*const kprobe_kunit_funcs[KPROBE_KUNIT_FUNCS])(int x) = { FIFTY(ADDR) };
