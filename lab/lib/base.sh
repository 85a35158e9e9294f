# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The untouched base kernel, to compare with: the first commit of build/linux in
# a work tree of its own, configured and built like ours.
#
#   compose
#   build_base "$BASE_OUT" "${FRAGMENTS[@]}"
#
# Wants common.sh, compose.sh and build.sh, and lock_trees before.

BASE_TREE=$BUILD/base-tree
# With the small configuration.
BASE_OUT=$BUILD/$ARCH-base

# What only the series has, in a fragment: its options start so.
SERIES_OPTIONS='CONFIG_FTRACE_HOOKS_'

# base_fragment FRAGMENT: without the series' own options.
base_fragment() {
	sed "/^$SERIES_OPTIONS/d; /^# $SERIES_OPTIONS/d" "$1"
}

# build_base OUT FRAGMENT...: what build_kernel makes of these fragments for the
# series, of the base.
build_base() {
	local out=$1 fragment own=()
	shift
	mkdir -p "$out"
	for fragment in "$@"; do
		own+=("$out/.${fragment##*/}")
		base_fragment "$fragment" >"$out/.${fragment##*/}"
	done
	work_tree "$BASE_TREE" base
	build_kernel "$BASE_TREE" "$out" "${own[@]}"
}
