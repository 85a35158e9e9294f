// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of registering many at once, and of wrong entries among them.  The names
 * begin with the number of the requirement (K…) or of the case (C…).
 */
#include <kunit/test.h>

#include "internal.h"
#include "kunit_target.h"

#define NR	5

/* Two on hooks, two by breakpoint, one more on the first. */
static void set_up(struct counted *c)
{
	put_on(&c[0], addr_of(kprobe_kunit_one));
	put_on(&c[1], kprobe_kunit_insn);
	put_on(&c[2], addr_of(kprobe_kunit_two));
	put_on(&c[3], addr_of(kprobe_kunit_untraced));
	put_on(&c[4], addr_of(kprobe_kunit_one));
}

static void call_all(void)
{
	kprobe_kunit_one(1);
	kprobe_kunit_two(1);
	kprobe_kunit_untraced(1);
	kprobe_kunit_body(1);
}

static struct counted *new_batch(struct kunit *test, struct kprobe **kps)
{
	struct counted *c = kunit_kcalloc(test, NR, sizeof(*c), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	set_up(c);
	for (i = 0; i < NR; i++)
		kps[i] = &c[i].kp;
	return c;
}

/* Text of all functions that the probes are on. */
struct texts {
	u8	one[16];
	u8	two[16];
	u8	untraced[16];
	u8	body[16];
};

static void read_texts(struct texts *t)
{
	memcpy(t->one, func_addr(kprobe_kunit_one), 16);
	memcpy(t->two, func_addr(kprobe_kunit_two), 16);
	memcpy(t->untraced, func_addr(kprobe_kunit_untraced), 16);
	memcpy(t->body, (void *)kprobe_kunit_insn, 16);
}

static void expect_nothing(struct kunit *test, struct counted *c,
			   const struct texts *before)
{
	struct texts now;
	int i;

	call_all();
	read_texts(&now);
	KUNIT_EXPECT_MEMEQ(test, &now, before, sizeof(now));
	for (i = 0; i < NR; i++) {
		KUNIT_EXPECT_EQ(test, c[i].pre, 0);
		KUNIT_EXPECT_EQ(test, disable_kprobe(&c[i].kp), -EINVAL);
		if (c[i].kp.list.next)
			KUNIT_EXPECT_TRUE(test, list_empty(&c[i].kp.list));
	}
}

/* What can be wrong with an entry, and what that gives. */
static const struct {
	const char	*symbol;
	unsigned int	offset;
	bool		null;
	int		ret;
} wrongs[] = {
	{ .null = true,				.ret = -EINVAL },
	{ .symbol = "kprobe_kunit_no_such",	.ret = -ENOENT },
	{ .symbol = "kprobe_kunit_marked",	.ret = -EINVAL },
	{ .symbol = "kprobe_kunit_body", .offset = 5, .ret = -EILSEQ },
};

static void k06_all_or_none(struct kunit *test)
{
	struct kprobe *kps[NR];
	struct counted *c = new_batch(test, kps);
	struct texts before;
	int at, i;

	read_texts(&before);
	for (at = 0; at < NR; at++) {
		for (i = 0; i < ARRAY_SIZE(wrongs); i++) {
			set_up(c);
			kps[at] = wrongs[i].null ? NULL : &c[at].kp;
			c[at].kp.addr = NULL;
			c[at].kp.symbol_name = wrongs[i].symbol;
			c[at].kp.offset = wrongs[i].offset;
			KUNIT_EXPECT_EQ(test, register_kprobes(kps, NR),
					wrongs[i].ret);
			expect_nothing(test, c, &before);
		}
		kps[at] = &c[at].kp;
	}
}

static void k06_all_at_once(struct kunit *test)
{
	struct kprobe *kps[NR];
	struct counted *c = new_batch(test, kps);
	struct texts before;
	int i;

	read_texts(&before);
	KUNIT_ASSERT_EQ(test, register_kprobes(kps, NR), 0);
	call_all();
	unregister_kprobes(kps, NR);
	for (i = 0; i < NR; i++) {
		KUNIT_EXPECT_EQ(test, c[i].pre, 1);
		c[i].pre = 0;
	}
	expect_nothing(test, c, &before);
}

static void k06_twice_in_one_array(struct kunit *test)
{
	struct kprobe *kps[NR];
	struct counted *c = new_batch(test, kps);
	struct texts before;

	read_texts(&before);
	kps[4] = kps[1];
	KUNIT_EXPECT_EQ(test, register_kprobes(kps, NR), -EINVAL);
	expect_nothing(test, c, &before);

	set_up(c);
	KUNIT_ASSERT_EQ(test, register_kprobes(kps, 4), 0);
	unregister_kprobes(kps, NR);
	KUNIT_EXPECT_NOT_NULL(test, c[1].kp.addr);
	expect_nothing(test, c, &before);
}

static void k06_unregistering_a_wrong_one(struct kunit *test)
{
	struct kprobe *kps[NR];
	struct counted *c = new_batch(test, kps);
	struct texts before;
	int at, i;

	read_texts(&before);
	for (at = 0; at < NR; at++) {
		struct counted *never = kunit_kzalloc(test, sizeof(*never),
						      GFP_KERNEL);

		put_on(never, kprobe_kunit_insn);
		set_up(c);
		KUNIT_ASSERT_EQ(test, register_kprobes(kps, NR), 0);
		kps[at] = &never->kp;
		unregister_kprobes(kps, NR);
		KUNIT_EXPECT_NULL(test, never->kp.addr);
		call_all();
		for (i = 0; i < NR; i++)
			KUNIT_EXPECT_EQ(test, c[i].pre, i == at);
		kps[at] = &c[at].kp;
		unregister_kprobe(kps[at]);
		c[at].pre = 0;
		expect_nothing(test, c, &before);
	}
}

static void k06_no_array(struct kunit *test)
{
	struct kprobe *kps[NR];
	struct kretprobe *rps[1] = { NULL };

	new_batch(test, kps);
	KUNIT_EXPECT_EQ(test, register_kprobes(kps, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kprobes(kps, -1), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kprobes(kps, INT_MIN), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kprobes(NULL, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kretprobes(rps, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kretprobes(rps, -1), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kretprobes(rps, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kretprobes(NULL, 1), -EINVAL);
	unregister_kprobes(kps, 0);
	unregister_kprobes(kps, -1);
	unregister_kprobes(NULL, 1);
	unregister_kretprobes(rps, 0);
	unregister_kretprobes(rps, -1);
	unregister_kretprobes(rps, 1);
	unregister_kretprobes(NULL, 1);
	KUNIT_EXPECT_EQ(test, register_kprobe(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kretprobe(NULL), -EINVAL);
	unregister_kprobe(NULL);
	unregister_kretprobe(NULL);
}

static void ret_set_up(struct counted_ret *c)
{
	put_ret_on(&c[0], kprobe_kunit_one);
	put_ret_on(&c[1], kprobe_kunit_untraced);
	put_ret_on(&c[2], kprobe_kunit_body);
}

static void k06_return_probes(struct kunit *test)
{
	struct counted_ret *c = kunit_kcalloc(test, 3, sizeof(*c), GFP_KERNEL);
	struct kretprobe *rps[] = { &c[0].rp, &c[1].rp, &c[2].rp };
	int at, i;

	for (at = 0; at < 3; at++) {
		ret_set_up(c);
		c[at].rp.kp.offset = 9;
		KUNIT_EXPECT_EQ(test, register_kretprobes(rps, 3), -EINVAL);
		ret_set_up(c);
		c[at].rp.data_size = KRETPROBE_MAX_DATA_SIZE + 1;
		KUNIT_EXPECT_EQ(test, register_kretprobes(rps, 3), -E2BIG);
		ret_set_up(c);
		rps[at] = NULL;
		KUNIT_EXPECT_EQ(test, register_kretprobes(rps, 3), -EINVAL);
		rps[at] = &c[at].rp;
		call_all();
		for (i = 0; i < 3; i++)
			KUNIT_EXPECT_EQ(test, c[i].entry + c[i].ret, 0);
	}
	ret_set_up(c);
	KUNIT_ASSERT_EQ(test, register_kretprobes(rps, 3), 0);
	call_all();
	unregister_kretprobes(rps, 3);
	call_all();
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, c[i].ret, 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(k06_all_or_none),
	KUNIT_CASE(k06_all_at_once),
	KUNIT_CASE(k06_twice_in_one_array),
	KUNIT_CASE(k06_unregistering_a_wrong_one),
	KUNIT_CASE(k06_no_array),
	KUNIT_CASE(k06_return_probes),
	{}
};

static struct kunit_suite suite = {
	.name		= "kprobes_batch",
	.test_cases	= cases,
};

kunit_test_suite(suite);
