#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4 icount
# options: KPROBES
# timeout: 60
# C9: no handler of a probe is preempted, and what is due comes right behind it.
# The guests have preempt=voluntary, full and none.
. /tools/testing/hooks/guest/functions
load hooks_preempt && unload hooks_preempt
messages hooks_preempt
model=$(sed 's/.*preempt=\([a-z]*\).*/\1/' /proc/cmdline)
check "the model is the one that is asked for" \
	"$(messages hooks_preempt | grep -c "preempt=$model")" -ge 1
verdict
