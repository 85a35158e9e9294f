// SPDX-License-Identifier: GPL-2.0
/*
 * C10: handlers that take a lock with bottom halves off while a softirq is
 * pending, which then runs inside the handler, and hits probes itself.
 *
 * In all, on all CPUs: each hit of the outer function calls its handlers once and
 * the function does what it does; what the softirq hits is called or counted as
 * missed, and the latter where a handler runs.
 *
 * A breakpoint's handlers run as in an NMI, where the base kernel has no bottom
 * halves to switch on: there an interrupt, and the softirq behind it, comes right
 * behind the handler.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include <asm/ibt.h>
#include <asm/text-patching.h>

#include "hooks_check.h"

static int times = 100000;
module_param(times, int, 0444);

/* Of the hook's instruction, and of the one that IBT puts before it. */
#define BEHIND_ENTRY	(ENDBR_INSN_SIZE + MCOUNT_INSN_SIZE)

static DEFINE_SPINLOCK(lock);
static unsigned long locked;

static noinline __noipa unsigned long hooks_softirq_outer(unsigned long x)
{
	asm volatile("hooks_softirq_first:\n"
		     "	leaq 1(%0), %0\n"
		     "	addq %0, %0\n" : "+r" (x));
	return x;
}

static noinline __noipa unsigned long hooks_softirq_inner(unsigned long x)
{
	asm volatile("leaq 2(%0), %0; addq %0, %0" : "+r" (x));
	return x;
}

/* ---- What the softirq does -------------------------------------------- */

static atomic_long_t inner_calls, inner_inside, inner_hits, inner_returns;

static DEFINE_PER_CPU(int, in_handler);

static void softirq(struct tasklet_struct *tasklet)
{
	atomic_long_inc(&inner_calls);
	if (this_cpu_read(in_handler))
		atomic_long_inc(&inner_inside);
	check_eq(hooks_softirq_inner(5), 14);
}

static DEFINE_PER_CPU(struct tasklet_struct, tasklets);

static void interrupt(struct irq_work *work)
{
	tasklet_schedule(this_cpu_ptr(&tasklets));
}

static DEFINE_PER_CPU(struct irq_work, interrupts);

static void wait_for_softirqs(void)
{
	int cpu;

	for_each_online_cpu(cpu) {
		struct tasklet_struct *tasklet = per_cpu_ptr(&tasklets, cpu);

		irq_work_sync(per_cpu_ptr(&interrupts, cpu));
		while (test_bit(TASKLET_STATE_SCHED, &tasklet->state))
			usleep_range(500, 1500);
		tasklet_unlock_wait(tasklet);
	}
}

static int inner_pre(struct kprobe *kp, struct pt_regs *regs)
{
	atomic_long_inc(&inner_hits);
	return 0;
}

static int inner_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_long_inc(&inner_returns);
	return 0;
}

static struct kprobe inner_kp;
static struct kretprobe inner_rp;

static int probe_inner(void)
{
	inner_kp = (struct kprobe){
		.addr		= (void *)hooks_softirq_inner,
		.offset		= BEHIND_ENTRY,
		.pre_handler	= inner_pre,
	};
	inner_rp = (struct kretprobe){
		.kp.addr	= (void *)hooks_softirq_inner,
		.handler	= inner_return,
		.maxactive	= 64,
	};
	atomic_long_set(&inner_calls, 0);
	atomic_long_set(&inner_inside, 0);
	atomic_long_set(&inner_hits, 0);
	atomic_long_set(&inner_returns, 0);
	return register_kprobe(&inner_kp) ?: register_kretprobe(&inner_rp);
}

static void unprobe_inner(bool inside)
{
	long calls, missed, outside;

	unregister_kprobe(&inner_kp);
	unregister_kretprobe(&inner_rp);
	calls = atomic_long_read(&inner_calls);
	missed = atomic_long_read(&inner_inside);
	outside = calls - missed;
	check_eq(atomic_long_read(&inner_hits), outside);
	check_eq(inner_kp.nmissed, missed);
	check_eq(atomic_long_read(&inner_returns), outside);
	check_eq(inner_rp.kp.nmissed, missed);
	check_eq(inner_rp.nmissed, 0);
	check(calls > times / 2);
	check_eq(missed, inside ? calls : 0);
	pr_info("%ld softirqs, %ld of them in a handler\n", calls, missed);
}

/* ---- What handlers do ------------------------------------------------- */

static atomic_long_t outer_hits;

static void handle(void)
{
	this_cpu_write(in_handler, 1);
	atomic_long_inc(&outer_hits);
	tasklet_schedule(this_cpu_ptr(&tasklets));
	spin_lock_bh(&lock);
	locked++;
	spin_unlock_bh(&lock);
	this_cpu_write(in_handler, 0);
}

static int outer_pre(struct kprobe *kp, struct pt_regs *regs)
{
	handle();
	return 0;
}

static int outer_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	handle();
	return 0;
}

/* By breakpoint: no bottom halves. */
static int outer_pre_nmi(struct kprobe *kp, struct pt_regs *regs)
{
	atomic_long_inc(&outer_hits);
	irq_work_queue(this_cpu_ptr(&interrupts));
	return 0;
}

/* ---- Calls, on all CPUs ----------------------------------------------- */

/* One that is stopped before it began would call nothing. */
static DECLARE_COMPLETION(begun);

static int caller(void *unused)
{
	int i, nr = times / num_online_cpus();

	complete(&begun);
	for (i = 0; i < nr; i++) {
		unsigned long ret = hooks_softirq_outer(i);

		if (ret != 2 * (i + 1UL))
			check_eq(ret, 2 * (i + 1UL));
		if (!(i & 255))
			cond_resched_tasks_rcu_qs();
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void call_everywhere(const char *what, bool inside)
{
	struct task_struct *task[NR_CPUS] = { };
	long nr = times / num_online_cpus() * num_online_cpus();
	int cpu;

	pr_info("%s\n", what);
	atomic_long_set(&outer_hits, 0);
	locked = 0;
	if (!check_eq(probe_inner(), 0))
		return;
	for_each_online_cpu(cpu) {
		task[cpu] = kthread_create(caller, NULL, "hooks_softirq/%d", cpu);
		if (!check(!IS_ERR(task[cpu])))
			continue;
		kthread_bind(task[cpu], cpu);
		wake_up_process(task[cpu]);
		wait_for_completion(&begun);
	}
	for_each_online_cpu(cpu)
		kthread_stop(task[cpu]);
	wait_for_softirqs();
	check_eq(atomic_long_read(&outer_hits), nr);
	check_eq(locked, inside ? nr : 0);
	unprobe_inner(inside);
}

static void with_probe(const char *what, const char *symbol,
		       kprobe_pre_handler_t handler, bool jump)
{
	struct kprobe kp = {
		.symbol_name	= symbol,
		.pre_handler	= handler,
	};
	int i;

	if (!check_eq(register_kprobe(&kp), 0))
		return;
	for (i = 0; jump && i < 100 && !kprobe_optimized(&kp); i++)
		msleep(50);
	check_eq(kprobe_optimized(&kp), jump);
	call_everywhere(what, handler == outer_pre);
	check_eq(kp.nmissed, 0);
	check_eq(kprobe_optimized(&kp), jump);
	unregister_kprobe(&kp);
}

/* It stays a breakpoint where another probe is among the jump's bytes. */
static void with_neighbour(void)
{
	struct kprobe other = {
		.symbol_name	= "hooks_softirq_first",
		.offset		= 4,
	};

	if (!check_eq(register_kprobe(&other), 0))
		return;
	with_probe("breakpoint", "hooks_softirq_first", outer_pre_nmi, false);
	check_eq(other.nmissed, 0);
	unregister_kprobe(&other);
}

static void with_return_probe(void)
{
	struct kretprobe rp = {
		.kp.addr	= (void *)hooks_softirq_outer,
		.handler	= outer_return,
		.maxactive	= 64,
	};

	if (!check_eq(register_kretprobe(&rp), 0))
		return;
	call_everywhere("return", true);
	check_eq(rp.nmissed, 0);
	check_eq(rp.kp.nmissed, 0);
	unregister_kretprobe(&rp);
}

static int __init hooks_softirq_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		tasklet_setup(per_cpu_ptr(&tasklets, cpu), softirq);
		*per_cpu_ptr(&interrupts, cpu) = IRQ_WORK_INIT_HARD(interrupt);
	}
	with_probe("entry", "hooks_softirq_outer", outer_pre, false);
	with_probe("jump", "hooks_softirq_first", outer_pre, true);
	with_neighbour();
	with_return_probe();
	for_each_possible_cpu(cpu)
		tasklet_kill(per_cpu_ptr(&tasklets, cpu));
	return verdict();
}
module_init(hooks_softirq_init);

static void __exit hooks_softirq_exit(void)
{
}
module_exit(hooks_softirq_exit);

MODULE_DESCRIPTION("Softirqs inside handlers of probes");
MODULE_LICENSE("GPL");
