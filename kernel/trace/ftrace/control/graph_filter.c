// SPDX-License-Identifier: GPL-2.0
/*
 * set_graph_function and set_graph_notrace: where the graph tracer begins, and
 * what it leaves out.
 *
 * The graph tracer knows the sets as struct ftrace_hash, of which it looks at
 * the count and asks ftrace_lookup_ip(); the addresses are in a struct
 * ftrace_set behind it.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/fs.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "control.h"

struct graph_filter {
	struct llist_node	retired;
	struct ftrace_hash	hash;
	struct ftrace_set	*set;
};

static struct graph_filter no_functions, no_exceptions;

struct ftrace_hash __rcu *ftrace_graph_hash =
	RCU_INITIALIZER(&no_functions.hash);
struct ftrace_hash __rcu *ftrace_graph_notrace_hash =
	RCU_INITIALIZER(&no_exceptions.hash);

static struct graph_filter *filter_of(struct ftrace_hash *hash)
{
	return container_of(hash, struct graph_filter, hash);
}

static struct ftrace_hash __rcu **hash_of(enum ftrace_list which)
{
	return which == FTRACE_LIST_FILTER ? &ftrace_graph_hash :
	       &ftrace_graph_notrace_hash;
}

static struct graph_filter *current_filter(enum ftrace_list which)
{
	return filter_of(rcu_dereference_protected(*hash_of(which),
				lockdep_is_held(&ftrace_lock)));
}

/**
 * ftrace_lookup_ip - whether a site is in one of the graph tracer's sets
 * @hash: the set, or NULL
 * @ip:   the site's address
 *
 * Context: any, with preemption off; on the hit path.
 * Return: non-NULL if it is.
 */
notrace struct ftrace_func_entry *
ftrace_lookup_ip(struct ftrace_hash *hash, unsigned long ip)
{
	if (!hash || !hash->count || !ftrace_set_has(filter_of(hash)->set, ip))
		return NULL;
	return (struct ftrace_func_entry *)filter_of(hash)->set;
}

static void replace_filter(enum ftrace_list which, struct graph_filter *new)
{
	struct graph_filter *old = current_filter(which);

	rcu_assign_pointer(*hash_of(which), &new->hash);
	if (old == &no_functions || old == &no_exceptions)
		return;
	if (old->set)
		ftrace_retire(&old->set->retired);
	ftrace_retire(&old->retired);
}

/* A set that is empty nevertheless names no function: unloading emptied it. */
static void fill_filter(struct graph_filter *filter, struct ftrace_set *set)
{
	filter->set = set;
	filter->hash.count = set ? set->nr : 0;
	if (set && !set->nr)
		filter->hash.flags = FTRACE_HASH_FL_MOD;
}

static struct ftrace_set *copy_current(enum ftrace_list which)
{
	struct ftrace_set *set;

	mutex_lock(&ftrace_lock);
	set = ftrace_set_copy(current_filter(which)->set);
	mutex_unlock(&ftrace_lock);
	return set;
}

/* Puts a set in force, which is then not the caller's any more. */
static int publish(enum ftrace_list which, struct ftrace_set *set)
{
	struct graph_filter *new = kzalloc(sizeof(*new), GFP_KERNEL);

	if (!new)
		return -ENOMEM;
	mutex_lock(&ftrace_lock);
	ftrace_set_drop_gone(set);
	fill_filter(new, set);
	replace_filter(which, new);
	mutex_unlock(&ftrace_lock);
	return 0;
}

/* A set whose last function is removed by name is not set any more. */
static int edit(struct ftrace_set **set, const char *func)
{
	unsigned int before = *set ? (*set)->nr : 0;
	struct ftrace_pattern pat;
	int ret;

	ret = ftrace_pattern_parse(&pat, func, strlen(func), NULL);
	if (ret)
		return ret;
	ret = ftrace_set_apply_pattern(set, &pat);
	ftrace_pattern_free(&pat);
	if (before && !(*set)->nr) {
		ftrace_set_free(*set);
		*set = NULL;
	}
	if (ret > 0)
		return 0;
	return ret ?: -EINVAL;
}

/**
 * ftrace_graph_add_early - add functions at boot
 * @which: which of the two sets
 * @func:  a pattern
 *
 * Context: boot.
 * Return: 0; -EINVAL where nothing matches; -ENOMEM.
 */
int __init ftrace_graph_add_early(enum ftrace_list which, const char *func)
{
	struct ftrace_set *set;
	int ret;

	set = copy_current(which);
	ret = IS_ERR(set) ? -ENOMEM : edit(&set, func);
	if (!ret)
		ret = publish(which, set);
	if (ret && !IS_ERR(set))
		ftrace_set_free(set);
	return ret;
}

/**
 * ftrace_graph_forget_range - take freed text out of the graph tracer's sets
 * @start: first address
 * @end:   the address behind the last
 *
 * Context: ftrace_lock is held; the sites are gone already; may sleep.
 */
void ftrace_graph_forget_range(unsigned long start, unsigned long end)
{
	struct graph_filter *new;
	enum ftrace_list which;
	struct ftrace_set *less;

	for (which = FTRACE_LIST_FILTER; which <= FTRACE_LIST_NOTRACE; which++) {
		less = ftrace_set_less_range(current_filter(which)->set, start,
					     end);
		if (!less)
			continue;
		new = kzalloc(sizeof(*new), GFP_KERNEL | __GFP_NOFAIL);
		fill_filter(new, less);
		replace_filter(which, new);
	}
}

/* ---- Files: a copy is edited, closing puts it in force ---------------- */

struct graph_file {
	enum ftrace_list	which;
	struct mutex		lock;	/* writers through one descriptor */
	struct ftrace_set	*set;
	bool			changed;
	struct trace_parser	parser;
};

static struct graph_file *graph_file_of(struct file *file)
{
	if (file->f_mode & FMODE_READ) {
		struct seq_file *m = file->private_data;

		return m->private;
	}
	return file->private_data;
}

#define NOTHING_LINE	((void *)1)

static void *at_position(struct graph_file *gf, loff_t pos)
{
	if (!gf->set)
		return pos ? NULL : NOTHING_LINE;
	return pos < gf->set->nr ? &gf->set->ip[pos] : NULL;
}

static void *graph_start(struct seq_file *m, loff_t *pos)
{
	struct graph_file *gf = m->private;

	mutex_lock(&gf->lock);
	return at_position(gf, *pos);
}

static void *graph_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return v == NOTHING_LINE ? NULL : at_position(m->private, *pos);
}

static void graph_stop(struct seq_file *m, void *v)
{
	struct graph_file *gf = m->private;

	mutex_unlock(&gf->lock);
}

static int graph_show(struct seq_file *m, void *v)
{
	struct graph_file *gf = m->private;
	unsigned long *ip = v;

	if (v != NOTHING_LINE)
		seq_printf(m, "%ps\n", (void *)*ip);
	else if (gf->which == FTRACE_LIST_FILTER)
		seq_puts(m, "#### all functions enabled ####\n");
	else
		seq_puts(m, "#### no functions disabled ####\n");
	return 0;
}

static const struct seq_operations graph_seq_ops = {
	.start	= graph_start,
	.next	= graph_next,
	.stop	= graph_stop,
	.show	= graph_show,
};

static void free_graph_file(struct graph_file *gf)
{
	trace_parser_put(&gf->parser);
	ftrace_set_free(gf->set);
	kfree(gf);
}

static int copy_set(struct graph_file *gf)
{
	gf->set = copy_current(gf->which);
	if (!IS_ERR(gf->set))
		return 0;
	gf->set = NULL;
	return -ENOMEM;
}

static struct graph_file *make_graph_file(enum ftrace_list which, bool empty)
{
	struct graph_file *gf = kzalloc(sizeof(*gf), GFP_KERNEL);

	if (!gf)
		return NULL;
	gf->which = which;
	gf->changed = empty;
	mutex_init(&gf->lock);
	if (trace_parser_get_init(&gf->parser, FTRACE_WORD_MAX) ||
	    (!empty && copy_set(gf))) {
		free_graph_file(gf);
		return NULL;
	}
	return gf;
}

static int graph_open(struct inode *inode, struct file *file)
{
	enum ftrace_list which = (unsigned long)inode->i_private;
	struct graph_file *gf;
	int ret;

	ret = security_locked_down(LOCKDOWN_TRACEFS);
	if (ret)
		return ret;
	if (ftrace_is_dead())
		return -ENODEV;
	gf = make_graph_file(which, (file->f_mode & FMODE_WRITE) &&
			     (file->f_flags & O_TRUNC));
	if (!gf)
		return -ENOMEM;
	if (!(file->f_mode & FMODE_READ)) {
		file->private_data = gf;
		return 0;
	}
	ret = seq_open(file, &graph_seq_ops);
	if (ret)
		free_graph_file(gf);
	else
		((struct seq_file *)file->private_data)->private = gf;
	return ret;
}

static int take_word(struct graph_file *gf)
{
	int ret = edit(&gf->set, gf->parser.buffer);

	trace_parser_clear(&gf->parser);
	if (!ret)
		gf->changed = true;
	return ret;
}

static ssize_t graph_write(struct file *file, const char __user *ubuf,
			   size_t cnt, loff_t *ppos)
{
	struct graph_file *gf = graph_file_of(file);
	ssize_t read;
	int ret = 0;

	if (!cnt)
		return 0;
	mutex_lock(&gf->lock);
	read = trace_get_user(&gf->parser, ubuf, cnt, ppos);
	if (read < 0)
		ftrace_parser_restart(&gf->parser);
	else if (trace_parser_loaded(&gf->parser) &&
		 !trace_parser_cont(&gf->parser))
		ret = take_word(gf);
	mutex_unlock(&gf->lock);
	return ret ?: read;
}

static void put_in_force(struct graph_file *gf)
{
	if (!publish(gf->which, gf->set))
		gf->set = NULL;
}

static int graph_release(struct inode *inode, struct file *file)
{
	struct graph_file *gf = graph_file_of(file);

	if (file->f_mode & FMODE_WRITE) {
		if (trace_parser_loaded(&gf->parser))
			take_word(gf);
		if (gf->changed)
			put_in_force(gf);
	}
	if (file->f_mode & FMODE_READ)
		seq_release(inode, file);
	free_graph_file(gf);
	return 0;
}

static const struct file_operations graph_fops = {
	.open		= graph_open,
	.read		= seq_read,
	.write		= graph_write,
	.llseek		= tracing_lseek,
	.release	= graph_release,
};

/**
 * ftrace_create_graph_files - create the graph tracer's filter files
 * @dir: the top directory
 */
void ftrace_create_graph_files(struct dentry *dir)
{
	trace_create_file("set_graph_function", TRACE_MODE_WRITE, dir,
			  (void *)FTRACE_LIST_FILTER, &graph_fops);
	trace_create_file("set_graph_notrace", TRACE_MODE_WRITE, dir,
			  (void *)FTRACE_LIST_NOTRACE, &graph_fops);
}
