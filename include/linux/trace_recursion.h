/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guards against a tracing function that calls what it traces.
 *
 * A guard is one bit of current->trace_recursion.  There is a family of bits
 * for each kind of user, and in a family one bit for each context that can
 * interrupt the others (task, softirq, hard interrupt, NMI), since being
 * interrupted is no recursion.  Only the current task, on one CPU, writes its
 * word, and an interrupt leaves the word as it found it: plain read, modify
 * and write is enough.  What interrupts between the test and the set finds the
 * bit clear, sets it, and clears it before it returns.
 *
 * The preempt count tells a context only some instructions after it began and
 * until some before it ends.  A traced function called in that window seems to
 * be of the interrupted context.  So that it is not lost, each family has one
 * more bit, the transition bit, which lets one such call through.
 */
#ifndef _LINUX_TRACE_RECURSION_H
#define _LINUX_TRACE_RECURSION_H

#ifdef CONFIG_TRACING

#include <linux/interrupt.h>
#include <linux/sched.h>

/* Bits of current->trace_recursion: families of five bits, and single bits. */
enum {
	TRACE_FTRACE_START	= 0,
	TRACE_LIST_START	= 8,
	TRACE_EVENT_START	= 16,

	TRACE_IRQ_BIT		= 24,
	TRACE_RECORD_RECURSION_BIT,

	/* trace_branch.c takes it for a mask: this one is of bit 5, unused */
	TRACE_BRANCH_BIT	= 1 << 5,
};

/* In a family: interrupt_context_level(), then the transition bit. */
#define TRACE_RECURSION_TRANSITION	4

static __always_inline void trace_recursion_set(int bit)
{
	current->trace_recursion |= BIT(bit);
}

static __always_inline void trace_recursion_clear(int bit)
{
	current->trace_recursion &= ~BIT(bit);
}

static __always_inline bool trace_recursion_test(int bit)
{
	return current->trace_recursion & BIT(bit);
}

#ifdef CONFIG_FTRACE_RECORD_RECURSION
void ftrace_record_recursion(unsigned long ip, unsigned long parent_ip);

#else
static inline void ftrace_record_recursion(unsigned long ip,
					   unsigned long parent_ip)
{
}
#endif

/* Recording calls traced functions: once at a time and task is enough. */
static __always_inline void do_ftrace_record_recursion(unsigned long ip,
						       unsigned long pip)
{
	if (!IS_ENABLED(CONFIG_FTRACE_RECORD_RECURSION) ||
	    trace_recursion_test(TRACE_RECORD_RECURSION_BIT))
		return;

	trace_recursion_set(TRACE_RECORD_RECURSION_BIT);
	ftrace_record_recursion(ip, pip);
	trace_recursion_clear(TRACE_RECORD_RECURSION_BIT);
}

#ifdef CONFIG_FTRACE_VALIDATE_RCU_IS_WATCHING
/* Whether the caller must not go on since RCU would not see it; says so once. */
static __always_inline bool trace_rcu_unwatched(unsigned long ip)
{
	if (likely(rcu_is_watching()))
		return false;

	if (!trace_recursion_test(TRACE_RECORD_RECURSION_BIT)) {
		trace_recursion_set(TRACE_RECORD_RECURSION_BIT);
		WARN_ONCE(1, "RCU is not watching at %pS\n", (void *)ip);
		trace_recursion_clear(TRACE_RECORD_RECURSION_BIT);
	}
	return true;
}
#else
static __always_inline bool trace_rcu_unwatched(unsigned long ip)
{
	return false;
}
#endif

/**
 * trace_test_and_set_recursion - enter a guarded section
 * @ip:    the traced function
 * @pip:   its caller
 * @start: the family of guards: TRACE_FTRACE_START, …
 *
 * Context: any.  Preemption has to stay off until trace_clear_recursion().
 * Return: the bit to give back, >= 0, or -1 where this context is inside.
 */
static __always_inline int
trace_test_and_set_recursion(unsigned long ip, unsigned long pip, int start)
{
	unsigned long held = current->trace_recursion;
	int bit = start + interrupt_context_level();

	if (unlikely(trace_rcu_unwatched(ip)))
		return -1;

	if (unlikely(held & BIT(bit))) {
		bit = start + TRACE_RECURSION_TRANSITION;
		if (held & BIT(bit)) {
			do_ftrace_record_recursion(ip, pip);
			return -1;
		}
	}

	current->trace_recursion = held | BIT(bit);
	barrier();
	return bit;
}

/**
 * trace_clear_recursion - leave a guarded section
 * @bit: what trace_test_and_set_recursion() returned
 */
static __always_inline void trace_clear_recursion(int bit)
{
	barrier();
	trace_recursion_clear(bit);
}

/**
 * ftrace_test_recursion_trylock - guard a callback against itself
 * @ip:        the traced function
 * @parent_ip: its caller
 *
 * With the guard held the callback may call functions that it traces.
 *
 * Context: any, NMI included.  On success preemption is off until
 * ftrace_test_recursion_unlock().
 * Return: a bit >= 0 for the unlock, or -1 where this context holds the guard.
 */
static __always_inline int ftrace_test_recursion_trylock(unsigned long ip,
							 unsigned long parent_ip)
{
	int bit;

	preempt_disable_notrace();
	bit = trace_test_and_set_recursion(ip, parent_ip, TRACE_FTRACE_START);
	if (unlikely(bit < 0))
		preempt_enable_notrace();
	return bit;
}

/**
 * ftrace_test_recursion_unlock - end what ftrace_test_recursion_trylock() began
 * @bit: what that returned, >= 0
 *
 * Context: as the trylock; switches preemption on again.
 */
static __always_inline void ftrace_test_recursion_unlock(int bit)
{
	trace_clear_recursion(bit);
	preempt_enable_notrace();
}

#endif /* CONFIG_TRACING */
#endif /* _LINUX_TRACE_RECURSION_H */
