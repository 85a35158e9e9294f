# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# The part of demo.sh about probes on instructions and on returns.

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
