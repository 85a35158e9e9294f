// SPDX-License-Identifier: GPL-2.0
/*
 * Pools of nodes.  One has as many as its owner said and not one more, or it
 * grows: then a CPU whose stock runs low interrupts itself and gets more, before
 * what is running there goes on.
 *
 * So a call finds no node in a growing pool only if more than RETHOOK_LOW calls
 * in a row were entered on its CPU, none of which returned, without interrupts
 * being on in between, and no other CPU had any; or if there is no memory.  A
 * task that sleeps in a call, and any task that is switched to, has had them on.
 */
#include <linux/kprobes.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "stock.h"

/**
 * struct chunk - memory of nodes
 * @llist: in rethook.chunks
 * @nodes: the nodes
 */
struct chunk {
	struct llist_node	llist;
	char			nodes[] __aligned(sizeof(long));
};

/* Adds at most @want nodes to the stock of @cpu. */
static unsigned int add_chunk(struct rethook *rh, int cpu, unsigned int want,
			      gfp_t gfp)
{
	struct rethook_stock *stock = per_cpu_ptr(rh->stock, cpu);
	unsigned int nr, i;
	struct chunk *chunk;

	/* Pieces of a page: larger ones are hard to get. */
	nr = clamp((PAGE_SIZE - sizeof(*chunk)) / rh->size, 1, want);
	chunk = kzalloc(sizeof(*chunk) + (size_t)nr * rh->size,
			gfp | __GFP_NOWARN);
	if (!chunk)
		return 0;
	llist_add(&chunk->llist, &rh->chunks);
	atomic_add(nr, &rh->nr);
	for (i = 0; i < nr; i++) {
		struct rethook_node *node = (void *)chunk->nodes + i * rh->size;

		node->rethook = rh;
		rethook_push(stock, node);
	}
	return nr;
}

/* Moves a node to the stock of @to that another CPU does not need. */
static bool move_surplus(struct rethook *rh, int to)
{
	struct rethook_node *node;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct rethook_stock *stock = per_cpu_ptr(rh->stock, cpu);

		if (cpu == to || rethook_depth(stock) <= RETHOOK_SURPLUS)
			continue;
		node = rethook_pop(stock);
		if (node) {
			rethook_push(per_cpu_ptr(rh->stock, to), node);
			return true;
		}
	}
	return false;
}

static bool refill(struct rethook *rh, int cpu, gfp_t gfp)
{
	struct rethook_stock *stock = per_cpu_ptr(rh->stock, cpu);
	unsigned int have;

	while ((have = rethook_depth(stock)) < RETHOOK_FILL) {
		if (!move_surplus(rh, cpu) &&
		    !add_chunk(rh, cpu, RETHOOK_FILL - have, gfp))
			return false;
	}
	return true;
}

static void refill_now(struct irq_work *work)
{
	struct rethook_stock *stock = container_of(work, struct rethook_stock,
						   refill);
	struct rethook *rh = stock->rh;

	if (READ_ONCE(rh->handler) &&
	    !refill(rh, raw_smp_processor_id(), GFP_ATOMIC))
		schedule_work(&rh->work);
}

static void refill_all(struct work_struct *work)
{
	struct rethook *rh = container_of(work, struct rethook, work);
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!refill(rh, cpu, GFP_KERNEL))
			break;
	}
}

/* Of a CPU that has none. */
static struct rethook_node *take_elsewhere(struct rethook *rh)
{
	struct rethook_stock *stock;
	struct rethook_node *node;
	int cpu;

	for_each_possible_cpu(cpu) {
		stock = per_cpu_ptr(rh->stock, cpu);
		node = rethook_take_spare(stock);
		if (!node)
			node = rethook_pop(stock);
		if (node)
			return node;
	}
	return NULL;
}

NOKPROBE_SYMBOL(take_elsewhere);

/* rethook_take() where there is no spare node. */
struct rethook_node *rethook_take_more(struct rethook_stock *stock)
{
	struct rethook_node *node = rethook_pop(stock);
	struct rethook *rh = stock->rh;

	if (unlikely(!node || node->below < RETHOOK_LOW) && rh->grows)
		irq_work_queue(&stock->refill);
	return likely(node) ? node : take_elsewhere(rh);
}

NOKPROBE_SYMBOL(rethook_take_more);

/* rethook_give() where there is one. */
void rethook_give_more(struct rethook_stock *stock, struct rethook_node *node)
{
	rethook_push(stock, node);
}

NOKPROBE_SYMBOL(rethook_give_more);

/* ---- From the first node to the last ---------------------------------- */

static void destroy(struct rethook *rh)
{
	struct chunk *chunk, *next;

	llist_for_each_entry_safe(chunk, next, llist_del_all(&rh->chunks), llist)
		kfree(chunk);
	free_percpu(rh->stock);
	kfree(rh);
}

static void destroy_rcu(struct rcu_head *rcu)
{
	destroy(container_of(rcu, struct rethook, rcu));
}

/* Unwinders of other tasks may still look at nodes. */
static void reap(struct irq_work *work)
{
	struct rethook *rh = container_of(work, struct rethook, reap);

	call_rcu(&rh->rcu, destroy_rcu);
}

/* A node of a stopped hook comes back. */
void rethook_put_stopped(struct rethook_node *node)
{
	struct rethook *rh = node->rethook;

	if (raw_atomic_dec_and_test(&rh->out))
		irq_work_queue(&rh->reap);
}

NOKPROBE_SYMBOL(rethook_put_stopped);

static int fill(struct rethook *rh, unsigned int num)
{
	unsigned int each = DIV_ROUND_UP(num, num_possible_cpus());
	int cpu;

	for_each_possible_cpu(cpu) {
		unsigned int want = rh->grows ? RETHOOK_FILL : min(each, num);

		num -= rh->grows ? 0 : want;
		while (want) {
			unsigned int got = add_chunk(rh, cpu, want, GFP_KERNEL);

			if (!got)
				return -ENOMEM;
			want -= got;
		}
	}
	return 0;
}

static int init_stock(struct rethook *rh)
{
	int cpu;

	rh->stock = alloc_percpu(struct rethook_stock);
	if (!rh->stock)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct rethook_stock *stock = per_cpu_ptr(rh->stock, cpu);

		stock->rh = rh;
		init_irq_work(&stock->refill, refill_now);
	}
	return 0;
}

/**
 * rethook_alloc - make a hook
 * @data:    for the handler
 * @handler: called at returns
 * @size:    bytes of a node, struct rethook_node at its beginning
 * @num:     nodes; RETHOOK_GROWS: as many as are needed
 *
 * Context: process, may sleep.
 * Return: the hook, or an error pointer: -EINVAL: there is no handler, or size or
 * number are absurd; -EOPNOTSUPP: the CPU cannot; -ENOMEM.
 */
struct rethook *rethook_alloc(void *data, rethook_handler_t handler, int size,
			      int num)
{
	struct rethook *rh;

	if (!handler || size < (int)sizeof(struct rethook_node) || num < 0 ||
	    size > KMALLOC_MAX_CACHE_SIZE || num > RETHOOK_MOST)
		return ERR_PTR(-EINVAL);
	if (!system_has_cmpxchg128())
		return ERR_PTR(-EOPNOTSUPP);
	rh = kzalloc(sizeof(*rh), GFP_KERNEL);
	if (!rh)
		return ERR_PTR(-ENOMEM);
	rh->data = data;
	rh->handler = handler;
	rh->grows = num == RETHOOK_GROWS;
	rh->size = ALIGN(size, sizeof(long));
	INIT_WORK(&rh->work, refill_all);
	rh->reap = IRQ_WORK_INIT_HARD(reap);
	if (init_stock(rh) || fill(rh, num)) {
		destroy(rh);
		return ERR_PTR(-ENOMEM);
	}
	return rh;
}

/**
 * rethook_stop - let no more calls be waited for, nor the handler be called
 * @rh: the hook
 *
 * Both may still happen where preemption is off since before.
 *
 * Context: any.
 */
void rethook_stop(struct rethook *rh)
{
	WRITE_ONCE(rh->handler, NULL);
}

/**
 * rethook_free - free a hook when its last call has returned
 * @rh: the hook; it was stopped, and since then ftrace_quiesce() waited
 *
 * Context: process, may sleep.
 */
void rethook_free(struct rethook *rh)
{
	unsigned int out;
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu_ptr(rh->stock, cpu)->refill);
	cancel_work_sync(&rh->work);
	/* Nothing is taken or put any more: the rest is under way. */
	out = atomic_read(&rh->nr) - rethook_nr_free(rh);
	if (!atomic_add_return(out, &rh->out))
		call_rcu(&rh->rcu, destroy_rcu);
}

/**
 * rethook_nr_free - how many nodes are free
 * @rh: the hook; the number is exact if nobody takes or puts meanwhile
 *
 * Context: any.
 * Return: how many of rethook.nr.
 */
unsigned int rethook_nr_free(struct rethook *rh)
{
	unsigned int nr = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct rethook_stock *stock = per_cpu_ptr(rh->stock, cpu);

		nr += rethook_depth(stock) + !!READ_ONCE(stock->spare);
	}
	return nr;
}
