#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make shell: the kernel of the series, and a shell in it.
#   TESTS=1     the kernel that make test builds, and the tests' modules
#   CPUS=N      how many CPUs (2)
#   APPEND=...  more for the kernel's command line

. "$(dirname "$0")/lib/common.sh"
. "$LAB/lib/install.sh"
. "$LAB/lib/compose.sh"
. "$LAB/lib/build.sh"
. "$LAB/lib/image.sh"
. "$LAB/lib/boot.sh"

OUT=$BUILD/$ARCH-run
FRAGMENTS=("${FRAGMENTS_RUN[@]}")
DIRS=(samples/hooks)
if [ -n "${TESTS-}" ]; then
	OUT=$BUILD/$ARCH
	FRAGMENTS=("${FRAGMENTS_TEST[@]}")
	DIRS+=(tools/testing/hooks)
fi

# A function, so that bash has read it all before it starts: the file may change.
main() {
	check_arch
	steps 4
	step 'packages'
	install_packages
	lock_trees
	step 'compose the tree'
	compose
	step 'build the kernel and the modules'
	build_kernel "$LINUX" "$OUT" "${FRAGMENTS[@]}"
	external_modules "$OUT" "${DIRS[@]}"
	mkdir -p "$BUILD/shell"
	make_image "$OUT" "$BUILD/shell/image"
	unlock_trees
	step 'boot'
	qemu_command "${CPUS:-2}" "$CPU_MODEL" "$(kernel_image "$OUT")" "$BUILD/shell/image" \
		"LAB_MODE=shell ftrace=nop kunit.enable=0 quiet loglevel=4 ${APPEND-}"
	exec "${QEMU[@]}" -serial mon:stdio
}

main; exit 0
