/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests probe, and how they count. */
#ifndef _KERNEL_TRACE_KPROBES_KUNIT_TARGET_H
#define _KERNEL_TRACE_KPROBES_KUNIT_TARGET_H

#include <linux/kprobes.h>

/* Tables of the kernel's whose text may not be probed. */
extern struct static_call_site __start_static_call_sites[];
extern struct static_call_site __stop_static_call_sites[];
extern struct bug_entry __start___bug_table[], __stop___bug_table[];

/* Each is traced and returns its argument plus 1, 2, 3. */
int kprobe_kunit_one(int x);
int kprobe_kunit_two(int x);
int kprobe_kunit_three(int x);

/* Not traced: a probe at its entry is a breakpoint.  Returns @x + 4. */
int kprobe_kunit_untraced(int x);

/* Returns its argument plus KPROBE_KUNIT_BODY, which one instruction adds. */
#define KPROBE_KUNIT_BODY	0x1000
int kprobe_kunit_body(int x);
extern const unsigned long kprobe_kunit_insn;	/* this instruction */
#define KPROBE_KUNIT_INSN_LEN	6

/* Returns @x + 3, which two instructions add that one jump takes the place of. */
int kprobe_kunit_neighbours(int x);
extern const unsigned long kprobe_kunit_pair;	/* the first of them */
#define KPROBE_KUNIT_FIRST_LEN	3

/* Calls @fn(@data) inside a traced function; returns what that does, plus 1. */
int kprobe_kunit_around(int (*fn)(void *data), void *data);

/* Calls itself @depth times; returns how often it was called. */
int kprobe_kunit_recurse(int depth);

/* Functions that may not be probed, in three ways; and one in a part. */
int kprobe_kunit_section(int x);
int kprobe_kunit_marked(int x);
int kprobe_kunit_noinstr(int x);

/* There is an int3 in it that nobody executes. */
int kprobe_kunit_int3(int x);
extern const unsigned long kprobe_kunit_int3_insn;

/* Fifty traced functions that return their argument plus 1. */
#define KPROBE_KUNIT_FUNCS	50
extern int (*const kprobe_kunit_funcs[KPROBE_KUNIT_FUNCS])(int x);

/**
 * struct counted - a probe that counts
 * @kp:    the probe
 * @pre:   calls of its pre_handler
 * @post:  calls of its post_handler
 * @ip:    the instruction pointer that the pre_handler saw
 * @after: … that the post_handler saw
 */
struct counted {
	struct kprobe	kp;
	unsigned long	pre;
	unsigned long	post;
	unsigned long	ip;
	unsigned long	after;
};

static inline int count_pre(struct kprobe *kp, struct pt_regs *regs)
{
	struct counted *c = container_of(kp, struct counted, kp);

	c->pre++;
	c->ip = instruction_pointer(regs);
	return 0;
}

static inline void count_post(struct kprobe *kp, struct pt_regs *regs,
			      unsigned long flags)
{
	struct counted *c = container_of(kp, struct counted, kp);

	c->post++;
	c->after = instruction_pointer(regs);
}

/**
 * struct counted_ret - a return probe that counts
 * @rp:    the probe
 * @entry: calls of its entry_handler
 * @ret:   calls of its handler
 */
struct counted_ret {
	struct kretprobe	rp;
	unsigned long		entry;
	unsigned long		ret;
};

static inline int count_entry(struct kretprobe_instance *ri,
			      struct pt_regs *regs)
{
	container_of(get_kretprobe(ri), struct counted_ret, rp)->entry++;
	return 0;
}

static inline int count_return(struct kretprobe_instance *ri,
			       struct pt_regs *regs)
{
	container_of(get_kretprobe(ri), struct counted_ret, rp)->ret++;
	return 0;
}

/* An address to calculate with, which objtool need not find ENDBR at. */
static inline unsigned long addr_of(const void *func)
{
	OPTIMIZER_HIDE_VAR(func);
	return (unsigned long)func;
}

static inline void *func_addr(const void *func)
{
	return (void *)addr_of(func);
}

static inline void put_on(struct counted *c, unsigned long addr)
{
	memset(c, 0, sizeof(*c));
	c->kp.addr = (kprobe_opcode_t *)addr;
	c->kp.pre_handler = count_pre;
}

static inline void put_ret_on(struct counted_ret *c, const void *func)
{
	memset(c, 0, sizeof(*c));
	c->rp.kp.addr = func_addr(func);
	c->rp.handler = count_return;
	c->rp.entry_handler = count_entry;
}

#endif /* _KERNEL_TRACE_KPROBES_KUNIT_TARGET_H */
