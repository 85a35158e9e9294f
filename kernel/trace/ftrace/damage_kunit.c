// SPDX-License-Identifier: GPL-2.0
/*
 * Case C6: somebody else has changed the bytes at a site.  The request that
 * names the function fails; everything else works, and so does the function
 * once its bytes are back.
 */
#include <kunit/test.h>
#include <linux/memory.h>

#include <asm/text-patching.h>

#include "internal.h"
#include "kunit_target.h"

static u8 kept[MCOUNT_INSN_SIZE];

static void overwrite(unsigned long ip, const u8 *bytes)
{
	mutex_lock(&text_mutex);
	text_poke_bp((void *)ip, bytes, MCOUNT_INSN_SIZE, NULL);
	mutex_unlock(&text_mutex);
}

/* A jump behind itself: harmless, and nothing that the engine writes. */
static void damage(unsigned long ip)
{
	const u8 jump[MCOUNT_INSN_SIZE] = { JMP32_INSN_OPCODE };

	memcpy(kept, (void *)ip, sizeof(kept));
	overwrite(ip, jump);
}

static void mend(unsigned long ip)
{
	overwrite(ip, kept);
}

static unsigned long site_of(int (*func)(int x))
{
	return ftrace_location((unsigned long)func);
}

static void c06_damaged_before_attaching(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, 3, sizeof(*c), GFP_KERNEL);
	unsigned long site = site_of(ftrace_kunit_one);
	int i;

	for (i = 0; i < 3; i++)
		c[i].ops.func = count_call;
	damage(site);

	/* To that function: an errno, and nothing changed. */
	KUNIT_ASSERT_EQ(test, on(&c[0].ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, on(&c[0].ops, ftrace_kunit_two), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&c[0].ops), -EILSEQ);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c[0].ops), -EBUSY);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_two(1), 3);
	KUNIT_EXPECT_EQ(test, c[0].hits, 0);

	/* To others, and to all. */
	KUNIT_ASSERT_EQ(test, on(&c[1].ops, ftrace_kunit_two), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&c[1].ops), 0);
	KUNIT_EXPECT_EQ(test, on(&c[1].ops, ftrace_kunit_one), -EILSEQ);
	ftrace_kunit_two(1);
	KUNIT_EXPECT_EQ(test, c[1].hits, 1);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&c[2].ops), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	KUNIT_EXPECT_GT(test, c[2].hits, 0);
	unregister_ftrace_function(&c[2].ops);
	unregister_ftrace_function(&c[1].ops);
	KUNIT_EXPECT_EQ(test, ftrace_is_dead(), 0);

	mend(site);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&c[0].ops), 0);
	ftrace_kunit_one(1);
	KUNIT_EXPECT_EQ(test, c[0].hits, 1);
	unregister_ftrace_function(&c[0].ops);
	ftrace_free_filter(&c[0].ops);
	ftrace_free_filter(&c[1].ops);
}

static void c06_damaged_while_attached(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, 2, sizeof(*c), GFP_KERNEL);
	unsigned long site = site_of(ftrace_kunit_one);

	c[0].ops.func = count_call;
	c[1].ops.func = count_call;
	KUNIT_ASSERT_EQ(test, on(&c[0].ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[0].ops), 0);
	damage(site);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c[0].ops), 0);
	ftrace_free_filter(&c[0].ops);
	memset(&c[0].ops, 0, sizeof(c[0].ops));
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);

	/* The bytes that come back call what has no callback any more. */
	mend(site);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, c[0].hits, 0);

	KUNIT_ASSERT_EQ(test, on(&c[1].ops, ftrace_kunit_one), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&c[1].ops), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, c[1].hits, 1);
	unregister_ftrace_function(&c[1].ops);
	ftrace_free_filter(&c[1].ops);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, ftrace_is_dead(), 0);
}

static struct kunit_case damage_cases[] = {
	KUNIT_CASE_SLOW(c06_damaged_before_attaching),
	KUNIT_CASE(c06_damaged_while_attached),
	{ }
};

static struct kunit_suite damage_suite = {
	.name = "ftrace_damage",
	.test_cases = damage_cases,
};

kunit_test_suite(damage_suite);
