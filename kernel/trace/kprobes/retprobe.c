// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on returns: a probe at a function's entry takes an instance from its
 * pool and has rethook put itself in the place of the return address.
 *
 * The pool outlives the probe for as long as calls are under way; what returns
 * after unregistering has no handler any more.
 */
#include <linux/export.h>
#include <linux/kallsyms.h>
#include <linux/slab.h>

#include "../hooks/quiesce.h"
#include "internal.h"
#include "retprobe.h"

#ifdef CONFIG_KRETPROBES

/**
 * kretprobe_enter - a probed function is called
 * @ret:  its probe
 * @regs: the registers
 *
 * Context: as kprobe_pre_handler_t.
 */
void kretprobe_enter(struct kretprobe_record *ret, struct pt_regs *regs)
{
	struct kretprobe_instance *ri;
	struct rethook_node *node;

	node = rethook_try_get(ret->rh);
	if (!node) {
		raw_atomic_inc(ret->rh->missed);
		return;
	}
	ri = container_of(node, struct kretprobe_instance, node);
	if (ret->entry && ret->entry(ri, regs))
		rethook_recycle(node);
	else
		rethook_hook(node, regs, true);
}

NOKPROBE_SYMBOL(kretprobe_enter);

/**
 * kretprobe_leave - a probed function returns
 * @node:     the call's
 * @data:     its probe
 * @ret_addr: where to
 * @regs:     the registers
 *
 * Context: as rethook_handler_t.
 */
void kretprobe_leave(struct rethook_node *node, void *data,
		     unsigned long ret_addr, struct pt_regs *regs)
{
	kretprobe_call(data, node, regs);
}

NOKPROBE_SYMBOL(kretprobe_leave);

/* Of a probe that is interested in entries alone. */
static int no_handler(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

NOKPROBE_SYMBOL(no_handler);

/*
 * How many nodes to ask for.  Where we chose maxactive for the owner, now or
 * when the struct was registered before, there are as many as are needed.
 */
static int choose_maxactive(struct kretprobe *rp)
{
	if (rp->maxactive <= 0) {
		rp->chosen = max(10, 2 * (int)num_possible_cpus());
		rp->maxactive = rp->chosen;
	}
	if (rp->maxactive == rp->chosen)
		return RETHOOK_GROWS;
	return rp->maxactive > RETHOOK_MOST ? -EINVAL : rp->maxactive;
}

static struct kretprobe_record *make_record(struct kretprobe *rp)
{
	struct kretprobe_record *ret;
	int num, err;

	if (rp->data_size > KRETPROBE_MAX_DATA_SIZE)
		return ERR_PTR(-E2BIG);
	num = choose_maxactive(rp);
	if (num < 0)
		return ERR_PTR(num);
	ret = kzalloc(sizeof(*ret), GFP_KERNEL);
	if (!ret)
		return ERR_PTR(-ENOMEM);
	ret->rp = rp;
	ret->handler = rp->handler ?: no_handler;
	ret->entry = rp->entry_handler;
	ret->rh = rethook_alloc(ret, kretprobe_leave,
				sizeof(struct kretprobe_instance) +
				rp->data_size, num);
	if (IS_ERR(ret->rh)) {
		err = PTR_ERR(ret->rh);
		kfree(ret);
		return ERR_PTR(err);
	}
	/* Several CPUs may count at a time. */
	ret->rh->missed = (atomic_t *)&rp->nmissed;
	return ret;
}

/* No entry handler of them runs, or will; calls may be under way. */
static void free_records(struct kretprobe_record **rets, int num)
{
	int i;

	for (i = 0; i < num; i++) {
		if (rets[i])
			rethook_stop(rets[i]->rh);
	}
	/* Return handlers run with preemption off. */
	ftrace_quiesce();
	for (i = 0; i < num; i++) {
		if (!rets[i])
			continue;
		WRITE_ONCE(rets[i]->rh->data, NULL);
		rethook_free(rets[i]->rh);
		kfree(rets[i]);
	}
}

static int make_records(struct kretprobe **rps, int num,
			struct kretprobe_record **rets, struct kprobe **kps)
{
	int i;

	for (i = 0; i < num; i++) {
		if (!rps[i])
			return -EINVAL;
		kps[i] = &rps[i]->kp;
		rets[i] = make_record(rps[i]);
		if (IS_ERR(rets[i])) {
			int ret = PTR_ERR(rets[i]);

			rets[i] = NULL;
			return ret;
		}
	}
	return 0;
}

/**
 * register_kretprobes - put probes on the returns of functions, all or none
 * @rps: the probes
 * @num: how many
 *
 * Context: process, may sleep.
 * Return: 0, or with nothing registered: as register_kprobes();
 * -EINVAL	also: the place is not a function's entry, or maxactive is
 *		absurd
 * -E2BIG	data_size is more than KRETPROBE_MAX_DATA_SIZE
 */
int register_kretprobes(struct kretprobe **rps, int num)
{
	struct kretprobe_record **rets;
	struct kprobe **kps;
	int i, ret = -ENOMEM;

	if (num <= 0 || !rps)
		return -EINVAL;
	rets = kvcalloc(num, sizeof(*rets), GFP_KERNEL);
	kps = kvcalloc(num, sizeof(*kps), GFP_KERNEL);
	if (rets && kps) {
		ret = make_records(rps, num, rets, kps);
		if (!ret)
			ret = kprobe_register(kps, rets, num);
		if (ret)
			free_records(rets, num);
	}
	for (i = 0; i < num && !ret; i++) {
		rps[i]->rh = rets[i]->rh;
		rps[i]->nmissed = 0;
	}
	kvfree(kps);
	kvfree(rets);
	return ret;
}
EXPORT_SYMBOL_GPL(register_kretprobes);

/**
 * unregister_kretprobes - take probes on returns away
 * @rps: the probes
 * @num: how many
 *
 * When this returns no handler of them runs, or will.
 *
 * Context: process, may sleep; not from a handler.
 */
void unregister_kretprobes(struct kretprobe **rps, int num)
{
	struct kretprobe_record **rets;
	struct kprobe **kps;
	int i;

	if (num <= 0 || !rps)
		return;
	rets = kvcalloc(num, sizeof(*rets), GFP_KERNEL | __GFP_NOFAIL);
	kps = kvcalloc(num, sizeof(*kps), GFP_KERNEL | __GFP_NOFAIL);
	for (i = 0; i < num; i++)
		kps[i] = rps[i] ? &rps[i]->kp : NULL;
	kprobe_unregister(kps, rets, num);
	free_records(rets, num);
	kvfree(kps);
	kvfree(rets);
}
EXPORT_SYMBOL_GPL(unregister_kretprobes);

#else /* !CONFIG_KRETPROBES */

int register_kretprobes(struct kretprobe **rps, int num)
{
	return -EOPNOTSUPP;
}
EXPORT_SYMBOL_GPL(register_kretprobes);

void unregister_kretprobes(struct kretprobe **rps, int num)
{
}
EXPORT_SYMBOL_GPL(unregister_kretprobes);

#endif /* !CONFIG_KRETPROBES */

/**
 * register_kretprobe - put a probe on the returns of a function
 * @rp: the probe
 *
 * Context: process, may sleep.
 * Return: as register_kretprobes().
 */
int register_kretprobe(struct kretprobe *rp)
{
	return register_kretprobes(&rp, 1);
}
EXPORT_SYMBOL_GPL(register_kretprobe);

/**
 * unregister_kretprobe - take a probe on returns away
 * @rp: the probe
 *
 * Context: process, may sleep; not from a handler.
 */
void unregister_kretprobe(struct kretprobe *rp)
{
	unregister_kretprobes(&rp, 1);
}
EXPORT_SYMBOL_GPL(unregister_kretprobe);
