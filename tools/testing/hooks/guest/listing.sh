#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: icount
# timeout: 60
# Big listings are fast: at most a tenth of the untouched kernel's instructions,
# by line and by name (`make test-full` runs hooks_listing on both kernels).
. /tools/testing/hooks/guest/functions
hooks_listing 1000 >/tmp/listing || fail "hooks_listing"
cat /tmp/listing
set -- $(grep '^read' /tmp/listing)
echo "a line: $(($3 / $2)) instructions"
set -- $(grep '^write' /tmp/listing)
echo "a name: $(($3 / $2)) instructions"
