// SPDX-License-Identifier: GPL-2.0
/*
 * K13, R5: what a handler sees of the stack.
 *
 * A probe on each instruction of a function in turn, by breakpoint and by jump,
 * on its entry, and on its return: the trace from the handler has the probed
 * function, all its callers, and ends where the task began.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/stacktrace.h>

#include <asm/ibt.h>
#include <asm/text-patching.h>

#include "hooks_check.h"

#define DEPTH		64

/* Of the hook's instruction, and of the one that IBT puts before it. */
#define BEHIND_ENTRY	(ENDBR_INSN_SIZE + MCOUNT_INSN_SIZE)

static unsigned long trace[DEPTH];
static unsigned int depth;
static int hits;

static noinline void take(void)
{
	depth = stack_trace_save(trace, DEPTH, 0);
	hits++;
}

static noinline __noipa unsigned long hooks_unwind_leaf(unsigned long x)
{
	/* Seven bytes for a jump. */
	asm volatile("leaq 1(%0), %0; addq %0, %0" : "+r" (x));
	return x + 1;
}

/* Has pushes and pops of one byte, calls, and branches. */
static noinline __noipa unsigned long hooks_unwind_target(unsigned long x)
{
	unsigned long a = x, b = x * 3, i, sum = 0;

	for (i = 0; i < 2; i++) {
		a = hooks_unwind_leaf(a + b);
		b = hooks_unwind_leaf(b + i);
		sum += a * b;
	}
	return sum + hooks_unwind_leaf(x);
}

static noinline __noipa unsigned long hooks_unwind_middle(unsigned long x)
{
	x = hooks_unwind_target(x);
	barrier();
	return x + 1;
}

static noinline __noipa unsigned long hooks_unwind_outer(unsigned long x)
{
	x = hooks_unwind_middle(x);
	barrier();
	return x + 1;
}

/* Whether an entry of the trace is in a function. */
static bool is_in(unsigned int i, const char *function)
{
	char name[KSYM_SYMBOL_LEN];
	size_t len = strlen(function);

	if (i >= depth)
		return false;
	sprint_symbol(name, trace[i]);
	return !strncmp(name, function, len) && name[len] == '+';
}

static void show(const char *what, int offset)
{
	unsigned int i;

	if (atomic_read(&faults) > 5)
		return;
	pr_err("%s at +0x%x:\n", what, offset);
	for (i = 0; i < depth; i++)
		pr_err("  %pS\n", (void *)trace[i]);
}

/*
 * From the function on, whatever of the engine is before it; with calls, behind
 * one of them there is the leaf.
 */
static void check_trace(const char *what, int offset, const char *first)
{
	static const char *const callers[] = {
		"hooks_unwind_middle", "hooks_unwind_outer", "hooks_unwind_run",
	};
	unsigned int i, from = 0;
	bool right = true;

	while (from < depth && !is_in(from, first))
		from++;
	if (!strcmp(first, "hooks_unwind_middle"))
		from--;
	for (i = 0; i < ARRAY_SIZE(callers); i++)
		right = right && is_in(from + 1 + i, callers[i]);
	right = right && is_in(depth - 1, "ret_from_fork_asm") &&
		is_in(depth - 2, "ret_from_fork") &&
		is_in(depth - 3, "kthread") &&
		depth - 3 == from + 1 + ARRAY_SIZE(callers);
	if (!right)
		show(what, offset);
	check(right);
}

static int pre(struct kprobe *kp, struct pt_regs *regs)
{
	take();
	return 0;
}

static void post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
	take();
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	take();
	return 0;
}

static noinline int hooks_unwind_run(void *done)
{
	hooks_unwind_outer(1);
	complete(done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* In a task of its own; all that it does after the probed code is to wait. */
static void run(void)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct task_struct *task;

	depth = 0;
	hits = 0;
	task = kthread_run(hooks_unwind_run, &done, "hooks_unwind");
	if (!check(!IS_ERR(task)))
		return;
	wait_for_completion(&done);
	kthread_stop(task);
}

static bool wait_for_jump(struct kprobe *kp)
{
	int i;

	for (i = 0; i < 20; i++) {
		if (READ_ONCE(kp->flags) & KPROBE_FLAG_OPTIMIZED)
			return true;
		msleep(50);
	}
	return false;
}

static int jumps;

static bool leaves(kprobe_opcode_t opcode)
{
	return opcode == CALL_INSN_OPCODE || opcode == RET_INSN_OPCODE ||
	       opcode == JMP32_INSN_OPCODE;
}

static void probe_at(int offset, bool with_post)
{
	struct kprobe kp = {
		.addr		= (void *)hooks_unwind_target,
		.offset		= offset,
		.pre_handler	= with_post ? NULL : pre,
		.post_handler	= with_post ? post : NULL,
	};

	if (register_kprobe(&kp))
		return;
	run();
	/* Behind a call or a return it is in another function already. */
	if (hits && !(with_post && leaves(kp.opcode)))
		check_trace(with_post ? "post" : "breakpoint", offset,
			    "hooks_unwind_target");
	if (!with_post && wait_for_jump(&kp)) {
		run();
		jumps++;
		if (hits)
			check_trace("jump", offset, "hooks_unwind_target");
	}
	unregister_kprobe(&kp);
}

/* "name+0x0/0xSIZE [module]" */
static int size_of_target(void)
{
	char name[KSYM_SYMBOL_LEN], *size;
	int ret = 0;

	sprint_symbol(name, (unsigned long)hooks_unwind_target);
	size = strchr(name, '/');
	return size && sscanf(size, "/0x%x", &ret) == 1 ? ret : 0;
}

static void probe_return(void)
{
	struct kretprobe rp = {
		.kp.addr	= (void *)hooks_unwind_target,
		.handler	= on_return,
	};

	if (!check_eq(register_kretprobe(&rp), 0))
		return;
	run();
	check_eq(hits, 1);
	check_trace("return", 0, "hooks_unwind_middle");
	rp.handler = NULL;
	unregister_kretprobe(&rp);

	/* The same with the trace taken inside, the return waiting. */
	rp = (struct kretprobe){
		.kp.addr	= (void *)hooks_unwind_target,
		.handler	= NULL,
	};
	check_eq(register_kretprobe(&rp), 0);
	probe_at(0, false);
	probe_at(size_of_target() / 2, false);
	unregister_kretprobe(&rp);
}

/* This task came by a system call: to load the module. */
static void probe_in_syscall(void)
{
	struct kprobe kp = {
		.addr		= (void *)hooks_unwind_leaf,
		.pre_handler	= pre,
	};
	int i;

	/* On the entry, then by breakpoint, then by jump. */
	for (i = 0; i < 3; i++) {
		if (!check_eq(register_kprobe(&kp), 0))
			return;
		if (i == 2)
			check(wait_for_jump(&kp));
		depth = 0;
		hooks_unwind_outer(1);
		if (!check(is_in(depth - 1, "entry_SYSCALL_64_after_hwframe")) ||
		    !check(is_in(depth - 2, "do_syscall_64")))
			show("system call", i);
		unregister_kprobe(&kp);
		kp.addr = (void *)hooks_unwind_leaf;
		kp.offset = BEHIND_ENTRY;
	}
}

static int __init hooks_unwind_init(void)
{
	int offset, size = size_of_target();

	if (!check(size > 20))
		return verdict();
	for (offset = 0; offset < size; offset++) {
		probe_at(offset, false);
		probe_at(offset, true);
	}
	check(jumps > 0);
	pr_info("%d jumps\n", jumps);
	probe_return();
	probe_in_syscall();
	return verdict();
}
module_init(hooks_unwind_init);

static void __exit hooks_unwind_exit(void)
{
}
module_exit(hooks_unwind_exit);

MODULE_DESCRIPTION("Stack traces from handlers of probes");
MODULE_LICENSE("GPL");
