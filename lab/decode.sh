#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make test-decode: a guest's kernel maps where the instructions of its text
# begin, as probes see it; objdump is asked the same about the same bytes. These
# are read out of the guest's memory, since text at run time is not what was
# linked: alternatives, static calls, jump labels and hooks have been written.
#
# Prints each symbol in which the two differ, and where first; and how many
# instructions would be executed in which way.

. "$(dirname "$0")/lib/common.sh"
. "$LAB/lib/install.sh"
. "$LAB/lib/compose.sh"
. "$LAB/lib/build.sh"
. "$LAB/lib/image.sh"
. "$LAB/lib/boot.sh"

OUT=$BUILD/$ARCH
WORK=$BUILD/decode
BOOT_LIMIT=600

# save_memory ADDRESS SIZE FILE: what the guest's kernel has there.
save_memory() {
	local end=$((EPOCHSECONDS + 60))
	printf 'memsave %s %d "%s"\n' "$1" "$2" "$3" >"$WORK/monitor.in"
	until [ "$(stat -c %s "$3" 2>/dev/null || echo 0)" -eq "$2" ]; do
		[ "$EPOCHSECONDS" -lt "$end" ] || fail "the guest's memory at $1 can't be read"
		sleep 0.2
	done
}

# read_guest: what its kernel says, until the map is there; then text and map.
read_guest() {
	local line start='' end='' map=''
	while IFS= read -r line; do
		line=${line%$'\r'}
		printf '%s\n' "$line" >>"$WORK/serial.log"
		case $line in
		'DECODE map '*) read -r start end map <<<"${line#DECODE map }" ;;
		'DECODE '*) say "      ${line#DECODE }" ;;
		DECODE-DONE*) break ;;
		esac
	done
	[ -n "$map" ] || fail 'the guest made no map' "$WORK/serial.log"
	save_memory "$start" "$((end - start))" "$WORK/text"
	save_memory "$map" "$((end - start))" "$WORK/map"
	echo quit >"$WORK/monitor.in"
	TEXT_START=$start
}

map_in_guest() {
	rm -rf "$WORK"/{monitor.in,monitor.out,text,map,extra}
	mkdir -p "$WORK/extra"
	mkfifo "$WORK"/monitor.{in,out}
	: >"$WORK/serial.log"
	add_to_image "$WORK/image" "$WORK/extra" "$WORK/boot.img"
	qemu_command 1 max "$(kernel_image "$OUT")" "$WORK/boot.img" \
		'LAB_MODE=decode ftrace=nop kunit.enable=0 quiet loglevel=4'
	read_guest < <(exec timeout "$BOOT_LIMIT" "${QEMU[@]}" -serial stdio \
		-chardev pipe,id=monitor,path="$WORK/monitor" -mon monitor \
		</dev/null 2>&1)
}

# compare: our map and what objdump finds in the same text.
compare() {
	local section
	section=$(objdump -h "$OUT/vmlinux" | awk '$2 == ".text" { print $4, $3 }')
	[ "$section" = "$(printf '%x %08x' "$TEXT_START" "$(stat -c %s "$WORK/text")")" ] ||
		fail "the kernel's .text is $section, the guest's text is at $TEXT_START"
	logged "$LOGS/objcopy.log" objcopy --strip-debug \
		--update-section .text="$WORK/text" "$OUT/vmlinux" "$WORK/vmlinux"
	objdump -d -z -j .text --no-show-raw-insn "$WORK/vmlinux" |
		perl "$LAB/lib/decode.pl" "$WORK/map" "$TEXT_START"
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
	step 'build the kernel'
	build_kernel "$LINUX" "$OUT" "${FRAGMENTS_TEST[@]}"
	step 'make the guest'"'"'s image'
	mkdir -p "$WORK"
	external_modules "$OUT" tools/testing/hooks
	make_image "$OUT" "$WORK/image"
	unlock_trees
	step_done "$(($(stat -c %s "$WORK/image") / 1048576)) MiB"
	step 'map all instructions in the guest'
	map_in_guest
	step_done 'the map is there'
	step 'compare it with objdump'
	compare || fail 'there are differences'
	step_done "took $(($(now) - COMMAND_START)) s in all"
}

main; exit 0
