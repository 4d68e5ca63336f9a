# Of one benchmark: what it counts without and with one run, then lines `ours|hand ROUND ANSWER SECONDS` -> a line of JSON;
# or the reason why there is none, and exit status 1.
#
# The interval holds 95 of 100 quotients of medians, of rounds drawn anew from those there are: runs of one process are alike.
function count(text, name) {
	return match(text, "\"" name "\": [0-9]+") ? substr(text, RSTART + length(name) + 4, RLENGTH - length(name) - 4) : 0
}
function sort(v, n,    i, k, x) {
	for (i = 2; i <= n; i++) {
		x = v[i]
		for (k = i; k > 1 && v[k - 1] > x; k--)
			v[k] = v[k - 1]
		v[k] = x
	}
}
function median(v, n) {
	sort(v, n)
	return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}
# The median of the rounds pick[1..rounds].
function of_rounds(who,    i, k, n, v) {
	for (i = 1; i <= rounds; i++)
		for (k = 1; k <= runs; k++)
			v[++n] = time[who, pick[i], k]
	return median(v, n)
}
function wrong(why) {
	print why
	bad = 1
	exit 1
}
FNR == 1 { file++ }
file < 3 {
	if (FNR == 1) {
		launches[file] = count($0, "launches")
		bytes[file] = count($0, "bytes_read") + count($0, "bytes_written")
		peak[file] = count($0, "peak_bytes")
	}
	next
}
{
	sub(/E/, "e", $3)
	sub(/E/, "e", $4)
	answer = $3 + 0
	off = answer - (seen ? first : answer)
	size = first < 0 ? -first : first
	if (off > 1e-9 * size + 1e-12 || off < -1e-9 * size - 1e-12)
		wrong($1 " gives " $3 ", not " shown)
	if (!seen) {
		seen = 1
		first = answer
		shown = $3
	}
	time[$1, $2, ++have[$1, $2]] = $4 + 0
}
END {
	if (bad)
		exit 1
	for (i = 1; i <= rounds; i++) {
		pick[i] = i
		if (have["ours", i] != runs || have["hand", i] != runs)
			wrong("some runs are missing")
	}
	ours = of_rounds("ours")
	hand = of_rounds("hand")
	srand(1)
	for (k = 1; k <= 400; k++) {
		for (i = 1; i <= rounds; i++)
			pick[i] = 1 + int(rand() * rounds)
		quotient[k] = of_rounds("ours") / of_rounds("hand")
	}
	sort(quotient, 400)
	moved = bytes[2] - bytes[1]
	printf "{\"name\": \"%s\", \"ours_ms\": %.4f, \"hand_ms\": %.4f, \"ratio\": %.3f, \"low\": %.3f, \"high\": %.3f, " \
		"\"kernels\": %d, \"bytes\": %.0f, \"of_triad\": %.3f, \"peak_bytes\": %.0f, \"data_bytes\": %.0f, " \
		"\"compile_s\": %.2f, \"cores\": %.2f, \"apart_ns\": %d, \"answer\": \"%s\", \"note\": \"%s\"}\n", name, ours * 1e3, hand * 1e3, ours / hand,
		quotient[10], quotient[390], launches[2] - launches[1], moved, moved / ours / 1e9 / triad, peak[2], peak[1],
		compile, cores, apart, shown, note
}
