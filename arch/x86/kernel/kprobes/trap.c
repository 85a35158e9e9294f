// SPDX-License-Identifier: GPL-2.0
/*
 * A breakpoint is hit.
 *
 *	int3 at a point
 *	    pre_handlers, unless others run on this CPU
 *	    one of them changed the path?  Go there
 *	    emulate; post_handlers
 *	    or go to the copy that jumps back
 *	    or, where there are post_handlers or fix-ups, to the other copy, with
 *	    interrupts off:
 *	int3 behind the copy
 *	    post_handlers; go on behind the instruction
 *
 * While a step is under way on a CPU, what can come in between are faults of the
 * instruction itself, which end the step first (kprobe_fault_handler()), and
 * NMIs and machine checks, which may hit breakpoints and step, too, and are done
 * with that before they return: steps are a stack.
 *
 * Context of all of it: NMI, interrupts off.
 */
#include <linux/extable.h>
#include <linux/percpu.h>

#include <asm/processor-flags.h>
#include <asm/text-patching.h>
#include <asm/traps.h>

#include "kprobes.h"

/* Task, NMI, machine check; and one more. */
#define STEPS	4

/**
 * struct step - an instruction that is being executed
 * @point:   its point
 * @calls:   whose post_handlers to call; NULL: nobody's
 * @flags:   X86_EFLAGS_IF, if interrupts were on
 * @outer:   current_kprobe before the hit
 */
struct step {
	struct kprobe_point	*point;
	struct kprobe_calls	*calls;
	unsigned long		flags;
	struct kprobe		*outer;
};

static DEFINE_PER_CPU(struct step[STEPS], steps);

/* What runs while nobody's handlers do, but faults have to be known. */
static struct kprobe stepping;

static DEFINE_PER_CPU(unsigned int, depth);

static nokprobe_inline unsigned long step_end(const struct kprobe_point *point)
{
	return point->text.step->start + point->text.len;
}

/* What interrupts between the lines finds the stack as it is, or one higher. */
static bool begin_step(struct kprobe_point *point, struct kprobe_calls *calls,
		       struct pt_regs *regs, struct kprobe *outer)
{
	unsigned int level = __this_cpu_read(depth);
	struct step *step;

	if (level == STEPS)
		return false;
	__this_cpu_write(depth, level + 1);
	barrier();
	step = this_cpu_ptr(&steps[level]);
	step->point = point;
	step->calls = calls;
	step->flags = regs->flags & X86_EFLAGS_IF;
	step->outer = outer;
	if (!kprobe_running())
		__this_cpu_write(current_kprobe, &stepping);
	regs->flags &= ~X86_EFLAGS_IF;
	regs->ip = point->text.step->start;
	return true;
}

NOKPROBE_SYMBOL(begin_step);

static struct step *present_step(void)
{
	unsigned int level = __this_cpu_read(depth);

	return level ? this_cpu_ptr(&steps[level - 1]) : NULL;
}

NOKPROBE_SYMBOL(present_step);

static void drop_step(void)
{
	barrier();
	__this_cpu_dec(depth);
}

NOKPROBE_SYMBOL(drop_step);

static bool end_step(struct pt_regs *regs, unsigned long addr)
{
	struct step *step = present_step();
	struct kprobe_point *point;

	if (!step || addr != step_end(step->point))
		return false;
	point = step->point;
	regs->ip = point->addr + point->text.len;
	regs->flags |= step->flags;
	if (step->calls)
		kprobe_run_post(step->calls, regs);
	__this_cpu_write(current_kprobe, step->outer);
	drop_step();
	return true;
}

NOKPROBE_SYMBOL(end_step);

/* Have the instruction executed; @calls: those with handlers to call behind it. */
static nokprobe_inline void execute(struct kprobe_point *point,
				    struct kprobe_calls *calls,
				    struct pt_regs *regs, struct kprobe *outer)
{
	struct arch_kprobe_text *text = &point->text;
	unsigned long bypass = READ_ONCE(point->bypass);

	if (text->emulate) {
		text->emulate(text, regs, point->addr);
		if (calls)
			kprobe_run_post(calls, regs);
	} else if (!calls && bypass) {
		regs->ip = bypass;
	} else if (!calls && text->slot) {
		regs->ip = text->slot->start;
	} else {
		/* Deeper than there are contexts it traps for good. */
		if (WARN_ON_ONCE(!begin_step(point, calls, regs, outer)))
			regs->ip = text->step->start;
		return;
	}
	__this_cpu_write(current_kprobe, outer);
}

static nokprobe_inline void hit(struct kprobe_point *point,
				struct pt_regs *regs)
{
	struct kprobe_calls *calls = rcu_dereference_raw(point->calls);
	struct kprobe *outer = kprobe_running();

	regs->ip = point->addr + KPROBE_HIT_OFFSET;
	if (unlikely(outer || !calls)) {
		kprobe_count_missed(calls);
		execute(point, NULL, regs, outer);
		return;
	}
	if (kprobe_run_pre(calls, regs, regs->ip))
		__this_cpu_write(current_kprobe, NULL);
	else
		execute(point, calls->post ? calls : NULL, regs, NULL);
}

/**
 * kprobe_int3_handler - a breakpoint of the kernel's was hit
 * @regs: the registers; the instruction pointer is behind it
 *
 * Context: NMI, interrupts off.
 * Return: 1: it was a probe's, go on at the instruction pointer; 0: it is somebody
 * else's.
 */
int kprobe_int3_handler(struct pt_regs *regs)
{
	unsigned long addr = regs->ip - INT3_INSN_SIZE;
	struct kprobe_point *point;

	if (user_mode(regs))
		return 0;
	if (__this_cpu_read(depth) && end_step(regs, addr))
		return 1;
	point = kprobe_point_at(addr);
	if (point) {
		hit(point, regs);
		return 1;
	}
	if (*(u8 *)addr == INT3_INSN_OPCODE)
		return 0;
	/* It was a probe's that is gone: have the instruction executed now. */
	regs->ip = addr;
	return 1;
}

NOKPROBE_SYMBOL(kprobe_int3_handler);

/**
 * kprobe_fault_handler - a fault while a probe runs
 * @regs:   the registers
 * @trapnr: which fault
 *
 * A fault of the instruction that is being stepped is made one of the probed
 * instruction itself: the step ends as if it had not been.  A fault of a handler
 * is that handler's.
 *
 * Context: the fault's.
 * Return: 1: the fault is dealt with; 0: it is to be handled as usual, with @regs
 * as they are now.
 */
int kprobe_fault_handler(struct pt_regs *regs, int trapnr)
{
	struct step *step = present_step();
	struct kprobe_point *point;

	if (!step)
		return 0;
	point = step->point;
	if (regs->ip != point->text.step->start)
		return 0;
	regs->ip = point->addr;
	regs->flags |= step->flags;
	__this_cpu_write(current_kprobe, step->outer);
	drop_step();
	/* For a page fault that is done with what the caller knows of it. */
	return trapnr != X86_TRAP_PF && fixup_exception(regs, trapnr, 0, 0);
}

NOKPROBE_SYMBOL(kprobe_fault_handler);
