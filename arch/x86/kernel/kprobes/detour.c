// SPDX-License-Identifier: GPL-2.0
/*
 * Detours: what the jump goes to that takes a breakpoint's place.
 *
 *	pushes struct pt_regs, as a breakpoint would find the registers
 *	switches preemption off
 *	calls kprobe_detour_hit()
 *	switches preemption on
 *	restores all registers and flags
 *	executes copies of the instructions that the jump is written over
 *	jumps back behind them
 *
 * or, where a pre_handler changed the path, returns to there as from a breakpoint:
 * that restores the flags, which a return that is counted would change.
 */
#include <linux/cpufeature.h>
#include <linux/extable.h>
#include <linux/kallsyms.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <asm/alternative.h>
#include <asm/segment.h>
#include <asm/text-patching.h>

#include "../../../../kernel/trace/hooks/text_pool.h"
#include "../ftrace/emit.h"
#include "../ftrace/emit_kernel.h"
#include "kprobes.h"

/**
 * struct arch_kprobe_detour - a detour
 * @code:   it
 * @reach:  bytes of text that it has copies of
 * @whole:  they are one instruction
 * @hidden: what the jump is written over
 */
struct arch_kprobe_detour {
	struct kprobe_code	*code;
	unsigned int		reach;
	bool			whole;
	u8			hidden[KPROBE_JUMP_SIZE];
};

/**
 * kprobe_detour_hit - a jump is hit
 * @point: its point
 * @regs:  the registers
 *
 * Context: as the probed code's, with preemption off.
 * Return: whether a handler changed the path; @regs say where to.
 */
int kprobe_detour_hit(struct kprobe_point *point, struct pt_regs *regs)
{
	struct kprobe_calls *calls = rcu_dereference_raw(point->calls);
	bool changed;

	if (!calls || kprobe_running() || !kprobe_rcu_watching()) {
		kprobe_count_missed(calls);
		return 0;
	}
	/* The instruction pointer counts only if one of them changed it. */
	if (likely(calls->nr == 1)) {
		__this_cpu_write(kprobe_hit_regs, regs);
		changed = kprobe_call_pre(calls->member[0], regs);
		__this_cpu_write(kprobe_hit_regs, NULL);
	} else {
		changed = kprobe_run_all_pre(calls, regs, regs->ip);
	}
	__this_cpu_write(current_kprobe, NULL);
	return changed;
}

NOKPROBE_SYMBOL(kprobe_detour_hit);

#ifdef CONFIG_PREEMPTION
static void resched(void)
{
	__preempt_schedule_notrace();
}

NOKPROBE_SYMBOL(resched);
#endif

/* ---- Making the code -------------------------------------------------- */

/* In the order in which struct pt_regs is pushed, below orig_ax. */
static const enum emit_reg pushed[] = {
	EMIT_DI, EMIT_SI, EMIT_DX, EMIT_CX, EMIT_AX, EMIT_R8, EMIT_R9, EMIT_R10,
	EMIT_R11, EMIT_BX, EMIT_BP, EMIT_R12, EMIT_R13, EMIT_R14, EMIT_R15,
};

static void emit_push(struct emitter *e, enum emit_reg reg)
{
	if (reg >= EMIT_R8)
		emit(e, 0x41);
	emit(e, 0x50 | (reg & 7));
}

static void emit_pop(struct emitter *e, enum emit_reg reg)
{
	if (reg >= EMIT_R8)
		emit(e, 0x41);
	emit(e, 0x58 | (reg & 7));
}

static void emit_entry(struct emitter *e, unsigned long ip)
{
	int i;

	emit(e, 0x6a, __KERNEL_DS);		/* pushq $ss */
	emit_push(e, EMIT_SP);			/* where ss was pushed to */
	emit(e, 0x9c);				/* pushfq */
	emit(e, 0x48, 0x83, 0x44, 0x24, 8, 8);	/* addq $8, 8(%rsp) */
	emit(e, 0x6a, __KERNEL_CS);		/* pushq $cs */
	emit(e, 0x68);				/* pushq $ip */
	emit_u32(e, ip);
	emit(e, 0x6a, 0xff);			/* pushq $-1: orig_ax */
	for (i = 0; i < ARRAY_SIZE(pushed); i++)
		emit_push(e, pushed[i]);
	emit(e, 0xfc);				/* cld */
	if (boot_cpu_has(X86_FEATURE_SMAP))
		emit(e, 0x0f, 0x01, 0xca);	/* clac */
}

static void emit_hit(struct emitter *e, struct kprobe_point *point)
{
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT))
		emit_preempt_count(e, 0);
	emit_imm(e, EMIT_DI, (unsigned long)point);
	emit_move(e, EMIT_SI, EMIT_SP);
	emit_helper(e, kprobe_detour_hit);
	emit_move(e, EMIT_BX, EMIT_AX);
#ifdef CONFIG_PREEMPTION
	emit_preempt_on(e, resched);
#else
	emit_preempt_on(e, NULL);
#endif
}

static void emit_pops(struct emitter *e)
{
	int i;

	for (i = ARRAY_SIZE(pushed); i--;)
		emit_pop(e, pushed[i]);
}

static void emit_restore(struct emitter *e)
{
	emit_pops(e);
	emit_lea(e, EMIT_SP, 3 * 8);		/* orig_ax, ip, cs */
	emit(e, 0x9d);				/* popfq */
	emit_lea(e, EMIT_SP, 2 * 8);		/* sp, ss */
}

static void emit_redirect(struct emitter *e)
{
	emit_pops(e);
	emit_lea(e, EMIT_SP, 8);		/* orig_ax */
	emit(e, 0x48, 0xcf);			/* iretq */
}

/* Copies of the @reach bytes of text that the jump cuts, and the way back. */
static int emit_copies(struct emitter *e, struct kprobe_point *point,
		       unsigned int reach, struct kprobe_code *code)
{
	unsigned long from = point->addr;
	u8 buf[MAX_INSN_SIZE], copy[MAX_INSN_SIZE];
	struct insn insn;
	int ret;

	while (from < point->addr + reach) {
		ret = kprobe_read_insn(from, buf, &insn);
		if (!ret)
			ret = kprobe_relocate(copy, &insn, from, emit_here(e));
		if (ret)
			return ret;
		emit_bytes(e, copy, insn.length);
		from += insn.length;
	}
	code->exit = e->len;
	emit_branch(e, JMP32_INSN_OPCODE, from);
	code->end = e->len;
	return 0;
}

static int emit_detour(struct emitter *e, struct kprobe_point *point,
		       unsigned int reach, struct kprobe_code *code)
{
	size_t redirect;
	int ret;

	emit_entry(e, point->addr + KPROBE_HIT_OFFSET);
	code->frame = e->len;
	emit_hit(e, point);
	emit(e, 0x85, 0xdb);			/* testl %ebx, %ebx */
	redirect = emit_skip(e, EMIT_JNZ);
	code->frame_end = e->len;
	emit_restore(e);
	code->copies = e->len;
	ret = emit_copies(e, point, reach, code);
	emit_land(e, redirect);
	emit_redirect(e);
	return ret;
}

/* ---- Making it ready -------------------------------------------------- */

static int write_detour(struct kprobe_point *point,
			struct arch_kprobe_detour *detour, u8 *buf)
{
	struct emitter e = { .buf = buf, .at = detour->code->start };
	int ret;

	mutex_lock(&text_mutex);
	ret = emit_detour(&e, point, detour->reach, detour->code);
	mutex_unlock(&text_mutex);
	if (ret)
		return ret;
	arch_text_write((void *)detour->code->start, buf, e.len);
	return 0;
}

/* How long it is does not depend on where it is. */
static size_t size_of_detour(struct kprobe_point *point, unsigned int reach)
{
	struct emitter e = { .at = point->addr };
	struct kprobe_code code;

	return emit_detour(&e, point, reach, &code) ? 0 : e.len;
}

static int fill_detour(struct kprobe_point *point,
		       struct arch_kprobe_detour *detour)
{
	size_t size;
	int ret;
	u8 *buf;

	mutex_lock(&text_mutex);
	detour->reach = kprobe_jump_reach(point);
	detour->whole = detour->reach == point->text.len;
	size = detour->reach ? size_of_detour(point, detour->reach) : 0;
	memcpy(detour->hidden, (void *)point->addr, KPROBE_JUMP_SIZE);
	mutex_unlock(&text_mutex);
	if (!size)
		return -EINVAL;
	detour->hidden[0] = point->text.bytes[0];

	buf = kmalloc(size, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	detour->code = kprobe_code_take(KPROBE_DETOUR, size, point->addr);
	ret = detour->code ? write_detour(point, detour, buf) : -ENOMEM;
	kfree(buf);
	return ret;
}

struct arch_kprobe_detour *arch_kprobe_detour_make(struct kprobe_point *point)
{
	struct arch_kprobe_detour *detour = kzalloc(sizeof(*detour), GFP_KERNEL);

	if (!detour)
		return NULL;
	if (fill_detour(point, detour)) {
		arch_kprobe_detour_free(detour);
		return NULL;
	}
	return detour;
}

void arch_kprobe_detour_free(struct arch_kprobe_detour *detour)
{
	kprobe_code_retire(detour->code);
	kfree(detour);
}

unsigned long arch_kprobe_detour_bypass(const struct arch_kprobe_detour *detour)
{
	return detour->code->start + detour->code->copies;
}

unsigned int arch_kprobe_detour_reach(const struct arch_kprobe_detour *detour)
{
	return detour->reach;
}

bool arch_kprobe_detour_whole(const struct arch_kprobe_detour *detour)
{
	return detour->whole;
}

/**
 * kprobe_detour_hides - a byte of the text that a jump is written over
 * @point: its point
 * @i:     which of KPROBE_JUMP_SIZE
 *
 * Return: the byte.
 */
u8 kprobe_detour_hides(const struct kprobe_point *point, unsigned int i)
{
	return point->detour->hidden[i];
}

/* ---- Putting jumps, and taking them away ------------------------------ */

static void write_tail(struct kprobe_point *point, bool on)
{
	u8 jump[JMP32_INSN_SIZE];
	const u8 *text = point->detour->hidden;

	if (on) {
		__text_gen_insn(jump, JMP32_INSN_OPCODE, (void *)point->addr,
				(void *)point->detour->code->start,
				JMP32_INSN_SIZE);
		text = jump;
	}
	text_poke((void *)point->addr + 1, text + 1, KPROBE_JUMP_SIZE - 1);
}

static void write_first(struct kprobe_point *point, u8 byte)
{
	text_poke((void *)point->addr, &byte, sizeof(byte));
}

/*
 * While the bytes behind are written the breakpoint is what everybody finds: it
 * is there before a jump is put, and put back before a jump goes.
 */
void arch_kprobe_jumps(struct list_head *points, bool on)
{
	struct kprobe_point *point;

	mutex_lock(&text_mutex);
	if (!on) {
		list_for_each_entry(point, points, opt)
			write_first(point, INT3_INSN_OPCODE);
		text_poke_sync();
	}
	list_for_each_entry(point, points, opt)
		write_tail(point, on);
	text_poke_sync();
	if (on) {
		list_for_each_entry(point, points, opt)
			write_first(point, JMP32_INSN_OPCODE);
		text_poke_sync();
	}
	mutex_unlock(&text_mutex);
}
