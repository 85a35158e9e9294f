// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting for those who cannot be preempted, also where RCU does not watch.
 */
#include <linux/cpu.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "quiesce.h"

static DEFINE_PER_CPU(struct work_struct, quiesce_work);

/* One round at a time; numbers of rounds that have begun, and ended. */
static DEFINE_MUTEX(quiesce_lock);
static unsigned long quiesce_begun, quiesce_done;

static void do_nothing(struct work_struct *work)
{
}

/* Needs no memory, so that unregistering cannot fail. */
static void schedule_everywhere(void)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		struct work_struct *work = per_cpu_ptr(&quiesce_work, cpu);

		INIT_WORK(work, do_nothing);
		schedule_work_on(cpu, work);
	}
	for_each_online_cpu(cpu)
		flush_work(per_cpu_ptr(&quiesce_work, cpu));
	cpus_read_unlock();
}

/**
 * ftrace_quiesce - wait until each CPU has left what it could not be preempted in
 *
 * Every online CPU schedules once: sections with preemption off that began
 * before the call have ended when it returns, also where RCU does not watch.
 * Callers that come together share a round.
 *
 * Context: process, may sleep; takes cpus_read_lock.  Before there is a
 * scheduler nothing is to be waited for.
 */
void ftrace_quiesce(void)
{
	unsigned long want;

	might_sleep();
	if (!rcu_scheduler_active)
		return;

	/* A round that begins after this read sees what the caller did. */
	smp_mb();
	want = READ_ONCE(quiesce_begun) + 1;

	mutex_lock(&quiesce_lock);
	if ((long)(quiesce_done - want) < 0) {
		unsigned long round = quiesce_begun + 1;

		WRITE_ONCE(quiesce_begun, round);
		/* Who reads the number from now on waits for the next round. */
		smp_mb();
		schedule_everywhere();
		quiesce_done = round;
	}
	mutex_unlock(&quiesce_lock);
}
