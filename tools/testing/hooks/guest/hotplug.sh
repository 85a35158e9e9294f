#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 4
# options: KPROBES
# timeout: 200
# C11: probes while CPUs go off and on; also registered and unregistered while
# one is off.
. /tools/testing/hooks/guest/functions
cpus=/sys/module/hooks_hotplug/parameters/cpus

# turn CPU 0|1
turn() { echo "$2" >"/sys/devices/system/cpu/cpu$1/online"; }

# expect_calls NUMBER: that many CPUs, not one less or more, see calls.
expect_calls() {
	cat $cpus >/dev/null
	i=0 seen=0
	while [ "$seen" -lt "$1" ] && [ $i -lt 50 ]; do
		sleep 0.1
		now=$(cat $cpus)
		[ "$now" -le "$seen" ] || seen=$now
		i=$((i + 1))
	done
	check "calls on $1 CPUs" "$seen" -eq "$1"
}

# done_with TIMES: the module's word for it, at each of so many unloadings.
done_with() {
	unload hooks_hotplug
	check "exact counts" "$(messages hooks_hotplug | grep -c ': 0 faults')" -eq "$1"
}

load hooks_hotplug || verdict
expect_calls 4
round=0
while [ $round -lt 20 ]; do
	for cpu in 1 2 3; do turn $cpu 0; done
	[ $((round % 5)) -ne 0 ] || expect_calls 1
	for cpu in 1 2 3; do turn $cpu 1; done
	[ $((round % 5)) -ne 0 ] || expect_calls 4
	round=$((round + 1))
done
done_with 1

# Registered while two are off.
turn 2 0
turn 3 0
load hooks_hotplug || verdict
expect_calls 2
turn 2 1
turn 3 1
expect_calls 4
# Unregistered while one is off: it finds the text as it was.
turn 1 0
done_with 2
turn 1 1
load hooks_hotplug || verdict
expect_calls 4
done_with 3
messages hooks_hotplug
verdict
