#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1
# timeout: 60
# C15: several functions of the kernel and two of a module have one name.
. /tools/testing/hooks/guest/functions
reset_tracing
cd $tracing || exit 1
hooked() { grep -c '^type_show ' enabled_functions; }

kernel=$(grep -cx type_show available_filter_functions)
check "the kernel has five or more" "$kernel" -ge 5
all=$((kernel + 2))

load hooks_names
echo type_show >set_ftrace_filter
echo function >current_tracer
check "the name means all of them" "$(hooked)" -eq $all
check "the filter says so" "$(grep -c '^type_show' set_ftrace_filter)" -eq $all
unload hooks_names
check "those of a module that goes go" "$(hooked)" -eq "$kernel"
load hooks_names
check "come back, they are other functions" "$(hooked)" -eq "$kernel"
echo 'type_show:mod:hooks_names' >>set_ftrace_filter
check "named with the module, they are in" "$(hooked)" -eq $all
unload hooks_names
check "and go again" "$(hooked)" -eq "$kernel"
reset_tracing

echo type_show >set_ftrace_filter
echo 'type_show:mod:hooks_names' >>set_ftrace_filter
echo function >current_tracer
check "a module to come is waited for" "$(hooked)" -eq "$kernel"
load hooks_names
check "and has them in when it is there" "$(hooked)" -eq $all
reset_tracing
unload hooks_names

load hooks_names attach=1
check "ftrace_set_filter() takes all, too" "$(hooked)" -eq $all
check "both of the module's were called" "$(messages hooks_names | grep -c ' 2 hits')" -eq 1
unload hooks_names
check "nothing is hooked any more" "$(wc -l <enabled_functions)" -eq 0
verdict
