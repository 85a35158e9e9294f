// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions that are not for probes, as others write them or trap at them: of
 * jump labels, of static calls, of BUG() and WARN().
 *
 * The tables of these are not in the order of addresses, so those of the kernel
 * are noted in one that is.
 */
#include <linux/bug.h>
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/sort.h>
#include <linux/static_call.h>

#include <asm/sections.h>

#include "internal.h"

/* The tables of the kernel, or of a module. */
struct tables {
	const struct jump_entry		*jumps;
	const struct static_call_site	*calls;
	const struct bug_entry		*bugs;
	unsigned int			nr_jumps;
	unsigned int			nr_calls;
	unsigned int			nr_bugs;
};

/* Of the kernel: offsets from _text, sorted. */
static u32 *reserved;
static unsigned int nr_reserved;

static unsigned long jump_addr(const struct jump_entry *entry)
{
#ifdef CONFIG_JUMP_LABEL
	return jump_entry_code(entry);
#else
	return 0;
#endif
}

static unsigned long call_addr(const struct static_call_site *site)
{
	return (long)&site->addr + site->addr;
}

static unsigned long trap_addr(const struct bug_entry *bug)
{
#ifndef CONFIG_GENERIC_BUG
	return 0;
#elif defined(CONFIG_GENERIC_BUG_RELATIVE_POINTERS)
	return (long)&bug->bug_addr_disp + bug->bug_addr_disp;
#else
	return bug->bug_addr;
#endif
}

static unsigned int nr_in(const struct tables *t)
{
	return t->nr_jumps + t->nr_calls + t->nr_bugs;
}

/* Number @i of the instructions of all tables. */
static unsigned long nth_in(const struct tables *t, unsigned int i)
{
	if (i < t->nr_jumps)
		return jump_addr(t->jumps + i);
	i -= t->nr_jumps;
	if (i < t->nr_calls)
		return call_addr(t->calls + i);
	return trap_addr(t->bugs + i - t->nr_calls);
}

static void tables_of_kernel(struct tables *t)
{
	*t = (struct tables){ };
#ifdef CONFIG_JUMP_LABEL
	t->jumps = __start___jump_table;
	t->nr_jumps = __stop___jump_table - __start___jump_table;
#endif
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	t->calls = __start_static_call_sites;
	t->nr_calls = __stop_static_call_sites - __start_static_call_sites;
#endif
#ifdef CONFIG_GENERIC_BUG
	t->bugs = __start___bug_table;
	t->nr_bugs = __stop___bug_table - __start___bug_table;
#endif
}

#ifdef CONFIG_MODULES
static void tables_of_module(const struct module *mod, struct tables *t)
{
	*t = (struct tables){ };
#ifdef CONFIG_JUMP_LABEL
	t->jumps = mod->jump_entries;
	t->nr_jumps = mod->num_jump_entries;
#endif
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	t->calls = mod->static_call_sites;
	t->nr_calls = mod->num_static_call_sites;
#endif
#ifdef CONFIG_GENERIC_BUG
	t->bugs = mod->bug_table;
	t->nr_bugs = mod->num_bugs;
#endif
}

static bool reserved_in_module(unsigned long first, unsigned long last)
{
	struct module *mod;
	struct tables t;
	bool ret = false;
	unsigned int i;

	preempt_disable();
	mod = __module_text_address(first);
	if (mod) {
		tables_of_module(mod, &t);
		for (i = 0; i < nr_in(&t) && !ret; i++)
			ret = nth_in(&t, i) >= first && nth_in(&t, i) <= last;
	}
	preempt_enable();
	return ret;
}
#else
static bool reserved_in_module(unsigned long first, unsigned long last)
{
	return false;
}
#endif

static int compare_offsets(const void *a, const void *b)
{
	const u32 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/**
 * kprobe_reserved_init - note those of the kernel
 *
 * Context: boot.
 * Return: 0 or -ENOMEM.
 */
int __init kprobe_reserved_init(void)
{
	struct tables t;
	unsigned int i;

	tables_of_kernel(&t);
	reserved = kvmalloc_array(nr_in(&t), sizeof(*reserved), GFP_KERNEL);
	if (!reserved)
		return -ENOMEM;
	nr_reserved = nr_in(&t);
	for (i = 0; i < nr_reserved; i++)
		reserved[i] = nth_in(&t, i) - (unsigned long)_text;
	sort(reserved, nr_reserved, sizeof(*reserved), compare_offsets, NULL);
	return 0;
}

/**
 * kprobe_text_reserved - whether one of these instructions is in a range
 * @first: an instruction's first byte
 * @last:  the range's last byte
 *
 * Context: kprobe_lock is held, so that the text does not go.
 * Return: whether one begins there.
 */
bool kprobe_text_reserved(unsigned long first, unsigned long last)
{
	unsigned long base = (unsigned long)_text;
	unsigned int lo = 0, hi = nr_reserved;

	if (!is_kernel_text(first) && !is_kernel_inittext(first))
		return reserved_in_module(first, last);
	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (reserved[mid] < first - base)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < nr_reserved && reserved[lo] <= last - base;
}
