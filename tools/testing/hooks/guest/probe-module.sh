#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: KPROBES
# timeout: 180
# K1, K9, K14, C15: probes in modules, and on names that several functions have.
. /tools/testing/hooks/guest/functions
dir=/sys/kernel/debug/kprobes
param=/sys/module/hooks_put/parameters

# refused WHAT ERRNO PARAMETERS...: loading hooks_put fails so, and leaves nothing.
refused() {
	place=$1 errno=$2
	shift 2
	if insmod "$MODDIR/hooks_put.ko" "$@" 2>/dev/null; then
		check "$place is refused" no = yes
		rmmod hooks_put
		return
	fi
	last=$(messages hooks_put | tail -n 1)
	check "$place gives $errno" "${last##* }" = "$errno"
}

# address SYMBOL: where the last one of this name is.
address() { grep " $1\b" /proc/kallsyms | tail -n 1 | cut -d' ' -f1; }

# What goes with its module.
load hooks_module
load hooks_put symbol=hooks_module:hooks_module_core
check "listed on the hook" \
	"$(grep -c 'k *hooks_module_core+0x[04] *hooks_module *\[FTRACE\]$' $dir/list)" -eq 1
unload hooks_module
check "K14: gone" "$(grep -c '\[GONE\]' $dir/list)" -eq 1
echo 1 >$param/enable
check "K14: what is gone can't be enabled" "$(cat $param/enabled_again)" -eq -22
load hooks_module
check "K14: a new load is another function" "$(grep -c '\[GONE\]' $dir/list)" -eq 1
check "… that is not hit: exit's call was the last" "$(cat $param/hits)" -eq 1
unload hooks_put
check "nothing is listed" "$(wc -l <$dir/list)" -eq 0
load hooks_put symbol=hooks_module_core returns=1
unload hooks_module
check "K14: a return probe is gone" "$(grep -c 'r.*\[GONE\]' $dir/list)" -eq 1
check "its return was seen, of exit's call" "$(cat $param/hits)" -eq 1
unload hooks_put
load hooks_module
site=$(sed -n 's/ hooks_module_core .*//p' $tracing/available_filter_functions_addrs)
load hooks_put symbol=hooks_module_core offset=$((0x$site - 0x$(address hooks_module_core) + 5))
unload hooks_module
check "K14: by breakpoint, gone" "$(grep -c 'k.*\[GONE\]$' $dir/list)" -eq 1
check "… and hit once" "$(cat $param/hits)" -eq 1
unload hooks_put

# Init text of a module that is there, and of the kernel.
load hooks_module
refused "freed init text of a module" -2 symbol=hooks_module_early
refused "… by its address" -2 addr=0x$(address hooks_module_core) offset=0x7ffff000
refused "freed init text of the kernel" -22 symbol=kernel_init_freeable
refused "a module's data" -22 addr=0x$(address __this_module)
unload hooks_module
refused "a module that is not there" -2 symbol=hooks_module:hooks_module_core

# In a module's init, by an event that waits for the module.
cd /sys/kernel/tracing || exit 1
echo >trace
echo 'p:early hooks_module:hooks_module_early' >kprobe_events
echo 1 >events/kprobes/early/enable
load hooks_module
check "K14: hit in init" "$(grep -c 'early: (hooks_module_early' trace)" -eq 1
check "K14: then gone" "$(grep -c '\[GONE\]' $dir/list)" -eq 1
echo 0 >events/kprobes/early/enable
unload hooks_module
echo >kprobe_events
check "nothing is listed" "$(wc -l <$dir/list)" -eq 0
cd /

# What modules say may not be probed.
before=$(wc -l <$dir/blacklist)
load hooks_barred
check "K9: blacklisted" "$(grep -c hooks_barred_marked $dir/blacklist)" -eq 1
# In sections what pads a function is named, and listed, too.
check "K9: three of them" "$(grep 'hooks_barred_' $dir/blacklist | grep -vc __pfx_)" -eq 3
for name in marked section noinstr; do
	refused "K9: $name" -22 symbol=hooks_barred_$name
	refused "K9: inside $name" -22 symbol=hooks_barred_$name offset=4
done
refused "data of a module" -22 symbol=hooks_barred_data
unload hooks_barred
check "K9: not any more" "$(wc -l <$dir/blacklist)" -eq "$before"

# Names.
load hooks_names
refused "C15: a name that many have" -99 symbol=type_show
refused "C15: … that two of a module have" -99 symbol=hooks_names:type_show
unload hooks_names
load hooks_module
load hooks_put symbol=hooks_module:hooks_module_core && unload hooks_put
refused "another module's" -2 symbol=hooks_names:hooks_module_core
refused "two colons" -2 symbol=hooks_module::hooks_module_core
refused "no module" -2 symbol=:hooks_module_core
refused "no name" -2 symbol=hooks_module:
refused "both" -22 symbol=hooks_module_core addr=0xffffffff81000000
refused "neither" -22
unload hooks_module
check "nothing is listed" "$(wc -l <$dir/list)" -eq 0
verdict
