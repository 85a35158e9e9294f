# SPDX-License-Identifier: GPL-2.0
# awk -f steps.awk symbols qemu-log: of a log of single steps, those of the last
# whole call of bench_target(): "SYMBOL address name" says what stands where.

FNR == NR {
	if ($3 == "bench_target")
		target = "0x" $2
	next
}

# What was translated: "0xADDRESS:  bytes  instruction".
/^0x[0-9a-f]+:/ {
	pc = $1
	sub(/:$/, "", pc)
	text = $0
	sub(/^0x[0-9a-f]+:[ \t]*/, "", text)
	sub(/^([0-9a-f][0-9a-f] )+[ \t]*/, "", text)
	asm[pc] = text
	next
}

# What was executed: "Trace 0: host [base/pc/flags/cflags] symbol".
/^Trace / {
	match($0, /\[[^]]*\]/)
	split(substr($0, RSTART + 1, RLENGTH - 2), part, "/")
	pc = "0x" part[2]
	if (pc == target) {
		if (n)
			whole = n
		for (i = 1; i <= n; i++)
			kept[i] = steps[i]
		n = 0
	}
	if (n < 2000)
		steps[++n] = pc "  " asm[pc]
}

END {
	for (i = 1; i <= whole; i++)
		printf "%4d  %s\n", i, kept[i]
	if (!whole)
		print "no whole call"
}
