/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes on x86, in three small machines: decode says what an instruction is,
 * emulate executes one by changing registers, text copies one and writes.
 */
#ifndef _ARCH_X86_KERNEL_KPROBES_H
#define _ARCH_X86_KERNEL_KPROBES_H

#include "../../../../kernel/trace/kprobes/internal.h"

/**
 * struct kprobe_reader - text that is read forwards
 * @from: where @text is from
 * @len:  bytes of it
 * @text: as it would be without probes
 */
struct kprobe_reader {
	unsigned long	from;
	unsigned int	len;
	u8		text[128];
};

/* decode.c */
int kprobe_read_insn(unsigned long addr, u8 *buf, struct insn *insn);
int kprobe_read_next(struct kprobe_reader *reader, unsigned long addr,
		     unsigned long end, struct insn *insn);
int kprobe_classify(struct arch_kprobe_text *text, const struct insn *insn,
		    unsigned long addr);

/* emulate.c */
bool kprobe_choose_emulation(struct arch_kprobe_text *text,
			     const struct insn *insn);

/* Sorted; of the kernel, without modules. */
extern struct exception_table_entry __start___ex_table[];
extern struct exception_table_entry __stop___ex_table[];

/* reach.c */
unsigned int kprobe_jump_reach(const struct kprobe_point *point);

/* detour.c */
#ifdef CONFIG_OPTPROBES
u8 kprobe_detour_hides(const struct kprobe_point *point, unsigned int i);
/* For detours themselves. */
int kprobe_detour_hit(struct kprobe_point *point, struct pt_regs *regs);
#else
static inline u8 kprobe_detour_hides(const struct kprobe_point *point,
				     unsigned int i)
{
	return 0;
}
#endif

/* text.c */
int kprobe_relocate(u8 *copy, const struct insn *insn, unsigned long from,
		    unsigned long to);

#endif /* _ARCH_X86_KERNEL_KPROBES_H */
