/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that an architecture provides for probes: what an instruction is, how it
 * is executed elsewhere, and text.  It calls what hit.c has, and knows no
 * registering.
 */
#ifndef _KERNEL_TRACE_KPROBES_ARCH_H
#define _KERNEL_TRACE_KPROBES_ARCH_H

#include <linux/types.h>

#include <asm/kprobes_text.h>

struct kprobe_place;
struct kprobe_point;

/*
 * Places.
 *
 * arch_kprobe_entry():	the place for a probe at an address that may be a
 *	function's first: true, and *@addr moved behind what every function
 *	begins with, if the address is its entry.
 * arch_kprobe_no_return(): whether a function cannot have return probes.
 * arch_kprobe_check():	whether a probe may be at an address, inside the symbol
 *	that begins at @start.  0; -EILSEQ: no instruction begins there;
 *	-EINVAL: it is not for probes.
 */
bool arch_kprobe_entry(unsigned long *addr, unsigned long offset);
bool arch_kprobe_no_return(unsigned long addr);
int arch_kprobe_check(unsigned long addr, unsigned long start);

/*
 * Instructions.
 *
 * arch_kprobe_prepare(): find out how to execute the instruction at a point's
 *	address elsewhere, and make what that takes.  0; -EILSEQ, -EINVAL,
 *	-EOPNOTSUPP: it can't be; -ENOMEM.
 * arch_kprobe_prepare_post(): the same where post_handlers are to be called;
 *	once it is done nothing is to do.
 * arch_kprobe_release(): free what the above made; tasks may be in it still.
 */
int arch_kprobe_prepare(struct kprobe_point *point);
int arch_kprobe_prepare_post(struct kprobe_point *point);
void arch_kprobe_release(struct kprobe_point *point);

/*
 * Text, in batches: any number of arch_kprobe_arm() and arch_kprobe_disarm()
 * between begin and end.  When end returns each CPU sees what was written, and
 * none is in a breakpoint's handler that began before.  Process context;
 * cpus_read_lock() is held; sleeps.
 */
void arch_kprobe_text_begin(void);
void arch_kprobe_arm(struct kprobe_point *point);
void arch_kprobe_disarm(struct kprobe_point *point);
void arch_kprobe_text_end(void);

/*
 * Jumps in place of breakpoints.
 *
 * arch_kprobe_detour_make(): make what the jump of an armed point goes to.
 *	NULL: the instructions there do not allow it, or there is no memory.
 * arch_kprobe_detour_free(): free it; tasks may be in it still.
 * arch_kprobe_detour_bypass(): where in it the copies of instructions begin.
 * arch_kprobe_detour_reach(): bytes from the point's address that are the jump's.
 * arch_kprobe_detour_whole(): whether that is one instruction, or part of one.
 * arch_kprobe_jumps():	put jumps at points, or take them away: all at once, as
 *	breakpoints stand there before and afterwards.  No task is inside what
 *	is written over.  Locks as for arch_kprobe_text_begin().
 */
#ifdef CONFIG_OPTPROBES
struct arch_kprobe_detour *arch_kprobe_detour_make(struct kprobe_point *point);
void arch_kprobe_detour_free(struct arch_kprobe_detour *detour);
unsigned long arch_kprobe_detour_bypass(const struct arch_kprobe_detour *detour);
unsigned int arch_kprobe_detour_reach(const struct arch_kprobe_detour *detour);
bool arch_kprobe_detour_whole(const struct arch_kprobe_detour *detour);
void arch_kprobe_jumps(struct list_head *points, bool on);
#endif

#endif /* _KERNEL_TRACE_KPROBES_ARCH_H */
