// SPDX-License-Identifier: GPL-2.0
/*
 * What an instruction is: where it begins, whether it may be executed elsewhere.
 *
 * Most may: they are copied, and do there what they do in place, once operands
 * that are relative to the instruction pointer are mended.  Branches and what
 * touches the flags' interrupt bit are emulated.  The rest is refused.
 */
#include <kunit/visibility.h>
#include <linux/extable.h>
#include <linux/kallsyms.h>
#include <linux/kgdb.h>
#include <linux/uaccess.h>

#include <asm/alternative.h>
#include <asm/ibt.h>
#include <asm/insn.h>
#include <asm/text-patching.h>

#include "kprobes.h"

/* What is under a point's breakpoint, or its jump; @at: from @buf. */
static void put_own_text(const struct kprobe_point *point, u8 *buf, long at,
			 size_t len)
{
	size_t i;

	if (at >= 0)
		buf[at] = point->text.bytes[0];
	for (i = 0; point->detour && i < KPROBE_JUMP_SIZE; i++) {
		if (at + (long)i >= 0 && at + i < len)
			buf[at + i] = kprobe_detour_hides(point, i);
	}
}

/* Whether a point's breakpoint or jump may be in a byte. */
static bool may_be_ours(u8 byte)
{
	return byte == INT3_INSN_OPCODE || byte == JMP32_INSN_OPCODE;
}

/* Text as it would be without us: other points' own bytes. */
static int read_text(unsigned long addr, u8 *buf, size_t len)
{
	/* A jump begins up to its own size before what it hides. */
	u8 before[KPROBE_JUMP_SIZE - 1] = { };
	const long reach = sizeof(before);
	struct kprobe_point *point;
	long at;

	if (copy_from_kernel_nofault(buf, (void *)addr, len))
		return -EINVAL;
	/* What is before may be nothing that can be read: then no jump is there. */
	copy_from_kernel_nofault(before, (void *)addr - reach, reach);
	for (at = -reach; at < (long)len; at++) {
		if (!may_be_ours(at < 0 ? before[at + reach] : buf[at]))
			continue;
		point = kprobe_point_at(addr + at);
		if (point && point->armed)
			put_own_text(point, buf, at, len);
	}
	return 0;
}

static bool has_debugger(unsigned long addr)
{
#ifdef CONFIG_KGDB
	return kgdb_has_hit_break(addr);
#else
	return false;
#endif
}

/**
 * kprobe_read_insn - decode the instruction at an address
 * @addr: the address
 * @buf:  MAX_INSN_SIZE bytes, filled with what is there without our breakpoints
 * @insn: the instruction
 *
 * Context: kprobe_lock is held.
 * Return: 0; -EILSEQ where there is none.
 */
int kprobe_read_insn(unsigned long addr, u8 *buf, struct insn *insn)
{
	size_t len = MAX_INSN_SIZE;

	if (has_debugger(addr))
		return -EILSEQ;
	/* The text may end sooner. */
	while (read_text(addr, buf, len)) {
		if (!--len)
			return -EILSEQ;
	}
	if (insn_decode(insn, buf, len, INSN_MODE_KERN) < 0)
		return -EILSEQ;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(kprobe_read_insn);

/**
 * kprobe_read_next - decode the next instruction of text that is read forwards
 * @reader: how far that is; zeroed at first
 * @addr:   the instruction's address
 * @end:    of the text, which can be read that far; the same each time
 * @insn:   the instruction
 *
 * Context: kprobe_lock is held.
 * Return: 0; -EILSEQ where there is none, or one that is longer.
 */
int kprobe_read_next(struct kprobe_reader *reader, unsigned long addr,
		     unsigned long end, struct insn *insn)
{
	unsigned long behind = reader->from + reader->len;

	if (behind < min(addr + MAX_INSN_SIZE, end)) {
		reader->from = addr;
		reader->len = min(sizeof(reader->text), end - addr);
		behind = addr + reader->len;
		if (read_text(addr, reader->text, reader->len)) {
			reader->len = 0;
			return -EILSEQ;
		}
	}
	if (insn_decode(insn, reader->text + (addr - reader->from),
			behind - addr, INSN_MODE_KERN) < 0)
		return -EILSEQ;
	/* Where a debugger's breakpoint is, too. */
	return insn->opcode.bytes[0] == INT3_INSN_OPCODE && has_debugger(addr) ?
	       -EILSEQ : 0;
}

static bool is_trap(const struct insn *insn)
{
	u8 op = insn->opcode.bytes[0];

	/* int3, int n, int1; ud0, ud1, ud2 */
	return op == 0xcc || op == 0xcd || op == 0xf1 ||
	       (op == 0x0f && (insn->opcode.bytes[1] == 0x0b ||
			       insn->opcode.bytes[1] == 0xb9 ||
			       insn->opcode.bytes[1] == 0xff));
}

int arch_kprobe_check(unsigned long addr, unsigned long start)
{
	struct kprobe_reader reader = { };
	unsigned long at = start;
	u8 buf[MAX_INSN_SIZE];
	struct insn insn;

	/* A site that stays a nop, or that we call from, is one instruction. */
	while (at < addr) {
		if (kprobe_read_next(&reader, at, addr, &insn))
			return -EILSEQ;
		at += insn.length;
	}
	if (at != addr || kprobe_read_insn(at, buf, &insn))
		return -EILSEQ;
	if (alternatives_text_reserved((void *)addr, (void *)addr) ||
	    ftrace_text_reserved((void *)addr, (void *)addr))
		return -EINVAL;
	return 0;
}

bool arch_kprobe_entry(unsigned long *addr, unsigned long offset)
{
	unsigned long first = *addr - offset;
	u32 word;

	if (offset && offset != ENDBR_INSN_SIZE)
		return false;
	if (get_kernel_nofault(word, (u32 *)first) || !is_endbr(word))
		return !offset;
	*addr = first + ENDBR_INSN_SIZE;
	return true;
}

bool arch_kprobe_no_return(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	return !lookup_symbol_name(addr, name) && !strcmp(name, "__switch_to");
}

/* Of the group 0f 01, what changes to another world. */
static bool is_refused_system(const struct insn *insn)
{
	switch (insn->modrm.value) {
	case 0xc0 ... 0xc7:	/* vmcall, vmlaunch, vmresume, vmxoff */
	case 0xd8 ... 0xdf:	/* vmrun, … of SVM */
	case 0xf8:		/* swapgs: the next trap would take the user's base */
		return true;
	case 0xca:		/* eretu, erets; without prefix it is clac */
		return insn->prefixes.nbytes;
	default:
		return false;
	}
}

/* Transfers of control that neither a copy nor we can do. */
static bool is_refused_transfer(const struct insn *insn)
{
	u8 op = insn->opcode.bytes[0], op2 = insn->opcode.bytes[1];
	u8 reg = X86_MODRM_REG(insn->modrm.value);

	switch (op) {
	case 0x9a: case 0xea:			/* far call, jmp */
	case 0xca: case 0xcb:			/* far ret */
	case 0xce: case 0xcf:			/* into, iret */
		return true;
	case 0xc7:				/* xbegin */
		return insn->modrm.value == 0xf8;
	case 0xff:				/* far call, jmp by memory */
		return reg == 3 || reg == 5;
	case 0x0f:
		/* syscall, sysret, sysenter, sysexit, rsm */
		return op2 == 0x05 || op2 == 0x07 || op2 == 0x34 ||
		       op2 == 0x35 || op2 == 0xaa ||
		       (op2 == 0x01 && is_refused_system(insn));
	default:
		return false;
	}
}

/**
 * kprobe_classify - how an instruction is executed elsewhere
 * @text: filled in
 * @insn: the instruction
 * @addr: its address
 *
 * Return: 0; -EINVAL: it traps, or must not be separated from its neighbours;
 * -EOPNOTSUPP: it goes where we cannot follow.
 */
int kprobe_classify(struct arch_kprobe_text *text, const struct insn *insn,
		    unsigned long addr)
{
	memcpy(text->bytes, insn->kaddr, insn->length);
	text->len = insn->length;
	text->extable = search_exception_tables(addr);

	/* What is an opcode behind a VEX prefix is another one's without. */
	if (insn_is_avx((struct insn *)insn))
		return 0;
	/* Its registers are in no struct pt_regs. */
	if (insn_is_rex2((struct insn *)insn))
		return -EOPNOTSUPP;
	if (is_trap(insn) || insn_masking_exception((struct insn *)insn) ||
	    insn_has_emulate_prefix((struct insn *)insn))
		return -EINVAL;
	if (is_refused_transfer(insn))
		return -EOPNOTSUPP;
	if (kprobe_choose_emulation(text, insn))
		return text->emulate ? 0 : -EOPNOTSUPP;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(kprobe_classify);
