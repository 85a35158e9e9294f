/* SPDX-License-Identifier: GPL-2.0 */
/* Writing generated code. */
#ifndef _ASM_X86_HOOK_TEXT_H
#define _ASM_X86_HOOK_TEXT_H

#include <linux/string.h>

#include <asm/text-patching.h>

/* Fill memory that is still writable with an instruction that traps. */
static inline void arch_text_trap(void *text, size_t size)
{
	memset(text, INT3_INSN_OPCODE, size);
}

/*
 * Copy code into memory that is executable and read-only; NULL @src: fill it
 * with an instruction that traps.  Takes text_mutex; may sleep.
 */
static inline void arch_text_write(void *dst, const void *src, size_t size)
{
	if (src)
		text_poke_copy(dst, src, size);
	else
		text_poke_set(dst, INT3_INSN_OPCODE, size);
}

#endif /* _ASM_X86_HOOK_TEXT_H */
