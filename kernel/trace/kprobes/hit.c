// SPDX-License-Identifier: GPL-2.0
/*
 * What a hit runs, whichever way it came: a breakpoint, a jump, a hook.
 *
 * While the handlers of one probe run on a CPU, others that are hit there leave
 * theirs out and count that; whether one runs is in current_kprobe.  What
 * interrupts between the test and the set of that runs whole and leaves it as it
 * was.
 *
 * Context of all of it: any, NMI included, with preemption or interrupts off.
 * Nothing here is traced, or can be probed.
 */
#include <linux/atomic.h>
#include <linux/preempt.h>

#include "internal.h"

DEFINE_PER_CPU(struct kprobe *, current_kprobe);

/* What pre_handlers of a point on this CPU see, for unwinders; or NULL. */
DEFINE_PER_CPU(struct pt_regs *, kprobe_hit_regs);

/**
 * kprobe_run_all_pre - call the pre_handlers of a point
 * @calls: whose
 * @regs:  the registers
 * @ip:    what handlers see as the instruction pointer
 *
 * Return: as kprobe_run_pre().
 */
bool kprobe_run_all_pre(struct kprobe_calls *calls, struct pt_regs *regs,
			unsigned long ip)
{
	unsigned long to = 0;
	bool changed = false;
	unsigned int i;

	__this_cpu_write(kprobe_hit_regs, regs);
	for (i = 0; i < calls->nr; i++) {
		instruction_pointer_set(regs, ip);
		if (kprobe_call_pre(calls->member[i], regs) && !changed) {
			to = instruction_pointer(regs);
			changed = true;
		}
	}
	__this_cpu_write(kprobe_hit_regs, NULL);
	instruction_pointer_set(regs, changed ? to : ip);
	return changed;
}

NOKPROBE_SYMBOL(kprobe_run_all_pre);

/**
 * kprobe_run_post - call the post_handlers of a point
 * @calls: whose
 * @regs:  the registers behind the instruction
 */
void kprobe_run_post(struct kprobe_calls *calls, struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < calls->nr; i++) {
		struct kprobe_member *member = calls->member[i];

		if (!member->post)
			continue;
		__this_cpu_write(current_kprobe, member->kp);
		member->post(member->kp, regs, 0);
	}
}

NOKPROBE_SYMBOL(kprobe_run_post);

/* Several CPUs may count at a time, and an NMI among them. */
static_assert(sizeof(atomic_long_t) ==
	      sizeof_field(struct kprobe, nmissed));

/**
 * kprobe_miss - note that the handlers of a probe were left out
 * @kp: the probe
 */
void kprobe_miss(struct kprobe *kp)
{
	raw_atomic_long_inc((atomic_long_t *)&kp->nmissed);
}

NOKPROBE_SYMBOL(kprobe_miss);

/**
 * kprobe_count_missed - note that handlers were left out
 * @calls: whose; or NULL
 */
void kprobe_count_missed(struct kprobe_calls *calls)
{
	unsigned int i;

	for (i = 0; calls && i < calls->nr; i++)
		kprobe_miss(calls->member[i]->kp);
}

NOKPROBE_SYMBOL(kprobe_count_missed);

static struct kprobe busy;

/**
 * kprobe_busy_begin - let probes that are hit on this CPU be missed
 *
 * Context: any; preemption is off until kprobe_busy_end().
 */
void kprobe_busy_begin(void)
{
	preempt_disable();
	__this_cpu_write(current_kprobe, &busy);
}

NOKPROBE_SYMBOL(kprobe_busy_begin);

/**
 * kprobe_busy_end - end what kprobe_busy_begin() began
 */
void kprobe_busy_end(void)
{
	__this_cpu_write(current_kprobe, NULL);
	preempt_enable();
}

NOKPROBE_SYMBOL(kprobe_busy_end);
