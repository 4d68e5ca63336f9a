#!/bin/sh
# What fusion and reuse give: the programs of bench/examples on the cpu with --fuse=none, --fuse=map, all of it, and all but reuse.  Two
# tables in Markdown, on stdout.  Each runs $RUNS times (5), the least time counts.
# From the root of the repository, with ./nessie built.
set -e
export LC_ALL=C
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM

figure() {
	sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" "$2" | head -n 1
}

# Options for the inputs of $inputs: what they are bound to, made if it is not there.
inputs() {
	echo "$inputs" | tr , '\n' | while read -r name kind; do
		[ "$name" ] || continue
		case $kind in uniform*) file=$(echo "$kind" | tr ' =' __).npy ;; *) file=$(echo "$kind" | tr ' =' __).mtx ;; esac
		# shellcheck disable=SC2086
		[ -f "$dir/$file" ] || ./nessie data $kind -o "$dir/$file"
		echo "--input $name=$dir/$file"
	done
}

# One way: kernels, bytes, the floor, the peak, fresh arrays, the least seconds.
measure() {
	# shellcheck disable=SC2046,SC2086
	set -- $1 $(inputs) "$dir/p.nesl"
	./nessie dump --stage=lcu --stats=$dir/lcu "$@"
	best=
	for k in $(seq "${RUNS:-5}"); do
		./nessie run --target=cpu --echo=none --stats="$dir/json" "$@" >&2
		s=$(figure seconds_run "$dir/json")
		best=$(printf '%s\n%s\n' "$s" "${best:-$s}" | sort -g | head -n 1)
	done
	echo "$(figure kernels "$dir/lcu") $(($(figure bytes_read "$dir/json") + $(figure bytes_written "$dir/json")))" \
		"$(figure bytes_floor "$dir/json") $(figure peak_bytes "$dir/json")" \
		"$(($(figure allocations "$dir/json") - $(figure allocations_reused "$dir/json"))) $best"
}

grep -v '^#' bench/examples | while IFS=';' read -r name inputs form; do
	# of an example its functions: the forms of its own are small
	{ [ ! -f "examples/$name.nesl" ] || awk 'BEGIN { RS = ""; ORS = "\n\n" } /(^|\n)function/' "examples/$name.nesl"
		echo "$form;"; } >"$dir/p.nesl"
	echo "$name $(measure --fuse=none) $(measure --fuse=map) $(measure) $(measure --no-reuse)"
done >"$dir/rows"
awk -f bench/examples.awk "$dir/rows"
