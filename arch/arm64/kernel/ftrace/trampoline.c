// SPDX-License-Identifier: GPL-2.0
/*
 * The code of trampolines.
 *
 * A site's "bl trampoline" leaves site + 4 in x30; the instruction before it has
 * put the traced function's own return address into x9.  A trampoline
 *
 *	makes its frame and saves registers there as struct pt_regs: the
 *	argument registers, or all of them
 *	switches preemption off, where the kernel counts that
 *	for each callback: asks its guards, calls it, gives guards back
 *	switches preemption on
 *	restores registers, and takes the frame away
 *	returns into the function, with its return address in x30; or jumps to
 *	the target of a direct call, with x9 and x30 as the site had them
 *
 * The frame:
 *
 *	FRAME_TO	where a redirected function goes
 *	FRAME_GUARD	what a guard returned
 *	FRAME_PARENT	the traced function's caller, before any callback ran
 *	FRAME_IP	the site
 *	FRAME_REGS	struct pt_regs; its x29 and x30 are a frame record, as if
 *			the function had made it: unwinders find its caller
 *	0		a frame record: they find the function
 *
 * Functions have no say about x9 to x17 at their entry.  With complete registers
 * x9 to x16 are set to what the callbacks left there; x17 is how it goes on.
 *
 * The program counter in the registers is the function's own business unless a
 * call may redirect.  Then FRAME_TO holds where to go; only calls that may
 * redirect write it, and behind the others the registers are set right again.
 */
#include <linux/bitops.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>

#include <asm/cpufeature.h>
#include <asm/virt.h>

#include "../../../../kernel/trace/ftrace/arch.h"
#include "../../../../kernel/trace/ftrace/dispatch.h"
#include "../../../../kernel/trace/ftrace/internal.h"
#include "emit.h"
#include "layout.h"

#define FRAME_REGS	16
#define FRAME_IP	(FRAME_REGS + (int)sizeof(struct pt_regs))
#define FRAME_PARENT	(FRAME_IP + 8)
#define FRAME_GUARD	(FRAME_PARENT + 8)
#define FRAME_TO	(FRAME_GUARD + 8)
#define FRAME		(FRAME_TO + 8)

#define REG(name)	(FRAME_REGS + (int)offsetof(struct pt_regs, name))
#define REG_X(n)	(REG(regs) + 8 * (n))

/* So many calls are surely within reach of the instructions that load of them. */
#define LITERAL_CALLS	4096

/* What a helper's veneer takes: two instructions and an address. */
#define VENEER_SIZE	16

static const void * const helpers[] = {
	ftrace_guard_rcu, ftrace_guard_pid, ftrace_guard_recursion,
	ftrace_unguard_recursion,
#ifdef CONFIG_PREEMPTION
	ftrace_resched,
#endif
};

enum { GUARD_RCU, GUARD_PID, GUARD_RECURSION, UNGUARD_RECURSION, RESCHED };

/* ldr x16, . + 8; br x16 */
static void emit_veneer(struct emitter *e)
{
	emit_load_literal(e, 16, e->len + 8);
	emit_branch_reg(e, 16);
}

static void emit_helper(struct emitter *e, unsigned int nr)
{
	unsigned long to = (unsigned long)helpers[nr];
	unsigned int before = hweight32(e->used & GENMASK(nr, 0) & ~BIT(nr));

	e->used |= BIT(nr);
	if (e->buf && !branch_reaches(emit_here(e), to))
		to = e->at + e->helpers + before * VENEER_SIZE;
	else if (!e->buf)
		to = emit_here(e);
	emit_branch_link(e, to);
	e->args_gone = true;
}

/* The offset of what a trampoline has about a call. */
static size_t call_at(const struct emitter *e, const struct ftrace_chain *chain,
		      unsigned int idx)
{
	return e->calls + (chain->nr - 1 - idx) * sizeof(struct tramp_call);
}

/*
 * What the processor's state was: flags, masks and exception level, as far as
 * they can be read; and what exceptions have in their registers besides.
 */
static void emit_other_state(struct emitter *e)
{
	static const u32 parts[] = {
		sys_reg(3, 3, 4, 2, 1), sys_reg(3, 0, 4, 2, 2),	/* DAIF, CurrentEL */
		sys_reg(3, 0, 4, 2, 0),				/* SPSel */
	};
	unsigned int i;

	emit_read_sysreg(e, 10, sys_reg(3, 3, 4, 2, 0));	/* NZCV */
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		emit_read_sysreg(e, 11, parts[i]);
		emit_or(e, 10, 10, 11);
	}
	emit_store_pair(e, 10, 0, REG(pstate));
	emit_imm(e, 10, NO_SYSCALL);
	emit_store_pair(e, 10, EMIT_ZR, REG(syscallno));
	if (system_uses_irq_prio_masking())
		emit_read_sysreg(e, 10, SYS_ICC_PMR_EL1);
	emit_store(e, 10, REG(pmr_save));
	emit_store_pair(e, EMIT_ZR, EMIT_ZR, REG(stackframe));
}

static void emit_preempt_off(struct emitter *e)
{
	int count = offsetof(struct task_struct, thread_info.preempt.count);

	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		return;
	emit_read_sysreg(e, 10, sys_reg(3, 0, 4, 1, 0));	/* SP_EL0 */
	emit_load32_from(e, 11, 10, count);
	emit_add32_one(e, 11);
	emit_store32_to(e, 11, 10, count);
}

/*
 * The whole is zero when this was the last and a reschedule has come due.  An
 * interrupt may have found so before the count was written: it is read anew.
 */
static void emit_preempt_on(struct emitter *e)
{
	int whole = offsetof(struct task_struct, thread_info.preempt_count);
	int count = offsetof(struct task_struct, thread_info.preempt.count);
	size_t not_due;

	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT))
		return;
	emit_read_sysreg(e, 10, sys_reg(3, 0, 4, 1, 0));	/* SP_EL0 */
	emit_load32_from(e, 11, 10, count);
	emit_sub32_one(e, 11);
	emit_store32_to(e, 11, 10, count);
	if (!IS_ENABLED(CONFIG_PREEMPTION))
		return;
	emit_load_from(e, 11, 10, whole);
	not_due = emit_skip(e, EMIT_CBNZ, 11);
	emit_helper(e, RESCHED);
	emit_land(e, not_due);
}

/* Whether a call's address and its caller's have to be kept for later. */
static bool needs_addresses(const struct ftrace_chain *chain)
{
	return chain->nr > 1 || (chain->flags & FTRACE_CALL_GUARDS);
}

static void emit_entry(struct emitter *e, const struct ftrace_chain *chain)
{
	bool all = chain->flags & FTRACE_CALL_REGS;
	int i;

	emit_sub(e, EMIT_SP, EMIT_SP, FRAME);
	for (i = 0; i < 8; i += 2)
		emit_store_pair(e, i, i + 1, REG_X(i));
	for (; all && i < 28; i += 2)
		emit_store_pair(e, i, i + 1, REG_X(i));
	emit_store(e, i, REG_X(i));
	emit_store_pair(e, EMIT_FP, 9, REG_X(EMIT_FP));
	emit_add(e, 10, EMIT_SP, FRAME);
	emit_store_pair(e, 10, EMIT_LR, REG(sp));
	if (all)
		emit_other_state(e);
	else
		emit_store_pair(e, EMIT_ZR, EMIT_ZR, REG(pstate));

	emit_add(e, 10, EMIT_SP, REG_X(EMIT_FP));
	emit_store_pair(e, 10, EMIT_LR, 0);
	emit_add(e, EMIT_FP, EMIT_SP, 0);
	if (needs_addresses(chain)) {
		emit_sub(e, 10, EMIT_LR, MCOUNT_INSN_SIZE);
		emit_store_pair(e, 10, 9, FRAME_IP);
	}
	if (chain->flags & FTRACE_CALL_REDIRECT)
		emit_store(e, EMIT_LR, FRAME_TO);
	emit_preempt_off(e);
}

/* Load a call's ip and parent_ip, as the first two arguments. */
static void emit_addresses(struct emitter *e)
{
	if (e->args_gone) {
		emit_load_pair(e, 0, 1, FRAME_IP);
	} else {
		emit_sub(e, 0, EMIT_LR, MCOUNT_INSN_SIZE);
		emit_move(e, 1, 9);
	}
}

static void emit_ops(struct emitter *e, const struct ftrace_chain *chain,
		     const struct ftrace_call *call, int reg)
{
	if (chain->nr > LITERAL_CALLS)
		emit_imm(e, reg, (unsigned long)call->ops);
	else
		emit_load_literal(e, reg, call_at(e, chain, call->idx) +
					  offsetof(struct tramp_call, ops));
}

/* Add one at x10, again until nobody has come in between. */
static void emit_increment(struct emitter *e)
{
	emit(e, 0xc85f7d4b);			/* ldxr x11, [x10] */
	emit_add(e, 11, 11, 1);
	emit(e, 0xc80c7d4b);			/* stxr w12, x11, [x10] */
	emit(e, 0x35ffffac);			/* cbnz w12, . - 12 */
}

/* One more hit, for ftrace_count_hits(). */
static void emit_count(struct emitter *e, const struct ftrace_chain *chain,
		       const struct ftrace_call *call)
{
	struct ftrace_counts *counts = ftrace_chain_counts(chain);

	if (!counts)
		return;
	emit_imm(e, 10, (unsigned long)counts->of[call->idx]->hits);
	emit_read_sysreg(e, 11, is_kernel_in_hyp_mode() ?
			 SYS_TPIDR_EL2 : sys_reg(3, 0, 13, 0, 4));
	emit_add_reg(e, 10, 10, 11);
	emit_increment(e);
}

static void emit_func(struct emitter *e, const struct ftrace_chain *chain,
		      struct ftrace_call *call)
{
	unsigned long to = call->func;

	if (!e->buf)
		to = emit_here(e);
	else if (!branch_reaches(emit_here(e), to))
		to = e->at + call_at(e, chain, call->idx);
	call->offset = e->len;
	emit_branch_link(e, to);
	e->args_gone = true;
}

/* What a callback has to say about where the function goes. */
static void emit_redirect(struct emitter *e, const struct ftrace_chain *chain,
			  const struct ftrace_call *call)
{
	if (call->flags & FTRACE_CALL_REDIRECT) {
		emit_load(e, 10, REG(pc));
		emit_store(e, 10, FRAME_TO);
	} else if (chain->flags & FTRACE_CALL_REDIRECT) {
		emit_load(e, 10, FRAME_TO);
		emit_store(e, 10, REG(pc));
	}
}

static void emit_callback(struct emitter *e, struct ftrace_chain *chain,
			  struct ftrace_call *call)
{
	size_t no_rcu = 0, no_pid = 0, recursion = 0;

	if (call->flags & FTRACE_CALL_RCU) {
		emit_helper(e, GUARD_RCU);
		no_rcu = emit_skip(e, EMIT_TBNZ_SIGN, 0);
	}
	if (call->flags & FTRACE_CALL_PID) {
		emit_ops(e, chain, call, 0);
		emit_helper(e, GUARD_PID);
		no_pid = emit_skip(e, EMIT_TBNZ_SIGN, 0);
	}
	if (call->flags & FTRACE_CALL_RECURSION) {
		emit_addresses(e);
		emit_helper(e, GUARD_RECURSION);
		recursion = emit_skip(e, EMIT_TBNZ_SIGN, 0);
		emit_store(e, 0, FRAME_GUARD);
	}

	emit_count(e, chain, call);
	emit_addresses(e);
	emit_ops(e, chain, call, 2);
	emit_add(e, 3, EMIT_SP, FRAME_REGS);
	emit_func(e, chain, call);
	emit_redirect(e, chain, call);

	if (call->flags & FTRACE_CALL_RECURSION) {
		emit_load(e, 0, FRAME_GUARD);
		emit_helper(e, UNGUARD_RECURSION);
	}
	emit_land(e, recursion);
	emit_land(e, no_pid);
	emit_land(e, no_rcu);
}

/* Load where the function goes on, and take the frame away. */
static void emit_unframe(struct emitter *e, struct ftrace_chain *chain, int to)
{
	if (chain->flags & FTRACE_CALL_REDIRECT)
		emit_load(e, to, FRAME_TO);
	else
		emit_load(e, to, 8);
	emit_add(e, EMIT_SP, EMIT_SP, FRAME);
	chain->frame_end = e->len;
}

static void emit_leave(struct emitter *e, struct ftrace_chain *chain)
{
	struct ftrace_call *direct = ftrace_chain_direct(chain);

	if (!direct) {
		emit_load_pair(e, EMIT_FP, EMIT_LR, REG_X(EMIT_FP));
		emit_unframe(e, chain, 17);
		emit_return(e, 17);
		return;
	}
	emit_load_pair(e, EMIT_FP, 9, REG_X(EMIT_FP));
	emit_unframe(e, chain, EMIT_LR);
	direct->offset = e->len;
	emit_load_literal(e, 17, call_at(e, chain, direct->idx) +
				 offsetof(struct tramp_call, func));
	emit_branch_reg(e, 17);
}

static void emit_exit(struct emitter *e, struct ftrace_chain *chain)
{
	bool all = chain->flags & FTRACE_CALL_REGS;
	int i;

	if (all) {
		emit_load(e, 10, REG(pstate));
		emit_write_sysreg(e, sys_reg(3, 3, 4, 2, 0), 10); /* NZCV */
	}
	for (i = 0; i < (all ? 16 : 8); i += 2)
		emit_load_pair(e, i, i + 1, REG_X(i));
	emit_load(e, i, REG_X(i));
	for (i = 18; all && i < 28; i += 2)
		emit_load_pair(e, i, i + 1, REG_X(i));
	if (all)
		emit_load(e, i, REG_X(i));
	emit_leave(e, chain);
}

static void emit_code(struct emitter *e, struct ftrace_chain *chain)
{
	unsigned int i;

	emit_entry(e, chain);
	for (i = 0; i < chain->nr; i++) {
		if (chain->call[i].flags & FTRACE_CALL_DIRECT)
			emit_count(e, chain, &chain->call[i]);
		else
			emit_callback(e, chain, &chain->call[i]);
	}
	emit_preempt_on(e);
	emit_exit(e, chain);
	if (!IS_ALIGNED(e->len, sizeof(u64)))
		emit(e, AARCH64_BREAK_FAULT);
}

/* The veneers, and what there is about each call. */
static void emit_tail(struct emitter *e, const struct ftrace_chain *chain)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(helpers); i++) {
		if (!(e->used & BIT(i)))
			continue;
		emit_veneer(e);
		emit_u64(e, (unsigned long)helpers[i]);
	}
	for (i = chain->nr; i--; ) {
		emit_veneer(e);
		emit_u64(e, chain->call[i].func);
		emit_u64(e, (unsigned long)chain->call[i].ops);
	}
}

size_t arch_ftrace_tramp_emit(struct ftrace_chain *chain, void *buf,
			      unsigned long at)
{
	struct emitter count = { .at = at };
	struct emitter e = { .buf = buf, .at = at };

	BUILD_BUG_ON(FRAME % 16 || FRAME > 504);
	emit_code(&count, chain);
	e.helpers = count.len;
	e.calls = e.helpers + hweight32(count.used) * VENEER_SIZE;
	emit_code(&e, chain);
	emit_tail(&e, chain);
	return e.len;
}

/**
 * tramp_call_of - what a trampoline has about one of its calls
 * @chain: the trampoline's
 * @idx:   the call's index
 *
 * Return: its place in the trampoline, which is not to be written to directly.
 */
struct tramp_call *tramp_call_of(const struct ftrace_chain *chain,
				 unsigned int idx)
{
	return (struct tramp_call *)(chain->text + chain->size) - 1 - idx;
}
