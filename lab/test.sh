#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make test, make test-debug: the kernel of the series in emulated guests.
#
#   TEST=GLOB      only tests of such names (hooks/*, tc/*, kunit/SUITE.CASE,
#                  boot/*); without it, all
#   GUESTS="1 4"   only in these guests (lab/guests/ARCH)
#   DEBUG=1        on the kernel with KASAN, lockdep and their like

. "$(dirname "$0")/lib/common.sh"
. "$LAB/lib/install.sh"
. "$LAB/lib/compose.sh"
. "$LAB/lib/build.sh"
. "$LAB/lib/image.sh"
. "$LAB/lib/boot.sh"
. "$LAB/lib/report.sh"

TEST=${TEST:-*}
FRAGMENTS=("$LAB/config/$ARCH.config")
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

# header FILE FIELD: the value of a "# field: value" line.
header() { sed -n "s/^# *$2: *//p" "$1" | head -n 1; }

# plan_line NAME LIMIT COMMAND: into the guest's list, if it is asked for.
plan_line() {
	# shellcheck disable=SC2053
	[[ $1 == $TEST ]] || return 0
	printf '%s\t%s\t%s\n' "$1" "$(($2 * SLOWDOWN))" "$3"
}

# plan_guest GUEST APPEND: the tests that this guest is to run.
plan_guest() {
	local guest=$1 file name limit guests
	for file in "$ROOT"/tools/testing/hooks/guest/*.sh; do
		[ -f "$file" ] || continue
		guests=$(header "$file" guests)
		[ -n "$guests" ] || fail "${file#"$ROOT/"} has no '# guests:' line"
		[[ " $guests " == *" $guest "* ]] || continue
		name=$(basename "$file" .sh)
		limit=$(header "$file" timeout)
		plan_line "hooks/$name" "${limit:-120}" \
			"sh /tools/testing/hooks/guest/$name.sh"
	done
	[ "$guest" != icount ] || return 0
	for file in "$ROOT"/tools/testing/selftests/ftrace/test.d/hooks/*.tc; do
		[ -f "$file" ] || continue
		name=$(basename "$file")
		plan_line "tc/${name%.tc}" 120 "cd /selftests/ftrace && sh ./ftracetest -vv --fail-unsupported --fail-unresolved -l /tmp/logs test.d/hooks/$name"
	done
	[[ $2 != *kmemleak=on* ]] || plan_line lab/kmemleak 120 'sh /lab/kmemleak.sh'
}

# host_limit NAME: how long the host waits for a test, beyond what the guest
# itself allows it. A guest that counts instructions has seconds of its own.
host_limit() {
	local limit
	limit=$(awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$GUEST_DIR/tests")
	limit=${limit:-120}
	[ "$GUEST" != icount ] || limit=$((limit * 10))
	echo $((limit + 60 * SLOWDOWN))
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

# ask_backtrace: have a guest that hangs say where.
ask_backtrace() {
	local line end=$((EPOCHSECONDS + 10))
	echo nmi >"$GUEST_DIR/monitor.in"
	while [ "$EPOCHSECONDS" -lt "$end" ] && IFS= read -r -t 10 -u "$1" line; do
		read_line "$line"
	done
}

# run_once CPUS MODEL APPEND: boot, read until the guest ends. DIED_IN names the
# unit that did not end.
run_once() {
	local line part partial='' status console pid
	DIED_IN=''
	GUEST_START=$EPOCHSECONDS
	reader_reset
	EXPECT_CPUS=$1 EXPECT_KUNIT=1 EXPECT_SELFTESTS=1
	[[ $3 != *kunit.enable=0* ]] || EXPECT_KUNIT=''
	[[ $3 != *ftrace=nop* ]] || EXPECT_SELFTESTS=''
	rm -rf "$GUEST_DIR/extra"
	mkdir -p "$GUEST_DIR/extra/lab"
	cp "$GUEST_DIR/tests" "$GUEST_DIR/extra/lab/tests"
	add_to_image "$TEST_DIR/image" "$GUEST_DIR/extra" "$GUEST_DIR/image"
	rm -f "$GUEST_DIR"/monitor.{in,out}
	mkfifo "$GUEST_DIR"/monitor.{in,out}
	qemu_command "$1" "$2" "$(kernel_image "$OUT")" "$GUEST_DIR/image" \
		"LAB_MODE=test unknown_nmi_panic $3"
	exec {console}< <(exec "${QEMU[@]}" -serial stdio \
		-serial file:"$GUEST_DIR/output" \
		-chardev pipe,id=monitor,path="$GUEST_DIR/monitor" \
		-mon monitor </dev/null 2>&1)
	pid=$!
	while :; do
		if IFS= read -r -t 5 -u "$console" part; then
			line=$partial$part
			partial=''
			read_line "$line"
		else
			status=$?
			[ "$status" -gt 128 ] || break
			partial+=$part
		fi
		# A guest that never stops talking hangs, too.
		if [ $((EPOCHSECONDS - UNIT_START)) -gt "$UNIT_LIMIT" ]; then
			ask_backtrace "$console"
			guest_died "hangs: not done after $UNIT_LIMIT s"
			kill "$pid" 2>/dev/null || true
			break
		fi
	done
	exec {console}<&-
	wait "$pid" 2>/dev/null || true
	if [ -z "$DIED_IN" ] && [ "$PHASE" != done ]; then
		guest_died 'the guest died'
	elif [ -z "$DIED_IN" ] && [ -n "$REPORT" ]; then
		emit "$RESULT_FAIL" boot/down "$(seconds_in_unit)" \
			"the kernel reported: $REPORT"
	fi
	rm -f "$GUEST_DIR/image"
}

# run_guest NAME CPUS MODEL APPEND: until every test has run. A guest that died
# is started again, without what it has run already.
run_guest() {
	local append
	GUEST=$1 GUEST_DIR=$TEST_DIR/$1
	append=$(boot_parameters "$4")
	exec {SERIAL}>"$GUEST_DIR/serial.log"
	while :; do
		run_once "$2" "$3" "$append"
		[ -n "$DIED_IN" ] || break
		[ "$PHASE" = tests ] || break
		cut -f2 "$GUEST_DIR/results" >"$GUEST_DIR/ran"
		awk -F '\t' 'FNR == NR { ran[$1] = 1; next } !($1 in ran)' \
			"$GUEST_DIR/ran" "$GUEST_DIR/tests" >"$GUEST_DIR/left"
		mv "$GUEST_DIR/left" "$GUEST_DIR/tests"
		[ -s "$GUEST_DIR/tests" ] || break
		append="$4 kunit.enable=0 ftrace=nop"
	done
	not_run
	: >"$GUEST_DIR/finished"
}

# not_run: a test that has no result failed.
not_run() {
	local name
	: >"$GUEST_DIR/section"
	UNIT_OUTPUT=$(output_size)
	cut -f1 "$GUEST_DIR/tests" | while IFS= read -r name; do
		cut -f2 "$GUEST_DIR/results" | grep -qxF -- "$name" ||
			emit "$RESULT_FAIL" "$name" 0 'did not run'
	done
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
		run_guest "$name" "$cpus" "$model" "$append" &
		running=$((running + 1))
	done < <(wanted_guests)
	wait
	for name in "$TEST_DIR"/*/started; do
		guest_finished "${name%/started}"
	done
}

# guest_finished DIR: a guest whose reader ended early has results missing.
guest_finished() {
	[ ! -f "$1/finished" ] || return 0
	say "$RESULT_FAIL  ${1##*/} lab/reader  the lab stopped reading this guest"
	printf '%s\tlab/reader\t0\tstopped\n' "$RESULT_FAIL" >>"$1/results"
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
	install_packages
	lock_trees
	step 'compose the tree'
	compose
	step "build the kernel${DEBUG:+ (debugging)}"
	build_kernel "$LINUX" "$OUT" "${FRAGMENTS[@]}"
	step 'build the modules'
	external_modules "$OUT"
	step_done 'samples/hooks and tools/testing/hooks are built'
	step 'make the guests'"'"' image'
	rm -rf "$TEST_DIR"
	mkdir -p "$TEST_DIR"
	: >"$TEST_DIR/screen"
	make_image "$OUT" "$TEST_DIR/image"
	cp "$(kernel_image "$OUT")" "$TEST_DIR/bzImage"
	kernel_image() { echo "$TEST_DIR/bzImage"; }
	unlock_trees
	step_done "$(($(stat -c %s "$TEST_DIR/image") / 1048576)) MiB"
	step 'test in guests'
	run_guests
	verdict
}

main; exit 0
