# SPDX-License-Identifier: GPL-2.0
# Runs the tests of /lab/tests (a name, a time-out in seconds, a command, by
# tabs). The marks go through the kernel's log: so what the kernel has to say
# stands between those of the test that made it say so. What the tests print goes
# out at the second serial port: they may look for their own lines in the log.
# What a test that fails leaves in /tmp/said is told with its result.

kmsg() { echo "<6>$*" >/dev/kmsg; }

# Where the machine has no second serial port there is a console of virtio.
port=/dev/ttyS1
[ -c "$port" ] || port=/dev/hvc0
stty -F "$port" raw -echo

# Seconds since boot, with hundredths.
uptime_now() { cut -d' ' -f1 /proc/uptime; }

run_test() {
	name=$1 limit=$2 start=$(uptime_now)
	shift 2
	kmsg "TEST-BEGIN $name"
	cd /tmp
	rm -f /tmp/said
	timeout -k 10 "$limit" sh -c "$*" >"$port" 2>&1 </dev/null
	status=$?
	took=$(echo "$start $(uptime_now)" | awk '{ printf "%.1f", $2 - $1 }')
	said=$(cat /tmp/said 2>/dev/null)
	case $status in
	0) kmsg "TEST-END $name pass $took" ;;
	4) kmsg "TEST-END $name skip $took" ;;
	124|137|143) kmsg "TEST-END $name fail $took more than $limit s" ;;
	*) kmsg "TEST-END $name fail $took ${said:-exit status $status}" ;;
	esac
}

kmsg "TEST-READY $(grep -c ^processor /proc/cpuinfo)"
tab=$(printf '\t')
while IFS="$tab" read -r name limit command; do
	run_test "$name" "$limit" "$command" <&3
done 3</dev/null </lab/tests
kmsg TEST-DONE
