#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# selftest.sh LIMIT CASE: one case of the kernel's own ftracetest. Unless it
# passes, shows what it printed, `set -x` and all, and leaves in /tmp/said what
# it came to: a word, and a second one for a case that ftracetest runs in an
# instance too. A case that takes longer than LIMIT seconds is ended with all it
# has started, and tracing is put back, so that the next one finds it in order.

limit=$1 case=$2 root=/selftests/ftrace logs=/tmp/logs

put_back() {
	(
		cd /sys/kernel/tracing || exit
		. $root/test.d/functions
		finish_ftrace
		rmdir instances/ftracetest.*
	) >/dev/null 2>&1
}

# modprobe wants to know what there is.
[ -f /modules/modules.dep ] || depmod 2>/dev/null

cd $root || exit 1
rm -rf $logs /tmp/late
setsid sh ./ftracetest -k -l $logs "$case" >/tmp/out 2>&1 &
pid=$!
setsid sh -c "sleep $limit; touch /tmp/late; kill -9 -$pid" >/dev/null 2>&1 &
dog=$!
wait $pid
kill -9 -$dog

said=$(sed -n 's/^.*\t\[\([A-Z]*\)\]$/\1/p' $logs/ftracetest.log | tr '\n' ' ')
if [ -e /tmp/late ]; then
	put_back
	said="${said}TIMEOUT"
fi
case $said in
'PASS '|'PASS PASS ') exit 0 ;;
esac
echo "$said" >/tmp/said
# A line of `set -x` may have hundreds of files.
cat /tmp/out $logs/*-log.* | cut -c 1-400 | tail -n 400
exit 1
