// SPDX-License-Identifier: GPL-2.0
/*
 * Trampolines: code that is generated for chains, in a pool of executable
 * memory.  Unwinders trace an address back to its chain, from NMI too; chains
 * live on for an RCU grace period after they can't be found any more.
 *
 * Changes happen under ftrace_lock.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/perf_event.h>
#include <linux/slab.h>

#include "../hooks/text_pool.h"
#include "arch.h"
#include "internal.h"

/* perf is told of each trampoline. */
static struct text_pool tramp_pool =
	TEXT_POOL_INIT(tramp_pool, 64, EXECMEM_FTRACE, NULL);

/**
 * ftrace_tramp_owner - the chain whose trampoline an address is in
 * @addr: the address
 *
 * Context: any, under RCU or with preemption off; the chain stays for as long.
 * Return: the chain, or NULL.
 */
struct ftrace_chain *ftrace_tramp_owner(unsigned long addr)
{
	return text_pool_owner(&tramp_pool, addr);
}

/**
 * is_ftrace_trampoline - whether an address is in code that we generated
 * @addr: the address
 *
 * Context: any, with RCU watching.
 * Return: true from before the first use until after the last task has left.
 */
bool is_ftrace_trampoline(unsigned long addr)
{
	return text_pool_has(&tramp_pool, addr);
}

static void tell_perf(struct ftrace_chain *chain, const void *text, bool gone)
{
	if (!gone)
		perf_event_text_poke((void *)chain->text, NULL, 0, text,
				     chain->size);
	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, chain->text,
			   chain->size, gone, FTRACE_TRAMPOLINE_SYM);
}

static bool only_direct(const struct ftrace_chain *chain)
{
	return chain->nr == 1 && (chain->flags & FTRACE_CALL_DIRECT) &&
	       !chain->counted;
}

/**
 * ftrace_tramp_build - give a chain what its sites will call
 * @chain: the chain; nothing is done where it has that already
 *
 * Context: ftrace_lock is held; may sleep.
 * Return: 0, or -ENOMEM.
 */
int ftrace_tramp_build(struct ftrace_chain *chain)
{
	unsigned long at;
	size_t size;
	void *text;

	if (chain->entry)
		return 0;
	if (only_direct(chain)) {
		chain->entry = chain->call[0].func;
		return 0;
	}

	size = arch_ftrace_tramp_emit(chain, NULL, 0);
	text = kvmalloc(size, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	at = text_pool_take(&tramp_pool, size, chain);
	if (at) {
		arch_ftrace_tramp_emit(chain, text, at);
		arch_text_write((void *)at, text, size);
		chain->size = size;
		chain->text = at;
		chain->entry = at;
		tell_perf(chain, text, false);
	}
	kvfree(text);
	return at ? 0 : -ENOMEM;
}

/**
 * ftrace_tramp_free - take a chain's trampoline away
 * @chain: the chain; no task is in the trampoline, no site calls it.  It must
 *	   not be freed before an RCU grace period has passed
 *
 * Context: ftrace_lock is held; may sleep.
 */
void ftrace_tramp_free(struct ftrace_chain *chain)
{
	if (!chain->size)
		return;
	tell_perf(chain, NULL, true);
	text_pool_give(&tramp_pool, chain->text, chain->size);
	chain->size = 0;
}

static void (*each_fn)(struct ftrace_chain *chain);

static void each_owner(void *owner)
{
	each_fn(owner);
}

/**
 * ftrace_tramp_each - do something with each trampoline there is
 * @fn: what to do with its chain
 *
 * Context: ftrace_lock is held.
 */
void ftrace_tramp_each(void (*fn)(struct ftrace_chain *chain))
{
	each_fn = fn;
	text_pool_each(&tramp_pool, each_owner);
}

/**
 * ftrace_tramp_kallsym - enumerate blocks, for /proc/kallsyms
 * @nr:    number of the block, from 0
 * @value: its address
 *
 * Context: any.
 * Return: 0, or -ERANGE where there are fewer.
 */
int ftrace_tramp_kallsym(unsigned int nr, unsigned long *value)
{
	return text_pool_block(&tramp_pool, nr, value);
}
