// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that were preempted where a jump is about to be written.
 *
 * A jump is written over several instructions.  A task that was interrupted and
 * preempted between two of them would go on in the middle of it; a task in a
 * probe's copy of the first would come to there.  Such a task is sent on to the
 * detour, which has a copy of each of these instructions: it does the same there.
 *
 * Whoever is preempted at any instruction is so in irqentry_exit(), which puts
 * the interrupted registers into a list as long as that lasts.  In the order in
 * which it is done:
 *
 *	bypass	who hits the breakpoint from now on takes the detour's copies: nobody
 *		new comes between the instructions
 *	moving	whoever is preempted from now on is sent on as that begins
 *	lists	all that were preempted before are sent on
 *	quiesce	each CPU schedules
 *
 * What can be between the instructions when the lists are through is a task that
 * runs.  It goes on out of them, or is preempted there, and sent on, before its
 * CPU has scheduled.  A task whose registers are taken out of a list goes on to
 * run: under the list's lock, so either it was sent on or it is one of these.
 *
 * Interrupts and NMIs between the instructions end before their CPU schedules.
 * Idle tasks are not preempted.  Nobody sleeps there: calls and what may fault
 * are not replaced by jumps.
 */
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>

#include "internal.h"

/* Registers of the tasks that were preempted on a CPU and have not gone on. */
struct preempted {
	raw_spinlock_t		lock;
	struct hlist_head	tasks;
};

/* Tasks are preempted before anything here could be initialised. */
static DEFINE_PER_CPU(struct preempted, preempted) = {
	.lock = __RAW_SPIN_LOCK_UNLOCKED(preempted.lock),
};

static bool moving;

/* Where an instruction goes on, to come to what it would without jumps. */
static unsigned long sent_on(unsigned long ip)
{
	struct kprobe_code *from = kprobe_code_at(ip), *to;
	unsigned long at = ip, bypass;
	struct kprobe_point *point;
	unsigned int i;

	if (from) {
		unsigned long offset = ip - from->start;

		if (offset < from->copies || offset > from->exit)
			return ip;
		at = from->origin + offset - from->copies;
	}
	/* At the point's own address is a breakpoint, but a copy goes on. */
	for (i = from ? 0 : 1; i < KPROBE_JUMP_REACH; i++) {
		point = kprobe_point_at(at - i);
		bypass = point ? READ_ONCE(point->bypass) : 0;
		to = bypass ? kprobe_code_at(bypass) : NULL;
		if (to && to != from && i < to->exit - to->copies)
			return bypass + i;
	}
	return ip;
}

static void send_on(struct pt_regs *regs)
{
	instruction_pointer_set(regs, sent_on(instruction_pointer(regs)));
}

/**
 * __kprobe_preempt_begin - an interrupted task is about to be preempted
 * @at:   a place in the list, on its stack
 * @regs: the interrupted registers
 *
 * Context: end of an interrupt, interrupts off; the task had preemption on.
 */
void __kprobe_preempt_begin(struct kprobe_preempted *at, struct pt_regs *regs)
{
	struct preempted *here = this_cpu_ptr(&preempted);

	at->regs = regs;
	at->lock = &here->lock;
	raw_spin_lock(&here->lock);
	hlist_add_head(&at->node, &here->tasks);
	if (moving)
		send_on(regs);
	raw_spin_unlock(&here->lock);
}

NOKPROBE_SYMBOL(__kprobe_preempt_begin);

/**
 * __kprobe_preempt_end - a task that was preempted goes on
 * @at: its place in the list
 *
 * Context: as __kprobe_preempt_begin(); on any CPU.
 */
void __kprobe_preempt_end(struct kprobe_preempted *at)
{
	raw_spin_lock(at->lock);
	__hlist_del(&at->node);
	raw_spin_unlock(at->lock);
}

NOKPROBE_SYMBOL(__kprobe_preempt_end);

/**
 * kprobe_move_preempted - send on whoever stands where a jump is to be written
 *
 * Of all points with a bypass.  When each CPU has scheduled after that nobody
 * stands there, until kprobe_move_no_more().
 *
 * Context: kprobe_lock is held.
 */
void kprobe_move_preempted(void)
{
	struct kprobe_preempted *at;
	int cpu;

	WRITE_ONCE(moving, true);
	/* CPUs that are off, too: who was preempted there has gone elsewhere. */
	for_each_possible_cpu(cpu) {
		struct preempted *there = per_cpu_ptr(&preempted, cpu);

		raw_spin_lock_irq(&there->lock);
		hlist_for_each_entry(at, &there->tasks, node)
			send_on(at->regs);
		raw_spin_unlock_irq(&there->lock);
	}
}

/**
 * kprobe_move_no_more - end what kprobe_move_preempted() began
 *
 * Context: kprobe_lock is held.
 */
void kprobe_move_no_more(void)
{
	WRITE_ONCE(moving, false);
}
