// SPDX-License-Identifier: GPL-2.0
/*
 * Points by address.
 *
 * A hit looks its point up here, so a lookup costs the same whatever the number
 * of points: the table doubles when it has as many points as buckets.  A point
 * has two links.  A larger table is filled with the links that the present one
 * does not use, then it takes its place, and after a grace period the links of
 * the old one are free to be used next time.
 *
 * Changes need kprobe_lock.  Readers are under RCU: breakpoint handlers are.
 */
#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "internal.h"

#define FIRST_BITS	6

struct point_table {
	unsigned int		bits;
	unsigned int		link;
	struct hlist_head	bucket[];
};

static struct point_table __rcu *table;
static unsigned int nr_points;

static __always_inline unsigned int bucket_of(const struct point_table *t,
					      unsigned long addr)
{
	return hash_64(addr, t->bits);
}

static struct point_table *make_table(unsigned int bits, unsigned int link)
{
	struct point_table *t;

	t = kvzalloc(struct_size(t, bucket, 1UL << bits), GFP_KERNEL);
	if (t) {
		t->bits = bits;
		t->link = link;
	}
	return t;
}

static struct point_table *present(void)
{
	return rcu_dereference_protected(table, lockdep_is_held(&kprobe_lock));
}

/**
 * kprobe_table_init - make the table
 *
 * Context: boot.
 * Return: 0 or -ENOMEM.
 */
int __init kprobe_table_init(void)
{
	RCU_INIT_POINTER(table, make_table(FIRST_BITS, 0));
	return rcu_access_pointer(table) ? 0 : -ENOMEM;
}

/* Without memory the table stays as it is: slower, not wrong. */
static void grow(struct point_table *old)
{
	struct point_table *new = make_table(old->bits + 1, !old->link);
	struct kprobe_point *point;
	unsigned int i;

	if (!new)
		return;
	for (i = 0; i < 1U << old->bits; i++) {
		hlist_for_each_entry(point, &old->bucket[i], node[old->link])
			hlist_add_head_rcu(&point->node[new->link],
					   &new->bucket[bucket_of(new, point->addr)]);
	}
	rcu_assign_pointer(table, new);
	synchronize_rcu();
	kvfree(old);
}

/**
 * kprobe_table_add - let a point be found
 * @point: the point
 *
 * Context: kprobe_lock is held; may sleep.
 */
void kprobe_table_add(struct kprobe_point *point)
{
	struct point_table *t = present();

	if (nr_points >> t->bits) {
		grow(t);
		t = present();
	}
	hlist_add_head_rcu(&point->node[t->link],
			   &t->bucket[bucket_of(t, point->addr)]);
	nr_points++;
}

/**
 * kprobe_table_del - let a point not be found any more
 * @point: the point; it is freed after an RCU grace period only
 *
 * Context: kprobe_lock is held.
 */
void kprobe_table_del(struct kprobe_point *point)
{
	hlist_del_rcu(&point->node[present()->link]);
	nr_points--;
}

/**
 * kprobe_point_at - the point at an address
 * @addr: the address
 *
 * Context: any, under RCU; on the hit path.  Or kprobe_lock is held.
 * Return: the point, or NULL.
 */
notrace struct kprobe_point *kprobe_point_at(unsigned long addr)
{
	struct point_table *t = rcu_dereference_raw(table);
	struct kprobe_point *point;
	struct hlist_head *head;

	/* The kernel tries its breakpoints before there are probes. */
	if (!t)
		return NULL;
	head = &t->bucket[bucket_of(t, addr)];
	if (t->link) {
		hlist_for_each_entry_rcu_notrace(point, head, node[1]) {
			if (point->addr == addr)
				return point;
		}
	} else {
		hlist_for_each_entry_rcu_notrace(point, head, node[0]) {
			if (point->addr == addr)
				return point;
		}
	}
	return NULL;
}

NOKPROBE_SYMBOL(kprobe_point_at);
