# SPDX-License-Identifier: GPL-2.0
# `make bench`: all rows, on whatever kernel this is. How many ops, probes,
# resting probes and names there may be, and how many lines of 200 addresses are
# looked at for places of probes, is on the command line (BENCH_OPS= and so on): in the base kernel some costs grow with the square of it.

param=/sys/module/hooks_bench/parameters
tracing=/sys/kernel/tracing

row() { echo "hooks_bench: $1 | $2 | $3" >/dev/kmsg; }

# run COMMAND [NUMBER]
run() {
	echo "BENCH-AT $*"
	echo "$*" >$param/run || echo "BENCH-FAILED $*"
}

# up_to MOST NUMBER...: those that are not more.
up_to() {
	most=$1
	shift
	for nr in "$@"; do
		[ "$nr" -gt "$most" ] || echo "$nr"
	done
}

# What the kernel has taken, in bytes.
used() {
	echo 1 >/proc/sys/vm/stat_refresh
	awk '/^(SReclaimable|SUnreclaim|VmallocUsed|Percpu|PageTables):/ { n += $2 }
	     END { print n * 1024 }' /proc/meminfo
}

# memory ROW HOLD DROP MANY: of each, by what 100 and MANY of them take.
memory() {
	run "$2" 100
	sleep 3
	few=$(used)
	run "$3"
	run "$2" "$4"
	sleep 3
	row "$1" "$4" $((($(used) - few) / ($4 - 100)))
	run "$3"
}

boot_rows() {
	dmesg | sed -n 's/^\[ *\([0-9]*\)\.\([0-9]*\)\] Run \/init .*/\1 \2/p' |
	while read -r s us; do
		row 'boot until init' 1 "$s${us}000"
	done
	sites=$(wc -l <$tracing/available_filter_functions)
	pages=$(sed 's/.*pages: *\([0-9]*\) .*/\1/' $tracing/dyn_ftrace_total_info)
	row 'memory, bytes a site' "$sites" $((pages * 4096 / sites))
}

hit_rows() {
	run unhooked
	for nr in 1 2 4 8 16 32 64; do
		run several $nr
	done
	run guards
	run probe-hits 0
	run attach 0
	for nr in 1 2 5; do
		run kretprobes $nr
	done
	run fprobes
	echo bench_target >$tracing/set_ftrace_filter
	for tracer in function function_graph; do
		echo $tracer >$tracing/current_tracer
		echo "hit, tracer $tracer" >$param/hit
		echo nop >$tracing/current_tracer
	done
	echo >$tracing/set_ftrace_filter
}

ops_rows() {
	insmod $MODDIR/hooks_bench_load.ko
	for nr in 1 10 64 100 1000; do
		run attach "$nr"
		run detach
	done
	memory 'memory, bytes an ops' attach detach 1000
	memory 'memory, bytes a kretprobe' hold-kretprobes drop-kretprobes 1000
	[ "$BENCH_OPS" -lt 10000 ] || { run attach 10000; run detach; }
	rmmod hooks_bench_load
}

# load_row ROW: a module of 1,000 functions comes and goes.
load_row() {
	row "$1" 1 "$(hooks_load $MODDIR/hooks_bench_load.ko)"
}

filter_rows() {
	for nr in $(up_to "$BENCH_NAMES" 1 10 100 1000 10000); do
		run names "$nr"
	done
	for nr in $(up_to "$BENCH_OPS" 1 10 100 1000 10000); do
		run addresses "$nr"
	done
	run globs
	load_row 'load a module, nothing hooked'
	run attach-all
	load_row 'load a module, all hooked'
	run detach-all
	most=$BENCH_NAMES
	[ "$most" -le 1000 ] || most=1000
	hooks_listing "$most" | while read -r what nr took; do
		case $what in
		read) row 'read available_filter_functions, a line' "$nr" $((took / nr)) ;;
		write) row 'write names to set_ftrace_filter, each' "$nr" $((took / nr)) ;;
		esac
	done
	echo >$tracing/set_ftrace_filter
}

probe_rows() {
	for nr in $(up_to "$BENCH_PROBES" 1 10 100 500 2000 10000); do
		run one-by-one "$nr"
		run as-array "$nr"
	done
	memory 'memory, bytes a probe' hold-probes drop-probes "$BENCH_HELD"
	for nr in $(up_to "$BENCH_HELD" 100 1000 10000); do
		run hold-probes "$nr"
		sleep 3
		run probe-hits "$nr"
		run drop-probes
	done
}

boot_rows
# From here on figures go out as they come, between what is measured.
dmesg -n 7
insmod $MODDIR/hooks_bench.ko
awk '!/\[/ { line = line " " $1; nr++ }
	nr == 200 { print line; line = ""; nr = 0 }' \
	$tracing/available_filter_functions_addrs | head -n "$BENCH_LINES" |
while read -r line; do
	echo "$line" >$param/add
done
hit_rows
filter_rows
probe_rows
ops_rows
rmmod hooks_bench
dmesg
echo BENCH-DONE
