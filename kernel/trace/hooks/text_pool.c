// SPDX-License-Identifier: GPL-2.0
/* Executable memory in small pieces; see text_pool.h. */
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/set_memory.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "text_pool.h"

/* Pages; with their owners a block then takes 8 KiB of slab, not 16. */
#define LARGEST_GROWTH		15

/* Where executable memory may not be had yet, an architecture has some. */
#ifndef arch_text_early
static inline void *arch_text_early(size_t *size, bool *too_early)
{
	*too_early = false;
	return NULL;
}
#endif

struct text_block {
	struct latch_tree_node	node;
	struct list_head	list;
	struct rcu_work		free;
	unsigned long		start;
	unsigned long		end;
	unsigned int		nr;		/* granules */
	unsigned int		used;
	unsigned int		next;		/* where to search first */
	unsigned int		too_many;	/* granules in a row: there are not */
	bool			early;		/* not to be freed */
	void			*owner[] __counted_by(nr);
};

static __always_inline bool block_less(struct latch_tree_node *a,
				       struct latch_tree_node *b)
{
	return container_of(a, struct text_block, node)->start <
	       container_of(b, struct text_block, node)->start;
}

static __always_inline int block_compare(void *key, struct latch_tree_node *n)
{
	struct text_block *block = container_of(n, struct text_block, node);
	unsigned long addr = (unsigned long)key;

	if (addr < block->start)
		return -1;
	return addr >= block->end;
}

static const struct latch_tree_ops block_tree_ops = {
	.less = block_less,
	.comp = block_compare,
};

static struct text_block *block_at(struct text_pool *pool, unsigned long addr)
{
	struct latch_tree_node *node;

	node = latch_tree_find((void *)addr, &pool->tree, &block_tree_ops);
	return node ? container_of(node, struct text_block, node) : NULL;
}

/**
 * text_pool_owner - the owner of the piece that an address is in
 * @pool: the pool
 * @addr: the address
 *
 * Context: any, under RCU or with preemption off.
 * Return: the owner, or NULL.
 */
void *text_pool_owner(struct text_pool *pool, unsigned long addr)
{
	struct text_block *block = block_at(pool, addr);

	if (!block)
		return NULL;
	return READ_ONCE(block->owner[(addr - block->start) / pool->granule]);
}

/**
 * text_pool_has - whether an address is in a piece of a pool
 * @pool: the pool
 * @addr: the address
 *
 * Context: any, with RCU watching.
 * Return: true from before the first use until after the last task has left.
 */
bool text_pool_has(struct text_pool *pool, unsigned long addr)
{
	bool ret;

	preempt_disable_notrace();
	ret = text_pool_owner(pool, addr);
	preempt_enable_notrace();
	return ret;
}

static void tell_perf(const struct text_pool *pool,
		      const struct text_block *block, bool gone)
{
	if (pool->symbol)
		perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, block->start,
				   block->end - block->start, gone,
				   pool->symbol);
}

static void *alloc_text(struct text_pool *pool, size_t size)
{
	void *text = execmem_alloc(pool->type, size);

	if (!text)
		return NULL;
	arch_text_trap(text, size);
	if (!set_memory_rox((unsigned long)text, size / PAGE_SIZE))
		return text;
	execmem_free(text);
	return NULL;
}

static size_t block_size(const struct text_pool *pool, size_t size)
{
	unsigned int pages = min(1U << min(pool->nr, 8U), LARGEST_GROWTH);

	return max_t(size_t, pages * PAGE_SIZE, PAGE_ALIGN(size));
}

static struct text_block *add_block(struct text_pool *pool, size_t want)
{
	size_t size = block_size(pool, want);
	struct text_block *block;
	bool too_early;
	unsigned int nr;
	void *early, *text;

	early = arch_text_early(&size, &too_early);
	if (too_early && (!early || size < want))
		return NULL;
	nr = size / pool->granule;
	block = kvzalloc(struct_size(block, owner, nr), GFP_KERNEL);
	if (!block)
		return NULL;
	text = early ?: alloc_text(pool, size);
	if (!text) {
		kvfree(block);
		return NULL;
	}

	block->start = (unsigned long)text;
	block->end = block->start + size;
	block->nr = nr;
	block->too_many = nr + 1;
	block->early = early;
	list_add_rcu(&block->list, &pool->blocks);
	latch_tree_insert(&block->node, &pool->tree, &block_tree_ops);
	pool->nr++;
	tell_perf(pool, block, false);
	return block;
}

/* Index of the first of @want free granules in a row, or the block's end. */
static unsigned int search(struct text_block *block, unsigned int from,
			   unsigned int to, unsigned int want)
{
	unsigned int i, run = 0;

	for (i = from; i < to; i++) {
		run = block->owner[i] ? 0 : run + 1;
		if (run == want)
			return i + 1 - want;
	}
	return block->nr;
}

/* The same, without going through what is taken each time. */
static unsigned int find_room(struct text_block *block, unsigned int want)
{
	unsigned int first;

	if (want >= block->too_many)
		return block->nr;
	first = search(block, block->next, block->nr, want);
	if (first == block->nr)
		first = search(block, 0, min(block->next + want, block->nr),
			       want);
	if (first == block->nr)
		block->too_many = want;
	else
		block->next = first + want;
	return first;
}

static void set_owner(struct text_block *block, unsigned int first,
		      unsigned int nr, void *owner)
{
	unsigned int i;

	for (i = first; i < first + nr; i++)
		WRITE_ONCE(block->owner[i], owner);
	if (owner) {
		block->used += nr;
	} else {
		block->used -= nr;
		block->next = first;
		block->too_many = block->nr + 1;
	}
}

/**
 * text_pool_take - room for a piece of code
 * @pool:  the pool
 * @size:  bytes
 * @owner: what text_pool_owner() is to say of it
 *
 * Context: process, may sleep; the pool's lock is held.
 * Return: where, full of trapping instructions; 0 without memory.
 */
unsigned long text_pool_take(struct text_pool *pool, size_t size, void *owner)
{
	unsigned int first = 0, want = DIV_ROUND_UP(size, pool->granule);
	struct text_block *block;

	list_for_each_entry(block, &pool->blocks, list) {
		first = find_room(block, want);
		if (first < block->nr)
			goto found;
	}
	block = add_block(pool, size);
	if (!block)
		return 0;
	first = find_room(block, want);
found:
	set_owner(block, first, want, owner);
	return block->start + first * pool->granule;
}

static void free_block(struct work_struct *work)
{
	struct text_block *block = container_of(to_rcu_work(work),
						struct text_block, free);

	execmem_free((void *)block->start);
	kvfree(block);
}

/**
 * text_pool_give - give a piece back
 * @pool:  the pool
 * @start: the piece; no task is in it or will come to it
 * @size:  bytes
 *
 * Context: process, may sleep; the pool's lock is held.
 */
void text_pool_give(struct text_pool *pool, unsigned long start, size_t size)
{
	struct text_block *block = block_at(pool, start);

	arch_text_write((void *)start, NULL, size);
	set_owner(block, (start - block->start) / pool->granule,
		  DIV_ROUND_UP(size, pool->granule), NULL);
	if (block->used || block->early || list_is_singular(&pool->blocks) ||
	    !system_wq)
		return;

	tell_perf(pool, block, true);
	latch_tree_erase(&block->node, &pool->tree, &block_tree_ops);
	list_del_rcu(&block->list);
	pool->nr--;
	INIT_RCU_WORK(&block->free, free_block);
	queue_rcu_work(system_wq, &block->free);
}

/**
 * text_pool_each - do something with each owner of a piece
 * @pool: the pool
 * @fn:   what to do
 *
 * Context: the pool's lock is held.
 */
void text_pool_each(struct text_pool *pool, void (*fn)(void *owner))
{
	struct text_block *block;
	void *owner, *last = NULL;
	unsigned int i;

	list_for_each_entry(block, &pool->blocks, list) {
		for (i = 0; i < block->nr; i++) {
			owner = block->owner[i];
			if (owner && owner != last)
				fn(owner);
			last = owner;
		}
	}
}

/**
 * text_pool_block - enumerate a pool's blocks, for /proc/kallsyms
 * @pool:  the pool
 * @nr:    number of the block, from 0
 * @start: set to its address
 *
 * Context: any.
 * Return: 0, or -ERANGE where there are fewer.
 */
int text_pool_block(struct text_pool *pool, unsigned int nr,
		    unsigned long *start)
{
	struct text_block *block;
	int ret = -ERANGE;

	rcu_read_lock();
	list_for_each_entry_rcu(block, &pool->blocks, list) {
		if (nr--)
			continue;
		*start = block->start;
		ret = 0;
		break;
	}
	rcu_read_unlock();
	return ret;
}
