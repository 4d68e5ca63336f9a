# bench/suite -> a file for each benchmark in `dir`, named by its number and name: lines of key, tab, value.  With quick=1
# N is the second size.
function number(size, by,    value) {
	if (size ~ /e-/)
		return size
	value = substr(by, 1, 1) == "*" ? size * substr(by, 2) : substr(by, 1, 1) == "/" ? int(size / substr(by, 2)) : size + 0
	return sprintf("%d", value < 1 ? 1 : value)
}
function sizes(text, size,    done, head, at, end) {
	while (match(text, /(^|[^A-Za-z_])N([*\/][0-9]+)?([^A-Za-z_]|$)/)) {
		head = substr(text, RSTART, RLENGTH)
		at = index(head, "N")
		end = match(head, /[^A-Za-z_0-9*\/]$/) && RSTART > at ? RSTART : length(head) + 1
		done = done substr(text, 1, index(text, head) - 1) substr(head, 1, at - 1) number(size, substr(head, at + 1, end - at - 1))
		text = substr(head, end) substr(text, index(text, head) + length(head))
	}
	return done text
}
function finish(    i, k, text, path) {
	for (i = 1; name != "" && i <= (name ~ /@/ ? ways : 1); i++) {
		path = name
		sub(/@/, way[i], path)
		path = sprintf("%s/%03d-%s", dir, ++count, path)
		for (k = 1; k <= lines; k++) {
			text = line[k]
			if (text ~ /lengths @/)
				sub(/@/, options[i], text)
			print sizes(text, size) >path
		}
		close(path)
	}
	name = ""
	lines = 0
}
/^#/ || /^$/ { next }
/^lengths / {
	way[++ways] = $2
	sub(/^lengths +[^ ]+ +/, "")
	options[ways] = $0
	next
}
/^\t/ {
	sub(/^\t/, "")
	sub(/ +/, "\t")
	line[++lines] = $0
	next
}
{
	finish()
	name = $1
	size = quick ? $3 : $2
}
END { finish() }
