# SPDX-License-Identifier: GPL-2.0
# A shell in the guest.

cat <<END

  A shell in the guest: modules in $MODDIR, tracefs in /sys/kernel/tracing.
  "exit" (or Ctrl-A X) ends it.

END
cd /tmp
setsid cttyhack sh
