#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1
# options: KPROBES
# timeout: 300
# K6: each allocation of registering, unregistering, enabling and disabling probes
# fails in turn.
. /tools/testing/hooks/guest/functions
for dir in failslab fail_page_alloc; do
	[ -d /sys/kernel/debug/$dir ] || { echo "no $dir"; exit 4; }
	echo N >/sys/kernel/debug/$dir/ignore-gfp-wait
	echo 0 >/sys/kernel/debug/$dir/verbose
done
echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
load hooks_probe_failnth && unload hooks_probe_failnth
check "no fault" "$(messages hooks_probe_failnth | grep -c ' 0 faults')" -eq 1
check "no probe is left" "$(wc -l </sys/kernel/debug/kprobes/list)" -eq 0
messages hooks_probe_failnth
verdict
