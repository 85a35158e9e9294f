// SPDX-License-Identifier: GPL-2.0
/*
 * Chains: what a hooked site calls, as an immutable list.
 *
 * The list is interned: however many sites make the same calls, there is one
 * chain with one trampoline.  A change of an ops makes a new chain out of an
 * old one (ftrace_chain_with(), ftrace_chain_without()) and moves sites; the
 * old chain, once no site calls it, is retired.
 *
 * Order of the calls: callbacks in the order of their registration, then the
 * graph tracer (what it puts in place of the return address has to be the
 * outermost, or unwinders do not see through it), then a direct call, which
 * takes over.
 *
 * Freeing: a task may be preempted in a retired trampoline for any time.  A
 * work item waits for all such tasks (tasks RCU) and for CPUs that cannot be
 * preempted (every CPU schedules), then frees text and chain.  Until then the
 * calls stay linked in ops->chains, so that unregistering an ops can mute them
 * (ftrace_mute()).
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/hash.h>
#include <linux/rcupdate.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "arch.h"
#include "internal.h"

static LIST_HEAD(retired_chains);

static unsigned long counted_ip(const struct ftrace_chain *chain)
{
	return chain->counted ? ftrace_chain_counts(chain)->ip : 0;
}

static u32 hash_calls(const void *data, u32 len, u32 seed)
{
	const struct ftrace_chain *chain = data;
	unsigned long hash = seed ^ counted_ip(chain);
	unsigned int i;

	for (i = 0; i < chain->nr; i++) {
		hash = hash_long(hash ^ (unsigned long)chain->call[i].ops, 64);
		hash = hash_long(hash ^ chain->call[i].func, 64) +
		       chain->call[i].flags;
	}
	return hash_long(hash, 32);
}

static bool same_call(const struct ftrace_call *a, const struct ftrace_call *b)
{
	return a->ops == b->ops && a->func == b->func && a->flags == b->flags;
}

/* 0 if equal, as rhashtable wants it. */
static int compare_chains(struct rhashtable_compare_arg *arg, const void *obj)
{
	const struct ftrace_chain *a = arg->key, *b = obj;
	unsigned int i;

	if (a->nr != b->nr || counted_ip(a) != counted_ip(b))
		return 1;
	for (i = 0; i < a->nr; i++) {
		if (!same_call(&a->call[i], &b->call[i]))
			return 1;
	}
	return 0;
}

static const struct rhashtable_params chain_params = {
	.head_offset		= offsetof(struct ftrace_chain, hash),
	.hashfn			= hash_calls,
	.obj_hashfn		= hash_calls,
	.obj_cmpfn		= compare_chains,
	.automatic_shrinking	= true,
};

static struct rhashtable chains;

/**
 * ftrace_chains_init - make the table of chains
 *
 * Context: boot, before any ops is registered.
 * Return: 0 or -ENOMEM.
 */
int __init ftrace_chains_init(void)
{
	return rhashtable_init(&chains, &chain_params);
}

/**
 * ftrace_chain_find - the call of an ops in a chain
 * @chain: the chain, or NULL
 * @ops:   the ops
 *
 * Return: the call, or NULL where the ops has none there.
 */
struct ftrace_call *ftrace_chain_find(struct ftrace_chain *chain,
				      const struct ftrace_ops *ops)
{
	unsigned int i;

	for (i = 0; chain && i < chain->nr; i++) {
		if (chain->call[i].ops == ops &&
		    !(chain->call[i].flags & FTRACE_CALL_GONE))
			return &chain->call[i];
	}
	return NULL;
}

/**
 * ftrace_chain_calls - how many calls a chain really makes
 * @chain: the chain, or NULL
 *
 * Return: the number without those whose ops is gone.
 */
unsigned int ftrace_chain_calls(const struct ftrace_chain *chain)
{
	unsigned int i, nr = 0;

	for (i = 0; chain && i < chain->nr; i++)
		nr += !(chain->call[i].flags & FTRACE_CALL_GONE);
	return nr;
}

static struct ftrace_chain *alloc_chain(unsigned int nr, unsigned long count_ip)
{
	struct ftrace_chain *chain;
	size_t size = struct_size(chain, call, nr);

	if (nr > U16_MAX)
		return NULL;
	if (count_ip)
		size += struct_size_t(struct ftrace_counts, of, nr);
	chain = kvzalloc(size, GFP_KERNEL);
	if (!chain)
		return NULL;
	chain->nr = nr;
	chain->counted = count_ip;
	if (count_ip)
		ftrace_chain_counts(chain)->ip = count_ip;
	return chain;
}

/* Frees what no task is in and nobody looks at. */
static void put_counters(struct ftrace_chain *chain)
{
	struct ftrace_counts *counts = ftrace_chain_counts(chain);
	unsigned int i;

	for (i = 0; counts && i < chain->nr; i++)
		ftrace_counter_put(counts->of[i]);
}

static void set_call(struct ftrace_chain *chain, unsigned int idx,
		     const struct ftrace_call *from)
{
	struct ftrace_call *call = &chain->call[idx];

	INIT_LIST_HEAD(&call->node);
	call->ops = from->ops;
	call->func = from->func;
	call->flags = from->flags;
	call->idx = idx;
	chain->flags |= from->flags;
}

/* Calls that @old counts at the same site are counted on. */
static int set_counters(struct ftrace_chain *chain, struct ftrace_chain *old)
{
	struct ftrace_counts *counts = ftrace_chain_counts(chain);
	unsigned int i;

	for (i = 0; counts && i < chain->nr; i++) {
		struct ftrace_call *was;

		was = ftrace_chain_find(old, chain->call[i].ops);
		if (was && counted_ip(old) == counts->ip) {
			counts->of[i] = ftrace_chain_counts(old)->of[was->idx];
			counts->of[i]->users++;
			continue;
		}
		counts->of[i] = ftrace_counter_new();
		if (!counts->of[i])
			return -ENOMEM;
	}
	return 0;
}

static void drop_fresh(struct ftrace_chain *chain)
{
	put_counters(chain);
	kvfree(chain);
}

/* The chain of this content: @fresh, made of @old, or the one there is. */
static struct ftrace_chain *intern(struct ftrace_chain *fresh,
				   struct ftrace_chain *old)
{
	struct ftrace_chain *chain;
	unsigned int i;

	if (set_counters(fresh, old)) {
		drop_fresh(fresh);
		return ERR_PTR(-ENOMEM);
	}
	chain = rhashtable_lookup_get_insert_key(&chains, fresh, &fresh->hash,
						 chain_params);
	if (chain) {
		drop_fresh(fresh);
		if (IS_ERR(chain))
			return ERR_PTR(-ENOMEM);
	} else {
		chain = fresh;
		for (i = 0; i < chain->nr; i++)
			list_add(&chain->call[i].node,
				 &chain->call[i].ops->chains);
	}
	chain->users++;
	return chain;
}

/* Position of a call by its class. */
static unsigned int call_class(const struct ftrace_call *call)
{
	if (call->flags & FTRACE_CALL_DIRECT)
		return 2;
	return call->flags & FTRACE_CALL_GRAPH ? 1 : 0;
}

/* Whether two owners claim what only one can have. */
static bool conflict(struct ftrace_chain *old, const struct ftrace_call *call)
{
	unsigned int exclusive = FTRACE_CALL_IPMODIFY | FTRACE_CALL_DIRECT;
	unsigned int i;

	if (!old || !(old->flags & call->flags & exclusive))
		return false;
	for (i = 0; i < old->nr; i++) {
		if (old->call[i].ops != call->ops &&
		    !(old->call[i].flags & FTRACE_CALL_GONE) &&
		    (old->call[i].flags & call->flags & exclusive))
			return true;
	}
	return false;
}

/**
 * ftrace_chain_with - a chain and one more call
 * @old:  the chain; NULL for none.  It may have a call of the same ops, whose
 *	  place the new one takes
 * @call: ops, func and flags of the call
 * @count_ip: the site, where its hits are counted; or 0
 *
 * Context: ftrace_lock is held; may sleep.
 * Return: the chain, with a reference for the caller;
 * ERR_PTR(-EBUSY) where another ops of the chain redirects or takes over and
 * the call does, too; ERR_PTR(-ENOMEM) also past 65,535 calls.
 */
struct ftrace_chain *ftrace_chain_with(struct ftrace_chain *old,
				       const struct ftrace_call *call,
				       unsigned long count_ip)
{
	struct ftrace_call *present = ftrace_chain_find(old, call->ops);
	struct ftrace_chain *chain;
	unsigned int i, to = 0;
	bool placed = false;

	if (present && same_call(present, call) && counted_ip(old) == count_ip) {
		old->users++;
		return old;
	}
	if (conflict(old, call))
		return ERR_PTR(-EBUSY);

	chain = alloc_chain(ftrace_chain_calls(old) + !present, count_ip);
	if (!chain)
		return ERR_PTR(-ENOMEM);
	for (i = 0; old && i < old->nr; i++) {
		bool here = present ? present == &old->call[i] :
			    call_class(&old->call[i]) > call_class(call);

		if (here && !placed) {
			set_call(chain, to++, call);
			placed = true;
		}
		if (&old->call[i] != present &&
		    !(old->call[i].flags & FTRACE_CALL_GONE))
			set_call(chain, to++, &old->call[i]);
	}
	if (!placed)
		set_call(chain, to, call);
	return intern(chain, old);
}

/**
 * ftrace_chain_without - a chain less the call of one ops
 * @old: the chain, or NULL
 * @ops: the ops; with NULL all calls stay
 * @count_ip: the site, where its hits are counted; or 0
 *
 * Context: ftrace_lock is held; may sleep.
 * Return: the chain, with a reference for the caller; NULL where no call is
 * left; ERR_PTR(-ENOMEM).
 */
struct ftrace_chain *ftrace_chain_without(struct ftrace_chain *old,
					  const struct ftrace_ops *ops,
					  unsigned long count_ip)
{
	struct ftrace_call *present = ftrace_chain_find(old, ops);
	unsigned int i, to = 0, nr = ftrace_chain_calls(old) - !!present;
	struct ftrace_chain *chain;

	if (old && !present && counted_ip(old) == count_ip) {
		old->users++;
		return old;
	}
	if (!nr)
		return NULL;

	chain = alloc_chain(nr, count_ip);
	if (!chain)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < old->nr; i++) {
		if (&old->call[i] != present &&
		    !(old->call[i].flags & FTRACE_CALL_GONE))
			set_call(chain, to++, &old->call[i]);
	}
	return intern(chain, old);
}

static void unlink_calls(struct ftrace_chain *chain)
{
	unsigned int i;

	for (i = 0; i < chain->nr; i++)
		list_del_init(&chain->call[i].node);
}

/* The chain whose text is the place that a chain took, and has still. */
static struct ftrace_chain *gate_of(struct ftrace_chain *chain)
{
	if (!chain->size || chain->entry == chain->text || chain->passed)
		return NULL;
	return ftrace_tramp_owner(chain->entry);
}

/* Frees a chain, and its gate, that tasks are known to have left. */
static void free_chain(struct ftrace_chain *chain)
{
	struct ftrace_chain *gate = gate_of(chain);

	unlink_calls(chain);
	if (chain->is_gate)
		return;
	ftrace_tramp_free(chain);
	put_counters(chain);
	/* An unwinder may have looked it up by an address in its text. */
	kvfree_rcu(chain, rcu);
	if (gate) {
		ftrace_tramp_free(gate);
		kvfree_rcu(gate, rcu);
	}
}

static void reclaim_chains(struct work_struct *work)
{
	struct ftrace_chain *chain, *next;
	LIST_HEAD(list);

	mutex_lock(&ftrace_lock);
	list_splice_init(&retired_chains, &list);
	mutex_unlock(&ftrace_lock);

	if (list_empty(&list))
		return;
	synchronize_rcu_tasks();
	ftrace_quiesce();

	mutex_lock(&ftrace_lock);
	list_for_each_entry_safe(chain, next, &list, retired)
		free_chain(chain);
	mutex_unlock(&ftrace_lock);
}

static DECLARE_WORK(reclaim_work, reclaim_chains);

/**
 * ftrace_chains_reclaim_soon - have retired chains freed in the background
 *
 * Context: any that may call schedule_work().  Before workqueues exist nothing
 * happens; the next call makes up for it.
 */
void ftrace_chains_reclaim_soon(void)
{
	if (system_wq && !list_empty(&retired_chains))
		schedule_work(&reclaim_work);
}

/**
 * ftrace_chain_put - give a reference to a chain back
 * @chain: the chain, or NULL
 *
 * The last one retires it; what no site ever called is freed at once.
 *
 * Context: ftrace_lock is held.
 */
void ftrace_chain_put(struct ftrace_chain *chain)
{
	if (!chain || --chain->users)
		return;

	rhashtable_remove_fast(&chains, &chain->hash, chain_params);
	if (chain->live) {
		list_add_tail(&chain->retired, &retired_chains);
		return;
	}
	free_chain(chain);
}

/**
 * ftrace_chains_forget - leave nothing behind that points to an ops
 * @ops: the ops; its calls in chains have been muted
 *
 * Chains that still have the ops are retired, or kept for a damaged site.  The
 * latter must not be found again for another ops at the same address.
 *
 * Context: ftrace_lock is held.
 */
void ftrace_chains_forget(struct ftrace_ops *ops)
{
	struct ftrace_call *call, *next;

	list_for_each_entry_safe(call, next, &ops->chains, node) {
		struct ftrace_chain *chain = ftrace_call_chain(call);

		if (chain->users)
			rhashtable_remove_fast(&chains, &chain->hash,
					       chain_params);
		call->flags |= FTRACE_CALL_GONE;
		list_del_init(&call->node);
	}
}
