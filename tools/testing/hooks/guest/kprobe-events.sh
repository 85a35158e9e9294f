#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: KPROBES
# timeout: 200
# Probes as perf probe and people write them into kprobe_events: places by _text
# and an offset, by symbol, address, module; arguments by register, by number, by
# name, from the stack, from memory, by symbol; return values (T2, K1, R1).
. /tools/testing/hooks/guest/functions
reset_tracing
cd $tracing || exit 1
list=/sys/kernel/debug/kprobes/list
# A size that nobody else reads.
size=1237
head -c 4000 /dev/zero >/tmp/file

address_of() { awk -v name="$1" '$3 == name && !n++ { print $1 }' /proc/kallsyms; }
read_file() { dd if=/tmp/file of=/dev/null bs=$size count=1 2>/dev/null; }

clean() {
	echo 0 >events/enable
	echo >kprobe_events
}

# record COMMAND...: what is traced meanwhile goes to /tmp/trace. (Who looks at the
# trace reads, and that is traced.)
record() {
	echo >trace
	echo 1 >tracing_on
	"$@"
	echo 0 >tracing_on
	cat trace >/tmp/trace
}

# define DEFINITION...: and enable all.
define() {
	for definition in "$@"; do
		echo "$definition" >>kprobe_events || { check "$definition" 1 -eq 0; return 1; }
	done
	for group in probe kprobes; do
		[ ! -d events/$group ] || echo 1 >events/$group/enable
	done
}

# seen WHAT PATTERN TIMES
seen() {
	check "$1" "$(grep -c "$2" /tmp/trace)" -eq "$3"
	[ "$(grep -c "$2" /tmp/trace)" -eq "$3" ] || tail -n 5 /tmp/trace
}

# below TEXT: the low half of an address, as busybox counts.
below() { echo "$1" | cut -c 9-; }
from_text() { echo $((0x$(below $(address_of $1)) - 0x$(below $(address_of _text)))); }

load_twice() {
	load hooks_module
	unload hooks_module
	load hooks_module
	unload hooks_module
}

# The first instruction behind a function's hook.
behind() {
	for at in 5 6 7 8 9; do
		if echo "p:behind $1+$at" >kprobe_events 2>/dev/null; then
			echo >kprobe_events
			echo $at
			return
		fi
	done
}

# What perf probe writes; its entry is found though it is named by another symbol.
define "p:probe/vfs_read _text+$(from_text vfs_read) count=%dx:u64 count32=%dx:x32 low=%dx:b8@0/64"
check "it rides on the hook" "$(grep -c '  k  vfs_read+0x[04]    \[FTRACE\]$' $list)" -eq 1
record read_file
seen "_text+OFFSET: registers" \
	"vfs_read: (vfs_read+0x[0-9a-f]*/0x[0-9a-f]*) count=$size count32=0x4d5 low=213" 1
clean

# The same place by what else it can be called.
at=$(behind vfs_read)
define "p:symbol vfs_read count=%dx:u64" \
	"p:offset vfs_read+0 count=%dx:u64" \
	"p:address 0x$(address_of vfs_read) count=%dx:u64" \
	"p:inner vfs_read+$at count=%dx:u64" \
	"p:numbered vfs_read count=\$arg3:u64" \
	"p:named vfs_read count" \
	"p:probe/filtered vfs_read count=%dx:u64"
echo "count == $size" >events/probe/filtered/filter
record read_file
for name in symbol offset address inner numbered; do
	seen "$name" " $name: .* count=$size\$" 1
done
seen "named" " named: .* count=$size\$" 1
seen "filtered: this one" " filtered: .* count=$size\$" 1
check "filtered: no other" "$(grep -c ' filtered: ' /tmp/trace)" -eq 1
clean

# Memory: a user's string by register and by number, a task's name, a symbol.
data="first=@linux_banner:u8 some=@linux_banner:char[5]"
constant="number=\\1237:u32 text=\\\"word\" up=+u0(%si):u8"
define "p:open do_sys_openat2 name=+0(%si):ustring flags=+0(%dx):x64" \
	"p:open2 do_sys_openat2 name=+0(\$arg2):ustring comm=\$comm" \
	"p:data do_sys_openat2 name=+0(%si):ustring boot=+0(@saved_command_line):string $data" \
	"p:constant do_sys_openat2 name=+0(%si):ustring $constant"
record cat /tmp/file >/dev/null
seen "+0(%si):ustring" ' open: (do_sys_openat2+.*) name="/tmp/file" flags=0x' 1
seen "+0(\$arg2), \$comm" ' open2: .* name="/tmp/file" comm="cat"' 1
seen "@symbol" \
	" data: .* name=\"/tmp/file\" boot=\".*ttyS0.*\" first=76 some={'L','i','n','u','x'}" 1
seen "constants" ' constant: .* name="/tmp/file" number=1237 text="word" up=47' 1
clean

# The stack: at the entry its top is where the function will return to.
define "p:stack vfs_read count=%dx:u64 top=\$stack0:x64 where=\$stack:x64 also=+0(\$stack):x64"
record read_file
line=$(grep " stack: .* count=$size " /tmp/trace)
top=$(echo "$line" | sed 's/.* top=0x\([0-9a-f]*\) .*/\1/')
check "top of the stack" "$(echo "$line" | sed 's/.* also=0x\([0-9a-f]*\).*/\1/')" = "$top"
clean

# Returns: from where the function was called.
define "r:back vfs_read got=\$retval:s64 asked=\$arg3:u64"
record read_file
seen "return: the value, and an argument kept from the entry" \
	" back: (.* <- vfs_read) got=$size asked=$size" 1
caller=$(grep " back: .* asked=$size" /tmp/trace | sed 's/.*(\([^ ]*\)+0x\([0-9a-f]*\).* <- .*/\1/')
inside=$(grep " back: .* asked=$size" /tmp/trace | sed 's/.*(\([^ ]*\)+0x\([0-9a-f]*\).* <- .*/\2/')
check "which is $caller+0x$inside" \
	$((0x$(below $top) - 0x$(below $(address_of $caller)))) -eq $((0x$inside))
clean
define "r4:four vfs_read got=\$retval:s64" "p:suffix vfs_read%return got=\$retval:u64"
record read_file
seen "maxactive" " four: (.* <- vfs_read) got=$size" 1
seen "%return" " suffix: (.* <- vfs_read) got=$size" 1
clean

# An error comes back as such.
define "r:failed do_sys_openat2 got=\$retval:s32 name=+0(\$arg2):ustring"
record cat /tmp/no_such_file 2>/dev/null
seen "a negative value" ' failed: .* got=-2 name="/tmp/no_such_file"' 1
clean

# What a module's function is given; the module comes later, goes, and comes again.
define "p:module hooks_module:hooks_module_core x=%di:s32" \
	"r:module_ret hooks_module:hooks_module_core got=\$retval:s32"
record load_twice
seen "its init's call, twice" ' module: (.*) x=1$' 2
seen "its exit's call" ' module: (.*) x=2$' 2
seen "the returns" ' module_ret: (.*) got=[23]$' 4
clean

# Triggers and histograms, as for any event.
define "p:probe/hist vfs_read count=%dx:u64"
echo "hist:keys=count if count == $size" >events/probe/hist/trigger
record read_file
record read_file
check "histogram" "$(grep -c "{ count: *$size } hitcount: *2\$" events/probe/hist/hist)" -eq 1
echo "!hist:keys=count if count == $size" >events/probe/hist/trigger
echo "traceoff if count == $size" >events/probe/hist/trigger
echo 1 >tracing_on
read_file
check "traceoff" "$(cat tracing_on)" -eq 0
echo '!traceoff' >events/probe/hist/trigger
echo "stacktrace if count == $size" >events/probe/hist/trigger
record read_file
seen "a stack trace: the caller" ' => ksys_read$' 1
echo '!stacktrace' >events/probe/hist/trigger
clean

# In an instance of its own, and by pid.
mkdir instances/probes
define "p:alone vfs_read count=%dx:u64"
echo 0 >events/kprobes/enable
echo 1 >instances/probes/events/kprobes/alone/enable
record read_file
echo 0 >instances/probes/events/enable
check "in the instance" "$(grep -c " alone: .* count=$size" instances/probes/trace)" -eq 1
check "not at the top" "$(grep -c ' alone: ' /tmp/trace)" -eq 0
rmdir instances/probes
clean

# What is wrong is refused, with a caret, and leaves nothing.
for wrong in 'p:x no_such_function_at_all' "p:x vfs_read+$((at - 1))" \
	     "r:x vfs_read+$at" 'p:x kprobe_int3_handler' 'p:x vfs_read a=%no' \
	     'p:x vfs_read a=$arg0' 'p:x vfs_read a=+0('; do
	echo >error_log
	echo "$wrong" >>kprobe_events 2>/dev/null
	check "'$wrong' is refused" $? -ne 0
	check "… and said why" "$(grep -c 'error: ' error_log)" -ge 1
done
check "nothing is left" "$(wc -l <kprobe_events)$(wc -l <$list)" = 00
echo 1 >tracing_on
verdict
