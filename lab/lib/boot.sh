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

# A busy machine may not let a guest's timer tick in time for the check of it.
# A package for each CPU: without ACPI the kernel knows the others from the MP
# table, which has one of each package.
# qemu_command CPUS MODEL KERNEL IMAGE APPEND: fills QEMU.
qemu_command() {
	local cpus=$1 model=$2 accel=(-accel tcg,thread=single)
	local memory=${MEMORY:-1024} khz
	khz=$(tsc_khz)
	if [[ $model == icount,* ]]; then
		model=${model#icount,}
		accel=(-accel tcg -icount "shift=0,sleep=off")
		khz=1000000
	fi
	QEMU=(qemu-system-x86_64 "${accel[@]}" -cpu "$model" -smp "$cpus,sockets=$cpus,cores=1,threads=1"
	      -m "$memory" -nodefaults -no-user-config -display none -no-reboot
	      -kernel "$3" -initrd "$4"
	      -append "console=ttyS0,115200 panic=-1 oops=panic reboot=t printk.devkmsg=on log_buf_len=4M no_timer_check tsc=reliable ${khz:+tsc_early_khz=$khz} $5")
}

kernel_image() { echo "$1/arch/x86/boot/bzImage"; }
