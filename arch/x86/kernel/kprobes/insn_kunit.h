/* SPDX-License-Identifier: GPL-2.0 */
/* What the instructions of the tests and those who run them share. */
#ifndef _ARCH_X86_KERNEL_KPROBES_INSN_KUNIT_H
#define _ARCH_X86_KERNEL_KPROBES_INSN_KUNIT_H

/* How an instruction is to be executed elsewhere; below 0: refused with that. */
#define INSN_EMULATED		0
#define INSN_COPIED		1
/* A copy; what follows changes registers, so that it is not what it leaves. */
#define INSN_FOLLOWED		2

/* Words of memory; functions that are called indirectly. */
#define INSN_MEMORY		16
#define INSN_VECTOR		32

#ifndef __ASSEMBLY__

#include <linux/percpu.h>
#include <linux/ptrace.h>

/**
 * struct insn_snippet - some code with an instruction to probe
 * @start:   where it begins; it goes to insn_kunit_done() at its end
 * @probe:   the instruction
 * @kind:    INSN_*, or an errno
 * @feature: X86_FEATURE_* without which it cannot be executed; or 0
 */
struct insn_snippet {
	unsigned long	start;
	unsigned long	probe;
	long		kind;
	unsigned long	feature;
};

extern const struct insn_snippet insn_kunit_first[], insn_kunit_last[];

/* Before and after a snippet: what it finds and what it has left. */
extern struct pt_regs insn_kunit_regs;
extern unsigned long insn_kunit_memory[INSN_MEMORY];
DECLARE_PER_CPU(unsigned long, insn_kunit_pcpu);

void insn_kunit_run(unsigned long start);
void insn_kunit_done(void);

#endif /* __ASSEMBLY__ */

#endif /* _ARCH_X86_KERNEL_KPROBES_INSN_KUNIT_H */
