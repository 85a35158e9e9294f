// SPDX-License-Identifier: GPL-2.0
/*
 * R4: a return probe, an fprobe, function graph tracing, a direct call and an
 * ops that redirects, as a livepatch does, on one function.  They come and go in
 * every order, and each has run once a call while it was there.
 */
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <kunit/test.h>

#include "../ftrace/kunit_target.h"

enum who { RETPROBE, FPROBE, GRAPH, DIRECT, REDIRECT, NR_WHO };

/**
 * struct company - those who come to ftrace_kunit_one()
 * @rp:       the return probe
 * @fp:       the fprobe
 * @gops:     graph tracing
 * @direct:   the direct call
 * @redirect: the ops that goes to ftrace_kunit_two() instead
 * @here:     whether each is there
 * @entries:  of each
 * @exits:    of those that have any
 */
struct company {
	struct kretprobe	rp;
	struct fprobe		fp;
	struct fgraph_ops	gops;
	struct ftrace_ops	direct;
	struct counter		redirect;
	bool			here[NR_WHO];
	unsigned long		entries[NR_WHO];
	unsigned long		exits[NR_WHO];
};

static int rp_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	container_of(get_kretprobe(ri), struct company, rp)->entries[RETPROBE]++;
	return 0;
}

static int rp_exit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	container_of(get_kretprobe(ri), struct company, rp)->exits[RETPROBE]++;
	return 0;
}

static int fp_entry(struct fprobe *fp, unsigned long hook, unsigned long to,
		    struct pt_regs *regs, void *data)
{
	container_of(fp, struct company, fp)->entries[FPROBE]++;
	return 0;
}

static void fp_exit(struct fprobe *fp, unsigned long hook, unsigned long to,
		    struct pt_regs *regs, void *data)
{
	container_of(fp, struct company, fp)->exits[FPROBE]++;
}

static int graph_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	container_of(gops, struct company, gops)->entries[GRAPH]++;
	return 1;
}

static void graph_exit(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	container_of(gops, struct company, gops)->exits[GRAPH]++;
}

static int share(struct ftrace_ops *op, enum ftrace_ops_cmd cmd)
{
	return 0;
}

static void to_two(unsigned long ip, unsigned long parent_ip,
		   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	count_call(ip, parent_ip, op, fregs);
	ftrace_regs_set_instruction_pointer(fregs, addr_of(ftrace_kunit_two));
}

static int come(struct company *c, enum who who)
{
	unsigned long addr = addr_of(ftrace_kunit_one);

	c->here[who] = true;
	switch (who) {
	case RETPROBE:
		c->rp = (struct kretprobe) {
			.kp.addr = (kprobe_opcode_t *)addr,
			.entry_handler = rp_entry, .handler = rp_exit,
		};
		return register_kretprobe(&c->rp);
	case FPROBE:
		c->fp.entry_handler = fp_entry;
		c->fp.exit_handler = fp_exit;
		return register_fprobe_ips(&c->fp, &addr, 1);
	case GRAPH:
		c->gops.entryfunc = graph_entry;
		c->gops.retfunc = graph_exit;
		return ftrace_set_filter_ip(&c->gops.ops, addr, 0, 0) ?:
		       register_ftrace_graph(&c->gops);
	case DIRECT:
		c->direct.ops_func = share;
		return ftrace_set_filter_ip(&c->direct, addr, 0, 0) ?:
		       register_ftrace_direct(&c->direct,
					      (unsigned long)ftrace_kunit_tramp);
	default:
		c->redirect.ops.func = to_two;
		c->redirect.ops.flags = FTRACE_OPS_FL_IPMODIFY;
		return ftrace_set_filter_ip(&c->redirect.ops, addr, 0, 0) ?:
		       register_ftrace_function(&c->redirect.ops);
	}
}

static int go(struct company *c, enum who who)
{
	int ret = 0;

	c->here[who] = false;
	switch (who) {
	case RETPROBE:
		unregister_kretprobe(&c->rp);
		break;
	case FPROBE:
		ret = unregister_fprobe(&c->fp);
		break;
	case GRAPH:
		unregister_ftrace_graph(&c->gops);
		ftrace_free_filter(&c->gops.ops);
		break;
	case DIRECT:
		ret = unregister_ftrace_direct(&c->direct,
					       (unsigned long)ftrace_kunit_tramp,
					       true);
		break;
	default:
		ret = unregister_ftrace_function(&c->redirect.ops);
		ftrace_free_filter(&c->redirect.ops);
		break;
	}
	return ret;
}

static void expect_company(struct kunit *test, struct company *c)
{
	int who;

	memset(c->entries, 0, sizeof(c->entries));
	memset(c->exits, 0, sizeof(c->exits));
	c->redirect.hits = 0;
	ftrace_kunit_tramp_hits = 0;
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), c->here[REDIRECT] ? 3 : 2);
	c->entries[DIRECT] = ftrace_kunit_tramp_hits;
	c->entries[REDIRECT] = c->redirect.hits;
	for (who = 0; who < NR_WHO; who++)
		KUNIT_EXPECT_EQ_MSG(test, c->entries[who], c->here[who],
				    "entries of %d", who);
	for (who = 0; who <= GRAPH; who++)
		KUNIT_EXPECT_EQ_MSG(test, c->exits[who], c->here[who],
				    "exits of %d", who);
}

#define ORDERS	120	/* of five */

static void nth_order(int n, enum who *order)
{
	int i;

	for (i = 0; i < NR_WHO; i++)
		order[i] = i;
	for (i = NR_WHO - 1; i; i--) {
		swap(order[i], order[n % (i + 1)]);
		n /= i + 1;
	}
}

static void r04_in_every_order(struct kunit *test)
{
	struct company *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	enum who in[NR_WHO], out[NR_WHO];
	int n, i;

	KUNIT_ASSERT_NOT_NULL(test, c);
	for (n = 0; n < ORDERS; n++) {
		nth_order(n, in);
		/* All of them, too, as 7 and ORDERS have no common divisor. */
		nth_order(n * 7 % ORDERS, out);
		for (i = 0; i < NR_WHO; i++) {
			KUNIT_ASSERT_EQ(test, come(c, in[i]), 0);
			expect_company(test, c);
		}
		for (i = 0; i < NR_WHO; i++) {
			KUNIT_EXPECT_EQ(test, go(c, out[i]), 0);
			expect_company(test, c);
		}
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_SLOW(r04_in_every_order),
	{}
};

static struct kunit_suite suite = {
	.name		= "hooks_together",
	.test_cases	= cases,
};

kunit_test_suite(suite);
