// SPDX-License-Identifier: GPL-2.0
/*
 * Where no probe may be: functions that their authors marked, sections that a
 * handler itself runs through, and the same of each module.
 *
 * The ranges are a sorted array; which is replaced when a module comes or goes,
 * and read under RCU, by hardware breakpoints too.
 */
#include <linux/extable.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include <asm/sections.h>

#include "internal.h"

/**
 * struct black_range - addresses that are not for probes
 * @start: first of them
 * @end:   the one behind them
 * @reach: the furthest @end of this and all ranges before it: a section has
 *	   functions in it that are marked as well, any number of them
 * @mod:   whose they are; or NULL
 */
struct black_range {
	unsigned long	start;
	unsigned long	end;
	unsigned long	reach;
	struct module	*mod;
};

struct black_list {
	struct rcu_head		rcu;
	unsigned int		nr;
	struct black_range	range[];
};

static struct black_list __rcu *black_list;

static struct black_list *present(void)
{
	return rcu_dereference_protected(black_list,
					 lockdep_is_held(&kprobe_lock));
}

static int compare_ranges(const void *a, const void *b)
{
	const struct black_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* The present ranges less those of @drop, with room for @more. */
static struct black_list *copy_list(struct module *drop, unsigned int more)
{
	struct black_list *old = present(), *new;
	unsigned int i, nr = old ? old->nr : 0;

	new = kvzalloc(struct_size(new, range, nr + more), GFP_KERNEL);
	for (i = 0; new && i < nr; i++) {
		if (!drop || old->range[i].mod != drop)
			new->range[new->nr++] = old->range[i];
	}
	return new;
}

static void note_range(struct black_list *list, struct module *mod,
		       const void *start, const void *end)
{
	if (start >= end)
		return;
	list->range[list->nr++] = (struct black_range){
		.start = (unsigned long)start, .end = (unsigned long)end,
		.mod = mod,
	};
}

static void add_functions(struct black_list *list, struct module *mod,
			  const unsigned long *start, const unsigned long *end)
{
	unsigned long size, offset;

	for (; start < end; start++) {
		void *func = dereference_symbol_descriptor((void *)*start);

		if (kernel_text_address((unsigned long)func) &&
		    kallsyms_lookup_size_offset((unsigned long)func, &size,
						&offset) && size)
			note_range(list, mod, func, func + size);
	}
}

static void publish(struct black_list *list)
{
	struct black_list *old = present();
	unsigned long reach = 0;
	unsigned int i;

	sort(list->range, list->nr, sizeof(*list->range), compare_ranges, NULL);
	for (i = 0; i < list->nr; i++) {
		reach = max(reach, list->range[i].end);
		list->range[i].reach = reach;
	}
	rcu_assign_pointer(black_list, list);
	if (old)
		kvfree_rcu(old, rcu);
}

/**
 * kprobe_blacklist_init - note the kernel's own ranges
 *
 * Context: boot; takes kprobe_lock.
 * Return: 0 or -ENOMEM.
 */
int __init kprobe_blacklist_init(void)
{
	struct black_list *list;

	mutex_lock(&kprobe_lock);
	list = copy_list(NULL, __stop_kprobe_blacklist -
			       __start_kprobe_blacklist + 3);
	if (list) {
		add_functions(list, NULL, __start_kprobe_blacklist,
			      __stop_kprobe_blacklist);
		note_range(list, NULL, __kprobes_text_start, __kprobes_text_end);
		note_range(list, NULL, __noinstr_text_start, __noinstr_text_end);
		note_range(list, NULL, __entry_text_start, __entry_text_end);
		publish(list);
	}
	mutex_unlock(&kprobe_lock);
	return list ? 0 : -ENOMEM;
}

#ifdef CONFIG_MODULES

static void module_comes(struct module *mod)
{
	struct black_list *list = copy_list(NULL, mod->num_kprobe_blacklist + 2);

	if (!list) {
		pr_warn("kprobes: no memory for the blacklist of module '%s'\n",
			mod->name);
		return;
	}
	add_functions(list, mod, mod->kprobe_blacklist,
		      mod->kprobe_blacklist + mod->num_kprobe_blacklist);
	note_range(list, mod, mod->kprobes_text_start,
		   mod->kprobes_text_start + mod->kprobes_text_size);
	note_range(list, mod, mod->noinstr_text_start,
		   mod->noinstr_text_start + mod->noinstr_text_size);
	publish(list);
}

static void module_goes(struct module *mod)
{
	struct black_list *list = present();
	unsigned int i;

	for (i = 0; i < list->nr && list->range[i].mod != mod; i++)
		;
	if (i == list->nr)
		return;
	list = copy_list(mod, 0);
	/* Else the ranges stay: a module that comes there is barred, too. */
	if (list)
		publish(list);
}

/* Before those who put probes on the module as it comes. */
static int module_changed(struct notifier_block *nb, unsigned long state,
			  void *data)
{
	mutex_lock(&kprobe_lock);
	if (state == MODULE_STATE_COMING)
		module_comes(data);
	else if (state == MODULE_STATE_GOING)
		module_goes(data);
	mutex_unlock(&kprobe_lock);
	return NOTIFY_DONE;
}

static struct notifier_block module_notifier = {
	.notifier_call	= module_changed,
	.priority	= 3,
};

static int __init watch_modules(void)
{
	return register_module_notifier(&module_notifier);
}
early_initcall(watch_modules);

#endif /* CONFIG_MODULES */

static bool in_ranges(unsigned long addr)
{
	struct black_list *list;
	unsigned int lo = 0, hi;
	bool ret;

	rcu_read_lock();
	list = rcu_dereference(black_list);
	hi = list ? list->nr : 0;
	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (list->range[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	ret = lo && addr < list->range[lo - 1].reach;
	rcu_read_unlock();
	return ret;
}

/* A part of a function, split off by the compiler, goes by NAME.SUFFIX. */
static bool is_part_of_listed(unsigned long addr)
{
	char name[KSYM_NAME_LEN], *dot;
	unsigned long start;

	if (lookup_symbol_name(addr, name))
		return false;
	dot = strchr(name, '.');
	if (!dot)
		return false;
	*dot = 0;
	start = kallsyms_lookup_name(name);
	return start && in_ranges(start);
}

/**
 * within_kprobe_blacklist - whether no probe may be at an address
 * @addr: the address
 *
 * Context: process.
 * Return: whether it is so.
 */
bool within_kprobe_blacklist(unsigned long addr)
{
	return in_ranges(addr) || is_part_of_listed(addr);
}

static unsigned long symbol_end(unsigned long addr, unsigned long end)
{
	unsigned long size, offset;

	if (!kallsyms_lookup_size_offset(addr, &size, &offset) || !size)
		return end;
	return min(addr - offset + size, end);
}

/* A line for each function of a section. */
static void show_range(struct seq_file *m, const struct black_range *range,
		       bool values)
{
	unsigned long addr, next;

	for (addr = range->start; addr < range->end; addr = next) {
		next = symbol_end(addr, range->end);
		seq_printf(m, "0x%016lx-0x%016lx\t%ps\n", values ? addr : 0,
			   values ? next : 0, (void *)addr);
	}
}

/**
 * kprobe_blacklist_show - list the ranges, function by function
 * @m:      where to
 * @values: show addresses
 *
 * Context: takes kprobe_lock.
 */
void kprobe_blacklist_show(struct seq_file *m, bool values)
{
	struct black_list *list;
	unsigned int i;

	mutex_lock(&kprobe_lock);
	list = present();
	for (i = 0; list && i < list->nr; i++)
		show_range(m, &list->range[i], values);
	mutex_unlock(&kprobe_lock);
}
