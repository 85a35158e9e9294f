// SPDX-License-Identifier: GPL-2.0
/*
 * C3, R3, R4: many tasks call a function that calls itself, sleep in it, or exit
 * in it, while probes on it come and go.  One without a limit must see each
 * entry, and each return that there is; one with a limit must account for all.
 * Loading it is the test; it prints what it found.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

static int calls = 2000;
module_param(calls, int, 0444);
MODULE_PARM_DESC(calls, "how often each task calls the function");

#define TASKS		16
#define DEEPEST		100
#define LIMIT		5

enum inside { RETURN, SLEEP, EXIT };

static atomic_long_t entered, left, running;
static DECLARE_COMPLETION(all_done);

/* Calls itself @depth times, and does at the bottom what it is told. */
static noinline __noclone int work(int depth, enum inside what)
{
	int ret = 0;

	atomic_long_inc(&entered);
	if (depth) {
		ret = work(depth - 1, what);
	} else if (what == EXIT) {
		if (atomic_long_dec_and_test(&running))
			complete(&all_done);
		kthread_complete_and_exit(NULL, 0);
	} else if (what == SLEEP) {
		schedule_timeout_uninterruptible(1);
	}
	atomic_long_inc(&left);
	return ret + 1;
}

/**
 * struct counter - a return probe that counts
 * @rp:      the probe
 * @entries: of its entry_handler
 * @returns: of its handler
 * @wrong:   returns with another call's data
 */
struct counter {
	struct kretprobe	rp;
	atomic_long_t		entries;
	atomic_long_t		returns;
	atomic_long_t		wrong;
};

/* A call's depth is what it returns, less one. */
static int enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	*(int *)ri->data = regs_get_kernel_argument(regs, 0);
	atomic_long_inc(&container_of(rp, struct counter, rp)->entries);
	return 0;
}

static int leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct counter *counter;

	if (!rp)
		return 0;
	counter = container_of(rp, struct counter, rp);
	atomic_long_inc(&counter->returns);
	if ((int)regs_return_value(regs) != *(int *)ri->data + 1)
		atomic_long_inc(&counter->wrong);
	return 0;
}

static void fprobe_leave(struct fprobe *fp, unsigned long entry_ip,
			 unsigned long ret_ip, struct pt_regs *regs, void *data)
{
}

static struct counter unlimited, limited, passing;
static struct fprobe fprobe = { .exit_handler = fprobe_leave };

static int put(struct counter *counter, int maxactive)
{
	memset(counter, 0, sizeof(*counter));
	counter->rp.kp.addr = (kprobe_opcode_t *)work;
	counter->rp.entry_handler = enter;
	counter->rp.handler = leave;
	counter->rp.maxactive = maxactive;
	counter->rp.data_size = sizeof(int);
	return register_kretprobe(&counter->rp);
}

static int task(void *data)
{
	unsigned long seed = (unsigned long)data;
	int i;

	for (i = 0; i < calls; i++) {
		seed = seed * 6364136223846793005UL + 1442695040888963407UL;
		work((seed >> 33) % (i % 8 ? 4 : DEEPEST),
		     (seed >> 40) % 64 ? RETURN : SLEEP);
		if (!(i % 64))
			cond_resched();
	}
	work(seed >> 60, EXIT);
	return 0;
}

static int start(void)
{
	struct task_struct *t;
	long i;

	atomic_long_set(&running, TASKS);
	for (i = 0; i < TASKS; i++) {
		t = kthread_run(task, (void *)(i + 1), "hooks_returns/%ld", i);
		if (!IS_ERR(t))
			continue;
		if (!atomic_long_sub_return(TASKS - i, &running))
			complete(&all_done);
		return PTR_ERR(t);
	}
	return 0;
}

/* Until all tasks are done; how many rounds, or an errno. */
static int come_and_go(void)
{
	unsigned long addr = (unsigned long)work;
	int ret, rounds = 0;

	do {
		ret = put(&passing, rounds % 3);
		if (ret)
			return ret;
		ret = register_fprobe_ips(&fprobe, &addr, 1);
		if (!ret) {
			msleep(20);
			unregister_fprobe(&fprobe);
		}
		unregister_kretprobe(&passing.rp);
		if (ret)
			return ret;
		rounds++;
	} while (!wait_for_completion_timeout(&all_done, 1));
	return rounds;
}

static void expect(const char *what, long have, long want)
{
	if (have != want)
		pr_err("hooks_returns: WRONG: %s: %ld, not %ld\n", what, have,
		       want);
}

static void judge(void)
{
	long in = atomic_long_read(&entered), out = atomic_long_read(&left);
	long seen = atomic_long_read(&limited.entries);

	expect("entries seen", atomic_long_read(&unlimited.entries), in);
	expect("returns seen", atomic_long_read(&unlimited.returns), out);
	expect("missed", unlimited.rp.nmissed, 0);
	expect("other calls' data", atomic_long_read(&unlimited.wrong) +
	       atomic_long_read(&limited.wrong), 0);
	expect("entries seen or missed, with a limit",
	       seen + limited.rp.nmissed, in);
	/* What exited inside with it does not return. */
	if (seen - atomic_long_read(&limited.returns) > in - out ||
	    seen < atomic_long_read(&limited.returns) || !limited.rp.nmissed)
		pr_err("hooks_returns: WRONG: %ld entries, %ld returns, %d missed\n",
		       seen, atomic_long_read(&limited.returns),
		       limited.rp.nmissed);
	pr_info("hooks_returns: %ld calls, %ld returned, %d missed with a limit\n",
		in, out, limited.rp.nmissed);
}

static int __init hooks_returns_init(void)
{
	int ret, rounds;

	ret = put(&unlimited, 0);
	if (ret)
		return ret;
	ret = put(&limited, LIMIT);
	if (!ret) {
		ret = start();
		rounds = come_and_go();
		if (rounds < 0) {
			wait_for_completion(&all_done);
			ret = rounds;
		}
		msleep(100);
		unregister_kretprobe(&limited.rp);
	}
	unregister_kretprobe(&unlimited.rp);
	if (!ret)
		judge();
	pr_info("hooks_returns: ended with %d\n", ret);
	return ret;
}
module_init(hooks_returns_init);

/* All tasks are gone: none comes back into this text. */
static void __exit hooks_returns_exit(void)
{
}
module_exit(hooks_returns_exit);

MODULE_DESCRIPTION("Calls that sleep or exit while return probes come and go");
MODULE_LICENSE("GPL");
