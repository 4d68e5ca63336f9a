#!/bin/sh
# large.sh [LINES]: what nessie takes for a program of LINES (20,000) lines that are not empty, to C and to CUDA: seconds from
# beginning to end, and the most memory that it holds, as --time-passes tells it.
#
# The program is copies of all examples, in each of which the names that it defines are others, so no function is compiled
# once for several.  $OUT, if it is set, is where it stays.
set -eu
lines=${1:-20000}
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
program=${OUT:-$dir/large.nesl}

# An example, with $2 behind the names of its functions, variables and types.
copy() {
	awk -v k="$2" '
		FNR == NR {
			if (match($0, /^(function|datatype) +[A-Za-z0-9_]+/) || match($0, /^[A-Za-z_][A-Za-z0-9_]* *= /)) {
				name = substr($0, RSTART, RLENGTH)
				sub(/^(function|datatype) +/, "", name)
				sub(/ *= $/, "", name)
				mine[name] = 1
			}
			next
		}
		/^ *$/ { next }
		{
			line = ""
			while (match($0, /[A-Za-z_][A-Za-z0-9_]*/)) {
				name = substr($0, RSTART, RLENGTH)
				line = line substr($0, 1, RSTART - 1) name (name in mine ? "_" k : "")
				$0 = substr($0, RSTART + RLENGTH)
			}
			print line $0
		}' "$1" "$1"
}

: > "$program"
k=0
while [ "$(wc -l < "$program")" -lt "$lines" ]; do
	k=$((k + 1))
	for example in examples/*.nesl; do
		copy "$example" $k
	done >> "$program"
done
lines=$(wc -l < "$program")
echo "$lines lines"
for stage in c cuda; do
	begin=$(date +%s%N)
	./nessie dump --stage=$stage --time-passes "$program" 2> "$dir/passes" > "$dir/text"
	end=$(date +%s%N)
	awk -v stage=$stage -v lines="$lines" -v ns=$((end - begin)) -v text="$(wc -l < "$dir/text")" '
		NR > 1 && NF == 5 && $5 > most { most = $5 }
		END { printf "%s: %.2f s, %.3f s a 1,000 lines; %.0f MB at most; %d lines of text\n", stage, ns / 1e9, ns / 1e6 / lines, most, text }' "$dir/passes"
done
