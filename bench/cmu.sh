#!/bin/sh
# The programs of bench/cmu against the times that CMU NESL took for the same ones, at the same sizes, on one core of a
# Xeon (serial, gcc -O2).  A line for each, in milliseconds: their best time (from the program's first line); ours with
# one thread and with two, medians of $RUNS (5) runs of time(e) inside the program; the processor time, user and system, of
# a run with one thread less that of the same program without its last form, which is what to look at where other work
# shares the machine; the quotients to theirs of one thread's time and of the processor time.
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
		OMP_NUM_THREADS=$1 "$dir/whole" | tail -n 1 | sed 's/.*, \([^ ]*\)) : .*/\1/; s/E/e/'
	done | sort -g | sed -n "$(((runs + 1) / 2))p"
}
processor() {
	sh -c 'for i in $(seq "$2"); do OMP_NUM_THREADS=1 "$1" >/dev/null; done; times' sh "$dir/$1" "$runs" |
		tail -n 1 | tr 'ms' '  ' | awk -v runs="$runs" '{ print ($1 * 60 + $2 + $3 * 60 + $4) / runs }'
}
printf '%-74s %8s %8s %8s %8s %7s %7s\n' workload cmu one two cpu one/cmu cpu/cmu
for program; do
	sed '/^let (r, s) = time(/,$d' "$program" >"$dir/rest.nesl"
	cp "$program" "$dir/whole.nesl"
	for part in rest whole; do
		CC=gcc ./nessie build --target=cpu -o "$dir/$part" "$dir/$part.nesl"
	done
	sed -n '1s/^% *\(.*\) %$/\1/p' "$program" >"$dir/head"
	awk -F ' [|] ' -v one="$(median 1)" -v two="$(median 2)" -v whole="$(processor whole)" -v rest="$(processor rest)" '{
		cpu = whole - rest
		printf "%-74s %8.2f %8.2f %8.2f %8.1f %7.2f %7.2f\n", $1, $2 * 1e3, one * 1e3, two * 1e3, cpu * 1e3, one / $2,
			cpu / $2 }' "$dir/head"
done
