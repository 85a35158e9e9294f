/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trampoline's frame.  All trampolines have the same, so that unwinding
 * needs to know only whether it is there.
 *
 *	FRAME + 8	return address of the traced function
 *	FRAME		return address into the traced function: site + 5
 *	...		frame-pointer records, where the kernel unwinds by those
 *	FRAME_TO	where a redirected function goes
 *	FRAME_PARENT	the traced function's caller, before any callback ran
 *	FRAME_GUARD	the recursion guard's bit that was taken
 *	0		struct pt_regs
 */
#ifndef _ARCH_X86_KERNEL_FTRACE_LAYOUT_H
#define _ARCH_X86_KERNEL_FTRACE_LAYOUT_H

#include <linux/types.h>

#include <asm/ptrace.h>

#define FRAME_GUARD	((int)sizeof(struct pt_regs))
#define FRAME_PARENT	(FRAME_GUARD + 8)
#define FRAME_TO	(FRAME_PARENT + 8)
#define FRAME_RECORDS	(FRAME_TO + 8)
#ifdef CONFIG_FRAME_POINTER
#define FRAME		(FRAME_RECORDS + 32)
#else
#define FRAME		FRAME_RECORDS
#endif

/* The instruction that makes the frame: leaq -FRAME(%rsp), %rsp */
#define ENTRY_INSN_SIZE	8

/* Behind it, with complete registers, pushfq: for one instruction 8 deeper. */
#define PUSHF_END	(ENTRY_INSN_SIZE + 1)

/* leaq FRAME(%rsp), %rsp takes it away; popfq stands right before. */
#define EXIT_INSN_SIZE	8

#endif /* _ARCH_X86_KERNEL_FTRACE_LAYOUT_H */
