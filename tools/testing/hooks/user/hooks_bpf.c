// SPDX-License-Identifier: GPL-2.0
/*
 * BPF programs on functions of the kernel. They are put together here, from
 * instructions: each counts its calls and sums up one value it sees: an argument,
 * what the function returns, or where the function is.
 *
 *   hooks_bpf all                 every test: attach, call, compare, detach, call
 *   hooks_bpf NAME                one of them
 *   hooks_bpf hold FUNCTION ARGUMENT KIND...
 *                                 attach to FUNCTION, wait for SIGTERM, detach,
 *                                 say how often it was called and what ARGUMENT
 *                                 (counted from 0) or its value summed up to
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <asm/ptrace.h>
#include <linux/perf_event.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define INSN(CODE, DST, SRC, OFF, IMM)					\
	((struct bpf_insn) { .code = (CODE), .dst_reg = (DST),		\
			     .src_reg = (SRC), .off = (OFF), .imm = (IMM) })

/* How often each function of a test is called, attached and after that. */
#define ROUNDS 3
#define MAX_HOOKS 7
/* A function begins with up to an endbr64 and a call or nop, its hook. */
#define SHORTEST_ENTRY 5
#define LONGEST_ENTRY 9

struct record {
	__u64 calls;
	__u64 sum;
};

struct kind {
	const char *name;
	enum bpf_prog_type type;
	enum bpf_attach_type attach;
	bool at_return;
	int (*link)(int prog, const struct kind *kind, const char **functions);
	void (*unlink)(const struct kind *kind);
};

/*
 * A program to be: what it reads and returns, what the function is to return
 * instead of being run, and what one round adds to it. The value of one that reads
 * the function's address is that address, times adds.sum.
 */
struct want {
	const char *kind;
	int argument;
	int member;
	int returns;
	struct record adds;
	bool address;
	int override;
};

struct test {
	const char *name;
	const char *functions[2];
	long (*round)(void);
	long plain, hooked;
	struct want wants[MAX_HOOKS];
};

struct hook {
	const struct kind *kind;
	int map, prog, link;
};

static struct btf *btf;
static int modify_prog, function_prog;
static char verifier_log[65536];

static int link_tracing(int prog, const struct kind *kind, const char **functions)
{
	return bpf_link_create(prog, 0, kind->attach, NULL);
}

static int probe_type(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/kprobe/type", "r");
	int type = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%d", &type) != 1)
		type = -1;
	fclose(file);
	return type;
}

static int link_event(int prog, struct perf_event_attr *attr)
{
	int event, link;

	attr->size = sizeof(*attr);
	event = syscall(SYS_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return -errno;
	link = bpf_link_create(prog, event, BPF_PERF_EVENT, NULL);
	close(event);
	return link;
}

static int link_at(int prog, const struct kind *kind, const char *function,
		   unsigned long offset)
{
	struct perf_event_attr attr = {
		.type = probe_type(),
		.config = kind->at_return,
		.config1 = (unsigned long)function,
		.config2 = offset,
	};

	return link_event(prog, &attr);
}

static int link_probe(int prog, const struct kind *kind, const char **functions)
{
	return link_at(prog, kind, functions[0], 0);
}

/* At the first instruction behind the hook: all arguments are there still. */
static int link_behind(int prog, const struct kind *kind, const char **functions)
{
	unsigned long offset = SHORTEST_ENTRY;
	int link;

	do {
		link = link_at(prog, kind, functions[0], offset);
	} while ((link == -EINVAL || link == -EILSEQ) && ++offset <= LONGEST_ENTRY);
	return link;
}

static int link_inside_hook(int prog, const struct kind *kind, const char **functions)
{
	return link_at(prog, kind, functions[0], SHORTEST_ENTRY);
}

/* Events of tracefs, called like the kind. */
static int write_event(const char *definition)
{
	int file = open("/sys/kernel/tracing/kprobe_events", O_WRONLY | O_APPEND);
	int result = 0;

	if (file < 0)
		return -errno;
	if (write(file, definition, strlen(definition)) < 0)
		result = -errno;
	close(file);
	return result;
}

static int event_id(const char *name)
{
	char path[128];
	FILE *file;
	int id;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/hooks_bpf/%s/id", name);
	file = fopen(path, "r");
	if (!file)
		return -errno;
	if (fscanf(file, "%d", &id) != 1)
		id = -EIO;
	fclose(file);
	return id;
}

static int link_tracefs(int prog, const struct kind *kind, const char **functions)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT };
	char definition[256];
	int result;

	snprintf(definition, sizeof(definition), "%c:hooks_bpf/%s %s",
		 kind->at_return ? 'r' : 'p', kind->name, functions[0]);
	result = write_event(definition);
	if (!result)
		result = event_id(kind->name);
	if (result < 0)
		return result;
	attr.config = result;
	return link_event(prog, &attr);
}

static void unlink_tracefs(const struct kind *kind)
{
	char definition[256];
	int error;

	snprintf(definition, sizeof(definition), "-:hooks_bpf/%s", kind->name);
	error = write_event(definition);
	if (error)
		printf("# %s: removing it: %s\n", kind->name, strerror(-error));
}

static int link_multi(int prog, const struct kind *kind, const char **functions)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts,
		    .kprobe_multi.syms = functions,
		    .kprobe_multi.cnt = functions[1] ? 2 : 1,
		    .kprobe_multi.flags = kind->at_return ? BPF_F_KPROBE_MULTI_RETURN : 0);

	return bpf_link_create(prog, 0, kind->attach, &opts);
}

static const struct kind kinds[] = {
	{ "fentry", BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, false, link_tracing },
	{ "fexit", BPF_PROG_TYPE_TRACING, BPF_TRACE_FEXIT, true, link_tracing },
	{ "fmod_ret", BPF_PROG_TYPE_TRACING, BPF_MODIFY_RETURN, false, link_tracing },
	{ "kprobe", BPF_PROG_TYPE_KPROBE, 0, false, link_probe },
	{ "kretprobe", BPF_PROG_TYPE_KPROBE, 0, true, link_probe },
	{ "kprobe_behind", BPF_PROG_TYPE_KPROBE, 0, false, link_behind },
	{ "kprobe_inside", BPF_PROG_TYPE_KPROBE, 0, false, link_inside_hook },
	{ "kretprobe_inside", BPF_PROG_TYPE_KPROBE, 0, true, link_inside_hook },
	{ "kprobe_tracefs", BPF_PROG_TYPE_KPROBE, 0, false, link_tracefs, unlink_tracefs },
	{ "kretprobe_tracefs", BPF_PROG_TYPE_KPROBE, 0, true, link_tracefs, unlink_tracefs },
	{ "kprobe_multi", BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI, false, link_multi },
	{ "kretprobe_multi", BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI, true, link_multi },
};

static const struct kind *find_kind(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	}
	return NULL;
}

static int arguments_of(int function_id)
{
	const struct btf_type *function = btf__type_by_id(btf, function_id);

	return btf_vlen(btf__type_by_id(btf, function->type));
}

/* Where a program finds its value in what it is given. */
static int value_offset(const struct kind *kind, int argument, int function_id)
{
	static const int registers[] = {
		offsetof(struct pt_regs, rdi), offsetof(struct pt_regs, rsi),
		offsetof(struct pt_regs, rdx), offsetof(struct pt_regs, rcx),
	};

	if (kind->type == BPF_PROG_TYPE_TRACING)
		return 8 * (kind->at_return ? arguments_of(function_id) : argument);
	return kind->at_return ? offsetof(struct pt_regs, rax) : registers[argument];
}

static int load_code(const struct kind *kind, int function_id,
		     const struct bpf_insn *code, size_t count)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .expected_attach_type = kind->attach,
		    .log_buf = verifier_log, .log_size = sizeof(verifier_log));
	int prog;

	if (kind->type == BPF_PROG_TYPE_TRACING)
		opts.attach_btf_id = function_id;
	verifier_log[0] = '\0';
	prog = bpf_prog_load(kind->type, "hooks", "GPL", code, count, &opts);
	if (prog < 0)
		printf("# the verifier: %s\n", verifier_log);
	return prog;
}

/* Instructions that are put together one by one. */
struct code {
	struct bpf_insn insns[24];
	size_t count;
};

static void add(struct code *code, struct bpf_insn insn)
{
	code->insns[code->count++] = insn;
}

static void add_move(struct code *code, int to, int from)
{
	add(code, INSN(BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0));
}

static void add_load(struct code *code, int to, int from, int offset)
{
	add(code, INSN(BPF_LDX | BPF_MEM | BPF_DW, to, from, offset, 0));
}

static void add_constant(struct code *code, int to, int value)
{
	add(code, INSN(BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value));
}

static void add_call(struct code *code, int helper)
{
	add(code, INSN(BPF_JMP | BPF_CALL, 0, 0, 0, helper));
}

static void add_atomic_add(struct code *code, int to, int from, int offset)
{
	add(code, INSN(BPF_STX | BPF_ATOMIC | BPF_DW, to, from, offset, BPF_ADD));
}

/* Into register 6; what the program is given is in register 8. */
static void add_value(struct code *code, const struct want *want, int function_id)
{
	const struct kind *kind = find_kind(want->kind);

	if (want->address) {
		add_call(code, BPF_FUNC_get_func_ip);
		add_move(code, BPF_REG_6, BPF_REG_0);
	} else {
		add_load(code, BPF_REG_6, BPF_REG_8,
			 value_offset(kind, want->argument, function_id));
	}
	if (want->member)
		add_load(code, BPF_REG_6, BPF_REG_6, want->member);
	/* Its lower half. */
	add(code, INSN(BPF_ALU | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_6, 0, 0));
}

/* The map's only element is the program's struct record. */
static void add_record(struct code *code, int map)
{
	add(code, INSN(BPF_LD | BPF_IMM | BPF_DW, BPF_REG_7, BPF_PSEUDO_MAP_VALUE, 0, map));
	add(code, INSN(0, 0, 0, 0, 0));
	add_constant(code, BPF_REG_1, 1);
	add_atomic_add(code, BPF_REG_7, BPF_REG_1, offsetof(struct record, calls));
	add_atomic_add(code, BPF_REG_7, BPF_REG_6, offsetof(struct record, sum));
}

static int load(const struct want *want, const char *function, int map)
{
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);
	struct code code = {};

	if (id < 0)
		return id;
	add_move(&code, BPF_REG_8, BPF_REG_1);
	add_value(&code, want, id);
	add_record(&code, map);
	if (want->override) {
		add_move(&code, BPF_REG_1, BPF_REG_8);
		add_constant(&code, BPF_REG_2, want->override);
		add_call(&code, BPF_FUNC_override_return);
	}
	add_constant(&code, BPF_REG_0, want->returns);
	add(&code, INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0));
	return load_code(find_kind(want->kind), id, code.insns, code.count);
}

static void detach(struct hook *hook)
{
	if (hook->link >= 0)
		close(hook->link);
	hook->link = -1;
}

static void release(struct hook *hook)
{
	detach(hook);
	if (hook->prog >= 0)
		close(hook->prog);
	if (hook->map >= 0)
		close(hook->map);
	if (hook->kind->unlink)
		hook->kind->unlink(hook->kind);
}

static int attach(struct hook *hook, const struct want *want, const char **functions)
{
	const struct kind *kind = find_kind(want->kind);

	hook->kind = kind;
	hook->prog = -1;
	hook->link = -1;
	hook->map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "hooks", sizeof(int),
				   sizeof(struct record), 1, NULL);
	if (hook->map < 0)
		return hook->map;
	hook->prog = load(want, functions[0], hook->map);
	if (hook->prog < 0)
		return hook->prog;
	hook->link = kind->link(hook->prog, kind, functions);
	return hook->link;
}

static struct record read_record(const struct hook *hook)
{
	struct record record = {};
	int key = 0;

	if (bpf_map_lookup_elem(hook->map, &key, &record))
		record.calls = -1;
	return record;
}

/* The kernel calls functions for its own tests of these kinds of programs. */
static long run(int prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int error = bpf_prog_test_run_opts(prog, &opts);

	return error ?: opts.retval;
}

static long round_functions(void)
{
	return run(function_prog);
}

static long round_modify(void)
{
	return run(modify_prog);
}

static long round_syscall(void)
{
	long result = syscall(SYS_sched_get_priority_max, SCHED_RR);

	return result < 0 ? -errno : result;
}

#define TEST2 .functions = { "bpf_fentry_test2" }, .round = round_functions
#define TEST2_AND_3 .functions = { "bpf_fentry_test2", "bpf_fentry_test3" }, \
	.round = round_functions
#define MODIFY .functions = { "bpf_modify_return_test" }, .round = round_modify, \
	.plain = 0x20021
#define SYSCALL .functions = { "__x64_sys_sched_get_priority_max" }, \
	.round = round_syscall, .plain = 99
#define DI offsetof(struct pt_regs, rdi)
#define WHERE(times) .address = true, .adds = { 1, times }

/*
 * bpf_fentry_test2(2, 3) returns 5, bpf_fentry_test3(4, 5, 6) 15.
 * bpf_modify_return_test(1, &b) returns 4 and increments b, the function called
 * after it returns 29 and increments b; what round_modify() returns is the sum
 * and, shifted by 16, the number of increments.
 */
static const struct test tests[] = {
	{ "fentry", TEST2, .wants = { { "fentry", 1, .adds = { 1, 3 } } } },
	{ "fexit", TEST2, .wants = { { "fexit", .adds = { 1, 5 } } } },
	{ "fmod_ret", MODIFY, .hooked = 0x10024,
	  .wants = { { "fmod_ret", 0, .returns = 7, .adds = { 1, 1 } } } },
	{ "fmod_ret_pass", MODIFY, .hooked = 0x20021,
	  .wants = { { "fmod_ret", 0, .returns = 0, .adds = { 1, 1 } } } },
	{ "fentry_syscall", SYSCALL, .hooked = 99,
	  .wants = { { "fentry", 0, DI, .adds = { 1, SCHED_RR } } } },
	{ "fexit_syscall", SYSCALL, .hooked = 99,
	  .wants = { { "fexit", .adds = { 1, 99 } } } },
	{ "fmod_ret_syscall", SYSCALL, .hooked = -EXDEV,
	  .wants = { { "fmod_ret", 0, DI, -EXDEV, { 1, SCHED_RR } },
		     { "fexit", .adds = { 1, (__u32)-EXDEV } } } },
	{ "kprobe", TEST2, .wants = { { "kprobe", 1, .adds = { 1, 3 } } } },
	{ "kretprobe", TEST2, .wants = { { "kretprobe", .adds = { 1, 5 } } } },
	{ "kprobe_multi", TEST2_AND_3,
	  .wants = { { "kprobe_multi", 1, .adds = { 2, 3 + 5 } } } },
	{ "kretprobe_multi", TEST2_AND_3,
	  .wants = { { "kretprobe_multi", .adds = { 2, 5 + 15 } } } },
	{ "kprobe_behind", TEST2,
	  .wants = { { "kprobe_behind", 0, .adds = { 1, 2 } },
		     { "kprobe_behind", 1, .adds = { 1, 3 } },
		     { "kprobe", 1, .adds = { 1, 3 } } } },
	{ "tracefs", TEST2,
	  .wants = { { "kprobe_tracefs", 1, .adds = { 1, 3 } },
		     { "kretprobe_tracefs", .adds = { 1, 5 } } } },
	{ "address", TEST2,
	  .wants = { { "kprobe", WHERE(1) },
		     { "kretprobe", WHERE(1) },
		     { "kprobe_behind", WHERE(0) },
		     { "kprobe_tracefs", WHERE(1) },
		     { "kretprobe_tracefs", WHERE(1) },
		     { "kprobe_multi", WHERE(1) },
		     { "kretprobe_multi", WHERE(1) } } },
	{ "override", SYSCALL, .hooked = -EXDEV,
	  .wants = { { "kprobe", WHERE(1), .override = -EXDEV } } },
	{ "override_tracefs", SYSCALL, .hooked = -EXDEV,
	  .wants = { { "kprobe_tracefs", WHERE(1), .override = -EXDEV } } },
	{ "override_multi", SYSCALL, .hooked = -EXDEV,
	  .wants = { { "kprobe_multi", WHERE(1), .override = -EXDEV } } },
	/* What is behind the entry is not come to. */
	{ "override_among_others", SYSCALL, .hooked = -EXDEV,
	  .wants = { { "kretprobe", .adds = { 1, (__u32)-EXDEV } },
		     { "kprobe", WHERE(1) },
		     { "kprobe_behind", .adds = { 0, 0 } },
		     { "kprobe", WHERE(1), .override = -EXDEV },
		     { "kprobe_tracefs", WHERE(1) },
		     { "kretprobe_tracefs", .adds = { 1, (__u32)-EXDEV } },
		     { "kretprobe_multi", .adds = { 1, (__u32)-EXDEV } } } },
	{ "override_before_others", SYSCALL, .hooked = -EXDEV,
	  .wants = { { "kprobe", WHERE(1), .override = -EXDEV },
		     { "kretprobe", .adds = { 1, (__u32)-EXDEV } },
		     { "kprobe_multi", WHERE(1) },
		     { "kprobe", WHERE(1) } } },
	{ "together", TEST2,
	  .wants = { { "fentry", 0, .adds = { 1, 2 } },
		     { "kprobe_multi", 1, .adds = { 1, 3 } },
		     { "fexit", .adds = { 1, 5 } },
		     { "kprobe", 1, .adds = { 1, 3 } },
		     { "fentry", 1, .adds = { 1, 3 } },
		     { "kretprobe", .adds = { 1, 5 } },
		     { "kretprobe_multi", .adds = { 1, 5 } } } },
	{ "together_modified", MODIFY, .hooked = 0x10024,
	  .wants = { { "kretprobe_multi", .adds = { 1, 7 } },
		     { "kprobe", 0, .adds = { 1, 1 } },
		     { "fexit", .adds = { 1, 7 } },
		     { "fmod_ret", 0, .returns = 7, .adds = { 1, 1 } },
		     { "fentry", 0, .adds = { 1, 1 } },
		     { "kprobe_multi", 0, .adds = { 1, 1 } },
		     { "kretprobe", .adds = { 1, 7 } } } },
};

static bool rounds(const struct test *test, long expected)
{
	bool right = true;
	long result;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		result = test->round();
		if (result != expected) {
			printf("# %s: %ld instead of %ld\n", test->name, result, expected);
			right = false;
		}
	}
	return right;
}

static unsigned long address_of(const char *function)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[512], name[256];
	unsigned long address;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx %*c %255s", &address, name) == 2 &&
		    !strcmp(name, function)) {
			fclose(file);
			return address;
		}
	}
	if (file)
		fclose(file);
	return 0;
}

static bool compare(const struct test *test, const struct want *want,
		    const struct hook *hook)
{
	struct record got = read_record(hook);
	struct record expected = { ROUNDS * want->adds.calls, ROUNDS * want->adds.sum };

	if (want->address)
		expected.sum *= (__u32)address_of(test->functions[0]);
	if (!memcmp(&got, &expected, sizeof(got)))
		return true;
	printf("# %s: %lld calls, sum %lld instead of %lld, %lld\n", want->kind,
	       got.calls, got.sum, expected.calls, expected.sum);
	return false;
}

static bool compare_all(const struct test *test, const struct hook *hooks, int count)
{
	bool right = true;

	while (count--)
		right &= compare(test, &test->wants[count], &hooks[count]);
	return right;
}

static bool exercise(const struct test *test, struct hook *hooks, int count)
{
	bool right;
	int i;

	right = rounds(test, test->hooked);
	right &= compare_all(test, hooks, count);
	for (i = 0; i < count; i++)
		detach(&hooks[i]);
	right &= rounds(test, test->plain);
	return right & compare_all(test, hooks, count);
}

static bool attach_and_exercise(const struct test *test)
{
	const char *functions[2] = { test->functions[0], test->functions[1] };
	struct hook hooks[MAX_HOOKS];
	int count = 0, error = 0;
	bool right = false;

	while (error >= 0 && count < MAX_HOOKS && test->wants[count].kind) {
		error = attach(&hooks[count], &test->wants[count], functions);
		count++;
	}
	if (error >= 0)
		right = exercise(test, hooks, count);
	else
		printf("# %s: attaching it: %s\n", test->wants[count - 1].kind,
		       strerror(-error));
	while (count--)
		release(&hooks[count]);
	return right;
}

/* What must not be possible, and the errno. */
static const struct refusal {
	const char *name;
	const char *function;
	struct want want;
	int error;
} refusals[] = {
	{ "kprobe_in_hook", "bpf_fentry_test2", { "kprobe_inside" }, -EILSEQ },
	{ "kretprobe_in_hook", "bpf_fentry_test2", { "kretprobe_inside" }, -EINVAL },
	{ "override_not_allowed", "bpf_fentry_test2",
	  { "kprobe", WHERE(1), .override = -EXDEV }, -EINVAL },
	{ "override_behind", "__x64_sys_sched_get_priority_max",
	  { "kprobe_behind", WHERE(0), .override = -EXDEV }, -EINVAL },
	{ "blacklisted", "kprobe_int3_handler", { "kprobe", WHERE(1) }, -EINVAL },
};

static bool is_refused(const struct refusal *refusal)
{
	const char *functions[2] = { refusal->function };
	struct hook hook;
	int error;

	error = attach(&hook, &refusal->want, functions);
	release(&hook);
	if (error == refusal->error)
		return true;
	printf("# %s: %d instead of %d\n", refusal->name, error, refusal->error);
	return false;
}

/* What makes the kernel call its test functions: programs never attached. */
static int load_round(const char *kind, const char *function)
{
	const struct bpf_insn code[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	int id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);

	return load_code(find_kind(kind), id, code, ARRAY_SIZE(code));
}

static bool prepare(void)
{
	btf = btf__load_vmlinux_btf();
	if (!btf)
		return false;
	function_prog = load_round("fentry", "bpf_fentry_test1");
	modify_prog = load_round("fmod_ret", "bpf_modify_return_test");
	return function_prog >= 0 && modify_prog >= 0;
}

static int run_tests(const char *name)
{
	bool all = !strcmp(name, "all"), right;
	int number = 0, failed = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		if (!all && strcmp(name, tests[i].name))
			continue;
		right = attach_and_exercise(&tests[i]);
		printf("%s %d %s\n", right ? "ok" : "not ok", ++number, tests[i].name);
		printf("# %d calls of %s\n", 2 * ROUNDS, tests[i].functions[0]);
		failed += !right;
	}
	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		if (!all && strcmp(name, refusals[i].name))
			continue;
		right = is_refused(&refusals[i]);
		printf("%s %d %s\n", right ? "ok" : "not ok", ++number, refusals[i].name);
		failed += !right;
	}
	printf("1..%d\n", number);
	return failed || !number;
}

/* Say that all is there and wait until told to go. */
static void wait_for_end(void)
{
	sigset_t set;
	int signal;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	puts("attached");
	fflush(stdout);
	sigwait(&set, &signal);
}

static int report(struct want *wants, struct hook *hooks, int count)
{
	struct record record;
	int i;

	for (i = 0; i < count; i++)
		detach(&hooks[i]);
	for (i = 0; i < count; i++) {
		record = read_record(&hooks[i]);
		printf("%s %lld %lld\n", wants[i].kind, record.calls, record.sum);
		release(&hooks[i]);
	}
	return 0;
}

static int hold(const char *function, int argument, int count, char **names)
{
	const char *functions[2] = { function };
	struct want wants[MAX_HOOKS] = {};
	struct hook hooks[MAX_HOOKS];
	int i, error;

	for (i = 0; i < count; i++) {
		wants[i].kind = names[i];
		wants[i].argument = argument;
		error = attach(&hooks[i], &wants[i], functions);
		if (error < 0) {
			printf("attaching %s: %s\n", names[i], strerror(-error));
			return 1;
		}
	}
	wait_for_end();
	return report(wants, hooks, count);
}

static bool valid_hold(int argc, char **argv)
{
	int i;

	if (argc < 5 || argc - 4 > MAX_HOOKS || strcmp(argv[1], "hold") ||
	    strlen(argv[3]) != 1 || *argv[3] < '0' || *argv[3] > '3')
		return false;
	for (i = 4; i < argc; i++) {
		if (!find_kind(argv[i]))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	if (argc != 2 && !valid_hold(argc, argv)) {
		fputs("usage: hooks_bpf all|NAME\n"
		      "       hooks_bpf hold FUNCTION 0..3 KIND...\n", stderr);
		return 2;
	}
	if (!prepare()) {
		puts("not ok: no BTF, or the kernel's own test functions are missing");
		return 1;
	}
	if (argc == 2)
		return run_tests(argv[1]);
	return hold(argv[2], *argv[3] - '0', argc - 4, argv + 4);
}
