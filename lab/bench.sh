#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make bench: what hooks and probes cost, on the untouched kernel and on ours, of
# the configuration of `make run`, with the same modules (tools/testing/hooks/bench).
# Each runs in a guest in which an instruction is a nanosecond, both at a time, and
# each twice: what is counted is exact, and a row that isn't is said to be so.
#
#   BENCH_ONCE=1   run each once
#   STEPS=1        list the instructions of a hit of ours instead, one by one
#
# lab/bench/rows says which rows there are, what the goals are, and why a row
# misses its goal or differs from run to run. Whatever it doesn't explain is a
# failure. build/bench has the figures: bench.csv, bench.svg.

. "$(dirname "$0")/lib/common.sh"
. "$LAB/lib/install.sh"
. "$LAB/lib/compose.sh"
. "$LAB/lib/build.sh"
. "$LAB/lib/base.sh"
. "$LAB/lib/image.sh"
. "$LAB/lib/boot.sh"
. "$LAB/bench/steps.sh"

OUT=$BUILD/$ARCH-run
BASE_OUT=$BASE_OUT-run
WORK=$BUILD/bench
BOOT_LIMIT=3000
# How many ops, probes, resting probes, names there are at most. Ten times as many
# would keep the untouched kernel busy for hours.
MOST_ours='BENCH_OPS=10000 BENCH_PROBES=10000 BENCH_HELD=10000 BENCH_NAMES=1000 BENCH_LINES=55'
MOST_base='BENCH_OPS=1000 BENCH_PROBES=100 BENCH_HELD=1000 BENCH_NAMES=10 BENCH_LINES=8'

# make_guest KERNEL SRC OUT: modules, programs and image.
make_guest() {
	local stage=$WORK/$1.d programs=(hooks_load hooks_listing)
	build_modules "$2" "$3" "$ROOT/tools/testing/hooks/bench" "$3-bench"
	mkdir -p "$WORK/programs"
	logged "$LOGS/bench-programs.log" make -C "$ROOT/tools/testing/hooks/user" \
		OUT="$WORK/programs" "${programs[@]/#/$WORK/programs/}"
	rm -rf "$stage"
	stage_base "$stage"
	cp "$3-bench"/*.ko "$stage/modules/"
	cp "$WORK/programs"/* "$stage/bin/"
	pack "$stage" "$WORK/$1.img"
	rm -rf "$stage"
	cp "$(kernel_image "$3")" "$WORK/$1.bzImage"
}

# start_guest KERNEL RUN: in the background. Its clock and its random numbers are
# the same each time.
start_guest() {
	local log=$WORK/$1-$2.log most=MOST_$1
	rm -f "$log"
	qemu_command 1 icount,max "$WORK/$1.bzImage" "$WORK/$1.img" \
		"LAB_MODE=bench quiet preempt=none ${!most}"
	QEMU+=(-seed 1 -rtc 'base=2024-11-17,clock=vm')
	timeout "$BOOT_LIMIT" "${QEMU[@]}" -serial file:"$log" </dev/null \
		>"$log.qemu" 2>&1 &
}

# guest_figures KERNEL RUN: what it measured, as ROW, COUNT, FIGURE by tabs.
guest_figures() {
	local log=$WORK/$1-$2.log
	tr -d '\r' <"$log" >"$log.text"
	grep -q '^BENCH-DONE' "$log.text" ||
		fail "the guest with the kernel $1 did not end" "$log.text"
	! grep -E "^BENCH-FAILED|$REPORTS" "$log.text" >"$WORK/reports" ||
		fail "the kernel $1 reported something" "$WORK/reports"
	sed -n 's/^\[[^]]*\] hooks_bench: \(.*\) | \([0-9]*\) | \([0-9]*\)$/\1\t\2\t\3/p' \
		"$log.text" >"$WORK/$1-$2.tsv"
}

# run_guests RUN: both, and what they are doing.
run_guests() {
	local kernel kernels=(base ours) line
	for kernel in "${kernels[@]}"; do
		start_guest "$kernel" "$1"
	done
	while [ -n "$(jobs -rp)" ]; do
		sleep 10
		line=''
		for kernel in "${kernels[@]}"; do
			line+="${line:+, }$kernel: $(sed -n 's/^BENCH-AT \([^\r]*\).*/\1/p' \
				"$WORK/$kernel-$1.log" 2>/dev/null | tail -n 1)"
		done
		note "run $1, $line"
	done
	for kernel in "${kernels[@]}"; do
		guest_figures "$kernel" "$1"
	done
}

# compare: the table; also bench.csv and bench.svg.
compare() {
	local status=0 files=("$WORK"/{base,ours}-1.tsv)
	[ -n "${BENCH_ONCE-}" ] || files+=("$WORK"/{base,ours}-2.tsv)
	awk -v csv="$WORK/bench.csv" -f "$LAB/bench/table.awk" "$LAB/bench/rows" \
		"${files[@]}" || status=1
	awk -f "$LAB/bench/chart.awk" "$WORK/bench.csv" >"$WORK/bench.svg"
	say "      also in $WORK/bench.csv and $WORK/bench.svg"
	return $status
}

# A function, so that bash has read it all before it starts: the file may change.
main() {
	local run runs=(1 2)
	check_arch
	[ -z "${BENCH_ONCE-}" ] || runs=(1)
	[ -n "${STEPS-}" ] && steps 4 || steps 7
	step 'packages'
	install_packages
	lock_trees
	step 'compose the tree'
	compose
	step 'build the kernel'
	build_kernel "$LINUX" "$OUT" "${FRAGMENTS_RUN[@]}"
	mkdir -p "$WORK"
	if [ -n "${STEPS-}" ]; then
		step 'list the steps of a hit'
		make_guest ours "$LINUX" "$OUT"
		unlock_trees
		list_steps
		return
	fi
	step 'build the untouched kernel'
	build_base "$BASE_OUT" "${FRAGMENTS_RUN[@]}"
	step 'make the guests'"'"' images'
	make_guest ours "$LINUX" "$OUT"
	make_guest base "$BASE_TREE" "$BASE_OUT"
	unlock_trees
	step_done 'the same modules for both'
	step "measure in guests with the one and the other (some minutes)"
	for run in "${runs[@]}"; do
		run_guests "$run"
	done
	step_done "$(wc -l <"$WORK/ours-1.tsv") figures"
	step 'compare'
	compare || fail 'see the table: a row says nothing of why'
	step_done "took $(($(now) - COMMAND_START)) s in all"
}

main; exit 0
