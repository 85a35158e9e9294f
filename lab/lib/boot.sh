# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Starting a guest. All emulated: nothing needs KVM or a second machine.

# What a kernel says when something is wrong.
REPORTS='WARNING: |BUG: |Oops|general protection fault|Kernel panic|\bKASAN:|UBSAN: '
REPORTS+='|INFO: task .* blocked|stall(s|ed)? on CPU|detected stalls|self-detected stall'
REPORTS+='|possible circular locking|possible recursive locking|inconsistent lock state'
REPORTS+='|suspicious RCU usage|Invalid wait context|sleeping function called from invalid'
REPORTS+='|scheduling while atomic|soft lockup|hard LOCKUP|workqueue lockup'
REPORTS+='|list_(add|del) corruption|ODEBUG: |refcount_t: |double fault|Bad page state'
REPORTS+='|new suspected memory leaks|held lock freed|lock held when returning|bad unlock balance'
REPORTS+='|unregister_netdevice: waiting|Unable to handle|unable to handle'

# tsc_khz: the rate of the counter that guests see; nothing where they have to
# find out by themselves.
tsc_khz() {
	local tool=$BUILD/tsc_khz
	[ "$(uname -m)" = x86_64 ] || return 0
	[ -x "$tool" ] || gcc -O2 -o "$tool" "$LAB/lib/tsc_khz.c"
	"$tool"
}

# The model of a guest that is not said to be another. Pointer authentication by
# the architecture's own algorithm takes an emulator longer than all the rest.
case $ARCH in
arm64) CPU_MODEL=max,pauth-impdef=on ;;
*) CPU_MODEL=max ;;
esac

# A busy machine may not let a guest's timer tick in time for the check of it.
# A package for each CPU: without ACPI the kernel knows the others from the MP
# table, which has one of each package.
qemu_x86_64() {
	local khz
	khz=$(tsc_khz)
	[[ $2 != icount,* ]] || khz=1000000
	QEMU=(qemu-system-x86_64 -smp "$1,sockets=$1,cores=1,threads=1")
	CONSOLE='console=ttyS0,115200 reboot=t'
	CONSOLE+=" no_timer_check tsc=reliable ${khz:+tsc_early_khz=$khz}"
}

qemu_arm64() {
	QEMU=(qemu-system-aarch64 -M virt,gic-version=3 -smp "$1")
	CONSOLE='console=ttyAMA0,115200'
}

# qemu_command CPUS MODEL KERNEL IMAGE APPEND: fills QEMU.
qemu_command() {
	local cpus=$1 model=$2 accel=(-accel tcg,thread=single) CONSOLE
	qemu_"$ARCH" "$cpus" "$model"
	if [[ $model == icount,* ]]; then
		model=${model#icount,}
		accel=(-accel tcg -icount "shift=0,sleep=off")
		# The counter that guests see ticks with the instructions.
		[ "$ARCH" != arm64 ] || model+=,cntfrq=1000000000
	fi
	QEMU+=("${accel[@]}" -cpu "$model" -m "${MEMORY:-1024}"
	       -nodefaults -no-user-config -display none -no-reboot
	       -kernel "$3" -initrd "$4"
	       -append "$CONSOLE panic=-1 oops=panic printk.devkmsg=on log_buf_len=4M $5")
}

# output_port FILE: a second port, whose output goes to FILE: adds to QEMU.
output_port() {
	case $ARCH in
	arm64) QEMU+=(-device virtio-serial-device -chardev "file,id=output,path=$1"
		      -device virtconsole,chardev=output) ;;
	*) QEMU+=(-serial "file:$1") ;;
	esac
}
