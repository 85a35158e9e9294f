// SPDX-License-Identifier: GPL-2.0
/* Tests of counting hits: count.c and what chains and trampolines do of it. */
#include <kunit/test.h>

#include "internal.h"
#include "kunit_target.h"

/* What is counted for an ops at a function; ~0 where nothing is. */
static u64 hits_of(int (*func)(int x), struct ftrace_ops *ops)
{
	struct ftrace_counts *counts;
	struct ftrace_call *call;
	struct ftrace_site *site;
	u64 hits = U64_MAX;

	mutex_lock(&ftrace_lock);
	site = ftrace_site_find(ftrace_location((unsigned long)func));
	call = site ? ftrace_chain_find(site->chain, ops) : NULL;
	counts = call ? ftrace_chain_counts(site->chain) : NULL;
	if (counts)
		hits = ftrace_counter_read(counts->of[call->idx]);
	mutex_unlock(&ftrace_lock);
	return hits;
}

static struct ftrace_chain *chain_of(int (*func)(int x))
{
	unsigned long ip = ftrace_location((unsigned long)func);
	struct ftrace_chain *chain;

	mutex_lock(&ftrace_lock);
	chain = ftrace_site_find(ip)->chain;
	mutex_unlock(&ftrace_lock);
	return chain;
}

static struct counter *make(struct kunit *test, unsigned long flags)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	c->ops.func = count_call;
	c->ops.flags = flags;
	KUNIT_EXPECT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);
	KUNIT_EXPECT_EQ(test, on(&c->ops, ftrace_kunit_two), 0);
	return c;
}

static void call(int ones, int twos)
{
	while (ones--)
		ftrace_kunit_one(1);
	while (twos--)
		ftrace_kunit_two(1);
}

static void counts_by_function_and_callback(struct kunit *test)
{
	struct counter *a = make(test, 0), *b = make(test, 0);

	KUNIT_ASSERT_EQ(test, register_ftrace_function(&a->ops), 0);
	KUNIT_EXPECT_PTR_EQ(test, chain_of(ftrace_kunit_one),
			    chain_of(ftrace_kunit_two));
	KUNIT_EXPECT_EQ(test, hits_of(ftrace_kunit_one, &a->ops), U64_MAX);
	call(5, 5);
	KUNIT_ASSERT_EQ(test, ftrace_count_hits(true), 0);
	call(3, 2);
	KUNIT_EXPECT_EQ(test, hits_of(ftrace_kunit_one, &a->ops), 3);
	KUNIT_EXPECT_EQ(test, hits_of(ftrace_kunit_two, &a->ops), 2);

	/* Somebody else comes: the count goes on. */
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&b->ops), 0);
	call(4, 1);
	KUNIT_EXPECT_EQ(test, hits_of(ftrace_kunit_one, &a->ops), 7);
	KUNIT_EXPECT_EQ(test, hits_of(ftrace_kunit_two, &a->ops), 3);
	KUNIT_EXPECT_EQ(test, hits_of(ftrace_kunit_one, &b->ops), 4);
	unregister_ftrace_function(&a->ops);
	call(1, 0);
	KUNIT_EXPECT_EQ(test, hits_of(ftrace_kunit_one, &b->ops), 5);
	KUNIT_EXPECT_EQ(test, hits_of(ftrace_kunit_one, &a->ops), U64_MAX);

	KUNIT_EXPECT_EQ(test, ftrace_count_hits(false), 0);
	KUNIT_EXPECT_EQ(test, hits_of(ftrace_kunit_one, &b->ops), U64_MAX);
	KUNIT_EXPECT_PTR_EQ(test, chain_of(ftrace_kunit_one),
			    chain_of(ftrace_kunit_two));
	/* And begins anew. */
	KUNIT_EXPECT_EQ(test, ftrace_count_hits(true), 0);
	KUNIT_EXPECT_EQ(test, hits_of(ftrace_kunit_one, &b->ops), 0);
	KUNIT_EXPECT_EQ(test, ftrace_count_hits(false), 0);
	unregister_ftrace_function(&b->ops);
	KUNIT_EXPECT_EQ(test, a->hits, 20);
	KUNIT_EXPECT_EQ(test, b->hits, 6);
	ftrace_free_filter(&a->ops);
	ftrace_free_filter(&b->ops);
}

static void recurse(unsigned long ip, unsigned long parent_ip,
		    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	count_call(ip, parent_ip, op, fregs);
	ftrace_kunit_one(1);
}

/*
 * What a guard refuses is no hit.  The guard lets one level more through, since
 * an interrupt may come before the context is known to be one.
 */
static void counts_calls_that_are_made(struct kunit *test)
{
	struct counter *c = make(test, FTRACE_OPS_FL_RECURSION);

	c->ops.func = recurse;
	KUNIT_ASSERT_EQ(test, ftrace_count_hits(true), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	call(10, 0);
	KUNIT_EXPECT_EQ(test, hits_of(ftrace_kunit_one, &c->ops), c->hits);
	KUNIT_EXPECT_EQ(test, c->hits, 20);
	unregister_ftrace_function(&c->ops);
	KUNIT_EXPECT_EQ(test, ftrace_count_hits(false), 0);
	ftrace_free_filter(&c->ops);
}

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
static void counts_direct_calls(struct kunit *test)
{
	struct ftrace_ops *ops = kunit_kzalloc(test, sizeof(*ops), GFP_KERNEL);
	unsigned long tramp = (unsigned long)ftrace_kunit_tramp;
	unsigned long skip = (unsigned long)ftrace_kunit_skip;

	ftrace_kunit_tramp_hits = 0;
	KUNIT_ASSERT_EQ(test, on(ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_direct(ops, tramp), 0);
	KUNIT_ASSERT_EQ(test, ftrace_count_hits(true), 0);
	call(3, 0);
	KUNIT_EXPECT_EQ(test, hits_of(ftrace_kunit_one, ops), 3);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_tramp_hits, 3);
	KUNIT_EXPECT_EQ(test, modify_ftrace_direct(ops, skip), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 77);
	KUNIT_EXPECT_EQ(test, hits_of(ftrace_kunit_one, ops), 4);
	KUNIT_EXPECT_EQ(test, ftrace_count_hits(false), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 77);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_direct(ops, skip, true), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
}
#endif

static struct kunit_case count_cases[] = {
	KUNIT_CASE(counts_by_function_and_callback),
	KUNIT_CASE(counts_calls_that_are_made),
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	KUNIT_CASE(counts_direct_calls),
#endif
	{ }
};

static struct kunit_suite count_suite = {
	.name = "ftrace_count",
	.test_cases = count_cases,
};

kunit_test_suite(count_suite);
