// SPDX-License-Identifier: GPL-2.0
/* Tests of symbols.c and sites.c: patterns, names, addresses. */
#include <kunit/test.h>
#include <linux/kallsyms.h>

#include "../trace.h"
#include "internal.h"
#include "kunit_target.h"

static void parse(struct kunit *test, const char *func, const char *module,
		  struct ftrace_pattern *pat)
{
	KUNIT_ASSERT_EQ(test, ftrace_pattern_parse(pat, func, strlen(func),
						   module), 0);
}

static void pattern_kinds(struct kunit *test)
{
	static const struct {
		const char *text;
		int type;
		const char *search;
		bool negate;
	} kinds[] = {
		{ "name", MATCH_FULL, "name", false },
		{ "!name", MATCH_FULL, "name", true },
		{ "pre*", MATCH_FRONT_ONLY, "pre", false },
		{ "*suf", MATCH_END_ONLY, "suf", false },
		{ "*mid*", MATCH_MIDDLE_ONLY, "mid", false },
		{ "a*b", MATCH_GLOB, "a*b", false },
		{ "a?b", MATCH_GLOB, "a?b", false },
		{ "[ab]c", MATCH_GLOB, "[ab]c", false },
		{ "!*mid*", MATCH_MIDDLE_ONLY, "mid", true },
	};
	struct ftrace_pattern pat;
	int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		parse(test, kinds[i].text, NULL, &pat);
		KUNIT_EXPECT_EQ(test, pat.type, kinds[i].type);
		KUNIT_EXPECT_STREQ(test, pat.search, kinds[i].search);
		KUNIT_EXPECT_EQ(test, pat.negate, kinds[i].negate);
		KUNIT_EXPECT_NULL(test, pat.module);
		ftrace_pattern_free(&pat);
	}
	parse(test, "0x10", NULL, &pat);
	KUNIT_EXPECT_EQ(test, pat.type, MATCH_INDEX);
	KUNIT_EXPECT_EQ(test, pat.index, 16);
	ftrace_pattern_free(&pat);
	parse(test, "12abc", NULL, &pat);
	KUNIT_EXPECT_EQ(test, pat.index, 0);
	ftrace_pattern_free(&pat);
}

static int keep_ip(struct ftrace_site *site, void *data)
{
	unsigned long *ip = data;

	*ip = site->ip;
	return 0;
}

static int each(struct kunit *test, const char *func, const char *module,
		unsigned long *ip)
{
	struct ftrace_pattern pat;
	int ret;

	parse(test, func, module, &pat);
	ret = ftrace_pattern_each(&pat, keep_ip, ip);
	ftrace_pattern_free(&pat);
	return ret;
}

static void f12_patterns_find_sites(struct kunit *test)
{
	unsigned long site = ftrace_location((unsigned long)ftrace_kunit_one);
	unsigned long ip = 0;

	KUNIT_EXPECT_EQ(test, each(test, "ftrace_kunit_one", NULL, &ip), 1);
	KUNIT_EXPECT_EQ(test, ip, site);
	KUNIT_EXPECT_EQ(test, each(test, "ftrace_kunit_on*", NULL, &ip), 1);
	KUNIT_EXPECT_EQ(test, ip, site);
	KUNIT_EXPECT_EQ(test, each(test, "ftrace_kunit_t*", NULL, &ip), 2);
	KUNIT_EXPECT_EQ(test, each(test, "no_such_function", NULL, &ip), 0);
	KUNIT_EXPECT_EQ(test, each(test, "", NULL, &ip), 0);
	KUNIT_EXPECT_EQ(test, each(test, "0", NULL, &ip), 0);
	KUNIT_EXPECT_EQ(test, each(test, "999999999", NULL, &ip), 0);

	/* The kernel is in no module, and is all that is in none. */
	KUNIT_EXPECT_EQ(test, each(test, "ftrace_kunit_one", "*", &ip), 0);
	KUNIT_EXPECT_EQ(test, each(test, "ftrace_kunit_one", "", &ip), 0);
	KUNIT_EXPECT_EQ(test, each(test, "ftrace_kunit_one", "!ext4", &ip), 1);
	KUNIT_EXPECT_EQ(test, each(test, "ftrace_kunit_o*", "!ext4", &ip), 2);
}

static void f12_number_is_the_line(struct kunit *test)
{
	struct ftrace_site *site;
	unsigned long ip = 0, want;

	mutex_lock(&ftrace_lock);
	site = ftrace_site_by_index(17);
	want = site ? site->ip : 1;
	KUNIT_EXPECT_NULL(test, ftrace_site_by_index(0));
	mutex_unlock(&ftrace_lock);
	KUNIT_EXPECT_EQ(test, each(test, "17", NULL, &ip), 1);
	KUNIT_EXPECT_EQ(test, ip, want);
}

static void names(struct kunit *test)
{
	char *name = kunit_kzalloc(test, FTRACE_SITE_NAME_LEN, GFP_KERNEL);
	unsigned long ip = ftrace_location((unsigned long)ftrace_kunit_two);
	struct ftrace_site *site;

	mutex_lock(&ftrace_lock);
	site = ftrace_site_find(ip);
	if (site)
		ftrace_site_name(site, name);
	mutex_unlock(&ftrace_lock);
	KUNIT_EXPECT_STREQ(test, name, "ftrace_kunit_two");
}

/* What is read in sequence is what kallsyms says of each alone. */
static void names_in_sequence(struct kunit *test)
{
	char *name = kunit_kzalloc(test, FTRACE_SITE_NAME_LEN, GFP_KERNEL);
	char *next = kunit_kzalloc(test, FTRACE_SITE_NAME_LEN, GFP_KERNEL);
	unsigned int i, wrong = 0, seen = 0;
	struct ftrace_site_table *table;

	mutex_lock(&ftrace_lock);
	ftrace_for_each_table(table) {
		struct ftrace_names at = { };

		for (i = 0; i < table->nr; i += 1 + i % 7) {
			size_t len = ftrace_site_name(&table->site[i], name);

			wrong += ftrace_site_name_next(&at, table,
						       &table->site[i],
						       next) != len;
			wrong += !!strcmp(name, next);
			seen++;
		}
	}
	mutex_unlock(&ftrace_lock);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_GT(test, seen, 1000);
}

/* The index by name finds what a look at each name finds. */
static void f12_prefix_by_index(struct kunit *test)
{
	static const char * const prefix[] = {
		"ftrace_kunit_", "schedule", "vfs_", "__x64_sys_", "z", "no_such",
	};
	unsigned long ip;
	char glob[32];
	int i;

	for (i = 0; i < ARRAY_SIZE(prefix); i++) {
		int want;

		/* The same, as a glob that no index helps with. */
		snprintf(glob, sizeof(glob), "%s[0-9A-Za-z_.]*", prefix[i]);
		want = each(test, glob, NULL, &ip);
		want += each(test, prefix[i], NULL, &ip);
		snprintf(glob, sizeof(glob), "%s*", prefix[i]);
		KUNIT_EXPECT_EQ(test, each(test, glob, NULL, &ip), want);
	}
}

struct found {
	unsigned long	sum;
	int		nr;
};

static int note_symbol(void *data, unsigned long addr)
{
	struct found *found = data;

	found->sum += addr;
	found->nr++;
	return 0;
}

/* Exact names are found as kallsyms finds them; neighbours are not. */
static void f12_exact_by_index(struct kunit *test)
{
	char *name = kunit_kzalloc(test, FTRACE_NAME_ROOM, GFP_KERNEL);
	unsigned int i, wrong = 0, seen = 0;
	struct ftrace_names at = { };
	struct ftrace_site_table *table;

	mutex_lock(&ftrace_lock);
	table = list_first_entry(&ftrace_site_tables, struct ftrace_site_table,
				 list);
	for (i = 0; i < table->nr; i += 97) {
		struct found ours = { }, theirs = { };
		unsigned int len;

		len = ftrace_names_of(&at, table->site[i].ip, name);
		if (!len)
			continue;
		ftrace_names_each_exact(name, note_symbol, &ours);
		kallsyms_on_each_match_symbol(note_symbol, name, &theirs);
		wrong += !ours.nr || ours.nr != theirs.nr ||
			 ours.sum != theirs.sum;
		name[len] = '~';
		name[len + 1] = 0;
		wrong += ftrace_names_each_exact(name, note_symbol, &ours) ||
			 ours.nr != theirs.nr;
		seen++;
	}
	mutex_unlock(&ftrace_lock);
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_GT(test, seen, 50);
}

static void f13_locations(struct kunit *test)
{
	unsigned long func = addr_of(ftrace_kunit_one);
	unsigned long site = ftrace_location(func), size, offset;

	KUNIT_ASSERT_NE(test, site, 0);
	KUNIT_EXPECT_EQ(test, site, func + FTRACE_MCOUNT_MAX_OFFSET);
	KUNIT_EXPECT_EQ(test, ftrace_location(site), site);
	KUNIT_EXPECT_EQ(test, ftrace_location(site + MCOUNT_INSN_SIZE - 1), site);
	KUNIT_EXPECT_EQ(test, ftrace_location(site + MCOUNT_INSN_SIZE), 0);
	/* This file is not traced. */
	KUNIT_EXPECT_EQ(test, ftrace_location((unsigned long)f13_locations), 0);
	KUNIT_EXPECT_EQ(test, ftrace_location(0), 0);
	KUNIT_EXPECT_EQ(test, ftrace_location(-1UL), 0);

	/* The end is part of the range. */
	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset(func, &size, &offset));
	KUNIT_EXPECT_EQ(test, ftrace_location_range(func, func + size - 1), site);
	KUNIT_EXPECT_EQ(test, ftrace_location_range(site, site), site);
	KUNIT_EXPECT_EQ(test, ftrace_location_range(site + 5, func + size - 1), 0);
	KUNIT_EXPECT_EQ(test, ftrace_text_reserved((void *)func,
						   (void *)site), 1);
	KUNIT_EXPECT_EQ(test, ftrace_text_reserved((void *)(site + 5),
						   (void *)(site + 6)), 0);
}

static void sites_are_sorted(struct kunit *test)
{
	struct ftrace_site_table *table;
	unsigned int i, wrong = 0;

	mutex_lock(&ftrace_lock);
	ftrace_for_each_table(table) {
		for (i = 1; i < table->nr; i++)
			wrong += table->site[i - 1].ip >= table->site[i].ip;
	}
	mutex_unlock(&ftrace_lock);
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

static void lookup_symbols(struct kunit *test)
{
	const char *one = "ftrace_kunit_one", *two = "ftrace_kunit_two";
	const char *syms[3], *wrong[2];
	unsigned long addrs[3];

	syms[0] = one;
	syms[1] = two;
	syms[2] = "schedule";
	wrong[0] = one;
	wrong[1] = "no_such_function";
	KUNIT_EXPECT_EQ(test, ftrace_lookup_symbols(syms, 3, addrs), 0);
	KUNIT_EXPECT_EQ(test, addrs[0], (unsigned long)ftrace_kunit_one);
	KUNIT_EXPECT_EQ(test, addrs[1], (unsigned long)ftrace_kunit_two);
	KUNIT_EXPECT_EQ(test, addrs[2], (unsigned long)schedule);
	KUNIT_EXPECT_EQ(test, ftrace_lookup_symbols(wrong, 2, addrs), -ESRCH);
}

static struct kunit_case symbols_cases[] = {
	KUNIT_CASE(pattern_kinds),
	KUNIT_CASE_SLOW(f12_patterns_find_sites),
	KUNIT_CASE(f12_number_is_the_line),
	KUNIT_CASE(names),
	KUNIT_CASE_SLOW(names_in_sequence),
	KUNIT_CASE_SLOW(f12_prefix_by_index),
	KUNIT_CASE_SLOW(f12_exact_by_index),
	KUNIT_CASE(f13_locations),
	KUNIT_CASE(sites_are_sorted),
	KUNIT_CASE(lookup_symbols),
	{ }
};

static struct kunit_suite symbols_suite = {
	.name = "ftrace_symbols",
	.test_cases = symbols_cases,
};

kunit_test_suite(symbols_suite);
