/* SPDX-License-Identifier: GPL-2.0 */
/* What hooks_jumps.c has in assembly. */
#ifndef _HOOKS_JUMPS_H
#define _HOOKS_JUMPS_H

extern char hooks_jumps_first[];
unsigned long hooks_jumps_registers(unsigned long x);
unsigned long hooks_jumps_labels(unsigned long x);
unsigned long hooks_jumps_switch(unsigned long x);
unsigned long hooks_jumps_spin(int *stop);

#endif /* _HOOKS_JUMPS_H */
