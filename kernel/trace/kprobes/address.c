// SPDX-License-Identifier: GPL-2.0
/*
 * Where a probe may be.
 *
 * First the place that an owner means is found: a symbol and an offset, or an
 * address.  Then it is checked; which is done with kprobe_lock held, so that text
 * cannot go before its probes are told.
 */
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/memory.h>

#include <asm/sections.h>

#include "internal.h"

/* What is found under a name: its address, and whether there are several. */
struct lookup {
	const char	*name;
	unsigned long	addr;
	bool		several;
};

static int note_address(void *data, unsigned long addr)
{
	struct lookup *lookup = data;

	if (lookup->addr && lookup->addr != addr)
		lookup->several = true;
	lookup->addr = addr;
	return lookup->several;
}

static int note_module_symbol(void *data, const char *name, unsigned long addr)
{
	struct lookup *lookup = data;

	return strcmp(name, lookup->name) ? 0 : note_address(data, addr);
}

/* In one module; @colon: what separates its name from the symbol's. */
static void look_in_module(struct lookup *lookup, const char *colon)
{
	char module[MODULE_NAME_LEN];
	size_t len = colon - lookup->name;

	if (!len || len >= sizeof(module))
		return;
	memcpy(module, lookup->name, len);
	module[len] = '\0';
	lookup->name = colon + 1;
	module_kallsyms_on_each_symbol(module, note_module_symbol, lookup);
}

/* The symbol's address; 0: there is none; -EADDRNOTAVAIL: more than one. */
static long find_symbol(const char *name)
{
	struct lookup lookup = { .name = name };
	const char *colon = strchr(name, ':');

	if (!*name)
		return 0;
	if (colon) {
		look_in_module(&lookup, colon);
	} else {
		kallsyms_on_each_match_symbol(note_address, name, &lookup);
		if (!lookup.several)
			module_kallsyms_on_each_symbol(NULL, note_module_symbol,
						       &lookup);
	}
	return lookup.several ? -EADDRNOTAVAIL : lookup.addr;
}

/**
 * kprobe_lookup_name - the address of a symbol
 * @name:   its name, or "module:name"
 * @offset: not used
 *
 * Context: process.
 * Return: the address, or NULL.
 */
kprobe_opcode_t *kprobe_lookup_name(const char *name, unsigned int offset)
{
	return (kprobe_opcode_t *)kallsyms_lookup_name(name);
}

/* The place @offset bytes behind an address, whatever symbol that is in. */
static int place_at(unsigned long addr, unsigned long offset,
		    struct kprobe_place *place)
{
	unsigned long size;

	addr += offset;
	if (!kallsyms_lookup_size_offset(addr, &size, &offset))
		return -ENOENT;
	place->addr = addr;
	place->entry = arch_kprobe_entry(&place->addr, offset);
	return 0;
}

/**
 * kprobe_find_place - the place that an owner means
 * @kp:    its probe
 * @place: filled in
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL: both or neither of addr and symbol_name; -ENOENT: no such
 * symbol, or the address is in none; -EADDRNOTAVAIL: several have the name.
 */
int kprobe_find_place(struct kprobe *kp, struct kprobe_place *place)
{
	long addr = (unsigned long)kp->addr;
	int ret;

	if (!kp->symbol_name == !kp->addr)
		return -EINVAL;
	if (kp->symbol_name) {
		addr = find_symbol(kp->symbol_name);
		if (!addr)
			return -ENOENT;
		if (addr == -EADDRNOTAVAIL)
			return addr;
	}
	ret = place_at(addr, kp->offset, place);
	if (!ret)
		place->site = IS_ENABLED(CONFIG_KPROBES_ON_FTRACE) &&
			      ftrace_location(place->addr) == place->addr;
	return ret;
}

/**
 * kprobe_on_func_entry - whether a place is a function's entry
 * @addr:   an address; or NULL
 * @sym:    a symbol; or NULL
 * @offset: bytes behind one of them
 *
 * Context: process.
 * Return: 0 if it is; -EINVAL if not, or where both or neither are given;
 * -ENOENT where there is no such symbol.
 */
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym,
			 unsigned long offset)
{
	unsigned long at = (unsigned long)addr;
	struct kprobe_place place;
	int ret;

	if (!addr == !sym)
		return -EINVAL;
	if (sym)
		at = kallsyms_lookup_name(sym);
	if (!at)
		return -ENOENT;
	ret = place_at(at, offset, &place);
	if (ret)
		return ret;
	return place.entry ? 0 : -EINVAL;
}

/* The prefix that kCFI and padding put before functions. */
static bool is_prefix(const char *name)
{
	return str_has_prefix(name, "__cfi_") || str_has_prefix(name, "__pfx_");
}

static int check_symbol(unsigned long addr, unsigned long *start)
{
	char name[KSYM_NAME_LEN], *modname;
	unsigned long size, offset;

	if (!kallsyms_lookup(addr, &size, &offset, &modname, name))
		return -ENOENT;
	*start = addr - offset;
	return is_prefix(name) ? -EINVAL : 0;
}

/* A module that goes, or init text that is about to: for waiting it is late. */
static int check_module(unsigned long addr)
{
	struct module *mod;
	int ret = 0;

	preempt_disable();
	mod = __module_text_address(addr);
	if (mod && (mod->state == MODULE_STATE_GOING ||
		    (mod->state != MODULE_STATE_COMING &&
		     within_module_init(addr, mod))))
		ret = -ENOENT;
	preempt_enable();
	return ret;
}

static bool is_text(unsigned long addr)
{
	return (core_kernel_text(addr) && !in_gate_area_no_mm(addr)) ||
	       is_module_text_address(addr);
}

/**
 * kprobe_check_place - whether a probe may be at a place
 * @place: the place
 *
 * Context: kprobe_lock is held; takes text_mutex.
 * Return: 0; -EINVAL: it may not; -ENOENT: the text is about to go; -EILSEQ: no
 * instruction begins there.
 */
int kprobe_check_place(const struct kprobe_place *place)
{
	unsigned long start;
	int ret;

	ret = check_symbol(place->addr, &start);
	if (ret)
		return ret;
	if (!is_text(place->addr) || within_kprobe_blacklist(place->addr))
		return -EINVAL;
	ret = check_module(place->addr);
	if (ret)
		return ret;
	if (place->site)
		return 0;

	if (kprobe_text_reserved(place->addr, place->addr))
		return -EINVAL;
	mutex_lock(&text_mutex);
	ret = arch_kprobe_check(place->addr, start);
	mutex_unlock(&text_mutex);
	return ret;
}
