# What the results hold: a line for each benchmark.  `text` is such a line.
function field(text, name,    value) {
	if (!match(text, "\"" name "\": *(\"[^\"]*\"|[^,}]*)"))
		return ""
	value = substr(text, RSTART, RLENGTH)
	sub(/^"[^"]*": */, "", value)
	gsub(/"/, "", value)
	return value
}
