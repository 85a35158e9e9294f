// SPDX-License-Identifier: GPL-2.0
/*
 * What probes cost, in instructions: for a guest in which an instruction is a
 * nanosecond (-icount shift=0).  Addresses of the kernel's functions come by
 * writes to the parameter "add", numbers in hexadecimal; a write to "run" prints
 * a line for each figure.
 *
 * There is nothing in it that the base kernel does not have.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "hooks_probe_places.h"

#define CALLS		1000
#define MOST		12000

/* Only what the base kernel does in minutes, too: arrays of up to 2,000. */
static bool brief;
module_param(brief, bool, 0444);

static unsigned long addrs[MOST];
static unsigned int nr_addrs;

static noinline __noclone int target(int x)
{
	asm volatile("leal 0x1000(%%rdi), %0" : "=a" (x) : "D" (x));
	return x;
}

/* The address of the instruction that is no entry. */
static noinline __noclone unsigned long target_body(void)
{
	unsigned long addr;

	asm volatile("leaq 1f(%%rip), %0\n"
		     "1:\n\t"
		     "leaq 0x1000(%0), %0\n\t"
		     "leaq -0x1000(%0), %0" : "=r" (addr));
	return addr;
}

static int nothing(struct kprobe *kp, struct pt_regs *regs)
{
	return 0;
}

static int nothing_ret(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static void call_entry(void) { target(1); }
static void call_body(void) { target_body(); }

/* Instructions a call, the least of some runs: a tick may fall into one. */
static u64 measure(void (*call)(void))
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

static void report(const char *what, u64 cost)
{
	pr_info("hooks_probe_cost: %s: %llu instructions\n", what, cost);
}

/* ---- Hits ------------------------------------------------------------- */

static int entry_hits(void)
{
	struct kprobe kp = { .addr = (kprobe_opcode_t *)target };
	u64 before = measure(call_entry);
	int ret;

	kp.pre_handler = nothing;
	ret = register_kprobe(&kp);
	if (ret)
		return ret;
	report("hit at entry", measure(call_entry) - before);
	unregister_kprobe(&kp);
	return 0;
}

static int return_hits(void)
{
	struct kretprobe rp[2] = { };
	u64 before = measure(call_entry), one;
	int ret;

	rp[0].handler = nothing_ret;
	rp[0].kp.addr = (kprobe_opcode_t *)target;
	rp[1] = rp[0];
	ret = register_kretprobe(&rp[0]);
	if (ret)
		return ret;
	one = measure(call_entry);
	report("hit of entry and return", one - before);
	ret = register_kretprobe(&rp[1]);
	if (!ret) {
		report("… and of a second", measure(call_entry) - one);
		unregister_kretprobe(&rp[1]);
	}
	unregister_kretprobe(&rp[0]);
	return ret;
}

static int body_hits(void)
{
	struct kprobe kp = { .addr = (kprobe_opcode_t *)target_body() };
	u64 before = measure(call_body);
	int ret, tries = 100;

	kp.pre_handler = nothing;
	ret = register_kprobe(&kp);
	if (ret)
		return ret;
	report("hit by breakpoint", measure(call_body) - before);
	while (!kprobe_optimized(&kp) && tries--)
		msleep(20);
	if (kprobe_optimized(&kp))
		report("hit by jump", measure(call_body) - before);
	else
		ret = -ETIMEDOUT;
	unregister_kprobe(&kp);
	return ret;
}

/* ---- Registering ------------------------------------------------------ */

static struct kprobe *probes;
static struct kprobe **kps;

static void set_up(unsigned int nr, unsigned long (*addr)(unsigned int i))
{
	unsigned int i;

	memset(probes, 0, nr * sizeof(*probes));
	for (i = 0; i < nr; i++) {
		probes[i].addr = (kprobe_opcode_t *)addr(i);
		probes[i].pre_handler = nothing;
		kps[i] = &probes[i];
	}
}

static unsigned long entry_addr(unsigned int i)
{
	return addrs[i];
}

/* Behind the entry's call or nop. */
static unsigned long body_addr(unsigned int i)
{
	return addrs[i] + 5;
}

static void report_each(const char *where, const char *what, unsigned int nr,
			u64 start)
{
	pr_info("hooks_probe_cost: %s, %u %s: %llu instructions\n", where, nr,
		what, (ktime_get_ns() - start) / nr);
}

static int one_by_one(const char *where, unsigned int nr,
		      unsigned long (*addr)(unsigned int i))
{
	unsigned int i;
	u64 start;
	int ret = 0;

	set_up(nr, addr);
	start = ktime_get_ns();
	for (i = 0; i < nr && !ret; i++)
		ret = register_kprobe(&probes[i]);
	if (ret)
		pr_err("hooks_probe_cost: %pS: %d\n", (void *)addr(i - 1), ret);
	nr = ret ? i - 1 : nr;
	report_each(where, "registered one by one", nr, start);
	start = ktime_get_ns();
	for (i = 0; i < nr; i++)
		unregister_kprobe(&probes[i]);
	report_each(where, "unregistered one by one", nr, start);
	return ret;
}

static int as_array(const char *where, unsigned int nr,
		    unsigned long (*addr)(unsigned int i))
{
	u64 start;
	int ret;

	set_up(nr, addr);
	start = ktime_get_ns();
	ret = register_kprobes(kps, nr);
	if (ret)
		return ret;
	report_each(where, "registered as an array", nr, start);
	start = ktime_get_ns();
	unregister_kprobes(kps, nr);
	report_each(where, "unregistered as an array", nr, start);
	return 0;
}

/* Strikes out what may not be probed behind its entry. */
static int choose(void)
{
	unsigned int i, nr = 0;

	set_up(nr_addrs, body_addr);
	for (i = 0; i < nr_addrs; i++) {
		if (register_kprobe(&probes[i]))
			continue;
		kps[nr] = &probes[i];
		addrs[nr++] = addrs[i];
	}
	unregister_kprobes(kps, nr);
	pr_info("hooks_probe_cost: %u of %u places\n", nr, nr_addrs);
	nr_addrs = nr;
	return nr ? 0 : -ENODATA;
}

static int registering(void)
{
	static const unsigned int sizes[] = { 100, 2000, 10000 };
	int i, ret = choose();

	for (i = 0; i < ARRAY_SIZE(sizes) && !ret; i++) {
		if (sizes[i] > nr_addrs || (brief && sizes[i] > 2000))
			break;
		ret = as_array("entries", sizes[i], entry_addr);
		ret = ret ?: as_array("bodies", sizes[i], body_addr);
		if (sizes[i] < 2000 || brief)
			continue;
		ret = ret ?: one_by_one("entries", sizes[i], entry_addr);
		ret = ret ?: one_by_one("bodies", sizes[i], body_addr);
	}
	return ret;
}

/* ---- Jumps ------------------------------------------------------------ */

static unsigned int count_jumps(unsigned int nr)
{
	unsigned int i, jumps = 0;

	for (i = 0; i < nr; i++)
		jumps += kprobe_optimized(&probes[i]);
	return jumps;
}

/* How long until the last one of them is there that may have one. */
static int waiting_for_jumps(void)
{
	unsigned int nr = min(nr_addrs, 2000U), jumps = 0, now;
	u64 start, last;
	int ret;

	set_up(nr, body_addr);
	ret = register_kprobes(kps, nr);
	if (ret)
		return ret;
	start = ktime_get_ns();
	last = start;
	do {
		usleep_range(900, 1100);
		now = count_jumps(nr);
		if (now > jumps)
			last = ktime_get_ns();
		jumps = now;
	} while (ktime_get_ns() - last < NSEC_PER_SEC);
	pr_info("hooks_probe_cost: jumps for %u of %u: %llu ms\n", jumps, nr,
		(last - start) / NSEC_PER_MSEC);
	unregister_kprobes(kps, nr);
	return 0;
}

/* ---- Looking up ------------------------------------------------------- */

/* A breakpoint's hit, with @nr probes in all. */
static int hit_among(unsigned int nr)
{
	struct kprobe kp = { .addr = (kprobe_opcode_t *)target_body() };
	u64 before = measure(call_body);
	int ret;

	kp.pre_handler = nothing;
	ret = register_kprobe(&kp);
	if (!ret) {
		pr_info("hooks_probe_cost: hit among %u: %llu instructions\n",
			nr, measure(call_body) - before);
		unregister_kprobe(&kp);
	}
	return ret;
}

static int looking_up(void)
{
	static const unsigned int sizes[] = { 10, PLACES };
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(sizes) && !ret; i++) {
		u64 start;

		set_up(sizes[i], hooks_probe_place);
		start = ktime_get_ns();
		ret = register_kprobes(kps, sizes[i]);
		if (ret)
			break;
		report_each("places", "registered as an array", sizes[i], start);
		ret = hit_among(sizes[i]);
		start = ktime_get_ns();
		unregister_kprobes(kps, sizes[i]);
		report_each("places", "unregistered as an array", sizes[i],
			    start);
	}
	return ret;
}

/* ---- Parameters ------------------------------------------------------- */

static int add(const char *value, const struct kernel_param *param)
{
	int len;

	while (nr_addrs < MOST &&
	       sscanf(value, "%lx%n", &addrs[nr_addrs], &len) == 1) {
		nr_addrs++;
		value = skip_spaces(value + len);
	}
	return 0;
}

static const struct kernel_param_ops add_ops = { .set = add };
module_param_cb(add, &add_ops, NULL, 0200);

static int run(const char *value, const struct kernel_param *param)
{
	unsigned int most = brief ? MOST : PLACES;
	int ret = -ENOMEM;

	probes = vzalloc(array_size(most, sizeof(*probes)));
	kps = vzalloc(array_size(most, sizeof(*kps)));
	if (probes && kps) {
		ret = entry_hits() ?: return_hits() ?: body_hits() ?:
		      registering() ?: waiting_for_jumps();
		if (!ret && !brief)
			ret = looking_up();
	}
	vfree(kps);
	vfree(probes);
	pr_info("hooks_probe_cost: ended with %d\n", ret);
	return ret;
}

static const struct kernel_param_ops run_ops = { .set = run };
module_param_cb(run, &run_ops, NULL, 0200);

static int __init hooks_probe_cost_init(void)
{
	return 0;
}
module_init(hooks_probe_cost_init);

static void __exit hooks_probe_cost_exit(void)
{
}
module_exit(hooks_probe_cost_exit);

MODULE_DESCRIPTION("What probes cost");
MODULE_LICENSE("GPL");
