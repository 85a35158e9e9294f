#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: KPROBES
# timeout: 200
# R3, R4: return probes on functions that never return, on the first that returns
# in a new task, on those that return after a switch, and in idle.
. /tools/testing/hooks/guest/functions
reset_tracing
instances=20

# put FUNCTION: a probe on its entry and one on its return.
put() {
	echo "p:$1_in $1" >>$tracing/kprobe_events
	echo "r$instances:$1_out $1" >>$tracing/kprobe_events
}

# hits EVENT, misses EVENT: of the probe.
hits() { awk -v event="$1" '$1 == event { print $2 }' /tmp/profile; }
misses() { awk -v event="$1" '$1 == event { print $3 }' /tmp/profile; }

# switch WHICH TO: all that are called so; it takes a while.
switch() {
	for function in $returning $ending; do
		echo "$2" >$tracing/events/kprobes/${function}_$1/enable
	done
}

# run_tasks NUMBER: they start, run a program, and are ended by themselves or by a
# signal.
run_tasks() {
	i=0
	while [ $i -lt "$1" ]; do
		(exit 3)
		[ $? -eq 3 ] || wrong=$((wrong + 1))
		[ "$(/bin/echo $i)" = "$i" ] || wrong=$((wrong + 1))
		sleep 1000 &
		kill -9 $!
		wait $! 2>/dev/null
		[ $? -eq 137 ] || wrong=$((wrong + 1))
		i=$((i + 1))
	done
}

returning='kernel_clone copy_process schedule_tail bprm_execve do_wait schedule
	do_idle tick_nohz_idle_enter tick_nohz_idle_exit'
ending='do_exit do_group_exit'
for function in $returning $ending; do
	put $function
done
# Of each call whose entry is seen the return is.
switch out 1
switch in 1
wrong=0
run_tasks 60
check "tasks ended as they should" $wrong -eq 0
switch in 0
sleep 1
switch out 0
# Now, as reading starts tasks, too.
cp $tracing/kprobe_profile /tmp/profile
cat /tmp/profile
for function in kernel_clone copy_process schedule_tail bprm_execve; do
	check "$function was called" "$(hits ${function}_in)" -ge 60
	check "$function returned" "$(hits ${function}_out)" -ge "$(hits ${function}_in)"
	# sleep, and a thread of the kernel or two meanwhile.
	check "$function returned no more often" "$(hits ${function}_out)" -le $(($(hits ${function}_in) + 4))
	check "$function: none was missed" "$(misses ${function}_out)" -eq 0
done
for function in $ending; do
	check "$function was called" "$(hits ${function}_in)" -ge 60
	check "$function did not return" "$(hits ${function}_out)" -eq 0
	check "$function: instances came back" "$(misses ${function}_out)" -eq 0
done
check "schedule returned" "$(hits schedule_out)" -ge 60
# Those of a CPU that is idle now have not returned.
for function in do_idle tick_nohz_idle_enter tick_nohz_idle_exit; do
	check "$function returned" "$(hits ${function}_out)" -ge 1
done
echo >$tracing/kprobe_events
wrong=0
run_tasks 5
check "tasks end as they should without" $wrong -eq 0
reset_tracing
verdict
