// SPDX-License-Identifier: GPL-2.0
/*
 * Text that comes and goes: the kernel at boot, init sections, modules.
 *
 *	ftrace_init()			the kernel's sites, as nops
 *	ftrace_module_init()		a module's sites, as nops; its text is
 *					writable yet and nobody knows of it
 *	ftrace_module_enable()		they are found, and hooked, before the
 *					module's init runs
 *	ftrace_free_mem()		init text goes
 *	ftrace_release_mod()		the module goes, maybe without ever
 *					having come that far
 *
 * Sites whose text goes are dropped without patching them: nobody is in the
 * text or will enter it.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <asm/sections.h>

#include "../trace.h"
#include "init_names.h"
#include "internal.h"

/* Tables of modules that are not COMING yet. */
static LIST_HEAD(coming_tables);

static bool in_kernel_text(struct module *mod, unsigned long ip)
{
	return is_kernel_text(ip);
}

static bool in_kernel_inittext(struct module *mod, unsigned long ip)
{
	return is_kernel_inittext(ip) && !is_kernel_text(ip);
}

static int __init add_kernel_table(bool (*belongs)(struct module *mod,
						   unsigned long ip))
{
	struct ftrace_site_table *table;

	table = ftrace_sites_scan(NULL, __start_mcount_loc, __stop_mcount_loc,
				  belongs);
	if (IS_ERR(table))
		return PTR_ERR(table);
	if (!table)
		return 0;
	mutex_lock(&ftrace_lock);
	ftrace_sites_link(table);
	mutex_unlock(&ftrace_lock);
	return 0;
}

/**
 * ftrace_init - find the kernel's sites
 *
 * Where that fails function tracing stays off for good and boot goes on.
 *
 * Context: boot, one CPU, interrupts off.
 */
void __init ftrace_init(void)
{
	int ret;

	ret = ftrace_chains_init();
	if (!ret)
		ret = ftrace_names_init();
	if (!ret)
		ret = add_kernel_table(in_kernel_text);
	if (!ret)
		ret = add_kernel_table(in_kernel_inittext);
	if (!ret && !ftrace_update_tot_cnt)
		ret = -ENOENT;
	if (ret) {
		pr_warn("No functions to be traced? (%d)\n", ret);
		ftrace_kill();
		return;
	}
	pr_info("allocating %ld entries in %ld pages\n",
		ftrace_update_tot_cnt, ftrace_number_of_pages);
	pr_info("allocated %ld pages with %ld groups\n",
		ftrace_number_of_pages, ftrace_number_of_groups);
	ftrace_apply_boot_filters();
}

/* ---- Modules ---------------------------------------------------------- */

static bool in_module_core(struct module *mod, unsigned long ip)
{
	return within_module_core(ip, mod);
}

static bool in_module_init(struct module *mod, unsigned long ip)
{
	return within_module_init(ip, mod);
}

static int add_module_table(struct module *mod,
			    bool (*belongs)(struct module *mod,
					    unsigned long ip))
{
	unsigned long *start = mod->ftrace_callsites;
	struct ftrace_site_table *table;

	table = ftrace_sites_scan(mod, start, start + mod->num_ftrace_callsites,
				  belongs);
	if (IS_ERR_OR_NULL(table))
		return PTR_ERR_OR_ZERO(table);
	mutex_lock(&ftrace_lock);
	list_add_tail(&table->list, &coming_tables);
	mutex_unlock(&ftrace_lock);
	return 0;
}

/**
 * ftrace_module_init - find a module's sites
 * @mod: the module, UNFORMED, its text writable
 *
 * Context: process, may sleep.  For want of memory the module loads without
 * functions that can be hooked.
 */
void ftrace_module_init(struct module *mod)
{
	int ret;

	if (ftrace_dead || !mod->num_ftrace_callsites)
		return;
	ret = add_module_table(mod, in_module_core);
	if (!ret)
		ret = add_module_table(mod, in_module_init);
	if (ret)
		pr_warn("failed to allocate entries for module '%s' functions\n",
			mod->name);
}

/**
 * ftrace_module_enable - hook a module's functions
 * @mod: the module, COMING
 *
 * Context: process, may sleep.
 */
void ftrace_module_enable(struct module *mod)
{
	struct ftrace_site_table *table, *next;

	mutex_lock(&ftrace_lock);
	list_for_each_entry_safe(table, next, &coming_tables, list) {
		if (table->mod != mod)
			continue;
		list_del(&table->list);
		ftrace_sites_link(table);
		if (ftrace_ops_hook_table(table))
			pr_warn("no memory to hook functions of module '%s'\n",
				mod->name);
	}
	mutex_unlock(&ftrace_lock);

	if (ftrace_mod_cache_load(mod))
		pr_warn("no memory for the filters that wait for module '%s'\n",
			mod->name);
}

#ifdef CONFIG_MODULES
static bool is_live(const char *name)
{
	struct module *mod;
	bool live;

	rcu_read_lock_sched();
	mod = find_module(name);
	live = mod && mod->state == MODULE_STATE_LIVE;
	rcu_read_unlock_sched();
	return live;
}
#else
static bool is_live(const char *name)
{
	return false;
}
#endif

/**
 * ftrace_module_is_known - whether a module's functions can be named
 * @name: the module
 *
 * If not, the module comes later, is coming and ftrace_module_enable() will find
 * its sites, or is on its way out.
 *
 * Context: ftrace_lock is held.
 * Return: whether they can; true also for a module that is there and has none.
 */
bool ftrace_module_is_known(const char *name)
{
	struct ftrace_site_table *table;

	list_for_each_entry(table, &ftrace_site_tables, list) {
		if (table->mod && !strcmp(table->mod->name, name))
			return true;
	}
	return is_live(name);
}

/* ---- Going ------------------------------------------------------------ */

/* An ops that keeps its lists while it is not registered. */
struct remembered {
	struct list_head	list;
	struct ftrace_ops	*ops;
};

static LIST_HEAD(remembered_ops);

/**
 * ftrace_ops_remember - keep the lists of an ops free of text that goes
 * @ops: the ops, of the kernel itself, which never goes
 *
 * Of an ops that is registered, or a trace array's, that is known anyway.
 *
 * Context: process, may sleep; takes ftrace_lock.
 * Return: 0 or -ENOMEM.
 */
int ftrace_ops_remember(struct ftrace_ops *ops)
{
	struct remembered *entry;
	int ret = 0;

	mutex_lock(&ftrace_lock);
	list_for_each_entry(entry, &remembered_ops, list) {
		if (entry->ops == ops)
			goto out;
	}
	entry = kmalloc(sizeof(*entry), GFP_KERNEL);
	if (entry) {
		entry->ops = ops;
		list_add(&entry->list, &remembered_ops);
	} else {
		ret = -ENOMEM;
	}
out:
	mutex_unlock(&ftrace_lock);
	return ret;
}

/* Takes a range of text out of all lists that are known. */
static void forget_range(unsigned long start, unsigned long end)
{
	struct remembered *entry;
	struct ftrace_ops *ops, *sub;
	struct trace_array *tr;

	list_for_each_entry(ops, &ftrace_registered, list) {
		ftrace_ops_forget_range(ops, start, end);
		list_for_each_entry(sub, &ops->subop_list, list)
			ftrace_ops_forget_range(sub, start, end);
	}
	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		if (tr->ops)
			ftrace_ops_forget_range(tr->ops, start, end);
	}
	list_for_each_entry(entry, &remembered_ops, list)
		ftrace_ops_forget_range(entry->ops, start, end);
	ftrace_graph_forget_range(start, end);
}

static void drop_table(struct ftrace_site_table *table, bool linked)
{
	unsigned int i;

	if (linked)
		ftrace_sites_unlink(table);
	else
		list_del(&table->list);

	for (i = 0; i < table->nr; i++) {
		ftrace_chain_put(table->site[i].chain);
		table->site[i].chain = NULL;
	}
	forget_range(table->site[0].ip, table->site[table->nr - 1].ip + 1);
}

/* Moves tables in a range of text (@end 0: all of @mod) to @dead. */
static void drop_tables(struct list_head *from, struct module *mod,
			unsigned long start, unsigned long end,
			struct list_head *dead)
{
	struct ftrace_site_table *table, *next;

	list_for_each_entry_safe(table, next, from, list) {
		if (table->mod != mod)
			continue;
		if (end && (table->site[0].ip < start ||
			    table->site[0].ip >= end))
			continue;
		if (end && mod)
			ftrace_init_names_keep(table);
		drop_table(table, from == &ftrace_site_tables);
		list_add(&table->dead, dead);
	}
}

static void drop_text(struct module *mod, unsigned long start,
		      unsigned long end)
{
	struct ftrace_site_table *table, *next;
	LIST_HEAD(dead);

	mutex_lock(&trace_types_lock);
	mutex_lock(&ftrace_lock);
	drop_tables(&ftrace_site_tables, mod, start, end, &dead);
	if (mod)
		drop_tables(&coming_tables, mod, start, end, &dead);
	if (!end)
		ftrace_init_names_drop(mod);
	ftrace_chains_reclaim_soon();
	mutex_unlock(&ftrace_lock);
	mutex_unlock(&trace_types_lock);

	list_for_each_entry_safe(table, next, &dead, dead)
		ftrace_sites_free(table);
}

/**
 * ftrace_free_mem - forget functions whose text goes
 * @mod:   whose text; NULL for the kernel
 * @start: its first byte
 * @end:   the byte behind it
 *
 * Context: process, may sleep.
 */
void ftrace_free_mem(struct module *mod, void *start, void *end)
{
	if (start != end)
		drop_text(mod, (unsigned long)start, (unsigned long)end);
}

/**
 * ftrace_free_init_mem - forget the kernel's init functions
 *
 * Context: process, at the end of boot.
 */
void __init ftrace_free_init_mem(void)
{
	ftrace_boot_snapshot();
	ftrace_free_mem(NULL, __init_begin, __init_end);
}

/**
 * ftrace_release_mod - forget a module
 * @mod: the module, in any state, known to us or not
 *
 * Context: process, may sleep.
 */
void ftrace_release_mod(struct module *mod)
{
	drop_text(mod, 0, 0);
}
