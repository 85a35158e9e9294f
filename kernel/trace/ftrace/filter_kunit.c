// SPDX-License-Identifier: GPL-2.0
/* Tests of filter.c: sets of addresses, and what lists mean. */
#include <kunit/test.h>

#include "internal.h"

static void set_add_in_any_order(struct kunit *test)
{
	static const unsigned long order[] = { 5, 1, 9, 3, 7, 3, 9, 0, 8 };
	static const unsigned long sorted[] = { 0, 1, 3, 5, 7, 8, 9 };
	struct ftrace_set *set = NULL;
	int i;

	KUNIT_EXPECT_FALSE(test, ftrace_set_has(set, 5));
	for (i = 0; i < ARRAY_SIZE(order); i++)
		KUNIT_ASSERT_EQ(test, ftrace_set_add(&set, order[i]), 0);
	KUNIT_ASSERT_EQ(test, set->nr, ARRAY_SIZE(sorted));
	for (i = 0; i < ARRAY_SIZE(sorted); i++)
		KUNIT_EXPECT_EQ(test, set->ip[i], sorted[i]);
	KUNIT_EXPECT_TRUE(test, ftrace_set_has(set, 9));
	KUNIT_EXPECT_FALSE(test, ftrace_set_has(set, 6));
	KUNIT_EXPECT_FALSE(test, ftrace_set_has(set, 10));
	ftrace_set_free(set);
}

static void set_del(struct kunit *test)
{
	struct ftrace_set *set = NULL;
	unsigned long ip;

	KUNIT_EXPECT_FALSE(test, ftrace_set_del(set, 1));
	for (ip = 0; ip < 100; ip++)
		KUNIT_ASSERT_EQ(test, ftrace_set_add(&set, ip), 0);
	for (ip = 0; ip < 100; ip += 2)
		KUNIT_EXPECT_TRUE(test, ftrace_set_del(set, ip));
	KUNIT_EXPECT_FALSE(test, ftrace_set_del(set, 0));
	KUNIT_EXPECT_EQ(test, set->nr, 50);
	for (ip = 0; ip < 100; ip++)
		KUNIT_EXPECT_EQ(test, ftrace_set_has(set, ip), ip & 1);
	ftrace_set_free(set);
}

static void set_copy_is_its_own(struct kunit *test)
{
	struct ftrace_set *set = NULL, *copy;

	KUNIT_EXPECT_NULL(test, ftrace_set_copy(NULL));
	KUNIT_ASSERT_EQ(test, ftrace_set_add(&set, 1), 0);
	copy = ftrace_set_copy(set);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, copy);
	KUNIT_ASSERT_EQ(test, ftrace_set_add(&copy, 2), 0);
	KUNIT_EXPECT_TRUE(test, ftrace_set_has(copy, 1));
	KUNIT_EXPECT_FALSE(test, ftrace_set_has(set, 2));
	ftrace_set_free(set);
	ftrace_set_free(copy);
}

static void set_edit(struct kunit *test)
{
	struct ftrace_set *set = NULL, *named = NULL, *edited;
	unsigned long ip;

	for (ip = 1; ip < 40; ip += 2)
		KUNIT_ASSERT_EQ(test, ftrace_set_add(&named, ip), 0);
	mutex_lock(&ftrace_lock);
	KUNIT_EXPECT_NULL(test, ftrace_set_edit(NULL, named, true, false));
	set = ftrace_set_edit(NULL, named, false, false);
	KUNIT_EXPECT_EQ(test, set->nr, 20);

	/* As it is, where others read it; else changed where it is. */
	edited = ftrace_set_edit(set, named, true, true);
	KUNIT_EXPECT_PTR_NE(test, edited, set);
	KUNIT_EXPECT_EQ(test, edited->nr, 0);
	KUNIT_EXPECT_EQ(test, set->nr, 20);
	KUNIT_EXPECT_PTR_EQ(test, ftrace_set_edit(set, named, true, false), set);
	KUNIT_EXPECT_EQ(test, set->nr, 0);
	KUNIT_EXPECT_PTR_EQ(test, ftrace_set_edit(set, named, false, false), set);
	KUNIT_EXPECT_EQ(test, set->nr, 20);
	KUNIT_EXPECT_TRUE(test, ftrace_set_has(set, 39));
	mutex_unlock(&ftrace_lock);
	ftrace_set_free(edited);
	ftrace_set_free(named);
	ftrace_set_free(set);
}

static void f16_set_less_range(struct kunit *test)
{
	struct ftrace_set *set = NULL, *less;
	unsigned long ip;

	for (ip = 10; ip < 20; ip++)
		KUNIT_ASSERT_EQ(test, ftrace_set_add(&set, ip), 0);
	KUNIT_EXPECT_NULL(test, ftrace_set_less_range(NULL, 0, 100));
	KUNIT_EXPECT_NULL(test, ftrace_set_less_range(set, 0, 10));
	KUNIT_EXPECT_NULL(test, ftrace_set_less_range(set, 20, 30));

	less = ftrace_set_less_range(set, 12, 15);
	KUNIT_ASSERT_NOT_NULL(test, less);
	KUNIT_EXPECT_EQ(test, less->nr, 7);
	KUNIT_EXPECT_TRUE(test, ftrace_set_has(less, 11));
	KUNIT_EXPECT_FALSE(test, ftrace_set_has(less, 12));
	KUNIT_EXPECT_FALSE(test, ftrace_set_has(less, 14));
	KUNIT_EXPECT_TRUE(test, ftrace_set_has(less, 15));
	ftrace_set_free(less);

	/* All of it: a set that means nothing, not one that is not set. */
	less = ftrace_set_less_range(set, 0, 100);
	KUNIT_ASSERT_NOT_NULL(test, less);
	KUNIT_EXPECT_EQ(test, less->nr, 0);
	ftrace_set_free(less);
	ftrace_set_free(set);
}

static void f14_what_lists_mean(struct kunit *test)
{
	struct ftrace_set *one = NULL, *empty = ftrace_set_empty();
	struct ftrace_lists lists = { };

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, empty);
	KUNIT_ASSERT_EQ(test, ftrace_set_add(&one, 1), 0);
	KUNIT_EXPECT_TRUE(test, ftrace_lists_accept(&lists, 1));
	lists.exclude = one;
	KUNIT_EXPECT_FALSE(test, ftrace_lists_accept(&lists, 1));
	KUNIT_EXPECT_TRUE(test, ftrace_lists_accept(&lists, 2));
	lists.filter = one;
	KUNIT_EXPECT_FALSE(test, ftrace_lists_accept(&lists, 1));
	KUNIT_EXPECT_FALSE(test, ftrace_lists_accept(&lists, 2));
	lists.exclude = NULL;
	KUNIT_EXPECT_TRUE(test, ftrace_lists_accept(&lists, 1));
	KUNIT_EXPECT_FALSE(test, ftrace_lists_accept(&lists, 2));
	lists.filter = empty;
	KUNIT_EXPECT_FALSE(test, ftrace_lists_accept(&lists, 1));
	ftrace_set_free(one);
	ftrace_set_free(empty);
}

static struct kunit_case filter_cases[] = {
	KUNIT_CASE(set_add_in_any_order),
	KUNIT_CASE(set_del),
	KUNIT_CASE(set_copy_is_its_own),
	KUNIT_CASE(set_edit),
	KUNIT_CASE(f16_set_less_range),
	KUNIT_CASE(f14_what_lists_mean),
	{ }
};

static struct kunit_suite filter_suite = {
	.name = "ftrace_filter",
	.test_cases = filter_cases,
};

kunit_test_suite(filter_suite);
