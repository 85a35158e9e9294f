// SPDX-License-Identifier: GPL-2.0
/*
 * Memory for code that is executed in place of probed instructions.
 *
 * A task may be preempted in it for any time.  Code that is not needed any more
 * is freed in the background, when all such tasks (tasks RCU) and all CPUs that
 * cannot be preempted (every CPU schedules) have left it.
 */
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "../hooks/quiesce.h"
#include "../hooks/text_pool.h"
#include "internal.h"

static struct text_pool pools[] = {
	[KPROBE_SLOT] = TEXT_POOL_INIT(pools[KPROBE_SLOT], 32, EXECMEM_KPROBES,
				       "kprobe_insn_page"),
	[KPROBE_DETOUR] = TEXT_POOL_INIT(pools[KPROBE_DETOUR], 64,
					 EXECMEM_KPROBES, "kprobe_optinsn_page"),
};

/*
 * Grace periods of tasks RCU are begun at intervals only: one for what goes would
 * hold up the next jump that comes.  Memory has time.
 */
#define RETIRE_DELAY	HZ

static DEFINE_MUTEX(pool_lock);
static LIST_HEAD(retired);

/* Detours that tasks may be in still, by where they go back to. */
static DEFINE_HASHTABLE(leading, 8);

static unsigned long goes_to(const struct kprobe_code *code)
{
	return code->origin + code->exit - code->copies;
}

/**
 * kprobe_code_take - memory for code
 * @kind:   which kind
 * @size:   bytes
 * @origin: the instruction in whose place it is executed
 *
 * Context: process, may sleep.
 * Return: full of trapping instructions; NULL without memory.
 */
struct kprobe_code *kprobe_code_take(enum kprobe_code_kind kind, size_t size,
				     unsigned long origin)
{
	struct kprobe_code *code = kzalloc(sizeof(*code), GFP_KERNEL);

	if (!code)
		return NULL;
	code->kind = kind;
	code->origin = origin;
	code->size = size;
	mutex_lock(&pool_lock);
	code->start = text_pool_take(&pools[kind], size, code);
	mutex_unlock(&pool_lock);
	if (code->start)
		return code;
	kfree(code);
	return NULL;
}

static void free_retired(struct work_struct *work)
{
	struct kprobe_code *code, *next;
	LIST_HEAD(leaving);

	mutex_lock(&pool_lock);
	list_splice_init(&retired, &leaving);
	mutex_unlock(&pool_lock);
	synchronize_rcu_tasks();
	ftrace_quiesce();
	list_for_each_entry_safe(code, next, &leaving, retired) {
		mutex_lock(&pool_lock);
		if (code->kind == KPROBE_DETOUR)
			hash_del(&code->leads_to);
		text_pool_give(&pools[code->kind], code->start, code->size);
		mutex_unlock(&pool_lock);
		kfree_rcu(code, rcu);
	}
}

static DECLARE_DELAYED_WORK(retire_work, free_retired);

/**
 * kprobe_code_retire - free code once the last task has left it
 * @code: the code, to which no way leads any more; or NULL
 *
 * Context: process, may sleep.
 */
void kprobe_code_retire(struct kprobe_code *code)
{
	if (!code)
		return;
	mutex_lock(&pool_lock);
	list_add_tail(&code->retired, &retired);
	if (code->kind == KPROBE_DETOUR)
		hash_add(leading, &code->leads_to, goes_to(code));
	mutex_unlock(&pool_lock);
	schedule_delayed_work(&retire_work, RETIRE_DELAY);
}

/**
 * kprobe_code_leads_to - whether a task may yet go somewhere out of a detour
 * @addr: where
 *
 * Of those that are retired.
 *
 * Context: process, may sleep.
 * Return: whether one may.
 */
bool kprobe_code_leads_to(unsigned long addr)
{
	struct kprobe_code *code;
	bool found = false;

	mutex_lock(&pool_lock);
	hash_for_each_possible(leading, code, leads_to, addr)
		found = found || goes_to(code) == addr;
	mutex_unlock(&pool_lock);
	return found;
}

/**
 * kprobe_code_at - the code that an address is in
 * @addr: the address
 *
 * Context: any, under RCU or with preemption off.
 * Return: the code, or NULL.
 */
struct kprobe_code *kprobe_code_at(unsigned long addr)
{
	return text_pool_owner(&pools[KPROBE_SLOT], addr) ?:
	       text_pool_owner(&pools[KPROBE_DETOUR], addr);
}

/**
 * is_kprobe_insn_slot - whether an address is in the copy of an instruction
 * @addr: the address
 *
 * Context: any, with RCU watching.
 * Return: whether it is.
 */
bool is_kprobe_insn_slot(unsigned long addr)
{
	return text_pool_has(&pools[KPROBE_SLOT], addr);
}

/**
 * is_kprobe_optinsn_slot - whether an address is in what a probe's jump goes to
 * @addr: the address
 *
 * Context: any, with RCU watching.
 * Return: whether it is.
 */
bool is_kprobe_optinsn_slot(unsigned long addr)
{
	return text_pool_has(&pools[KPROBE_DETOUR], addr);
}

/**
 * kprobe_get_kallsym - enumerate blocks of generated code, for /proc/kallsyms
 * @symnum: number of the block, from 0
 * @value:  set to its address
 * @type:   set to 't'
 * @sym:    set to its name
 *
 * Context: any.
 * Return: 0, or -ERANGE where there are fewer.
 */
int kprobe_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
		       char *sym)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pools); i++) {
		if (!text_pool_block(&pools[i], symnum, value)) {
			*type = 't';
			strscpy(sym, pools[i].symbol, KSYM_NAME_LEN);
			return 0;
		}
		symnum -= min(symnum, READ_ONCE(pools[i].nr));
	}
	return -ERANGE;
}
