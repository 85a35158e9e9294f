#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: KPROBES
# timeout: 120
# perf's events on probes count each hit, and sample it with arguments and a stack
# trace (T2, K1, R1, R5): alone, with tracers, and with jumps forbidden.
. /tools/testing/hooks/guest/functions
reset_tracing
function=__x64_sys_sched_get_priority_max
list=/sys/kernel/debug/kprobes/list

run() {
	hooks_perf >/tmp/perf
	check "$1" $? -eq 0
	cat /tmp/perf
	check "$1: nothing is left" "$(wc -l <$list)" -eq 0
}

run alone
echo $function >$tracing/set_ftrace_filter
for tracer in function function_graph; do
	echo $tracer >$tracing/current_tracer
	run "with $tracer"
	check "$tracer saw it" "$(grep -c "$function" $tracing/trace)" -ge 5
	echo nop >$tracing/current_tracer
done
reset_tracing
echo 0 >/proc/sys/debug/kprobes-optimization
run "without jumps"
echo 1 >/proc/sys/debug/kprobes-optimization
verdict
