/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stocks of free nodes.  Each CPU has one and takes from others' only when its
 * own is empty.  Any context may take and put, NMI included.
 *
 * One node of a stock lies beside the others: a call that returns before the next
 * one comes takes it from there and puts it back there, which is one exchange of a
 * word each.
 */
#ifndef _KERNEL_TRACE_RETHOOK_STOCK_H
#define _KERNEL_TRACE_RETHOOK_STOCK_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/rethook.h>

/**
 * struct rethook_top - the top of a stack, changed as one
 * @first: the node there, or NULL
 * @turn:  changes with each change: a node that went and came back is noticed
 */
struct rethook_top {
	struct rethook_node	*first;
	unsigned long		turn;
} __aligned(16);

/**
 * struct rethook_stock - free nodes of a CPU
 * @top:    a stack of them
 * @spare:  one more, or NULL
 * @refill: gets more
 * @rh:     whose
 */
struct rethook_stock {
	struct rethook_top	top;
	struct rethook_node	*spare;
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
static __always_inline struct rethook_top rethook_top_of(struct rethook_top *at)
{
	struct rethook_top top;

	top.turn = READ_ONCE(at->turn);
	top.first = READ_ONCE(at->first);
	return top;
}

static __always_inline u128 rethook_pair(struct rethook_node *first,
					 unsigned long turn)
{
	return (u128)turn << 64 | (unsigned long)first;
}

/* From @old to @first; if not, @old becomes what is there. */
static __always_inline bool rethook_change(struct rethook_top *at,
					   struct rethook_top *old,
					   struct rethook_node *first)
{
	u128 was = rethook_pair(old->first, old->turn);
	u128 new = rethook_pair(first, old->turn + 1);

	if (likely(arch_try_cmpxchg128((u128 *)at, &was, new)))
		return true;
	old->first = (void *)(unsigned long)was;
	old->turn = was >> 64;
	return false;
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
	struct rethook_top top = rethook_top_of(&stock->top);

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
	struct rethook_top top = rethook_top_of(&stock->top);

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

/* How many nodes there are, without the spare one. */
static inline unsigned int rethook_depth(struct rethook_stock *stock)
{
	struct rethook_node *first = READ_ONCE(stock->top.first);

	return first ? READ_ONCE(first->below) + 1 : 0;
}

/* ---- pool.c ----------------------------------------------------------- */

struct rethook_node *rethook_take_more(struct rethook_stock *stock);
void rethook_give_more(struct rethook_stock *stock, struct rethook_node *node);
void rethook_put_stopped(struct rethook_node *node);

/* ---- What a hit does -------------------------------------------------- */

static __always_inline struct rethook_node *
rethook_take_spare(struct rethook_stock *stock)
{
	return raw_xchg(&stock->spare, NULL);
}

/**
 * rethook_take - take a node
 * @stock: this CPU's
 *
 * Context: any, with preemption off.
 * Return: the node; NULL where there is none.
 */
static __always_inline struct rethook_node *
rethook_take(struct rethook_stock *stock)
{
	struct rethook_node *node = rethook_take_spare(stock);

	return likely(node) ? node : rethook_take_more(stock);
}

/**
 * rethook_give - give a node back to a stock
 * @stock: this CPU's, of the node's hook
 * @node:  the node, in no list
 *
 * Context: any, with preemption off since the hook was seen not to be stopped.
 */
static __always_inline void rethook_give(struct rethook_stock *stock,
					 struct rethook_node *node)
{
	struct rethook_node *none = NULL;

	if (unlikely(!raw_try_cmpxchg(&stock->spare, &none, node)))
		rethook_give_more(stock, node);
}

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
		rethook_give(raw_cpu_ptr(rh->stock), node);
	else
		rethook_put_stopped(node);
}

#endif /* _KERNEL_TRACE_RETHOOK_STOCK_H */
