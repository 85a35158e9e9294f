/* SPDX-License-Identifier: GPL-2.0 */
/*
 * x86_64 part of the function hooking engine: a site is the 5-byte call of
 * __fentry__ that the compiler puts at a function's entry (behind ENDBR where
 * there is one), and a 5-byte nop while nothing is attached.
 */
#ifndef _ASM_X86_FTRACE_H
#define _ASM_X86_FTRACE_H

#include <asm/ptrace.h>

#define MCOUNT_INSN_SIZE	5

#ifndef __ASSEMBLY__

#include <linux/compiler.h>
#include <asm/ibt.h>

struct ftrace_ops;
struct ftrace_regs;
struct orc_entry;

#ifdef CONFIG_FUNCTION_TRACER

#ifndef CC_USING_FENTRY
#error "the compiler has to support -mfentry"
#endif

/* What unpatched sites call: returns at once. */
void __fentry__(void);

/* A site further behind its symbol belongs to no function that is called. */
#define FTRACE_MCOUNT_MAX_OFFSET	ENDBR_INSN_SIZE

/*
 * Trampolines that save the argument registers only leave a code segment of 0
 * in the registers; complete ones hold __KERNEL_CS.
 */
static __always_inline struct pt_regs *
x86_ftrace_complete_regs(struct pt_regs *regs)
{
	return regs->cs ? regs : NULL;
}

#define arch_ftrace_get_regs(fregs) \
	x86_ftrace_complete_regs(&arch_ftrace_regs(fregs)->regs)

#define ftrace_regs_set_instruction_pointer(fregs, new_ip) \
	(arch_ftrace_regs(fregs)->regs.ip = (new_ip))

/* The function graph tracer's callback. */
void ftrace_graph_func(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *op, struct ftrace_regs *fregs);
#define ftrace_graph_func ftrace_graph_func

/* Unwinding through trampolines, for unwind_orc.c. */
struct orc_entry *arch_ftrace_orc_find(unsigned long ip);

#endif /* CONFIG_FUNCTION_TRACER */

/* Trampolines are never writable and executable: nothing to be done. */
static inline void set_ftrace_ops_ro(void) { }

#ifdef CONFIG_FTRACE_SYSCALLS

#include <linux/string.h>

#define ARCH_HAS_SYSCALL_MATCH_SYM_NAME

/*
 * The symbols of system calls carry the calling convention in front of the
 * "sys_…" by which their metadata knows them.
 */
static inline bool arch_syscall_match_sym_name(const char *sym, const char *name)
{
	static const char * const prefixes[] = { "__x64", "__ia32", "__do" };
	const char *call = name + 3;	/* behind "sys" or "SyS" */
	int i;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t len = str_has_prefix(sym, prefixes[i]);

		if (len)
			return !strncmp(sym + len, "_sys", 4) &&
			       !strcmp(sym + len + 4, call);
	}
	return !strncmp(sym, "sys", 3) && !strcmp(sym + 3, call);
}

#ifndef COMPILE_OFFSETS
#ifdef CONFIG_IA32_EMULATION
#include <linux/compat.h>

/* The tables of native system calls don't fit those of 32-bit tasks. */
#define ARCH_TRACE_IGNORE_COMPAT_SYSCALLS 1
static inline bool arch_trace_is_compat_syscall(struct pt_regs *regs)
{
	return in_32bit_syscall();
}
#endif
#endif

#endif /* CONFIG_FTRACE_SYSCALLS */

#endif /* !__ASSEMBLY__ */

#endif /* _ASM_X86_FTRACE_H */
