// SPDX-License-Identifier: GPL-2.0
/*
 * Text that goes: of modules, and of init sections.  Their probes are disarmed
 * while the text is still there, and stay registered as gone.
 */
#include <linux/module.h>

#include <asm/sections.h>

#include "internal.h"

#ifdef CONFIG_MODULES

static void memory_gone(const struct module_memory *mem)
{
	unsigned long start = (unsigned long)mem->base;

	if (mem->size)
		kprobe_text_gone(start, start + mem->size);
}

static int module_changed(struct notifier_block *nb, unsigned long state,
			  void *data)
{
	struct module *mod = data;

	if (state != MODULE_STATE_GOING && state != MODULE_STATE_LIVE)
		return NOTIFY_DONE;
	memory_gone(&mod->mem[MOD_INIT_TEXT]);
	if (state == MODULE_STATE_GOING)
		memory_gone(&mod->mem[MOD_TEXT]);
	return NOTIFY_DONE;
}

static struct notifier_block module_notifier = {
	.notifier_call	= module_changed,
};

static int __init watch_modules(void)
{
	return register_module_notifier(&module_notifier);
}
early_initcall(watch_modules);

#endif /* CONFIG_MODULES */

/**
 * kprobe_free_init_mem - let probes in the kernel's init text be gone
 *
 * Context: process, at the end of boot.
 */
void kprobe_free_init_mem(void)
{
	kprobe_text_gone((unsigned long)__init_begin, (unsigned long)__init_end);
}
