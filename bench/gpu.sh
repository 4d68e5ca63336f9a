#!/bin/sh
# On a machine with a GPU and nvcc, without network: is what is emitted right on the device, and how fast is it?
#
#     bench/gpu.sh [PART ...]     about ten minutes; writes bench/results/DATE-gpu.md, or, of some parts only,
#                                 DATE-gpu-PART-PART.md; exit status 1 if something is wrong
#
#     programs    those of examples/, tests/run/, tests/trouble/, the skeletons of tests/simt/ and the recorded ones of
#                 tests/conformance: values and exit status as recorded (PROGRAM.out), else as the interpreter gives
#     speed       benchmarks, each with its result checked: ours, by time(e) inside the program, allocation and waiting
#                 included; against baselines/*.cu (CUB, Thrust, cuSPARSE, loops by hand), without; medians of seven
#     sanitizer   the same programs under compute-sanitizer: memcheck, racecheck, initcheck, synccheck; until the time is up
#     make        alone: nothing runs, all executables are made, in BIN, also where there is no GPU (--arch=ARCH); time on
#                 a GPU is then for running.  Not made anew where they are: give each commit a BIN of its own
#
# ./nessie must be built; besides it a C compiler and nvcc are needed.  Variables: LIMIT, the seconds for all (540);
# OUT, the directory of the report; N, elements of a benchmark (100,000,000); JOBS, programs compiled at once (all
# cores); BIN, where executables are or will be (a temporary directory); ARCH (sm_90); ONLY, a pattern (grep -E) of names
# of programs: those alone.  TARGET=emu or cpu, with a small N, tries the script itself where no GPU is.
set -u
cd "$(dirname "$0")/.."
target=${TARGET:-cuda} limit=${LIMIT:-540} n=${N:-100000000} jobs=${JOBS:-$(nproc)}
out=${OUT:-bench/results}/$(date +%F)-gpu$(printf -- '-%s' "$@" | sed 's/^-$//').md
for part; do
	case $part in programs | speed | sanitizer | make) ;; *)
		echo "gpu.sh: $part is no part; there are programs, speed, sanitizer, make" >&2
		exit 2 ;;
	esac
done
parts=" ${*:-programs speed sanitizer} " tools='memcheck racecheck initcheck synccheck'
case $parts in " make ") ;; *" make "*)
	echo "gpu.sh: make stands alone" >&2
	exit 2 ;;
esac
has() { case $parts in *" $1 "*) ;; *) false ;; esac; }
root=$PWD begun=$(date +%s)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin:/usr/local/cuda/compute-sanitizer
bin=${BIN:-$dir/bin} arch=
[ "$target" != cuda ] || ! has make || arch=--arch=${ARCH:-sm_90}
[ -x ./nessie ] || { echo "gpu.sh: build nessie first" >&2; exit 2; }
mkdir -p "$bin" && bin=$(cd "$bin" && pwd) || exit 2
export PATH root dir bin arch target XDG_CACHE_HOME="$dir/cache"
cp nessie "$dir/nessie"
N=$dir/nessie
export N
# rank: what takes longest to compile is in the cache then, for all
has make || "$N" run --target="$target" -e "$([ "$bin" = "$dir/bin" ] && echo 'rank([2, 1])' || echo 'sum([2, 1])')" >/dev/null || exit 4
mkdir "$dir/program" "$dir/said" "$dir/bench"
touch "$dir/ours" "$dir/theirs" "$dir/finished" "$dir/unfinished" "$dir/unstarted" "$dir/failed"

left() { echo $((limit - $(date +%s) + begun)); }
note() { echo "gpu.sh: $(($(date +%s) - begun)) s: $*" >&2; }

# -- what runs -------------------------------------------------------------------------------------------------------
# Where program NAME is, in $dir/program/NAME; beside it NAME.options, and NAME.want if the values are recorded.
add() {
	echo "$root/$1" >"$dir/program/$2"
	echo "$3" >"$dir/program/$2.options"
	if [ -f "${1%.nesl}.out" ]; then
		grep -v ': error\[' "${1%.nesl}.out" >"$dir/program/$2.want"
	fi
}
for p in examples/*.nesl tests/run/*.nesl tests/trouble/*.nesl; do
	add "$p" "$(echo "${p%.nesl}" | tr / -)" ''
done
add tests/simt/skeletons.nesl skeletons ''
add tests/simt/skeletons.nesl skeletons-of-small-tiles --grain=130
add tests/simt/skeletons.nesl skeletons-of-narrow-ints '--grain=64 --int=32'
add tests/simt/wide.nesl wide-folds --map=flat
add tests/simt/packs.nesl packs ''
add tests/simt/sorts.nesl sorts ''
add tests/simt/updates.nesl updates ''
add tests/simt/few.nesl few-rows ''
add tests/simt/scans_by.nesl scans-by-functions ''
# Fifty vectors a program: no static error, nothing that those after it would notice.
grep -v '"alone": "' tests/conformance/vectors.jsonl | sed '/"error": "runtime/!{/"error": "/d;}' |
	sed 's/.*"program": "\(\([^"\\]\|\\.\)*\)".*/\1/' |
	awk -v to="$dir/program/vectors-" '{
		gsub(/\\u0000/, "\001"); gsub(/\\\\/, "\002"); gsub(/\\n/, "\n"); gsub(/\\t/, "\t"); gsub(/\\"/, "\"")
		gsub("\002", "\\"); gsub("\001", "`\\0")
		print >(to int((NR - 1) / 50) ".nesl") }'
for p in "$dir"/program/vectors-*.nesl; do
	echo "$p" >"${p%.nesl}"
	echo --int=32 >"${p%.nesl}.options"
done

# Numbers with a point may differ in the tenth digit: sums are grouped in other ways, libraries are not the same.
cat >"$dir/same.awk" <<'AWK'
function near(x, y) { d = x - y; if (d < 0) d = -d; if (x < 0) x = -x; return d <= 1e-9 * (x + 1e-300) }
{
	if ((getline other <want) <= 0) exit differs = 1
	while (match($0, /[0-9]+\.[0-9]*(E-?[0-9]+)?/)) {
		x = substr($0, RSTART, RLENGTH); head = substr($0, 1, RSTART - 1); $0 = substr($0, RSTART + RLENGTH)
		if (!match(other, /[0-9]+\.[0-9]*(E-?[0-9]+)?/) || substr(other, 1, RSTART - 1) != head ||
			!near(x + 0, substr(other, RSTART, RLENGTH) + 0)) exit differs = 1
		other = substr(other, RSTART + RLENGTH)
	}
	if ($0 != other) exit differs = 1
}
END { exit differs || (getline other <want) > 0 }
AWK
# Builds program $1 by options $2 from file $3, unless it is there.
cat >"$dir/build.sh" <<'SH'
[ ! -f "$bin/$1.status" ] || exit 0
set -f          # types have brackets
"$N" build --target="$target" $arch $2 -o "$bin/$1" "$3" >"$bin/$1.built" 2>&1
echo $? >"$bin/$1.status"
SH
# Runs program $1, which is to end with $2 and came with static errors if $3 is not 0: what is wrong, if something is.
cat >"$dir/judge.sh" <<'SH'
timeout 120 "$bin/$1" >got 2>err
status=$?
[ "$3" = 0 ] || [ $status != 0 -a $status != 3 ] || status=1
if [ $status != "$2" ]; then
	echo "exit status $status, not $2:"
	grep -v 'error\[\|^ *[0-9]* |\|^ *|' err | head -n 5
elif ! awk -v want="$dir/program/$1.want" -f "$dir/same.awk" got; then
	echo 'other values:'
	diff "$dir/program/$1.want" got | head -n 6
fi
SH
# Builds and runs program $1, if it is not later than second $2: what is wrong, if something is, into $dir/said/$1.
cat >"$dir/one.sh" <<'SH'
[ "$(date +%s)" -le "$2" ] || { echo "$1" >>"$dir/unstarted"; exit; }
name=$1 options=$(cat "$dir/program/$1.options")
mkdir "$dir/$name" && cd "$dir/$name" || exit
p=$dir/program/$name file=$(cat "$dir/program/$name")
"$N" run --target=interp $options "$file" >interp 2>/dev/null
want=$?
[ -f "$p.want" ] || cp interp "$p.want"
sh "$dir/build.sh" "$name" "$options" "$file"
static=$(cat "$bin/$name.status")
if [ $static -gt 1 ]; then
	{ echo 'not built:'; head -n 5 "$bin/$name.built"; } >"$dir/said/$name"
	exit
fi
echo "$want $static" >to_be
sh "$dir/judge.sh" "$name" $want "$static" >said
[ ! -s said ] || cp said "$dir/said/$name"
SH
# Program $1 under tool $2.
cat >"$dir/sanitize.sh" <<'SH'
cd "$dir/$1" && [ -x "$bin/$1" ] || exit 0
timeout "$3" compute-sanitizer --tool="$2" --error-exitcode=99 "$bin/$1" >got 2>"err-$2"
case $? in
99) { echo "compute-sanitizer $2:"; grep '^=========' got "err-$2" | head -n 8; } >>"$dir/said/$1" ;;
124) echo "$1 $2" >>"$dir/unfinished" ;;
*) echo "$1 $2" >>"$dir/finished" ;;
esac
SH
names() { ls "$dir/program" | grep -v '\.' | grep -E "${ONLY:-.}"; }

if has make; then
	note "$(names | wc -l) programs are built"
	for p in $(names); do
		printf '%s\0%s\0%s\0' "$p" "$(cat "$dir/program/$p.options")" "$(cat "$dir/program/$p")"
	done | xargs -0 -n 3 -P "$jobs" sh "$dir/build.sh"
fi
if has programs || has sanitizer; then
	note "$(names | wc -l) programs on $target"
	names | xargs -P "$jobs" -I NAME sh "$dir/one.sh" NAME $((begun + limit - 60))
	# What is wrong once more, with the device for itself: is it by the program alone?
	for name in $(ls "$dir/said"); do
		[ "$(left)" -gt 60 ] && [ -f "$dir/$name/said" ] || continue
		right=0 same=0
		for i in 1 2 3 4 5; do
			again=$(cd "$dir/$name" && sh "$dir/judge.sh" "$name" $(cat to_be))
			[ -n "$again" ] || right=$((right + 1))
			[ "$again" != "$(cat "$dir/$name/said")" ] || same=$((same + 1))
		done
		echo "alone, of five runs $right right, $same as above" >>"$dir/said/$name"
	done
fi

# -- speed -----------------------------------------------------------------------------------------------------------
# NAME @ what is made first @ what is timed @ a number that tells whether r is right.  n elements; rows by their kind.
cat >"$dir/benchmarks" <<'END'
saxpy@xs = floats(n); ys = reverse(floats(n));@{2.0 * x + y : x in xs; y in ys}@sum(r)
sum@xs = floats(n);@sum(xs)@r
dot@xs = floats(n); ys = reverse(floats(n));@sum({x * y : x in xs; y in ys})@r
scan@v = ints(n);@plus_scan(v)@r[n - 1]
float scan@xs = floats(n);@plus_scan(xs)@r[n - 1]
scan by a function@v = {(1 + rem(i, 3), i) : i in [0:n / 10]};@scan(after, (1, 0), v)@let (s, total) = r; (a, b) = s[n / 10 - 1] in rem(b, 1000003)
filter@v = ints(n);@{x in v | x > 504}@#r
sort@v = {rem(i * 2654435761, 1000003) : i in [0:n / 10]};@sort(v)@r[n / 20]
sort: quicksort@v = {rem(i * 2654435761, 1000003) : i in [0:n / 10]};@quicksort(v)@r[n / 20]
END
# equal_rows: n is an input, so that lengths are read like any others.
for kind in 1 3 32 1000 1000000 random zipf giant alternate; do
	case $kind in
	*[0-9]) lengths="equal_rows(n, min(n, $kind))" ;;
	*) lengths="${kind}_rows(n)" ;;
	esac
	last='sum({s[#s - 1] : s in r | #s > 0})'
	echo "row sums, $kind@xs = floats(n); m = rows(xs, $lengths);@{sum(row) : row in m}@sum(r)"
	echo "row scans, $kind@v = ints(n); m = rows(v, $lengths);@{plus_scan(row) : row in m}@$last"
	echo "float row scans, $kind@xs = floats(n); m = rows(xs, $lengths);@{plus_scan(row) : row in m}@$last"
done >>"$dir/benchmarks"
for kind in even zipf giant; do
	echo "spmv, $kind@@{sum({x * v[i] : (i, x) in row}) : row in m}@sum(r)"
done >>"$dir/benchmarks"
cat >"$dir/head.nesl" <<'NESL'
function floats(n) = {float(rem(i, 1000)) * 0.25 : i in [0:n]};
function ints(n) = {rem(7919 * i, 1009) : i in [0:n]};
function after((a, b), (c, d)) = (a * c, b * c + d);
function rows(xs, lengths) = partition(take(xs, sum(lengths)), lengths);
function equal_rows(n, k) = {if n > 0 then k else i : i in [0:max(1, n / k)]};
function random_rows(n) = {rem(7919 * i, 31) : i in [0:n / 16]};
function zipf_rows(n) = {n / (24 * (i + 1)) : i in [0:n / 16]};
function giant_rows(n) = [n / 2] ++ dist(8, n / 16);
function alternate_rows(n) = {rem(i, 2) * 32 : i in [0:n / 16]};
NESL
matrix() {
	rows=$((n / 100))
	"$N" data "$1" --rows=$rows --cols=$rows --entries=$((n / 10)) --seed=1 -o "$dir/$1.mtx"
}
# Benchmark NAME as a program, with what is read; NAME: HOW has another program, that of examples/HOW.nesl
bench() {
	file=$(echo "bench $1" | tr ' ,:' ___) input= by=ours
	p=$dir/bench/$file.nesl
	cp "$dir/head.nesl" "$p"
	case $1 in
	spmv*)
		input=$dir/${1#*, }.mtx
		echo "v = {float(rem(i, 7)) + 1.0 : i in [0:n / 100]};" >>"$p" ;;
	*:*)
		by="ours, ${1#*: }"
		sed -n '/^function/,/^$/p' "examples/${1#*: }.nesl" >>"$p" ;;
	esac
	{
		echo "$2"; echo "r = $3; $4;"
		for i in 1 2 3 4 5 6 7; do echo "let (r, s) = time($3) in s;"; done
	} >>"$p"
}
each_bench() {
	while IFS=@ read -r name first timed value; do
		bench "$name" "$first" "$timed" "$value"
		"$@"
	done <"$dir/benchmarks"
}
to_build() {
	printf '%s\0%s\0%s\0' "$file" "--input n:int${input:+ --input m:[[(int,float)]]}" "$p"
}
# Lines NAME|BY|MILLISECONDS||VALUE: by the clock of the program, which allocates and waits; and of some, run once more, by the
# events around its kernels
ours() {
	[ "$(left)" -gt 20 ] || { echo "$name" >>"$dir/unstarted"; return; }
	of=$dir/bench/$file
	[ "$(cat "$bin/$file.status")" = 0 ] ||
		{ echo "$name: not built: $(head -n 3 "$bin/$file.built" | tr '\n' ' ')" >>"$dir/failed"; return; }
	"$bin/$file" --input n="$dir/n.txt" ${input:+--input m="$input"} >"$of.out" 2>"$of.err" ||
		{ echo "$name: exit status $?: $(head -n 3 "$of.err" | tr '\n' ' ')" >>"$dir/failed"; return; }
	sed 's/^it = \(.*\) : .*/\1/' "$of.out" >"$of.values"
	echo "${name%%:*}|$by|$(sed 1d "$of.values" | sort -g | sed -n 4p)|$(sed 1q "$of.values")" |
		awk -F '|' '{ printf "%s|%s|%.4f||%s\n", $1, $2, $3 * 1e3, $4 }'
	case $name in spmv* | sort* | 'scan by'* | filter | 'row sums'*) ;; *) return ;; esac
	"$bin/$file" --input n="$dir/n.txt" ${input:+--input m="$input"} --profile="$of.profile" >/dev/null 2>&1
	awk -v from=$(($(wc -l <"$p") - 6)) '{ line = $NF; sub(/.*:/, "", line) } line ~ /^[0-9]+$/ && line >= from { s[line] += $1 }
		END { for (k in s) print s[k] }' "$of.profile" | sort -g | sed -n 4p |
		awk -v name="${name%%:*}" -v by="$by, kernels" '{ printf "%s|%s|%.4f||\n", name, by, $1 * 1e3 }'
}
# A baseline with its arguments
theirs() {
	"$bin/$@" >>"$dir/theirs" 2>"$dir/theirs.err" ||
		echo "baselines, $*: exit status $?: $(head -n 3 "$dir/theirs.err" | tr '\n' ' ')" >>"$dir/failed"
}
if has speed; then
	for kind in even zipf giant; do matrix $kind & done
	wait
fi
baseline() {
	[ -x "$bin/$1" ] || nvcc -std=c++17 -O3 -arch="$2" -o "$bin/$1" "bench/baselines/$1.cu" $([ "$1" != spmv ] || echo -lcusparse) \
		>"$bin/$1.built" 2>&1 || echo "baselines/$1.cu: $(head -n 3 "$bin/$1.built" | tr '\n' ' ')" >>"$dir/failed"
}
if has speed || has make; then
	note 'benchmarks are built'
	each_bench to_build | xargs -0 -n 3 -P "$jobs" sh "$dir/build.sh" &
	if [ "$target" = cuda ]; then
		for b in flat rows spmv; do baseline $b "$(has make && echo "${ARCH:-sm_90}" || echo native)" & done
	fi
	wait
fi
if has make; then
	failed=$(grep -L '^[01]$' "$bin"/*.status; cat "$dir/failed")
	[ -z "$failed" ] || { printf 'not made:\n%s\n' "$failed" >&2; exit 1; }
	exit 0
fi
if has speed && [ "$target" = cuda ]; then
	note 'baselines'
	theirs flat "$n"
	theirs rows "$n"
	for kind in even zipf giant; do theirs spmv $kind "$dir/$kind.mtx"; done
fi
if has speed; then
	note 'benchmarks'
	echo "$n" >"$dir/n.txt"
	each_bench ours >"$dir/ours"
fi

# -- sanitizer -------------------------------------------------------------------------------------------------------
if has sanitizer && [ "$target" = cuda ] && ! command -v compute-sanitizer >/dev/null; then
	echo 'compute-sanitizer is not in PATH: it was not run' >>"$dir/failed"
elif has sanitizer && [ "$target" = cuda ]; then
	for tool in $tools; do
		note "$tool"
		[ "$(left)" -lt 20 ] || names | xargs -P $(((jobs + 1) / 2)) -I NAME sh -c '
			t=$(($1 - $(date +%s)))
			[ $t -lt 5 ] || sh "$dir/sanitize.sh" "$2" "$3" $((t < 60 ? t : 60))' - $((begun + limit - 15)) NAME $tool
	done
fi

# -- the report ------------------------------------------------------------------------------------------------------
for f in "$dir"/said/*; do
	[ ! -f "$f" ] || { printf '%s: ' "$(basename "$f")"; sed '2,$s/^/    /' "$f"; } >>"$dir/failed"
done
# A benchmark is right if all who ran it found the same.
cat "$dir/theirs" "$dir/ours" | awk -F '|' '
	function near(x, y) { d = x - y; if (d < 0) d = -d; if (x < 0) x = -x; return d <= 1e-9 * x }
	$1 == "device" || $5 == "" { next }
	$1 in value { if (!near(value[$1], $5 + 0)) print $1 ": " $2 " gives " $5 ", not " value[$1]; next }
	{ value[$1] = $5 + 0 }' >>"$dir/failed"
{
	echo "# Target $target, $(date +%F)"
	echo
	sed -n 's/^device|/    /p' "$dir/theirs"
	nvidia-smi --format=csv 2>/dev/null \
		--query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit |
		sed 's/^/    /'
	echo "    nessie of commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown), $(nvcc --version 2>/dev/null | tail -n 1)"
	echo
	if has programs || has sanitizer; then
		echo "$(names | grep -vxFf "$dir/unstarted" | wc -l) programs ran, $(ls "$dir/said" | wc -l) of them not as they should. compute-sanitizer ($(echo $tools | sed 's/ /, /g')):" \
			"$(wc -l <"$dir/finished") runs to the end, $(wc -l <"$dir/unfinished") longer than a minute."
		echo
	fi
	if [ -s "$dir/unstarted" ]; then
		echo "No time was left for $(paste -s -d ',' "$dir/unstarted" | sed 's/,/, /g')."
		echo
	fi
	if [ -s "$dir/failed" ]; then
		echo 'What is wrong:'
		echo
		sed 's/^/    /' "$dir/failed"
		echo
	fi
	if has speed; then
		echo "Benchmarks of $n elements (sorts, scan by a function: a tenth; spmv: a tenth, in as many rows as a hundredth): milliseconds; GB/s of the bytes"
		echo "that the task needs at least; per cent of what the copying kernel reaches; ours as a multiple of each time."
		echo
		cat "$dir/theirs" "$dir/ours" | awk -F '|' '
			$1 == "device" { next }
			!($1 in seen) { seen[$1] = 1; order[++k] = $1 }
			{ line[$1, ++count[$1]] = $2; ms[$1, $2] = $3; if ($4) bytes[$1] = $4 }
			END {
				copy = ms["copy", "kernel"] ? bytes["copy"] / ms["copy", "kernel"] : 0
				printf "    %-22s %-24s %10s %8s %6s %6s\n", "benchmark", "by", "ms", "GB/s", "%", "ours"
				for (i = 1; i <= k; i++) for (j = 1; j <= count[order[i]]; j++) {
					b = order[i]; w = line[b, j]; t = ms[b, w]; mine = ms[b, "ours"]; rate = t ? bytes[b] / t : 0
					printf("    %-22s %-24s %10.4f %8s %6s %6s\n", b, w, t, rate ? sprintf("%.1f", rate / 1e6) : "",
						copy && rate ? sprintf("%.0f", 100 * rate / copy) : "", t && mine ? sprintf("%.2f", mine / t) : "")
				}
			}'
		echo
		echo 'Tasks of ours, of all seven runs and what comes before them:'
		for f in "$dir"/bench/*.profile; do
			echo
			basename "$f" .profile | sed 's/^bench_/    /'
			head -n 6 "$f" | sed "s/^/    /; s|$dir/bench/||"
		done
	fi
} >"$dir/report"
mkdir -p "$(dirname "$out")"
mv "$dir/report" "$out"
note "$out"
cat "$out"
[ ! -s "$dir/failed" ]
