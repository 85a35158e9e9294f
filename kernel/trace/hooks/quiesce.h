/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KERNEL_TRACE_HOOKS_QUIESCE_H
#define _KERNEL_TRACE_HOOKS_QUIESCE_H

void ftrace_quiesce(void);

#endif /* _KERNEL_TRACE_HOOKS_QUIESCE_H */
