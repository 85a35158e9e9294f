// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of instructions, and the text of probed ones.
 *
 * A copy is followed by a jump back: whoever is sent there needs no attention
 * any more (a boosted copy).  Where it matters when the instruction is over, for
 * a post_handler, or in case it faults, there is a copy followed by a
 * breakpoint.
 */
#include <linux/memory.h>

#include <asm/insn.h>
#include <asm/text-patching.h>

#include "../../../../kernel/trace/hooks/text_pool.h"
#include "kprobes.h"

/**
 * kprobe_relocate - a copy of an instruction that does the same elsewhere
 * @copy: room for it
 * @insn: the instruction
 * @from: where it is
 * @to:   where the copy will be
 *
 * Return: 0; -EINVAL where an operand is out of reach from there.
 */
int kprobe_relocate(u8 *copy, const struct insn *insn, unsigned long from,
		    unsigned long to)
{
	s64 disp;

	memcpy(copy, insn->kaddr, insn->length);
	if (!insn_rip_relative((struct insn *)insn))
		return 0;
	disp = from + insn->displacement.value - to;
	if (disp != (s32)disp)
		return -EINVAL;
	*(s32 *)(copy + insn_offset_displacement((struct insn *)insn)) = disp;
	return 0;
}

/* A copy with something behind it; @tail 0: a breakpoint, else a jump there. */
static int make_copy(struct kprobe_code **code, const struct insn *insn,
		     unsigned long addr, unsigned long tail)
{
	u8 copy[MAX_INSN_SIZE + JMP32_INSN_SIZE];
	size_t len = insn->length;
	int ret;

	*code = kprobe_code_take(KPROBE_SLOT, len + JMP32_INSN_SIZE, addr);
	if (!*code)
		return -ENOMEM;
	ret = kprobe_relocate(copy, insn, addr, (*code)->start);
	if (ret) {
		kprobe_code_retire(*code);
		*code = NULL;
		return ret;
	}
	(*code)->exit = len;
	(*code)->end = len + JMP32_INSN_SIZE;
	if (tail) {
		unsigned long at = (*code)->start + len;

		__text_gen_insn(copy + len, JMP32_INSN_OPCODE, (void *)at,
				(void *)tail, JMP32_INSN_SIZE);
		len += JMP32_INSN_SIZE;
	} else {
		copy[len++] = INT3_INSN_OPCODE;
	}
	arch_text_write((void *)(*code)->start, copy, len);
	return 0;
}

static int make_step(struct kprobe_point *point, const struct insn *insn)
{
	if (point->text.step)
		return 0;
	return make_copy(&point->text.step, insn, point->addr, 0);
}

int arch_kprobe_prepare(struct kprobe_point *point)
{
	struct arch_kprobe_text *text = &point->text;
	u8 buf[MAX_INSN_SIZE];
	struct insn insn;
	int ret;

	mutex_lock(&text_mutex);
	ret = kprobe_read_insn(point->addr, buf, &insn);
	mutex_unlock(&text_mutex);
	if (!ret)
		ret = kprobe_classify(text, &insn, point->addr);
	if (ret || text->emulate)
		return ret;
	/* A fault has to be known for one of this instruction. */
	if (text->extable)
		return make_step(point, &insn);
	return make_copy(&text->slot, &insn, point->addr,
			 point->addr + insn.length);
}

int arch_kprobe_prepare_post(struct kprobe_point *point)
{
	struct insn insn;

	if (point->text.emulate || point->text.step)
		return 0;
	insn_decode(&insn, point->text.bytes, point->text.len, INSN_MODE_KERN);
	return make_step(point, &insn);
}

void arch_kprobe_release(struct kprobe_point *point)
{
	kprobe_code_retire(point->text.slot);
	kprobe_code_retire(point->text.step);
}

void arch_kprobe_text_begin(void)
{
	mutex_lock(&text_mutex);
}

void arch_kprobe_arm(struct kprobe_point *point)
{
	u8 int3 = INT3_INSN_OPCODE;

	text_poke((void *)point->addr, &int3, sizeof(int3));
}

void arch_kprobe_disarm(struct kprobe_point *point)
{
	text_poke((void *)point->addr, point->text.bytes, sizeof(u8));
}

/*
 * The interrupt that has each CPU see new text waits for handlers of breakpoints
 * and for steps: they have interrupts off.
 */
void arch_kprobe_text_end(void)
{
	text_poke_sync();
	mutex_unlock(&text_mutex);
}
