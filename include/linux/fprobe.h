/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes on the entries and returns of many functions (struct fprobe).
 */
#ifndef _LINUX_FPROBE_H
#define _LINUX_FPROBE_H

#include <linux/bits.h>
#include <linux/ftrace.h>
#include <linux/types.h>

struct pt_regs;
struct rethook;
struct fprobe;

/**
 * typedef fprobe_entry_cb - called when a function is called
 * @probe: the probe
 * @hook:  the function, by the address that ftrace_location() has for it
 * @to:    where it returns to
 * @regs:  the registers
 * @data:  the call's fprobe.entry_data_size bytes, or NULL
 *
 * Context: that of the function, with preemption off.
 * Return: 0: call the exit handler for this call, with the same bytes.
 */
typedef int (*fprobe_entry_cb)(struct fprobe *probe, unsigned long hook,
			       unsigned long to, struct pt_regs *regs,
			       void *data);

/**
 * typedef fprobe_exit_cb - called when a function returns
 * @probe: the probe
 * @hook:  as fprobe_entry_cb
 * @to:    where the function returns to
 * @regs:  the registers, as the function left them
 * @data:  as fprobe_entry_cb
 *
 * Context: that of the function, with preemption off.
 */
typedef void (*fprobe_exit_cb)(struct fprobe *probe, unsigned long hook,
			       unsigned long to, struct pt_regs *regs,
			       void *data);

/**
 * struct fprobe - a probe on the entries and returns of functions
 * @entry_handler: called at entries; or NULL
 * @exit_handler: called at returns; or NULL
 * @entry_data_size: bytes that a call has for both handlers
 * @nr_maxactive: so many calls at a time can be under way; 0: no limit
 * @flags: enum fprobe_flags
 * @nmissed: calls, and returns, that handlers were not called for
 * @rethook: the engine's
 * @ops: the engine's
 *
 * The owner sets what is not the engine's, the rest is zero.
 */
struct fprobe {
	fprobe_entry_cb		entry_handler;
	fprobe_exit_cb		exit_handler;
	size_t			entry_data_size;
	int			nr_maxactive;
	unsigned int		flags;
	unsigned long		nmissed;
	struct rethook		*rethook;
#ifdef CONFIG_FUNCTION_TRACER
	struct ftrace_ops	ops;
#endif
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
int unregister_fprobe(struct fprobe *fp);
int register_fprobe_syms(struct fprobe *fp, const char **names, int nr);
int register_fprobe_ips(struct fprobe *fp, unsigned long *ips, int nr);
int register_fprobe(struct fprobe *fp, const char *functions,
		    const char *but_not);
#else
/* What callers are told where there are no probes. */
#define FPROBES_OFF	(-EOPNOTSUPP)

static inline bool fprobe_is_registered(struct fprobe *fp) { return false; }
static inline int unregister_fprobe(struct fprobe *fp) { return FPROBES_OFF; }

static inline int
register_fprobe_syms(struct fprobe *fp, const char **names, int nr)
{
	return FPROBES_OFF;
}

static inline int
register_fprobe_ips(struct fprobe *fp, unsigned long *ips, int nr)
{
	return FPROBES_OFF;
}

static inline int register_fprobe(struct fprobe *fp, const char *functions,
				  const char *but_not)
{
	return FPROBES_OFF;
}
#endif /* !CONFIG_FPROBE */

#endif /* _LINUX_FPROBE_H */
