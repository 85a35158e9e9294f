// SPDX-License-Identifier: GPL-2.0
/* Probes on returns: what a call costs of entry and return together. */
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "bench.h"

static struct kretprobe *held;
static struct kretprobe **rps;
static unsigned int held_nr;

static int at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

/* @nr of them on one function. */
int bench_kretprobes(unsigned int nr)
{
	struct kretprobe *probes = kcalloc(nr, sizeof(*probes), GFP_KERNEL);
	u64 before = bench_measure(bench_call);
	unsigned int i;
	int ret = probes ? 0 : -ENOMEM;

	for (i = 0; i < nr && !ret; i++) {
		probes[i].handler = at_return;
		probes[i].kp.addr = (kprobe_opcode_t *)bench_target;
		ret = register_kretprobe(&probes[i]);
	}
	if (!ret)
		bench_report("hit, kretprobes on the function", nr,
			     bench_measure(bench_call) - before);
	else
		i--;
	while (probes && i--)
		unregister_kretprobe(&probes[i]);
	kfree(probes);
	return ret;
}

static void free_held(void)
{
	bench_put_functions();
	held_nr = 0;
	vfree(rps);
	vfree(held);
	rps = NULL;
	held = NULL;
}

/* On @nr functions that nobody calls; they stay. */
int bench_hold_kretprobes(unsigned int nr)
{
	unsigned int i;
	int ret;

	if (held)
		return -EBUSY;
	ret = bench_get_functions();
	if (ret)
		return ret;
	held = vzalloc(array_size(BENCH_MOST, sizeof(*held)));
	rps = vzalloc(array_size(BENCH_MOST, sizeof(*rps)));
	ret = held && rps ? 0 : -ENOMEM;
	if (ret)
		goto out;
	for (i = 0; i < nr; i++) {
		held[i].handler = at_return;
		held[i].kp.addr = (void *)bench_function(i, nr);
		rps[i] = &held[i];
	}
	ret = register_kretprobes(rps, nr);
	held_nr = nr;
out:
	if (ret)
		free_held();
	return ret;
}

int bench_drop_kretprobes(unsigned int nr)
{
	if (!held_nr)
		return 0;
	unregister_kretprobes(rps, held_nr);
	free_held();
	return 0;
}

static int fprobe_entry(struct fprobe *probe, unsigned long ip,
			unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	return 0;
}

static void fprobe_exit(struct fprobe *probe, unsigned long ip,
			unsigned long ret_ip, struct pt_regs *regs, void *data)
{
}

static int fprobe_hit(const char *row, fprobe_exit_cb on_exit)
{
	unsigned long addr = (unsigned long)bench_target;
	u64 before = bench_measure(bench_call);
	struct fprobe *probe;
	int ret = -ENOMEM;

	probe = kzalloc(sizeof(*probe), GFP_KERNEL);
	if (!probe)
		return ret;
	probe->entry_handler = fprobe_entry;
	probe->exit_handler = on_exit;
	ret = register_fprobe_ips(probe, &addr, 1);
	if (!ret) {
		bench_report(row, 1, bench_measure(bench_call) - before);
		unregister_fprobe(probe);
	}
	kfree(probe);
	return ret;
}

int bench_fprobes(unsigned int nr)
{
	return fprobe_hit("hit, fprobe, entry", NULL) ?:
	       fprobe_hit("hit, fprobe, entry and return", fprobe_exit);
}
