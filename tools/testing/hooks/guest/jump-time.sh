#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: icount
# options: KPROBES
# timeout: 60
# K13: how long a probe waits for its jump: alone, and with 2,000 others in one
# module, whose symbols the kernel searches one after the other. An instruction is
# a nanosecond here.
. /tools/testing/hooks/guest/functions
load hooks_jumps stay=1 && unload hooks_jumps
messages hooks_jumps
longest() { messages hooks_jumps | sed -n "s/.*$1: \([0-9]*\) ms.*/\1/p" | sort -n | tail -n 1; }
one=$(longest 'a jump for one')
many=$(longest 'jumps for 2000')
check "a jump is there within 100 ms" "${one:-1000}" -le 100
check "2,000 in a module are within 600 ms" "${many:-5000}" -le 600
verdict
