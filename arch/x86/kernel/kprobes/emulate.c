// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions that are executed by changing registers: branches, and what
 * touches the flags' interrupt bit.
 *
 * A breakpoint's handler runs them, with interrupts off, on the stack of the
 * probed code; pushing relies on the gap that the kernel's breakpoint entry
 * leaves below that.  In all of them regs->ip is still behind the breakpoint.
 */
#include <linux/cache.h>

#include <asm/insn.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>

#include "kprobes.h"

/* Flags that popf does not load, whatever the privilege. */
#define POPF_FIXED	(X86_EFLAGS_RF | X86_EFLAGS_VM | X86_EFLAGS_VIF | \
			 X86_EFLAGS_VIP)

static unsigned long next_of(const struct arch_kprobe_text *text,
			     unsigned long addr)
{
	return addr + text->len;
}

/* Where a register is, in words of struct pt_regs. */
#define WORD(reg)	(offsetof(struct pt_regs, reg) / sizeof(long))

static const u8 words[] = {
	WORD(ax), WORD(cx), WORD(dx), WORD(bx), WORD(sp), WORD(bp), WORD(si),
	WORD(di), WORD(r8), WORD(r9), WORD(r10), WORD(r11), WORD(r12),
	WORD(r13), WORD(r14), WORD(r15),
};

/* A register by its number in the encoding. */
static nokprobe_inline unsigned long *reg_of(struct pt_regs *regs, u8 nr)
{
	return (unsigned long *)regs + words[nr];
}

static void do_cli(const struct arch_kprobe_text *text, struct pt_regs *regs,
		   unsigned long addr)
{
	regs->flags &= ~X86_EFLAGS_IF;
	regs->ip = next_of(text, addr);
}

NOKPROBE_SYMBOL(do_cli);

static void do_sti(const struct arch_kprobe_text *text, struct pt_regs *regs,
		   unsigned long addr)
{
	regs->flags |= X86_EFLAGS_IF;
	regs->ip = next_of(text, addr);
}

NOKPROBE_SYMBOL(do_sti);

static void do_pushf(const struct arch_kprobe_text *text, struct pt_regs *regs,
		     unsigned long addr)
{
	int3_emulate_push(regs, regs->flags & ~(X86_EFLAGS_RF | X86_EFLAGS_VM));
	regs->ip = next_of(text, addr);
}

NOKPROBE_SYMBOL(do_pushf);

static void do_popf(const struct arch_kprobe_text *text, struct pt_regs *regs,
		    unsigned long addr)
{
	unsigned long flags = int3_emulate_pop(regs);

	regs->flags = (flags & ~POPF_FIXED) | (regs->flags & POPF_FIXED) |
		      X86_EFLAGS_FIXED;
	regs->ip = next_of(text, addr);
}

NOKPROBE_SYMBOL(do_popf);

static void do_ret(const struct arch_kprobe_text *text, struct pt_regs *regs,
		   unsigned long addr)
{
	int3_emulate_ret(regs);
	regs->sp += text->rel;
}

NOKPROBE_SYMBOL(do_ret);

static void do_jmp(const struct arch_kprobe_text *text, struct pt_regs *regs,
		   unsigned long addr)
{
	int3_emulate_jmp(regs, next_of(text, addr) + text->rel);
}

NOKPROBE_SYMBOL(do_jmp);

static void do_call(const struct arch_kprobe_text *text, struct pt_regs *regs,
		    unsigned long addr)
{
	unsigned long next = next_of(text, addr);

	int3_emulate_push(regs, next);
	int3_emulate_jmp(regs, next + text->rel);
}

NOKPROBE_SYMBOL(do_call);

static nokprobe_inline bool condition_holds(u8 cond, unsigned long flags)
{
	bool holds, less = !(flags & X86_EFLAGS_SF) != !(flags & X86_EFLAGS_OF);

	switch (cond >> 1) {
	case 0:
		holds = flags & X86_EFLAGS_OF;
		break;
	case 1:
		holds = flags & X86_EFLAGS_CF;
		break;
	case 2:
		holds = flags & X86_EFLAGS_ZF;
		break;
	case 3:
		holds = flags & (X86_EFLAGS_CF | X86_EFLAGS_ZF);
		break;
	case 4:
		holds = flags & X86_EFLAGS_SF;
		break;
	case 5:
		holds = flags & X86_EFLAGS_PF;
		break;
	case 6:
		holds = less;
		break;
	default:
		holds = less || (flags & X86_EFLAGS_ZF);
		break;
	}
	return holds != (cond & 1);
}

static nokprobe_inline void branch_if(const struct arch_kprobe_text *text,
				      struct pt_regs *regs, unsigned long addr,
				      bool taken)
{
	int3_emulate_jmp(regs, next_of(text, addr) + (taken ? text->rel : 0));
}

static void do_jcc(const struct arch_kprobe_text *text, struct pt_regs *regs,
		   unsigned long addr)
{
	branch_if(text, regs, addr, condition_holds(text->cond, regs->flags));
}

NOKPROBE_SYMBOL(do_jcc);

/* loopne, loope, loop, jrcxz: by the low bits of the opcode */
static void do_loop(const struct arch_kprobe_text *text, struct pt_regs *regs,
		    unsigned long addr)
{
	unsigned long mask = text->addr32 ? U32_MAX : ULONG_MAX;
	bool zf = regs->flags & X86_EFLAGS_ZF, taken;

	if (text->cond == 3) {
		branch_if(text, regs, addr, !(regs->cx & mask));
		return;
	}
	/* A 32-bit result clears the upper half. */
	regs->cx = (regs->cx - 1) & mask;
	taken = regs->cx;
	if (text->cond == 0)
		taken = taken && !zf;
	else if (text->cond == 1)
		taken = taken && zf;
	branch_if(text, regs, addr, taken);
}

NOKPROBE_SYMBOL(do_loop);

static void do_jmp_reg(const struct arch_kprobe_text *text, struct pt_regs *regs,
		       unsigned long addr)
{
	int3_emulate_jmp(regs, *reg_of(regs, text->reg));
}

NOKPROBE_SYMBOL(do_jmp_reg);

static void do_call_reg(const struct arch_kprobe_text *text, struct pt_regs *regs,
			unsigned long addr)
{
	unsigned long to = *reg_of(regs, text->reg);

	int3_emulate_push(regs, next_of(text, addr));
	int3_emulate_jmp(regs, to);
}

NOKPROBE_SYMBOL(do_call_reg);

static nokprobe_inline unsigned long target_in_memory(const struct arch_kprobe_text *text,
						      struct pt_regs *regs,
						      unsigned long addr)
{
	unsigned long at = text->rel;

	if (text->reg == KPROBE_IP)
		at += next_of(text, addr);
	else if (text->reg != KPROBE_NO_REG)
		at += *reg_of(regs, text->reg);
	if (text->index != KPROBE_NO_REG)
		at += *reg_of(regs, text->index) << text->scale;
	return *(unsigned long *)at;
}

static void do_jmp_mem(const struct arch_kprobe_text *text, struct pt_regs *regs,
		       unsigned long addr)
{
	int3_emulate_jmp(regs, target_in_memory(text, regs, addr));
}

NOKPROBE_SYMBOL(do_jmp_mem);

static void do_call_mem(const struct arch_kprobe_text *text, struct pt_regs *regs,
			unsigned long addr)
{
	unsigned long to = target_in_memory(text, regs, addr);

	int3_emulate_push(regs, next_of(text, addr));
	int3_emulate_jmp(regs, to);
}

NOKPROBE_SYMBOL(do_call_mem);

/* ---- Choosing --------------------------------------------------------- */

static bool has_prefix(const struct insn *insn, u8 byte)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(insn->prefixes.bytes); i++) {
		if (insn->prefixes.bytes[i] == byte)
			return true;
	}
	return false;
}

static void choose_memory(struct arch_kprobe_text *text, const struct insn *insn)
{
	u8 mod = X86_MODRM_MOD(insn->modrm.value);
	u8 rm = X86_MODRM_RM(insn->modrm.value);

	text->index = KPROBE_NO_REG;
	text->rel = insn->displacement.value;
	if (rm == 4) {
		u8 sib = insn->sib.value;

		text->scale = X86_SIB_SCALE(sib);
		text->index = X86_SIB_INDEX(sib) |
			      (X86_REX_X(insn->rex_prefix.value) ? 8 : 0);
		if (text->index == 4)
			text->index = KPROBE_NO_REG;
		text->reg = X86_SIB_BASE(sib) |
			    (X86_REX_B(insn->rex_prefix.value) ? 8 : 0);
		if (X86_SIB_BASE(sib) == 5 && !mod)
			text->reg = KPROBE_NO_REG;
	} else if (rm == 5 && !mod) {
		text->reg = KPROBE_IP;
	} else {
		text->reg = rm | (X86_REX_B(insn->rex_prefix.value) ? 8 : 0);
	}
}

/* call and jmp through a register or memory; false: another of the group */
static bool choose_indirect(struct arch_kprobe_text *text,
			    const struct insn *insn)
{
	u8 group = X86_MODRM_REG(insn->modrm.value);
	bool memory = X86_MODRM_MOD(insn->modrm.value) != 3;

	if (group != 2 && group != 4)
		return false;
	/* Addresses of other sizes, and in segments, are not the compiler's. */
	if (has_prefix(insn, 0x67) || has_prefix(insn, 0x64) ||
	    has_prefix(insn, 0x65))
		return true;
	if (memory) {
		choose_memory(text, insn);
		text->emulate = group == 2 ? do_call_mem : do_jmp_mem;
	} else {
		text->reg = X86_MODRM_RM(insn->modrm.value) |
			    (X86_REX_B(insn->rex_prefix.value) ? 8 : 0);
		text->emulate = group == 2 ? do_call_reg : do_jmp_reg;
	}
	return true;
}

static bool choose_two_byte(struct arch_kprobe_text *text,
			    const struct insn *insn)
{
	u8 op = insn->opcode.bytes[1];

	if ((op & 0xf0) != 0x80)
		return false;
	text->cond = op & 0xf;
	text->rel = insn->immediate.value;
	text->emulate = do_jcc;
	return true;
}

static bool choose(struct arch_kprobe_text *text, const struct insn *insn)
{
	u8 op = insn->opcode.bytes[0];

	text->rel = insn->immediate.value;
	switch (op) {
	case 0x0f:
		return choose_two_byte(text, insn);
	case 0x70 ... 0x7f:
		text->cond = op & 0xf;
		text->emulate = do_jcc;
		return true;
	case 0x9c:
		text->emulate = do_pushf;
		return true;
	case 0x9d:
		text->emulate = do_popf;
		return true;
	case 0xc2:
		text->rel &= 0xffff;
		text->emulate = do_ret;
		return true;
	case 0xc3:
		text->rel = 0;
		text->emulate = do_ret;
		return true;
	case 0xe0 ... 0xe3:
		text->cond = op & 3;
		text->addr32 = has_prefix(insn, 0x67);
		text->emulate = do_loop;
		return true;
	case 0xe8:
		text->emulate = do_call;
		return true;
	case 0xe9: case 0xeb:
		text->emulate = do_jmp;
		return true;
	case 0xfa:
		text->emulate = do_cli;
		return true;
	case 0xfb:
		text->emulate = do_sti;
		return true;
	case 0xff:
		return choose_indirect(text, insn);
	default:
		return false;
	}
}

/**
 * kprobe_choose_emulation - how an instruction is emulated, if it has to be
 * @text: emulate and what that needs are filled in
 * @insn: the instruction
 *
 * Return: whether a copy of it would not do what it does in place; then without
 * emulate nothing else does, either.
 */
bool kprobe_choose_emulation(struct arch_kprobe_text *text,
			     const struct insn *insn)
{
	if (!choose(text, insn))
		return false;
	/* What a branch with 16-bit operands does depends on the processor. */
	if (has_prefix(insn, 0x66))
		text->emulate = NULL;
	return true;
}
