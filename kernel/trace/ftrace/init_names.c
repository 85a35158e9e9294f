// SPDX-License-Identifier: GPL-2.0
/*
 * Names for addresses that kallsyms does not know.
 *
 * A trace may hold addresses of a module's init functions, whose symbols are
 * freed with them.  Where something is being traced when that happens their
 * names are kept as long as the module stays.  And the trampolines go by one
 * name, FTRACE_TRAMPOLINE_SYM.
 *
 * The list changes under ftrace_lock and is read under RCU, from any context.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "../trace.h"
#include "init_names.h"
#include "internal.h"

#define TRAMPOLINE_MODNAME	"__builtin__ftrace"

struct init_name {
	struct list_head	list;
	struct rcu_head		rcu;
	struct module		*mod;
	unsigned long		start;
	unsigned long		size;
	char			modname[MODULE_NAME_LEN];
	char			name[];
};

static LIST_HEAD(init_names);

#ifdef CONFIG_MODULES

static bool any_trace_on(void)
{
	struct trace_array *tr;

	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		if (tracer_tracing_is_on(tr))
			return true;
	}
	return false;
}

static void keep_name(struct module *mod, unsigned long ip, char *text)
{
	unsigned long size, offset = 0;
	struct init_name *entry;
	char *modname;

	if (!kallsyms_lookup(ip, &size, &offset, &modname, text) || !modname)
		return;
	entry = kmalloc(struct_size(entry, name, strlen(text) + 1), GFP_KERNEL);
	if (!entry)
		return;
	entry->mod = mod;
	entry->start = ip - offset;
	entry->size = size;
	strscpy(entry->modname, modname);
	memcpy(entry->name, text, strlen(text) + 1);
	list_add_tail_rcu(&entry->list, &init_names);
}

/**
 * ftrace_init_names_keep - keep the names of init functions about to go
 * @table: their sites
 *
 * Context: trace_types_lock and ftrace_lock are held; may sleep.  For want of
 * memory names are lost.
 */
void ftrace_init_names_keep(struct ftrace_site_table *table)
{
	unsigned int i;
	char *text;

	if (!any_trace_on())
		return;
	text = kmalloc(KSYM_NAME_LEN, GFP_KERNEL);
	if (!text)
		return;
	for (i = 0; i < table->nr; i++)
		keep_name(table->mod, table->site[i].ip, text);
	kfree(text);
}

/**
 * ftrace_init_names_drop - drop the names of a module that goes
 * @mod: the module
 *
 * Context: ftrace_lock is held.
 */
void ftrace_init_names_drop(struct module *mod)
{
	struct init_name *entry, *next;

	list_for_each_entry_safe(entry, next, &init_names, list) {
		if (entry->mod != mod)
			continue;
		list_del_rcu(&entry->list);
		kfree_rcu(entry, rcu);
	}
}

#endif /* CONFIG_MODULES */

static struct init_name *init_name_of(unsigned long addr)
{
	struct init_name *entry;

	list_for_each_entry_rcu(entry, &init_names, list, !preemptible()) {
		if (addr - entry->start < entry->size)
			return entry;
	}
	return NULL;
}

/* What an address is in, with the name copied. */
struct found {
	unsigned long	start;
	unsigned long	size;
	char		*modname;
	int		len;
};

static struct found find_name(unsigned long addr, char *name)
{
	struct init_name *entry = init_name_of(addr);
	struct ftrace_chain *chain;

	if (entry)
		return (struct found){
			entry->start, entry->size, entry->modname,
			strscpy(name, entry->name, KSYM_NAME_LEN)
		};
	chain = ftrace_tramp_owner(addr);
	if (chain)
		return (struct found){
			chain->text, chain->size, TRAMPOLINE_MODNAME,
			strscpy(name, FTRACE_TRAMPOLINE_SYM, KSYM_NAME_LEN)
		};
	return (struct found){ };
}

/**
 * ftrace_mod_address_lookup - the name of an address that is only known here
 * @addr:    the address
 * @size:    the size of the symbol; may be NULL like those that follow
 * @offset:  the address' offset in it
 * @modname: its module
 * @buildid: set to NULL
 * @name:    its name, KSYM_NAME_LEN bytes
 *
 * Context: any.
 * Return: the length of the name, 0 where the address is not known.
 */
int ftrace_mod_address_lookup(unsigned long addr, unsigned long *size,
			      unsigned long *offset, char **modname,
			      const unsigned char **buildid, char *name)
{
	struct found found;

	preempt_disable_notrace();
	found = find_name(addr, name);
	preempt_enable_notrace();

	if (found.len && size)
		*size = found.size;
	if (found.len && offset)
		*offset = addr - found.start;
	if (found.len && modname)
		*modname = found.modname;
	if (buildid)
		*buildid = NULL;
	return found.len;
}

/* Entry number *@nr, which is counted down by those that are passed over. */
static struct init_name *init_name_at(unsigned int *nr)
{
	struct init_name *entry;

	list_for_each_entry_rcu(entry, &init_names, list, !preemptible()) {
		if (!*nr)
			return entry;
		--*nr;
	}
	return NULL;
}

/**
 * ftrace_mod_get_kallsym - enumerate the names that are only known here
 * @nr:       number of the entry, from 0
 * @addr:     its address
 * @type:     its type as nm(1) has it
 * @name:     its name
 * @modname:  its module
 * @exported: whether it counts as exported
 *
 * Context: any.
 * Return: 0, or -ERANGE where there are fewer.
 */
int ftrace_mod_get_kallsym(unsigned int nr, unsigned long *addr, char *type,
			   char *name, char *modname, int *exported)
{
	const char *symbol = FTRACE_TRAMPOLINE_SYM;
	const char *module = TRAMPOLINE_MODNAME;
	struct init_name *entry;
	int ret = 0;

	/* Until the names are copied no entry may be freed. */
	preempt_disable_notrace();
	entry = init_name_at(&nr);
	if (entry) {
		*addr = entry->start;
		symbol = entry->name;
		module = entry->modname;
	} else {
		ret = ftrace_tramp_kallsym(nr, addr);
	}
	if (!ret) {
		strscpy(modname, module, MODULE_NAME_LEN);
		strscpy(name, symbol, KSYM_NAME_LEN);
		*exported = !!entry;
		*type = entry ? 'T' : 't';
	}
	preempt_enable_notrace();
	return ret;
}
