/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The layers of the probe engine, from top to bottom.  A layer calls only those
 * below it.
 *
 *	debugfs.c	what users see and switch
 *	modules.c	text that goes
 *	retprobe.c	probes on returns
 *	probe.c		who is registered; many at once
 *	optimize.c	jumps in place of breakpoints, in the background
 *	preempted.c	tasks that stand where a jump is to be written
 *	entry.c		probes that ride on a function's hook
 *	point.c		one probed instruction
 *	address.c	where a probe may be
 *	blacklist.c	where none may be
 *	reserved.c	instructions that others write, or trap at
 *	code.c		memory for instructions that are executed elsewhere
 *	table.c		points by address
 *	arch.h		the architecture
 *
 * hit.c is beside them: what a hit runs.
 *
 * Locks, outermost first: event_mutex -> kprobe_lock -> filter lock ->
 * ftrace_lock -> cpus_read_lock -> jump_label_lock -> text_mutex.
 */
#ifndef _KERNEL_TRACE_KPROBES_INTERNAL_H
#define _KERNEL_TRACE_KPROBES_INTERNAL_H

#include <linux/context_tracking.h>
#include <linux/bug.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/rhashtable-types.h>
#include <linux/static_call_types.h>
#include <linux/types.h>

#include "arch.h"

struct seq_file;

/* Who is registered, and what text says. */
extern struct mutex kprobe_lock;

/* kprobes/enabled of debugfs; needs kprobe_lock. */
extern bool kprobes_on;

/**
 * struct kprobe_member - what was recorded of a registered probe
 * @node:     in the table of members, by @kp
 * @list:     in the list of all, in the order of registration
 * @at:       in kprobe_point.members
 * @batch:    in the list of those that an operation is about
 * @kp:       the owner's struct
 * @addr:     the instruction
 * @given:    what the owner had set as the address
 * @pre:      the owner's handler, or NULL
 * @post:     the owner's handler, or NULL
 * @point:    where it is by breakpoint or jump; else NULL
 * @ops:      where it rides on a function's hook; else NULL
 * @attached: @ops is registered
 * @disabled: its handlers are not to be called
 * @gone:     its text is gone
 * @ret:      it is the entry of this return probe; else NULL
 * @stock:    of such a one, the nodes to take from
 */
struct kprobe_member {
	struct rhash_head	node;
	struct list_head	list;
	struct list_head	at;
	struct list_head	batch;
	struct kprobe		*kp;
	unsigned long		addr;
	kprobe_opcode_t		*given;
	kprobe_pre_handler_t	pre;
	kprobe_post_handler_t	post;
	struct kprobe_point	*point;
	struct ftrace_ops	*ops;
	bool			attached;
	bool			disabled;
	bool			gone;
	struct kretprobe_record	*ret;
	struct rethook_stock __percpu *stock;
};

/**
 * struct kprobe_calls - the members of a point whose handlers a hit calls
 * @rcu:    frees it
 * @nr:     how many
 * @post:   one of them has a post_handler
 * @member: they, in the order of registration
 *
 * Immutable; replaced as a whole.
 */
struct kprobe_calls {
	struct rcu_head		rcu;
	unsigned int		nr;
	bool			post;
	struct kprobe_member	*member[] __counted_by(nr);
};

/**
 * struct kprobe_point - a probed instruction
 * @node:    in the table of points: one for each of two generations
 * @addr:    its address
 * @calls:   whose handlers to call; NULL: nobody's
 * @members: all that are registered here
 * @batch:   in the list of those that an operation is about
 * @opt:     in one of the lists of those that may get a jump
 * @armed:   there is a breakpoint, or a jump
 * @text:    the instruction and how to execute it elsewhere
 * @detour:  where the jump goes, while there is one; else NULL
 * @coming:  where it is to go, until it is safe to put it there; else NULL
 * @bypass:  where hits of the breakpoint go on instead of at the instruction's
 *	     copy: at the copies of all instructions that a jump will be written
 *	     over; or 0
 * @rcu:     frees it
 *
 * All but @node, @calls, @text and @bypass needs kprobe_lock.
 */
struct kprobe_point {
	struct hlist_node		node[2];
	unsigned long			addr;
	struct kprobe_calls __rcu	*calls;
	struct list_head		members;
	struct list_head		batch;
	struct list_head		opt;
	bool				armed;
	struct arch_kprobe_text		text;
	struct arch_kprobe_detour	*detour;
	struct arch_kprobe_detour	*coming;
	unsigned long			bypass;
	struct rcu_head			rcu;
};

/* ---- table.c ---------------------------------------------------------- */

int kprobe_table_init(void);
void kprobe_table_add(struct kprobe_point *point);
void kprobe_table_del(struct kprobe_point *point);
struct kprobe_point *kprobe_point_at(unsigned long addr);

/* ---- code.c ----------------------------------------------------------- */

enum kprobe_code_kind { KPROBE_SLOT, KPROBE_DETOUR };

/**
 * struct kprobe_code - code that is executed in place of a probed instruction
 * @retired:   in the list of those that wait for their last task
 * @leads_to:  by where it goes back to, while it is such a one and a detour
 * @rcu:       frees it, after that
 * @origin:    the instruction's address
 * @start:     the code
 * @size:      bytes
 * @kind:      which kind
 * @frame:     offset of what runs with struct pt_regs on the stack
 * @frame_end: … of what is behind that
 * @copies:    … of the copies of the instruction and those behind it
 * @exit:      … of the jump back, behind them
 * @end:       … of what is behind that
 */
struct kprobe_code {
	struct list_head	retired;
	struct hlist_node	leads_to;
	struct rcu_head		rcu;
	unsigned long		origin;
	unsigned long		start;
	unsigned int		size;
	enum kprobe_code_kind	kind;
	unsigned int		frame;
	unsigned int		frame_end;
	unsigned int		copies;
	unsigned int		exit;
	unsigned int		end;
};

struct kprobe_code *kprobe_code_take(enum kprobe_code_kind kind, size_t size,
				     unsigned long origin);
void kprobe_code_retire(struct kprobe_code *code);
struct kprobe_code *kprobe_code_at(unsigned long addr);
bool kprobe_code_leads_to(unsigned long addr);

/* ---- blacklist.c ------------------------------------------------------ */

/* What NOKPROBE_SYMBOL() collects. */
extern unsigned long __start_kprobe_blacklist[];
extern unsigned long __stop_kprobe_blacklist[];

int kprobe_blacklist_init(void);
void kprobe_blacklist_show(struct seq_file *m, bool values);

/* ---- reserved.c ------------------------------------------------------- */

/* What static calls and BUG() of the kernel collect. */
extern struct static_call_site __start_static_call_sites[];
extern struct static_call_site __stop_static_call_sites[];
extern struct bug_entry __start___bug_table[], __stop___bug_table[];

int kprobe_reserved_init(void);
bool kprobe_text_reserved(unsigned long first, unsigned long last);

/* ---- address.c -------------------------------------------------------- */

/**
 * struct kprobe_place - where a probe is to be
 * @addr:  the instruction
 * @entry: it is a function's entry
 * @site:  there is a hook to ride on
 */
struct kprobe_place {
	unsigned long	addr;
	bool		entry;
	bool		site;
};

int kprobe_find_place(struct kprobe *kp, struct kprobe_place *place);
int kprobe_check_place(const struct kprobe_place *place);

/* ---- point.c ---------------------------------------------------------- */

struct kprobe_point *kprobe_point_get(unsigned long addr);
int kprobe_point_add(struct kprobe_point *point, struct kprobe_member *member);
void kprobe_point_del(struct kprobe_point *point, struct kprobe_member *member);
int kprobe_point_update(struct kprobe_point *point, gfp_t gfp);
void kprobe_point_show_jump(struct kprobe_point *point);
void kprobe_points_apply(struct list_head *points);
void kprobe_point_drop(struct kprobe_point *point);

/* ---- entry.c ---------------------------------------------------------- */

#ifdef CONFIG_KPROBES_ON_FTRACE
int kprobe_entry_init(struct kprobe_member *member);
void kprobe_entry_free(struct kprobe_member *member);
int kprobe_entries_attach(struct list_head *members);
void kprobe_entries_detach(struct list_head *members);
#else
static inline int kprobe_entry_init(struct kprobe_member *member)
{
	return -EINVAL;
}

static inline void kprobe_entry_free(struct kprobe_member *member) { }

static inline int kprobe_entries_attach(struct list_head *members)
{
	return 0;
}

static inline void kprobe_entries_detach(struct list_head *members) { }
#endif

/* ---- optimize.c ------------------------------------------------------- */

#ifdef CONFIG_OPTPROBES
void kprobe_opt_wish(struct kprobe_point *point);
void kprobe_opt_end(struct kprobe_point *point);
void kprobe_opt_undo(struct list_head *points);
void kprobe_opt_make_way(unsigned long addr);
void kprobe_opt_way_is_free(unsigned long addr);
void kprobe_opt_forget(struct kprobe_point *point);
void kprobe_opt_decide(void);
#else
static inline void kprobe_opt_wish(struct kprobe_point *point) { }
static inline void kprobe_opt_end(struct kprobe_point *point) { }
static inline void kprobe_opt_undo(struct list_head *points) { }
static inline void kprobe_opt_make_way(unsigned long addr) { }
static inline void kprobe_opt_way_is_free(unsigned long addr) { }
static inline void kprobe_opt_forget(struct kprobe_point *point) { }
static inline void kprobe_opt_decide(void) { }
#endif

/* ---- preempted.c ------------------------------------------------------ */

#if defined(CONFIG_OPTPROBES) && defined(CONFIG_PREEMPTION)
void kprobe_move_preempted(void);
void kprobe_move_no_more(void);
#else
static inline void kprobe_move_preempted(void) { }
static inline void kprobe_move_no_more(void) { }
#endif

/* ---- probe.c ---------------------------------------------------------- */

extern struct list_head kprobe_members;

int kprobe_register(struct kprobe **kps, struct kretprobe_record **rets,
		    int num);
void kprobe_unregister(struct kprobe **kps, struct kretprobe_record **rets,
		       int num);
void kprobe_text_gone(unsigned long start, unsigned long end);
unsigned int kprobe_set_all(bool on);

/* ---- hit.c ------------------------------------------------------------ */

DECLARE_PER_CPU(struct pt_regs *, kprobe_hit_regs);

bool kprobe_run_all_pre(struct kprobe_calls *calls, struct pt_regs *regs,
			unsigned long ip);
void kprobe_run_post(struct kprobe_calls *calls, struct pt_regs *regs);
void kprobe_miss(struct kprobe *kp);
void kprobe_count_missed(struct kprobe_calls *calls);

/* ---- retprobe.c ------------------------------------------------------- */

#ifdef CONFIG_KRETPROBES
void kretprobe_enter(struct kretprobe_record *ret, struct pt_regs *regs);
#else
static inline void kretprobe_enter(struct kretprobe_record *ret,
				   struct pt_regs *regs) { }
#endif

/* ---- On the hit path -------------------------------------------------- */

/**
 * kprobe_call_pre - call the pre_handler of one member
 * @member: the member
 * @regs:   the registers
 *
 * Return: what the handler returned; 0 where there is none.
 */
static nokprobe_inline int kprobe_call_pre(struct kprobe_member *member,
					   struct pt_regs *regs)
{
	__this_cpu_write(current_kprobe, member->kp);
	if (member->pre)
		return member->pre(member->kp, regs);
	if (member->ret)
		kretprobe_enter(member->ret, regs);
	return 0;
}

/**
 * kprobe_run_pre - call the pre_handlers of a point
 * @calls: whose
 * @regs:  the registers
 * @ip:    what handlers see as the instruction pointer
 *
 * All of them run.  Where several change the path the first has its way.
 *
 * Return: whether the path was changed; the registers say where to.  If not
 * the instruction pointer is @ip.
 */
static nokprobe_inline bool kprobe_run_pre(struct kprobe_calls *calls,
					   struct pt_regs *regs,
					   unsigned long ip)
{
	bool changed;

	if (unlikely(calls->nr != 1))
		return kprobe_run_all_pre(calls, regs, ip);
	__this_cpu_write(kprobe_hit_regs, regs);
	instruction_pointer_set(regs, ip);
	changed = kprobe_call_pre(calls->member[0], regs);
	__this_cpu_write(kprobe_hit_regs, NULL);
	if (unlikely(changed))
		return true;
	instruction_pointer_set(regs, ip);
	return false;
}

/* Handlers may use RCU.  With preemption off. */
static nokprobe_inline bool kprobe_rcu_watching(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	return raw_cpu_read(context_tracking.state.counter) & CT_RCU_WATCHING;
#else
	return rcu_is_watching();
#endif
}

#endif /* _KERNEL_TRACE_KPROBES_INTERNAL_H */
