#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make test-cost: what hooks and probes cost on our kernel and on the untouched
# one, of the same configuration, with the same modules. Each kernel runs in a
# guest in which an instruction is a nanosecond, so a figure is exact. Then what
# has to be so many times cheaper is checked.

. "$(dirname "$0")/lib/common.sh"
. "$LAB/lib/install.sh"
. "$LAB/lib/compose.sh"
. "$LAB/lib/build.sh"
. "$LAB/lib/base.sh"
. "$LAB/lib/image.sh"
. "$LAB/lib/boot.sh"

OUT=$BUILD/$ARCH
WORK=$BUILD/cost
BOOT_LIMIT=3000
FIGURE='s/.*\] hooks_\(probe_\)\{0,1\}cost: \(.*\): \([0-9]*\) \(instructions\|ms\).*/\2\t\3/p'
FAILED=0

# cost_modules SRC OUT: those of the modules that the untouched kernel can load,
# too.
cost_modules() {
	local from=$ROOT/tools/testing/hooks to=$2-cost
	rm -rf "$to" "$WORK/modules"
	mkdir -p "$WORK/modules"
	cp "$from"/hooks_{cost.c,probe_costs.c,probe_places.c,probe_places.h} \
		"$WORK/modules/"
	printf '%s\n' 'obj-m := hooks_cost.o hooks_probe_cost.o' \
		'hooks_probe_cost-y := hooks_probe_costs.o hooks_probe_places.o' \
		>"$WORK/modules/Makefile"
	build_modules "$1" "$2" "$WORK/modules" "$to"
}

# show_figures PID LOG: progress until PID ends; returns its status.
show_figures() {
	while kill -0 "$1" 2>/dev/null; do
		sleep 5
		note "$(grep -c 'cost: ' "$2" || true) figures"
	done
	wait "$1"
}

# run_guest NAME SRC OUT: its figures, in NAME.tsv.
run_guest() {
	local log=$WORK/$1.log
	cost_modules "$2" "$3"
	mkdir -p "$WORK/extra/modules"
	cp "$3-cost"/*.ko "$WORK/extra/modules/"
	add_to_image "$WORK/image" "$WORK/extra" "$WORK/boot.img"
	qemu_command 1 icount,max "$(kernel_image "$3")" "$WORK/boot.img" \
		'LAB_MODE=cost ftrace=nop kunit.enable=0 preempt=none'
	timeout "$BOOT_LIMIT" "${QEMU[@]}" -serial file:"$log" </dev/null &
	show_figures $! "$log" ||
		fail "the guest with the kernel $1 did not end" "$log"
	grep -q '^COST-DONE' "$log" || fail "the guest with the kernel $1 died" "$log"
	sed -n "$FIGURE" "$log" >"$WORK/$1.tsv"
}

# table: all figures of ours, and the untouched kernel's beside them.
table() {
	awk -F '\t' '
		FNR == NR { base[$1] = $2; next }
		$1 in base {
			printf "      %-50s %10d %12d %9.1f\n", $1, $2, base[$1], \
				$2 ? base[$1] / $2 : 0
		}' "$WORK/base.tsv" "$WORK/ours.tsv"
}

figure() { awk -F '\t' -v what="$2" '$1 == what { print $2 }' "$WORK/$1.tsv"; }

# times_cheaper WHAT TIMES
times_cheaper() {
	local ours base
	ours=$(figure ours "$1")
	base=$(figure base "$1")
	if [ -n "$ours" ] && [ -n "$base" ] && [ $((ours * $2)) -le "$base" ]; then
		say "      right: $1: at most 1/$2"
	else
		say "      WRONG: $1: at most 1/$2: ${ours:-none}, ${base:-none}"
		FAILED=$((FAILED + 1))
	fi
}

# A function, so that bash has read it all before it starts: the file may change.
main() {
	local where change
	check_arch
	steps 7
	step 'packages'
	install_packages
	lock_trees
	step 'compose the tree'
	compose
	step 'build the kernel'
	build_kernel "$LINUX" "$OUT" "${FRAGMENTS_TEST[@]}"
	step 'build the untouched kernel'
	build_base "$BASE_OUT" "${FRAGMENTS_TEST[@]}"
	step 'measure in a guest with our kernel'
	rm -rf "$WORK"
	mkdir -p "$WORK"
	make_image "$OUT" "$WORK/image"
	run_guest ours "$LINUX" "$OUT"
	step_done "$(wc -l <"$WORK/ours.tsv") figures"
	step 'measure in one with the untouched kernel (some minutes)'
	run_guest base "$BASE_TREE" "$BASE_OUT"
	unlock_trees
	step_done "$(wc -l <"$WORK/base.tsv") figures"
	step 'compare'
	say '      instructions                                             here         base  times'
	table
	for where in entries bodies; do
		for change in registered unregistered; do
			times_cheaper "$where, 2000 $change as an array" 50
		done
	done
	step_done "took $(($(now) - COMMAND_START)) s in all"
	[ "$FAILED" -eq 0 ] || exit 1
}

main; exit 0
