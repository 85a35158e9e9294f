// SPDX-License-Identifier: GPL-2.0
/* Probes: their hits, registering and unregistering many. */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/vmalloc.h>

#include "bench.h"

static struct kprobe *probes;
static struct kprobe **kps;

/* The first ones that are registered from one command to the next. */
static unsigned int held;

static int pre(struct kprobe *kp, struct pt_regs *regs)
{
	return 0;
}

static void post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
}

/* ---- Hits ------------------------------------------------------------- */

/* The address of an instruction that is no entry. */
static noinline __noclone unsigned long target_body(void)
{
	unsigned long addr;

	asm volatile("leaq 1f(%%rip), %0\n"
		     "1:\n\t"
		     "leaq 0x1000(%0), %0\n\t"
		     "leaq -0x1000(%0), %0" : "=r" (addr));
	return addr;
}

static void call_body(void)
{
	target_body();
}

static int entry_hit(const char *row, unsigned int nr, kprobe_post_handler_t to)
{
	struct kprobe kp = {
		.addr = (kprobe_opcode_t *)bench_target,
		.pre_handler = pre, .post_handler = to,
	};
	u64 before = bench_measure(bench_call);
	int ret = register_kprobe(&kp);

	if (ret)
		return ret;
	bench_report(row, nr, bench_measure(bench_call) - before);
	unregister_kprobe(&kp);
	return 0;
}

static int body_hit(const char *row, unsigned int nr, kprobe_post_handler_t to)
{
	struct kprobe kp = {
		.addr = (kprobe_opcode_t *)target_body(),
		.pre_handler = pre, .post_handler = to,
	};
	u64 before = bench_measure(call_body);
	int ret = register_kprobe(&kp), tries = 500;

	if (ret)
		return ret;
	bench_report(row, nr, bench_measure(call_body) - before);
	while (!to && !kprobe_optimized(&kp) && tries--)
		msleep(20);
	if (kprobe_optimized(&kp))
		bench_report("hit, probe by jump", nr,
			     bench_measure(call_body) - before);
	unregister_kprobe(&kp);
	return ret;
}

/* Among @nr others, which bench_hold_probes() has put somewhere. */
int bench_probe_hits(unsigned int nr)
{
	return entry_hit("hit, probe at entry", nr, NULL) ?:
	       body_hit("hit, probe by breakpoint", nr, NULL) ?:
	       entry_hit("hit, probe at entry, post_handler", nr, post) ?:
	       body_hit("hit, probe by breakpoint, post_handler", nr, post);
}

/* ---- Many ------------------------------------------------------------- */

/* Behind the entry's call or nop. */
#define BODY	5

static void set_up(unsigned int nr, unsigned int offset)
{
	unsigned int i;

	memset(probes, 0, nr * sizeof(*probes));
	for (i = 0; i < nr; i++) {
		probes[i].addr = (kprobe_opcode_t *)(bench_kernel[i] + offset);
		probes[i].pre_handler = pre;
		kps[i] = &probes[i];
	}
}

/* Strikes functions out that may not be probed behind their entries. */
static void choose(void)
{
	unsigned int i, nr = 0;

	set_up(bench_kernel_nr, BODY);
	for (i = 0; i < bench_kernel_nr; i++) {
		if (register_kprobe(&probes[i]))
			continue;
		kps[nr] = &probes[i];
		bench_kernel[nr++] = bench_kernel[i];
	}
	unregister_kprobes(kps, nr);
	bench_kernel_nr = nr;
}

/* The arrays, once, and the places; whether there are @nr. */
static int prepare(unsigned int nr)
{
	const size_t most = ARRAY_SIZE(bench_kernel);

	if (held)
		return -EBUSY;
	if (!probes) {
		probes = vzalloc(array_size(most, sizeof(*probes)));
		kps = vzalloc(array_size(most, sizeof(*kps)));
		if (!probes || !kps)
			return -ENOMEM;
		choose();
	}
	return nr > bench_kernel_nr ? -ENODATA : 0;
}

static int one_by_one(const char *registering, const char *unregistering,
		      unsigned int nr, unsigned int offset)
{
	unsigned int i;
	u64 start;
	int ret;

	set_up(nr, offset);
	start = ktime_get_ns();
	for (i = 0; i < nr; i++) {
		ret = register_kprobe(&probes[i]);
		if (ret) {
			unregister_kprobes(kps, i);
			return ret;
		}
	}
	bench_report_each(registering, nr, start);
	start = ktime_get_ns();
	for (i = 0; i < nr; i++)
		unregister_kprobe(&probes[i]);
	bench_report_each(unregistering, nr, start);
	return 0;
}

static int as_array(const char *registering, const char *unregistering,
		    unsigned int nr, unsigned int offset)
{
	u64 start;
	int ret;

	set_up(nr, offset);
	start = ktime_get_ns();
	ret = register_kprobes(kps, nr);
	if (ret)
		return ret;
	bench_report_each(registering, nr, start);
	start = ktime_get_ns();
	unregister_kprobes(kps, nr);
	bench_report_each(unregistering, nr, start);
	return 0;
}

int bench_probes_one_by_one(unsigned int nr)
{
	int ret = prepare(nr);

	ret = ret ?: one_by_one("register probes at entries, each",
				"unregister probes at entries, each", nr, 0);
	return ret ?: one_by_one("register probes in bodies, each",
				 "unregister probes in bodies, each", nr, BODY);
}

int bench_probes_as_array(unsigned int nr)
{
	int ret = prepare(nr);

	ret = ret ?: as_array("register an array at entries, each",
			      "unregister an array at entries, each", nr, 0);
	return ret ?: as_array("register an array in bodies, each",
			       "unregister an array in bodies, each", nr, BODY);
}

/* Probes in bodies of @nr functions, which stay. */
int bench_hold_probes(unsigned int nr)
{
	int ret = prepare(nr);

	if (ret)
		return ret;
	set_up(nr, BODY);
	ret = register_kprobes(kps, nr);
	if (!ret)
		held = nr;
	return ret;
}

int bench_drop_probes(unsigned int nr)
{
	if (held)
		unregister_kprobes(kps, held);
	held = 0;
	return 0;
}

void bench_probes_exit(void)
{
	bench_drop_probes(0);
	vfree(kps);
	vfree(probes);
}
