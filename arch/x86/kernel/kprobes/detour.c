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
 *
 * A jump takes five bytes.  It may be put where the instructions in these bytes
 * can be copied, all of them are in one function, and nobody comes to one of
 * them but through the first: no jump of the function goes there, and no fix-up.
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

/* ---- Whether there may be a jump -------------------------------------- */

/* Whether an instruction may go to [@from, @to): by a branch to there. */
static bool goes_to(const struct insn *insn, unsigned long addr,
		    unsigned long from, unsigned long to)
{
	u8 op = insn->opcode.bytes[0];
	unsigned long target;

	if (insn_is_avx((struct insn *)insn))
		return false;
	switch (op) {
	case 0x70 ... 0x7f: case 0xe0 ... 0xe3: case 0xe8: case 0xe9: case 0xeb:
		break;
	case 0x0f:
		if ((insn->opcode.bytes[1] & 0xf0) == 0x80)
			break;
		return false;
	case 0xff:
		/* Jump tables, where the compiler may make them. */
		return X86_MODRM_REG(insn->modrm.value) == 4 &&
		       !IS_ENABLED(CONFIG_MITIGATION_RETPOLINE) &&
		       !IS_ENABLED(CONFIG_X86_KERNEL_IBT);
	default:
		return false;
	}
	target = addr + insn->length + insn->immediate.value;
	return target >= from && target < to;
}

/**
 * struct gap - text that nobody may come to from elsewhere
 * @from: its first byte
 * @to:   the byte behind it
 * @part: name of a symbol whose code may go there
 * @used: some of it does
 */
struct gap {
	unsigned long	from;
	unsigned long	to;
	char		part[KSYM_NAME_LEN];
	bool		used;
};

/* Whether the code of a symbol, or what we can't read of it, goes to a gap. */
static bool comes_from(const struct gap *gap, unsigned long addr,
		       unsigned long end)
{
	u8 buf[MAX_INSN_SIZE];
	struct insn insn;

	while (addr < end) {
		if (search_exception_tables(addr) ||
		    kprobe_read_insn(addr, buf, &insn) ||
		    goes_to(&insn, addr, gap->from, gap->to))
			return true;
		addr += insn.length;
	}
	return false;
}

static int check_part(void *data, unsigned long addr)
{
	unsigned long size, offset;
	struct gap *gap = data;

	if (!kallsyms_lookup_size_offset(addr, &size, &offset))
		return 0;
	gap->used = comes_from(gap, addr, addr - offset + size);
	return gap->used;
}

static int check_module_part(void *data, const char *name, unsigned long addr)
{
	struct gap *gap = data;

	return strcmp(name, gap->part) ? 0 : check_part(data, addr);
}

static bool is_last(const struct insn *insn)
{
	switch (insn->opcode.bytes[0]) {
	case CALL_INSN_OPCODE:			/* of what does not return */
	case JMP32_INSN_OPCODE: case JMP8_INSN_OPCODE:
	case RET_INSN_OPCODE: case INT3_INSN_OPCODE:
	case 0x90:				/* nop */
		return true;
	case 0x0f:				/* ud2; a nop */
		return insn->opcode.bytes[1] == 0x0b ||
		       insn->opcode.bytes[1] == 0x1f;
	case 0xff:				/* jmp by a register */
		return X86_MODRM_REG(insn->modrm.value) == 4;
	default:
		return false;
	}
}

/* Whether code runs on, over @end. */
static bool runs_on(unsigned long addr, unsigned long end)
{
	u8 buf[MAX_INSN_SIZE];
	bool last = false;
	struct insn insn;

	while (addr < end) {
		if (kprobe_read_insn(addr, buf, &insn))
			return false;
		last = is_last(&insn);
		addr += insn.length;
	}
	return !last;
}

/* More labels in a row are not looked through. */
#define MOST_LABELS	16

/*
 * Where the function begins that has a symbol: that may be a label in assembly.
 * Functions are aligned, but for cold parts; and nobody runs into them.
 */
static unsigned long function_of(unsigned long start)
{
	unsigned long size, offset, before;
	char name[KSYM_NAME_LEN], *modname;
	bool aligned;
	int i;

	for (i = 0; i < MOST_LABELS; i++) {
		aligned = IS_ALIGNED(start, CONFIG_FUNCTION_ALIGNMENT);
		if (!kallsyms_lookup(start, &size, &offset, &modname, name))
			return 0;
		aligned = aligned || strstr(name, ".cold");
		if (!kallsyms_lookup(start - 1, &size, &offset, &modname, name))
			return start;
		before = start - 1 - offset;
		if (aligned && (str_has_prefix(name, "__pfx_") ||
				!runs_on(before, start)))
			return start;
		start = before;
	}
	return 0;
}

/* Its end, over such labels. */
static unsigned long end_of(unsigned long start, unsigned long function)
{
	unsigned long size, offset;

	while (kallsyms_lookup_size_offset(start, &size, &offset) && !offset &&
	       function_of(start) == function)
		start += size;
	return start;
}

/* The compiler puts what is seldom needed of a function into NAME.cold. */
static bool other_part_comes(struct gap *gap, unsigned long function)
{
	unsigned long size, offset;
	char *modname, *cold;

	if (!kallsyms_lookup(function, &size, &offset, &modname, gap->part))
		return true;
	cold = strstr(gap->part, ".cold");
	if (cold)
		*cold = '\0';
	else if (strlcat(gap->part, ".cold", sizeof(gap->part)) >=
		 sizeof(gap->part))
		return true;
	if (modname)
		module_kallsyms_on_each_symbol(modname, check_module_part, gap);
	else
		kallsyms_on_each_match_symbol(check_part, gap->part, gap);
	return gap->used;
}

/* Length of the whole instructions in the jump's bytes; 0: they can't be copied. */
static unsigned int measure(unsigned long addr, unsigned long end)
{
	unsigned int len = 0;
	u8 buf[MAX_INSN_SIZE];
	struct insn insn;

	while (len < KPROBE_JUMP_SIZE) {
		struct arch_kprobe_text text = { };

		if (kprobe_read_insn(addr + len, buf, &insn) ||
		    kprobe_classify(&text, &insn, addr + len) ||
		    text.emulate || text.extable)
			return 0;
		len += insn.length;
	}
	return addr + len <= end ? len : 0;
}

static bool is_reserved(unsigned long addr, unsigned int len)
{
	void *first = (void *)addr, *last = first + len - 1;

	return ftrace_text_reserved(first, last) ||
	       alternatives_text_reserved(first, last) ||
	       kprobe_text_reserved(addr, addr + len - 1);
}

/* Bytes that the jump cuts; 0: there may be none. */
static unsigned int reach_of(struct kprobe_point *point)
{
	unsigned long size, offset, start, function;
	struct gap gap = { .from = point->addr + 1 };
	unsigned int reach;

	if (point->text.emulate || point->text.extable ||
	    !kallsyms_lookup_size_offset(point->addr, &size, &offset))
		return 0;
	start = point->addr - offset;
	reach = measure(point->addr, start + size);
	gap.to = point->addr + reach;
	if (!reach || is_reserved(point->addr, reach))
		return 0;
	function = function_of(start);
	if (!function ||
	    comes_from(&gap, function, end_of(start, function)) ||
	    other_part_comes(&gap, function))
		return 0;
	return reach;
}

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
	detour->reach = reach_of(point);
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
