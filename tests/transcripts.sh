#!/bin/sh
# The documents show what the tool prints: in a block that starts with ```console, what follows a line `$ COMMAND`
# is that command's output, and so is what stands between `<!-- $ COMMAND -->` and `<!-- end -->`; it is run where examples/ and shape/
# are and files may be made.  Without arguments: are these still what the commands give?  With --write: put in
# what they give now.
cd "$(dirname "$0")/.."
root=$PWD
PATH=$root:$PATH
export PATH
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/work"
ln -s "$root/examples" "$root/shape" "$dir/work"

# Copies a document with the outputs made anew.
renew() {
	(cd "$dir/work" && awk '
		/^```console$/ { inside = 1; print; next }
		/^```/         { inside = 0 }
		/^<!-- end -->$/ { inside = 0 }
		(inside && /^\$ /) || /^<!-- \$ .* -->$/ {
			print
			if (/^</)
				inside = 1
			gsub(/^(<!-- )?\$ | -->$/, "")
			command = "{ " $0 "\n} 2>&1 </dev/null"
			lines = 0
			while ((command | getline line) > 0) {
				print line
				lines++
			}
			close(command)
			if (!lines && !/ >[^ ]/) {
				print FILENAME ": nothing is shown any more by " $0 >"/dev/stderr"
				failed = 1
			}
			next
		}
		!inside
		END { exit failed }' "$root/$1")
}

status=0
for document in README.md docs/*.md; do
	renew "$document" >"$dir/new" || exit 1
	if [ "$1" = --write ]; then
		cmp -s "$dir/new" "$document" || cp "$dir/new" "$document"
	elif ! diff "$document" "$dir/new"; then
		echo "$document shows other output than the commands give: make docs rewrites it" >&2
		status=1
	fi
done
exit $status
