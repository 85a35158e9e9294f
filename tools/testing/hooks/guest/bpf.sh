#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: BPF_EVENTS
# timeout: 600
# BPF programs (fentry, fexit, fmod_ret; kprobe_multi; kprobes and kretprobes, by
# perf and by an event of tracefs, behind the entry, in place of the function) are
# called as they should (T2, K3, R1), alone and with tracers on the same functions.
# Then with the livepatch sample and the function tracer on one function, in every
# order of coming and going.
. /tools/testing/hooks/guest/functions
reset_tracing
patch=/sys/kernel/livepatch/livepatch_sample
real=$(cat /proc/cmdline)
orders='l,t,b l,b,t t,l,b t,b,l b,l,t b,t,l'

wait_for() {
	i=0
	while [ $i -lt 600 ] && ! eval "$1"; do
		sleep 0.1
		i=$((i + 1))
	done
	eval "$1" || check "$way: $1" 1 -eq 0
}

# all_tests WHEN: the program's own tests.
all_tests() {
	hooks_bpf all >/tmp/bpf
	check "$1: BPF programs" $? -eq 0
	cat /tmp/bpf
}

# traced FUNCTION PATTERN: a tracer saw each call of it.
traced() {
	calls=$(awk -v name="$1" '$NF == name { n += $2 } END { print n + 0 }' /tmp/bpf)
	check "the tracer saw the calls of $1" "$(grep -c " $1$2" $tracing/trace)" -eq "$calls"
}

# beside TRACER PATTERN
beside() {
	reset_tracing
	for function in $functions; do
		echo $function >>$tracing/set_ftrace_filter
	done
	echo "$1" >$tracing/current_tracer
	all_tests "$1"
	for function in $functions; do
		traced $function "$2"
	done
	reset_tracing
}

# look: read the file, once, with everyone that is there.
look() {
	cat /proc/cmdline >/tmp/cmdline
	[ "$(cat /tmp/cmdline)" = "$text" ] ||
		check "$way: the text" "$(cat /tmp/cmdline)" = "$text"
	reads=$((reads + 1))
}

comes_l() {
	load livepatch-sample || exit 1
	wait_for '[ "$(cat $patch/transition)" = 0 ]'
	text='this has been live patched'
}

goes_l() {
	echo 0 >$patch/enabled
	wait_for '[ ! -d $patch ]'
	unload livepatch_sample
	text=$real
}

comes_t() {
	echo >$tracing/trace
	echo function >$tracing/current_tracer
	traced_from=$reads
}

goes_t() {
	seen=$(grep -c ' cmdline_proc_show <-' $tracing/trace)
	echo nop >$tracing/current_tracer
	[ "$seen" -eq $((reads - traced_from)) ] ||
		check "$way: the tracer's calls" "$seen" -eq $((reads - traced_from))
}

comes_b() {
	rm -f /tmp/hold
	hooks_bpf hold cmdline_proc_show 1 $kinds >/tmp/hold &
	holder=$!
	wait_for 'grep -q attach /tmp/hold 2>/dev/null'
	counted_from=$reads
}

# The function's second argument is always 1, and it returns 0.
goes_b() {
	kill -TERM $holder
	wait $holder
	calls=$((reads - counted_from))
	echo attached >/tmp/expected
	for kind in $kinds; do
		case $kind in
		fexit|kret*) echo "$kind $calls 0" ;;
		*) echo "$kind $calls $calls" ;;
		esac
	done >>/tmp/expected
	cmp -s /tmp/expected /tmp/hold ||
		check "$way: BPF's calls" "$(cat /tmp/hold)" = "$(cat /tmp/expected)"
}

# walk COMING GOING: these three come and go, with a look after each.
walk() {
	way="$1 come, $2 go, $kinds" reads=0 text=$real
	for who in $(echo $1 | tr , ' '); do
		comes_$who
		look
	done
	for who in $(echo $2 | tr , ' '); do
		goes_$who
		look
	done
	check "$way: nothing is left" \
		"$(grep -c '^cmdline_proc_show' $tracing/enabled_functions)" -eq 0
}

all_tests alone
functions='bpf_fentry_test2 bpf_modify_return_test __x64_sys_sched_get_priority_max'
beside function ' <-'
beside function_graph '();'

echo cmdline_proc_show >$tracing/set_ftrace_filter
# Its second program changes BPF's direct call: whoever owns it must be asked then,
# too, whether it can be shared with a patch that is in force.
kinds='fentry fexit'
# Orders differ in what happens, not in where: all of them on one CPU.
[ "$(nproc)" -eq 1 ] || orders='l,t,b b,l,t'
for coming in $orders; do
	for going in $orders; do
		walk $coming $going
	done
done
for kinds in fentry 'fexit fentry' 'kprobe kretprobe kprobe_multi kretprobe_multi'; do
	walk l,t,b b,t,l
	walk b,t,l b,l,t
	walk t,b,l l,t,b
done
reset_tracing
verdict
