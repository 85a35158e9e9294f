/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of hooks_bench share. */
#ifndef _HOOKS_BENCH_H
#define _HOOKS_BENCH_H

#include <linux/ftrace.h>
#include <linux/types.h>

/* The most ops, probes, names there may be at a time. */
#define BENCH_MOST	10000

/*
 * Each command of the parameter "run" is one of these; what its number means is
 * its own affair.
 */
int bench_unhooked(unsigned int nr);
int bench_guards(unsigned int nr);
int bench_several(unsigned int nr);
int bench_attach(unsigned int nr);
int bench_detach(unsigned int nr);
int bench_attach_all(unsigned int nr);
int bench_detach_all(unsigned int nr);
int bench_addresses(unsigned int nr);
int bench_names(unsigned int nr);
int bench_globs(unsigned int nr);
int bench_probe_hits(unsigned int nr);
int bench_hold_probes(unsigned int nr);
int bench_drop_probes(unsigned int nr);
int bench_probes_one_by_one(unsigned int nr);
int bench_probes_as_array(unsigned int nr);
int bench_kretprobes(unsigned int nr);
int bench_hold_kretprobes(unsigned int nr);
int bench_drop_kretprobes(unsigned int nr);
int bench_fprobes(unsigned int nr);

void bench_probes_exit(void);

/* Addresses of kernel functions' hooks, as many as were written to "add". */
extern unsigned long bench_kernel[BENCH_MOST + 1000];
extern unsigned int bench_kernel_nr;

/* The function that is hooked, and one like it that cannot be. */
int bench_target(int x);
int bench_target_notrace(int x);
void bench_call(void);

/*
 * Function @i of as many as there are in hooks_bench_load, which nobody calls;
 * and of the kernel's where @nr are more.
 */
unsigned long bench_function(unsigned int i, unsigned int nr);

/* The module with the functions stays while they are in use. */
int bench_get_functions(void);
void bench_put_functions(void);

void bench_nothing(unsigned long ip, unsigned long parent_ip,
		   struct ftrace_ops *op, struct ftrace_regs *fregs);
int bench_hook(struct ftrace_ops *ops, unsigned long addr, unsigned long flags);
void bench_unhook(struct ftrace_ops *ops);

u64 bench_measure(void (*call)(void));
void bench_report(const char *row, unsigned int count, u64 figure);

/* What each of @count took since @start, a time. */
void bench_report_each(const char *row, unsigned int count, u64 start);

#endif /* _HOOKS_BENCH_H */
