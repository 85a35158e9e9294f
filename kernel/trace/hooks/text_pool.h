/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Executable memory for code that is generated in small pieces: trampolines,
 * slots, detours.
 *
 * A pool's memory comes in blocks of pages that are filled with trapping
 * instructions and made read-only and executable at once; code is written
 * through the architecture's text patching, so that no mapping is ever writable
 * and executable.  A block is divided into granules; a piece takes as many in a
 * row as it needs, and each granule knows the owner that it is of.  That is how
 * an address is traced back to its owner, by unwinders too, from NMI: blocks
 * are in a latched tree, and blocks and owners live on for an RCU grace period
 * after they can't be found any more.
 *
 * A pool is changed under a lock of its user.
 */
#ifndef _KERNEL_TRACE_HOOKS_TEXT_POOL_H
#define _KERNEL_TRACE_HOOKS_TEXT_POOL_H

#include <linux/cache.h>
#include <linux/execmem.h>
#include <linux/list.h>
#include <linux/rbtree_latch.h>
#include <linux/types.h>

#include <asm/hook_text.h>

/**
 * struct text_pool - memory of one kind
 * @tree:    the blocks, by address
 * @blocks:  the blocks
 * @nr:      how many
 * @granule: bytes; a power of two
 * @type:    which executable memory
 * @symbol:  what /proc/kallsyms and perf call a block, or NULL where perf is
 *	     told of each piece instead
 */
struct text_pool {
	struct latch_tree_root	tree ____cacheline_aligned;
	struct list_head	blocks;
	unsigned int		nr;
	unsigned int		granule;
	enum execmem_type	type;
	const char		*symbol;
};

#define TEXT_POOL_INIT(name, granule_, type_, symbol_) {		\
	.blocks = LIST_HEAD_INIT((name).blocks),			\
	.granule = (granule_),						\
	.type = (type_),						\
	.symbol = (symbol_),						\
}

unsigned long text_pool_take(struct text_pool *pool, size_t size, void *owner);
void text_pool_give(struct text_pool *pool, unsigned long start, size_t size);
void *text_pool_owner(struct text_pool *pool, unsigned long addr);
bool text_pool_has(struct text_pool *pool, unsigned long addr);
void text_pool_each(struct text_pool *pool, void (*fn)(void *owner));
int text_pool_block(struct text_pool *pool, unsigned int nr,
		    unsigned long *start);

#endif /* _KERNEL_TRACE_HOOKS_TEXT_POOL_H */
