// SPDX-License-Identifier: GPL-2.0
/*
 * Case C6: somebody else has changed the bytes at a site.  The request that
 * names the function fails; everything else works, and so does the function
 * once its bytes are back.
 */
#include <kunit/test.h>
#include <linux/kmsg_dump.h>

#include "internal.h"
#include "kunit_arch.h"
#include "kunit_target.h"

static u8 kept[MCOUNT_INSN_SIZE];

static void damage(unsigned long ip)
{
	const u8 jump[MCOUNT_INSN_SIZE] = KUNIT_DAMAGE;

	memcpy(kept, (void *)ip, sizeof(kept));
	kunit_write_site(ip, jump);
}

static void mend(unsigned long ip)
{
	kunit_write_site(ip, kept);
}

static unsigned long site_of(int (*func)(int x))
{
	return ftrace_location((unsigned long)func);
}

/* Lines of the log that say which site holds what. */
static unsigned int reports(void)
{
	struct kmsg_dump_iter iter;
	static char line[256];
	unsigned int nr = 0;
	size_t len;

	kmsg_dump_rewind(&iter);
	while (kmsg_dump_get_line(&iter, false, line, sizeof(line) - 1, &len)) {
		line[len] = 0;
		nr += strstr(line, "ftrace_kunit_one") &&
		      strstr(line, "holds " KUNIT_DAMAGE_HEX);
	}
	return nr;
}

static void c06_damaged_before_attaching(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, 3, sizeof(*c), GFP_KERNEL);
	unsigned long site = site_of(ftrace_kunit_one);
	unsigned int before = reports();
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
	/* However often it was come across, it is reported once. */
	if (IS_ENABLED(CONFIG_PRINTK))
		KUNIT_EXPECT_EQ(test, reports() - before, 1);

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

/*
 * F2: a task that had gone through the site before the ops went, and was
 * preempted there, comes late.  The site's old text makes one of this task.
 */
static void f02_late_comers_call_nothing(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	unsigned long site = site_of(ftrace_kunit_one);
	u8 call[MCOUNT_INSN_SIZE], nop[MCOUNT_INSN_SIZE];

	c->ops.func = count_call;
	memcpy(nop, (void *)site, sizeof(nop));
	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	ftrace_kunit_one(1);
	KUNIT_EXPECT_EQ(test, c->hits, 1);
	memcpy(call, (void *)site, sizeof(call));

	/* The lock keeps the old trampoline, as the late task would. */
	mutex_lock(&ftrace_lock);
	ftrace_ops_detach(&c->ops);
	KUNIT_EXPECT_MEMEQ(test, (void *)site, nop, sizeof(nop));
	kunit_write_site(site, call);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	kunit_write_site(site, nop);
	mutex_unlock(&ftrace_lock);
	ftrace_quiesce();
	KUNIT_EXPECT_EQ(test, c->hits, 1);
	ftrace_free_filter(&c->ops);
}

static struct kunit_case damage_cases[] = {
	KUNIT_CASE(f02_late_comers_call_nothing),
	KUNIT_CASE_SLOW(c06_damaged_before_attaching),
	KUNIT_CASE(c06_damaged_while_attached),
	{ }
};

static struct kunit_suite damage_suite = {
	.name = "ftrace_damage",
	.test_cases = damage_cases,
};

kunit_test_suite(damage_suite);
