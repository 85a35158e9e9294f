// SPDX-License-Identifier: GPL-2.0
/*
 * K13: jumps in place of breakpoints.
 *
 *  - thousands of probes get one, in a batch, and each is hit once a call;
 *  - it is taken back at once for a post_handler, a neighbour, disabling;
 *  - and put again when the reason has gone;
 *  - registers and flags are the handler's to change, as is the path;
 *  - a task that was preempted where the jump is written does not hold it up.
 *
 * With "stay" the probes are left for a script to look at.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/objtool.h>
#include <linux/stringify.h>
#include <linux/vmalloc.h>

#include <asm/ibt.h>
#include <asm/linkage.h>

#include "hooks_check.h"
#include "hooks_jumps.h"

static bool stay;
module_param(stay, bool, 0444);

#define NR	2000
#define STRIDE	32

/*
 * NR functions: 1 + x + x, by two instructions that a jump cuts, behind four
 * bytes.  The offsets of the instructions: 4, 8, 11.
 */
asm(".pushsection .text, \"ax\"\n"
	".altmacro\n"
	".macro hooks_jumps_make nr\n"
	".balign " __stringify(STRIDE) ", 0x90\n"
	".type hooks_jumps_\\nr, @function\n"
	"hooks_jumps_\\nr:\n"
	ASM_ENDBR
	".ifeq . - hooks_jumps_\\nr\n"
	"	.byte 0x0f, 0x1f, 0x40, 0x00\n"
	".endif\n"
	"	leaq 1(%rdi), %rax\n"
	"	addq %rdi, %rax\n"
	"	xorl %edi, %edi\n"
	ASM_RET
	".size hooks_jumps_\\nr, . - hooks_jumps_\\nr\n"
	".endm\n"
	".balign " __stringify(STRIDE) ", 0x90\n"
	"hooks_jumps_first:\n"
	".set hooks_nr, 0\n"
	".rept " __stringify(NR) " + 1\n"
	"hooks_jumps_make %hooks_nr\n"
	".set hooks_nr, hooks_nr + 1\n"
	".endr\n"
	".noaltmacro\n"
	".popsection\n");

#define FIRST	4	/* lea, four bytes */
#define SECOND	8	/* add, three bytes */

static unsigned long call(unsigned int nr, unsigned long x)
{
	unsigned long (*fn)(unsigned long x);

	fn = (void *)hooks_jumps_first + nr * STRIDE;
	OPTIMIZER_HIDE_VAR(fn);
	return fn(x);
}

struct counted {
	struct kprobe	kp;
	atomic_t	pre;
	atomic_t	post;
};

static int count_pre(struct kprobe *kp, struct pt_regs *regs)
{
	atomic_inc(&container_of(kp, struct counted, kp)->pre);
	return 0;
}

static void count_post(struct kprobe *kp, struct pt_regs *regs,
		       unsigned long flags)
{
	atomic_inc(&container_of(kp, struct counted, kp)->post);
}

static struct counted *all;
static struct kprobe **kps;

static void place(struct counted *c, unsigned int nr, unsigned int offset,
		  bool post)
{
	memset(c, 0, sizeof(*c));
	c->kp.addr = (void *)hooks_jumps_first + nr * STRIDE;
	c->kp.offset = offset;
	c->kp.pre_handler = count_pre;
	c->kp.post_handler = post ? count_post : NULL;
}

/* Waits until a probe has a jump; returns how many ms that took, or -1. */
static int wait_for_jump(struct kprobe *kp)
{
	ktime_t start = ktime_get();
	int i;

	for (i = 0; i < 10000; i++) {
		if (READ_ONCE(kp->flags) & KPROBE_FLAG_OPTIMIZED)
			return ktime_ms_delta(ktime_get(), start);
		usleep_range(900, 1100);
	}
	return -1;
}

static bool has_jump(const struct counted *c)
{
	return *(u8 *)c->kp.addr == 0xe9;
}

static void check_calls(unsigned int nr, struct counted *c, int times)
{
	int before = atomic_read(&c->pre), i;

	for (i = 0; i < times; i++)
		check_eq(call(nr, 20 + i), 41 + 2 * i);
	check_eq(atomic_read(&c->pre) - before, times);
	check_eq(c->kp.nmissed, 0);
}

/* ---- Many ------------------------------------------------------------- */

static void time_one(void)
{
	struct counted one;
	int i;

	for (i = 0; i < 5; i++) {
		place(&one, i, FIRST, false);
		if (!check_eq(register_kprobe(&one.kp), 0))
			return;
		pr_info("a jump for one: %d ms\n",
			wait_for_jump(&one.kp));
		check(has_jump(&one));
		check_calls(i, &one, 3);
		unregister_kprobe(&one.kp);
		check(!has_jump(&one));
		check_eq(call(i, 20), 41);
	}
}

static void register_all(void)
{
	int i, longest = 0;

	for (i = 0; i < NR; i++) {
		place(&all[i], i, FIRST, false);
		kps[i] = &all[i].kp;
	}
	if (!check_eq(register_kprobes(kps, NR), 0))
		return;
	for (i = 0; i < NR; i++)
		longest = max(longest, wait_for_jump(kps[i]));
	pr_info("jumps for %d: %d ms\n", NR, longest);
	for (i = 0; i < NR; i++) {
		check(has_jump(&all[i]));
		check_calls(i, &all[i], 2);
	}
}

static void unregister_all(void)
{
	int i;

	unregister_kprobes(kps, NR);
	for (i = 0; i < NR; i++) {
		check(!has_jump(&all[i]));
		check_eq(call(i, 20), 41);
	}
}

/* ---- One, and what undoes it ------------------------------------------ */

static void expect_jump_again(struct counted *c)
{
	check(wait_for_jump(&c->kp) >= 0);
	check(has_jump(c));
	check_calls(0, c, 3);
}

static void expect_no_jump(struct counted *c)
{
	check(!(c->kp.flags & KPROBE_FLAG_OPTIMIZED));
	check(!has_jump(c));
}

static void undo_by_post_handler(struct counted *c)
{
	struct counted post;

	place(&post, 0, FIRST, true);
	check_eq(register_kprobe(&post.kp), 0);
	expect_no_jump(c);
	check_calls(0, c, 3);
	check_eq(atomic_read(&post.post), 3);
	unregister_kprobe(&post.kp);
	expect_jump_again(c);
}

static void undo_by_neighbour(struct counted *c)
{
	struct counted next;

	place(&next, 0, SECOND, false);
	check_eq(register_kprobe(&next.kp), 0);
	expect_no_jump(c);
	check_calls(0, c, 3);
	check_eq(atomic_read(&next.pre), 3);
	/* A disabled neighbour is one still: it may be enabled at any time. */
	check_eq(disable_kprobe(&next.kp), 0);
	msleep(300);
	expect_no_jump(c);
	check_eq(enable_kprobe(&next.kp), 0);
	check_calls(0, c, 3);
	check_eq(atomic_read(&next.pre), 6);
	unregister_kprobe(&next.kp);
	expect_jump_again(c);
}

static void undo_by_disabling(struct counted *c)
{
	int before = atomic_read(&c->pre);

	check_eq(disable_kprobe(&c->kp), 0);
	expect_no_jump(c);
	check_eq(call(0, 20), 41);
	check_eq(atomic_read(&c->pre), before);
	check_eq(enable_kprobe(&c->kp), 0);
	check_calls(0, c, 3);
	expect_jump_again(c);
}

/* As often as possible while a jump is about to be put. */
static void undo_while_it_comes(struct counted *c)
{
	struct counted post, next;
	int i;

	for (i = 0; i < 40; i++) {
		check_eq(disable_kprobe(&c->kp), 0);
		check_eq(enable_kprobe(&c->kp), 0);
		usleep_range(1000 * i, 1000 * i + 100);
		place(&post, 0, FIRST, true);
		place(&next, 0, SECOND, false);
		check_eq(register_kprobe(i & 1 ? &post.kp : &next.kp), 0);
		expect_no_jump(c);
		check_calls(0, c, 3);
		unregister_kprobe(i & 1 ? &post.kp : &next.kp);
		check_calls(0, c, 1);
	}
	expect_jump_again(c);
}

static void undoing(void)
{
	struct counted c;

	place(&c, 0, FIRST, false);
	if (!check_eq(register_kprobe(&c.kp), 0))
		return;
	expect_jump_again(&c);
	undo_by_post_handler(&c);
	undo_by_neighbour(&c);
	undo_by_disabling(&c);
	undo_while_it_comes(&c);
	unregister_kprobe(&c.kp);
	expect_no_jump(&c);
	check_eq(call(0, 20), 41);
}

/* ---- What a handler may do -------------------------------------------- */

static int to_another(struct kprobe *kp, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)hooks_jumps_first + STRIDE);
	regs->di = 100;
	return 1;
}

static int change_argument(struct kprobe *kp, struct pt_regs *regs)
{
	regs->di += 1000;
	return 0;
}

static void with_handler(kprobe_pre_handler_t handler, unsigned long result)
{
	struct counted c;

	place(&c, 0, FIRST, false);
	c.kp.pre_handler = handler;
	if (!check_eq(register_kprobe(&c.kp), 0))
		return;
	check_eq(call(0, 20), result);
	check(wait_for_jump(&c.kp) >= 0);
	check(has_jump(&c));
	check_eq(call(0, 20), result);
	unregister_kprobe(&c.kp);
	check_eq(call(0, 20), 41);
}

/* All registers and the arithmetic flags go through a probe unchanged. */
asm(".pushsection .text, \"ax\"\n"
	".type hooks_jumps_registers, @function\n"
	"hooks_jumps_registers:\n"
	ASM_ENDBR
	"	push %rbx\n	push %rbp\n	push %r12\n	push %r13\n"
	"	push %r14\n	push %r15\n"
	"	mov $1, %ebx\n	mov $2, %ecx\n	mov $3, %edx\n"
	"	mov $4, %esi\n	mov $5, %ebp\n	mov $6, %r8d\n"
	"	mov $7, %r9d\n	mov $8, %r10d\n	mov $9, %r11d\n"
	"	mov $10, %r12d\n mov $11, %r13d\n mov $12, %r14d\n"
	"	mov $13, %r15d\n"
	"	stc\n"
	"hooks_jumps_probed:\n"
	"	mov $0, %eax\n"
	"	adc %rdi, %rax\n	add %rbx, %rax\n	add %rcx, %rax\n"
	"	add %rdx, %rax\n	add %rsi, %rax\n	add %rbp, %rax\n"
	"	add %r8, %rax\n		add %r9, %rax\n		add %r10, %rax\n"
	"	add %r11, %rax\n	add %r12, %rax\n	add %r13, %rax\n"
	"	add %r14, %rax\n	add %r15, %rax\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n"
	"	pop %rbp\n	pop %rbx\n"
	ASM_RET
	".size hooks_jumps_registers, . - hooks_jumps_registers\n"
	".popsection\n");

STACK_FRAME_NON_STANDARD(hooks_jumps_registers);

static int look_at_registers(struct kprobe *kp, struct pt_regs *regs)
{
	check_eq(regs->bx, 1);
	check_eq(regs->cx, 2);
	check_eq(regs->dx, 3);
	check_eq(regs->si, 4);
	check_eq(regs->bp, 5);
	check_eq(regs->r8, 6);
	check_eq(regs->r9, 7);
	check_eq(regs->r10, 8);
	check_eq(regs->r11, 9);
	check_eq(regs->r12, 10);
	check_eq(regs->r13, 11);
	check_eq(regs->r14, 12);
	check_eq(regs->r15, 13);
	check(regs->flags & X86_EFLAGS_CF);
	check_eq(regs->ip - (unsigned long)kp->addr, 1);
	/* Six registers are on the stack, above the frame of ours. */
	check(regs->sp > (unsigned long)regs);
	check(regs->sp - (unsigned long)&regs < THREAD_SIZE);
	return count_pre(kp, regs);
}

static void registers(void)
{
	struct counted c;

	place(&c, 0, 0, false);
	c.kp.addr = NULL;
	c.kp.symbol_name = "hooks_jumps_probed";
	c.kp.pre_handler = look_at_registers;
	if (!check_eq(register_kprobe(&c.kp), 0))
		return;
	check_eq(hooks_jumps_registers(1000), 1092);
	check(wait_for_jump(&c.kp) >= 0);
	check_eq(hooks_jumps_registers(1000), 1092);
	check_eq(atomic_read(&c.pre), 2);
	unregister_kprobe(&c.kp);
}

/*
 * A label in the middle of a function is a symbol as the function is.  What is
 * before it, or behind another label, goes to where the jump would be.
 */
asm(".pushsection .text, \"ax\"\n"
	".balign 16, 0x90\n"
	".type hooks_jumps_labels, @function\n"
	"hooks_jumps_labels:\n"
	ASM_ENDBR
	"	xorl %eax, %eax\n"
	"	testq %rdi, %rdi\n"
	"	jz 1f\n"
	"hooks_jumps_label:\n"
	"	leaq 1(%rax), %rax\n"
	"1:	leaq 2(%rax), %rax\n"
	"hooks_jumps_other:\n"
	"	leaq 4(%rax), %rax\n"
	"2:	leaq 8(%rax), %rax\n"
	"hooks_jumps_last:\n"
	"	decq %rdi\n"
	"	jg 2b\n"
	ASM_RET
	".size hooks_jumps_labels, . - hooks_jumps_labels\n"
	".popsection\n");

static void at_label(const char *label)
{
	struct counted c;

	place(&c, 0, 0, false);
	c.kp.addr = NULL;
	c.kp.symbol_name = label;
	if (!check_eq(register_kprobe(&c.kp), 0))
		return;
	msleep(500);
	check(!kprobe_optimized(&c.kp));
	check_eq(hooks_jumps_labels(0), 14);
	check_eq(hooks_jumps_labels(1), 15);
	check_eq(hooks_jumps_labels(3), 31);
	unregister_kprobe(&c.kp);
}

/*
 * A jump label that does not jump yet, and will: to where a jump would be, and to
 * a place that does not matter.
 */
DEFINE_STATIC_KEY_FALSE(hooks_jumps_key);

#define LABEL(from, to)					\
	".pushsection __jump_table, \"aw\"\n"		\
	".balign 8\n"					\
	".long " from " - .\n"				\
	".long " to " - .\n"				\
	".quad hooks_jumps_key - .\n"			\
	".popsection\n"

asm(".pushsection .text, \"ax\"\n"
	".balign 16, 0x90\n"
	".type hooks_jumps_switch, @function\n"
	"hooks_jumps_switch:\n"
	ASM_ENDBR
	"	movq %rdi, %rax\n"
	"1:	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"hooks_jumps_target:\n"
	"	leaq 1(%rax), %rax\n"
	"2:	leaq 2(%rax), %rax\n"
	"hooks_jumps_free:\n"
	"	leaq 4(%rax), %rax\n"
	"	leaq 8(%rax), %rax\n"
	ASM_RET
	".size hooks_jumps_switch, . - hooks_jumps_switch\n"
	".popsection\n"
	LABEL("1b", "2b"));

static void at_switch(const char *label, bool jump)
{
	struct counted c;

	place(&c, 0, 0, false);
	c.kp.addr = NULL;
	c.kp.symbol_name = label;
	if (!check_eq(register_kprobe(&c.kp), 0))
		return;
	if (jump)
		check(wait_for_jump(&c.kp) >= 0);
	else
		msleep(500);
	check_eq(kprobe_optimized(&c.kp), jump);
	check_eq(hooks_jumps_switch(100), 115);
	static_branch_enable(&hooks_jumps_key);
	check_eq(hooks_jumps_switch(100), 114);
	static_branch_disable(&hooks_jumps_key);
	check_eq(hooks_jumps_switch(100), 115);
	check_eq(kprobe_optimized(&c.kp), jump);
	unregister_kprobe(&c.kp);
}

/*
 * A task that spins, and is preempted mostly behind the pause, where emulators
 * look for interrupts: between instructions that the jump is written over.  It
 * never schedules of itself.
 */
asm(".pushsection .text, \"ax\"\n"
	".balign 16, 0x90\n"
	".type hooks_jumps_spin, @function\n"
	"hooks_jumps_spin:\n"
	ASM_ENDBR
	"	xorl %eax, %eax\n"
	"	xorl %ecx, %ecx\n"
	"1:	pause\n"
	"	leaq 1(%rax), %rax\n"
	"	leaq 1(%rcx), %rcx\n"
	"	cmpl $0, (%rdi)\n"
	"	je 1b\n"
	"	subq %rcx, %rax\n"
	ASM_RET
	".size hooks_jumps_spin, . - hooks_jumps_spin\n"
	".popsection\n");

#define SPIN_HEAD	(ENDBR_INSN_SIZE + 4)

static int stop_spinning;

static int spin(void *unused)
{
	check_eq(hooks_jumps_spin(&stop_spinning), 0);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* Has the other one preempted all the time. */
static int rival(void *unused)
{
	while (!READ_ONCE(stop_spinning))
		cpu_relax();
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static struct task_struct *start_on_last_cpu(int (*fn)(void *unused))
{
	struct task_struct *task = kthread_create(fn, NULL, "hooks_jumps");

	if (!check(!IS_ERR(task)))
		return NULL;
	kthread_bind(task, cpumask_last(cpu_online_mask));
	wake_up_process(task);
	return task;
}

static void probe_the_spinning(void)
{
	int i, ms, longest = 0;
	struct counted c;

	for (i = 0; i < 20; i++) {
		place(&c, 0, 0, false);
		c.kp.addr = (void *)hooks_jumps_spin;
		c.kp.offset = SPIN_HEAD;
		if (!check_eq(register_kprobe(&c.kp), 0))
			return;
		ms = wait_for_jump(&c.kp);
		check(ms >= 0);
		longest = max(longest, ms);
		msleep(20);
		unregister_kprobe(&c.kp);
		check(atomic_read(&c.pre) > 0);
		check_eq(c.kp.nmissed, 0);
	}
	pr_info("a jump where a task spins: %d ms\n", longest);
}

/* RCU tasks would wait for such a task for ever. */
static void at_preempted_task(void)
{
	struct task_struct *tasks[2];
	int i;

	if (!preempt_model_full())
		return;
	tasks[0] = start_on_last_cpu(spin);
	tasks[1] = start_on_last_cpu(rival);
	msleep(100);
	probe_the_spinning();
	WRITE_ONCE(stop_spinning, 1);
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		if (tasks[i])
			kthread_stop(tasks[i]);
	}
}

static int __init hooks_jumps_init(void)
{
	all = vcalloc(NR, sizeof(*all));
	kps = vcalloc(NR, sizeof(*kps));
	if (!all || !kps) {
		vfree(all);
		vfree(kps);
		return -ENOMEM;
	}
	time_one();
	register_all();
	if (stay)
		return verdict();
	unregister_all();
	undoing();
	with_handler(to_another, 201);
	with_handler(change_argument, 2041);
	registers();
	at_label("hooks_jumps_label");
	at_label("hooks_jumps_other");
	at_switch("hooks_jumps_target", false);
	at_switch("hooks_jumps_free", true);
	at_preempted_task();
	vfree(all);
	vfree(kps);
	return verdict();
}
module_init(hooks_jumps_init);

static void __exit hooks_jumps_exit(void)
{
	if (!stay)
		return;
	unregister_all();
	vfree(all);
	vfree(kps);
}
module_exit(hooks_jumps_exit);

MODULE_DESCRIPTION("Jumps in place of breakpoints");
MODULE_LICENSE("GPL");
