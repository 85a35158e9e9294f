#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1
# options: KPROBES
# timeout: 300
# K10: each function of the kernel is instructions from its start to its end, as
# far as probes see. (`make test-decode` asks objdump, too.)
. /tools/testing/hooks/guest/functions
address() { sed -n "s/^\([0-9a-f]*\) . $1$/0x\1/p" /proc/kallsyms; }
load hooks_decode start="$(address _stext)" end="$(address _etext)" || verdict
messages hooks_decode
undecoded=$(messages hooks_decode | sed -n 's/.*, \([0-9]*\) undecoded.*/\1/p')
check "all is code" "$undecoded" -eq 0
# Two return thunks have a return inside another instruction, on purpose.
odd=$(messages hooks_decode | grep 'odd:' |
	grep -vc -e srso_untrain_ret -e retbleed_untrain_ret)
check "each symbol ends where one of its instructions does" "$odd" -eq 0
unload hooks_decode
verdict
