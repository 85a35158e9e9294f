#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 4
# timeout: 300
# Not where kmemleak is on, which takes memory of its own for each allocation.
# Memory: at most 24 bytes a site, and 512 for an ops on one function.
. /tools/testing/hooks/guest/functions
sites=$(wc -l <$tracing/available_filter_functions)
pages=$(sed 's/.*pages: *\([0-9]*\) .*/\1/' $tracing/dyn_ftrace_total_info)
groups=$(sed 's/.*groups: *\([0-9]*\).*/\1/' $tracing/dyn_ftrace_total_info)
cat $tracing/dyn_ftrace_total_info
check "tables of $sites sites take 24 bytes each" \
	$((pages * 4096)) -le $((sites * 24 + groups * 4096))

# What the kernel has taken, in bytes. Free memory would not do: pages that
# CPUs keep for themselves are missing there.
used() {
	echo 1 >/proc/sys/vm/stat_refresh
	awk '/^(SReclaimable|SUnreclaim|VmallocUsed|Percpu|PageTables):/ { n += $2 }
	     END { print n * 1024 }' /proc/meminfo
}

# used_with NR: the same, with that many ops attached.
used_with() {
	load hooks_memory nr="$1" || return
	check "$1 functions are hooked" "$(wc -l <$tracing/enabled_functions)" -eq "$1"
	used=$(used)
	unload hooks_memory
}

used=0
used_with 100
few=$used
used_with 10000
each=$(((used - few) / 9900))
echo "an ops takes $each bytes"
check "at most 512 bytes" $each -le 512
check "and not none, which would be a wrong measure" $each -ge 128
verdict
