# Results in JSON -> Markdown.  Segmented ones get a table of nanoseconds an element too.
function bytes(x) {
	return x >= 1e9 ? sprintf("%.2f GB", x / 1e9) : x >= 1e6 ? sprintf("%.1f MB", x / 1e6) : sprintf("%.1f KB", x / 1e3)
}
FNR == 1 {
	threads = field($0, "threads")
	printf "# The benchmarks, %s\n\n", field($0, "when")
	printf "Target cpu, %s, %d threads, %s for ours and gcc -O3 for the baselines, load average %s at the end. Medians of %d runs,\n",
		field($0, "compiler"), field($0, "threads"), field($0, "machine"), field($0, "load"), field($0, "runs") * field($0, "rounds")
	printf "%d in each of %d processes that took turns with the baseline's. A triad moves %.1f GB/s before and %.1f after.\n\n",
		field($0, "runs"), field($0, "rounds"), field($0, "triad"), field($0, "triad_after")
	printf "![ratios](%s-ratios.svg)\n![skew](%s-skew.svg)\n\n", plots, plots
	print "*kernels* and *bytes* are what one run launches and moves, by `--stats`; *triad*, these bytes a second, in parts of the triad's;"
	print "*peak*, the most bytes of arrays at once, next to those of the program that only makes its data; *cores*, how many cores the"
	print "threads had at least when one of the processes began: processors may be parts of one. Each waited up to ten seconds for more. *apart*, the"
	print "nanoseconds at most, then, until one had what another wrote: some times as many where they have no cache in common.\n"
	print "| benchmark | ms | by hand | ratio | 95 % of ratios | kernels | bytes | triad | peak | data | compile s | cores | apart |"
	print "|---|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|"
}
function least_and_most(of, kernel, time) {
	kernels[kernel]
	if (!((of, kernel) in best) || best[of, kernel] > time)
		best[of, kernel] = time
	if (worst[of, kernel] < time)
		worst[of, kernel] = time
}
/^{"name"/ {
	name = field($0, "name")
	ratio = field($0, "ratio")
	printf "| %s | %.3f | %.3f | %.2f | %.2f to %.2f | %d | %s | %.0f %% | %s | %s | %.2f | %.1f | %d |\n", name, field($0, "ours_ms"),
		field($0, "hand_ms"), ratio, field($0, "low"), field($0, "high"), field($0, "kernels"), bytes(field($0, "bytes")),
		field($0, "of_triad") * 100, bytes(field($0, "peak_bytes")), bytes(field($0, "data_bytes")), field($0, "compile_s"),
		field($0, "cores"), field($0, "apart_ns")
	logs += log(ratio)
	n++
	over += ratio > 1.2
	most = ratio > most ? ratio : most
	had = field($0, "cores") < 0.9 * threads ? sprintf("; the threads had %.1f cores", field($0, "cores")) : ""
	if (ratio > 1.2)
		reasons = reasons sprintf("- %s, %.2f: %s%s\n", name, ratio, field($0, "note") == "" ? "unknown" : field($0, "note"), had)
	if (split(name, part, "_") == 3 && part[1] == "segmented") {
		least_and_most("element", part[2], field($0, "ours_ms"))
		least_and_most("byte", part[2], field($0, "ours_ms") / field($0, "bytes"))
	}
}
END {
	if (n == 0)
		exit
	printf "\nGeometric mean of the ratios: %.2f. Over 1.2: %d of %d; the highest: %.2f.\n", exp(logs / n), over, n, most
	for (kernel in kernels)
		printf "\nsegmented %s: the worst lengths take %.2f times the best; for a byte that is moved, offsets and results too, %.2f times.\n",
			kernel, worst["element", kernel] / best["element", kernel], worst["byte", kernel] / best["byte", kernel]
	if (reasons != "")
		printf "\nOver 1.2, and why:\n\n%s", reasons
}
