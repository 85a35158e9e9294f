// SPDX-License-Identifier: GPL-2.0
/*
 * Unwinding through code that is executed in place of probed instructions.
 *
 * A copy of an instruction has the frame that the instruction has.  A detour has
 * struct pt_regs on the stack, but for the few instructions that put it there
 * and take it away: where these are interrupted the trace ends unreliably.
 */
#include <asm/orc_types.h>
#include <asm/unwind.h>

#include "kprobes.h"

#ifdef CONFIG_UNWINDER_ORC

static struct orc_entry orc_regs = {
	.sp_reg		= ORC_REG_SP,
	.bp_reg		= ORC_REG_UNDEFINED,
	.type		= ORC_TYPE_REGS,
	/* Of the probed instruction, not of one behind a call. */
	.signal		= 1,
};

/**
 * arch_kprobe_orc_find - how to unwind from code that stands in for text
 * @ip:   the address of an instruction; where it is in a copy, replaced by that
 *	  of the instruction that it is a copy of
 *
 * Context: any, under RCU or with preemption off.
 * Return: the entry; NULL with the original's @ip, or 0 where there is none.
 */
struct orc_entry *arch_kprobe_orc_find(unsigned long *ip)
{
	struct kprobe_code *code = kprobe_code_at(*ip);
	unsigned long offset;

	if (code) {
		offset = *ip - code->start;
		if (offset >= code->frame && offset < code->frame_end)
			return &orc_regs;
		if (offset >= code->copies && offset < code->end) {
			*ip = code->origin + offset - code->copies;
			return NULL;
		}
	}
	*ip = 0;
	return NULL;
}

/**
 * arch_kprobe_regs_ip - what instruction registers on the stack are those of
 * @regs: the registers
 * @ip:   their instruction pointer, as it is on the stack
 *
 * A pre_handler sees the address behind the breakpoint; the stack is as the
 * probed instruction, which begins before that, finds it.
 *
 * Context: any, under RCU or with preemption off.
 * Return: @ip; or, where handlers of a probe run, its address.
 */
unsigned long arch_kprobe_regs_ip(const struct pt_regs *regs, unsigned long ip,
				  unsigned long from)
{
	unsigned long addr = ip - KPROBE_HIT_OFFSET;
	struct kprobe_code *code;

	/* Who may go to another CPU is in no handler: equal to none there. */
	if (regs == raw_cpu_read(kprobe_hit_regs) && kprobe_point_at(addr))
		return addr;
	/* A detour, before its handlers and behind them. */
	code = from ? kprobe_code_at(from) : NULL;
	if (code && code->kind == KPROBE_DETOUR && code->origin == addr)
		return addr;
	return ip;
}

#endif /* CONFIG_UNWINDER_ORC */
