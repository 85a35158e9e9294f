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
	strcpy(entry->name, text);
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
	struct ftrace_site *site;
	char *text;

	if (!any_trace_on())
		return;
	text = kmalloc(KSYM_NAME_LEN, GFP_KERNEL);
	if (!text)
		return;
	ftrace_for_each_site(table, site)
		keep_name(table->mod, site->ip, text);
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

static int name_of_trampoline(unsigned long addr, unsigned long *size,
			      unsigned long *off, char **modname, char *sym)
{
	struct ftrace_chain *chain = ftrace_tramp_owner(addr);

	if (!chain)
		return 0;
	*size = chain->size;
	*off = addr - chain->text;
	*modname = TRAMPOLINE_MODNAME;
	return strscpy(sym, FTRACE_TRAMPOLINE_SYM, KSYM_NAME_LEN);
}

/**
 * ftrace_mod_address_lookup - the name of an address that is only known here
 * @addr:       the address
 * @size:       the size of the symbol
 * @off:        the address' offset in it
 * @modname:    its module
 * @modbuildid: set to NULL where not NULL
 * @sym:        its name, KSYM_NAME_LEN bytes
 *
 * Context: any.
 * Return: the length of the name, 0 where the address is not known.
 */
int ftrace_mod_address_lookup(unsigned long addr, unsigned long *size,
			      unsigned long *off, char **modname,
			      const unsigned char **modbuildid, char *sym)
{
	struct init_name *entry;
	int len = 0;

	preempt_disable_notrace();
	list_for_each_entry_rcu(entry, &init_names, list,
				!preemptible()) {
		if (addr - entry->start >= entry->size)
			continue;
		*size = entry->size;
		*off = addr - entry->start;
		*modname = entry->modname;
		len = strscpy(sym, entry->name, KSYM_NAME_LEN);
		break;
	}
	if (!len)
		len = name_of_trampoline(addr, size, off, modname, sym);
	preempt_enable_notrace();

	if (len && modbuildid)
		*modbuildid = NULL;
	return len;
}

/**
 * ftrace_mod_get_kallsym - enumerate the names that are only known here
 * @symnum:      number of the entry, from 0
 * @value:       its address
 * @type:        its type as nm(1) has it
 * @name:        its name
 * @module_name: its module
 * @exported:    whether it counts as exported
 *
 * Context: any.
 * Return: 0, or -ERANGE where there are fewer.
 */
int ftrace_mod_get_kallsym(unsigned int symnum, unsigned long *value,
			   char *type, char *name, char *module_name,
			   int *exported)
{
	struct init_name *entry;
	int ret;

	preempt_disable_notrace();
	list_for_each_entry_rcu(entry, &init_names, list,
				!preemptible()) {
		if (symnum--)
			continue;
		*value = entry->start;
		*type = 'T';
		*exported = 1;
		strscpy(name, entry->name, KSYM_NAME_LEN);
		strscpy(module_name, entry->modname, MODULE_NAME_LEN);
		preempt_enable_notrace();
		return 0;
	}
	preempt_enable_notrace();

	ret = ftrace_tramp_kallsym(symnum, value);
	if (!ret) {
		*type = 't';
		*exported = 0;
		strscpy(name, FTRACE_TRAMPOLINE_SYM, KSYM_NAME_LEN);
		strscpy(module_name, TRAMPOLINE_MODNAME, MODULE_NAME_LEN);
	}
	return ret;
}
