/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes on the entries and returns of many functions (struct fprobe).
 */
#ifndef _LINUX_FPROBE_H
#define _LINUX_FPROBE_H

#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/rethook.h>
#include <linux/types.h>

struct fprobe;

/**
 * typedef fprobe_entry_cb - called when a function is called
 *
 * Its parameters are the probe; the address of the function's hook, as
 * ftrace_location() has it; where the function returns to; the registers; and
 * the call's fprobe.entry_data_size bytes, or NULL.
 *
 * Context: that of the function, with preemption off.
 * Return: 0: call the exit handler for this call, with the same bytes.
 */
typedef int (*fprobe_entry_cb)(struct fprobe *fp, unsigned long entry_ip,
			       unsigned long ret_ip, struct pt_regs *regs,
			       void *entry_data);

/**
 * typedef fprobe_exit_cb - called when a function returns
 *
 * Its parameters are those of fprobe_entry_cb, with the registers at the return.
 *
 * Context: that of the function, with preemption off.
 */
typedef void (*fprobe_exit_cb)(struct fprobe *fp, unsigned long entry_ip,
			       unsigned long ret_ip, struct pt_regs *regs,
			       void *entry_data);

/**
 * struct fprobe - a probe on the entries and returns of functions
 * @ops: the engine's
 * @nmissed: calls, and returns, that handlers were not called for
 * @flags: enum fprobe_flags
 * @rethook: the engine's
 * @entry_data_size: bytes that a call has for both handlers
 * @nr_maxactive: so many calls at a time can be under way; 0: no limit
 * @entry_handler: called at entries; or NULL
 * @exit_handler: called at returns; or NULL
 *
 * The owner sets what is not the engine's, the rest is zero.
 */
struct fprobe {
#ifdef CONFIG_FUNCTION_TRACER
	struct ftrace_ops	ops;
#endif
	unsigned long		nmissed;
	unsigned int		flags;
	struct rethook		*rethook;
	size_t			entry_data_size;
	int			nr_maxactive;
	fprobe_entry_cb		entry_handler;
	fprobe_exit_cb		exit_handler;
};

/**
 * enum fprobe_flags - how a probe is called
 * @FPROBE_FL_DISABLED:      not at all, for now
 * @FPROBE_FL_KPROBE_SHARED: its handlers are kprobes' as well: a call that comes
 *	while one of those runs is missed, and the other way round
 */
enum fprobe_flags {
	FPROBE_FL_DISABLED	= BIT(0),
	FPROBE_FL_KPROBE_SHARED	= BIT(1),
};

static inline bool fprobe_disabled(struct fprobe *fp)
{
	return fp && READ_ONCE(fp->flags) & FPROBE_FL_DISABLED;
}

static inline bool fprobe_shared_with_kprobes(struct fprobe *fp)
{
	return fp && fp->flags & FPROBE_FL_KPROBE_SHARED;
}

/* From the next hit on. */
static inline void disable_fprobe(struct fprobe *fp)
{
	if (fp)
		WRITE_ONCE(fp->flags, fp->flags | FPROBE_FL_DISABLED);
}

static inline void enable_fprobe(struct fprobe *fp)
{
	if (fp)
		WRITE_ONCE(fp->flags, fp->flags & ~FPROBE_FL_DISABLED);
}

#ifdef CONFIG_FPROBE
bool fprobe_is_registered(struct fprobe *fp);
int register_fprobe(struct fprobe *fp, const char *filter,
		    const char *notfilter);
int register_fprobe_ips(struct fprobe *fp, unsigned long *addrs, int num);
int register_fprobe_syms(struct fprobe *fp, const char **syms, int num);
int unregister_fprobe(struct fprobe *fp);
#else
static inline bool fprobe_is_registered(struct fprobe *fp) { return false; }
static inline int unregister_fprobe(struct fprobe *fp) { return -EOPNOTSUPP; }

static inline int register_fprobe(struct fprobe *fp, const char *filter,
				  const char *notfilter)
{
	return -EOPNOTSUPP;
}

static inline int register_fprobe_ips(struct fprobe *fp, unsigned long *addrs,
				      int num)
{
	return -EOPNOTSUPP;
}

static inline int register_fprobe_syms(struct fprobe *fp, const char **syms,
				       int num)
{
	return -EOPNOTSUPP;
}
#endif /* !CONFIG_FPROBE */

#endif /* _LINUX_FPROBE_H */
