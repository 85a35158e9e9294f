#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: LIVEPATCH
# timeout: 200
# The livepatch sample, unchanged: loads, redirects /proc/cmdline, unloads; alone
# and with the function tracer on. F11: it keeps kernel.ftrace_enabled at 1.
. /tools/testing/hooks/guest/functions
reset_tracing
patch=/sys/kernel/livepatch/livepatch_sample
real=$(cat /proc/cmdline)

wait_for() {
	i=0
	while [ $i -lt 600 ] && ! eval "$1"; do
		sleep 0.1
		i=$((i + 1))
	done
	eval "$1"
	check "$2" $? -eq 0
}

once() {
	load livepatch-sample || return
	wait_for '[ "$(cat $patch/transition)" = 0 ]' "the transition ends"
	check "patched" "$(cat /proc/cmdline)" = "this has been live patched"
	sysctl -w kernel.ftrace_enabled=0 2>/dev/null
	check "the switch cannot be thrown" "$(cat /proc/sys/kernel/ftrace_enabled)" -eq 1
	check "still patched" "$(cat /proc/cmdline)" = "this has been live patched"
	echo 0 >$patch/enabled
	wait_for '[ ! -d $patch ]' "the patch goes"
	check "as before" "$(cat /proc/cmdline)" = "$real"
	unload livepatch_sample
}
once
echo 'cmdline_proc_show' >$tracing/set_ftrace_filter
echo function >$tracing/current_tracer
once
check "the tracer saw the calls" "$(grep -c 'cmdline_proc_show <-' $tracing/trace)" -ge 3
reset_tracing
verdict
