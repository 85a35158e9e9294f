#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make run: from nothing to a booted kernel that shows hooks at work, or, with
# MODULE=DIR, the modules that the user has in DIR.

. "$(dirname "$0")/lib/common.sh"
. "$LAB/lib/install.sh"
. "$LAB/lib/compose.sh"
. "$LAB/lib/build.sh"
. "$LAB/lib/image.sh"
. "$LAB/lib/boot.sh"

OUT=$BUILD/$ARCH-run
MODULE=${MODULE-}
BOOT_LIMIT=300
WORK=$BUILD/run

# user_modules: MODULE, built against the kernel, staged for the guest.
user_modules() {
	local to=$OUT-modules/user modules
	[ -d "$MODULE" ] || fail "MODULE=$MODULE is no directory"
	[ -f "$MODULE/Makefile" ] || [ -f "$MODULE/Kbuild" ] ||
		fail "$MODULE has no Makefile with obj-m"
	build_modules "$LINUX" "$OUT" "$MODULE" "$to"
	mkdir -p "$WORK/extra/user"
	mapfile -t modules < <(find "$to" -name '*.ko')
	[ ${#modules[@]} -gt 0 ] || fail "$MODULE has built no module" \
		"$LOGS/modules-user.log"
	cp -t "$WORK/extra/user" "${modules[@]}"
	step_done "${modules[*]##*/}"
}

# watch_guest LOG: show what the guest shows; leave its verdict in VERDICT and
# the first report of its kernel in REPORT.
watch_guest() {
	local line
	VERDICT='' REPORT=''
	while IFS= read -r line; do
		line=${line%$'\r'}
		printf '%s\n' "$line" >>"$1"
		case $line in
		'GUEST-VERDICT '*) VERDICT=${line#GUEST-VERDICT }; continue ;;
		esac
		printf '%s\n' "$line"
		if [ -z "$REPORT" ] && [[ $line =~ $REPORTS ]]; then
			REPORT=$line
		fi
	done
}

# tell_verdict LOG WHAT
tell_verdict() {
	say
	if [ -n "$REPORT" ]; then
		fail "the kernel reported: $REPORT" "$1"
	elif [ -z "$VERDICT" ]; then
		fail "the guest did not end by itself within $BOOT_LIMIT s" "$1"
	elif [ "$VERDICT" != 0 ]; then
		fail "$2" "$1"
	fi
	say "Done in $(($(now) - COMMAND_START)) s: it works. The whole log: $1"
}

boot_guest() {
	local mode=$1 append=$2 log=$WORK/serial.log
	: >"$log"
	qemu_command 2 "$CPU_MODEL" "$(kernel_image "$OUT")" "$WORK/boot.img" \
		"LAB_MODE=$mode ftrace=nop kunit.enable=0 $append"
	watch_guest "$log" < <(exec timeout "$BOOT_LIMIT" "${QEMU[@]}" \
		-serial stdio -monitor none </dev/null 2>&1)
}

# A function, so that bash has read it all before it starts: the file may change.
main() {
	check_arch
	mkdir -p "$WORK"
	rm -rf "$WORK/extra"
	mkdir -p "$WORK/extra"
	[ -z "$MODULE" ] || MODULE=$(realpath -m -- "$MODULE")
	steps 6
	step 'packages'
	install_packages
	lock_trees
	step 'compose the tree'
	compose
	step 'build the kernel'
	build_kernel "$LINUX" "$OUT" "${FRAGMENTS_RUN[@]}"
	if [ -n "$MODULE" ]; then
		step "build the modules of $MODULE"
		user_modules
	else
		step 'build the modules of samples/hooks'
		external_modules "$OUT" samples/hooks
		step_done 'built'
	fi
	step 'make the guest'"'"'s image'
	make_image "$OUT" "$WORK/image"
	add_to_image "$WORK/image" "$WORK/extra" "$WORK/boot.img"
	unlock_trees
	step_done "$(($(stat -c %s "$WORK/boot.img") / 1048576)) MiB"
	if [ -n "$MODULE" ]; then
		step 'boot, load the modules'
		boot_guest module 'quiet loglevel=1'
		tell_verdict "$WORK/serial.log" 'a module did not load or unload'
	else
		step 'boot, show hooks at work'
		boot_guest run 'quiet loglevel=4'
		tell_verdict "$WORK/serial.log" 'the demonstration found a wrong number'
	fi
}

main; exit 0
