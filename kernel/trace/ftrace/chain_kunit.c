// SPDX-License-Identifier: GPL-2.0
/* Tests of chain.c: interning, order, conflicts. */
#include <kunit/test.h>

#include "internal.h"
#include "kunit_target.h"

static struct ftrace_ops *make_ops(struct kunit *test, int nr)
{
	struct ftrace_ops *ops = kunit_kcalloc(test, nr, sizeof(*ops), GFP_KERNEL);

	while (nr--)
		ftrace_ops_init(&ops[nr]);
	return ops;
}

static struct ftrace_call call(struct ftrace_ops *ops, unsigned int flags)
{
	return (struct ftrace_call){
		.ops = ops, .func = (unsigned long)ftrace_stub, .flags = flags,
	};
}

static struct ftrace_chain *with(struct ftrace_chain *old,
				 struct ftrace_ops *ops, unsigned int flags)
{
	struct ftrace_call c = call(ops, flags);

	return ftrace_chain_with(old, &c, 0);
}

static void equal_chains_are_one(struct kunit *test)
{
	struct ftrace_ops *ops = make_ops(test, 2);
	struct ftrace_chain *a, *b, *ab, *again;

	mutex_lock(&ftrace_lock);
	a = with(NULL, &ops[0], 0);
	b = with(NULL, &ops[0], 0);
	KUNIT_EXPECT_PTR_EQ(test, a, b);
	KUNIT_EXPECT_EQ(test, a->users, 2);
	ab = with(a, &ops[1], 0);
	KUNIT_EXPECT_PTR_NE(test, a, ab);
	again = ftrace_chain_without(ab, &ops[1], 0);
	KUNIT_EXPECT_PTR_EQ(test, again, a);
	KUNIT_EXPECT_NULL(test, ftrace_chain_without(a, &ops[0], 0));
	ftrace_chain_put(a);
	ftrace_chain_put(b);
	ftrace_chain_put(again);
	ftrace_chain_put(ab);
	mutex_unlock(&ftrace_lock);
	/* Nothing keeps a pointer to the ops. */
	KUNIT_EXPECT_TRUE(test, list_empty(&ops[0].chains));
	KUNIT_EXPECT_TRUE(test, list_empty(&ops[1].chains));
}

static void order_by_class(struct kunit *test)
{
	struct ftrace_ops *ops = make_ops(test, 4);
	struct ftrace_chain *c[4];
	int i;

	mutex_lock(&ftrace_lock);
	c[0] = with(NULL, &ops[0], FTRACE_CALL_DIRECT);
	c[1] = with(c[0], &ops[1], FTRACE_CALL_GRAPH);
	c[2] = with(c[1], &ops[2], 0);
	c[3] = with(c[2], &ops[3], 0);
	KUNIT_EXPECT_EQ(test, c[3]->nr, 4);
	KUNIT_EXPECT_PTR_EQ(test, c[3]->call[0].ops, &ops[2]);
	KUNIT_EXPECT_PTR_EQ(test, c[3]->call[1].ops, &ops[3]);
	KUNIT_EXPECT_PTR_EQ(test, c[3]->call[2].ops, &ops[1]);
	KUNIT_EXPECT_PTR_EQ(test, c[3]->call[3].ops, &ops[0]);
	KUNIT_EXPECT_PTR_EQ(test, ftrace_chain_direct(c[3]), &c[3]->call[3]);
	for (i = 3; i >= 0; i--)
		ftrace_chain_put(c[i]);
	mutex_unlock(&ftrace_lock);
}

static void changed_call_keeps_its_place(struct kunit *test)
{
	struct ftrace_ops *ops = make_ops(test, 2);
	struct ftrace_chain *a, *ab, *changed;

	mutex_lock(&ftrace_lock);
	a = with(NULL, &ops[0], 0);
	ab = with(a, &ops[1], 0);
	changed = with(ab, &ops[0], FTRACE_CALL_PID);
	KUNIT_EXPECT_EQ(test, changed->nr, 2);
	KUNIT_EXPECT_PTR_EQ(test, changed->call[0].ops, &ops[0]);
	KUNIT_EXPECT_EQ(test, changed->call[0].flags, FTRACE_CALL_PID);
	KUNIT_EXPECT_PTR_EQ(test, changed->call[1].ops, &ops[1]);
	ftrace_chain_put(changed);
	ftrace_chain_put(ab);
	ftrace_chain_put(a);
	mutex_unlock(&ftrace_lock);
}

static void f10_conflicts(struct kunit *test)
{
	unsigned int exclusive[] = { FTRACE_CALL_DIRECT, FTRACE_CALL_IPMODIFY };
	struct ftrace_ops *ops = make_ops(test, 2);
	struct ftrace_chain *a;
	int i;

	for (i = 0; i < ARRAY_SIZE(exclusive); i++) {
		mutex_lock(&ftrace_lock);
		a = with(NULL, &ops[0], exclusive[i]);
		KUNIT_EXPECT_EQ(test, PTR_ERR(with(a, &ops[1], exclusive[i])),
				-EBUSY);
		KUNIT_EXPECT_EQ(test, a->users, 1);
		ftrace_chain_put(a);
		mutex_unlock(&ftrace_lock);
	}
}

static void one_trampoline_for_all_sites(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct ftrace_site *one, *two;

	c->ops.func = count_call;
	KUNIT_ASSERT_EQ(test, ftrace_set_filter(&c->ops, "ftrace_kunit_*", 14, 1),
			0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	mutex_lock(&ftrace_lock);
	one = ftrace_site_find(ftrace_location((unsigned long)ftrace_kunit_one));
	two = ftrace_site_find(ftrace_location((unsigned long)ftrace_kunit_two));
	KUNIT_EXPECT_NOT_NULL(test, one->chain);
	KUNIT_EXPECT_PTR_EQ(test, one->chain, two->chain);
	KUNIT_EXPECT_TRUE(test, is_ftrace_trampoline(one->chain->text));
	KUNIT_EXPECT_TRUE(test, is_ftrace_trampoline(one->chain->text +
						     one->chain->size - 1));
	mutex_unlock(&ftrace_lock);
	unregister_ftrace_function(&c->ops);
	KUNIT_EXPECT_FALSE(test, is_ftrace_trampoline((unsigned long)count_call));
	ftrace_free_filter(&c->ops);
}

/* How many sites' text a plan that takes places over would write: none. */
static void whole_chain_is_replaced_behind_its_entry(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, 2, sizeof(*c), GFP_KERNEL);
	unsigned long before, after;
	struct ftrace_site *site;

	c[0].ops.func = count_call;
	c[1].ops.func = count_call;
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[0].ops), 0);
	mutex_lock(&ftrace_lock);
	site = ftrace_site_find(ftrace_location((unsigned long)ftrace_kunit_one));
	before = site->chain->entry;
	mutex_unlock(&ftrace_lock);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[1].ops), 0);
	mutex_lock(&ftrace_lock);
	after = site->chain->entry;
	KUNIT_EXPECT_EQ(test, site->chain->nr, 2);
	KUNIT_EXPECT_NE(test, site->chain->text, after);
	mutex_unlock(&ftrace_lock);
	KUNIT_EXPECT_EQ(test, before, after);
	c[0].hits = 0;
	c[1].hits = 0;
	ftrace_kunit_one(1);
	KUNIT_EXPECT_GT(test, c[0].hits, 0);
	KUNIT_EXPECT_GT(test, c[1].hits, 0);
	unregister_ftrace_function(&c[0].ops);
	unregister_ftrace_function(&c[1].ops);
}

static struct kunit_case chain_cases[] = {
	KUNIT_CASE(equal_chains_are_one),
	KUNIT_CASE(order_by_class),
	KUNIT_CASE(changed_call_keeps_its_place),
	KUNIT_CASE(f10_conflicts),
	KUNIT_CASE(one_trampoline_for_all_sites),
	KUNIT_CASE_SLOW(whole_chain_is_replaced_behind_its_entry),
	{ }
};

static struct kunit_suite chain_suite = {
	.name = "ftrace_chain",
	.test_cases = chain_cases,
};

kunit_test_suite(chain_suite);
