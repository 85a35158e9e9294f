// SPDX-License-Identifier: GPL-2.0
/*
 * Loads a module and unloads it: prints how many nanoseconds loading took, which
 * are instructions in a guest that counts so.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

int main(int argc, char **argv)
{
	char name[64];
	long long took;
	char *base;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: hooks_load MODULE.ko\n");
		return 1;
	}
	base = strrchr(argv[1], '/');
	snprintf(name, sizeof(name), "%s", base ? base + 1 : argv[1]);
	name[strcspn(name, ".")] = 0;
	fd = open(argv[1], O_RDONLY);
	if (fd < 0)
		die(argv[1]);
	took = now();
	if (syscall(SYS_finit_module, fd, "", 0))
		die("finit_module");
	took = now() - took;
	if (syscall(SYS_delete_module, name, 0))
		die("delete_module");
	printf("%lld\n", took);
	return 0;
}
