# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Running a list of tests in a guest, to its end whatever happens to the guest.
# Wants boot.sh, image.sh and report.sh, and of its caller:
#
#   TEST_DIR      holds what all guests of this run share; a guest has
#                 $TEST_DIR/NAME, with its list in "tests" (the format is in
#                 lab/guest/test.sh) and "results" to add to
#   GUEST_KERNEL, GUEST_IMAGE   what to boot
#   BOOT_LIMIT    seconds that a boot may take
#   SLOWDOWN      how many times slower than usual all is

# host_limit NAME: how long the host waits for a test, beyond what the guest
# itself allows it. A guest that counts instructions has seconds of its own.
host_limit() {
	local limit
	limit=$(awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$GUEST_DIR/tests")
	limit=${limit:-120}
	[ "$GUEST" != icount ] || limit=$((limit * 10))
	echo $((limit + 60 * SLOWDOWN))
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
	add_to_image "$GUEST_IMAGE" "$GUEST_DIR/extra" "$GUEST_DIR/image"
	rm -f "$GUEST_DIR"/monitor.{in,out}
	mkfifo "$GUEST_DIR"/monitor.{in,out}
	qemu_command "$1" "$2" "$GUEST_KERNEL" "$GUEST_DIR/image" \
		"LAB_MODE=test unknown_nmi_panic ${LONG:+HOOKS_LONG=1 }$3"
	QEMU+=(-serial stdio)
	output_port "$GUEST_DIR/output"
	exec {console}< <(exec "${QEMU[@]}" \
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
	append=$4
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
	# No pipe into grep -q: it ends early, and what writes to it fails then.
	cut -f2 "$GUEST_DIR/results" >"$GUEST_DIR/ran"
	cut -f1 "$GUEST_DIR/tests" | while IFS= read -r name; do
		grep -qxF -- "$name" "$GUEST_DIR/ran" ||
			emit "$RESULT_FAIL" "$name" 0 'did not run'
	done
}

# guest_finished DIR: a guest whose reader ended early has results missing.
guest_finished() {
	[ ! -f "$1/finished" ] || return 0
	say "$RESULT_FAIL  ${1##*/} lab/reader  the lab stopped reading this guest"
	printf '%s\tlab/reader\t0\tstopped\n' "$RESULT_FAIL" >>"$1/results"
}
