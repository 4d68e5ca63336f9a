"""The kernels of a cubin, by nvdisasm: of CUDA 11.8 (Debian's nvidia-cuda-toolkit, in non-free) or newer.

An older nvdisasm than the ptxas that made the file wants another header, and prints no instruction that it does not know; those that
ptxas 13.0 makes for sm_90 are read from their bits here.
"""
import os
import re
import struct
import subprocess
import tempfile


class Instruction:
    __slots__ = ('at', 'text', 'guard', 'name', 'suffixes', 'operands', 'run')

    def __init__(self, at, text):
        self.at, self.text, self.run = at, text, None
        text = text.replace('.reuse', '')
        m = re.match(r'@(!?U?P[0-7T]) +(.*)', text)
        self.guard, text = (m.group(1), m.group(2)) if m else (None, text)
        name, _, operands = text.partition(' ')
        self.name, *self.suffixes = name.split('.')
        self.operands = [x.strip() for x in operands.split(',')] if operands.strip() else []


class Kernel:
    def __init__(self, listing, code):
        printed, labels, waiting = {}, {}, []
        for line in listing.split('\n'):
            m = re.match(r'\s*(\.L_x_\d+|\$[\w$]+):', line)
            if m:
                waiting.append(m.group(1))
            m = re.match(r'\s*/\*([0-9a-f]{4,5})\*/\s+(.*?)\s*;', line)
            if m:
                at = int(m.group(1), 16)
                printed[at] = m.group(2).strip('{ ')
                for label in waiting:
                    labels.setdefault(label, at)
                waiting = []
        self.labels, self.instructions = labels, []
        for at in range(0, len(code), 16):
            low, high = struct.unpack_from('<QQ', code, at)
            text = printed.get(at) or unprinted(low, high)
            # A NaN's bits are not in its name.
            self.instructions.append(Instruction(at, re.sub(r'[+-]QNAN', hex(low >> 32), text)))
            if low & 0xFFF in (0x947, 0x944):           # BRA, CALL: a label may stand before what is not printed
                label = LABEL.search(text)
                by = (high & 0x3FFFF) << 38 | low >> 34 << 8 | low >> 16 & 255
                if label:
                    labels[label.group()] = at + 16 + 4 * (by - (1 << 56) if by >> 55 else by)

    def target(self, operand):
        return self.labels[LABEL.search(operand).group()]


LABEL = re.compile(r'\.L_x_\d+|\$[\w$]+')


def unprinted(low, high):
    """The text of VIADD, VIMNMX and VIADDMNMX."""
    register = lambda r: 'RZ' if r == 255 else 'R%d' % r
    operation, form = low & 0x1FF, low >> 9 & 7
    third = ('-' if high >> 11 & 1 else '') + register(high & 255)
    second = {
        1: ('-' if low >> 63 else '') + register(low >> 32 & 255),
        4: hex(low >> 32),
        5: 'c[0x0][%#x]' % ((low >> 40 & 0x3FFF) * 4),
        6: ('-' if low >> 63 else '') + 'UR%d' % (low >> 32 & 63),
    }
    if form == 2:
        second[form], third = third, hex(low >> 32)
    predicate = lambda bits: '%sP%s' % ('!' if bits & 8 else '', bits & 7 if bits & 7 != 7 else 'T')
    text = '@%s ' % predicate(low >> 12 & 15) if low >> 12 & 15 != 7 else ''
    operands = [register(low >> 16 & 255), register(low >> 24 & 255), second.get(form, '?')]
    least = predicate(high >> 23 & 15)
    sign = '' if high >> 8 & 1 else '.U32'
    if operation == 0x36:
        operands[1] = ('-' if high >> 8 & 1 else '') + operands[1]
        return text + 'VIADD ' + ', '.join(operands)
    if operation == 0x48:
        return text + 'VIMNMX%s ' % sign + ', '.join(operands + [least])
    if operation == 0x46:
        return text + 'VIADDMNMX ' + ', '.join(operands + [third, least])
    return text + 'UNKNOWN_%x' % (low & 0xFFF)


def sections(data):
    table, = struct.unpack_from('<Q', data, 40)
    size, count, names = struct.unpack_from('<HHH', data, 58)
    section = [struct.unpack_from('<IIQQQQIIQQ', data, table + k * size) for k in range(count)]
    for s in section:
        at = section[names][4] + s[0]
        yield data[at:data.index(b'\0', at)].decode(), b'' if s[1] == 8 else data[s[4]:s[4] + s[5]]


def kernels(path, nvdisasm='nvdisasm'):
    """By name, what makes the Kernel."""
    data = open(path, 'rb').read()
    try:
        listing = subprocess.run([nvdisasm, '-c', path], capture_output=True, text=True)
    except OSError as e:
        raise SystemExit('%s: %s' % (nvdisasm, e.strerror))
    if listing.returncode:
        with tempfile.NamedTemporaryFile(suffix='.cubin', delete=False) as old:
            # the ABI that CUDA 12 and before have, for sm_90
            old.write(data[:7] + bytes([0x33, 7]) + data[9:48] + struct.pack('<I', 0x5A055A) + data[52:])
        listing = subprocess.run([nvdisasm, '-c', old.name], capture_output=True, text=True)
        os.unlink(old.name)
    if listing.returncode:
        raise SystemExit('%s: %s' % (path, listing.stderr.strip()))
    code = dict(sections(data))
    made = {}
    for part in re.split(r'//-+ \.text\.', listing.stdout)[1:]:
        name = part.split(' ')[0]
        made[name] = lambda part=part, name=name: Kernel(part, code['.text.' + name])
    return made
