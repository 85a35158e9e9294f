// SPDX-License-Identifier: GPL-2.0
/*
 * K10: where instructions begin, and what becomes of each, by the code that
 * register_kprobe() asks: for all functions of the kernel's text.  `make
 * test-decode` reads the map out of the guest's memory and compares it with
 * objdump's boundaries.
 */
#include <kunit/visibility.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/vmalloc.h>

#include "kprobes.h"

/* From /proc/kallsyms: modules do not know where the kernel's text is. */
static unsigned long start, end;
module_param(start, ulong, 0);
module_param(end, ulong, 0);

/*
 * For each byte of the text: 0, or, where an instruction begins, how it would be
 * executed: C as a copy that jumps back, S as a copy that is stepped since it has
 * a fix-up, E emulated; I refused with -EINVAL, O with -EOPNOTSUPP; ! is none.
 */
static u8 *map;

static char kind_of(const struct insn *insn, unsigned long addr)
{
	struct arch_kprobe_text text = { };
	int ret = kprobe_classify(&text, insn, addr);

	if (ret)
		return ret == -EINVAL ? 'I' : 'O';
	if (text.emulate)
		return 'E';
	return text.extable ? 'S' : 'C';
}

/* As arch_kprobe_check() walks: from a symbol on, until something is no code. */
static unsigned long walk(unsigned long addr, unsigned long stop)
{
	u8 buf[MAX_INSN_SIZE];
	struct insn insn;

	while (addr < stop) {
		if (kprobe_read_insn(addr, buf, &insn)) {
			map[addr - start] = '!';
			break;
		}
		map[addr - start] = kind_of(&insn, addr);
		addr += insn.length;
	}
	return addr;
}

/* Bytes until the next symbol, out of "name+0x0/0xsize [module]". */
static unsigned long size_of(const char *symbol)
{
	const char *slash = strrchr(symbol, '/');
	unsigned long size;

	return slash && sscanf(slash, "/%lx", &size) == 1 ? size : 0;
}

static unsigned int walk_all(void)
{
	static char symbol[KSYM_SYMBOL_LEN];
	unsigned long addr = start, size;
	unsigned int nr = 0;

	while (addr < end) {
		sprint_symbol(symbol, addr);
		size = min(size_of(symbol), end - addr);
		if (!size)
			break;
		if (walk(addr, addr + size) != addr + size)
			pr_info("hooks_decode: odd: %s\n", symbol);
		addr += size;
		nr++;
		cond_resched();
	}
	return nr;
}

static unsigned int count(char kind)
{
	unsigned long i;
	unsigned int nr = 0;

	for (i = 0; i < end - start; i++)
		nr += map[i] == kind;
	return nr;
}

static int __init hooks_decode_init(void)
{
	unsigned int nr;

	if (start >= end)
		return -EINVAL;
	map = vzalloc(end - start);
	if (!map)
		return -ENOMEM;
	nr = walk_all();
	pr_info("hooks_decode: %u symbols, %u copied, %u stepped, %u emulated, %u refused as traps, %u refused as transfers, %u undecoded\n",
		nr, count('C'), count('S'), count('E'), count('I'), count('O'),
		count('!'));
	pr_info("hooks_decode: map %#lx %#lx %#lx\n", start, end,
		(unsigned long)map);
	return 0;
}
module_init(hooks_decode_init);

static void __exit hooks_decode_exit(void)
{
	vfree(map);
}
module_exit(hooks_decode_exit);

MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Boundaries of all instructions of the kernel");
