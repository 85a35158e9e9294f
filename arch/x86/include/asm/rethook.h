/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_X86_RETHOOK_H
#define _ASM_X86_RETHOOK_H

#include <asm/ptrace.h>

/* Where a function that was just called finds its return address. */
static __always_inline unsigned long *arch_rethook_slot(struct pt_regs *regs)
{
	return (unsigned long *)regs->sp;
}

/* The same, when it has returned to arch_rethook_trampoline(). */
static __always_inline unsigned long *arch_rethook_left(struct pt_regs *regs)
{
	return (unsigned long *)regs->sp - 1;
}

#endif /* _ASM_X86_RETHOOK_H */
