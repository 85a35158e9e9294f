// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of direct calls, with targets as BPF's trampolines are: one that goes
 * back into the function, one that returns in its place.
 */
#include <kunit/test.h>

#include "internal.h"
#include "kunit_arch.h"
#include "kunit_target.h"

unsigned long ftrace_kunit_tramp_hits;
unsigned long ftrace_kunit_tramp_to;

/* The first also notes where it will go back to. */
asm("	.pushsection	.text, \"ax\", %progbits\n"
"	.type		ftrace_kunit_tramp, %function\n"
"	.globl		ftrace_kunit_tramp\n"
"ftrace_kunit_tramp:\n"
	KUNIT_TRAMP
"	.size		ftrace_kunit_tramp, .-ftrace_kunit_tramp\n"
"	.type		ftrace_kunit_skip, %function\n"
"	.globl		ftrace_kunit_skip\n"
"ftrace_kunit_skip:\n"
	KUNIT_SKIP
"	.size		ftrace_kunit_skip, .-ftrace_kunit_skip\n"
"	.popsection\n"
);
STACK_FRAME_NON_STANDARD(ftrace_kunit_skip);

static const unsigned long tramp = (unsigned long)ftrace_kunit_tramp;
static const unsigned long skip = (unsigned long)ftrace_kunit_skip;

static int direct_init(struct kunit *test)
{
	ftrace_kunit_tramp_hits = 0;
	ftrace_kunit_tramp_to = 0;
	return 0;
}

static void direct_alone(struct kunit *test)
{
	struct ftrace_ops *ops = kunit_kzalloc(test, sizeof(*ops), GFP_KERNEL);
	unsigned long site = ftrace_location((unsigned long)ftrace_kunit_one);

	KUNIT_EXPECT_EQ(test, register_ftrace_direct(ops, tramp), -EINVAL);
	KUNIT_ASSERT_EQ(test, on(ops, ftrace_kunit_one), 0);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_direct(ops, tramp, false),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, modify_ftrace_direct(ops, tramp), -EINVAL);
	KUNIT_ASSERT_EQ(test, register_ftrace_direct(ops, tramp), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_direct(ops, tramp), -EINVAL);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(ops), -EBUSY);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_tramp_hits, 1);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_tramp_to, site + MCOUNT_INSN_SIZE);

	KUNIT_EXPECT_EQ(test, modify_ftrace_direct(ops, skip), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 77);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_tramp_hits, 1);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_direct(ops, skip, false), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);

	/* It may be used again. */
	KUNIT_EXPECT_EQ(test, register_ftrace_direct(ops, tramp), 0);
	ftrace_kunit_one(1);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_tramp_hits, 2);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_direct(ops, tramp, true), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_direct(ops, tramp), -EINVAL);
}

static void direct_one_a_function(struct kunit *test)
{
	struct ftrace_ops *ops = kunit_kcalloc(test, 2, sizeof(*ops), GFP_KERNEL);

	KUNIT_ASSERT_EQ(test, on(&ops[0], ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, on(&ops[1], ftrace_kunit_two), 0);
	KUNIT_ASSERT_EQ(test, on(&ops[1], ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_direct(&ops[0], tramp), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_direct(&ops[1], skip), -EBUSY);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_two(1), 3);
	KUNIT_EXPECT_FALSE(test, ops[1].flags & FTRACE_OPS_FL_ENABLED);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_direct(&ops[0], tramp, true), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_direct(&ops[1], skip), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_two(1), 77);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_direct(&ops[1], skip, true), 0);
}

static void direct_wrong_ops(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	c->ops.func = count_call;
	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_direct(&c->ops, tramp), -EINVAL);
	c->ops.func = NULL;
	KUNIT_EXPECT_EQ(test, register_ftrace_direct(&c->ops, 0x1000), -EINVAL);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	ftrace_free_filter(&c->ops);
	KUNIT_EXPECT_EQ(test, register_ftrace_direct(&c->ops, tramp), -EINVAL);
}

/* Callbacks come and go around a direct call, in both orders. */
static void with_callback(struct kunit *test, unsigned long flags, bool first)
{
	struct ftrace_ops *ops = kunit_kzalloc(test, sizeof(*ops), GFP_KERNEL);
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	ftrace_kunit_tramp_hits = 0;
	c->ops.func = count_call;
	c->ops.flags = flags;
	KUNIT_ASSERT_EQ(test, on(ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);
	if (first)
		KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_direct(ops, tramp), 0);
	if (!first)
		KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, c->hits, 1);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_tramp_hits, 1);
	KUNIT_EXPECT_EQ(test, modify_ftrace_direct(ops, skip), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 77);
	KUNIT_EXPECT_EQ(test, c->hits, 2);
	if (first)
		unregister_ftrace_function(&c->ops);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_direct(ops, skip, true), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, c->hits, first ? 2 : 3);
	if (!first)
		unregister_ftrace_function(&c->ops);
	ftrace_free_filter(&c->ops);
}

static void direct_with_callbacks(struct kunit *test)
{
	with_callback(test, 0, true);
	with_callback(test, 0, false);
	with_callback(test, FTRACE_OPS_FL_SAVE_REGS, true);
	with_callback(test, FTRACE_OPS_FL_SAVE_REGS, false);
}

/* ---- With an ops that redirects --------------------------------------- */

static int self_asked, peer_asked, peer_told, self_answer, peer_answer;

static int answer(struct ftrace_ops *op, enum ftrace_ops_cmd cmd)
{
	switch (cmd) {
	case FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF:
		self_asked++;
		return self_answer;
	case FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER:
		peer_asked++;
		/* As BPF does: another target from inside. */
		return peer_answer ?: modify_ftrace_direct_nolock(op, tramp);
	case FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER:
		peer_told++;
		return 0;
	}
	return -EINVAL;
}

static void to_two(unsigned long ip, unsigned long parent_ip,
		   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	count_call(ip, parent_ip, op, fregs);
	ftrace_regs_set_instruction_pointer(fregs,
					    (unsigned long)ftrace_kunit_two);
}

static void direct_refuses_redirect(struct kunit *test)
{
	struct ftrace_ops *ops = kunit_kzalloc(test, sizeof(*ops), GFP_KERNEL);
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	c->ops.func = to_two;
	c->ops.flags = FTRACE_OPS_FL_IPMODIFY;
	KUNIT_ASSERT_EQ(test, on(ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);

	/* Without somebody to ask, whichever comes second is refused. */
	KUNIT_ASSERT_EQ(test, register_ftrace_direct(ops, tramp), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&c->ops), -EBUSY);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	unregister_ftrace_direct(ops, tramp, false);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_direct(ops, tramp), -EBUSY);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 3);

	/* Asked, it may say no. */
	ops->ops_func = answer;
	self_answer = -EAGAIN;
	KUNIT_EXPECT_EQ(test, register_ftrace_direct(ops, tramp), -EAGAIN);
	unregister_ftrace_function(&c->ops);
	KUNIT_ASSERT_EQ(test, register_ftrace_direct(ops, tramp), 0);
	peer_answer = -EBUSY;
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&c->ops), -EBUSY);
	self_answer = 0;
	peer_answer = 0;
	unregister_ftrace_direct(ops, tramp, true);
	ftrace_free_filter(&c->ops);
}

static void direct_shares_with_redirect(struct kunit *test)
{
	struct ftrace_ops *ops = kunit_kzalloc(test, sizeof(*ops), GFP_KERNEL);
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	self_asked = 0;
	peer_asked = 0;
	peer_told = 0;
	ops->ops_func = answer;
	c->ops.func = to_two;
	c->ops.flags = FTRACE_OPS_FL_IPMODIFY;
	KUNIT_ASSERT_EQ(test, on(ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);

	KUNIT_ASSERT_EQ(test, register_ftrace_direct(ops, skip), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	KUNIT_EXPECT_EQ(test, peer_asked, 1);
	/* The target gets the redirected address to go back to. */
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 3);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_tramp_hits, 1);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_tramp_to,
			(unsigned long)ftrace_kunit_two);
	unregister_ftrace_function(&c->ops);
	KUNIT_EXPECT_EQ(test, peer_told, 1);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	unregister_ftrace_direct(ops, tramp, false);

	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_direct(ops, tramp), 0);
	KUNIT_EXPECT_EQ(test, self_asked, 1);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 3);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_tramp_hits, 3);

	/* Another target is another trampoline of the owner's: asked again. */
	KUNIT_EXPECT_EQ(test, modify_ftrace_direct(ops, tramp), 0);
	KUNIT_EXPECT_EQ(test, self_asked, 2);
	self_answer = -EAGAIN;
	KUNIT_EXPECT_EQ(test, modify_ftrace_direct(ops, skip), -EAGAIN);
	self_answer = 0;
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 3);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_tramp_hits, 4);
	unregister_ftrace_direct(ops, tramp, true);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 3);
	unregister_ftrace_function(&c->ops);
	ftrace_free_filter(&c->ops);
}

static struct kunit_case direct_cases[] = {
	KUNIT_CASE(direct_alone),
	KUNIT_CASE(direct_one_a_function),
	KUNIT_CASE(direct_wrong_ops),
	KUNIT_CASE(direct_with_callbacks),
	KUNIT_CASE(direct_refuses_redirect),
	KUNIT_CASE(direct_shares_with_redirect),
	{ }
};

static struct kunit_suite direct_suite = {
	.name = "ftrace_direct",
	.init = direct_init,
	.test_cases = direct_cases,
};

kunit_test_suite(direct_suite);
