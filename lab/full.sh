#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make test-full: the base source's own ftracetest cases, all of them, on the
# untouched kernel and on ours, in guests with 1 and with 2 CPUs. Both kernels
# have the same options (lab/config/selftests.config on top of the small ones).
#
#   TEST=GLOB   only such cases (ftrace/*, direct/ftrace-direct)
#
# A case fails where ours comes to something worse than the untouched kernel,
# three times. A cell of the table is what ftracetest says: PASS, FAIL,
# UNSUPPORTED ..., two words where it runs the case in an instance too; "!" after
# it: the kernel reported something meanwhile; TIMEOUT, HUNG or DIED: it did not
# end, the guest did not answer any more, the guest ended.

. "$(dirname "$0")/lib/common.sh"
. "$LAB/lib/install.sh"
. "$LAB/lib/compose.sh"
. "$LAB/lib/build.sh"
. "$LAB/lib/base.sh"
. "$LAB/lib/image.sh"
. "$LAB/lib/boot.sh"
. "$LAB/lib/report.sh"
. "$LAB/lib/guests.sh"

TEST=${TEST:-*}
FRAGMENTS=("${FRAGMENTS_TEST[@]}" "$LAB/config/selftests.config")
OUT=$BUILD/$ARCH-full
TEST_DIR=$OUT-test
CPUS=(1 2)
# What the cases use and busybox does not have. Its shell runs what it has itself
# without exec, and some cases look for that: dash is their sh.
PROGRAMS=(dash nice chrt)
# Seconds; those that turn on every tracer many times take minutes.
CASE_LIMIT=${CASE_LIMIT:-900}
# Read by lib/guests.sh and lib/report.sh: what a case printed is in a file, and
# that it fails on both kernels is no news.
# shellcheck disable=SC2034
BOOT_LIMIT=400 SLOWDOWN=1 FAILURE_LINES=0

# cases: those of the base's that are wanted. The one of `selftest` looks at the
# cases themselves.
cases() {
	local name
	(cd "$BASE_TREE/tools/testing/selftests/ftrace/test.d" &&
	 find . -name '*.tc' ! -path './selftest/*' -printf '%P\n') | sort |
		while IFS= read -r name; do
			# shellcheck disable=SC2053
			[[ ${name%.tc} != $TEST ]] || echo "${name%.tc}"
		done
}

# make_guest KERNEL OUT: its image, with the base's selftests and what they use,
# and its kernel.
make_guest() {
	local program
	LINUX=$BASE_TREE make_image "$2" "$TEST_DIR/small"
	for program in "${PROGRAMS[@]}"; do
		stage_program "$TEST_DIR/programs" "$program"
	done
	ln -s dash "$TEST_DIR/programs/bin/sh"
	add_to_image "$TEST_DIR/small" "$TEST_DIR/programs" "$TEST_DIR/image-$1"
	rm -rf "$TEST_DIR/small" "$TEST_DIR/programs"
	cp "$(kernel_image "$2")" "$TEST_DIR/bzImage-$1"
}

# start_guest KERNEL CPUS CASES: in the background.
start_guest() {
	local dir=$TEST_DIR/$1-$2
	mkdir -p "$dir"
	: >"$dir/results"
	: >"$dir/started"
	rm -f "$dir/finished"
	awk -v limit="$CASE_LIMIT" '{
		printf "%s\t%d\tsh /lab/selftest.sh %d test.d/%s.tc\n", \
			$0, limit + 30, limit, $0 }' "$3" >"$dir/tests"
	GUEST_KERNEL=$TEST_DIR/bzImage-$1 GUEST_IMAGE=$TEST_DIR/image-$1 \
		run_guest "$1-$2" "$2" max 'kunit.enable=0 ftrace=nop' &
}

# run_guests CASES: what they come to is added to each guest's "all".
run_guests() {
	local cpus kernel dir running=0
	for cpus in "${CPUS[@]}"; do
		for kernel in base ours; do
			if [ "$running" -ge "$JOBS" ]; then
				wait -n || true
				running=$((running - 1))
			fi
			start_guest "$kernel" "$cpus" "$1"
			running=$((running + 1))
		done
	done
	wait
	for dir in "$TEST_DIR"/*/started; do
		dir=${dir%/started}
		guest_finished "$dir"
		cat "$dir/results" >>"$dir/all"
		cat "$dir/serial.log" >>"$dir/serial-all.log"
	done
}

# run_again: what came out worse, in fresh guests of both kernels: some cases
# measure time, and no guest's time is its own. The best of three tries counts.
run_again() {
	local again=$TEST_DIR/cases.again try
	for try in 2 3; do
		sed -n 's/^\([^ ]*\) .* WORSE$/\1/p' "$TEST_DIR/table" |
			grep -xF -f "$TEST_DIR/cases" >"$again" || true
		[ -s "$again" ] || return 0
		note "try $try of $(wc -l <"$again") that came out worse"
		run_guests "$again"
		table
	done
}

# table: the columns side by side, and what they come to.
table() {
	awk -f "$LAB/lib/columns.awk" "$TEST_DIR/cases" \
		"$TEST_DIR"/base-1/all "$TEST_DIR"/ours-1/all \
		"$TEST_DIR"/base-2/all "$TEST_DIR"/ours-2/all >"$TEST_DIR/table"
}

# A function, so that bash has read it all before it starts: the file may change.
main() {
	check_arch
	steps 6
	step 'packages'
	install_packages dwarves
	lock_trees
	step 'compose the tree'
	compose
	step 'build the kernel'
	build_kernel "$LINUX" "$OUT" "${FRAGMENTS[@]}"
	step 'build the untouched kernel'
	build_base "$BASE_OUT-full" "${FRAGMENTS[@]}"
	step 'make the guests'"'"' images'
	rm -rf "$TEST_DIR"
	mkdir -p "$TEST_DIR"
	: >"$TEST_DIR/screen"
	make_guest ours "$OUT"
	make_guest base "$BASE_OUT-full"
	cases >"$TEST_DIR/cases"
	unlock_trees
	[ -s "$TEST_DIR/cases" ] || fail "no case is named like $TEST"
	step_done "$(wc -l <"$TEST_DIR/cases") cases"
	step 'test in guests'
	run_guests "$TEST_DIR/cases"
	table
	run_again
	step_done "took $(($(now) - COMMAND_START)) s in all, logs in $TEST_DIR"
	cat "$TEST_DIR/table"
	tail -n 1 "$TEST_DIR/table" | grep -q ', 0 failed$' || exit 1
}

main; exit 0
