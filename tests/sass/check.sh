#!/bin/sh
# Does what nvcc makes of the kernels do what the emulator did?  Programs run on the emulator, which records launches
# (tests/simt/record.cpp); then the launches run once more, by the machine code for sm_90 (replay.py).  No GPU is needed.
#
#     check.sh [PROGRAM.nesl ...]     those; without: examples, tests/run, tests/trouble, tests/simt
#
# Prints what is wrong or unknown, and a line for each program; exit status 1 if something is wrong.  Needs python3, nvcc,
# nvdisasm (cubin.py says which) and what the emulator needs.  Variables: NVDISASM; JOBS, programs at once (all cores); LIMIT, the seconds for the
# launches of one (60); BIN, where cubins are or will be (a temporary directory); OPTIONS of nessie.
cd "$(dirname "$0")/../.." || exit 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
bin=${BIN:-$dir}
mkdir -p "$bin"
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
NVDISASM=${NVDISASM:-nvdisasm}
for tool in python3 nvcc "$NVDISASM" ./nessie; do
	command -v "$tool" >/dev/null || { echo "check.sh: there is no $tool" >&2; exit 2; }
done
./nessie run --target=emu -e 1 >/dev/null || exit 2
flags=$(sed -n '/cuda_flags\[\] = /{n;s/NULL,//;s/[",]/ /g;p;}' backend/build.c | sed 's/-Xcompiler .*//')
[ -n "$flags" ] || { echo "check.sh: nvcc's flags are not where they were in backend/build.c" >&2; exit 2; }
export PATH NVDISASM dir bin flags LIMIT="${LIMIT:-60}" OPTIONS="${OPTIONS:-}"
cat >"$dir/one.sh" <<'SH'
name=$(echo "${1%.nesl}" | tr / -)
if [ ! -s "$bin/$name.cubin" ]; then
	./nessie dump --stage=cuda $OPTIONS "$1" >"$dir/$name.cu" 2>/dev/null || { echo "$name: not compiled"; exit; }
	nvcc -cubin -arch=sm_90 $flags -Ibackend/rt -o "$bin/$name.cubin" "$dir/$name.cu" ||
		{ echo "wrong: $name: not compiled by nvcc"; exit; }
fi
SIMT_RECORD=$dir/$name.record ./nessie run --target=emu $OPTIONS "$1" >/dev/null 2>&1
if [ -s "$dir/$name.record" ]; then
	python3 -B tests/sass/replay.py "$bin/$name.cubin" "$dir/$name.record" "$LIMIT" || [ $? = 3 ] || echo "wrong: $name: no verdict"
	rm "$dir/$name.record"
else
	echo "$name.cubin no launches"
fi
SH
[ $# != 0 ] || set -- examples/*.nesl tests/run/*.nesl tests/trouble/*.nesl tests/simt/*.nesl
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I FILE sh "$dir/one.sh" FILE | tee "$dir/said"
! grep -q '^wrong' "$dir/said"
