/* SPDX-License-Identifier: GPL-2.0 */
/*
 * arm64 part of the function hooking engine.  A function begins, behind BTI
 * where it has one, with
 *
 *		mov	x9, x30		its caller's address; written at boot
 *	site:	nop			or: bl to what is attached
 *
 * and before it is room for an address of eight bytes, the site's literal.
 */
#ifndef _ASM_ARM64_FTRACE_H
#define _ASM_ARM64_FTRACE_H

#include <asm/insn-def.h>

#define MCOUNT_INSN_SIZE	AARCH64_INSN_SIZE

/* The stack tracer: a frame record holds the address behind its own frame. */
#define ARCH_FTRACE_SHIFT_STACK_TRACER	1

/* The graph tracer compares frame pointers at a function's entry and return. */
#define HAVE_FUNCTION_GRAPH_FP_TEST

/* Modules too far from the kernel have this many veneers, to FTRACE_ADDR. */
#define FTRACE_PLT_IDX		0
#define NR_FTRACE_PLTS		1

#ifndef __ASSEMBLY__

#include <linux/compiler.h>
#include <linux/compat.h>

struct ftrace_ops;
struct ftrace_regs;

void *return_address(unsigned int level);
#define ftrace_return_address(n)	return_address(n)

#ifdef CONFIG_FUNCTION_TRACER

/* A site further behind its symbol belongs to no function that is called. */
#ifdef CONFIG_ARM64_BTI_KERNEL
#define FTRACE_MCOUNT_MAX_OFFSET	(2 * AARCH64_INSN_SIZE)
#else
#define FTRACE_MCOUNT_MAX_OFFSET	AARCH64_INSN_SIZE
#endif

/* Goes to where the literal of the site says that called it. */
void ftrace_caller(void);
#define FTRACE_ADDR		((unsigned long)ftrace_caller)

/*
 * Trampolines that save the argument registers only leave a processor state of
 * 0 in the registers; that of complete ones has the kernel's exception level.
 */
#define arch_ftrace_get_regs(fregs)					\
({									\
	struct pt_regs *__regs = &arch_ftrace_regs(fregs)->regs;	\
									\
	__regs->pstate ? __regs : NULL;					\
})

#define ftrace_regs_set_instruction_pointer(fregs, new_pc) \
	(arch_ftrace_regs(fregs)->regs.pc = (new_pc))

/* The function graph tracer's callback. */
void ftrace_graph_func(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *op, struct ftrace_regs *fregs);
#define ftrace_graph_func ftrace_graph_func

#endif /* CONFIG_FUNCTION_TRACER */

#ifdef CONFIG_FTRACE_SYSCALLS

#include <linux/string.h>

#define ARCH_HAS_SYSCALL_MATCH_SYM_NAME

/* A system call's symbol is the name of its metadata behind a prefix. */
static inline bool arch_syscall_match_sym_name(const char *sym, const char *name)
{
	size_t prefix = str_has_prefix(sym, "__arm64_");

	return !strcmp(sym + prefix, name);
}

/* The tables of native system calls don't fit those of 32-bit tasks. */
#define ARCH_TRACE_IGNORE_COMPAT_SYSCALLS 1
static inline bool arch_trace_is_compat_syscall(struct pt_regs *regs)
{
	return is_compat_task();
}

#endif /* CONFIG_FTRACE_SYSCALLS */

#endif /* !__ASSEMBLY__ */

#endif /* _ASM_ARM64_FTRACE_H */
