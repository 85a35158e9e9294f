// SPDX-License-Identifier: GPL-2.0
/* Functions for the tests to probe. */
#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/objtool.h>

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

	asm volatile(ANNOTATE_NOENDBR
		     ".Lkprobe_kunit_insn:\n\t"
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
	asm volatile(ANNOTATE_NOENDBR
		     ".Lkprobe_kunit_pair:\n\t"
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
		asm volatile(ANNOTATE_NOENDBR
			     ".Lkprobe_kunit_int3: int3\n\t"
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

FUNC(10) FUNC(11) FUNC(12) FUNC(13) FUNC(14)
FUNC(15) FUNC(16) FUNC(17) FUNC(18) FUNC(19)
FUNC(20) FUNC(21) FUNC(22) FUNC(23) FUNC(24)
FUNC(25) FUNC(26) FUNC(27) FUNC(28) FUNC(29)
FUNC(30) FUNC(31) FUNC(32) FUNC(33) FUNC(34)
FUNC(35) FUNC(36) FUNC(37) FUNC(38) FUNC(39)
FUNC(40) FUNC(41) FUNC(42) FUNC(43) FUNC(44)
FUNC(45) FUNC(46) FUNC(47) FUNC(48) FUNC(49)
FUNC(50) FUNC(51) FUNC(52) FUNC(53) FUNC(54)
FUNC(55) FUNC(56) FUNC(57) FUNC(58) FUNC(59)

int (*const kprobe_kunit_funcs[KPROBE_KUNIT_FUNCS])(int x) = {
	func_10, func_11, func_12, func_13, func_14,
	func_15, func_16, func_17, func_18, func_19,
	func_20, func_21, func_22, func_23, func_24,
	func_25, func_26, func_27, func_28, func_29,
	func_30, func_31, func_32, func_33, func_34,
	func_35, func_36, func_37, func_38, func_39,
	func_40, func_41, func_42, func_43, func_44,
	func_45, func_46, func_47, func_48, func_49,
	func_50, func_51, func_52, func_53, func_54,
	func_55, func_56, func_57, func_58, func_59,
};
