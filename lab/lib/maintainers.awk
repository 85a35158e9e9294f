# SPDX-License-Identifier: GPL-2.0
# maintainers.awk ENTRY LINUX: Linux's MAINTAINERS with ENTRY at its place. A
# title is a line after an empty one, beyond the heading of the list.

FNR == NR { entry = entry $0 "\n"; if (FNR == 1) title = $0; next }

/^Maintainers List$/ { in_list = 1 }

in_list && !placed && after_blank && /^[A-Z0-9]/ && ($0 > title || $0 == "THE REST") {
	printf "%s\n", entry
	placed = 1
}

{ print; after_blank = ($0 == "") }

END { if (!placed) exit 1 }
