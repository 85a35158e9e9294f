#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make test, make test-debug: the kernel of the series in emulated guests.
#
#   TEST=GLOB      only tests of such names (hooks/*, tc/*, selftest/*,
#                  kunit/SUITE.CASE, boot/*); without it, all
#   GUESTS="1 4"   only in these guests (lab/guests/ARCH)
#   LONG=1         the long run of hooks/fuzz, storm, returns
#   DEBUG=1        on the kernel with KASAN, lockdep and their like

. "$(dirname "$0")/lib/common.sh"
. "$LAB/lib/install.sh"
. "$LAB/lib/compose.sh"
. "$LAB/lib/build.sh"
. "$LAB/lib/image.sh"
. "$LAB/lib/boot.sh"
. "$LAB/lib/report.sh"
. "$LAB/lib/guests.sh"

TEST=${TEST:-*}
FRAGMENTS=("${FRAGMENTS_TEST[@]}")
OUT=$BUILD/$ARCH
BOOT_LIMIT=400
SLOWDOWN=1
MEMORY=1024
if [ -n "${DEBUG-}" ]; then
	FRAGMENTS+=("$LAB/config/debug.config")
	OUT=$BUILD/$ARCH-debug
	BOOT_LIMIT=2400
	SLOWDOWN=6
	MEMORY=3072
fi
TEST_DIR=$OUT-test
GUEST_KERNEL=$TEST_DIR/bzImage
GUEST_IMAGE=$TEST_DIR/image

# header FILE FIELD: the value of a "# field: value" line.
header() { sed -n "s/^# *$2: *//p" "$1" | head -n 1; }

# plan_line NAME LIMIT COMMAND: into the guest's list, if it is asked for.
plan_line() {
	# shellcheck disable=SC2053
	[[ $1 == $TEST ]] || return 0
	printf '%s\t%s\t%s\n' "$1" "$(($2 * SLOWDOWN))" "$3"
}

# plan_selftests GUEST: those of the base's own ftracetest cases that fit the time.
plan_selftests() {
	local case guests
	sed -e 's/#.*//' -e '/^$/d' "$LAB/selftests" | while read -r case guests; do
		[[ -z $guests || " $guests " == *" $1 "* ]] || continue
		plan_line "selftest/${case%.tc}" 280 \
			"sh /lab/selftest.sh $((250 * SLOWDOWN)) test.d/$case"
	done
}

# has_options NAME...: whether the kernel is configured with all of them.
has_options() {
	local name
	for name in $1; do
		grep -qx "CONFIG_$name=y" "$OUT/.config" || return 1
	done
}

# plan_guest GUEST APPEND: the tests that this guest is to run.
plan_guest() {
	local guest=$1 file name limit guests
	for file in "$ROOT"/tools/testing/hooks/guest/*.sh; do
		[ -f "$file" ] || continue
		guests=$(header "$file" guests)
		[ -n "$guests" ] || fail "${file#"$ROOT/"} has no '# guests:' line"
		[[ " $guests " == *" $guest "* ]] || continue
		has_options "$(header "$file" options)" || continue
		name=$(basename "$file" .sh)
		limit=$(header "$file" timeout)
		# The long runs take a quarter of an hour.
		[ -z "${LONG-}" ] || limit=3600
		plan_line "hooks/$name" "${limit:-120}" \
			"sh /tools/testing/hooks/guest/$name.sh"
	done
	[ "$guest" != icount ] || return 0
	for file in "$ROOT"/tools/testing/selftests/ftrace/test.d/hooks/*.tc; do
		[ -f "$file" ] || continue
		name=$(basename "$file")
		plan_line "tc/${name%.tc}" 120 "cd /selftests/ftrace && sh ./ftracetest -vv --fail-unsupported --fail-unresolved -l /tmp/logs test.d/hooks/$name"
	done
	plan_selftests "$guest"
	[[ $2 != *kmemleak=on* ]] || plan_line lab/kmemleak 120 'sh /lab/kmemleak.sh'
}

# boot_parameters APPEND: what to leave out when only some tests are asked for.
boot_parameters() {
	local append=$1
	case $TEST in
	'*') ;;
	kunit/*) append+=" ftrace=nop kunit.filter_glob=${TEST#kunit/}" ;;
	boot/*) append+=' kunit.enable=0' ;;
	*) append+=' kunit.enable=0 ftrace=nop' ;;
	esac
	echo "$append"
}

# wanted_guests: the lines of lab/guests that this run is about.
wanted_guests() {
	local name rest
	grep -v '^#' "$LAB/guests/$ARCH" | while IFS= read -r rest; do
		name=${rest%%$'\t'*}
		[ -z "${GUESTS-}" ] || [[ " $GUESTS " == *" $name "* ]] || continue
		# How many instructions a debugging kernel takes says nothing.
		[ -z "${DEBUG-}" ] || [ "$name" != icount ] || continue
		echo "$rest"
	done
}

run_guests() {
	local name cpus model append running=0
	while IFS=$'\t' read -r name cpus model append; do
		mkdir -p "$TEST_DIR/$name"
		: >"$TEST_DIR/$name/results"
		plan_guest "$name" "$append" >"$TEST_DIR/$name/tests"
		if [ "$TEST" != '*' ] && [ ! -s "$TEST_DIR/$name/tests" ] &&
		   [[ $name == icount || $TEST != @(kunit|boot)/* ]]; then
			continue
		fi
		if [ "$running" -ge "$JOBS" ]; then
			wait -n || true
			running=$((running - 1))
		fi
		: >"$TEST_DIR/$name/started"
		run_guest "$name" "$cpus" "$model" "$(boot_parameters "$append")" &
		running=$((running + 1))
	done < <(wanted_guests)
	wait
	for name in "$TEST_DIR"/*/started; do
		guest_finished "${name%/started}"
	done
}

# verdict: the last line, and the exit status.
verdict() {
	local passed failed skipped
	cat "$TEST_DIR"/*/results >"$TEST_DIR/all"
	passed=$(grep -c "^$RESULT_PASS" "$TEST_DIR/all" || true)
	failed=$(grep -c "^$RESULT_FAIL" "$TEST_DIR/all" || true)
	skipped=$(grep -c "^$RESULT_SKIP" "$TEST_DIR/all" || true)
	step_done "took $(($(now) - COMMAND_START)) s in all"
	if [ "$skipped" -gt 0 ]; then
		say "$passed passed, $failed failed, $skipped skipped"
	else
		say "$passed passed, $failed failed"
	fi
	if [ "$failed" -gt 0 ] || [ "$passed" -eq 0 ]; then
		exit 1
	fi
}

# A function, so that bash has read it all before it starts: the file may change.
main() {
	check_arch
	steps 6
	step 'packages'
	install_packages libbpf-dev
	lock_trees
	step 'compose the tree'
	compose
	step "build the kernel${DEBUG:+ (debugging)}"
	build_kernel "$LINUX" "$OUT" "${FRAGMENTS[@]}"
	step 'build the modules and programs'
	external_modules "$OUT" samples/hooks tools/testing/hooks
	user_programs "$OUT"
	step_done 'samples/hooks and tools/testing/hooks are built'
	step 'make the guests'"'"' image'
	rm -rf "$TEST_DIR"
	mkdir -p "$TEST_DIR"
	: >"$TEST_DIR/screen"
	make_image "$OUT" "$GUEST_IMAGE"
	cp "$(kernel_image "$OUT")" "$GUEST_KERNEL"
	unlock_trees
	step_done "$(($(stat -c %s "$GUEST_IMAGE") / 1048576)) MiB"
	step 'test in guests'
	run_guests
	verdict
}

main; exit 0
