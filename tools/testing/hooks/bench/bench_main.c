// SPDX-License-Identifier: GPL-2.0
/*
 * What hooks and probes cost, on whatever kernel this is loaded into: for a guest
 * in which an instruction is a nanosecond (-icount shift=0), so that what is read
 * off the clock are instructions.  A command and a number are written to the
 * parameter "run"; each figure comes as a line of the log,
 *
 *	hooks_bench: ROW | COUNT | FIGURE
 *
 * where COUNT says of how many, or among how many.  Where something waits, the
 * time until it goes on is in the figure.
 */
#include <linux/ktime.h>
#include <linux/module.h>

#include "bench.h"

#define CALLS		1000

unsigned long bench_kernel[BENCH_MOST + 1000];
unsigned int bench_kernel_nr;

noinline __noclone int bench_target(int x)
{
	asm volatile("" : "+r" (x));
	return x;
}

noinline __noclone notrace int bench_target_notrace(int x)
{
	asm volatile("" : "+r" (x));
	return x;
}

void bench_call(void)
{
	bench_target(1);
}

/* Instructions a call, the least of some runs: a tick may fall into one. */
u64 bench_measure(void (*call)(void))
{
	u64 least = U64_MAX, start;
	unsigned long flags;
	int run, i;

	for (run = 0; run < 5; run++) {
		local_irq_save(flags);
		start = ktime_get_ns();
		for (i = 0; i < CALLS; i++)
			call();
		least = min(least, ktime_get_ns() - start);
		local_irq_restore(flags);
	}
	return (least + CALLS / 2) / CALLS;
}

void bench_report(const char *row, unsigned int count, u64 figure)
{
	pr_info("hooks_bench: %s | %u | %llu\n", row, count, figure);
}

void bench_report_each(const char *row, unsigned int count, u64 start)
{
	u64 took = ktime_get_ns() - start;

	bench_report(row, count, (took + count / 2) / count);
}

static const struct {
	const char *word;
	int (*run)(unsigned int nr);
} commands[] = {
	{ "unhooked", bench_unhooked },
	{ "guards", bench_guards },
	{ "several", bench_several },
	{ "attach", bench_attach },
	{ "detach", bench_detach },
	{ "attach-all", bench_attach_all },
	{ "detach-all", bench_detach_all },
	{ "addresses", bench_addresses },
	{ "names", bench_names },
	{ "globs", bench_globs },
	{ "probe-hits", bench_probe_hits },
	{ "hold-probes", bench_hold_probes },
	{ "drop-probes", bench_drop_probes },
	{ "one-by-one", bench_probes_one_by_one },
	{ "as-array", bench_probes_as_array },
	{ "kretprobes", bench_kretprobes },
	{ "hold-kretprobes", bench_hold_kretprobes },
	{ "drop-kretprobes", bench_drop_kretprobes },
	{ "fprobes", bench_fprobes },
};

static int run(const char *value, const struct kernel_param *param)
{
	char word[24];
	unsigned int nr = 0;
	int i, ret = -EINVAL;

	if (sscanf(value, "%23s %u", word, &nr) < 1 || nr > BENCH_MOST)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(commands[i].word, word))
			ret = commands[i].run(nr);
	}
	if (ret)
		pr_err("hooks_bench: %s %u: error %d\n", word, nr, ret);
	return ret;
}

static const struct kernel_param_ops run_ops = { .set = run };
module_param_cb(run, &run_ops, NULL, 0200);

/* What a hit costs of what somebody else has hooked bench_target() with. */
static int hit(const char *value, const struct kernel_param *param)
{
	char row[64];

	strscpy(row, value, sizeof(row));
	bench_report(strim(row), 1,
		     bench_measure(bench_call) - *(u64 *)param->arg);
	return 0;
}

static u64 unhooked;
static const struct kernel_param_ops hit_ops = { .set = hit };
module_param_cb(hit, &hit_ops, &unhooked, 0200);

static int add(const char *value, const struct kernel_param *param)
{
	unsigned long addr;
	int len;

	while (bench_kernel_nr < ARRAY_SIZE(bench_kernel) &&
	       sscanf(value, "%lx%n", &addr, &len) == 1) {
		bench_kernel[bench_kernel_nr++] = addr;
		value = skip_spaces(value + len);
	}
	return 0;
}

static const struct kernel_param_ops add_ops = { .set = add };
module_param_cb(add, &add_ops, NULL, 0200);

static int __init hooks_bench_init(void)
{
	unhooked = bench_measure(bench_call);
	return 0;
}
module_init(hooks_bench_init);

static void __exit hooks_bench_exit(void)
{
	bench_detach(0);
	bench_detach_all(0);
	bench_probes_exit();
	bench_drop_kretprobes(0);
}
module_exit(hooks_bench_exit);

MODULE_DESCRIPTION("What hooks and probes cost");
MODULE_LICENSE("GPL");
