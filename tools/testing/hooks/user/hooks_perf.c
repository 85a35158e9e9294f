// SPDX-License-Identifier: GPL-2.0
/*
 * perf's events on probes: by the PMU "kprobe", by symbol or address, and by an
 * event of tracefs. Each is opened for this process alone, so that counts are
 * exact; a system call is made some times, its function is what is probed.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <asm/ptrace.h>
#include <linux/perf_event.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define FUNCTION "__x64_sys_sched_get_priority_max"
#define ROUNDS 5
#define RING_PAGES 8
/* A function begins with up to an endbr64 and a call or nop, its hook. */
#define SHORTEST_ENTRY 5
#define LONGEST_ENTRY 9
#define MAX_FRAMES 64

static uint32_t kprobe_type;
static unsigned long function_start, function_end;
static int behind_entry;

static void call(void)
{
	int i;

	for (i = 0; i < ROUNDS; i++)
		syscall(SYS_sched_get_priority_max, SCHED_RR);
}

static bool expect(const char *what, long got, long expected)
{
	if (got == expected)
		return true;
	printf("# %s: %ld instead of %ld\n", what, got, expected);
	return false;
}

/* Where the function is, and the symbol behind it: they are in order. */
static void find_function(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long address;
	char line[512], name[256];

	while (file && !function_end && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx %*c %255s", &address, name) != 2)
			continue;
		if (!strcmp(name, FUNCTION))
			function_start = address;
		else if (function_start && address > function_start)
			function_end = address;
	}
	if (file)
		fclose(file);
}

static bool read_number(const char *path, uint32_t *number)
{
	FILE *file = fopen(path, "r");
	bool right;

	if (!file)
		return false;
	right = fscanf(file, "%u", number) == 1;
	fclose(file);
	return right;
}

static int open_event(struct perf_event_attr *attr)
{
	int event;

	attr->size = sizeof(*attr);
	event = syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return event < 0 ? -errno : event;
}

static int open_probe(bool at_return, const char *symbol, unsigned long where)
{
	struct perf_event_attr attr = {
		.type = kprobe_type,
		.config = at_return,
		.config1 = (unsigned long)symbol,
		.config2 = where,
	};

	return open_event(&attr);
}

/* The first instruction behind the function's hook: a probe can be there. */
static void find_behind(void)
{
	int event;

	for (behind_entry = SHORTEST_ENTRY; behind_entry < LONGEST_ENTRY; behind_entry++) {
		event = open_probe(false, FUNCTION, behind_entry);
		if (event >= 0) {
			close(event);
			return;
		}
	}
}

static int open_behind(void)
{
	return open_probe(false, FUNCTION, behind_entry);
}

static long count_of(int event)
{
	uint64_t count;

	return read(event, &count, sizeof(count)) == sizeof(count) ? (long)count : -errno;
}

/* Counts: all calls while it is on, none while it is off. */
static bool counts(const char *what, int event)
{
	bool right;

	if (event < 0)
		return expect(what, event, 0);
	call();
	right = expect(what, count_of(event), ROUNDS);
	ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
	call();
	right &= expect("disabled", count_of(event), ROUNDS);
	ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
	call();
	right &= expect("enabled again", count_of(event), 2 * ROUNDS);
	close(event);
	return right;
}

static bool by_symbol(void)
{
	return counts("symbol", open_probe(false, FUNCTION, 0));
}

static bool by_address(void)
{
	return counts("address", open_probe(false, NULL, function_start));
}

static bool by_offset(void)
{
	return counts("behind the entry", open_behind());
}

static bool at_return(void)
{
	return counts("return", open_probe(true, FUNCTION, 0));
}

/* Each has its own count, and goes without the others noticing. */
static bool many(void)
{
	int events[4] = {
		open_probe(false, FUNCTION, 0), open_probe(false, FUNCTION, 0),
		open_behind(), open_probe(true, FUNCTION, 0),
	};
	bool right = true;
	int i, left;

	for (left = 4; left > 0; left--) {
		call();
		for (i = 0; i < left; i++)
			right &= expect("one of several", count_of(events[i]),
					(5 - left) * ROUNDS);
		close(events[left - 1]);
	}
	return right;
}

/* ---- An event of tracefs, with what it recorded ------------------------- */

struct ring {
	struct perf_event_mmap_page *page;
	char *data;
	uint64_t size;
};

/* What a sample has: who was called by whom, and the event's own record. */
struct sample {
	uint64_t frames;
	uint64_t frame[MAX_FRAMES];
	uint64_t ip;
	uint64_t policy;
};

static bool define(const char *definition)
{
	int file = open("/sys/kernel/tracing/kprobe_events", O_WRONLY | O_APPEND);
	bool right = file >= 0 &&
		     write(file, definition, strlen(definition)) == (ssize_t)strlen(definition);

	if (!right)
		printf("# %s: %s\n", definition, strerror(errno));
	if (file >= 0)
		close(file);
	return right;
}

static bool map_ring(struct ring *ring, int event)
{
	size_t page = getpagesize();

	ring->size = RING_PAGES * page;
	ring->page = mmap(NULL, page + ring->size, PROT_READ | PROT_WRITE, MAP_SHARED,
			  event, 0);
	ring->data = (char *)ring->page + page;
	return ring->page != MAP_FAILED;
}

static void take(const struct ring *ring, uint64_t *at, void *to, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		((char *)to)[i] = ring->data[(*at + i) % ring->size];
	*at += bytes;
}

/* PERF_SAMPLE_CALLCHAIN, then PERF_SAMPLE_RAW: size, common fields, ours. */
static bool read_sample(const struct ring *ring, uint64_t at, struct sample *sample)
{
	uint64_t common;
	uint32_t size;

	take(ring, &at, &sample->frames, sizeof(sample->frames));
	if (sample->frames > MAX_FRAMES)
		return false;
	take(ring, &at, sample->frame, sample->frames * sizeof(uint64_t));
	take(ring, &at, &size, sizeof(size));
	take(ring, &at, &common, sizeof(common));
	take(ring, &at, &sample->ip, sizeof(sample->ip));
	take(ring, &at, &sample->policy, sizeof(sample->policy));
	return size >= sizeof(common) + 2 * sizeof(uint64_t);
}

static bool in_function(uint64_t ip)
{
	return ip >= function_start && ip < function_end;
}

static bool check_sample(const struct sample *sample)
{
	/* Frame 0 says that kernel ones follow; behind the function is its caller. */
	return expect("ip is in the function", in_function(sample->ip), true) &
	       expect("the argument", sample->policy, SCHED_RR) &
	       expect("two frames or more", sample->frames > 3, true) &&
	       expect("frame 0", sample->frame[0], PERF_CONTEXT_KERNEL) &
	       expect("frame 1 is the function's", in_function(sample->frame[1]), true) &
	       expect("frame 2 is another's", in_function(sample->frame[2]), false);
}

static bool check_ring(const struct ring *ring)
{
	struct perf_event_header header;
	uint64_t at = ring->page->data_tail, next;
	struct sample sample = {};
	bool right = true;
	int samples = 0;

	for (; at < ring->page->data_head; at = next) {
		next = at;
		take(ring, &next, &header, sizeof(header));
		if (header.type == PERF_RECORD_SAMPLE) {
			right &= expect("a whole sample", read_sample(ring, next, &sample), true);
			right &= check_sample(&sample);
			samples++;
		}
		next = at + header.size;
	}
	return right & expect("samples", samples, ROUNDS);
}

static bool sample_calls(int event)
{
	struct ring ring;
	bool right;

	if (!map_ring(&ring, event))
		return expect("a ring", errno, 0);
	call();
	ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
	right = expect("its count", count_of(event), ROUNDS) & check_ring(&ring);
	munmap(ring.page, getpagesize() + ring.size);
	return right;
}

/* The function has what the system call was given. */
static bool by_tracefs(int offset)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
		.exclude_callchain_user = 1,
	};
	char definition[256];
	bool right = false;
	uint32_t id;
	int event;

	snprintf(definition, sizeof(definition),
		 "p:hooks_perf/call %s+%d policy=+%zu(%%di):u64", FUNCTION, offset,
		 offsetof(struct pt_regs, rdi));
	if (!define(definition))
		return false;
	if (read_number("/sys/kernel/tracing/events/hooks_perf/call/id", &id)) {
		attr.config = id;
		event = open_event(&attr);
		if (event >= 0) {
			right = sample_calls(event);
			close(event);
		} else {
			expect("opening it", event, 0);
		}
	}
	return define("-:hooks_perf/call") && right;
}

/* ---- What must not be possible ------------------------------------------ */

static bool refused(const char *what, int event, int error)
{
	if (event >= 0)
		close(event);
	return expect(what, event, error);
}

static bool errors(void)
{
	return refused("unknown symbol", open_probe(false, "no_such_function", 0), -ENOENT) &
	       refused("no symbol", open_probe(false, "", 0), -EINVAL) &
	       refused("address 1", open_probe(false, NULL, 1), -ENOENT) &
	       refused("in the hook", open_probe(false, FUNCTION, behind_entry - 1), -EILSEQ) &
	       refused("return inside", open_probe(true, FUNCTION, behind_entry), -EINVAL) &
	       refused("blacklisted", open_probe(false, "kprobe_int3_handler", 0), -EINVAL);
}

static bool tracefs_entry(void)
{
	return by_tracefs(0);
}

static bool tracefs_behind(void)
{
	return by_tracefs(behind_entry);
}

static const struct {
	const char *name;
	bool (*run)(void);
} tests[] = {
	{ "symbol", by_symbol },
	{ "address", by_address },
	{ "behind", by_offset },
	{ "return", at_return },
	{ "several", many },
	{ "tracefs", tracefs_entry },
	{ "tracefs_behind", tracefs_behind },
	{ "errors", errors },
};

int main(void)
{
	int failed = 0;
	size_t i;
	bool right;

	find_function();
	if (!function_start || !function_end ||
	    !read_number("/sys/bus/event_source/devices/kprobe/type", &kprobe_type)) {
		puts("not ok: no such function, or no PMU");
		return 1;
	}
	find_behind();
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		right = tests[i].run();
		printf("%s %zu %s\n", right ? "ok" : "not ok", i + 1, tests[i].name);
		failed += !right;
	}
	printf("1..%zu\n", ARRAY_SIZE(tests));
	return !!failed;
}
