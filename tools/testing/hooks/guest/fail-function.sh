#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: FAIL_FUNCTION
# timeout: 120
# Error injection through debugfs fail_function: its probes skip the function and
# say what it returns (K3), as often as they are told, whoever else is there, and
# leave it as it was.
. /tools/testing/hooks/guest/functions
reset_tracing
dir=/sys/kernel/debug/fail_function
list=/sys/kernel/debug/kprobes/list
sethostname=__x64_sys_sethostname
umask=__x64_sys_umask
cd $dir || exit 1

# tries TIMES: how many of so many calls fail.
tries() {
	i=0 bad=0
	while [ $i -lt "$1" ]; do
		hostname hooks 2>/tmp/said || bad=$((bad + 1))
		i=$((i + 1))
	done
	echo $bad
}

inject() {
	echo $1 >inject
	check "$1 can be made to fail" $? -eq 0
}

echo 100 >probability
echo 1 >interval
echo 0 >verbose
echo -1 >times

# EIO, which it never returns by itself.
inject $sethostname
check "it is listed" "$(cat inject)" = $sethostname
check "by a probe on the hook" "$(grep -c "  k  $sethostname+0x[04]    \[FTRACE\]\$" $list)" -eq 1
echo 0xfffffffffffffffb >$sethostname/retval
check "its value" "$(cat $sethostname/retval)" = fffffffffffffffb
check "each call fails" "$(tries 5)" -eq 5
check "as told" "$(cat /tmp/said)" = 'hostname: sethostname: Input/output error'
check "others do not" "$(uname -n)" = hooks

# As often as told.
echo 3 >times
check "three times" "$(tries 10)" -eq 3
echo 0 >times
check "not any more" "$(tries 3)" -eq 0
echo 2 >interval
echo -1 >times
check "every second time" "$(tries 10)" -eq 5
echo 1 >interval

# Two functions. (umask never fails; ours is told to return another mask.)
inject $umask
echo 0xfffffffffffffff3 >$umask/retval
check "both are listed" "$(wc -l <inject)" -eq 2
check "the one" "$(tries 2)" -eq 2
echo "!$sethostname" >inject
check "it is there no more" "$(cat inject)" = $umask
check "it works" "$(tries 3)" -eq 0
check "its files are gone" ! -e $sethostname
echo >inject
check "none is there" "$(wc -l <inject)$(wc -l <$list)" = 00

# Beside others: who came first does not matter, and all see each call.
beside() {
	check "$1: each call fails" "$(tries 4)" -eq 4
	check "$1: the probe before it" "$(grep -c ' before: ' $tracing/trace)" -eq 4
	check "$1: the probe behind it" "$(grep -c ' after: ' $tracing/trace)" -eq 4
	check "$1: none inside" "$(grep -c ' inner: ' $tracing/trace)" -eq 0
	check "$1: the returns" "$(grep -c ' ret: .* got=-5$' $tracing/trace)" -eq 4
	check "$1: the tracer" "$(grep -c " $sethostname <-" $tracing/trace)" -eq 4
}

probe() {
	echo "$1" >>$tracing/kprobe_events || check "$1" 1 -eq 0
	echo 1 >$tracing/events/kprobes/enable
}

away() {
	echo 0 >$tracing/events/kprobes/enable
	echo >$tracing/kprobe_events
}

for at in 5 6 7 8 9; do
	! echo "p:inner $sethostname+$at" >$tracing/kprobe_events 2>/dev/null || break
done
away
for first in probes injection; do
	echo $sethostname >$tracing/set_ftrace_filter
	[ $first = probes ] || inject $sethostname
	probe "p:before $sethostname"
	probe "r:ret $sethostname got=\$retval:s64"
	probe "p:inner $sethostname+$at"
	[ $first = injection ] || inject $sethostname
	echo 0xfffffffffffffffb >$sethostname/retval
	probe "p:after $sethostname"
	echo function >$tracing/current_tracer
	beside "$first first"
	echo "!$sethostname" >inject
	check "$first first: it works again" "$(tries 2)" -eq 0
	check "$first first: and is come to" "$(grep -c ' inner: ' $tracing/trace)" -eq 2
	check "$first first: with its own value" "$(grep -c ' ret: .* got=0$' $tracing/trace)" -eq 2
	away
	reset_tracing
done

# For some tasks only.
inject $sethostname
echo 0xfffffffffffffffb >$sethostname/retval
echo Y >task-filter
check "not for us" "$(tries 2)" -eq 0
echo 1 >/proc/self/make-it-fail
check "for us" "$(tries 2)" -eq 2
echo 0 >/proc/self/make-it-fail
echo N >task-filter

# The switch for all probes.
echo 0 >/sys/kernel/debug/kprobes/enabled
check "probes are off: it works" "$(tries 2)" -eq 0
echo 1 >/sys/kernel/debug/kprobes/enabled
check "they are on: it fails" "$(tries 2)" -eq 2

# What is wrong.
for wrong in no_such_function vfs_read kprobe_int3_handler $sethostname "!$umask"; do
	echo "$wrong" >inject 2>/dev/null
	check "'$wrong' is refused" $? -ne 0
done
check "one is there, still" "$(cat inject)" = $sethostname
echo 5 >$sethostname/retval 2>/dev/null
check "5 is no error" $? -ne 0
echo >inject
check "nothing is left" "$(wc -l <inject)$(wc -l <$list)" = 00
check "all is as before" "$(tries 2)" -eq 0
echo 0 >probability
verdict
