// SPDX-License-Identifier: GPL-2.0
/*
 * Files that list functions, one a line:
 *
 *	available_filter_functions	all that can be hooked
 *	available_filter_functions_addrs	… each behind its site's address
 *	enabled_functions		those hooked now, and by whom
 *	touched_functions		those hooked at any time since boot
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
	bool		details;
};

static bool any_site(const struct ftrace_site *site)
{
	return true;
}

static bool hooked_site(const struct ftrace_site *site)
{
	return site->chain;
}

static bool touched_site(const struct ftrace_site *site)
{
	return site->flags & FTRACE_SITE_TOUCHED;
}

static const struct listing listings[] = {
	{ "available_filter_functions", any_site },
	{ "available_filter_functions_addrs", any_site, .addresses = true },
	{ "enabled_functions", hooked_site, .details = true },
	{ "touched_functions", touched_site, .details = true },
};

/* State of an open listing; the site of the position is remembered. */
struct reader {
	const struct listing		*list;
	struct ftrace_site_table	*table;
	char				name[FTRACE_SITE_NAME_LEN];
};

static struct ftrace_site *first_shown(struct reader *reader,
				       struct ftrace_site *site, loff_t *pos)
{
	while (site && !reader->list->shows(site)) {
		++*pos;
		if (++site < reader->table->site + reader->table->nr)
			continue;
		reader->table = list_next_entry(reader->table, list);
		site = list_entry_is_head(reader->table, &ftrace_site_tables,
					  list) ? NULL : reader->table->site;
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
	return first_shown(reader, site, pos);
}

static void *listing_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct reader *reader = m->private;
	struct ftrace_site *site = v;

	++*pos;
	if (++site == reader->table->site + reader->table->nr) {
		reader->table = list_next_entry(reader->table, list);
		if (list_entry_is_head(reader->table, &ftrace_site_tables, list))
			return NULL;
		site = reader->table->site;
	}
	return first_shown(reader, site, pos);
}

static void listing_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&ftrace_lock);
}

static int listing_show(struct seq_file *m, void *v)
{
	struct reader *reader = m->private;
	struct ftrace_site *site = v;

	if (reader->list->addresses)
		seq_printf(m, "%lx ", site->ip);
	ftrace_site_name(site, reader->name);
	seq_puts(m, reader->name);
	if (reader->list->details)
		ftrace_site_describe(m, site);
	else
		seq_putc(m, '\n');
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
