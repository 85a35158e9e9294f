/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks of free nodes.  Each CPU has one and takes from others' only when its
 * own is empty.  Any context may take and put, NMI included.
 */
#ifndef _KERNEL_TRACE_RETHOOK_STOCK_H
#define _KERNEL_TRACE_RETHOOK_STOCK_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/rethook.h>

/**
 * union rethook_top - the top of a stack
 * @first: the node there, or NULL
 * @turn:  changes with each change: a node that went and came back is noticed
 * @both:  the two
 */
union rethook_top {
	struct {
		struct rethook_node	*first;
		unsigned long		turn;
	};
	u128				both;
};

/**
 * struct rethook_stock - free nodes of a CPU
 * @top:    the stack
 * @refill: gets more
 * @rh:     whose
 */
struct rethook_stock {
	union rethook_top	top;
	struct irq_work		refill;
	struct rethook		*rh;
};

/*
 * A growing pool's CPU that has fewer than LOW free nodes left is given more
 * until it has FILL.  What another one has above SURPLUS is taken first.
 */
#define RETHOOK_LOW	16
#define RETHOOK_FILL	32
#define RETHOOK_SURPLUS	64

/* A wrong pair of the two is found out by the exchange. */
static __always_inline union rethook_top rethook_top_of(union rethook_top *at)
{
	union rethook_top top;

	top.turn = READ_ONCE(at->turn);
	top.first = READ_ONCE(at->first);
	return top;
}

static __always_inline bool rethook_change(union rethook_top *at,
					   union rethook_top *old,
					   struct rethook_node *first)
{
	union rethook_top new = { .first = first, .turn = old->turn + 1 };

	return arch_try_cmpxchg128(&at->both, &old->both, new.both);
}

static __always_inline struct rethook_node *
rethook_below(struct rethook_node *node)
{
	struct llist_node *next = READ_ONCE(node->llist.next);

	return next ? container_of(next, struct rethook_node, llist) : NULL;
}

static __always_inline struct rethook_node *
rethook_pop(struct rethook_stock *stock)
{
	union rethook_top top = rethook_top_of(&stock->top);

	do {
		if (unlikely(!top.first))
			return NULL;
	} while (unlikely(!rethook_change(&stock->top, &top,
					  rethook_below(top.first))));
	return top.first;
}

static __always_inline void rethook_push(struct rethook_stock *stock,
					 struct rethook_node *node)
{
	union rethook_top top = rethook_top_of(&stock->top);

	do {
		if (likely(top.first)) {
			WRITE_ONCE(node->llist.next, &top.first->llist);
			node->below = READ_ONCE(top.first->below) + 1;
		} else {
			WRITE_ONCE(node->llist.next, NULL);
			node->below = 0;
		}
	} while (unlikely(!rethook_change(&stock->top, &top, node)));
}

/* How many nodes there are. */
static inline unsigned int rethook_depth(struct rethook_stock *stock)
{
	struct rethook_node *first = READ_ONCE(stock->top.first);

	return first ? READ_ONCE(first->below) + 1 : 0;
}

/* ---- pool.c ----------------------------------------------------------- */

struct rethook_node *rethook_get_elsewhere(struct rethook *rh);
void rethook_put_stopped(struct rethook_node *node);

/**
 * rethook_put - give a node back
 * @node: the node, in no list
 *
 * Context: any, with preemption off.
 */
static __always_inline void rethook_put(struct rethook_node *node)
{
	struct rethook *rh = node->rethook;

	if (likely(READ_ONCE(rh->handler)))
		rethook_push(raw_cpu_ptr(rh->stock), node);
	else
		rethook_put_stopped(node);
}

#endif /* _KERNEL_TRACE_RETHOOK_STOCK_H */
