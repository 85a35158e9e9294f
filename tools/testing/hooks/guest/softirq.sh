#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: KPROBES
# timeout: 200
# C10: softirqs inside handlers, 100,000 times for each kind of probe.
. /tools/testing/hooks/guest/functions
load hooks_softirq && unload hooks_softirq
messages hooks_softirq
verdict
