/* SPDX-License-Identifier: GPL-2.0 */
/* Writing generated code. */
#ifndef _ASM_ARM64_HOOK_TEXT_H
#define _ASM_ARM64_HOOK_TEXT_H

#include <linux/string.h>

#include <asm/debug-monitors.h>
#include <asm/patching.h>

/* Fill memory that is still writable with an instruction that traps. */
static inline void arch_text_trap(void *text, size_t size)
{
	memset32(text, (__force u32)cpu_to_le32(AARCH64_BREAK_FAULT), size / 4);
}

/*
 * Copy code into memory that is executable and read-only; NULL @src: fill it
 * with an instruction that traps.  Other CPUs see it when this returns.
 */
static inline void arch_text_write(void *dst, const void *src, size_t size)
{
	if (src)
		aarch64_insn_copy(dst, (void *)src, size);
	else
		aarch64_insn_set(dst, AARCH64_BREAK_FAULT, size);
}

/*
 * There is no executable memory to be had before core_initcall; until then this
 * gives out a piece of the kernel's own text, once.
 */
void *arch_text_early(size_t *size, bool *too_early);
#define arch_text_early arch_text_early

#endif /* _ASM_ARM64_HOOK_TEXT_H */
