// SPDX-License-Identifier: GPL-2.0
/*
 * K8, F4: probes that are hit in an NMI: while nothing else is going on, while a
 * handler of another probe runs, while an instruction is being stepped, and at
 * any moment.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/objtool.h>
#include <linux/stringify.h>
#include <linux/uaccess.h>

#include <asm/apic.h>
#include <asm/ibt.h>
#include <asm/nmi.h>
#include <asm/text-patching.h>

#include "hooks_check.h"
#include "hooks_nmi.h"

/* Calls to a function may be patched to go to what is put before it. */
#define ALIGNED	".balign " __stringify(CONFIG_FUNCTION_ALIGNMENT) ", 0x90\n"	\
		".skip " __stringify(CONFIG_FUNCTION_ALIGNMENT) ", 0x90\n"

/* ---- What the NMI calls ----------------------------------------------- */

/* Instructions of four, three, and four bytes; and a fault that is mended. */
asm(".pushsection .text, \"ax\"\n"
	ALIGNED
	".type hooks_nmi_body, @function\n"
	"hooks_nmi_body:\n"
	ASM_ENDBR
	"	leaq 1(%rdi), %rax\n"
	"	addq %rdi, %rax\n"
	"hooks_nmi_post:\n"
	"	leaq 2(%rax), %rax\n"
	ASM_RET
	".size hooks_nmi_body, . - hooks_nmi_body\n"
	ALIGNED
	".type hooks_nmi_fault, @function\n"
	"hooks_nmi_fault:\n"
	ASM_ENDBR
	"	movq %rdi, %rax\n"
	"hooks_nmi_may_fault:\n"
	"	movq -8192, %rdx\n"
	"hooks_nmi_behind:\n"
	"	addq %rdi, %rax\n"
	ASM_RET
	_ASM_EXTABLE(hooks_nmi_may_fault, hooks_nmi_behind)
	".size hooks_nmi_fault, . - hooks_nmi_fault\n"
	".popsection\n");

static noinline __noipa unsigned long hooks_nmi_inner(unsigned long x)
{
	x = hooks_nmi_body(x) + hooks_nmi_fault(x);
	barrier();
	return x;
}

/* ---- Its probes ------------------------------------------------------- */

enum { ENTRY, JUMP, FAULTS, POST, NR_INNER };

static struct kprobe inner[NR_INNER];
static struct kretprobe inner_return;
static atomic_t hits[NR_INNER], posts, returns, calls, outside;

static int inner_pre(struct kprobe *kp, struct pt_regs *regs)
{
	atomic_inc(&hits[kp - inner]);
	if (!in_nmi() || preemptible())
		atomic_inc(&outside);
	return 0;
}

static void inner_post(struct kprobe *kp, struct pt_regs *regs,
		       unsigned long flags)
{
	atomic_inc(&posts);
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&returns);
	return 0;
}

static void forget_counts(void)
{
	int i;

	for (i = 0; i < NR_INNER; i++) {
		atomic_set(&hits[i], 0);
		inner[i].nmissed = 0;
	}
	inner_return.kp.nmissed = 0;
	inner_return.nmissed = 0;
	atomic_set(&posts, 0);
	atomic_set(&returns, 0);
	atomic_set(&calls, 0);
	atomic_set(&outside, 0);
}

/* @missed: -1: as many as it happens. */
static void check_counts(int nr, int missed)
{
	int i;

	check_eq(atomic_read(&calls), nr);
	for (i = 0; i < NR_INNER; i++) {
		check_eq(atomic_read(&hits[i]) + inner[i].nmissed, nr);
		if (missed >= 0)
			check_eq(inner[i].nmissed, missed);
	}
	check_eq(atomic_read(&posts), atomic_read(&hits[POST]));
	check_eq(atomic_read(&returns) + inner_return.kp.nmissed, nr);
	check_eq(inner_return.nmissed, 0);
	check_eq(atomic_read(&outside), 0);
}

static bool probe_inner(void)
{
	static const struct { void *addr; const char *name; int offset; } at[] = {
		[ENTRY]  = { hooks_nmi_inner },
		[JUMP]   = { hooks_nmi_body, NULL, ENDBR_INSN_SIZE },
		[FAULTS] = { NULL, "hooks_nmi_may_fault" },
		[POST]   = { NULL, "hooks_nmi_post" },
	};
	int i;

	for (i = 0; i < NR_INNER; i++) {
		inner[i] = (struct kprobe){
			.addr		= at[i].addr,
			.symbol_name	= at[i].name,
			.offset		= at[i].offset,
			.pre_handler	= inner_pre,
			.post_handler	= i == POST ? inner_post : NULL,
		};
		if (!check_eq(register_kprobe(&inner[i]), 0))
			return false;
	}
	inner_return = (struct kretprobe){
		.kp.addr	= (void *)hooks_nmi_inner,
		.handler	= on_return,
		.maxactive	= 64,
	};
	if (!check_eq(register_kretprobe(&inner_return), 0))
		return false;
	for (i = 0; i < 100 && !kprobe_optimized(&inner[JUMP]); i++)
		msleep(50);
	return check(kprobe_optimized(&inner[JUMP]));
}

static void unprobe_inner(void)
{
	int i;

	for (i = 0; i < NR_INNER; i++)
		unregister_kprobe(&inner[i]);
	unregister_kretprobe(&inner_return);
}

/* ---- NMIs ------------------------------------------------------------- */

static DEFINE_PER_CPU(int, wanted);

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!this_cpu_read(wanted))
		return NMI_DONE;
	this_cpu_write(wanted, 0);
	if (hooks_nmi_inner(16) != 67)
		atomic_inc(&outside);
	atomic_inc(&calls);
	return NMI_HANDLED;
}

static void send_to(int cpu)
{
	per_cpu(wanted, cpu) = 1;
	/* Before the other CPU looks. */
	smp_mb();
	apic->send_IPI(cpu, NMI_VECTOR);
}

/* To this CPU; it comes at once. */
static void raise(void)
{
	int i;

	send_to(smp_processor_id());
	for (i = 0; i < 1000000 && this_cpu_read(wanted); i++)
		cpu_relax();
}

/* ---- In a handler, and in a step -------------------------------------- */

/* Writes where this CPU's local APIC has what sends interrupts. */
asm(".pushsection .text, \"ax\"\n"
	ALIGNED
	".type hooks_nmi_outer, @function\n"
	"hooks_nmi_outer:\n"
	ASM_ENDBR
	"	movl $1, %eax\n"
	"hooks_nmi_write:\n"
	"	movl %esi, (%rdi)\n"
	"	incl %eax\n"
	"	leaq 40(%rax), %rax\n"
	ASM_RET
	".size hooks_nmi_outer, . - hooks_nmi_outer\n"
	".popsection\n");

static int outer_hits, outer_posts;

static int outer_pre(struct kprobe *kp, struct pt_regs *regs)
{
	outer_hits++;
	raise();
	return 0;
}

static int outer_pre_quiet(struct kprobe *kp, struct pt_regs *regs)
{
	outer_hits++;
	return 0;
}

static void outer_post(struct kprobe *kp, struct pt_regs *regs,
		       unsigned long flags)
{
	outer_posts++;
}

/* On the first instruction a probe becomes a jump, on the write it does not. */
static void in_a_handler(bool jump)
{
	struct kprobe outer = {
		.addr		= jump ? (void *)hooks_nmi_outer : NULL,
		.symbol_name	= jump ? NULL : "hooks_nmi_write",
		.offset		= jump ? ENDBR_INSN_SIZE : 0,
		.pre_handler	= outer_pre,
	};
	u32 cell;
	int i;

	if (!check_eq(register_kprobe(&outer), 0))
		return;
	for (i = 0; jump && i < 100 && !kprobe_optimized(&outer); i++)
		msleep(50);
	check_eq(kprobe_optimized(&outer), jump);
	forget_counts();
	outer_hits = 0;
	for (i = 0; i < 100; i++)
		check_eq(hooks_nmi_outer(&cell, i), 42);
	check_eq(outer_hits, 100);
	check_eq(outer.nmissed, 0);
	unregister_kprobe(&outer);
	check_counts(100, 100);
}

/* The instruction under the probe is what brings the NMI. */
static void in_a_step(void)
{
	struct kprobe outer = {
		.symbol_name	= "hooks_nmi_write",
		.pre_handler	= outer_pre_quiet,
		.post_handler	= outer_post,
	};
	void *icr = (void *)APIC_BASE + APIC_ICR;
	u32 me;
	int i;

	if (!check_eq(register_kprobe(&outer), 0))
		return;
	forget_counts();
	outer_hits = 0;
	outer_posts = 0;
	for (i = 0; i < 100; i++) {
		preempt_disable();
		this_cpu_write(wanted, 1);
		me = per_cpu(x86_cpu_to_apicid, smp_processor_id());
		native_apic_mem_write(APIC_ICR2, SET_XAPIC_DEST_FIELD(me));
		check_eq(hooks_nmi_outer(icr, APIC_DM_NMI), 42);
		check_eq(this_cpu_read(wanted), 0);
		check(!irqs_disabled());
		preempt_enable();
	}
	check_eq(outer_hits, 100);
	check_eq(outer_posts, 100);
	check_eq(outer.nmissed, 0);
	unregister_kprobe(&outer);
	check_counts(100, 100);
}

static void in_nothing(void)
{
	int i;

	forget_counts();
	for (i = 0; i < 100; i++) {
		preempt_disable();
		raise();
		preempt_enable();
	}
	check_counts(100, 0);
}

/* ---- At any moment ---------------------------------------------------- */

static int caller(void *calls_made)
{
	u32 cell;

	while (!kthread_should_stop()) {
		if (hooks_nmi_outer(&cell, 1) != 42)
			check(false);
		(*(long *)calls_made)++;
		if (!(*(long *)calls_made & 63))
			cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static void at_any_moment(void)
{
	struct kprobe outer = {
		.symbol_name	= "hooks_nmi_write",
		.pre_handler	= outer_pre_quiet,
		.post_handler	= outer_post,
	};
	struct task_struct *task;
	int i, cpu = num_online_cpus() - 1;
	long calls_made = 0;

	if (!check_eq(register_kprobe(&outer), 0))
		return;
	forget_counts();
	outer_hits = 0;
	outer_posts = 0;
	task = kthread_create(caller, &calls_made, "hooks_nmi");
	if (check(!IS_ERR(task))) {
		kthread_bind(task, cpu);
		wake_up_process(task);
		for (i = 0; i < 2000; i++) {
			send_to(cpu);
			while (READ_ONCE(per_cpu(wanted, cpu)))
				cpu_relax();
			if (!(i & 15))
				usleep_range(100, 200);
		}
		kthread_stop(task);
	}
	check_eq(outer_hits, calls_made);
	check_eq(outer_posts, calls_made);
	check_eq(outer.nmissed, 0);
	unregister_kprobe(&outer);
	check_counts(2000, -1);
	pr_info("%ld calls, 2000 NMIs, %ld in a handler or a step\n", calls_made,
		inner[JUMP].nmissed);
}

static int __init hooks_nmi_init(void)
{
	int ret;

	if (!boot_cpu_has(X86_FEATURE_APIC) || x2apic_mode)
		return -ENODEV;
	ret = register_nmi_handler(NMI_LOCAL, on_nmi, 0, KBUILD_MODNAME);
	if (ret)
		return ret;
	if (probe_inner()) {
		in_nothing();
		in_a_handler(true);
		in_a_handler(false);
		in_a_step();
		at_any_moment();
	}
	unprobe_inner();
	unregister_nmi_handler(NMI_LOCAL, KBUILD_MODNAME);
	return verdict();
}
module_init(hooks_nmi_init);

static void __exit hooks_nmi_exit(void)
{
}
module_exit(hooks_nmi_exit);

MODULE_DESCRIPTION("Probes in NMIs");
MODULE_LICENSE("GPL");
