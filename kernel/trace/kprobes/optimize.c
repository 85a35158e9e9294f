// SPDX-License-Identifier: GPL-2.0
/*
 * Jumps in place of breakpoints.
 *
 * A point that may get a jump goes through
 *
 *	wished	it is in the list of wishes
 *	coming	its detour is made, and hits of the breakpoint take it: it has
 *		copies of all instructions that the jump will be written over, so
 *		from now on nobody comes to stand between them
 *	(wait)	tasks that were preempted there are sent on, and all CPUs schedule
 *		(preempted.c)
 *	jump	nobody can be between the instructions: the jump is written
 *
 * Where the jump is written over a single instruction there is nothing to be
 * between, and nothing to wait for.  Where a detour that is gone may yet bring
 * tasks between them, all tasks have to schedule of themselves (tasks RCU).
 *
 * and back at once when somebody asks: the breakpoint is put back first, and the
 * detour stays until the last task has left it.
 *
 * kprobe_lock is dropped while it waits; whoever changes a point meanwhile takes
 * the coming detour away.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/sysctl.h>
#include <linux/workqueue.h>

#include "../hooks/quiesce.h"
#include "internal.h"

/* More probes may come together; a user waits for less than can be noticed. */
#define OPT_DELAY	msecs_to_jiffies(10)

/* Wished for; those of the present round; those of it whose detours are made. */
static LIST_HEAD(wishes);
static LIST_HEAD(present);
static LIST_HEAD(coming);

static bool opt_on __read_mostly = true;
static bool opt_ready;

static void optimize(struct work_struct *work);
static DECLARE_DELAYED_WORK(opt_work, optimize);

static bool may_jump(struct kprobe_point *point)
{
	struct kprobe_calls *calls;

	calls = rcu_dereference_protected(point->calls,
					  lockdep_is_held(&kprobe_lock));
	return opt_on && opt_ready && point->armed && calls && !calls->post;
}

/* Whether another probe is among the bytes of a point's jump. */
static bool has_neighbour(struct kprobe_point *point, unsigned int reach)
{
	unsigned int i;

	for (i = 1; i < reach; i++) {
		if (kprobe_point_at(point->addr + i))
			return true;
	}
	return false;
}

static void cancel_coming(struct kprobe_point *point)
{
	if (!point->coming)
		return;
	WRITE_ONCE(point->bypass, 0);
	arch_kprobe_detour_free(point->coming);
	point->coming = NULL;
}

/**
 * kprobe_opt_wish - have a point given a jump, if it may have one
 * @point: the point
 *
 * Context: kprobe_lock is held.
 */
void kprobe_opt_wish(struct kprobe_point *point)
{
	if (point->detour || !list_empty(&point->opt) || !may_jump(point))
		return;
	list_add_tail(&point->opt, &wishes);
	queue_delayed_work(system_unbound_wq, &opt_work, OPT_DELAY);
}

/**
 * kprobe_opt_forget - forget all about a point's jump
 * @point: the point, without a jump in its text
 *
 * Context: kprobe_lock is held.
 */
void kprobe_opt_forget(struct kprobe_point *point)
{
	list_del_init(&point->opt);
	cancel_coming(point);
}

/* Breakpoints in place of the jumps of a list (by opt), at once. */
static void take_back(struct list_head *points)
{
	struct kprobe_point *point, *next;

	if (list_empty(points))
		return;
	cpus_read_lock();
	arch_kprobe_jumps(points, false);
	cpus_read_unlock();
	list_for_each_entry_safe(point, next, points, opt) {
		list_del_init(&point->opt);
		WRITE_ONCE(point->bypass, 0);
		arch_kprobe_detour_free(point->detour);
		point->detour = NULL;
		kprobe_point_show_jump(point);
	}
}

/**
 * kprobe_opt_end - take a point's jump back, and the one that is coming
 * @point: the point
 *
 * Before post_handlers are to be called there: a hit that calls them goes on
 * behind the instruction, among what may be the jump's bytes.
 *
 * Context: kprobe_lock is held; takes cpus_read_lock and text_mutex; sleeps.
 */
void kprobe_opt_end(struct kprobe_point *point)
{
	LIST_HEAD(back);

	kprobe_opt_forget(point);
	if (point->detour)
		list_add_tail(&point->opt, &back);
	take_back(&back);
}

/**
 * kprobe_opt_undo - take jumps back from points that may have none any more
 * @points: points, by their batch; what is called there is decided
 *
 * Context: kprobe_lock is held; takes cpus_read_lock and text_mutex; sleeps.
 */
void kprobe_opt_undo(struct list_head *points)
{
	struct kprobe_point *point;
	LIST_HEAD(back);

	list_for_each_entry(point, points, batch) {
		if (may_jump(point))
			continue;
		kprobe_opt_forget(point);
		if (point->detour)
			list_add_tail(&point->opt, &back);
	}
	take_back(&back);
}

/**
 * kprobe_opt_make_way - take jumps back that an address is among the bytes of
 * @addr: where another probe is about to be
 *
 * Context: kprobe_lock is held; takes cpus_read_lock and text_mutex; sleeps.
 */
void kprobe_opt_make_way(unsigned long addr)
{
	struct kprobe_point *point;
	unsigned int i;
	LIST_HEAD(back);

	for (i = 1; i < KPROBE_JUMP_REACH; i++) {
		point = kprobe_point_at(addr - i);
		if (!point)
			continue;
		if (point->coming && arch_kprobe_detour_reach(point->coming) > i)
			kprobe_opt_forget(point);
		if (point->detour && arch_kprobe_detour_reach(point->detour) > i)
			list_add_tail(&point->opt, &back);
	}
	take_back(&back);
}

/**
 * kprobe_opt_way_is_free - have points given jumps that a probe was in the way of
 * @addr: where it was
 *
 * Context: kprobe_lock is held.
 */
void kprobe_opt_way_is_free(unsigned long addr)
{
	struct kprobe_point *point;
	unsigned int i;

	for (i = 1; i < KPROBE_JUMP_REACH; i++) {
		point = kprobe_point_at(addr - i);
		if (point)
			kprobe_opt_wish(point);
	}
}

/* Whether a point gets a jump, when it is safe to put it there. */
static bool make_detour(struct kprobe_point *point)
{
	if (point->coming)
		return true;
	/* The latter is little work, and making a detour is much. */
	if (!may_jump(point) || has_neighbour(point, KPROBE_JUMP_SIZE))
		return false;
	point->coming = arch_kprobe_detour_make(point);
	if (!point->coming)
		return false;
	if (has_neighbour(point, arch_kprobe_detour_reach(point->coming))) {
		cancel_coming(point);
		return false;
	}
	WRITE_ONCE(point->bypass, arch_kprobe_detour_bypass(point->coming));
	return true;
}

static void decide(struct list_head *points)
{
	struct kprobe_point *point, *next;

	list_for_each_entry_safe(point, next, points, opt) {
		if (!make_detour(point))
			list_del_init(&point->opt);
	}
}

/**
 * kprobe_opt_decide - find out whose wishes are met
 *
 * Those that cannot be are struck out, so that it shows who will have a jump.
 *
 * Context: kprobe_lock is held; takes cpus_read_lock and text_mutex; sleeps.
 */
void kprobe_opt_decide(void)
{
	decide(&wishes);
	decide(&present);
}

/* Those who register shall not wait for all of them. */
static void make_some_detours(void)
{
	struct kprobe_point *point;
	unsigned int nr = 16;

	while (nr-- && !list_empty(&present)) {
		point = list_first_entry(&present, struct kprobe_point, opt);
		list_del_init(&point->opt);
		if (make_detour(point))
			list_add_tail(&point->opt, &coming);
	}
}

static bool make_detours(void)
{
	bool more, any;

	mutex_lock(&kprobe_lock);
	list_splice_tail_init(&wishes, &present);
	mutex_unlock(&kprobe_lock);
	do {
		mutex_lock(&kprobe_lock);
		make_some_detours();
		more = !list_empty(&present);
		any = !list_empty(&coming);
		mutex_unlock(&kprobe_lock);
		cond_resched();
	} while (more);
	return any;
}

/* Between whose instructions nobody can be. */
enum safe {
	SAFE_ONE,	/* there is only one */
	SAFE_SENT_ON,	/* whoever was there was sent on; but for old detours */
	SAFE_ALL,
};

static bool is_safe(struct kprobe_point *point, enum safe safe)
{
	unsigned int i;

	if (safe == SAFE_ALL || arch_kprobe_detour_whole(point->coming))
		return true;
	if (safe == SAFE_ONE)
		return false;
	for (i = 1; i < arch_kprobe_detour_reach(point->coming); i++) {
		if (kprobe_code_leads_to(point->addr + i))
			return false;
	}
	return true;
}

/* Put those that it is safe to put; whether others are left. */
static bool put_jumps(enum safe safe)
{
	struct kprobe_point *point, *next;
	bool left = false;
	LIST_HEAD(ready);

	list_for_each_entry_safe(point, next, &coming, opt) {
		if (!may_jump(point) ||
		    has_neighbour(point, arch_kprobe_detour_reach(point->coming))) {
			kprobe_opt_forget(point);
			continue;
		}
		if (!is_safe(point, safe)) {
			left = true;
			continue;
		}
		point->detour = point->coming;
		point->coming = NULL;
		list_move_tail(&point->opt, &ready);
	}
	if (list_empty(&ready))
		return left;
	cpus_read_lock();
	arch_kprobe_jumps(&ready, true);
	cpus_read_unlock();
	list_for_each_entry_safe(point, next, &ready, opt) {
		list_del_init(&point->opt);
		kprobe_point_show_jump(point);
	}
	return left;
}

static void optimize(struct work_struct *work)
{
	bool left = false;

	if (make_detours()) {
		mutex_lock(&kprobe_lock);
		left = put_jumps(SAFE_ONE);
		if (left)
			kprobe_move_preempted();
		mutex_unlock(&kprobe_lock);
	}
	if (!left)
		return;

	ftrace_quiesce();
	mutex_lock(&kprobe_lock);
	left = put_jumps(SAFE_SENT_ON);
	kprobe_move_no_more();
	mutex_unlock(&kprobe_lock);
	if (!left)
		return;

	synchronize_rcu_tasks();
	ftrace_quiesce();
	mutex_lock(&kprobe_lock);
	put_jumps(SAFE_ALL);
	mutex_unlock(&kprobe_lock);
}

/**
 * wait_for_kprobe_optimizer - wait until no jump is to be written any more
 *
 * Context: process, may sleep.
 */
void wait_for_kprobe_optimizer(void)
{
	bool done;

	do {
		flush_delayed_work(&opt_work);
		mutex_lock(&kprobe_lock);
		done = list_empty(&wishes);
		mutex_unlock(&kprobe_lock);
	} while (!done);
}

/* ---- The switch ------------------------------------------------------- */

/* Each point once, though several members are there. */
static void collect_points(struct list_head *points)
{
	struct kprobe_member *member;

	list_for_each_entry(member, &kprobe_members, list) {
		if (member->point && list_empty(&member->point->batch))
			list_add_tail(&member->point->batch, points);
	}
}

static void throw_switch(bool on)
{
	struct kprobe_point *point, *next;
	LIST_HEAD(points);

	opt_on = on;
	collect_points(&points);
	kprobe_opt_undo(&points);
	list_for_each_entry_safe(point, next, &points, batch) {
		list_del_init(&point->batch);
		kprobe_opt_wish(point);
	}
}

/* Text of alternatives is settled, and there are workqueues. */
static int __init opt_init(void)
{
	mutex_lock(&kprobe_lock);
	opt_ready = true;
	throw_switch(true);
	mutex_unlock(&kprobe_lock);
	return 0;
}
subsys_initcall(opt_init);

#ifdef CONFIG_SYSCTL
static int opt_sysctl(const struct ctl_table *ctl, int write, void *buffer,
		      size_t *length, loff_t *ppos)
{
	static DEFINE_MUTEX(sysctl_lock);
	struct ctl_table mine = *ctl;
	int ret, value;

	mutex_lock(&sysctl_lock);
	value = READ_ONCE(opt_on);
	mine.data = &value;
	ret = proc_dointvec_minmax(&mine, write, buffer, length, ppos);
	if (!ret && write && value != opt_on) {
		mutex_lock(&kprobe_lock);
		throw_switch(value);
		mutex_unlock(&kprobe_lock);
		if (value)
			pr_info("kprobe jump-optimization is enabled. All kprobes are optimized if possible.\n");
		else
			pr_info("kprobe jump-optimization is disabled. All kprobes are based on software breakpoint.\n");
	}
	mutex_unlock(&sysctl_lock);
	return ret;
}

static struct ctl_table opt_table[] = {
	{
		.procname	= "kprobes-optimization",
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= opt_sysctl,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_ONE,
	},
};

static int __init opt_sysctl_init(void)
{
	register_sysctl_init("debug", opt_table);
	return 0;
}
late_initcall(opt_sysctl_init);
#endif /* CONFIG_SYSCTL */
