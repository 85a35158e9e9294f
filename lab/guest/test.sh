# SPDX-License-Identifier: GPL-2.0
# Runs the tests of /lab/tests (a name, a time-out in seconds, a command, by
# tabs). Everything goes through the kernel's log: so what the kernel has to say
# stands between the marks of the test that made it say so.

kmsg() { echo "<6>$*" >/dev/kmsg; }

# What the test prints, a line a record, cut below the kernel's limit.
to_kmsg() {
	while IFS= read -r line; do
		echo "<6>| $line" | cut -c1-800 >/dev/kmsg
	done
}

# Seconds since boot, with hundredths.
uptime_now() { cut -d' ' -f1 /proc/uptime; }

run_test() {
	name=$1 limit=$2 start=$(uptime_now)
	shift 2
	kmsg "TEST-BEGIN $name"
	{
		cd /tmp
		timeout -k 10 "$limit" sh -c "$*" 2>&1 </dev/null
		echo $? >/tmp/status
	} | to_kmsg
	status=$(cat /tmp/status)
	took=$(echo "$start $(uptime_now)" | awk '{ printf "%.1f", $2 - $1 }')
	case $status in
	0) kmsg "TEST-END $name pass $took" ;;
	4) kmsg "TEST-END $name skip $took" ;;
	124|137|143) kmsg "TEST-END $name fail $took more than $limit s" ;;
	*) kmsg "TEST-END $name fail $took exit status $status" ;;
	esac
}

kmsg TEST-READY
tab=$(printf '\t')
while IFS="$tab" read -r name limit command; do
	run_test "$name" "$limit" "$command" <&3
done 3</dev/null </lab/tests
kmsg TEST-DONE
