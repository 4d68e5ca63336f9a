#!/bin/sh
# Sparse matrix times vector: nessie against a hand-written CSR loop (baselines/spmv.c) on the same files,
# in the same run.  One line per matrix: entries, milliseconds of one product by each (mean of $RUNS), their quotient.
#
#     bench/spmv.sh [FILE.mtx...]     without files: power law, even, one giant row, $ENTRIES entries each
set -e
cd "$(dirname "$0")/.."
runs=${RUNS:-20}
entries=${ENTRIES:-1000000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
${CC:-gcc} -O2 -fopenmp -o "$dir/spmv" bench/baselines/spmv.c -lm
if [ $# = 0 ]; then
	for kind in zipf even giant; do
		./nessie data $kind --rows=$((entries / 10)) --cols=$((entries / 10)) --entries=$entries --seed=1 \
			-o "$dir/$kind.mtx"
	done
	set -- "$dir/zipf.mtx" "$dir/even.mtx" "$dir/giant.mtx"
fi
cat >"$dir/spmv.nesl" <<'NESL'
function sparse_mxv(m, v) = {sum({x * v[i] : (i, x) in row}) : row in m};
function columns(m) = max_val({max_val({i : (i, x) in row}) : row in m}) + 1;
v = dist(1.0, columns(m));
r = sparse_mxv(m, v);
sum(r);
NESL
# Only the products count: the time of a program with $runs more of them less that of one with the first only.
for i in $(seq "$runs"); do
	echo "r = sparse_mxv(m, v);" >>"$dir/spmv.nesl"
done
printf '%-20s %12s %12s %12s %8s\n' matrix entries nessie_ms hand_ms quotient
# The best of three runs, for both, since other work on the machine only adds.  Both with the same waiting: see
# nesl_set_threads in backend/rt/nesl_cpu_task.h.
export GOMP_SPINCOUNT="${GOMP_SPINCOUNT:-100}"
seconds() {
	for i in 1 2 3; do
		./nessie run --echo=none --stats="$dir/stats.json" --input m="$m" "$1"
		sed -n 's/.*"seconds_run": \([0-9.]*\).*/\1/p' "$dir/stats.json"
	done | sort -g | head -n 1
}
head -n 5 "$dir/spmv.nesl" >"$dir/without.nesl"
for m in "$@"; do
	with=$(seconds "$dir/spmv.nesl")
	without=$(seconds "$dir/without.nesl")
	for i in 1 2 3; do
		"$dir/spmv" "$m" "$runs"
	done | sort -g -k 2 | head -n 1 >"$dir/hand.txt"
	awk -v name="$(basename "$m")" -v a="$with" -v b="$without" -v runs="$runs" '
		{ ours = (a - b) / runs * 1e3
		  printf "%-20s %12d %12.3f %12.3f %8.2f\n", name, $1, ours, $2, ours / $2 }' "$dir/hand.txt"
done
