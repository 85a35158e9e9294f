// SPDX-License-Identifier: GPL-2.0
/*
 * C11: probes on functions that tasks call on all CPUs, while these go and come.
 *
 * Each task goes round the CPUs that are there; with preemption off it counts
 * what its own calls are counted as.  Reading the parameter "cpus" says how many
 * CPUs had calls since it was read last.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>

#include <asm/ibt.h>
#include <asm/text-patching.h>

#include "hooks_check.h"

/* Of the hook's instruction, and of the one that IBT puts before it. */
#define BEHIND_ENTRY	(ENDBR_INSN_SIZE + MCOUNT_INSN_SIZE)
#define TASKS		3

enum { ENTRY, BODY, RETURN, NR_KINDS };

static DEFINE_PER_CPU(unsigned long[NR_KINDS], hits);
static atomic_long_t calls;
static struct cpumask called_on;

static noinline __noipa unsigned long hooks_hotplug_target(unsigned long x)
{
	asm volatile("leaq 1(%0), %0; addq %0, %0" : "+r" (x));
	return x;
}

static int on_entry(struct kprobe *kp, struct pt_regs *regs)
{
	this_cpu_inc(hits[ENTRY]);
	return 0;
}

static int in_body(struct kprobe *kp, struct pt_regs *regs)
{
	this_cpu_inc(hits[BODY]);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	this_cpu_inc(hits[RETURN]);
	return 0;
}

static struct kprobe entry = {
	.addr		= (void *)hooks_hotplug_target,
	.pre_handler	= on_entry,
};

static struct kprobe body = {
	.addr		= (void *)hooks_hotplug_target,
	.offset		= BEHIND_ENTRY,
	.pre_handler	= in_body,
};

static struct kretprobe returns = {
	.kp.addr	= (void *)hooks_hotplug_target,
	.handler	= on_return,
};

static int get_cpus(char *buffer, const struct kernel_param *kp)
{
	int ret = sysfs_emit(buffer, "%u\n", cpumask_weight(&called_on));

	cpumask_clear(&called_on);
	return ret;
}

static const struct kernel_param_ops cpus_ops = { .get = get_cpus };
module_param_cb(cpus, &cpus_ops, NULL, 0444);

static void call_here(void)
{
	unsigned long before[NR_KINDS];
	int i;

	preempt_disable();
	for (i = 0; i < NR_KINDS; i++)
		before[i] = this_cpu_read(hits[i]);
	for (i = 0; i < 10; i++)
		check_eq(hooks_hotplug_target(i), 2 * (i + 1));
	atomic_long_add(10, &calls);
	for (i = 0; i < NR_KINDS; i++)
		check_eq(this_cpu_read(hits[i]) - before[i], 10);
	cpumask_set_cpu(smp_processor_id(), &called_on);
	preempt_enable();
}

static int caller(void *unused)
{
	int cpu;

	while (!kthread_should_stop()) {
		for_each_online_cpu(cpu) {
			/* It may go meanwhile. */
			if (!set_cpus_allowed_ptr(current, cpumask_of(cpu)))
				call_here();
			cond_resched_tasks_rcu_qs();
		}
		usleep_range(500, 1000);
	}
	return 0;
}

static struct task_struct *task[TASKS];

static int __init hooks_hotplug_init(void)
{
	int i, ret;

	ret = register_kprobe(&entry);
	ret = ret ?: register_kprobe(&body);
	ret = ret ?: register_kretprobe(&returns);
	if (ret) {
		/* Of those that are not registered nothing is to be done. */
		unregister_kprobe(&body);
		unregister_kprobe(&entry);
		return ret;
	}
	for (i = 0; i < TASKS; i++)
		task[i] = kthread_run(caller, NULL, "hooks_hotplug/%d", i);
	return 0;
}
module_init(hooks_hotplug_init);

static void __exit hooks_hotplug_exit(void)
{
	long total[NR_KINDS] = { };
	int i, cpu;

	for (i = 0; i < TASKS; i++) {
		if (!IS_ERR(task[i]))
			kthread_stop(task[i]);
	}
	unregister_kretprobe(&returns);
	unregister_kprobe(&body);
	unregister_kprobe(&entry);
	check_eq(hooks_hotplug_target(1), 4);
	for_each_possible_cpu(cpu) {
		for (i = 0; i < NR_KINDS; i++)
			total[i] += per_cpu(hits, cpu)[i];
	}
	for (i = 0; i < NR_KINDS; i++)
		check_eq(total[i], atomic_long_read(&calls));
	check_eq(entry.nmissed + body.nmissed + returns.nmissed, 0);
	pr_info("%ld calls\n", atomic_long_read(&calls));
	verdict();
}
module_exit(hooks_hotplug_exit);

MODULE_DESCRIPTION("Probes while CPUs go and come");
MODULE_LICENSE("GPL");
