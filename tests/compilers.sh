#!/bin/sh
# What nessie prints does not depend on what compiled it: which of a call's arguments comes first is a compiler's choice, and clang's
# (or that of $1) is another than gcc's.  The dumps of all programs, by ./nessie and by one that the other makes.
set -e
cd "$(dirname "$0")/.."
other=${1:-clang}
command -v "$other" >/dev/null || { echo "compilers: no $other here (apt-get install clang), dumps were NOT compared" >&2; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
tar cf - --exclude=./build --exclude=./.git --exclude=./nessie . | tar xf - -C "$dir"
make -s -C "$dir" CC="$other" nessie
bad=0
for program in examples/*.nesl tests/run/*.nesl tests/trouble/*.nesl; do
	for stage in normal flan opt lcu mem c cuda; do
		for options in '' -O0 '--int=32 --no-avoid'; do
			# shellcheck disable=SC2086
			./nessie dump --stage=$stage $options "$program" >"$dir/ours" 2>&1 || true
			# shellcheck disable=SC2086
			"$dir/nessie" dump --stage=$stage $options "$program" >"$dir/other" 2>&1 || true
			cmp -s "$dir/ours" "$dir/other" || { echo "compilers: $program, --stage=$stage $options: not the same by $other" >&2; bad=1; }
		done
	done
done
exit $bad
