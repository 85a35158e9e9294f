// SPDX-License-Identifier: GPL-2.0
/*
 * One probed instruction: whoever is registered there, and its text.
 *
 *	members		calls		text
 *	none		NULL		as the compiler left it; about to be freed
 *	some		NULL		the same: all are disabled
 *	some		some		breakpoint, or a jump to the detour
 *
 * Members come and go, are enabled and disabled; kprobe_point_update() makes the
 * list of those whose handlers are called; kprobe_points_apply() brings the text
 * of many points into line at once.
 */
#include <linux/cpu.h>
#include <linux/slab.h>

#include "internal.h"

/**
 * kprobe_point_get - the point at an address, made where there is none
 * @addr: the address, which may be probed
 *
 * Context: kprobe_lock is held; may sleep.
 * Return: the point; ERR_PTR() of what arch_kprobe_prepare() says; -ENOMEM.
 */
struct kprobe_point *kprobe_point_get(unsigned long addr)
{
	struct kprobe_point *point = kprobe_point_at(addr);
	int ret;

	if (point)
		return point;
	point = kzalloc(sizeof(*point), GFP_KERNEL);
	if (!point)
		return ERR_PTR(-ENOMEM);
	point->addr = addr;
	INIT_LIST_HEAD(&point->members);
	INIT_LIST_HEAD(&point->batch);
	INIT_LIST_HEAD(&point->opt);
	ret = arch_kprobe_prepare(point);
	if (ret) {
		kfree(point);
		return ERR_PTR(ret);
	}
	kprobe_table_add(point);
	return point;
}

static struct kprobe_calls *calls_of(struct kprobe_point *point)
{
	return rcu_dereference_protected(point->calls,
					 lockdep_is_held(&kprobe_lock));
}

static bool called(const struct kprobe_member *member)
{
	return kprobes_on && !member->disabled;
}

/**
 * kprobe_point_update - let hits call the handlers of those who want it
 * @point: the point
 * @gfp:   how to allocate the list of them
 *
 * Whoever is not called any more may run for an RCU grace period still.
 *
 * Context: kprobe_lock is held; may sleep.
 * Return: 0 or -ENOMEM, and nothing changed.
 */
int kprobe_point_update(struct kprobe_point *point, gfp_t gfp)
{
	struct kprobe_calls *calls = NULL, *old = calls_of(point);
	struct kprobe_member *member;
	unsigned int nr = 0;

	list_for_each_entry(member, &point->members, at)
		nr += called(member);
	if (nr) {
		calls = kzalloc(struct_size(calls, member, nr), gfp);
		if (!calls)
			return -ENOMEM;
	}
	list_for_each_entry(member, &point->members, at) {
		if (!called(member))
			continue;
		calls->member[calls->nr++] = member;
		calls->post |= !!member->post;
	}
	if (calls && calls->post)
		kprobe_opt_end(point);
	rcu_assign_pointer(point->calls, calls);
	if (old)
		kfree_rcu(old, rcu);
	return 0;
}

/**
 * kprobe_point_add - add a member
 * @point:  the point
 * @member: the member, linked nowhere yet
 *
 * Context: kprobe_lock is held; may sleep.
 * Return: 0; -ENOMEM, -EINVAL, -EOPNOTSUPP, and nothing changed.
 */
int kprobe_point_add(struct kprobe_point *point, struct kprobe_member *member)
{
	int ret;

	if (member->post) {
		ret = arch_kprobe_prepare_post(point);
		if (ret)
			return ret;
	}
	list_add_tail(&member->at, &point->members);
	ret = kprobe_point_update(point, GFP_KERNEL);
	if (ret)
		list_del(&member->at);
	else
		member->point = point;
	return ret;
}

/**
 * kprobe_point_del - remove a member
 * @point:  the point
 * @member: the member
 *
 * Context: kprobe_lock is held; may sleep.  Its handlers may run for an RCU grace
 * period still.
 */
void kprobe_point_del(struct kprobe_point *point, struct kprobe_member *member)
{
	list_del(&member->at);
	member->point = NULL;
	kprobe_point_update(point, GFP_KERNEL | __GFP_NOFAIL);
}

/**
 * kprobe_point_show_jump - let members' flags say whether there is a jump
 * @point: the point
 *
 * Context: kprobe_lock is held.
 */
void kprobe_point_show_jump(struct kprobe_point *point)
{
	struct kprobe_member *member;

	list_for_each_entry(member, &point->members, at) {
		if (point->detour)
			member->kp->flags |= KPROBE_FLAG_OPTIMIZED;
		else
			member->kp->flags &= ~KPROBE_FLAG_OPTIMIZED;
	}
}

/**
 * kprobe_points_apply - bring the text of points into line with their members
 * @points: the points, by their batch
 *
 * Context: kprobe_lock is held; takes cpus_read_lock and text_mutex; sleeps.
 */
void kprobe_points_apply(struct list_head *points)
{
	struct kprobe_point *point;

	if (list_empty(points))
		return;
	kprobe_opt_undo(points);
	cpus_read_lock();
	arch_kprobe_text_begin();
	list_for_each_entry(point, points, batch) {
		bool want = rcu_access_pointer(point->calls);

		if (want && !point->armed)
			arch_kprobe_arm(point);
		else if (!want && point->armed)
			arch_kprobe_disarm(point);
		point->armed = want;
	}
	arch_kprobe_text_end();
	cpus_read_unlock();
	list_for_each_entry(point, points, batch) {
		kprobe_point_show_jump(point);
		kprobe_opt_wish(point);
	}
}

/**
 * kprobe_point_drop - free a point that has no members
 * @point: the point; its text is as the compiler left it, or went
 *
 * Context: kprobe_lock is held; may sleep.
 */
void kprobe_point_drop(struct kprobe_point *point)
{
	kprobe_opt_forget(point);
	kprobe_table_del(point);
	kprobe_opt_way_is_free(point->addr);
	arch_kprobe_release(point);
	kfree_rcu(point, rcu);
}
