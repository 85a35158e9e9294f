// SPDX-License-Identifier: GPL-2.0
/*
 * Lets each allocation of each operation on probes fail in turn, and looks
 * whether that gives an errno and changes nothing.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>

static noinline __noclone int entry(int x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

/* By breakpoint, for it is not traced. */
static noinline __noclone notrace int body(int x)
{
	asm volatile("leal 0x1000(%%rdi), %0" : "=a" (x) : "D" (x));
	return x;
}

static noinline __noclone int both(int x)
{
	asm volatile("" : "+r" (x));
	return x + 3;
}

#define NR	3

static int (*const funcs[NR])(int x) = { entry, body, both };
static unsigned long hits[NR], near_hits[NR];
static struct kretprobe probes[NR], near[NR];
static struct kprobe *kps[NR];
static struct kretprobe *rps[NR];
static int wrong, injected;

static int count(struct kprobe *kp, struct pt_regs *regs)
{
	hits[container_of(kp, struct kretprobe, kp) - probes]++;
	return 0;
}

static int count_ret(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	hits[get_kretprobe(ri) - probes]++;
	return 0;
}

static void nothing(struct kprobe *kp, struct pt_regs *regs,
		    unsigned long flags)
{
}

static int count_near(struct kprobe *kp, struct pt_regs *regs)
{
	near_hits[container_of(kp, struct kretprobe, kp) - near]++;
	return 0;
}

/* Which of the functions' probes are called; the neighbours always are. */
static int called(void)
{
	int i, ret = 0;

	for (i = 0; i < NR; i++) {
		hits[i] = 0;
		near_hits[i] = 0;
		barrier();
		funcs[i](1);
		barrier();
		if (hits[i] > 1 || near_hits[i] != 1) {
			pr_err("hooks_probe_failnth: %lu, %lu hits\n", hits[i],
			       near_hits[i]);
			wrong++;
		}
		ret |= !!hits[i] << i;
	}
	return ret;
}

static int op_register_entry(void) { return register_kprobe(kps[0]); }
static int op_register_body(void) { return register_kprobe(kps[1]); }
static int op_register_all(void) { return register_kprobes(kps, NR); }
static int op_ret_entry(void) { return register_kretprobe(rps[0]); }
static int op_ret_body(void) { return register_kretprobe(rps[1]); }
static int op_ret_all(void) { return register_kretprobes(rps, NR); }
static int op_disable_entry(void) { return disable_kprobe(kps[0]); }
static int op_disable_body(void) { return disable_kprobe(kps[1]); }
static int op_enable_entry(void) { return enable_kprobe(kps[0]); }
static int op_enable_body(void) { return enable_kprobe(kps[1]); }

static int op_register_post(void)
{
	kps[1]->post_handler = nothing;
	return register_kprobe(kps[1]);
}

static int op_unregister_all(void)
{
	unregister_kprobes(kps, NR);
	return 0;
}

static int op_unregister_ret_all(void)
{
	unregister_kretprobes(rps, NR);
	return 0;
}

enum before { NONE, PROBES, DISABLED, RETPROBES };

struct operation {
	const char	*name;
	int		(*run)(void);
	enum before	state;
	int		before, after;	/* called() */
	bool		never_fails;
};

static const struct operation operations[] = {
	{ "register_kprobe at an entry", op_register_entry, NONE, 0, 1 },
	{ "register_kprobe in a body", op_register_body, NONE, 0, 2 },
	{ "… with post_handler", op_register_post, NONE, 0, 2 },
	{ "register_kprobes", op_register_all, NONE, 0, 7 },
	{ "register_kretprobe on a hook", op_ret_entry, NONE, 0, 1 },
	{ "register_kretprobe without", op_ret_body, NONE, 0, 2 },
	{ "register_kretprobes", op_ret_all, NONE, 0, 7 },
	{ "disable_kprobe at an entry", op_disable_entry, PROBES, 7, 6 },
	{ "disable_kprobe in a body", op_disable_body, PROBES, 7, 5 },
	{ "enable_kprobe at an entry", op_enable_entry, DISABLED, 0, 1 },
	{ "enable_kprobe in a body", op_enable_body, DISABLED, 0, 2 },
	{ "unregister_kprobes", op_unregister_all, PROBES, 7, 0, true },
	{ "unregister_kretprobes", op_unregister_ret_all, RETPROBES, 7, 0,
	  true },
};

static void set_up(const struct operation *op)
{
	int i;

	memset(probes, 0, sizeof(probes));
	for (i = 0; i < NR; i++) {
		probes[i].kp.addr = (kprobe_opcode_t *)funcs[i];
		probes[i].kp.pre_handler = count;
		probes[i].handler = count_ret;
		if (op->state == DISABLED)
			probes[i].kp.flags = KPROBE_FLAG_DISABLED;
		kps[i] = &probes[i].kp;
		rps[i] = &probes[i];
	}
}

static int prepare(const struct operation *op)
{
	set_up(op);
	switch (op->state) {
	case NONE:
		return 0;
	case RETPROBES:
		return register_kretprobes(rps, NR);
	default:
		return register_kprobes(kps, NR);
	}
}

/* A kprobe that is in a kretprobe is taken by this, too. */
static void clean_up(void)
{
	unregister_kretprobes(rps, NR);
}

static void expect(const struct operation *op, int nth, const char *what,
		   int have, int want)
{
	if (have == want)
		return;
	pr_err("hooks_probe_failnth: %s, allocation %d: %s is %d, not %d\n",
	       op->name, nth, what, have, want);
	wrong++;
}

/* What failed can be done, when there is memory. */
static void again(const struct operation *op, int nth)
{
	expect(op, nth, "result of another try", op->run(), 0);
	expect(op, nth, "called after it", called(), op->after);
}

/* One point of failure; whether there was an allocation to fail. */
static bool fail_at(const struct operation *op, int nth)
{
	int ret, left;

	ret = prepare(op);
	if (ret) {
		expect(op, nth, "preparation", ret, 0);
		return false;
	}
	current->fail_nth = nth;
	ret = op->run();
	left = current->fail_nth;
	current->fail_nth = 0;

	if (left || op->never_fails)
		expect(op, nth, "result", ret, 0);
	/* An allocation may have another to fall back on: then it succeeds. */
	if (ret && ret != -ENOMEM)
		expect(op, nth, "errno", ret, -ENOMEM);
	expect(op, nth, "called", called(), ret ? op->before : op->after);
	if (ret)
		again(op, nth);
	if (!left)
		injected += !!ret;
	clean_up();
	expect(op, nth, "called in the end", called(), 0);
	return !left;
}

static int put_neighbours(void)
{
	int i, ret = 0;

	for (i = 0; i < NR && !ret; i++) {
		near[i].kp.addr = (kprobe_opcode_t *)funcs[i];
		near[i].kp.pre_handler = count_near;
		ret = register_kprobe(&near[i].kp);
	}
	return ret;
}

static int __init hooks_probe_failnth_init(void)
{
	int i, nth, ret;

	ret = put_neighbours();
	for (i = 0; i < ARRAY_SIZE(operations) && !ret; i++) {
		nth = 1;
		while (nth < 1000 && fail_at(&operations[i], nth))
			nth++;
		pr_info("hooks_probe_failnth: %s: %d points of failure\n",
			operations[i].name, nth - 1);
	}
	for (i = 0; i < NR; i++)
		unregister_kprobe(&near[i].kp);
	if (ret)
		return ret;
	pr_info("hooks_probe_failnth: %d failures were reported, %d faults\n",
		injected, wrong);
	return wrong ? -ERANGE : injected ? 0 : -ENODATA;
}
module_init(hooks_probe_failnth_init);

static void __exit hooks_probe_failnth_exit(void)
{
}
module_exit(hooks_probe_failnth_exit);

MODULE_DESCRIPTION("Failing allocations of probes, each in turn");
MODULE_LICENSE("GPL");
