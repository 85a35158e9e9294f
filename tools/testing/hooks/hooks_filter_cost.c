// SPDX-License-Identifier: GPL-2.0
/*
 * What changes cost, in instructions: attaching, detaching, and naming
 * functions.  For a guest in which an instruction is a nanosecond (-icount
 * shift=0).  Names of functions come by writes to the parameter "add"; a write
 * to "run" prints a line for each figure.
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#define MOST_NAMES	10000
#define MOST_OPS	10000

static char *names[MOST_NAMES];
static unsigned int nr_names;
static struct ftrace_ops *others;
static unsigned int nr_others;

static noinline void target(void)
{
	asm volatile("");
}

static void nothing(unsigned long ip, unsigned long parent_ip,
		    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
}

static void report(const char *what, u64 cost)
{
	pr_info("hooks_filter_cost: %s: %llu instructions\n", what, cost);
}

/* ---- Attaching -------------------------------------------------------- */

static int attach_once(u64 *attached, u64 *detached)
{
	static struct ftrace_ops ops = { .func = nothing };
	u64 start;
	int ret;

	/* What was detached before is freed in the background. */
	msleep(300);
	start = ktime_get_ns();
	ret = ftrace_set_filter_ip(&ops, (unsigned long)target, 0, 1);
	ret = ret ?: register_ftrace_function(&ops);
	*attached = min(*attached, ktime_get_ns() - start);
	if (ret)
		return ret;

	start = ktime_get_ns();
	unregister_ftrace_function(&ops);
	*detached = min(*detached, ktime_get_ns() - start);
	ftrace_free_filter(&ops);
	return 0;
}

/*
 * The same with any number of others: @among says how many.  The least of some
 * rounds: the first brings memory that stays, and a tick may fall into one.
 */
static int attach_costs(const char *among)
{
	u64 attached = U64_MAX, detached = U64_MAX;
	int round, ret = 0;
	char what[32];

	for (round = 0; round < 4 && !ret; round++)
		ret = attach_once(&attached, &detached);
	if (ret)
		return ret;
	snprintf(what, sizeof(what), "attach among %s", among);
	report(what, attached);
	snprintf(what, sizeof(what), "detach among %s", among);
	report(what, detached);
	return 0;
}

/* Ops on functions of their own, until there are so many. */
static int more_others(unsigned int most)
{
	int ret = 0;

	for (; nr_others < most && !ret; nr_others++) {
		struct ftrace_ops *ops = &others[nr_others];
		char number[12];

		snprintf(number, sizeof(number), "%u", nr_others + 1);
		ops->func = nothing;
		ret = ftrace_set_filter(ops, number, strlen(number), 1);
		ret = ret ?: register_ftrace_function(ops);
	}
	return ret;
}

static void no_others(void)
{
	while (nr_others--) {
		unregister_ftrace_function(&others[nr_others]);
		ftrace_free_filter(&others[nr_others]);
	}
	nr_others = 0;
}

static int attaching(void)
{
	int ret;

	others = vzalloc(array_size(MOST_OPS, sizeof(*others)));
	if (!others)
		return -ENOMEM;
	ret = attach_costs("none");
	ret = ret ?: more_others(1000) ?: attach_costs("1000");
	ret = ret ?: more_others(10000) ?: attach_costs("10000");
	no_others();
	vfree(others);
	return ret;
}

/* ---- Naming ----------------------------------------------------------- */

static int name_one(struct ftrace_ops *ops, char *name, int reset)
{
	return ftrace_set_filter(ops, name, strlen(name), reset);
}

static int pattern_cost(const char *what, char *pattern)
{
	struct ftrace_ops ops = { .func = nothing };
	u64 start = ktime_get_ns();
	int ret = name_one(&ops, pattern, 1);

	if (!ret)
		report(what, ktime_get_ns() - start);
	ftrace_free_filter(&ops);
	return ret;
}

/* One after the other into one filter. */
static int names_cost(const char *what, struct ftrace_ops *ops, unsigned int nr)
{
	u64 start = ktime_get_ns();
	unsigned int i;
	int ret = 0;

	if (nr > nr_names)
		return -EINVAL;
	for (i = 0; i < nr && !ret; i++)
		ret = name_one(ops, names[i], 0);
	if (!ret)
		report(what, ktime_get_ns() - start);
	return ret;
}

static int name_for_nobody(const char *what, unsigned int nr)
{
	struct ftrace_ops ops = { .func = nothing };
	int ret = names_cost(what, &ops, nr);

	ftrace_free_filter(&ops);
	return ret;
}

static int name_for_registered(const char *what, unsigned int nr)
{
	static struct ftrace_ops ops = { .func = nothing };
	int ret;

	ret = ftrace_set_filter_ip(&ops, (unsigned long)target, 0, 1);
	ret = ret ?: register_ftrace_function(&ops);
	if (ret)
		return ret;
	ret = names_cost(what, &ops, nr);
	unregister_ftrace_function(&ops);
	ftrace_free_filter(&ops);
	return ret;
}

static int naming(void)
{
	pr_info("hooks_filter_cost: %u names\n", nr_names);
	return nr_names ? pattern_cost("exact name", names[nr_names / 2]) ?:
	       name_for_nobody("1000 exact names", 1000) ?:
	       name_for_nobody("5000 exact names", 5000) ?:
	       name_for_registered("1000 exact names, registered", 1000) ?:
	       pattern_cost("prefix tcp_*", "tcp_*") ?:
	       pattern_cost("middle *lock*", "*lock*") : -EINVAL;
}

/* ---- Parameters ------------------------------------------------------- */

static int add(const char *value, const struct kernel_param *param)
{
	char *text = kstrdup(value, GFP_KERNEL), *rest = text, *name;

	if (!text)
		return -ENOMEM;
	while ((name = strsep(&rest, "\n "))) {
		if (!*name || nr_names == MOST_NAMES)
			continue;
		names[nr_names] = kstrdup(name, GFP_KERNEL);
		nr_names += !!names[nr_names];
	}
	kfree(text);
	return 0;
}

static const struct kernel_param_ops add_ops = { .set = add };
module_param_cb(add, &add_ops, NULL, 0200);

static int run(const char *value, const struct kernel_param *param)
{
	return attaching() ?: naming();
}

static const struct kernel_param_ops run_ops = { .set = run };
module_param_cb(run, &run_ops, NULL, 0200);

static int __init hooks_filter_cost_init(void)
{
	return 0;
}
module_init(hooks_filter_cost_init);

static void __exit hooks_filter_cost_exit(void)
{
	while (nr_names--)
		kfree(names[nr_names]);
}
module_exit(hooks_filter_cost_exit);

MODULE_DESCRIPTION("What attaching and naming functions cost");
MODULE_LICENSE("GPL");
