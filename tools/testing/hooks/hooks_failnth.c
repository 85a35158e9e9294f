// SPDX-License-Identifier: GPL-2.0
/*
 * Lets each allocation of each operation fail in turn, and looks whether that
 * gives an errno and changes nothing.
 */
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/sched.h>

static noinline __noclone int one(int x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

static noinline __noclone int two(int x)
{
	asm volatile("" : "+r" (x));
	return x + 2;
}

static unsigned long hits, neighbour_hits;

static void count(unsigned long ip, unsigned long parent_ip,
		  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	WRITE_ONCE(hits, hits + 1);
}

static void count_neighbour(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	WRITE_ONCE(neighbour_hits, neighbour_hits + 1);
}

static struct ftrace_ops ops = { .func = count };
static struct ftrace_ops neighbour = { .func = count_neighbour };
static int wrong, injected;

/* Which of the two functions the ops is called for; the neighbour for both. */
static int called_for(void)
{
	unsigned long first, both, near;

	/* That callbacks change them the compiler does not see. */
	WRITE_ONCE(hits, 0);
	WRITE_ONCE(neighbour_hits, 0);
	one(1);
	first = READ_ONCE(hits);
	two(1);
	both = READ_ONCE(hits);
	near = READ_ONCE(neighbour_hits);
	if (near != 2) {
		pr_err("hooks_failnth: the neighbour has %lu calls, not 2\n",
		       near);
		wrong++;
	}
	return first | (both - first) << 1;
}

static int op_filter_ip(void)
{
	return ftrace_set_filter_ip(&ops, (unsigned long)two, 0, 0);
}

static int op_filter_ips(void)
{
	unsigned long ips[] = { (unsigned long)two, (unsigned long)one };

	return ftrace_set_filter_ips(&ops, ips, 2, 0, 1);
}

static int op_filter(void)
{
	char glob[] = "two*:nothing";

	return ftrace_set_filter(&ops, glob, 4, 0);
}

static int op_notrace(void)
{
	char name[] = "one";

	return ftrace_set_notrace(&ops, name, 3, 0);
}

static int op_register(void)
{
	return register_ftrace_function(&ops);
}

static int op_regs(void)
{
	ops.flags |= FTRACE_OPS_FL_SAVE_REGS;
	return register_ftrace_function(&ops);
}

static int op_unregister(void)
{
	return unregister_ftrace_function(&ops);
}

struct operation {
	const char	*name;
	int		(*run)(void);
	bool		registered;	/* before it */
	int		before, after;	/* called_for() */
	bool		never_fails;
};

static const struct operation operations[] = {
	{ "register", op_register, false, 0, 1 },
	{ "register with registers", op_regs, false, 0, 1 },
	{ "set_filter_ip", op_filter_ip, true, 1, 3 },
	{ "set_filter_ips", op_filter_ips, true, 1, 3 },
	{ "set_filter", op_filter, true, 1, 3 },
	{ "set_notrace", op_notrace, true, 1, 0 },
	{ "unregister", op_unregister, true, 1, 0, true },
};

static int prepare(const struct operation *op)
{
	int ret;

	memset(&ops, 0, sizeof(ops));
	ops.func = count;
	ret = ftrace_set_filter_ip(&ops, (unsigned long)one, 0, 1);
	if (!ret && op->registered)
		ret = register_ftrace_function(&ops);
	return ret;
}

static void clean_up(void)
{
	if (ops.flags & FTRACE_OPS_FL_ENABLED)
		unregister_ftrace_function(&ops);
	ftrace_free_filter(&ops);
}

static void expect(const struct operation *op, int nth, const char *what,
		   int have, int want)
{
	if (have == want)
		return;
	pr_err("hooks_failnth: %s, allocation %d: %s is %d, not %d\n", op->name,
	       nth, what, have, want);
	wrong++;
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
	expect(op, nth, "called for", called_for(), ret ? op->before : op->after);
	if (!left)
		injected += !!ret;
	clean_up();
	return !left;
}

static int __init hooks_failnth_init(void)
{
	int i, nth, ret;

	ret = ftrace_set_filter_ip(&neighbour, (unsigned long)one, 0, 0);
	ret = ret ?: ftrace_set_filter_ip(&neighbour, (unsigned long)two, 0, 0);
	ret = ret ?: register_ftrace_function(&neighbour);
	if (ret)
		return ret;

	for (i = 0; i < ARRAY_SIZE(operations); i++) {
		nth = 1;
		while (nth < 1000 && fail_at(&operations[i], nth))
			nth++;
		pr_info("hooks_failnth: %s: %d points of failure\n",
			operations[i].name, nth - 1);
	}
	unregister_ftrace_function(&neighbour);
	ftrace_free_filter(&neighbour);
	pr_info("hooks_failnth: %d failures were reported, %d faults\n",
		injected, wrong);
	return wrong ? -ERANGE : injected ? 0 : -ENODATA;
}
module_init(hooks_failnth_init);

static void __exit hooks_failnth_exit(void)
{
}
module_exit(hooks_failnth_exit);

MODULE_DESCRIPTION("Failing allocations, each in turn");
MODULE_LICENSE("GPL");
