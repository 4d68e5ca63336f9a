#!/bin/sh
# large.sh [LINES]: what compiling a large program takes, in seconds and bytes for each stage.
#
# The program (in OUT, /tmp unless given) is copies of all examples, with the names that each defines made different,
# up to LINES (20,000) lines that are not empty.  No text is the same twice, so nothing is compiled once for several.
set -eu
lines=${1:-20000}
out=${OUT:-/tmp}/nessie-large.nesl
cd "$(dirname "$0")/.."

# Of one example, whose names end in a number: the functions and the variables that it defines.
copy() {
	awk -v k="$2" '
		FNR == NR { if (match($0, /^function +[a-z_0-9A-Z]+/)) { s = substr($0, RSTART, RLENGTH); sub(/^function +/, "", s); mine[s] = 1 }
		            else if (match($0, /^[a-z_A-Z][a-z_A-Z0-9]* *= /)) { s = substr($0, RSTART, RLENGTH); sub(/ *= $/, "", s); mine[s] = 1 }
		            else if (match($0, /^datatype +[a-z_A-Z0-9]+/)) { s = substr($0, RSTART, RLENGTH); sub(/^datatype +/, "", s); mine[s] = 1 }
		            next }
		/^ *$/ { next }
		{ line = ""
		  while (match($0, /[a-zA-Z_][a-zA-Z_0-9]*/)) {
		      w = substr($0, RSTART, RLENGTH)
		      line = line substr($0, 1, RSTART - 1) w (w in mine ? "_" k : "")
		      $0 = substr($0, RSTART + RLENGTH) }
		  print line $0 }' "$1" "$1"
}
: > "$out"
k=0
while [ "$(wc -l < "$out")" -lt "$lines" ]; do
	k=$((k + 1))
	for e in examples/*.nesl; do
		copy "$e" $k >> "$out"
	done
done
