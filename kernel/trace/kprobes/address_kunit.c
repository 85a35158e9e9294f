// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of where a probe may be.  The names begin with the number of the
 * requirement (K…) or of the case (C…).
 */
#include <kunit/test.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/static_call.h>

#include <asm/ibt.h>
#include <asm/insn.h>
#include <asm/sections.h>

#include "internal.h"
#include "kunit_target.h"

/* What is not freed after boot. */
static bool is_lasting_text(unsigned long addr)
{
	return addr >= (unsigned long)_stext && addr < (unsigned long)_etext;
}

/* What registering says of a place; a probe that is taken is taken away. */
static int try_symbol(const char *symbol, unsigned int offset)
{
	struct counted c;
	int ret;

	put_on(&c, 0);
	c.kp.symbol_name = symbol;
	c.kp.offset = offset;
	ret = register_kprobe(&c.kp);
	if (!ret)
		unregister_kprobe(&c.kp);
	return ret;
}

static int try_addr(unsigned long addr)
{
	struct counted c;
	int ret;

	put_on(&c, addr);
	ret = register_kprobe(&c.kp);
	if (!ret)
		unregister_kprobe(&c.kp);
	return ret;
}

/* ---- K1 --------------------------------------------------------------- */

static void k01_by_symbol_and_offset(struct kunit *test)
{
	unsigned long entry = addr_of(kprobe_kunit_body);
	struct counted *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	c->kp.symbol_name = "kprobe_kunit_body";
	c->kp.offset = kprobe_kunit_insn - entry;
	c->kp.pre_handler = count_pre;
	KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
	KUNIT_EXPECT_EQ(test, (unsigned long)c->kp.addr, kprobe_kunit_insn);
	kprobe_kunit_body(1);
	unregister_kprobe(&c->kp);
	KUNIT_EXPECT_EQ(test, c->pre, 1);

	/* An address and an offset mean the same. */
	put_on(c, entry);
	c->kp.offset = kprobe_kunit_insn - entry;
	KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
	KUNIT_EXPECT_EQ(test, (unsigned long)c->kp.addr, kprobe_kunit_insn);
	kprobe_kunit_body(1);
	unregister_kprobe(&c->kp);
	KUNIT_EXPECT_EQ(test, c->pre, 1);
}

static void k01_both_or_neither(struct kunit *test)
{
	struct kprobe kp = { .symbol_name = "kprobe_kunit_one" };

	kp.addr = func_addr(kprobe_kunit_one);
	KUNIT_EXPECT_EQ(test, register_kprobe(&kp), -EINVAL);
	kp.addr = NULL;
	kp.symbol_name = NULL;
	KUNIT_EXPECT_EQ(test, register_kprobe(&kp), -EINVAL);
	kp.offset = 4;
	KUNIT_EXPECT_EQ(test, register_kprobe(&kp), -EINVAL);
}

static void k01_unknown_names(struct kunit *test)
{
	char *huge = kunit_kzalloc(test, 4096, GFP_KERNEL);

	memset(huge, 'a', 4095);
	KUNIT_EXPECT_EQ(test, try_symbol("", 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, try_symbol("kprobe_kunit_no_such", 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, try_symbol("kprobe_kunit_on", 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, try_symbol("kprobe_kunit_one ", 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, try_symbol(huge, 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, try_symbol(":", 0), -ENOENT);
	KUNIT_EXPECT_EQ(test, try_symbol("no_such:kprobe_kunit_one", 0),
			-ENOENT);
	huge[100] = ':';
	KUNIT_EXPECT_EQ(test, try_symbol(huge, 0), -ENOENT);
}

static void k01_past_the_end_of_all(struct kunit *test)
{
	KUNIT_EXPECT_LT(test, try_symbol("kprobe_kunit_one", UINT_MAX), 0);
	KUNIT_EXPECT_LT(test, try_symbol("kprobe_kunit_one", INT_MAX), 0);
}

static void k01_behind_endbr_is_the_entry(struct kunit *test)
{
	unsigned long entry = addr_of(kprobe_kunit_untraced);
	struct counted *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	bool endbr = is_endbr(*(u32 *)entry);
	int offset;

	for (offset = 0; offset <= 4; offset += 4) {
		if (offset && !endbr)
			break;
		put_on(c, entry + offset);
		KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
		KUNIT_EXPECT_EQ(test, (unsigned long)c->kp.addr,
				entry + (endbr ? ENDBR_INSN_SIZE : 0));
		KUNIT_EXPECT_TRUE(test,
				  c->kp.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
		KUNIT_EXPECT_EQ(test, kprobe_kunit_untraced(1), 5);
		unregister_kprobe(&c->kp);
		KUNIT_EXPECT_EQ(test, c->pre, 1);
	}
}

static void k01_on_func_entry(struct kunit *test)
{
	kprobe_opcode_t *entry = func_addr(kprobe_kunit_body);
	const char *name = "kprobe_kunit_body";
	unsigned long off = kprobe_kunit_insn - (unsigned long)entry;

	KUNIT_EXPECT_EQ(test, kprobe_on_func_entry(entry, NULL, 0), 0);
	KUNIT_EXPECT_EQ(test, kprobe_on_func_entry(NULL, name, 0), 0);
	KUNIT_EXPECT_EQ(test, kprobe_on_func_entry(entry, NULL, off), -EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_on_func_entry(NULL, name, off), -EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_on_func_entry(NULL, name, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_on_func_entry(entry, name, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_on_func_entry(NULL, NULL, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_on_func_entry(NULL, "no_such_", 0),
			-ENOENT);
	if (is_endbr(*(u32 *)entry))
		KUNIT_EXPECT_EQ(test, kprobe_on_func_entry(NULL, name, 4), 0);
	KUNIT_EXPECT_PTR_EQ(test, kprobe_lookup_name(name, 0), entry);
	KUNIT_EXPECT_NULL(test, kprobe_lookup_name("no_such_", 0));
}

/* ---- C15 -------------------------------------------------------------- */

static int count_symbol(void *data, unsigned long addr)
{
	++*(unsigned int *)data;
	return 0;
}

static void c15_ambiguous_name(struct kunit *test)
{
	unsigned int nr = 0;

	kallsyms_on_each_match_symbol(count_symbol, "t_start", &nr);
	if (nr < 2)
		kunit_skip(test, "t_start is not ambiguous");
	KUNIT_EXPECT_EQ(test, try_symbol("t_start", 0), -EADDRNOTAVAIL);
}

/* ---- K9 --------------------------------------------------------------- */

static void expect_barred(struct kunit *test, const void *func)
{
	unsigned long size, offset, at, start = addr_of(func);

	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset(start, &size,
							    &offset));
	KUNIT_EXPECT_TRUE(test, within_kprobe_blacklist(start));
	for (at = start; at < start + min(size, 24UL); at++)
		KUNIT_EXPECT_EQ(test, try_addr(at), -EINVAL);
}

static void k09_barred_functions(struct kunit *test)
{
	expect_barred(test, kprobe_kunit_section);
	expect_barred(test, kprobe_kunit_marked);
	expect_barred(test, kprobe_kunit_noinstr);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_section(1), 2);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_marked(1), 2);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_noinstr(1), 2);
	KUNIT_EXPECT_FALSE(test,
			   within_kprobe_blacklist(addr_of(kprobe_kunit_one)));
}

/* What a hit runs through. */
static void k09_the_engine_itself(struct kunit *test)
{
	static const char * const names[] = {
		"kprobe_int3_handler", "kprobe_fault_handler", "entry_hit",
		"kprobe_run_all_pre", "kprobe_run_post", "entry_hit_pre",
		"kprobe_count_missed", "kprobe_point_at", "kretprobe_enter",
		"kprobe_detour_hit", "kprobe_busy_begin", "kprobe_busy_end",
		"exc_int3", "asm_exc_int3", "asm_exc_nmi",
		"asm_exc_page_fault", "error_entry", "do_int3",
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		unsigned long addr = kallsyms_lookup_name(names[i]);

		/* The compiler may have put it into another. */
		if (!addr)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, try_symbol(names[i], 0), -EINVAL,
				    "%s", names[i]);
		KUNIT_EXPECT_TRUE(test, within_kprobe_blacklist(addr));
	}
}

static void k09_jump_labels(struct kunit *test)
{
	struct jump_entry *entry = __start___jump_table;
	unsigned int tried = 0;

	for (; entry < __stop___jump_table && tried < 200; entry++) {
		unsigned long addr = jump_entry_code(entry);

		/* Init text has jump labels that are not looked after. */
		if (jump_entry_is_init(entry) || !is_lasting_text(addr))
			continue;
		tried++;
		KUNIT_EXPECT_EQ(test, try_addr(addr), -EINVAL);
	}
	KUNIT_EXPECT_GT(test, tried, 0);
}

static void k09_static_calls(struct kunit *test)
{
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	struct static_call_site *site = __start_static_call_sites;
	unsigned int tried = 0;

	for (; site < __stop_static_call_sites && tried < 200; site++) {
		unsigned long addr = (long)site->addr + (long)&site->addr;

		if (!is_lasting_text(addr))
			continue;
		tried++;
		KUNIT_EXPECT_EQ(test, try_addr(addr), -EINVAL);
	}
	KUNIT_EXPECT_GT(test, tried, 0);
#endif
}

static void k09_traps(struct kunit *test)
{
	struct bug_entry *bug = __start___bug_table;
	unsigned int tried = 0;

	for (; bug < __stop___bug_table && tried < 200; bug++) {
		unsigned long addr = (long)&bug->bug_addr_disp +
				     bug->bug_addr_disp;

		if (!is_lasting_text(addr))
			continue;
		tried++;
		KUNIT_EXPECT_EQ(test, try_addr(addr), -EINVAL);
	}
	KUNIT_EXPECT_GT(test, tried, 0);
	KUNIT_EXPECT_EQ(test, try_addr(kprobe_kunit_int3_insn), -EINVAL);
	KUNIT_EXPECT_EQ(test, kprobe_kunit_int3(1), 2);
}

/* ---- C5, K10 ---------------------------------------------------------- */

static bool is_reserved(unsigned long addr)
{
	void *at = (void *)addr;

	return jump_label_text_reserved(at, at) ||
	       static_call_text_reserved(at, at) || find_bug(addr) ||
	       *(u8 *)at == INT3_INSN_OPCODE;
}

/* What registering has to say of each offset of a function. */
struct expected {
	unsigned long	start;
	unsigned long	size;
	bool		*boundary;
};

static void find_boundaries(struct kunit *test, struct expected *e)
{
	unsigned long offset, at = 0;
	struct insn insn;

	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset(e->start, &e->size,
							    &offset));
	KUNIT_ASSERT_EQ(test, offset, 0);
	e->boundary = kunit_kcalloc(test, e->size, sizeof(bool), GFP_KERNEL);
	while (at < e->size &&
	       !insn_decode(&insn, (void *)e->start + at, MAX_INSN_SIZE,
			    INSN_MODE_KERN)) {
		e->boundary[at] = true;
		at += insn.length;
	}
}

static bool is_as_expected(const struct expected *e, unsigned long offset,
			   int ret)
{
	unsigned long addr = e->start + offset;
	unsigned long site = ftrace_location(e->start);

	/* Behind it are the bytes before the next one, which are nobody's. */
	if (offset >= e->size)
		return ret == -EINVAL;
	if (site && addr > site && addr < site + MCOUNT_INSN_SIZE)
		return ret == -EINVAL || ret == -EILSEQ;
	if (!e->boundary[offset])
		return ret == -EILSEQ || (ret == -EINVAL && is_reserved(addr));
	return ret == (is_reserved(addr) ? -EINVAL : 0);
}

static void c05_each_offset(struct kunit *test)
{
	static const char * const names[] = {
		"kprobe_kunit_one", "kprobe_kunit_untraced",
		"kprobe_kunit_body", "kprobe_kunit_int3", "vfs_read",
		"kernel_clone", "schedule_timeout", "vfs_statx", "sched_setaffinity",
	};
	unsigned long offset;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct expected e = {
			.start = kallsyms_lookup_name(names[i])
		};

		if (!e.start)
			continue;
		find_boundaries(test, &e);
		for (offset = 0; offset <= e.size + 15; offset++) {
			int ret = try_symbol(names[i], offset);

			KUNIT_EXPECT_TRUE_MSG(test,
					      is_as_expected(&e, offset, ret),
					      "%s+%#lx (%d): %d", names[i],
					      offset, offset < e.size ?
					      e.boundary[offset] : -1, ret);
		}
	}
}

/* Another probe's breakpoint, or jump, is not what is decoded. */
static void k10_beside_another_probe(struct kunit *test)
{
	unsigned long behind = kprobe_kunit_insn + KPROBE_KUNIT_INSN_LEN;
	struct counted *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	int i, round;

	put_on(c, kprobe_kunit_insn);
	KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
	for (round = 0; round < 2; round++) {
		for (i = 1; i < KPROBE_KUNIT_INSN_LEN; i++)
			KUNIT_EXPECT_EQ(test, try_addr(kprobe_kunit_insn + i),
					-EILSEQ);
		KUNIT_EXPECT_EQ(test, try_addr(behind), 0);
		KUNIT_EXPECT_EQ(test, kprobe_kunit_body(1),
				1 + KPROBE_KUNIT_BODY);
		wait_for_kprobe_optimizer();
	}
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&c->kp));
	KUNIT_EXPECT_EQ(test, c->pre, 2);
	unregister_kprobe(&c->kp);
}

/* A neighbour is in the jump's way for as long as it is there. */
static void k13_neighbour_in_the_way(struct kunit *test)
{
	unsigned long site = kprobe_kunit_pair;
	struct counted *c = kunit_kcalloc(test, 2, sizeof(*c), GFP_KERNEL);
	int round;

	put_on(&c[0], site);
	KUNIT_ASSERT_EQ(test, register_kprobe(&c[0].kp), 0);
	for (round = 0; round < 2; round++) {
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_TRUE(test, kprobe_optimized(&c[0].kp));
		put_on(&c[1], site + KPROBE_KUNIT_FIRST_LEN);
		KUNIT_ASSERT_EQ(test, register_kprobe(&c[1].kp), 0);
		KUNIT_EXPECT_FALSE(test, kprobe_optimized(&c[0].kp));
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_FALSE(test, kprobe_optimized(&c[0].kp));
		KUNIT_EXPECT_EQ(test, kprobe_kunit_neighbours(1), 4);
		KUNIT_EXPECT_EQ(test, c[1].pre, 1);
		unregister_kprobe(&c[1].kp);
	}
	unregister_kprobe(&c[0].kp);
	KUNIT_EXPECT_EQ(test, c[0].pre, 2);
}

/* ---- Addresses that are no text --------------------------------------- */

static int data_variable = 1;

static void k01_no_text(struct kunit *test)
{
	unsigned long heap = (unsigned long)kunit_kzalloc(test, 64, GFP_KERNEL);
	int local = 0;

	KUNIT_EXPECT_LT(test, try_addr((unsigned long)&data_variable), 0);
	KUNIT_EXPECT_LT(test, try_addr((unsigned long)&kprobe_kunit_insn), 0);
	KUNIT_EXPECT_LT(test, try_addr((unsigned long)&local), 0);
	KUNIT_EXPECT_LT(test, try_addr(heap), 0);
	KUNIT_EXPECT_LT(test, try_addr(1), 0);
	KUNIT_EXPECT_LT(test, try_addr(0x400000), 0);
	KUNIT_EXPECT_LT(test, try_addr(0x0000800000000000), 0);
	KUNIT_EXPECT_LT(test, try_addr(0xffffffffff600000), 0);
	KUNIT_EXPECT_LT(test, try_addr(-1UL), 0);
	KUNIT_EXPECT_LT(test, try_addr(-16UL), 0);
	KUNIT_EXPECT_LT(test, try_addr((unsigned long)_etext), 0);
	KUNIT_EXPECT_LT(test, try_symbol("jiffies", 0), 0);
	KUNIT_EXPECT_EQ(test, data_variable, 1);
}

/* A copy of a probed instruction is no place for a probe; it is listed. */
static void k09_copies(struct kunit *test)
{
	struct counted *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	char type = 0, *name = kunit_kzalloc(test, KSYM_NAME_LEN, GFP_KERNEL);
	unsigned long addr, slot;
	unsigned int i, slots = 0;

	put_on(c, kprobe_kunit_insn);
	KUNIT_ASSERT_EQ(test, register_kprobe(&c->kp), 0);
	slot = kprobe_point_at(kprobe_kunit_insn)->text.slot->start;
	KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot(slot));
	KUNIT_EXPECT_LT(test, try_addr(slot), 0);
	for (i = 0; !kprobe_get_kallsym(i, &addr, &type, name); i++) {
		KUNIT_EXPECT_EQ(test, type, 't');
		if (strcmp(name, "kprobe_insn_page"))
			continue;
		slots += slot - addr < 16 * PAGE_SIZE;
		KUNIT_EXPECT_LT(test, try_addr(addr), 0);
	}
	KUNIT_EXPECT_EQ(test, kprobe_get_kallsym(i, &addr, &type, name),
			-ERANGE);
	KUNIT_EXPECT_EQ(test, kprobe_get_kallsym(UINT_MAX, &addr, &type, name),
			-ERANGE);
	KUNIT_EXPECT_GT(test, slots, 0);
	KUNIT_EXPECT_FALSE(test, is_kprobe_insn_slot(kprobe_kunit_insn));
	KUNIT_EXPECT_FALSE(test, is_kprobe_insn_slot(0));
	KUNIT_EXPECT_FALSE(test, is_kprobe_optinsn_slot(kprobe_kunit_insn));
	unregister_kprobe(&c->kp);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(k01_by_symbol_and_offset),
	KUNIT_CASE(k01_both_or_neither),
	KUNIT_CASE(k01_unknown_names),
	KUNIT_CASE(k01_past_the_end_of_all),
	KUNIT_CASE(k01_behind_endbr_is_the_entry),
	KUNIT_CASE(k01_on_func_entry),
	KUNIT_CASE(k01_no_text),
	KUNIT_CASE(c15_ambiguous_name),
	KUNIT_CASE(k09_barred_functions),
	KUNIT_CASE(k09_the_engine_itself),
	KUNIT_CASE(k09_jump_labels),
	KUNIT_CASE(k09_static_calls),
	KUNIT_CASE(k09_traps),
	KUNIT_CASE(k09_copies),
	KUNIT_CASE_SLOW(c05_each_offset),
	KUNIT_CASE(k10_beside_another_probe),
	KUNIT_CASE(k13_neighbour_in_the_way),
	{}
};

static struct kunit_suite suite = {
	.name		= "kprobes_address",
	.test_cases	= cases,
};

kunit_test_suite(suite);

/* ---- K14: the kernel's own init text ---------------------------------- */

static noinline __noclone int __init init_target(int x)
{
	OPTIMIZER_HIDE_VAR(x);
	return x + 1;
}

static void __init k14_init_text(struct kunit *test)
{
	static struct counted c;

	put_on(&c, addr_of(init_target));
	KUNIT_ASSERT_EQ(test, register_kprobe(&c.kp), 0);
	KUNIT_EXPECT_EQ(test, init_target(1), 2);
	KUNIT_EXPECT_EQ(test, c.pre, 1);
	kprobe_free_init_mem();
	KUNIT_EXPECT_TRUE(test, kprobe_gone(&c.kp));
	KUNIT_EXPECT_EQ(test, init_target(1), 2);
	KUNIT_EXPECT_EQ(test, c.pre, 1);
	KUNIT_EXPECT_EQ(test, enable_kprobe(&c.kp), -EINVAL);
	unregister_kprobe(&c.kp);
	KUNIT_EXPECT_TRUE(test, list_empty(&c.kp.list));
}

static struct kunit_case __refdata init_cases[] = {
	KUNIT_CASE(k14_init_text),
	{}
};

static struct kunit_suite init_suite = {
	.name		= "kprobes_init",
	.test_cases	= init_cases,
};
kunit_test_init_section_suite(init_suite);
