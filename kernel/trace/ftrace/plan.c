// SPDX-License-Identifier: GPL-2.0
/*
 * One change of what sites call.
 *
 * Plan:    ftrace_plan_site() says, for one site after the other, whether an
 *          ops shall be called there.  The first time, a site gets a move; a
 *          move holds a reference to the chain that its site will call.
 *          Several ops may be planned into one change.
 * Prepare: everything that can fail: trampolines are built, and each site's
 *          text is compared with what we left there.
 * Commit:  sites are patched, in batches, in ascending order.  Cannot fail.
 * End:     what the moves hold is given back: the old chains after a commit,
 *          the new ones where it did not come to that.
 *
 * Publishing.  A chain and its trampoline are complete, executable, and known
 * to unwinders before the first site is patched to call them, and text
 * patching lets every CPU call the old or the new target, nothing else.  So at
 * each moment a hit makes the calls of one whole chain, and a callback in both
 * the old and the new chain misses none.
 *
 * Muting.  Patching a site does not reach a task that has already gone through
 * it: it may be preempted anywhere in the old trampoline.  The trampoline has
 * preemption off around its calls, so there are two cases:
 *
 *  - it is preempted before it switched preemption off, or behind the calls:
 *    ftrace_mute() has made the call instruction of the ops a nop in every
 *    chain that has it, retired or not, and the task will not make the call.
 *  - it is in the section with preemption off: ftrace_quiesce(), which lets
 *    every CPU schedule, does not return before the section has ended.
 *
 * Text patching serialises all CPUs before ftrace_mute() returns; a task that
 * begins a section after that sees the nop.  CPUs that come up later never saw
 * the old text: sites are patched with cpus_read_lock() held.
 *
 * A site whose text is not ours is left alone.  Where it is named the request
 * fails; where it is one of "all functions" it is passed over.  If it was
 * hooked before, its chain is kept, since the bytes that call it may come
 * back; calls of ops that leave are muted there like everywhere.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/cpu.h>
#include <linux/list_sort.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sort.h>
#include <linux/uaccess.h>

#include "arch.h"
#include "internal.h"

/* More than one batch of text patching. */
#define MANY_MOVES	256

/**
 * ftrace_plan_begin - begin a plan without moves
 * @plan: the plan
 */
void ftrace_plan_begin(struct ftrace_plan *plan)
{
	lockdep_assert_held(&ftrace_lock);
	memset(plan, 0, sizeof(*plan));
}

static int add_move(struct ftrace_plan *plan, struct ftrace_site *site)
{
	if (plan->nr == plan->max) {
		gfp_t gfp = GFP_KERNEL | (plan->must ? __GFP_NOFAIL : 0);
		unsigned int max = max(4U, 2 * plan->max);
		struct ftrace_move *move;

		move = kvmalloc_array(max, sizeof(*move), gfp);
		if (!move)
			return -ENOMEM;
		if (plan->nr)
			memcpy(move, plan->move, plan->nr * sizeof(*move));
		kvfree(plan->move);
		plan->move = move;
		plan->max = max;
	}
	plan->move[plan->nr++] = (struct ftrace_move){ .site = site };
	site->move = plan->nr;
	return 0;
}

/**
 * ftrace_plan_chain - what a site will call when the plan is carried out
 * @plan: the plan
 * @site: the site
 *
 * Return: the chain, or NULL for none.
 */
struct ftrace_chain *ftrace_plan_chain(const struct ftrace_plan *plan,
				       const struct ftrace_site *site)
{
	return site->move ? plan->move[site->move - 1].to : site->chain;
}

/* The chain that follows @from at a site; a reference for the caller. */
static struct ftrace_chain *next_chain(struct ftrace_plan *plan,
				       struct ftrace_site *site,
				       struct ftrace_chain *from,
				       const struct ftrace_call *call,
				       bool wanted)
{
	unsigned long count_ip = ftrace_counting ? site->ip : 0;
	struct ftrace_chain *to;

	if (plan->last.valid && plan->last.from == from &&
	    plan->last.ops == call->ops && plan->last.wanted == wanted) {
		to = plan->last.to;
		if (to)
			to->users++;
		return to;
	}

	to = wanted ? ftrace_chain_with(from, call, count_ip) :
		      ftrace_chain_without(from, call->ops, count_ip);
	if (IS_ERR(to))
		return to;

	/*
	 * The memo has no reference: moves hold both ends, or else it ends.
	 * What is counted is of one site.
	 */
	plan->last.from = from;
	plan->last.to = to;
	plan->last.ops = call->ops;
	plan->last.wanted = wanted;
	plan->last.valid = !count_ip;
	return to;
}

static bool owners_meet(const struct ftrace_chain *chain)
{
	unsigned int both = FTRACE_CALL_DIRECT | FTRACE_CALL_IPMODIFY;

	return chain && (chain->flags & both) == both &&
	       (ftrace_chain_flags(chain) & both) == both;
}

/* Plan a site to go from one chain to another, whose reference is taken over. */
static int plan_move(struct ftrace_plan *plan, struct ftrace_site *site,
		     struct ftrace_chain *from, struct ftrace_chain *to)
{
	int ret;

	if (to == from) {
		if (to)
			to->users--;
		return 0;
	}

	ret = site->move ? 0 : add_move(plan, site);
	if (ret) {
		plan->last.valid = false;
		ftrace_chain_put(to);
		return ret;
	}
	if (from != site->chain) {
		/* An intermediate step of this plan that nobody may need. */
		plan->last.valid = false;
		ftrace_chain_put(from);
	}
	plan->move[site->move - 1].to = to;
	return 0;
}

/**
 * ftrace_plan_site - plan whether one ops shall be called at one site
 * @plan:   the plan
 * @site:   the site
 * @call:   ops, function and flags of the call
 * @wanted: whether the call shall be made
 *
 * All uses of one plan for the same ops have to be of one and the same call.
 *
 * Context: ftrace_lock is held; may sleep.
 * Return: 0; -EBUSY where the ops and another one there exclude each other;
 * -ENOMEM.  After an error the plan can only be ended.
 */
int ftrace_plan_site(struct ftrace_plan *plan, struct ftrace_site *site,
		     const struct ftrace_call *call, bool wanted)
{
	struct ftrace_chain *from = ftrace_plan_chain(plan, site);
	struct ftrace_chain *to;

	to = next_chain(plan, site, from, call, wanted);
	if (IS_ERR(to)) {
		plan->failed = site;
		return plan->must ? 0 : PTR_ERR(to);
	}
	if (owners_meet(to) && !owners_meet(from) && !plan->share) {
		plan->last.valid = false;
		ftrace_chain_put(to);
		plan->failed = site;
		return -EBUSY;
	}
	return plan_move(plan, site, from, to);
}

/**
 * ftrace_plan_recount - plan a site's calls to be counted, or not any more
 * @plan: the plan
 * @site: the site; ftrace_counting says which
 *
 * Context: ftrace_lock is held; may sleep.
 * Return: 0 or -ENOMEM.
 */
int ftrace_plan_recount(struct ftrace_plan *plan, struct ftrace_site *site)
{
	struct ftrace_chain *from = ftrace_plan_chain(plan, site);
	struct ftrace_chain *to;

	to = ftrace_chain_without(from, NULL, ftrace_counting ? site->ip : 0);
	return IS_ERR(to) ? PTR_ERR(to) : plan_move(plan, site, from, to);
}

static unsigned long target_of(const struct ftrace_chain *chain)
{
	return chain ? chain->entry : 0;
}

/* The text of a site, for a message. */
static void site_bytes(unsigned long ip, char *hex, size_t size)
{
	u8 have[MCOUNT_INSN_SIZE];

	if (copy_from_kernel_nofault(have, (void *)ip, sizeof(have)))
		strscpy(hex, "unreadable memory", size);
	else
		scnprintf(hex, size, "%*ph", MCOUNT_INSN_SIZE, have);
}

static void report_damage(struct ftrace_site *site)
{
	char hex[3 * MCOUNT_INSN_SIZE + 1];

	if (site->flags & FTRACE_SITE_DAMAGED)
		return;
	site->flags |= FTRACE_SITE_DAMAGED;
	site_bytes(site->ip, hex, sizeof(hex));
	pr_warn("%pS holds %s, which is not ours; it is left alone\n",
		(void *)site->ip, hex);
}

/*
 * Whether a site may be patched; says so once where it may not.  A damaged one
 * may have been mended with a nop though we left a call there.
 */
static bool site_is_ours(struct ftrace_site *site)
{
	if (!arch_ftrace_site_is(site->ip, target_of(site->chain)) &&
	    !((site->flags & FTRACE_SITE_DAMAGED) &&
	      arch_ftrace_site_is(site->ip, 0))) {
		report_damage(site);
		return false;
	}
	site->flags &= ~FTRACE_SITE_DAMAGED;
	return true;
}

static int compare_moves(const void *a, const void *b)
{
	const struct ftrace_move *x = a, *y = b;

	return x->site->ip < y->site->ip ? -1 : x->site->ip > y->site->ip;
}

static void sort_moves(struct ftrace_plan *plan)
{
	unsigned int i;

	for (i = 1; i < plan->nr; i++) {
		if (plan->move[i - 1].site->ip < plan->move[i].site->ip)
			continue;
		sort(plan->move, plan->nr, sizeof(*plan->move), compare_moves,
		     NULL);
		break;
	}
	for (i = 0; i < plan->nr; i++)
		plan->move[i].site->move = i + 1;
}

/* A site goes on calling what it calls: its move holds on to that. */
static void cancel_move(struct ftrace_move *move)
{
	struct ftrace_chain *to = move->to;

	move->to = move->site->chain;
	if (move->to)
		move->to->users++;
	ftrace_chain_put(to);
}

/**
 * ftrace_plan_prepare - do all of a plan that can fail
 * @plan: the plan; its moves are in ascending order afterwards
 *
 * Sites whose text is not ours are taken out of the plan, reported once, and
 * the first of them is noted in plan->failed.
 *
 * Context: ftrace_lock is held; may sleep.
 * Return: 0 or -ENOMEM.
 */
int ftrace_plan_prepare(struct ftrace_plan *plan)
{
	struct ftrace_chain *last = NULL;
	unsigned int i;
	int ret;

	plan->last.valid = false;
	plan->failed = NULL;
	sort_moves(plan);
	for (i = 0; i < plan->nr; i++) {
		struct ftrace_move *move = &plan->move[i];

		if (!site_is_ours(move->site)) {
			if (!plan->failed)
				plan->failed = move->site;
			cancel_move(move);
			continue;
		}
		if (!move->to || move->to == last)
			continue;
		last = move->to;
		ret = ftrace_tramp_build(last);
		if (!ret)
			continue;
		if (!plan->must)
			return ret;
		cancel_move(move);
		last = NULL;
	}
	return 0;
}

static void mark_site(struct ftrace_site *site,
		      const struct ftrace_chain *chain)
{
	if (!chain)
		return;
	site->flags |= FTRACE_SITE_TOUCHED;
	if (chain->flags & (FTRACE_CALL_IPMODIFY | FTRACE_CALL_DIRECT))
		site->flags |= FTRACE_SITE_MODIFIED;
}

static int compare_calls(void *priv, const struct list_head *a,
			 const struct list_head *b)
{
	struct ftrace_call *x = list_entry(a, struct ftrace_call, node);
	struct ftrace_call *y = list_entry(b, struct ftrace_call, node);

	return ftrace_call_chain(x)->text > ftrace_call_chain(y)->text;
}

/* Retarget all calls to an ops that somebody may come to. */
static void queue_calls(struct ftrace_ops *ops, unsigned long target)
{
	struct ftrace_call *call;

	list_sort(NULL, &ops->chains, compare_calls);
	list_for_each_entry(call, &ops->chains, node) {
		struct ftrace_chain *chain = ftrace_call_chain(call);

		/* Without preemption nobody stays between calls. */
		if (chain->size &&
		    (chain->users || IS_ENABLED(CONFIG_PREEMPTION)))
			arch_ftrace_patch_call(chain, call->idx, target);
	}
}

static void patch_calls(struct ftrace_ops *ops, unsigned long target)
{
	arch_ftrace_patch_begin();
	queue_calls(ops, target);
	arch_ftrace_patch_end();
}

/* Where the sites of each chain go, and how many of them. */
static void count_headings(struct ftrace_plan *plan)
{
	struct ftrace_chain *old;
	unsigned int i;

	for (i = 0; i < plan->nr; i++) {
		old = plan->move[i].site->chain;
		if (old) {
			old->heading.nr = 0;
			old->heading.to = plan->move[i].to;
		}
	}
	for (i = 0; i < plan->nr; i++) {
		old = plan->move[i].site->chain;
		if (old && old->heading.to == plan->move[i].to)
			old->heading.nr++;
	}
}

/* Whether all sites of a chain, and many, move to one that nobody calls yet. */
static bool can_take_over(struct ftrace_chain *old)
{
	struct ftrace_chain *to = old->heading.to;

	return old->heading.nr > MANY_MOVES && old->heading.nr == old->users &&
	       old->size && to && to->size && !to->live &&
	       to->entry == to->text &&
	       arch_ftrace_entry_reaches(old->entry, to->text);
}

/*
 * Instead of many sites one instruction is patched: the first one of what they
 * call jumps to the new chain's trampoline.  Text patching makes that as atomic
 * as patching a site: who comes there goes through the old trampoline or the
 * new one.  The old text, or just the jump in it, stays for as long as the new
 * chain or its successor in the same place.
 */
static void take_over(struct ftrace_chain *old)
{
	struct ftrace_chain *to = old->heading.to;

	if (old->entry == old->text)
		old->is_gate = true;
	else
		old->passed = true;
	to->entry = old->entry;
	arch_ftrace_patch_entry(to->entry, to->text);
}

static void take_over_places(struct ftrace_plan *plan)
{
	struct ftrace_chain *old;
	unsigned int i;

	if (plan->nr <= MANY_MOVES)
		return;
	count_headings(plan);
	for (i = 0; i < plan->nr; i++) {
		old = plan->move[i].site->chain;
		if (old && can_take_over(old))
			take_over(old);
	}
}

/**
 * ftrace_plan_commit - carry a prepared plan out
 * @plan: the plan
 *
 * Where many sites begin to call an ops, patching them would be slowed down
 * by what it traces of the patching.  Then its calls start muted.
 *
 * Context: ftrace_lock is held; takes cpus_read_lock and text_mutex; sleeps.
 */
void ftrace_plan_commit(struct ftrace_plan *plan)
{
	bool muted = plan->newcomer && plan->nr > MANY_MOVES;
	unsigned int i;

	cpus_read_lock();
	if (muted)
		patch_calls(plan->newcomer, 0);
	arch_ftrace_patch_begin();
	take_over_places(plan);
	for (i = 0; i < plan->nr; i++) {
		struct ftrace_move *move = &plan->move[i];
		struct ftrace_chain *old = move->site->chain;

		if (move->to)
			move->to->live = true;
		if (target_of(move->to) != target_of(old))
			arch_ftrace_patch_site(move->site->ip,
					       target_of(move->to));
		mark_site(move->site, move->to);
		/* The reference of the site is what ends with the plan now. */
		move->site->chain = move->to;
		move->to = old;
	}
	arch_ftrace_patch_end();
	if (muted)
		patch_calls(plan->newcomer,
			    (unsigned long)plan->newcomer->saved_func);
	cpus_read_unlock();
}

/**
 * ftrace_plan_end - give back what a plan holds
 * @plan: the plan, carried out or not
 *
 * Context: ftrace_lock is held; may sleep.
 */
void ftrace_plan_end(struct ftrace_plan *plan)
{
	unsigned int i;

	for (i = 0; i < plan->nr; i++) {
		plan->move[i].site->move = 0;
		ftrace_chain_put(plan->move[i].to);
	}
	kvfree(plan->move);
	ftrace_chains_reclaim_soon();
}

/**
 * ftrace_mute - let no task that comes to the calls of an ops make them
 * @ops:    the ops
 * @target: what to call in its place: 0 for nothing.  For a direct call only
 *
 * Reaches every trampoline that has such a call, in use or retired.
 *
 * Context: ftrace_lock is held; takes cpus_read_lock and text_mutex; sleeps.
 */
void ftrace_mute(struct ftrace_ops *ops, unsigned long target)
{
	cpus_read_lock();
	patch_calls(ops, target);
	cpus_read_unlock();
}

/**
 * ftrace_mute_many - mute the calls of many ops
 * @ops: the ops
 * @nr:  how many
 *
 * Context: as ftrace_mute().
 */
void ftrace_mute_many(struct ftrace_ops **ops, unsigned int nr)
{
	unsigned int i;

	cpus_read_lock();
	arch_ftrace_patch_begin();
	for (i = 0; i < nr; i++)
		queue_calls(ops[i], 0);
	arch_ftrace_patch_end();
	cpus_read_unlock();
}
