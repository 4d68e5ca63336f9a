#!/bin/sh
# Includes point to earlier stages only; common/ and the run time's headers serve everybody.
cd "$(dirname "$0")/.." || exit 1
order="common frontend flatten shape fuse memmgmt backend"
later=$order
bad=0
for dir in $order; do
	later=${later#* }
	[ "$dir" = backend ] && break
	[ -d "$dir" ] || continue
	for stage in $later; do
		if grep -n "^#include \"$stage/" "$dir"/*.[chy] "$dir"/*.re 2>/dev/null |
			grep -v '"backend/rt/nesl_\|"[a-z]*/[a-z]*\.def"'
		then
			echo "includes: $dir/ may not include $stage/, which comes later" >&2
			bad=1
		fi
	done
done
exit $bad
