/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the entry of a hooked function runs: here for the sake of probes, where a
 * call of this would cost as much as what it does.
 */
#ifndef _KERNEL_TRACE_RETHOOK_ENTER_H
#define _KERNEL_TRACE_RETHOOK_ENTER_H

#include <linux/percpu.h>
#include <linux/rethook.h>
#include <linux/sched.h>

#include <asm/rethook.h>

#include "stock.h"

/* ---- rethook.c -------------------------------------------------------- */

void rethook_hook_uncovered(struct rethook_node *node, unsigned long *slot);
void rethook_enter_more(struct rethook_stock *mine, struct pt_regs *regs);

/* ---- What a hit does -------------------------------------------------- */

static __always_inline struct rethook_node *
rethook_node_of(struct llist_node *llist)
{
	return container_of(llist, struct rethook_node, llist);
}

/* Puts @node on top of the list, for the call that returns to @to. */
static __always_inline void rethook_add(struct llist_head *list,
					struct rethook_node *node,
					unsigned long *slot, unsigned long to,
					bool rides)
{
	node->frame = (unsigned long)slot;
	node->ret_addr = to;
	node->rides = rides;
	node->llist.next = list->first;
	/* Unwinders in interrupts find it before they need it. */
	barrier();
	WRITE_ONCE(list->first, &node->llist);
}

/* Waits with @node for the return of the function whose entry @regs are of. */
static __always_inline void rethook_hook_return(struct rethook_node *node,
						struct pt_regs *regs)
{
	unsigned long tramp = (unsigned long)arch_rethook_trampoline;
	struct llist_head *list = &current->rethooks;
	unsigned long *slot = arch_rethook_slot(regs);
	struct rethook_node *first;

	if (*slot != tramp) {
		rethook_add(list, node, slot, *slot, false);
		barrier();
		WRITE_ONCE(*slot, tramp);
		return;
	}
	/* Another hook has taken the address, and knows it. */
	first = llist_entry(list->first, struct rethook_node, llist);
	if (likely(list->first && first->frame == (unsigned long)slot))
		rethook_add(list, node, slot, first->ret_addr, true);
	else
		rethook_hook_uncovered(node, slot);
}

/**
 * rethook_enter - take a free node and wait with it for a return
 * @stock: rethook.stock
 * @regs:  of the registers at the entry of the function, those that
 *	   arch_rethook_slot() wants
 *
 * Where there is no node, that is counted in rethook.missed.
 *
 * Context: as rethook_try_get(); the hook is not stopped before its owner has seen
 * to it that nothing calls this any more.
 */
static __always_inline void
rethook_enter(struct rethook_stock __percpu *stock, struct pt_regs *regs)
{
	struct rethook_stock *mine = raw_cpu_ptr(stock);
	struct rethook_node *node = rethook_take_spare(mine);

	if (likely(node))
		rethook_hook_return(node, regs);
	else
		rethook_enter_more(mine, regs);
}

#endif /* _KERNEL_TRACE_RETHOOK_ENTER_H */
