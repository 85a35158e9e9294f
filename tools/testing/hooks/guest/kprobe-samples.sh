#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: KPROBES
# timeout: 200
# The base's own samples/kprobes modules, unchanged, alone and together (K1, R1,
# R2, T2).
. /tools/testing/hooks/guest/functions
reset_tracing
list=/sys/kernel/debug/kprobes/list
blacklist=/sys/kernel/debug/kprobes/blacklist
# How often a system call of its own is made: sethostname, by busybox.
calls=5

call() {
	i=0
	while [ $i -lt $calls ]; do
		hostname hooks
		i=$((i + 1))
	done
}

# printed PATTERN: lines that the samples have printed since the mark.
mark() { from=$(dmesg | wc -l); }
printed() { dmesg | tail -n +$((from + 1)) | grep -c "$1"; }

kprobe_alone() {
	mark
	load kprobe_example symbol=__x64_sys_sethostname || return
	check "one probe is listed" \
		"$(grep -c '  k  __x64_sys_sethostname+0x[04]   *\[FTRACE\]$' $list)" -eq 1
	check "its functions are on the blacklist" \
		"$(grep -c '	handler_pre \[kprobe_example\]$' $blacklist)" -eq 1
	call
	check "pre_handler: each call" \
		"$(printed 'handler_pre: <__x64_sys_sethostname>.*ip = ')" -eq $calls
	check "post_handler: each call" \
		"$(printed 'handler_post: <__x64_sys_sethostname>')" -eq $calls
	unload kprobe_example
	check "it said good-bye" "$(printed 'kprobe_exit: kprobe at .* unregistered')" -eq 1
	call
	check "and is quiet" "$(printed handler_pre)" -eq $calls
	check "nothing is listed" "$(wc -l <$list)" -eq 0
	check "nor blacklisted" "$(grep -c 'handler_pre' /sys/kernel/debug/kprobes/blacklist)" -eq 0
}

kretprobe_alone() {
	mark
	load kretprobe_example func=__x64_sys_sethostname || return
	check "one return probe is listed" \
		"$(grep -c '  r  __x64_sys_sethostname+0x[04]   *\[FTRACE\]$' $list)" -eq 1
	call
	check "each return, with its value" \
		"$(printed '__x64_sys_sethostname returned 0 and took')" -eq $calls
	unload kretprobe_example
	check "none was missed" \
		"$(printed 'Missed probing 0 instances of __x64_sys_sethostname')" -eq 1
	call
	check "and it is quiet" "$(printed 'returned 0 and took')" -eq $calls
}

# kernel_clone, which they probe unless told otherwise, returns the new task's pid.
together() {
	mark
	load kprobe_example
	load kretprobe_example
	echo kernel_clone >$tracing/set_ftrace_filter
	echo function >$tracing/current_tracer
	pids=
	for i in 1 2 3; do
		sleep 0 &
		pids="$pids $!"
	done
	wait
	for pid in $pids; do
		check "task $pid: its pid was returned" \
			"$(printed "kernel_clone returned $pid and took")" -eq 1
	done
	unload kprobe_example
	unload kretprobe_example
	check "the tracer saw them" "$(grep -c ' kernel_clone <-' $tracing/trace)" -ge 3
	hits=$(printed 'handler_pre: <kernel_clone>')
	check "the probe, too" "$hits" -ge 3
	check "pre and post agree" "$(printed 'handler_post: <kernel_clone>')" -eq "$hits"
	reset_tracing
}

refused() {
	insmod "$MODDIR/kprobe_example.ko" symbol="$1" 2>/tmp/insmod
	check "$1: refused" $? -ne 0
	insmod "$MODDIR/kretprobe_example.ko" func="$1" 2>/tmp/insmod
	check "$1: a return probe, too" $? -ne 0
	check "$1: nothing is left" "$(wc -l <$list)" -eq 0
}

kprobe_alone
kretprobe_alone
together
refused no_such_function
refused kprobe_int3_handler
verdict
