// SPDX-License-Identifier: GPL-2.0
/*
 * Memory for the trampolines of those who hook functions while the kernel
 * boots: executable memory is not given out before core_initcall.
 */
#include <linux/init.h>

#include <asm/hook_text.h>

#include "layout.h"

static bool given_out;
static bool memory_is_there;

/**
 * arch_text_early - executable memory before there is any
 * @size:      set to the size of what is returned
 * @too_early: set to whether there is no other executable memory yet
 *
 * Context: a pool's lock is held; only one pool is used that early.
 * Return: the memory, full of trapping instructions, or NULL.
 */
void *arch_text_early(size_t *size, bool *too_early)
{
	*too_early = !memory_is_there;
	if (memory_is_there || given_out)
		return NULL;
	given_out = true;
	*size = EARLY_TEXT_SIZE;
	return ftrace_early_text;
}

static int __init note_memory(void)
{
	memory_is_there = true;
	return 0;
}
core_initcall_sync(note_memory);
