# SPDX-License-Identifier: GPL-2.0
# `make test-decode`: has the kernel map its instructions; then the host reads
# the memory of this guest, and ends it.

address() { sed -n "s/^\([0-9a-f]*\) . $1$/0x\1/p" /proc/kallsyms; }

insmod $MODDIR/hooks_decode.ko start="$(address _stext)" end="$(address _etext)"
dmesg | sed -n 's/.*hooks_decode: /DECODE /p'
echo DECODE-DONE
sleep 1000
