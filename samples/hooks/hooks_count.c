// SPDX-License-Identifier: GPL-2.0
/*
 * Counts calls of some functions of the running kernel, by function, and who
 * called them.  /proc/hooks_count shows it.
 *
 * One ops for each function, since that is where the count is.  The callback
 * runs in whatever context the function is called in: it only counts.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

#define CALLERS		4

struct hook {
	struct ftrace_ops	ops;
	const char		*what;
	char			*name;
	atomic_long_t		hits;
	unsigned long		caller[CALLERS];
};

static void count(unsigned long ip, unsigned long parent_ip,
		  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct hook *hook = container_of(op, struct hook, ops);
	int i;

	atomic_long_inc(&hook->hits);
	for (i = 0; i < CALLERS; i++) {
		if (hook->caller[i] == parent_ip)
			return;
		if (!cmpxchg(&hook->caller[i], 0, parent_ip))
			return;
	}
}

#ifdef CONFIG_ARM64
#define SYSCALL(name)	"__arm64_sys_" name
#else
#define SYSCALL(name)	"__x64_sys_" name
#endif

#define HOOK(w, n)	{ .ops.func = count, .what = w, .name = n }

static struct hook hooks[] = {
	HOOK("system call", SYSCALL("openat")),
	HOOK("system call", SYSCALL("read")),
	HOOK("file system", "vfs_read"),
	HOOK("scheduler", "try_to_wake_up"),
	HOOK("scheduler", "schedule"),
	HOOK("timer", "tick_nohz_handler"),
	HOOK("timer", "hrtimer_interrupt"),
};

static int show(struct seq_file *m, void *v)
{
	int i, j;

	seq_printf(m, "%-12s %-20s %10s  %s\n", "what", "function", "calls",
		   "called from");
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		struct hook *hook = &hooks[i];

		seq_printf(m, "%-12s %-20s %10ld", hook->what, hook->name,
			   atomic_long_read(&hook->hits));
		for (j = 0; j < CALLERS && hook->caller[j]; j++)
			seq_printf(m, "  %ps", (void *)hook->caller[j]);
		seq_putc(m, '\n');
	}
	return 0;
}

static int hook_function(struct hook *hook)
{
	int ret;

	ret = ftrace_set_filter(&hook->ops, hook->name, strlen(hook->name), 1);
	if (!ret)
		ret = register_ftrace_function(&hook->ops);
	if (ret) {
		pr_err("hooks_count: %s: error %d\n", hook->name, ret);
		ftrace_free_filter(&hook->ops);
	}
	return ret;
}

static void unhook(int nr)
{
	while (nr--) {
		unregister_ftrace_function(&hooks[nr].ops);
		ftrace_free_filter(&hooks[nr].ops);
	}
}

static int __init hooks_count_init(void)
{
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		ret = hook_function(&hooks[i]);
		if (ret) {
			unhook(i);
			return ret;
		}
	}
	if (!proc_create_single("hooks_count", 0444, NULL, show)) {
		unhook(i);
		return -ENOMEM;
	}
	return 0;
}
module_init(hooks_count_init);

static void __exit hooks_count_exit(void)
{
	remove_proc_entry("hooks_count", NULL);
	unhook(ARRAY_SIZE(hooks));
}
module_exit(hooks_count_exit);

MODULE_DESCRIPTION("Counts calls of kernel functions");
MODULE_LICENSE("GPL");
