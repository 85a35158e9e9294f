#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# No leak since boot. An object counts only once it is five seconds old and two
# scans have not found a pointer to it.

leaks=/sys/kernel/debug/kmemleak
echo scan >$leaks || exit 1
sleep 6
echo scan >$leaks
echo scan >$leaks
cat $leaks >/tmp/leaks
cat /tmp/leaks
[ ! -s /tmp/leaks ]
