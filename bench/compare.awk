# Two results in JSON: what changed, the benchmarks of both.
FNR == 1 { file++ }
/^{"name"/ && file == 1 { before[field($0, "name")] = $0 }
/^{"name"/ && file == 2 && field($0, "name") in before {
	old = before[field($0, "name")]
	if (n++ == 0)
		printf "%-24s %10s %10s %8s   %8s %8s\n", "benchmark", "ms, A", "ms, B", "B / A", "ratio, A", "ratio, B"
	change = field($0, "ours_ms") / field(old, "ours_ms")
	printf "%-24s %10.3f %10.3f %8.2f   %8.2f %8.2f\n", field($0, "name"), field(old, "ours_ms"), field($0, "ours_ms"), change,
		field(old, "ratio"), field($0, "ratio")
	logs += log(change)
	ratio_a += log(field(old, "ratio"))
	ratio_b += log(field($0, "ratio"))
}
END {
	if (n > 0)
		printf "%-24s %10s %10s %8.2f   %8.2f %8.2f\n", "geometric mean", "", "", exp(logs / n), exp(ratio_a / n), exp(ratio_b / n)
}
