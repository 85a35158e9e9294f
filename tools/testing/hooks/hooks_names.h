/* SPDX-License-Identifier: GPL-2.0 */
/* What the two files of hooks_names share. */
#ifndef _HOOKS_NAMES_H
#define _HOOKS_NAMES_H

int hooks_names_two(int x);

#endif /* _HOOKS_NAMES_H */
