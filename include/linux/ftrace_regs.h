/* SPDX-License-Identifier: GPL-2.0 */
/*
 * struct ftrace_regs: the registers of a function at its entry (or, for the
 * graph tracer, at its return), as far as somebody asked for them.  Opaque;
 * an architecture that does not keep them in pt_regs form defines
 * HAVE_ARCH_FTRACE_REGS and brings its own layout and accessors.
 */
#ifndef _LINUX_FTRACE_REGS_H
#define _LINUX_FTRACE_REGS_H

#ifndef HAVE_ARCH_FTRACE_REGS

#include <linux/ptrace.h>

struct ftrace_regs;

struct __arch_ftrace_regs {
	struct pt_regs		regs;
};

#define arch_ftrace_regs(fregs)	((struct __arch_ftrace_regs *)(fregs))

/* The same in the form that the accessors of pt_regs take. */
static __always_inline struct pt_regs *ftrace_regs_pt(struct ftrace_regs *fregs)
{
	return &arch_ftrace_regs(fregs)->regs;
}

static __always_inline unsigned long
ftrace_regs_get_stack_pointer(struct ftrace_regs *fregs)
{
	return kernel_stack_pointer(ftrace_regs_pt(fregs));
}

static __always_inline unsigned long
ftrace_regs_get_frame_pointer(struct ftrace_regs *fregs)
{
	return frame_pointer(ftrace_regs_pt(fregs));
}

static __always_inline unsigned long
ftrace_regs_get_instruction_pointer(struct ftrace_regs *fregs)
{
	return instruction_pointer(ftrace_regs_pt(fregs));
}

static __always_inline unsigned long
ftrace_regs_get_return_value(struct ftrace_regs *fregs)
{
	return regs_return_value(ftrace_regs_pt(fregs));
}

/* Macros: not every architecture has what they use. */
#define ftrace_regs_get_argument(fregs, n) \
	regs_get_kernel_argument(ftrace_regs_pt(fregs), n)
#define ftrace_override_function_with_return(fregs) \
	override_function_with_return(ftrace_regs_pt(fregs))
#define ftrace_regs_set_return_value(fregs, value) \
	regs_set_return_value(ftrace_regs_pt(fregs), value)
#define ftrace_regs_query_register_offset	regs_query_register_offset

#endif /* HAVE_ARCH_FTRACE_REGS */

#endif /* _LINUX_FTRACE_REGS_H */
