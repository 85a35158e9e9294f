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

# Where the kernel has probes; sourced, not run.
if [ -d /sys/kernel/debug/kprobes ]; then
	. "${0%/*}/demo-probes.sh"
fi

echo
if [ $wrong -eq 0 ]; then
	echo "All numbers are right."
else
	echo "Some numbers are wrong."
fi
exit $wrong
