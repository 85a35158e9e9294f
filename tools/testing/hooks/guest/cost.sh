#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: icount
# timeout: 300
# A hit costs what is attached to that function, to the instruction.
. /tools/testing/hooks/guest/functions
load hooks_cost && unload hooks_cost
# figure WHAT: instructions a hit.
figure() { messages hooks_cost | sed -n "s/.*: $1: \([0-9]*\) .*/\1/p"; }
two=$(figure '2 ops')
among=$(figure '2 ops, 1,024 elsewhere')
one=$(figure '1 op')
guarded=$(figure '1 op, recursion guard')
guarded_twice=$(figure '1 op, recursion and RCU guard')
messages hooks_cost
check "two ops cost the same with 1,024 elsewhere" "$two" -eq "$among"
check "one op costs less than the 39 instructions of the base kernel" "$one" -le 39
check "two ops cost less than its 221" "$two" -le 221
check "F7: a recursion guard is no call: at most 60 with it" "$guarded" -le 60
check "F8: nor is an RCU guard: at most 70 with both" "$guarded_twice" -le 70
verdict
