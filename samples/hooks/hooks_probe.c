// SPDX-License-Identifier: GPL-2.0
/*
 * Probes: one in the middle of a function, one that skips a function, one that
 * compares what goes into a function with what comes out.  /proc/hooks_probe
 * shows what they saw.
 *
 * Handlers run with preemption or interrupts off, in whatever context the probed
 * code runs in.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

/* ---- An instruction in the middle of a function ------------------------ */

static atomic_long_t middle_hits;

static int middle_pre(struct kprobe *kp, struct pt_regs *regs)
{
	atomic_long_inc(&middle_hits);
	return 0;
}

static struct kprobe middle = {
	.symbol_name	= "version_proc_show",
	.pre_handler	= middle_pre,
};

/*
 * Where instructions begin is up to the compiler; a place inside one is
 * refused, and so is the function's hook.  So this is the first instruction
 * behind the hook; usually one takes the offset from a disassembly.
 */
static int register_middle(void)
{
	int ret;

	for (middle.offset = 5; middle.offset < 16; middle.offset++) {
		ret = register_kprobe(&middle);
		if (ret != -EILSEQ && ret != -EINVAL)
			break;
	}
	return ret;
}

/* ---- A function that is left out --------------------------------------- */

static bool skip;
module_param(skip, bool, 0644);
MODULE_PARM_DESC(skip, "leave the function behind /proc/loadavg out");

static atomic_long_t skipped;

static int no_loadavg(struct seq_file *m, void *v)
{
	return 0;
}

/* At the entry a function with the same prototype can take over. */
static int skip_pre(struct kprobe *kp, struct pt_regs *regs)
{
	if (!READ_ONCE(skip))
		return 0;
	atomic_long_inc(&skipped);
	instruction_pointer_set(regs, (unsigned long)no_loadavg);
	return 1;
}

static struct kprobe skipping = {
	.symbol_name	= "loadavg_proc_show",
	.pre_handler	= skip_pre,
};

/* ---- A function's return ----------------------------------------------- */

static char task[TASK_COMM_LEN] = "dd";
module_param_string(task, task, sizeof(task), 0444);
MODULE_PARM_DESC(task, "whose reading to watch");

static atomic_long_t reads, asked, got;

/* What a call keeps from its entry for its return. */
struct read_call {
	size_t	asked;
};

static int read_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct read_call *call = (struct read_call *)ri->data;

	/* Non-zero: this call's return does not matter. */
	if (strcmp(current->comm, task))
		return 1;
	call->asked = regs_get_kernel_argument(regs, 2);
	return 0;
}

static int read_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct read_call *call = (struct read_call *)ri->data;
	long ret = regs_return_value(regs);

	atomic_long_inc(&reads);
	atomic_long_add(call->asked, &asked);
	if (ret > 0)
		atomic_long_add(ret, &got);
	return 0;
}

static struct kretprobe reading = {
	.kp.symbol_name	= "vfs_read",
	.entry_handler	= read_enter,
	.handler	= read_return,
	.data_size	= sizeof(struct read_call),
};

/* ---- The module -------------------------------------------------------- */

static int show(struct seq_file *m, void *v)
{
	seq_printf(m, "%pS: %ld times\n", middle.addr,
		   atomic_long_read(&middle_hits));
	seq_printf(m, "loadavg_proc_show: skipped %ld times\n",
		   atomic_long_read(&skipped));
	seq_printf(m, "vfs_read by %s: %ld times, ", task,
		   atomic_long_read(&reads));
	seq_printf(m, "asked for %ld bytes, got %ld\n",
		   atomic_long_read(&asked), atomic_long_read(&got));
	return 0;
}

static int __init hooks_probe_init(void)
{
	int ret;

	ret = register_middle();
	if (ret)
		return ret;
	ret = register_kprobe(&skipping);
	if (ret)
		goto out_middle;
	ret = register_kretprobe(&reading);
	if (ret)
		goto out_skipping;
	if (proc_create_single("hooks_probe", 0444, NULL, show))
		return 0;
	ret = -ENOMEM;
	unregister_kretprobe(&reading);
out_skipping:
	unregister_kprobe(&skipping);
out_middle:
	unregister_kprobe(&middle);
	return ret;
}
module_init(hooks_probe_init);

static void __exit hooks_probe_exit(void)
{
	remove_proc_entry("hooks_probe", NULL);
	unregister_kretprobe(&reading);
	unregister_kprobe(&skipping);
	unregister_kprobe(&middle);
}
module_exit(hooks_probe_exit);

MODULE_DESCRIPTION("Probes inside a function, on its entry, its return");
MODULE_LICENSE("GPL");
