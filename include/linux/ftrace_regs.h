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

#define ftrace_regs_get_instruction_pointer(fregs) \
	instruction_pointer(&arch_ftrace_regs(fregs)->regs)
#define ftrace_regs_get_argument(fregs, n) \
	regs_get_kernel_argument(&arch_ftrace_regs(fregs)->regs, n)
#define ftrace_regs_get_stack_pointer(fregs) \
	kernel_stack_pointer(&arch_ftrace_regs(fregs)->regs)
#define ftrace_regs_get_frame_pointer(fregs) \
	frame_pointer(&arch_ftrace_regs(fregs)->regs)
#define ftrace_regs_get_return_value(fregs) \
	regs_return_value(&arch_ftrace_regs(fregs)->regs)
#define ftrace_regs_set_return_value(fregs, value) \
	regs_set_return_value(&arch_ftrace_regs(fregs)->regs, value)
#define ftrace_override_function_with_return(fregs) \
	override_function_with_return(&arch_ftrace_regs(fregs)->regs)
#define ftrace_regs_query_register_offset(name) \
	regs_query_register_offset(name)

#endif /* HAVE_ARCH_FTRACE_REGS */

#endif /* _LINUX_FTRACE_REGS_H */
