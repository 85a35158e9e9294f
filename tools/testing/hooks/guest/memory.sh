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
check "tables of $sites sites take 24 bytes each" $((pages * 4096)) -le $((sites * 24 + groups * 4096))
load hooks_memory && unload hooks_memory
each=$(messages hooks_memory | sed -n 's/.*: \([0-9]*\) bytes each.*/\1/p')
messages hooks_memory
check "an ops takes at most 512 bytes" "${each:-9999}" -le 512
verdict
