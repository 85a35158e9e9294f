#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1
# options: KPROBES
# timeout: 300
# T3: wrong and half-right definitions of probes, by several processes at once,
# while a module comes and goes: a documented errno, and nothing is left.
# HOOKS_LONG: 100,000 for each file.
. /tools/testing/hooks/guest/functions
lines=${HOOKS_LONG:+100000}
lines=${lines:-3000}
reset_tracing
cd $tracing || exit 1

# What all files say, and what is probed.
state() {
	tail -n +1 kprobe_events dynamic_events enabled_functions \
		/sys/kernel/debug/kprobes/list
}

# Memory of the kernel that it cannot get back by itself, in KiB.
memory() {
	sleep 2
	awk '/^SUnreclaim:/ { print $2 }' /proc/meminfo
}

# fuzz LINES SEED: and a module comes and goes meanwhile.
fuzz() {
	hooks_fuzz -n "$1" -s "$2" -p 2 kprobe_events dynamic_events &
	fuzz=$!
	loads=0
	while kill -0 $fuzz 2>/dev/null; do
		load hooks_module && unload hooks_module
		loads=$((loads + 1))
	done
	wait $fuzz
	check "all is refused as documented" $? -eq 0
	echo "a module came and went $loads times"
	echo >kprobe_events
	echo >dynamic_events
}

state >/tmp/before
# What is made once and kept.
fuzz 200 1
before=$(memory)
fuzz "$lines" 2
after=$(memory)
echo "memory: $before KiB before, $after KiB after"
check "no memory is left behind" $((after - before)) -lt 2048
state >/tmp/after
diff /tmp/before /tmp/after
check "nothing is probed any more" $? -eq 0
if grep -q kmemleak=on /proc/cmdline; then
	sh /lab/kmemleak.sh
	check "nothing leaked" $? -eq 0
fi
verdict
