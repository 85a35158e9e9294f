// SPDX-License-Identifier: GPL-2.0
/*
 * Tests with something else going on: callers on other CPUs, interrupts,
 * many ops.
 */
#include <kunit/resource.h>
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
/* Quoted for checkpatch: linux/nmi.h does not always include it. */
#include "asm/nmi.h"
#endif

#include "internal.h"
#include "kunit_target.h"

/**
 * struct caller - a thread that calls a function all the time
 * @task:  the thread
 * @func:  the function
 * @calls: how often it has
 */
struct caller {
	struct task_struct	*task;
	int			(*func)(int x);
	unsigned long		calls;
};

static int call_on(void *data)
{
	struct caller *caller = data;

	while (!kthread_should_stop()) {
		caller->func(1);
		WRITE_ONCE(caller->calls, caller->calls + 1);
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static void start_caller(struct kunit *test, struct caller *caller,
			 int (*func)(int x), int cpu)
{
	caller->func = func;
	caller->calls = 0;
	caller->task = kthread_create(call_on, caller, "ftrace_kunit/%d", cpu);
	KUNIT_ASSERT_FALSE(test, IS_ERR(caller->task));
	kthread_bind(caller->task, cpu);
	wake_up_process(caller->task);
}

/* Until it has called the function again, from start to end. */
static void wait_for_calls(struct caller *caller)
{
	unsigned long until = READ_ONCE(caller->calls) + 2;

	while ((long)(READ_ONCE(caller->calls) - until) < 0)
		usleep_range(100, 200);
}

/* ---- F2: nothing comes after unregistering ---------------------------- */

/**
 * struct watched - an ops that knows whether it may be called
 * @ops:  the ops
 * @may:  it may
 * @hits: calls
 * @late: calls when it might not
 */
struct watched {
	struct ftrace_ops	ops;
	bool			may;
	atomic_long_t		hits;
	atomic_long_t		late;
};

static void watch_call(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct watched *w = container_of(op, struct watched, ops);
	int i;

	atomic_long_inc(&w->hits);
	/* Dwell here, so that whoever does not wait for us is seen. */
	for (i = 0; i < 100; i++) {
		if (!READ_ONCE(w->may))
			atomic_long_inc(&w->late);
		cpu_relax();
	}
}

static void f02_quiet_after_unregistering(struct kunit *test)
{
	struct watched *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	struct caller *callers;
	int cpu, round;

	callers = kunit_kcalloc(test, nr_cpu_ids, sizeof(*callers), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, callers);
	for_each_online_cpu(cpu)
		start_caller(test, &callers[cpu], ftrace_kunit_one, cpu);

	w->ops.func = watch_call;
	KUNIT_EXPECT_EQ(test, on(&w->ops, ftrace_kunit_one), 0);
	for (round = 0; round < 25; round++) {
		WRITE_ONCE(w->may, true);
		KUNIT_EXPECT_EQ(test, register_ftrace_function(&w->ops), 0);
		usleep_range(200, 400);
		KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&w->ops), 0);
		WRITE_ONCE(w->may, false);
	}
	for_each_online_cpu(cpu) {
		wait_for_calls(&callers[cpu]);
		kthread_stop(callers[cpu].task);
	}
	KUNIT_EXPECT_GT(test, atomic_long_read(&w->hits), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&w->late), 0);
	ftrace_free_filter(&w->ops);
}

/* ---- F15: in one step ------------------------------------------------- */

static void f15_filter_changes_in_one_step(struct kunit *test)
{
	unsigned long filters[][2] = {
		{ (unsigned long)ftrace_kunit_one,
		  (unsigned long)ftrace_kunit_two },
		{ (unsigned long)ftrace_kunit_three,
		  (unsigned long)ftrace_kunit_one },
	};
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct caller in_both, in_none;
	int round, cpu = cpumask_last(cpu_online_mask);
	unsigned long before;

	c->ops.func = count_call;
	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ips(&c->ops, filters[1], 2, 0,
						    1), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	before = c->hits;
	/* One CPU: the counter is not atomic. */
	start_caller(test, &in_both, ftrace_kunit_one, cpu);
	start_caller(test, &in_none, ftrace_kunit_other, cpu);
	for (round = 0; round < 200; round++) {
		unsigned long *ips = filters[round & 1];

		KUNIT_EXPECT_EQ(test, ftrace_set_filter_ips(&c->ops, ips, 2, 0,
							    1), 0);
		usleep_range(50, 100);
	}
	wait_for_calls(&in_both);
	wait_for_calls(&in_none);
	kthread_stop(in_both.task);
	kthread_stop(in_none.task);
	KUNIT_EXPECT_GT(test, in_both.calls, 0);
	KUNIT_EXPECT_GT(test, in_none.calls, 0);
	KUNIT_EXPECT_EQ(test, c->hits - before, in_both.calls);
	unregister_ftrace_function(&c->ops);
	ftrace_free_filter(&c->ops);
}

/* Somebody else comes and goes: who is attached misses nothing. */
static void f15_neighbours_come_and_go(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, 2, sizeof(*c), GFP_KERNEL);
	int round, cpu = cpumask_last(cpu_online_mask);
	struct caller caller;

	c[0].ops.func = count_call;
	c[1].ops.func = count_call;
	KUNIT_ASSERT_EQ(test, on(&c[0].ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, on(&c[1].ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[0].ops), 0);
	start_caller(test, &caller, ftrace_kunit_one, cpu);
	for (round = 0; round < 100; round++) {
		c[1].ops.flags &= ~FTRACE_OPS_FL_SAVE_REGS;
		if (round & 1)
			c[1].ops.flags |= FTRACE_OPS_FL_SAVE_REGS;
		KUNIT_EXPECT_EQ(test, register_ftrace_function(&c[1].ops), 0);
		usleep_range(50, 100);
		KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c[1].ops), 0);
	}
	wait_for_calls(&caller);
	kthread_stop(caller.task);
	KUNIT_EXPECT_EQ(test, c[0].hits, caller.calls);
	KUNIT_EXPECT_GT(test, c[1].hits, 0);
	KUNIT_EXPECT_LE(test, c[1].hits, c[0].hits);
	unregister_ftrace_function(&c[0].ops);
	ftrace_free_filter(&c[0].ops);
	ftrace_free_filter(&c[1].ops);
}

/* ---- F4, F5, F7: a level for each context ----------------------------- */

enum context { IN_TASK, IN_SOFTIRQ, IN_IRQ, IN_NMI, NR_CONTEXTS };

static enum context context(void)
{
	if (in_nmi())
		return IN_NMI;
	if (in_hardirq())
		return IN_IRQ;
	return in_serving_softirq() ? IN_SOFTIRQ : IN_TASK;
}

typedef bool (*raise_fn)(void);

/* Calls of the function from each context but the task: how many ended. */
static atomic_t interrupts_done;

static void call_interrupting(void)
{
	ftrace_kunit_one(1);
	atomic_inc(&interrupts_done);
}

static void call_from_softirq(struct tasklet_struct *tasklet)
{
	call_interrupting();
}

static DECLARE_TASKLET(softirq_caller, call_from_softirq);

static bool raise_softirq_now(void)
{
	local_bh_disable();
	tasklet_schedule(&softirq_caller);
	local_bh_enable();
	return true;
}

static void call_from_irq(struct irq_work *work)
{
	call_interrupting();
}

static struct irq_work irq_caller = IRQ_WORK_INIT_HARD(call_from_irq);

static bool raise_irq(void)
{
	return irq_work_queue(&irq_caller);
}

#ifdef CONFIG_X86_LOCAL_APIC
static bool nmi_wanted;

static int call_from_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!READ_ONCE(nmi_wanted))
		return NMI_DONE;
	WRITE_ONCE(nmi_wanted, false);
	call_interrupting();
	return NMI_HANDLED;
}

/* To this CPU itself. */
static bool raise_nmi(void)
{
	WRITE_ONCE(nmi_wanted, true);
	__apic_send_IPI_mask(cpumask_of(smp_processor_id()), NMI_VECTOR);
	return true;
}

static void ignore_nmis(void *unused)
{
	unregister_nmi_handler(NMI_LOCAL, "ftrace_kunit");
}

/* Until the test ends. */
static void listen_to_nmis(struct kunit *test)
{
	if (!boot_cpu_has(X86_FEATURE_APIC))
		kunit_skip(test, "needs a local APIC");
	KUNIT_ASSERT_EQ(test, register_nmi_handler(NMI_LOCAL, call_from_nmi, 0,
						   "ftrace_kunit"), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, ignore_nmis,
							NULL), 0);
}
#endif

/* Be interrupted now; false if that did not happen. */
static bool be_interrupted(raise_fn raise)
{
	int i, before = atomic_read(&interrupts_done);

	if (!raise())
		return false;
	for (i = 0; i < 1000000; i++) {
		if (atomic_read(&interrupts_done) != before)
			return true;
		cpu_relax();
	}
	return false;
}

/**
 * struct nested - an ops whose callback is interrupted
 * @ops:     the ops
 * @raise:   what the first callback in each context has happen; NULL: nothing
 * @hits:    calls in each context
 * @refused: calls that the callback's own guard refused
 * @missing: interrupts that did not come
 */
struct nested {
	struct ftrace_ops	ops;
	raise_fn		raise[NR_CONTEXTS];
	unsigned int		hits[NR_CONTEXTS];
	unsigned int		refused;
	unsigned int		missing;
};

static void count_by_engine(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct nested *n = container_of(op, struct nested, ops);
	enum context here = context();

	if (!n->hits[here]++ && n->raise[here])
		n->missing += !be_interrupted(n->raise[here]);
}

static void count_guarded(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct nested *n = container_of(op, struct nested, ops);
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);

	if (bit < 0) {
		n->refused++;
		return;
	}
	count_by_engine(ip, parent_ip, op, fregs);
	ftrace_test_recursion_unlock(bit);
}

/* Callbacks with no guard, their own, and each that the engine has. */
static const struct {
	ftrace_func_t	func;
	unsigned long	flags;
} kinds[] = {
	{ count_by_engine, 0 },
	{ count_by_engine, FTRACE_OPS_FL_SAVE_REGS },
	{ count_guarded, 0 },
	{ count_by_engine, FTRACE_OPS_FL_RECURSION },
	{ count_by_engine, FTRACE_OPS_FL_RCU },
	{ count_by_engine, FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU },
	{ count_guarded, FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_SAVE_REGS },
};

static struct nested *attach_nested(struct kunit *test, int kind)
{
	struct nested *n = kunit_kzalloc(test, sizeof(*n), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, n);
	n->ops.func = kinds[kind].func;
	n->ops.flags = kinds[kind].flags;
	KUNIT_ASSERT_EQ(test, on(&n->ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&n->ops), 0);
	return n;
}

/* One call in each context that one was to be interrupted by, no other. */
static void detach_nested(struct kunit *test, struct nested *n,
			  const unsigned int hits[NR_CONTEXTS])
{
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&n->ops), 0);
	ftrace_free_filter(&n->ops);
	KUNIT_EXPECT_MEMEQ(test, n->hits, hits, sizeof(n->hits));
	KUNIT_EXPECT_EQ(test, n->refused, 0);
	KUNIT_EXPECT_EQ(test, n->missing, 0);
	KUNIT_EXPECT_EQ(test, current->trace_recursion, 0);
}

static void interrupted_callback(struct kunit *test, int kind)
{
	static const unsigned int hits[NR_CONTEXTS] = { [IN_TASK] = 1,
							[IN_IRQ] = 1 };
	struct nested *n = attach_nested(test, kind);

	n->raise[IN_TASK] = raise_irq;
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	irq_work_sync(&irq_caller);
	detach_nested(test, n, hits);
}

static void f05_interrupt_in_a_guarded_callback(struct kunit *test)
{
	int kind;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		if (kinds[kind].func == count_guarded)
			interrupted_callback(test, kind);
	}
}

static void f07_interrupt_in_a_callback(struct kunit *test)
{
	int kind;

	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		if (kinds[kind].func == count_by_engine)
			interrupted_callback(test, kind);
	}
}

#ifdef CONFIG_X86_LOCAL_APIC
/* All kinds on one function, which an NMI calls. */
static void f04_callbacks_in_an_nmi(struct kunit *test)
{
	static const unsigned int hits[NR_CONTEXTS] = { [IN_NMI] = 1 };
	struct nested *n[ARRAY_SIZE(kinds)];
	unsigned long flags;
	int kind;

	listen_to_nmis(test);
	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		n[kind] = attach_nested(test, kind);
	preempt_disable();
	KUNIT_EXPECT_TRUE(test, be_interrupted(raise_nmi));
	preempt_enable();
	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		detach_nested(test, n[kind], hits);
		n[kind] = attach_nested(test, kind);
	}
	/* What holds interrupts off does not hold it off. */
	local_irq_save(flags);
	KUNIT_EXPECT_TRUE(test, be_interrupted(raise_nmi));
	local_irq_restore(flags);
	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		detach_nested(test, n[kind], hits);
}

/* In the middle of the same ops' callback: its guard is the task's. */
static void f04_nmi_in_a_callback(struct kunit *test)
{
	static const unsigned int hits[NR_CONTEXTS] = { [IN_TASK] = 1,
							[IN_NMI] = 1 };
	struct nested *n;
	int kind;

	listen_to_nmis(test);
	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		n = attach_nested(test, kind);
		n->raise[IN_TASK] = raise_nmi;
		KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
		detach_nested(test, n, hits);
	}
}

/*
 * Each context in the callback of the one that it interrupts.  Two of them
 * that shared a level might pass by the transition bit; four do not.
 */
static void f05_a_level_for_each_context(struct kunit *test)
{
	static const unsigned int hits[NR_CONTEXTS] = { 1, 1, 1, 1 };
	struct nested *n;
	int kind;

	listen_to_nmis(test);
	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
		n = attach_nested(test, kind);
		n->raise[IN_TASK] = raise_softirq_now;
		n->raise[IN_SOFTIRQ] = raise_irq;
		n->raise[IN_IRQ] = raise_nmi;
		KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
		irq_work_sync(&irq_caller);
		detach_nested(test, n, hits);
	}
}
#endif

/* The lock by itself, where no trampoline has preemption off already. */
static void f05_not_preemptible_with_the_lock(struct kunit *test)
{
	int first, second;

	KUNIT_ASSERT_EQ(test, preempt_count(), 0);
	first = ftrace_test_recursion_trylock(1, 2);
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT))
		KUNIT_EXPECT_FALSE(test, preemptible());
	KUNIT_EXPECT_GE(test, first, 0);
	/* The transition bit, and then no more. */
	second = ftrace_test_recursion_trylock(1, 2);
	KUNIT_EXPECT_LT(test, ftrace_test_recursion_trylock(1, 2), 0);
	if (second >= 0)
		ftrace_test_recursion_unlock(second);
	if (IS_ENABLED(CONFIG_PREEMPT_COUNT))
		KUNIT_EXPECT_FALSE(test, preemptible());
	if (first >= 0)
		ftrace_test_recursion_unlock(first);
	KUNIT_EXPECT_EQ(test, preempt_count(), 0);
	KUNIT_EXPECT_EQ(test, current->trace_recursion, 0);
}

/* ---- A thousand ops elsewhere ----------------------------------------- */

#define THOUSAND	1000

static unsigned long nth_site(unsigned int nth)
{
	struct ftrace_site *site;
	unsigned long ip;

	mutex_lock(&ftrace_lock);
	site = ftrace_site_by_index(nth);
	ip = site && !site->chain ? site->ip : 0;
	mutex_unlock(&ftrace_lock);
	return ip;
}

static unsigned int hooked_sites(unsigned int last)
{
	unsigned int nth, nr = 0;

	mutex_lock(&ftrace_lock);
	for (nth = 1; nth <= last; nth++)
		nr += !!ftrace_site_by_index(nth)->chain;
	mutex_unlock(&ftrace_lock);
	return nr;
}

/* Attach ops to so many functions that nobody hooks yet, one each. */
static unsigned int crowd(struct kunit *test, struct ftrace_ops *ops)
{
	unsigned int i, nth = 0;
	unsigned long ip;

	for (i = 0; i < THOUSAND; i++) {
		do {
			ip = nth_site(++nth);
		} while (!ip);
		ops[i].func = ftrace_stub;
		KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&ops[i], ip, 0, 0),
				0);
		KUNIT_ASSERT_EQ(test, register_ftrace_function(&ops[i]), 0);
	}
	return nth;
}

static void two_among_a_thousand(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, 2, sizeof(*c), GFP_KERNEL);
	unsigned long ip = ftrace_location((unsigned long)ftrace_kunit_one);
	unsigned int i, last, before;
	struct ftrace_ops *ops;
	struct ftrace_chain *chain;

	ops = kunit_kcalloc(test, THOUSAND, sizeof(*ops), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ops);
	last = crowd(test, ops);
	before = hooked_sites(last) - THOUSAND;
	for (i = 0; i < 2; i++) {
		c[i].ops.func = count_call;
		KUNIT_ASSERT_EQ(test, on(&c[i].ops, ftrace_kunit_one), 0);
		KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[i].ops), 0);
	}

	/* What a hit reads has these two and nothing of the others. */
	mutex_lock(&ftrace_lock);
	chain = ftrace_site_find(ip)->chain;
	KUNIT_EXPECT_EQ(test, chain->nr, 2);
	KUNIT_EXPECT_PTR_EQ(test, chain->call[0].ops, &c[0].ops);
	KUNIT_EXPECT_PTR_EQ(test, chain->call[1].ops, &c[1].ops);
	mutex_unlock(&ftrace_lock);
	for (i = 0; i < 100; i++)
		ftrace_kunit_one(1);

	for (i = 0; i < 2; i++) {
		unregister_ftrace_function(&c[i].ops);
		KUNIT_EXPECT_EQ(test, c[i].hits, 100);
		ftrace_free_filter(&c[i].ops);
	}
	for (i = 0; i < THOUSAND; i++) {
		KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&ops[i]), 0);
		ftrace_free_filter(&ops[i]);
	}
	KUNIT_EXPECT_EQ(test, hooked_sites(last), before);
}

static struct kunit_case load_cases[] = {
	KUNIT_CASE_SLOW(f02_quiet_after_unregistering),
	KUNIT_CASE_SLOW(f15_filter_changes_in_one_step),
	KUNIT_CASE_SLOW(f15_neighbours_come_and_go),
#ifdef CONFIG_X86_LOCAL_APIC
	KUNIT_CASE(f04_callbacks_in_an_nmi),
	KUNIT_CASE(f04_nmi_in_a_callback),
	KUNIT_CASE(f05_a_level_for_each_context),
#endif
	KUNIT_CASE(f05_not_preemptible_with_the_lock),
	KUNIT_CASE(f05_interrupt_in_a_guarded_callback),
	KUNIT_CASE(f07_interrupt_in_a_callback),
	KUNIT_CASE_SLOW(two_among_a_thousand),
	{ }
};

static struct kunit_suite load_suite = {
	.name = "ftrace_load",
	.test_cases = load_cases,
};

kunit_test_suite(load_suite);
