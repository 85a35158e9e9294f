#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: icount
# timeout: 60
# Big listings are fast: at most a tenth of the untouched kernel's instructions,
# which were counted with this program on one of the same configuration: 4,047 a
# line that is read, 32.2 million a name that is written.
. /tools/testing/hooks/guest/functions
hooks_listing 1000 >/tmp/listing || { echo "WRONG: hooks_listing failed"; exit 1; }
cat /tmp/listing
# figure WHAT: instructions for each.
figure() { awk -v what="$1" '$1 == what { printf "%d", $3 / $2 }' /tmp/listing; }
check "instructions for a line of available_filter_functions" "$(figure read)" -le 404
check "instructions for a name in set_ftrace_filter" "$(figure write)" -le 3220000
verdict
