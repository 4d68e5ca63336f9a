# Results in JSON -> SVG: a bar for each ratio, log scale, with its interval; left of the line at 1 we are faster.
function x(ratio) {
	ratio = ratio < least ? least : ratio > most ? most : ratio
	return 170 + 430 * (log(ratio) - log(least)) / (log(most) - log(least))
}
BEGIN {
	least = 0.125
	most = 8
}
/^{"name"/ { line[++n] = $0 }
END {
	height = 46 + 14 * n
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"%d\" font-family=\"sans-serif\" font-size=\"10\">\n", height
	printf "<rect width=\"640\" height=\"%d\" fill=\"white\"/>\n<text x=\"170\" y=\"14\">time, nessie / C with OpenMP</text>\n", height
	for (tick = least; tick <= most; tick *= 2) {
		printf "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"32\" y2=\"%d\" stroke=\"%s\"/>\n", x(tick), x(tick), height - 8,
			tick == 1 ? "black" : "#ddd"
		printf "<text x=\"%.1f\" y=\"28\" text-anchor=\"middle\">%g</text>\n", x(tick), tick
	}
	for (i = 1; i <= n; i++) {
		y = 32 + 14 * i
		ratio = field(line[i], "ratio")
		from = x(ratio < 1 ? ratio : 1)
		printf "<text x=\"164\" y=\"%d\" text-anchor=\"end\">%s</text>\n", y, field(line[i], "name")
		printf "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"9\" fill=\"%s\"/>\n", from, y - 8, x(ratio < 1 ? 1 : ratio) - from,
			(ratio > 1.2 ? "#d08050" : "#5080b0")
		printf "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"black\"/>\n", x(field(line[i], "low")),
			x(field(line[i], "high")), y - 3.5, y - 3.5
		printf "<text x=\"612\" y=\"%d\">%.2f</text>\n", y, ratio
	}
	print "</svg>"
}
