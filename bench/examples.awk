# The two tables of bench/examples.sh.  A line: a name, and for each of four ways (no fusion, of maps only, all, all but reuse) kernels,
# bytes, the floor, the peak, fresh arrays, seconds.
function at(way, what) { return $(1 + 6 * way + what) }
function mega(n) { return sprintf("%.3g", n / 1e6) }
function milli(s) { return sprintf("%.3g", s * 1e3) }
BEGIN {
	print "| program | kernels: none | maps | all | MB: none | maps | all | all, of the floor | ms: none | maps | all | faster |"
	print "|---|---|---|---|---|---|---|---|---|---|---|---|"
}
{
	floor = at(2, 3) > 64 ? sprintf("%.2f", at(2, 2) / at(2, 3)) : "-"
	printf "| %s | %d | %d | %d | %s | %s | %s | %s | %s | %s | %s | %.2f |\n", $1, at(0, 1), at(1, 1), at(2, 1), mega(at(0, 2)), mega(at(1, 2)),
		mega(at(2, 2)), floor, milli(at(0, 6)), milli(at(1, 6)), milli(at(2, 6)), at(0, 6) / at(2, 6)
	kernels += log(at(0, 1) / at(2, 1)); bytes += log((at(0, 2) + 1) / (at(2, 2) + 1)); faster += log(at(0, 6) / at(2, 6))
	reuse[NR] = sprintf("| %s | %s | %s | %.2f | %s | %s | %d | %d |", $1, milli(at(2, 6)), milli(at(3, 6)), at(3, 6) / at(2, 6), mega(at(2, 4)),
		mega(at(3, 4)), at(2, 5), at(3, 5))
	reused += log(at(3, 6) / at(2, 6))
}
END {
	printf "| geometric mean of the gain | | | %.2f | | | %.2f | | | | | %.2f |\n\n", exp(kernels / NR), exp(bytes / NR), exp(faster / NR)
	print "| program | ms | without reuse | faster | peak MB | without reuse | fresh arrays | without reuse |"
	print "|---|---|---|---|---|---|---|---|"
	for (i = 1; i <= NR; i++)
		print reuse[i]
	printf "| geometric mean of the gain | | | %.2f | | | | |\n", exp(reused / NR)
}
