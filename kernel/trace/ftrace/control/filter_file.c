// SPDX-License-Identifier: GPL-2.0
/*
 * set_ftrace_filter and set_ftrace_notrace, of the top directory and of
 * instances, and filter files that tracers have of their own.
 *
 * Opening makes a copy of the list, writing edits the copy, word by word, and
 * closing puts it in force, in one step.  Commands ("function:command:param")
 * act at once.  A word is one of
 *
 *	[!]glob			functions by name
 *	[!]number		the function on that line of
 *				available_filter_functions
 *	[!]glob:mod:[!]glob	those of modules; remembered for a module that
 *				is not loaded
 *	[!]glob:command[:param]	see commands.c
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/ctype.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "control.h"

/*
 * An open file.  @lock serialises writers through one descriptor; @waiting are
 * the filters written that wait for a module.
 */
struct filter_file {
	struct trace_array		*tr;
	struct ftrace_ops		*ops;
	enum ftrace_list		which;
	struct mutex			lock;	/* see above */
	struct ftrace_set		*set;
	struct list_head		waiting;
	bool				changed;
	struct trace_parser		parser;
	struct ftrace_site_table	*table;
	char				name[FTRACE_SITE_NAME_LEN];
};

static struct filter_file *filter_file_of(struct file *file)
{
	if (file->f_mode & FMODE_READ) {
		struct seq_file *m = file->private_data;

		return m->private;
	}
	return file->private_data;
}

/* ---- Reading ---------------------------------------------------------- */

/* Positions: 0 the line for "nothing named", then each site, then the rest. */
#define FIRST_LINE	((void *)1)
#define LAST_LINES	((void *)2)

static bool nothing_named(const struct filter_file *ff)
{
	return !ff->set ||
	       (ff->which == FTRACE_LIST_NOTRACE && !ff->set->nr);
}

static void *next_named(struct filter_file *ff, struct ftrace_site *site,
			loff_t *pos)
{
	while (!ftrace_set_has(ff->set, site->ip)) {
		++*pos;
		if (++site < ff->table->site + ff->table->nr)
			continue;
		ff->table = list_next_entry(ff->table, list);
		if (list_entry_is_head(ff->table, &ftrace_site_tables, list))
			return LAST_LINES;
		site = ff->table->site;
	}
	return site;
}

static void *at_position(struct filter_file *ff, loff_t *pos)
{
	struct ftrace_site *site;

	if (!*pos)
		return FIRST_LINE;
	site = ftrace_site_by_index(*pos);
	if (site) {
		ff->table = ftrace_site_table_of(site);
		return next_named(ff, site, pos);
	}
	/* The position right behind the sites is of the last lines. */
	return *pos == 1 || ftrace_site_by_index(*pos - 1) ? LAST_LINES : NULL;
}

static void *filter_start(struct seq_file *m, loff_t *pos)
{
	struct filter_file *ff = m->private;

	mutex_lock(&ff->lock);
	mutex_lock(&ftrace_lock);
	return at_position(ff, pos);
}

static void *filter_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return v == LAST_LINES ? NULL : at_position(m->private, pos);
}

static void filter_stop(struct seq_file *m, void *v)
{
	struct filter_file *ff = m->private;

	mutex_unlock(&ftrace_lock);
	mutex_unlock(&ff->lock);
}

static int filter_show(struct seq_file *m, void *v)
{
	struct filter_file *ff = m->private;

	if (v == FIRST_LINE) {
		if (nothing_named(ff))
			seq_puts(m, ff->which == FTRACE_LIST_FILTER ?
				 "#### all functions enabled ####\n" :
				 "#### no functions disabled ####\n");
	} else if (v == LAST_LINES) {
		if (!ff->tr)
			return 0;
		ftrace_mod_cache_show(m, ff->tr, ff->which);
		if (ff->which == FTRACE_LIST_FILTER)
			ftrace_show_probes(m, ff->tr);
	} else {
		ftrace_site_name(v, ff->name);
		seq_puts(m, ff->name);
		seq_putc(m, '\n');
	}
	return 0;
}

static const struct seq_operations filter_seq_ops = {
	.start	= filter_start,
	.next	= filter_next,
	.stop	= filter_stop,
	.show	= filter_show,
};

/* ---- Writing ---------------------------------------------------------- */

/* Whether a module pattern names one module, that may be waited for. */
static bool names_one_module(const char *module)
{
	return *module && !strpbrk(module, "*?[!\\");
}

/* A list whose last entry is removed by name is not set any more. */
static void unset_if_empty(struct filter_file *ff)
{
	if (!ff->set || ff->set->nr)
		return;
	ftrace_set_free(ff->set);
	ff->set = NULL;
}

static int edit_pattern(struct filter_file *ff, const char *func,
			const char *module)
{
	unsigned int before = ff->set ? ff->set->nr : 0;
	struct ftrace_pattern pat;
	int ret;

	ret = ftrace_pattern_parse(&pat, func, strlen(func), module);
	if (ret)
		return ret;
	ret = ftrace_set_apply_pattern(&ff->set, &pat);
	ftrace_pattern_free(&pat);
	if (before)
		unset_if_empty(ff);
	if (ret > 0)
		ff->changed = true;
	return ret;
}

static int edit_waiting(struct filter_file *ff, const char *func,
			const char *module)
{
	int ret;

	if (*func == '!')
		ret = ftrace_mod_cache_remove(ff->tr, &ff->waiting, func + 1,
					      module, ff->which);
	else
		ret = ftrace_mod_cache_add(&ff->waiting, func, module,
					   ff->which);
	if (ret)
		return ret;
	if (*func == '!')
		unset_if_empty(ff);
	ff->changed = true;
	return 1;
}

static int edit_module(struct filter_file *ff, const char *func,
		       const char *module)
{
	int ret = edit_pattern(ff, func, module ?: "");
	bool known;

	if (ret || !module || !names_one_module(module) || !ff->tr)
		return ret;
	mutex_lock(&ftrace_lock);
	known = ftrace_module_is_known(module);
	mutex_unlock(&ftrace_lock);
	/* It may be since the pattern was tried. */
	return known ? edit_pattern(ff, func, module) :
	       edit_waiting(ff, func, module);
}

static int take_word(struct filter_file *ff, char *word)
{
	char *func = strsep(&word, ":"), *command = strsep(&word, ":");
	int ret;

	if (!command)
		ret = edit_pattern(ff, func, NULL);
	else if (!strcmp(command, "mod"))
		ret = edit_module(ff, func, word);
	else
		return ftrace_run_command(ff->tr, func, command, word,
					  ff->which == FTRACE_LIST_FILTER);
	if (ret > 0)
		return 0;
	return ret ?: -EINVAL;
}

/**
 * ftrace_filter_write - write to a filter file
 * @file: the file, opened by ftrace_regex_open()
 * @ubuf: words
 * @cnt:  bytes of them
 * @ppos: position, not looked at
 *
 * Context: process, may sleep.
 * Return: bytes taken; -EINVAL for a word that matches nothing or is no
 * command; what the command returned; -ENOMEM; -EFAULT.
 */
ssize_t ftrace_filter_write(struct file *file, const char __user *ubuf,
			    size_t cnt, loff_t *ppos)
{
	struct filter_file *ff = filter_file_of(file);
	ssize_t read;
	int ret = 0;

	if (!cnt)
		return 0;
	mutex_lock(&ff->lock);
	read = trace_get_user(&ff->parser, ubuf, cnt, ppos);
	if (read < 0) {
		ftrace_parser_restart(&ff->parser);
	} else if (trace_parser_loaded(&ff->parser) &&
		   !trace_parser_cont(&ff->parser)) {
		ret = take_word(ff, ff->parser.buffer);
		trace_parser_clear(&ff->parser);
	}
	mutex_unlock(&ff->lock);
	return ret ?: read;
}

/* What is put in force: see struct ftrace_set for NULL and for empty. */
static struct ftrace_set *final_set(struct filter_file *ff)
{
	bool waited = !list_empty(&ff->waiting);
	struct ftrace_set *set;

	if (waited && ftrace_mod_cache_adopt(ff->tr, ff->which, &ff->waiting,
					     &ff->set))
		return ERR_PTR(-ENOMEM);
	set = ff->set;
	ff->set = NULL;
	if (set || ff->which != FTRACE_LIST_FILTER || !ff->tr ||
	    !(waited || ftrace_mod_cache_any(ff->tr, ff->which)))
		return set;
	return ftrace_set_empty();
}

static void put_in_force(struct filter_file *ff)
{
	struct ftrace_set *set;

	mutex_lock(&ff->ops->func_hash->regex_lock);
	set = final_set(ff);
	if (!IS_ERR(set) && ftrace_ops_set_list(ff->ops, ff->which, set))
		ftrace_set_free(set);
	mutex_unlock(&ff->ops->func_hash->regex_lock);
}

/* ---- Opening and closing ---------------------------------------------- */

static void free_filter_file(struct filter_file *ff)
{
	trace_parser_put(&ff->parser);
	ftrace_mod_cache_free(&ff->waiting);
	ftrace_set_free(ff->set);
	kfree(ff);
}

static int copy_list(struct filter_file *ff, struct file *file)
{
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		ff->changed = true;
		if (ff->tr)
			ftrace_mod_cache_clear(ff->tr, ff->which);
		return 0;
	}
	ff->set = ftrace_ops_copy_list(ff->ops, ff->which);
	if (!IS_ERR(ff->set))
		return 0;
	ff->set = NULL;
	return -ENOMEM;
}

static struct filter_file *make_filter_file(struct trace_array *tr,
					    struct ftrace_ops *ops,
					    enum ftrace_list which,
					    struct file *file)
{
	struct filter_file *ff = kzalloc(sizeof(*ff), GFP_KERNEL);

	if (!ff)
		return ERR_PTR(-ENOMEM);
	ff->tr = tr;
	ff->ops = ops;
	ff->which = which;
	mutex_init(&ff->lock);
	INIT_LIST_HEAD(&ff->waiting);
	if (trace_parser_get_init(&ff->parser, FTRACE_WORD_MAX) ||
	    copy_list(ff, file)) {
		free_filter_file(ff);
		return ERR_PTR(-ENOMEM);
	}
	return ff;
}

static int open_filter_file(struct trace_array *tr, struct ftrace_ops *ops,
			    enum ftrace_list which, struct file *file)
{
	struct filter_file *ff;
	int ret;

	ftrace_ops_init(ops);
	ret = tr ? 0 : ftrace_ops_remember(ops);
	if (ret)
		return ret;
	ff = make_filter_file(tr, ops, which, file);
	if (IS_ERR(ff))
		return PTR_ERR(ff);

	if (!(file->f_mode & FMODE_READ)) {
		file->private_data = ff;
		return 0;
	}
	ret = seq_open(file, &filter_seq_ops);
	if (ret)
		free_filter_file(ff);
	else
		((struct seq_file *)file->private_data)->private = ff;
	return ret;
}

/**
 * ftrace_regex_open - open a filter file
 * @tr:    its trace array, of which a reference is taken; NULL for none
 * @ops:   the ops whose list it is; NULL: that of @tr, or global_ops
 * @flag:  FTRACE_ITER_FILTER or FTRACE_ITER_NOTRACE
 * @inode: the file's
 * @file:  the file
 *
 * Context: process, may sleep.
 * Return: 0; -ENODEV where tracing is off for good or the trace array is gone;
 * -EPERM where tracefs is locked down; -ENOMEM.
 */
int ftrace_regex_open(struct trace_array *tr, struct ftrace_ops *ops, int flag,
		      struct inode *inode, struct file *file)
{
	int ret;

	if (ftrace_is_dead())
		return -ENODEV;
	ret = tr ? tracing_check_open_get_tr(tr) :
	      security_locked_down(LOCKDOWN_TRACEFS);
	if (ret)
		return ret;

	/* Only now is it certain that @tr is there. */
	if (!ops)
		ops = tr ? tr->ops : &global_ops;
	ret = open_filter_file(tr, ops,
			       flag & FTRACE_ITER_NOTRACE ?
			       FTRACE_LIST_NOTRACE : FTRACE_LIST_FILTER, file);
	if (ret && tr)
		trace_array_put(tr);
	return ret;
}

/**
 * ftrace_regex_release - close a filter file and put what was written in force
 * @inode: the file's
 * @file:  the file
 *
 * Context: process, may sleep.
 * Return: 0
 */
int ftrace_regex_release(struct inode *inode, struct file *file)
{
	struct filter_file *ff = filter_file_of(file);
	struct trace_array *tr = ff->tr;

	if (file->f_mode & FMODE_WRITE) {
		/* A last word without white space behind it. */
		if (trace_parser_loaded(&ff->parser))
			take_word(ff, ff->parser.buffer);
		if (ff->changed)
			put_in_force(ff);
	}
	if (file->f_mode & FMODE_READ)
		seq_release(inode, file);
	free_filter_file(ff);
	if (tr)
		trace_array_put(tr);
	return 0;
}

static int filter_open(struct inode *inode, struct file *file)
{
	return ftrace_regex_open(inode->i_private, NULL, FTRACE_ITER_FILTER,
				 inode, file);
}

static int notrace_open(struct inode *inode, struct file *file)
{
	return ftrace_regex_open(inode->i_private, NULL, FTRACE_ITER_NOTRACE,
				 inode, file);
}

static const struct file_operations filter_fops = {
	.open		= filter_open,
	.read		= seq_read,
	.write		= ftrace_filter_write,
	.llseek		= tracing_lseek,
	.release	= ftrace_regex_release,
};

static const struct file_operations notrace_fops = {
	.open		= notrace_open,
	.read		= seq_read,
	.write		= ftrace_filter_write,
	.llseek		= tracing_lseek,
	.release	= ftrace_regex_release,
};

/**
 * ftrace_create_filter_file - create one of the filter files
 * @name:  its name
 * @mode:  its mode
 * @tr:    the trace array
 * @dir:   its directory
 * @which: which list of the trace array's ops it is
 */
void ftrace_create_filter_file(const char *name, umode_t mode,
			       struct trace_array *tr, struct dentry *dir,
			       enum ftrace_list which)
{
	trace_create_file(name, mode, dir, tr, which == FTRACE_LIST_FILTER ?
			  &filter_fops : &notrace_fops);
}
