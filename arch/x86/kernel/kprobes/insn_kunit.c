// SPDX-License-Identifier: GPL-2.0
/*
 * K2: an instruction does elsewhere exactly what it does in place.
 *
 * Each snippet of insn_kunit_text.S runs with each combination of the flags that
 * conditions are about: first as it is, then with a probe, in each of the ways
 * in which the engine may have the instruction executed.  All registers, flags,
 * what is on the stack, and memory must come out the same.
 */
#include <kunit/test.h>
#include <linux/kprobes.h>
#include <linux/sched/task_stack.h>

#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/processor-flags.h>

#include "insn_kunit.h"
#include "kprobes.h"

#define STACK		16			/* words */
#define NR_FLAGS	32			/* combinations */

/* What no instruction here has to do with. */
#define FIRST_FLAGS	(X86_EFLAGS_IF | X86_EFLAGS_FIXED)

/* In a trap's frame; nobody finds it in flags that are pushed. */
#define TRAP_FLAGS	X86_EFLAGS_RF

struct pt_regs insn_kunit_regs;
unsigned long insn_kunit_memory[INSN_MEMORY] __aligned(64);
DEFINE_PER_CPU(unsigned long, insn_kunit_pcpu);

/**
 * struct outcome - all that a snippet has left
 * @regs:   registers, but for what is of no meaning here
 * @stack:  words on its stack, from where it began less half of them
 * @memory: insn_kunit_memory
 */
struct outcome {
	struct pt_regs	regs;
	unsigned long	stack[STACK];
	unsigned long	memory[INSN_MEMORY];
};

/**
 * struct subject - a snippet and its probe
 * @kp:      the probe
 * @snippet: the snippet
 * @want:    what it leaves when there is none
 * @pre:     calls of the pre_handler
 * @post:    calls of the post_handler
 * @before:  registers that the last pre_handler saw
 * @after:   registers that the last post_handler saw
 */
struct subject {
	struct kprobe			kp;
	const struct insn_snippet	*snippet;
	struct outcome			want[NR_FLAGS];
	unsigned int			pre;
	unsigned int			post;
	struct pt_regs			before;
	struct pt_regs			after;
};

/**
 * struct lineup - the snippets that a test is about
 * @nr:      how many
 * @probes:  their probes
 * @subject: they
 */
struct lineup {
	unsigned int	nr;
	struct kprobe	**probes;
	struct subject	*subject;
};

/* ---- Running a snippet ------------------------------------------------ */

/* Below all that is in use of this task's stack: the same address each time. */
static unsigned long *snippet_stack(void)
{
	return task_stack_page(current) + THREAD_SIZE / 2;
}

static unsigned long flags_of(unsigned int combination)
{
	static const unsigned long flag[] = {
		X86_EFLAGS_CF, X86_EFLAGS_PF, X86_EFLAGS_ZF, X86_EFLAGS_SF,
		X86_EFLAGS_OF,
	};
	unsigned long flags = FIRST_FLAGS;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flag); i++)
		flags |= combination & BIT(i) ? flag[i] : 0;
	return flags;
}

static void set_registers(unsigned int combination)
{
	insn_kunit_regs = (struct pt_regs) {
		.ax	= 0x8877665544332211,
		.cx	= 3,
		.dx	= 0x0123456789abcdef,
		.bx	= (unsigned long)&insn_kunit_memory[4],
		.sp	= (unsigned long)(snippet_stack() + STACK / 2),
		.bp	= (unsigned long)&insn_kunit_memory[6],
		.si	= (unsigned long)&insn_kunit_memory[8],
		.di	= (unsigned long)&insn_kunit_memory[12],
		.r8	= 8,
		.r9	= -9,
		.r10	= 0x1010101020202020,
		.r11	= 0xffffffff,
		.r12	= (unsigned long)&insn_kunit_memory[4],
		.r13	= (unsigned long)&insn_kunit_memory[5],
		.flags	= flags_of(combination),
	};
}

static void set_memory(void)
{
	unsigned long *stack = snippet_stack();
	unsigned int i;

	for (i = 0; i < INSN_MEMORY; i++)
		insn_kunit_memory[i] = 0x0102030405060708 * (i + 1);
	for (i = 0; i < STACK; i++)
		stack[i] = 0x1111111111111111 * i;
	this_cpu_write(insn_kunit_pcpu, 5);
}

/* Words below the stack pointer are anybody's. */
static void note_outcome(struct outcome *out)
{
	unsigned long *stack = snippet_stack();
	unsigned int i;

	out->regs = insn_kunit_regs;
	for (i = 0; i < STACK; i++) {
		bool ours = (unsigned long)&stack[i] >= insn_kunit_regs.sp;

		out->stack[i] = ours ? stack[i] : 0;
	}
	memcpy(out->memory, insn_kunit_memory, sizeof(out->memory));
}

static void run(const struct insn_snippet *snippet, unsigned int combination,
		struct outcome *out)
{
	/* Preemption is off, too: nothing else is on this stack. */
	kernel_fpu_begin_mask(KFPU_387 | KFPU_MXCSR);
	set_registers(combination);
	set_memory();
	insn_kunit_run(snippet->start);
	note_outcome(out);
	kernel_fpu_end();
}

/* ---- Comparing -------------------------------------------------------- */

static const char *word_name(size_t word)
{
	static const char *const name[] = {
		"r15", "r14", "r13", "r12", "bp", "bx", "r11", "r10", "r9",
		"r8", "ax", "cx", "dx", "si", "di", "", "", "", "flags", "sp",
		"",
	};

	return word < ARRAY_SIZE(name) ? name[word] :
	       word < ARRAY_SIZE(name) + STACK ? "on the stack" : "in memory";
}

static bool same_outcome(struct kunit *test, const struct subject *s,
			 unsigned int combination, const struct outcome *got)
{
	const unsigned long *a = (void *)&s->want[combination];
	const unsigned long *b = (void *)got;
	size_t i;

	for (i = 0; i < sizeof(*got) / sizeof(*a); i++) {
		if (a[i] == b[i])
			continue;
		KUNIT_FAIL(test, "%ps with flags %lx: %s (%zu) is %lx, not %lx",
			   (void *)s->snippet->start, flags_of(combination),
			   word_name(i), i, b[i], a[i]);
		return false;
	}
	return true;
}

static bool same_registers(const struct pt_regs *a, const struct pt_regs *b)
{
	return !memcmp(a, b, offsetof(struct pt_regs, orig_ax)) &&
	       a->sp == b->sp && !((a->flags ^ b->flags) & ~TRAP_FLAGS);
}

/* ---- Probes ----------------------------------------------------------- */

static int note_before(struct kprobe *kp, struct pt_regs *regs)
{
	struct subject *s = container_of(kp, struct subject, kp);

	s->pre++;
	s->before = *regs;
	return 0;
}

static void note_after(struct kprobe *kp, struct pt_regs *regs,
		       unsigned long flags)
{
	struct subject *s = container_of(kp, struct subject, kp);

	s->post++;
	s->after = *regs;
}

static int leave(struct kprobe *kp, struct pt_regs *regs)
{
	note_before(kp, regs);
	regs->ip = (unsigned long)insn_kunit_done;
	return 1;
}

static bool can_run(const struct insn_snippet *snippet)
{
	return snippet->kind >= 0 &&
	       (!snippet->feature || boot_cpu_has(snippet->feature));
}

static void add_subject(struct lineup *l, const struct insn_snippet *snippet)
{
	struct subject *s = &l->subject[l->nr];
	unsigned int i;

	l->probes[l->nr++] = &s->kp;
	s->snippet = snippet;
	s->kp.addr = (kprobe_opcode_t *)snippet->probe;
	for (i = 0; i < NR_FLAGS; i++)
		run(snippet, i, &s->want[i]);
}

KUNIT_DEFINE_ACTION_WRAPPER(free_memory, kvfree, const void *);

static void *allocate(struct kunit *test, size_t nr, size_t size)
{
	void *memory = kvcalloc(nr, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_memory,
							   memory));
	return memory;
}

/* All that are emulated, or all that are copied, as they are without probes. */
static struct lineup *line_up(struct kunit *test, bool emulated)
{
	struct lineup *l = allocate(test, 1, sizeof(*l));
	size_t nr = insn_kunit_last - insn_kunit_first;
	const struct insn_snippet *snippet;
	int cpu = raw_smp_processor_id();

	/* Each has tables of its own. */
	KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
	l->subject = allocate(test, nr, sizeof(*l->subject));
	l->probes = allocate(test, nr, sizeof(*l->probes));
	for (snippet = insn_kunit_first; snippet < insn_kunit_last; snippet++) {
		bool is_emulated = snippet->kind == INSN_EMULATED;

		if (can_run(snippet) && emulated == is_emulated)
			add_subject(l, snippet);
	}
	KUNIT_ASSERT_GT(test, l->nr, 0);
	return l;
}

static struct subject *subject(struct lineup *l, unsigned int i)
{
	return container_of(l->probes[i], struct subject, kp);
}

/* Those that can't be probed are done with. */
static void probe_all(struct kunit *test, struct lineup *l,
		      kprobe_pre_handler_t pre, kprobe_post_handler_t post)
{
	unsigned int i, nr = l->nr;
	int ret;

	l->nr = 0;
	for (i = 0; i < nr; i++) {
		struct kprobe *kp = l->probes[i];

		kp->pre_handler = pre;
		kp->post_handler = post;
		ret = register_kprobe(kp);
		KUNIT_EXPECT_EQ_MSG(test, ret, 0, "%ps", kp->addr);
		if (!ret)
			l->probes[l->nr++] = kp;
	}
}

/* Whether handlers were called once each, where they should be. */
static bool handlers_ran(struct kunit *test, const struct subject *s,
			 const struct outcome *got)
{
	unsigned long probe = s->snippet->probe;
	bool ok;

	ok = s->pre == 1 && s->before.ip == probe + KPROBE_HIT_OFFSET &&
	     s->post == !!s->kp.post_handler && !s->kp.nmissed;
	if (s->post && s->snippet->kind != INSN_EMULATED)
		ok &= s->after.ip == probe + kprobe_point_at(probe)->text.len;
	if (s->post && s->snippet->kind == INSN_COPIED)
		ok &= same_registers(&s->after, &got->regs);
	if (!ok)
		KUNIT_FAIL(test, "%ps: pre %u at %+ld, post %u at %+ld, missed %lu",
			   (void *)s->snippet->start, s->pre,
			   s->before.ip - probe, s->post, s->after.ip - probe,
			   s->kp.nmissed);
	return ok;
}

static void run_probed(struct kunit *test, struct subject *s)
{
	struct outcome got;
	unsigned int i;

	for (i = 0; i < NR_FLAGS; i++) {
		s->pre = 0;
		s->post = 0;
		run(s->snippet, i, &got);
		if (!same_outcome(test, s, i, &got) ||
		    !handlers_ran(test, s, &got))
			return;
	}
}

/* Whether a subject is executed in the way that is to be tested. */
static bool is_on_its_way(const struct subject *s, bool jump)
{
	struct kprobe_point *point = kprobe_point_at(s->snippet->probe);

	if (jump || point->detour || point->bypass)
		return jump && point->detour;
	if (s->snippet->kind == INSN_EMULATED)
		return point->text.emulate;
	return !point->text.emulate &&
	       (s->kp.post_handler ? point->text.step : point->text.slot);
}

/* While kprobe_lock is held no jump comes. */
static void run_all(struct kunit *test, struct lineup *l, bool jump)
{
	unsigned int i;

	mutex_lock(&kprobe_lock);
	for (i = 0; i < l->nr; i++) {
		struct subject *s = subject(l, i);

		if (!jump)
			kprobe_opt_make_way(s->snippet->probe + 1);
		KUNIT_EXPECT_TRUE_MSG(test, is_on_its_way(s, jump), "%ps",
				      (void *)s->snippet->start);
		run_probed(test, s);
	}
	mutex_unlock(&kprobe_lock);
}

/* ---- The tests -------------------------------------------------------- */

static void k02_copy_that_jumps_back(struct kunit *test)
{
	struct lineup *l = line_up(test, false);

	probe_all(test, l, note_before, NULL);
	run_all(test, l, false);
	unregister_kprobes(l->probes, l->nr);
}

static void k02_copy_that_is_stepped(struct kunit *test)
{
	struct lineup *l = line_up(test, false);

	probe_all(test, l, note_before, note_after);
	run_all(test, l, false);
	unregister_kprobes(l->probes, l->nr);
}

static void k02_emulated(struct kunit *test)
{
	struct lineup *l = line_up(test, true);

	probe_all(test, l, note_before, NULL);
	run_all(test, l, false);
	unregister_kprobes(l->probes, l->nr);
}

static void k02_emulated_with_post_handler(struct kunit *test)
{
	struct lineup *l = line_up(test, true);

	probe_all(test, l, note_before, note_after);
	run_all(test, l, false);
	unregister_kprobes(l->probes, l->nr);
}

#ifdef CONFIG_OPTPROBES
static void k13_jump(struct kunit *test)
{
	struct lineup *l = line_up(test, false);
	unsigned int i;

	probe_all(test, l, note_before, NULL);
	wait_for_kprobe_optimizer();
	for (i = 0; i < l->nr; i++)
		KUNIT_EXPECT_TRUE_MSG(test, l->probes[i]->flags &
				      KPROBE_FLAG_OPTIMIZED, "%ps",
				      (void *)subject(l, i)->snippet->start);
	run_all(test, l, true);
	unregister_kprobes(l->probes, l->nr);
}
#endif

/* Handlers see the registers as they are: those that one leaves with. */
static void leave_all(struct kunit *test, struct lineup *l)
{
	struct outcome got;
	unsigned int i, n;

	for (i = 0; i < l->nr; i++) {
		struct subject *s = subject(l, i);

		for (n = 0; n < NR_FLAGS; n++) {
			s->pre = 0;
			run(s->snippet, n, &got);
			if (s->pre != 1 || s->post ||
			    !same_registers(&s->before, &got.regs))
				break;
		}
		KUNIT_EXPECT_EQ_MSG(test, n, NR_FLAGS, "%ps",
				    (void *)s->snippet->start);
	}
}

static void k03_leaving(struct kunit *test)
{
	struct lineup *copied = line_up(test, false);
	struct lineup *emulated = line_up(test, true);

	probe_all(test, copied, leave, note_after);
	probe_all(test, emulated, leave, note_after);
	leave_all(test, copied);
	leave_all(test, emulated);
	unregister_kprobes(copied->probes, copied->nr);
	unregister_kprobes(emulated->probes, emulated->nr);
}

static void k03_leaving_by_jump(struct kunit *test)
{
	struct lineup *l = line_up(test, false);

	probe_all(test, l, leave, NULL);
	wait_for_kprobe_optimizer();
	leave_all(test, l);
	unregister_kprobes(l->probes, l->nr);
}

static void k02_refused(struct kunit *test)
{
	const struct insn_snippet *s;
	unsigned int nr = 0;

	for (s = insn_kunit_first; s < insn_kunit_last; s++) {
		struct kprobe kp = { .addr = (kprobe_opcode_t *)s->probe };
		int ret;

		if (s->kind >= 0)
			continue;
		nr++;
		ret = register_kprobe(&kp);
		KUNIT_EXPECT_EQ_MSG(test, ret, s->kind, "%ps",
				    (void *)s->start);
		if (!ret)
			unregister_kprobe(&kp);
	}
	KUNIT_EXPECT_GT(test, nr, 0);
}

static struct kunit_case insn_cases[] = {
	KUNIT_CASE(k02_copy_that_jumps_back),
	KUNIT_CASE(k02_copy_that_is_stepped),
	KUNIT_CASE(k02_emulated),
	KUNIT_CASE(k02_emulated_with_post_handler),
	KUNIT_CASE(k02_refused),
	KUNIT_CASE(k03_leaving),
#ifdef CONFIG_OPTPROBES
	KUNIT_CASE(k13_jump),
	KUNIT_CASE(k03_leaving_by_jump),
#endif
	{ }
};

/* Snippets have in the frame pointer what is none; its unwinder warns of that. */
static int skip_where_frames_matter(struct kunit *test)
{
	if (IS_ENABLED(CONFIG_FRAME_POINTER))
		kunit_skip(test, "the frame pointer has to be one");
	return 0;
}

static struct kunit_suite insn_suite = {
	.name = "kprobes_insn",
	.init = skip_where_frames_matter,
	.test_cases = insn_cases,
};

kunit_test_suite(insn_suite);
