#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: KPROBES
# timeout: 200
# K13: probes become jumps, thousands at once, and breakpoints again at once.
. /tools/testing/hooks/guest/functions
list=/sys/kernel/debug/kprobes/list
switch=/proc/sys/debug/kprobes-optimization

optimized() { grep -c '\[OPTIMIZED\]' $list; }

# until_optimized NUMBER: for ten seconds at most
until_optimized() {
	i=0
	while [ "$(optimized)" -ne "$1" ] && [ $i -lt 100 ]; do
		sleep 0.1
		i=$((i + 1))
	done
}

load hooks_jumps && unload hooks_jumps
# The same while programs run all the time.
busy=
for i in 1 2 3 4; do
	while :; do :; done &
	busy="$busy $!"
done
load hooks_jumps && unload hooks_jumps
kill $busy

load hooks_jumps stay=1 || verdict
check "2,000 are optimised" "$(optimized)" -eq 2000
echo 0 >$switch
check "none is, at once, when the switch is off" "$(optimized)" -eq 0
echo 1 >$switch
until_optimized 2000
check "2,000 are again when it is on" "$(optimized)" -eq 2000
echo 0 >/sys/kernel/debug/kprobes/enabled
check "none is when all are disarmed" "$(optimized)" -eq 0
echo 1 >/sys/kernel/debug/kprobes/enabled
until_optimized 2000
check "2,000 are again" "$(optimized)" -eq 2000
unload hooks_jumps
check "no probe is left" "$(wc -l <$list)" -eq 0
messages hooks_jumps
verdict
