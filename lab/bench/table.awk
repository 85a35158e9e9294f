# SPDX-License-Identifier: GPL-2.0
# awk -f table.awk -v csv=FILE rows base-1 ours-1 [base-2 ours-2]: the table, and
# the same as CSV. Figures are lines ROW, COUNT, FIGURE by tabs; a row that the
# untouched kernel has no figure of for that count has the one of the next lower
# count, which stands behind it. Ends with 1 where the rows file doesn't explain
# what it should.

BEGIN { FS = "\t" }

FNR == 1 { file++ }
/^#/ || /^$/ { if (file == 1 && /^## /) head[n + 1] = substr($0, 4); next }
file == 1 {
	order[++n] = $1 SUBSEP $2
	target[$1, $2] = $3
	note[$1, $2] = $4
	next
}
{
	kernel = file % 2 ? "ours" : "base"
	run = file > 3 ? 2 : 1
	if (($1, "*") in target)
		$2 = "*"
	have[kernel, run, $1, $2] = $3
	if (run == 1 && kernel == "base")
		counts[$1] = counts[$1] " " $2
	if (kernel == "ours" && run == 1 && !(($1, $2) in target)) {
		print "no line in the rows file: " $1 ", " $2
		bad++
	}
}

function grouped(x,    s) {
	if (x == "")
		return "-"
	s = sprintf("%d", x)
	while (match(s, /[0-9][0-9][0-9][0-9](,|$)/))
		s = substr(s, 1, RSTART) "," substr(s, RSTART + 1)
	return s
}

# The figure of the untouched kernel for that count or the next lower one.
function base_count(row, count,    i, m, list, best) {
	best = ""
	m = split(counts[row], list, " ")
	for (i = 1; i <= m; i++)
		if (list[i] + 0 <= count + 0 && (best == "" || list[i] + 0 > best + 0))
			best = list[i]
	return best
}

# Whether the goal is met: a number, or 1/N of the untouched kernel's.
function verdict(goal, ours, base,    part) {
	if (goal == "" || goal == "-")
		return ""
	if (split(goal, part, "/") == 2)
		return base != "" && ours * part[2] <= base ? "met" : "MISSED"
	return ours <= goal + 0 ? "met" : "MISSED"
}

function differs(kernel, row, count) {
	return ((kernel, 2, row, count) in have) &&
	       have[kernel, 2, row, count] != have[kernel, 1, row, count]
}

END {
	print "row,count,untouched,untouched_count,ours,ratio,target,verdict,exact" >csv
	printf "%-47s %6s %15s %12s %8s %10s\n", "instructions", "count", "untouched", "ours", "ratio", "target"
	for (i = 1; i <= n; i++) {
		split(order[i], key, SUBSEP)
		row = key[1]; count = key[2]
		if (i in head)
			printf "%s\n", head[i]
		ours = have["ours", 1, row, count]
		if (ours == "") {
			print "no figure: " row ", " count
			bad++
			continue
		}
		at = base_count(row, count)
		base = at == "" ? "" : have["base", 1, row, at]
		ratio = base != "" && ours > 0 ? sprintf("%.1f", base / ours) : "-"
		says = verdict(target[row, count], ours, base)
		other = (differs("base", row, at) ? " untouched" : "") \
			(differs("ours", row, count) ? " ours" : "")
		printf "  %-45s %6s %15s %12s %8s %10s %s%s%s\n", row, count,
			grouped(base), grouped(ours), ratio,
			target[row, count] ~ /^[0-9]+$/ ? grouped(target[row, count]) : target[row, count],
			says, at != "" && at != count ? " (untouched: of " at ")" : "",
			other != "" ? " differs:" other : ""
		if (says == "MISSED" || other != "") {
			if (note[row, count] == "")
				bad++
			printf "      %s\n", note[row, count] == "" ? "UNEXPLAINED" : note[row, count]
		}
		printf "\"%s\",%s,%s,%s,%s,%s,%s,%s,%s\n", row, count, base, at,
			ours, ratio, target[row, count], says,
			other == "" ? "yes" : "no:" other >csv
	}
	exit bad > 0
}
