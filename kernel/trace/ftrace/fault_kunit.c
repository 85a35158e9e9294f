// SPDX-License-Identifier: GPL-2.0
/*
 * F17: each allocation of each operation fails in turn.  That gives -ENOMEM
 * and leaves everything as it was, or the operation does without.
 */
#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/sched.h>

#include "internal.h"
#include "kunit_target.h"

static int (*const funcs[])(int x) = {
	ftrace_kunit_one, ftrace_kunit_two, ftrace_kunit_three,
	ftrace_kunit_other,
};

#define NR_FUNCS	ARRAY_SIZE(funcs)
#define MANY_FAULTS	1000	/* no operation has so many allocations */

/**
 * struct world - who is attached where
 * @ops:       the ops that operations are done to
 * @bystander: attached to all of the functions all along
 */
struct world {
	struct ftrace_ops	*ops;
	struct counter		bystander;
};

/* All that a failed operation must not change. */
struct state {
	struct ftrace_chain	*chain[NR_FUNCS];
	unsigned int		users[NR_FUNCS];
	struct ftrace_set	*filter;
	struct ftrace_set	*exclude;
	bool			registered;
	bool			enabled;
	unsigned long		target;
};

static void note_state(struct world *w, struct state *state)
{
	struct ftrace_lists lists;
	int i;

	memset(state, 0, sizeof(*state));
	mutex_lock(&ftrace_lock);
	for (i = 0; i < NR_FUNCS; i++) {
		unsigned long ip = ftrace_location((unsigned long)funcs[i]);
		struct ftrace_chain *chain = ftrace_site_find(ip)->chain;

		state->chain[i] = chain;
		state->users[i] = chain ? chain->users : 0;
	}
	lists = ftrace_ops_lists(w->ops);
	state->filter = lists.filter;
	state->exclude = lists.exclude;
	state->registered = ftrace_ops_registered(w->ops);
	state->enabled = w->ops->flags & FTRACE_OPS_FL_ENABLED;
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	if (state->registered)
		state->target = w->ops->direct_call;
#endif
	mutex_unlock(&ftrace_lock);
}

/* Calls of the bystander by the functions, each called once. */
static unsigned long bystander_hits(struct world *w)
{
	int i;

	w->bystander.hits = 0;
	for (i = 0; i < NR_FUNCS; i++)
		funcs[i](1);
	return w->bystander.hits;
}

typedef int (*operation)(struct world *w);

/*
 * Does something with the @nth allocation from here failing.  Only those that
 * cannot wait are made to fail unless debugfs says otherwise, so for the
 * moment none can.
 */
static int with_fault(struct world *w, operation op, unsigned int nth,
		      bool *failed)
{
#ifdef CONFIG_FAILSLAB
	gfp_t mask = gfp_allowed_mask;
	int ret;

	gfp_allowed_mask &= ~__GFP_DIRECT_RECLAIM;
	current->fail_nth = nth;
	ret = op(w);
	*failed = !current->fail_nth;
	current->fail_nth = 0;
	gfp_allowed_mask = mask;
	return ret;
#else
	return -EOPNOTSUPP;
#endif
}

/* What allocations an operation made, by how it coped with a failing one. */
struct outcome {
	unsigned int	refused;
	unsigned int	did_without;
};

/*
 * Let one allocation after the other fail, from the @first on, until there is
 * none left.  @undo takes back what @op did, after each success but the last.
 */
static struct outcome each_fault_from(unsigned int first, struct kunit *test,
				      struct world *w, operation op,
				      operation undo)
{
	struct outcome outcome = { };
	struct state before, after;
	unsigned int nth;
	bool failed;
	int ret;

	for (nth = first; nth < MANY_FAULTS; nth++) {
		note_state(w, &before);
		ret = with_fault(w, op, nth, &failed);
		if (!failed) {
			KUNIT_EXPECT_EQ(test, ret, 0);
			return outcome;
		}
		if (ret) {
			outcome.refused++;
			KUNIT_EXPECT_EQ(test, ret, -ENOMEM);
			note_state(w, &after);
			KUNIT_EXPECT_MEMEQ(test, &before, &after,
					   sizeof(before));
		} else {
			outcome.did_without++;
			KUNIT_EXPECT_EQ(test, undo(w), 0);
		}
		KUNIT_EXPECT_EQ(test, bystander_hits(w), NR_FUNCS);
	}
	KUNIT_FAIL(test, "more than %d allocations\n", MANY_FAULTS);
	return outcome;
}

static struct outcome each_fault(struct kunit *test, struct world *w,
				 operation op, operation undo)
{
	return each_fault_from(1, test, w, op, undo);
}

static int set_pattern(struct world *w, char *pattern, int reset)
{
	return ftrace_set_filter(w->ops, pattern, strlen(pattern), reset);
}

/* ---- Operations ------------------------------------------------------- */

static int op_register(struct world *w)
{
	return register_ftrace_function(w->ops);
}

static int op_unregister(struct world *w)
{
	return unregister_ftrace_function(w->ops);
}

static int op_filter(struct world *w)
{
	return set_pattern(w, "ftrace_kunit_t*", 1);
}

static int op_filter_add(struct world *w)
{
	return set_pattern(w, "ftrace_kunit_two", 0);
}

static int op_filter_ip(struct world *w)
{
	return ftrace_set_filter_ip(w->ops, (unsigned long)ftrace_kunit_two, 0,
				    0);
}

static int op_filter_ips(struct world *w)
{
	unsigned long ips[] = {
		(unsigned long)ftrace_kunit_three,
		(unsigned long)ftrace_kunit_two,
	};

	return ftrace_set_filter_ips(w->ops, ips, ARRAY_SIZE(ips), 0, 1);
}

static int op_filter_one(struct world *w)
{
	return ftrace_set_filter_ip(w->ops, (unsigned long)ftrace_kunit_one, 0,
				    1);
}

static int op_notrace(struct world *w)
{
	return ftrace_set_notrace(w->ops, "ftrace_kunit_*", 14, 1);
}

static int op_notrace_nothing(struct world *w)
{
	return ftrace_set_notrace(w->ops, NULL, 0, 1);
}

static int op_switch_off(struct world *w)
{
	return ftrace_apply_enabled(0);
}

static int op_switch_on(struct world *w)
{
	return ftrace_apply_enabled(1);
}

/* ---- Tests ------------------------------------------------------------ */

static struct counter *make_subject(struct kunit *test, struct world *w)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->ops.func = count_call;
	w->ops = &c->ops;
	KUNIT_ASSERT_EQ(test, op_filter_one(w), 0);
	return c;
}

static void end_subject(struct world *w)
{
	unregister_ftrace_function(w->ops);
	ftrace_free_filter(w->ops);
}

/* Which functions it is called for, a bit each. */
static unsigned int called_for(struct counter *c)
{
	unsigned int i, mask = 0;

	for (i = 0; i < NR_FUNCS; i++) {
		c->hits = 0;
		funcs[i](1);
		mask |= c->hits << (4 * i);
	}
	return mask;
}

static void f17_registration(struct kunit *test)
{
	struct world *w = test->priv;
	struct counter *c = make_subject(test, w);
	struct outcome outcome;

	outcome = each_fault(test, w, op_register, op_unregister);
	/* At least these: the trampoline's page may have room for it. */
	KUNIT_EXPECT_GE(test, outcome.refused, 2);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x1);
	end_subject(w);
	KUNIT_EXPECT_EQ(test, called_for(c), 0);
}

/* Many functions that call different things: plans and chains grow. */
static void f17_registration_on_many(struct kunit *test)
{
	struct world *w = test->priv;
	struct counter *c = make_subject(test, w);
	struct outcome outcome;

	KUNIT_ASSERT_EQ(test, set_pattern(w, "seq_*", 1), 0);
	KUNIT_ASSERT_EQ(test, set_pattern(w, "ftrace_kunit_*", 0), 0);
	outcome = each_fault(test, w, op_register, op_unregister);
	KUNIT_EXPECT_GE(test, outcome.refused, 5);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x1111);
	end_subject(w);
	KUNIT_EXPECT_EQ(test, called_for(c), 0);
}

static void f17_filter_changes(struct kunit *test)
{
	static const struct {
		operation	op;
		unsigned int	called;
	} changes[] = {
		{ op_filter, 0x110 },
		{ op_filter_add, 0x11 },
		{ op_filter_ip, 0x11 },
		{ op_filter_ips, 0x110 },
	};
	struct world *w = test->priv;
	struct counter *c = make_subject(test, w);
	struct outcome outcome;
	int i;

	KUNIT_ASSERT_EQ(test, op_register(w), 0);
	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		outcome = each_fault(test, w, changes[i].op, op_filter_one);
		KUNIT_EXPECT_GE(test, outcome.refused, 2);
		KUNIT_EXPECT_EQ(test, called_for(c), changes[i].called);
		KUNIT_ASSERT_EQ(test, op_filter_one(w), 0);
		KUNIT_EXPECT_EQ(test, called_for(c), 0x1);
	}
	end_subject(w);
}

static void f17_notrace_changes(struct kunit *test)
{
	struct world *w = test->priv;
	struct counter *c = make_subject(test, w);
	struct outcome outcome;

	KUNIT_ASSERT_EQ(test, set_pattern(w, "ftrace_kunit_*", 1), 0);
	KUNIT_ASSERT_EQ(test, op_register(w), 0);
	outcome = each_fault(test, w, op_notrace, op_notrace_nothing);
	KUNIT_EXPECT_GE(test, outcome.refused, 2);
	KUNIT_EXPECT_EQ(test, called_for(c), 0);
	outcome = each_fault(test, w, op_notrace_nothing, op_notrace);
	KUNIT_EXPECT_GE(test, outcome.refused, 2);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x1111);
	end_subject(w);
}

/* Unregistering needs memory for the shorter chain; it may not fail. */
static void f17_unregistering_does_without(struct kunit *test)
{
	struct world *w = test->priv;
	struct counter *c = make_subject(test, w);
	struct outcome outcome;

	KUNIT_ASSERT_EQ(test, set_pattern(w, "ftrace_kunit_*", 1), 0);
	KUNIT_ASSERT_EQ(test, op_register(w), 0);
	outcome = each_fault(test, w, op_unregister, op_register);
	KUNIT_EXPECT_EQ(test, outcome.refused, 0);
	KUNIT_EXPECT_GE(test, outcome.did_without, 2);
	KUNIT_EXPECT_EQ(test, called_for(c), 0);
	ftrace_free_filter(w->ops);
}

/*
 * As trampolines grow, memory for code has to be added: those registrations
 * have more allocations than the three that each has.
 */
static void f17_more_trampolines(struct kunit *test)
{
	struct world *w = test->priv;
	unsigned int refused = 0;
	struct counter *c;
	int i;

	c = kunit_kcalloc(test, 96, sizeof(*c), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c);
	for (i = 0; i < 96; i++) {
		c[i].ops.func = count_call;
		w->ops = &c[i].ops;
		KUNIT_ASSERT_EQ(test, op_filter_one(w), 0);
		refused += each_fault_from(4, test, w, op_register,
					   op_unregister).refused;
	}
	KUNIT_EXPECT_GT(test, refused, 0);
	for (i = 0; i < 96; i++)
		c[i].hits = 0;
	ftrace_kunit_one(1);
	for (i = 0; i < 96; i++) {
		KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c[i].ops), 0);
		KUNIT_EXPECT_EQ(test, c[i].hits, 1);
		ftrace_free_filter(&c[i].ops);
	}
}

static void f17_the_switch(struct kunit *test)
{
	struct world *w = test->priv;
	struct counter *c = make_subject(test, w);
	struct outcome outcome;

	KUNIT_ASSERT_EQ(test, set_pattern(w, "ftrace_kunit_*", 1), 0);
	KUNIT_ASSERT_EQ(test, op_register(w), 0);
	outcome = each_fault(test, w, op_switch_off, op_switch_on);
	KUNIT_EXPECT_GE(test, outcome.refused, 1);
	KUNIT_EXPECT_EQ(test, ftrace_enabled, 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0);
	KUNIT_EXPECT_EQ(test, op_switch_on(w), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x1111);
	end_subject(w);
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
/* A direct call that changes nothing. */
static const unsigned long stub = (unsigned long)ftrace_stub_direct_tramp;

static int op_direct(struct world *w)
{
	return register_ftrace_direct(w->ops, stub);
}

static int op_undirect(struct world *w)
{
	return unregister_ftrace_direct(w->ops, stub, false);
}

static void f17_direct_calls(struct kunit *test)
{
	struct world *w = test->priv;
	struct outcome outcome;

	w->ops = kunit_kzalloc(test, sizeof(*w->ops), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w->ops);
	KUNIT_ASSERT_EQ(test, set_pattern(w, "ftrace_kunit_*", 1), 0);
	outcome = each_fault(test, w, op_direct, op_undirect);
	KUNIT_EXPECT_GE(test, outcome.refused, 3);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	outcome = each_fault(test, w, op_undirect, op_direct);
	KUNIT_EXPECT_EQ(test, outcome.refused, 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	ftrace_free_filter(w->ops);
}

/* The call that stayed in a chain for want of memory claims nothing. */
static void f17_unregistered_owner_owns_nothing(struct kunit *test)
{
	struct world *w = test->priv;
	struct counter *c = make_subject(test, w);
	struct counter *next;
	unsigned int nth;
	bool failed;

	c->ops.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_INITIALIZED;
	for (nth = 1; nth < MANY_FAULTS; nth++) {
		KUNIT_ASSERT_EQ(test, op_register(w), 0);
		KUNIT_EXPECT_EQ(test, with_fault(w, op_unregister, nth,
						 &failed), 0);
		next = kunit_kzalloc(test, sizeof(*next), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, next);
		KUNIT_ASSERT_EQ(test, on(&next->ops, ftrace_kunit_one), 0);
		KUNIT_EXPECT_EQ(test, register_ftrace_direct(&next->ops,
							     stub), 0);
		KUNIT_EXPECT_EQ(test, bystander_hits(w), NR_FUNCS);
		unregister_ftrace_direct(&next->ops, stub, true);
		if (!failed)
			break;
	}
	KUNIT_EXPECT_GT(test, nth, 1);
	KUNIT_EXPECT_EQ(test, called_for(c), 0);
	ftrace_free_filter(w->ops);
}
#endif

static int fault_init(struct kunit *test)
{
	struct world *w;

	if (!IS_ENABLED(CONFIG_FAILSLAB))
		kunit_skip(test, "needs CONFIG_FAILSLAB");

	w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, w);
	w->bystander.ops.func = count_call;
	KUNIT_ASSERT_EQ(test, ftrace_set_filter(&w->bystander.ops,
						"ftrace_kunit_*", 14, 1), 0);
	KUNIT_ASSERT_EQ(test, ftrace_set_notrace(&w->bystander.ops,
						 "ftrace_kunit_caller", 19, 1), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&w->bystander.ops), 0);
	test->priv = w;
	return 0;
}

static void fault_exit(struct kunit *test)
{
	struct world *w = test->priv;

	if (!w)
		return;
	KUNIT_EXPECT_EQ(test, bystander_hits(w), NR_FUNCS);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&w->bystander.ops), 0);
	ftrace_free_filter(&w->bystander.ops);
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE(f17_registration),
	KUNIT_CASE(f17_registration_on_many),
	KUNIT_CASE(f17_filter_changes),
	KUNIT_CASE(f17_notrace_changes),
	KUNIT_CASE(f17_unregistering_does_without),
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	KUNIT_CASE(f17_unregistered_owner_owns_nothing),
	KUNIT_CASE(f17_direct_calls),
#endif
	KUNIT_CASE_SLOW(f17_more_trampolines),
	KUNIT_CASE_SLOW(f17_the_switch),
	{ }
};

static struct kunit_suite fault_suite = {
	.name = "ftrace_fault",
	.init = fault_init,
	.exit = fault_exit,
	.test_cases = fault_cases,
};

kunit_test_suite(fault_suite);
