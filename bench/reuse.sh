#!/bin/sh
# Seconds on the cpu, peak and fresh arrays of each example, with reuse and with --no-reuse: a table in Markdown, on stdout.
# The examples are small; the last rows are loops over larger sequences.  Each runs $RUNS times (5), the least time counts.
# From the root of the repository, with ./nessie built.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/stencil.nesl" <<'NESL'
function near(a, i) = a[max(i - 1, 0)] + a[i] + a[min(i + 1, #a - 1)];
function steps(a, n) = if n == 0 then a else steps({near(a, i) : i in [0:#a]}, n - 1);
sum(steps([0:1000000], 100));
NESL
cat >"$dir/maps.nesl" <<'NESL'
function over(a, n) = if n == 0 then a else over({x + n : x in a}, n - 1);
sum(over([0:1000000], 100));
NESL
cat >"$dir/updates.nesl" <<'NESL'
function fill(a, n) = if n == 0 then a else fill(rep(a, n, n - 1), n - 1);
sum(fill([0:100000], 1000));
NESL
cat >"$dir/appends.nesl" <<'NESL'
function grow(a, n) = if n == 0 then a else grow(a ++ [n], n - 1);
sum(grow([0:3], 20000));
NESL

figure() {
	sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" "$2" | head -n 1
}

# the least seconds, the peak, the fresh arrays
measure() {
	./nessie build --target=cpu $2 -o "$dir/p" "$1" || return 1
	best=
	for k in $(seq "${RUNS:-5}"); do
		"$dir/p" --echo=none --stats="$dir/json" 2>/dev/null >/dev/null || :
		s=$(figure seconds_run "$dir/json")
		best=$(printf '%s\n%s\n' "$s" "${best:-$s}" | sort -g | head -n 1)
	done
	fresh=$(($(figure allocations "$dir/json") - $(figure allocations_reused "$dir/json")))
	echo "$best $(figure peak_bytes "$dir/json") $fresh"
}

echo "| program | seconds | without reuse | peak bytes | without reuse | fresh arrays | without reuse |"
echo "|---|---|---|---|---|---|---|"
for f in examples/*.nesl "$dir"/*.nesl; do
	set -- $(measure "$f" "") $(measure "$f" --no-reuse)
	[ $# = 6 ] && echo "| $(basename "$f" .nesl) | $1 | $4 | $2 | $5 | $3 | $6 |"
done
