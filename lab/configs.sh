#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make test-configs: our objects, and those that include our headers most,
# compiled in other configurations; W=1, sparse, checkpatch and kernel-doc on
# our files. Each of lab/config/variants is laid over the small configuration.
#   TEST=GLOB   only such (config/*, check/*)

. "$(dirname "$0")/lib/common.sh"
. "$LAB/lib/install.sh"
. "$LAB/lib/compose.sh"
. "$LAB/lib/build.sh"

TEST=${TEST:-*}
WORK=$BUILD/$ARCH-configs
# A work tree of its own: this takes long, and meanwhile build/linux may change.
TREE=$BUILD/composed
SMALL=("${FRAGMENTS_TEST[@]}")
PASSED=0 FAILED=0

# Each with the option without which it is not built.
OUR_DIRS=(kernel/trace/ftrace/:FUNCTION_TRACER kernel/trace/hooks/:FUNCTION_TRACER
	  kernel/trace/kprobes/:KPROBES arch/x86/kernel/ftrace/:FUNCTION_TRACER
	  arch/x86/kernel/kprobes/:KPROBES)
USER_DIRS=(kernel/trace/ kernel/livepatch/)
USER_OBJECTS=(kernel/module/:MODULES kernel/bpf/trampoline.o:BPF_JIT
	      arch/x86/kernel/unwind_orc.o:UNWINDER_ORC
	      arch/x86/kernel/callthunks.o:MITIGATION_CALL_DEPTH_TRACKING
	      arch/x86/kernel/module.o:MODULES
	      arch/x86/kernel/alternative.o:64BIT
	      arch/x86/net/bpf_jit_comp.o:BPF_JIT)

# failure_of LOG: what compilers and checkers complain of, or else its end. That
# a variant overrides the small configuration is as it should be.
failure_of() {
	grep -E '(warning|error|WARNING|ERROR|CHECK):' "$1" |
		grep -v 'override: reassigning' || tail -n 5 "$1"
}

# result NAME LOG STATUS: one line, and what went wrong.
result() {
	if [ "$3" -eq 0 ]; then
		PASSED=$((PASSED + 1))
		step_done "pass  $1"
	else
		FAILED=$((FAILED + 1))
		step_done "fail  $1"
		failure_of "$2" | head -n 20 | sed 's/^/        /'
		say "        log: $2"
	fi
}

wanted() {
	# shellcheck disable=SC2053
	[[ $1 == $TEST ]]
}

# targets CONFIG: what there is to build.
targets() {
	local pair
	printf '%s\n' "${USER_DIRS[@]}"
	for pair in "${USER_OBJECTS[@]}" "${OUR_DIRS[@]}"; do
		if grep -qx "CONFIG_${pair#*:}=y" "$1"; then
			echo "${pair%:*}"
		fi
	done
}

# try_config NAME [FRAGMENT]: configure and compile; any warning is a failure.
try_config() {
	local out=$WORK/$1 log=$LOGS/config-$1.log lost wanted_targets
	mkdir -p "$out"
	cat "${SMALL[@]}" "${@:2}" >"$out/.fragment"
	kbuild "$TREE" "$out" KCONFIG_ALLCONFIG="$out/.fragment" allnoconfig \
		>"$log" 2>&1 </dev/null || return 1
	[ $# -gt 1 ] || set -- "$1" "${SMALL[@]}"
	lost=$(lost_options "$out/.config" "${@:2}")
	if [ -n "$lost" ]; then
		echo "error: not in effect: $lost" >>"$log"
		return 1
	fi
	mapfile -t wanted_targets < <(targets "$out/.config")
	kbuild "$TREE" "$out" -j"$JOBS" "${wanted_targets[@]}" \
		>>"$log" 2>&1 </dev/null || return 1
	# A variant overrides the small configuration: that is what it is for.
	! grep 'warning: ' "$log" | grep -v 'override: reassigning to symbol' | grep . >/dev/null
}

# composed_files: what the series brings, as paths in Linux.
composed_files() { awk -F '\t' '$2 == "copy" { print $3 }' "$COMPOSE/plan"; }

# ours LOG: the lines of a log that are about our files.
ours() {
	grep -E '(warning|error): ' "$1" | grep -F -f "$WORK/ours" || true
}

# try_compiler NAME MAKE-ARGUMENTS: our directories, compiled anew with a checker
# that says nothing about them.
try_compiler() {
	local out=$WORK/$1 log=$LOGS/check-$1.log dirs=("${OUR_DIRS[@]%:*}")
	mkdir -p "$out"
	rm -rf "${dirs[@]/#/$out/}"
	cat "${SMALL[@]}" >"$out/.fragment"
	kbuild "$TREE" "$out" KCONFIG_ALLCONFIG="$out/.fragment" allnoconfig \
		>"$log" 2>&1 </dev/null || return 1
	kbuild "$TREE" "$out" -j"$JOBS" "${@:2}" "${dirs[@]}" \
		>>"$log" 2>&1 </dev/null || return 1
	[ -z "$(ours "$log")" ]
}

# What checkpatch has to say of our files. Two of its types do not apply: names
# that other files of the kernel ask for (DEFINE_ARCH_HAS), and boot parameters
# that Linux's documentation has, where it only looks into patches
# (UNDOCUMENTED_SETUP).
try_checkpatch() {
	local log=$LOGS/check-checkpatch.log
	(cd "$TREE" && xargs -P "$JOBS" -n 8 scripts/checkpatch.pl --strict --terse \
		--quiet --show-types --no-summary \
		--ignore DEFINE_ARCH_HAS,UNDOCUMENTED_SETUP -f <"$WORK/ours") 2>&1 |
		sort >"$log" || true
	[ ! -s "$log" ]
}

try_kernel_doc() {
	local log=$LOGS/check-kernel-doc.log path
	: >"$log"
	grep '\.[ch]$' "$WORK/ours" | while IFS= read -r path; do
		(cd "$TREE" && scripts/kernel-doc -none -Werror "$path") \
			>>"$log" 2>&1 || echo "error: $path" >>"$log"
	done
	! grep -qE 'warning|error' "$log"
}

# attempt NAME LOG COMMAND...: others may build between two of them.
attempt() {
	wanted "$1" || return 0
	lock_trees
	STEP_START=$(now)
	if "${@:3}"; then
		result "$1" "$2" 0
	else
		result "$1" "$2" 1
	fi
	unlock_trees
}

# A function, so that bash has read it all before it starts: the file may change.
main() {
	check_arch
	steps 4
	step 'packages'
	install_packages sparse python3-ply python3-git
	lock_trees
	step 'compose the tree'
	compose
	mkdir -p "$WORK"
	work_tree "$TREE" series
	composed_files >"$WORK/ours"
	unlock_trees
	step 'compile in other configurations'
	attempt config/small "$LOGS/config-small.log" try_config small
	for variant in "$LAB"/config/variants/*.config; do
		name=$(basename "$variant" .config)
		attempt "config/$name" "$LOGS/config-$name.log" try_config "$name" "$variant"
	done
	step 'check our files'
	attempt check/w1 "$LOGS/check-w1.log" try_compiler w1 W=1
	attempt check/sparse "$LOGS/check-sparse.log" try_compiler sparse C=2
	attempt check/checkpatch "$LOGS/check-checkpatch.log" try_checkpatch
	attempt check/kernel-doc "$LOGS/check-kernel-doc.log" try_kernel_doc
	say "took $(($(now) - COMMAND_START)) s in all"
	say "$PASSED passed, $FAILED failed"
	if [ "$FAILED" -gt 0 ] || [ "$PASSED" -eq 0 ]; then
		exit 1
	fi
}

main; exit 0
