// SPDX-License-Identifier: GPL-2.0
/*
 * Files that list functions, one a line:
 *
 *	available_filter_functions	all that can be hooked
 *	available_filter_functions_addrs	… each behind its site's address
 *	enabled_functions		those hooked now, and by whom
 *	touched_functions		those hooked at any time since boot
 *	hooks				those hooked now, and each callback, in
 *					the order called; see hooks.c
 *
 * ftrace_lock is held while a chunk is made; between chunks sites may come and
 * go, and the position counts sites.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/fs.h>
#include <linux/security.h>
#include <linux/seq_file.h>

#include "control.h"

struct listing {
	const char	*name;
	bool		(*shows)(const struct ftrace_site *site);
	bool		addresses;
	void		(*describe)(struct seq_file *m,
				    const struct ftrace_site *site);
};

static bool any_site(const struct ftrace_site *site)
{
	return true;
}

static bool hooked_site(const struct ftrace_site *site)
{
	return ftrace_chain_calls(site->chain);
}

static bool touched_site(const struct ftrace_site *site)
{
	return site->flags & FTRACE_SITE_TOUCHED;
}

static const struct listing listings[] = {
	{ "available_filter_functions", any_site },
	{ "available_filter_functions_addrs", any_site, .addresses = true },
	{ "enabled_functions", hooked_site, .describe = ftrace_site_describe },
	{ "touched_functions", touched_site, .describe = ftrace_site_describe },
	{ "hooks", hooked_site, .addresses = true,
	  .describe = ftrace_show_hooks },
};

/**
 * struct reader - state of an open listing
 * @list:  which one
 * @table: of the site at the position
 * @next:  the site at which the next record begins, or NULL
 * @pos:   its position
 * @names: where in the table's names we are
 */
struct reader {
	const struct listing		*list;
	struct ftrace_site_table	*table;
	struct ftrace_site		*next;
	loff_t				pos;
	struct ftrace_names		names;
};

/* The site behind one, or NULL. */
static struct ftrace_site *site_behind(struct reader *reader,
				       struct ftrace_site *site)
{
	if (++site < reader->table->site + reader->table->nr)
		return site;
	reader->names.valid = false;
	reader->table = list_next_entry(reader->table, list);
	if (list_entry_is_head(reader->table, &ftrace_site_tables, list))
		return NULL;
	return reader->table->site;
}

static struct ftrace_site *first_shown(struct reader *reader,
				       struct ftrace_site *site, loff_t *pos)
{
	while (site && !reader->list->shows(site)) {
		++*pos;
		site = site_behind(reader, site);
	}
	return site;
}

static void *listing_start(struct seq_file *m, loff_t *pos)
{
	struct reader *reader = m->private;
	struct ftrace_site *site;

	mutex_lock(&ftrace_lock);
	site = ftrace_site_by_index(*pos + 1);
	if (!site)
		return NULL;
	reader->table = ftrace_site_table_of(site);
	reader->names.valid = false;
	return first_shown(reader, site, pos);
}

static void *listing_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct reader *reader = m->private;

	*pos = reader->pos;
	return reader->next;
}

static void listing_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&ftrace_lock);
}

/* As many lines as there is room for, straight into the buffer. */
static struct ftrace_site *show_names(struct seq_file *m, struct reader *reader,
				      struct ftrace_site *site)
{
	size_t room, used = 0;
	char *buf;

	room = seq_get_buf(m, &buf);
	while (site && room - used > FTRACE_SITE_NAME_LEN) {
		used += ftrace_site_name_next(&reader->names, reader->table,
					      site, buf + used);
		buf[used++] = '\n';
		reader->pos++;
		site = site_behind(reader, site);
	}
	seq_commit(m, used ?: -1);
	return site;
}

static struct ftrace_site *show_details(struct seq_file *m,
					struct reader *reader,
					struct ftrace_site *site)
{
	char *buf;

	if (reader->list->addresses)
		seq_printf(m, "%lx ", site->ip);
	if (seq_get_buf(m, &buf) > FTRACE_SITE_NAME_LEN)
		seq_commit(m, ftrace_site_name(site, buf));
	else
		seq_commit(m, -1);
	if (reader->list->describe)
		reader->list->describe(m, site);
	else
		seq_putc(m, '\n');
	reader->pos++;
	return first_shown(reader, site_behind(reader, site), &reader->pos);
}

/*
 * A record is a site; of a listing with nothing but names, since it has tens
 * of thousands of them, as many as the buffer takes.
 */
static int listing_show(struct seq_file *m, void *v)
{
	struct reader *reader = m->private;

	reader->pos = m->index;
	if (reader->list->shows == any_site && !reader->list->addresses)
		reader->next = show_names(m, reader, v);
	else
		reader->next = show_details(m, reader, v);
	return 0;
}

static const struct seq_operations listing_ops = {
	.start	= listing_start,
	.next	= listing_next,
	.stop	= listing_stop,
	.show	= listing_show,
};

static int listing_open(struct inode *inode, struct file *file)
{
	struct reader *reader;
	int ret;

	ret = security_locked_down(LOCKDOWN_TRACEFS);
	if (ret)
		return ret;
	if (ftrace_is_dead())
		return -ENODEV;
	reader = __seq_open_private(file, &listing_ops, sizeof(*reader));
	if (!reader)
		return -ENOMEM;
	reader->list = inode->i_private;
	return 0;
}

static const struct file_operations listing_fops = {
	.open		= listing_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

/**
 * ftrace_create_listing_files - create the files that list functions
 * @dir: the top directory
 */
void ftrace_create_listing_files(struct dentry *dir)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(listings); i++)
		trace_create_file(listings[i].name, TRACE_MODE_READ, dir,
				  (void *)&listings[i], &listing_fops);
}
