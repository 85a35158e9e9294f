#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# guests: 1 4
# options: KPROBES
# timeout: 100
# K8: probes hit in NMIs, in the middle of handlers and of steps.
. /tools/testing/hooks/guest/functions
load hooks_nmi && unload hooks_nmi
messages hooks_nmi
verdict
