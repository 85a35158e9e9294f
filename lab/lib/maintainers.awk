# SPDX-License-Identifier: GPL-2.0
# maintainers.awk ENTRY LINUX: Linux's MAINTAINERS with ENTRY at its place: after
# the entry whose title comes last before ours in the alphabet. (Not before the
# first that comes after ours: not all of them stand in order.)

FNR == NR { entry = entry $0 "\n"; if (FNR == 1) title = $0; next }

{ line[++count] = $0 }

# What tells a title: it follows an empty line, and a field follows it.
/^[A-Z]:\t/ && line[count - 2] == "" {
	name = line[count - 1]
	if (name < title && name > best) {
		best = name
		at = count
	}
}

END {
	for (i = 1; i <= count; i++) {
		print line[i]
		if (at && i > at && line[i] == "") {
			printf "%s\n", entry
			at = 0
		}
	}
	exit at != 0 || best == ""
}
