# Results in JSON -> SVG: for each segmented kernel the time of every way of lengths, ours filled, the baseline's open.
function y(ms) {
	return 270 - 230 * ms / most
}
/^{"name": "segmented_/ {
	split(field($0, "name"), part, "_")
	if (!(part[2] in seen)) {
		seen[part[2]] = 1
		kernel[++kernels] = part[2]
	}
	if (!(part[3] in column)) {
		column[part[3]] = ++ways
		way[ways] = part[3]
	}
	ours[part[2], part[3]] = field($0, "ours_ms")
	hand[part[2], part[3]] = field($0, "hand_ms")
	most = ours[part[2], part[3]] > most ? ours[part[2], part[3]] : most
	most = hand[part[2], part[3]] > most ? hand[part[2], part[3]] : most
}
# The least of 1, 2, 4, 8, 10, 20, 40, 80, 100 ... that is as much: its quarters are round.
function round_above(ms,  unit, times) {
	for (unit = 0.001; unit * 8 < ms; unit *= 10)
		;
	for (times = 1; times * unit < ms; times *= 2)
		;
	return times * unit
}
END {
	most = round_above(most)
	split("#5080b0 #d08050 #50a060 #9060b0", colour, " ")
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"310\" font-family=\"sans-serif\" font-size=\"10\">"
	print "<rect width=\"640\" height=\"310\" fill=\"white\"/>"
	print "<text x=\"50\" y=\"14\">milliseconds for the same elements in segments of other lengths: nessie (filled), C with OpenMP (open)</text>"
	for (i = 0; kernels && i <= 4; i++)
		printf "<line x1=\"50\" x2=\"540\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"44\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>\n",
			y(most * i / 4), y(most * i / 4), y(most * i / 4) + 3, most * i / 4
	for (k = 1; k <= kernels; k++) {
		points = ""
		for (i = 1; i <= ways; i++) {
			if (!((kernel[k], way[i]) in ours))
				continue
			points = points sprintf(" %d,%.1f", 20 + 62 * i, y(ours[kernel[k], way[i]]))
			printf "<circle cx=\"%d\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", 20 + 62 * i, y(ours[kernel[k], way[i]]), colour[k]
			printf "<circle cx=\"%d\" cy=\"%.1f\" r=\"3\" fill=\"none\" stroke=\"%s\"/>\n", 20 + 62 * i, y(hand[kernel[k], way[i]]), colour[k]
		}
		printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\"/>\n", points, colour[k]
		printf "<text x=\"560\" y=\"%d\" fill=\"%s\">%s</text>\n", 40 + 16 * k, colour[k], kernel[k]
	}
	for (i = 1; i <= ways; i++)
		printf "<text x=\"%d\" y=\"290\" text-anchor=\"middle\">%s</text>\n", 20 + 62 * i, way[i]
	print "</svg>"
}
