// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of return probes.  The names begin with the number of the requirement
 * (R…, K…) or of the case (C…).
 */
#include <kunit/test.h>

#include "internal.h"
#include "kunit_target.h"

static struct counted_ret *new_probe(struct kunit *test, const void *func)
{
	struct counted_ret *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	put_ret_on(c, func);
	return c;
}

static unsigned long seen_value, seen_to, seen_ip;
static struct kprobe *seen_running;

static int note_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	seen_value = regs_return_value(regs);
	seen_to = get_kretprobe_retaddr(ri);
	seen_ip = instruction_pointer(regs);
	seen_running = kprobe_running();
	return count_return(ri, regs);
}

static void r01_what_a_handler_gets(struct kunit *test)
{
	unsigned long here = addr_of(r01_what_a_handler_gets);
	struct counted_ret *c = new_probe(test, kprobe_kunit_one);

	c->rp.handler = note_return;
	KUNIT_ASSERT_EQ(test, register_kretprobe(&c->rp), 0);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_one(41), 42);
	unregister_kretprobe(&c->rp);
	KUNIT_EXPECT_EQ(test, (int)seen_value, 42);
	KUNIT_EXPECT_GT(test, seen_to, here);
	KUNIT_EXPECT_LT(test, seen_to, here + 4096);
	KUNIT_EXPECT_EQ(test, seen_ip, seen_to);
	KUNIT_EXPECT_PTR_EQ(test, seen_running, &c->rp.kp);
	KUNIT_EXPECT_EQ(test, c->entry, 1);
	KUNIT_EXPECT_EQ(test, c->ret, 1);
}

static void r01_either_handler_may_be_null(struct kunit *test)
{
	struct counted_ret *c;
	int kind;

	for (kind = 0; kind < 4; kind++) {
		c = new_probe(test, kprobe_kunit_one);
		c->rp.entry_handler = kind & 1 ? count_entry : NULL;
		c->rp.handler = kind & 2 ? count_return : NULL;
		KUNIT_ASSERT_EQ(test, register_kretprobe(&c->rp), 0);
		KUNIT_EXPECT_EQ(test, kprobe_kunit_one(1), 2);
		unregister_kretprobe(&c->rp);
		KUNIT_EXPECT_EQ(test, c->entry, kind & 1);
		KUNIT_EXPECT_EQ(test, c->ret, kind >> 1);
	}
}

static int leave_odd_alone(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	count_entry(ri, regs);
	return regs_get_kernel_argument(regs, 0) & 1;
}

static void r02_entry_handler_decides(struct kunit *test)
{
	struct counted_ret *c = new_probe(test, kprobe_kunit_one);
	int i;

	c->rp.entry_handler = leave_odd_alone;
	c->rp.maxactive = 1;
	KUNIT_ASSERT_EQ(test, register_kretprobe(&c->rp), 0);
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, kprobe_kunit_one(i), i + 1);
	unregister_kretprobe(&c->rp);
	KUNIT_EXPECT_EQ(test, c->entry, 10);
	KUNIT_EXPECT_EQ(test, c->ret, 5);
	KUNIT_EXPECT_EQ(test, c->rp.nmissed, 0);
}

/* Each call's data: filled at entry, looked at when that call returns. */
static unsigned long wrong_data;

static int fill_data(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	memset(ri->data, regs_get_kernel_argument(regs, 0),
	       get_kretprobe(ri)->data_size);
	return count_entry(ri, regs);
}

/* kprobe_kunit_recurse() returns its argument plus 1. */
static int check_data(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	u8 want = regs_return_value(regs) - 1;
	size_t size = get_kretprobe(ri)->data_size;

	wrong_data += size && memchr_inv(ri->data, want, size);
	return count_return(ri, regs);
}

static void r02_data_is_each_calls_own(struct kunit *test)
{
	static const size_t sizes[] = {
		0, 1, 7, 8, 100, KRETPROBE_MAX_DATA_SIZE
	};
	struct counted_ret *c;
	int i;

	wrong_data = 0;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		c = new_probe(test, kprobe_kunit_recurse);
		c->rp.entry_handler = fill_data;
		c->rp.handler = check_data;
		c->rp.data_size = sizes[i];
		KUNIT_ASSERT_EQ(test, register_kretprobe(&c->rp), 0);
		KUNIT_EXPECT_EQ(test, kprobe_kunit_recurse(7), 8);
		unregister_kretprobe(&c->rp);
		KUNIT_EXPECT_EQ(test, c->ret, 8);
	}
	KUNIT_EXPECT_EQ(test, wrong_data, 0);
}

static void r03_too_large(struct kunit *test)
{
	static const size_t sizes[] = {
		KRETPROBE_MAX_DATA_SIZE + 1, INT_MAX, SIZE_MAX
	};
	static const int actives[] = { INT_MAX, INT_MAX / 2, 1 << 24 };
	struct counted_ret *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		c = new_probe(test, kprobe_kunit_one);
		c->rp.data_size = sizes[i];
		KUNIT_EXPECT_EQ(test, register_kretprobe(&c->rp), -E2BIG);
	}
	for (i = 0; i < ARRAY_SIZE(actives); i++) {
		c = new_probe(test, kprobe_kunit_one);
		c->rp.maxactive = actives[i];
		KUNIT_EXPECT_EQ(test, register_kretprobe(&c->rp), -EINVAL);
	}
	KUNIT_EXPECT_EQ(test, kprobe_kunit_one(1), 2);
}

static void r03_maxactive_is_chosen(struct kunit *test)
{
	static const int given[] = { 0, -1, INT_MIN };
	struct counted_ret *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(given); i++) {
		c = new_probe(test, kprobe_kunit_one);
		c->rp.maxactive = given[i];
		KUNIT_ASSERT_EQ(test, register_kretprobe(&c->rp), 0);
		KUNIT_EXPECT_EQ(test, c->rp.maxactive,
				max(10, 2 * (int)num_possible_cpus()));
		unregister_kretprobe(&c->rp);
	}
}

static void r03_maxactive_is_obeyed(struct kunit *test)
{
	struct counted_ret *c;
	int active;

	for (active = 1; active <= 4; active++) {
		c = new_probe(test, kprobe_kunit_recurse);
		c->rp.maxactive = active;
		KUNIT_ASSERT_EQ(test, register_kretprobe(&c->rp), 0);
		KUNIT_EXPECT_EQ(test, c->rp.maxactive, active);
		KUNIT_EXPECT_EQ(test, kprobe_kunit_recurse(99), 100);
		KUNIT_EXPECT_EQ(test, c->entry + c->rp.nmissed, 100);
		KUNIT_EXPECT_EQ(test, c->ret, c->entry);
		KUNIT_EXPECT_GE(test, c->ret, active);
		/* All came back: again the same number. */
		KUNIT_EXPECT_EQ(test, kprobe_kunit_recurse(99), 100);
		KUNIT_EXPECT_EQ(test, c->entry + c->rp.nmissed, 200);
		KUNIT_EXPECT_EQ(test, c->ret, c->entry);
		unregister_kretprobe(&c->rp);
	}
}

static int take_away(void *data)
{
	struct counted_ret *c = data;

	unregister_kretprobe(&c->rp);
	memset(&c->rp, 0x6b, sizeof(c->rp));
	return 1;
}

static void r04_unregistered_inside(struct kunit *test)
{
	struct counted_ret *c = new_probe(test, kprobe_kunit_around);

	KUNIT_ASSERT_EQ(test, register_kretprobe(&c->rp), 0);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_around(take_away, c), 2);
	KUNIT_EXPECT_EQ(test, c->entry, 1);
	KUNIT_EXPECT_EQ(test, c->ret, 0);
	put_ret_on(c, kprobe_kunit_around);
	KUNIT_EXPECT_EQ(test, register_kretprobe(&c->rp), 0);
	unregister_kretprobe(&c->rp);
}

static int put_in(void *data)
{
	struct counted_ret *c = data;

	return register_kretprobe(&c->rp);
}

static void r04_registered_inside(struct kunit *test)
{
	struct counted_ret *c = new_probe(test, kprobe_kunit_around);

	KUNIT_EXPECT_EQ(test, kprobe_kunit_around(put_in, c), 1);
	KUNIT_EXPECT_EQ(test, c->entry + c->ret, 0);
	unregister_kretprobe(&c->rp);
}

static void r06_only_at_entries(struct kunit *test)
{
	unsigned long entry = addr_of(kprobe_kunit_body);
	struct counted_ret *c;

	c = new_probe(test, (void *)kprobe_kunit_insn);
	KUNIT_EXPECT_EQ(test, register_kretprobe(&c->rp), -EINVAL);
	c = new_probe(test, (void *)entry);
	c->rp.kp.offset = kprobe_kunit_insn - entry;
	KUNIT_EXPECT_EQ(test, register_kretprobe(&c->rp), -EINVAL);
	c = new_probe(test, NULL);
	c->rp.kp.symbol_name = "kprobe_kunit_body";
	c->rp.kp.offset = kprobe_kunit_insn - entry;
	KUNIT_EXPECT_EQ(test, register_kretprobe(&c->rp), -EINVAL);
	c = new_probe(test, kprobe_kunit_marked);
	KUNIT_EXPECT_EQ(test, register_kretprobe(&c->rp), -EINVAL);
	c = new_probe(test, NULL);
	c->rp.kp.symbol_name = "__switch_to";
	KUNIT_EXPECT_EQ(test, register_kretprobe(&c->rp), -EINVAL);
	c = new_probe(test, NULL);
	c->rp.kp.symbol_name = "kprobe_kunit_no_such";
	KUNIT_EXPECT_EQ(test, register_kretprobe(&c->rp), -ENOENT);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_body(1), 1 + KPROBE_KUNIT_BODY);
}

static void k05_disabled_and_enabled(struct kunit *test)
{
	const void *funcs[] = { func_addr(kprobe_kunit_one),
				func_addr(kprobe_kunit_untraced) };
	struct counted_ret *c;
	int i;

	for (i = 0; i < 2; i++) {
		c = new_probe(test, funcs[i]);
		KUNIT_EXPECT_EQ(test, disable_kretprobe(&c->rp), -EINVAL);
		c->rp.kp.flags = KPROBE_FLAG_DISABLED;
		KUNIT_ASSERT_EQ(test, register_kretprobe(&c->rp), 0);
		kprobe_kunit_one(1);
		kprobe_kunit_untraced(1);
		KUNIT_EXPECT_EQ(test, c->entry + c->ret, 0);
		KUNIT_EXPECT_EQ(test, enable_kretprobe(&c->rp), 0);
		kprobe_kunit_one(1);
		kprobe_kunit_untraced(1);
		KUNIT_EXPECT_EQ(test, c->entry, 1);
		KUNIT_EXPECT_EQ(test, c->ret, 1);
		KUNIT_EXPECT_EQ(test, disable_kretprobe(&c->rp), 0);
		kprobe_kunit_one(1);
		kprobe_kunit_untraced(1);
		KUNIT_EXPECT_EQ(test, c->ret, 1);
		unregister_kretprobe(&c->rp);
		KUNIT_EXPECT_EQ(test, enable_kretprobe(&c->rp), -EINVAL);
	}
}

static int call_probed(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	kprobe_kunit_two(1);
	kprobe_kunit_body(1);
	return count_return(ri, regs);
}

static void k08_hit_in_a_return_handler_is_missed(struct kunit *test)
{
	struct counted *in = kunit_kcalloc(test, 2, sizeof(*in), GFP_KERNEL);
	struct counted_ret *c = new_probe(test, kprobe_kunit_one);

	put_on(&in[0], addr_of(kprobe_kunit_two));
	put_on(&in[1], kprobe_kunit_insn);
	c->rp.handler = call_probed;
	KUNIT_ASSERT_EQ(test, register_kprobe(&in[0].kp), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&in[1].kp), 0);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&c->rp), 0);
	kprobe_kunit_one(1);
	unregister_kretprobe(&c->rp);
	unregister_kprobe(&in[0].kp);
	unregister_kprobe(&in[1].kp);
	KUNIT_EXPECT_EQ(test, c->ret, 1);
	KUNIT_EXPECT_EQ(test, in[0].pre + in[1].pre, 0);
	KUNIT_EXPECT_EQ(test, in[0].kp.nmissed, 1);
	KUNIT_EXPECT_EQ(test, in[1].kp.nmissed, 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(r01_what_a_handler_gets),
	KUNIT_CASE(r01_either_handler_may_be_null),
	KUNIT_CASE(r02_entry_handler_decides),
	KUNIT_CASE(r02_data_is_each_calls_own),
	KUNIT_CASE(r03_too_large),
	KUNIT_CASE(r03_maxactive_is_chosen),
	KUNIT_CASE(r03_maxactive_is_obeyed),
	KUNIT_CASE(r04_unregistered_inside),
	KUNIT_CASE(r04_registered_inside),
	KUNIT_CASE(r06_only_at_entries),
	KUNIT_CASE(k05_disabled_and_enabled),
	KUNIT_CASE(k08_hit_in_a_return_handler_is_missed),
	{}
};

static struct kunit_suite suite = {
	.name		= "kprobes_return",
	.test_cases	= cases,
};

kunit_test_suite(suite);
