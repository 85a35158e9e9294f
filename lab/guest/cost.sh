# SPDX-License-Identifier: GPL-2.0
# `make test-cost`: what hooks and probes cost, on whatever kernel this is.

param=/sys/module/hooks_probe_cost/parameters
insmod $MODDIR/hooks_cost.ko
insmod $MODDIR/hooks_probe_cost.ko brief=1
awk '!/\[/ { line = line " " $1; nr++ }
	nr == 200 { print line; line = ""; nr = 0 }' \
	/sys/kernel/tracing/available_filter_functions_addrs | head -n 13 |
while read -r line; do
	echo "$line" >$param/add
done
echo 1 >$param/run
echo COST-DONE
