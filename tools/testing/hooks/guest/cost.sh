#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: icount
# timeout: 300
# A hit costs what is attached to that function, to the instruction.
. /tools/testing/hooks/guest/functions
load hooks_cost && unload hooks_cost
dmesg | grep hooks_cost:
two=$(dmesg | sed -n 's/.*hooks_cost: 2 ops: \([0-9]*\) .*/\1/p')
among=$(dmesg | sed -n 's/.*hooks_cost: 2 ops, 1,024 elsewhere: \([0-9]*\) .*/\1/p')
one=$(dmesg | sed -n 's/.*hooks_cost: 1 op: \([0-9]*\) .*/\1/p')
check "two ops cost the same with 1,024 elsewhere" "$two" -eq "$among"
check "one op costs less than the 39 instructions of the base kernel" "$one" -le 39
check "two ops cost less than its 221" "$two" -le 221
verdict
