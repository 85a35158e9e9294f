/* SPDX-License-Identifier: GPL-2.0 */
/* What generated code needs of the kernel: per-CPU counts, calls, returns. */
#ifndef _ARCH_X86_KERNEL_FTRACE_EMIT_KERNEL_H
#define _ARCH_X86_KERNEL_FTRACE_EMIT_KERNEL_H

#include <linux/kernel.h>
#include <linux/preempt.h>

#include <asm/alternative.h>
#include <asm/current.h>
#include <asm/nospec-branch.h>

#include "emit.h"

/* A return takes as much, as mitigations may want it to be a jump. */
#define RETURN_INSN_SIZE	5

/* An instruction on a per-CPU 32-bit or 64-bit variable: prefix, then this. */
static inline void emit_percpu_operand(struct emitter *e, u8 opcode,
				       u8 modrm_reg, unsigned long var,
				       int behind)
{
	if (IS_ENABLED(CONFIG_SMP)) {
		emit(e, opcode, 0x04 | modrm_reg << 3, 0x25);
		emit_u32(e, var);
	} else {
		emit(e, opcode, 0x05 | modrm_reg << 3);
		emit_u32(e, var - (emit_here(e) + 4 + behind));
	}
}

static inline void emit_percpu_prefix(struct emitter *e)
{
	if (IS_ENABLED(CONFIG_SMP))
		emit(e, 0x65);		/* %gs */
}

/* incl or decl (modrm_reg 0 or 1) of the preempt count */
static inline void emit_preempt_count(struct emitter *e, u8 modrm_reg)
{
	emit_percpu_prefix(e);
	emit_percpu_operand(e, 0xff, modrm_reg,
			    (unsigned long)&pcpu_hot.preempt_count, 0);
}

/* movq current, %rax */
static inline void emit_current(struct emitter *e)
{
	emit_percpu_prefix(e);
	emit(e, 0x48);
	emit_percpu_operand(e, 0x8b, EMIT_AX,
			    (unsigned long)&pcpu_hot.current_task, 0);
}

/* testl $mask, a per-CPU variable */
static inline void emit_percpu_test(struct emitter *e, unsigned long var,
				    u32 mask)
{
	emit_percpu_prefix(e);
	emit_percpu_operand(e, 0xf7, 0, var, sizeof(mask));
	emit_u32(e, mask);
}

/* One more call that a return has to be found for, where that is counted. */
static inline void emit_call_depth(struct emitter *e)
{
#ifdef CONFIG_MITIGATION_CALL_DEPTH_TRACKING
	if (!cpu_feature_enabled(X86_FEATURE_CALL_DEPTH))
		return;
	emit_percpu_prefix(e);
	emit(e, 0x48);
	emit_percpu_operand(e, 0xc1, 7, (unsigned long)&pcpu_hot.call_depth, 1);
	emit(e, 5);			/* sarq $5 */
#endif
}

static inline void emit_helper(struct emitter *e, const void *helper)
{
	emit_call_depth(e);
	emit_call(e, helper);
}

/* Preemption on again; @resched schedules, where that came due meanwhile. */
static inline void emit_preempt_on(struct emitter *e, const void *resched)
{
#ifdef CONFIG_PREEMPT_COUNT
	emit_preempt_count(e, 1);
#ifdef CONFIG_PREEMPTION
	/* Zero: it was the last, and a reschedule came due meanwhile. */
	{
		size_t not_due = emit_skip(e, EMIT_JNZ);

		emit_helper(e, resched);
		emit_land(e, not_due);
	}
#endif
#endif
}

/* A return as mitigations want it at an address: RETURN_INSN_SIZE bytes. */
static inline void return_insn(u8 *code, unsigned long at)
{
#ifdef CONFIG_MITIGATION_RETHUNK
	if (cpu_wants_rethunk_at((void *)at)) {
		__text_gen_insn(code, JMP32_INSN_OPCODE, (void *)at,
				x86_return_thunk, JMP32_INSN_SIZE);
		return;
	}
#endif
	memset(code, INT3_INSN_OPCODE, RETURN_INSN_SIZE);
	code[0] = RET_INSN_OPCODE;
}

#endif /* _ARCH_X86_KERNEL_FTRACE_EMIT_KERNEL_H */
