/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the return of a probed function runs: here for the sake of rethook, where a
 * call of this would cost as much as what it does.
 */
#ifndef _KERNEL_TRACE_KPROBES_RETPROBE_H
#define _KERNEL_TRACE_KPROBES_RETPROBE_H

#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/rethook.h>

#ifdef CONFIG_KRETPROBES

void kretprobe_leave(struct rethook_node *node, void *data,
		     unsigned long ret_addr, struct pt_regs *regs);

static __always_inline bool is_kretprobe_leave(rethook_handler_t handler)
{
	return handler == kretprobe_leave;
}

/**
 * kretprobe_call - call a return probe's handler
 * @ret:  the probe
 * @node: the call's
 * @regs: the registers
 *
 * Context: as rethook_handler_t.
 */
static __always_inline void kretprobe_call(struct kretprobe_record *ret,
					   struct rethook_node *node,
					   struct pt_regs *regs)
{
	struct kprobe *outer = __this_cpu_read(current_kprobe);

	__this_cpu_write(current_kprobe, &ret->rp->kp);
	ret->handler(container_of(node, struct kretprobe_instance, node), regs);
	__this_cpu_write(current_kprobe, outer);
}

#else /* !CONFIG_KRETPROBES */

static __always_inline bool is_kretprobe_leave(rethook_handler_t handler)
{
	return false;
}

static __always_inline void kretprobe_call(void *data,
					   struct rethook_node *node,
					   struct pt_regs *regs) { }

#endif /* !CONFIG_KRETPROBES */

#endif /* _KERNEL_TRACE_KPROBES_RETPROBE_H */
