// SPDX-License-Identifier: GPL-2.0
/*
 * set_ftrace_pid and set_ftrace_notrace_pid: for which tasks the callbacks of
 * a trace array are called.
 *
 * Whether the current task counts is decided when it is switched in and kept
 * in the trace array's per-CPU data: FTRACE_PID_IGNORE, FTRACE_PID_TRACE
 * (there are no lists), or the task's pid.  In the middle of a switch the pid
 * is not current's, and no call is made.
 *
 * While an array has lists, calls of its ops have a guard that looks there.
 * Lists change under pids_lock and ftrace_lock; the tracepoints read them with
 * preemption off.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <trace/events/sched.h>

#include "control.h"

static DEFINE_MUTEX(pids_lock);

static struct trace_pid_list __rcu **pids_of(struct trace_array *tr, int type)
{
	return type == TRACE_PIDS ? &tr->function_pids : &tr->function_no_pids;
}

static struct trace_pid_list *pids_locked(struct trace_array *tr, int type)
{
	return rcu_dereference_protected(*pids_of(tr, type),
					 lockdep_is_held(&ftrace_lock));
}

static bool has_pids(struct trace_array *tr)
{
	return rcu_access_pointer(tr->function_pids) ||
	       rcu_access_pointer(tr->function_no_pids);
}

/**
 * ftrace_pids_enabled - whether an ops is called for some tasks only
 * @ops: the ops
 *
 * Context: any.
 * Return: whether it is.
 */
bool ftrace_pids_enabled(struct ftrace_ops *ops)
{
	struct trace_array *tr = ops->private;

	return (ops->flags & FTRACE_OPS_FL_PID) && tr && has_pids(tr);
}

/**
 * ftrace_pid_allows - whether an ops is called for the current task
 * @ops: the ops; subject to pid lists
 *
 * Context: any, with preemption off; on the hit path.
 * Return: whether it is.
 */
bool notrace ftrace_pid_allows(struct ftrace_ops *ops)
{
	struct trace_array *tr = ops->private;
	int pid = this_cpu_read(tr->array_buffer.data->ftrace_ignore_pid);

	return pid == FTRACE_PID_TRACE || pid == current->pid;
}

/* ---- Deciding --------------------------------------------------------- */

static void decide(struct trace_array *tr, struct task_struct *task)
{
	struct trace_pid_list *pids = rcu_dereference_sched(tr->function_pids);
	struct trace_pid_list *no_pids =
		rcu_dereference_sched(tr->function_no_pids);

	this_cpu_write(tr->array_buffer.data->ftrace_ignore_pid,
		       trace_ignore_this_task(pids, no_pids, task) ?
		       FTRACE_PID_IGNORE : task->pid);
}

static void decide_at_switch(void *data, bool preempt, struct task_struct *prev,
			     struct task_struct *next, unsigned int prev_state)
{
	decide(data, next);
}

static void decide_now(void *data)
{
	decide(data, current);
}

static void decide_for_none(struct trace_array *tr)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(tr->array_buffer.data, cpu)->ftrace_ignore_pid =
			FTRACE_PID_TRACE;
}

static bool is_of_array(struct ftrace_ops *ops, void *tr)
{
	return (ops->saved_flags & FTRACE_OPS_FL_PID) && ops->private == tr;
}

/* Puts a list in the place of another and has switches decided, or not. */
static int exchange(struct trace_array *tr, int type,
		    struct trace_pid_list *new, struct trace_pid_list **old)
{
	bool had, has;
	int ret = 0;

	mutex_lock(&ftrace_lock);
	had = has_pids(tr);
	*old = rcu_replace_pointer(*pids_of(tr, type), new,
				   lockdep_is_held(&ftrace_lock));
	has = has_pids(tr);
	if (!had && has)
		ret = register_trace_sched_switch(decide_at_switch, tr);
	else if (had && !has)
		unregister_trace_sched_switch(decide_at_switch, tr);
	if (ret)
		rcu_assign_pointer(*pids_of(tr, type), *old);
	mutex_unlock(&ftrace_lock);
	return ret;
}

/* Has every CPU decide by the lists that are there now. */
static void decide_everywhere(struct trace_array *tr)
{
	/* No CPU is still deciding by older ones. */
	tracepoint_synchronize_unregister();
	if (has_pids(tr))
		on_each_cpu(decide_now, tr, 1);
	else
		decide_for_none(tr);

	/* The graph tracer asks for the decision, which now is there. */
	mutex_lock(&ftrace_lock);
	fgraph_update_pid_func();
	mutex_unlock(&ftrace_lock);
}

/* Replaces a list; pids_lock is held.  On failure nothing has changed. */
static int publish(struct trace_array *tr, int type, struct trace_pid_list *new)
{
	struct trace_pid_list *old;
	bool had = has_pids(tr);
	int ret;

	ret = exchange(tr, type, new, &old);
	if (ret || (!old && !new))
		return ret;
	decide_everywhere(tr);

	/* A guard too many does no harm: it finds FTRACE_PID_TRACE. */
	if (had != has_pids(tr))
		ret = ftrace_ops_refresh(is_of_array, tr);
	if (ret && !had) {
		exchange(tr, type, NULL, &new);
		decide_everywhere(tr);
		return ret;
	}
	trace_pid_list_free(old);
	return 0;
}

/**
 * ftrace_clear_pids - an instance goes: free its lists
 * @tr: its trace array
 *
 * Context: process, may sleep.
 */
void ftrace_clear_pids(struct trace_array *tr)
{
	mutex_lock(&pids_lock);
	publish(tr, TRACE_PIDS, NULL);
	publish(tr, TRACE_NO_PIDS, NULL);
	mutex_unlock(&pids_lock);
}

/* ---- Children --------------------------------------------------------- */

static void follow_fork(void *data, struct task_struct *self,
			struct task_struct *task)
{
	struct trace_array *tr = data;

	trace_filter_add_remove_task(rcu_dereference_sched(tr->function_pids),
				     self, task);
	trace_filter_add_remove_task(rcu_dereference_sched(tr->function_no_pids),
				     self, task);
}

static void follow_exit(void *data, struct task_struct *task)
{
	follow_fork(data, NULL, task);
}

/**
 * ftrace_pid_follow_fork - whether children of listed tasks are listed
 * @tr:     the trace array
 * @enable: whether they are
 *
 * Context: process, may sleep.
 */
void ftrace_pid_follow_fork(struct trace_array *tr, bool enable)
{
	if (enable) {
		register_trace_sched_process_fork(follow_fork, tr);
		register_trace_sched_process_free(follow_exit, tr);
	} else {
		unregister_trace_sched_process_fork(follow_fork, tr);
		unregister_trace_sched_process_free(follow_exit, tr);
	}
}

/* ---- Files ------------------------------------------------------------ */

/* What stands for a file: which list of which trace array. */
struct pid_file {
	struct trace_array	*tr;
	int			type;
};

#define NO_PIDS_LINE	((void *)1)

static void *pid_start(struct seq_file *m, loff_t *pos)
{
	struct pid_file *pf = m->private;
	struct trace_pid_list *pids;

	mutex_lock(&ftrace_lock);
	pids = pids_locked(pf->tr, pf->type);
	if (!pids)
		return *pos ? NULL : NO_PIDS_LINE;
	return trace_pid_start(pids, pos);
}

static void *pid_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct pid_file *pf = m->private;
	struct trace_pid_list *pids = pids_locked(pf->tr, pf->type);

	if (!pids) {
		++*pos;
		return NULL;
	}
	return trace_pid_next(pids, v, pos);
}

static void pid_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&ftrace_lock);
}

static int pid_show(struct seq_file *m, void *v)
{
	struct pid_file *pf = m->private;

	if (!pids_locked(pf->tr, pf->type)) {
		seq_puts(m, "no pid\n");
		return 0;
	}
	return trace_pid_show(m, v);
}

static const struct seq_operations pid_seq_ops = {
	.start	= pid_start,
	.next	= pid_next,
	.stop	= pid_stop,
	.show	= pid_show,
};

static int open_pids(struct inode *inode, struct file *file, int type)
{
	struct trace_array *tr = inode->i_private;
	struct pid_file *pf;
	int ret;

	if (ftrace_is_dead())
		return -ENODEV;
	ret = tracing_check_open_get_tr(tr);
	if (ret)
		return ret;
	if ((file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC)) {
		mutex_lock(&pids_lock);
		ret = publish(tr, type, NULL);
		mutex_unlock(&pids_lock);
	}
	pf = ret ? NULL : __seq_open_private(file, &pid_seq_ops, sizeof(*pf));
	if (!pf) {
		trace_array_put(tr);
		return ret ?: -ENOMEM;
	}
	pf->tr = tr;
	pf->type = type;
	return 0;
}

static int pid_open(struct inode *inode, struct file *file)
{
	return open_pids(inode, file, TRACE_PIDS);
}

static int no_pid_open(struct inode *inode, struct file *file)
{
	return open_pids(inode, file, TRACE_NO_PIDS);
}

static int pid_release(struct inode *inode, struct file *file)
{
	struct trace_array *tr = inode->i_private;

	trace_array_put(tr);
	return seq_release_private(inode, file);
}

static ssize_t pid_write(struct file *file, const char __user *ubuf, size_t cnt,
			 loff_t *ppos)
{
	struct pid_file *pf = ((struct seq_file *)file->private_data)->private;
	struct trace_pid_list *old, *new;
	ssize_t ret;
	int err;

	if (!cnt)
		return 0;
	mutex_lock(&pids_lock);
	/* Only writers change the list, and they hold pids_lock. */
	old = rcu_dereference_protected(*pids_of(pf->tr, pf->type),
					lockdep_is_held(&pids_lock));
	ret = trace_pid_write(old, &new, ubuf, cnt);
	if (ret >= 0) {
		err = publish(pf->tr, pf->type, new);
		if (err) {
			trace_pid_list_free(new);
			ret = err;
		}
	}
	mutex_unlock(&pids_lock);
	if (ret > 0)
		*ppos += ret;
	return ret;
}

static const struct file_operations pid_fops = {
	.open		= pid_open,
	.write		= pid_write,
	.read		= seq_read,
	.llseek		= tracing_lseek,
	.release	= pid_release,
};

static const struct file_operations no_pid_fops = {
	.open		= no_pid_open,
	.write		= pid_write,
	.read		= seq_read,
	.llseek		= tracing_lseek,
	.release	= pid_release,
};

/**
 * ftrace_create_pid_files - create the files of a trace array's pid lists
 * @tr:  the trace array
 * @dir: its directory
 */
void ftrace_create_pid_files(struct trace_array *tr, struct dentry *dir)
{
	trace_create_file("set_ftrace_pid", TRACE_MODE_WRITE, dir, tr,
			  &pid_fops);
	trace_create_file("set_ftrace_notrace_pid", TRACE_MODE_WRITE, dir, tr,
			  &no_pid_fops);
}
