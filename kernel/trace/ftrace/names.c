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
 *	kallsyms_token_table	the texts of the tokens, in a row, each with NUL
 *	kallsyms_token_index	where in there each token is
 *	kallsyms_seqs_of_names	the symbols' numbers in the order of their
 *				names, three bytes each
 *
 * All of it is constant.  Modules' symbols are not in it.
 */
#include <linux/bitmap.h>
#include <linux/kallsyms.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "../../kallsyms_internal.h"
#include "internal.h"

#define NR_TOKENS		256

/*
 * Where in kallsyms_names each 16th symbol is: looking a name up goes to many
 * symbols that are far apart, and from a marker the way is long.
 */
#define SYMBOLS_A_MARK		16
static unsigned int *mark __ro_after_init;

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

/**
 * ftrace_names_init - prepare what the kernel's symbols are read with
 *
 * Context: boot, before anything is looked up.
 * Return: 0 or -ENOMEM.
 */
int __init ftrace_names_init(void)
{
	unsigned int i, nr, off = 0;

	for (i = 0; i < NR_TOKENS; i++) {
		const char *text = &kallsyms_token_table
				   [kallsyms_token_index[i]];

		token_length[i] = strlen(text);
		memcpy(&token_text[i], text,
		       min_t(size_t, token_length[i], sizeof(u64)));
	}

	mark = kvmalloc_array(DIV_ROUND_UP(kallsyms_num_syms, SYMBOLS_A_MARK),
			      sizeof(*mark), GFP_KERNEL);
	if (!mark)
		return -ENOMEM;
	for (i = 0; i < kallsyms_num_syms; i++) {
		if (!(i % SYMBOLS_A_MARK))
			mark[i / SYMBOLS_A_MARK] = off;
		take_tokens(&off, &nr);
	}
	return 0;
}

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
	unsigned int off = mark[index / SYMBOLS_A_MARK];
	unsigned int i, nr;

	for (i = index % SYMBOLS_A_MARK; i; i--)
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

static inline const char *text_of(u8 token)
{
	return &kallsyms_token_table[kallsyms_token_index[token]];
}

/*
 * Where a symbol's name is among all names: less than 0 before those that begin
 * with @len characters of @text, a final NUL included where it is one of them; 0
 * one of those.  Most names differ early: the rest of them is not expanded.
 */
static int compare_name(unsigned int index, const char *text, size_t len)
{
	unsigned int nr, off = offset_of(index);
	const u8 *token = take_tokens(&off, &nr), *end = token + nr;
	const char *have = text_of(*token) + 1;	/* behind the type */

	for (; len; len--, text++, have++) {
		while (!*have) {
			if (++token == end)
				return *text ? -1 : 0;
			have = text_of(*token);
		}
		if (*have != *text)
			return (u8)*have < (u8)*text ? -1 : 1;
	}
	return 0;
}

/* The first rank from @lo to @hi of a name behind all that compare less. */
static unsigned int first_not_before(const char *text, size_t len,
				     unsigned int lo, unsigned int hi)
{
	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (compare_name(index_by_name(mid), text, len) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool is_one(const char *text, size_t len, unsigned int rank)
{
	return rank < kallsyms_num_syms &&
	       !compare_name(index_by_name(rank), text, len);
}

/**
 * ftrace_names_each_exact - do something with each symbol of one name
 * @name: the name
 * @fn:   what to do with its address; a value other than 0 ends it
 * @data: for @fn
 *
 * Context: as @fn.
 * Return: what @fn returned last; 0 where there is none.
 */
int ftrace_names_each_exact(const char *name,
			    int (*fn)(void *data, unsigned long addr),
			    void *data)
{
	size_t len = strlen(name) + 1;
	unsigned int rank;
	int ret = 0;

	rank = first_not_before(name, len, 0, kallsyms_num_syms);
	for (; !ret && is_one(name, len, rank); rank++)
		ret = fn(data, address_of(index_by_name(rank)));
	return ret;
}

/* Another symbol at the same address comes first: it is the function's name. */
static bool is_alias(unsigned int index)
{
	return index && address_of(index - 1) == address_of(index);
}

/**
 * ftrace_names_each_prefix - do something with functions whose names begin alike
 * @prefix: how they begin
 * @fn:     what to do with an address, in ascending order; a value other than 0
 *	    ends it
 * @data:   for @fn
 *
 * Context: process, may sleep.
 * Return: what @fn returned last; 0 where there is none; -ENOMEM.
 */
int ftrace_names_each_prefix(const char *prefix,
			     int (*fn)(void *data, unsigned long addr),
			     void *data)
{
	size_t len = strlen(prefix);
	unsigned long *found;
	unsigned int rank, i;
	int ret = 0;

	rank = first_not_before(prefix, len, 0, kallsyms_num_syms);
	if (!is_one(prefix, len, rank))
		return 0;
	/* The names are next to each other, their addresses are not. */
	found = kvcalloc(BITS_TO_LONGS(kallsyms_num_syms), sizeof(*found),
			 GFP_KERNEL);
	if (!found)
		return -ENOMEM;
	for (; is_one(prefix, len, rank); rank++)
		__set_bit(index_by_name(rank), found);
	for_each_set_bit(i, found, kallsyms_num_syms) {
		ret = is_alias(i) ? 0 : fn(data, address_of(i));
		if (ret)
			break;
	}
	kvfree(found);
	return ret;
}
