// SPDX-License-Identifier: GPL-2.0
/* Tests of sites.c on a table of their own, of addresses that are no text. */
#include <kunit/test.h>

#include "internal.h"
#include "kunit_target.h"

/* What the tests' addresses begin with: user space, where no site is. */
#define BASE	0x10000UL

static const unsigned long entries[] = {
	BASE + 0x300, BASE + 0x100, 0, BASE + 0x200, BASE + 0x100,
	BASE + 0x205, BASE + 0x1000,
};

static bool in_text(struct module *mod, unsigned long ip)
{
	return ip >= BASE && ip < BASE + 0x1000;
}

static bool nowhere(struct module *mod, unsigned long ip)
{
	return false;
}

/* Scanned as a module's, since entries of those come in any order. */
static struct ftrace_site_table *scan(struct kunit *test)
{
	struct module *some = (struct module *)entries;
	struct ftrace_site_table *table;

	table = ftrace_sites_scan(some, entries,
				  entries + ARRAY_SIZE(entries), in_text);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(table));
	KUNIT_EXPECT_PTR_EQ(test, table->mod, some);
	table->mod = NULL;
	return table;
}

static void scan_sorts_and_selects(struct kunit *test)
{
	static const unsigned long want[] = {
		BASE + 0x100, BASE + 0x200, BASE + 0x205, BASE + 0x300,
	};
	const unsigned long *end = entries + ARRAY_SIZE(entries);
	struct ftrace_site_table *table = scan(test);
	int i;

	KUNIT_ASSERT_EQ(test, table->nr, ARRAY_SIZE(want));
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		KUNIT_EXPECT_EQ(test, table->site[i].ip, want[i]);
		KUNIT_EXPECT_NULL(test, table->site[i].chain);
		KUNIT_EXPECT_EQ(test, table->site[i].flags, 0);
	}
	ftrace_sites_free(table);

	KUNIT_EXPECT_NULL(test, ftrace_sites_scan(NULL, entries, end, nowhere));
	KUNIT_EXPECT_NULL(test, ftrace_sites_scan(NULL, end, end, in_text));
}

static unsigned long first_in(unsigned long start, unsigned long end)
{
	struct ftrace_site *site = ftrace_site_first_in(start, end);

	return site ? site->ip : 0;
}

static void f13_borders(struct kunit *test)
{
	struct ftrace_site_table *table = scan(test);
	unsigned long a = BASE + 0x100, b = BASE + 0x200, c = BASE + 0x205;
	struct ftrace_site *site;

	mutex_lock(&ftrace_lock);
	ftrace_sites_link(table);
	site = ftrace_site_find(b);
	KUNIT_EXPECT_PTR_EQ(test, site, &table->site[1]);
	KUNIT_EXPECT_PTR_EQ(test, ftrace_site_table_of(&table->site[3]), table);
	KUNIT_EXPECT_NULL(test, ftrace_site_find(b + 1));
	KUNIT_EXPECT_NULL(test, ftrace_site_find(b - 1));
	mutex_unlock(&ftrace_lock);

	/* Both ends belong to the range, each byte of a site counts. */
	KUNIT_EXPECT_EQ(test, first_in(a, a), a);
	KUNIT_EXPECT_EQ(test, first_in(a - 1, a - 1), 0);
	KUNIT_EXPECT_EQ(test, first_in(a - 1, a), a);
	KUNIT_EXPECT_EQ(test, first_in(a + 4, a + 4), a);
	KUNIT_EXPECT_EQ(test, first_in(a + 5, b - 1), 0);
	KUNIT_EXPECT_EQ(test, first_in(a + 5, b), b);
	KUNIT_EXPECT_EQ(test, first_in(b + 4, c), b);
	KUNIT_EXPECT_EQ(test, first_in(b + 5, b + 5), c);
	KUNIT_EXPECT_EQ(test, first_in(BASE, BASE + 0x1000), a);
	KUNIT_EXPECT_EQ(test, first_in(BASE + 0x305, BASE + 0x1000), 0);

	KUNIT_EXPECT_EQ(test, ftrace_location_range(a + 1, c), a);
	KUNIT_EXPECT_EQ(test, ftrace_text_reserved((void *)(c + 4),
						   (void *)(c + 9)), 1);

	mutex_lock(&ftrace_lock);
	ftrace_sites_unlink(table);
	KUNIT_EXPECT_NULL(test, ftrace_site_find(b));
	mutex_unlock(&ftrace_lock);
	ftrace_sites_free(table);
	KUNIT_EXPECT_EQ(test, first_in(BASE, BASE + 0x1000), 0);
}

static void numbers_go_through_all_tables(struct kunit *test)
{
	struct ftrace_site_table *table = scan(test), *each;
	unsigned long total = 0;

	mutex_lock(&ftrace_lock);
	ftrace_for_each_table(each)
		total += each->nr;
	ftrace_sites_link(table);
	KUNIT_EXPECT_PTR_EQ(test, ftrace_site_by_index(total + 1),
			    &table->site[0]);
	KUNIT_EXPECT_PTR_EQ(test, ftrace_site_by_index(total + 4),
			    &table->site[3]);
	KUNIT_EXPECT_NULL(test, ftrace_site_by_index(total + 5));
	KUNIT_EXPECT_NULL(test, ftrace_site_by_index(0));
	ftrace_sites_unlink(table);
	KUNIT_EXPECT_NULL(test, ftrace_site_by_index(total + 1));
	mutex_unlock(&ftrace_lock);
	ftrace_sites_free(table);
}

static struct ftrace_set *filter_of(struct ftrace_ops *ops)
{
	struct ftrace_set *set;

	mutex_lock(&ftrace_lock);
	set = ftrace_ops_list(ops, FTRACE_LIST_FILTER);
	mutex_unlock(&ftrace_lock);
	return set;
}

/* Or the next text at these addresses would be hooked. */
static void f16_lists_forget_what_goes(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	unsigned long one = ftrace_location((unsigned long)ftrace_kunit_one);
	struct module *some = (struct module *)entries;
	struct ftrace_site_table *table = scan(test);
	struct ftrace_set *set = NULL;

	c->ops.func = count_call;
	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	KUNIT_ASSERT_EQ(test, ftrace_set_add(&set, one), 0);
	KUNIT_ASSERT_EQ(test, ftrace_set_add(&set, BASE + 0x100), 0);
	KUNIT_ASSERT_EQ(test, ftrace_set_add(&set, BASE + 0x300), 0);
	mutex_lock(&ftrace_lock);
	table->mod = some;
	ftrace_sites_link(table);
	ftrace_lists_publish(c->ops.func_hash, FTRACE_LIST_FILTER, set);
	mutex_unlock(&ftrace_lock);

	ftrace_release_mod(some);
	KUNIT_EXPECT_EQ(test, first_in(BASE, BASE + 0x1000), 0);
	set = filter_of(&c->ops);
	KUNIT_EXPECT_TRUE(test, ftrace_set_has(set, one));
	KUNIT_EXPECT_FALSE(test, ftrace_set_has(set, BASE + 0x100));
	KUNIT_EXPECT_FALSE(test, ftrace_set_has(set, BASE + 0x300));
	ftrace_kunit_one(1);
	KUNIT_EXPECT_EQ(test, c->hits, 1);
	unregister_ftrace_function(&c->ops);
	ftrace_free_filter(&c->ops);
}

static struct kunit_case sites_cases[] = {
	KUNIT_CASE(scan_sorts_and_selects),
	KUNIT_CASE(f13_borders),
	KUNIT_CASE(f16_lists_forget_what_goes),
	KUNIT_CASE(numbers_go_through_all_tables),
	{ }
};

static struct kunit_suite sites_suite = {
	.name = "ftrace_sites",
	.test_cases = sites_cases,
};

kunit_test_suite(sites_suite);
