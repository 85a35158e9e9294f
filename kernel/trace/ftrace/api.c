// SPDX-License-Identifier: GPL-2.0
/*
 * The calls that owners of an ops make: registration, and changes of its lists
 * by pattern and by address.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/export.h>
#include <linux/slab.h>

#include "internal.h"

/* A peer that is busy is asked again so often; it sleeps meanwhile. */
#define PEER_ATTEMPTS	100

static int attach_redirecting(struct ftrace_ops *ops)
{
	int ret;

	mutex_lock(&ftrace_direct_lock);
	ret = ftrace_direct_ask_peers(ops);
	if (!ret) {
		mutex_lock(&ftrace_lock);
		ret = ftrace_ops_attach(ops, true);
		mutex_unlock(&ftrace_lock);
	}
	mutex_unlock(&ftrace_direct_lock);
	return ret;
}

static int attach(struct ftrace_ops *ops)
{
	int ret, attempt = 0;

	ftrace_ops_init(ops);
	if (!(ops->flags & FTRACE_OPS_FL_IPMODIFY)) {
		mutex_lock(&ftrace_lock);
		ret = ftrace_ops_attach(ops, false);
		mutex_unlock(&ftrace_lock);
		return ret;
	}

	/* Whoever keeps the peer busy may be waiting for the direct lock. */
	do {
		ret = attach_redirecting(ops);
	} while (ret == -EAGAIN && ++attempt < PEER_ATTEMPTS);
	return ret;
}

/**
 * register_ftrace_function - have a callback called at functions' entries
 * @ops: the ops; its func is set, its lists say which functions
 *
 * The callback may be called before this returns.
 *
 * Context: process, may sleep.
 * Return: 0, or with nothing changed:
 * -EINVAL	no func; a redirecting ops without a filter; SAVE_REGS where the
 *		architecture has no complete registers; its trace array is gone
 * -EBUSY	it is registered already; it redirects, and so does another ops
 *		on a function, or that has a direct call whose owner refuses; it
 *		is PERMANENT and kernel.ftrace_enabled is 0
 * -EILSEQ	the text of a function that the filter names was changed by
 *		somebody else
 * -ENODEV	function tracing is off for good
 * -ENOMEM	no memory
 * other	the answer of a direct call's owner
 */
int register_ftrace_function(struct ftrace_ops *ops)
{
	ops->flags &= ~FTRACE_OPS_FL_PROBE;
	return attach(ops);
}
EXPORT_SYMBOL_GPL(register_ftrace_function);

/**
 * register_ftrace_probe - as register_ftrace_function(), for probes
 * @ops: the ops of kprobes or of an fprobe
 *
 * Its callback may redirect the function without being the only one to.
 *
 * Context: process, may sleep.
 * Return: as register_ftrace_function().
 */
int register_ftrace_probe(struct ftrace_ops *ops)
{
	ops->flags |= FTRACE_OPS_FL_PROBE;
	return attach(ops);
}

/**
 * unregister_ftrace_function - take a callback away
 * @ops: a registered ops
 *
 * When it returns no CPU is in the callback or will come to it: what belongs
 * to the ops may be freed.
 *
 * Context: process, may sleep.
 * Return: 0; -EBUSY where the ops is not registered.
 */
int unregister_ftrace_function(struct ftrace_ops *ops)
{
	bool redirects = ops->saved_flags & FTRACE_OPS_FL_IPMODIFY;
	int ret = -EBUSY;

	if (redirects)
		mutex_lock(&ftrace_direct_lock);
	mutex_lock(&ftrace_lock);
	if (ftrace_ops_registered(ops) &&
	    !(ops->saved_flags & FTRACE_OPS_FL_DIRECT)) {
		ftrace_ops_detach(ops);
		ret = 0;
	}
	mutex_unlock(&ftrace_lock);
	if (redirects) {
		if (!ret)
			ftrace_direct_tell_peers(ops);
		mutex_unlock(&ftrace_direct_lock);
	}
	if (ret)
		return ret;

	ftrace_quiesce();
	return 0;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_function);

/* ---- Lists ------------------------------------------------------------ */

/* A set from which the last function was removed is not set any more. */
static struct ftrace_set *unset_if_emptied(struct ftrace_set *set)
{
	if (!set || set->nr)
		return set;
	ftrace_set_free(set);
	return NULL;
}

/* What a change starts from: a copy of the list, or nothing. */
static struct ftrace_set *draft_of(struct ftrace_ops *ops,
				   enum ftrace_list which, int reset)
{
	return reset ? NULL : ftrace_ops_copy_list(ops, which);
}

static int finish_draft(struct ftrace_ops *ops, enum ftrace_list which,
			struct ftrace_set *draft, int ret)
{
	if (!ret) {
		draft = unset_if_emptied(draft);
		ret = ftrace_ops_set_list(ops, which, draft);
	}
	if (ret)
		ftrace_set_free(draft);
	return ret;
}

/* The functions that a text names, as a new set; whether to remove them. */
static int named_by(const unsigned char *buf, int len,
		    struct ftrace_set **named, bool *remove)
{
	struct ftrace_pattern pat;
	int ret;

	*named = NULL;
	if (len < 0)
		return -EINVAL;
	ret = ftrace_pattern_parse(&pat, buf, len, NULL);
	if (ret)
		return ret;
	*remove = pat.negate;
	pat.negate = false;
	ret = ftrace_set_apply_pattern(named, &pat);
	ftrace_pattern_free(&pat);
	if (!ret)
		return -EINVAL;
	return ret < 0 ? ret : 0;
}

static int change_by_pattern(struct ftrace_ops *ops, enum ftrace_list which,
			     const unsigned char *buf, int len, int reset)
{
	struct ftrace_set *named = NULL;
	bool remove = false;
	int ret = 0;

	ftrace_ops_init(ops);
	mutex_lock(&ops->func_hash->regex_lock);
	if (buf)
		ret = named_by(buf, len, &named, &remove);
	if (!ret && reset) {
		/* From nothing, nothing is removed. */
		ret = ftrace_ops_set_list(ops, which, remove ? NULL : named);
		if (!ret && !remove)
			named = NULL;
	} else if (!ret && named) {
		ret = ftrace_ops_edit_list(ops, which, named, remove);
	}
	ftrace_set_free(named);
	mutex_unlock(&ops->func_hash->regex_lock);
	return ret;
}

/**
 * ftrace_set_filter - name the functions that an ops is wanted for
 * @ops:   the ops, registered or not
 * @buf:   a name or glob; with '!' in front: no more for those.  Only read, and
 *	   only @len bytes of it.  NULL: none
 * @len:   its length
 * @reset: non-zero: forget what was named before
 *
 * With nothing named an ops is wanted for every function.
 *
 * Context: process, may sleep.
 * Return: 0, or with nothing changed: -EINVAL where no function matches, or a
 * redirecting ops would be wanted everywhere; -ENODEV, -EBUSY, -EILSEQ,
 * -ENOMEM as register_ftrace_function().
 */
int ftrace_set_filter(struct ftrace_ops *ops, unsigned char *buf, int len,
		      int reset)
{
	return change_by_pattern(ops, FTRACE_LIST_FILTER, buf, len, reset);
}
EXPORT_SYMBOL_GPL(ftrace_set_filter);

/**
 * ftrace_set_notrace - name the functions that an ops is not wanted for
 * @ops:   the ops, registered or not
 * @buf:   as for ftrace_set_filter()
 * @len:   its length
 * @reset: non-zero: forget what this list named before
 *
 * Wins over ftrace_set_filter().
 *
 * Context: process, may sleep.
 * Return: as ftrace_set_filter(); -EINVAL also for a redirecting ops.
 */
int ftrace_set_notrace(struct ftrace_ops *ops, unsigned char *buf, int len,
		       int reset)
{
	return change_by_pattern(ops, FTRACE_LIST_NOTRACE, buf, len, reset);
}
EXPORT_SYMBOL_GPL(ftrace_set_notrace);

static int change_by_ip(struct ftrace_set **draft, unsigned long ip, int remove)
{
	unsigned long site = ftrace_location(ip);

	if (remove) {
		/* Text that is gone left its address behind. */
		return ftrace_set_del(*draft, site ?: ip) ? 0 :
		       site ? -ENOENT : -EINVAL;
	}
	return site ? ftrace_set_add(draft, site) : -EINVAL;
}

/**
 * ftrace_set_filter_ips - name functions by address
 * @ops:    the ops, registered or not
 * @ips:    addresses of functions or of their hook sites
 * @cnt:    how many
 * @remove: non-zero: the ops is no longer wanted for them
 * @reset:  non-zero: forget what was named before
 *
 * One change: at the first address that is wrong nothing is changed.
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL where an address is of no function that can be hooked;
 * -ENOENT where one to be removed is not there; else as ftrace_set_filter().
 */
int ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *ips,
			  unsigned int cnt, int remove, int reset)
{
	struct ftrace_set *draft;
	unsigned int i;
	int ret = 0;

	ftrace_ops_init(ops);
	mutex_lock(&ops->func_hash->regex_lock);
	draft = draft_of(ops, FTRACE_LIST_FILTER, reset);
	if (IS_ERR(draft)) {
		ret = -ENOMEM;
	} else {
		for (i = 0; i < cnt && !ret; i++)
			ret = change_by_ip(&draft, ips[i], remove);
		ret = finish_draft(ops, FTRACE_LIST_FILTER, draft, ret);
	}
	mutex_unlock(&ops->func_hash->regex_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(ftrace_set_filter_ips);

/**
 * ftrace_set_filter_ip - name a function by address
 * @ops:    the ops, registered or not
 * @ip:     the address of the function or of its hook site
 * @remove: non-zero: the ops is no longer wanted for it
 * @reset:  non-zero: forget what was named before
 *
 * Context: process, may sleep.
 * Return: as ftrace_set_filter_ips().
 */
int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove,
			 int reset)
{
	return ftrace_set_filter_ips(ops, &ip, 1, remove, reset);
}
EXPORT_SYMBOL_GPL(ftrace_set_filter_ip);

/**
 * ftrace_set_global_filter - ftrace_set_filter() of the top trace array
 * @buf:   as there
 * @len:   its length
 * @reset: non-zero: forget what was named before
 *
 * Context: process, may sleep.
 */
void ftrace_set_global_filter(unsigned char *buf, int len, int reset)
{
	ftrace_set_filter(&global_ops, buf, len, reset);
}
EXPORT_SYMBOL_GPL(ftrace_set_global_filter);

/**
 * ftrace_set_global_notrace - ftrace_set_notrace() of the top trace array
 * @buf:   as there
 * @len:   its length
 * @reset: non-zero: forget what was named before
 *
 * Context: process, may sleep.
 */
void ftrace_set_global_notrace(unsigned char *buf, int len, int reset)
{
	ftrace_set_notrace(&global_ops, buf, len, reset);
}
EXPORT_SYMBOL_GPL(ftrace_set_global_notrace);

/**
 * ftrace_ops_set_global_filter - let an ops follow the top trace array's lists
 * @ops: an ops whose lists were not touched yet; else nothing happens
 *
 * Context: any.
 */
void ftrace_ops_set_global_filter(struct ftrace_ops *ops)
{
	if (ops->flags & FTRACE_OPS_FL_INITIALIZED)
		return;
	ftrace_ops_init(&global_ops);
	ftrace_ops_init(ops);
	ops->func_hash = &global_ops.local_hash;
}
EXPORT_SYMBOL_GPL(ftrace_ops_set_global_filter);

/**
 * ftrace_free_filter - free an ops' own lists
 * @ops: an ops that is not registered; maybe never used
 *
 * The ops may be used again, then with every function.
 *
 * Context: process, may sleep.
 */
void ftrace_free_filter(struct ftrace_ops *ops)
{
	ftrace_ops_init(ops);
	mutex_lock(&ftrace_lock);
	if (!ftrace_ops_registered(ops)) {
		ftrace_lists_publish(&ops->local_hash, FTRACE_LIST_FILTER, NULL);
		ftrace_lists_publish(&ops->local_hash, FTRACE_LIST_NOTRACE, NULL);
	}
	mutex_unlock(&ftrace_lock);
}
EXPORT_SYMBOL_GPL(ftrace_free_filter);
