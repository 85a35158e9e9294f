// SPDX-License-Identifier: GPL-2.0
/*
 * Filters: which sites an ops is wanted for.
 *
 * An ops has two lists, filter and notrace.  A list is a sorted array of
 * sites' addresses (struct ftrace_set), or not set at all.  Which sites that
 * means:
 *
 *	filter		notrace		wanted for
 *	not set		not set		every site
 *	not set		a set		every site but those
 *	a set		not set		those
 *	a set		a set		those of the first, less the second
 *
 * A filter that lost its last function to the unloading of a module is a set
 * without addresses: it means no site, not every site.
 *
 * A set in force for a registered ops is never changed but replaced, under
 * ftrace_lock; the hit path reads it (ftrace_ops_test()), so the old one is freed
 * after every CPU has scheduled.  One that is in force for nobody is edited where
 * it is: naming a thousand functions one by one does not copy a thousand times.
 * A hit of an ops that is just being unregistered may see that; its answer then
 * matters no more than the time at which it asked.
 *
 * The filter lock keeps owners apart who change a list by editing a copy; text
 * that goes changes lists without it.  Several ops may share one pair of lists:
 * ops->func_hash says whose are in force.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "internal.h"

/* Index of the first address that is not below @ip. */
static unsigned int lower_bound(const struct ftrace_set *set, unsigned long ip)
{
	unsigned int lo = 0, hi = set->nr;

	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (set->ip[mid] < ip)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/**
 * ftrace_set_has - whether an address is in a set
 * @set: the set; NULL has none
 * @ip:  the address
 *
 * Context: any; a published set with preemption off or ftrace_lock held.
 * Return: whether it is.
 */
bool ftrace_set_has(const struct ftrace_set *set, unsigned long ip)
{
	unsigned int i;

	if (!set)
		return false;
	i = lower_bound(set, ip);
	return i < set->nr && set->ip[i] == ip;
}

static struct ftrace_set *alloc_set(unsigned int max)
{
	struct ftrace_set *set;

	set = kvmalloc(struct_size(set, ip, max), GFP_KERNEL);
	if (set) {
		set->nr = 0;
		set->max = max;
		set->gone = READ_ONCE(ftrace_sites_gone);
	}
	return set;
}

static struct ftrace_set *copy_with_room(const struct ftrace_set *set,
					 unsigned int max)
{
	struct ftrace_set *copy = alloc_set(max);

	if (copy && set) {
		copy->nr = set->nr;
		copy->gone = set->gone;
		memcpy(copy->ip, set->ip, set->nr * sizeof(*set->ip));
	}
	return copy;
}

/**
 * ftrace_set_copy - a copy that may be edited
 * @set: the set, or NULL
 *
 * Context: process, may sleep.
 * Return: the copy; NULL for NULL; ERR_PTR(-ENOMEM).
 */
struct ftrace_set *ftrace_set_copy(const struct ftrace_set *set)
{
	struct ftrace_set *copy;

	if (!set)
		return NULL;
	copy = copy_with_room(set, max(set->nr, 1U));
	return copy ?: ERR_PTR(-ENOMEM);
}

/**
 * ftrace_set_empty - a set without addresses
 *
 * Context: process, may sleep.
 * Return: the set, or ERR_PTR(-ENOMEM).
 */
struct ftrace_set *ftrace_set_empty(void)
{
	return alloc_set(1) ?: ERR_PTR(-ENOMEM);
}

/**
 * ftrace_set_add - add an address
 * @set: the set, which may be moved; NULL is made a set
 * @ip:  the address
 *
 * Adding in ascending order is cheap.
 *
 * Context: process, may sleep.
 * Return: 0, also if it was there; -ENOMEM, and nothing changed.
 */
int ftrace_set_add(struct ftrace_set **set, unsigned long ip)
{
	struct ftrace_set *s = *set;
	unsigned int i = s ? lower_bound(s, ip) : 0;

	if (s && i < s->nr && s->ip[i] == ip)
		return 0;

	if (!s || s->nr == s->max) {
		s = copy_with_room(s, s ? s->nr + max(1U, s->nr / 2) : 1);
		if (!s)
			return -ENOMEM;
		ftrace_set_free(*set);
		*set = s;
	}
	memmove(&s->ip[i + 1], &s->ip[i], (s->nr - i) * sizeof(*s->ip));
	s->ip[i] = ip;
	s->nr++;
	return 0;
}

/**
 * ftrace_set_del - remove an address
 * @set: the set, not published; or NULL
 * @ip:  the address
 *
 * Return: whether it was there.
 */
bool ftrace_set_del(struct ftrace_set *set, unsigned long ip)
{
	unsigned int i;

	if (!ftrace_set_has(set, ip))
		return false;
	i = lower_bound(set, ip);
	set->nr--;
	memmove(&set->ip[i], &set->ip[i + 1], (set->nr - i) * sizeof(*set->ip));
	return true;
}

/**
 * ftrace_set_edit - add functions to a set, or remove them
 * @set:    the set, or NULL
 * @named:  the functions
 * @remove: which of the two
 * @fresh:  leave @set as it is
 *
 * Context: ftrace_lock is held; may sleep.
 * Return: what came out, maybe empty: @set itself where it could be changed and
 * had room, else a new set; NULL where nothing was removed from NULL;
 * ERR_PTR(-ENOMEM), and nothing changed.
 */
struct ftrace_set *ftrace_set_edit(struct ftrace_set *set,
				   const struct ftrace_set *named, bool remove,
				   bool fresh)
{
	unsigned int i, nr = set ? set->nr : 0, more = remove ? 0 : named->nr;

	if (!set && remove)
		return NULL;
	if (fresh || !set || set->max - nr < more) {
		set = copy_with_room(set, max(nr + more + (fresh ? 0 : nr / 2),
					      1U));
		if (!set)
			return ERR_PTR(-ENOMEM);
	}
	ftrace_set_drop_gone(set);
	for (i = 0; i < named->nr; i++) {
		if (remove)
			ftrace_set_del(set, named->ip[i]);
		else
			ftrace_set_add(&set, named->ip[i]);	/* has room */
	}
	return set;
}

/**
 * ftrace_set_less_range - a set less the addresses in a range
 * @set:   the set, or NULL
 * @start: first address of the range
 * @end:   the address behind it
 *
 * Context: process, may sleep; does not fail, as it is for text that goes.
 * Return: a new set, which may be empty; NULL where nothing is to be removed.
 */
struct ftrace_set *ftrace_set_less_range(const struct ftrace_set *set,
					 unsigned long start, unsigned long end)
{
	unsigned int from, to;
	struct ftrace_set *less;

	if (!set)
		return NULL;
	from = lower_bound(set, start);
	to = lower_bound(set, end);
	if (from == to)
		return NULL;

	less = kvmalloc(struct_size(less, ip, max(set->nr - (to - from), 1U)),
			GFP_KERNEL | __GFP_NOFAIL);
	less->nr = set->nr - (to - from);
	less->max = max(less->nr, 1U);
	less->gone = set->gone;
	memcpy(less->ip, set->ip, from * sizeof(*set->ip));
	memcpy(less->ip + from, set->ip + to, (set->nr - to) * sizeof(*set->ip));
	return less;
}

/**
 * ftrace_set_free - free a set that was never published
 * @set: the set, or NULL
 */
void ftrace_set_free(struct ftrace_set *set)
{
	kvfree(set);
}

static LLIST_HEAD(retired);

static void free_retired(struct work_struct *work)
{
	struct llist_node *list = llist_del_all(&retired), *next;

	ftrace_quiesce();
	for (; list; list = next) {
		next = list->next;
		kvfree(list);
	}
}

static DECLARE_WORK(retire_work, free_retired);

/**
 * ftrace_retire - free an object that the hit path may still be reading
 * @object: its first member
 *
 * Also where RCU is not watching, so RCU is not enough.  Before there are
 * workqueues it is left to the next call.
 *
 * Context: any that may call schedule_work().
 */
void ftrace_retire(struct llist_node *object)
{
	llist_add(object, &retired);
	if (system_wq)
		schedule_work(&retire_work);
}

/**
 * ftrace_set_drop_gone - drop functions whose text is gone
 * @set: a set, not published, that was made a while ago; or NULL
 *
 * It may be empty afterwards and then names no function.
 *
 * Context: ftrace_lock is held.
 */
void ftrace_set_drop_gone(struct ftrace_set *set)
{
	unsigned int i;

	if (!set || set->gone == ftrace_sites_gone)
		return;
	for (i = set->nr; i--;) {
		if (!ftrace_site_find(set->ip[i]))
			ftrace_set_del(set, set->ip[i]);
	}
	set->gone = ftrace_sites_gone;
}

/**
 * ftrace_ops_init - make an ops' own fields usable
 * @ops: the ops; zeroed memory, or used before, or prepared by fgraph
 *
 * Context: any.  May be called any number of times.
 */
void ftrace_ops_init(struct ftrace_ops *ops)
{
	if (!(ops->flags & FTRACE_OPS_FL_INITIALIZED)) {
		/* An owner may have overwritten the flag; the lists are real. */
		if (!ops->func_hash) {
			mutex_init(&ops->local_hash.regex_lock);
			ops->func_hash = &ops->local_hash;
		}
		ops->flags |= FTRACE_OPS_FL_INITIALIZED;
	}
	if (!ops->list.next)
		INIT_LIST_HEAD(&ops->list);
	if (!ops->subop_list.next)
		INIT_LIST_HEAD(&ops->subop_list);
	if (!ops->chains.next)
		INIT_LIST_HEAD(&ops->chains);
}

/* The place of one of the two lists. */
static struct ftrace_set __rcu **list_of(struct ftrace_ops_hash *hash,
					 enum ftrace_list which)
{
	return which == FTRACE_LIST_FILTER ? &hash->filter : &hash->exclude;
}

/**
 * ftrace_ops_list - one of the lists in force for an ops
 * @ops:   the ops
 * @which: which of them
 *
 * Context: ftrace_lock is held.
 * Return: the published set; NULL where it is not set.
 */
struct ftrace_set *ftrace_ops_list(struct ftrace_ops *ops,
				   enum ftrace_list which)
{
	return rcu_dereference_protected(*list_of(ops->func_hash, which),
					 lockdep_is_held(&ftrace_lock));
}

/**
 * ftrace_ops_copy_list - a copy of a list in force, to be edited
 * @ops:   the ops
 * @which: which of its lists
 *
 * Context: process, may sleep; takes ftrace_lock.
 * Return: the copy; NULL where the list is not set; ERR_PTR(-ENOMEM).
 */
struct ftrace_set *ftrace_ops_copy_list(struct ftrace_ops *ops,
					enum ftrace_list which)
{
	struct ftrace_set *copy;

	mutex_lock(&ftrace_lock);
	copy = ftrace_set_copy(ftrace_ops_list(ops, which));
	mutex_unlock(&ftrace_lock);
	return copy;
}

/**
 * ftrace_lists_publish - replace one list
 * @hash:  the pair of lists
 * @which: which of them
 * @set:   what takes its place
 *
 * Context: ftrace_lock is held.
 */
void ftrace_lists_publish(struct ftrace_ops_hash *hash, enum ftrace_list which,
			  struct ftrace_set *set)
{
	struct ftrace_set *old;

	old = rcu_replace_pointer(*list_of(hash, which), set,
				  lockdep_is_held(&ftrace_lock));
	if (old)
		ftrace_retire(&old->retired);
}

/**
 * ftrace_lists_accept - whether lists want a site
 * @lists: the lists
 * @ip:    the site's address
 *
 * Context: any.
 * Return: whether they do.
 */
bool ftrace_lists_accept(const struct ftrace_lists *lists, unsigned long ip)
{
	return (!lists->filter || ftrace_set_has(lists->filter, ip)) &&
	       !ftrace_set_has(lists->exclude, ip);
}

/**
 * ftrace_ops_lists - the lists in force for an ops
 * @ops: the ops
 *
 * Context: ftrace_lock is held.
 * Return: the lists.
 */
struct ftrace_lists ftrace_ops_lists(struct ftrace_ops *ops)
{
	return (struct ftrace_lists){
		.filter = ftrace_ops_list(ops, FTRACE_LIST_FILTER),
		.exclude = ftrace_ops_list(ops, FTRACE_LIST_NOTRACE),
	};
}

/**
 * ftrace_ops_test - whether an ops' lists want a site, on the hit path
 * @ops:  the ops
 * @ip:   the site's address
 * @regs: the complete registers, or NULL where there are none
 *
 * Context: any, with preemption off.
 * Return: 1 if they do; 0 if not, or if the ops cannot do without registers.
 */
int ftrace_ops_test(struct ftrace_ops *ops, unsigned long ip, void *regs)
{
	struct ftrace_lists lists;

	if ((ops->flags & FTRACE_OPS_FL_SAVE_REGS) && !regs)
		return 0;

	/* Preemption is off: ftrace_retire() waits for that. */
	lists.filter = rcu_dereference_raw(ops->func_hash->filter);
	lists.exclude = rcu_dereference_raw(ops->func_hash->exclude);
	return ftrace_lists_accept(&lists, ip);
}

/**
 * ftrace_ops_filter_nr - how many functions an ops' filter names
 * @ops: the ops
 *
 * Context: process; the owner changes the filter at no other place meanwhile.
 * Return: the number, 0 where the filter is not set.
 */
unsigned int ftrace_ops_filter_nr(struct ftrace_ops *ops)
{
	struct ftrace_set *filter;
	unsigned int nr;

	ftrace_ops_init(ops);
	mutex_lock(&ftrace_lock);
	filter = ftrace_ops_list(ops, FTRACE_LIST_FILTER);
	nr = filter ? filter->nr : 0;
	mutex_unlock(&ftrace_lock);
	return nr;
}
