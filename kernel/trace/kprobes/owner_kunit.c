// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what owners do to their structs.  The names begin with the number of
 * the requirement (K…) or of the case (C…).
 */
#include <kunit/test.h>

#include "internal.h"
#include "kunit_target.h"

static void call_all(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kprobe_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_untraced(1), 5);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_body(1), 1 + KPROBE_KUNIT_BODY);
}

static const void *place(int i)
{
	return i == 0 ? func_addr(kprobe_kunit_one) :
	       i == 1 ? func_addr(kprobe_kunit_untraced) :
			(void *)kprobe_kunit_insn;
}

static bool is_listed(const struct kprobe *kp)
{
	struct kprobe_member *member;
	bool ret = false;

	mutex_lock(&kprobe_lock);
	list_for_each_entry(member, &kprobe_members, list)
		ret |= member->kp == kp;
	mutex_unlock(&kprobe_lock);
	return ret;
}

/* What owners do to the struct of a registered probe. */
static void no_handlers(struct kprobe *kp)
{
	kp->pre_handler = NULL;
	kp->post_handler = NULL;
}

static void other_flags(struct kprobe *kp)
{
	kp->flags ^= ~0;
}

static void no_flags(struct kprobe *kp)
{
	kp->flags = 0;
}

static void other_addr(struct kprobe *kp)
{
	kp->addr = func_addr(kprobe_kunit_two);
}

static void other_symbol(struct kprobe *kp)
{
	kp->symbol_name = (const char *)0xdead0000;
	kp->offset = 99;
}

static void all_ones(struct kprobe *kp)
{
	memset(kp, 0xff, sizeof(*kp));
}

static void all_zeroes(struct kprobe *kp)
{
	memset(kp, 0, sizeof(*kp));
}

static void (*const spoilers[])(struct kprobe *kp) = {
	no_handlers, other_flags, no_flags, other_addr, other_symbol, all_ones,
	all_zeroes
};

static void c01_spoilt_kprobe(struct kunit *test)
{
	struct counted *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	u8 text[16];
	int i, kind;

	for (kind = 0; kind < ARRAY_SIZE(spoilers); kind++) {
		for (i = 0; i < 3; i++) {
			memcpy(text, place(i), sizeof(text));
			put_on(c, (unsigned long)place(i));
			c->kp.post_handler = kind & 1 ? count_post : NULL;
			KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
			call_all(test);
			spoilers[kind](&c->kp);
			unregister_kprobe(&c->kp);
			KUNIT_EXPECT_FALSE(test, is_listed(&c->kp));
			memset(&c->kp, 0x6b, sizeof(c->kp));
			call_all(test);
			KUNIT_EXPECT_EQ(test, c->pre, 1);
			KUNIT_EXPECT_EQ(test, c->post, kind & 1);
			KUNIT_EXPECT_MEMEQ(test, place(i), text, sizeof(text));
		}
	}
	KUNIT_EXPECT_EQ(test, kprobe_kunit_two(1), 3);
}

/* Hits go on as recorded, too. */
static void c01_spoilt_while_hit(struct kunit *test)
{
	struct counted *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	int i;

	for (i = 0; i < 3; i++) {
		put_on(c, (unsigned long)place(i));
		c->kp.post_handler = count_post;
		KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
		no_handlers(&c->kp);
		call_all(test);
		other_flags(&c->kp);
		other_addr(&c->kp);
		call_all(test);
		KUNIT_EXPECT_EQ(test, c->pre, 2);
		KUNIT_EXPECT_EQ(test, c->post, 2);
		unregister_kprobe(&c->kp);
	}
}

static void spoil_ret(struct kretprobe *rp, int kind)
{
	struct kprobe kp = rp->kp;

	switch (kind) {
	case 0:
		rp->handler = NULL;
		rp->entry_handler = NULL;
		break;
	case 1:
		rp->maxactive = -1;
		rp->data_size = SIZE_MAX;
		break;
	case 2:
		rp->rh = NULL;
		break;
	case 3:
		memset(rp, 0xff, sizeof(*rp));
		break;
	case 4:
		memset(rp, 0, sizeof(*rp));
		break;
	default:
		spoilers[kind - 5](&kp);
		rp->kp = kp;
	}
}

static void c01_spoilt_kretprobe(struct kunit *test)
{
	struct counted_ret *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	int i, kind;

	for (kind = 0; kind < 5 + ARRAY_SIZE(spoilers); kind++) {
		for (i = 0; i < 2; i++) {
			put_ret_on(c, place(i));
			KUNIT_ASSERT_EQ(test, register_kretprobe(&c->rp), 0);
			call_all(test);
			spoil_ret(&c->rp, kind);
			unregister_kretprobe(&c->rp);
			KUNIT_EXPECT_FALSE(test, is_listed(&c->rp.kp));
			memset(&c->rp, 0x6b, sizeof(c->rp));
			call_all(test);
			KUNIT_EXPECT_EQ(test, c->entry, 1);
			KUNIT_EXPECT_EQ(test, c->ret, 1);
		}
	}
}

/* ---- C16, K17 --------------------------------------------------------- */

static void c16_unregistering_none(struct kunit *test)
{
	struct counted *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	int i;

	for (i = 0; i < 3; i++) {
		/* Never registered. */
		put_on(c, (unsigned long)place(i));
		unregister_kprobe(&c->kp);
		KUNIT_EXPECT_NULL(test, c->kp.addr);

		/* Registering failed. */
		put_on(c, (unsigned long)place(i));
		c->kp.symbol_name = "kprobe_kunit_one";
		KUNIT_EXPECT_EQ(test, register_kprobe(&c->kp), -EINVAL);
		unregister_kprobe(&c->kp);

		/* Twice. */
		put_on(c, (unsigned long)place(i));
		KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
		unregister_kprobe(&c->kp);
		KUNIT_EXPECT_NOT_NULL(test, c->kp.addr);
		unregister_kprobe(&c->kp);
		KUNIT_EXPECT_NULL(test, c->kp.addr);
		call_all(test);
		KUNIT_EXPECT_EQ(test, c->pre, 0);
	}
}

static void c16_unregistering_no_kretprobe(struct kunit *test)
{
	struct counted_ret *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	put_ret_on(c, kprobe_kunit_one);
	unregister_kretprobe(&c->rp);
	KUNIT_EXPECT_NULL(test, c->rp.kp.addr);

	put_ret_on(c, kprobe_kunit_one);
	c->rp.kp.symbol_name = "kprobe_kunit_one";
	KUNIT_EXPECT_EQ(test, register_kretprobe(&c->rp), -EINVAL);
	unregister_kretprobe(&c->rp);

	put_ret_on(c, kprobe_kunit_one);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&c->rp), 0);
	unregister_kretprobe(&c->rp);
	unregister_kretprobe(&c->rp);
	KUNIT_EXPECT_NULL(test, c->rp.kp.addr);
	call_all(test);
	KUNIT_EXPECT_EQ(test, c->entry + c->ret, 0);
}

static void k17_registered_twice(struct kunit *test)
{
	struct counted *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	int i;

	for (i = 0; i < 3; i++) {
		put_on(c, (unsigned long)place(i));
		KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
		KUNIT_EXPECT_EQ(test, register_kprobe(&c->kp), -EINVAL);
		/* Whatever the struct looks like. */
		INIT_LIST_HEAD(&c->kp.list);
		c->kp.flags = 0;
		c->kp.addr = func_addr(kprobe_kunit_two);
		KUNIT_EXPECT_EQ(test, register_kprobe(&c->kp), -EINVAL);
		KUNIT_EXPECT_EQ(test, kprobe_kunit_two(1), 3);
		call_all(test);
		KUNIT_EXPECT_EQ(test, c->pre, 1);
		unregister_kprobe(&c->kp);
		call_all(test);
		KUNIT_EXPECT_EQ(test, c->pre, 1);
	}
}

static void k17_registered_twice_as_kretprobe(struct kunit *test)
{
	struct counted_ret *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	put_ret_on(c, kprobe_kunit_one);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&c->rp), 0);
	KUNIT_EXPECT_EQ(test, register_kretprobe(&c->rp), -EINVAL);
	KUNIT_EXPECT_EQ(test, register_kprobe(&c->rp.kp), -EINVAL);
	call_all(test);
	KUNIT_EXPECT_EQ(test, c->entry, 1);
	KUNIT_EXPECT_EQ(test, c->ret, 1);
	unregister_kretprobe(&c->rp);
	call_all(test);
	KUNIT_EXPECT_EQ(test, c->ret, 1);
}

static void k17_reused_after_unregistering(struct kunit *test)
{
	struct counted *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	int i;

	put_on(c, 0);
	for (i = 0; i < 6; i++) {
		c->kp.addr = (void *)place(i % 3);
		c->kp.flags = 0;
		KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
		call_all(test);
		unregister_kprobe(&c->kp);
		KUNIT_EXPECT_EQ(test, c->pre, i + 1);
	}
}

/* Private fields hold whatever the memory held. */
static void k17_half_filled(struct kunit *test)
{
	struct counted *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	int i;

	for (i = 0; i < 3; i++) {
		memset(&c->kp, 0xa5, sizeof(c->kp));
		c->kp.addr = (void *)place(i);
		c->kp.symbol_name = NULL;
		c->kp.offset = 0;
		c->kp.pre_handler = count_pre;
		c->kp.post_handler = NULL;
		c->kp.flags = ~KPROBE_FLAG_DISABLED;
		KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
		KUNIT_EXPECT_FALSE(test, kprobe_gone(&c->kp));
		KUNIT_EXPECT_FALSE(test, kprobe_disabled(&c->kp));
		KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
		call_all(test);
		KUNIT_EXPECT_EQ(test, c->pre, i + 1);
		unregister_kprobe(&c->kp);
		KUNIT_EXPECT_TRUE(test, list_empty(&c->kp.list));
		KUNIT_EXPECT_TRUE(test, hlist_unhashed(&c->kp.hlist));
	}
}

/* What was refused may be registered again, when what was wrong is mended. */
static void k06_refused_and_tried_again(struct kunit *test)
{
	struct counted *c = kunit_kcalloc(test, 2, sizeof(*c), GFP_KERNEL);
	struct kprobe *kps[] = { &c[0].kp, &c[1].kp };

	put_on(&c[0], 0);
	c[0].kp.symbol_name = "kprobe_kunit_one";
	put_on(&c[1], 1);
	KUNIT_EXPECT_LT(test, register_kprobes(kps, 2), 0);
	KUNIT_EXPECT_NULL(test, c[0].kp.addr);
	c[1].kp.addr = (kprobe_opcode_t *)kprobe_kunit_insn;
	KUNIT_ASSERT_EQ(test, register_kprobes(kps, 2), 0);
	call_all(test);
	unregister_kprobes(kps, 2);
	KUNIT_EXPECT_EQ(test, c[0].pre, 1);
	KUNIT_EXPECT_EQ(test, c[1].pre, 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(c01_spoilt_kprobe),
	KUNIT_CASE(c01_spoilt_while_hit),
	KUNIT_CASE(c01_spoilt_kretprobe),
	KUNIT_CASE(c16_unregistering_none),
	KUNIT_CASE(c16_unregistering_no_kretprobe),
	KUNIT_CASE(k17_registered_twice),
	KUNIT_CASE(k17_registered_twice_as_kretprobe),
	KUNIT_CASE(k17_reused_after_unregistering),
	KUNIT_CASE(k17_half_filled),
	KUNIT_CASE(k06_refused_and_tried_again),
	{}
};

static struct kunit_suite suite = {
	.name		= "kprobes_owner",
	.test_cases	= cases,
};

kunit_test_suite(suite);
