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
#include <linux/kprobes.h>
#include <linux/panic.h>
#include <linux/preempt.h>
#include <linux/rethook.h>
#include <linux/sched.h>

#include <asm/rethook.h>

#include "../kprobes/retprobe.h"
#include "enter.h"
#include "stock.h"

/* More than the stack of a task has room for calls. */
#define MOST_NESTED	4096

/* Takes the nodes above @end down. */
static void take_down(struct llist_head *list, struct llist_node *end)
{
	struct llist_node *at;

	while ((at = list->first) != end) {
		WRITE_ONCE(list->first, at->next);
		barrier();
		rethook_put(rethook_node_of(at));
	}
}

NOKPROBE_SYMBOL(take_down);

/* newest() where that is not the first: the calls above it were abandoned. */
static noinline struct rethook_node *uncover(struct llist_head *list,
					     unsigned long frame)
{
	struct llist_node *at = list->first;

	while (at && rethook_node_of(at)->frame != frame)
		at = at->next;
	if (!at)
		return NULL;
	take_down(list, at);
	return rethook_node_of(at);
}

NOKPROBE_SYMBOL(uncover);

/* The newest node of the call whose return address is at @frame, or NULL. */
static __always_inline struct rethook_node *newest(struct llist_head *list,
						   unsigned long frame)
{
	struct llist_node *first = list->first;

	if (likely(first && rethook_node_of(first)->frame == frame))
		return rethook_node_of(first);
	return uncover(list, frame);
}

/* rethook_hook_return() where calls were abandoned since another hook took the address. */
void rethook_hook_uncovered(struct rethook_node *node, unsigned long *slot)
{
	struct llist_head *list = &current->rethooks;
	struct rethook_node *below = uncover(list, (unsigned long)slot);

	if (WARN_ON_ONCE(!below))
		rethook_put(node);
	else
		rethook_add(list, node, slot, below->ret_addr, true);
}

NOKPROBE_SYMBOL(rethook_hook_uncovered);

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
	rethook_hook_return(node, regs);
}

NOKPROBE_SYMBOL(rethook_hook);

/*
 * Calls the handler of @node, the newest, and takes that down.  With the @last one
 * what is at @slot is a return address like any other.  Returns what was below.
 */
static __always_inline struct rethook_node *leave(struct llist_head *list,
						  struct rethook_node *node,
						  struct pt_regs *regs,
						  unsigned long *slot, bool last)
{
	struct llist_node *below = node->llist.next;
	struct rethook *rh = node->rethook;
	rethook_handler_t handler = READ_ONCE(rh->handler);
	bool stopped = false;

	/* Most are that one, and it need not be looked up where to jump. */
	if (likely(is_kretprobe_leave(handler)))
		kretprobe_call(rh->data, node, regs);
	else if (handler)
		handler(node, rh->data, node->ret_addr, regs);
	else
		stopped = true;
	if (last)
		WRITE_ONCE(*slot, node->ret_addr);
	barrier();
	WRITE_ONCE(list->first, below);
	barrier();
	if (unlikely(stopped))
		rethook_put_stopped(node);
	else
		rethook_give(raw_cpu_ptr(rh->stock), node);
	return rethook_node_of(below);
}

/**
 * rethook_leave - a hooked function has returned
 * @regs: the registers; the real return address is put where it was, and into
 *	  the instruction pointer
 *
 * The node that took the address, the lowest of them, stays in the list until all
 * handlers have run, for unwinders.
 *
 * Context: the architecture's trampoline; any.
 */
__visible void rethook_leave(struct pt_regs *regs)
{
	unsigned long *slot = arch_rethook_left(regs);
	struct llist_head *list = &current->rethooks;
	struct rethook_node *node;

	preempt_disable_notrace();
	node = newest(list, (unsigned long)slot);
	if (unlikely(!node))
		panic("rethook: a call returned that is not waited for");
	instruction_pointer_set(regs, node->ret_addr);
	while (unlikely(node->rides))
		node = leave(list, node, regs, slot, false);
	leave(list, node, regs, slot, true);
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
		if (READ_ONCE(rethook_node_of(at)->frame) == frame) {
			*cur = at;
			return READ_ONCE(rethook_node_of(at)->ret_addr);
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

/**
 * rethook_try_get - take a free node
 * @rh: the hook
 *
 * Context: any where RCU is watching, with preemption off.
 * Return: the node; NULL where there is none, or the hook is stopped.
 */
struct rethook_node *rethook_try_get(struct rethook *rh)
{
	if (unlikely(!READ_ONCE(rh->handler)))
		return NULL;
	return rethook_take(raw_cpu_ptr(rh->stock));
}

NOKPROBE_SYMBOL(rethook_try_get);

/* rethook_enter() where this CPU has no spare node. */
void rethook_enter_more(struct rethook_stock *mine, struct pt_regs *regs)
{
	struct rethook_node *node = rethook_take_more(mine);

	if (likely(node))
		rethook_hook_return(node, regs);
	else
		raw_atomic_inc(mine->rh->missed);
}

NOKPROBE_SYMBOL(rethook_enter_more);
