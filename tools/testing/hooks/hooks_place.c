// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a probe may be at a place: writing its address to the parameter "at"
 * registers one there, disabled, so that no text changes, and takes it away
 * again; "errno" is what came of it, and "refused" and "taken" count.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static int errno;
static unsigned int refused, taken;

static int set_at(const char *value, const struct kernel_param *kp)
{
	struct kprobe probe = { .flags = KPROBE_FLAG_DISABLED };
	unsigned long addr;
	int ret;

	ret = kstrtoul(value, 16, &addr);
	if (ret)
		return ret;
	probe.addr = (kprobe_opcode_t *)addr;
	errno = register_kprobe(&probe);
	if (errno) {
		refused++;
		return 0;
	}
	unregister_kprobe(&probe);
	taken++;
	return 0;
}

static const struct kernel_param_ops at_ops = { .set = set_at };

module_param_cb(at, &at_ops, NULL, 0200);
MODULE_PARM_DESC(at, "address to try, hexadecimal");
module_param(errno, int, 0444);
MODULE_PARM_DESC(errno, "what the last one came to");
module_param(refused, uint, 0644);
MODULE_PARM_DESC(refused, "how many were refused");
module_param(taken, uint, 0644);
MODULE_PARM_DESC(taken, "how many were not");

static int __init hooks_place_init(void)
{
	return 0;
}
module_init(hooks_place_init);

static void __exit hooks_place_exit(void)
{
}
module_exit(hooks_place_exit);

MODULE_DESCRIPTION("Tries places for probes");
MODULE_LICENSE("GPL");
