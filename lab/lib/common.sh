# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What every command of the lab shares: where things stand, how progress is
# shown, how a failure is told. Sourced, never run.

set -euo pipefail
export LC_ALL=C

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
LAB=$ROOT/lab
ARCH=${ARCH:-x86_64}
# What the names of the compiler and its tools begin with, and the guests'
# busybox: this machine's own where that is of the architecture.
case $ARCH in
arm64) CROSS=aarch64-linux-gnu- ;;
*) CROSS='' ;;
esac
BUSYBOX=busybox
BUILD=${BUILD:-$ROOT/build}
LINUX=$BUILD/linux
LOGS=$BUILD/log
JOBS=${JOBS:-$(nproc)}

STEP_NOW=0
STEP_COUNT=0
STEP_NAME=start
STEP_START=0
COMMAND_START=$(date +%s)

# What came before with sudo or inside a container must not decide whether git
# trusts a tree that the lab itself has made.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'

now() { date +%s; }

say() { printf '%s\n' "$*"; }

# steps COUNT: how many steps this command will take.
steps() {
	STEP_COUNT=$1
	STEP_NOW=0
	mkdir -p "$LOGS"
}

# step NAME: the next step begins.
step() {
	STEP_NOW=$((STEP_NOW + 1))
	STEP_NAME=$1
	STEP_START=$(now)
	say "[$STEP_NOW/$STEP_COUNT] $STEP_NAME"
}

elapsed() { echo "$(($(now) - STEP_START)) s"; }

# note TEXT: a line of progress within a step. A terminal sees it in place.
note() {
	if [ -t 1 ]; then
		printf '\r\033[K      %s, %s' "$1" "$(elapsed)"
	else
		printf '      %s, %s\n' "$1" "$(elapsed)"
	fi
}

# step_done TEXT: what the step came to.
step_done() {
	if [ -t 1 ]; then
		printf '\r\033[K'
	fi
	printf '      %s, %s\n' "$1" "$(elapsed)"
}

# Whatever ends a command without a word is an error of the lab itself. (A part
# of a command that has told its failure ends with a status of its own.)
FAILED_STATUS=9
unexpected() {
	[ "$1" -ne "$FAILED_STATUS" ] || exit "$FAILED_STATUS"
	fail "error in ${BASH_SOURCE[1]##*/}, line $2: $3"
}
set -E
trap 'unexpected "$?" "$LINENO" "$BASH_COMMAND"' ERR

# fail REASON [LOG]: name the step, the reason and the log; the end.
fail() {
	if [ -t 1 ]; then
		printf '\r\033[K'
	fi
	{
		printf '\nFAILED at step %s/%s (%s): %s\n' \
			"$STEP_NOW" "$STEP_COUNT" "$STEP_NAME" "$1"
		if [ -n "${2-}" ] && [ -s "$2" ]; then
			failure_lines "$2" | sed 's/^/    /'
			printf 'log: %s\n' "$2"
		fi
	} >&2
	exit "$FAILED_STATUS"
}

# The lines of a log that tell why: all if they are few, the first errors if any
# are marked as such, and else its end.
failure_lines() {
	if [ "$(wc -l <"$1")" -le 40 ]; then
		cat "$1"
	elif ! grep -nE '(error|ERROR|Error [0-9]+|undefined reference)' "$1" |
	     grep -v 'Werror' | head -n 15 | grep .; then
		tail -n 15 "$1"
	fi
}

# logged LOG COMMAND...: run it with all it prints going to LOG.
logged() {
	local log=$1
	shift
	mkdir -p "$(dirname "$log")"
	"$@" >"$log" 2>&1 </dev/null || fail "$1 failed" "$log"
}

check_arch() {
	case $ARCH in
	x86_64|arm64) ;;
	*)
		say "ARCH=$ARCH is not supported: the series has x86_64 and arm64." >&2
		exit 2
		;;
	esac
}

# One lab at a time may change the trees; others wait and say so.
lock_trees() {
	local lock=${LAB_LOCK:-$BUILD/lock}
	mkdir -p "$BUILD"
	exec 8>"$lock"
	if ! flock -n 8; then
		say "      waiting for another build to finish ($lock)"
		flock 8
	fi
}

unlock_trees() { exec 8>&-; }
