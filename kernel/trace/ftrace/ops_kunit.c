// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of what owners of an ops rely on.  The names begin with the number of
 * the requirement (F…) or of the case (C…).
 */
#include <kunit/test.h>
#include <linux/context_tracking.h>
#include <linux/cpufeature.h>
#include <linux/mm.h>
#include <linux/set_memory.h>
#include <linux/stacktrace.h>
#include <linux/vmalloc.h>

#include "internal.h"
#include "kunit_arch.h"
#include "kunit_target.h"

/* ---- F1 to F3 --------------------------------------------------------- */

static void f01_only_func_needed(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	c->ops.func = count_call;
	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_two(1), 3);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c->ops), 0);
	KUNIT_EXPECT_EQ(test, c->hits, 1);
	ftrace_free_filter(&c->ops);
}

static unsigned long seen_one, seen_two;

static void note_targets(unsigned long ip, unsigned long parent_ip,
			 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	if (ip - (unsigned long)ftrace_kunit_one <= FTRACE_MCOUNT_MAX_OFFSET)
		seen_one++;
	if (ip - (unsigned long)ftrace_kunit_two <= FTRACE_MCOUNT_MAX_OFFSET)
		seen_two++;
}

static void f01_no_filter_is_every_function(struct kunit *test)
{
	static struct ftrace_ops ops = { .func = note_targets };

	seen_one = 0;
	seen_two = 0;
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&ops), 0);
	ftrace_kunit_one(1);
	ftrace_kunit_two(1);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&ops), 0);
	ftrace_kunit_one(1);
	KUNIT_EXPECT_EQ(test, seen_one, 1);
	KUNIT_EXPECT_EQ(test, seen_two, 1);
}

static void f02_twice_and_never(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	c->ops.func = count_call;
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c->ops), -EBUSY);
	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&c->ops), -EBUSY);
	ftrace_kunit_one(1);
	KUNIT_EXPECT_EQ(test, c->hits, 1);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c->ops), 0);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c->ops), -EBUSY);
	ftrace_kunit_one(1);
	KUNIT_EXPECT_EQ(test, c->hits, 1);
	ftrace_free_filter(&c->ops);
}

static void f02_without_func(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&c->ops), -EINVAL);
	KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c->ops), -EBUSY);
	ftrace_free_filter(&c->ops);
}

static void f03_what_a_callback_gets(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	unsigned long caller = addr_of(ftrace_kunit_caller);
	unsigned long site;

	c->ops.func = count_call;
	site = ftrace_location((unsigned long)ftrace_kunit_one);
	KUNIT_ASSERT_NE(test, site, 0);
	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	ftrace_kunit_caller(1);
	unregister_ftrace_function(&c->ops);

	KUNIT_EXPECT_EQ(test, c->hits, 1);
	KUNIT_EXPECT_EQ(test, c->ip, site);
	KUNIT_EXPECT_PTR_EQ(test, c->op, &c->ops);
	KUNIT_EXPECT_GT(test, c->parent, caller);
	KUNIT_EXPECT_LT(test, c->parent, caller + 64);
	ftrace_free_filter(&c->ops);
}

static void f03_sixty_four_on_one_function(struct kunit *test)
{
	struct counter *c;
	int i, nr;

	c = kunit_kcalloc(test, 64, sizeof(*c), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, c);
	for (i = 0; i < 64; i++) {
		c[i].ops.func = count_call;
		KUNIT_ASSERT_EQ(test, on(&c[i].ops, ftrace_kunit_one), 0);
		KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[i].ops), 0);
	}
	for (nr = 0; nr < 100; nr++)
		ftrace_kunit_one(nr);
	for (i = 0; i < 64; i += 2)
		unregister_ftrace_function(&c[i].ops);
	ftrace_kunit_one(1);
	for (i = 1; i < 64; i += 2)
		unregister_ftrace_function(&c[i].ops);
	ftrace_kunit_one(1);
	for (i = 0; i < 64; i++) {
		KUNIT_EXPECT_EQ(test, c[i].hits, 100 + (i & 1));
		ftrace_free_filter(&c[i].ops);
	}
}

/* ---- F5 to F8 --------------------------------------------------------- */

static int nested_result;

static void nest_guarded(unsigned long ip, unsigned long parent_ip,
			 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct counter *c = container_of(op, struct counter, ops);
	int bit = ftrace_test_recursion_trylock(ip, parent_ip);

	if (bit < 0) {
		nested_result++;
		return;
	}
	c->hits++;
	if (!IS_ENABLED(CONFIG_PREEMPT_COUNT) || !preemptible())
		ftrace_kunit_one(1);
	ftrace_test_recursion_unlock(bit);
}

static void f05_trylock_refuses_recursion(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	nested_result = 0;
	c->ops.func = nest_guarded;
	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(1), 2);
	unregister_ftrace_function(&c->ops);
	/* One nested call may pass for one of a context just begun. */
	KUNIT_EXPECT_LE(test, c->hits, 2);
	KUNIT_EXPECT_GE(test, c->hits, 1);
	KUNIT_EXPECT_EQ(test, nested_result, 1);
	KUNIT_EXPECT_EQ(test, current->trace_recursion, 0);
	ftrace_free_filter(&c->ops);
}

static int was_preemptible;

static void nest_unguarded(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct counter *c = container_of(op, struct counter, ops);

	was_preemptible += preemptible();
	if (c->hits++ < 5)
		ftrace_kunit_one(1);
}

static unsigned long nested_hits(struct kunit *test, unsigned long flags)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	c->ops.func = nest_unguarded;
	c->ops.flags = flags;
	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	ftrace_kunit_one(1);
	unregister_ftrace_function(&c->ops);
	ftrace_free_filter(&c->ops);
	return c->hits;
}

static void f07_engine_guards_recursion(struct kunit *test)
{
	was_preemptible = 0;
	KUNIT_EXPECT_LE(test, nested_hits(test, FTRACE_OPS_FL_RECURSION), 2);
	KUNIT_EXPECT_EQ(test, was_preemptible, 0);
	KUNIT_EXPECT_EQ(test, current->trace_recursion, 0);
	/* Without the flag it does not: six levels, each a hit. */
	KUNIT_EXPECT_EQ(test, nested_hits(test, 0), 6);
	KUNIT_EXPECT_FALSE(test, in_atomic());
}

#ifdef CONFIG_CONTEXT_TRACKING_IDLE
static void f08_only_while_rcu_watches(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, 2, sizeof(*c), GFP_KERNEL);
	unsigned long flags;
	int i;

	c[0].ops.flags = FTRACE_OPS_FL_RCU;
	for (i = 0; i < 2; i++) {
		c[i].ops.func = count_call;
		KUNIT_ASSERT_EQ(test, on(&c[i].ops, ftrace_kunit_one), 0);
		KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[i].ops), 0);
	}
	ftrace_kunit_one(1);
	local_irq_save(flags);
	ct_idle_enter();
	ftrace_kunit_one(1);
	ct_idle_exit();
	local_irq_restore(flags);
	for (i = 0; i < 2; i++) {
		unregister_ftrace_function(&c[i].ops);
		KUNIT_EXPECT_EQ(test, c[i].hits, i + 1);
		ftrace_free_filter(&c[i].ops);
	}
}
#endif

/* ---- F9, F10: registers ----------------------------------------------- */

static int had_regs, had_none;

static void change_argument(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);

	if (!regs) {
		had_none++;
		return;
	}
	had_regs++;
	if (regs_get_kernel_argument(regs, 0) == 1)
		kunit_arg0(regs) = 100;
}

static int with_regs(struct kunit *test, unsigned long flags)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	int ret;

	had_regs = 0;
	had_none = 0;
	c->ops.func = change_argument;
	c->ops.flags = flags;
	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	ret = ftrace_kunit_one(1);
	unregister_ftrace_function(&c->ops);
	ftrace_free_filter(&c->ops);
	return ret;
}

static void f09_complete_writable_registers(struct kunit *test)
{
	unsigned long if_supported = FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED;

	KUNIT_EXPECT_EQ(test, with_regs(test, FTRACE_OPS_FL_SAVE_REGS), 101);
	KUNIT_EXPECT_EQ(test, had_regs, 1);
	KUNIT_EXPECT_EQ(test, with_regs(test, if_supported), 101);
	KUNIT_EXPECT_EQ(test, with_regs(test, 0), 2);
	KUNIT_EXPECT_EQ(test, had_none, 1);
}

/* Registers that no argument is in, before and after the call, by number. */
#define KNOWN(nr)	(0x5eed0000UL + (nr))
#define CHANGED(nr)	(0xbeef0000UL + (nr))

static unsigned int wrong_regs;

#ifdef CONFIG_X86_64

#define NR_REGS		7

static void change_every_register(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *op,
				  struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	unsigned long *reg[NR_REGS];
	int i;

	if (!regs) {
		wrong_regs++;
		return;
	}
	reg[0] = &regs->bx;
	reg[1] = &regs->r10;
	reg[2] = &regs->r11;
	reg[3] = &regs->r12;
	reg[4] = &regs->r13;
	reg[5] = &regs->r14;
	reg[6] = &regs->r15;
	for (i = 0; i < ARRAY_SIZE(reg); i++) {
		wrong_regs += *reg[i] != KNOWN(i);
		*reg[i] = CHANGED(i);
	}
	wrong_regs += regs->di != 1;
	wrong_regs += *(unsigned long *)regs->sp != parent_ip;
	wrong_regs += regs->ip - ip > MCOUNT_INSN_SIZE;
	wrong_regs += !(regs->flags & X86_EFLAGS_IF);
	/* Counting the depth of calls is arithmetic. */
	wrong_regs += !(regs->flags & X86_EFLAGS_CF) &&
		      !boot_cpu_has(X86_FEATURE_CALL_DEPTH);
	wrong_regs += regs->cs != __KERNEL_CS || regs->ss != __KERNEL_DS;
}

static int call_with_registers(unsigned long *reg)
{
	unsigned long arg = 1, ret;

	asm volatile("pushq %%rsi\n"
		     "movq 0(%%rsi), %%rbx\n"
		     "movq 8(%%rsi), %%r10\n"
		     "movq 16(%%rsi), %%r11\n"
		     "movq 24(%%rsi), %%r12\n"
		     "movq 32(%%rsi), %%r13\n"
		     "movq 40(%%rsi), %%r14\n"
		     "movq 48(%%rsi), %%r15\n"
		     "stc\n"
		     "call ftrace_kunit_one\n"
		     "popq %%rsi\n"
		     "movq %%rbx, 0(%%rsi)\n"
		     "movq %%r10, 8(%%rsi)\n"
		     "movq %%r11, 16(%%rsi)\n"
		     "movq %%r12, 24(%%rsi)\n"
		     "movq %%r13, 32(%%rsi)\n"
		     "movq %%r14, 40(%%rsi)\n"
		     "movq %%r15, 48(%%rsi)\n"
		     : "=a" (ret), "+D" (arg), "+S" (reg), ASM_CALL_CONSTRAINT
		     : : "cc", "memory", "bx", "cx", "dx", "r8", "r9", "r10",
		     "r11", "r12", "r13", "r14", "r15");
	return ret;
}

/* Thunks of mitigations may use r10 and r11 on the way back. */
static bool comes_back(int i)
{
	return i != 1 && i != 2;
}

#else /* arm64 */

static const u8 number[] = {
	10, 11, 12, 13, 14, 15, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
};

#define NR_REGS		ARRAY_SIZE(number)

static void change_every_register(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *op,
				  struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	int i;

	if (!regs) {
		wrong_regs++;
		return;
	}
	for (i = 0; i < NR_REGS; i++) {
		wrong_regs += regs->regs[number[i]] != KNOWN(i);
		regs->regs[number[i]] = CHANGED(i);
	}
	wrong_regs += regs->regs[0] != 1;
	wrong_regs += regs->regs[30] != parent_ip;
	wrong_regs += regs->pc != ip + MCOUNT_INSN_SIZE;
	wrong_regs += user_mode(regs) || !interrupts_enabled(regs);
	wrong_regs += (regs->pstate & PSR_C_BIT) == 0;
	regs->pstate &= ~PSR_C_BIT;
}

/* The carry flag is set before, and what it is afterwards is added. */
static int call_with_registers(unsigned long *reg)
{
	register unsigned long arg asm("x0") = 1;
	register unsigned long *from asm("x1") = reg;

	asm volatile("str	x1, [sp, #-16]!\n"
		     "ldp	x10, x11, [x1]\n"
		     "ldp	x12, x13, [x1, #16]\n"
		     "ldp	x14, x15, [x1, #32]\n"
		     "ldp	x19, x20, [x1, #48]\n"
		     "ldp	x21, x22, [x1, #64]\n"
		     "ldp	x23, x24, [x1, #80]\n"
		     "ldp	x25, x26, [x1, #96]\n"
		     "ldp	x27, x28, [x1, #112]\n"
		     "cmp	xzr, xzr\n"
		     "bl	ftrace_kunit_one\n"
		     "ldr	x1, [sp], #16\n"
		     "stp	x10, x11, [x1]\n"
		     "stp	x12, x13, [x1, #16]\n"
		     "stp	x14, x15, [x1, #32]\n"
		     "stp	x19, x20, [x1, #48]\n"
		     "stp	x21, x22, [x1, #64]\n"
		     "stp	x23, x24, [x1, #80]\n"
		     "stp	x25, x26, [x1, #96]\n"
		     "stp	x27, x28, [x1, #112]\n"
		     "adc	x0, x0, xzr\n"
		     : "+r" (arg), "+r" (from) : : "cc", "memory", "x2", "x3",
		     "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
		     "x13", "x14", "x15", "x16", "x17", "x19", "x20", "x21",
		     "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30");
	return arg;
}

static bool comes_back(int i)
{
	return true;
}

#endif

static void f09_every_register(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	unsigned long reg[NR_REGS];
	int i;

	for (i = 0; i < ARRAY_SIZE(reg); i++)
		reg[i] = KNOWN(i);
	wrong_regs = 0;
	c->ops.func = change_every_register;
	c->ops.flags = FTRACE_OPS_FL_SAVE_REGS;
	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	KUNIT_EXPECT_EQ(test, call_with_registers(reg), 2);
	unregister_ftrace_function(&c->ops);
	ftrace_free_filter(&c->ops);
	KUNIT_EXPECT_EQ(test, wrong_regs, 0);
	for (i = 0; i < ARRAY_SIZE(reg); i++) {
		if (comes_back(i))
			KUNIT_EXPECT_EQ(test, reg[i], CHANGED(i));
	}
}

static void redirect_to_two(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	count_call(ip, parent_ip, op, fregs);
	ftrace_regs_set_instruction_pointer(fregs,
					    (unsigned long)ftrace_kunit_two);
}

static void redirect_to_three(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	count_call(ip, parent_ip, op, fregs);
	ftrace_regs_set_instruction_pointer(fregs,
					    (unsigned long)ftrace_kunit_three);
}

static void f10_redirect_with_the_flag_only(struct kunit *test)
{
	unsigned long flags[] = { 0, FTRACE_OPS_FL_SAVE_REGS,
		FTRACE_OPS_FL_IPMODIFY,
		FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS };
	struct counter *c = kunit_kcalloc(test, 4, sizeof(*c), GFP_KERNEL);
	int i;

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		c[i].ops.func = redirect_to_two;
		c[i].ops.flags = flags[i];
		KUNIT_ASSERT_EQ(test, on(&c[i].ops, ftrace_kunit_one), 0);
		KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[i].ops), 0);
		KUNIT_EXPECT_EQ(test, ftrace_kunit_one(10), i < 2 ? 11 : 12);
		unregister_ftrace_function(&c[i].ops);
		KUNIT_EXPECT_EQ(test, ftrace_kunit_one(10), 11);
		KUNIT_EXPECT_EQ(test, c[i].hits, 1);
		ftrace_free_filter(&c[i].ops);
	}
}

static void f10_redirect_among_others(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, 3, sizeof(*c), GFP_KERNEL);
	int i;

	/* One that may redirect between two that try and may not. */
	for (i = 0; i < 3; i++) {
		c[i].ops.func = i == 1 ? redirect_to_two : redirect_to_three;
		c[i].ops.flags = i == 1 ? FTRACE_OPS_FL_IPMODIFY : 0;
		KUNIT_ASSERT_EQ(test, on(&c[i].ops, ftrace_kunit_one), 0);
		KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[i].ops), 0);
	}
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(10), 12);
	unregister_ftrace_function(&c[1].ops);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(10), 11);

	/* Behind one of those it does not redirect by doing nothing. */
	c[1].ops.func = count_call;
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[1].ops), 0);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(10), 11);
	unregister_ftrace_function(&c[1].ops);
	for (i = 0; i < 3; i++) {
		if (i != 1)
			unregister_ftrace_function(&c[i].ops);
		KUNIT_EXPECT_EQ(test, c[i].hits, i == 1 ? 2 : 3);
		ftrace_free_filter(&c[i].ops);
	}
}

static void f10_one_owner(struct kunit *test)
{
	unsigned long three = (unsigned long)ftrace_kunit_three;
	struct counter *c = kunit_kcalloc(test, 2, sizeof(*c), GFP_KERNEL);
	int i;

	for (i = 0; i < 2; i++) {
		c[i].ops.func = redirect_to_two;
		c[i].ops.flags = FTRACE_OPS_FL_IPMODIFY;
	}
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&c[0].ops), -EINVAL);
	KUNIT_ASSERT_EQ(test, on(&c[0].ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[0].ops), 0);

	/* By registration. */
	KUNIT_ASSERT_EQ(test, on(&c[1].ops, ftrace_kunit_one), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&c[1].ops), -EBUSY);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(10), 12);

	/* By a filter change. */
	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&c[1].ops, three, 0, 1), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[1].ops), 0);
	KUNIT_EXPECT_EQ(test, on(&c[1].ops, ftrace_kunit_one), -EBUSY);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_three(10), 12);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_one(10), 12);
	KUNIT_EXPECT_EQ(test, c[0].hits, 2);
	KUNIT_EXPECT_EQ(test, c[1].hits, 1);

	/* Nor may it come to redirect everything. */
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(&c[1].ops, NULL, 0, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, ftrace_kunit_three(10), 12);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, unregister_ftrace_function(&c[i].ops), 0);
		ftrace_free_filter(&c[i].ops);
	}
}

/* ---- F11 -------------------------------------------------------------- */

static void f11_permanent_and_the_switch(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, 2, sizeof(*c), GFP_KERNEL);

	c[0].ops.func = count_call;
	c[0].ops.flags = FTRACE_OPS_FL_PERMANENT;
	c[1].ops.func = count_call;
	KUNIT_ASSERT_EQ(test, on(&c[0].ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, on(&c[1].ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[0].ops), 0);
	KUNIT_EXPECT_EQ(test, ftrace_apply_enabled(0), -EBUSY);
	KUNIT_EXPECT_EQ(test, ftrace_enabled, 1);
	ftrace_kunit_one(1);
	KUNIT_EXPECT_EQ(test, c[0].hits, 1);
	unregister_ftrace_function(&c[0].ops);

	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[1].ops), 0);
	KUNIT_ASSERT_EQ(test, ftrace_apply_enabled(0), 0);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&c[0].ops), -EBUSY);
	ftrace_kunit_one(1);
	KUNIT_EXPECT_EQ(test, c[1].hits, 0);
	KUNIT_ASSERT_EQ(test, ftrace_apply_enabled(1), 0);
	ftrace_kunit_one(1);
	KUNIT_EXPECT_EQ(test, c[1].hits, 1);
	unregister_ftrace_function(&c[1].ops);
	ftrace_free_filter(&c[0].ops);
	ftrace_free_filter(&c[1].ops);
}

/* ---- F12 to F15 ------------------------------------------------------- */

/* Which of the four functions an ops is called for, a bit each. */
static unsigned int called_for(struct counter *c)
{
	int (*func[])(int x) = { ftrace_kunit_one, ftrace_kunit_two,
		ftrace_kunit_three, ftrace_kunit_other };
	unsigned int i, mask = 0;

	for (i = 0; i < ARRAY_SIZE(func); i++) {
		c->hits = 0;
		func[i](1);
		mask |= !!c->hits << i;
	}
	return mask;
}

static int set(struct counter *c, char *pattern, int reset)
{
	return ftrace_set_filter(&c->ops, pattern, strlen(pattern), reset);
}

static void f12_names_and_globs(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	c->ops.func = count_call;
	KUNIT_EXPECT_EQ(test, set(c, "no_such_function", 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, set(c, "", 0), -EINVAL);
	KUNIT_ASSERT_EQ(test, set(c, "ftrace_kunit_one", 1), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x1);
	KUNIT_EXPECT_EQ(test, set(c, "ftrace_kunit_t*", 1), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x6);
	KUNIT_EXPECT_EQ(test, set(c, "*unit_other", 0), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0xe);
	KUNIT_EXPECT_EQ(test, set(c, "*trace_kunit_t*", 1), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x6);
	KUNIT_EXPECT_EQ(test, set(c, "ftrace_kunit_*e", 1), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x5);
	KUNIT_EXPECT_EQ(test, set(c, "ftrace_kunit_t[gh]?ee", 1), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x4);
	KUNIT_EXPECT_EQ(test, set(c, "ftrace_kunit_*", 1), 0);
	KUNIT_EXPECT_EQ(test, set(c, "!ftrace_kunit_two", 0), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0xd);
	/* What matches nothing changes nothing, reset or not. */
	KUNIT_EXPECT_EQ(test, set(c, "no_such_*", 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, called_for(c), 0xd);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(&c->ops, NULL, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0xf);
	unregister_ftrace_function(&c->ops);
	ftrace_free_filter(&c->ops);
}

static void f13_addresses(struct kunit *test)
{
	unsigned long one = (unsigned long)ftrace_kunit_one;
	unsigned long two = (unsigned long)ftrace_kunit_two;
	unsigned long data = (unsigned long)&seen_one;
	unsigned long mine = (unsigned long)f13_addresses;
	unsigned long mixed[] = { two, data };
	unsigned long both[] = { one, two };
	unsigned long site = ftrace_location(one);
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	c->ops.func = count_call;
	KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&c->ops, 0, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&c->ops, data, 0, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&c->ops, mine, 0, 0), -EINVAL);
	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&c->ops, one, 0, 0), 0);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&c->ops, one, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x1);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter_ips(&c->ops, mixed, 2, 0, 1),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x1);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&c->ops, two, 1, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter_ips(&c->ops, both, 2, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x3);
	/* A site's own address does as well. */
	KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&c->ops, site, 1, 0), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x2);
	unregister_ftrace_function(&c->ops);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter_ip(&c->ops, two, 1, 0), 0);
	/* Nothing is left: no memory hangs off it (livepatch relies on that). */
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(c->ops.local_hash.filter));
}

static void f14_notrace_wins(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	c->ops.func = count_call;
	KUNIT_ASSERT_EQ(test, set(c, "ftrace_kunit_*e", 1), 0);
	KUNIT_ASSERT_EQ(test, set(c, "ftrace_kunit_two", 0), 0);
	KUNIT_ASSERT_EQ(test, ftrace_set_notrace(&c->ops, "ftrace_kunit_t*", 15,
						 1), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x1);
	/* Without reset the list grows; with reset it is a new one. */
	KUNIT_EXPECT_EQ(test, ftrace_set_notrace(&c->ops, "ftrace_kunit_one",
						 16, 0), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0);
	KUNIT_EXPECT_EQ(test, ftrace_set_notrace(&c->ops, "ftrace_kunit_one",
						 16, 1), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x6);
	/* Emptying this list leaves the other: the filter has not all four. */
	KUNIT_EXPECT_EQ(test, ftrace_set_notrace(&c->ops, NULL, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x7);
	/* And emptying the other leaves this. */
	KUNIT_EXPECT_EQ(test, ftrace_set_notrace(&c->ops, "ftrace_kunit_two",
						 16, 0), 0);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(&c->ops, NULL, 0, 1), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0xd);
	unregister_ftrace_function(&c->ops);
	ftrace_free_filter(&c->ops);
}

static void f14_global_lists(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	c->ops.func = count_call;
	ftrace_ops_set_global_filter(&c->ops);
	ftrace_set_global_filter("ftrace_kunit_*e", 15, 1);
	ftrace_set_global_notrace("ftrace_kunit_one", 16, 1);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x4);
	ftrace_set_global_notrace(NULL, 0, 1);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x5);
	ftrace_set_global_notrace("ftrace_kunit_one", 16, 1);
	ftrace_set_global_filter(NULL, 0, 1);
	KUNIT_EXPECT_EQ(test, called_for(c), 0xe);
	unregister_ftrace_function(&c->ops);
	ftrace_set_global_notrace(NULL, 0, 1);
}

static void f15_shared_lists_change_together(struct kunit *test)
{
	struct counter *c = kunit_kcalloc(test, 2, sizeof(*c), GFP_KERNEL);
	int i;

	for (i = 0; i < 2; i++) {
		c[i].ops.func = count_call;
		ftrace_ops_set_global_filter(&c[i].ops);
	}
	ftrace_set_global_filter("ftrace_kunit_one", 16, 1);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, register_ftrace_function(&c[i].ops), 0);
	KUNIT_EXPECT_EQ(test, called_for(&c[0]), 0x1);
	ftrace_set_global_filter("ftrace_kunit_two", 16, 0);
	ftrace_set_global_notrace("ftrace_kunit_one", 16, 1);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, called_for(&c[i]), 0x2);
		unregister_ftrace_function(&c[i].ops);
	}
	ftrace_set_global_filter(NULL, 0, 1);
	ftrace_set_global_notrace(NULL, 0, 1);
}

/* ---- Stack traces from inside a callback ------------------------------ */

static unsigned long trace[16];
static unsigned int trace_len;

static void take_trace(unsigned long ip, unsigned long parent_ip,
		       struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	trace_len = stack_trace_save(trace, ARRAY_SIZE(trace), 0);
}

static bool in_function(unsigned long addr, unsigned long func)
{
	return addr > func && addr < func + 128;
}

static void check_trace(struct kunit *test, unsigned long flags)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	unsigned long site = ftrace_location((unsigned long)ftrace_kunit_one);
	unsigned int i;

	trace_len = 0;
	c->ops.func = take_trace;
	c->ops.flags = flags;
	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	ftrace_kunit_caller(1);
	unregister_ftrace_function(&c->ops);
	ftrace_free_filter(&c->ops);

	/* callback, trampoline, traced function, its caller, ours */
	for (i = 0; i < trace_len; i++) {
		if (trace[i] == site + MCOUNT_INSN_SIZE)
			break;
	}
	KUNIT_ASSERT_EQ(test, i, 2);
	KUNIT_ASSERT_GT(test, trace_len, i + 2);
	KUNIT_EXPECT_TRUE(test, in_function(trace[0], addr_of(take_trace)));
	KUNIT_EXPECT_TRUE(test, in_function(trace[i + 1],
					    addr_of(ftrace_kunit_caller)));
	KUNIT_EXPECT_GT(test, trace[i + 2], addr_of(check_trace));
	KUNIT_EXPECT_LT(test, trace[i + 2], addr_of(check_trace) + 2048);
}

static void f03_stack_trace_from_a_callback(struct kunit *test)
{
	check_trace(test, 0);
	check_trace(test, FTRACE_OPS_FL_SAVE_REGS);
	check_trace(test, FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_RCU);
	check_trace(test, FTRACE_OPS_FL_IPMODIFY);
}

/* ---- Cases ------------------------------------------------------------ */

static void c01_owner_overwrites_its_fields(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	int i;

	c->ops.func = count_call;
	c->ops.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION;
	KUNIT_ASSERT_EQ(test, on(&c->ops, ftrace_kunit_one), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	ftrace_kunit_one(1);
	c->ops.func = NULL;
	c->ops.flags = 0;
	ftrace_kunit_one(1);
	KUNIT_EXPECT_EQ(test, c->hits, 2);
	KUNIT_EXPECT_EQ(test, register_ftrace_function(&c->ops), -EBUSY);
	KUNIT_ASSERT_EQ(test, unregister_ftrace_function(&c->ops), 0);
	ftrace_free_filter(&c->ops);
	memset(c, 0x5a, sizeof(*c));
	for (i = 0; i < 1000; i++)
		KUNIT_ASSERT_EQ(test, ftrace_kunit_one(i), i + 1);
	c->hits = 0;
	ftrace_kunit_one(1);
	KUNIT_EXPECT_EQ(test, c->hits, 0);
}

/*
 * A pattern at the very end of a page that can only be read, and behind the
 * page is nothing: whoever writes to it, or reads beyond it, faults.
 */
static unsigned char *make_read_only(struct kunit *test, const char *pattern)
{
	size_t len = strlen(pattern);
	unsigned char *page = vmalloc(PAGE_SIZE);

	KUNIT_ASSERT_NOT_NULL(test, page);
	memset(page, 'x', PAGE_SIZE);
	memcpy(page + PAGE_SIZE - len, pattern, len);
	KUNIT_ASSERT_EQ(test, set_memory_ro((unsigned long)page, 1), 0);
	return page + PAGE_SIZE - len;
}

static void free_read_only(unsigned char *pattern)
{
	unsigned char *page = PTR_ALIGN_DOWN(pattern, PAGE_SIZE);

	set_memory_rw((unsigned long)page, 1);
	vfree(page);
}

static void c08_pattern_is_only_read(struct kunit *test)
{
	struct counter *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	unsigned char *glob = make_read_only(test, "ftrace_kunit_t*");
	unsigned char *middle = make_read_only(test, "*race_kunit_on*");
	unsigned char *name = make_read_only(test, "!ftrace_kunit_two");

	c->ops.func = count_call;
	KUNIT_ASSERT_EQ(test, ftrace_set_filter(&c->ops, glob, 15, 1), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_function(&c->ops), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x6);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(&c->ops, name, 17, 0), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x4);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(&c->ops, middle, 15, 0), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x5);
	KUNIT_EXPECT_EQ(test, ftrace_set_notrace(&c->ops, glob, 15, 1), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x1);
	KUNIT_EXPECT_EQ(test, ftrace_set_notrace(&c->ops, NULL, 0, 1), 0);
	/* Only len bytes are of it: no NUL there. */
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(&c->ops, "ftrace_kunit_oneXYZ",
						16, 1), 0);
	KUNIT_EXPECT_EQ(test, called_for(c), 0x1);
	KUNIT_EXPECT_EQ(test, ftrace_set_filter(&c->ops, "x", -1, 1), -EINVAL);
	unregister_ftrace_function(&c->ops);
	ftrace_free_filter(&c->ops);
	free_read_only(name);
	free_read_only(middle);
	free_read_only(glob);
}

static struct kunit_case ops_cases[] = {
	KUNIT_CASE(f01_only_func_needed),
	KUNIT_CASE_SLOW(f01_no_filter_is_every_function),
	KUNIT_CASE(f02_twice_and_never),
	KUNIT_CASE(f02_without_func),
	KUNIT_CASE(f03_what_a_callback_gets),
	KUNIT_CASE(f03_sixty_four_on_one_function),
	KUNIT_CASE(f03_stack_trace_from_a_callback),
	KUNIT_CASE(f05_trylock_refuses_recursion),
	KUNIT_CASE(f07_engine_guards_recursion),
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	KUNIT_CASE(f08_only_while_rcu_watches),
#endif
	KUNIT_CASE(f09_complete_writable_registers),
	KUNIT_CASE(f09_every_register),
	KUNIT_CASE(f10_redirect_with_the_flag_only),
	KUNIT_CASE(f10_redirect_among_others),
	KUNIT_CASE(f10_one_owner),
	KUNIT_CASE(f11_permanent_and_the_switch),
	KUNIT_CASE_SLOW(f12_names_and_globs),
	KUNIT_CASE(f13_addresses),
	KUNIT_CASE(f14_notrace_wins),
	KUNIT_CASE(f14_global_lists),
	KUNIT_CASE(f15_shared_lists_change_together),
	KUNIT_CASE(c01_owner_overwrites_its_fields),
	KUNIT_CASE(c08_pattern_is_only_read),
	{ }
};

static struct kunit_suite ops_suite = {
	.name = "ftrace_ops",
	.test_cases = ops_cases,
};

kunit_test_suite(ops_suite);
