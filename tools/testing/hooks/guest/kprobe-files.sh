#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: KPROBES
# timeout: 300
# debugfs kprobes/: the list and what it says of each probe (K15), those whose
# module goes (K14), the switch (K15), the blacklist (K9); and the sysctl for jumps
# (K13).
. /tools/testing/hooks/guest/functions
reset_tracing
cd $tracing || exit 1
files=/sys/kernel/debug/kprobes
switch=/proc/sys/debug/kprobes-optimization
function=version_proc_show

address_of() { awk -v name="$1" '$3 == name && !n++ { print $1 }' /proc/kallsyms; }
said() { dmesg | grep -c "kprobes: $1"; }
hits() { awk -v name="$1" '$1 == name { print $2 }' kprobe_profile; }
call() { cat /proc/version /proc/version /proc/version >/dev/null; }
# line OFFSET: what the list says of version_proc_show+OFFSET.
line() { grep "  $function+$1  " $files/list; }

# soon COMMAND: whether it is so within some seconds.
soon() {
	i=0
	while [ $i -lt 100 ] && ! eval "$1"; do
		sleep 0.1
		i=$((i + 1))
	done
	eval "$1"
}

gone_all() {
	echo 0 >events/enable
	echo >kprobe_events
}

# inner: the offset of the first instruction behind the entry at which there may
# be a jump.
inner() {
	for at in 9 10 11 12 13 14 15 16 17 18 19 20; do
		echo "p:inner $function+$at" >kprobe_events 2>/dev/null || continue
		echo 1 >events/kprobes/inner/enable
		if soon "line 0x$(printf %x $at) | grep -q OPTIMIZED"; then
			gone_all
			echo $at
			return
		fi
		gone_all
	done
}

site=$(awk -v name=$function '$2 == name { print substr($1, 9) }' \
	available_filter_functions_addrs)
entry=$((0x$site - \
	0x$(address_of $function | cut -c 9-)))
entry=0x$(printf %x $entry)
at=$(inner)
check "there is a place for a jump" -n "$at"
inner=0x$(printf %x "$at")
base=$(address_of $function)

# K15: a line for each.
{
	echo "p:entry $function"
	echo "r:ret $function"
	echo "p:inner $function+$at"
	echo "p:inner2 $function+$at"
	echo "p:off $function+$at"
} >kprobe_events
check "all are listed" "$(wc -l <$files/list)" -eq 5
check "and are disabled" "$(grep -c '\[DISABLED\]' $files/list)" -eq 5
for name in entry ret inner inner2; do
	echo 1 >events/kprobes/$name/enable
done
soon 'line $inner | grep -q OPTIMIZED'
cat $files/list
at_entry=$(printf '%x' $((0x$(echo $base | cut -c 9-) + entry)))
at_inner=$(printf '%x' $((0x$(echo $base | cut -c 9-) + at)))
high=$(echo $base | cut -c 1-8)
cat >/tmp/expected <<-END
	$high$at_entry  k  $function+$entry    [FTRACE]
	$high$at_entry  r  $function+$entry    [FTRACE]
	$high$at_inner  k  $function+$inner    [OPTIMIZED]
	$high$at_inner  k  $function+$inner    [OPTIMIZED]
	$high$at_inner  k  $function+$inner    [DISABLED][OPTIMIZED]
END
check "the list, to the letter" "$(cat $files/list)" = "$(cat /tmp/expected)"
call
for name in entry ret inner inner2; do
	check "$name: three hits" "$(hits $name)" -eq 3
done
check "the disabled one has none" "$(hits off)" -eq 0

# Addresses are not for everybody.
echo 2 >/proc/sys/kernel/kptr_restrict
check "addresses are hidden" \
	"$(grep -c '^0000000000000000  [kr]  version_proc_show+' $files/list)" -eq 5
check "those of the blacklist, too" \
	"$(grep -vc '^0x0000000000000000-0x0000000000000000	' $files/blacklist)" -eq 0
echo 0 >/proc/sys/kernel/kptr_restrict
check "nobody but root reads the list" "$(stat -c %a $files/list)" = 400
check "… the blacklist" "$(stat -c %a $files/blacklist)" = 400
check "… the switch" "$(stat -c %a $files/enabled)" = 600

# K15: the switch.
before=$(said 'Kprobes globally disabled')
check "it is on" "$(cat $files/enabled)" = 1
echo 0 >$files/enabled
check "it is off" "$(cat $files/enabled)" = 0
check "it was said" "$(said 'Kprobes globally disabled')" -eq $((before + 1))
check "nothing is optimised" "$(grep -c OPTIMIZED $files/list)" -eq 0
check "no probe's own state changed" "$(grep -c DISABLED $files/list)" -eq 1
check "no hook is there" "$(grep -c "^$function " enabled_functions)" -eq 0
call
for name in entry ret inner inner2; do
	check "off: $name is silent" "$(hits $name)" -eq 3
done
echo "p:late $function" >>kprobe_events
echo "p:late2 $function+$at" >>kprobe_events
echo 1 >events/kprobes/late/enable
echo 1 >events/kprobes/late2/enable
echo 0 >events/kprobes/inner2/enable
call
check "one registered while it is off is silent" "$(hits late)" -eq 0
check "… inside, too" "$(hits late2)" -eq 0
for word in '' x 2 maybe; do
	echo "$word" >$files/enabled 2>/dev/null
	check "'$word' is refused" $? -ne 0
done
check "it is off still" "$(cat $files/enabled)" = 0
before=$(said 'Kprobes globally enabled')
echo 1 >$files/enabled
check "on again" "$(cat $files/enabled)" = 1
check "it was said" "$(said 'Kprobes globally enabled')" -eq $((before + 1))
echo Y >$files/enabled
check "twice changes nothing" "$(said 'Kprobes globally enabled')" -eq $((before + 1))
call
for name in entry ret inner; do
	check "on: $name" "$(hits $name)" -eq 6
done
check "on: those that came meanwhile" "$(hits late) $(hits late2)" = '3 3'
check "disabled meanwhile: silent" "$(hits inner2)" -eq 3
check "it has a jump again" "$(soon 'line $inner | grep -q OPTIMIZED'; echo $?)" -eq 0

# K13: the sysctl.
echo 0 >$switch
check "no jumps" "$(grep -c OPTIMIZED $files/list)" -eq 0
check "it was said" \
	"$(said 'kprobe jump-optimization is disabled. .* based on software breakpoint.')" -ge 1
call
check "hits go on" "$(hits inner) $(hits late2)" = '9 6'
echo 2 >$switch 2>/dev/null
check "2 is refused" $? -ne 0
echo -1 >$switch 2>/dev/null
check "-1 is refused" $? -ne 0
check "it stayed" "$(cat $switch)" -eq 0
sleep 1
check "no jumps come by themselves" "$(grep -c OPTIMIZED $files/list)" -eq 0
echo 1 >$switch
check "jumps come back" "$(soon 'line $inner | grep -q OPTIMIZED'; echo $?)" -eq 0
check "it was said" \
	"$(said 'kprobe jump-optimization is enabled. .* optimized if possible.')" -ge 1
call
check "hits go on" "$(hits inner) $(hits late2)" = '12 9'
gone_all
check "nothing is left" "$(wc -l <$files/list)" -eq 0
check "no hook either" "$(grep -c "^$function " enabled_functions)" -eq 0

# K14: probes of a module that goes, one on its entry, one on its return.
load hooks_module
echo 'p:gone hooks_module:hooks_module_core' >kprobe_events
echo 'r:goner hooks_module:hooks_module_core' >>kprobe_events
echo 1 >events/kprobes/enable
check "the module is named" \
	"$(grep -c '  [kr]  hooks_module_core+0x[04]  hooks_module \[FTRACE\]$' $files/list)" -eq 2
unload hooks_module
check "they are gone" "$(grep -c '\[GONE\]' $files/list)" -eq 2
check "and not disabled" "$(grep -c '\[DISABLED\]' $files/list)" -eq 0
cat $files/list
load hooks_module
check "they are there again" "$(grep -c '  hooks_module \[FTRACE\]$' $files/list)" -eq 2
unload hooks_module
gone_all
check "gone ones are unregistered" "$(wc -l <$files/list)" -eq 0

# K9: the blacklist.
check "its form" \
	"$(grep -vEc '^0x[0-9a-f]{16}-0x[0-9a-f]{16}	[^ 	]+$' $files/blacklist)" -eq 0
for name in kprobe_int3_handler exc_int3 entry_SYSCALL_64; do
	check "$name: no probe there" "$(echo "p $name" >kprobe_events 2>/dev/null; echo $?)" -ne 0
done
check "the engine's own is listed" "$(grep -c '	kprobe_int3_handler$' $files/blacklist)" -eq 1
check "ranges are not empty" "$(awk -F '[-\t]' '$1 "" >= $2 ""' $files/blacklist | wc -l)" -eq 0
lines=$(wc -l <$files/blacklist)
load kretprobe_example
check "a module's come" \
	"$(grep -c '	entry_handler \[kretprobe_example\]$' $files/blacklist)" -eq 1
check "none there, either" \
	"$(echo 'p kretprobe_example:entry_handler' >kprobe_events 2>/dev/null; echo $?)" -ne 0
unload kretprobe_example
check "and go" "$(wc -l <$files/blacklist)" -eq "$lines"

# The list is read while probes come and go.
touch /tmp/go
while [ -e /tmp/go ]; do cat $files/list; done >/tmp/lists 2>&1 &
reader=$!
i=0
while [ $i -lt 20 ]; do
	echo "p:entry $function" >>kprobe_events
	echo "p:inner $function+$at" >>kprobe_events
	echo 1 >events/kprobes/enable
	gone_all
	i=$((i + 1))
done
rm /tmp/go
wait $reader
check "each line is whole" \
	"$(grep -vEc "^[0-9a-f]{16}  k  $function\+0x[0-9a-f]+    (\[[A-Z]+\])*$" /tmp/lists)" -eq 0
verdict
