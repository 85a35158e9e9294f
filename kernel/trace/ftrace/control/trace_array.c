// SPDX-License-Identifier: GPL-2.0
/*
 * What a trace array has of the engine: an ops, lists, and its files.
 *
 * The top trace array's ops is global_ops, whose lists others may share.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include "control.h"

struct ftrace_ops global_ops = {
	.func	= ftrace_stub,
	.flags	= FTRACE_OPS_FL_PID,
};

/**
 * ftrace_init_trace_array - make a trace array's lists usable
 * @tr: a new trace array
 */
void ftrace_init_trace_array(struct trace_array *tr)
{
	struct list_head *lists[] = {
		&tr->mod_notrace, &tr->mod_trace, &tr->func_probes,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		INIT_LIST_HEAD(lists[i]);
}

/**
 * ftrace_init_global_array_ops - give the top trace array its ops
 * @tr: the top trace array
 *
 * Context: boot.
 */
__init void ftrace_init_global_array_ops(struct trace_array *tr)
{
	ftrace_init_trace_array(tr);
	ftrace_ops_init(&global_ops);
	global_ops.private = tr;
	tr->ops = &global_ops;
	/* Its graph ops follows the lists, which therefore come first. */
	init_array_fgraph_ops(tr, &global_ops);
}

/**
 * ftrace_init_array_ops - a tracer takes a trace array's ops
 * @tr:   the trace array
 * @func: the tracer's callback
 */
void ftrace_init_array_ops(struct trace_array *tr, ftrace_func_t func)
{
	struct ftrace_ops *ops = tr->ops;

	/* Of the top trace array only one tracer at a time can have it. */
	WARN_ON(ops == &global_ops && ops->func != ftrace_stub);
	ops->private = tr;
	ops->func = func;
}

/**
 * ftrace_reset_array_ops - a tracer is done with a trace array's ops
 * @tr: the trace array; the ops is not registered
 */
void ftrace_reset_array_ops(struct trace_array *tr)
{
	struct ftrace_ops *ops = tr->ops;

	ops->func = ftrace_stub;
}

/**
 * ftrace_create_filter_files - create set_ftrace_filter and set_ftrace_notrace
 * @tr:  the trace array
 * @dir: its directory
 */
void ftrace_create_filter_files(struct trace_array *tr, struct dentry *dir)
{
	ftrace_create_filter_file("set_ftrace_filter", TRACE_MODE_WRITE, tr,
				  dir, FTRACE_LIST_FILTER);
	ftrace_create_filter_file("set_ftrace_notrace", TRACE_MODE_WRITE, tr,
				  dir, FTRACE_LIST_NOTRACE);
}

/**
 * ftrace_destroy_filter_files - end the use of an instance's ops
 * @ops: the ops, about to be freed; nobody has its files open
 *
 * Context: process, may sleep; trace_types_lock is held.
 */
void ftrace_destroy_filter_files(struct ftrace_ops *ops)
{
	struct trace_array *tr = ops->private;

	unregister_ftrace_function(ops);
	ops->flags |= FTRACE_OPS_FL_DELETED;
	ftrace_free_filter(ops);
	if (tr) {
		ftrace_mod_cache_clear(tr, FTRACE_LIST_FILTER);
		ftrace_mod_cache_clear(tr, FTRACE_LIST_NOTRACE);
	}
}

/**
 * ftrace_init_tracefs - create the files that each trace array has
 * @tr:  the trace array
 * @dir: its directory
 */
void ftrace_init_tracefs(struct trace_array *tr, struct dentry *dir)
{
	ftrace_create_pid_files(tr, dir);
}

/**
 * ftrace_init_tracefs_toplevel - create the files of the top directory only
 * @tr:  the top trace array
 * @dir: its directory
 */
void ftrace_init_tracefs_toplevel(struct trace_array *tr, struct dentry *dir)
{
	ftrace_create_listing_files(dir);
	ftrace_create_hooks_files(dir);
	ftrace_create_filter_files(tr, dir);
	ftrace_create_graph_files(dir);
	ftrace_create_profile_files(dir);
}
