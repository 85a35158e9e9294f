// SPDX-License-Identifier: GPL-2.0
/*
 * C13: an ops, a probe and a return probe on a function's entry, for a script
 * that throws the sysctl.  Reading the parameter "call" calls the function ten
 * times and tells how often each was called; writing it registers three more.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>

#define SETS	2

struct set {
	struct ftrace_ops	ops;
	struct kprobe		kp;
	struct kretprobe	rp;
	int			by_ops;
	int			by_probe;
	int			by_return;
	bool			registered;
};

static struct set sets[SETS];

static noinline __noipa int hooks_switch_target(int x)
{
	asm volatile("" : "+r" (x));
	return x + 1;
}

static void by_ops(unsigned long ip, unsigned long parent_ip,
		   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	container_of(op, struct set, ops)->by_ops++;
}

static int by_probe(struct kprobe *kp, struct pt_regs *regs)
{
	container_of(kp, struct set, kp)->by_probe++;
	return 0;
}

static int by_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	container_of(get_kretprobe(ri), struct set, rp)->by_return++;
	return 0;
}

static int add(struct set *set)
{
	int ret;

	if (set->registered)
		return -EBUSY;
	set->ops.func = by_ops;
	set->kp.addr = (void *)hooks_switch_target;
	set->kp.pre_handler = by_probe;
	set->rp.kp.addr = (void *)hooks_switch_target;
	set->rp.handler = by_return;
	ret = ftrace_set_filter_ip(&set->ops, (unsigned long)hooks_switch_target,
				   0, 1);
	ret = ret ?: register_ftrace_function(&set->ops);
	if (ret)
		return ret;
	ret = register_kprobe(&set->kp) ?: register_kretprobe(&set->rp);
	set->registered = !ret;
	return ret;
}

static void remove(struct set *set)
{
	if (!set->registered)
		return;
	unregister_ftrace_function(&set->ops);
	ftrace_free_filter(&set->ops);
	unregister_kprobe(&set->kp);
	unregister_kretprobe(&set->rp);
	set->registered = false;
}

static int get_call(char *buffer, const struct kernel_param *kp)
{
	int i, len = 0;

	for (i = 0; i < SETS; i++) {
		sets[i].by_ops = 0;
		sets[i].by_probe = 0;
		sets[i].by_return = 0;
	}
	for (i = 0; i < 10; i++)
		hooks_switch_target(i);
	for (i = 0; i < SETS && sets[i].registered; i++)
		len += sysfs_emit_at(buffer, len, "%d %d %d\n", sets[i].by_ops,
				     sets[i].by_probe, sets[i].by_return);
	return len;
}

static int set_call(const char *value, const struct kernel_param *kp)
{
	return add(&sets[1]);
}

static const struct kernel_param_ops call_ops = {
	.get	= get_call,
	.set	= set_call,
};
module_param_cb(call, &call_ops, NULL, 0600);

static int __init hooks_switch_init(void)
{
	return add(&sets[0]);
}
module_init(hooks_switch_init);

static void __exit hooks_switch_exit(void)
{
	remove(&sets[0]);
	remove(&sets[1]);
}
module_exit(hooks_switch_exit);

MODULE_DESCRIPTION("Hooks and probes for the switch to be thrown at");
MODULE_LICENSE("GPL");
