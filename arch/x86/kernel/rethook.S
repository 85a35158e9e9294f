/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where hooked functions return to.
 */
#include <linux/linkage.h>

#include <asm/asm-offsets.h>
#include <asm/nospec-branch.h>
#include <asm/ptrace-abi.h>
#include <asm/segment.h>
#include <asm/unwind_hints.h>

#ifdef CONFIG_FRAME_POINTER
#define RECORD	16
#else
#define RECORD	0
#endif

	.code64
	.section .text, "ax"

/*
 * Handlers see the registers as the function left them, and may change what
 * they like but the stack; also those are kept that C functions may change, as
 * assembly that calls the function may rely on them.
 *
 * The word that the return address was in is taken again at once: whoever
 * unwinds from here finds this address there and asks for the real one, which
 * rethook_leave() has put there when it comes back.
 *
 * A return needs no ENDBR at its destination.  The one at the end is accounted
 * for as any other where the depth of calls is tracked.
 */
SYM_CODE_START(arch_rethook_trampoline)
	UNWIND_HINT_UNDEFINED
	ANNOTATE_NOENDBR
	pushq	$arch_rethook_trampoline
	UNWIND_HINT_FUNC
#ifdef CONFIG_FRAME_POINTER
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	$0		/* keeps the stack aligned */
#endif
	/* struct pt_regs, from its end */
	pushq	$__KERNEL_DS
	pushq	$0		/* sp, below */
	pushfq
	pushq	$__KERNEL_CS
	pushq	$0		/* ip: rethook_leave() knows it */
	pushq	$-1
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%rax
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%rbx
#ifdef CONFIG_FRAME_POINTER
	pushq	(%rbp)
#else
	pushq	%rbp
#endif
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	leaq	(FRAME_SIZE + RECORD + 8)(%rsp), %rdi
	movq	%rdi, RSP(%rsp)

	movq	%rsp, %rdi
	call	rethook_leave

	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rax
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
	leaq	24(%rsp), %rsp	/* to the flags, which then stay */
	popfq
	leaq	(16 + RECORD)(%rsp), %rsp
	RET
SYM_CODE_END(arch_rethook_trampoline)
