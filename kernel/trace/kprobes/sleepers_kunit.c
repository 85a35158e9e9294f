// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of return probes on functions in which many tasks are at a time, or that
 * do not return.  The names begin with the number of the requirement (R…) or of
 * the case (C…).
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/kthread.h>
#include <linux/stacktrace.h>
#include <kunit/test.h>

#include "internal.h"
#include "kunit_target.h"

#define SLEEPERS	200

/**
 * struct crowd - tasks inside a probed function
 * @rp:      the probe on it
 * @entries: calls of its entry_handler
 * @returns: calls of its handler
 * @inside:  tasks that are inside
 * @left:    tasks that have come out
 * @wake:    lets them
 */
struct crowd {
	struct kretprobe	rp;
	atomic_t		entries;
	atomic_t		returns;
	atomic_t		inside;
	atomic_t		left;
	struct completion	wake;
};

static int note_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&container_of(get_kretprobe(ri), struct crowd, rp)->entries);
	return 0;
}

static int note_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&container_of(get_kretprobe(ri), struct crowd, rp)->returns);
	return 0;
}

static struct crowd *new_crowd(struct kunit *test, int maxactive,
			       const void *func)
{
	struct crowd *crowd = kunit_kzalloc(test, sizeof(*crowd), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, crowd);
	crowd->rp.kp.addr = func_addr(func);
	crowd->rp.entry_handler = note_entry;
	crowd->rp.handler = note_return;
	crowd->rp.maxactive = maxactive;
	init_completion(&crowd->wake);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&crowd->rp), 0);
	return crowd;
}

/* Waits up to ten seconds for a number. */
static int await(atomic_t *number, int want)
{
	int tries = 1000;

	while (atomic_read(number) != want && tries--)
		msleep(20);
	return atomic_read(number);
}

static unsigned int nr_in_use(struct crowd *crowd)
{
	struct rethook *rh = crowd->rp.rh;

	return atomic_read(&rh->nr) - rethook_nr_free(rh);
}

/* Those of tasks that exited come back some time later. */
static unsigned int await_unused(struct crowd *crowd)
{
	int tries = 1000;

	while (nr_in_use(crowd) && tries--)
		msleep(20);
	return nr_in_use(crowd);
}

static int sleep_inside(void *data)
{
	struct crowd *crowd = data;

	atomic_inc(&crowd->inside);
	wait_for_completion(&crowd->wake);
	return 0;
}

static int sleeper(void *data)
{
	struct crowd *crowd = data;

	kprobe_kunit_around(sleep_inside, crowd);
	atomic_inc(&crowd->left);
	return 0;
}

static int exit_inside(void *data)
{
	struct crowd *crowd = data;

	atomic_inc(&crowd->inside);
	kthread_exit(0);
}

static int leaver(void *data)
{
	return kprobe_kunit_around(exit_inside, data);
}

static void start(struct kunit *test, int (*fn)(void *data), void *data, int nr)
{
	struct task_struct *task;

	while (nr--) {
		task = kthread_run(fn, data, "hooks_sleeper");
		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	}
}

static void try_sleepers(struct kunit *test, int maxactive)
{
	struct crowd *crowd = new_crowd(test, maxactive, kprobe_kunit_around);
	int waited = maxactive ?: SLEEPERS;
	int round;

	for (round = 1; round <= 2; round++) {
		reinit_completion(&crowd->wake);
		start(test, sleeper, crowd, SLEEPERS);
		KUNIT_EXPECT_EQ(test, await(&crowd->inside, round * SLEEPERS),
				round * SLEEPERS);
		KUNIT_EXPECT_EQ(test, atomic_read(&crowd->entries),
				round * waited);
		KUNIT_EXPECT_EQ(test, crowd->rp.nmissed,
				round * (SLEEPERS - waited));
		KUNIT_EXPECT_EQ(test, nr_in_use(crowd), waited);
		complete_all(&crowd->wake);
		KUNIT_EXPECT_EQ(test, await(&crowd->left, round * SLEEPERS),
				round * SLEEPERS);
		KUNIT_EXPECT_EQ(test, atomic_read(&crowd->returns),
				round * waited);
		KUNIT_EXPECT_EQ(test, nr_in_use(crowd), 0);
	}
	if (maxactive)
		KUNIT_EXPECT_EQ(test, atomic_read(&crowd->rp.rh->nr), maxactive);
	unregister_kretprobe(&crowd->rp);
}

static void c03_sleepers_are_all_waited_for(struct kunit *test)
{
	try_sleepers(test, 0);
}

static void c03_sleepers_with_one(struct kunit *test)
{
	try_sleepers(test, 1);
}

static void c03_sleepers_with_four(struct kunit *test)
{
	try_sleepers(test, 4);
}

/* The number that was chosen is in the struct when it is used again. */
static void r03_registered_again_misses_nothing(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test, 0, kprobe_kunit_recurse);

	unregister_kretprobe(&crowd->rp);
	crowd->rp.kp.symbol_name = NULL;
	KUNIT_ASSERT_EQ(test, register_kretprobe(&crowd->rp), 0);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_recurse(99), 100);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->returns), 100);
	KUNIT_EXPECT_EQ(test, crowd->rp.nmissed, 0);
	unregister_kretprobe(&crowd->rp);
}

static void r04_recursion(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test, 0, kprobe_kunit_recurse);
	int i;

	for (i = 1; i <= 10; i++)
		KUNIT_EXPECT_EQ(test, kprobe_kunit_recurse(99), 100);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->entries), 1000);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->returns), 1000);
	KUNIT_EXPECT_EQ(test, crowd->rp.nmissed, 0);
	KUNIT_EXPECT_EQ(test, nr_in_use(crowd), 0);
	unregister_kretprobe(&crowd->rp);
}

/* What a CPU keeps is enough for so many calls that no interrupt is between. */
static void r03_interrupts_off(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test, 0, kprobe_kunit_recurse);
	int i;

	for (i = 0; i < 100; i++) {
		local_irq_disable();
		kprobe_kunit_recurse(15);
		local_irq_enable();
	}
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->returns), 1600);
	KUNIT_EXPECT_EQ(test, crowd->rp.nmissed, 0);
	KUNIT_EXPECT_EQ(test, nr_in_use(crowd), 0);
	unregister_kretprobe(&crowd->rp);
}

static void try_leavers(struct kunit *test, int maxactive, int nr)
{
	struct crowd *crowd = new_crowd(test, maxactive, kprobe_kunit_around);

	start(test, leaver, crowd, nr);
	KUNIT_EXPECT_EQ(test, await(&crowd->inside, nr), nr);
	KUNIT_EXPECT_EQ(test, await_unused(crowd), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->entries) + crowd->rp.nmissed,
			nr);
	KUNIT_EXPECT_GE(test, atomic_read(&crowd->entries),
			min(nr, maxactive ?: nr));
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->returns), 0);
	unregister_kretprobe(&crowd->rp);
}

static void r04_tasks_exit_inside(struct kunit *test)
{
	try_leavers(test, 0, 50);
	try_leavers(test, 3, 50);
}

static void r04_unregistered_while_tasks_sleep(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test, 0, kprobe_kunit_around);

	start(test, sleeper, crowd, 20);
	KUNIT_EXPECT_EQ(test, await(&crowd->inside, 20), 20);
	unregister_kretprobe(&crowd->rp);
	complete_all(&crowd->wake);
	KUNIT_EXPECT_EQ(test, await(&crowd->left, 20), 20);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->entries), 20);
	KUNIT_EXPECT_EQ(test, atomic_read(&crowd->returns), 0);
}

/* The return address is taken once, and given back when the last is done. */
static void r04_many_on_one_function(struct kunit *test)
{
	struct crowd *crowds[5];
	int i, k;

	for (i = 0; i < 5; i++)
		crowds[i] = new_crowd(test, i ? 0 : 2, kprobe_kunit_recurse);
	for (k = 0; k < 5; k++) {
		KUNIT_EXPECT_EQ(test, kprobe_kunit_recurse(19), 20);
		for (i = k; i < 5; i++) {
			int returns = atomic_read(&crowds[i]->returns);

			KUNIT_EXPECT_EQ(test, nr_in_use(crowds[i]), 0);
			KUNIT_EXPECT_EQ(test, returns,
					atomic_read(&crowds[i]->entries));
			KUNIT_EXPECT_EQ(test, returns + crowds[i]->rp.nmissed,
					(k + 1) * 20);
			KUNIT_EXPECT_EQ(test, returns, (k + 1) * (i ? 20 : 2));
		}
		unregister_kretprobe(&crowds[k]->rp);
	}
}

/* ---- What others see of them ------------------------------------------ */

static bool is_in(unsigned long addr, const void *func)
{
	unsigned long size, offset;

	return kallsyms_lookup_size_offset(addr, &size, &offset) &&
	       addr - offset == addr_of(func);
}

/* How many of the addresses are in a function. */
static int nr_in(const unsigned long *trace, int nr, const void *func)
{
	int i, found = 0;

	for (i = 0; i < nr; i++)
		found += is_in(trace[i], func);
	return found;
}

/* Twice: the way that /proc/PID/stack asks, and the way that livepatch does. */
static void r05_traces_of_a_task_that_sleeps(struct kunit *test)
{
	struct crowd *crowd = new_crowd(test, 0, kprobe_kunit_around);
	unsigned long trace[32];
	struct task_struct *task;
	int tries = 1000, nr;

	task = kthread_create(sleeper, crowd, "hooks_sleeper");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	await(&crowd->inside, 1);
	while (READ_ONCE(task->on_cpu) && tries--)
		msleep(20);

	nr = stack_trace_save_tsk(task, trace, ARRAY_SIZE(trace), 0);
	KUNIT_EXPECT_EQ(test, nr_in(trace, nr, kprobe_kunit_around), 1);
	KUNIT_EXPECT_EQ(test, nr_in(trace, nr, sleeper), 1);
	KUNIT_EXPECT_EQ(test, nr_in(trace, nr, arch_rethook_trampoline), 0);
	nr = stack_trace_save_tsk_reliable(task, trace, ARRAY_SIZE(trace));
	KUNIT_EXPECT_GT(test, nr, 0);
	KUNIT_EXPECT_EQ(test, nr_in(trace, nr, sleeper), 1);
	KUNIT_EXPECT_EQ(test, nr_in(trace, nr, arch_rethook_trampoline), 0);

	complete_all(&crowd->wake);
	KUNIT_EXPECT_EQ(test, await(&crowd->left, 1), 1);
	put_task_struct(task);
	unregister_kretprobe(&crowd->rp);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(c03_sleepers_are_all_waited_for),
	KUNIT_CASE(c03_sleepers_with_one),
	KUNIT_CASE(c03_sleepers_with_four),
	KUNIT_CASE(r03_registered_again_misses_nothing),
	KUNIT_CASE(r03_interrupts_off),
	KUNIT_CASE(r04_recursion),
	KUNIT_CASE(r04_tasks_exit_inside),
	KUNIT_CASE(r04_unregistered_while_tasks_sleep),
	KUNIT_CASE(r04_many_on_one_function),
	KUNIT_CASE(r05_traces_of_a_task_that_sleeps),
	{}
};

static struct kunit_suite suite = {
	.name		= "kprobes_sleepers",
	.test_cases	= cases,
};

kunit_test_suite(suite);
