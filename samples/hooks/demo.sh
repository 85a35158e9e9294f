#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Shows the modules of this directory at work, and checks what they show. Run in
# the guest by `make run`; MODDIR is where the modules are.

modules=${MODDIR:-/modules}
tracing=/sys/kernel/tracing
wrong=0

title() { printf '\n== %s\n' "$*"; }

# check WHAT CONDITION...: a line, and whether it is as it has to be.
check() {
	what=$1
	shift
	if test "$@"; then
		echo "   ok: $what"
	else
		echo "   WRONG: $what ($*)"
		wrong=1
	fi
}

calls_of() {
	awk -v f="$1" '{ for (i = 1; i < NF; i++) if ($i == f) print $(i + 1) }' \
		/proc/hooks_count
}
hits() { cat /sys/module/hooks_filter/parameters/hits; }
move_to() { echo "$1" >/sys/module/hooks_filter/parameters/functions; }

title "functions that can be hooked"
functions=$(wc -l <$tracing/available_filter_functions)
echo "   $functions"
check "thousands" "$functions" -gt 5000

title "hooks_count: callbacks on system calls, the scheduler, a timer"
insmod "$modules/hooks_count.ko" || exit 1
before=$(calls_of vfs_read)
i=0
while [ $i -lt 50 ]; do
	read -r _ </proc/version
	i=$((i + 1))
done
sleep 1
sed 's/^/   /' /proc/hooks_count
check "50 files more were read" $(($(calls_of vfs_read) - before)) -ge 50
check "the scheduler ran" "$(calls_of schedule)" -gt 0
check "the timer ticked" "$(calls_of hrtimer_interrupt)" -gt 0
title "what tracefs says is attached"
grep -E '^(vfs_read|schedule) ' $tracing/enabled_functions | sed 's/^/   /'
check "seven functions are hooked" "$(wc -l <$tracing/enabled_functions)" -eq 7
rmmod hooks_count
check "none is any more" "$(wc -l <$tracing/enabled_functions)" -eq 0

title "hooks_redirect: an ops that redirects the function behind /proc/cmdline"
real=$(cat /proc/cmdline)
echo "   before: $real"
insmod "$modules/hooks_redirect.ko" || exit 1
echo "   loaded: $(cat /proc/cmdline)"
check "it is redirected" "$(cat /proc/cmdline)" = "this comes from hooks_redirect"
rmmod hooks_redirect
echo "   after:  $(cat /proc/cmdline)"
check "it is as before" "$(cat /proc/cmdline)" = "$real"

title "hooks_filter: a hook that is moved while it runs"
insmod "$modules/hooks_filter.ko" || exit 1
move_to 'cmdline_proc_show'
cat /proc/cmdline /proc/cmdline /proc/cmdline >/dev/null
echo "   on cmdline_proc_show: $(hits) calls"
check "three" "$(hits)" -eq 3
move_to 'version_proc_show'
cat /proc/cmdline /proc/version /proc/version >/dev/null
echo "   moved to version_proc_show: $(hits) calls"
check "two" "$(hits)" -eq 2
move_to '*_proc_show'
cat /proc/cmdline /proc/version /proc/uptime >/dev/null
echo "   moved to *_proc_show: $(hits) calls"
check "three" "$(hits)" -eq 3
move_to 'no_such_function' 2>/dev/null
check "a name that matches nothing is refused" $? -ne 0
cat /proc/version >/dev/null
check "and the hook stays where it was" "$(hits)" -eq 4
rmmod hooks_filter

shown() { sed -n "s/^$1.* $2\([0-9]*\)$3.*/\1/p" /proc/hooks_probe; }
skip() { echo "$1" >/sys/module/hooks_probe/parameters/skip; }

title "hooks_probe: an instruction, a function that is skipped, a return"
load=$(wc -w </proc/loadavg)
insmod "$modules/hooks_probe.ko" || exit 1
cat /proc/version /proc/version /proc/version >/dev/null
skip 1
check "/proc/loadavg is empty while it is skipped" -z "$(cat /proc/loadavg)"
skip 0
check "and not, once it is not" "$(wc -w </proc/loadavg)" -eq "$load"
head -c 250 /dev/zero >/tmp/250
dd if=/tmp/250 of=/dev/null bs=100 2>/dev/null
sed 's/^/   /' /proc/hooks_probe
check "the instruction was come to 3 times" "$(shown version_proc_show '' ' times')" -eq 3
check "one call was skipped" "$(shown loadavg_proc_show 'skipped ' ' times')" -eq 1
check "what was read: 250 bytes" "$(shown vfs_read 'got ' '')" -eq 250
title "what debugfs says of the probes"
sleep 1
probes=/sys/kernel/debug/kprobes/list
sed 's/^/   /' $probes
check "three" "$(wc -l <$probes)" -eq 3
check "two ride on a function's hook" "$(grep -c '\[FTRACE\]' $probes)" -eq 2
check "a jump took the breakpoint's place" "$(grep -c '\[OPTIMIZED\]' $probes)" -eq 1
rmmod hooks_probe
check "none is there any more" "$(wc -l <$probes)" -eq 0

title "hooks_latency: how long calls of a system call take"
insmod "$modules/hooks_latency.ko" function=__x64_sys_clock_nanosleep || exit 1
i=0
while [ $i -lt 20 ]; do
	sleep 0.0$((i % 4 + 1)) &
	i=$((i + 1))
done
wait
sed 's/^/   /' /proc/hooks_latency
check "20 calls" "$(awk 'NR == 1 { print $2 }' /proc/hooks_latency)" -ge 20
check "none missed" "$(awk 'NR == 1 { print $4 }' /proc/hooks_latency)" -eq 0
check "each took its time" "$(awk '/^</ && $2 > 8192 { n += $4 } END { print n }' /proc/hooks_latency)" -ge 20
rmmod hooks_latency

title "kprobe_events: probes without a module, with what they fetch"
cat >$tracing/kprobe_events <<END
p:open do_sys_openat2 name=+0(\$arg2):ustring
r:read vfs_read asked=\$arg3:u64 got=\$retval:s64
END
sed 's/^/   /' $tracing/kprobe_events
echo 1 >$tracing/events/kprobes/enable
dd if=/tmp/250 of=/dev/null bs=100 2>/dev/null
echo 0 >$tracing/events/kprobes/enable
grep -E ' open: .*"/tmp/250"| read: .* asked=100 ' $tracing/trace | sed 's/^ */   /'
check "the file was opened once" "$(grep -c ' open: .* name="/tmp/250"' $tracing/trace)" -eq 1
check "read in four goes" "$(grep -c ' read: .* asked=100 got=[0-9]*$' $tracing/trace)" -eq 4
check "the third was short" "$(grep -c ' read: .* asked=100 got=50$' $tracing/trace)" -eq 1
echo >$tracing/kprobe_events
check "all is as before" "$(wc -l <$probes)" -eq 0

echo
if [ $wrong -eq 0 ]; then
	echo "All numbers are right."
else
	echo "Some numbers are wrong."
fi
exit $wrong
