# SPDX-License-Identifier: GPL-2.0
# awk -f chart.awk bench.csv >bench.svg: what a hit costs, by the number of
# callbacks on the function and by the number of ops registered elsewhere. Both
# axes are logarithmic.

BEGIN {
	FS = ","
	row[1] = "hit; ops on the function"
	row[2] = "hit; 2 ops; others elsewhere"
	label[1] = "callbacks on the function"
	label[2] = "ops registered elsewhere, two on the function"
	width = 330; height = 260; top = 40
	decades[1] = 2; decades[2] = 4
	most = 5
}

# The row's name has commas inside its quotes.
{
	match($0, /^"[^"]*"/)
	name = substr($0, 2, RLENGTH - 2)
	gsub(/,/, ";", name)
	split(substr($0, RLENGTH + 2), field, ",")
	for (p = 1; p <= 2; p++)
		if (name == row[p] && field[1] > 0) {
			add(p, "ours", field[1], field[4])
			if (field[2] != "" && field[3] == field[1])
				add(p, "untouched", field[1], field[2])
		}
}

function log10(x) { return log(x) / log(10) }
function px(p, x) { return (p - 1) * 450 + 70 + width * log10(x) / decades[p] }
function py(y) { return top + height - height * log10(y < 1 ? 1 : y) / most }

function add(p, kernel, x, y) {
	points[p, kernel] = points[p, kernel] sprintf(" %.1f,%.1f", px(p, x), py(y))
	dots[p, kernel] = dots[p, kernel] sprintf("<circle cx='%.1f' cy='%.1f' r='3'/>", px(p, x), py(y))
	last[p, kernel] = px(p, x) SUBSEP py(y)
}

function axes(p,    i, x) {
	for (i = 0; i <= most; i++) {
		printf "<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' stroke='#ddd'/>\n", px(p, 1), px(p, 1) + width, py(10 ^ i), py(10 ^ i)
		printf "<text x='%.1f' y='%.1f' text-anchor='end'>%d</text>\n", px(p, 1) - 6, py(10 ^ i) + 4, 10 ^ i
	}
	for (i = 0; i <= decades[p]; i++) {
		x = px(p, 10 ^ i)
		printf "<line x1='%.1f' x2='%.1f' y1='%d' y2='%d' stroke='#ddd'/>\n", x, x, top, top + height
		printf "<text x='%.1f' y='%d' text-anchor='middle'>%d</text>\n", x, top + height + 18, 10 ^ i
	}
	printf "<text x='%.1f' y='%d' text-anchor='middle'>%s</text>\n", px(p, 1) + width / 2, top + height + 38, label[p]
}

function line(p, kernel, colour,    at) {
	printf "<g fill='%s'>%s</g><polyline points='%s' fill='none' stroke='%s' stroke-width='2'/>\n", colour, dots[p, kernel], points[p, kernel], colour
	split(last[p, kernel], at, SUBSEP)
	printf "<text x='%.1f' y='%.1f' text-anchor='end' fill='%s'>%s</text>\n", at[1], at[2] - 8, colour, kernel
}

END {
	print "<svg xmlns='http://www.w3.org/2000/svg' width='890' height='360' font-family='sans-serif' font-size='12'>"
	print "<rect width='100%' height='100%' fill='white'/>"
	print "<text x='70' y='22'>Instructions a hit, above a call that is not hooked</text>"
	for (p = 1; p <= 2; p++) {
		axes(p)
		line(p, "untouched", "#c0392b")
		line(p, "ours", "#1f6fb2")
	}
	print "</svg>"
}
