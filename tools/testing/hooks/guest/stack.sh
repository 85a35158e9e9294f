#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: KPROBES
# timeout: 120
# R5: /proc/PID/stack of a task that sleeps in functions whose returns are hooked,
# by a return probe, by an fprobe, by both and the graph tracer.
. /tools/testing/hooks/guest/functions
reset_tracing

# look WHEN: at the stack of a task that sleeps.
look() {
	sleep 1000 &
	pid=$!
	i=0
	while [ $i -lt 100 ] && ! grep -q nanosleep /proc/$pid/stack; do
		sleep 0.1
		i=$((i + 1))
	done
	cat /proc/$pid/stack
	for function in hrtimer_nanosleep common_nsleep do_syscall_64 entry_SYSCALL_64; do
		check "$1: $function" "$(grep -c " $function.*+0x" /proc/$pid/stack)" -ge 1
	done
	check "$1: no trampoline" "$(grep -c -e rethook -e return_to_handler /proc/$pid/stack)" -eq 0
	kill $pid
	wait $pid 2>/dev/null
}

look "nobody"
echo 'r:slept common_nsleep' >$tracing/kprobe_events
echo 'r:slept2 hrtimer_nanosleep' >>$tracing/kprobe_events
echo 1 >$tracing/events/kprobes/enable
look "return probes"
echo 'f:fslept hrtimer_nanosleep%return' >>$tracing/dynamic_events
echo 1 >$tracing/events/fprobes/enable
look "with an fprobe"
for event in slept slept2 fslept; do
	check "$event: returns" "$(grep -c " $event: " $tracing/trace)" -ge 1
done
check "each return" "$(grep -c ' slept: ' $tracing/trace)" -eq \
	"$(grep -c ' slept2: ' $tracing/trace)"
echo function_graph >$tracing/current_tracer
look "with the graph tracer"
echo 0 >$tracing/events/enable
reset_tracing
echo >$tracing/dynamic_events
verdict
