/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooked returns.  The owner of a hook takes a node from its pool when a
 * function is called, puts it in the place of the return address, and is called
 * when the function returns.
 */
#ifndef _LINUX_RETHOOK_H
#define _LINUX_RETHOOK_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/kallsyms.h>
#include <linux/llist.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct pt_regs;
struct rethook_node;
struct rethook_stock;
struct task_struct;

/**
 * typedef rethook_handler_t - called when a hooked function returns
 * @node:     the call's
 * @data:     rethook.data
 * @ret_addr: where the function returns to
 * @regs:     the registers; the instruction pointer is @ret_addr
 *
 * Context: that of the function, with preemption off.
 */
typedef void (*rethook_handler_t)(struct rethook_node *node, void *data,
				  unsigned long ret_addr,
				  struct pt_regs *regs);

/**
 * struct rethook_node - a call that is waited for, or a free place for one
 * @llist:    below it: in the list of its task, or of free ones
 * @rethook:  whose it is
 * @ret_addr: where the call returns to
 * @frame:    address of the word with its return address
 * @below:    free ones below it, while it is one
 * @rides:    it did not take the return address: a node below it had done so
 */
struct rethook_node {
	struct llist_node	llist;
	struct rethook		*rethook;
	unsigned long		ret_addr;
	unsigned long		frame;
	unsigned int		below;
	bool			rides;
};

/**
 * struct rethook - a hook and its pool of nodes
 * @data:    the handler's
 * @handler: called at returns; NULL once it was stopped
 * @stock:   free nodes, for each CPU
 * @missed:  calls that rethook_enter() had no node for; or NULL
 * @grows:   it gets more nodes before it runs out of them
 * @size:    bytes of a node with what its owner has behind it
 * @nr:      nodes in all
 * @out:     of a stopped one, nodes that are in use; before rethook_free()
 *	     knows how many those were, minus those that came back
 * @chunks:  memory of the nodes
 * @work:    gets memory where an interrupt could not
 * @reap:    frees it, from wherever the last node comes back
 * @rcu:     frees it, after that
 */
struct rethook {
	void				*data;
	rethook_handler_t		handler;
	struct rethook_stock __percpu	*stock;
	atomic_t			*missed;
	bool				grows;
	unsigned int			size;
	atomic_t			nr;
	atomic_t			out;
	struct llist_head		chunks;
	struct work_struct		work;
	struct irq_work			reap;
	struct rcu_head			rcu;
};

/* rethook_alloc(): as many nodes as are needed. */
#define RETHOOK_GROWS	0
#define RETHOOK_MOST	BIT(20)

/* Nodes: taken, and put in the place of a return address or given back. */
struct rethook_node *rethook_try_get(struct rethook *rh);
void rethook_hook(struct rethook_node *node, struct pt_regs *regs, bool mcount);
void rethook_recycle(struct rethook_node *node);

/* Hooks. */
unsigned int rethook_nr_free(struct rethook *rh);
void rethook_free(struct rethook *rh);
void rethook_stop(struct rethook *rh);
struct rethook *rethook_alloc(void *data, rethook_handler_t handler, int size,
			      int num);

/* For the architecture's trampoline. */
void rethook_leave(struct pt_regs *regs);
void arch_rethook_trampoline(void);

#ifdef CONFIG_RETHOOK
unsigned long rethook_find_ret_addr(struct task_struct *tsk,
				    unsigned long frame,
				    struct llist_node **cur);
void rethook_flush_task(struct task_struct *tk);
#else
static inline void rethook_flush_task(struct task_struct *tk) { }
#endif

/* Whether a return address is the one that hooked calls have. */
static inline bool is_rethook_trampoline(unsigned long addr)
{
	void *tramp = dereference_symbol_descriptor(arch_rethook_trampoline);

	return IS_ENABLED(CONFIG_RETHOOK) && addr == (unsigned long)tramp;
}

#endif /* _LINUX_RETHOOK_H */
