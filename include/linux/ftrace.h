/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooks on function entry.
 *
 * A struct ftrace_ops names a callback and the functions that it is wanted
 * for.  Everything that can be decided is decided when it is registered or
 * its filter changes: each hooked function then calls a trampoline that calls
 * exactly the callbacks attached to that function, whatever else exists.
 *
 * Fits: watching, counting, tracing, redirecting functions of the kernel and
 * of modules that the compiler gave a patchable entry.  Does not fit: inlined
 * functions, functions marked notrace or noinstr, places inside a function
 * (use kprobes).
 *
 * The header has, in this order: what callbacks see, the ops, registration,
 * filters, direct calls, what the core kernel tells the engine, the function
 * graph tracer's part, and small facilities of the tracers.
 */
#ifndef _LINUX_FTRACE_H
#define _LINUX_FTRACE_H

#include <linux/bitops.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/ktime.h>
#include <linux/linkage.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/trace_clock.h>
#include <linux/trace_recursion.h>
#include <linux/types.h>

#include <asm/ftrace.h>

struct ctl_table;
struct ftrace_chain;
struct ftrace_hash;
struct ftrace_ops;
struct ftrace_regs;
struct ftrace_set;
struct module;
struct seq_file;
struct trace_array;

/* ---- What a callback sees --------------------------------------------- */

#include <linux/ftrace_regs.h>

/**
 * typedef ftrace_func_t - a callback on function entry
 * @ip:        the hook site: the call instruction in the traced function
 * @parent_ip: where the traced function returns to
 * @op:        the very ops that was registered
 * @fregs:     the registers at entry; see ftrace_get_regs()
 *
 * Context: any, NMI and idle included; not preemptible.  RCU may not be
 * watching unless the ops has FTRACE_OPS_FL_RCU.
 */
typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs);

#ifdef CONFIG_FUNCTION_TRACER

#ifndef arch_ftrace_get_regs
#define arch_ftrace_get_regs(fregs)	(&arch_ftrace_regs(fregs)->regs)
#endif

/**
 * ftrace_get_regs - the complete registers at function entry
 * @fregs: as given to the callback
 *
 * Context: inside a callback.
 * Return: registers that may be read and written, or NULL where no ops on the
 * function asked for them with FTRACE_OPS_FL_SAVE_REGS.
 */
static __always_inline struct pt_regs *ftrace_get_regs(struct ftrace_regs *fregs)
{
	return fregs ? arch_ftrace_get_regs(fregs) : NULL;
}

/**
 * ftrace_regs_has_args - whether ftrace_regs_get_argument() may be used
 * @fregs: as given to the callback
 *
 * Return: true where argument registers are there.
 */
static __always_inline bool ftrace_regs_has_args(struct ftrace_regs *fregs)
{
	return IS_ENABLED(CONFIG_DYNAMIC_FTRACE_WITH_ARGS) ||
	       ftrace_get_regs(fregs);
}

#endif /* CONFIG_FUNCTION_TRACER */

/* ---- The ops ---------------------------------------------------------- */

/*
 * Flags of an ops.  Set by its owner before registering:
 *
 * DYNAMIC	may be freed after unregistering (assumed of every ops)
 * SAVE_REGS	complete registers are wanted; an error where there are none
 * SAVE_REGS_IF_SUPPORTED  … or else argument registers only
 * RECURSION	the engine guards the callback against calling itself
 * RCU		call only while RCU is watching
 * IPMODIFY	the callback may redirect the function; one such on a function
 * PERMANENT	kernel.ftrace_enabled may not be switched off meanwhile
 * PID		subject to the pid lists of the trace array in @private
 *
 * Set by the engine: ENABLED (it is registered), INITIALIZED (its filter
 * storage is usable; fgraph sets that one too), DELETED (it never will be
 * registered again), DIRECT, SUBOP and PROBE (how it is registered).
 */
enum {
	/* what is wanted */
	FTRACE_OPS_FL_SAVE_REGS			= BIT(2),
	FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED	= BIT(3),
	FTRACE_OPS_FL_RECURSION			= BIT(4),
	FTRACE_OPS_FL_RCU			= BIT(14),
	FTRACE_OPS_FL_PID			= BIT(13),
	FTRACE_OPS_FL_IPMODIFY			= BIT(12),
	FTRACE_OPS_FL_PERMANENT			= BIT(16),
	FTRACE_OPS_FL_DYNAMIC			= BIT(1),

	/* what is the case */
	FTRACE_OPS_FL_ENABLED			= BIT(0),
	FTRACE_OPS_FL_INITIALIZED		= BIT(6),
	FTRACE_OPS_FL_DELETED			= BIT(7),
	FTRACE_OPS_FL_DIRECT			= BIT(17),
	FTRACE_OPS_FL_SUBOP			= BIT(18),
	FTRACE_OPS_FL_PROBE			= BIT(19),
};

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define FTRACE_OPS_FL_SAVE_ARGS		0
#else
#define FTRACE_OPS_FL_SAVE_ARGS		FTRACE_OPS_FL_SAVE_REGS
#endif

/**
 * enum ftrace_ops_cmd - what the owner of a direct call is asked or told
 * @FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF: its direct call is about to join
 *	a redirecting ops; called with the direct lock and ftrace_lock held
 * @FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER: a redirecting ops is about to
 *	join its direct call; called with the direct lock held, may call
 *	modify_ftrace_direct_nolock()
 * @FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER: that ops is gone again; locks
 *	as before, the return value is not looked at
 */
enum ftrace_ops_cmd {
	FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF,
	FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER,
	FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER,
};

typedef int (*ftrace_ops_func_t)(struct ftrace_ops *op, enum ftrace_ops_cmd cmd);

#ifdef CONFIG_DYNAMIC_FTRACE
/**
 * struct ftrace_ops_hash - which functions an ops is wanted for
 * @regex_lock: the filter lock; taken around reading and changing the lists
 * @filter:     these functions only; NULL: every function
 * @exclude:    but never these; NULL: no exception
 */
struct ftrace_ops_hash {
	struct mutex			regex_lock;	/* the filter lock */
	struct ftrace_set __rcu		*filter;
	struct ftrace_set __rcu		*exclude;
};
#endif

/**
 * struct ftrace_ops - a callback and the functions that it is wanted for
 * @func:    the callback; all that has to be set
 * @flags:   FTRACE_OPS_FL_*
 * @private: for the owner; the callback reads it through its ops
 * @local_hash: this ops' own lists
 * @func_hash:  the lists in force: @local_hash, or those of another ops
 * @list:       in the list of registered ops, or of a manager's subops
 * @subop_list: subops that this ops is the manager of
 * @chains:     the calls to this ops in chains, also retired ones
 * @saved_func:  @func as it was when registered
 * @saved_flags: @flags as they were when registered
 * @trampoline:   kept for trace.c; the engine has no trampoline by ops
 * @trampoline_size: likewise
 * @ops_func:   owner of a direct call: asked before it is shared
 * @direct_call: owner of a direct call: what the functions call
 *
 * May start as zeroed memory.  Everything below @private is the engine's;
 * after unregister_ftrace_function() and, where a filter was set,
 * ftrace_free_filter(), the memory may be freed.
 */
struct ftrace_ops {
	ftrace_func_t			func;
	unsigned long			flags;
	void				*private;
#ifdef CONFIG_DYNAMIC_FTRACE
	struct ftrace_ops_hash		local_hash;
	struct ftrace_ops_hash		*func_hash;
	struct list_head		list;
	struct list_head		subop_list;
	struct list_head		chains;
	ftrace_func_t			saved_func;
	unsigned long			saved_flags;
	unsigned long			trampoline;
	unsigned long			trampoline_size;
	ftrace_ops_func_t		ops_func;
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS
	unsigned long			direct_call;
#endif
#endif
};

/* ---- Registration ----------------------------------------------------- */

#ifdef CONFIG_FUNCTION_TRACER

extern int ftrace_enabled;

int register_ftrace_function(struct ftrace_ops *ops);
int unregister_ftrace_function(struct ftrace_ops *ops);
int register_ftrace_probe(struct ftrace_ops *ops);

/*
 * The probes' own files are built with this defined: handlers of probes may
 * redirect a function though they do not own it.
 */
#ifdef FTRACE_REGISTERS_PROBES
#define register_ftrace_function(ops)	register_ftrace_probe(ops)
#endif

void ftrace_kill(void);
int ftrace_is_dead(void);

/* Callbacks that do nothing: for ops, and for the graph tracer's returns. */
void ftrace_stub(unsigned long ip, unsigned long parent_ip,
		 struct ftrace_ops *op, struct ftrace_regs *fregs);

bool ftrace_pids_enabled(struct ftrace_ops *ops);

static inline void tracer_disable(void)
{
	ftrace_enabled = 0;
}

/* kexec-jump runs with the other CPUs stopped: no lock is needed. */
static inline int __ftrace_enabled_save(void)
{
	return xchg(&ftrace_enabled, 0);
}

static inline void __ftrace_enabled_restore(int enabled)
{
	WRITE_ONCE(ftrace_enabled, enabled);
}

#else /* !CONFIG_FUNCTION_TRACER */

static inline int register_ftrace_function(struct ftrace_ops *ops)
{
	return 0;
}

static inline int unregister_ftrace_function(struct ftrace_ops *ops)
{
	return 0;
}

static inline int __ftrace_enabled_save(void)
{
	return 0;
}

static inline void __ftrace_enabled_restore(int enabled) { }
static inline void tracer_disable(void) { }
static inline void ftrace_kill(void) { }

#endif /* CONFIG_FUNCTION_TRACER */

/* ---- Filters ---------------------------------------------------------- */

#ifdef CONFIG_DYNAMIC_FTRACE

/* By pattern. */
int ftrace_set_filter(struct ftrace_ops *ops, unsigned char *pattern, int len,
		      int reset);
int ftrace_set_notrace(struct ftrace_ops *ops, unsigned char *pattern, int len,
		       int reset);
void ftrace_set_global_filter(unsigned char *pattern, int len, int reset);
void ftrace_set_global_notrace(unsigned char *pattern, int len, int reset);

/* By address. */
int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long addr, int remove,
			 int reset);
int ftrace_set_filter_ips(struct ftrace_ops *ops, unsigned long *addrs,
			  unsigned int nr, int remove, int reset);

void ftrace_ops_set_global_filter(struct ftrace_ops *ops);
void ftrace_free_filter(struct ftrace_ops *ops);

unsigned long ftrace_location_range(unsigned long start, unsigned long end);
unsigned long ftrace_location(unsigned long ip);
int ftrace_lookup_symbols(const char **sorted_syms, size_t cnt,
			  unsigned long *addrs);
int ftrace_text_reserved(const void *start, const void *end);

/* An entry of a set of functions: only whether there is one is of interest. */
struct ftrace_func_entry;

/* The tracefs filter files, for tracers that have one of their own. */
enum { FTRACE_ITER_FILTER = BIT(0), FTRACE_ITER_NOTRACE = BIT(1) };

int ftrace_regex_release(struct inode *inode, struct file *filp);
int ftrace_regex_open(struct trace_array *tr, struct ftrace_ops *ops, int which,
		      struct inode *inode, struct file *filp);
ssize_t ftrace_filter_write(struct file *filp, const char __user *words,
			    size_t len, loff_t *pos);
void ftrace_set_early_filter(struct ftrace_ops *ops, char *list, int enable);

#else /* !CONFIG_DYNAMIC_FTRACE */

static inline unsigned long ftrace_location(unsigned long ip)
{
	return 0;
}

static inline int ftrace_text_reserved(const void *start, const void *end)
{
	return 0;
}

static inline int ftrace_lookup_symbols(const char **sorted_syms, size_t cnt,
					unsigned long *addrs)
{
	return -EOPNOTSUPP;
}

static inline int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip,
				       int remove, int reset)
{
	return -ENODEV;
}

static inline void ftrace_free_filter(struct ftrace_ops *ops) { }

#endif /* CONFIG_DYNAMIC_FTRACE */

/* ---- Direct calls ----------------------------------------------------- */

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS

int register_ftrace_direct(struct ftrace_ops *ops, unsigned long addr);
int modify_ftrace_direct(struct ftrace_ops *ops, unsigned long addr);
int modify_ftrace_direct_nolock(struct ftrace_ops *ops, unsigned long addr);
int unregister_ftrace_direct(struct ftrace_ops *ops, unsigned long addr,
			     bool free_filters);

void ftrace_stub_direct_tramp(void);

#else

static inline int modify_ftrace_direct(struct ftrace_ops *ops,
				       unsigned long target)
{
	return -ENODEV;
}

static inline int modify_ftrace_direct_nolock(struct ftrace_ops *ops,
					      unsigned long target)
{
	return -ENODEV;
}

static inline int register_ftrace_direct(struct ftrace_ops *ops,
					 unsigned long target)
{
	return -ENODEV;
}

static inline int unregister_ftrace_direct(struct ftrace_ops *ops,
					   unsigned long target,
					   bool free_filters)
{
	return -ENODEV;
}

#endif /* CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS */

/* ---- What the core kernel tells and asks the engine ------------------- */

#ifdef CC_USING_PATCHABLE_FUNCTION_ENTRY
#define FTRACE_CALLSITE_SECTION	"__patchable_function_entries"
#else
#define FTRACE_CALLSITE_SECTION	"__mcount_loc"
#endif

#ifdef CONFIG_DYNAMIC_FTRACE

/* Text comes and goes. */
void ftrace_init(void);
void ftrace_module_init(struct module *mod);
void ftrace_module_enable(struct module *mod);
void ftrace_release_mod(struct module *mod);
void ftrace_free_mem(struct module *mod, void *start, void *end);
void ftrace_free_init_mem(void);

/* Addresses that only the engine knows. */
bool is_ftrace_trampoline(unsigned long addr);
int ftrace_mod_get_kallsym(unsigned int nr, unsigned long *addr, char *type,
			   char *name, char *modname, int *exported);
int ftrace_mod_address_lookup(unsigned long addr, unsigned long *size,
			      unsigned long *offset, char **modname,
			      const unsigned char **buildid, char *name);

#else

static inline bool is_ftrace_trampoline(unsigned long addr)
{
	return false;
}

static inline int ftrace_mod_get_kallsym(unsigned int nr, unsigned long *addr,
					 char *type, char *name, char *modname,
					 int *exported)
{
	return -ERANGE;
}

static inline int ftrace_mod_address_lookup(unsigned long addr,
					    unsigned long *size,
					    unsigned long *offset,
					    char **modname,
					    const unsigned char **buildid,
					    char *name)
{
	return 0;
}

static inline void ftrace_release_mod(struct module *mod) { }
static inline void ftrace_module_enable(struct module *mod) { }
static inline void ftrace_module_init(struct module *mod) { }
static inline void ftrace_free_mem(struct module *mod, void *start, void *end) { }
static inline void ftrace_init(void) { }

#endif /* CONFIG_DYNAMIC_FTRACE */

#ifdef CONFIG_TRACING
void early_trace_init(void);
void trace_init(void);
void disable_trace_on_warning(void);
extern int __disable_trace_on_warning;
int tracepoint_printk_sysctl(const struct ctl_table *table, int write,
			     void *buffer, size_t *lenp, loff_t *ppos);
#else
static inline void early_trace_init(void) { }
static inline void trace_init(void) { }
static inline void disable_trace_on_warning(void) { }
#endif

#ifdef CONFIG_TRACER_SNAPSHOT
void ftrace_boot_snapshot(void);
#else
static inline void ftrace_boot_snapshot(void) { }
#endif

#ifndef CONFIG_DYNAMIC_FTRACE
static inline void ftrace_free_init_mem(void)
{
	ftrace_boot_snapshot();
}
#endif

/* ---- The function graph tracer ---------------------------------------- */

/* The record that function entries leave in the ring buffer. */
struct ftrace_graph_ent {
	unsigned long func;
	int depth;
} __packed;

/* … and function returns. */
struct ftrace_graph_ret {
	unsigned long func;
#ifdef CONFIG_FUNCTION_GRAPH_RETVAL
	unsigned long retval;
#endif
	int depth;
	/* how many more frames there were than the shadow stack had room for */
	unsigned int overrun;
	unsigned long long calltime;
	unsigned long long rettime;
} __packed;

struct fgraph_ops;

typedef int (*trace_func_graph_ent_t)(struct ftrace_graph_ent *trace,
				      struct fgraph_ops *gops);
typedef void (*trace_func_graph_ret_t)(struct ftrace_graph_ret *trace,
				       struct fgraph_ops *gops);

int ftrace_graph_entry_stub(struct ftrace_graph_ent *trace,
			    struct fgraph_ops *gops);

/* Arguments of ftrace_startup_subops() and ftrace_shutdown_subops(). */
enum {
	FTRACE_START_FUNC_RET	= BIT(3),
	FTRACE_STOP_FUNC_RET	= BIT(4),
};

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

/**
 * struct fgraph_ops - callbacks on entry and return of functions
 * @entryfunc:  on entry; non-zero: call @retfunc when the function returns
 * @retfunc:    on return
 * @ops:        which functions
 * @private:    for the owner
 * @saved_func: @entryfunc, while fgraph has the pid filter in its place
 * @idx:        slot in fgraph's array
 */
struct fgraph_ops {
	trace_func_graph_ent_t	entryfunc;
	trace_func_graph_ret_t	retfunc;
	struct ftrace_ops	ops;
	void			*private;
	trace_func_graph_ent_t	saved_func;
	int			idx;
};

/* A frame of the shadow stack that holds the real return addresses. */
struct ftrace_ret_stack {
	unsigned long		ret;
	unsigned long		func;
	unsigned long long	calltime;
#ifdef CONFIG_FUNCTION_PROFILER
	unsigned long long	subtime;
#endif
#ifdef HAVE_FUNCTION_GRAPH_FP_TEST
	unsigned long		fp;
#endif
	unsigned long		*retp;
};

#define FTRACE_RETFUNC_DEPTH		50
#define FTRACE_RETSTACK_ALLOC_SIZE	32
#define __notrace_funcgraph		notrace

#ifdef ftrace_graph_func
#define FTRACE_OPS_GRAPH_STUB		0
#define FGRAPH_NO_DIRECT		0
#else
#error "the architecture has to provide ftrace_graph_func()"
#endif

int register_ftrace_graph(struct fgraph_ops *gops);
void unregister_ftrace_graph(struct fgraph_ops *gops);

void *fgraph_retrieve_data(int idx, int *size);
void *fgraph_reserve_data(int idx, int size);
unsigned long *fgraph_get_task_var(struct fgraph_ops *gops);

DECLARE_STATIC_KEY_FALSE(kill_ftrace_graph);

static inline bool ftrace_graph_is_dead(void)
{
	return static_branch_unlikely(&kill_ftrace_graph);
}

void ftrace_graph_stop(void);
int function_graph_enter(unsigned long ret, unsigned long func,
			 unsigned long frame_pointer, unsigned long *retp);
unsigned long ftrace_return_to_handler(struct ftrace_regs *fregs);
void return_to_handler(void);
void ftrace_stub_graph(struct ftrace_graph_ret *trace, struct fgraph_ops *gops);

struct ftrace_ret_stack *ftrace_graph_get_ret_stack(struct task_struct *task,
						    int skip);
unsigned long ftrace_graph_ret_addr(struct task_struct *task, int *idx,
				    unsigned long ret, unsigned long *retp);
extern trace_func_graph_ret_t ftrace_graph_return;
extern trace_func_graph_ent_t ftrace_graph_entry;

void ftrace_graph_init_idle_task(struct task_struct *t, int cpu);
void ftrace_graph_init_task(struct task_struct *t);
void ftrace_graph_exit_task(struct task_struct *t);

static inline void unpause_graph_tracing(void)
{
	atomic_dec(&current->tracing_graph_pause);
}

static inline void pause_graph_tracing(void)
{
	atomic_inc(&current->tracing_graph_pause);
}

int ftrace_disable_ftrace_graph_caller(void);
int ftrace_enable_ftrace_graph_caller(void);

#else /* !CONFIG_FUNCTION_GRAPH_TRACER */

#define __notrace_funcgraph

static inline unsigned long
ftrace_graph_ret_addr(struct task_struct *task, int *idx, unsigned long ret,
		      unsigned long *retp)
{
	return ret;
}

static inline int register_ftrace_graph(struct fgraph_ops *gops)
{
	return -ENODEV;
}

static inline void unregister_ftrace_graph(struct fgraph_ops *gops) { }
static inline void pause_graph_tracing(void) { }
static inline void unpause_graph_tracing(void) { }
static inline void ftrace_graph_init_task(struct task_struct *t) { }
static inline void ftrace_graph_init_idle_task(struct task_struct *t, int cpu) { }
static inline void ftrace_graph_exit_task(struct task_struct *t) { }

#endif /* CONFIG_FUNCTION_GRAPH_TRACER */

/* ---- Small facilities of the tracers ---------------------------------- */

#define MAX_TRACER_SIZE		100
extern char ftrace_dump_on_oops[];
int ftrace_dump_on_oops_enabled(void);
extern int tracepoint_printk;

#ifdef CONFIG_STACK_TRACER

extern int stack_tracer_enabled;
int stack_trace_sysctl(const struct ctl_table *table, int write, void *buffer,
		       size_t *lenp, loff_t *ppos);

/* While non-zero the stack tracer keeps out; change it with preemption off. */
DECLARE_PER_CPU(int, disable_stack_tracer);
#endif

#ifndef ftrace_return_address
# ifdef CONFIG_FRAME_POINTER
#  define ftrace_return_address(n)	__builtin_return_address(n)
# else
#  define ftrace_return_address(...)	0UL
# endif
#endif

#define ftrace_return_address0	__builtin_return_address(0)
#define CALLER_ADDR0		((unsigned long)ftrace_return_address0)
#define CALLER_ADDR1		((unsigned long)ftrace_return_address(1))
#define CALLER_ADDR2		((unsigned long)ftrace_return_address(2))

/* Who took a lock: the first caller that is no lock function itself. */
static __always_inline unsigned long get_lock_parent_ip(void)
{
	unsigned long addr = CALLER_ADDR0;

	if (in_lock_functions(addr))
		addr = CALLER_ADDR1;
	if (in_lock_functions(addr))
		addr = CALLER_ADDR2;
	return addr;
}

#ifdef CONFIG_TRACE_PREEMPT_TOGGLE
void trace_preempt_on(unsigned long a0, unsigned long a1);
void trace_preempt_off(unsigned long a0, unsigned long a1);
#else
/* Macros: the arguments walk the stack and must not be evaluated. */
#define trace_preempt_on(...)	do { } while (0)
#define trace_preempt_off(...)	do { } while (0)
#endif

#ifdef CONFIG_FTRACE_SYSCALLS
unsigned long arch_syscall_addr(int nr);
#endif

#endif /* _LINUX_FTRACE_H */
