// SPDX-License-Identifier: GPL-2.0
/*
 * Whether there may be a jump at a point, and how many bytes it cuts.
 *
 * A jump takes five bytes.  It may be put where the instructions in these bytes
 * can be copied, all of them are in one function, and nobody comes to one of
 * them but through the first: no jump of the function goes there, and no fix-up.
 *
 * So the function is read from its first to its last instruction, and once only:
 * probes are given jumps by the thousand.
 */
#include <linux/extable.h>
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/module.h>

#include <asm/alternative.h>
#include <asm/insn.h>
#include <asm/nospec-branch.h>
#include <asm/text-patching.h>

#include "kprobes.h"

/**
 * struct gap - text that nobody may come to from elsewhere
 * @from:  its first byte
 * @to:    the byte behind it
 * @first: the first byte that code which was read goes to
 * @last:  the last one
 * @part:  name of a symbol whose code may go there
 * @used:  some of it does
 */
struct gap {
	unsigned long	from;
	unsigned long	to;
	unsigned long	first;
	unsigned long	last;
	char		part[KSYM_NAME_LEN];
	bool		used;
};

/* ---- Tables ----------------------------------------------------------- */

/**
 * struct tables - what is known of jumps that text does not show
 * @fixup:    the exception table, sorted
 * @nr_fixup: its entries
 * @label:    the jump labels
 * @nr_label: how many
 */
struct tables {
	const struct exception_table_entry	*fixup;
	size_t					nr_fixup;
	struct jump_entry			*label;
	size_t					nr_label;
};

#ifdef CONFIG_MODULES
/* A module stays while it has probes, which it loses under kprobe_lock. */
static bool module_tables(unsigned long addr, struct tables *tables)
{
	struct module *mod;

	preempt_disable();
	mod = __module_text_address(addr);
	preempt_enable();
	if (!mod)
		return false;
	tables->fixup = mod->extable;
	tables->nr_fixup = mod->num_exentries;
#ifdef CONFIG_JUMP_LABEL
	tables->label = mod->jump_entries;
	tables->nr_label = mod->num_jump_entries;
#endif
	return true;
}
#else
static bool module_tables(unsigned long addr, struct tables *tables)
{
	return false;
}
#endif

static void find_tables(unsigned long addr, struct tables *tables)
{
	memset(tables, 0, sizeof(*tables));
	if (module_tables(addr, tables))
		return;
	tables->fixup = __start___ex_table;
	tables->nr_fixup = __stop___ex_table - __start___ex_table;
#ifdef CONFIG_JUMP_LABEL
	tables->label = __start___jump_table;
	tables->nr_label = __stop___jump_table - __start___jump_table;
#endif
}

static unsigned long fixed_up(const struct exception_table_entry *entry)
{
	return (unsigned long)&entry->insn + entry->insn;
}

/* Fix-ups of a function's instructions are in the function, anywhere. */
static bool has_fixup(const struct tables *tables, unsigned long from,
		      unsigned long to)
{
	const struct exception_table_entry *entry = tables->fixup;
	const struct exception_table_entry *end = entry + tables->nr_fixup;
	size_t nr = tables->nr_fixup;

	while (nr) {
		if (fixed_up(entry + nr / 2) < from) {
			entry += nr / 2 + 1;
			nr = (nr - 1) / 2;
		} else {
			nr /= 2;
		}
	}
	return entry < end && fixed_up(entry) < to;
}

/* ---- Reading a function ----------------------------------------------- */

/* Where an instruction may go but for the next one; 0: nowhere, or back. */
static unsigned long target_of(const struct insn *insn, unsigned long addr)
{
	u8 op = insn->opcode.bytes[0];

	if (insn_is_avx((struct insn *)insn))
		return 0;
	switch (op) {
	case 0x70 ... 0x7f: case 0xe0 ... 0xe3: case 0xe8: case 0xe9: case 0xeb:
		break;
	case 0x0f:
		if ((insn->opcode.bytes[1] & 0xf0) == 0x80)
			break;
		return 0;
	default:
		return 0;
	}
	addr += insn->length + insn->immediate.value;
	/* Returns are jumps on some CPUs. */
	return addr == (unsigned long)x86_return_thunk ? 0 : addr;
}

/* By a jump table, where the compiler may make them. */
static bool may_go_anywhere(const struct insn *insn)
{
	return insn->opcode.bytes[0] == 0xff &&
	       X86_MODRM_REG(insn->modrm.value) == 4 &&
	       !IS_ENABLED(CONFIG_MITIGATION_RETPOLINE) &&
	       !IS_ENABLED(CONFIG_X86_KERNEL_IBT);
}

static bool is_in(const struct gap *gap, unsigned long target)
{
	return target >= gap->from && target < gap->to;
}

/* Whether a jump goes to the gap; notes where it goes. */
static bool jumps_there(struct gap *gap, unsigned long target)
{
	gap->first = min(gap->first, target);
	gap->last = max(gap->last, target);
	return is_in(gap, target);
}

static bool goes_there(struct gap *gap, const struct insn *insn,
		       unsigned long addr)
{
	unsigned long target = target_of(insn, addr);

	if (!target)
		return may_go_anywhere(insn);
	/* What is called is another function, and comes back. */
	if (insn->opcode.bytes[0] == CALL_INSN_OPCODE)
		return is_in(gap, target);
	return jumps_there(gap, target);
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

#ifdef CONFIG_JUMP_LABEL
/* As a jump label has where it does not jump: two bytes, or five. */
static bool is_label_nop(const struct insn *insn)
{
	const u8 *op = insn->opcode.bytes;

	if (insn->length == JMP8_INSN_SIZE)
		return op[0] == 0x90;
	return insn->length == JMP32_INSN_SIZE && op[0] == 0x0f && op[1] == 0x1f;
}

/* Whether jump labels in a range of code go to the gap, as they are or will be. */
static bool labels_go_there(struct gap *gap, const struct tables *tables,
			    unsigned long from, unsigned long to)
{
	size_t i;

	for (i = 0; i < tables->nr_label; i++) {
		struct jump_entry *entry = tables->label + i;
		unsigned long code = jump_entry_code(entry);

		if (code >= from && code < to &&
		    jumps_there(gap, jump_entry_target(entry)))
			return true;
	}
	return false;
}
#else
static bool is_label_nop(const struct insn *insn)
{
	return false;
}

static bool labels_go_there(struct gap *gap, const struct tables *tables,
			    unsigned long from, unsigned long to)
{
	return false;
}
#endif /* CONFIG_JUMP_LABEL */

/*
 * Whether the code of a symbol, or what we can't read of it, goes to a gap.
 * @runs_on: set to whether it runs on, over @end.
 */
static bool comes_from(struct gap *gap, unsigned long addr, unsigned long end,
		       bool *runs_on)
{
	struct kprobe_reader reader = { };
	bool last = false, labels = false;
	unsigned long at = addr;
	struct tables tables;
	struct insn insn;

	find_tables(addr, &tables);
	if (has_fixup(&tables, addr, end))
		return true;
	while (at < end) {
		if (kprobe_read_next(&reader, at, end, &insn) ||
		    goes_there(gap, &insn, at))
			return true;
		last = is_last(&insn);
		labels = labels || (is_label_nop(&insn) &&
				    !ftrace_location_range(at, at));
		at += insn.length;
	}
	*runs_on = !last;
	return labels && labels_go_there(gap, &tables, addr, end);
}

/* Whether code runs on, over @end; false where it can't be read. */
static bool runs_over(unsigned long addr, unsigned long end)
{
	struct kprobe_reader reader = { };
	bool last = false;
	struct insn insn;

	while (addr < end) {
		if (kprobe_read_next(&reader, addr, end, &insn))
			return false;
		last = is_last(&insn);
		addr += insn.length;
	}
	return !last;
}

/* ---- What belongs to it ----------------------------------------------- */

/*
 * Whether a function may begin here, and no label in assembly: functions are
 * aligned, but for cold parts.
 */
static bool may_begin(unsigned long start, const char *name)
{
	return IS_ALIGNED(start, CONFIG_FUNCTION_ALIGNMENT) ||
	       strstr(name, ".cold");
}

/* More labels in a row are not looked through. */
#define MOST_LABELS	16

/* Where the function begins that has a symbol, which may be such a label. */
static unsigned long function_of(unsigned long start)
{
	unsigned long size, offset, before;
	char name[KSYM_NAME_LEN], *modname;
	bool begins;
	int i;

	for (i = 0; i < MOST_LABELS; i++) {
		if (!kallsyms_lookup(start, &size, &offset, &modname, name))
			return 0;
		begins = may_begin(start, name);
		if (!kallsyms_lookup(start - 1, &size, &offset, &modname, name))
			return start;
		before = start - 1 - offset;
		/* Nobody runs into a function. */
		if (begins && (str_has_prefix(name, "__pfx_") ||
			       !runs_over(before, start)))
			return start;
		start = before;
	}
	return 0;
}

/* As comes_from(), from a function, over labels in it; @end: where it ends. */
static bool function_comes(struct gap *gap, unsigned long function,
			   unsigned long *end)
{
	unsigned long at = function, size, offset;
	char name[KSYM_NAME_LEN], *modname;
	bool runs_on;

	if (!kallsyms_lookup_size_offset(at, &size, &offset) || offset)
		return true;
	for (;;) {
		*end = at + size;
		if (comes_from(gap, at, *end, &runs_on))
			return true;
		at = *end;
		if (!runs_on && IS_ALIGNED(at, CONFIG_FUNCTION_ALIGNMENT))
			return false;
		if (!kallsyms_lookup(at, &size, &offset, &modname, name) ||
		    offset || (!runs_on && may_begin(at, name)))
			return false;
	}
}

static int check_part(void *data, unsigned long addr)
{
	unsigned long size, offset;
	struct gap *gap = data;
	bool runs_on;

	if (!kallsyms_lookup_size_offset(addr, &size, &offset))
		return 0;
	gap->used = comes_from(gap, addr, addr - offset + size, &runs_on);
	return gap->used;
}

static int check_module_part(void *data, const char *name, unsigned long addr)
{
	struct gap *gap = data;

	return strcmp(name, gap->part) ? 0 : check_part(data, addr);
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

/* Whether somebody may come into a gap that is in the function of a symbol. */
static bool is_entered(unsigned long from, unsigned long to,
		       unsigned long symbol)
{
	struct gap gap = { .from = from, .to = to, .first = ULONG_MAX };
	unsigned long function = function_of(symbol), end;

	if (!function || function_comes(&gap, function, &end))
		return true;
	/* What has no jump to elsewhere has no other part. */
	return (gap.first < function || gap.last >= end) &&
	       other_part_comes(&gap, function);
}

/* ---- What the jump cuts ----------------------------------------------- */

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

/**
 * kprobe_jump_reach - how many bytes of text a jump cuts
 * @point: where it is to be
 *
 * Context: process; kprobe_lock and text_mutex are held.
 * Return: bytes, of whole instructions; 0: there may be no jump.
 */
unsigned int kprobe_jump_reach(const struct kprobe_point *point)
{
	unsigned long size, offset, symbol;
	unsigned int reach;

	if (point->text.emulate || point->text.extable ||
	    !kallsyms_lookup_size_offset(point->addr, &size, &offset))
		return 0;
	symbol = point->addr - offset;
	reach = measure(point->addr, symbol + size);
	if (!reach || is_reserved(point->addr, reach) ||
	    is_entered(point->addr + 1, point->addr + reach, symbol))
		return 0;
	return reach;
}
