// SPDX-License-Identifier: GPL-2.0
/*
 * Who is registered.
 *
 * What is registered together is prepared one by one, which may fail, and then
 * takes effect in one batch: text is written for all of them at once, and every
 * CPU is asked once to see it.  The same when they go.
 *
 * What is done about a probe rests on what was recorded when it was registered,
 * never on what its owner's struct says later.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/export.h>
#include <linux/kallsyms.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>

#include <asm/sections.h>

#include "../hooks/quiesce.h"
#include "internal.h"

/* Who is registered, and what text says; see internal.h for the order. */
DEFINE_MUTEX(kprobe_lock);
LIST_HEAD(kprobe_members);
bool kprobes_on;

static const struct rhashtable_params member_params = {
	.key_len		= sizeof(struct kprobe *),
	.key_offset		= offsetof(struct kprobe_member, kp),
	.head_offset		= offsetof(struct kprobe_member, node),
	.automatic_shrinking	= true,
};

static struct rhashtable members;

static struct kprobe_member *find_member(struct kprobe *kp)
{
	return rhashtable_lookup_fast(&members, &kp, member_params);
}

/* A batch: what members and points an operation is about. */
struct batch {
	struct list_head	members;
	struct list_head	points;
	struct list_head	entries;
};

static void batch_begin(struct batch *batch)
{
	INIT_LIST_HEAD(&batch->members);
	INIT_LIST_HEAD(&batch->points);
	INIT_LIST_HEAD(&batch->entries);
}

static void add_point(struct batch *batch, struct kprobe_point *point)
{
	if (list_empty(&point->batch))
		list_add_tail(&point->batch, &batch->points);
}

/* Text as the members want it; points without members go. */
static void apply_points(struct batch *batch)
{
	struct kprobe_point *point, *next;

	kprobe_points_apply(&batch->points);
	list_for_each_entry_safe(point, next, &batch->points, batch) {
		list_del_init(&point->batch);
		if (list_empty(&point->members))
			kprobe_point_drop(point);
	}
}

/* ---- What owners see -------------------------------------------------- */

/* Owners tell by the list whether a probe is registered. */
static LIST_HEAD(registered);

static void show_registered(struct kprobe_member *member, bool entry)
{
	struct kprobe *kp = member->kp;

	INIT_HLIST_NODE(&kp->hlist);
	kp->list.next = &registered;
	kp->list.prev = &registered;
	kp->addr = (kprobe_opcode_t *)member->addr;
	kp->opcode = member->point ?
		arch_kprobe_opcode(&member->point->text) : 0;
	kp->nmissed = 0;
	kp->flags = (member->disabled ? KPROBE_FLAG_DISABLED : 0) |
		    (member->ops ? KPROBE_FLAG_FTRACE : 0) |
		    (entry ? KPROBE_FLAG_ON_FUNC_ENTRY : 0);
}

static void show_unregistered(struct kprobe *kp)
{
	INIT_HLIST_NODE(&kp->hlist);
	INIT_LIST_HEAD(&kp->list);
	kp->flags &= ~(KPROBE_FLAG_OPTIMIZED | KPROBE_FLAG_FTRACE);
}

/* What is refused with others may be tried again. */
static void show_refused(struct batch *batch)
{
	struct kprobe_member *member;

	list_for_each_entry(member, &batch->members, batch)
		member->kp->addr = member->given;
}

/* ---- Coming ----------------------------------------------------------- */

static int place_member(struct kprobe_member *member,
			const struct kprobe_place *place)
{
	struct kprobe_point *point;
	int ret;

	if (place->site)
		return kprobe_entry_init(member);
	kprobe_opt_make_way(member->addr);
	point = kprobe_point_get(member->addr);
	if (IS_ERR(point))
		return PTR_ERR(point);
	ret = kprobe_point_add(point, member);
	if (ret && list_empty(&point->members))
		kprobe_point_drop(point);
	return ret;
}

static void unplace_member(struct kprobe_member *member, struct batch *batch)
{
	struct kprobe_point *point = member->point;

	if (!point)
		return;
	kprobe_point_del(point, member);
	add_point(batch, point);
}

static struct kprobe_member *record(struct kprobe *kp, unsigned long addr,
				    struct kretprobe_record *ret)
{
	struct kprobe_member *member = kzalloc(sizeof(*member), GFP_KERNEL);

	if (!member)
		return NULL;
	member->kp = kp;
	member->addr = addr;
	member->given = kp->addr;
	if (!ret) {
		member->pre = kp->pre_handler;
		member->post = kp->post_handler;
	}
	member->disabled = kp->flags & KPROBE_FLAG_DISABLED;
	member->ret = ret;
	member->stock = ret ? ret->rh->stock : NULL;
	INIT_LIST_HEAD(&member->batch);
	return member;
}

static int prepare(struct kprobe *kp, struct kretprobe_record *returns,
		   struct batch *batch)
{
	struct kprobe_member *member;
	struct kprobe_place place;
	int ret;

	if (!kp)
		return -EINVAL;
	ret = kprobe_find_place(kp, &place);
	if (ret)
		return ret;
	if (find_member(kp))
		return -EINVAL;
	if (returns && (!place.entry || arch_kprobe_no_return(place.addr)))
		return -EINVAL;
	ret = kprobe_check_place(&place);
	if (ret)
		return ret;

	member = record(kp, place.addr, returns);
	if (!member)
		return -ENOMEM;
	ret = rhashtable_insert_fast(&members, &member->node, member_params);
	if (!ret) {
		ret = place_member(member, &place);
		if (ret)
			rhashtable_remove_fast(&members, &member->node,
					       member_params);
	}
	if (ret) {
		kfree(member);
		return ret;
	}
	list_add_tail(&member->list, &kprobe_members);
	list_add_tail(&member->batch, &batch->members);
	show_registered(member, place.entry);
	return 0;
}

static bool wants_entry(const struct kprobe_member *member)
{
	return member->ops && kprobes_on && !member->disabled && !member->gone;
}

static int attach_entries(struct batch *batch)
{
	struct kprobe_member *member, *next;
	int ret;

	list_for_each_entry_safe(member, next, &batch->members, batch) {
		if (wants_entry(member))
			list_move_tail(&member->batch, &batch->entries);
	}
	ret = kprobe_entries_attach(&batch->entries);
	list_splice_tail_init(&batch->entries, &batch->members);
	return ret;
}

/* The text of all points that a batch is about. */
static void put_in_force(struct batch *batch)
{
	struct kprobe_member *member, *next;

	list_for_each_entry_safe(member, next, &batch->members, batch) {
		if (member->point)
			add_point(batch, member->point);
		list_del_init(&member->batch);
	}
	apply_points(batch);
}

/* Takes all of a batch away again; ftrace_quiesce() and free_batch() follow. */
static void take_away(struct batch *batch)
{
	struct kprobe_member *member, *next;

	list_for_each_entry_safe(member, next, &batch->members, batch) {
		rhashtable_remove_fast(&members, &member->node, member_params);
		list_del(&member->list);
		unplace_member(member, batch);
		if (member->attached)
			list_move_tail(&member->batch, &batch->entries);
	}
	kprobe_entries_detach(&batch->entries);
	list_splice_tail_init(&batch->entries, &batch->members);
	apply_points(batch);
}

/* None of their handlers will run any more; wait for those that do. */
static void free_batch(struct batch *batch)
{
	struct kprobe_member *member, *next;

	if (list_empty(&batch->members))
		return;
	ftrace_quiesce();
	list_for_each_entry_safe(member, next, &batch->members, batch) {
		show_unregistered(member->kp);
		kprobe_entry_free(member);
		kfree(member);
	}
}

/**
 * kprobe_register - register probes
 * @kps:  the owners' structs
 * @rets: for each the return probe that it is of; or NULL
 * @num:  how many
 *
 * Context: process, may sleep; takes kprobe_lock.
 * Return: as register_kprobes().
 */
int kprobe_register(struct kprobe **kps, struct kretprobe_record **rets,
		    int num)
{
	struct batch batch;
	int i, ret = 0;

	if (num <= 0 || !kps)
		return -EINVAL;
	batch_begin(&batch);
	mutex_lock(&kprobe_lock);
	for (i = 0; i < num && !ret; i++)
		ret = prepare(kps[i], rets ? rets[i] : NULL, &batch);
	if (!ret)
		ret = attach_entries(&batch);
	if (ret) {
		take_away(&batch);
		show_refused(&batch);
	} else {
		put_in_force(&batch);
	}
	mutex_unlock(&kprobe_lock);
	if (ret)
		free_batch(&batch);
	return ret;
}

/**
 * register_kprobes - put probes on instructions, all or none
 * @kps: the probes
 * @num: how many
 *
 * Handlers may run before this returns.
 *
 * Context: process, may sleep.
 * Return: 0, or with nothing changed:
 * -EINVAL		@num is not positive; of one of them both or neither of
 *			addr and symbol_name are given, it is registered already,
 *			or no probe may be there
 * -ENOENT		there is no such symbol, or the text is about to go
 * -EADDRNOTAVAIL	several symbols have the name
 * -EILSEQ		no instruction begins there
 * -EOPNOTSUPP		the instruction cannot be executed elsewhere
 * -EBUSY		somebody else owns the function
 * -ENOMEM
 */
int register_kprobes(struct kprobe **kps, int num)
{
	return kprobe_register(kps, NULL, num);
}
EXPORT_SYMBOL_GPL(register_kprobes);

/**
 * register_kprobe - put a probe on an instruction
 * @p: the probe
 *
 * Context: process, may sleep.
 * Return: as register_kprobes().
 */
int register_kprobe(struct kprobe *p)
{
	return register_kprobes(&p, 1);
}
EXPORT_SYMBOL_GPL(register_kprobe);

/* ---- Going ------------------------------------------------------------ */

/**
 * kprobe_unregister - take probes away
 * @kps:  the probes; of one that is not registered addr is set to NULL
 * @rets: filled in with the return probes that they are of; or NULL
 * @num:  how many
 *
 * Context: as unregister_kprobes().
 */
void kprobe_unregister(struct kprobe **kps, struct kretprobe_record **rets,
		       int num)
{
	struct kprobe_member *member;
	struct batch batch;
	int i;

	batch_begin(&batch);
	mutex_lock(&kprobe_lock);
	for (i = 0; i < num; i++) {
		if (!kps[i])
			continue;
		member = find_member(kps[i]);
		if (!member) {
			kps[i]->addr = NULL;
			continue;
		}
		/* Twice in the array: it is in the batch already. */
		if (!list_empty(&member->batch))
			continue;
		list_add_tail(&member->batch, &batch.members);
		if (rets)
			rets[i] = member->ret;
	}
	take_away(&batch);
	mutex_unlock(&kprobe_lock);
	free_batch(&batch);
}

/**
 * unregister_kprobes - take probes away
 * @kps: the probes; of one that is not registered addr is set to NULL
 * @num: how many
 *
 * When this returns no handler of them runs, or will.
 *
 * Context: process, may sleep; not from a handler.
 */
void unregister_kprobes(struct kprobe **kps, int num)
{
	if (num > 0 && kps)
		kprobe_unregister(kps, NULL, num);
}
EXPORT_SYMBOL_GPL(unregister_kprobes);

/**
 * unregister_kprobe - take a probe away
 * @p: the probe
 *
 * Context: process, may sleep; not from a handler.
 */
void unregister_kprobe(struct kprobe *p)
{
	unregister_kprobes(&p, 1);
}
EXPORT_SYMBOL_GPL(unregister_kprobe);

/* ---- Disabling and enabling ------------------------------------------- */

/* Bring a member's text or hook into line with what it and kprobes_on say. */
static int apply_member(struct kprobe_member *member, struct batch *batch)
{
	int ret = 0;

	if (member->point) {
		ret = kprobe_point_update(member->point, GFP_KERNEL);
		if (!ret)
			add_point(batch, member->point);
	} else if (member->ops && member->attached != wants_entry(member)) {
		list_add(&member->batch, &batch->entries);
		if (member->attached)
			kprobe_entries_detach(&batch->entries);
		else
			ret = kprobe_entries_attach(&batch->entries);
		list_del_init(&member->batch);
	}
	return ret;
}

static int set_disabled(struct kprobe *kp, bool disabled)
{
	struct kprobe_member *member;
	struct batch batch;
	int ret = -EINVAL;

	batch_begin(&batch);
	mutex_lock(&kprobe_lock);
	member = find_member(kp);
	if (!member || (member->gone && !disabled))
		goto out;
	ret = 0;
	if (member->disabled == disabled)
		goto out;
	member->disabled = disabled;
	ret = apply_member(member, &batch);
	if (ret) {
		member->disabled = !disabled;
		goto out;
	}
	apply_points(&batch);
	if (disabled)
		kp->flags |= KPROBE_FLAG_DISABLED;
	else
		kp->flags &= ~KPROBE_FLAG_DISABLED;
out:
	mutex_unlock(&kprobe_lock);
	return ret;
}

/**
 * disable_kprobe - let no more hits of a probe call its handlers
 * @kp: the probe
 *
 * Context: process, may sleep.
 * Return: 0, also if it was so; -EINVAL: it is not registered; -ENOMEM.
 */
int disable_kprobe(struct kprobe *kp)
{
	return set_disabled(kp, true);
}
EXPORT_SYMBOL_GPL(disable_kprobe);

/**
 * enable_kprobe - let hits of a probe call its handlers
 * @kp: the probe
 *
 * Context: process, may sleep.
 * Return: 0, also if it was so; -EINVAL: it is not registered, or its text is
 * gone; -ENOMEM, -EBUSY: as register_kprobes().
 */
int enable_kprobe(struct kprobe *kp)
{
	return set_disabled(kp, false);
}
EXPORT_SYMBOL_GPL(enable_kprobe);

/**
 * kprobe_set_all - disarm all probes, or arm those that are enabled
 * @on: which
 *
 * Each probe's own state stays.
 *
 * Context: process, may sleep; takes kprobe_lock.
 * Return: of how many it could not be done, for want of memory.
 */
unsigned int kprobe_set_all(bool on)
{
	struct kprobe_member *member;
	unsigned int failed = 0;
	struct batch batch;

	batch_begin(&batch);
	mutex_lock(&kprobe_lock);
	kprobes_on = on;
	list_for_each_entry(member, &kprobe_members, list)
		failed += !!apply_member(member, &batch);
	apply_points(&batch);
	mutex_unlock(&kprobe_lock);
	return failed;
}

/* ---- Text that goes --------------------------------------------------- */

/**
 * kprobe_text_gone - let probes in a range of text be gone
 * @start: first byte
 * @end:   the byte behind it
 *
 * They stay registered until their owners unregister them.
 *
 * Context: process, may sleep; takes kprobe_lock.  Nobody is in the text.
 */
void kprobe_text_gone(unsigned long start, unsigned long end)
{
	struct kprobe_member *member;
	struct batch batch;

	batch_begin(&batch);
	mutex_lock(&kprobe_lock);
	list_for_each_entry(member, &kprobe_members, list) {
		if (member->addr < start || member->addr >= end)
			continue;
		member->gone = true;
		member->kp->flags |= KPROBE_FLAG_GONE;
		unplace_member(member, &batch);
		apply_member(member, &batch);
	}
	apply_points(&batch);
	mutex_unlock(&kprobe_lock);
}

static int __init kprobes_init(void)
{
	int ret;

	ret = rhashtable_init(&members, &member_params);
	if (!ret)
		ret = kprobe_table_init();
	if (!ret)
		ret = kprobe_reserved_init();
	if (!ret)
		ret = kprobe_blacklist_init();
	kprobes_on = !ret;
	return ret;
}
early_initcall(kprobes_init);
