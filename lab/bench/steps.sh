# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# make bench STEPS=1: the instructions of one call of a hooked function, one by
# one, as the emulator executed them. While the guest measures a row, its CPU goes
# in single steps and each is logged. Sourced by lab/bench.sh.

# logging LINES...: to QEMU's monitor.
logging() { printf '%s\n' "$@" >"$WORK/monitor.in"; }

# watch_steps: turns the log on and off as the guest says.
watch_steps() {
	local line
	while IFS= read -r line; do
		line=${line%$'\r'}
		printf '%s\n' "$line" >>"$WORK/steps.log"
		case $line in
		'STEPS-ON '*)
			note "${line#STEPS-ON }"
			logging 'singlestep on' "logfile $WORK/steps/${line##* }" \
				'log exec,in_asm,nochain' ;;
		STEPS-OFF*) logging 'log none' 'singlestep off' ;;
		esac
	done
}

# steps_of LOG: one call's instructions, out of the last.
steps_of() {
	grep '^SYMBOL ' "$WORK/steps.log" |
		awk -f "$LAB/bench/steps.awk" - "$1"
}

list_steps() {
	local log
	rm -rf "$WORK"/{monitor.in,monitor.out,steps}
	mkdir -p "$WORK/steps"
	mkfifo "$WORK"/monitor.{in,out}
	: >"$WORK/steps.log"
	# Ticks come by instructions, too: steps are slow. But the guest's pauses
	# have to last.
	qemu_command 1 icount,max "$WORK/ours.bzImage" "$WORK/ours.img" \
		'LAB_MODE=steps quiet preempt=none nokaslr'
	QEMU=("${QEMU[@]/sleep=off/sleep=on}")
	watch_steps < <(exec timeout "$BOOT_LIMIT" "${QEMU[@]}" -serial stdio \
		-chardev pipe,id=monitor,path="$WORK/monitor" -mon monitor \
		</dev/null 2>&1)
	grep -q '^STEPS-DONE' "$WORK/steps.log" ||
		fail 'the guest did not end' "$WORK/steps.log"
	for log in "$WORK"/steps/*; do
		say "${log##*/}"
		steps_of "$log"
	done
}
