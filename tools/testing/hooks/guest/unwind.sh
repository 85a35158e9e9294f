#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: KPROBES
# timeout: 120
# K13, R5: stack traces from handlers, by breakpoint, jump, entry and return.
. /tools/testing/hooks/guest/functions
load hooks_unwind && unload hooks_unwind
messages hooks_unwind
verdict
