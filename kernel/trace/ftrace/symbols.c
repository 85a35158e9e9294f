// SPDX-License-Identifier: GPL-2.0
/*
 * Names to sites, and sites to names.
 *
 * A name without wildcards, or with one at its end, is found through kallsyms'
 * index by name: no scan.  Another glob over the kernel is one walk over its
 * symbols in the order of their addresses, side by side with the sites, which
 * costs far less than looking up each site's name.  A number is the site's
 * position in available_filter_functions, and no name is looked at.
 *
 * The name of a site is the first symbol at the function's address.  A site
 * further behind its symbol than a function's entry can be is of a function
 * that the linker dropped in favour of another (weak symbols): it has no name
 * and no pattern matches it.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/bsearch.h>
#include <linux/glob.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "../trace.h"
#include "internal.h"

/**
 * ftrace_site_name - the name of a site's function
 * @site: the site
 * @name: FTRACE_SITE_NAME_LEN bytes for "name", "name [module]" or, where
 *	  there is none, FTRACE_INVALID_PREFIX and an offset
 *
 * Context: ftrace_lock is held.
 * Return: its length.
 */
size_t ftrace_site_name(const struct ftrace_site *site, char *name)
{
	unsigned long size, offset = 0;
	char *modname = NULL;
	size_t len;

	if (!kallsyms_lookup(site->ip, &size, &offset, &modname, name) ||
	    offset > FTRACE_MCOUNT_MAX_OFFSET)
		return sprintf(name, FTRACE_INVALID_PREFIX "%ld", offset);
	len = strlen(name);
	return modname ? len + sprintf(name + len, " [%s]", modname) : len;
}

/**
 * ftrace_site_name_next - as ftrace_site_name(), for one site after the other
 * @at:    zeroed before the first site of a table
 * @table: the site's table
 * @site:  the site; behind the last call's
 * @name:  FTRACE_SITE_NAME_LEN bytes
 *
 * Context: ftrace_lock is held.
 * Return: the name's length.
 */
size_t ftrace_site_name_next(struct ftrace_names *at,
			     const struct ftrace_site_table *table,
			     const struct ftrace_site *site, char *name)
{
	size_t len = table->mod ? 0 : ftrace_names_of(at, site->ip, name);

	return len ?: ftrace_site_name(site, name);
}

/**
 * ftrace_pattern_parse - take a pattern apart
 * @pat:    the result; give it to ftrace_pattern_free() in any case of success
 * @func:   the functions: a name, a glob or a number, with '!' in front to
 *	    remove them; only read
 * @len:    bytes of @func to look at, a NUL ends it earlier
 * @module: glob on modules' names, with '!' in front for all others; "" is any
 *	    module; NULL is everything.  Only read
 *
 * Context: process, may sleep.
 * Return: 0 or -ENOMEM.
 */
int ftrace_pattern_parse(struct ftrace_pattern *pat, const char *func,
			 size_t len, const char *module)
{
	size_t flen = strnlen(func, len), mlen = module ? strlen(module) : 0;
	char *text;
	int negate;

	memset(pat, 0, sizeof(*pat));
	text = kmalloc(flen + 1 + mlen + 1, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	pat->copy = text;

	memcpy(text, func, flen);
	text[flen] = 0;
	pat->type = filter_parse_regex(text, flen, &pat->search, &negate);
	pat->negate = negate;
	if (pat->type == MATCH_INDEX &&
	    kstrtoul(pat->search, 0, &pat->index))
		pat->index = 0;

	if (!module)
		return 0;
	text += flen + 1;
	memcpy(text, module, mlen + 1);
	pat->module_type = filter_parse_regex(text, mlen, &pat->module, &negate);
	pat->module_negate = negate;
	pat->any_module = !*pat->module && pat->module_type == MATCH_FULL;
	pat->any_function = !*pat->search && pat->type == MATCH_FULL;
	return 0;
}

/**
 * ftrace_pattern_free - free what ftrace_pattern_parse() made
 * @pat: the pattern
 */
void ftrace_pattern_free(struct ftrace_pattern *pat)
{
	kfree(pat->copy);
}

static bool text_matches(int type, const char *search, const char *text)
{
	size_t len = strlen(search), have = strlen(text);

	switch (type) {
	case MATCH_FULL:
		return len && !strcmp(search, text);
	case MATCH_FRONT_ONLY:
		return !strncmp(search, text, len);
	case MATCH_MIDDLE_ONLY:
		return strstr(text, search);
	case MATCH_END_ONLY:
		return have >= len && !strcmp(text + have - len, search);
	case MATCH_GLOB:
		return glob_match(search, text);
	default:
		return false;
	}
}

static bool table_matches(const struct ftrace_pattern *pat,
			  const struct ftrace_site_table *table)
{
	bool match;

	if (!pat->module)
		return true;
	match = table->mod &&
		(pat->any_module ||
		 text_matches(pat->module_type, pat->module, table->mod->name));
	return match != pat->module_negate;
}

static bool function_matches(const struct ftrace_pattern *pat,
			     const char *name)
{
	return pat->any_function || text_matches(pat->type, pat->search, name);
}

/* A walk over the sites that match; @name is room for a symbol's. */
struct walk {
	const struct ftrace_pattern	*pat;
	int				(*fn)(struct ftrace_site *site, void *data);
	void				*data;
	char				*name;
	int				nr;
	int				ret;
};

static int take_site(struct walk *walk, struct ftrace_site *site)
{
	walk->ret = walk->fn(site, walk->data);
	if (walk->ret >= 0)
		walk->nr++;
	return walk->ret < 0 ? walk->ret : 0;
}

/* The site of the function that begins at an address, or NULL. */
static struct ftrace_site *site_of(unsigned long addr)
{
	struct ftrace_site *site;

	site = ftrace_site_first_in(addr, addr + FTRACE_MCOUNT_MAX_OFFSET);
	return site && site->ip >= addr ? site : NULL;
}

/* Called for each symbol that matches. */
static int match_address(void *data, unsigned long addr)
{
	struct ftrace_site *site = site_of(addr);
	struct walk *walk = data;

	if (!site || !table_matches(walk->pat, ftrace_site_table_of(site)))
		return 0;
	return take_site(walk, site);
}

static void walk_table(struct walk *walk, struct ftrace_site_table *table)
{
	struct ftrace_names at = { };
	unsigned int i;

	for (i = 0; i < table->nr; i++) {
		if (ftrace_names_of(&at, table->site[i].ip, walk->name) &&
		    function_matches(walk->pat, walk->name) &&
		    take_site(walk, &table->site[i]))
			return;
		if (!(i % 256))
			cond_resched();
	}
}

static void walk_kernel(struct walk *walk)
{
	struct ftrace_site_table *table;

	if (walk->pat->type == MATCH_FRONT_ONLY) {
		walk->ret = ftrace_names_each_prefix(walk->pat->search,
						     match_address, walk);
		return;
	}
	ftrace_for_each_table(table) {
		if (table->mod || !table_matches(walk->pat, table))
			continue;
		walk_table(walk, table);
		if (walk->ret < 0)
			return;
	}
}

/* Not by a walk over symbols: a module's are not in order. */
static int walk_module(struct walk *walk, struct ftrace_site_table *table)
{
	unsigned int i;

	for (i = 0; i < table->nr; i++) {
		struct ftrace_site *site = &table->site[i];
		unsigned long size, offset = 0;
		char *modname;

		if (!kallsyms_lookup(site->ip, &size, &offset, &modname,
				     walk->name) ||
		    offset > FTRACE_MCOUNT_MAX_OFFSET ||
		    !function_matches(walk->pat, walk->name))
			continue;
		if (take_site(walk, site))
			return walk->ret;
	}
	return 0;
}

static void walk_modules(struct walk *walk)
{
	struct ftrace_site_table *table;

	ftrace_for_each_table(table) {
		if (!table->mod || !table_matches(walk->pat, table))
			continue;
		if (walk_module(walk, table))
			break;
	}
}

static void walk_glob(struct walk *walk)
{
	walk->name = kmalloc(FTRACE_NAME_ROOM, GFP_KERNEL);
	if (!walk->name) {
		walk->ret = -ENOMEM;
		return;
	}
	walk_kernel(walk);
	if (walk->ret >= 0)
		walk_modules(walk);
	kfree(walk->name);
}

static int match_module_symbol(void *data, const char *name,
			       unsigned long addr)
{
	struct walk *walk = data;

	return strcmp(name, walk->pat->search) ? 0 : match_address(data, addr);
}

/**
 * ftrace_pattern_each - do something with each site that matches
 * @pat:  the pattern
 * @fn:   what to do; ftrace_lock is held; a negative value ends it
 * @data: for @fn
 *
 * Context: process, may sleep; takes ftrace_lock.
 * Return: how many sites matched; what @fn returned where that was negative;
 * -ENOMEM.
 */
int ftrace_pattern_each(const struct ftrace_pattern *pat,
			int (*fn)(struct ftrace_site *site, void *data),
			void *data)
{
	struct walk walk = { .pat = pat, .fn = fn, .data = data };
	struct ftrace_site *site;

	mutex_lock(&ftrace_lock);
	if (pat->type == MATCH_INDEX) {
		site = ftrace_site_by_index(pat->index);
		if (site && table_matches(pat, ftrace_site_table_of(site)))
			take_site(&walk, site);
	} else if (pat->type == MATCH_FULL && !pat->any_function) {
		if (*pat->search)
			ftrace_names_each_exact(pat->search, match_address,
						&walk);
		if (*pat->search && walk.ret >= 0)
			module_kallsyms_on_each_symbol(NULL, match_module_symbol,
						       &walk);
	} else {
		walk_glob(&walk);
	}
	mutex_unlock(&ftrace_lock);
	return walk.ret < 0 ? walk.ret : walk.nr;
}

struct set_edit {
	struct ftrace_set	**set;
	bool			remove;
};

static int edit_set(struct ftrace_site *site, void *data)
{
	struct set_edit *edit = data;

	if (!edit->remove)
		return ftrace_set_add(edit->set, site->ip);
	ftrace_set_del(*edit->set, site->ip);
	return 0;
}

/**
 * ftrace_set_apply_pattern - add to a set, or remove, what a pattern matches
 * @set: the set, not published; NULL is made one when something is added
 * @pat: the pattern; ftrace_pattern.negate removes
 *
 * Context: process, may sleep; takes ftrace_lock.
 * Return: how many functions matched; -ENOMEM, with some of them done.
 */
int ftrace_set_apply_pattern(struct ftrace_set **set,
			     const struct ftrace_pattern *pat)
{
	struct set_edit edit = { .set = set, .remove = pat->negate };

	return ftrace_pattern_each(pat, edit_set, &edit);
}

/* Names to addresses, for ftrace_lookup_symbols(). */
struct lookup {
	const char	**names;
	unsigned long	*addrs;
	size_t		cnt;
	size_t		found;
	size_t		current_name;
};

static int take_address(void *data, unsigned long addr)
{
	struct lookup *lookup = data;

	if (!ftrace_location(addr))
		return 0;
	lookup->addrs[lookup->current_name] = addr;
	lookup->found++;
	return 1;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char **)a, *(const char **)b);
}

static int take_module_symbol(void *data, const char *name,
			      unsigned long addr)
{
	struct lookup *lookup = data;
	const char **at;

	at = bsearch(&name, lookup->names, lookup->cnt, sizeof(*at),
		     compare_names);
	if (!at)
		return 0;
	lookup->current_name = at - lookup->names;
	if (!lookup->addrs[lookup->current_name])
		take_address(lookup, addr);
	return lookup->found == lookup->cnt;
}

/**
 * ftrace_lookup_symbols - addresses of functions by name
 * @sorted_syms: names, ascending by strcmp()
 * @cnt:         how many
 * @addrs:       their symbols' addresses
 *
 * Of several functions of one name the first that can be hooked is taken, of
 * the kernel before modules.
 *
 * Context: process, may sleep.
 * Return: 0, or -ESRCH where a name has no function that can be hooked.
 */
int ftrace_lookup_symbols(const char **sorted_syms, size_t cnt,
			  unsigned long *addrs)
{
	struct lookup lookup = {
		.names = sorted_syms, .addrs = addrs, .cnt = cnt,
	};

	memset(addrs, 0, cnt * sizeof(*addrs));
	for (; lookup.current_name < cnt; lookup.current_name++)
		ftrace_names_each_exact(sorted_syms[lookup.current_name],
					take_address, &lookup);
	if (lookup.found < cnt)
		module_kallsyms_on_each_symbol(NULL, take_module_symbol,
					       &lookup);
	return lookup.found == cnt ? 0 : -ESRCH;
}
