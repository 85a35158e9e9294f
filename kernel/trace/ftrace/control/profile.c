// SPDX-License-Identifier: GPL-2.0
/*
 * The function profiler: function_profile_enabled, trace_stat/function<N>.
 *
 * Counts the calls of each function on each CPU, and with the graph tracer
 * also measures them.  Follows the top trace array's filter.  All memory is
 * allocated when it is switched on; functions that come later, with modules,
 * are counted while there are entries left.
 *
 * An entry is only written by its CPU, with interrupts off; what interrupts
 * even that (NMI) goes uncounted.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "../../trace_stat.h"
#include "control.h"

#define SPARE_ENTRIES	1024

struct profile_entry {
	struct hlist_node	node;
	unsigned long		ip;
	unsigned long		hits;
	unsigned long long	time;
	unsigned long long	time_squared;
};

struct profile_cpu {
	struct profile_entry	*entries;
	struct hlist_head	*buckets;
	unsigned int		bits;
	unsigned int		used;
	unsigned int		max;
	int			busy;
	struct tracer_stat	stat;
};

static DEFINE_PER_CPU(struct profile_cpu, profile_cpu);
static DEFINE_MUTEX(profile_lock);
static bool profile_enabled;

/* ---- Counting --------------------------------------------------------- */

static struct profile_entry *entry_of(struct profile_cpu *pc, unsigned long ip)
{
	struct hlist_head *bucket = &pc->buckets[hash_long(ip, pc->bits)];
	struct profile_entry *entry;

	hlist_for_each_entry_rcu_notrace(entry, bucket, node) {
		if (entry->ip == ip)
			return entry;
	}
	if (pc->used == pc->max)
		return NULL;
	entry = &pc->entries[pc->used++];
	entry->ip = ip;
	hlist_add_head_rcu(&entry->node, bucket);
	return entry;
}

static void count(unsigned long ip, unsigned long long time)
{
	struct profile_cpu *pc;
	struct profile_entry *entry;
	unsigned long flags;

	local_irq_save(flags);
	pc = this_cpu_ptr(&profile_cpu);
	if (pc->busy++ == 0 && READ_ONCE(profile_enabled)) {
		entry = entry_of(pc, ip);
		if (entry) {
			entry->hits++;
			entry->time += time;
			entry->time_squared += time * time;
		}
	}
	pc->busy--;
	local_irq_restore(flags);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

static bool graph_time = true;

/**
 * ftrace_graph_graph_time_control - whether the time of callees is counted
 * @enable: whether it is
 */
void ftrace_graph_graph_time_control(bool enable)
{
	graph_time = enable;
}

static int profile_entry(struct ftrace_graph_ent *trace,
			 struct fgraph_ops *gops)
{
	struct ftrace_ret_stack *frame;
	unsigned long long *began;

	began = fgraph_reserve_data(gops->idx, sizeof(*began));
	if (!began)
		return 0;
	frame = ftrace_graph_get_ret_stack(current, 0);
	if (frame)
		frame->subtime = 0;
	*began = trace_clock_local();
	return 1;
}

static void profile_return(struct ftrace_graph_ret *trace,
			   struct fgraph_ops *gops)
{
	unsigned long long *began = fgraph_retrieve_data(gops->idx, NULL);
	struct ftrace_ret_stack *frame;
	unsigned long long time;

	if (!began)
		return;
	time = trace_clock_local() - *began;
	if (!graph_time) {
		unsigned long long whole = time;

		frame = ftrace_graph_get_ret_stack(current, 0);
		if (frame)
			time -= min(time, frame->subtime);
		frame = ftrace_graph_get_ret_stack(current, 1);
		if (frame)
			frame->subtime += whole;
	}
	count(trace->func, time);
}

static struct fgraph_ops profile_ops = {
	.entryfunc	= profile_entry,
	.retfunc	= profile_return,
};

static int attach(void)
{
	ftrace_ops_set_global_filter(&profile_ops.ops);
	return register_ftrace_graph(&profile_ops);
}

static void detach(void)
{
	unregister_ftrace_graph(&profile_ops);
}

#else

static void profile_call(unsigned long ip, unsigned long parent_ip,
			 struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	count(ip, 0);
}

static struct ftrace_ops profile_ops = { .func = profile_call };

static int attach(void)
{
	ftrace_ops_set_global_filter(&profile_ops);
	return register_ftrace_function(&profile_ops);
}

static void detach(void)
{
	unregister_ftrace_function(&profile_ops);
}

#endif /* CONFIG_FUNCTION_GRAPH_TRACER */

/* ---- Switching -------------------------------------------------------- */

/*
 * Entries are never freed: who reads trace_stat may hold on to some.  Made
 * once, with room for what there is, and cleared whenever counting begins.
 */
static int clear_counts(struct profile_cpu *pc)
{
	unsigned int max = ftrace_update_tot_cnt + SPARE_ENTRIES;

	if (pc->entries) {
		pc->used = 0;
		memset(pc->buckets, 0, sizeof(*pc->buckets) << pc->bits);
		memset(pc->entries, 0, pc->max * sizeof(*pc->entries));
		return 0;
	}

	pc->bits = ilog2(max);
	pc->buckets = kvcalloc(1UL << pc->bits, sizeof(*pc->buckets),
			       GFP_KERNEL);
	if (!pc->buckets)
		return -ENOMEM;
	pc->entries = kvcalloc(max, sizeof(*pc->entries), GFP_KERNEL);
	if (!pc->entries) {
		kvfree(pc->buckets);
		return -ENOMEM;
	}
	pc->max = max;
	return 0;
}

static int switch_on(void)
{
	int cpu, ret;

	for_each_possible_cpu(cpu) {
		ret = clear_counts(per_cpu_ptr(&profile_cpu, cpu));
		if (ret)
			return ret;
	}
	WRITE_ONCE(profile_enabled, true);
	ret = attach();
	if (ret)
		WRITE_ONCE(profile_enabled, false);
	return ret;
}

static void switch_off(void)
{
	WRITE_ONCE(profile_enabled, false);
	detach();
}

static ssize_t enabled_write(struct file *file, const char __user *ubuf,
			     size_t cnt, loff_t *ppos)
{
	unsigned long value;
	int ret;

	ret = kstrtoul_from_user(ubuf, cnt, 10, &value);
	if (ret)
		return ret;

	mutex_lock(&profile_lock);
	if (!!value != profile_enabled) {
		if (value)
			ret = switch_on();
		else
			switch_off();
	}
	mutex_unlock(&profile_lock);
	if (ret)
		return ret;
	*ppos += cnt;
	return cnt;
}

static ssize_t enabled_read(struct file *file, char __user *ubuf, size_t cnt,
			    loff_t *ppos)
{
	char text[4];
	int len = scnprintf(text, sizeof(text), "%u\n", profile_enabled);

	return simple_read_from_buffer(ubuf, cnt, ppos, text, len);
}

static const struct file_operations enabled_fops = {
	.open		= tracing_open_generic,
	.read		= enabled_read,
	.write		= enabled_write,
	.llseek		= default_llseek,
};

/* ---- Showing ---------------------------------------------------------- */

static void *stat_start(struct tracer_stat *stat)
{
	struct profile_cpu *pc = container_of(stat, struct profile_cpu, stat);

	return pc->used ? pc->entries : NULL;
}

static void *stat_next(void *prev, int idx)
{
	struct profile_entry *entry = prev;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct profile_cpu *pc = per_cpu_ptr(&profile_cpu, cpu);

		if (pc->entries && entry >= pc->entries &&
		    entry < pc->entries + pc->used)
			return idx < pc->used ? entry + 1 : NULL;
	}
	return NULL;
}

static int stat_cmp(const void *a, const void *b)
{
	const struct profile_entry *x = a, *y = b;

	if (IS_ENABLED(CONFIG_FUNCTION_GRAPH_TRACER) && x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->hits < y->hits ? -1 : x->hits > y->hits;
}

static int stat_headers(struct seq_file *m)
{
	if (IS_ENABLED(CONFIG_FUNCTION_GRAPH_TRACER)) {
		seq_puts(m, "  Function                               Hit    Time            Avg             s^2\n");
		seq_puts(m, "  --------                               ---    ----            ---             ---\n");
	} else {
		seq_puts(m, "  Function                               Hit\n");
		seq_puts(m, "  --------                               ---\n");
	}
	return 0;
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

/*
 * Sample variance, in square microseconds: (sum of squares - n * square of
 * mean) / (n - 1), which needs no number greater than the sum of squares.  To
 * a thousandth, as the one who prints it divides by 1000 once more.
 */
static unsigned long long variance(const struct profile_entry *entry)
{
	unsigned long long n = entry->hits, mean, spread;

	if (n < 2)
		return 0;
	mean = div64_ul(entry->time, n);
	spread = entry->time_squared - n * mean * mean;
	return div64_ul(div64_ul(spread, n - 1), NSEC_PER_USEC);
}

static bool below_threshold(const struct profile_entry *entry)
{
	return tracing_thresh &&
	       div64_ul(entry->time, entry->hits) < tracing_thresh;
}

static void show_times(struct seq_file *m, const struct profile_entry *entry)
{
	static struct trace_seq text;
	static DEFINE_MUTEX(text_lock);

	mutex_lock(&text_lock);
	trace_seq_init(&text);
	trace_seq_puts(&text, "    ");
	trace_print_graph_duration(entry->time, &text);
	trace_seq_puts(&text, "    ");
	trace_print_graph_duration(div64_ul(entry->time, entry->hits), &text);
	trace_seq_puts(&text, "    ");
	trace_print_graph_duration(variance(entry), &text);
	trace_print_seq(m, &text);
	mutex_unlock(&text_lock);
}

#else

static bool below_threshold(const struct profile_entry *entry)
{
	return false;
}

static void show_times(struct seq_file *m, const struct profile_entry *entry)
{
}

#endif

static int stat_show(struct seq_file *m, void *v)
{
	struct profile_entry *entry = v;
	char name[KSYM_SYMBOL_LEN];
	int ret = 0;

	mutex_lock(&profile_lock);
	if (!entry->hits) {
		ret = -EBUSY;
	} else if (!below_threshold(entry)) {
		kallsyms_lookup(entry->ip, NULL, NULL, NULL, name);
		seq_printf(m, "  %-30.30s  %10lu", name, entry->hits);
		show_times(m, entry);
		seq_putc(m, '\n');
	}
	mutex_unlock(&profile_lock);
	return ret;
}

static void register_stat(int cpu)
{
	struct tracer_stat *stat = &per_cpu_ptr(&profile_cpu, cpu)->stat;

	*stat = (struct tracer_stat){
		.name		= kasprintf(GFP_KERNEL, "function%d", cpu),
		.stat_start	= stat_start,
		.stat_next	= stat_next,
		.stat_cmp	= stat_cmp,
		.stat_headers	= stat_headers,
		.stat_show	= stat_show,
	};
	if (!stat->name || register_stat_tracer(stat))
		pr_warn("no trace_stat file for CPU %d\n", cpu);
}

/**
 * ftrace_create_profile_files - create the profiler's files
 * @dir: the top directory
 */
void ftrace_create_profile_files(struct dentry *dir)
{
	int cpu;

	for_each_possible_cpu(cpu)
		register_stat(cpu);
	trace_create_file("function_profile_enabled", TRACE_MODE_WRITE, dir,
			  NULL, &enabled_fops);
}
