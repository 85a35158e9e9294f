/* SPDX-License-Identifier: GPL-2.0 */
/* What hooks_nmi.c has in assembly. */
#ifndef _HOOKS_NMI_H
#define _HOOKS_NMI_H

#include <linux/types.h>

unsigned long hooks_nmi_body(unsigned long x);
unsigned long hooks_nmi_fault(unsigned long x);
unsigned long hooks_nmi_outer(void *where, u32 what);

#endif /* _HOOKS_NMI_H */
