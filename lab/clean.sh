#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make clean: everything that the lab has made goes.

. "$(dirname "$0")/lib/common.sh"

rm -rf "$BUILD"
