#!/bin/sh
# How many registers a thread of each skeleton of the CUDA run time takes, as nvcc counts: the most of its instances in
# skeletons.mem and fused.mem, for each architecture.  Nothing may be spilled: that, as any warning, is an error.
# registers.txt has what it said; `tests/cuda/registers.sh >tests/cuda/registers.txt` writes that anew.
set -eu
cd "$(dirname "$0")/../.."
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
for program in skeletons fused; do
	./nessie dump --stage=cuda --from=mem tests/cuda/$program.mem >"$dir/program.cu"
	for arch in 75 80 90; do
		nvcc -std=c++17 -O3 -fmad=false -cubin -Werror all-warnings -Xptxas -v,-warn-spills,-Werror -arch=sm_$arch \
			-Ibackend/rt -o "$dir/program.cubin" "$dir/program.cu" >"$dir/said" 2>&1 || { cat "$dir/said" >&2; exit 1; }
		# An entry's name, mangled, begins with _Z and a length; what is said of it stands below.
		sed -n "s/.*Compiling entry function '_Z[0-9]*\(nesl_[a-z_]*_kernel\).*/\1/p
			s/.*Used \([0-9]*\) registers.*/\1/p" "$dir/said" | sed "s/^[0-9]*$/$arch &/"
	done
done | awk -v nvcc="$(nvcc --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p')" '
	NF == 1 { name = $1; seen[name] = 1; next }
	$2 > most[name, $1] { most[name, $1] = $2 }
	END {
		printf "nvcc %-27s sm_75 sm_80 sm_90\n", nvcc
		for (name in seen) printf "%-32s %5d %5d %5d\n", name, most[name, 75], most[name, 80], most[name, 90] | "sort"
	}'
