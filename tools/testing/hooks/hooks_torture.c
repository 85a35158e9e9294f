// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks on all CPUs call three functions and count the calls, while hooks come,
 * go, and move.  In the end
 *
 *  - an ops that was registered all the time has seen each call;
 *  - one whose filter moved between {one, two} and {two, three} has seen each
 *    call of two;
 *  - no ops was called after it was unregistered, when its memory was poisoned.
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>

static int seconds = 10;
module_param(seconds, int, 0444);

#define MAGIC	0x686f6f6b73UL

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

static noinline __noclone int three(int x)
{
	asm volatile("" : "+r" (x));
	return x + 3;
}

static atomic_long_t calls, calls_of_two, faults;

struct watcher {
	struct ftrace_ops	ops;
	unsigned long		magic;
	atomic_long_t		hits;
};

static void watch(unsigned long ip, unsigned long parent_ip,
		  struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct watcher *w = container_of(op, struct watcher, ops);

	if (READ_ONCE(w->magic) != MAGIC)
		atomic_long_inc(&faults);
	atomic_long_inc(&w->hits);
}

static void watch_two(unsigned long ip, unsigned long parent_ip,
		      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	if (ip - (unsigned long)two < 16)
		watch(ip, parent_ip, op, fregs);
}

static struct watcher all = { .ops.func = watch, .magic = MAGIC };
static struct watcher moving = { .ops.func = watch_two, .magic = MAGIC };

static int caller(void *unused)
{
	unsigned long nr = 0;

	while (!kthread_should_stop()) {
		if (one(1) != 2 || two(1) != 3 || three(1) != 4)
			atomic_long_inc(&faults);
		nr++;
		if (!(nr & 63))
			cond_resched();
	}
	atomic_long_add(3 * nr, &calls);
	atomic_long_add(nr, &calls_of_two);
	return 0;
}

static void expect(const char *what, int ret)
{
	if (!ret)
		return;
	pr_err("hooks_torture: %s: error %d\n", what, ret);
	atomic_long_inc(&faults);
}

static unsigned long random_flags(void)
{
	static const unsigned long flags[] = { 0, FTRACE_OPS_FL_SAVE_REGS,
		FTRACE_OPS_FL_RECURSION, FTRACE_OPS_FL_RCU,
		FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_SAVE_REGS };

	return flags[get_random_u32_below(ARRAY_SIZE(flags))];
}

/* An ops that lives shortly and is poisoned the moment it is unregistered. */
static void come_and_go(void)
{
	unsigned long func[] = {
		(unsigned long)one, (unsigned long)two, (unsigned long)three
	};
	int nr = 1 + get_random_u32_below(3);
	struct watcher *w = kzalloc(sizeof(*w), GFP_KERNEL);

	if (!w)
		return;
	w->magic = MAGIC;
	w->ops.func = watch;
	w->ops.flags = random_flags();
	expect("filter", ftrace_set_filter_ips(&w->ops, func, nr, 0, 1));
	expect("register", register_ftrace_function(&w->ops));
	if (get_random_u32_below(2))
		usleep_range(100, 2000);
	expect("unregister", unregister_ftrace_function(&w->ops));
	ftrace_free_filter(&w->ops);
	memset(w, 0x6b, sizeof(*w));
	if (get_random_u32_below(2))
		usleep_range(100, 1000);
	kfree(w);
}

static void move(bool up)
{
	unsigned long func[] = { (unsigned long)two,
		up ? (unsigned long)three : (unsigned long)one };

	expect("move", ftrace_set_filter_ips(&moving.ops, func, 2, 0, 1));
}

static int changer(void *unused)
{
	bool up = false;

	while (!kthread_should_stop()) {
		come_and_go();
		move(up = !up);
		cond_resched();
	}
	return 0;
}

static int hook_all(void)
{
	unsigned long func[] = { (unsigned long)one, (unsigned long)two,
				 (unsigned long)three };
	int ret;

	ret = ftrace_set_filter_ips(&all.ops, func, 3, 0, 1);
	ret = ret ?: register_ftrace_function(&all.ops);
	move(false);
	return ret ?: register_ftrace_function(&moving.ops);
}

static void unhook_all(void)
{
	unregister_ftrace_function(&all.ops);
	unregister_ftrace_function(&moving.ops);
	ftrace_free_filter(&all.ops);
	ftrace_free_filter(&moving.ops);
}

static int verdict(void)
{
	long seen = atomic_long_read(&all.hits);
	long seen_two = atomic_long_read(&moving.hits);

	pr_info("hooks_torture: %ld calls, %ld seen; %ld of two, %ld seen; %ld faults\n",
		atomic_long_read(&calls), seen, atomic_long_read(&calls_of_two),
		seen_two, atomic_long_read(&faults));
	return seen == atomic_long_read(&calls) && seen &&
	       seen_two == atomic_long_read(&calls_of_two) &&
	       !atomic_long_read(&faults) ? 0 : -ERANGE;
}

static int __init hooks_torture_init(void)
{
	struct task_struct *callers[8] = { }, *change;
	int i, nr = min_t(int, num_online_cpus() + 1, ARRAY_SIZE(callers));
	int ret = hook_all();

	if (ret)
		return ret;
	for (i = 0; i < nr; i++)
		callers[i] = kthread_run(caller, NULL, "hooks_caller/%d", i);
	change = kthread_run(changer, NULL, "hooks_changer");
	ssleep(seconds);
	if (!IS_ERR_OR_NULL(change))
		kthread_stop(change);
	for (i = 0; i < nr; i++) {
		if (!IS_ERR_OR_NULL(callers[i]))
			kthread_stop(callers[i]);
	}
	unhook_all();
	return verdict();
}
module_init(hooks_torture_init);

static void __exit hooks_torture_exit(void)
{
}
module_exit(hooks_torture_exit);

MODULE_DESCRIPTION("Hooks that come and go while functions are called");
MODULE_LICENSE("GPL");
