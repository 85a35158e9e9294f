#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: KPROBES
# timeout: 300
# Every symbol of the sections that are not for probes refuses one, whatever else
# is marked there (K9); functions beside them do not.
. /tools/testing/hooks/guest/functions
parameters=/sys/module/hooks_place/parameters

# symbols FROM TO: addresses of the code between two symbols.
symbols() {
	awk -v from="$1" -v to="$2" '
		$3 == to { exit }
		inside && $2 ~ /[tT]/ && $1 != last { print last = $1 }
		$3 == from { inside = 1 }' /proc/kallsyms
}

count() { cat $parameters/$1; }

load hooks_place || exit 1
for section in __entry_text __noinstr_text __kprobes_text; do
	symbols ${section}_start ${section}_end >/tmp/addresses
	echo 0 >$parameters/refused
	echo 0 >$parameters/taken
	while read -r address; do
		echo $address >$parameters/at
		[ "$(count errno)" -eq -22 ] ||
			echo "$(count errno): $(grep -m 1 "^$address" /proc/kallsyms)"
	done </tmp/addresses
	check "$section: no probe anywhere" "$(count taken)" -eq 0
	check "$section: all were tried" "$(count refused)" -eq "$(wc -l </tmp/addresses)"
done
symbols __entry_text_start __entry_text_end >/tmp/addresses
check "there are some" "$(wc -l </tmp/addresses)" -gt 20
awk '$3 == "vfs_read" { print $1 }' /proc/kallsyms >$parameters/at
check "vfs_read takes one" "$(count errno)" -eq 0
unload hooks_place
verdict
