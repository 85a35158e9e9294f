// SPDX-License-Identifier: GPL-2.0
/*
 * Who is attached where, and how often it was called:
 *
 *	hooks		one line a hooked function: the address of its site and
 *			its name; then, each behind a tab, the callbacks in the
 *			order in which they are called, as
 *
 *				SYMBOL [MODULE] FLAG,FLAG,... HITS
 *
 *			where the flags are "-" if there is none, and HITS is
 *			there while hits are counted
 *	hooks_counting	1 while they are; each write of 1 after 0 begins anew
 *
 * A line is made in one go: it shows the function as it was at one moment.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>

#include "control.h"

static const struct {
	unsigned int	flag;
	const char	*name;
} flag_names[] = {
	{ FTRACE_CALL_RECURSION, "recursion" },
	{ FTRACE_CALL_RCU, "rcu" },
	{ FTRACE_CALL_PID, "pid" },
	{ FTRACE_CALL_REGS, "regs" },
	{ FTRACE_CALL_REDIRECT, "redirect" },
	{ FTRACE_CALL_IPMODIFY, "ipmodify" },
	{ FTRACE_CALL_GRAPH, "graph" },
	{ FTRACE_CALL_DIRECT, "direct" },
};

static void show_flags(struct seq_file *m, unsigned int flags)
{
	const char *between = "";
	int i;

	if (!flags)
		seq_putc(m, '-');
	for (i = 0; i < ARRAY_SIZE(flag_names); i++) {
		if (!(flags & flag_names[i].flag))
			continue;
		seq_printf(m, "%s%s", between, flag_names[i].name);
		between = ",";
	}
}

/**
 * ftrace_show_hooks - the rest of a line of the file hooks
 * @m:    where to; the function's name stands there already
 * @site: the site
 *
 * Context: ftrace_lock is held.
 */
void ftrace_show_hooks(struct seq_file *m, const struct ftrace_site *site)
{
	struct ftrace_counts *counts = ftrace_chain_counts(site->chain);
	unsigned int i;

	for (i = 0; i < site->chain->nr; i++) {
		const struct ftrace_call *call = &site->chain->call[i];

		if (call->flags & FTRACE_CALL_GONE)
			continue;
		seq_printf(m, "\t%ps ", (void *)call->func);
		show_flags(m, call->flags);
		if (counts)
			seq_printf(m, " %llu",
				   ftrace_counter_read(counts->of[i]));
	}
	seq_putc(m, '\n');
}

static ssize_t counting_read(struct file *file, char __user *buf, size_t count,
			     loff_t *pos)
{
	char text[] = "0\n";

	if (READ_ONCE(ftrace_counting))
		text[0] = '1';
	return simple_read_from_buffer(buf, count, pos, text, 2);
}

static ssize_t counting_write(struct file *file, const char __user *buf,
			      size_t count, loff_t *pos)
{
	bool on;
	int ret;

	ret = kstrtobool_from_user(buf, count, &on);
	if (!ret)
		ret = ftrace_count_hits(on);
	return ret ?: count;
}

static const struct file_operations counting_fops = {
	.open	= tracing_open_generic,
	.read	= counting_read,
	.write	= counting_write,
	.llseek	= default_llseek,
};

/**
 * ftrace_create_hooks_files - create the switch for counting hits
 * @dir: the top directory
 */
void ftrace_create_hooks_files(struct dentry *dir)
{
	trace_create_file("hooks_counting", TRACE_MODE_WRITE, dir, NULL,
			  &counting_fops);
}
