/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes on instructions (struct kprobe) and on returns (struct kretprobe).
 *
 * A kprobe's handlers run before and after one instruction, wherever that is,
 * with all registers.  The owner keeps the struct in memory of its own from
 * registering to unregistering; what it says meanwhile is not looked at: the
 * engine acts on what it recorded when the probe was registered.
 */
#ifndef _LINUX_KPROBES_H
#define _LINUX_KPROBES_H

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/linkage.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/objpool.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/rethook.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

#include <asm/kprobes.h>

#ifdef CONFIG_KPROBES

struct kprobe;
struct kretprobe;
struct kretprobe_instance;
struct pt_regs;

/**
 * typedef kprobe_pre_handler_t - called before the probed instruction
 * @p: the probe
 * @regs: the registers; the handler may change them
 *
 * Context: any, NMI included; preemption or interrupts are off.
 * Return: 0: go on with the instruction.  Non-zero: the handler set the
 * instruction pointer in the registers, and that is where to go on; the
 * instruction is left out.
 */
typedef int (*kprobe_pre_handler_t)(struct kprobe *p, struct pt_regs *regs);

/**
 * typedef kprobe_post_handler_t - called after the probed instruction
 * @p: the probe
 * @regs: the registers; the handler may change them
 * @flags: 0
 *
 * Context: as kprobe_pre_handler_t.
 */
typedef void (*kprobe_post_handler_t)(struct kprobe *p, struct pt_regs *regs,
				      unsigned long flags);

/**
 * typedef kretprobe_handler_t - called at a function's entry, or at its return
 * @call: this call
 * @regs: the registers; the handler may change them
 *
 * Context: as kprobe_pre_handler_t.
 * Return: of an entry handler, 0: call the return handler for this call.
 */
typedef int (*kretprobe_handler_t)(struct kretprobe_instance *call,
				   struct pt_regs *regs);

/**
 * struct kprobe - a probe on an instruction
 * @hlist: the engine's
 * @list: the engine's; linked for as long as the probe is registered
 * @nmissed: hits at which the handlers were left out, since others were running
 * @addr: the instruction; set by registering where @symbol_name is given
 * @symbol_name: the symbol whose instruction it is, "module:name" for one of a
 *	module; or NULL
 * @offset: bytes from the symbol or from @addr
 * @pre_handler: called before the instruction; or NULL
 * @post_handler: called after it; or NULL
 * @opcode: first byte of the instruction
 * @ainsn: the architecture's
 * @flags: KPROBE_FLAG_*; owners may set KPROBE_FLAG_DISABLED to register the
 *	probe so
 *
 * All the owner has to set is the place and a handler, the rest may hold
 * anything.
 */
struct kprobe {
	kprobe_pre_handler_t		pre_handler;
	kprobe_post_handler_t		post_handler;
	const char			*symbol_name;
	kprobe_opcode_t			*addr;
	unsigned int			offset;
	u32				flags;
	unsigned long			nmissed;
	kprobe_opcode_t			opcode;
	struct arch_specific_insn	ainsn;
	struct list_head		list;
	struct hlist_node		hlist;
};

/* The text went; all that is left is to unregister. */
#define KPROBE_FLAG_GONE		0x01
/* Handlers are not called. */
#define KPROBE_FLAG_DISABLED		0x02
/* Hits come by a jump instead of a breakpoint. */
#define KPROBE_FLAG_OPTIMIZED		0x04
/* The probe rides on the function's hook. */
#define KPROBE_FLAG_FTRACE		0x08
/* It is at a function's entry. */
#define KPROBE_FLAG_ON_FUNC_ENTRY	0x10

static inline bool kprobe_flagged(const struct kprobe *p, u32 flags)
{
	return p->flags & flags;
}

static inline bool kprobe_ftrace(struct kprobe *p)
{
	return kprobe_flagged(p, KPROBE_FLAG_FTRACE);
}

static inline bool kprobe_optimized(struct kprobe *p)
{
	return kprobe_flagged(p, KPROBE_FLAG_OPTIMIZED);
}

static inline bool kprobe_gone(struct kprobe *p)
{
	return kprobe_flagged(p, KPROBE_FLAG_GONE);
}

/* One that is gone counts as disabled. */
static inline bool kprobe_disabled(struct kprobe *p)
{
	return kprobe_flagged(p, KPROBE_FLAG_GONE | KPROBE_FLAG_DISABLED);
}

/**
 * struct kretprobe - a probe on the return of a function
 * @kp: the function; its handlers are the engine's
 * @handler: called when the function returns; or NULL
 * @entry_handler: called at its entry; or NULL
 * @maxactive: so many calls at a time can be under way; 0 or less: the engine
 *	chooses
 * @nmissed: calls for which that was too little
 * @data_size: bytes that each call has in kretprobe_instance.data
 * @chosen: the number that the engine chose for maxactive
 * @rh: the engine's
 */
struct kretprobe {
	struct kprobe			kp;
	kretprobe_handler_t		entry_handler;
	kretprobe_handler_t		handler;
	size_t				data_size;
	int				maxactive;
	int				nmissed;
	int				chosen;
	struct rethook			*rh;
};

#define KRETPROBE_MAX_DATA_SIZE	4096

/**
 * struct kretprobe_instance - one call of a probed function
 * @node: the return that is waited for
 * @data: kretprobe.data_size bytes of the owner's
 */
struct kretprobe_instance {
	struct rethook_node		node;
	char				data[] __aligned(sizeof(long));
};

/**
 * struct kretprobe_record - what was recorded of a registered return probe
 * @rp: the owner's struct
 * @handler: its handler; or NULL
 * @entry: its entry_handler; or NULL
 * @rh: its pool
 */
struct kretprobe_record {
	struct kretprobe		*rp;
	kretprobe_handler_t		handler;
	kretprobe_handler_t		entry;
	struct rethook			*rh;
};

/* The probe whose handler runs on this CPU, or NULL. */
DECLARE_PER_CPU(struct kprobe *, current_kprobe);

static inline struct kprobe *kprobe_running(void)
{
	return __this_cpu_read(current_kprobe);
}

/* Registering, one or many; each that is registered can be off for a while. */
int register_kprobes(struct kprobe **kps, int num);
int register_kprobe(struct kprobe *p);
int register_kretprobes(struct kretprobe **rps, int num);
int register_kretprobe(struct kretprobe *rp);
void unregister_kprobes(struct kprobe **kps, int num);
void unregister_kprobe(struct kprobe *p);
void unregister_kretprobes(struct kretprobe **rps, int num);
void unregister_kretprobe(struct kretprobe *rp);
int enable_kprobe(struct kprobe *kp);
int disable_kprobe(struct kprobe *kp);

static inline int enable_kretprobe(struct kretprobe *rp)
{
	return enable_kprobe(&rp->kp);
}

static inline int disable_kretprobe(struct kretprobe *rp)
{
	return disable_kprobe(&rp->kp);
}

/* Places. */
bool within_kprobe_blacklist(unsigned long addr);
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym,
			 unsigned long offset);
kprobe_opcode_t *kprobe_lookup_name(const char *name, unsigned int offset);

/* Code that is executed in place of probed instructions. */
bool is_kprobe_optinsn_slot(unsigned long addr);
bool is_kprobe_insn_slot(unsigned long addr);
int kprobe_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
		       char *sym);

int kprobe_fault_handler(struct pt_regs *regs, int trapnr);
void kprobe_free_init_mem(void);

/* Those that count as running without having a probe of their own: fprobe. */
void kprobe_busy_begin(void);
void kprobe_busy_end(void);

#ifdef CONFIG_OPTPROBES
void wait_for_kprobe_optimizer(void);
#else
static inline void wait_for_kprobe_optimizer(void) { }
#endif

/* A page fault in the kernel: whether a probed instruction had it. */
static nokprobe_inline bool kprobe_page_fault(struct pt_regs *regs,
					      unsigned int trap)
{
	if (user_mode(regs) || preemptible() || !kprobe_running())
		return false;
	return kprobe_fault_handler(regs, trap);
}

#else /* !CONFIG_KPROBES */

struct kprobe;
struct kretprobe;
struct kretprobe_instance;

/* What callers are told where there are no probes. */
#define KPROBES_OFF	(-EOPNOTSUPP)

static inline int enable_kretprobe(struct kretprobe *rp) { return KPROBES_OFF; }
static inline int disable_kretprobe(struct kretprobe *rp) { return KPROBES_OFF; }
static inline int register_kretprobe(struct kretprobe *rp) { return KPROBES_OFF; }
static inline void unregister_kretprobe(struct kretprobe *rp) { }
static inline void unregister_kretprobes(struct kretprobe **rps, int num) { }

static inline int register_kretprobes(struct kretprobe **rps, int num)
{
	return KPROBES_OFF;
}

static inline int enable_kprobe(struct kprobe *p) { return KPROBES_OFF; }
static inline int disable_kprobe(struct kprobe *p) { return KPROBES_OFF; }
static inline int register_kprobe(struct kprobe *p) { return KPROBES_OFF; }
static inline void unregister_kprobe(struct kprobe *p) { }
static inline void unregister_kprobes(struct kprobe **kps, int num) { }

static inline int register_kprobes(struct kprobe **kps, int num)
{
	return KPROBES_OFF;
}

/* No probe runs, and there is no code of any. */
static inline struct kprobe *kprobe_running(void) { return NULL; }
static inline void kprobe_busy_end(void) { }
static inline void kprobe_busy_begin(void) { }
static inline void kprobe_free_init_mem(void) { }
static inline void wait_for_kprobe_optimizer(void) { }
static inline bool is_kprobe_optinsn_slot(unsigned long addr) { return false; }
static inline bool is_kprobe_insn_slot(unsigned long addr) { return false; }
static inline bool within_kprobe_blacklist(unsigned long addr) { return true; }

static inline bool kprobe_page_fault(struct pt_regs *regs, unsigned int trap)
{
	return false;
}

static inline int kprobe_get_kallsym(unsigned int symnum, unsigned long *value,
				     char *type, char *sym)
{
	return -ERANGE;
}

#endif /* !CONFIG_KPROBES */

#ifdef CONFIG_KRETPROBES

/* For unwinders: what stands in for return addresses, and which they were. */
static nokprobe_inline unsigned long
kretprobe_find_ret_addr(struct task_struct *task, void *frame,
			struct llist_node **at)
{
	return rethook_find_ret_addr(task, (unsigned long)frame, at);
}

static nokprobe_inline bool is_kretprobe_trampoline(unsigned long addr)
{
	return is_rethook_trampoline(addr);
}

/**
 * get_kretprobe_retaddr - where a probed call returns to
 * @call: the call's instance
 *
 * Context: a handler of the probe.
 * Return: the address.
 */
static nokprobe_inline unsigned long
get_kretprobe_retaddr(struct kretprobe_instance *call)
{
	return call->node.ret_addr;
}

/**
 * get_kretprobe - the probe that an instance is of
 * @ri: the instance
 *
 * Context: a handler of the probe.
 * Return: the probe; NULL where it was unregistered meanwhile.
 */
static nokprobe_inline struct kretprobe *
get_kretprobe(struct kretprobe_instance *ri)
{
	struct kretprobe_record *record = READ_ONCE(ri->node.rethook->data);

	return record ? record->rp : NULL;
}

#else /* !CONFIG_KRETPROBES */

static nokprobe_inline unsigned long
kretprobe_find_ret_addr(struct task_struct *task, void *frame,
			struct llist_node **at)
{
	return 0;
}

static nokprobe_inline bool is_kretprobe_trampoline(unsigned long addr)
{
	return false;
}

#endif /* !CONFIG_KRETPROBES */

/**
 * struct kprobe_preempted - an interrupted task that is being preempted
 * @node: in the list of those of its CPU
 * @regs: the interrupted registers; NULL: it is not preempted
 * @lock: the list's
 */
struct kprobe_preempted {
	struct hlist_node	node;
	struct pt_regs		*regs;
	raw_spinlock_t		*lock;
};

#if defined(CONFIG_OPTPROBES) && defined(CONFIG_PREEMPTION)
void __kprobe_preempt_begin(struct kprobe_preempted *at, struct pt_regs *regs);
void __kprobe_preempt_end(struct kprobe_preempted *at);

/**
 * kprobe_preempt_begin - an interrupted task may be preempted now
 * @at:   on its stack, until kprobe_preempt_end()
 * @regs: the interrupted registers; probes may change the instruction pointer
 *
 * Context: end of an interrupt, interrupts off.
 */
static __always_inline void kprobe_preempt_begin(struct kprobe_preempted *at,
						 struct pt_regs *regs)
{
	at->regs = NULL;
	if (should_resched(0))
		__kprobe_preempt_begin(at, regs);
}

/**
 * kprobe_preempt_end - the task goes on
 * @at: as for kprobe_preempt_begin()
 *
 * Context: as kprobe_preempt_begin().
 */
static __always_inline void kprobe_preempt_end(struct kprobe_preempted *at)
{
	if (at->regs)
		__kprobe_preempt_end(at);
}
#else
static __always_inline void kprobe_preempt_begin(struct kprobe_preempted *at,
						 struct pt_regs *regs) { }
static __always_inline void kprobe_preempt_end(struct kprobe_preempted *at) { }
#endif

/* Returns that a task still has to make need nothing from it when it exits. */
static inline void kprobe_flush_task(struct task_struct *tsk) { }

#endif /* _LINUX_KPROBES_H */
