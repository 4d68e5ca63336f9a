#!/bin/sh
# Does the emulator notice what is missing?  Changes the CUDA run time in one place after the other (a barrier, a fence, a
# ticket less; a release or acquire that is none; a bound or a lane off by one), and runs tests/simt/skeletons.nesl, then wide.nesl,
# packs.nesl, updates.nesl, sorts.nesl, scans_by.nesl and puts.mem, until a schedule of four gives other values or a message.  Prints a line for
# each place; the exit status is how many live.
#
#     mutate.sh [FIRST [STEP]]        every STEP-th place from the FIRST; all of them
#
# CXX='clang++ -O0 -g0' takes a third of g++'s time.  FILES: those of backend/rt that are changed.
set -u
cd "$(dirname "$0")/../.."
first=${1:-1} step=${2:-1}
files=${FILES:-nesl_block.h nesl_functors.h nesl_folds.h nesl_puts.h nesl_scans.h nesl_device.h nesl_rows.h nesl_library.h nesl_sort.h nesl_cuda.h
	nesl_cuda_memory.h nesl_cuda_values.h nesl_room.h nesl_scan_by.h}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$dir/home/tests" "$dir/home/backend"
cp -r basis docs "$dir/home"
cp -r tests/simt "$dir/home/tests"
for name in skeletons scans_by; do
	./nessie run --target=interp tests/simt/$name.nesl >"$dir/want.$name.nesl" 2>/dev/null
	[ $? = 3 ] || exit 2            # its last forms fault
done
for name in wide packs updates sorts; do
	./nessie run --target=interp tests/simt/$name.nesl >"$dir/want.$name.nesl" || exit 2
done
./nessie run --target=cpu --from=mem tests/simt/puts.mem >"$dir/want.puts.mem" || exit 2

# FILE LINE SED-COMMAND, one for each place
places() {
	while read -r pattern new; do
		for file in $files; do
			grep -n -e "$pattern" backend/rt/$file | grep -v 'asm\|^[0-9]*: \*\|static __device__\|define\|^[0-9]*:nesl_' |
				cut -d: -f1 | while read -r line; do
					printf '%s %s s/%s/%s/\n' $file "$line" "$pattern" "$new"
				done
		done
	done <<-'END'
		__syncthreads(); ;
		__syncwarp(); ;
		__threadfence(); ;
		nesl_st_release(\(.*\));$ atomicExch(\1);
		nesl_ld_acquire(\([^()]*\)) simt_load(\1,0,__FILE__,__LINE__)
		atomicAdd(ticket,.1u) blockIdx.x
		<.n) <=n)
		<.end) <=end)
		<.tot) <=tot)
		k.<.gridDim k<=gridDim
		i.<.s\.rows; i<=s.rows;
		<.\([ir]\.n\) <=\1
		p.<.0 p<-31
		t.<.tiles.-.1 t<0
		lane.<.NESL_WARPS lane<=NESL_WARPS
		lane.<=.NESL_WARPS lane<NESL_WARPS
		k.<.p\.ne; k<=p.ne;
		k.<.p\.ns; k<=p.ns;
		k.<.p\.items k<=p.items
		lane.==.31 lane==30
		d.<.32; d<16;
		lane.>=.d) lane>d)
		lane.+.d.<.32 lane+d<31
		e.<.r\.to e<=r.to
		row.>=.n) row>n)
		d.>.0; d>1;
		lane.==.0} true}
		V.<=.this->n V<=this->n+1
		V.>.this->n V>this->n+1
		k.==.V.-.1 k==V-2
		k.<.(int)r\.n; k<=(int)r.n;
		>.~low; >=~low;
		.+.carries; ;
		i.<.fit i<=fit
		e.+.1); e);
		s\.rows.-.1) s.rows-2)
		p\.value\[0\] p.value[1]
		nesl_run\.nonzero.+.bytes.>.NESL_ZEROS false
		next.<.p\.ne next<=p.ne
		.>.r\[i\]\.lanes >1+r[i].lanes
		nesl_forget_longest(b); ;
		i.+.d.<.has i+d<=has
		i.+.d.>=.has i+d>has
		lane.-.d.+.1.<.has lane-d<has
		lane.-.d.+.1.>=.has lane-d+1>has
		k.<.has k<=has
		i.<.of_warp i<=of_warp
		lane.==.NESL_WARPS.-.1 lane==0
		nesl_fail_together<F>(failed,.d); ;
	END
}

# How the program of a file, built with the option and $dir/home's run time, is caught; nothing where it is not.
caught_by() {
	if ! NESSIE_HOME=$dir/home ./nessie build --target=emu "$2" -o "$dir/program" "tests/simt/$1" 2>"$dir/err"
	then
		echo "is not compiled"
		return
	fi
	for seed in 0 1 2 3; do
		SIMT_SEED=$seed timeout 300 "$dir/program" >"$dir/got" 2>"$dir/err"
		if grep -q '^simt:' "$dir/err"; then
			echo "schedule $seed: $(sed -n '/^simt:/{s/^simt: [^:]*: //;p;q}' "$dir/err")"
			return
		elif ! cmp -s "$dir/want.$1" "$dir/got"; then
			echo "schedule $seed: other values"
			return
		fi
	done
}
caught() {
	how=$(caught_by skeletons.nesl --grain=130)
	[ -n "$how" ] || how=$(caught_by wide.nesl --map=flat)
	[ -n "$how" ] || how=$(caught_by packs.nesl --grain=64)
	[ -n "$how" ] || how=$(caught_by updates.nesl --grain=64)
	[ -n "$how" ] || how=$(caught_by sorts.nesl --grain=64)
	[ -n "$how" ] || how=$(caught_by scans_by.nesl --grain=300)
	[ -n "$how" ] || how=$(caught_by puts.mem --from=mem)
	[ -z "$how" ] || echo "$how"
}

live=0 seen=0
places >"$dir/places"
total=$(wc -l <"$dir/places")
cp -r backend/rt "$dir/home/backend"
how=$(caught)
[ -z "$how" ] || { echo "mutate.sh: unchanged: $how" >&2; exit 2; }
while read -r file line change; do
	seen=$((seen + 1))
	[ $((seen % step)) = $((first % step)) ] || continue
	rm -rf "$dir/home/backend/rt"
	cp -r backend/rt "$dir/home/backend"
	sed -i "${line}$change" "$dir/home/backend/rt/$file"
	how=$(caught)
	[ -n "$how" ] || live=$((live + 1))
	printf '%s\n' "$seen of $total: $file:$line $change: ${how:-LIVES}"
done <"$dir/places"
exit $live
