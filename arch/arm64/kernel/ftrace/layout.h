/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trampoline: its code, veneers for helpers that may be out of a branch's
 * reach, and for each call of the chain, the last one first, a struct
 * tramp_call.
 */
#ifndef _ARCH_ARM64_KERNEL_FTRACE_LAYOUT_H
#define _ARCH_ARM64_KERNEL_FTRACE_LAYOUT_H

/* Room for trampolines that are made before there is memory for them. */
#define EARLY_TEXT_SIZE		16384

#ifndef __ASSEMBLY__

#include <linux/sizes.h>
#include <linux/types.h>

extern char ftrace_early_text[];

/**
 * struct tramp_call - what a trampoline has about one call, behind its code
 * @veneer: a jump to @func, for callbacks that are too far for a branch
 * @func:   the callback, or a direct call's target, that is always jumped to so
 * @ops:    the third argument
 */
struct tramp_call {
	__le32	veneer[2];
	u64	func;
	u64	ops;
};

struct ftrace_chain;

struct tramp_call *tramp_call_of(const struct ftrace_chain *chain,
				 unsigned int idx);

static inline bool branch_reaches(unsigned long from, unsigned long to)
{
	long offset = to - from;

	return offset >= -SZ_128M && offset < SZ_128M;
}

#endif /* !__ASSEMBLY__ */

#endif /* _ARCH_ARM64_KERNEL_FTRACE_LAYOUT_H */
