// SPDX-License-Identifier: GPL-2.0
/*
 * K2, K4, K5, K6, K7: a probe on every instruction.
 *
 *  - of functions of our own: alone, with a post_handler, by jump, and all of
 *    them at once, each instruction is counted as often, and the results of the
 *    functions are right;
 *  - while all CPUs call these, probes come and go, alone and in arrays, are
 *    disabled and enabled, and share an address with others; those that stay
 *    count each call;
 *  - of functions of the kernel, by turns and hundreds at once, while a script
 *    keeps the kernel at work.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "hooks_check.h"

static int seconds = 10;
module_param(seconds, int, 0444);

static char *functions[256];
static int nr_functions;
module_param_array(functions, charp, &nr_functions, 0444);

/* ---- What is called --------------------------------------------------- */

static DEFINE_PER_CPU(unsigned long, cell);
static DEFINE_SPINLOCK(lock);
static unsigned long shared = 5;

static noinline __noipa unsigned long t_leaf(unsigned long x)
{
	asm volatile("" : "+r" (x));
	return x * 3 + 1;
}

static noinline __noipa unsigned long t_loop(unsigned long x)
{
	unsigned long sum = 0, i;

	for (i = 0; i < 5; i++) {
		sum += x ^ i;
		asm volatile("" : "+r" (sum));
	}
	return sum;
}

static noinline __noipa unsigned long t_calls(unsigned long x)
{
	unsigned long (*fn)(unsigned long x) = t_leaf;

	OPTIMIZER_HIDE_VAR(fn);
	return t_leaf(x) + fn(x + 1) + t_loop(x);
}

static noinline __noipa unsigned long t_branches(unsigned long x)
{
	unsigned long ret = 0;
	long y = x;
	int i;

	for (i = 0; i < 4; i++, y -= 7) {
		if (y < 3)
			ret += 1;
		if ((unsigned long)y > 10)
			ret += 2;
		if ((u32)y & 4)
			ret += 4;
		if (__builtin_parity((u8)y))
			ret += 8;
		switch (y & 7) {
		case 0:
			ret ^= 0x10;
			break;
		case 1:
			ret += t_leaf(i);
			break;
		case 5:
			ret *= 3;
			break;
		default:
			ret += 0x100;
		}
	}
	return ret;
}

static noinline __noipa unsigned long t_locks(unsigned long x)
{
	unsigned long flags, ret;

	spin_lock_irqsave(&lock, flags);
	ret = READ_ONCE(shared) + x;
	spin_unlock_irqrestore(&lock, flags);
	local_irq_disable();
	ret += irqs_disabled();
	__this_cpu_add(cell, x);
	ret += __this_cpu_sub_return(cell, x);
	local_irq_enable();
	return ret + irqs_disabled();
}

static noinline __noipa unsigned long t_strings(unsigned long x)
{
	char from[40], to[40];
	unsigned long sum = 0, n = sizeof(from);
	void *di = from, *si;
	int i;

	asm volatile("rep stosb" : "+D" (di), "+c" (n) : "a" (x) : "memory");
	from[x % 40] = 1;
	di = to;
	si = from;
	n = sizeof(to) / 8;
	asm volatile("rep movsq" : "+D" (di), "+S" (si), "+c" (n) : : "memory");
	for (i = 0; i < sizeof(to); i++)
		sum = sum * 31 + (u8)to[i];
	return sum;
}

static noinline __noipa unsigned long t_recursion(unsigned long x)
{
	unsigned long n = x % 6;

	return n < 2 ? n : t_recursion(n - 1) + t_recursion(n - 2);
}

static noinline __noipa unsigned long t_faults(unsigned long x)
{
	unsigned long to = 1, ret = 0;

	/* No address can be read at either; the first is a user's. */
	if (get_kernel_nofault(to, (unsigned long *)(x * 16)))
		ret += 1;
	if (get_kernel_nofault(to, (unsigned long *)(-2 * PAGE_SIZE + x * 16)))
		ret += 2;
	if (!get_kernel_nofault(to, &shared))
		ret += 4 * to;
	return ret + x;
}

static noinline __noipa unsigned long t_specials(unsigned long x)
{
	unsigned long count = 3, flags, tmp = x, cas = x;

	asm volatile("1: add %%rcx, %0; loop 1b" : "+r" (tmp), "+c" (count));
	asm volatile("jrcxz 1f; add $100, %0; 1:" : "+r" (tmp) : "c" (count));
	asm volatile("cmp %1, %1; pushfq; popq %0"
		     : "=r" (flags) : "r" (x) : "cc");
	tmp += flags & X86_EFLAGS_ZF;
	asm volatile("stc; pushfq; clc; popfq; adc $0, %0" : "+r" (tmp) : : "cc");
	asm volatile("lock xaddq %0, %1" : "+r" (tmp), "+m" (cas));
	asm volatile("cmpxchg %2, %1" : "+a" (tmp), "+m" (cas)
		     : "r" (count) : "cc");
	asm volatile("push %0; pop %0; xchg %0, %1" : "+r" (tmp), "+r" (cas));
	asm volatile("lea 1f(%%rip), %0; sub $1f, %0; 1:" : "=r" (count));
	asm volatile("cmpl $0, %%gs:%c1; sete %b0" : "+q" (count)
		     : "i" (0) : "cc");
	return tmp + cas * 7 + (count & ~0xffUL);
}

static noinline __noipa unsigned long t_user(unsigned long x)
{
	u64 buf = x;

	/* An address that no task of the kernel's has anything at. */
	return copy_from_user(&buf, (void __user *)0x1000, sizeof(buf)) + x;
}

static unsigned long (*const targets[])(unsigned long x) = {
	t_leaf, t_loop, t_calls, t_branches, t_locks, t_strings, t_recursion,
	t_faults, t_specials, t_user,
};

#define NR_TARGETS	ARRAY_SIZE(targets)
#define ARGUMENTS	16

static unsigned long expected[NR_TARGETS][ARGUMENTS];

static void call_all(bool compare)
{
	unsigned int f, x;

	for (f = 0; f < NR_TARGETS; f++) {
		for (x = 0; x < ARGUMENTS; x++) {
			unsigned long ret = targets[f](x);

			if (!compare)
				expected[f][x] = ret;
			else if (ret != expected[f][x])
				check_eq(ret, expected[f][x]);
		}
	}
}

/* ---- Probes ----------------------------------------------------------- */

struct counted {
	struct kprobe	kp;
	atomic_long_t	pre;
	atomic_long_t	post;
	unsigned long	reference;
	bool		registered;
};

static int count_pre(struct kprobe *kp, struct pt_regs *regs)
{
	atomic_long_inc(&container_of(kp, struct counted, kp)->pre);
	return 0;
}

static void count_post(struct kprobe *kp, struct pt_regs *regs,
		       unsigned long flags)
{
	atomic_long_inc(&container_of(kp, struct counted, kp)->post);
}

static void place(struct counted *c, void *addr, bool post)
{
	memset(&c->kp, 0, sizeof(c->kp));
	atomic_long_set(&c->pre, 0);
	atomic_long_set(&c->post, 0);
	c->kp.addr = addr;
	c->kp.pre_handler = count_pre;
	c->kp.post_handler = post ? count_post : NULL;
}

#define MOST	8192

static struct counted *all;
static struct kprobe **kps;
static int nr_all;

/* Of the kernel's functions: what may be probed all at once. */
static void *found[MOST];
static int nr_found;

/* "name+0x0/0xSIZE" */
static int size_of(void *function)
{
	char name[KSYM_SYMBOL_LEN], *size;
	int ret = 0;

	sprint_symbol(name, (unsigned long)function);
	size = strchr(name, '/');
	return size && sscanf(size, "/0x%x", &ret) == 1 ? ret : 0;
}

/* One by one, each instruction that can be probed; the others are left out. */
static void find_instructions(void *function)
{
	int size = size_of(function), offset, before = nr_all;

	for (offset = 0; offset < size && nr_all < MOST; offset++) {
		struct counted *c = &all[nr_all];

		place(c, function + offset, false);
		if (register_kprobe(&c->kp))
			continue;
		call_all(true);
		unregister_kprobe(&c->kp);
		c->reference = atomic_long_read(&c->pre);
		check_eq(c->kp.nmissed, 0);
		/* Where it was asked for an entry it may have been moved. */
		if (c->kp.addr == function + offset)
			nr_all++;
	}
	check(nr_all - before > 3);
}

static void check_counts(const char *what, struct counted *c, bool post)
{
	bool right;

	right = check_eq(atomic_long_read(&c->pre), c->reference);
	right &= check_eq(atomic_long_read(&c->post), post ? c->reference : 0);
	right &= check_eq(c->kp.nmissed, 0);
	if (!right && atomic_read(&faults) < 20)
		pr_err("%s: %pS\n", what, c->kp.addr);
}

static void one_by_one(void)
{
	int i;

	for (i = 0; i < nr_all; i++) {
		place(&all[i], all[i].kp.addr, true);
		if (!check_eq(register_kprobe(&all[i].kp), 0))
			continue;
		call_all(true);
		unregister_kprobe(&all[i].kp);
		check_counts("alone", &all[i], true);
	}
}

static void all_at_once(bool post)
{
	int i;

	for (i = 0; i < nr_all; i++) {
		place(&all[i], all[i].kp.addr, post);
		kps[i] = &all[i].kp;
	}
	if (!check_eq(register_kprobes(kps, nr_all), 0))
		return;
	call_all(true);
	unregister_kprobes(kps, nr_all);
	for (i = 0; i < nr_all; i++)
		check_counts("all", &all[i], post);
}

/* So far from each other that jumps fit: each 8th instruction. */
static int jumps_at_each_eighth(int first)
{
	int i, nr = 0, jumps = 0;

	for (i = first; i < nr_all; i += 8) {
		place(&all[i], all[i].kp.addr, false);
		kps[nr++] = &all[i].kp;
	}
	if (!check_eq(register_kprobes(kps, nr), 0))
		return 0;
	msleep(500);
	for (i = 0; i < nr; i++)
		jumps += !!(kps[i]->flags & KPROBE_FLAG_OPTIMIZED);
	call_all(true);
	unregister_kprobes(kps, nr);
	for (i = first; i < nr_all; i += 8)
		check_counts("jumps", &all[i], false);
	return jumps;
}

static void own_functions(void)
{
	int i, jumps = 0;

	call_all(false);
	for (i = 0; i < NR_TARGETS; i++)
		find_instructions(targets[i]);
	one_by_one();
	all_at_once(false);
	all_at_once(true);
	for (i = 0; i < 8; i++)
		jumps += jumps_at_each_eighth(i);
	check(jumps > 10);
	pr_info("%d instructions, %d jumps\n", nr_all, jumps);
	all_at_once(false);
	call_all(true);
}

/* ---- While all CPUs call ---------------------------------------------- */

static atomic_long_t rounds;

static int caller(void *unused)
{
	while (!kthread_should_stop()) {
		call_all(true);
		atomic_long_inc(&rounds);
		/* Who is only preempted holds jumps up. */
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

/* Probes of our own, at random places; those that stay are at others' too. */
#define NR_MOVING	64

static void come_and_go(struct counted *moving)
{
	unsigned int first = get_random_u32_below(NR_MOVING), i, nr;
	unsigned int way = get_random_u32_below(4);

	nr = min(1 + get_random_u32_below(16), NR_MOVING - first);
	for (i = 0; i < nr; i++) {
		place(&moving[i], all[get_random_u32_below(nr_all)].kp.addr,
		      get_random_u32_below(2));
		kps[i] = &moving[i].kp;
		if (way == 3)
			moving[i].kp.flags = KPROBE_FLAG_DISABLED;
	}
	check_eq(register_kprobes(kps, nr), 0);
	if (way == 1)
		usleep_range(100, 30000);
	if (way >= 2) {
		for (i = 0; i < nr; i++) {
			check_eq(enable_kprobe(kps[i]), 0);
			check_eq(disable_kprobe(kps[nr - 1 - i]), 0);
			check_eq(enable_kprobe(kps[nr - 1 - i]), 0);
		}
	}
	unregister_kprobes(kps, nr);
	for (i = 0; i < nr; i++)
		check_eq(moving[i].kp.nmissed, 0);
	memset(moving, 0x6b, nr * sizeof(*moving));
}

static void settle(struct counted *staying, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		staying[i] = all[i * (nr_all / nr)];
		place(&staying[i], staying[i].kp.addr, i & 1);
		check_eq(register_kprobe(&staying[i].kp), 0);
	}
}

static void leave(struct counted *staying, int nr)
{
	long times = atomic_long_read(&rounds);
	int i;

	for (i = 0; i < nr; i++) {
		unregister_kprobe(&staying[i].kp);
		check_eq(atomic_long_read(&staying[i].pre),
			 times * staying[i].reference);
		check_eq(staying[i].kp.nmissed, 0);
	}
}

static void concurrently(void)
{
	struct counted *moving = kcalloc(NR_MOVING, sizeof(*moving), GFP_KERNEL);
	struct counted *staying = kcalloc(16, sizeof(*staying), GFP_KERNEL);
	int i, changes = 0, nr = min_t(int, num_online_cpus() + 1, 8);
	unsigned long end = jiffies + seconds * HZ;
	struct task_struct *callers[8];

	if (!moving || !staying)
		goto out;
	settle(staying, 16);
	for (i = 0; i < nr; i++)
		callers[i] = kthread_run(caller, NULL, "hooks_probes/%d", i);
	while (time_before(jiffies, end)) {
		come_and_go(moving);
		changes++;
	}
	for (i = 0; i < nr; i++) {
		if (!IS_ERR(callers[i]))
			kthread_stop(callers[i]);
	}
	leave(staying, 16);
	pr_info("%d changes during %ld rounds\n", changes,
		atomic_long_read(&rounds));
	check(changes > 0 && atomic_long_read(&rounds) > 0);
out:
	kfree(moving);
	kfree(staying);
}

/* ---- The kernel's functions ------------------------------------------- */

/* Of a long function; which instructions begin is found out byte by byte. */
#define MOST_BYTES	400

/* Registers what it can of a function, from all[nr_all] on; how many that are. */
static int probe_function(const char *name, bool post)
{
	struct counted *c = &all[nr_all];
	int offset, size, from = nr_all;

	place(c, NULL, false);
	c->kp.symbol_name = name;
	if (register_kprobe(&c->kp))
		return 0;
	size = min(size_of(c->kp.addr) + 16, MOST_BYTES);
	unregister_kprobe(&c->kp);
	for (offset = 0; offset < size && nr_all < MOST; offset++) {
		c = &all[nr_all];
		place(c, NULL, post);
		c->kp.symbol_name = name;
		c->kp.offset = offset;
		if (register_kprobe(&c->kp))
			continue;
		nr_all++;
		if (nr_found < MOST)
			found[nr_found++] = c->kp.addr;
	}
	return nr_all - from;
}

static long unprobe_all(void)
{
	long hits = 0;
	int i;

	for (i = 0; i < nr_all; i++)
		kps[i] = &all[i].kp;
	unregister_kprobes(kps, nr_all);
	for (i = 0; i < nr_all; i++) {
		hits += atomic_long_read(&all[i].pre);
		if (all[i].kp.post_handler)
			check(atomic_long_read(&all[i].post) <=
			      atomic_long_read(&all[i].pre));
	}
	nr_all = 0;
	return hits;
}

static void all_found(void)
{
	long hits;
	int i;

	for (i = 0; i < nr_found; i++) {
		place(&all[i], found[i], false);
		kps[i] = &all[i].kp;
	}
	nr_all = nr_found;
	if (!check_eq(register_kprobes(kps, nr_all), 0))
		return;
	msleep(2000);
	hits = unprobe_all();
	pr_info("all: %d probes, %ld hits\n", nr_found, hits);
	check(hits > 0);
}

static void kernel_functions(void)
{
	int i, nr, probed = 0;
	long hits;

	for (i = 0; i < nr_functions; i++) {
		nr_all = 0;
		nr = probe_function(functions[i], i & 1);
		msleep(20);
		hits = unprobe_all();
		if (nr)
			pr_info("%s: %d probes, %ld hits\n", functions[i], nr,
				hits);
		probed += !!nr;
	}
	check(probed > nr_functions / 2);

	all_found();
}

static int __init hooks_probes_init(void)
{
	all = vcalloc(MOST, sizeof(*all));
	kps = vcalloc(MOST, sizeof(*kps));
	if (all && kps) {
		if (nr_functions) {
			kernel_functions();
		} else {
			own_functions();
			concurrently();
		}
	}
	vfree(all);
	vfree(kps);
	return verdict();
}
module_init(hooks_probes_init);

static void __exit hooks_probes_exit(void)
{
}
module_exit(hooks_probes_exit);

MODULE_DESCRIPTION("A probe on every instruction");
MODULE_LICENSE("GPL");
