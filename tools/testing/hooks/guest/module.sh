#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# timeout: 120
# F16: functions of modules.
. /tools/testing/hooks/guest/functions
reset_tracing
echo '*:mod:hooks_module' >$tracing/set_ftrace_filter
check "a filter for a module to come is kept" \
	"$(cat $tracing/set_ftrace_filter)" = '*:mod:hooks_module'
echo function >$tracing/current_tracer
load hooks_module
check "init's call of a function is traced" "$(grep -c 'hooks_module_core <-' $tracing/trace)" -eq 1
check "an init function is traced" "$(grep -c 'hooks_module_early' $tracing/trace)" -eq 1
check "the module's functions are listed" \
	"$(grep -c '\[hooks_module\]' $tracing/available_filter_functions)" -ge 1
check "init functions are not, any more" \
	"$(grep -c 'hooks_module_early' $tracing/available_filter_functions)" -eq 0
check "hooked" \
	"$(grep -c '^hooks_module_core \[hooks_module\] (1)' $tracing/enabled_functions)" -eq 1
entries=$(grep -vc '^#' $tracing/trace)
unload hooks_module
# The exit function itself is notrace, as all of them are.
check "what its exit calls is traced" $(($(grep -vc '^#' $tracing/trace) - entries)) -eq 1
check "nothing of it is left in the filter" "$(wc -l <$tracing/set_ftrace_filter)" -eq 0
check "nor in the lists" "$(cat $tracing/available_filter_functions \
	$tracing/enabled_functions | grep -c hooks_module)" -eq 0
check "an emptied filter traces nothing" "$(wc -l <$tracing/enabled_functions)" -eq 0
echo nop >$tracing/current_tracer
echo >$tracing/set_ftrace_filter

# With every function traced, a module's are from the first.
echo function >$tracing/current_tracer
load hooks_module
echo 0 >$tracing/tracing_on
check "traced without being named" "$(grep -c 'hooks_module_core <-' $tracing/trace)" -eq 1
reset_tracing
unload hooks_module
i=0
while [ $i -lt 10 ]; do
	load hooks_module && unload hooks_module
	i=$((i + 1))
done
verdict
