#!/usr/bin/env python3
"""Runs launches that the emulator has recorded ($SIMT_RECORD) once more, by the machine code of the same kernels.

    replay.py CUBIN RECORD [SECONDS]

Whatever stands in memory then must be what the emulator had there, but for what nobody reads (padding) and last bits (near).
A line for each launch where it is not, or where the kernel does what it should not, and one with the counts; exit status 3 if one
was wrong.  $NVDISASM: the disassembler.
"""
import collections
import os
import struct
import sys
import time

from cubin import kernels
from machine import LOCAL_BYTES, Block, Memory, Wrong
from meaning import LOCAL, MASK, Unknown, float64

# Of bank 0, for sm_90: where a thread's own memory is, and behind that the end of its stack; the parameters.
WINDOW, PARAMETERS = 0x20, 0x210


class Record:
    def __init__(self, path):
        self.data, self.at = open(path, 'rb').read(), 0

    def take(self, n):
        if self.at + n > len(self.data):
            raise EOFError
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self):
        return int.from_bytes(self.take(8), 'little')

    def launches(self):
        """Name, blocks, parameters, and regions: address, bytes before, bytes after."""
        while self.at < len(self.data):
            try:
                name = self.take(self.number()).decode()
                blocks, parameters = self.number(), self.take(self.number())
                regions = [(self.number(), self.take(self.number())) for _ in range(self.number())]
                yield name, blocks, parameters, [(at, before, self.take(len(before))) for at, before in regions]
            except EOFError:            # the kernel found a fault, and the program ended
                return


def key(name):
    """Of a mangled kernel, its template's arguments; compilers differ in how they write the rest."""
    return name.split('EvT')[0]


def run(kernel, blocks, parameters, regions, fill):
    """What stands in the regions then, and whether shared memory was read that nobody had written."""
    constants = bytearray(PARAMETERS) + parameters
    struct.pack_into('<6I', constants, 0, 256, 1, 1, blocks, 1, 1)
    struct.pack_into('<QI', constants, WINDOW, LOCAL << 32, LOCAL_BYTES)
    memory, doubted = Memory(), False
    for at, before, _ in regions:
        if before:
            memory.add(at, before)
    for number in range(blocks):
        block = Block(kernel, bytes(constants), memory, number, fill)
        block.run()
        doubted = doubted or block.shared.doubted
    return [bytes(memory.find(at, 1)[0]) if before else b'' for at, before, _ in regions], doubted


def difference(wanted, got, works, nodes):
    """Of two words: `padding`, as after a truth value or 32 bits there is half an address, what the host's stack had, or, in what
    only this kernel works with, anything after a truth value, and in nodes before 32 bits; `near`: numbers with a point that differ in
    their last bits, as C and CUDA have functions of their own; else `wrong`."""
    x, y = (int.from_bytes(b, 'little') for b in (wanted, got))
    is_address, is_truth = 0x5500 <= x >> 32 <= 0x7FFF, x & 255 == y & 255 < 2
    if is_truth and (is_address or works or nodes and x >> 32 == y >> 32) or is_address and x & MASK == y & MASK:
        return 'padding'
    u, v = float64(x), float64(y)
    return 'near' if 1e-200 < abs(u) and abs(u - v) < 1e-14 * abs(u) else 'wrong'


def work(name, parameters):
    """Where a reduction of rows has the ends of its shares: the parameter before the last two."""
    return int.from_bytes(parameters[-24:-16], 'little') if 'nesl_seg_reduce_kernel' in name else 0


def judge(kernel, launch, fill=0):
    name, blocks, parameters, regions = launch
    try:
        got, doubted = run(kernel(), blocks, parameters, regions, fill)
    except Unknown as e:
        return 'unknown', str(e)
    except Wrong as e:
        return 'wrong', str(e)
    found = set()
    for (at, _, wanted), x in zip(regions, got):
        for i in range(0, len(wanted) if wanted != x else 0, 8):
            if wanted[i:i + 8] != x[i:i + 8]:
                found.add(difference(wanted[i:i + 8], x[i:i + 8], at == work(name, parameters), 'nesl_scan_by_kernel' in name))
            if 'wrong' in found:
                return 'wrong', 'at %x, %d of %d bytes, is %s for %s' % (at, i, len(wanted), x[i:i + 8].hex(), wanted[i:i + 8].hex())
    if doubted and fill == 0:           # whatever stood there
        return judge(kernel, launch, 255)
    return min(found, default='right'), ''


def main(path, record, seconds='600'):
    made, counts, end = {}, collections.Counter(), time.time() + float(seconds)
    by_key = {key(name): kernel for name, kernel in kernels(path, os.environ.get('NVDISASM', 'nvdisasm')).items()}

    def kernel(name):
        if name not in made:
            if name not in by_key:
                raise Unknown('the cubin has no such kernel')
            made[name] = by_key[name]()
        return made[name]

    for launch in Record(record).launches():
        name = key(launch[0])
        verdict, why = judge(lambda: kernel(name), launch) if time.time() < end else ('late', '')
        counts[verdict] += 1
        if verdict in ('wrong', 'unknown'):
            print('%s: %s: %s' % (verdict, name, why), flush=True)
    print(os.path.basename(path), *('%d %s,' % (n, verdict) for verdict, n in counts.items()))
    return 3 if counts['wrong'] else 0


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
