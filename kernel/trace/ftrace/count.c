// SPDX-License-Identifier: GPL-2.0
/*
 * Counting hits.
 *
 * While hits are counted each hooked site has a chain of its own, so that a
 * counter is of one call at one site; the trampoline increments it, without a
 * lookup, right before the call and behind its guards.  While they are not,
 * chains are shared as ever and nothing of this is in any trampoline.
 *
 * A counter goes on from chain to chain for as long as the call stays at the
 * site.  It belongs to the chains that point to it; the last one frees it.
 *
 * All of it needs ftrace_lock.
 */
#include <linux/percpu.h>
#include <linux/slab.h>

#include "internal.h"

bool ftrace_counting;

/**
 * ftrace_counter_new - a counter at 0
 *
 * Context: may sleep.
 * Return: the counter, with one reference; NULL without memory.
 */
struct ftrace_counter *ftrace_counter_new(void)
{
	struct ftrace_counter *counter = kmalloc(sizeof(*counter), GFP_KERNEL);

	if (!counter)
		return NULL;
	counter->users = 1;
	counter->hits = alloc_percpu(u64);
	if (!counter->hits) {
		kfree(counter);
		return NULL;
	}
	return counter;
}

/**
 * ftrace_counter_put - give a reference back
 * @counter: the counter, or NULL; nobody increments it after the last
 */
void ftrace_counter_put(struct ftrace_counter *counter)
{
	if (!counter || --counter->users)
		return;
	free_percpu(counter->hits);
	kfree(counter);
}

/**
 * ftrace_counter_read - what a counter has come to
 * @counter: the counter
 *
 * Return: the sum over all CPUs, those that are offline included.
 */
u64 ftrace_counter_read(const struct ftrace_counter *counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(counter->hits, cpu));
	return sum;
}
