#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1
# timeout: 120
# Wrong words to the filter files: an error, and nothing changed.
. /tools/testing/hooks/guest/functions
reset_tracing
cd $tracing || exit 1
echo version_proc_show >set_ftrace_filter
for word in no_such_function 'no_such_*' 0 99999999 12abc '!no_such' 'version_proc_show:nocommand' \
	    'schedule:traceoff:abc' '!*:mod:nosuchmodule' ':::' '[' ; do
	echo "$word" >>set_ftrace_filter 2>/dev/null
	check "'$word' is refused" $? -ne 0
done
check "the filter is what it was" "$(cat set_ftrace_filter)" = version_proc_show
echo nonsense >set_graph_function 2>/dev/null
check "set_graph_function refuses" $? -ne 0
echo nonsense >>set_ftrace_pid 2>/dev/null
check "set_ftrace_pid refuses" $? -ne 0
check "no pid" "$(cat set_ftrace_pid)" = "no pid"
reset_tracing
verdict
