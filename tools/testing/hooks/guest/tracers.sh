#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: KPROBES
# timeout: 200
# The function and function-graph tracers trace what they are asked to; the
# switch; kprobes and the profiler beside them.
. /tools/testing/hooks/guest/functions
reset_tracing
cd $tracing || exit 1

echo version_proc_show >set_ftrace_filter
echo function >current_tracer
cat /proc/version /proc/version /proc/version >/dev/null
check "function: three calls" "$(grep -c 'version_proc_show <-' trace)" -eq 3
check "enabled_functions has one line" "$(wc -l <enabled_functions)" -eq 1
check "one ops" "$(grep -c '^version_proc_show (1)' enabled_functions)" -eq 1
sysctl -q -w kernel.ftrace_enabled=0
cat /proc/version >/dev/null
check "kernel.ftrace_enabled=0: silent" "$(grep -c 'version_proc_show <-' trace)" -eq 3
sysctl -q -w kernel.ftrace_enabled=1
cat /proc/version >/dev/null
check "… =1: there again" "$(grep -c 'version_proc_show <-' trace)" -eq 4
echo '!version_proc_show' >>set_ftrace_filter
reset_tracing

echo version_proc_show >set_ftrace_filter
echo function_graph >current_tracer
cat /proc/version /proc/version >/dev/null
check "function_graph: two calls" "$(grep -c 'version_proc_show();' trace)" -eq 2
reset_tracing

echo version_proc_show >set_graph_function
echo function_graph >current_tracer
cat /proc/version >/dev/null
check "set_graph_function: it and what it calls" "$(grep -c 'version_proc_show() {' trace)" -eq 1
echo nop >current_tracer
echo >set_graph_function

echo 'p:probe version_proc_show' >kprobe_events
echo 'r:ret version_proc_show' >>kprobe_events
echo 1 >events/kprobes/enable
echo version_proc_show >set_ftrace_filter
echo function >current_tracer
cat /proc/version /proc/version >/dev/null
check "kprobe beside the tracer" "$(grep -c 'probe: (version_proc_show' trace)" -eq 2
check "kretprobe beside the tracer" "$(grep -c 'ret: (.*<- version_proc_show' trace)" -eq 2
check "and the tracer" "$(grep -c 'version_proc_show <-' trace)" -eq 2
echo 0 >events/kprobes/enable
echo >kprobe_events
reset_tracing

echo version_proc_show >set_ftrace_filter
echo 1 >function_profile_enabled
cat /proc/version /proc/version >/dev/null
echo 0 >function_profile_enabled
check "profiler: two calls" "$(cat trace_stat/function* |
	awk '/version_proc_show/ { n += $2 } END { print n + 0 }')" -eq 2
reset_tracing

# F6: who recursed.
check "recursed_functions can be read" "$(cat recursed_functions >/dev/null; echo $?)" -eq 0
check "tracing is not dead" "$(grep -c CORRUPTED trace)" -eq 0
verdict
