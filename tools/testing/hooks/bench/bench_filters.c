// SPDX-License-Identifier: GPL-2.0
/* Filters: by address, by exact name, by glob. */
#include <linux/kallsyms.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "bench.h"

/* A filter of @nr addresses of the kernel, and an ops that has it. */
int bench_addresses(unsigned int nr)
{
	struct ftrace_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL);
	u64 start = ktime_get_ns();
	int ret;

	if (!ops)
		return -ENOMEM;
	ops->func = bench_nothing;
	ret = nr > bench_kernel_nr ? -ENODATA :
	      ftrace_set_filter_ips(ops, bench_kernel, nr, 0, 1);
	if (ret)
		goto out;
	bench_report_each("filter of addresses, each", nr, start);
	start = ktime_get_ns();
	ret = register_ftrace_function(ops);
	if (ret)
		goto out;
	bench_report_each("attach it, each function", nr, start);
	start = ktime_get_ns();
	unregister_ftrace_function(ops);
	bench_report_each("detach it, each function", nr, start);
out:
	ftrace_free_filter(ops);
	kfree(ops);
	return ret;
}

/* The base kernel writes into the pattern, so it gets a copy. */
static int set_filter(struct ftrace_ops *ops, const char *pattern, int reset)
{
	char copy[KSYM_NAME_LEN];

	strscpy(copy, pattern, sizeof(copy));
	return ftrace_set_filter(ops, copy, strlen(copy), reset);
}

/* Not with "reset": that is for the first of them. */
int bench_names(unsigned int nr)
{
	struct ftrace_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL);
	char (*names)[KSYM_NAME_LEN];
	unsigned int i;
	int ret = 0;
	u64 start;

	names = vmalloc(array_size(nr, sizeof(*names)));
	if (!ops || !names || nr > bench_kernel_nr) {
		vfree(names);
		kfree(ops);
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++)
		sprint_symbol_no_offset(names[i], bench_kernel[i]);
	start = ktime_get_ns();
	for (i = 0; i < nr && !ret; i++)
		ret = set_filter(ops, names[i], 0);
	if (!ret)
		bench_report_each("filter of exact names, each", nr, start);
	ftrace_free_filter(ops);
	vfree(names);
	kfree(ops);
	return ret;
}

int bench_globs(unsigned int nr)
{
	static const char *const globs[] = { "tcp_*", "*_lock", "*lock*" };
	static const char *const rows[] = {
		"filter, prefix tcp_*", "filter, suffix *_lock",
		"filter, middle *lock*"
	};
	int i, ret = 0;

	for (i = 0; i < ARRAY_SIZE(globs) && !ret; i++) {
		struct ftrace_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL);
		u64 start = ktime_get_ns();

		if (!ops)
			return -ENOMEM;
		ret = set_filter(ops, globs[i], 1);
		bench_report_each(rows[i], 1, start);
		ftrace_free_filter(ops);
		kfree(ops);
	}
	return ret;
}
