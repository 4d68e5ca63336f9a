#!/bin/sh
# The benchmarks of bench/suite, against the baselines in C and OpenMP: the same inputs, the same answers, the same number of
# threads, taking turns.  A line for each while it runs; then $OUT.json, $OUT.md and the plots, $OUT-*.svg.
#
#     bench/bench.sh [--quick] [NAME...]      those whose names begin so; without: all.  --quick: small sizes
#
# environment: ROUNDS (5) processes of each, RUNS (4) timed runs in a process after a first that is not counted;
# OMP_NUM_THREADS (all cores); OUT (bench/results/DATE-suite); DATA (../shared/data), where real matrices are;
# KEEP, a directory where made-up data stay for the next time; SUITE (bench/suite), another list
set -e
export LC_ALL=C OMP_NUM_THREADS="${OMP_NUM_THREADS:-$(nproc)}" GOMP_SPINCOUNT="${GOMP_SPINCOUNT:-1000}" CC="${CC:-gcc}"
case $0 in */*) cd "$(dirname "$0")/.." ;; esac
quick=0 optimise=-O3
if [ "$1" = --quick ]; then
	quick=1 optimise=-O0
	shift
fi
runs=${RUNS:-4} rounds=${ROUNDS:-5}
out=${OUT:-bench/results/$(date +%F)-suite}
matrices=${DATA:-../shared/data}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
data=${KEEP:-$dir}
mkdir -p "$data" "$dir/rows"
for source in bench/baselines/*.c; do
	gcc $optimise -std=c11 -D_GNU_SOURCE -fopenmp -o "$dir/$(basename "$source" .c)" "$source" -lm
done
awk -v quick=$quick -v dir="$dir/rows" -f bench/rows.awk "${SUITE:-bench/suite}"

# A value of the benchmark at hand, a line for each time it is given.
get() {
	sed -n "s/^$1	//p" "$row"
}
# Makes the data that is asked for if they are not there; their path.
make_data() {
	case $1 in
	lengths\ *) path=$(echo "$1" | tr ' =' '__').npy ;;
	uniform\ *) path=$(echo "$1" | tr ' =' '__').npy ;;
	file\ *) echo "$matrices/${1#file }"; return ;;
	*) path=$(echo "$1" | tr ' =' '__').mtx ;;
	esac
	# shellcheck disable=SC2086
	[ -f "$data/$path" ] || ./nessie data ${1#lengths } -o "$data/$path"
	echo "$data/$path"
}
# The seconds that a command takes.
seconds() {
	began=$(date +%s%N)
	"$@" >&2 || return
	echo "$(($(date +%s%N) - began))" | awk '{ print $1 / 1e9 }'
}
# GB/s of a loop that reads two arrays and writes one, the median of five.
triad() {
	"$dir/vector" 6 triad "$(make_data "uniform --n=$1 --type=float")" "$(make_data "uniform --n=$1 --type=float --seed=2")" |
		tail -n 5 | sort -g -k 2 | awk -v n="$1" 'NR == 3 { print 24 * n / $2 / 1e9 }'
}
# How many cores the threads have, each on a processor of its own, and how many nanoseconds are between them (baselines/cores.c).
ask_cores() {
	OMP_PROC_BIND=true "$dir/cores"
}
# Waits, ten seconds at most, until the threads have nine tenths of as many cores; what they had is kept.
wait_for_cores() {
	tries=0
	while [ $quick = 0 ] && [ $tries -lt 10 ]; do
		[ $tries = 0 ] || sleep 1
		cores=$(ask_cores)
		! awk -v x="${cores% *}" -v n="$OMP_NUM_THREADS" 'BEGIN { exit x < 0.9 * n }' || break
		tries=$((tries + 1))
	done
	echo "$cores" >>"$dir/had"
}
failed() {
	echo "bench: $name: $*" >&2
	status=1
}

# Everything about the benchmark in $row; a line of JSON.
benchmark() {
	inputs="" paths=""
	get input >"$dir/inputs"
	while read -r variable spec; do
		path=$(make_data "$spec")
		if [ ! -f "$path" ]; then
			echo "bench: $name: left out, there is no $path" >&2
			return
		fi
		inputs="$inputs --input $variable=$path"
		paths="$paths $path"
	done <"$dir/inputs"
	files=$(get uses | sed 's|.*|examples/&.nesl|')
	{
		get setup
		echo "function bench_again(k) ="
		echo "  if k == 0 then [] (float, float)"
		echo "  else"
		echo "    let (r, seconds) = time($(get timed))"
		echo "    in if k < 0 then bench_again(k + 1) else [(float_num($(get answer)), seconds)] ++ bench_again(k - 1);"
		echo "bench_again(bench_runs);"
	} >"$dir/timed.nesl"
	echo 0 >"$dir/0.txt"
	echo -1 >"$dir/1.txt"
	echo "$((runs + 1))" >"$dir/all.txt"
	# shellcheck disable=SC2086
	compile=$(seconds ./nessie build --target=cpu $inputs --input bench_runs="$dir/0.txt" -o "$dir/ours" $files \
		"$dir/timed.nesl") || { failed "it is not compiled"; return; }
	for k in 0 1; do
		# shellcheck disable=SC2086
		"$dir/ours" $inputs --input bench_runs="$dir/$k.txt" --stats="$dir/stats$k" >/dev/null || { failed "it ends with $?"; return; }
	done
	: >"$dir/times"
	: >"$dir/had"
	for round in $(seq "$rounds"); do
		wait_for_cores
		# shellcheck disable=SC2086
		"$dir/ours" $inputs --input bench_runs="$dir/all.txt" | tail -n 1 | sed 's/^it = \[//; s/\] : .*//; s/), (/\n/g; s/[(),]/ /g' |
			sed "1d; s/^/ours $round /" >>"$dir/times"
		# shellcheck disable=SC2046,SC2086
		(set -- $(get against); program=$1; shift; "$dir/$program" "$((runs + 1))" "$@" $paths) |
			sed "1d; s/^/hand $round /" >>"$dir/times"
	done
	awk -v name="$name" -v note="$(get note)" -v compile="$compile" -v triad="$triad" -v runs="$runs" -v rounds="$rounds" \
		-v cores="$(sort -g "$dir/had" | head -n 1)" -v apart="$(cut -d ' ' -f 2 "$dir/had" | sort -g | tail -n 1)" -f bench/figures.awk "$dir/stats0" "$dir/stats1" "$dir/times" >"$dir/line" ||
		{ failed "$(cat "$dir/line")"; return; }
	cat "$dir/line" >>"$dir/lines"
	awk -v n="$n" -v of="$of" -f bench/json.awk -f bench/progress.awk "$dir/line" >&2
}

status=0
of=0
set -- "${@:-.}"
for prefix; do
	ls "$dir/rows" | grep "^[0-9]*-$prefix" >>"$dir/all" || { echo "bench: no benchmark begins with $prefix" >&2; exit 2; }
done
sort -u "$dir/all" >"$dir/names"
of=$(wc -l <"$dir/names")
size=$([ $quick = 1 ] && echo 100000 || echo 10000000)
triad=$(triad "$size")
cores=$(ask_cores)
n=0
: >"$dir/lines"
while read -r file; do
	row=$dir/rows/$file name=${file#*-} n=$((n + 1))
	benchmark </dev/null
done <"$dir/names"
after=$(triad "$size")
mkdir -p "$(dirname "$out")"
{
	printf '{"when": "%s", "machine": "%s", "threads": %d, "compiler": "%s", "rounds": %d, "runs": %d, "load": "%s", "triad": %s, "triad_after": %s, "entries": [\n' \
		"$(date '+%F %R')" "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$OMP_NUM_THREADS" \
		"$($CC --version 2>/dev/null | head -n 1 || $CC -v)" "$rounds" "$runs" "$(cut -d ' ' -f 1-3 /proc/loadavg)" "$triad" "$after"
	sed '$!s/$/,/' "$dir/lines"
	echo ']}'
} >"$out.json"
awk -v plots="$(basename "$out")" -f bench/json.awk -f bench/report.awk "$out.json" >"$out.md"
awk -f bench/json.awk -f bench/plot_ratios.awk "$out.json" >"$out-ratios.svg"
awk -f bench/json.awk -f bench/plot_skew.awk "$out.json" >"$out-skew.svg"
echo "bench: $out.md" >&2
exit $status
