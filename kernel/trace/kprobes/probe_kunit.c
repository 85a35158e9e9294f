// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what handlers get and do.  The names begin with the number of the
 * requirement (K…) or of the case (C…).
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kthread.h>

#include "internal.h"
#include "kunit_target.h"

static struct counted *new_probe(struct kunit *test, unsigned long addr)
{
	struct counted *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	put_on(c, addr);
	return c;
}

static struct counted *on_entry(struct kunit *test)
{
	return new_probe(test, addr_of(kprobe_kunit_one));
}

static struct counted *on_body(struct kunit *test)
{
	return new_probe(test, kprobe_kunit_insn);
}

/* kprobe_running(), for who may be preempted. */
static struct kprobe *running_here(void)
{
	struct kprobe *kp;

	preempt_disable();
	kp = kprobe_running();
	preempt_enable();
	return kp;
}

static void call_all(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kprobe_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_untraced(1), 5);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_body(1), 1 + KPROBE_KUNIT_BODY);
}

static void k01_handlers_at_breakpoint(struct kunit *test)
{
	struct counted *c = on_body(test);

	c->kp.post_handler = count_post;
	KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
	call_all(test);
	unregister_kprobe(&c->kp);
	call_all(test);
	KUNIT_EXPECT_EQ(test, c->pre, 1);
	KUNIT_EXPECT_EQ(test, c->post, 1);
	KUNIT_EXPECT_EQ(test, c->ip, kprobe_kunit_insn + KPROBE_HIT_OFFSET);
	KUNIT_EXPECT_EQ(test, c->after,
			kprobe_kunit_insn + KPROBE_KUNIT_INSN_LEN);
}

static void k01_handlers_at_entry(struct kunit *test)
{
	unsigned long site = ftrace_location(addr_of(kprobe_kunit_one));
	struct counted *c = on_entry(test);

	c->kp.post_handler = count_post;
	KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
	KUNIT_EXPECT_EQ(test, (unsigned long)c->kp.addr, site);
	KUNIT_EXPECT_TRUE(test, kprobe_ftrace(&c->kp));
	call_all(test);
	unregister_kprobe(&c->kp);
	call_all(test);
	KUNIT_EXPECT_EQ(test, c->pre, 1);
	KUNIT_EXPECT_EQ(test, c->post, 1);
	KUNIT_EXPECT_EQ(test, c->ip, site + KPROBE_HIT_OFFSET);
	KUNIT_EXPECT_EQ(test, c->after, site + MCOUNT_INSN_SIZE);
}

static void k01_either_handler_may_be_null(struct kunit *test)
{
	const unsigned long addr[] = {
		addr_of(kprobe_kunit_one), addr_of(kprobe_kunit_untraced),
		kprobe_kunit_insn
	};
	int i, kind;

	for (i = 0; i < ARRAY_SIZE(addr); i++) {
		for (kind = 0; kind < 4; kind++) {
			struct counted *c = new_probe(test, addr[i]);

			c->kp.pre_handler = kind & 1 ? count_pre : NULL;
			c->kp.post_handler = kind & 2 ? count_post : NULL;
			KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
			call_all(test);
			unregister_kprobe(&c->kp);
			KUNIT_EXPECT_EQ(test, c->pre, kind & 1);
			KUNIT_EXPECT_EQ(test, c->post, kind >> 1);
		}
	}
	call_all(test);
}

/* ---- K3 --------------------------------------------------------------- */

static int go_to_three(struct kprobe *kp, struct pt_regs *regs)
{
	count_pre(kp, regs);
	instruction_pointer_set(regs, addr_of(kprobe_kunit_three));
	return 1;
}

static int skip_insn(struct kprobe *kp, struct pt_regs *regs)
{
	count_pre(kp, regs);
	regs_set_return_value(regs, 77);
	instruction_pointer_set(regs, (unsigned long)kp->addr +
				      KPROBE_KUNIT_INSN_LEN);
	return 1;
}

/* Without saying so by its result: the path stays as it was. */
static int only_set_ip(struct kprobe *kp, struct pt_regs *regs)
{
	count_pre(kp, regs);
	instruction_pointer_set(regs, addr_of(kprobe_kunit_three));
	return 0;
}

static void k03_changed_path_is_obeyed(struct kunit *test)
{
	struct counted *entry = on_entry(test), *body = on_body(test);
	int post;

	for (post = 0; post < 2; post++) {
		put_on(entry, addr_of(kprobe_kunit_one));
		put_on(body, kprobe_kunit_insn);
		entry->kp.pre_handler = go_to_three;
		body->kp.pre_handler = skip_insn;
		entry->kp.post_handler = post ? count_post : NULL;
		body->kp.post_handler = post ? count_post : NULL;
		KUNIT_ASSERT_EQ(test, register_kprobe(&entry->kp), 0);
		KUNIT_ASSERT_EQ(test, register_kprobe(&body->kp), 0);
		KUNIT_EXPECT_EQ(test, kprobe_kunit_one(1), 4);
		KUNIT_EXPECT_EQ(test, kprobe_kunit_body(1), 77);
		KUNIT_EXPECT_EQ(test, entry->post + body->post, 0);
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_EQ(test, kprobe_optimized(&body->kp), !post);
		KUNIT_EXPECT_EQ(test, kprobe_kunit_body(1), 77);
		KUNIT_EXPECT_EQ(test, entry->pre, 1);
		KUNIT_EXPECT_EQ(test, body->pre, 2);
		KUNIT_EXPECT_NULL(test, running_here());
		unregister_kprobe(&entry->kp);
		unregister_kprobe(&body->kp);
	}
	call_all(test);
}

static void k03_set_but_not_said(struct kunit *test)
{
	struct counted *entry = on_entry(test), *body = on_body(test);

	entry->kp.pre_handler = only_set_ip;
	body->kp.pre_handler = only_set_ip;
	KUNIT_ASSERT_EQ(test, register_kprobe(&entry->kp), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&body->kp), 0);
	call_all(test);
	wait_for_kprobe_optimizer();
	call_all(test);
	unregister_kprobe(&entry->kp);
	unregister_kprobe(&body->kp);
	KUNIT_EXPECT_EQ(test, entry->pre, 2);
	KUNIT_EXPECT_EQ(test, body->pre, 2);
}

/* ---- K4, K5 ----------------------------------------------------------- */

static void several_at(struct kunit *test, unsigned long addr)
{
	struct counted *c[4];
	u8 text[16];
	int i;

	memcpy(text, (void *)addr, sizeof(text));
	for (i = 0; i < 4; i++) {
		c[i] = new_probe(test, addr);
		c[i]->kp.post_handler = i == 2 ? count_post : NULL;
		c[i]->kp.flags = i == 1 ? KPROBE_FLAG_DISABLED : 0;
		KUNIT_ASSERT_EQ(test, register_kprobe(&c[i]->kp), 0);
	}
	call_all(test);
	unregister_kprobe(&c[0]->kp);
	call_all(test);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c[1]->kp), 0);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&c[2]->kp), 0);
	call_all(test);
	KUNIT_EXPECT_EQ(test, c[0]->pre, 1);
	KUNIT_EXPECT_EQ(test, c[1]->pre, 1);
	KUNIT_EXPECT_EQ(test, c[2]->pre, 2);
	KUNIT_EXPECT_EQ(test, c[2]->post, 2);
	KUNIT_EXPECT_EQ(test, c[3]->pre, 3);

	unregister_kprobe(&c[3]->kp);
	unregister_kprobe(&c[1]->kp);
	KUNIT_EXPECT_MEMEQ(test, (void *)addr, text, sizeof(text));
	unregister_kprobe(&c[2]->kp);
	call_all(test);
	KUNIT_EXPECT_EQ(test, c[1]->pre, 1);
	KUNIT_EXPECT_MEMEQ(test, (void *)addr, text, sizeof(text));
}

static void k04_several_at_an_entry(struct kunit *test)
{
	several_at(test, addr_of(kprobe_kunit_one));
}

static void k04_several_at_a_breakpoint(struct kunit *test)
{
	several_at(test, kprobe_kunit_insn);
}

static void disabled_and_enabled(struct kunit *test, struct counted *c)
{
	c->kp.flags = KPROBE_FLAG_DISABLED;
	KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
	KUNIT_EXPECT_TRUE(test, kprobe_disabled(&c->kp));
	call_all(test);
	KUNIT_EXPECT_EQ(test, c->pre, 0);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c->kp), 0);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c->kp), 0);
	KUNIT_EXPECT_FALSE(test, kprobe_disabled(&c->kp));
	call_all(test);
	KUNIT_EXPECT_EQ(test, c->pre, 1);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&c->kp), 0);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&c->kp), 0);
	call_all(test);
	KUNIT_EXPECT_EQ(test, c->pre, 1);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 0);
	unregister_kprobe(&c->kp);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c->kp), -EINVAL);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&c->kp), -EINVAL);
}

static void k05_disabled_and_enabled(struct kunit *test)
{
	disabled_and_enabled(test, on_entry(test));
	disabled_and_enabled(test, on_body(test));
}

static void k05_never_registered(struct kunit *test)
{
	struct counted *c = on_body(test);

	KUNIT_EXPECT_EQ(test, enable_kprobe(&c->kp), -EINVAL);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&c->kp), -EINVAL);
	KUNIT_EXPECT_EQ(test, enable_kprobe(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, disable_kprobe(NULL), -EINVAL);
	KUNIT_EXPECT_EQ(test, c->kp.flags, 0);
}

/* ---- K7 --------------------------------------------------------------- */

struct guarded {
	struct kprobe	kp;
	bool		alive;
	unsigned long	hits;
	unsigned long	late;
};

static int note_late(struct kprobe *kp, struct pt_regs *regs)
{
	struct guarded *g = container_of(kp, struct guarded, kp);

	udelay(1);
	if (READ_ONCE(g->alive))
		g->hits++;
	else
		g->late++;
	return 0;
}

static int call_on_and_on(void *data)
{
	while (!kthread_should_stop()) {
		kprobe_kunit_one(1);
		kprobe_kunit_body(1);
		cond_resched();
	}
	return 0;
}

static void unregister_under_hits(struct kunit *test, struct guarded *g,
				  unsigned long addr)
{
	memset(&g->kp, 0, sizeof(g->kp));
	g->kp.addr = (kprobe_opcode_t *)addr;
	g->kp.pre_handler = note_late;
	WRITE_ONCE(g->alive, true);
	KUNIT_ASSERT_EQ(test, register_kprobe(&g->kp), 0);
	usleep_range(100, 200);
	unregister_kprobe(&g->kp);
	WRITE_ONCE(g->alive, false);
}

static void k07_none_runs_after_unregistering(struct kunit *test)
{
	struct guarded *g = kunit_kcalloc(test, 2, sizeof(*g), GFP_KERNEL);
	struct task_struct *task[4];
	int i;

	KUNIT_ASSERT_NOT_NULL(test, g);
	for (i = 0; i < 4; i++)
		task[i] = kthread_run(call_on_and_on, NULL, "kprobe_kunit");
	for (i = 0; i < 100; i++) {
		unregister_under_hits(test, &g[0], addr_of(kprobe_kunit_one));
		unregister_under_hits(test, &g[1], kprobe_kunit_insn);
	}
	msleep(20);
	for (i = 0; i < 4; i++) {
		if (!IS_ERR(task[i]))
			kthread_stop(task[i]);
	}
	KUNIT_EXPECT_GT(test, g[0].hits, 0);
	KUNIT_EXPECT_GT(test, g[1].hits, 0);
	KUNIT_EXPECT_EQ(test, g[0].late, 0);
	KUNIT_EXPECT_EQ(test, g[1].late, 0);
}

/* ---- K8 --------------------------------------------------------------- */

static int call_them_pre(struct kprobe *kp, struct pt_regs *regs)
{
	count_pre(kp, regs);
	kprobe_kunit_two(1);
	kprobe_kunit_body(1);
	return 0;
}

static void call_them_post(struct kprobe *kp, struct pt_regs *regs,
			   unsigned long flags)
{
	count_post(kp, regs, flags);
	kprobe_kunit_two(1);
	kprobe_kunit_body(1);
}

static void nested(struct kunit *test, unsigned long outer, int (*func)(int x))
{
	struct counted *out = new_probe(test, outer);
	struct counted *in[2] = {
		new_probe(test, addr_of(kprobe_kunit_two)), on_body(test)
	};
	int i;

	out->kp.pre_handler = call_them_pre;
	out->kp.post_handler = call_them_post;
	in[0]->kp.post_handler = count_post;
	in[1]->kp.post_handler = count_post;
	KUNIT_ASSERT_EQ(test, register_kprobe(&out->kp), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&in[0]->kp), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&in[1]->kp), 0);
	func(1);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, in[i]->pre + in[i]->post, 0);
		KUNIT_EXPECT_EQ(test, in[i]->kp.nmissed, 2);
	}
	KUNIT_EXPECT_EQ(test, out->pre, 1);
	KUNIT_EXPECT_EQ(test, out->post, 1);
	KUNIT_EXPECT_EQ(test, out->kp.nmissed, 0);
	KUNIT_EXPECT_NULL(test, running_here());
	call_all(test);
	KUNIT_EXPECT_EQ(test, in[1]->post, 1);
	unregister_kprobe(&in[0]->kp);
	unregister_kprobe(&in[1]->kp);
	unregister_kprobe(&out->kp);
}

static void k08_hit_in_a_handler_is_missed(struct kunit *test)
{
	nested(test, addr_of(kprobe_kunit_one), kprobe_kunit_one);
	nested(test, addr_of(kprobe_kunit_untraced), kprobe_kunit_untraced);
}

/* The probe's own instruction, in its own handler. */
static int call_itself(struct kprobe *kp, struct pt_regs *regs)
{
	count_pre(kp, regs);
	kprobe_kunit_body(1);
	return 0;
}

static void k08_hit_in_its_own_handler(struct kunit *test)
{
	struct counted *c = on_body(test);

	c->kp.pre_handler = call_itself;
	KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
	call_all(test);
	KUNIT_EXPECT_EQ(test, c->pre, 1);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 1);
	wait_for_kprobe_optimizer();
	call_all(test);
	KUNIT_EXPECT_EQ(test, c->pre, 2);
	KUNIT_EXPECT_EQ(test, c->kp.nmissed, 2);
	unregister_kprobe(&c->kp);
}

static void k08_hits_while_busy_are_missed(struct kunit *test)
{
	struct counted *entry = on_entry(test), *body = on_body(test);

	KUNIT_ASSERT_EQ(test, register_kprobe(&entry->kp), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&body->kp), 0);
	kprobe_busy_begin();
	kprobe_kunit_one(1);
	kprobe_kunit_body(1);
	kprobe_busy_end();
	KUNIT_EXPECT_EQ(test, entry->pre + body->pre, 0);
	KUNIT_EXPECT_EQ(test, entry->kp.nmissed, 1);
	KUNIT_EXPECT_EQ(test, body->kp.nmissed, 1);
	call_all(test);
	KUNIT_EXPECT_EQ(test, entry->pre, 1);
	KUNIT_EXPECT_EQ(test, body->pre, 1);
	unregister_kprobe(&entry->kp);
	unregister_kprobe(&body->kp);
}

/* ---- K14 to K16 ------------------------------------------------------- */

static void text_goes(struct kunit *test, struct counted *c)
{
	unsigned long addr;

	KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
	addr = (unsigned long)c->kp.addr;
	kprobe_text_gone(addr, addr + 1);
	KUNIT_EXPECT_TRUE(test, kprobe_gone(&c->kp));
	KUNIT_EXPECT_FALSE(test, list_empty(&c->kp.list));
	call_all(test);
	KUNIT_EXPECT_EQ(test, c->pre, 0);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c->kp), -EINVAL);
	KUNIT_EXPECT_EQ(test, disable_kprobe(&c->kp), 0);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c->kp), -EINVAL);
	kprobe_set_all(false);
	kprobe_set_all(true);
	call_all(test);
	unregister_kprobe(&c->kp);
	KUNIT_EXPECT_TRUE(test, list_empty(&c->kp.list));

	put_on(c, addr);
	KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
	KUNIT_EXPECT_FALSE(test, kprobe_gone(&c->kp));
	call_all(test);
	KUNIT_EXPECT_EQ(test, c->pre, 1);
	unregister_kprobe(&c->kp);
}

static void k14_text_that_goes(struct kunit *test)
{
	text_goes(test, on_entry(test));
	text_goes(test, on_body(test));
}

static void k15_all_disarmed(struct kunit *test)
{
	struct counted *entry = on_entry(test), *body = on_body(test);
	struct counted *late = on_body(test), *off = on_body(test);

	off->kp.flags = KPROBE_FLAG_DISABLED;
	KUNIT_ASSERT_EQ(test, register_kprobe(&entry->kp), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&body->kp), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&off->kp), 0);
	KUNIT_EXPECT_EQ(test, kprobe_set_all(false), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&late->kp), 0);
	call_all(test);
	KUNIT_EXPECT_EQ(test, entry->pre + body->pre + late->pre, 0);
	KUNIT_EXPECT_FALSE(test, kprobe_disabled(&entry->kp));
	KUNIT_EXPECT_EQ(test, kprobe_set_all(true), 0);
	call_all(test);
	KUNIT_EXPECT_EQ(test, entry->pre, 1);
	KUNIT_EXPECT_EQ(test, body->pre, 1);
	KUNIT_EXPECT_EQ(test, late->pre, 1);
	KUNIT_EXPECT_EQ(test, off->pre, 0);
	KUNIT_EXPECT_TRUE(test, kprobe_disabled(&off->kp));
	unregister_kprobe(&entry->kp);
	unregister_kprobe(&body->kp);
	unregister_kprobe(&late->kp);
	unregister_kprobe(&off->kp);
}

static unsigned long preemptible_handlers;

static int note_preemptible(struct kprobe *kp, struct pt_regs *regs)
{
	preemptible_handlers += preemptible();
	return count_pre(kp, regs);
}

static void note_preemptible_post(struct kprobe *kp, struct pt_regs *regs,
				  unsigned long flags)
{
	preemptible_handlers += preemptible();
	count_post(kp, regs, flags);
}

static void k16_handlers_are_not_preemptible(struct kunit *test)
{
	struct counted *entry = on_entry(test), *body = on_body(test);

	preemptible_handlers = 0;
	entry->kp.pre_handler = note_preemptible;
	entry->kp.post_handler = note_preemptible_post;
	body->kp.pre_handler = note_preemptible;
	KUNIT_ASSERT_EQ(test, register_kprobe(&entry->kp), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&body->kp), 0);
	call_all(test);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&body->kp));
	call_all(test);
	unregister_kprobe(&body->kp);
	put_on(body, kprobe_kunit_insn);
	body->kp.pre_handler = note_preemptible;
	body->kp.post_handler = note_preemptible_post;
	KUNIT_ASSERT_EQ(test, register_kprobe(&body->kp), 0);
	call_all(test);
	unregister_kprobe(&body->kp);
	unregister_kprobe(&entry->kp);
	KUNIT_EXPECT_EQ(test, entry->post, 3);
	KUNIT_EXPECT_EQ(test, body->post, 1);
	KUNIT_EXPECT_EQ(test, preemptible_handlers, 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(k01_handlers_at_breakpoint),
	KUNIT_CASE(k01_handlers_at_entry),
	KUNIT_CASE(k01_either_handler_may_be_null),
	KUNIT_CASE(k03_changed_path_is_obeyed),
	KUNIT_CASE(k03_set_but_not_said),
	KUNIT_CASE(k04_several_at_an_entry),
	KUNIT_CASE(k04_several_at_a_breakpoint),
	KUNIT_CASE(k05_disabled_and_enabled),
	KUNIT_CASE(k05_never_registered),
	KUNIT_CASE(k07_none_runs_after_unregistering),
	KUNIT_CASE(k08_hit_in_a_handler_is_missed),
	KUNIT_CASE(k08_hit_in_its_own_handler),
	KUNIT_CASE(k08_hits_while_busy_are_missed),
	KUNIT_CASE(k14_text_that_goes),
	KUNIT_CASE(k15_all_disarmed),
	KUNIT_CASE(k16_handlers_are_not_preemptible),
	{}
};

static struct kunit_suite suite = {
	.name		= "kprobes_probe",
	.test_cases	= cases,
};

kunit_test_suite(suite);
