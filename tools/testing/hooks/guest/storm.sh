#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 4
# timeout: 200
# C12: a module with 200 functions comes and goes, every function is traced and is
# not, a filter for the module is set and is not, all at once. HOOKS_LONG: for five
# minutes.
. /tools/testing/hooks/guest/functions
seconds=${HOOKS_LONG:+300}
seconds=${seconds:-20}
reset_tracing
cd $tracing || exit 1
mkdir instances/storm || exit 1

until_over() { while [ ! -e /tmp/over ]; do "$@" || echo "$*" >>/tmp/refused; done; }
module() { insmod "$MODDIR/hooks_many.ko" && rmmod hooks_many; }
tracer() { echo function >current_tracer && echo nop >current_tracer; }
filter() {
	echo '*:mod:hooks_many' >instances/storm/set_ftrace_filter &&
		echo function >instances/storm/current_tracer &&
		echo nop >instances/storm/current_tracer &&
		echo >instances/storm/set_ftrace_filter
}

rm -f /tmp/over /tmp/refused
echo 0 >tracing_on
for what in module tracer filter; do
	until_over $what &
done
sleep "$seconds"
: >/tmp/over
wait
check "nothing was refused" ! -e /tmp/refused
cat /tmp/refused 2>/dev/null
rmdir instances/storm
reset_tracing

echo '*:mod:hooks_many' >set_ftrace_filter
echo function >current_tracer
load hooks_many
check "in the end its functions trace" "$(grep -c 'hooks_many_[0-9]* <-' trace)" -eq 200
reset_tracing
unload hooks_many
check "nothing is hooked any more" "$(wc -l <enabled_functions)" -eq 0
verdict
