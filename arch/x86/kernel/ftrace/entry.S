/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What there is to call and to return to without a generated trampoline.
 */
#include <linux/cfi_types.h>
#include <linux/export.h>
#include <linux/linkage.h>

#include <asm/asm-offsets.h>
#include <asm/nospec-branch.h>
#include <asm/ptrace-abi.h>
#include <asm/unwind_hints.h>

	.code64
	.section .text, "ax"

/*
 * Compiled-in calls come here until their sites are made nops.  It is called
 * from function entries: no register may change.
 */
SYM_FUNC_START(__fentry__)
	CALL_DEPTH_ACCOUNT
	RET
SYM_FUNC_END(__fentry__)
EXPORT_SYMBOL(__fentry__)

.macro DO_NOTHING
	CALL_DEPTH_ACCOUNT
	RET
.endm

/* A callback, and a return callback of the graph tracer, that do nothing. */
SYM_TYPED_FUNC_START(ftrace_stub)
	DO_NOTHING
SYM_FUNC_END(ftrace_stub)

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
SYM_TYPED_FUNC_START(ftrace_stub_graph)
	DO_NOTHING
SYM_FUNC_END(ftrace_stub_graph)
#endif

/* The least that a direct call's target does: go back into the function. */
SYM_FUNC_START(ftrace_stub_direct_tramp)
	DO_NOTHING
SYM_FUNC_END(ftrace_stub_direct_tramp)

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/*
 * Functions whose return the graph tracer wants to see return to here, with
 * their return address gone from the stack.  The registers that a function may
 * return values in are kept and shown, as struct ftrace_regs; then it goes on
 * where the function would have returned to.
 *
 * Going there is a return, too, as the function's was: it needs no ENDBR at
 * its destination and no retpoline.  The call below gives it an entry of its
 * own in the return stack buffer.
 */
SYM_CODE_START(return_to_handler)
	UNWIND_HINT_UNDEFINED
	ANNOTATE_NOENDBR

	movq	%rsp, %rdi
	leaq	-(FRAME_SIZE + 8)(%rsp), %rsp	/* + 8: the way out */
	movq	%rdi, RSP(%rsp)
	movq	%rbp, RBP(%rsp)
	movq	%rdx, RDX(%rsp)
	movq	%rax, RAX(%rsp)
	movq	%rsp, %rdi

	call	ftrace_return_to_handler

	movq	%rax, FRAME_SIZE(%rsp)
	movq	RDX(%rsp), %rdx
	movq	RAX(%rsp), %rax
	addq	$FRAME_SIZE, %rsp

	/* A call whose return is to the address that is on the stack now. */
	ANNOTATE_INTRA_FUNCTION_CALL
	call	.Lleave
	int3
.Lleave:
	UNWIND_HINT_UNDEFINED
	addq	$8, %rsp
	RET
SYM_CODE_END(return_to_handler)
#endif
