/* SPDX-License-Identifier: GPL-2.0 */
/* Probes on x86: what the generic header and the traps need to know. */
#ifndef _ASM_X86_KPROBES_H
#define _ASM_X86_KPROBES_H

#include <asm-generic/kprobes.h>

#ifdef CONFIG_KPROBES

#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/types.h>

#include <asm/insn.h>

typedef u8 kprobe_opcode_t;

/* What there is of an instruction is in the engine's own memory. */
struct arch_specific_insn { };

int kprobe_int3_handler(struct pt_regs *regs);

#ifdef CONFIG_UNWINDER_ORC
struct orc_entry;
struct orc_entry *arch_kprobe_orc_find(unsigned long *ip);
unsigned long arch_kprobe_regs_ip(const struct pt_regs *regs, unsigned long ip,
				  unsigned long from);
#endif

#endif /* CONFIG_KPROBES */

#endif /* _ASM_X86_KPROBES_H */
