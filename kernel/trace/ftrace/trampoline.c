// SPDX-License-Identifier: GPL-2.0
/*
 * Executable memory for trampolines.
 *
 * Memory comes in blocks of pages that are filled with trapping instructions
 * and made read-only and executable at once; code is written through the
 * architecture's text patching, so that no mapping is ever writable and
 * executable.  A block is divided into granules; a trampoline takes as many in
 * a row as it needs, and each granule knows the chain that it is of.  That is
 * how an address is traced back to a chain, by unwinders too, from NMI: blocks
 * are in a latched tree, and blocks and chains live on for an RCU grace period
 * after they can't be found any more.
 *
 * Changes happen under ftrace_lock.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/execmem.h>
#include <linux/perf_event.h>
#include <linux/rbtree_latch.h>
#include <linux/rculist.h>
#include <linux/set_memory.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "arch.h"
#include "internal.h"

#define GRANULE			64
/* Pages; with their owners a block then takes 8 KiB of slab, not 16. */
#define LARGEST_GROWTH		15

struct tramp_block {
	struct latch_tree_node	node;
	struct list_head	list;
	struct rcu_work		free;
	unsigned long		start;
	unsigned int		nr;		/* granules */
	unsigned int		used;
	struct ftrace_chain	*owner[] __counted_by(nr);
};

static LIST_HEAD(blocks);
static unsigned int nr_blocks;

static __always_inline bool block_less(struct latch_tree_node *a,
				       struct latch_tree_node *b)
{
	return container_of(a, struct tramp_block, node)->start <
	       container_of(b, struct tramp_block, node)->start;
}

static __always_inline int block_compare(void *key, struct latch_tree_node *n)
{
	struct tramp_block *block = container_of(n, struct tramp_block, node);
	unsigned long addr = (unsigned long)key;

	if (addr < block->start)
		return -1;
	return addr >= block->start + block->nr * GRANULE;
}

static const struct latch_tree_ops block_tree_ops = {
	.less = block_less,
	.comp = block_compare,
};

static struct latch_tree_root block_tree __cacheline_aligned;

static struct tramp_block *block_at(unsigned long addr)
{
	struct latch_tree_node *node;

	node = latch_tree_find((void *)addr, &block_tree, &block_tree_ops);
	return node ? container_of(node, struct tramp_block, node) : NULL;
}

/**
 * ftrace_tramp_owner - the chain whose trampoline an address is in
 * @addr: the address
 *
 * Context: any, under RCU or with preemption off; the chain stays for as long.
 * Return: the chain, or NULL.
 */
struct ftrace_chain *ftrace_tramp_owner(unsigned long addr)
{
	struct tramp_block *block = block_at(addr);

	if (!block)
		return NULL;
	return READ_ONCE(block->owner[(addr - block->start) / GRANULE]);
}

/**
 * is_ftrace_trampoline - whether an address is in code that we generated
 * @addr: the address
 *
 * Context: any, with RCU watching.
 * Return: true from before the first use until after the last task has left.
 */
bool is_ftrace_trampoline(unsigned long addr)
{
	bool ret;

	preempt_disable_notrace();
	ret = ftrace_tramp_owner(addr);
	preempt_enable_notrace();
	return ret;
}

static struct tramp_block *add_block(size_t size)
{
	unsigned int pages = min(1U << min(nr_blocks, 8U), LARGEST_GROWTH);
	struct tramp_block *block;
	unsigned int nr;
	void *text;

	pages = max_t(unsigned int, pages, DIV_ROUND_UP(size, PAGE_SIZE));
	nr = pages * (PAGE_SIZE / GRANULE);

	block = kvzalloc(struct_size(block, owner, nr), GFP_KERNEL);
	if (!block)
		return NULL;
	text = execmem_alloc(EXECMEM_FTRACE, pages * PAGE_SIZE);
	if (!text)
		goto no_text;
	arch_ftrace_text_trap(text, pages * PAGE_SIZE);
	if (set_memory_rox((unsigned long)text, pages))
		goto no_rox;

	block->start = (unsigned long)text;
	block->nr = nr;
	list_add_rcu(&block->list, &blocks);
	latch_tree_insert(&block->node, &block_tree, &block_tree_ops);
	nr_blocks++;
	return block;

no_rox:
	execmem_free(text);
no_text:
	kvfree(block);
	return NULL;
}

/* Index of the first of @want free granules in a row, or the block's end. */
static unsigned int find_room(const struct tramp_block *block,
			      unsigned int want)
{
	unsigned int i, run = 0;

	if (block->nr - block->used < want)
		return block->nr;
	for (i = 0; i < block->nr; i++) {
		run = block->owner[i] ? 0 : run + 1;
		if (run == want)
			return i + 1 - want;
	}
	return block->nr;
}

static void set_owner(struct tramp_block *block, unsigned int first,
		      unsigned int nr, struct ftrace_chain *chain)
{
	unsigned int i;

	for (i = first; i < first + nr; i++)
		WRITE_ONCE(block->owner[i], chain);
	if (chain)
		block->used += nr;
	else
		block->used -= nr;
}

/* Room for a trampoline; it belongs to the chain from now on. */
static unsigned long take_room(struct ftrace_chain *chain, size_t size)
{
	unsigned int first = 0, want = DIV_ROUND_UP(size, GRANULE);
	struct tramp_block *block;

	list_for_each_entry(block, &blocks, list) {
		first = find_room(block, want);
		if (first < block->nr)
			goto found;
	}
	block = add_block(size);
	if (!block)
		return 0;
	first = 0;
found:
	set_owner(block, first, want, chain);
	return block->start + first * GRANULE;
}

static void free_block(struct work_struct *work)
{
	struct tramp_block *block = container_of(to_rcu_work(work),
						 struct tramp_block, free);

	execmem_free((void *)block->start);
	kvfree(block);
}

static void give_room_back(unsigned long start, size_t size)
{
	struct tramp_block *block = block_at(start);

	set_owner(block, (start - block->start) / GRANULE,
		  DIV_ROUND_UP(size, GRANULE), NULL);
	if (block->used || list_is_singular(&blocks) || !system_wq)
		return;

	latch_tree_erase(&block->node, &block_tree, &block_tree_ops);
	list_del_rcu(&block->list);
	nr_blocks--;
	INIT_RCU_WORK(&block->free, free_block);
	queue_rcu_work(system_wq, &block->free);
}

static void tell_perf(struct ftrace_chain *chain, const void *text, bool gone)
{
	if (!gone)
		perf_event_text_poke((void *)chain->text, NULL, 0, text,
				     chain->size);
	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, chain->text,
			   chain->size, gone, FTRACE_TRAMPOLINE_SYM);
}

static bool only_direct(const struct ftrace_chain *chain)
{
	return chain->nr == 1 && (chain->flags & FTRACE_CALL_DIRECT) &&
	       !chain->counted;
}

/**
 * ftrace_tramp_build - give a chain what its sites will call
 * @chain: the chain; nothing is done where it has that already
 *
 * Context: ftrace_lock is held; may sleep.
 * Return: 0, or -ENOMEM.
 */
int ftrace_tramp_build(struct ftrace_chain *chain)
{
	unsigned long at;
	size_t size;
	void *text;

	if (chain->entry)
		return 0;
	if (only_direct(chain)) {
		chain->entry = chain->call[0].func;
		return 0;
	}

	size = arch_ftrace_tramp_emit(chain, NULL, 0);
	text = kvmalloc(size, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	at = take_room(chain, size);
	if (at) {
		arch_ftrace_tramp_emit(chain, text, at);
		arch_ftrace_text_write((void *)at, text, size);
		chain->size = size;
		chain->text = at;
		chain->entry = at;
		tell_perf(chain, text, false);
	}
	kvfree(text);
	return at ? 0 : -ENOMEM;
}

/**
 * ftrace_tramp_free - take a chain's trampoline away
 * @chain: the chain; no task is in the trampoline, no site calls it.  It must
 *	   not be freed before an RCU grace period has passed
 *
 * Context: ftrace_lock is held; may sleep.
 */
void ftrace_tramp_free(struct ftrace_chain *chain)
{
	if (!chain->size)
		return;
	tell_perf(chain, NULL, true);
	arch_ftrace_text_write((void *)chain->text, NULL, chain->size);
	give_room_back(chain->text, chain->size);
	chain->size = 0;
}

/**
 * ftrace_tramp_each - do something with each trampoline there is
 * @fn: what to do with its chain
 *
 * Context: ftrace_lock is held.
 */
void ftrace_tramp_each(void (*fn)(struct ftrace_chain *chain))
{
	struct ftrace_chain *chain, *last = NULL;
	struct tramp_block *block;
	unsigned int i;

	list_for_each_entry(block, &blocks, list) {
		for (i = 0; i < block->nr; i++) {
			chain = block->owner[i];
			if (chain && chain != last)
				fn(chain);
			last = chain;
		}
	}
}

/**
 * ftrace_tramp_kallsym - enumerate blocks, for /proc/kallsyms
 * @nr:    number of the block, from 0
 * @value: its address
 *
 * Context: any.
 * Return: 0, or -ERANGE where there are fewer.
 */
int ftrace_tramp_kallsym(unsigned int nr, unsigned long *value)
{
	struct tramp_block *block;
	int ret = -ERANGE;

	rcu_read_lock();
	list_for_each_entry_rcu(block, &blocks, list) {
		if (nr--)
			continue;
		*value = block->start;
		ret = 0;
		break;
	}
	rcu_read_unlock();
	return ret;
}
