#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# timeout: 300
# The base's own samples/ftrace modules, unchanged.
. /tools/testing/hooks/guest/functions
reset_tracing

# It refuses to stay (-EINVAL) once it has checked the counts; a wrong count is
# a warning, which fails this test.
ops() {
	echo "ftrace-ops $*"
	before=$(dmesg | grep -c 'Attempted 2000 calls')
	insmod "$MODDIR/ftrace-ops.ko" nr_function_calls=2000 check_count=1 "$@" 2>/dev/null
	check "it ran" "$(dmesg | grep -c 'Attempted 2000 calls')" -gt "$before"
}
ops nr_ops_relevant=1
ops nr_ops_relevant=8
ops nr_ops_relevant=2 nr_ops_irrelevant=64
ops nr_ops_relevant=1 save_regs=1
ops nr_ops_relevant=3 save_regs=1 assist_recursion=1
ops nr_ops_relevant=3 assist_rcu=1
ops nr_ops_relevant=3 assist_rcu=1 assist_recursion=1
check "no wrong count" "$(dmesg | grep -c 'count was')" -eq 0

# direct MODULE TEXT: what it prints into the trace while functions are called.
direct() {
	echo >$tracing/trace
	load "$1" || return
	i=0
	while [ $i -lt 30 ]; do
		sleep 0.1
		[ "$(grep -c "$2" $tracing/trace)" -lt 5 ] || break
		i=$((i + 1))
	done
	check "$1 prints '$2'" "$(grep -c "$2" $tracing/trace)" -ge 5
	grep "$2" $tracing/trace | head -2
	enabled=$(grep -c 'direct-->' $tracing/enabled_functions)
	check "$1 has direct calls" "$enabled" -ge 1
	unload "$1"
	check "$1 leaves none" "$(grep -c 'direct-->' $tracing/enabled_functions)" -eq 0
}
direct ftrace-direct 'waking up '
direct ftrace-direct-too 'handle mm fault vma='
direct ftrace-direct-multi ' ip ffffffff'

# alternates MODULE: two targets, a change every two seconds.
alternates() {
	echo >$tracing/trace
	load "$1" || return
	i=0
	while [ $i -lt 80 ]; do
		sleep 0.1
		[ "$(grep -c 'my direct func1' $tracing/trace)" -eq 0 ] ||
			[ "$(grep -c 'my direct func2' $tracing/trace)" -eq 0 ] || break
		i=$((i + 1))
	done
	check "$1: first target" "$(grep -c 'my direct func1' $tracing/trace)" -ge 1
	check "$1: second target" "$(grep -c 'my direct func2' $tracing/trace)" -ge 1
	unload "$1"
}
alternates ftrace-direct-modify
alternates ftrace-direct-multi-modify

# With the function tracer on the same function.
echo wake_up_process >$tracing/set_ftrace_filter
echo function >$tracing/current_tracer
direct ftrace-direct 'waking up '
echo >$tracing/trace
load ftrace-direct
sleep 1
check "the tracer sees the function, too" "$(grep -c 'wake_up_process <-' $tracing/trace)" -ge 1
unload ftrace-direct
reset_tracing
verdict
