#!/bin/sh
# The programs of bench/cmu against the times that CMU NESL took for the same ones, at the same sizes, on one core of a
# Xeon (serial, gcc -O2).  A line for each: their best time (from the program's first line), ours with one thread and
# with two, medians of $RUNS (5) runs of time(e) inside the program, in milliseconds, and the quotients to theirs.
#
#     bench/cmu.sh [PROGRAM.nesl...]          without programs: all of bench/cmu
set -e
cd "$(dirname "$0")/.."
runs=${RUNS:-5}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
[ $# != 0 ] || set -- bench/cmu/*.nesl
# The last line that a program prints is `it = (RESULT, SECONDS) : TYPE`.
median() {
	for i in $(seq "$runs"); do
		OMP_NUM_THREADS=$1 "$dir/program" | tail -n 1 | sed 's/.*, \([^ ]*\)) : .*/\1/; s/E/e/'
	done | sort -g | sed -n "$(((runs + 1) / 2))p"
}
printf '%-72s %9s %9s %9s %7s %7s\n' workload cmu_ms one_ms two_ms one/cmu two/cmu
for program; do
	CC=gcc ./nessie build --target=cpu -o "$dir/program" "$program"
	sed -n '1s/^% *\(.*\) %$/\1/p' "$program" >"$dir/head"
	awk -F ' [|] ' -v one="$(median 1)" -v two="$(median 2)" '{
		printf "%-72s %9.2f %9.2f %9.2f %7.2f %7.2f\n", $1, $2 * 1e3, one * 1e3, two * 1e3, one / $2, two / $2 }' \
		"$dir/head"
done
