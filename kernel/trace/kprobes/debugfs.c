// SPDX-License-Identifier: GPL-2.0
/*
 * debugfs kprobes/:
 *
 *	list		one line a probe: address, k or r, symbol+offset, module,
 *			and what is special about it
 *	enabled		0 disarms all, 1 arms those that are enabled
 *	blacklist	where no probe may be
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/debugfs.h>
#include <linux/kallsyms.h>
#include <linux/seq_file.h>

#include "internal.h"

/* Whether there is a jump, or will be one, is to be seen without waiting. */
static void *list_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&kprobe_lock);
	kprobe_opt_decide();
	return seq_list_start(&kprobe_members, *pos);
}

static void *list_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &kprobe_members, pos);
}

static void list_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&kprobe_lock);
}

static void show_place(struct seq_file *m, const struct kprobe_member *member)
{
	bool values = kallsyms_show_value(m->file->f_cred);
	unsigned long addr = values ? member->addr : 0;
	char kind = member->ret ? 'r' : 'k';
	char name[KSYM_NAME_LEN], *modname = NULL;
	unsigned long size, offset;

	if (kallsyms_lookup(member->addr, &size, &offset, &modname, name))
		seq_printf(m, "%016lx  %c  %s+0x%lx  %s ", addr, kind, name, offset,
			   modname ?: " ");
	else
		seq_printf(m, "%016lx  %c  %pS ", addr, kind,
			   (void *)addr);
}

static int list_show(struct seq_file *m, void *v)
{
	struct kprobe_member *member = list_entry(v, struct kprobe_member, list);
	struct kprobe_point *point = member->point;

	show_place(m, member);
	seq_printf(m, "%s%s%s%s\n", member->gone ? "[GONE]" : "",
		   member->disabled && !member->gone ? "[DISABLED]" : "",
		   point && (point->detour || point->coming) ? "[OPTIMIZED]" : "",
		   member->ops ? "[FTRACE]" : "");
	return 0;
}

static const struct seq_operations list_sops = {
	.start	= list_start,
	.next	= list_next,
	.stop	= list_stop,
	.show	= list_show,
};
DEFINE_SEQ_ATTRIBUTE(list);

static int blacklist_show(struct seq_file *m, void *v)
{
	kprobe_blacklist_show(m, kallsyms_show_value(m->file->f_cred));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(blacklist);

static ssize_t enabled_read(struct file *file, char __user *buf, size_t count,
			    loff_t *pos)
{
	return simple_read_from_buffer(buf, count, pos,
				       READ_ONCE(kprobes_on) ? "1\n" : "0\n", 2);
}

static ssize_t enabled_write(struct file *file, const char __user *buf,
			     size_t count, loff_t *pos)
{
	unsigned int failed;
	bool on;
	int ret;

	ret = kstrtobool_from_user(buf, count, &on);
	if (ret)
		return ret;
	if (on == READ_ONCE(kprobes_on))
		return count;
	failed = kprobe_set_all(on);
	if (failed)
		pr_warn("failed to %s %u probes\n", on ? "arm" : "disarm", failed);
	else
		pr_info("Kprobes globally %s\n", on ? "enabled" : "disabled");
	return failed ? -ENOMEM : count;
}

static const struct file_operations enabled_fops = {
	.read	= enabled_read,
	.write	= enabled_write,
	.llseek	= default_llseek,
};

static int __init create_files(void)
{
	struct dentry *dir = debugfs_create_dir("kprobes", NULL);

	debugfs_create_file("list", 0400, dir, NULL, &list_fops);
	debugfs_create_file("enabled", 0600, dir, NULL, &enabled_fops);
	debugfs_create_file("blacklist", 0400, dir, NULL, &blacklist_fops);
	return 0;
}
late_initcall(create_files);
