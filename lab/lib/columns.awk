# SPDX-License-Identifier: GPL-2.0
# `make test-full`'s table: reads the list of cases and the four guests' results
# (base-1, ours-1, base-2, ours-2: "result<tab>name<tab>seconds<tab>reason"). Of
# several results of a case in a guest the best counts.

BEGIN {
	FS = "\t"
	columns = split("base-1 ours-1 base-2 ours-2", column, " ")
	# What ftracetest or the lab says, from the worst.
	ranks = split("DIED HUNG TIMEOUT NOTHING UNDEFINED FAIL UNRESOLVED " \
		"UNTESTED UNSUPPORTED XFAIL PASS", word, " ")
	for (i = 1; i <= ranks; i++)
		rank[word[i]] = i
	# Of the verdicts on 1 and on 2 CPUs, the one that counts.
	weight["better"] = 1
	weight["WORSE"] = 2
	weight["NOT RUN"] = 3
}

# cell RESULT REASON: what a case came to, in a word or two.
function cell(result, reason,    said)
{
	said = reason
	sub(/ *;? *the kernel reported: .*/, "", said)
	if (reason ~ /^hangs: /)
		return "HUNG"
	if (reason ~ /^the guest died/)
		return "DIED"
	if (reason ~ /^did not run/)
		return "-"
	if (reason ~ /^more than/)
		said = "TIMEOUT"
	sub(/ *$/, "", said)
	if (said !~ /^[A-Z ]+$/)
		said = result == "pass" || said == "" ? "PASS" : "NOTHING"
	return said (reason ~ /the kernel reported: / ? "!" : "")
}

FILENAME ~ /\/cases$/ { name[++names] = $1; known[$1] = 1; cases = names; next }

{
	guest = FILENAME
	sub(/\/all$/, "", guest)
	sub(/.*\//, "", guest)
	if (!($2 in known)) {
		# The guest as a whole: only where something is wrong.
		if ($1 == "pass")
			next
		known[$2] = 1
		name[++names] = $2
	}
	said = cell($1, $4)
	tries[$2, guest]++
	if (!(($2, guest) in came_to) || judge(came_to[$2, guest], said) == "better")
		came_to[$2, guest] = said
}

# worth CELL, N: of its Nth word. A pass is one of both, and what ends a case
# ends its second part, too.
function worth(text, n,    part, count)
{
	sub(/!$/, "", text)
	count = split(text, part, " ")
	return rank[part[n <= count ? n : count]]
}

# judge BASE OURS
function judge(base, ours,    n, better)
{
	if (base == "-" || ours == "-" || base == "" || ours == "")
		return "NOT RUN"
	if (ours ~ /!$/ && base !~ /!$/)
		return "WORSE"
	better = base ~ /!$/ && ours !~ /!$/
	for (n = 1; n <= 2; n++) {
		if (worth(ours, n) < worth(base, n))
			return "WORSE"
		if (worth(ours, n) > worth(base, n))
			better = 1
	}
	return better ? "better" : "same"
}

END {
	line = "%-58s %-12s %-12s %-12s %-12s %s\n"
	printf line, "case", "untouched 1", "ours 1", "untouched 2", "ours 2", "verdict"
	for (i = 1; i <= names; i++) {
		for (c = 1; c <= columns; c++) {
			text[c] = came_to[name[i], column[c]]
			# The guest as a whole has a result only where it fails.
			if (text[c] == "")
				text[c] = i > cases ? "PASS" : "-"
		}
		one = judge(text[1], text[2])
		two = judge(text[3], text[4])
		verdict = weight[one] > weight[two] ? one : two
		many = tries[name[i], column[1]]
		shown = verdict
		if (many > 1 && verdict != "WORSE")
			shown = verdict ", in " many " tries"
		printf line, name[i], text[1], text[2], text[3], text[4], shown
		if (verdict == "same" || verdict == "better")
			passed++
		else
			failed++
		if (verdict == "better")
			better++
		if (text[1] text[2] text[3] text[4] ~ /^(UNSUPPORTED|UNRESOLVED)+$/)
			lacking++
		else if (text[1] text[2] text[3] text[4] ~ /^(PASS ?)+$/)
			passing++
	}
	printf "%d cases: %d pass everywhere, %d are unsupported or unresolved " \
		"everywhere, %d are better than untouched\n", \
		names, passing, lacking, better
	printf "%d passed, %d failed\n", passed, failed
}
