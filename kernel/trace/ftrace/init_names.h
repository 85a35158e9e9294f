/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_TRACE_FTRACE_INIT_NAMES_H
#define _KERNEL_TRACE_FTRACE_INIT_NAMES_H

struct ftrace_site_table;
struct module;

#ifdef CONFIG_MODULES
void ftrace_init_names_keep(struct ftrace_site_table *table);
void ftrace_init_names_drop(struct module *mod);
#else
static inline void ftrace_init_names_keep(struct ftrace_site_table *table) { }
static inline void ftrace_init_names_drop(struct module *mod) { }
#endif

#endif /* _KERNEL_TRACE_FTRACE_INIT_NAMES_H */
