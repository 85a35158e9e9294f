/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The layers of the function hooking engine, from top to bottom.  A layer
 * calls only those below it.
 *
 *	control/	tracefs files, commands, pid lists, boot parameters
 *	ops.c direct.c modules.c
 *			who is registered; what a change of that means for sites
 *	plan.c		one change of the world: prepare, commit, reclaim
 *	filter.c	which sites one ops wants
 *	symbols.c	patterns and names to sites, and back
 *	names.c		the kernel's symbols, many at a time
 *	chain.c		interned lists of callbacks
 *	count.c		counters of hits, where chains have them
 *	trampoline.c	executable memory that chains live in
 *	sites.c		the patchable calls, sorted, by object
 *	arch.h		the architecture: text of sites and of trampolines
 *
 * dispatch.c is beside them: the only C code of the engine that a hit runs.
 *
 * Locks, outermost first: command list -> event_mutex -> filter lock
 * (ops->func_hash->regex_lock) -> direct lock -> ftrace_lock ->
 * cpus_read_lock -> text_mutex.
 */
#ifndef _KERNEL_TRACE_FTRACE_INTERNAL_H
#define _KERNEL_TRACE_FTRACE_INTERNAL_H

#include <linux/ftrace.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/rhashtable-types.h>
#include <linux/types.h>

#include "../ftrace_internal.h"
#include "../hooks/quiesce.h"

struct module;
struct ftrace_chain;

/* ---- sites.c ---------------------------------------------------------- */

/**
 * enum ftrace_site_flags - what happened to a site
 * @FTRACE_SITE_TOUCHED:  it has been hooked since boot
 * @FTRACE_SITE_MODIFIED: it has had an IPMODIFY or direct owner since boot
 * @FTRACE_SITE_DAMAGED:  its text is not what we left there; reported
 */
enum ftrace_site_flags {
	FTRACE_SITE_TOUCHED	= BIT(0),
	FTRACE_SITE_MODIFIED	= BIT(1),
	FTRACE_SITE_DAMAGED	= BIT(2),
};

/**
 * struct ftrace_site - a patchable call at a function's entry
 * @ip:    address of the call instruction
 * @chain: what the call calls; NULL while it is a nop
 * @flags: enum ftrace_site_flags
 * @move:  1 + index of this site's move in the plan being made, or 0
 *
 * All but @ip is protected by ftrace_lock.
 */
struct ftrace_site {
	unsigned long		ip;
	struct ftrace_chain	*chain;
	u32			flags;
	u32			move;
};

/**
 * struct ftrace_site_table - the sites of one stretch of text, sorted by @ip
 * @list: in ftrace_site_tables: kernel, its init text, modules as loaded
 * @dead: in a list of tables to be freed, while readers may still see @list
 * @mod:  whose text; NULL for the kernel
 * @nr:   number of sites
 * @site: the sites
 */
struct ftrace_site_table {
	struct list_head	list;
	struct list_head	dead;
	struct module		*mod;
	unsigned int		nr;
	struct ftrace_site	site[] __counted_by(nr);
};

extern struct list_head ftrace_site_tables;

/* How many tables have been taken away; changes with ftrace_lock held. */
extern unsigned long ftrace_sites_gone;

/* Needs ftrace_lock. */
#define ftrace_for_each_table(table) \
	list_for_each_entry(table, &ftrace_site_tables, list)

/* The linker's list of the kernel's sites. */
extern unsigned long __start_mcount_loc[];
extern unsigned long __stop_mcount_loc[];

struct ftrace_site_table *ftrace_sites_scan(struct module *mod,
					    const unsigned long *start,
					    const unsigned long *end,
					    bool (*belongs)(struct module *mod,
							    unsigned long ip));
void ftrace_sites_link(struct ftrace_site_table *table);
void ftrace_sites_unlink(struct ftrace_site_table *table);
void ftrace_sites_free(struct ftrace_site_table *table);
struct ftrace_site *ftrace_site_find(unsigned long ip);
struct ftrace_site *ftrace_site_first_in(unsigned long start,
					 unsigned long end);
struct ftrace_site_table *ftrace_site_table_of(const struct ftrace_site *site);
struct ftrace_site *ftrace_site_by_index(unsigned long index);

/* ---- filter.c --------------------------------------------------------- */

/**
 * struct ftrace_set - a sorted set of sites' addresses
 * @retired: for ftrace_retire()
 * @nr:  number of addresses
 * @max: room for so many
 * @gone: ftrace_sites_gone when it had no address of text that is gone
 * @ip:  the addresses, ascending
 *
 * A set in force is immutable; until then its maker edits it.  A NULL set is
 * "not set"; a set without addresses names no function at all.
 */
struct ftrace_set {
	struct llist_node	retired;
	unsigned int		nr;
	unsigned int		max;
	unsigned long		gone;
	unsigned long		ip[] __counted_by(max);
};

enum ftrace_list { FTRACE_LIST_FILTER, FTRACE_LIST_NOTRACE };

bool ftrace_set_has(const struct ftrace_set *set, unsigned long ip);
struct ftrace_set *ftrace_set_copy(const struct ftrace_set *set);
struct ftrace_set *ftrace_set_empty(void);
int ftrace_set_add(struct ftrace_set **set, unsigned long ip);
bool ftrace_set_del(struct ftrace_set *set, unsigned long ip);
struct ftrace_set *ftrace_set_edit(struct ftrace_set *set,
				   const struct ftrace_set *named, bool remove,
				   bool fresh);
struct ftrace_set *ftrace_set_less_range(const struct ftrace_set *set,
					 unsigned long start,
					 unsigned long end);
void ftrace_set_free(struct ftrace_set *set);
void ftrace_set_drop_gone(struct ftrace_set *set);
void ftrace_retire(struct llist_node *object);

void ftrace_ops_init(struct ftrace_ops *ops);
struct ftrace_set *ftrace_ops_list(struct ftrace_ops *ops,
				   enum ftrace_list which);
struct ftrace_set *ftrace_ops_copy_list(struct ftrace_ops *ops,
					enum ftrace_list which);

/* A pair of lists, published or about to be. */
struct ftrace_lists {
	struct ftrace_set	*filter;
	struct ftrace_set	*exclude;
};

struct ftrace_lists ftrace_ops_lists(struct ftrace_ops *ops);
bool ftrace_lists_accept(const struct ftrace_lists *lists, unsigned long ip);
void ftrace_lists_publish(struct ftrace_ops_hash *hash, enum ftrace_list which,
			  struct ftrace_set *set);

/* ---- names.c ---------------------------------------------------------- */

/**
 * struct ftrace_names - a place among the kernel's symbols, by address
 * @index: number of the symbol
 * @off:   where its name is
 * @valid: the others are set
 */
struct ftrace_names {
	unsigned int	index;
	unsigned int	off;
	bool		valid;
};

/* A name, and what is copied along behind it. */
#define FTRACE_NAME_ROOM	(KSYM_NAME_LEN + sizeof(u64))

int ftrace_names_init(void);
unsigned int ftrace_names_of(struct ftrace_names *at, unsigned long ip,
			     char *name);
int ftrace_names_each_exact(const char *name,
			    int (*fn)(void *data, unsigned long addr),
			    void *data);
int ftrace_names_each_prefix(const char *prefix,
			     int (*fn)(void *data, unsigned long addr),
			     void *data);

/* ---- symbols.c -------------------------------------------------------- */

/*
 * Longest name that ftrace_site_name() writes, with " [module]" and NUL, or
 * the stand-in for a site whose symbol is not known.
 */
#define FTRACE_SITE_NAME_LEN	(KSYM_SYMBOL_LEN + MODULE_NAME_LEN + 4)
#define FTRACE_INVALID_PREFIX	"__ftrace_invalid_address___"

size_t ftrace_site_name(const struct ftrace_site *site, char *name);
size_t ftrace_site_name_next(struct ftrace_names *at,
			     const struct ftrace_site_table *table,
			     const struct ftrace_site *site, char *name);

/**
 * struct ftrace_pattern - a function pattern, taken apart
 * @search: the text to look for (inside @copy)
 * @module: glob on the module's name, or NULL where none was given
 * @type:   MATCH_FULL … MATCH_GLOB, MATCH_INDEX of trace.h
 * @index:  the site's 1-based number, for MATCH_INDEX
 * @module_type: as @type, for @module
 * @negate: the pattern began with '!'
 * @module_negate: the module began with '!'
 * @any_module:   @module is empty: any module
 * @any_function: the functions are empty and a module is given: all of it
 * @copy:   own copy of the caller's text
 */
struct ftrace_pattern {
	char		*search;
	char		*module;
	unsigned long	index;
	int		type;
	int		module_type;
	bool		negate;
	bool		module_negate;
	bool		any_module;
	bool		any_function;
	char		*copy;
};

int ftrace_pattern_parse(struct ftrace_pattern *pat, const char *func,
			 size_t len, const char *module);
void ftrace_pattern_free(struct ftrace_pattern *pat);
int ftrace_pattern_each(const struct ftrace_pattern *pat,
			int (*fn)(struct ftrace_site *site, void *data),
			void *data);
int ftrace_set_apply_pattern(struct ftrace_set **set,
			     const struct ftrace_pattern *pat);

/* ---- count.c ---------------------------------------------------------- */

/**
 * struct ftrace_counter - how often one call has been made at one site
 * @users: chains that count with it
 * @hits:  the count
 */
struct ftrace_counter {
	unsigned int	users;
	u64 __percpu	*hits;
};

/* Whether hits are counted; needs ftrace_lock. */
extern bool ftrace_counting;

struct ftrace_counter *ftrace_counter_new(void);
void ftrace_counter_put(struct ftrace_counter *counter);
u64 ftrace_counter_read(const struct ftrace_counter *counter);

/* ---- chain.c ---------------------------------------------------------- */

/**
 * enum ftrace_call_flags - what a call in a chain is and asks for
 * @FTRACE_CALL_RECURSION: guard against the callback calling itself
 * @FTRACE_CALL_RCU:       call only where RCU is watching
 * @FTRACE_CALL_PID:       ask ftrace_pid_allows() first
 * @FTRACE_CALL_REGS:      complete registers
 * @FTRACE_CALL_REDIRECT:  a changed instruction pointer is honoured
 * @FTRACE_CALL_IPMODIFY:  … and no other ops on the function may have that
 * @FTRACE_CALL_GRAPH:     the graph tracer: behind all other callbacks
 * @FTRACE_CALL_DIRECT:    a direct call: where the trampoline goes at its end
 * @FTRACE_CALL_GONE:      its ops is unregistered: the call is muted, and no
 *			   chain made of this one has it
 */
enum ftrace_call_flags {
	FTRACE_CALL_RECURSION	= BIT(0),
	FTRACE_CALL_RCU		= BIT(1),
	FTRACE_CALL_PID		= BIT(2),
	FTRACE_CALL_REGS	= BIT(3),
	FTRACE_CALL_REDIRECT	= BIT(4),
	FTRACE_CALL_IPMODIFY	= BIT(5),
	FTRACE_CALL_GRAPH	= BIT(6),
	FTRACE_CALL_DIRECT	= BIT(7),
	FTRACE_CALL_GONE	= BIT(8),
};

#define FTRACE_CALL_GUARDS \
	(FTRACE_CALL_RECURSION | FTRACE_CALL_RCU | FTRACE_CALL_PID)

/**
 * struct ftrace_call - one call in a chain
 * @node:   in @ops->chains for as long as a task may come to the call
 * @ops:    the ops, passed to the callback
 * @func:   the callback, or the direct target
 * @flags:  enum ftrace_call_flags
 * @idx:    its index in the chain
 * @offset: where in the trampoline the call instruction is
 */
struct ftrace_call {
	struct list_head	node;
	struct ftrace_ops	*ops;
	unsigned long		func;
	u16			flags;
	u16			idx;
	u32			offset;
};

/**
 * struct ftrace_chain - the calls that a site makes, in order
 * @hash:    in the table of chains, by content
 * @retired: in the list of those that wait for their last task
 * @rcu:     frees the chain, after that
 * @heading: while a plan is carried out: how many sites leave it, and where to
 * @users:   sites that call it, and moves of a plan that will
 * @nr:      number of calls
 * @flags:   all flags of its calls together, those that are gone included, as
 *	     the trampoline has them
 * @live:    a site may have called it
 * @is_gate: its text is the place that other chains took: it stays
 * @passed:  it had such a place and passed it on to its successor
 * @counted: it is one site's alone and counts hits: struct ftrace_counts is
 *	     behind the calls
 * @entry:   what sites call: the trampoline; the text of a gate, which jumps
 *	     there; or the direct target where that is the only call; 0 before
 *	     it is built
 * @text:    the trampoline; 0 without one
 * @size:    of the trampoline; 0 without one
 * @frame_end: offset in the trampoline behind which its frame is gone
 * @call:    the calls: callbacks, the graph tracer, a direct call
 *
 * Calls and their order never change (but for FTRACE_CALL_GONE); equal chains
 * are one object.
 */
struct ftrace_chain {
	struct rhash_head	hash;
	union {
		struct list_head	retired;
		struct rcu_head		rcu;
		struct {
			struct ftrace_chain	*to;
			unsigned int		nr;
		} heading;
	};
	unsigned int		users;
	u16			nr;
	u8			flags;
	bool			live : 1;
	bool			is_gate : 1;
	bool			passed : 1;
	bool			counted : 1;
	unsigned long		entry;
	unsigned long		text;
	u32			size;
	u32			frame_end;
	struct ftrace_call	call[] __counted_by(nr);
};

/**
 * struct ftrace_counts - what a chain counts
 * @ip: the site that it is of
 * @of: for each call, its counter
 */
struct ftrace_counts {
	unsigned long		ip;
	struct ftrace_counter	*of[];
};

static inline struct ftrace_counts *
ftrace_chain_counts(const struct ftrace_chain *chain)
{
	return chain->counted ? (void *)&chain->call[chain->nr] : NULL;
}

static inline struct ftrace_chain *ftrace_call_chain(struct ftrace_call *call)
{
	return container_of(call - call->idx, struct ftrace_chain, call[0]);
}

/* The flags of the calls that are really made. */
static inline unsigned int ftrace_chain_flags(const struct ftrace_chain *chain)
{
	unsigned int i, flags = 0;

	for (i = 0; i < chain->nr; i++) {
		if (!(chain->call[i].flags & FTRACE_CALL_GONE))
			flags |= chain->call[i].flags;
	}
	return flags;
}

static inline struct ftrace_call *ftrace_chain_direct(struct ftrace_chain *chain)
{
	return chain && (chain->flags & FTRACE_CALL_DIRECT) ?
		&chain->call[chain->nr - 1] : NULL;
}

int ftrace_chains_init(void);
struct ftrace_call *ftrace_chain_find(struct ftrace_chain *chain,
				      const struct ftrace_ops *ops);
unsigned int ftrace_chain_calls(const struct ftrace_chain *chain);
struct ftrace_chain *ftrace_chain_with(struct ftrace_chain *old,
				       const struct ftrace_call *call,
				       unsigned long count_ip);
struct ftrace_chain *ftrace_chain_without(struct ftrace_chain *old,
					  const struct ftrace_ops *ops,
					  unsigned long count_ip);
void ftrace_chain_put(struct ftrace_chain *chain);
void ftrace_chains_reclaim_soon(void);
void ftrace_chains_forget(struct ftrace_ops *ops);

/* ---- trampoline.c ----------------------------------------------------- */

#define FTRACE_TRAMPOLINE_SYM	"ftrace_trampoline"

int ftrace_tramp_build(struct ftrace_chain *chain);
void ftrace_tramp_free(struct ftrace_chain *chain);
struct ftrace_chain *ftrace_tramp_owner(unsigned long addr);
void ftrace_tramp_each(void (*fn)(struct ftrace_chain *chain));
int ftrace_tramp_kallsym(unsigned int nr, unsigned long *value);

/* ---- plan.c ----------------------------------------------------------- */

struct ftrace_move {
	struct ftrace_site	*site;
	struct ftrace_chain	*to;
};

/**
 * struct ftrace_plan - one change of what sites call
 * @move:  which site goes to which chain
 * @nr:    number of moves
 * @max:   room for so many
 * @must:  for want of memory sites are left as they are instead of giving up
 * @was_enabled: whether kernel.ftrace_enabled was in force before
 * @newcomer: an ops that is called nowhere yet, and its calls are not direct
 * @share: a direct call and a redirecting ops may meet: their owners agreed
 * @failed: the site that ended the planning, for messages; or NULL
 * @last:  the last step taken, to take it again without looking it up
 *
 * Lives from ftrace_plan_begin() to ftrace_plan_end() with ftrace_lock held
 * all the time.
 */
struct ftrace_plan {
	struct ftrace_move	*move;
	unsigned int		nr;
	unsigned int		max;
	bool			must;
	bool			was_enabled;
	bool			share;
	struct ftrace_ops	*newcomer;
	struct ftrace_site	*failed;
	struct {
		struct ftrace_chain	*from;
		struct ftrace_chain	*to;
		const struct ftrace_ops	*ops;
		bool			wanted;
		bool			valid;
	} last;
};

void ftrace_plan_begin(struct ftrace_plan *plan);
int ftrace_plan_site(struct ftrace_plan *plan, struct ftrace_site *site,
		     const struct ftrace_call *call, bool wanted);
int ftrace_plan_recount(struct ftrace_plan *plan, struct ftrace_site *site);
struct ftrace_chain *ftrace_plan_chain(const struct ftrace_plan *plan,
				       const struct ftrace_site *site);
int ftrace_plan_prepare(struct ftrace_plan *plan);
void ftrace_plan_commit(struct ftrace_plan *plan);
void ftrace_plan_end(struct ftrace_plan *plan);
void ftrace_mute(struct ftrace_ops *ops, unsigned long target);
void ftrace_mute_many(struct ftrace_ops **ops, unsigned int nr);

/* ---- ops.c ------------------------------------------------------------ */

extern bool ftrace_dead;

/*
 * Registered ops, linked by ops->list; needs ftrace_lock.  Those that follow
 * others' lists, and managers, are in front; the rest is oldest first.
 */
extern struct list_head ftrace_registered;

bool ftrace_ops_registered(const struct ftrace_ops *ops);
int ftrace_ops_attach(struct ftrace_ops *ops, bool share);
void ftrace_ops_detach(struct ftrace_ops *ops);
int ftrace_ops_redecide(struct ftrace_ops *ops);
void ftrace_ops_forget_range(struct ftrace_ops *ops, unsigned long start,
			     unsigned long end);
int ftrace_ops_set_list(struct ftrace_ops *ops, enum ftrace_list which,
			struct ftrace_set *set);
int ftrace_ops_edit_list(struct ftrace_ops *ops, enum ftrace_list which,
			 const struct ftrace_set *named, bool remove);
int ftrace_ops_refresh(bool (*match)(struct ftrace_ops *ops, void *data),
		       void *data);
int ftrace_apply_enabled(int enable);
int ftrace_count_hits(bool on);
void ftrace_site_describe(struct seq_file *m, const struct ftrace_site *site);

int ftrace_ops_hook_table(struct ftrace_site_table *table);

/* ---- modules.c -------------------------------------------------------- */

int ftrace_ops_remember(struct ftrace_ops *ops);
bool ftrace_module_is_known(const char *name);

/* ---- direct.c --------------------------------------------------------- */

extern struct mutex ftrace_direct_lock;

int ftrace_direct_ask_peers(struct ftrace_ops *ops);
void ftrace_direct_tell_peers(struct ftrace_ops *ops);

/* ---- control ---------------------------------------------------------- */

bool ftrace_pid_allows(struct ftrace_ops *ops);
int ftrace_mod_cache_load(struct module *mod);
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
void ftrace_graph_forget_range(unsigned long start, unsigned long end);
#else
static inline void ftrace_graph_forget_range(unsigned long start,
					     unsigned long end) { }
#endif
void ftrace_apply_boot_filters(void);

#endif /* _KERNEL_TRACE_FTRACE_INTERNAL_H */
