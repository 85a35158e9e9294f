#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: KPROBES
# timeout: 300
# C3, R3, R4: calls that sleep, exit and recurse while return probes come and go.
# HOOKS_LONG: ten million calls.
. /tools/testing/hooks/guest/functions
load hooks_returns ${HOOKS_LONG:+calls=100000} && unload hooks_returns
messages hooks_returns
check "it ran to its end" -n "$(messages hooks_returns | grep 'ended with 0')"
check "nothing was wrong" -z "$(messages hooks_returns | grep WRONG)"
check "there were calls" "$(messages hooks_returns | sed -n 's/.*hooks_returns: \([0-9]*\) calls.*/\1/p')" -gt "1${HOOKS_LONG:+00}00000"
verdict
