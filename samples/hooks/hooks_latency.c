// SPDX-License-Identifier: GPL-2.0
/*
 * How long calls of a function take: a return probe notes the time when the
 * function is called and looks at it when it returns. /proc/hooks_latency has
 * the histogram; the parameter "function" says which function.
 *
 * maxactive is left 0: however many tasks are in the function at a time, none is
 * missed.
 */
#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

static char *function = "__x64_sys_newuname";
module_param(function, charp, 0444);
MODULE_PARM_DESC(function, "the function whose calls are timed");

/* In bucket i are calls that took less than 2^i microseconds. */
#define BUCKETS	24

static atomic_long_t buckets[BUCKETS];

/* What a call has of its own, from its entry to its return. */
struct timed {
	u64 start;
};

static int enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct timed *timed = (struct timed *)ri->data;

	timed->start = ktime_get_ns();
	return 0;
}

static int leave(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct timed *timed = (struct timed *)ri->data;
	u64 us = div_u64(ktime_get_ns() - timed->start, NSEC_PER_USEC);
	unsigned int i = us ? ilog2(us) + 1 : 0;

	atomic_long_inc(&buckets[min(i, BUCKETS - 1u)]);
	return 0;
}

static struct kretprobe probe = {
	.entry_handler	= enter,
	.handler	= leave,
	.data_size	= sizeof(struct timed),
};

static int show(struct seq_file *m, void *v)
{
	long nr[BUCKETS], total = 0, most = 1;
	int i;

	for (i = 0; i < BUCKETS; i++) {
		nr[i] = atomic_long_read(&buckets[i]);
		total += nr[i];
		most = max(most, nr[i]);
	}
	seq_printf(m, "%s: %ld calls, %d missed\n", function, total,
		   probe.nmissed);
	for (i = 0; i < BUCKETS; i++) {
		if (nr[i])
			seq_printf(m, "< %7lu us %7ld |%.*s\n", BIT(i), nr[i],
				   (int)(nr[i] * 40 / most),
				   "****************************************");
	}
	return 0;
}

static int __init hooks_latency_init(void)
{
	int ret;

	if (!proc_create_single("hooks_latency", 0444, NULL, show))
		return -ENOMEM;
	probe.kp.symbol_name = function;
	ret = register_kretprobe(&probe);
	if (ret)
		remove_proc_entry("hooks_latency", NULL);
	return ret;
}
module_init(hooks_latency_init);

static void __exit hooks_latency_exit(void)
{
	unregister_kretprobe(&probe);
	remove_proc_entry("hooks_latency", NULL);
}
module_exit(hooks_latency_exit);

MODULE_DESCRIPTION("A histogram of how long calls of a function take");
MODULE_LICENSE("GPL");
