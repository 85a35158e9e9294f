// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the rate of the host's time stamp counter in kHz. An emulated guest
 * sees the same counter, but on a busy host it fails to find out how fast that
 * runs, and then has no clock finer than a tick.
 */
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

int main(void)
{
	double start = now_ms(), end;
	unsigned long long ticks = __rdtsc();

	do {
		end = now_ms();
	} while (end - start < 100);
	ticks = __rdtsc() - ticks;
	printf("%.0f\n", ticks / (end - start));
	return 0;
}
