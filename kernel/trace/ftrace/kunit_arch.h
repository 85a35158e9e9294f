/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests have to say in instructions. */
#ifndef _KERNEL_TRACE_FTRACE_KUNIT_ARCH_H
#define _KERNEL_TRACE_FTRACE_KUNIT_ARCH_H

#include <linux/memory.h>

#ifdef CONFIG_X86_64

#include <asm/asm.h>
#include <asm/text-patching.h>

#define kunit_arg0(regs)	((regs)->di)

/* A jump behind itself: harmless, and nothing that the engine writes. */
#define KUNIT_DAMAGE		{ JMP32_INSN_OPCODE }
#define KUNIT_DAMAGE_HEX	"e9 00 00 00 00"

static inline void kunit_write_site(unsigned long ip, const u8 *bytes)
{
	mutex_lock(&text_mutex);
	text_poke_bp((void *)ip, bytes, MCOUNT_INSN_SIZE, NULL);
	mutex_unlock(&text_mutex);
}

/* The target of a direct call that goes back into the function. */
#define KUNIT_TRAMP						\
	ASM_ENDBR						\
	"	movq	(%rsp), %r11\n"				\
	"	movq	%r11, ftrace_kunit_tramp_to(%rip)\n"	\
	"	incq	ftrace_kunit_tramp_hits(%rip)\n"	\
	ASM_RET

/* … and of one that returns in its place. */
#define KUNIT_SKIP						\
	ASM_ENDBR						\
	"	movl	$77, %eax\n"				\
	"	addq	$8, %rsp\n"				\
	ASM_RET

#else /* arm64 */

#include <linux/objtool.h>

#include <asm/patching.h>

#define kunit_arg0(regs)	((regs)->regs[0])

/* A branch behind itself. */
#define KUNIT_DAMAGE		{ 0x01, 0x00, 0x00, 0x14 }
#define KUNIT_DAMAGE_HEX	"01 00 00 14"

static inline void kunit_write_site(unsigned long ip, const u8 *bytes)
{
	mutex_lock(&text_mutex);
	aarch64_insn_patch_text_nosync((void *)ip, le32_to_cpup((__le32 *)bytes));
	kick_all_cpus_sync();
	mutex_unlock(&text_mutex);
}

#define KUNIT_TRAMP						\
	"	hint	34\n"	/* bti c */			\
	"	adrp	x10, ftrace_kunit_tramp_to\n"		\
	"	str	x30, [x10, :lo12:ftrace_kunit_tramp_to]\n" \
	"	adrp	x10, ftrace_kunit_tramp_hits\n"		\
	"	ldr	x11, [x10, :lo12:ftrace_kunit_tramp_hits]\n" \
	"	add	x11, x11, #1\n"				\
	"	str	x11, [x10, :lo12:ftrace_kunit_tramp_hits]\n" \
	"	mov	x10, x30\n"				\
	"	mov	x30, x9\n"				\
	"	ret	x10\n"

#define KUNIT_SKIP						\
	"	hint	34\n"					\
	"	mov	w0, #77\n"				\
	"	ret	x9\n"

#endif

#endif /* _KERNEL_TRACE_FTRACE_KUNIT_ARCH_H */
