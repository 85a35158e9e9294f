#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# timeout: 200
# F2, F15, F17: hooks come, go and move while all CPUs call the functions.
. /tools/testing/hooks/guest/functions
load hooks_torture seconds=15 && unload hooks_torture
check "no fault" "$(messages hooks_torture | grep -c ' 0 faults')" -eq 1
messages hooks_torture
check "nothing is hooked any more" "$(wc -l <$tracing/enabled_functions)" -eq 0
verdict
