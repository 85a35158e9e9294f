// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on the entries and returns of many functions.  One is a callback in the
 * chains of its functions, and a hook of their returns if it has an exit handler.
 *
 * While handlers of one run on a CPU, others that come there are missed: as
 * callbacks are that take the recursion guard and, where the owner says so,
 * kprobes.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/rethook.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "../ftrace_internal.h"
#include "../hooks/quiesce.h"

/* Who is registered. */
static DEFINE_MUTEX(fprobe_lock);

/**
 * struct fprobe_call - a call of a probed function
 * @node:       the return that is waited for
 * @entry_ip:   the function's hook
 * @entry_data: fprobe.entry_data_size bytes of the owner's
 */
struct fprobe_call {
	struct rethook_node	node;
	unsigned long		entry_ip;
	char			entry_data[] __aligned(sizeof(long));
};

/* ---- What a hit runs -------------------------------------------------- */

/* Several CPUs may count at a time, and an NMI among them. */
static_assert(sizeof(atomic_long_t) == sizeof_field(struct fprobe, nmissed));

static nokprobe_inline void miss(struct fprobe *fp)
{
	raw_atomic_long_inc((atomic_long_t *)&fp->nmissed);
}

/* Return: what end() wants; negative: this call is missed. */
static nokprobe_inline int begin(struct fprobe *fp, unsigned long ip,
				 unsigned long parent_ip)
{
	int bit;

	if (!rcu_is_watching())
		return -1;
	bit = ftrace_test_recursion_trylock(ip, parent_ip);
	if (bit < 0 || !fprobe_shared_with_kprobes(fp))
		return bit;
	if (kprobe_running()) {
		ftrace_test_recursion_unlock(bit);
		return -1;
	}
	kprobe_busy_begin();
	return bit;
}

static nokprobe_inline void end(struct fprobe *fp, int bit)
{
	if (fprobe_shared_with_kprobes(fp))
		kprobe_busy_end();
	ftrace_test_recursion_unlock(bit);
}

static nokprobe_inline void *data_of(struct fprobe *fp,
				     struct fprobe_call *call)
{
	return fp->entry_data_size ? call->entry_data : NULL;
}

/* For a probe that waits for returns. */
static nokprobe_inline void enter(struct fprobe *fp, unsigned long ip,
				  unsigned long parent_ip,
				  struct pt_regs *regs)
{
	struct rethook_node *node = rethook_try_get(fp->rethook);
	struct fprobe_call *call;

	if (!node) {
		miss(fp);
		return;
	}
	call = container_of(node, struct fprobe_call, node);
	call->entry_ip = ip;
	if (fp->entry_handler &&
	    fp->entry_handler(fp, ip, parent_ip, regs, data_of(fp, call)))
		rethook_recycle(node);
	else
		rethook_hook(node, regs, true);
}

static void fprobe_hit(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct fprobe *fp = container_of(ops, struct fprobe, ops);
	struct pt_regs *regs = ftrace_get_regs(fregs);
	int bit;

	if (fprobe_disabled(fp))
		return;
	bit = begin(fp, ip, parent_ip);
	if (bit < 0) {
		miss(fp);
		return;
	}
	if (fp->exit_handler)
		enter(fp, ip, parent_ip, regs);
	else if (fp->entry_handler)
		fp->entry_handler(fp, ip, parent_ip, regs, NULL);
	end(fp, bit);
}

NOKPROBE_SYMBOL(fprobe_hit);

static void fprobe_left(struct rethook_node *node, void *data,
			unsigned long ret_addr, struct pt_regs *regs)
{
	struct fprobe *fp = data;
	struct fprobe_call *call;
	int bit;

	if (fprobe_disabled(fp))
		return;
	call = container_of(node, struct fprobe_call, node);
	bit = begin(fp, call->entry_ip, ret_addr);
	if (bit < 0) {
		miss(fp);
		return;
	}
	fp->exit_handler(fp, call->entry_ip, ret_addr, regs, data_of(fp, call));
	end(fp, bit);
}

NOKPROBE_SYMBOL(fprobe_left);

/* ---- Registering ------------------------------------------------------ */

/* As many calls as there may be, where the owner did not say a number. */
static int make_rethook(struct fprobe *fp)
{
	struct rethook *rh;
	int size;

	fp->rethook = NULL;
	if (!fp->exit_handler)
		return 0;
	if (fp->nr_maxactive < 0 || fp->entry_data_size > KMALLOC_MAX_CACHE_SIZE)
		return -EINVAL;
	size = sizeof(struct fprobe_call) + fp->entry_data_size;
	rh = rethook_alloc(fp, fprobe_left, size, fp->nr_maxactive);
	if (IS_ERR(rh))
		return PTR_ERR(rh);
	fp->rethook = rh;
	return 0;
}

/* Handlers do not run any more; calls may be under way. */
static void drop_rethook(struct fprobe *fp)
{
	struct rethook *rh = fp->rethook;

	fp->rethook = NULL;
	if (!rh)
		return;
	rethook_stop(rh);
	ftrace_quiesce();
	rethook_free(rh);
}

static void forget(struct fprobe *fp)
{
	drop_rethook(fp);
	ftrace_free_filter(&fp->ops);
	memset(&fp->ops, 0, sizeof(fp->ops));
}

/* The filter of a new probe is set by @set_filter from @arg. */
static int register_with(struct fprobe *fp,
			 int (*set_filter)(struct ftrace_ops *ops, void *arg),
			 void *arg)
{
	int ret;

	mutex_lock(&fprobe_lock);
	if (fprobe_is_registered(fp)) {
		ret = -EEXIST;
		goto out;
	}
	memset(&fp->ops, 0, sizeof(fp->ops));
	fp->ops.func = fprobe_hit;
	fp->ops.flags = FTRACE_OPS_FL_SAVE_REGS;
	fp->nmissed = 0;
	ret = make_rethook(fp);
	ret = ret ?: set_filter(&fp->ops, arg);
	ret = ret ?: register_ftrace_function(&fp->ops);
	if (ret)
		forget(fp);
out:
	mutex_unlock(&fprobe_lock);
	return ret;
}

/**
 * fprobe_is_registered - whether a probe is registered
 * @fp: the probe
 *
 * Context: any.
 * Return: whether it is.
 */
bool fprobe_is_registered(struct fprobe *fp)
{
	return fp && READ_ONCE(fp->ops.flags) & FTRACE_OPS_FL_ENABLED;
}

/* Patterns: @filter less @notfilter. */
struct patterns {
	const char *filter;
	const char *notfilter;
};

static int apply(struct ftrace_ops *ops, const char *pattern,
		 int (*set)(struct ftrace_ops *ops, unsigned char *buf, int len,
			    int reset))
{
	char *copy = kstrdup(pattern, GFP_KERNEL);
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = set(ops, copy, strlen(copy), 0);
	kfree(copy);
	return ret;
}

static int filter_patterns(struct ftrace_ops *ops, void *arg)
{
	struct patterns *patterns = arg;
	int ret = apply(ops, patterns->filter, ftrace_set_filter);

	if (!ret && patterns->notfilter)
		ret = apply(ops, patterns->notfilter, ftrace_set_notrace);
	return ret;
}

/**
 * register_fprobe - probe the functions whose names match
 * @fp:        the probe
 * @functions: a pattern, as in set_ftrace_filter of tracefs
 * @but_not:   of those, which ones not; or NULL
 *
 * Context: process, may sleep.
 * Return: 0, or with nothing registered:
 * -EINVAL	nothing matches, or the probe's sizes are absurd
 * -EEXIST	it is registered
 * -ENOMEM	no memory
 */
int register_fprobe(struct fprobe *fp, const char *functions,
		    const char *but_not)
{
	struct patterns patterns = { functions, but_not };

	if (!fp || !functions || !*functions || *functions == '!')
		return -EINVAL;
	return register_with(fp, filter_patterns, &patterns);
}
EXPORT_SYMBOL_GPL(register_fprobe);

struct addresses {
	unsigned long *addrs;
	int num;
};

static int filter_addresses(struct ftrace_ops *ops, void *arg)
{
	struct addresses *at = arg;

	return ftrace_set_filter_ips(ops, at->addrs, at->num, 0, 0);
}

/**
 * register_fprobe_ips - probe the functions at some addresses
 * @fp:  the probe
 * @ips: addresses of functions or of their hooks
 * @nr:  how many
 *
 * Context: process, may sleep.
 * Return: as register_fprobe(); -EINVAL also where an address is no function's.
 */
int register_fprobe_ips(struct fprobe *fp, unsigned long *ips, int nr)
{
	struct addresses at = { ips, nr };

	if (!fp || !ips || nr <= 0)
		return -EINVAL;
	return register_with(fp, filter_addresses, &at);
}
EXPORT_SYMBOL_GPL(register_fprobe_ips);

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char **)a, *(const char **)b);
}

static int look_up(const char **syms, int num, unsigned long *addrs)
{
	const char **sorted;
	int i, nr = 0, ret;

	sorted = kvmemdup(syms, array_size(num, sizeof(*syms)), GFP_KERNEL);
	if (!sorted)
		return -ENOMEM;
	sort(sorted, num, sizeof(*sorted), compare_names, NULL);
	for (i = 0; i < num; i++) {
		if (!nr || strcmp(sorted[nr - 1], sorted[i]))
			sorted[nr++] = sorted[i];
	}
	ret = ftrace_lookup_symbols(sorted, nr, addrs);
	kvfree(sorted);
	return ret == -ESRCH ? -ENOENT : ret ?: nr;
}

/**
 * register_fprobe_syms - probe functions by name
 * @fp:    the probe
 * @names: names of functions
 * @nr:    how many
 *
 * Context: process, may sleep.
 * Return: as register_fprobe(); -ENOENT where a name is no function's that can
 * be hooked.
 */
int register_fprobe_syms(struct fprobe *fp, const char **names, int nr)
{
	unsigned long *ips;
	int i, ret;

	if (!fp || !names || nr <= 0)
		return -EINVAL;
	for (i = 0; i < nr; i++) {
		if (!names[i])
			return -EINVAL;
	}
	ips = kvcalloc(nr, sizeof(*ips), GFP_KERNEL);
	if (!ips)
		return -ENOMEM;
	ret = look_up(names, nr, ips);
	if (ret > 0)
		ret = register_fprobe_ips(fp, ips, ret);
	kvfree(ips);
	return ret;
}
EXPORT_SYMBOL_GPL(register_fprobe_syms);

/**
 * unregister_fprobe - take a probe away
 * @fp: the probe
 *
 * When this returns no handler of it runs, or will; nothing is held for it, and
 * it can be registered again.
 *
 * Context: process, may sleep; not from a handler.
 * Return: 0; -EINVAL: it is not registered.
 */
int unregister_fprobe(struct fprobe *fp)
{
	int ret = -EINVAL;

	mutex_lock(&fprobe_lock);
	if (fprobe_is_registered(fp)) {
		ret = unregister_ftrace_function(&fp->ops);
		if (!ret)
			forget(fp);
	}
	mutex_unlock(&fprobe_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(unregister_fprobe);
