// SPDX-License-Identifier: GPL-2.0
/*
 * What is called may be further away than a branch reaches: a site then goes
 * through its literal, a trampoline through a veneer.  The code that the tests
 * have called is of the architecture (arm64).
 */
#include <kunit/test.h>
#include <linux/execmem.h>
#include <linux/set_memory.h>
#include <linux/sizes.h>

#include <asm/hook_text.h>

#include "internal.h"
#include "kunit_target.h"

/* A direct call's target: bti c; mov w0, #77; ret x9 */
static const u32 returns_77[] = { 0xd503245f, 0x528009a0, 0xd65f0120 };

/* A callback that counts: bti c; add one to 16(x2), ops->private; ret */
static const u32 counts[] = {
	0xd503245f, 0xf9400849, 0x91000529, 0xf9000849, 0xd65f03c0
};

static void *far;

static int far_init(struct kunit *test)
{
	unsigned long distance;

	BUILD_BUG_ON(offsetof(struct ftrace_ops, private) != 16);
	far = execmem_alloc(EXECMEM_BPF, PAGE_SIZE);
	if (!far)
		return -ENOMEM;
	if (set_memory_rox((unsigned long)far, 1))
		return -EIO;
	distance = abs_diff(addr_of(far), addr_of(ftrace_kunit_one));
	if (distance < SZ_256M)
		kunit_skip(test, "that memory is not far away");
	return 0;
}

static void far_exit(struct kunit *test)
{
	if (far)
		execmem_free(far);
	far = NULL;
}

static void far_direct_call(struct kunit *test)
{
	struct ftrace_ops *ops = kunit_kzalloc(test, sizeof(*ops), GFP_KERNEL);
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	arch_text_write(far, returns_77, sizeof(returns_77));
	c->ops.func = count_call;
	KUNIT_ASSERT_EQ(test, on(ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_direct(ops, (unsigned long)far), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 77);

	/* Through a trampoline, and alone again. */
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 77);
	KUNIT_EXPECT_EQ(test, c->hits, 1);
	unregister_ftrace_function(&c->ops);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 77);
	KUNIT_EXPECT_EQ(test, c->hits, 1);

	/* To one that is near, and back. */
	KUNIT_EXPECT_EQ(test, 0,
			modify_ftrace_direct(ops, addr_of(ftrace_stub_direct_tramp)));
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, modify_ftrace_direct(ops, (unsigned long)far), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 77);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_direct(ops, (unsigned long)far,
						       true), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	ftrace_free_filter(&c->ops);
}

static void far_callback(struct kunit *test)
{
	struct ftrace_ops *ops = kunit_kzalloc(test, sizeof(*ops), GFP_KERNEL);
	int i;

	arch_text_write(far, counts, sizeof(counts));
	ops->func = (ftrace_func_t)far;
	KUNIT_ASSERT_EQ(test, on(ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(ops), 0);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, ftrace_kunit_one(i), i + 1);
	KUNIT_EXPECT_EQ(test, (unsigned long)ops->private, 10);
	unregister_ftrace_function(ops);
	ftrace_kunit_one(1);
	KUNIT_EXPECT_EQ(test, (unsigned long)ops->private, 10);
	ftrace_free_filter(ops);
}

static struct kunit_case far_cases[] = {
	KUNIT_CASE(far_direct_call),
	KUNIT_CASE(far_callback),
	{ }
};

static struct kunit_suite far_suite = {
	.name = "ftrace_far",
	.init = far_init,
	.exit = far_exit,
	.test_cases = far_cases,
};

kunit_test_suite(far_suite);
