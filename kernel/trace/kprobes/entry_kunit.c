// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of probes together with other hooks of a function, and of its text.  The
 * names begin with the number of the case (C…).
 */
#include <kunit/test.h>
#include <linux/memory.h>

#include <asm/text-patching.h>

#include "internal.h"
#include "kunit_target.h"

/* ---- C2 --------------------------------------------------------------- */

static void to_three(unsigned long ip, unsigned long parent_ip,
		     struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	ftrace_regs_set_instruction_pointer(fregs, addr_of(kprobe_kunit_three));
}

/* The three who come to kprobe_kunit_one(), and whether each is there. */
struct company {
	struct ftrace_ops	ops;
	struct counted		probe;
	struct counted_ret	ret;
	bool			here[3];
	unsigned long		calls[3];
};

static int come(struct company *c, int who)
{
	c->here[who] = true;
	switch (who) {
	case 0:
		c->ops.func = to_three;
		c->ops.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY;
		return ftrace_set_filter_ip(&c->ops, addr_of(kprobe_kunit_one),
					    0, 1) ?:
		       register_ftrace_function(&c->ops);
	case 1:
		put_on(&c->probe, addr_of(kprobe_kunit_one));
		return register_kprobe(&c->probe.kp);
	default:
		put_ret_on(&c->ret, kprobe_kunit_one);
		return register_kretprobe(&c->ret.rp);
	}
}

static void go(struct company *c, int who)
{
	c->here[who] = false;
	switch (who) {
	case 0:
		unregister_ftrace_function(&c->ops);
		ftrace_free_filter(&c->ops);
		memset(&c->ops, 0, sizeof(c->ops));
		break;
	case 1:
		unregister_kprobe(&c->probe.kp);
		break;
	default:
		unregister_kretprobe(&c->ret.rp);
		break;
	}
}

static void expect_company(struct kunit *test, struct company *c)
{
	unsigned long pre = c->probe.pre, entry = c->ret.entry;
	unsigned long ret = c->ret.ret;

	KUNIT_EXPECT_EQ(test, kprobe_kunit_one(1), c->here[0] ? 4 : 2);
	KUNIT_EXPECT_EQ(test, c->probe.pre - pre, c->here[1]);
	KUNIT_EXPECT_EQ(test, c->ret.entry - entry, c->here[2]);
	KUNIT_EXPECT_EQ(test, c->ret.ret - ret, c->here[2]);
}

static void c02_redirect_and_probes(struct kunit *test)
{
	static const u8 orders[][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 },
		{ 2, 1, 0 },
	};
	struct company *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	int in, out, i;

	for (in = 0; in < 6; in++) {
		for (out = 0; out < 6; out++) {
			for (i = 0; i < 3; i++) {
				KUNIT_ASSERT_EQ(test, come(c, orders[in][i]),
						0);
				expect_company(test, c);
			}
			for (i = 0; i < 3; i++) {
				go(c, orders[out][i]);
				expect_company(test, c);
			}
		}
	}
}

/* ---- C6 --------------------------------------------------------------- */

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

static void c06_damaged_site(struct kunit *test)
{
	struct counted *c = kunit_kcalloc(test, 3, sizeof(*c), GFP_KERNEL);
	struct counted_ret *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	struct kprobe *kps[] = { &c[0].kp, &c[1].kp, &c[2].kp };
	unsigned long site = ftrace_location(addr_of(kprobe_kunit_one));

	damage(site);
	put_on(&c[0], addr_of(kprobe_kunit_two));
	put_on(&c[1], addr_of(kprobe_kunit_one));
	put_on(&c[2], kprobe_kunit_insn);
	put_ret_on(r, kprobe_kunit_one);
	KUNIT_EXPECT_EQ(test, register_kprobe(&c[1].kp), -EILSEQ);
	KUNIT_EXPECT_EQ(test, register_kretprobe(&r->rp), -EILSEQ);
	put_on(&c[1], addr_of(kprobe_kunit_one));
	KUNIT_EXPECT_EQ(test, register_kprobes(kps, 3), -EILSEQ);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_two(1), 3);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_body(1), 1 + KPROBE_KUNIT_BODY);
	KUNIT_EXPECT_EQ(test, c[0].pre + c[1].pre + c[2].pre, 0);

	/* All others are as good as ever. */
	KUNIT_EXPECT_EQ(test, register_kprobe(&c[0].kp), 0);
	kprobe_kunit_two(1);
	KUNIT_EXPECT_EQ(test, c[0].pre, 1);

	/* One that is registered disabled finds out when it is enabled. */
	c[1].kp.flags = KPROBE_FLAG_DISABLED;
	KUNIT_EXPECT_EQ(test, register_kprobe(&c[1].kp), 0);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c[1].kp), -EILSEQ);
	KUNIT_EXPECT_TRUE(test, kprobe_disabled(&c[1].kp));

	overwrite(site, kept);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c[1].kp), 0);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, c[1].pre, 1);
	KUNIT_EXPECT_EQ(test, ftrace_is_dead(), 0);
	unregister_kprobe(&c[0].kp);
	unregister_kprobe(&c[1].kp);
}

/* ---- C7 --------------------------------------------------------------- */

static int add_hundred(struct kprobe *kp, struct pt_regs *regs)
{
	regs->di += 100;
	return 0;
}

static int add_thousand(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	regs->di += 1000;
	return 0;
}

static void c07_changed_argument(struct kunit *test)
{
	struct kprobe entry = {
		.addr = func_addr(kprobe_kunit_one), .pre_handler = add_hundred
	};
	struct kprobe untraced = {
		.addr = func_addr(kprobe_kunit_untraced),
		.pre_handler = add_hundred
	};
	struct kprobe body = {
		.addr = (kprobe_opcode_t *)kprobe_kunit_insn,
		.pre_handler = add_hundred
	};

	KUNIT_ASSERT_EQ(test, register_kprobe(&entry), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&untraced), 0);
	KUNIT_ASSERT_EQ(test, register_kprobe(&body), 0);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_one(1), 102);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_untraced(1), 105);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_body(1), 101 + KPROBE_KUNIT_BODY);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&body));
	KUNIT_EXPECT_EQ(test, kprobe_kunit_body(1), 101 + KPROBE_KUNIT_BODY);
	unregister_kprobe(&entry);
	unregister_kprobe(&untraced);
	unregister_kprobe(&body);
}

static void c07_changed_by_an_entry_handler(struct kunit *test)
{
	struct kretprobe rp = { .entry_handler = add_thousand };

	rp.kp.addr = func_addr(kprobe_kunit_one);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_one(1), 1002);
	unregister_kretprobe(&rp);
	memset(&rp, 0, sizeof(rp));
	rp.entry_handler = add_thousand;
	rp.kp.addr = func_addr(kprobe_kunit_untraced);
	KUNIT_ASSERT_EQ(test, register_kretprobe(&rp), 0);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_untraced(1), 1005);
	unregister_kretprobe(&rp);
}

/* ---- C14 -------------------------------------------------------------- */

static unsigned long writes, wrong_writes, syncs;
static struct task_struct *writer;

static bool is_site(unsigned long addr)
{
	int i;

	for (i = 0; i < KPROBE_KUNIT_FUNCS; i++) {
		unsigned long func = addr_of(kprobe_kunit_funcs[i]);

		if (addr >= func && addr < func + 4 + MCOUNT_INSN_SIZE)
			return true;
	}
	return false;
}

/* A call of __text_poke(f, addr, src, len). */
static void note_write(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	unsigned long addr = ftrace_regs_get_argument(fregs, 1);

	if (current != writer || !core_kernel_text(addr))
		return;
	writes++;
	wrong_writes += !is_site(addr);
}

static void note_sync(unsigned long ip, unsigned long parent_ip,
		      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	syncs += current == writer;
}

static void nothing(unsigned long ip, unsigned long parent_ip,
		    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
}

static struct ftrace_ops writes_ops = { .func = note_write };
static struct ftrace_ops syncs_ops = { .func = note_sync };
static struct ftrace_ops others_ops = { .func = nothing };

static int hook_by_name(struct ftrace_ops *ops, char *name)
{
	return ftrace_set_filter(ops, name, strlen(name), 0) ?:
	       register_ftrace_function(ops);
}

static void unhook(struct ftrace_ops *ops)
{
	unregister_ftrace_function(ops);
	ftrace_free_filter(ops);
}

/* Of each 50: a site is written three times when it changes, in a batch. */
static void expect_writes(struct kunit *test, unsigned int sites,
			  unsigned int batches)
{
	KUNIT_EXPECT_GE(test, writes, sites);
	KUNIT_EXPECT_LE(test, writes, 3 * sites);
	KUNIT_EXPECT_EQ(test, wrong_writes, 0);
	KUNIT_EXPECT_LE(test, syncs, 4 * batches);
	writes = 0;
	syncs = 0;
}

struct many {
	struct counted		probe[KPROBE_KUNIT_FUNCS];
	struct counted_ret	ret[KPROBE_KUNIT_FUNCS];
	struct kprobe		*kps[KPROBE_KUNIT_FUNCS];
	struct kretprobe	*rps[KPROBE_KUNIT_FUNCS];
};

static void set_up_many(struct many *m)
{
	int i;

	for (i = 0; i < KPROBE_KUNIT_FUNCS; i++) {
		put_on(&m->probe[i], addr_of(kprobe_kunit_funcs[i]));
		put_ret_on(&m->ret[i], kprobe_kunit_funcs[i]);
		m->kps[i] = &m->probe[i].kp;
		m->rps[i] = &m->ret[i].rp;
	}
	writes = 0;
	wrong_writes = 0;
	syncs = 0;
}

static void call_many(struct kunit *test, struct many *m)
{
	int i;

	for (i = 0; i < KPROBE_KUNIT_FUNCS; i++) {
		KUNIT_EXPECT_EQ(test, kprobe_kunit_funcs[i](i), i + 1);
		KUNIT_EXPECT_EQ(test, m->probe[i].pre, 1);
		KUNIT_EXPECT_EQ(test, m->ret[i].ret, 1);
	}
}

static void one_by_one(struct kunit *test, struct many *m)
{
	int i;

	set_up_many(m);
	for (i = 0; i < KPROBE_KUNIT_FUNCS; i++) {
		KUNIT_ASSERT_EQ(test, register_kprobe(m->kps[i]), 0);
		expect_writes(test, 1, 1);
		KUNIT_ASSERT_EQ(test, register_kretprobe(m->rps[i]), 0);
		expect_writes(test, 1, 1);
	}
	call_many(test, m);
	for (i = 0; i < KPROBE_KUNIT_FUNCS; i++) {
		unregister_kprobe(m->kps[i]);
		expect_writes(test, 1, 1);
		unregister_kretprobe(m->rps[i]);
		expect_writes(test, 1, 1);
	}
}

static void as_arrays(struct kunit *test, struct many *m)
{
	unsigned int nr = KPROBE_KUNIT_FUNCS;

	set_up_many(m);
	KUNIT_ASSERT_EQ(test, register_kprobes(m->kps, nr), 0);
	expect_writes(test, nr, 1);
	KUNIT_ASSERT_EQ(test, register_kretprobes(m->rps, nr), 0);
	expect_writes(test, nr, 1);
	call_many(test, m);
	unregister_kprobes(m->kps, nr);
	expect_writes(test, nr, 1);
	unregister_kretprobes(m->rps, nr);
	expect_writes(test, nr, 1);
}

static void c14_only_what_changes_is_written(struct kunit *test)
{
	struct many *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	char write[] = "__text_poke", sync[] = "text_poke_sync";
	char others[] = "v*";

	writer = current;
	KUNIT_ASSERT_EQ(test, hook_by_name(&writes_ops, write), 0);
	KUNIT_ASSERT_EQ(test, hook_by_name(&syncs_ops, sync), 0);
	KUNIT_ASSERT_EQ(test, hook_by_name(&others_ops, others), 0);
	one_by_one(test, m);
	as_arrays(test, m);
	unhook(&others_ops);
	unhook(&syncs_ops);
	unhook(&writes_ops);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(c02_redirect_and_probes),
	KUNIT_CASE(c06_damaged_site),
	KUNIT_CASE(c07_changed_argument),
	KUNIT_CASE(c07_changed_by_an_entry_handler),
	KUNIT_CASE(c14_only_what_changes_is_written),
	{}
};

static struct kunit_suite suite = {
	.name		= "kprobes_entry",
	.test_cases	= cases,
};

kunit_test_suite(suite);
