// SPDX-License-Identifier: GPL-2.0
/*
 * Filters for modules that are not loaded: "function:mod:module" where there
 * is no such module is noted by who writes it, remembered by the trace array as
 * that is put in force, and applied when the module comes, before its init runs.
 *
 * The lists of trace arrays are protected by ftrace_lock.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "control.h"

static struct list_head *cache_of(struct trace_array *tr, enum ftrace_list which)
{
	return which == FTRACE_LIST_FILTER ? &tr->mod_trace : &tr->mod_notrace;
}

static void free_entry(struct ftrace_mod_load *entry)
{
	list_del(&entry->list);
	kfree(entry->func);
	kfree(entry->module);
	kfree(entry);
}

static bool any_function(const char *func)
{
	return !*func || !strcmp(func, "*");
}

static int remove_entries(struct list_head *cache, const char *func,
			  const char *module)
{
	struct ftrace_mod_load *entry, *next;
	int ret = -EINVAL;

	list_for_each_entry_safe(entry, next, cache, list) {
		if (strcmp(entry->module, module))
			continue;
		if (!any_function(func) &&
		    (!entry->func || strcmp(entry->func, func)))
			continue;
		free_entry(entry);
		ret = 0;
	}
	return ret;
}

static bool has_entry(struct list_head *cache, const char *func,
		      const char *module)
{
	struct ftrace_mod_load *entry;

	if (any_function(func))
		func = "*";
	list_for_each_entry(entry, cache, list) {
		if (!strcmp(entry->module, module) &&
		    !strcmp(entry->func ?: "*", func))
			return true;
	}
	return false;
}

static int add_entry(struct list_head *cache, const char *func,
		     const char *module, int enable)
{
	struct ftrace_mod_load *entry;

	if (has_entry(cache, func, module))
		return 0;
	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	INIT_LIST_HEAD(&entry->list);
	entry->enable = enable;
	entry->module = kstrdup(module, GFP_KERNEL);
	if (!any_function(func))
		entry->func = kstrdup(func, GFP_KERNEL);
	if (!entry->module || (!any_function(func) && !entry->func)) {
		free_entry(entry);
		return -ENOMEM;
	}
	list_add_tail(&entry->list, cache);
	return 0;
}

/**
 * ftrace_mod_cache_add - note a filter for a module that is not there yet
 * @notes:  where to; ftrace_mod_cache_adopt() takes them over
 * @func:   the functions
 * @module: the module's name
 * @which:  which list it is for
 *
 * Context: process, may sleep.
 * Return: 0; -ENOMEM.
 */
int ftrace_mod_cache_add(struct list_head *notes, const char *func,
			 const char *module, enum ftrace_list which)
{
	return add_entry(notes, func, module, which == FTRACE_LIST_FILTER);
}

/**
 * ftrace_mod_cache_remove - forget filters for a module
 * @tr:     the trace array
 * @notes:  what is not taken over yet
 * @func:   the functions
 * @module: the module's name
 * @which:  which list
 *
 * Context: process, may sleep; takes ftrace_lock.
 * Return: 0; -EINVAL where there is nothing to forget.
 */
int ftrace_mod_cache_remove(struct trace_array *tr, struct list_head *notes,
			    const char *func, const char *module,
			    enum ftrace_list which)
{
	int noted = remove_entries(notes, func, module), ret;

	mutex_lock(&ftrace_lock);
	ret = remove_entries(cache_of(tr, which), func, module);
	mutex_unlock(&ftrace_lock);
	return noted ? ret : 0;
}

/**
 * ftrace_mod_cache_any - whether filters wait for a module
 * @tr:    the trace array
 * @which: which list
 *
 * Return: whether there are any.
 */
bool ftrace_mod_cache_any(struct trace_array *tr, enum ftrace_list which)
{
	bool any;

	mutex_lock(&ftrace_lock);
	any = !list_empty(cache_of(tr, which));
	mutex_unlock(&ftrace_lock);
	return any;
}

/**
 * ftrace_mod_cache_free - free filters
 * @entries: a list of them, that nobody else sees
 */
void ftrace_mod_cache_free(struct list_head *entries)
{
	struct ftrace_mod_load *entry, *next;

	list_for_each_entry_safe(entry, next, entries, list)
		free_entry(entry);
}

/**
 * ftrace_mod_cache_clear - forget all filters that wait
 * @tr:    the trace array
 * @which: which list
 */
void ftrace_mod_cache_clear(struct trace_array *tr, enum ftrace_list which)
{
	mutex_lock(&ftrace_lock);
	ftrace_mod_cache_free(cache_of(tr, which));
	mutex_unlock(&ftrace_lock);
}

/**
 * ftrace_mod_cache_show - list the filters that wait
 * @m:     where to
 * @tr:    the trace array
 * @which: which list
 *
 * Context: ftrace_lock is held.
 */
void ftrace_mod_cache_show(struct seq_file *m, struct trace_array *tr,
			   enum ftrace_list which)
{
	struct ftrace_mod_load *entry;

	list_for_each_entry(entry, cache_of(tr, which), list)
		seq_printf(m, "%s:mod:%s\n", entry->func ?: "*", entry->module);
}

static int apply_entry(struct ftrace_set **set, struct ftrace_mod_load *entry)
{
	const char *func = entry->func ?: "*";
	struct ftrace_pattern pat;
	int ret;

	ret = ftrace_pattern_parse(&pat, func, strlen(func), entry->module);
	if (ret)
		return ret;
	ret = ftrace_set_apply_pattern(set, &pat);
	ftrace_pattern_free(&pat);
	return ret;
}

/**
 * ftrace_mod_cache_adopt - let the trace array remember filters
 * @tr:    the trace array
 * @which: which list
 * @notes: the filters; freed
 * @set:   where the functions are put of a module that came since it was noted
 *
 * From here on ftrace_mod_cache_load() finds them.
 *
 * Context: process, may sleep; the ops' regex_lock is held, takes ftrace_lock.
 * Return: 0; -ENOMEM.
 */
int ftrace_mod_cache_adopt(struct trace_array *tr, enum ftrace_list which,
			   struct list_head *notes, struct ftrace_set **set)
{
	struct list_head *cache = cache_of(tr, which);
	struct ftrace_mod_load *entry, *next;
	int ret = 0;

	/* First: what comes from here on finds them. */
	mutex_lock(&ftrace_lock);
	list_for_each_entry_safe(entry, next, notes, list) {
		if (!ftrace_module_is_known(entry->module) &&
		    !has_entry(cache, entry->func ?: "*", entry->module))
			list_move_tail(&entry->list, cache);
	}
	mutex_unlock(&ftrace_lock);

	list_for_each_entry(entry, notes, list) {
		ret = apply_entry(set, entry);
		if (ret < 0)
			break;
	}
	ftrace_mod_cache_free(notes);
	return ret < 0 ? ret : 0;
}

#ifdef CONFIG_MODULES

/* Takes the entries for a module out of a cache. */
static void take_entries(struct trace_array *tr, enum ftrace_list which,
			 const char *module, struct list_head *taken)
{
	struct ftrace_mod_load *entry, *next;

	mutex_lock(&ftrace_lock);
	list_for_each_entry_safe(entry, next, cache_of(tr, which), list) {
		if (!strcmp(entry->module, module))
			list_move_tail(&entry->list, taken);
	}
	mutex_unlock(&ftrace_lock);
}

static int apply_entries(struct ftrace_ops *ops, enum ftrace_list which,
			 struct list_head *taken)
{
	struct ftrace_mod_load *entry;
	struct ftrace_set *set;
	int ret = 0;

	set = ftrace_ops_copy_list(ops, which);
	if (IS_ERR(set))
		return -ENOMEM;
	list_for_each_entry(entry, taken, list) {
		ret = apply_entry(&set, entry);
		if (ret < 0)
			break;
	}
	if (ret >= 0)
		ret = ftrace_ops_set_list(ops, which, set);
	if (ret)
		ftrace_set_free(set);
	return ret;
}

static int load_list(struct trace_array *tr, enum ftrace_list which,
		     const char *module)
{
	LIST_HEAD(taken);
	int ret;

	take_entries(tr, which, module, &taken);
	if (list_empty(&taken))
		return 0;
	ftrace_ops_init(tr->ops);
	mutex_lock(&tr->ops->func_hash->regex_lock);
	ret = apply_entries(tr->ops, which, &taken);
	mutex_unlock(&tr->ops->func_hash->regex_lock);
	ftrace_mod_cache_free(&taken);
	return ret;
}

/**
 * ftrace_mod_cache_load - apply the filters that wait for a module
 * @mod: the module, COMING, its sites known
 *
 * Context: process, may sleep; takes trace_types_lock and filter locks.
 * Return: 0 or an errno; entries of the module are gone in any case.
 */
int ftrace_mod_cache_load(struct module *mod)
{
	struct trace_array *tr;
	int ret = 0, err;

	mutex_lock(&trace_types_lock);
	list_for_each_entry(tr, &ftrace_trace_arrays, list) {
		if (!tr->ops)
			continue;
		err = load_list(tr, FTRACE_LIST_FILTER, mod->name);
		ret = ret ?: err;
		err = load_list(tr, FTRACE_LIST_NOTRACE, mod->name);
		ret = ret ?: err;
	}
	mutex_unlock(&trace_types_lock);
	return ret;
}

#else

int ftrace_mod_cache_load(struct module *mod)
{
	return 0;
}

#endif /* CONFIG_MODULES */
