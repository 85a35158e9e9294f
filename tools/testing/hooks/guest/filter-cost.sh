#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: icount
# timeout: 300
# What it costs to attach, to detach and to name functions, and that it does not
# grow with what others have registered.
. /tools/testing/hooks/guest/functions
param=/sys/module/hooks_filter_cost/parameters
load hooks_filter_cost
# Names that one function each has, in no order of their addresses.
grep -v '[][ .]\|__ftrace_invalid' $tracing/available_filter_functions |
	sort | uniq -u | awk 'NR % 2' | head -n 10000 |
	awk '{ line = line " " $1 } NR % 50 == 0 { print line; line = "" }' |
while read -r line; do
	echo "$line" >$param/add
done
echo 1 >$param/run
check "it ran to its end" $? -eq 0
messages hooks_filter_cost
# figure WHAT: its instructions.
figure() { messages hooks_filter_cost | sed -n "s/.*hooks_filter_cost: $1: \([0-9]*\) .*/\1/p"; }
# at_most WHAT LIMIT
at_most() {
	have=$(figure "$1")
	check "$1: at most $2" "${have:-none}" -le "$2"
}

for others in none 1000 10000; do
	at_most "attach among $others" 40000
	at_most "detach among $others" 60000
done
alone=$(figure 'attach among none')
among=$(figure 'attach among 10000')
check "attach: less than an instruction more for each other" "${among:-none}" -lt $((alone + 10000))
at_most 'exact name' 30000
# The goal is 5,000,000.
at_most '1000 exact names' 11000000
at_most '1000 exact names, registered' 60000000
at_most 'prefix tcp_\*' 1000000
at_most 'middle \*lock\*' 15000000
unload hooks_filter_cost
verdict
