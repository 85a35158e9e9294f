/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that an architecture provides: the text of sites and of trampolines.
 * Nothing here knows an ops' flags, a filter or tracefs.
 */
#ifndef _KERNEL_TRACE_FTRACE_ARCH_H
#define _KERNEL_TRACE_FTRACE_ARCH_H

#include <linux/types.h>

struct ftrace_chain;

/*
 * Sites.  A site's target is the address that it calls, 0 for none.
 *
 * arch_ftrace_site_of():	the site that an entry of the compiler's list means;
 *	0 for none.
 * arch_ftrace_site_init():	make a site that nobody can execute yet, or on
 *	the boot CPU before others run, a nop.  Text that is none of the
 *	compiler's calls is left alone.
 * arch_ftrace_site_is():	whether the text says what we left there.
 * arch_ftrace_target_reachable(): whether sites may call an address directly.
 */
unsigned long arch_ftrace_site_of(unsigned long entry);
void arch_ftrace_site_init(unsigned long ip);
bool arch_ftrace_site_is(unsigned long ip, unsigned long target);
bool arch_ftrace_target_reachable(unsigned long ip, unsigned long target);

/*
 * Patching, in batches: any number of arch_ftrace_patch_*() between begin and
 * end, sites by ascending address.  At any moment a hit sees the old text or
 * the new.  Cannot fail; process context, may sleep; cpus_read_lock() is held,
 * so that no CPU is half-way up and in old text.
 *
 * arch_ftrace_patch_call():	retarget call number @idx of a trampoline;
 *	to 0: skip it.  The direct call of a chain is one of its calls.
 * arch_ftrace_patch_entry():	let who comes to a trampoline's text go on to
 *	another trampoline.
 * arch_ftrace_entry_reaches():	whether that can be.
 */
void arch_ftrace_patch_begin(void);
void arch_ftrace_patch_site(unsigned long ip, unsigned long target);
void arch_ftrace_patch_call(struct ftrace_chain *chain, unsigned int idx,
			    unsigned long target);
void arch_ftrace_patch_entry(unsigned long text, unsigned long to);
bool arch_ftrace_entry_reaches(unsigned long text, unsigned long to);
void arch_ftrace_patch_end(void);

/*
 * Trampolines.
 *
 * arch_ftrace_tramp_emit():	write the code of @chain's trampoline into @buf
 *	as it has to be at address @at; NULL @buf: only count.  Sets the
 *	chain's layout fields.  Returns the size; it does not depend on @at.
 */
size_t arch_ftrace_tramp_emit(struct ftrace_chain *chain, void *buf,
			      unsigned long at);

#endif /* _KERNEL_TRACE_FTRACE_ARCH_H */
