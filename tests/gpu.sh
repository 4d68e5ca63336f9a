#!/bin/sh
# On a machine with a GPU: every program of examples/, tests/run/ and tests/trouble/ as CUDA, its values and exit status
# against the interpreter's; the same under compute-sanitizer where it is; the product of sparse matrices timed against
# the cores.
# Writes what it saw to bench/results/DATE-gpu.md.  ./nessie must be built; TARGET=cpu tries the script itself.
set -u
cd "$(dirname "$0")/.."
target=${TARGET:-cuda}
out=${OUT:-bench/results}/$(date +%F)-gpu.md
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
N=./nessie
[ -x "$N" ] || { echo "gpu.sh: build nessie first" >&2; exit 2; }
"$N" run --target="$target" -e 1 >/dev/null || exit 4

passed=0 failed=0 sanitized=0
sanitizer=$(command -v compute-sanitizer)
# A program's exit status must be the interpreter's, its output too (numbers with a point: to nine decimals).
same() {
	sed -E 's/([0-9]\.[0-9]{1,9})[0-9]*/\1/g' "$1" >"$dir/a" && sed -E 's/([0-9]\.[0-9]{1,9})[0-9]*/\1/g' "$2" | cmp -s "$dir/a" -
}
try() {
	name=$1 want=$2; shift 2
	"$@" >"$dir/got" 2>"$dir/err"
	got=$?
	if [ $got = "$want" ] && same "$dir/want" "$dir/got"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "- $name: exit status $got, not $want; or other values" >>"$dir/failed"
	fi
}
for p in examples/*.nesl tests/run/*.nesl tests/trouble/*.nesl; do
	"$N" run --target=interp "$p" >"$dir/want" 2>/dev/null
	status=$?
	try "$p" $status "$N" run --target="$target" "$p"
	[ "$target" = cuda ] && [ -n "$sanitizer" ] || continue
	"$N" build --target=cuda -o "$dir/prog" "$p" || { failed=$((failed + 1)); echo "- $p: not built" >>"$dir/failed"; continue; }
	for tool in memcheck racecheck synccheck initcheck; do
		"$sanitizer" --tool=$tool --error-exitcode=99 "$dir/prog" >"$dir/got" 2>"$dir/err"
		[ $? != 99 ] || { failed=$((failed + 1)); echo "- $p: compute-sanitizer $tool" >>"$dir/failed"; }
		sanitized=$((sanitized + 1))
	done
done

"$N" data zipf --rows=1e6 --cols=1e6 --entries=1e7 --seed=1 -o "$dir/m.mtx"
cat >"$dir/spmv.nesl" <<'NESL'
function sparse_mxv(m, v) = {sum({x * v[i] : (i, x) in row}) : row in m};
v = dist(1.0, 1000000);
r = sparse_mxv(m, v); r = sparse_mxv(m, v); r = sparse_mxv(m, v); r = sparse_mxv(m, v); r = sparse_mxv(m, v);
sum(r);
NESL
for t in "$target" cpu; do
	"$N" run --target="$t" --input m="$dir/m.mtx" --stats="$dir/$t.json" "$dir/spmv.nesl" >"$dir/$t.out" ||
		{ failed=$((failed + 1)); echo "- the product of 1e7 entries on $t" >>"$dir/failed"; }
done
seconds() { sed -n 's/.*"seconds_run": \([0-9.]*\).*/\1/p' "$dir/$1.json"; }
{
	echo "# Target $target, $(date +%F)"
	echo
	sed -n 's/.*"ran_on": "\([^"]*\)".*/Ran on \1./p' "$dir/$target.json"
	echo
	echo "$passed programs agree with the interpreter; $sanitized runs under ${sanitizer:-no compute-sanitizer (it is not here)}; $failed failures."
	[ ! -f "$dir/failed" ] || cat "$dir/failed"
	echo
	echo "Five products of a sparse matrix of 1e7 entries: $(seconds "$target") s on $target, $(seconds cpu) s on cpu."
} >"$dir/report"
mkdir -p "$(dirname "$out")"
mv "$dir/report" "$out"
cat "$out"
[ $failed = 0 ]
