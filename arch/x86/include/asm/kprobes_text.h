/* SPDX-License-Identifier: GPL-2.0 */
/* What the probe engine keeps of a probed instruction. */
#ifndef _ASM_X86_KPROBES_TEXT_H
#define _ASM_X86_KPROBES_TEXT_H

#include <linux/types.h>

#include <asm/insn.h>

struct kprobe_code;
struct pt_regs;

/* A pre_handler sees the address behind the breakpoint, however it came. */
#define KPROBE_HIT_OFFSET	1

/* Bytes that a jump takes at least, and at most with the instructions it cuts. */
#define KPROBE_JUMP_SIZE	5
#define KPROBE_JUMP_REACH	(KPROBE_JUMP_SIZE - 1 + MAX_INSN_SIZE)

/* In place of the number of a register. */
#define KPROBE_NO_REG		0xff
#define KPROBE_IP		0xfe

/**
 * struct arch_kprobe_text - an instruction and how to execute it elsewhere
 * @bytes:   the instruction, as it was before the breakpoint
 * @len:     its length
 * @extable: a fault in it may be fixed up
 * @reg:     for emulation: number of the register operand, or of the base of one
 *	     in memory; KPROBE_NO_REG; KPROBE_IP
 * @index:   … number of the index register; KPROBE_NO_REG
 * @scale:   … how many bits the index is shifted
 * @cond:    … condition code, or kind of loop
 * @addr32:  … the count register is 32 bits wide
 * @rel:     … distance of a branch, displacement of an operand in memory, bytes
 *	     that a return drops
 * @emulate: executes it by changing registers; NULL: it is copied
 * @slot:    a copy, followed by a jump back
 * @step:    a copy, followed by a breakpoint; where post_handlers or fix-ups need
 *	     to know that it is over
 */
struct arch_kprobe_text {
	u8			bytes[MAX_INSN_SIZE];
	u8			len;
	bool			extable;
	u8			reg;
	u8			index;
	u8			scale;
	u8			cond;
	bool			addr32;
	s32			rel;
	void			(*emulate)(const struct arch_kprobe_text *text,
					   struct pt_regs *regs,
					   unsigned long addr);
	struct kprobe_code	*slot;
	struct kprobe_code	*step;
};

static inline u8 arch_kprobe_opcode(const struct arch_kprobe_text *text)
{
	return text->bytes[0];
}

/* The registers in struct ftrace_regs: with FTRACE_OPS_FL_SAVE_REGS all are. */
#define arch_kprobe_regs(fregs)	(&arch_ftrace_regs(fregs)->regs)

#endif /* _ASM_X86_KPROBES_TEXT_H */
