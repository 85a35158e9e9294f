#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make test-mutants: does each requirement's test fail when the requirement is
# broken? Each lab/mutants/*.diff breaks one behaviour of our files and says, in
# lines before the diff:
#
#   # requirement: F5
#   # tests: kunit/ftrace_ops.f05_* hooks/torture     globs, as TEST= takes them
#   # what: the behaviour that is broken, in a line
#   # guests: 4                                       without it, guest 1
#
# A mutant is killed when one of its tests fails; one that survives is a gap in
# the tests. The repository is copied, mutated there, and the copy's own lab
# builds and boots it: what is built is kept from one mutant to the next.
#
#   MUTANT=GLOB   only such (the file's name without .diff)

. "$(dirname "$0")/lib/common.sh"
. "$LAB/lib/install.sh"

MUTANT=${MUTANT:-*}
WORK=$BUILD/mutants
# The copy's build is inside the copy: only then are paths the same for the
# compiler cache as in the repository itself.
COPY=$WORK/src
PASSED=0 FAILED=0

# header FILE FIELD: the value of a "# field: value" line.
header() { sed -n "/^diff /q; s/^# $2: *//p" "$1"; }

# copy_repository: the work tree's files; what the copy has built stays.
copy_repository() {
	mkdir -p "$COPY"
	find "$COPY" -mindepth 1 -maxdepth 1 ! -name build ! -name .git \
		-exec rm -rf {} +
	(cd "$ROOT" && git ls-files -co --exclude-standard |
		while IFS= read -r path; do
			[ ! -f "$path" ] || printf '%s\n' "$path"
		done | tar -c -T - -f -) | tar -x -C "$COPY" -f -
	# The lab asks git for the repository's files.
	[ -d "$COPY/.git" ] || git init -q "$COPY"
}

# run_test GLOB LOG: in the copy; a failing test is no failure here.
run_test() {
	BUILD=$COPY/build TEST=$1 GUESTS=$GUESTS DEBUG='' DRAFT='' \
		"$COPY/lab/test.sh" >>"$2" 2>&1 </dev/null 7>&- || return
}

# failed_tests GLOB: those of the last run that failed. A guest that dies in a
# KUnit case is charged to the suite; a test that did not run shows nothing.
failed_tests() {
	local result name reason
	cat "$COPY/build/$ARCH-test"/*/results |
		while IFS=$'\t' read -r result name _ reason; do
			[ "$result" = fail ] || continue
			[ "$reason" != 'did not run' ] || continue
			# shellcheck disable=SC2053
			if [[ $name == $1 || $1 == "$name".* ]]; then
				printf '%s ' "$name"
			fi
		done
}

# kill_mutant DIFF LOG: VERDICT and WHY, by running its tests until one fails.
kill_mutant() {
	local globs glob status killers
	VERDICT=SURVIVED WHY=''
	read -r -a globs <<<"$(header "$1" tests)"
	GUESTS=$(header "$1" guests)
	GUESTS=${GUESTS:-1}
	for glob in "${globs[@]}"; do
		# No result of an earlier run is to be taken for one of this.
		rm -rf "$COPY/build/$ARCH-test"
		status=0
		run_test "$glob" "$2" || status=$?
		if ! [ -s "$COPY/build/$ARCH-test/all" ]; then
			VERDICT=BROKEN WHY="no test ran (status $status)"
			return
		fi
		killers=$(failed_tests "$glob")
		if [ -n "$killers" ]; then
			VERDICT=killed WHY="by $killers"
			return
		fi
	done
	WHY=${globs[*]}
}

# try_mutant DIFF: one line.
try_mutant() {
	local name log start verdict
	name=$(basename "$1" .diff)
	log=$WORK/log/$name.log
	start=$(now)
	: >"$log"
	copy_repository
	if patch -p1 -s -F2 --no-backup-if-mismatch -d "$COPY" <"$1" >>"$log" 2>&1; then
		kill_mutant "$1" "$log"
	else
		VERDICT=BROKEN WHY='the diff does not apply any more'
	fi
	if [ "$VERDICT" = killed ]; then
		PASSED=$((PASSED + 1))
	else
		FAILED=$((FAILED + 1))
	fi
	printf -v verdict '%-8s %-4s %-34s %4s s  %s' "$VERDICT" \
		"$(header "$1" requirement)" "$name" "$(($(now) - start))" "$WHY"
	say "$verdict"
	[ "$VERDICT" = killed ] || say "         $(header "$1" what)"$'\n'"         log: $log"
}

# check_headers DIFF: a mutant has to say what it is about.
check_headers() {
	local field
	for field in requirement tests what; do
		[ -n "$(header "$1" "$field")" ] ||
			fail "${1#"$ROOT/"} has no '# $field:' line"
	done
}

# chosen: the diffs that are asked for.
chosen() {
	local file name
	for file in "$LAB"/mutants/*.diff; do
		name=$(basename "$file" .diff)
		# shellcheck disable=SC2053
		[[ $name == $MUTANT ]] || continue
		printf '%s\n' "$file"
	done
}

# A function, so that bash has read it all before it starts: the file may change.
main() {
	local diffs diff
	check_arch
	steps 2
	step 'packages'
	install_packages
	step 'mutants'
	mapfile -t diffs < <(chosen)
	mkdir -p "$WORK/log"
	# Not lock_trees: the copy's lab takes that for each build.
	exec 7>"$WORK/lock"
	flock -n 7 || fail "another make test-mutants runs in $WORK"
	for diff in "${diffs[@]}"; do
		check_headers "$diff"
	done
	for diff in "${diffs[@]}"; do
		try_mutant "$diff"
	done
	say "took $(($(now) - COMMAND_START)) s in all"
	say "$PASSED passed, $FAILED failed"
	if [ "$FAILED" -gt 0 ] || [ "$PASSED" -eq 0 ]; then
		exit 1
	fi
}

main; exit 0
