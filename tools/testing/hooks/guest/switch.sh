#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: KPROBES
# timeout: 60
# C13: kernel.ftrace_enabled=0 silences ops, and never a probe.
. /tools/testing/hooks/guest/functions
switch=/proc/sys/kernel/ftrace_enabled
call=/sys/module/hooks_switch/parameters/call

# expect WHAT COUNTS: of the ops, the probe, the return probe; of each set.
expect() { check "$1" "$(echo $(cat $call))" = "$2"; }

load hooks_switch || verdict
expect "all are called" "10 10 10"
echo 0 >$switch
check "it can be switched off" "$(cat $switch)" -eq 0
expect "ops are not called, probes are" "0 10 10"
echo more >$call
expect "the same of those registered meanwhile" "0 10 10 0 10 10"
echo 1 >$switch
expect "all are called again" "10 10 10 10 10 10"
echo 0 >$switch
unload hooks_switch
load hooks_switch
expect "registered and unregistered while it is off" "0 10 10"
echo 1 >$switch
expect "and called when it is on" "10 10 10"
unload hooks_switch
check "nothing is hooked any more" "$(wc -l <$tracing/enabled_functions)" -eq 0
verdict
