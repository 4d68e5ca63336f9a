# What the results hold: a line for each benchmark.  `text` is such a line; what is a number there is one here, as
# comparisons of strings are others.
function field(text, name,    value) {
	if (!match(text, "\"" name "\": *(\"[^\"]*\"|[^,}]*)"))
		return ""
	value = substr(text, RSTART, RLENGTH)
	sub(/^"[^"]*": */, "", value)
	return gsub(/"/, "", value) || value !~ /^[-0-9]/ ? value : value + 0
}
