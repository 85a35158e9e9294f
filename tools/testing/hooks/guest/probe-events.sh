#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: icount
# options: KPROBES
# timeout: 900
# C4: many probes made through kprobe_events, enabled and disabled by one write,
# removed by truncating.  What a step costs a probe, in instructions, which are
# nanoseconds here; it does not grow with how many there are.
. /tools/testing/hooks/guest/functions
reset_tracing
cd $tracing || exit 1

now() { sed -n 's/^now at \([0-9]*\) nsecs/\1/p' /proc/timer_list; }

# step NAME COUNT COMMAND...: what it takes for each of COUNT probes.
step() {
	name=$1 nr=$2
	shift 2
	start=$(now)
	eval "$*" || check "$name of $nr works" no = yes
	each=$((($(now) - start) / nr))
	echo "$nr probes, $name: $each instructions each"
	echo "$each" >"/tmp/$name-$nr"
}

# Lines in pieces that cat writes at once: a write's last line has to be whole.
cut_up() {
	rm -rf /tmp/pieces
	mkdir /tmp/pieces
	awk '{ print >sprintf("/tmp/pieces/%03d", NR / 1000) }' "$1"
}

add() {
	for piece in /tmp/pieces/*; do
		cat "$piece" >>kprobe_events || return 1
	done
}

# A function's name has to be the only one of its name, and no part of another.
awk '!/[.\[]/' available_filter_functions | sort | uniq -u | head -n 11000 |
	awk '{ print "p:many/e" NR " " $1 }' >/tmp/lines
: >/tmp/good
# Some may not be probed: find out which, and have the rest in one file.
while read -r line; do
	echo "$line" >>kprobe_events && echo "$line" >>/tmp/good
done </tmp/lines 2>/dev/null
echo >kprobe_events
check "there are enough places" "$(wc -l </tmp/good)" -ge 10000

for nr in 100 1500 10000; do
	head -n $nr /tmp/good >/tmp/some
	cut_up /tmp/some
	step add $nr add
	check "all $nr are there" "$(wc -l <kprobe_events)" -eq $nr
	step enable $nr 'echo 1 >events/many/enable'
	check "… enabled" "$(grep -vc DISABLED /sys/kernel/debug/kprobes/list)" -eq $nr
	cat /proc/version >/dev/null
	check "… and hit" "$(grep -c ': e[0-9]*:\|e[0-9]*: (' trace)" -ge 1
	step disable $nr 'echo 0 >events/many/enable'
	step remove $nr ': >kprobe_events'
	check "none is left" "$(wc -l </sys/kernel/debug/kprobes/list)" -eq 0
	echo >trace
done
# The kernel's own list of events is gone through for each that is added, some
# fifty instructions for each that is there; that is not the engine's.
for name in enable disable remove; do
	few=$(cat /tmp/$name-100) many=$(cat /tmp/$name-10000)
	check "$name: no dearer when there are more" "$many" -le $((few * 2))
done
check "add: but for the list no dearer" \
	"$(cat /tmp/add-10000)" -le $(($(cat /tmp/add-100) * 3 / 2 + 10000 * 50))
check "removing is no dearer than adding" "$(cat /tmp/remove-1500)" -le "$(cat /tmp/add-1500)"
verdict
