// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of fprobe (R7).  They probe the functions that tests of function hooks
 * hook.
 */
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <kunit/test.h>

#include "../ftrace/kunit_target.h"

/**
 * struct counted - a probe that counts
 * @fp:      the probe
 * @entries: calls of its entry_handler
 * @exits:   calls of its exit_handler
 * @wrong:   exits whose data, address or return value are not the call's
 * @answer:  what its entry_handler returns
 */
struct counted {
	struct fprobe	fp;
	unsigned long	entries;
	unsigned long	exits;
	unsigned long	wrong;
	int		answer;
};

/**
 * struct kept - what an entry keeps for its exit
 * @hook: where it was
 * @to:   where the call returns to
 * @arg:  its argument
 */
struct kept {
	unsigned long	hook;
	unsigned long	to;
	unsigned long	arg;
};

static int count_entry(struct fprobe *fp, unsigned long hook, unsigned long to,
		       struct pt_regs *regs, void *data)
{
	struct counted *c = container_of(fp, struct counted, fp);
	struct kept *kept = data;

	c->entries++;
	if (kept) {
		kept->hook = hook;
		kept->to = to;
		kept->arg = regs_get_kernel_argument(regs, 0);
	}
	return c->answer;
}

/* Each function returns its argument and at least 1 and at most 4 more. */
static void count_exit(struct fprobe *fp, unsigned long hook, unsigned long to,
		       struct pt_regs *regs, void *data)
{
	struct counted *c = container_of(fp, struct counted, fp);
	struct kept *kept = data;
	unsigned long more;

	c->exits++;
	if (!kept)
		return;
	more = regs_return_value(regs) - kept->arg;
	if (kept->hook != hook || kept->to != to || more < 1 || more > 4 ||
	    instruction_pointer(regs) != to)
		c->wrong++;
}

static struct counted *new_probe(struct kunit *test)
{
	struct counted *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->fp.entry_handler = count_entry;
	c->fp.exit_handler = count_exit;
	c->fp.entry_data_size = sizeof(struct kept);
	return c;
}

/* That each function goes on as without, and how often handlers run for it. */
static void expect_hits(struct kunit *test, struct counted *c, int (*func)(int x),
			int result, int hits)
{
	unsigned long entries = c->entries, exits = c->exits;

	KUNIT_EXPECT_EQ(test, func(1), result);
	KUNIT_EXPECT_EQ(test, c->entries - entries, hits);
	KUNIT_EXPECT_EQ(test, c->exits - exits, hits);
	KUNIT_EXPECT_EQ(test, c->wrong, 0);
	KUNIT_EXPECT_EQ(test, c->fp.nmissed, 0);
}

static void expect_quiet(struct kunit *test, struct counted *c)
{
	KUNIT_EXPECT_EQ(test, unregister_fprobe(&c->fp), 0);
	KUNIT_EXPECT_FALSE(test, fprobe_is_registered(&c->fp));
	expect_hits(test, c, ftrace_kunit_one, 2, 0);
	KUNIT_EXPECT_EQ(test, unregister_fprobe(&c->fp), -EINVAL);
}

/* One struct, again and again. */
static void r07_patterns_names_addresses(struct kunit *test)
{
	static const char *const names[] = {
		"ftrace_kunit_two", "ftrace_kunit_one", "ftrace_kunit_two",
	};
	unsigned long ips[] = {
		addr_of(ftrace_kunit_one),
		ftrace_location(addr_of(ftrace_kunit_two)),
	};
	struct counted *c = new_probe(test);

	KUNIT_ASSERT_EQ(test, register_fprobe(&c->fp, "ftrace_kunit_*",
					      "ftrace_kunit_o*"), 0);
	KUNIT_EXPECT_TRUE(test, fprobe_is_registered(&c->fp));
	expect_hits(test, c, ftrace_kunit_one, 2, 0);
	expect_hits(test, c, ftrace_kunit_two, 3, 1);
	expect_hits(test, c, ftrace_kunit_three, 4, 1);
	expect_quiet(test, c);

	KUNIT_ASSERT_EQ(test, register_fprobe_syms(&c->fp, (const char **)names,
						   3), 0);
	expect_hits(test, c, ftrace_kunit_one, 2, 1);
	expect_hits(test, c, ftrace_kunit_two, 3, 1);
	expect_hits(test, c, ftrace_kunit_three, 4, 0);
	expect_quiet(test, c);

	KUNIT_ASSERT_EQ(test, register_fprobe_ips(&c->fp, ips, 2), 0);
	expect_hits(test, c, ftrace_kunit_one, 2, 1);
	expect_hits(test, c, ftrace_kunit_two, 3, 1);
	expect_hits(test, c, ftrace_kunit_three, 4, 0);
	expect_quiet(test, c);
}

/* One function calls another. */
static void r07_data_is_each_calls_own(struct kunit *test)
{
	struct counted *c = new_probe(test);

	KUNIT_ASSERT_EQ(test, register_fprobe(&c->fp, "ftrace_kunit_*", NULL), 0);
	expect_hits(test, c, ftrace_kunit_caller, 3, 2);
	expect_quiet(test, c);
}

static void r07_entry_handler_decides(struct kunit *test)
{
	struct counted *c = new_probe(test);

	KUNIT_ASSERT_EQ(test, register_fprobe(&c->fp, "ftrace_kunit_one", NULL),
			0);
	c->answer = 1;
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, c->entries, 1);
	KUNIT_EXPECT_EQ(test, c->exits, 0);
	c->answer = 0;
	expect_hits(test, c, ftrace_kunit_one, 2, 1);
	expect_quiet(test, c);
}

static void r07_either_handler_may_be_null(struct kunit *test)
{
	struct counted *c = new_probe(test);

	c->fp.entry_handler = NULL;
	c->fp.entry_data_size = 0;
	KUNIT_ASSERT_EQ(test, register_fprobe(&c->fp, "ftrace_kunit_one", NULL),
			0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, c->exits, 1);
	expect_quiet(test, c);

	c->fp.entry_handler = count_entry;
	c->fp.exit_handler = NULL;
	KUNIT_ASSERT_EQ(test, register_fprobe(&c->fp, "ftrace_kunit_one", NULL),
			0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, c->entries, 1);
	KUNIT_EXPECT_EQ(test, c->exits, 1);
	expect_quiet(test, c);
}

static void r07_disabled_and_enabled(struct kunit *test)
{
	struct counted *c = new_probe(test);

	c->fp.flags = FPROBE_FL_DISABLED;
	KUNIT_ASSERT_EQ(test, register_fprobe(&c->fp, "ftrace_kunit_one", NULL),
			0);
	expect_hits(test, c, ftrace_kunit_one, 2, 0);
	enable_fprobe(&c->fp);
	expect_hits(test, c, ftrace_kunit_one, 2, 1);
	disable_fprobe(&c->fp);
	expect_hits(test, c, ftrace_kunit_one, 2, 0);
	expect_quiet(test, c);
}

/* ---- Who is refused, and what is missed ------------------------------- */

static void r07_wrong_input(struct kunit *test)
{
	const char *names[] = { "ftrace_kunit_one", NULL };
	unsigned long ips[] = {
		addr_of(ftrace_kunit_one), (unsigned long)names,
	};
	struct counted *c = new_probe(test);
	struct fprobe *fp = &c->fp;

	KUNIT_EXPECT_EQ(test, register_fprobe(NULL, "ftrace_kunit_one", NULL),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, register_fprobe(fp, NULL, NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_fprobe(fp, "", NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_fprobe(fp, "no_such_function", NULL),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, register_fprobe_ips(fp, ips, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_fprobe_ips(fp, ips, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_fprobe_ips(fp, NULL, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_fprobe_syms(fp, names, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_fprobe_syms(fp, NULL, 1), -EINVAL);
	names[1] = "no_such_function";
	KUNIT_EXPECT_EQ(test, register_fprobe_syms(fp, names, 2), -ENOENT);
	KUNIT_EXPECT_EQ(test, unregister_fprobe(fp), -EINVAL);
	KUNIT_EXPECT_EQ(test, unregister_fprobe(NULL), -EINVAL);
	fp->nr_maxactive = -1;
	KUNIT_EXPECT_EQ(test, register_fprobe_ips(fp, ips, 1), -EINVAL);
	fp->nr_maxactive = 0;
	fp->entry_data_size = SIZE_MAX;
	KUNIT_EXPECT_EQ(test, register_fprobe_ips(fp, ips, 1), -EINVAL);
	fp->entry_data_size = sizeof(struct kept);
	expect_hits(test, c, ftrace_kunit_one, 2, 0);

	KUNIT_ASSERT_EQ(test, register_fprobe_ips(fp, ips, 1), 0);
	KUNIT_EXPECT_EQ(test, register_fprobe_ips(fp, ips, 1), -EEXIST);
	expect_hits(test, c, ftrace_kunit_one, 2, 1);
	expect_quiet(test, c);
}

static void r07_maxactive_is_obeyed(struct kunit *test)
{
	struct counted *c = new_probe(test);

	c->fp.nr_maxactive = 1;
	KUNIT_ASSERT_EQ(test, register_fprobe(&c->fp, "ftrace_kunit_*", NULL), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_caller(1), 3);
	KUNIT_EXPECT_EQ(test, c->entries, 1);
	KUNIT_EXPECT_EQ(test, c->exits, 1);
	KUNIT_EXPECT_EQ(test, c->fp.nmissed, 1);
	KUNIT_EXPECT_EQ(test, c->wrong, 0);
	KUNIT_EXPECT_EQ(test, unregister_fprobe(&c->fp), 0);
}

static int call_one(struct kprobe *kp, struct pt_regs *regs)
{
	ftrace_kunit_one(1);
	return 0;
}

/* A probe that kprobes share is missed inside of one's handler. */
static void r07_shared_with_kprobes(struct kunit *test)
{
	struct kprobe kp = {
		.symbol_name = "ftrace_kunit_two",
		.pre_handler = call_one,
	};
	struct counted *c = new_probe(test);
	int shared;

	KUNIT_ASSERT_EQ(test, register_kprobe(&kp), 0);
	for (shared = 0; shared < 2; shared++) {
		c->fp.flags = shared ? FPROBE_FL_KPROBE_SHARED : 0;
		c->entries = 0;
		c->exits = 0;
		KUNIT_ASSERT_EQ(test, register_fprobe(&c->fp, "ftrace_kunit_one",
						      NULL), 0);
		KUNIT_EXPECT_EQ(test, ftrace_kunit_two(1), 3);
		KUNIT_EXPECT_EQ(test, c->entries, !shared);
		KUNIT_EXPECT_EQ(test, c->exits, !shared);
		KUNIT_EXPECT_EQ(test, c->fp.nmissed, shared);
		KUNIT_EXPECT_EQ(test, unregister_fprobe(&c->fp), 0);
	}
	unregister_kprobe(&kp);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(r07_patterns_names_addresses),
	KUNIT_CASE(r07_data_is_each_calls_own),
	KUNIT_CASE(r07_entry_handler_decides),
	KUNIT_CASE(r07_either_handler_may_be_null),
	KUNIT_CASE(r07_disabled_and_enabled),
	KUNIT_CASE(r07_wrong_input),
	KUNIT_CASE(r07_maxactive_is_obeyed),
	KUNIT_CASE(r07_shared_with_kprobes),
	{}
};

static struct kunit_suite suite = {
	.name		= "hooks_fprobe",
	.test_cases	= cases,
};

kunit_test_suite(suite);
