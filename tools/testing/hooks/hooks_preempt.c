// SPDX-License-Identifier: GPL-2.0
/*
 * C9: whether handlers of probes can be preempted, and whether a task that was
 * woken meanwhile runs at once behind them.
 *
 * The handlers have an interrupt wake a real-time task of this CPU.  It must not
 * run before they are done; where the kernel is preemptible it must have run
 * before the probed code does what is next.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "hooks_check.h"

static struct task_struct *urgent;
static int woken, ran;

/* For how the handlers of a call went. */
static int handlers, preemptible_in, ran_in;

static int run_urgently(void *unused)
{
	sched_set_fifo(current);
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
		WRITE_ONCE(ran, READ_ONCE(woken));
	}
	return 0;
}

static void wake(struct irq_work *work)
{
	WRITE_ONCE(woken, woken + 1);
	wake_up_process(urgent);
}

static struct irq_work waker = IRQ_WORK_INIT_HARD(wake);

/* What all handlers do. */
static void handle(void)
{
	int before = READ_ONCE(ran), i;

	handlers++;
	preemptible_in += preemptible();
	irq_work_queue(&waker);
	for (i = 0; i < 1000; i++)
		cpu_relax();
	preemptible_in += preemptible();
	ran_in += READ_ONCE(ran) != before;
}

static noinline __noipa int hooks_preempt_target(int x)
{
	/* For a probe: what is behind it says what ran before. */
	asm volatile("hooks_preempt_body:\n"
		     "	movl ran(%%rip), %0\n" : "=r" (x) : : "memory");
	return x;
}

static int pre(struct kprobe *kp, struct pt_regs *regs)
{
	handle();
	return 0;
}

static void post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
	handle();
}

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	handle();
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	handle();
	return 0;
}

/* @at_once: the function itself tells what ran before it went on. */
static void call(const char *what, bool at_once)
{
	int i, seen, after, late = 0;

	for (i = 0; i < 100; i++) {
		handlers = 0;
		preemptible_in = 0;
		ran_in = 0;
		WRITE_ONCE(woken, 0);
		WRITE_ONCE(ran, 0);
		seen = hooks_preempt_target(1);
		after = READ_ONCE(ran);
		check_eq(handlers, 1);
		check_eq(preemptible_in, 0);
		check_eq(ran_in, 0);
		late += (at_once ? seen : after) != 1;
		/* Let it run now, whatever the kernel is. */
		while (READ_ONCE(ran) != READ_ONCE(woken))
			usleep_range(100, 200);
		check_eq(READ_ONCE(woken), 1);
	}
	pr_info("%s: %d of 100 late\n", what, late);
	if (preempt_model_full())
		check_eq(late, 0);
	check_eq(preempt_count(), 0);
}

static void probes(void)
{
	struct kprobe kp = {
		.addr		= (void *)hooks_preempt_target,
		.pre_handler	= pre,
	};
	int i;

	check_eq(register_kprobe(&kp), 0);
	check(kp.flags & KPROBE_FLAG_FTRACE);
	call("entry", true);
	unregister_kprobe(&kp);

	kp.addr = NULL;
	kp.symbol_name = "hooks_preempt_body";
	check_eq(register_kprobe(&kp), 0);
	call("breakpoint", true);
	for (i = 0; i < 100 && !(READ_ONCE(kp.flags) & KPROBE_FLAG_OPTIMIZED); i++)
		msleep(20);
	check(kp.flags & KPROBE_FLAG_OPTIMIZED);
	call("jump", true);
	unregister_kprobe(&kp);

	kp.addr = NULL;
	kp.pre_handler = NULL;
	kp.post_handler = post;
	check_eq(register_kprobe(&kp), 0);
	call("post_handler", false);
	unregister_kprobe(&kp);
}

static void return_probes(void)
{
	struct kretprobe rp = {
		.kp.addr	= (void *)hooks_preempt_target,
		.handler	= on_return,
	};

	check_eq(register_kretprobe(&rp), 0);
	call("return", false);
	unregister_kretprobe(&rp);
	rp.kp.addr = (void *)hooks_preempt_target;
	rp.handler = NULL;
	rp.entry_handler = on_entry;
	check_eq(register_kretprobe(&rp), 0);
	call("entry of a return probe", true);
	unregister_kretprobe(&rp);
}

static int run(void *done)
{
	probes();
	return_probes();
	complete(done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static int __init hooks_preempt_init(void)
{
	unsigned int cpu = num_online_cpus() - 1;
	DECLARE_COMPLETION_ONSTACK(done);
	struct task_struct *task;

	urgent = kthread_create(run_urgently, NULL, "hooks_urgent");
	if (IS_ERR(urgent))
		return PTR_ERR(urgent);
	kthread_bind(urgent, cpu);
	wake_up_process(urgent);
	msleep(20);
	task = kthread_create(run, &done, "hooks_preempt");
	if (check(!IS_ERR(task))) {
		kthread_bind(task, cpu);
		wake_up_process(task);
		wait_for_completion(&done);
		kthread_stop(task);
	}
	kthread_stop(urgent);
	pr_info("preempt=%s\n", preempt_model_full() ? "full" :
		preempt_model_voluntary() ? "voluntary" : "none");
	return verdict();
}
module_init(hooks_preempt_init);

static void __exit hooks_preempt_exit(void)
{
}
module_exit(hooks_preempt_exit);

MODULE_DESCRIPTION("Preemption in handlers of probes, and behind them");
MODULE_LICENSE("GPL");
