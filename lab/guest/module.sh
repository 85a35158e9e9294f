# SPDX-License-Identifier: GPL-2.0
# `make run MODULE=DIR`: loads each of the user's modules, shows what the kernel
# printed meanwhile, unloads it. Modules load in the order of their names, and
# once more where one needed another.

verdict=0

show_since() {
	dmesg | tail -n +"$(($1 + 1))" | sed 's/^/    /'
}

lines() { dmesg | wc -l; }

load() {
	name=$(basename "$1" .ko)
	from=$(lines)
	if ! insmod "$1" 2>/tmp/insmod; then
		return 1
	fi
	echo "$name loaded:"
	sleep 2
	show_since "$from"
	loaded="$name $loaded"
}

loaded= waiting=$(ls /user/*.ko) before=
while [ -n "$waiting" ] && [ "$waiting" != "$before" ]; do
	before=$waiting waiting=
	for module in $before; do
		load "$module" || waiting="$waiting $module"
	done
done

for module in $waiting; do
	from=$(lines)
	insmod "$module"
	echo "$(basename "$module" .ko) does not load"
	show_since "$from"
	verdict=1
done

for name in $loaded; do
	from=$(lines)
	if rmmod "$name"; then
		echo "$name unloaded:"
	else
		echo "$name does not unload"
		verdict=1
	fi
	show_since "$from"
done
echo "GUEST-VERDICT $verdict"
