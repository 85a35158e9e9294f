// SPDX-License-Identifier: GPL-2.0
/*
 * Puts one probe where the parameters say.  Loading fails with the errno that
 * registering gives.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

static char *symbol;
module_param(symbol, charp, 0444);
static unsigned int offset;
module_param(offset, uint, 0444);
static unsigned long addr;
module_param(addr, ulong, 0444);
static bool returns;
module_param(returns, bool, 0444);

static unsigned long hits;
module_param(hits, ulong, 0444);

static int enabled_again;
module_param(enabled_again, int, 0444);

static int count(struct kprobe *kp, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static int count_ret(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	hits++;
	return 0;
}

static struct kretprobe probe = {
	.handler	= count_ret,
	.kp.pre_handler	= count,
};

static int enable(const char *value, const struct kernel_param *param)
{
	enabled_again = enable_kprobe(&probe.kp);
	return 0;
}

static const struct kernel_param_ops enable_ops = { .set = enable };
module_param_cb(enable, &enable_ops, NULL, 0200);

static int __init hooks_put_init(void)
{
	int ret;

	probe.kp.symbol_name = symbol;
	probe.kp.addr = (kprobe_opcode_t *)addr;
	probe.kp.offset = offset;
	ret = returns ? register_kretprobe(&probe) : register_kprobe(&probe.kp);
	pr_info("hooks_put: %s+%u, %lx: %d\n", symbol, offset, addr, ret);
	return ret;
}
module_init(hooks_put_init);

static void __exit hooks_put_exit(void)
{
	if (returns)
		unregister_kretprobe(&probe);
	else
		unregister_kprobe(&probe.kp);
}
module_exit(hooks_put_exit);

MODULE_DESCRIPTION("One probe");
MODULE_LICENSE("GPL");
