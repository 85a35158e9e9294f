/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the control files share.  Each source file here is one family of
 * tracefs files, commands or parameters.
 */
#ifndef _KERNEL_TRACE_FTRACE_CONTROL_H
#define _KERNEL_TRACE_FTRACE_CONTROL_H

#include "../../trace.h"
#include "../internal.h"

struct dentry;
struct seq_file;

/* The longest word that a filter file takes. */
#define FTRACE_WORD_MAX		(KSYM_SYMBOL_LEN + 4)

/* After a word that was refused the next one is looked at again. */
static inline void ftrace_parser_restart(struct trace_parser *parser)
{
	trace_parser_clear(parser);
	parser->fail = false;
}

/* listing.c */
void ftrace_create_listing_files(struct dentry *dir);

/* hooks.c */
void ftrace_show_hooks(struct seq_file *m, const struct ftrace_site *site);
void ftrace_create_hooks_files(struct dentry *dir);

/* filter_file.c */
void ftrace_create_filter_file(const char *name, umode_t mode,
			       struct trace_array *tr, struct dentry *dir,
			       enum ftrace_list which);

/* commands.c */
int ftrace_run_command(struct trace_array *tr, char *func, char *command,
		       char *param, int enable);

/* probes.c */
void ftrace_show_probes(struct seq_file *m, struct trace_array *tr);

/* mod_cache.c */
int ftrace_mod_cache_add(struct list_head *notes, const char *func,
			 const char *module, enum ftrace_list which);
int ftrace_mod_cache_remove(struct trace_array *tr, struct list_head *notes,
			    const char *func, const char *module,
			    enum ftrace_list which);
int ftrace_mod_cache_adopt(struct trace_array *tr, enum ftrace_list which,
			   struct list_head *notes, struct ftrace_set **set);
void ftrace_mod_cache_free(struct list_head *entries);
bool ftrace_mod_cache_any(struct trace_array *tr, enum ftrace_list which);
void ftrace_mod_cache_clear(struct trace_array *tr, enum ftrace_list which);
void ftrace_mod_cache_show(struct seq_file *m, struct trace_array *tr,
			   enum ftrace_list which);

/* pids.c */
void ftrace_create_pid_files(struct trace_array *tr, struct dentry *dir);

/* graph_filter.c */
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
void ftrace_create_graph_files(struct dentry *dir);
int ftrace_graph_add_early(enum ftrace_list which, const char *func);
#else
static inline void ftrace_create_graph_files(struct dentry *dir) { }
#endif

/* profile.c */
#ifdef CONFIG_FUNCTION_PROFILER
void ftrace_create_profile_files(struct dentry *dir);
#else
static inline void ftrace_create_profile_files(struct dentry *dir) { }
#endif

#endif /* _KERNEL_TRACE_FTRACE_CONTROL_H */
