#!/bin/sh
# Sparse matrix times vector, in NESL, on the best this machine has: a GPU, else all its cores.
# The matrix is made up: 1,000,000 entries, row lengths by a power law.
set -e
cd "$(dirname "$0")/.."
. tests/need.sh
need gcc make re2c lemon libc6-dev:stdlib.h
need tcc || echo "without tcc the first run of a program takes longer"
make -s -j"$(nproc)" nessie
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
entries=1000000
n=100000
product="sum(sparse_mxv(m, dist(1.0, $n)))"
./nessie data zipf --rows=$n --cols=$n --entries=$entries --seed=1 -o "$dir/m.mtx"
./nessie run --input m="$dir/m.mtx" examples/sparse_mxv.nesl -e "$product"
# Once more, with figures: compiled well, and the file is in memory.
./nessie run --echo=none --stats="$dir/stats.json" --input m="$dir/m.mtx" examples/sparse_mxv.nesl -e "$product"
if [ -s "$dir/stats.json" ]; then
	seconds=$(sed -n 's/.*"seconds_run": \([0-9.]*\).*/\1/p' "$dir/stats.json")
	ran_on=$(sed -n 's/.*"ran_on": "\([^"]*\)".*/\1/p' "$dir/stats.json")
	awk -v n=$entries -v s="$seconds" -v on="$ran_on" 'BEGIN {
		printf "%d entries in %.6f s: %.1f million entries per second, on %s\n", n, s, n / s / 1e6, on }'
else
	echo "$entries entries, on the interpreter: there is no C compiler here"
fi
