# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Reads a guest's console and tells what each test came to.
#
# A unit is whatever a report of the kernel is charged to: a start-up self-test,
# a KUnit case, a test of the list, or else the boot itself. A unit that passed
# fails all the same when the kernel reported anything while it ran.
#
# Per guest, in the directory $GUEST_DIR: serial.log (the kernel's console) and
# section (the current unit's part of it), output (what the tests print),
# results (a line each: result, name, seconds, reason).

RESULT_PASS=pass
RESULT_FAIL=fail
RESULT_SKIP=skip

# reader_reset: state before a guest starts.
reader_reset() {
	PHASE=boot		# boot, tests, done
	UNIT='' UNIT_START=$EPOCHSECONDS UNIT_LIMIT=$BOOT_LIMIT
	REPORT=''
	UNIT_OUTPUT=0
	SELFTEST='' SELFTESTS=0
	SUITE='' SUITES=0 SUITES_PLANNED='' CASES=0 CASES_PLANNED=''
	: >"$GUEST_DIR/section"
}

# output_size: how much the tests of this guest have printed.
output_size() { stat -c %s "$GUEST_DIR/output" 2>/dev/null || echo 0; }

# unit_lines: the kernel's lines of the current unit, and the test's own.
unit_lines() {
	sed '/^TEST-/d' "$GUEST_DIR/section"
	tail -c "+$((UNIT_OUTPUT + 1))" "$GUEST_DIR/output" 2>/dev/null |
		tr -d '\r' | sed 's/^/| /' || true
}

# emit RESULT NAME SECONDS REASON: one test's line, to the screen and to the file.
emit() {
	local text lines printed
	printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" >>"$GUEST_DIR/results"
	printf -v text '%-5s %-7s %-58s %6s s%s' "$1" "$GUEST" "$2" "$3" "${4:+  $4}"
	if [ "$1" = "$RESULT_FAIL" ]; then
		printed=$GUEST_DIR/failed-${2//[^A-Za-z0-9._-]/_}
		unit_lines >"$printed"
		lines=$(tail -n "${FAILURE_LINES:-50}" "$printed" | sed 's/^/        /')
		text+=${lines:+$'\n'$lines}
		text+=$'\n'"        log: $GUEST_DIR/serial.log"
	fi
	# One at a time, so that the guests' lines do not mix.
	flock "$TEST_DIR/screen" printf '%s\n' "$text"
}

# unit_begin NAME
unit_begin() {
	UNIT=$1
	UNIT_START=$EPOCHSECONDS
	UNIT_OUTPUT=$(output_size)
	REPORT=''
	: >"$GUEST_DIR/section"
}

# unit_end RESULT NAME SECONDS REASON: as the test has it, unless the kernel has
# reported something. A skipped test is no excuse for a report either.
unit_end() {
	local result=$1 reason=$4
	if [ -n "$REPORT" ]; then
		result=$RESULT_FAIL
		reason="${reason:+$reason; }the kernel reported: $REPORT"
	fi
	emit "$result" "$2" "$3" "$reason"
	UNIT='' UNIT_START=$EPOCHSECONDS REPORT=''
	UNIT_OUTPUT=$(output_size)
	: >"$GUEST_DIR/section"
}

seconds_in_unit() { echo $((EPOCHSECONDS - UNIT_START)); }

# Start-up self-tests: "Testing NAME: " and, there or some lines later, a result.
read_selftest() {
	if [[ $1 =~ ^(trace_kprobe:\ )?Testing\ (tracer\ |dynamic\ |ftrace\ |fgraph\ |multiple\ |kprobe\ |events?\ ) ]]; then
		end_selftest "$RESULT_FAIL" 'no result'
		SELFTEST=${1#*Testing }
		SELFTEST=${SELFTEST%%:*}
		SELFTESTS=$((SELFTESTS + 1))
		REPORT_BEFORE=$REPORT
		unit_begin "boot/${SELFTEST// /-}"
		REPORT=$REPORT_BEFORE
	fi
	[ -n "$SELFTEST" ] || return 0
	case $1 in
	*FAILED*) end_selftest "$RESULT_FAIL" "$1" ;;
	*PASSED|*' OK'|OK) end_selftest "$RESULT_PASS" '' ;;
	esac
}

end_selftest() {
	[ -n "$SELFTEST" ] || return 0
	unit_end "$1" "boot/${SELFTEST// /-}" "$(seconds_in_unit)" "$2"
	SELFTEST=''
}

# KUnit's results, as KTAP: suites at the margin, their cases four spaces in.
read_kunit() {
	case $1 in
	'    # Subtest: '*)
		end_selftest "$RESULT_FAIL" 'no result'
		SUITE=${1#    # Subtest: }
		CASES=0 CASES_PLANNED=''
		unit_begin "kunit/$SUITE"
		;;
	'    1..'*) CASES_PLANNED=${1#    1..} ;;
	'1..'*) SUITES_PLANNED=${1#1..} ;;
	'    ok '*|'    not ok '*) [ -z "$SUITE" ] || end_case "${1#    }" ;;
	'ok '*|'not ok '*) [ -z "$SUITE" ] || end_suite "$1" ;;
	esac
}

end_case() {
	local result=$RESULT_PASS reason='' name
	name=${1#not }
	name=${name#ok * }
	[[ $1 != 'not ok '* ]] || result=$RESULT_FAIL
	if [[ $name == *' # SKIP'* ]]; then
		result=$RESULT_SKIP
		reason=${name#* # SKIP}
		reason=${reason# }
	fi
	name=${name%% *}
	CASES=$((CASES + 1))
	unit_end "$result" "kunit/$SUITE.$name" "$(seconds_in_unit)" "$reason"
	unit_begin "kunit/$SUITE"
}

# A suite is a result of its own only when it fails beyond its cases.
end_suite() {
	SUITES=$((SUITES + 1))
	if [ -n "$REPORT" ]; then
		unit_end "$RESULT_FAIL" "kunit/$SUITE" "$(seconds_in_unit)" ''
	elif [ "$CASES" != "${CASES_PLANNED:-0}" ] || [ "$CASES" -eq 0 ]; then
		unit_end "$RESULT_FAIL" "kunit/$SUITE" "$(seconds_in_unit)" \
			"$CASES of ${CASES_PLANNED:-?} cases ran"
	fi
	SUITE='' UNIT=''
}

# The guest is up, with so many CPUs: what the boot as a whole came to.
end_boot() {
	local result=$RESULT_PASS reason=''
	end_selftest "$RESULT_FAIL" 'no result'
	if [ "$1" != "$EXPECT_CPUS" ]; then
		result=$RESULT_FAIL reason="the guest has $1 CPUs, not $EXPECT_CPUS"
	elif [ -n "$EXPECT_SELFTESTS" ] && [ "$SELFTESTS" -eq 0 ]; then
		result=$RESULT_FAIL reason='no start-up self-test ran'
	elif [ -n "$EXPECT_KUNIT" ] && [ "$SUITES" -eq 0 ]; then
		result=$RESULT_FAIL reason='no KUnit suite ran'
	elif [ "$SUITES" != "${SUITES_PLANNED:-0}" ]; then
		result=$RESULT_FAIL
		reason="$SUITES of ${SUITES_PLANNED:-0} KUnit suites ended"
	fi
	UNIT_START=$GUEST_START
	unit_end "$result" boot/up "$(seconds_in_unit)" "$reason"
	PHASE=tests
	UNIT_LIMIT=$BOOT_LIMIT
}

# Marks of the guest's test runner.
read_mark() {
	local mark name result seconds reason
	read -r mark name result seconds reason <<<"$1"
	case $mark in
	TEST-READY) end_boot "$name" ;;
	TEST-BEGIN)
		# Between two tests nothing runs; what the kernel says there
		# belongs to the next.
		local before=$REPORT
		unit_begin "$name"
		REPORT=$before
		UNIT_LIMIT=$(host_limit "$name")
		;;
	TEST-END)
		unit_end "$result" "$name" "$seconds" "$reason"
		UNIT_LIMIT=$BOOT_LIMIT
		UNIT_START=$EPOCHSECONDS
		;;
	TEST-DONE)
		PHASE=done
		UNIT_START=$EPOCHSECONDS UNIT_LIMIT=60
		;;
	esac
}

# read_line LINE: one line of the console.
read_line() {
	local line=${1%$'\r'} text
	printf '%s\n' "$line" >&"$SERIAL"
	text=$line
	[[ ! $text =~ ^\[\ *[0-9]+\.[0-9]+\]\ (.*)$ ]] || text=${BASH_REMATCH[1]}
	printf '%s\n' "$text" >>"$GUEST_DIR/section"
	case $text in
	TEST-*) read_mark "$text"; return ;;
	esac
	if [ "$PHASE" = boot ]; then
		read_kunit "$text"
		[ -n "$SUITE" ] || read_selftest "$text"
	fi
	if [ -z "$REPORT" ] && [[ $text =~ $REPORTS ]]; then
		REPORT=$text
	fi
}

# The guest ended or was ended without having said that it is done.
guest_died() {
	local unit=${UNIT:-}
	if [ -z "$unit" ]; then
		[ "$PHASE" = boot ] && unit=boot/up || unit=boot/down
	fi
	emit "$RESULT_FAIL" "$unit" "$(seconds_in_unit)" "$1${REPORT:+: $REPORT}"
	DIED_IN=$unit
}
