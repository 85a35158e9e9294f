// SPDX-License-Identifier: GPL-2.0
/*
 * Changing text: of sites, and of trampolines that are in use.
 *
 * Sites and the calls in trampolines are instructions of five bytes; the base
 * kernel's batched text patching changes them: while it does, who comes there
 * takes an int3 and executes the new instruction by emulation.
 */
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/memory.h>
#include <linux/uaccess.h>

#include <asm/alternative.h>
#include <asm/text-patching.h>

#include "../../../../kernel/trace/ftrace/arch.h"
#include "../../../../kernel/trace/ftrace/internal.h"
#include "emit_kernel.h"
#include "layout.h"

/* The text of a site that calls @target, 0 for none. */
static void site_text(u8 *text, unsigned long ip, unsigned long target)
{
	if (target)
		__text_gen_insn(text, CALL_INSN_OPCODE, (void *)ip,
				(void *)target, CALL_INSN_SIZE);
	else
		memcpy(text, x86_nops[MCOUNT_INSN_SIZE], MCOUNT_INSN_SIZE);
}

unsigned long arch_ftrace_site_of(unsigned long entry)
{
	return entry;
}

void arch_ftrace_site_init(unsigned long ip)
{
	u8 nop[MCOUNT_INSN_SIZE];

	if (!arch_ftrace_site_is(ip, (unsigned long)__fentry__))
		return;
	site_text(nop, ip, 0);
	text_poke_early((void *)ip, nop, sizeof(nop));
}

bool arch_ftrace_site_is(unsigned long ip, unsigned long target)
{
	u8 want[MCOUNT_INSN_SIZE], have[MCOUNT_INSN_SIZE];

	site_text(want, ip, target);
	return !copy_from_kernel_nofault(have, (void *)ip, sizeof(have)) &&
	       !memcmp(want, have, sizeof(want));
}

bool arch_ftrace_target_reachable(unsigned long ip, unsigned long target)
{
	long rel = target - (ip + CALL_INSN_SIZE);

	/* From the top of the address space user memory is in reach, too. */
	return rel == (s32)rel && (long)target < 0;
}

void arch_ftrace_patch_begin(void)
{
	mutex_lock(&text_mutex);
}

void arch_ftrace_patch_end(void)
{
	text_poke_finish();
	mutex_unlock(&text_mutex);
}

void arch_ftrace_patch_site(unsigned long ip, unsigned long target)
{
	u8 text[MCOUNT_INSN_SIZE];

	site_text(text, ip, target);
	text_poke_queue((void *)ip, text, sizeof(text), NULL);
}

void arch_ftrace_patch_call(struct ftrace_chain *chain, unsigned int idx,
			    unsigned long target)
{
	struct ftrace_call *call = &chain->call[idx];
	unsigned long at = chain->text + call->offset;
	u8 text[MCOUNT_INSN_SIZE];

	if (!(call->flags & FTRACE_CALL_DIRECT))
		site_text(text, at, target);
	else if (target)
		__text_gen_insn(text, JMP32_INSN_OPCODE, (void *)at,
				(void *)target, JMP32_INSN_SIZE);
	else
		return_insn(text, at);
	text_poke_queue((void *)at, text, sizeof(text), NULL);
}

/* All executable memory is in reach of all other. */
bool arch_ftrace_entry_reaches(unsigned long text, unsigned long to)
{
	return true;
}

void arch_ftrace_patch_entry(unsigned long text, unsigned long to)
{
	u8 jump[JMP32_INSN_SIZE];

	BUILD_BUG_ON(JMP32_INSN_SIZE > ENTRY_INSN_SIZE);
	__text_gen_insn(jump, JMP32_INSN_OPCODE, (void *)text, (void *)to,
			JMP32_INSN_SIZE);
	text_poke_queue((void *)text, jump, sizeof(jump), NULL);
}

/* Trampolines made before mitigations were chosen return as if none were. */
static void __init mend_return(struct ftrace_chain *chain)
{
	unsigned long at = chain->text + chain->frame_end;
	u8 code[RETURN_INSN_SIZE];

	if (ftrace_chain_direct(chain))
		return;
	return_insn(code, at);
	text_poke_queue((void *)at, code, sizeof(code), NULL);
}

static int __init mend_returns(void)
{
	mutex_lock(&ftrace_lock);
	arch_ftrace_patch_begin();
	ftrace_tramp_each(mend_return);
	arch_ftrace_patch_end();
	mutex_unlock(&ftrace_lock);
	return 0;
}
early_initcall(mend_returns);
