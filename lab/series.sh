#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make series: the patches as mail, and the proof that `git am` puts them on the
# unpacked base and comes to the same tree. `series.sh check` also builds the
# kernel at each of them.

. "$(dirname "$0")/lib/common.sh"
. "$LAB/lib/install.sh"
. "$LAB/lib/compose.sh"
. "$LAB/lib/build.sh"

CHECK=${1-}
PATCHES=$BUILD/series

# write_patches: build/series/*.patch
write_patches() {
	rm -rf "$PATCHES"
	mkdir -p "$PATCHES"
	linux_git -c core.abbrev=12 format-patch -q --no-signature --zero-commit \
		--full-index -o "$PATCHES" base..series
}

# am_elsewhere: apply them to the base in a work tree of its own.
am_elsewhere() {
	git -C "$BUILD/base" checkout -q -f -B am base
	GIT_COMMITTER_NAME='Function Hooks' GIT_COMMITTER_EMAIL=hooks@localhost \
		logged "$LOGS/am.log" git -C "$BUILD/base" am -q "$PATCHES"/*.patch
	[ "$(git -C "$BUILD/base" rev-parse 'HEAD^{tree}')" = \
	  "$(linux_git rev-parse 'series^{tree}')" ] ||
		fail 'git am comes to another tree than the series'
	git -C "$BUILD/base" checkout -q -f --detach base
}

# build_each: the base's work tree at one patch after another, built in one
# place, so that each is an incremental build.
build_each() {
	local commit name
	for commit in $(linux_git rev-list --reverse base..series); do
		name=$(linux_git log -1 --format=%s "$commit")
		note "building at: $name"
		git -C "$BUILD/base" checkout -q -f --detach "$commit"
		configure_at "$commit"
		logged "$LOGS/series-$commit.log" \
			kbuild "$BUILD/base" "$BUILD/$ARCH-series" -j"$JOBS" vmlinux modules
	done
	git -C "$BUILD/base" checkout -q -f --detach base
}

# configure_at COMMIT: the small configuration, as far as the tree has it there.
configure_at() {
	local out=$BUILD/$ARCH-series
	mkdir -p "$out"
	cat "${FRAGMENTS_TEST[@]}" >"$out/.fragment"
	logged "$LOGS/series-$1.log" kbuild "$BUILD/base" "$out" \
		KCONFIG_ALLCONFIG="$out/.fragment" allnoconfig
}

# A function, so that bash has read it all before it starts: the file may change.
main() {
	check_arch
	[ -z "$CHECK" ] && steps 4 || steps 5
	step 'packages'
	install_packages
	lock_trees
	step 'compose the tree'
	compose
	step 'write the patches'
	[ -n "$(linux_git rev-list base..series)" ] || fail 'the series has no patch'
	write_patches
	step_done "$(find "$PATCHES" -name '*.patch' | wc -l) patches in $PATCHES"
	step 'apply them to the base'
	work_tree "$BUILD/base" base
	am_elsewhere
	step_done 'git am comes to the same tree'
	if [ -n "$CHECK" ]; then
		step 'build the kernel at each patch'
		build_each
		step_done 'the kernel builds at each patch'
	fi
}

main; exit 0
