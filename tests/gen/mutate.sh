#!/bin/sh
# Plants the faults of mutants.txt in the compiler, one by one, and runs generated programs until one shows it.
#     tests/gen/mutate.sh PROGRAMS [FIRST [LAST]]    of the table; a line each, at the end how many were caught
#     tests/gen/mutate.sh 0                          only those that are no longer there
# Needs libtcc.  The compiler itself stays as it is: each fault is built into build/mutant/gen.
cd "$(dirname "$0")/../.." || exit 2
programs=$1 first=${2:-1} last=${3:-9999}
dir=build/mutant
mkdir -p $dir
[ "$programs" = 0 ] || make -s build/gen || exit 2
total=0 caught=0
number=$(grep -c '^- ' tests/gen/mutants.txt)
[ "$last" -le "$number" ] || last=$number
n=$first
while [ "$n" -le "$last" ]; do
	# the n-th entry: its file in $dir/name, the changed text in $dir/mutant.c
	awk -v n="$n" -v dir=$dir '
		function text(s) { s = substr(s, 3); gsub(/\\n/, "\n", s); gsub(/\\t/, "\t", s); return s }
		/^[a-z]/ { file = $0 }
		/^- / { old = text($0) }
		/^\+ / && ++k == n {
			by = text($0)
			while ((getline line < file) > 0)
				all = all line "\n"
			at = index(all, old)
			if (!at)
				exit 1
			printf "%s%s%s", substr(all, 1, at - 1), by, substr(all, at + length(old)) > (dir "/mutant.c")
			print file > (dir "/name")
			print file ": " $0 > (dir "/title")
		}' tests/gen/mutants.txt || { echo "$n: no longer there"; n=$((n + 1)); continue; }
	[ "$programs" != 0 ] || { n=$((n + 1)); continue; }
	file=$(cat $dir/name)
	total=$((total + 1))
	if ! make -s MUTANT="$file" $dir/gen 2>$dir/messages; then
		printf '%s\n' "$n: does not compile: $(cat $dir/title)"
		total=$((total - 1))
	elif why=$(timeout 3000 $dir/gen first 1 "$programs"); then
		printf '%s\n' "$n: SURVIVED $programs programs: $(cat $dir/title)"
	else
		caught=$((caught + 1))
		printf '%s\n' "$n: caught, $(printf '%s' "$why" | cut -c1-110): $(cat $dir/title)"
	fi
	n=$((n + 1))
done
[ "$programs" = 0 ] || echo "$caught of $total caught"
