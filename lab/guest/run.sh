# SPDX-License-Identifier: GPL-2.0
# `make run`: the samples at work. The host reads the line with the verdict.

echo
if sh /samples/hooks/demo.sh; then
	echo "GUEST-VERDICT 0"
else
	echo "GUEST-VERDICT 1"
fi
