/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What there is to call and to return to without a generated trampoline.
 */
#include <linux/cfi_types.h>
#include <linux/linkage.h>

#include <asm/asm-offsets.h>
#include <asm/assembler.h>
#include <asm/brk-imm.h>
#include <asm/debug-monitors.h>

#include "layout.h"

	.text

/*
 * Sites call this that cannot reach what they are to call; those of modules
 * that cannot reach this either, through a veneer.  The literal stands before
 * the function, aligned: the site is the second instruction behind it, or the
 * third.  A return is not asked for a landing pad at its destination.
 */
SYM_CODE_START(ftrace_caller)
	bti	c
	bic	x17, x30, #7
	ldr	x17, [x17, #-16]
	ret	x17
SYM_CODE_END(ftrace_caller)

/* A callback, and a return callback of the graph tracer, that do nothing. */
SYM_TYPED_FUNC_START(ftrace_stub)
	ret
SYM_FUNC_END(ftrace_stub)

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
SYM_TYPED_FUNC_START(ftrace_stub_graph)
	ret
SYM_FUNC_END(ftrace_stub_graph)
#endif

/* The least that a direct call's target does: go back into the function. */
SYM_FUNC_START(ftrace_stub_direct_tramp)
	mov	x10, x30
	mov	x30, x9
	ret	x10
SYM_FUNC_END(ftrace_stub_direct_tramp)

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
/*
 * Functions whose return the graph tracer wants to see return to here.  The
 * registers that a function may return values in are kept and shown, as struct
 * ftrace_regs; then it goes on where the function would have returned to.
 */
SYM_CODE_START(return_to_handler)
	sub	sp, sp, #PT_REGS_SIZE
	stp	x0, x1, [sp, #S_X0]
	stp	x2, x3, [sp, #S_X2]
	stp	x4, x5, [sp, #S_X4]
	stp	x6, x7, [sp, #S_X6]
	str	x29, [sp, #S_FP]
	add	x10, sp, #PT_REGS_SIZE
	str	x10, [sp, #S_SP]
	str	xzr, [sp, #S_PSTATE]
	mov	x0, sp

	bl	ftrace_return_to_handler

	mov	x30, x0
	ldp	x0, x1, [sp, #S_X0]
	ldp	x2, x3, [sp, #S_X2]
	ldp	x4, x5, [sp, #S_X4]
	ldp	x6, x7, [sp, #S_X6]
	add	sp, sp, #PT_REGS_SIZE
	ret
SYM_CODE_END(return_to_handler)
#endif

/* See early.c. */
SYM_CODE_START(ftrace_early_text)
	.rept	EARLY_TEXT_SIZE / 4
	brk	#FAULT_BRK_IMM
	.endr
SYM_CODE_END(ftrace_early_text)
