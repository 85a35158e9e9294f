// SPDX-License-Identifier: GPL-2.0
/*
 * Who is registered, and what that means for sites.
 *
 * Whether an ops shall be called at a site follows from its lists and from
 * kernel.ftrace_enabled.  Each change (somebody comes or goes, a list is
 * replaced, the switch is thrown) names the sites for which the answer may
 * differ, and has them decided anew in one plan.
 *
 * What is done about an ops rests on what was recorded when it was registered
 * (ops->saved_func, ops->saved_flags, its place in a list), never on what
 * its owner's fields say later.
 *
 * Managers: the graph tracer registers one ops for all its users, the subops.
 * The manager's lists are worked out from theirs.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "internal.h"

/* Who is registered, and what sites call. */
DEFINE_MUTEX(ftrace_lock);
LIST_HEAD(ftrace_registered);

/* The switch kernel.ftrace_enabled; some write it without telling us. */
int ftrace_enabled __read_mostly = 1;

/* What sites were last decided with. */
static bool enabled_applied = true;

bool ftrace_dead;

/**
 * ftrace_is_dead - whether function tracing is off for good
 *
 * Context: any.
 * Return: non-zero if it is.
 */
int ftrace_is_dead(void)
{
	return READ_ONCE(ftrace_dead);
}

/**
 * ftrace_ops_registered - whether an ops is registered
 * @ops: the ops
 *
 * Context: ftrace_lock is held.
 * Return: whether it is, whatever its flags say.
 */
bool ftrace_ops_registered(const struct ftrace_ops *ops)
{
	return ops->list.next && !list_empty(&ops->list);
}

/* Whether an ops has to do with the lists of another. */
static bool heeds_others(const struct ftrace_ops *ops)
{
	return ops->func_hash != &ops->local_hash ||
	       !list_empty(&ops->subop_list);
}

/* Those that heed others' lists are in front: they are looked through often. */
static void enlist(struct ftrace_ops *ops)
{
	if (heeds_others(ops))
		list_add(&ops->list, &ftrace_registered);
	else
		list_add_tail(&ops->list, &ftrace_registered);
	ops->flags |= FTRACE_OPS_FL_ENABLED;
}

static void delist(struct ftrace_ops *ops)
{
	list_del_init(&ops->list);
	ops->flags &= ~FTRACE_OPS_FL_ENABLED;
}

/* The call that sites make for a registered ops. */
static struct ftrace_call call_of(struct ftrace_ops *ops)
{
	struct ftrace_call call = {
		.ops = ops,
		.func = (unsigned long)ops->saved_func,
	};
	unsigned long flags = ops->saved_flags;

	if (flags & FTRACE_OPS_FL_RECURSION)
		call.flags |= FTRACE_CALL_RECURSION;
	if (flags & FTRACE_OPS_FL_RCU)
		call.flags |= FTRACE_CALL_RCU;
	if (flags & FTRACE_OPS_FL_SAVE_REGS)
		call.flags |= FTRACE_CALL_REGS;
	/* Probes that see the registers may change all of them. */
	if ((flags & FTRACE_OPS_FL_PROBE) && (flags & FTRACE_OPS_FL_SAVE_REGS))
		call.flags |= FTRACE_CALL_REDIRECT;
	if (flags & FTRACE_OPS_FL_IPMODIFY)
		call.flags |= FTRACE_CALL_IPMODIFY | FTRACE_CALL_REDIRECT;
	if ((flags & FTRACE_OPS_FL_PID) && ftrace_pids_enabled(ops))
		call.flags |= FTRACE_CALL_PID;
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	if (ops->saved_func == ftrace_graph_func)
		call.flags |= FTRACE_CALL_GRAPH;
#endif
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	if (flags & FTRACE_OPS_FL_DIRECT) {
		call.flags = FTRACE_CALL_DIRECT;
		call.func = ops->direct_call;
	}
#endif
	return call;
}

/* ---- Deciding sites --------------------------------------------------- */

/* Who placed a probe is not left with one that silently does nothing. */
static bool obeys_switch(const struct ftrace_ops *ops)
{
	return !(ops->saved_flags & FTRACE_OPS_FL_PROBE);
}

static bool wanted_at(const struct ftrace_call *call,
		      const struct ftrace_lists *lists, unsigned long ip)
{
	return (enabled_applied || !obeys_switch(call->ops)) && lists &&
	       ftrace_lists_accept(lists, ip);
}

static int decide_ip(struct ftrace_plan *plan, const struct ftrace_call *call,
		     unsigned long ip, const struct ftrace_lists *lists)
{
	struct ftrace_site *site = ftrace_site_find(ip);

	return site ? ftrace_plan_site(plan, site, call,
				       wanted_at(call, lists, ip)) : 0;
}

static int decide_set(struct ftrace_plan *plan, const struct ftrace_call *call,
		      const struct ftrace_set *set,
		      const struct ftrace_lists *lists)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < set->nr && !ret; i++)
		ret = decide_ip(plan, call, set->ip[i], lists);
	return ret;
}

/* Only what is in one of the sets; for the rest nothing changes. */
static int decide_difference(struct ftrace_plan *plan,
			     const struct ftrace_call *call,
			     const struct ftrace_set *a,
			     const struct ftrace_set *b,
			     const struct ftrace_lists *lists)
{
	unsigned int i = 0, k = 0;
	unsigned long ip;
	int ret = 0;

	while (!ret && (i < a->nr || k < b->nr)) {
		if (i < a->nr && k < b->nr && a->ip[i] == b->ip[k]) {
			i++;
			k++;
			continue;
		}
		if (k == b->nr || (i < a->nr && a->ip[i] < b->ip[k]))
			ip = a->ip[i++];
		else
			ip = b->ip[k++];
		ret = decide_ip(plan, call, ip, lists);
	}
	return ret;
}

static int decide_table(struct ftrace_plan *plan,
			const struct ftrace_call *call,
			struct ftrace_site_table *table,
			const struct ftrace_lists *lists)
{
	unsigned int i;
	int ret;

	for (i = 0; i < table->nr; i++) {
		struct ftrace_site *site = &table->site[i];

		ret = ftrace_plan_site(plan, site, call,
				       wanted_at(call, lists, site->ip));
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Plan an ops' calls at every site that its old or its new lists may mean;
 * NULL lists: not registered before, or not any more.
 */
static int decide_ops(struct ftrace_plan *plan, struct ftrace_ops *ops,
		      const struct ftrace_lists *old,
		      const struct ftrace_lists *new)
{
	struct ftrace_call call = call_of(ops);
	struct ftrace_site_table *table;
	int ret = 0;

	if (old && new && old->filter && new->filter &&
	    old->filter != new->filter && old->exclude == new->exclude)
		return decide_difference(plan, &call, old->filter, new->filter,
					 new);
	if ((!old || old->filter) && (!new || new->filter)) {
		if (old)
			ret = decide_set(plan, &call, old->filter, new);
		if (new && !ret)
			ret = decide_set(plan, &call, new->filter, new);
		return ret;
	}
	ftrace_for_each_table(table) {
		ret = decide_table(plan, &call, table, new);
		if (ret)
			break;
	}
	return ret;
}

/* Plan all registered ops, since the switch was thrown. */
static int decide_all(struct ftrace_plan *plan)
{
	struct ftrace_ops *ops;
	int ret = 0;

	plan->share = true;
	list_for_each_entry(ops, &ftrace_registered, list) {
		struct ftrace_lists lists = ftrace_ops_lists(ops);

		ret = decide_ops(plan, ops, &lists, &lists);
		if (ret)
			break;
	}
	return ret;
}

/* Begin a plan; catches up with a switch that was thrown behind our back. */
static int begin_plan(struct ftrace_plan *plan)
{
	ftrace_plan_begin(plan);
	plan->was_enabled = enabled_applied;
	if (enabled_applied == !!READ_ONCE(ftrace_enabled))
		return 0;
	enabled_applied = !enabled_applied;
	return decide_all(plan);
}

static int damage_errno(struct ftrace_plan *plan, const struct ftrace_set *named)
{
	unsigned int i;

	for (i = 0; plan->failed && named && i < named->nr; i++) {
		struct ftrace_site *site = ftrace_site_find(named->ip[i]);

		if (site && (site->flags & FTRACE_SITE_DAMAGED))
			return -EILSEQ;
	}
	return 0;
}

/*
 * Carry a plan out, or drop it.  @ret is the outcome of planning so far;
 * @named are the sites that the request named, which all have to be whole.
 */
static int finish_plan(struct ftrace_plan *plan, int ret,
		       const struct ftrace_set *named)
{
	if (!ret)
		ret = ftrace_plan_prepare(plan);
	if (!ret)
		ret = damage_errno(plan, named);
	if (!ret)
		ftrace_plan_commit(plan);
	else
		enabled_applied = plan->was_enabled;
	ftrace_plan_end(plan);
	return ret;
}

/* ---- Coming and going ------------------------------------------------- */

static int check_ops(struct ftrace_ops *ops)
{
	struct ftrace_set *filter = ftrace_ops_list(ops, FTRACE_LIST_FILTER);
	unsigned long flags = ops->flags;

	if (ftrace_dead)
		return -ENODEV;
	if (ftrace_ops_registered(ops))
		return -EBUSY;
	if (flags & FTRACE_OPS_FL_DELETED)
		return -EINVAL;
	if (!ops->func && !(flags & FTRACE_OPS_FL_DIRECT))
		return -EINVAL;
	if (!IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS) &&
	    (flags & FTRACE_OPS_FL_SAVE_REGS) &&
	    !(flags & FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED))
		return -EINVAL;
	if ((flags & FTRACE_OPS_FL_IPMODIFY) && (!filter || !filter->nr))
		return -EINVAL;
	if ((flags & FTRACE_OPS_FL_PERMANENT) && !READ_ONCE(ftrace_enabled))
		return -EBUSY;
	return 0;
}

/**
 * ftrace_ops_attach - register an ops
 * @ops:   the ops
 * @share: it may meet a direct call or a redirecting ops; their owners agreed
 *
 * Context: ftrace_lock is held; may sleep.
 * Return: 0; an errno as of register_ftrace_function(), and nothing changed.
 */
int ftrace_ops_attach(struct ftrace_ops *ops, bool share)
{
	struct ftrace_lists lists;
	struct ftrace_plan plan;
	int ret;

	ret = check_ops(ops);
	if (ret)
		return ret;

	if (IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_REGS) &&
	    (ops->flags & FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED))
		ops->flags |= FTRACE_OPS_FL_SAVE_REGS;
	ops->saved_func = ops->func;
	ops->saved_flags = ops->flags;
	lists = ftrace_ops_lists(ops);

	ret = begin_plan(&plan);
	plan.share |= share;
	if (!(ops->saved_flags & FTRACE_OPS_FL_DIRECT))
		plan.newcomer = ops;
	if (!ret)
		ret = decide_ops(&plan, ops, NULL, &lists);
	if (!ret)
		enlist(ops);
	ret = finish_plan(&plan, ret, lists.filter);
	if (ret)
		delist(ops);
	return ret;
}

/**
 * ftrace_ops_detach - take the calls of an ops away
 * @ops: a registered ops
 *
 * Where memory for a shorter chain is short the longer one stays, with the
 * call muted.  Follow with ftrace_quiesce(), without ftrace_lock: then the
 * callback is quiet.
 *
 * Context: ftrace_lock is held; may sleep.
 */
void ftrace_ops_detach(struct ftrace_ops *ops)
{
	struct ftrace_lists lists = ftrace_ops_lists(ops);
	struct ftrace_plan plan;

	/* First of all, or it is called for all that is done here. */
	ftrace_mute(ops, 0);
	delist(ops);

	begin_plan(&plan);
	plan.must = true;
	decide_ops(&plan, ops, &lists, NULL);
	finish_plan(&plan, 0, NULL);

	ftrace_chains_forget(ops);
	ops->saved_func = NULL;
}

/* ---- Probes, many at a time ------------------------------------------- */

/* Checks them, records them, and collects the functions that they name. */
static int record_probes(struct ftrace_ops **ops, unsigned int nr,
			 struct ftrace_set **named)
{
	unsigned int i, k;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		struct ftrace_set *filter;

		ftrace_ops_init(ops[i]);
		ops[i]->flags |= FTRACE_OPS_FL_PROBE;
		ret = check_ops(ops[i]);
		if (ret)
			break;
		ops[i]->saved_func = ops[i]->func;
		ops[i]->saved_flags = ops[i]->flags;
		filter = ftrace_ops_list(ops[i], FTRACE_LIST_FILTER);
		for (k = 0; filter && k < filter->nr && !ret; k++)
			ret = ftrace_set_add(named, filter->ip[k]);
	}
	return ret;
}

static int attach_recorded(struct ftrace_ops **ops, unsigned int nr,
			   const struct ftrace_set *named)
{
	struct ftrace_plan plan;
	unsigned int i;
	int ret;

	ret = begin_plan(&plan);
	for (i = 0; i < nr && !ret; i++) {
		struct ftrace_lists lists = ftrace_ops_lists(ops[i]);

		ret = decide_ops(&plan, ops[i], NULL, &lists);
		enlist(ops[i]);
	}
	nr = i;
	ret = finish_plan(&plan, ret, named);
	for (i = 0; i < nr && ret; i++)
		delist(ops[i]);
	return ret;
}

/**
 * ftrace_attach_probes - register ops of probes, all or none, in one step
 * @ops: the ops, each with a filter of its own
 * @nr:  how many
 *
 * Their callbacks may redirect functions without being the only ones to.
 *
 * Context: process, may sleep; takes ftrace_lock.
 * Return: as register_ftrace_function().
 */
int ftrace_attach_probes(struct ftrace_ops **ops, unsigned int nr)
{
	struct ftrace_set *named = NULL;
	int ret;

	mutex_lock(&ftrace_lock);
	ret = record_probes(ops, nr, &named);
	if (!ret)
		ret = attach_recorded(ops, nr, named);
	mutex_unlock(&ftrace_lock);
	ftrace_set_free(named);
	return ret;
}

/**
 * ftrace_detach_probes - unregister ops of probes in one step
 * @ops: the ops, all registered
 * @nr:  how many
 *
 * Follow with ftrace_quiesce(): then their callbacks are quiet.
 *
 * Context: process, may sleep; takes ftrace_lock.
 */
void ftrace_detach_probes(struct ftrace_ops **ops, unsigned int nr)
{
	struct ftrace_plan plan;
	unsigned int i;

	mutex_lock(&ftrace_lock);
	ftrace_mute_many(ops, nr);
	for (i = 0; i < nr; i++)
		delist(ops[i]);

	begin_plan(&plan);
	plan.must = true;
	for (i = 0; i < nr; i++) {
		struct ftrace_lists lists = ftrace_ops_lists(ops[i]);

		decide_ops(&plan, ops[i], &lists, NULL);
	}
	finish_plan(&plan, 0, NULL);

	for (i = 0; i < nr; i++) {
		ftrace_chains_forget(ops[i]);
		ops[i]->saved_func = NULL;
	}
	mutex_unlock(&ftrace_lock);
}

/**
 * ftrace_ops_redecide - plan a registered ops anew where what it calls changed
 * @ops: the ops
 *
 * Context: ftrace_lock is held; may sleep.
 * Return: 0, -EBUSY or -ENOMEM, and nothing changed.
 */
int ftrace_ops_redecide(struct ftrace_ops *ops)
{
	struct ftrace_lists lists = ftrace_ops_lists(ops);
	struct ftrace_plan plan;
	int ret;

	ret = begin_plan(&plan);
	plan.share = true;
	if (!ret)
		ret = decide_ops(&plan, ops, &lists, &lists);
	return finish_plan(&plan, ret, NULL);
}

/**
 * ftrace_ops_refresh - plan ops anew for which the guards changed
 * @match: which of the registered ones
 * @data:  for @match
 *
 * Context: process, may sleep; takes ftrace_lock.
 * Return: 0, or -ENOMEM with some of them done.
 */
int ftrace_ops_refresh(bool (*match)(struct ftrace_ops *ops, void *data),
		       void *data)
{
	struct ftrace_ops *ops;
	int ret = 0;

	mutex_lock(&ftrace_lock);
	list_for_each_entry(ops, &ftrace_registered, list) {
		if (!match(ops, data))
			continue;
		ret = ftrace_ops_redecide(ops);
		if (ret)
			break;
	}
	mutex_unlock(&ftrace_lock);
	return ret;
}

/**
 * ftrace_ops_hook_table - attach registered ops to sites that are new
 * @table: the sites
 *
 * Direct calls and redirecting ops own the functions that they name; new ones
 * are never theirs.
 *
 * Context: ftrace_lock is held; may sleep.
 * Return: 0, or -ENOMEM with none of the sites hooked.
 */
int ftrace_ops_hook_table(struct ftrace_site_table *table)
{
	unsigned long owner = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT;
	struct ftrace_plan plan;
	struct ftrace_ops *ops;
	int ret;

	ret = begin_plan(&plan);
	list_for_each_entry(ops, &ftrace_registered, list) {
		struct ftrace_lists lists = ftrace_ops_lists(ops);
		struct ftrace_call call = call_of(ops);

		if (ret)
			break;
		if (!(ops->saved_flags & owner))
			ret = decide_table(&plan, &call, table, &lists);
	}
	return finish_plan(&plan, ret, NULL);
}

/* ---- Lists ------------------------------------------------------------ */

static struct ftrace_set *unite(const struct ftrace_set *a,
				const struct ftrace_set *b)
{
	struct ftrace_set *both = ftrace_set_copy(a);
	unsigned int i;

	for (i = 0; !IS_ERR(both) && i < b->nr; i++) {
		if (ftrace_set_add(&both, b->ip[i])) {
			ftrace_set_free(both);
			return ERR_PTR(-ENOMEM);
		}
	}
	return both;
}

static struct ftrace_set *intersect(const struct ftrace_set *a,
				    const struct ftrace_set *b)
{
	struct ftrace_set *both = ftrace_set_copy(a);
	unsigned int i;

	for (i = 0; !IS_ERR(both) && i < a->nr; i++) {
		if (!ftrace_set_has(b, a->ip[i]))
			ftrace_set_del(both, a->ip[i]);
	}
	return both;
}

/* One list of a manager; NULL where any of its subops has that list not set. */
static struct ftrace_set *
combine(struct ftrace_ops *manager, enum ftrace_list which,
	struct ftrace_ops_hash *changed, struct ftrace_set *set)
{
	struct ftrace_set *all = NULL, *more, *of;
	struct ftrace_ops *sub;

	list_for_each_entry(sub, &manager->subop_list, list) {
		of = sub->func_hash == changed ? set :
		     ftrace_ops_list(sub, which);
		if (!of) {
			ftrace_set_free(all);
			return NULL;
		}
		if (!all)
			more = ftrace_set_copy(of);
		else if (which == FTRACE_LIST_FILTER)
			more = unite(all, of);
		else
			more = intersect(all, of);
		ftrace_set_free(all);
		if (IS_ERR(more))
			return more;
		all = more;
	}
	return all;
}

/* Lists that a manager is to have; both are new sets. */
static int combine_lists(struct ftrace_ops *manager, struct ftrace_lists *lists)
{
	lists->filter = combine(manager, FTRACE_LIST_FILTER, NULL, NULL);
	if (IS_ERR(lists->filter))
		return -ENOMEM;
	lists->exclude = combine(manager, FTRACE_LIST_NOTRACE, NULL, NULL);
	if (IS_ERR(lists->exclude)) {
		ftrace_set_free(lists->filter);
		return -ENOMEM;
	}
	return 0;
}

static void publish_lists(struct ftrace_ops *ops,
			  const struct ftrace_lists *lists)
{
	ftrace_lists_publish(ops->func_hash, FTRACE_LIST_FILTER, lists->filter);
	ftrace_lists_publish(ops->func_hash, FTRACE_LIST_NOTRACE, lists->exclude);
}

/* A manager whose lists follow from a changed pair of lists, or NULL. */
static struct ftrace_ops *manager_of(struct ftrace_ops_hash *hash)
{
	struct ftrace_ops *ops, *sub;

	list_for_each_entry(ops, &ftrace_registered, list) {
		if (!heeds_others(ops))
			break;
		list_for_each_entry(sub, &ops->subop_list, list) {
			if (sub->func_hash == hash)
				return ops;
		}
	}
	return NULL;
}

static int check_list(struct ftrace_ops *ops, enum ftrace_list which,
		      const struct ftrace_set *set)
{
	unsigned long owner = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_DIRECT;

	if (which == FTRACE_LIST_FILTER)
		return !set && (ops->saved_flags & owner) ? -EINVAL : 0;
	return set && set->nr && (ops->saved_flags & FTRACE_OPS_FL_IPMODIFY) ?
		-EINVAL : 0;
}

static struct ftrace_lists with_list(struct ftrace_ops *ops,
				     enum ftrace_list which,
				     struct ftrace_set *set)
{
	struct ftrace_lists lists = ftrace_ops_lists(ops);

	if (which == FTRACE_LIST_FILTER)
		lists.filter = set;
	else
		lists.exclude = set;
	return lists;
}

static int decide_list(struct ftrace_plan *plan, struct ftrace_ops *ops,
		       enum ftrace_list which, struct ftrace_set *set)
{
	struct ftrace_lists old = ftrace_ops_lists(ops);
	struct ftrace_lists new = with_list(ops, which, set);

	return check_list(ops, which, set) ?: decide_ops(plan, ops, &old, &new);
}

/*
 * Plan all registered ops that a list is in force for: those that follow
 * another's lists, and whose own it is.
 */
static int decide_sharers(struct ftrace_plan *plan,
			  struct ftrace_ops_hash *hash, enum ftrace_list which,
			  struct ftrace_set *set)
{
	struct ftrace_ops *owner, *ops;
	int ret = 0;

	list_for_each_entry(ops, &ftrace_registered, list) {
		if (!heeds_others(ops))
			break;
		if (ops->func_hash == hash)
			ret = decide_list(plan, ops, which, set);
		if (ret)
			return ret;
	}
	owner = container_of(hash, struct ftrace_ops, local_hash);
	if (!ftrace_ops_registered(owner) || heeds_others(owner) ||
	    (owner->saved_flags & FTRACE_OPS_FL_SUBOP))
		return 0;
	return decide_list(plan, owner, which, set);
}

/* Sites newly named in a filter: all of them have to be whole. */
static struct ftrace_set *newly_named(struct ftrace_ops *ops,
				      enum ftrace_list which,
				      struct ftrace_set *set)
{
	return which == FTRACE_LIST_FILTER && ftrace_ops_registered(ops) ?
		set : NULL;
}

static int replace_list(struct ftrace_ops *ops, enum ftrace_list which,
			struct ftrace_set *set)
{
	struct ftrace_ops_hash *hash = ops->func_hash;
	struct ftrace_ops *manager = manager_of(hash);
	struct ftrace_set *combined = NULL;
	struct ftrace_lists old, new;
	struct ftrace_plan plan;
	int ret;

	if (manager) {
		combined = combine(manager, which, hash, set);
		if (IS_ERR(combined))
			return -ENOMEM;
	}

	ret = begin_plan(&plan);
	if (!ret)
		ret = decide_sharers(&plan, hash, which, set);
	if (manager && !ret) {
		old = ftrace_ops_lists(manager);
		new = with_list(manager, which, combined);
		ret = decide_ops(&plan, manager, &old, &new);
	}
	ret = finish_plan(&plan, ret, newly_named(ops, which, set));
	if (ret) {
		ftrace_set_free(combined);
		return ret;
	}
	ftrace_lists_publish(hash, which, set);
	if (manager)
		ftrace_lists_publish(manager->func_hash, which, combined);
	return 0;
}

/**
 * ftrace_ops_set_list - replace a list of an ops, registered or not
 * @ops:   the ops
 * @which: which of its lists
 * @set:   the new one, which is the ops' from then on; NULL: not set
 *
 * Takes effect in one step for every registered ops that shares the list.
 * Functions whose text has gone since @set was made are taken out of it.
 *
 * Context: process, may sleep; the filter lock is held; takes ftrace_lock.
 * Return: 0; and with nothing changed, @set still the caller's: -ENODEV where
 * tracing is off for good; -EBUSY where owners of a function exclude each
 * other; -EINVAL where a redirecting or direct ops would be wanted everywhere;
 * -EILSEQ where a function's text is not what it has to be; -ENOMEM.
 */
int ftrace_ops_set_list(struct ftrace_ops *ops, enum ftrace_list which,
			struct ftrace_set *set)
{
	int ret;

	lockdep_assert_held(&ops->func_hash->regex_lock);
	mutex_lock(&ftrace_lock);
	/* It was made without the lock. */
	ftrace_set_drop_gone(set);
	ret = ftrace_dead ? -ENODEV : replace_list(ops, which, set);
	mutex_unlock(&ftrace_lock);
	return ret;
}

/* Whether anybody registered is wanted where a pair of lists says. */
static bool in_force(struct ftrace_ops_hash *hash)
{
	struct ftrace_ops *ops;

	ops = container_of(hash, struct ftrace_ops, local_hash);
	if (ftrace_ops_registered(ops) || manager_of(hash))
		return true;
	list_for_each_entry(ops, &ftrace_registered, list) {
		if (!heeds_others(ops))
			break;
		if (ops->func_hash == hash)
			return true;
	}
	return false;
}

static int edit_list(struct ftrace_ops *ops, enum ftrace_list which,
		     const struct ftrace_set *named, bool remove)
{
	struct ftrace_set *now = ftrace_ops_list(ops, which), *set;
	bool used = in_force(ops->func_hash);
	int ret = 0;

	set = ftrace_set_edit(now, named, remove, used);
	if (IS_ERR(set))
		return -ENOMEM;
	/* From which the last was removed: not set any more. */
	if (set && !set->nr) {
		if (set != now)
			ftrace_set_free(set);
		set = NULL;
	}
	if (used)
		ret = replace_list(ops, which, set);
	else if (set != now)
		ftrace_lists_publish(ops->func_hash, which, set);
	if (ret)
		ftrace_set_free(set);
	return ret;
}

/**
 * ftrace_ops_edit_list - add functions to a list of an ops, or remove them
 * @ops:    the ops, registered or not
 * @which:  which of its lists
 * @named:  the functions
 * @remove: which of the two
 *
 * Context: process, may sleep; the filter lock is held; takes ftrace_lock.
 * Return: as ftrace_ops_set_list().
 */
int ftrace_ops_edit_list(struct ftrace_ops *ops, enum ftrace_list which,
			 const struct ftrace_set *named, bool remove)
{
	int ret;

	lockdep_assert_held(&ops->func_hash->regex_lock);
	mutex_lock(&ftrace_lock);
	ret = ftrace_dead ? -ENODEV : edit_list(ops, which, named, remove);
	mutex_unlock(&ftrace_lock);
	return ret;
}

/**
 * ftrace_ops_forget_range - take freed text out of the lists of an ops
 * @ops:   the ops
 * @start: first address
 * @end:   the address behind the last
 *
 * A filter that has nothing left means no function.
 *
 * Context: ftrace_lock is held; the sites are gone already.
 */
void ftrace_ops_forget_range(struct ftrace_ops *ops, unsigned long start,
			     unsigned long end)
{
	enum ftrace_list which;
	struct ftrace_set *less;

	if (!ops->func_hash)
		return;
	for (which = FTRACE_LIST_FILTER; which <= FTRACE_LIST_NOTRACE; which++) {
		less = ftrace_set_less_range(ftrace_ops_list(ops, which), start,
					     end);
		if (less)
			ftrace_lists_publish(ops->func_hash, which, less);
	}
}

/* ---- Subops ----------------------------------------------------------- */

static int refit_manager(struct ftrace_ops *manager)
{
	struct ftrace_lists old = ftrace_ops_lists(manager), new;
	struct ftrace_plan plan;
	int ret;

	ret = combine_lists(manager, &new);
	if (ret)
		return ret;

	ret = begin_plan(&plan);
	if (!ret)
		ret = decide_ops(&plan, manager, &old, &new);
	ret = finish_plan(&plan, ret, NULL);
	if (!ret) {
		publish_lists(manager, &new);
	} else {
		ftrace_set_free(new.filter);
		ftrace_set_free(new.exclude);
	}
	return ret;
}

static int start_manager(struct ftrace_ops *manager)
{
	struct ftrace_lists none = { };
	struct ftrace_lists lists;
	int ret;

	ret = combine_lists(manager, &lists);
	if (ret)
		return ret;
	publish_lists(manager, &lists);
	ret = ftrace_ops_attach(manager, true);
	if (ret)
		publish_lists(manager, &none);
	return ret;
}

/**
 * ftrace_startup_subops - let a manager's one callback also serve a subop
 * @ops:     the manager; registered with its first subop
 * @subops:  the subop, whose lists say what for
 * @command: FTRACE_START_FUNC_RET with the first; nothing depends on it
 *
 * Context: ftrace_lock is held; may sleep.
 * Return: 0; -EBUSY where the subop is registered; else as
 * register_ftrace_function(), and nothing changed.
 */
int ftrace_startup_subops(struct ftrace_ops *ops, struct ftrace_ops *subops,
			  int command)
{
	int ret;

	if (ftrace_dead)
		return -ENODEV;
	ftrace_ops_init(ops);
	ftrace_ops_init(subops);
	if (ftrace_ops_registered(subops))
		return -EBUSY;

	subops->saved_flags = subops->flags | FTRACE_OPS_FL_SUBOP;
	list_add_tail(&subops->list, &ops->subop_list);
	ret = ftrace_ops_registered(ops) ? refit_manager(ops) :
	      start_manager(ops);
	if (ret)
		list_del_init(&subops->list);
	else
		subops->flags |= FTRACE_OPS_FL_ENABLED | FTRACE_OPS_FL_SUBOP;
	return ret;
}

/**
 * ftrace_shutdown_subops - end what ftrace_startup_subops() began
 * @ops:     the manager; unregistered with its last subop
 * @subops:  the subop
 * @command: FTRACE_STOP_FUNC_RET with the last; nothing depends on it
 *
 * No CPU is in the subop's part of the callback when it returns.
 *
 * Context: ftrace_lock is held; may sleep.
 * Return: 0, or -EINVAL where the subop is not registered.
 */
int ftrace_shutdown_subops(struct ftrace_ops *ops, struct ftrace_ops *subops,
			   int command)
{
	struct ftrace_lists none = { };

	if (!ftrace_ops_registered(subops))
		return -EINVAL;

	delist(subops);
	subops->flags &= ~FTRACE_OPS_FL_SUBOP;
	if (list_empty(&ops->subop_list)) {
		ftrace_ops_detach(ops);
		publish_lists(ops, &none);
	} else {
		/* Without memory its lists stay wider than they need to be. */
		refit_manager(ops);
	}
	ftrace_quiesce();
	return 0;
}

/* ---- The switch, and the end ------------------------------------------ */

static bool any_permanent(void)
{
	struct ftrace_ops *ops;

	list_for_each_entry(ops, &ftrace_registered, list) {
		if (ops->saved_flags & FTRACE_OPS_FL_PERMANENT)
			return true;
	}
	return false;
}

static int throw_switch(bool enable)
{
	struct ftrace_plan plan;
	struct ftrace_ops *ops;
	int ret;

	WRITE_ONCE(ftrace_enabled, enable);
	ret = finish_plan(&plan, begin_plan(&plan), NULL);
	if (ret) {
		WRITE_ONCE(ftrace_enabled, !enable);
		return ret;
	}
	if (!enable) {
		list_for_each_entry(ops, &ftrace_registered, list) {
			if (!obeys_switch(ops))
				continue;
			ftrace_mute(ops, 0);
			ftrace_chains_forget(ops);
		}
	}
	return 0;
}

/**
 * ftrace_apply_enabled - set kernel.ftrace_enabled
 * @enable: non-zero: callbacks are called; 0: none is, though all stay
 *	    registered
 *
 * Context: process, may sleep; takes ftrace_lock.
 * Return: 0; -ENODEV where tracing is off for good; -EBUSY where an ops that
 * must not be switched off is registered; -ENOMEM.
 */
int ftrace_apply_enabled(int enable)
{
	int ret = 0;

	mutex_lock(&ftrace_lock);
	if (ftrace_dead)
		ret = -ENODEV;
	else if (!enable && any_permanent())
		ret = -EBUSY;
	else if (!enable == !!READ_ONCE(ftrace_enabled))
		ret = throw_switch(enable);
	mutex_unlock(&ftrace_lock);
	if (!ret && !enable)
		ftrace_quiesce();
	return ret;
}

static int recount_all(struct ftrace_plan *plan)
{
	struct ftrace_site_table *table;
	unsigned int i;
	int ret;

	ftrace_for_each_table(table) {
		for (i = 0; i < table->nr; i++) {
			if (!ftrace_plan_chain(plan, &table->site[i]))
				continue;
			ret = ftrace_plan_recount(plan, &table->site[i]);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/**
 * ftrace_count_hits - begin or end to count how often each call is made
 * @on: which; counts begin at 0
 *
 * Context: process, may sleep; takes ftrace_lock.
 * Return: 0; -ENODEV where tracing is off for good; -ENOMEM, and nothing
 * changed.
 */
int ftrace_count_hits(bool on)
{
	struct ftrace_plan plan;
	int ret = 0;

	mutex_lock(&ftrace_lock);
	if (ftrace_dead) {
		ret = -ENODEV;
	} else if (on != ftrace_counting) {
		ret = begin_plan(&plan);
		ftrace_counting = on;
		if (!ret)
			ret = recount_all(&plan);
		ret = finish_plan(&plan, ret, NULL);
		if (ret)
			ftrace_counting = !on;
	}
	mutex_unlock(&ftrace_lock);
	return ret;
}

/**
 * ftrace_kill - switch function tracing off for good
 *
 * No more is registered or changed, except that what is attached can still be
 * unregistered; detaching it here would take locks.
 *
 * Context: any, NMI included.
 */
void ftrace_kill(void)
{
	WRITE_ONCE(ftrace_dead, true);
	ftrace_enabled = 0;
}

/* ---- Showing ---------------------------------------------------------- */

/**
 * ftrace_site_describe - what is attached to a site, for enabled_functions
 * @m:    where to; the site's name stands there already
 * @site: the site
 *
 * Context: ftrace_lock is held.
 */
void ftrace_site_describe(struct seq_file *m, const struct ftrace_site *site)
{
	struct ftrace_chain *chain = site->chain;
	unsigned int i, flags = chain ? ftrace_chain_flags(chain) : 0;
	struct ftrace_call *direct = NULL;
	unsigned int nr = chain ? chain->nr : 0;

	if (flags & FTRACE_CALL_DIRECT)
		direct = ftrace_chain_direct(chain);

	seq_printf(m, " (%u)%s%s%s  %s", ftrace_chain_calls(chain),
		   flags & FTRACE_CALL_REGS ? " R" : "  ",
		   flags & FTRACE_CALL_IPMODIFY ? " I" : "  ",
		   direct ? " D" : "  ",
		   site->flags & FTRACE_SITE_MODIFIED ? " M " : "   ");
	if (chain && chain->size)
		seq_printf(m, "\ttramp: %pS", (void *)chain->text);
	for (i = 0; i < nr; i++) {
		struct ftrace_call *call = &chain->call[i];

		if (!(call->flags & (FTRACE_CALL_DIRECT | FTRACE_CALL_GONE)))
			seq_printf(m, " ->%pS", (void *)call->func);
	}
	if (direct)
		seq_printf(m, "\n\tdirect-->%pS", (void *)direct->func);
	seq_putc(m, '\n');
}
