// SPDX-License-Identifier: GPL-2.0
/*
 * kernel.ftrace_enabled: 0 has no callback called, though all stay registered.
 */
#include <linux/sysctl.h>

#include "control.h"

static DEFINE_MUTEX(sysctl_lock);

static int ftrace_enabled_handler(const struct ctl_table *table, int write,
				  void *buffer, size_t *lenp, loff_t *ppos)
{
	struct ctl_table copy = *table;
	int value, ret;

	mutex_lock(&sysctl_lock);
	value = !!READ_ONCE(ftrace_enabled);
	copy.data = &value;
	ret = proc_dointvec(&copy, write, buffer, lenp, ppos);
	if (write && !ret)
		ret = ftrace_apply_enabled(value);
	mutex_unlock(&sysctl_lock);
	return ret;
}

static struct ctl_table switches[] = {
	{
		.mode		= 0644,
		.maxlen		= sizeof(ftrace_enabled),
		.proc_handler	= ftrace_enabled_handler,
		.procname	= "ftrace_enabled",
	},
};

static int __init make_switches(void)
{
	register_sysctl_init("kernel", switches);
	return 0;
}
late_initcall(make_switches);
