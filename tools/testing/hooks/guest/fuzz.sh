#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# timeout: 300
# F17: wrong and half-right lines to every control file, by several processes at
# once, while a module comes and goes: a documented errno, and nothing is left.
# HOOKS_LONG: 100,000 for each file.
. /tools/testing/hooks/guest/functions
lines=${HOOKS_LONG:+100000}
lines=${lines:-4000}
reset_tracing
cd $tracing || exit 1
mkdir instances/fuzz || exit 1
files='set_graph_function set_graph_notrace stack_trace_filter
	function_profile_enabled /proc/sys/kernel/ftrace_enabled'
for dir in . instances/fuzz; do
	for file in filter notrace pid notrace_pid; do
		files="$files $dir/set_ftrace_$file"
	done
done

# What all files say, and what is attached. An event that a probe has enabled
# stays so.
state() {
	echo 0 >events/enable
	echo 0 >instances/fuzz/events/enable
	tail -n +1 $files enabled_functions
}

# Memory of the kernel that it cannot get back by itself, in KiB.
memory() {
	echo 0 >snapshot
	echo 0 >instances/fuzz/snapshot
	sleep 1
	awk '/^SUnreclaim:/ { print $2 }' /proc/meminfo
}

# fuzz LINES SEED: and a module comes and goes meanwhile.
fuzz() {
	hooks_fuzz -n "$1" -s "$2" -p 2 $files &
	fuzz=$!
	loads=0
	while kill -0 $fuzz 2>/dev/null; do
		load hooks_module && unload hooks_module
		loads=$((loads + 1))
	done
	wait $fuzz
	check "all is refused as documented" $? -eq 0
	echo "a module came and went $loads times"
}

state >/tmp/before
# What is made once and kept.
fuzz 100 1
before=$(memory)
fuzz "$lines" 2
after=$(memory)
echo "memory: $before KiB before, $after KiB after"
check "no memory is left behind" $((after - before)) -lt 2048
state >/tmp/after
diff /tmp/before /tmp/after
check "the files say what they said" $? -eq 0
rmdir instances/fuzz
check "the instance can be removed" $? -eq 0
reset_tracing
if grep -q kmemleak=on /proc/cmdline; then
	sh /lab/kmemleak.sh
	check "nothing leaked" $? -eq 0
fi
verdict
