// SPDX-License-Identifier: GPL-2.0
/*
 * Hooked returns: the list of calls that each task has to return from, newest
 * first.
 *
 * Only its task changes a list, in whatever context: what interrupts a change
 * has left the list as it found it when the change goes on.  Of a call that
 * several hooks wait for the first to come has taken the return address, and is
 * the lowest in the list; the others ride on it.
 *
 * Calls that were abandoned, as where a task's stack is given up after an oops,
 * leave nodes above those that are still to return; they go with the next
 * return, or with the task.
 */
#include <linux/indirect_call_wrapper.h>
#include <linux/kprobes.h>
#include <linux/panic.h>
#include <linux/preempt.h>
#include <linux/rethook.h>
#include <linux/sched.h>

#include <asm/rethook.h>

#include "stock.h"

/* More than the stack of a task has room for calls. */
#define MOST_NESTED	4096

static __always_inline struct rethook_node *node_of(struct llist_node *llist)
{
	return container_of(llist, struct rethook_node, llist);
}

/* The newest node of the call whose return address is at @frame, or NULL. */
static __always_inline struct rethook_node *
find(struct llist_node *first, unsigned long frame)
{
	struct llist_node *at;

	for (at = first; at; at = READ_ONCE(at->next)) {
		if (likely(node_of(at)->frame == frame))
			return node_of(at);
	}
	return NULL;
}

static __always_inline void hook(struct rethook_node *node,
				 struct pt_regs *regs)
{
	unsigned long tramp = (unsigned long)arch_rethook_trampoline;
	struct llist_head *list = &current->rethooks;
	unsigned long *slot = arch_rethook_slot(regs);
	unsigned long to = *slot;
	bool rides = to == tramp;

	if (rides) {
		struct rethook_node *below = find(list->first,
						  (unsigned long)slot);

		if (WARN_ON_ONCE(!below)) {
			rethook_put(node);
			return;
		}
		to = below->ret_addr;
	}
	node->frame = (unsigned long)slot;
	node->ret_addr = to;
	node->rides = rides;
	node->llist.next = list->first;
	/* Unwinders in interrupts find it before they need it. */
	barrier();
	WRITE_ONCE(list->first, &node->llist);
	barrier();
	WRITE_ONCE(*slot, tramp);
}

/**
 * rethook_hook - wait for the return of a function that was just called
 * @node:   of rethook_try_get()
 * @regs:   the registers at the function's entry
 * @mcount: they are those of a call from there, where that makes a difference
 *
 * Context: as rethook_try_get(), without leaving it in between.
 */
void rethook_hook(struct rethook_node *node, struct pt_regs *regs, bool mcount)
{
	hook(node, regs);
}

NOKPROBE_SYMBOL(rethook_hook);

/* Of most hooks; it need not be looked up where to jump. */
#ifndef CONFIG_KRETPROBES
#define kretprobe_leave	((rethook_handler_t)NULL)
#endif

static __always_inline void call(struct rethook_node *node,
				 struct pt_regs *regs)
{
	struct rethook *rh = node->rethook;
	rethook_handler_t handler = READ_ONCE(rh->handler);

	if (likely(handler))
		INDIRECT_CALL_1(handler, kretprobe_leave, node,
				READ_ONCE(rh->data), node->ret_addr, regs);
}

/* Nodes above @end, and those that calls in handlers abandoned above them. */
static __always_inline void take_down(struct llist_head *list,
				      struct llist_node *end)
{
	struct llist_node *at;

	while ((at = list->first) != end) {
		WRITE_ONCE(list->first, at->next);
		barrier();
		rethook_put(node_of(at));
	}
}

/**
 * rethook_leave - a hooked function has returned
 * @regs: the registers; the real return address is put where it was, and into
 *	  the instruction pointer
 *
 * The nodes stay in the list until all handlers have run, for unwinders.
 *
 * Context: the architecture's trampoline; any.
 */
__visible void rethook_leave(struct pt_regs *regs)
{
	unsigned long *slot = arch_rethook_left(regs);
	struct rethook_node *node;

	preempt_disable_notrace();
	node = find(current->rethooks.first, (unsigned long)slot);
	if (unlikely(!node))
		panic("rethook: a call returned that is not waited for");
	instruction_pointer_set(regs, node->ret_addr);
	for (;;) {
		call(node, regs);
		if (likely(!node->rides))
			break;
		node = find(node->llist.next, (unsigned long)slot);
	}
	/* From here on it is a return address like any other. */
	WRITE_ONCE(*slot, node->ret_addr);
	barrier();
	take_down(&current->rethooks, node->llist.next);
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(rethook_leave);

/**
 * rethook_find_ret_addr - where a hooked call returns to, for unwinders
 * @tsk:   the task
 * @frame: address of the word that holds arch_rethook_trampoline()
 * @cur:   where in the list the unwinder is; NULL at first
 *
 * Context: any.
 * Return: the address; 0 where it is not known, as of a task that runs.
 */
unsigned long rethook_find_ret_addr(struct task_struct *tsk,
				    unsigned long frame,
				    struct llist_node **cur)
{
	struct llist_node *at = *cur;
	unsigned int most = MOST_NESTED;

	/* Another task's nodes may have gone back to their pools meanwhile. */
	if (tsk != current) {
		if (task_curr(tsk))
			return 0;
		at = NULL;
	}
	if (!at)
		at = READ_ONCE(tsk->rethooks.first);
	for (; at && most; at = READ_ONCE(at->next), most--) {
		if (READ_ONCE(node_of(at)->frame) == frame) {
			*cur = at;
			return READ_ONCE(node_of(at)->ret_addr);
		}
	}
	return 0;
}

NOKPROBE_SYMBOL(rethook_find_ret_addr);

/**
 * rethook_flush_task - give up the returns that a task will not make any more
 * @tk: the task, dead
 *
 * Context: any but NMI.
 */
void rethook_flush_task(struct task_struct *tk)
{
	preempt_disable_notrace();
	take_down(&tk->rethooks, NULL);
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(rethook_flush_task);

/**
 * rethook_recycle - give a node back that was not hooked
 * @node: of rethook_try_get()
 *
 * Context: as rethook_try_get(), without leaving it in between.
 */
void rethook_recycle(struct rethook_node *node)
{
	rethook_put(node);
}

NOKPROBE_SYMBOL(rethook_recycle);

static __always_inline struct rethook_node *take(struct rethook *rh)
{
	struct rethook_stock *stock = raw_cpu_ptr(rh->stock);
	struct rethook_node *node;

	if (unlikely(!READ_ONCE(rh->handler)))
		return NULL;
	node = rethook_pop(stock);
	if (unlikely(!node))
		return rethook_get_elsewhere(rh);
	if (unlikely(node->below < RETHOOK_LOW) && rh->grows)
		irq_work_queue(&stock->refill);
	return node;
}

/**
 * rethook_try_get - take a free node
 * @rh: the hook
 *
 * Context: any where RCU is watching, with preemption off.
 * Return: the node; NULL where there is none, or the hook is stopped.
 */
struct rethook_node *rethook_try_get(struct rethook *rh)
{
	return take(rh);
}

NOKPROBE_SYMBOL(rethook_try_get);

/**
 * rethook_enter - take a free node and wait with it for a return
 * @rh:   the hook
 * @regs: the registers at the entry of the function
 *
 * Context: as rethook_try_get().
 * Return: false where that would be NULL.
 */
bool rethook_enter(struct rethook *rh, struct pt_regs *regs)
{
	struct rethook_node *node = take(rh);

	if (unlikely(!node))
		return false;
	hook(node, regs);
	return true;
}

NOKPROBE_SYMBOL(rethook_enter);
