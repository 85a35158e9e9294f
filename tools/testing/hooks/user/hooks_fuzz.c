// SPDX-License-Identifier: GPL-2.0
/*
 * Writes wrong and half-right lines to control files of function tracing.
 *
 *	hooks_fuzz [-n LINES] [-p PROCESSES] [-s SEED] [-f NAMES] FILE...
 *
 * LINES go to each FILE, shared among PROCESSES for each; the FILEs are written
 * to at the same time.  NAMES is a list of functions, a line each.  The same
 * SEED and NAMES give the same lines.
 *
 * An errno that is not documented for the file is a failure, and the line is
 * printed.  Lines that were taken, maybe, are undone at once, such that in the
 * end each file says what it says when it is reset.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define LINE_ROOM	(4 * 4096)
#define NR_NAMES	1024
#define SHOWN_FAILURES	5
#define SHOWN_BYTES	200

/* One line.  Behind the room for it is a page that cannot be read. */
struct line {
	char	*room;
	char	*text;
	size_t	len;
	bool	wild;		/* wildcards stay: that costs a look at all names */
	bool	too_far;	/* written with bytes that cannot be read */
};

struct kind {
	void		(*generate[12])(struct line *line);
	void		(*spoil)(struct line *line);
	const char	*file;	/* without its directory */
	int		errnos[8];
	int		command_errnos[4];
	bool		words;	/* a line may come in several writes */
	const char	*reset;
};

/* What became of the lines of a file: shared by all processes. */
struct counts {
	unsigned long	lines;
	unsigned long	refused;
	unsigned long	failures;
};

static char *names[NR_NAMES];
static unsigned int nr_names;

/* ---- Chance ----------------------------------------------------------- */

static uint64_t chance_state;

static uint64_t chance(void)
{
	uint64_t x = chance_state += 0x9e3779b97f4a7c15;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static size_t below(size_t n)
{
	return chance() % n;
}

static bool one_in(size_t n)
{
	return below(n) == 0;
}

/* Mostly short; up to several pages. */
static size_t any_length(void)
{
	return one_in(64) ? 1 + below(LINE_ROOM) : 1 + below(80);
}

/* ---- Parts of lines --------------------------------------------------- */

static void put(struct line *line, const void *bytes, size_t len)
{
	if (len > LINE_ROOM - line->len)
		len = LINE_ROOM - line->len;
	memcpy(line->text + line->len, bytes, len);
	line->len += len;
}

static void put_text(struct line *line, const char *text)
{
	put(line, text, strlen(text));
}

static void put_byte(struct line *line, char byte)
{
	put(line, &byte, 1);
}

static const char *any_name(void)
{
	return one_in(8) ? "hooks_module_core" : names[below(nr_names)];
}

static const char *any_number(void)
{
	static const char * const numbers[] = {
		"0", "00", "-0", "-1", "+1", "1", "2", "7", "0x7", "0x", "0b1",
		"08", "1e3", "1.5", "1,2", "12abc", "32767", "32768", "65536",
		"4194303", "4194304", "4194305", "99999999", "2147483647",
		"2147483648", "-2147483648", "4294967295", "4294967296",
		"9223372036854775807", "9223372036854775808",
		"18446744073709551615", "18446744073709551616",
		"-18446744073709551616", "0xffffffffffffffff",
		"0x10000000000000000", "99999999999999999999999999999999",
	};

	return numbers[below(ARRAY_SIZE(numbers))];
}

/* Parameters that no command takes, or only some do. */
static void put_parameter(struct line *line)
{
	static const char * const parameters[] = {
		":", "::", ":-1", ":abc", ":1:2:3", ":0", ": ", ":5x", ":!",
		":sched", ":sched:", ":no:such", ":no:such:1", "::sched_switch",
		":sched:no_such", ":sched:sched_switch:", ":sched:sched_switch:x",
		":sched:sched_switch:-1", ":sched:sched_switch:18446744073709551616",
	};

	if (one_in(3)) {
		put_byte(line, ':');
		put_text(line, any_number());
	} else {
		put_text(line, parameters[below(ARRAY_SIZE(parameters))]);
	}
}

static void put_separator(struct line *line)
{
	static const char separators[] = { ' ', '\n', '\t', '\r', '\0', '\v' };

	do {
		put_byte(line, separators[below(ARRAY_SIZE(separators))]);
	} while (one_in(4));
}

/* ---- Lines ------------------------------------------------------------ */

static void random_bytes(struct line *line)
{
	size_t len = any_length();

	while (len--)
		put_byte(line, chance());
}

/* As the lines that are meant, though of a name that may not be there. */
static void right_line(struct line *line)
{
	static const char * const tails[] = {
		"", "", "", ":mod:hooks_module", ":mod:", ":mod:!hooks_module",
		":traceoff", ":traceoff:3", ":traceon:1", ":stacktrace:2",
		":stacktrace", ":snapshot:1", ":enable_event:sched:sched_switch:2",
	};

	if (one_in(8))
		put_byte(line, '!');
	put_text(line, any_name());
	put_text(line, tails[below(ARRAY_SIZE(tails))]);
}

static void cut(struct line *line, size_t at)
{
	size_t len = 1 + below(line->len - at);

	memmove(line->text + at, line->text + at + len, line->len - at - len);
	line->len -= len;
}

static void insert(struct line *line, size_t at, char byte)
{
	if (line->len == LINE_ROOM)
		return;
	memmove(line->text + at + 1, line->text + at, line->len - at);
	line->text[at] = byte;
	line->len++;
}

static void mutate(struct line *line)
{
	static const char bad[] = "!:*?[]\\#\n \t$%&=,.;-";
	size_t at;

	if (!line->len)
		return;
	at = below(line->len);
	switch (below(5)) {
	case 0:
		cut(line, at);
		break;
	case 1:
		put(line, line->text + at, line->len - at);
		break;
	case 2:
		line->text[at] ^= 1 << below(8);
		break;
	case 3:
		insert(line, at, bad[below(sizeof(bad))]);
		break;
	default:
		insert(line, at, chance());
		break;
	}
}

static void mutated_line(struct line *line)
{
	right_line(line);
	do {
		mutate(line);
	} while (one_in(2));
}

static void long_word(struct line *line)
{
	size_t len = 1 + below(one_in(8) ? LINE_ROOM : 1024);

	while (line->len < len)
		put_text(line, one_in(2) ? any_name() : ":a!0");
}

static void several_lines(struct line *line)
{
	size_t nr = one_in(64) ? 1 + below(256) : 2 + below(4);

	while (nr--) {
		if (one_in(2))
			right_line(line);
		else if (one_in(4))
			put_text(line, any_number());
		else
			put_text(line, "no_such_function");
		put_separator(line);
	}
}

static void unknown_module(struct line *line)
{
	static const char * const modules[] = {
		"", "no_such_module", "hooks_module_", "!no_such_module", "!",
		"a:b", "mod", ":mod:", "-", "0", "hooks-module", "hooks_module:",
	};

	if (one_in(4))
		put_byte(line, '!');
	if (one_in(2))
		put_text(line, any_name());
	put_text(line, ":mod:");
	put_text(line, modules[below(ARRAY_SIZE(modules))]);
}

static void unknown_command(struct line *line)
{
	static const char * const commands[] = {
		"", "nocommand", "Traceoff", "traceof", "traceofff", "mo", "mods",
		"enable_even", "stack trace", "traceon\\", "0", "!traceoff",
	};

	if (one_in(8))
		put_byte(line, '!');
	put_text(line, any_name());
	put_byte(line, ':');
	put_text(line, commands[below(ARRAY_SIZE(commands))]);
	if (one_in(2))
		put_parameter(line);
}

static const char * const commands[] = {
	"traceon", "traceoff", "stacktrace", "snapshot", "enable_event",
	"disable_event", "dump", "cpudump",
};

/* For "dump" takes any parameter, of a function that nobody calls. */
static void wrong_parameter(struct line *line)
{
	if (one_in(8))
		put_byte(line, '!');
	put_text(line, one_in(4) ? "no_such_function" : "version_proc_show");
	put_byte(line, ':');
	put_text(line, commands[below(ARRAY_SIZE(commands))]);
	put_parameter(line);
}

static void not_there(struct line *line)
{
	static const char * const removals[] = {
		"!", "!!", "!0", "!1", "!99999999", "!-1", "!no_such_function",
		"!:mod:no_such_module", "!:mod:", "!::", "! ", "!!!!!!!!",
		"!no_such_function:traceoff", "!:traceoff", "!:nocommand",
	};

	if (one_in(2)) {
		put_byte(line, '!');
		put_text(line, any_name());
	} else {
		put_text(line, removals[below(ARRAY_SIZE(removals))]);
	}
}

static void number(struct line *line)
{
	put_text(line, any_number());
	if (one_in(4))
		mutate(line);
}

static void numbers(struct line *line)
{
	size_t nr = one_in(64) ? 1 + below(512) : 1 + below(4);

	while (nr--) {
		number(line);
		put_separator(line);
	}
}

static void digits(struct line *line)
{
	size_t len = any_length();

	while (len--)
		put_byte(line, '0' + below(10));
}

/* Many wildcards in one word, that match little, if anything. */
static void deep_glob(struct line *line)
{
	static const char * const parts[] = {
		"*", "?", "??????", "[", "]", "\\", "[a-", "[!z]", "[]", "**",
		"[[[[", "\\\\", "*q*z*x", "[z-a]", "*a*b*c*d*e", "!",
	};
	static const char * const tails[] = {
		"", "", "", ":mod:no_such_module", ":mod:*q*", ":mod:[", ":mod:",
		":nocommand", ":traceoff:abc", ":enable_event:no:such",
	};
	size_t nr = one_in(8) ? 1 + below(1024) : 2 + below(24);

	while (nr--) {
		put_text(line, parts[below(ARRAY_SIZE(parts))]);
		if (one_in(2))
			put_byte(line, 'a' + below(26));
	}
	put_text(line, "0q");
	put_text(line, tails[below(ARRAY_SIZE(tails))]);
}

/* ---- Lines that define probes ----------------------------------------- */

/* Each list has right ones and wrong ones. */
static void put_probe_kind(struct line *line)
{
	static const char * const kinds[] = {
		"p", "p", "p", "r", "r", "r1", "r4096", "r4097", "r0", "r-1",
		"p1", "P", "x", "", "pp", "r99999999999", "rabc", "p ",
	};
	static const char * const events[] = {
		":hooks_fuzz", ":hooks_fuzz/a", ":b", ":c", "", "", ":", ":/",
		":a/", ":/a", ":a/b/c", ":1a", ":a-b", ":a b", "::", ":$",
		":\xff", "/", ":kprobes/a", ":sched/sched_switch",
	};

	put_text(line, kinds[below(ARRAY_SIZE(kinds))]);
	put_text(line, events[below(ARRAY_SIZE(events))]);
}

static void put_place(struct line *line)
{
	static const char * const offsets[] = {
		"", "", "", "+0", "+4", "+5", "+9", "+1", "+0x10", "-1", "+-1",
		"+", "++1", "+99999999", "+4294967295", "+4294967296", "+0x",
		"+18446744073709551615", "+1x", "%return", "%retur", "%", "+0%return",
		"+9%return", "@1", " +1",
	};
	static const char * const places[] = {
		"no_such_function", "no_such_module:vfs_read", "hooks_module:",
		":vfs_read", ":", "", "0", "1", "0x", "-1", "0xffffffff81000000",
		"0xffffffffffffffff", "0xffff888000000000", "jiffies", "do_int3",
		"kprobe_int3_handler", "asm_exc_nmi", "t_start", "kernel_init_freeable",
		"hooks_module:hooks_module_core", "/bin/sh:0x10", "a/b", "*",
	};

	put_text(line, one_in(2) ? any_name() : places[below(ARRAY_SIZE(places))]);
	put_text(line, offsets[below(ARRAY_SIZE(offsets))]);
}

static void put_argument(struct line *line)
{
	static const char * const names[] = {
		"", "", "a=", "b=", "a=", "=", "1=", "a-b=", "a==", "ip=", " =",
	};
	static const char * const values[] = {
		"%ax", "%di", "%no", "%", "$stack", "$stack0", "$stack99999",
		"$stack-1", "$retval", "$comm", "$arg1", "$arg0", "$arg99", "$",
		"@jiffies", "@no_such", "@0", "@", "@+1", "+0(%di)", "-8(%sp)",
		"+0(+0(+0(%di)))", "+0(", "+0()", "+(%di)", "+u0(%di)", "(%di)",
		"+0x7fffffffffffffff(%di)", "+0(%di", "\\1", "\\\"a\"", "\\\"a",
		"\\", "x", "a->b", "$arg*", "$$args", "", "%ax%bx",
	};
	static const char * const types[] = {
		"", "", "", ":u8", ":s64", ":x32", ":u7", ":string", ":ustring",
		":b4@2/32", ":b0@0/8", ":b9@0/8", ":b4@", ":u8[4]", ":u8[0]",
		":u8[65]", ":u8[", ":symbol", ":char", ":", "::", ":no", ":symstr",
		":string[3]", ":%pd", ":%no",
	};

	put_byte(line, ' ');
	put_text(line, names[below(ARRAY_SIZE(names))]);
	put_text(line, values[below(ARRAY_SIZE(values))]);
	put_text(line, types[below(ARRAY_SIZE(types))]);
}

static void probe(struct line *line)
{
	size_t nr = one_in(32) ? below(200) : below(4);

	put_probe_kind(line);
	put_byte(line, ' ');
	put_place(line);
	while (nr--)
		put_argument(line);
}

static void mutated_probe(struct line *line)
{
	probe(line);
	do {
		mutate(line);
	} while (one_in(2));
}

static void several_probes(struct line *line)
{
	size_t nr = 2 + below(6);

	while (nr--) {
		probe(line);
		put_byte(line, '\n');
	}
}

static void removed_probe(struct line *line)
{
	static const char * const removals[] = {
		"-", "-:", "-:no_such", "-:no/such", "-:hooks_fuzz", "-:b",
		"-:kprobes/", "-:/a", "-a", "-:hooks_fuzz/a p", "--:b", "-p:b",
		"-:b vfs_read", "-r:c", "-:b vfs_read %ax", "-1:b",
	};

	put_text(line, removals[below(ARRAY_SIZE(removals))]);
}

/* ---- Which lines a file gets ------------------------------------------ */

/* A pattern that has all names looked at takes long: few lines may have one. */
static void spoil_wildcards(struct line *line)
{
	size_t i;

	for (i = 0; i < line->len && !line->wild; i++) {
		if (line->text[i] && strchr("*?[\\", line->text[i]))
			line->text[i] = '_';
	}
}

/* A pid that is taken has all CPUs looked at: few lines may have some. */
static void spoil_pids(struct line *line)
{
	if (isdigit(line->text[0]) && !one_in(16))
		line->text[0] = one_in(2) ? '-' : 'x';
}

/* What starts the profiler is right input, and takes seconds. */
static void spoil_profile(struct line *line)
{
	size_t i = line->text[0] == '+';
	bool zero = true;

	for (; i < line->len && isdigit(line->text[i]); i++)
		zero &= line->text[i] == '0';
	if (!zero)
		line->text[0] = '-';
}

/* What switches hooks off is right input, too. */
static void spoil_switch(struct line *line)
{
	size_t i;

	for (i = 0; i < line->len; i++) {
		if (!isspace(line->text[i]) && line->text[i] != '-')
			break;
	}
	if (i < line->len && line->text[i] == '0' && !one_in(16))
		line->text[i] = '1';
}

/* Events of other kinds are not what is tried here. */
static void spoil_kinds(struct line *line)
{
	size_t i;

	for (i = 0; i < line->len; i++) {
		if (!i || line->text[i - 1] == '\n') {
			if (!strchr("pr-", line->text[i]))
				line->text[i] = 'p';
		}
	}
}

static const struct kind kinds[] = {
	{
		.file		= "set_ftrace_filter",
		.generate	= { random_bytes, mutated_line, mutated_line,
				    long_word, several_lines, unknown_module,
				    unknown_command, wrong_parameter,
				    wrong_parameter, not_there, number, numbers },
		.spoil		= spoil_wildcards,
		.errnos		= { EINVAL },
		.command_errnos	= { ERANGE, ENODEV },
		.words		= true,
	}, {
		.file		= "set_ftrace_notrace",
		.generate	= { random_bytes, mutated_line, mutated_line,
				    long_word, several_lines, unknown_module,
				    unknown_command, wrong_parameter, not_there,
				    number, numbers },
		.spoil		= spoil_wildcards,
		.errnos		= { EINVAL },
		.words		= true,
	}, {
		.file		= "stack_trace_filter",
		.generate	= { random_bytes, mutated_line, mutated_line,
				    long_word, several_lines, unknown_module,
				    unknown_command, wrong_parameter, not_there,
				    number, numbers },
		.spoil		= spoil_wildcards,
		.errnos		= { EINVAL },
		.command_errnos	= { ENODEV },
		.words		= true,
	}, {
		.file		= "set_graph_function",
		.generate	= { random_bytes, mutated_line, long_word,
				    unknown_module, unknown_command, not_there },
		.spoil		= spoil_wildcards,
		.errnos		= { EINVAL },
		.words		= true,
	}, {
		.file		= "set_graph_notrace",
		.generate	= { random_bytes, mutated_line, long_word,
				    unknown_module, unknown_command, not_there },
		.spoil		= spoil_wildcards,
		.errnos		= { EINVAL },
		.words		= true,
	}, {
		.file		= "set_ftrace_pid",
		.generate	= { random_bytes, long_word, not_there, number,
				    numbers, digits },
		.spoil		= spoil_pids,
		/* EPERM: what trace_pid_write() has for numbers too large. */
		.errnos		= { EINVAL, EPERM },
		.words		= true,
	}, {
		.file		= "set_ftrace_notrace_pid",
		.generate	= { random_bytes, long_word, not_there, number,
				    numbers, digits },
		.spoil		= spoil_pids,
		.errnos		= { EINVAL, EPERM },
		.words		= true,
	}, {
		.file		= "function_profile_enabled",
		.generate	= { random_bytes, long_word, number, numbers,
				    digits },
		.spoil		= spoil_profile,
		.errnos		= { EINVAL, ERANGE },
		.reset		= "0",
	}, {
		.file		= "ftrace_enabled",
		.generate	= { random_bytes, long_word, number, numbers,
				    digits },
		.spoil		= spoil_switch,
		.errnos		= { EINVAL },
		.reset		= "1",
	}, {
		/* ENOMEM: what the parser has for too many of :%pd. */
		.file		= "kprobe_events",
		.generate	= { random_bytes, long_word, probe, probe, probe,
				    mutated_probe, mutated_probe, several_probes,
				    removed_probe },
		.spoil		= spoil_kinds,
		.errnos		= { EINVAL, ENOENT, EEXIST, E2BIG, EILSEQ,
				    EADDRNOTAVAIL, EOPNOTSUPP, ENOMEM },
	}, {
		.file		= "dynamic_events",
		.generate	= { random_bytes, long_word, probe, probe, probe,
				    mutated_probe, mutated_probe, several_probes,
				    removed_probe },
		.spoil		= spoil_kinds,
		.errnos		= { EINVAL, ENOENT, EEXIST, E2BIG, EILSEQ,
				    EADDRNOTAVAIL, EOPNOTSUPP, ENOMEM },
	},
};

static const struct kind *kind_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(slash ? slash + 1 : path, kinds[i].file))
			return &kinds[i];
	}
	return NULL;
}

static void make_line(const struct kind *kind, struct line *line)
{
	size_t nr = 0;

	line->text = line->room;
	line->len = 0;
	line->wild = kind->spoil == spoil_wildcards && one_in(512);
	line->too_far = one_in(64);

	while (nr < ARRAY_SIZE(kind->generate) && kind->generate[nr])
		nr++;
	if (line->wild)
		deep_glob(line);
	else
		kind->generate[below(nr)](line);
	/* Without an end a word is looked at on close, and that tells nothing. */
	if (!one_in(16))
		put_byte(line, '\n');
	if (line->len)
		kind->spoil(line);
	if (!line->too_far)
		return;
	line->text = line->room + LINE_ROOM - line->len;
	memmove(line->text, line->room, line->len);
}

/* ---- Writing ---------------------------------------------------------- */

static bool has_errno(const int *errnos, size_t max, int err)
{
	while (max--) {
		if (errnos[max] == err)
			return true;
	}
	return false;
}

static bool is_documented(const struct kind *kind, const struct line *line,
			  int err)
{
	if (err == EFAULT)
		return line->too_far;
	return has_errno(kind->errnos, ARRAY_SIZE(kind->errnos), err) ||
	       (memchr(line->text, ':', line->len) &&
		has_errno(kind->command_errnos,
			  ARRAY_SIZE(kind->command_errnos), err));
}

static void show_failure(const char *path, const struct line *line,
			 const char *what, int err)
{
	size_t i, len = line->len < SHOWN_BYTES ? line->len : SHOWN_BYTES;
	char shown[4 * SHOWN_BYTES + 1], *to = shown;

	for (i = 0; i < len; i++) {
		unsigned char c = line->text[i];

		to += sprintf(to, isprint(c) && c != '\\' ? "%c" : "\\x%02x", c);
	}
	*to = '\0';
	printf("WRONG: %s: %s%s%s: %zu bytes: \"%s\"%s\n", path, what,
	       err ? ": " : "", err ? strerror(err) : "", line->len, shown,
	       len < line->len ? "..." : "");
	fflush(stdout);
}

static void fail(struct counts *counts, const char *path,
		 const struct line *line, const char *what, int err)
{
	if (__atomic_fetch_add(&counts->failures, 1, __ATOMIC_RELAXED) <
	    SHOWN_FAILURES)
		show_failure(path, line, what, err);
}

static int open_flags(void)
{
	return (one_in(8) ? O_RDWR : O_WRONLY) | (one_in(8) ? O_APPEND : 0) |
	       (one_in(64) ? O_TRUNC : 0);
}

/* Of some lines a part only is written at a time. */
static size_t next_part(const struct kind *kind, size_t left, bool in_parts)
{
	size_t part = 1 + below(32);

	return kind->words && in_parts && part < left ? part : left;
}

/* After what was refused a word counts as ever, through the same descriptor. */
static void write_next(const struct kind *kind, const char *path,
		       const struct line *line, int fd, struct counts *counts)
{
	static const char wrong[] = "no_such_function\n";

	if (!kind->words || !one_in(4))
		return;
	if (write(fd, wrong, strlen(wrong)) >= 0)
		fail(counts, path, line, "the next wrong word is taken", 0);
	else if (errno != EINVAL)
		fail(counts, path, line, "write of the next word", errno);
}

/* Writes until something is refused; whether anything was taken. */
static bool write_open(const struct kind *kind, const char *path,
		       const struct line *line, int fd, struct counts *counts)
{
	size_t done = 0, len = line->len, part;
	bool in_parts = one_in(8);
	ssize_t ret;

	if (line->too_far)
		len += 1 + below(64);
	while (done < len) {
		part = next_part(kind, len - done, in_parts);
		ret = write(fd, line->text + done, part);
		if (ret < 0) {
			__atomic_fetch_add(&counts->refused, 1, __ATOMIC_RELAXED);
			if (!is_documented(kind, line, errno))
				fail(counts, path, line, "write", errno);
			write_next(kind, path, line, fd, counts);
			break;
		}
		if (!ret || (size_t)ret > part) {
			fail(counts, path, line, "write returns nonsense", 0);
			break;
		}
		done += ret;
	}
	return done;
}

static bool write_line(const struct kind *kind, const char *path,
		       const struct line *line, struct counts *counts)
{
	int flags = open_flags();
	int fd = open(path, flags);
	char buf[512];
	bool taken;

	__atomic_fetch_add(&counts->lines, 1, __ATOMIC_RELAXED);
	if (fd < 0) {
		fail(counts, path, line, "open", errno);
		return false;
	}
	if ((flags & O_RDWR) && one_in(4) && read(fd, buf, sizeof(buf)) < 0)
		fail(counts, path, line, "read", errno);
	taken = write_open(kind, path, line, fd, counts);
	if (close(fd))
		fail(counts, path, line, "close", errno);
	return taken || (flags & O_TRUNC);
}

/* Takes probes away, which clearing the file does not. */
static void remove_probes(int fd, const struct line *line)
{
	char removal[64];
	const char *event;
	size_t i;
	int len;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!memmem(line->text, line->len, commands[i],
			    strlen(commands[i])))
			continue;
		event = strstr(commands[i], "event") ? ":sched:sched_switch" : "";
		/* With a count it is another kind of probe. */
		len = sprintf(removal, "!*:%s%s\n", commands[i], event);
		(void)!write(fd, removal, len);
		len = sprintf(removal, "!*:%s%s:1\n", commands[i], event);
		(void)!write(fd, removal, len);
	}
}

static void reset(const struct kind *kind, const char *path,
		  const struct line *line, struct counts *counts)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	if (fd < 0) {
		fail(counts, path, line, "open for resetting", errno);
		return;
	}
	if (kind->reset && write(fd, kind->reset, 1) != 1)
		fail(counts, path, line, "reset", errno);
	if (has_errno(kind->command_errnos, ARRAY_SIZE(kind->command_errnos),
		      ERANGE))
		remove_probes(fd, line);
	if (close(fd))
		fail(counts, path, line, "close", errno);
}

static void write_lines(const char *path, unsigned long nr,
			struct counts *counts)
{
	const struct kind *kind = kind_of(path);
	struct line line = {};

	line.room = mmap(NULL, LINE_ROOM + 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (line.room == MAP_FAILED ||
	    mprotect(line.room + LINE_ROOM, 4096, PROT_NONE)) {
		perror("mmap");
		exit(1);
	}
	while (nr--) {
		make_line(kind, &line);
		if (write_line(kind, path, &line, counts))
			reset(kind, path, &line, counts);
	}
	exit(0);
}

/* ---- The whole -------------------------------------------------------- */

/* A sample of the names in the list, without those of modules. */
static void read_names(const char *path)
{
	FILE *list = fopen(path, "r");
	char name[1024];
	size_t seen = 0, at;

	while (list && fgets(name, sizeof(name), list)) {
		if (strchr(name, '['))
			continue;
		name[strcspn(name, "\n")] = '\0';
		at = nr_names < NR_NAMES ? nr_names++ : below(seen + 1);
		seen++;
		if (at >= NR_NAMES)
			continue;
		free(names[at]);
		names[at] = strdup(name);
	}
	if (list)
		fclose(list);
	if (!nr_names) {
		fprintf(stderr, "no names in %s\n", path);
		exit(1);
	}
}

static void start(const char *path, unsigned long lines, unsigned int processes,
		  uint64_t seed, struct counts *counts)
{
	unsigned int i;
	pid_t pid;

	for (i = 0; i < processes; i++) {
		pid = fork();
		if (pid < 0) {
			perror("fork");
			exit(1);
		}
		if (pid)
			continue;
		chance_state = seed + i;
		write_lines(path, lines / processes + (i < lines % processes),
			    counts);
	}
}

static int wait_for_all(char **paths, int nr, const struct counts *counts)
{
	int status, failed = 0, i;

	while (wait(&status) > 0) {
		if (status) {
			printf("WRONG: a process ended with status %#x\n", status);
			failed = 1;
		}
	}
	for (i = 0; i < nr; i++) {
		printf("%s: %lu lines, %lu refused, %lu failures\n", paths[i],
		       counts[i].lines, counts[i].refused, counts[i].failures);
		if (counts[i].failures)
			failed = 1;
	}
	return failed;
}

static bool all_known(char **paths)
{
	for (; *paths; paths++) {
		if (!kind_of(*paths)) {
			fprintf(stderr, "%s is not known\n", *paths);
			return false;
		}
	}
	return true;
}

static int usage(void)
{
	fprintf(stderr,
		"hooks_fuzz [-n LINES] [-p PROCESSES] [-s SEED] [-f NAMES] FILE...\n");
	return 2;
}

int main(int argc, char **argv)
{
	const char *list = "/sys/kernel/tracing/available_filter_functions";
	unsigned long lines = 1000, processes = 1;
	struct counts *counts;
	uint64_t seed = 1;
	int opt, i;

	while ((opt = getopt(argc, argv, "n:p:s:f:")) != -1) {
		switch (opt) {
		case 'n':
			lines = strtoul(optarg, NULL, 0);
			break;
		case 'p':
			processes = strtoul(optarg, NULL, 0);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'f':
			list = optarg;
			break;
		default:
			return usage();
		}
	}
	if (optind == argc || !processes || !all_known(argv + optind))
		return usage();
	counts = mmap(NULL, argc * sizeof(*counts), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	chance_state = seed;
	read_names(list);
	for (i = optind; i < argc; i++)
		start(argv[i], lines, processes, seed + 1000003UL * i,
		      &counts[i - optind]);
	return wait_for_all(argv + optind, argc - optind, counts);
}
