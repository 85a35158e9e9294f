/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HOOKS_PROBE_PLACES_H
#define _HOOKS_PROBE_PLACES_H

#define PLACES_FUNCTIONS	400
#define PLACES			(PLACES_FUNCTIONS * 250)

/* The first of the functions. */
extern char hooks_places_first[];

unsigned long hooks_probe_place(unsigned int i);

#endif /* _HOOKS_PROBE_PLACES_H */
