# SPDX-License-Identifier: GPL-2.0
# `make bench STEPS=1`: has calls made while the host logs each instruction.

param=/sys/module/hooks_bench/parameters

# step FILE COMMAND: the host turns its log on while this waits.
step() {
	echo "STEPS-ON $1"
	sleep 3
	shift
	echo "$*" >$param/run
	echo STEPS-OFF
	sleep 3
}

insmod $MODDIR/hooks_bench.ko
sed -n 's/^\([0-9a-f]*\) . \(bench_target\)\t.*/SYMBOL \1 \2/p' /proc/kallsyms
step one-ops several 1
step two-ops several 2
step guards guards
step kretprobe kretprobes 1
step probe-hits probe-hits 0
echo STEPS-DONE
