// SPDX-License-Identifier: GPL-2.0
/*
 * What big listings cost, for a guest in which an instruction is a nanosecond:
 * reads available_filter_functions to its end, and writes many exact names to
 * set_ftrace_filter, one write.  Prints
 *
 *	read LINES NANOSECONDS
 *	write NAMES NANOSECONDS
 *
 * and checks that the filter then has as many functions as names were written.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TRACING		"/sys/kernel/tracing/"
#define LISTING_MAX	(8 << 20)

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int open_or_die(const char *path, int flags)
{
	int fd = open(path, flags);

	if (fd < 0)
		die(path);
	return fd;
}

/* The whole file, as one string. */
static char *read_all(const char *path, long long *took)
{
	char *text = malloc(LISTING_MAX);
	size_t len = 0;
	ssize_t got;
	int fd;

	if (!text)
		die("malloc");
	/* Page faults of the buffer are not what is measured. */
	memset(text, 0, LISTING_MAX);
	*took = now();
	fd = open_or_die(path, O_RDONLY);
	while ((got = read(fd, text + len, LISTING_MAX - 1 - len)) > 0)
		len += got;
	close(fd);
	*took = now() - *took;
	if (got < 0)
		die(path);
	text[len] = 0;
	return text;
}

static int count_lines(const char *text)
{
	int lines = 0;

	while ((text = strchr(text, '\n'))) {
		lines++;
		text++;
	}
	return lines;
}

static int occurs_once(char **lines, int nr, int i)
{
	return (!i || strcmp(lines[i - 1], lines[i])) &&
	       (i + 1 == nr || strcmp(lines[i], lines[i + 1]));
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char **)a, *(char **)b);
}

/* @want names that one function each has, spread over all, one a line. */
static char *pick(char *text, int total, int want)
{
	char **lines = calloc(total, sizeof(*lines));
	char *names = malloc(strlen(text) + 1);
	char *to = names;
	int nr = 0, i, took = 0;

	if (!lines || !names)
		die("malloc");
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (!strpbrk(line, " [") && strncmp(line, "__ftrace_invalid", 16))
			lines[nr++] = line;
	}
	qsort(lines, nr, sizeof(*lines), compare);
	for (i = 0; i < nr && took < want; i++) {
		if (i < (long)nr * took / want || !occurs_once(lines, nr, i))
			continue;
		to += sprintf(to, "%s\n", lines[i]);
		took++;
	}
	free(lines);
	return names;
}

static void write_names(const char *names)
{
	int fd = open_or_die(TRACING "set_ftrace_filter", O_WRONLY | O_TRUNC);
	const char *left = names;
	ssize_t done;

	/* One write may take less than all of it. */
	while (*left) {
		done = write(fd, left, strlen(left));
		if (done <= 0)
			die("set_ftrace_filter");
		left += done;
	}
	if (close(fd))
		die("set_ftrace_filter");
}

int main(int argc, char **argv)
{
	int want = argc > 1 ? atoi(argv[1]) : 1000, lines, written;
	char *text, *names;
	long long took;

	text = read_all(TRACING "available_filter_functions", &took);
	lines = count_lines(text);
	printf("read %d %lld\n", lines, took);

	names = pick(text, lines, want);
	written = count_lines(names);
	took = now();
	write_names(names);
	took = now() - took;
	printf("write %d %lld\n", written, took);

	text = read_all(TRACING "set_ftrace_filter", &took);
	lines = count_lines(text);
	close(open_or_die(TRACING "set_ftrace_filter", O_WRONLY | O_TRUNC));
	if (lines != written) {
		fprintf(stderr, "the filter has %d functions\n", lines);
		return 1;
	}
	return 0;
}
