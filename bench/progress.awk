{
	printf "[%2d/%d] %-22s %9.3f ms, by hand %9.3f, ratio %5.2f  [%.2f, %.2f]\n", n, of, field($0, "name"),
		field($0, "ours_ms"), field($0, "hand_ms"), field($0, "ratio"), field($0, "low"), field($0, "high")
}
