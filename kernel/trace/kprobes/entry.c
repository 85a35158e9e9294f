// SPDX-License-Identifier: GPL-2.0
/*
 * Probes that ride on a function's hook: each is a callback in the chain of its
 * function, with its own pointer there.  Nothing traps and nothing is looked up.
 *
 * The function's first instruction that counts is the hook itself, a nop: so a
 * pre_handler runs before it and a post_handler behind it.
 */
#include <linux/ftrace.h>
#include <linux/slab.h>

#include "../ftrace_internal.h"
#include "../rethook/enter.h"
#include "internal.h"

static nokprobe_inline bool may_run(struct kprobe_member *member)
{
	if (likely(!kprobe_running() && kprobe_rcu_watching()))
		return true;
	kprobe_miss(member->kp);
	return false;
}

static void entry_hit(unsigned long ip, unsigned long parent_ip,
		      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct kprobe_member *member = op->private;
	struct pt_regs *regs = arch_kprobe_regs(fregs);
	unsigned long to;

	if (!may_run(member))
		return;
	/* Somebody before us may have redirected the function. */
	to = instruction_pointer(regs);
	instruction_pointer_set(regs, ip + KPROBE_HIT_OFFSET);
	if (!kprobe_call_pre(member, regs)) {
		if (member->post) {
			instruction_pointer_set(regs, ip + MCOUNT_INSN_SIZE);
			member->post(member->kp, regs, 0);
		}
		instruction_pointer_set(regs, to);
	}
	__this_cpu_write(current_kprobe, NULL);
}

NOKPROBE_SYMBOL(entry_hit);

/* The same for the most frequent kind: a pre_handler, and nothing else. */
static void entry_hit_pre(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct kprobe_member *member = op->private;
	struct pt_regs *regs = arch_kprobe_regs(fregs);
	struct kprobe *kp = member->kp;
	unsigned long to;

	if (!may_run(member))
		return;
	__this_cpu_write(current_kprobe, kp);
	to = instruction_pointer(regs);
	instruction_pointer_set(regs, ip + KPROBE_HIT_OFFSET);
	if (likely(!member->pre(kp, regs)))
		instruction_pointer_set(regs, to);
	__this_cpu_write(current_kprobe, NULL);
}

NOKPROBE_SYMBOL(entry_hit_pre);

/*
 * And for a return probe that has nothing to say at entries: no handler runs, and
 * nobody looks at the registers.
 */
static void entry_hit_ret(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct kprobe_member *member = op->private;

	if (likely(may_run(member)))
		rethook_enter(member->stock, arch_kprobe_regs(fregs));
}

NOKPROBE_SYMBOL(entry_hit_ret);

static ftrace_func_t callback_for(struct kprobe_member *member)
{
	if (member->post)
		return entry_hit;
	if (member->ret)
		return member->ret->entry ? entry_hit : entry_hit_ret;
	return member->pre ? entry_hit_pre : entry_hit;
}

/**
 * kprobe_entry_init - give a member what rides on the hook at its address
 * @member: the member
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL: there is no hook; -ENOMEM.
 */
int kprobe_entry_init(struct kprobe_member *member)
{
	struct ftrace_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL);
	int ret;

	if (!ops)
		return -ENOMEM;
	ops->func = callback_for(member);
	if (ops->func != entry_hit_ret)
		ops->flags = FTRACE_OPS_FL_SAVE_REGS;
	ops->private = member;
	ret = ftrace_set_filter_ip(ops, member->addr, 0, 0);
	if (ret)
		kfree(ops);
	else
		member->ops = ops;
	return ret;
}

/**
 * kprobe_entry_free - take that away again
 * @member: the member, not attached
 *
 * Context: process, may sleep.
 */
void kprobe_entry_free(struct kprobe_member *member)
{
	if (!member->ops)
		return;
	ftrace_free_filter(member->ops);
	kfree(member->ops);
	member->ops = NULL;
}

static struct ftrace_ops **ops_of(struct list_head *members, unsigned int *nr,
				  gfp_t gfp)
{
	struct kprobe_member *member;
	struct ftrace_ops **ops;

	*nr = list_count_nodes(members);
	ops = kvmalloc_array(*nr, sizeof(*ops), gfp);
	*nr = 0;
	list_for_each_entry(member, members, batch) {
		if (ops)
			ops[(*nr)++] = member->ops;
	}
	return ops;
}

/**
 * kprobe_entries_attach - let hits of hooks call members
 * @members: the members, by their batch; none is attached
 *
 * Context: kprobe_lock is held; may sleep.
 * Return: 0; an errno of register_ftrace_function(), and none is attached.
 */
int kprobe_entries_attach(struct list_head *members)
{
	struct kprobe_member *member;
	struct ftrace_ops **ops;
	unsigned int nr;
	int ret;

	if (list_empty(members))
		return 0;
	ops = ops_of(members, &nr, GFP_KERNEL);
	if (!ops)
		return -ENOMEM;
	ret = ftrace_attach_probes(ops, nr);
	list_for_each_entry(member, members, batch)
		member->attached = !ret;
	kvfree(ops);
	return ret;
}

/**
 * kprobe_entries_detach - let hits of hooks not call members any more
 * @members: the members, by their batch; all are attached
 *
 * Follow with ftrace_quiesce(): then their handlers are quiet.
 *
 * Context: kprobe_lock is held; may sleep.
 */
void kprobe_entries_detach(struct list_head *members)
{
	struct kprobe_member *member;
	struct ftrace_ops **ops;
	unsigned int nr;

	if (list_empty(members))
		return;
	ops = ops_of(members, &nr, GFP_KERNEL | __GFP_NOFAIL);
	ftrace_detach_probes(ops, nr);
	list_for_each_entry(member, members, batch)
		member->attached = false;
	kvfree(ops);
}
