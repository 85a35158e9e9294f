// SPDX-License-Identifier: GPL-2.0
/*
 * The table of sites: every patchable call in the kernel and in modules.
 *
 * The linker leaves an array of addresses.  Each stretch of text that comes
 * and goes as a whole (the kernel, its init text, a module, a module's init
 * text) gets one table, sorted by address, so that finding an address is a
 * binary search and dropping freed text is dropping a table.
 *
 * A site's state is which chain it calls:
 *
 *	chain		text of the site
 *	NULL		5-byte nop (x86_64)
 *	a chain		call of the chain's trampoline, or of the direct
 *			target where that is all the chain has
 *
 * and goes from one to another in plan.c only, with ftrace_lock held.  With
 * FTRACE_SITE_DAMAGED set somebody else wrote there: @chain is then the last
 * one that we put there.
 *
 * Tables are added and taken away with ftrace_lock held and freed after an RCU
 * grace period; ftrace_location() and its relatives read them under RCU.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "../trace.h"
#include "arch.h"
#include "internal.h"

LIST_HEAD(ftrace_site_tables);
unsigned long ftrace_sites_gone;

/* Shown in tracefs dyn_ftrace_total_info: sites, pages of tables, tables. */
unsigned long ftrace_update_tot_cnt;
unsigned long ftrace_number_of_pages;
unsigned long ftrace_number_of_groups;

static int compare_sites(const void *a, const void *b)
{
	const struct ftrace_site *x = a, *y = b;

	return x->ip < y->ip ? -1 : x->ip > y->ip;
}

static unsigned int drop_repeated(struct ftrace_site *site, unsigned int nr)
{
	unsigned int i, kept = 0;

	for (i = 0; i < nr; i++) {
		if (!kept || site[kept - 1].ip != site[i].ip)
			site[kept++] = site[i];
	}
	return kept;
}

static void account_table(const struct ftrace_site_table *table, int sign)
{
	unsigned long pages = DIV_ROUND_UP(struct_size(table, site, table->nr),
					   PAGE_SIZE);

	ftrace_update_tot_cnt += sign * (long)table->nr;
	ftrace_number_of_pages += sign * (long)pages;
	ftrace_number_of_groups += sign;
}

/**
 * ftrace_sites_scan - make a table of those entries that belong to one text
 * @mod:     whose text; NULL for the kernel
 * @start:   the compiler's list of sites, in any order
 * @end:     its end
 * @belongs: whether an address is of the text in question
 *
 * The sites are made nops.  They are not found before ftrace_sites_link().
 *
 * Context: process, may sleep; nobody executes the text yet.
 * Return: the table; NULL where no entry belongs; ERR_PTR(-ENOMEM).
 */
struct ftrace_site_table *ftrace_sites_scan(struct module *mod,
					    const unsigned long *start,
					    const unsigned long *end,
					    bool (*belongs)(struct module *mod,
							    unsigned long ip))
{
	struct ftrace_site_table *table;
	const unsigned long *p;
	unsigned int nr = 0;
	struct ftrace_site *s;

	for (p = start; p < end; p++)
		nr += belongs(mod, arch_ftrace_site_of(*p));
	if (!nr)
		return NULL;

	table = kvzalloc(struct_size(table, site, nr), GFP_KERNEL);
	if (!table)
		return ERR_PTR(-ENOMEM);
	table->mod = mod;
	table->nr = nr;
	s = table->site;
	for (p = start; p < end; p++) {
		unsigned long ip = arch_ftrace_site_of(*p);

		if (belongs(mod, ip))
			(s++)->ip = ip;
	}
	if (!IS_ENABLED(CONFIG_BUILDTIME_MCOUNT_SORT) || mod)
		sort(table->site, nr, sizeof(*s), compare_sites, NULL);
	table->nr = drop_repeated(table->site, nr);

	for (nr = 0; nr < table->nr; nr++)
		arch_ftrace_site_init(table->site[nr].ip);
	return table;
}

/**
 * ftrace_sites_link - let a table's sites be found and hooked
 * @table: the table
 *
 * Context: ftrace_lock is held.
 */
void ftrace_sites_link(struct ftrace_site_table *table)
{
	lockdep_assert_held(&ftrace_lock);
	list_add_tail_rcu(&table->list, &ftrace_site_tables);
	account_table(table, 1);
}

/**
 * ftrace_sites_unlink - let a table's sites not be found any more
 * @table: the table; nothing points to its sites any more
 *
 * Context: ftrace_lock is held.
 */
void ftrace_sites_unlink(struct ftrace_site_table *table)
{
	lockdep_assert_held(&ftrace_lock);
	list_del_rcu(&table->list);
	account_table(table, -1);
	WRITE_ONCE(ftrace_sites_gone, ftrace_sites_gone + 1);
}

/**
 * ftrace_sites_free - free an unlinked table after the readers that see it
 * @table: the table
 *
 * Context: process, may sleep.
 */
void ftrace_sites_free(struct ftrace_site_table *table)
{
	kvfree_rcu_mightsleep(table);
}

/* Index of the first site whose last byte is at @ip or behind it. */
static unsigned int first_reaching(const struct ftrace_site_table *table,
				   unsigned long ip)
{
	unsigned int lo = 0, hi = table->nr;

	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (table->site[mid].ip + MCOUNT_INSN_SIZE - 1 < ip)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/**
 * ftrace_site_first_in - the first site that overlaps a range
 * @start: first byte of the range
 * @end:   last byte of the range
 *
 * Context: any, under RCU or ftrace_lock.
 * Return: the site, or NULL.
 */
struct ftrace_site *ftrace_site_first_in(unsigned long start,
					 unsigned long end)
{
	struct ftrace_site_table *table;

	list_for_each_entry_rcu(table, &ftrace_site_tables, list,
				lockdep_is_held(&ftrace_lock)) {
		unsigned int i;

		if (end < table->site[0].ip)
			continue;
		i = first_reaching(table, start);
		if (i < table->nr && table->site[i].ip <= end)
			return &table->site[i];
	}
	return NULL;
}

/**
 * ftrace_site_find - the site at an address
 * @ip: the site's own address
 *
 * Context: any, under RCU or ftrace_lock.
 * Return: the site, or NULL where @ip is not the address of one.
 */
struct ftrace_site *ftrace_site_find(unsigned long ip)
{
	struct ftrace_site *site = ftrace_site_first_in(ip, ip);

	return site && site->ip == ip ? site : NULL;
}

/**
 * ftrace_site_table_of - the table that holds a site
 * @site: the site
 *
 * Context: ftrace_lock is held.
 * Return: the table.
 */
struct ftrace_site_table *ftrace_site_table_of(const struct ftrace_site *site)
{
	struct ftrace_site_table *table;

	ftrace_for_each_table(table) {
		if (site >= table->site && site < table->site + table->nr)
			return table;
	}
	return NULL;
}

/**
 * ftrace_site_by_index - the n-th site of available_filter_functions
 * @index: 1 for the first
 *
 * Context: ftrace_lock is held.
 * Return: the site, or NULL where there are fewer.
 */
struct ftrace_site *ftrace_site_by_index(unsigned long index)
{
	struct ftrace_site_table *table;

	if (!index)
		return NULL;
	index--;
	ftrace_for_each_table(table) {
		if (index < table->nr)
			return &table->site[index];
		index -= table->nr;
	}
	return NULL;
}

static unsigned long location_in(unsigned long start, unsigned long end)
{
	struct ftrace_site *site;
	unsigned long ip;

	rcu_read_lock();
	site = ftrace_site_first_in(start, end);
	ip = site ? site->ip : 0;
	rcu_read_unlock();
	return ip;
}

/**
 * ftrace_location_range - the first site in a range of addresses
 * @start: first byte
 * @end:   last byte
 *
 * Context: any.  In a module's text the answer holds only while the caller
 * keeps the module.
 * Return: the address of the first site that overlaps the range, or 0.
 */
unsigned long ftrace_location_range(unsigned long start, unsigned long end)
{
	return location_in(start, end);
}

/**
 * ftrace_location - the site that an address stands for
 * @ip: an address inside a site, or the first of a function
 *
 * Context: any.  In a module's text the answer holds only while the caller
 * keeps the module.
 * Return: the site's address, or 0 where there is none.
 */
unsigned long ftrace_location(unsigned long ip)
{
	unsigned long size, offset, loc = location_in(ip, ip);

	if (loc || !kallsyms_lookup_size_offset(ip, &size, &offset) ||
	    offset || !size)
		return loc;
	return location_in(ip, ip + size - 1);
}

/**
 * ftrace_text_reserved - whether a range touches the text of a site
 * @start: first byte
 * @end:   last byte
 *
 * Context: any.
 * Return: 1 if it does, else 0.
 */
int ftrace_text_reserved(const void *start, const void *end)
{
	return !!location_in((unsigned long)start, (unsigned long)end);
}
