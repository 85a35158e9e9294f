// SPDX-License-Identifier: GPL-2.0
/*
 * Direct calls: a function calls the owner's own trampoline, as BPF makes them.
 *
 * A direct call is the last call of a chain.  Where it is the only one, the
 * site calls its target itself; else the chain's trampoline ends with a jump
 * there instead of returning.
 *
 * A function has at most one.  It may meet an ops that redirects the function
 * only if its owner agrees, by its ops_func:
 *
 *	a direct call comes, a redirecting ops is there:	asked SELF
 *	a redirecting ops comes, a direct call is there:	asked ENABLE_PEER
 *	a redirecting ops has gone, a direct call is there:	told DISABLE_PEER
 *
 * Asked or told as a peer, the owner may change its target from inside the
 * call (modify_ftrace_direct_nolock()).  So peers are asked before anything is
 * planned, with the direct lock held, which keeps direct calls from coming and
 * going, but not ftrace_lock.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/export.h>

#include "arch.h"
#include "internal.h"

/* The direct lock: which functions have a direct call, and its target. */
DEFINE_MUTEX(ftrace_direct_lock);

/* The ops of the direct call at an address, or NULL. */
static struct ftrace_ops *direct_owner(unsigned long ip)
{
	struct ftrace_ops *ops = NULL;
	struct ftrace_site *site;
	struct ftrace_call *call;

	mutex_lock(&ftrace_lock);
	site = ftrace_site_find(ip);
	call = site ? ftrace_chain_direct(site->chain) : NULL;
	if (call && !(call->flags & FTRACE_CALL_GONE))
		ops = call->ops;
	mutex_unlock(&ftrace_lock);
	return ops;
}

static int command_peers(struct ftrace_ops *ops, enum ftrace_ops_cmd cmd)
{
	struct ftrace_ops *owner, *last = NULL;
	struct ftrace_set *filter;
	unsigned int i;
	int ret;

	/* Its owner does not change it while it (un)registers. */
	filter = rcu_dereference_protected(ops->func_hash->filter, true);
	for (i = 0; filter && i < filter->nr; i++) {
		owner = direct_owner(filter->ip[i]);
		if (!owner || owner == last)
			continue;
		last = owner;
		ret = owner->ops_func ? owner->ops_func(owner, cmd) : -EBUSY;
		if (ret && cmd == FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER)
			return ret;
	}
	return 0;
}

/**
 * ftrace_direct_ask_peers - whether a redirecting ops may join direct calls
 * @ops: the ops, about to be registered
 *
 * Context: the direct lock is held, ftrace_lock is not; may sleep.
 * Return: 0; -EBUSY or what an owner answered where it may not.
 */
int ftrace_direct_ask_peers(struct ftrace_ops *ops)
{
	return command_peers(ops, FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER);
}

/**
 * ftrace_direct_tell_peers - tell direct calls that a redirecting ops has gone
 * @ops: the ops
 *
 * Context: as ftrace_direct_ask_peers().
 */
void ftrace_direct_tell_peers(struct ftrace_ops *ops)
{
	command_peers(ops, FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER);
}

/* Whether sites can call a target, and the owner agrees with who is there. */
static int check_sites(struct ftrace_ops *ops, const struct ftrace_set *filter,
		       unsigned long addr)
{
	bool asked = false;
	unsigned int i;
	int ret;

	for (i = 0; i < filter->nr; i++) {
		struct ftrace_site *site = ftrace_site_find(filter->ip[i]);

		if (!site)
			continue;
		if (!arch_ftrace_target_reachable(site->ip, addr))
			return -EINVAL;
		if (asked || !site->chain ||
		    !(ftrace_chain_flags(site->chain) & FTRACE_CALL_IPMODIFY))
			continue;
		if (!ops->ops_func)
			return -EBUSY;
		ret = ops->ops_func(ops,
				    FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF);
		if (ret)
			return ret;
		asked = true;
	}
	return 0;
}

static int attach_direct(struct ftrace_ops *ops, unsigned long addr)
{
	struct ftrace_set *filter = ftrace_ops_list(ops, FTRACE_LIST_FILTER);
	int ret;

	if (ftrace_dead)
		return -ENODEV;
	if (ftrace_ops_registered(ops) || !addr || !filter || !filter->nr)
		return -EINVAL;
	ret = check_sites(ops, filter, addr);
	if (ret)
		return ret;

	ops->direct_call = addr;
	ops->flags |= FTRACE_OPS_FL_DIRECT;
	ret = ftrace_ops_attach(ops, true);
	if (ret)
		ops->flags &= ~FTRACE_OPS_FL_DIRECT;
	return ret;
}

/**
 * register_ftrace_direct - let functions call a trampoline of one's own
 * @ops:  an ops with a filter and without func
 * @addr: what its functions call, as the compiler's call at their entry would;
 *	  within reach of a call
 *
 * Context: process, may sleep.
 * Return: 0, or with nothing changed:
 * -EINVAL	the ops has a func or trampoline, no filter, or is registered;
 *		@addr is out of reach
 * -EBUSY	a function has a direct call already, or is redirected and the
 *		ops has no ops_func to be asked by
 * other	the answer of @ops->ops_func; else as register_ftrace_function()
 */
int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	int ret;

	if (ops->func || ops->trampoline ||
	    !(ops->flags & FTRACE_OPS_FL_INITIALIZED))
		return -EINVAL;

	ftrace_ops_init(ops);
	mutex_lock(&ftrace_direct_lock);
	mutex_lock(&ftrace_lock);
	ret = attach_direct(ops, addr);
	mutex_unlock(&ftrace_lock);
	mutex_unlock(&ftrace_direct_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(register_ftrace_direct);

static bool direct_registered(struct ftrace_ops *ops)
{
	return ftrace_ops_registered(ops) &&
	       (ops->saved_flags & FTRACE_OPS_FL_DIRECT);
}

/**
 * unregister_ftrace_direct - take a direct call away
 * @ops:          its ops
 * @addr:         its target
 * @free_filters: also do ftrace_free_filter(); else it may be registered again
 *
 * When it returns nobody is on the way to the target; tasks may be in it.
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL where the ops is not registered as a direct call.
 */
int unregister_ftrace_direct(struct ftrace_ops *ops, unsigned long addr,
			     bool free_filters)
{
	int ret = -EINVAL;

	mutex_lock(&ftrace_direct_lock);
	mutex_lock(&ftrace_lock);
	if (direct_registered(ops)) {
		ftrace_ops_detach(ops);
		ops->flags &= ~FTRACE_OPS_FL_DIRECT;
		ops->saved_flags = 0;
		ops->func = NULL;
		ops->trampoline = 0;
		ret = 0;
	}
	mutex_unlock(&ftrace_lock);
	mutex_unlock(&ftrace_direct_lock);
	if (ret)
		return ret;

	ftrace_quiesce();
	if (free_filters)
		ftrace_free_filter(ops);
	return 0;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_direct);

static int retarget(struct ftrace_ops *ops, unsigned long addr)
{
	struct ftrace_set *filter;
	unsigned long before;
	int ret;

	if (ftrace_dead)
		return -ENODEV;
	if (!direct_registered(ops) || !addr)
		return -EINVAL;
	filter = ftrace_ops_list(ops, FTRACE_LIST_FILTER);
	ret = check_sites(ops, filter, addr);
	if (ret)
		return ret;

	before = ops->direct_call;
	ops->direct_call = addr;
	ret = ftrace_ops_redecide(ops);
	if (ret)
		ops->direct_call = before;
	else
		ftrace_mute(ops, addr);
	return ret;
}

/**
 * modify_ftrace_direct_nolock - modify_ftrace_direct() from inside an ops_func
 * @ops:  its ops
 * @addr: the new target
 *
 * Context: the direct lock is held further up the stack, ftrace_lock is not.
 * Return: as modify_ftrace_direct().
 */
int modify_ftrace_direct_nolock(struct ftrace_ops *ops, unsigned long addr)
{
	int ret;

	lockdep_assert_held_once(&ftrace_direct_lock);
	mutex_lock(&ftrace_lock);
	ret = retarget(ops, addr);
	mutex_unlock(&ftrace_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(modify_ftrace_direct_nolock);

/**
 * modify_ftrace_direct - change the target of a direct call
 * @ops:  its ops
 * @addr: the new target
 *
 * Each call of the functions goes to the old target or to the new; when this
 * returns the old one is not entered any more.
 *
 * Context: process, may sleep.
 * Return: 0, or with nothing changed: -EINVAL where the ops is not registered
 * as a direct call or @addr is out of reach; -EBUSY, or what its owner answered,
 * where a function is redirected; -ENODEV; -EILSEQ; -ENOMEM.
 */
int modify_ftrace_direct(struct ftrace_ops *ops, unsigned long addr)
{
	int ret;

	mutex_lock(&ftrace_direct_lock);
	ret = modify_ftrace_direct_nolock(ops, addr);
	mutex_unlock(&ftrace_direct_lock);
	return ret;
}
EXPORT_SYMBOL_GPL(modify_ftrace_direct);
