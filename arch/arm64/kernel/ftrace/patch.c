// SPDX-License-Identifier: GPL-2.0
/*
 * Changing text: of sites, and of trampolines that are in use.
 *
 * The architecture lets a branch and a nop take each other's place while other
 * CPUs execute there: each sees the old instruction or the new one.  When a
 * batch ends all CPUs take an interrupt, and nobody has the old one any more.
 *
 * What a site cannot reach by a branch it calls through ftrace_caller, which
 * reads the site's literal.  That is valid before the site's instruction is
 * written; it is left as it was when the site calls something else, for those
 * who are on the way: they read it before what it names is freed.
 */
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include <asm/insn.h>
#include <asm/patching.h>

#include "../../../../kernel/trace/ftrace/arch.h"
#include "../../../../kernel/trace/ftrace/internal.h"
#include "layout.h"

/* Set by who changes text, under text_mutex. */
static bool text_changed;

/* The instruction before a site: mov x9, x30 */
static u32 site_prologue(void)
{
	return aarch64_insn_gen_move_reg(AARCH64_INSN_REG_9, AARCH64_INSN_REG_LR,
					 AARCH64_INSN_VARIANT_64BIT);
}

static u64 *site_literal(unsigned long ip)
{
	return (u64 *)ALIGN_DOWN(ip - 3 * AARCH64_INSN_SIZE, sizeof(u64));
}

/* A module's veneer of ftrace_caller. */
static unsigned long module_veneer(unsigned long ip)
{
	unsigned long veneer = 0;
#ifdef CONFIG_MODULES
	struct module *mod;

	preempt_disable();
	mod = __module_text_address(ip);
	if (mod && within_module_init(ip, mod))
		veneer = (unsigned long)mod->arch.init_ftrace_trampolines;
	else if (mod)
		veneer = (unsigned long)mod->arch.ftrace_trampolines;
	preempt_enable();
#endif
	return veneer;
}

/* What a site branches to in order to come to @target. */
static unsigned long site_branches_to(unsigned long ip, unsigned long target)
{
	if (branch_reaches(ip, target))
		return target;
	if (branch_reaches(ip, FTRACE_ADDR))
		return FTRACE_ADDR;
	return module_veneer(ip);
}

static u32 branch_or_nop(unsigned long at, unsigned long to)
{
	if (!to)
		return aarch64_insn_gen_nop();
	return aarch64_insn_gen_branch_imm(at, to, AARCH64_INSN_BRANCH_LINK);
}

unsigned long arch_ftrace_site_of(unsigned long entry)
{
	unsigned long ip = entry + 2 * AARCH64_INSN_SIZE;
	u32 insn;

	/* The first of the nops before the function; 0 where it is dropped. */
	if (!entry || !IS_ALIGNED(entry, sizeof(u64)) ||
	    aarch64_insn_read((void *)ip, &insn))
		return 0;
	if (aarch64_insn_is_bti(insn))
		ip += AARCH64_INSN_SIZE;
	return ip + AARCH64_INSN_SIZE;
}

static bool text_is(unsigned long at, u32 want)
{
	u32 have;

	return !aarch64_insn_read((void *)at, &have) && have == want;
}

void arch_ftrace_site_init(unsigned long ip)
{
	unsigned long at = ip - AARCH64_INSN_SIZE;

	if (text_is(ip, aarch64_insn_gen_nop()) &&
	    text_is(at, aarch64_insn_gen_nop()))
		aarch64_insn_patch_text_nosync((void *)at, site_prologue());
}

bool arch_ftrace_site_is(unsigned long ip, unsigned long target)
{
	unsigned long to = target ? site_branches_to(ip, target) : 0;
	u64 literal;

	if (!text_is(ip, branch_or_nop(ip, to)) ||
	    !text_is(ip - AARCH64_INSN_SIZE, site_prologue()))
		return false;
	if (to == target)
		return true;
	return !copy_from_kernel_nofault(&literal, site_literal(ip),
					 sizeof(literal)) && literal == target;
}

bool arch_ftrace_target_reachable(unsigned long ip, unsigned long target)
{
	return (long)target < 0 && IS_ALIGNED(target, AARCH64_INSN_SIZE);
}

void arch_ftrace_patch_begin(void)
{
	mutex_lock(&text_mutex);
}

void arch_ftrace_patch_end(void)
{
	if (text_changed)
		kick_all_cpus_sync();
	text_changed = false;
	mutex_unlock(&text_mutex);
}

static void write_insn(unsigned long at, u32 insn)
{
	if (text_is(at, insn))
		return;
	WARN_ON_ONCE(aarch64_insn_patch_text_nosync((void *)at, insn));
	text_changed = true;
}

static void write_literal(u64 *at, u64 value)
{
	WARN_ON_ONCE(aarch64_insn_write_literal_u64(at, value));
	text_changed = true;
}

void arch_ftrace_patch_site(unsigned long ip, unsigned long target)
{
	unsigned long to = target ? site_branches_to(ip, target) : 0;

	if (to != target)
		write_literal(site_literal(ip), target);
	write_insn(ip, branch_or_nop(ip, to));
}

void arch_ftrace_patch_call(struct ftrace_chain *chain, unsigned int idx,
			    unsigned long target)
{
	struct tramp_call *call = tramp_call_of(chain, idx);
	unsigned long at = chain->text + chain->call[idx].offset;

	if (chain->call[idx].flags & FTRACE_CALL_DIRECT) {
		write_literal(&call->func, target ?:
			      (unsigned long)ftrace_stub_direct_tramp);
		return;
	}
	if (target && !branch_reaches(at, target)) {
		write_literal(&call->func, target);
		target = (unsigned long)call->veneer;
	}
	write_insn(at, branch_or_nop(at, target));
}

bool arch_ftrace_entry_reaches(unsigned long text, unsigned long to)
{
	return branch_reaches(text, to);
}

void arch_ftrace_patch_entry(unsigned long text, unsigned long to)
{
	void *at[] = { (void *)text };
	u32 jump[] = {
		aarch64_insn_gen_branch_imm(text, to, AARCH64_INSN_BRANCH_NOLINK),
	};

	/* No other CPU may be there: what is replaced is no branch or nop. */
	WARN_ON_ONCE(aarch64_insn_patch_text(at, jump, ARRAY_SIZE(at)));
}
