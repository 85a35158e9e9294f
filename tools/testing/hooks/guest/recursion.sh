#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# timeout: 60
# F6: recursed_functions lists the function that recursed, and its caller.
. /tools/testing/hooks/guest/functions
reset_tracing
echo >$tracing/recursed_functions 2>/dev/null
check "empty at first" "$(wc -l <$tracing/recursed_functions)" -eq 0
load hooks_recursion || verdict
cat $tracing/recursed_functions
check "the function and its parent are listed" \
	"$(grep -c 'hooks_recursion_callback.*hooks_recursion_target' \
		$tracing/recursed_functions)" -ge 1
unload hooks_recursion
echo >$tracing/recursed_functions
check "it can be emptied" "$(wc -l <$tracing/recursed_functions)" -eq 0
# Only once a boot: the base's recorder passes over the function it saw last.
verdict
