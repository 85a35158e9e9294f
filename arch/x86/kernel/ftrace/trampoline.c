// SPDX-License-Identifier: GPL-2.0
/*
 * The code of trampolines.
 *
 * A site's "call trampoline" leaves site + 5 on the stack, below the traced
 * function's own return address.  A trampoline
 *
 *	makes its frame and saves registers there as struct pt_regs: the
 *	argument registers, or all of them
 *	switches preemption off, where the kernel counts that
 *	for each callback: asks its guards, calls it, gives guards back
 *	switches preemption on
 *	restores registers, and takes the frame away
 *	returns into the function, or jumps to the target of a direct call, for
 *	which everything is then as if the site had called it
 *
 * Callbacks are called straight from here, by direct calls: one frame, no
 * retpoline.  What can redirect the function, what needs a guard, is known
 * when the code is made; nothing is tested for it at a hit.  Of the guards, what
 * they do for nearly all hits is done here; the rest is in dispatch.c.
 *
 * The instruction pointer in the registers is the function's own business
 * unless a call may redirect.  Then FRAME_TO holds where to go; only calls that
 * may redirect write it, and behind the others the registers are set right
 * again.
 */
#include <linux/context_tracking_state.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/trace_recursion.h>

#include <asm/segment.h>

#include "../../../../kernel/trace/ftrace/arch.h"
#include "../../../../kernel/trace/ftrace/dispatch.h"
#include "../../../../kernel/trace/ftrace/internal.h"
#include "emit.h"
#include "emit_kernel.h"
#include "layout.h"

#define REG(name)	((int)offsetof(struct pt_regs, name))

struct reg_slot {
	enum emit_reg	reg;
	int		slot;
};

/* Registers that carry arguments; ax counts the vector ones of a variadic. */
static const struct reg_slot argument_regs[] = {
	{ EMIT_AX, REG(ax) }, { EMIT_CX, REG(cx) }, { EMIT_DX, REG(dx) },
	{ EMIT_SI, REG(si) }, { EMIT_DI, REG(di) }, { EMIT_R8, REG(r8) },
	{ EMIT_R9, REG(r9) }, { EMIT_BP, REG(bp) },
};

static const struct reg_slot other_regs[] = {
	{ EMIT_BX, REG(bx) }, { EMIT_R10, REG(r10) }, { EMIT_R11, REG(r11) },
	{ EMIT_R12, REG(r12) }, { EMIT_R13, REG(r13) }, { EMIT_R14, REG(r14) },
	{ EMIT_R15, REG(r15) },
};

static void save(struct emitter *e, const struct reg_slot *regs, int nr)
{
	for (; nr--; regs++)
		emit_store(e, regs->reg, regs->slot);
}

static void restore(struct emitter *e, const struct reg_slot *regs, int nr)
{
	for (; nr--; regs++)
		emit_load(e, regs->reg, regs->slot);
}

/*
 * With frame pointers there are two records, as if the traced function had
 * been called by its caller and had called the trampoline.
 */
static void emit_frame_records(struct emitter *e)
{
	int outer = FRAME_RECORDS + 16, inner = FRAME_RECORDS;

	if (!IS_ENABLED(CONFIG_FRAME_POINTER))
		return;
	emit_store(e, EMIT_BP, outer);
	emit_load(e, EMIT_AX, FRAME + 8);
	emit_store(e, EMIT_AX, outer + 8);
	emit_lea(e, EMIT_AX, outer);
	emit_store(e, EMIT_AX, inner);
	emit_load(e, EMIT_AX, FRAME);
	emit_store(e, EMIT_AX, inner + 8);
	emit_lea(e, EMIT_BP, inner);
}

static void emit_entry(struct emitter *e, const struct ftrace_chain *chain)
{
	bool all = chain->flags & FTRACE_CALL_REGS;

	/* In the long form, whatever FRAME is; flags stay as they are. */
	emit(e, 0x48, 0x8d, 0xa4, 0x24);
	emit_u32(e, -FRAME);
	if (all) {
		emit(e, 0x9c);			/* pushfq */
		emit(e, 0x8f);			/* popq, with %rsp back already */
		emit_stack_operand(e, 0, REG(flags));
	}

	save(e, argument_regs, ARRAY_SIZE(argument_regs));
	if (all)
		save(e, other_regs, ARRAY_SIZE(other_regs));
	emit_load(e, EMIT_AX, FRAME);
	emit_store(e, EMIT_AX, REG(ip));
	if (chain->flags & FTRACE_CALL_REDIRECT)
		emit_store(e, EMIT_AX, FRAME_TO);
	emit_lea(e, EMIT_CX, FRAME + 8);
	emit_store(e, EMIT_CX, REG(sp));
	emit_store_imm(e, 0, REG(orig_ax));
	emit_store_imm(e, all ? __KERNEL_CS : 0, REG(cs));
	if (all)
		emit_store_imm(e, __KERNEL_DS, REG(ss));
	if (chain->nr > 1) {
		emit_load(e, EMIT_AX, FRAME + 8);
		emit_store(e, EMIT_AX, FRAME_PARENT);
	}
	emit_frame_records(e);
	if (!(chain->flags & FTRACE_CALL_DIRECT))
		emit_call_depth(e);
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT))
		emit_preempt_count(e, 0);
}

/* Load a call's ip and parent_ip, as the first two arguments. */
static void emit_addresses(struct emitter *e, const struct ftrace_chain *chain)
{
	emit_load(e, EMIT_DI, FRAME);
	emit_add(e, EMIT_DI, EMIT_DI, -MCOUNT_INSN_SIZE);
	emit_load(e, EMIT_SI, chain->nr > 1 ? FRAME_PARENT : FRAME + 8);
}

/* Skip the call where the last instruction found so: jcc rel32, by opcode. */
static size_t emit_refusal_if(struct emitter *e, u8 opcode)
{
	emit(e, 0x0f, 0x80 | (opcode & 0xf));
	emit_u32(e, 0);
	return e->len;
}

/* A guard's answer: skip the call where it is negative. */
static size_t emit_refusal(struct emitter *e)
{
	emit(e, 0x85, 0xc0);			/* testl %eax, %eax */
	return emit_refusal_if(e, EMIT_JS);
}

static void land_refusal(struct emitter *e, size_t from)
{
	u32 rel = e->len - from;

	if (e->buf && from)
		memcpy(e->buf + from - sizeof(rel), &rel, sizeof(rel));
}

static size_t emit_guard_rcu(struct emitter *e)
{
#if defined(CONFIG_TREE_RCU) && defined(CONFIG_CONTEXT_TRACKING_IDLE)
	/* As rcu_is_watching(), with preemption off already. */
	emit_percpu_test(e, (unsigned long)&context_tracking.state,
			 CT_RCU_WATCHING);
	return emit_refusal_if(e, EMIT_JZ);
#else
	emit_helper(e, ftrace_guard_rcu);
	return emit_refusal(e);
#endif
}

#define TASK_RECURSION_OFFSET ((u32)offsetof(struct task_struct, trace_recursion))

/*
 * A task, in no interrupt, takes its bit by one instruction.  Other contexts,
 * and who finds the bit taken, are the helper's.  FRAME_GUARD holds the bit that
 * was taken, as a mask.
 */
static size_t emit_guard_recursion(struct emitter *e,
				   const struct ftrace_chain *chain)
{
	size_t interrupt = 0, inside = 0, taken = 0, refused;

	/* This one asks about RCU, too. */
	if (!IS_ENABLED(CONFIG_FTRACE_VALIDATE_RCU_IS_WATCHING)) {
		emit_percpu_test(e, (unsigned long)&pcpu_hot.preempt_count,
				 NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET);
		interrupt = emit_skip(e, EMIT_JNZ);
		emit_current(e);
		emit(e, 0x48, 0x0f, 0xba, 0xa8);	/* btsq $bit, (%rax) */
		emit_u32(e, TASK_RECURSION_OFFSET);
		emit(e, TRACE_LIST_START);
		inside = emit_skip(e, EMIT_JC);
		emit_store_imm(e, BIT(TRACE_LIST_START), FRAME_GUARD);
		taken = emit_skip(e, EMIT_JMP);
		emit_land(e, interrupt);
		emit_land(e, inside);
	}
	emit_addresses(e, chain);
	emit_helper(e, ftrace_guard_recursion);
	refused = emit_refusal(e);
	emit_move(e, EMIT_CX, EMIT_AX);
	emit(e, 0x31, 0xc0);			/* xorl %eax, %eax */
	emit(e, 0x48, 0x0f, 0xab, 0xc8);	/* btsq %rcx, %rax */
	emit_store(e, EMIT_AX, FRAME_GUARD);
	if (taken)
		emit_land(e, taken);
	return refused;
}

/* What was taken is clear again: interrupts left the word as they found it. */
static void emit_unguard_recursion(struct emitter *e)
{
	emit_load(e, EMIT_CX, FRAME_GUARD);
	emit_current(e);
	emit(e, 0x48, 0x31, 0x88);		/* xorq %rcx, (%rax) */
	emit_u32(e, TASK_RECURSION_OFFSET);
}

/* One more hit, for ftrace_count_hits(); %rax is free. */
static void emit_count(struct emitter *e, const struct ftrace_chain *chain,
		       const struct ftrace_call *call)
{
	struct ftrace_counts *counts = ftrace_chain_counts(chain);

	if (!counts)
		return;
	emit_imm(e, EMIT_AX, (unsigned long)counts->of[call->idx]->hits);
	emit_percpu_prefix(e);
	emit(e, 0x48, 0xff, 0x00);		/* incq (%rax) */
}

static void emit_callback(struct emitter *e, struct ftrace_chain *chain,
			  struct ftrace_call *call)
{
	size_t no_rcu = 0, no_pid = 0, recursion = 0;

	if (call->flags & FTRACE_CALL_RCU)
		no_rcu = emit_guard_rcu(e);
	if (call->flags & FTRACE_CALL_PID) {
		emit_imm(e, EMIT_DI, (unsigned long)call->ops);
		emit_helper(e, ftrace_guard_pid);
		no_pid = emit_refusal(e);
	}
	if (call->flags & FTRACE_CALL_RECURSION)
		recursion = emit_guard_recursion(e, chain);

	emit_count(e, chain, call);
	emit_addresses(e, chain);
	emit_imm(e, EMIT_DX, (unsigned long)call->ops);
	emit_move(e, EMIT_CX, EMIT_SP);
	emit_call_depth(e);
	call->offset = e->len;
	emit_call(e, (void *)call->func);

	if (call->flags & FTRACE_CALL_REDIRECT) {
		emit_load(e, EMIT_AX, REG(ip));
		emit_store(e, EMIT_AX, FRAME_TO);
	} else if (chain->flags & FTRACE_CALL_REDIRECT) {
		emit_load(e, EMIT_AX, FRAME_TO);
		emit_store(e, EMIT_AX, REG(ip));
	}
	if (call->flags & FTRACE_CALL_RECURSION)
		emit_unguard_recursion(e);
	land_refusal(e, recursion);
	land_refusal(e, no_pid);
	land_refusal(e, no_rcu);
}

/* One instruction of five bytes, for ftrace_mute() to change. */
static void emit_leave(struct emitter *e, struct ftrace_chain *chain)
{
	struct ftrace_call *direct = ftrace_chain_direct(chain);
	u8 code[RETURN_INSN_SIZE];

	if (direct) {
		direct->offset = e->len;
		emit_branch(e, JMP32_INSN_OPCODE, direct->func);
	} else {
		return_insn(code, emit_here(e));
		emit_bytes(e, code, sizeof(code));
	}
}

static void emit_exit(struct emitter *e, struct ftrace_chain *chain)
{
	bool all = chain->flags & FTRACE_CALL_REGS;

	if (chain->flags & FTRACE_CALL_REDIRECT) {
		emit_load(e, EMIT_AX, FRAME_TO);
		emit_store(e, EMIT_AX, FRAME);
	}
	restore(e, argument_regs, ARRAY_SIZE(argument_regs));
	if (all) {
		restore(e, other_regs, ARRAY_SIZE(other_regs));
		emit(e, 0xff);			/* pushq flags */
		emit_stack_operand(e, 6, REG(flags));
		emit(e, 0x9d);			/* popfq */
	}
	emit(e, 0x48, 0x8d, 0xa4, 0x24);
	emit_u32(e, FRAME);
	chain->frame_end = e->len;
	emit_leave(e, chain);
}

size_t arch_ftrace_tramp_emit(struct ftrace_chain *chain, void *buf,
			      unsigned long at)
{
	struct emitter e = { .buf = buf, .at = at };
	unsigned int i;

	emit_entry(&e, chain);
	for (i = 0; i < chain->nr; i++) {
		if (chain->call[i].flags & FTRACE_CALL_DIRECT)
			emit_count(&e, chain, &chain->call[i]);
		else
			emit_callback(&e, chain, &chain->call[i]);
	}
#ifdef CONFIG_PREEMPTION
	emit_preempt_on(&e, ftrace_resched);
#else
	emit_preempt_on(&e, NULL);
#endif
	emit_exit(&e, chain);
	return e.len;
}
