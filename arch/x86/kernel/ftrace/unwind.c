// SPDX-License-Identifier: GPL-2.0
/*
 * Unwinding through trampolines.
 *
 * Generated code has no ORC data, but all trampolines have the same frame.
 * Only where in a trampoline an address is matters:
 *
 *	at the first instruction, and behind frame_end		no frame
 *	behind pushfq, and at popfq				frame + 8
 *	else							frame
 *
 * rbp holds the traced function's throughout, but with frame pointers, when
 * this unwinder is not used.
 */
#include <linux/ftrace.h>

#include <asm/orc_types.h>
#include <asm/unwind.h>

#include "../../../../kernel/trace/ftrace/internal.h"
#include "layout.h"

#ifdef CONFIG_UNWINDER_ORC

#define TRAMP_ORC(depth)					\
	{							\
		.sp_reg		= ORC_REG_SP,			\
		.sp_offset	= (depth) + 8,			\
		.bp_reg		= ORC_REG_UNDEFINED,		\
		.type		= ORC_TYPE_CALL,		\
	}

static struct orc_entry orc_no_frame = TRAMP_ORC(0);
static struct orc_entry orc_frame = TRAMP_ORC(FRAME);
static struct orc_entry orc_frame_and_flags = TRAMP_ORC(FRAME + 8);

/**
 * arch_ftrace_orc_find - how to unwind from an address in a trampoline
 * @ip: the address of an instruction
 *
 * Context: any, under RCU or with preemption off.
 * Return: the entry, or NULL where the address is in no trampoline.
 */
struct orc_entry *arch_ftrace_orc_find(unsigned long ip)
{
	struct ftrace_chain *chain = ftrace_tramp_owner(ip);
	unsigned long offset;

	if (!chain)
		return NULL;

	offset = ip - chain->text;
	if (offset >= chain->size)
		return NULL;
	if (!offset || offset >= chain->frame_end)
		return &orc_no_frame;
	if ((chain->flags & FTRACE_CALL_REGS) &&
	    (offset == PUSHF_END ||
	     offset == chain->frame_end - EXIT_INSN_SIZE - 1))
		return &orc_frame_and_flags;
	return &orc_frame;
}

#endif /* CONFIG_UNWINDER_ORC */
