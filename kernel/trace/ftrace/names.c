// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's own symbols, many at a time.
 *
 * Looking one address up, kallsyms searches for it, walks half a stretch of
 * compressed names and expands one; for each of tens of thousands of sites
 * that is most of what a listing or a glob costs.  Here the compressed names
 * are read in the order of their addresses, side by side with the sites; and
 * names that begin alike are found in the index by name.
 *
 * What is read are kallsyms' tables, as scripts/kallsyms.c writes them:
 *
 *	kallsyms_offsets	for each symbol, by address: where it is, less
 *				kallsyms_relative_base; or, with absolute per-CPU
 *				symbols, base - 1 - address for those that are
 *				not absolute
 *	kallsyms_names		for each symbol, by address: how many bytes (one
 *				byte; with its top bit set the next byte is
 *				bits 7 and up), then as many tokens; the first
 *				character of the text is the symbol's type
 *	kallsyms_markers	where in there each 256th symbol is
 *	kallsyms_token_table	the texts of the tokens, in a row, each with NUL
 *	kallsyms_token_index	where in there each token is
 *	kallsyms_seqs_of_names	the symbols' numbers in the order of their
 *				names, three bytes each
 *
 * All of it is constant.  Modules' symbols are not in it.
 */
#include <linux/kallsyms.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "../../kallsyms_internal.h"
#include "internal.h"

#define SYMBOLS_A_MARKER	256
#define NR_TOKENS		256

/* As kallsyms_sym_address(), which is called for each symbol of the kernel. */
static inline unsigned long address_of(unsigned int index)
{
	int offset = kallsyms_offsets[index];

	if (!IS_ENABLED(CONFIG_KALLSYMS_ABSOLUTE_PERCPU))
		return kallsyms_relative_base + (u32)offset;
	return offset >= 0 ? offset : kallsyms_relative_base - 1 - offset;
}

/* The tokens of the name at @off, and how many; *@off goes on behind them. */
static inline const u8 *take_tokens(unsigned int *off, unsigned int *nr)
{
	const u8 *name = &kallsyms_names[*off];

	*nr = *name++;
	if (*nr & 0x80)
		*nr = (*nr & 0x7f) | *name++ << 7;
	*off = name + *nr - kallsyms_names;
	return name;
}

/*
 * The text of each token, its first eight bytes in one piece, and its length.
 * Most are no longer.
 */
static u64 token_text[NR_TOKENS] __ro_after_init;
static u8 token_length[NR_TOKENS] __ro_after_init;

static int __init ftrace_names_init(void)
{
	unsigned int i;

	for (i = 0; i < NR_TOKENS; i++) {
		const char *text = &kallsyms_token_table
				   [kallsyms_token_index[i]];

		token_length[i] = strlen(text);
		memcpy(&token_text[i], text,
		       min_t(size_t, token_length[i], sizeof(u64)));
	}
	return 0;
}
core_initcall(ftrace_names_init);

static inline char *append_text(char *to, u8 token)
{
	unsigned int len = token_length[token];

	if (likely(len <= sizeof(u64)))
		put_unaligned(token_text[token], (u64 *)to);
	else
		memcpy(to, &kallsyms_token_table[kallsyms_token_index[token]],
		       len);
	return to + len;
}

/*
 * Expand the name at *@off, without its type; *@off goes on to the next.  No name
 * in the table is as long as KSYM_NAME_LEN.  Eight bytes are written at once,
 * however many of them count: @name has room for that.
 */
static unsigned int expand(unsigned int *off, char *name)
{
	unsigned int nr, len;
	const u8 *token = take_tokens(off, &nr), *end = token + nr;
	char *to = name;

	/* The type is the first character of the first token. */
	len = token_length[*token] - 1;
	memcpy(to, &kallsyms_token_table[kallsyms_token_index[*token] + 1], len);
	to += len;
	while (++token < end)
		to = append_text(to, *token);
	*to = 0;
	return to - name;
}

static unsigned int offset_of(unsigned int index)
{
	unsigned int off = kallsyms_markers[index / SYMBOLS_A_MARKER];
	unsigned int i, nr;

	for (i = index % SYMBOLS_A_MARKER; i; i--)
		take_tokens(&off, &nr);
	return off;
}

/* The first symbol that is at an address or behind it. */
static void seek(struct ftrace_names *at, unsigned long addr)
{
	unsigned int lo = 0, hi = kallsyms_num_syms;

	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (address_of(mid) < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	at->index = lo;
	at->off = lo < kallsyms_num_syms ? offset_of(lo) : 0;
	at->valid = true;
}

/**
 * ftrace_names_of - the name of the function that a site is the entry of
 * @at:   where the last call found one; zeroed before the first
 * @ip:   the site's address; greater than the last call's
 * @name: FTRACE_NAME_ROOM bytes for the name
 *
 * Context: any.
 * Return: the name's length; 0 where no symbol of the kernel is at the entry.
 */
unsigned int ftrace_names_of(struct ftrace_names *at, unsigned long ip,
			     char *name)
{
	unsigned long first = ip - FTRACE_MCOUNT_MAX_OFFSET;
	unsigned int nr, index, off;

	if (!at->valid)
		seek(at, first);
	index = at->index;
	off = at->off;
	while (index < kallsyms_num_syms && address_of(index) < first) {
		take_tokens(&off, &nr);
		index++;
	}
	at->index = index;
	at->off = off;
	if (index == kallsyms_num_syms || address_of(index) > ip)
		return 0;
	return expand(&off, name);
}

/* Number of the symbol, by address, that is number @rank by name. */
static unsigned int index_by_name(unsigned int rank)
{
	const u8 *seq = &kallsyms_seqs_of_names[3 * rank];

	return seq[0] << 16 | seq[1] << 8 | seq[2];
}

/* How many names are before those that begin with @prefix, or with @behind: end. */
static unsigned int bound(const char *prefix, size_t len, bool behind,
			  char *name)
{
	unsigned int lo = 0, hi = kallsyms_num_syms;

	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;
		unsigned int off = offset_of(index_by_name(mid));
		int order;

		expand(&off, name);
		order = strncmp(name, prefix, len);
		if (order < 0 || (behind && !order))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/**
 * ftrace_names_prefix - the kernel's symbols that begin with a text
 * @prefix: the text
 * @first:  set to the first one's rank among all names
 *
 * Context: process.
 * Return: how many there are.
 */
unsigned int ftrace_names_prefix(const char *prefix, unsigned int *first)
{
	char name[FTRACE_NAME_ROOM];
	size_t len = strlen(prefix);

	*first = bound(prefix, len, false, name);
	return bound(prefix, len, true, name) - *first;
}

/**
 * ftrace_names_address - the address of a symbol by its rank among names
 * @rank: the rank, as of ftrace_names_prefix()
 *
 * Context: any.
 * Return: the address; 0 where another symbol at that address comes first and
 * is therefore the function's name.
 */
unsigned long ftrace_names_address(unsigned int rank)
{
	unsigned int index = index_by_name(rank);
	unsigned long addr = address_of(index);

	return index && address_of(index - 1) == addr ? 0 : addr;
}
