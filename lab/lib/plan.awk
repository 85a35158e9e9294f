# SPDX-License-Identifier: GPL-2.0
# Reads the repository's kernel-tree files (the first input, one path a line)
# and then each patch's list; prints "PATCH<tab>ACTION<tab>PATH". Complains
# about a file in no patch or in two, and about a line that matches nothing.

function to_regex(glob,    i, c, re)
{
	if (glob ~ /\/$/)
		glob = glob "**"
	for (i = 1; i <= length(glob); i++) {
		c = substr(glob, i, 1)
		if (c == "*" && substr(glob, i + 1, 1) == "*") {
			re = re ".*"
			i++
		} else if (c == "*") {
			re = re "[^/]*"
		} else if (c == "?") {
			re = re "[^/]"
		} else if (c ~ /[A-Za-z0-9_\/]/) {
			re = re c
		} else {
			re = re "[" c "]"
		}
	}
	return "^" re "$"
}

function complain(text)
{
	print "error: " text > "/dev/stderr"
	wrong = 1
}

function copy(patch, glob,    re, path, matched)
{
	re = to_regex(glob)
	for (path in owner) {
		if (path !~ re)
			continue
		matched = 1
		if (owner[path] == patch)
			continue
		if (owner[path] != "")
			complain(path " is in two patches: " owner[path] " and " patch)
		owner[path] = patch
		print patch "\tcopy\t" path
	}
	if (!matched)
		complain("series/" patch "/files: " glob " matches no file")
}

BEGIN { FS = "\n" }

FILENAME == "-" || FILENAME == "" { owner[$0] = ""; next }

FNR == 1 {
	parts = split(FILENAME, dir, "/")
	patch = dir[parts - 1]
}

{ sub(/#.*/, ""); sub(/[ \t]+$/, "") }
$0 == "" { next }
/^-/ { print patch "\tremove\t" substr($0, 2); next }
$0 == "+MAINTAINERS" { print patch "\tmaintainers\tMAINTAINERS"; next }
{ copy(patch, $0) }

END {
	for (path in owner)
		if (owner[path] == "")
			complain(path " is in no patch of the series")
	exit wrong
}
