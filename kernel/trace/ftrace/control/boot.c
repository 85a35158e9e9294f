// SPDX-License-Identifier: GPL-2.0
/*
 * Boot parameters: filters that are in force from the first.
 *
 *	ftrace_filter=, ftrace_notrace=			of the top trace array
 *	ftrace_graph_filter=, ftrace_graph_notrace=	of the graph tracer
 *	ftrace_graph_max_depth=				of the graph tracer
 *
 * Each but the last is a list of patterns with commas between.  Parameters are
 * parsed before there is memory to allocate: they are only kept then.
 */
#define pr_fmt(fmt) "ftrace: " fmt

#include <linux/cache.h>
#include <linux/init.h>

#include <asm/setup.h>

#include "control.h"

/* Tells the start-up tests that functions are filtered. */
bool ftrace_filter_param __initdata;

static char filter_text[COMMAND_LINE_SIZE] __initdata;
static char notrace_text[COMMAND_LINE_SIZE] __initdata;

static int __init keep_filter(char *str)
{
	ftrace_filter_param = true;
	strscpy(filter_text, str);
	return 1;
}
__setup("ftrace_filter=", keep_filter);

static int __init keep_notrace(char *str)
{
	ftrace_filter_param = true;
	strscpy(notrace_text, str);
	return 1;
}
__setup("ftrace_notrace=", keep_notrace);

/**
 * ftrace_set_early_filter - set a list of an ops from a parameter
 * @ops:    the ops
 * @buf:    patterns with commas between; changed
 * @enable: 1 the filter, 0 the notrace list
 *
 * Context: boot.
 */
void __init ftrace_set_early_filter(struct ftrace_ops *ops, char *buf,
				    int enable)
{
	char *func;
	int ret;

	while ((func = strsep(&buf, ","))) {
		if (!*func)
			continue;
		if (enable)
			ret = ftrace_set_filter(ops, func, strlen(func), 0);
		else
			ret = ftrace_set_notrace(ops, func, strlen(func), 0);
		if (ret)
			pr_warn("filter '%s': error %d\n", func, ret);
	}
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER

static char graph_text[COMMAND_LINE_SIZE] __initdata;
static char graph_notrace_text[COMMAND_LINE_SIZE] __initdata;

static int __init keep_graph_filter(char *str)
{
	strscpy(graph_text, str);
	return 1;
}
__setup("ftrace_graph_filter=", keep_graph_filter);

static int __init keep_graph_notrace(char *str)
{
	strscpy(graph_notrace_text, str);
	return 1;
}
__setup("ftrace_graph_notrace=", keep_graph_notrace);

static int __init set_graph_max_depth(char *str)
{
	return str && !kstrtouint(str, 0, &fgraph_max_depth);
}
__setup("ftrace_graph_max_depth=", set_graph_max_depth);

static void __init apply_graph(enum ftrace_list which, char *buf)
{
	char *func;

	while ((func = strsep(&buf, ","))) {
		if (*func && ftrace_graph_add_early(which, func))
			pr_warn("graph filter '%s' matches nothing\n", func);
	}
}

static void __init apply_graph_filters(void)
{
	apply_graph(FTRACE_LIST_FILTER, graph_text);
	apply_graph(FTRACE_LIST_NOTRACE, graph_notrace_text);
}

#else
static void __init apply_graph_filters(void) { }
#endif /* CONFIG_FUNCTION_GRAPH_TRACER */

/**
 * ftrace_apply_boot_filters - put the filters of the command line in force
 *
 * Context: boot, sites are known.
 */
void __init ftrace_apply_boot_filters(void)
{
	ftrace_set_early_filter(&global_ops, filter_text, 1);
	ftrace_set_early_filter(&global_ops, notrace_text, 0);
	apply_graph_filters();
}
