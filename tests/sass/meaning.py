"""What an instruction does: a function in Python, made of its text.

A function has the block, the threads of a group and their warp; U and UP are the warp's uniform registers and predicates, R and
P the thread's.  An operand becomes an expression, of a number without a sign.  Each entry of MEANINGS makes the statements of
one instruction, in which x, y, z, v are free to use.  What NVIDIA's manual ("CUDA Binary Utilities", instruction set
reference) leaves open is as kernels of the run time want it, which gave right results on a device.
"""
import math
import re
import struct
from fractions import Fraction

MASK, MASK64 = 0xFFFFFFFF, (1 << 64) - 1
SHARED, LOCAL = 0x7F00, 0x7E00          # the upper words of generic addresses of shared and of a thread's memory
MEANINGS = {}
# Run once for a warp.
UNIFORM = {'UMOV', 'ULDC', 'ULEA', 'UIADD3', 'UIMAD', 'USHF', 'ULOP3', 'UISETP', 'USEL', 'UPRMT', 'S2UR', 'R2UR'}


class Unknown(Exception):
    """This interpreter has no meaning for it."""


def means(*names):
    def add(f):
        MEANINGS.update((name, f) for name in names)
        return f
    return add


def translated(i):
    name = i.name[1:] if i.name in UNIFORM and i.name[0] == 'U' else i.name
    if name not in MEANINGS:
        raise Unknown(i.text)
    body = MEANINGS[name](i.suffixes, list(i.operands))
    lines = ['def run(block, threads, warp):', ' U, UP, S, C = warp.U, warp.UP, block.shared, block.constant',
             ' for t in threads:', '  R, P = t.R, t.P'] + ['  ' + line for line in body if line] + ['  pass']
    made = {}
    exec('\n'.join(lines), globals(), made)
    return made['run']


# -- operands ---------------------------------------------------------------------------------------------------------------
def is_predicate(x):
    return re.match(r'!?U?P(\d|T)$', x)


def is_register(x):
    return re.match(r'[-~]?U?R(\d+|Z)$', x)


def source(x, wide=False, float_bits=0):
    """Of an operand, as a number of 32 bits, or 64 if wide; float_bits: a number with a point is that wide, in bits."""
    sign, inverted, absolute = '', False, False
    if x[0] == '-' and not re.match(r'-(0x|\d|\.|INF)', x):
        sign, x = '-', x[1:]
    if x[0] == '~':
        inverted, x = True, x[1:]
    if x[0] == '|':
        absolute, x = True, x[1:-1]
    m = re.match(r'(U?)R(\d+)$', x)
    if x in ('RZ', 'URZ', 'SRZ'):
        e = '0'
    elif m:
        file, n = 'U' if m.group(1) else 'R', int(m.group(2))
        e = '(%s[%d] | %s[%d] << 32)' % (file, n, file, n + 1) if wide else '%s[%d]' % (file, n)
    elif x.startswith('c['):
        m = re.match(r'c\[0x0\]\[(0x[0-9a-f]+)\]$', x)
        if not m:
            raise Unknown(x)
        e = 'C(%d, %d)' % (int(m.group(1), 16), 8 if wide else 4)
    elif re.match(r'-?0x[0-9a-f]+$', x) and float_bits != 64:
        e = str(int(x, 16) & (MASK64 if wide else MASK))
    elif float_bits:
        if re.match(r'-?0x', x):
            e = str((int(x, 16) & MASK) << 32)
        else:
            value = float(x.replace('+', '').replace('INF', 'inf'))
            e = str(bits64(value) if float_bits == 64 else bits32(value))
    else:
        raise Unknown(x)
    mask = 'MASK64' if wide else 'MASK'
    if float_bits:
        if absolute:
            e = '(%s & %d)' % (e, (1 << float_bits - 1) - 1)
        return '(%s ^ %d)' % (e, 1 << float_bits - 1) if sign else e
    if absolute:
        raise Unknown(x)
    if sign:
        e = '(-%s & %s)' % (e, mask)
    return '(~%s & %s)' % (e, mask) if inverted else e


def truth(x):
    name = x.lstrip('!')
    e = 'True' if name in ('PT', 'UPT') else 'P[%s]' % name[1:] if name[0] == 'P' else 'UP[%s]' % name[2:]
    return '(not %s)' % e if x[0] == '!' else e


def to(register, value, words=1):
    m = re.match(r'(U?)R(\d+|Z)$', register)
    if m.group(2) == 'Z':
        return ''
    file, n = 'U' if m.group(1) else 'R', int(m.group(2))
    if words == 1:
        return '%s[%d] = (%s) & MASK' % (file, n, value)
    return '; '.join(['w = ' + value] + ['%s[%d] = w >> %d & MASK' % (file, n + k, 32 * k) for k in range(words)])


def say(predicate, value):
    if predicate in ('PT', 'UPT'):
        return ''
    return ('P[%s]' % predicate[1:] if predicate[0] == 'P' else 'UP[%s]' % predicate[2:]) + ' = bool(%s)' % value


def predicates(operands):
    """Takes those off that the operands begin with."""
    first = []
    while is_predicate(operands[0]):
        first.append(operands.pop(0))
    return first


def signed(e, bits=32):
    return 's%d(%s)' % (bits, e)


def s32(x):
    return x - (1 << 32) if x & 0x80000000 else x


def s64(x):
    return x - (1 << 64) if x >> 63 else x


# -- numbers with a point -----------------------------------------------------------------------------------------------------
def float64(bits):
    return struct.unpack('<d', struct.pack('<Q', bits & MASK64))[0]


def bits64(x):
    return struct.unpack('<Q', struct.pack('<d', x))[0]


def float32(bits):
    return struct.unpack('<f', struct.pack('<I', bits & MASK))[0]


def bits32(x):
    try:
        return struct.unpack('<I', struct.pack('<f', x))[0]
    except OverflowError:
        return 0x7F800000 if x > 0 else 0xFF800000


def fused(a, b, c, rounding=''):
    """a * b + c with one rounding: to the nearest, or RP up, RM down, RZ to zero."""
    x, y, z = float64(a), float64(b), float64(c)
    if not all(map(math.isfinite, (x, y, z))):
        return bits64(x * y + z)
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact == 0:
        return bits64(x * y + z)
    try:
        r = float(exact)
    except OverflowError:
        return bits64(math.copysign(math.inf, exact))
    if {'RP': Fraction(r) < exact, 'RM': Fraction(r) > exact, 'RZ': abs(Fraction(r)) > abs(exact)}.get(rounding):
        r = math.nextafter(r, {'RP': math.inf, 'RM': -math.inf, 'RZ': 0.0}[rounding])
    return bits64(r)


def reciprocal(x, to_bits):
    return to_bits(math.copysign(math.inf, x) if x == 0 else 1 / x)


def mufu_rcp(bits):
    return reciprocal(float32(bits), bits32)


def mufu_rcp64h(high):
    return reciprocal(float64(high << 32), bits64) >> 32


def mufu_rsq64h(high):
    x = float64(high << 32)
    return bits64(math.inf if x == 0 else math.nan if not x > 0 else 0.0 if math.isinf(x) else 1 / math.sqrt(x)) >> 32


def float32_up(n):
    bits = bits32(float(n))
    return bits + 1 if Fraction(float32(bits)) < n else bits


WHOLE = {'FLOOR': math.floor, 'CEIL': math.ceil, 'TRUNC': math.trunc, '': round}


def whole(x, least, most, how):
    if math.isnan(x):
        return least if least < -MASK else 0
    if math.isinf(x):
        return most if x > 0 else least
    return max(least, min(most, WHOLE[how](x)))


def rounded(bits, how):
    x = float64(bits)
    return bits if not math.isfinite(x) else bits64(math.copysign(float(WHOLE[how](x)), x))


def permuted(a, selector, c):
    all_bytes, r = a | c << 32, 0
    for k in range(4):
        n = selector >> 4 * k & 15
        byte = all_bytes >> 8 * (n & 7) & 255
        r |= (byte if n < 8 else 255 if byte & 128 else 0) << 8 * k
    return r


# -- moves ----------------------------------------------------------------------------------------------------------------------
@means('MOV', 'R2UR')
def mov(suffixes, a):
    if len(a) > 2:
        raise Unknown('a mask of a move')
    return [to(a[0], source(a[1]))]


@means('LDC')
def ldc(suffixes, a):
    m = re.match(r'c\[0x0\]\[(.*)\]$', a[1])
    if not m:
        raise Unknown(a[1])
    at = ' + '.join(str(int(q, 0)) if q[0] in '-0' else source(q) for q in m.group(1).split('+'))
    n = width(suffixes)
    return [to(a[0], 'C(%s, %d)' % (at, n), max(n // 4, 1))]


@means('S2R', 'S2UR')
def s2r(suffixes, a):
    places = {'SR_TID.X': 't.number', 'SR_CTAID.X': 'block.number', 'SR_LANEID': 't.lane', 'SR_CgaCtaId': '0',
              'SR_SWINHI': 'SHARED', 'SR_SWINLO': 'LOCAL', 'SR_LTMASK': '(1 << t.lane) - 1', 'SR_EQMASK': '1 << t.lane'}
    if a[1] not in places:
        raise Unknown(a[1])
    return [to(a[0], places[a[1]])]


@means('CS2R')
def cs2r(suffixes, a):
    if a[1] != 'SRZ':
        raise Unknown(a[1])
    return [to(a[0], '0', 1 if '32' in suffixes else 2)]


@means('SEL', 'FSEL')
def sel(suffixes, a):
    return [to(a[0], '%s if %s else %s' % (source(a[1], float_bits=32), truth(a[3]), source(a[2], float_bits=32)))]


@means('PRMT')
def prmt(suffixes, a):
    return [to(a[0], 'permuted(%s, %s, %s)' % tuple(map(source, a[1:4])))]


@means('P2R')
def p2r(suffixes, a):
    if a[1] != 'PR' or suffixes:
        raise Unknown('P2R')
    mask = int(a[3], 0)
    return [to(a[0], '%s & ~%d | sum(P[k] << k for k in range(7)) & %d' % (source(a[2]), mask, mask))]


@means('R2P')
def r2p(suffixes, a):
    if a[0] != 'PR' or suffixes:
        raise Unknown('R2P')
    return ['x = ' + source(a[1])] + ['P[%d] = bool(x >> %d & 1)' % (k, k) for k in range(7) if int(a[2], 0) >> k & 1]


# -- integers ------------------------------------------------------------------------------------------------------------------
def minus(x):
    """Of an addend: -x is ~x + 1, which carries if x is 0."""
    return '(~%s & MASK) + 1' % source(x[1:]) if x[0] == '-' and is_register(x) else source(x)


@means('VIADD')
def viadd(suffixes, a):
    return [to(a[0], '%s + %s' % (source(a[1]), source(a[2])))]


@means('IADD3')
def iadd3(suffixes, a):
    register = a.pop(0)
    carries = predicates(a)
    if 'X' in suffixes:
        terms = [source(x) for x in a[:3]] + ['int(%s)' % truth(x) for x in a[3:]]
    else:
        terms = [minus(x) for x in a[:3]]
    return ['v = ' + ' + '.join(terms), to(register, 'v')] + [say(p, 'v >> 32 > %d' % k) for k, p in enumerate(carries)]


@means('IMAD')
def imad(suffixes, a):
    register = a.pop(0)
    carry = predicates(a)
    if 'MOV' in suffixes:
        return [to(register, source(a[2]))]
    x, y = source(a[0]), source(a[1])
    if not {'U32', 'IADD', 'SHL', 'X'} & set(suffixes):
        x, y = signed(x), signed(y)
    wide = 'WIDE' in suffixes or 'HI' in suffixes
    added = source(a[2], wide) + (' + int(%s)' % truth(a[3]) if len(a) > 3 else '')
    said = [say(p, 'v >> 64') for p in carry]
    v = 'v = %s * %s + %s' % (x, y, added)
    if 'WIDE' in suffixes:
        return [v] + said + [to(register, 'v & MASK64', 2)]
    return [v] + said + [to(register, 'v >> 32' if 'HI' in suffixes else 'v')]


@means('LEA')
def lea(suffixes, a):
    register = a.pop(0)
    carry = predicates(a)
    x, y = a[0], source(a[1])
    if 'HI' in suffixes:
        if 'SX32' in suffixes:
            wide, rest = '(%s & MASK64)' % signed(source(x)), a[2:]
        else:
            wide, rest = '(%s << 32 | %s)' % (source(a[2]), source(x)), a[3:]
        v = '((%s << %d & MASK64) >> 32) + %s' % (wide, int(rest[0], 0), y)
        if 'X' in suffixes:
            v += ' + int(%s)' % truth(rest[1])
    elif x[0] == '-':
        v = '(~(%s << %d) & MASK) + 1 + %s' % (source(x[1:]), int(a[2], 0), y)
    else:
        v = '(%s << %d & MASK) + %s' % (source(x), int(a[2], 0), y)
    return ['v = ' + v, to(register, 'v')] + [say(p, 'v >> 32') for p in carry]


@means('VIMNMX')
def vimnmx(suffixes, a):
    key = '' if 'U32' in suffixes else ', key=s32'
    return [to(a[0], '(min if %s else max)(%s, %s%s)' % (truth(a[3]), source(a[1]), source(a[2]), key))]


@means('VIADDMNMX')
def viaddmnmx(suffixes, a):
    return [to(a[0], '(min if %s else max)(s32((%s + %s) & MASK), s32(%s))' % (truth(a[4]), *map(source, a[1:4])))]


@means('LOP3')
def lop3(suffixes, a):
    said = predicates(a)
    table = int(a[4], 0)
    rows = ['%s & %s & %s' % tuple(v if k & bit else '~' + v for v, bit in (('x', 4), ('y', 2), ('z', 1)))
            for k in range(8) if table >> k & 1]
    return ['x, y, z = %s, %s, %s' % tuple(map(source, a[1:4])), 'v = (%s) & MASK' % (' | '.join(rows) or '0'),
            to(a[0], 'v')] + [say(p, 'v') for p in said]


@means('PLOP3')
def plop3(suffixes, a):
    return ['k = ' + ' + '.join('%d * %s' % (bit, truth(x)) for bit, x in zip((4, 2, 1), a[2:5]))] + [
        say(p, '%d >> k & 1' % int(table, 0)) for p, table in zip(a[:2], a[5:7])]


@means('SHF')
def shf(suffixes, a):
    low, high, by = source(a[1]), source(a[3]), source(a[2])
    both = '(%s << 32 | %s)' % (high, low)
    if 'S64' in suffixes or 'U64' in suffixes:
        wide = signed(both, 64) if 'S64' in suffixes else both
        v = '%s >> min(%s, 63)' % (wide, by) if suffixes[0] == 'R' else '%s << min(%s, 63) & MASK64' % (both, by)
        return [to(a[0], '(%s) >> 32' % v if 'HI' in suffixes else v)]
    by = '(%s & 31)' % by if 'W' in suffixes else 'min(%s, 32)' % by
    if suffixes[0] == 'R':
        if 'HI' in suffixes:
            return [to(a[0], '%s >> %s' % (signed(high) if 'S32' in suffixes else high, by))]
        return [to(a[0], '%s >> %s' % (both, by))]
    return [to(a[0], '%s << %s >> 32' % (both, by) if 'HI' in suffixes else '%s << %s' % (low, by))]


@means('POPC')
def popc(suffixes, a):
    return [to(a[0], "bin(%s).count('1')" % source(a[1]))]


@means('BREV')
def brev(suffixes, a):
    return [to(a[0], "int('{:032b}'.format(%s)[::-1], 2)" % source(a[1]))]


@means('FLO')
def flo(suffixes, a):
    if 'U32' not in suffixes:
        raise Unknown('FLO of a sign')
    return ['x = ' + source(a[1]), to(a[0], 'MASK if x == 0 else '
                                      + ('32 - x.bit_length()' if 'SH' in suffixes else 'x.bit_length() - 1'))]


@means('IABS')
def iabs(suffixes, a):
    return [to(a[0], 'abs(s32(%s))' % source(a[1]))]


COMPARE = {'LT': '<', 'LE': '<=', 'GT': '>', 'GE': '>=', 'EQ': '==', 'NE': '!='}


def said_of(suffixes, a, compared):
    joined = {'AND': '%s and r', 'OR': '%s or r', 'XOR': '%s != r'}[[s for s in suffixes if s in ('AND', 'OR', 'XOR')][0]]
    return ['q = bool(%s)' % compared, 'r = ' + truth(a[4]), say(a[0], joined % 'q'), say(a[1], joined % '(not q)')]


@means('ISETP')
def isetp(suffixes, a):
    x, y = source(a[2]), source(a[3])
    if 'U32' not in suffixes:
        x, y = signed(x), signed(y)
    c = COMPARE[suffixes[0]]
    compared = 'x %s y' % c
    if 'EX' in suffixes:                # the upper words; a[5] is what the lower ones gave
        compared = {'==': 'x == y and %s', '!=': 'x != y or %s'}.get(c, 'x %s y or x == y and %%s' % c[0]) % truth(a[5])
    return ['x, y = %s, %s' % (x, y)] + said_of(suffixes, a, compared)


# -- floats ----------------------------------------------------------------------------------------------------------------------
def compare_floats(bits):
    def made(suffixes, a):
        x, y = ['float%d(%s)' % (bits, source(v, bits == 64, bits)) for v in a[2:4]]
        c = COMPARE.get(suffixes[0][:2])
        if not c and suffixes[0] not in ('NAN', 'NUM'):
            raise Unknown('SETP.' + suffixes[0])
        compared = {'NAN': 'n', 'NUM': 'not n'}.get(
            suffixes[0], 'n or x %s y' % c if suffixes[0][2:] == 'U' else 'not n and x %s y' % c)
        return ['x, y = %s, %s' % (x, y), 'n = x != x or y != y'] + said_of(suffixes, a, compared)
    return made


MEANINGS['DSETP'], MEANINGS['FSETP'] = compare_floats(64), compare_floats(32)


@means('DFMA')
def dfma(suffixes, a):
    return [to(a[0], 'fused(%s, %s, %s, %r)' % (*(source(x, True, 64) for x in a[1:4]), rounding(suffixes)), 2)]


@means('DADD')
def dadd(suffixes, a):
    x, y = (source(v, True, 64) for v in a[1:3])
    return [to(a[0], 'bits64(float64(%s) + float64(%s))' % (x, y) if not rounding(suffixes)
               else 'fused(%s, bits64(1.0), %s, %r)' % (x, y, rounding(suffixes)), 2)]


@means('DMUL')
def dmul(suffixes, a):
    x, y = (source(v, True, 64) for v in a[1:3])
    return [to(a[0], 'bits64(float64(%s) * float64(%s))' % (x, y) if not rounding(suffixes)
               else 'fused(%s, %s, bits64(-0.0), %r)' % (x, y, rounding(suffixes)), 2)]


def rounding(suffixes):
    return ([s for s in suffixes if s in ('RP', 'RM', 'RZ')] + [''])[0]


@means('FFMA')
def ffma(suffixes, a):
    return [to(a[0], 'bits32(float32(%s) * float32(%s) + float32(%s))' % tuple(source(x, float_bits=32) for x in a[1:4]))]


@means('HFMA2')                         # how constants are loaded
def hfma2(suffixes, a):
    if a[1].lstrip('-') != 'RZ' or a[2] != 'RZ':
        raise Unknown('HFMA2')
    high, low = (struct.unpack('<H', struct.pack('<e', float(x)))[0] for x in a[3:5])
    return [to(a[0], str(high << 16 | low))]


@means('MUFU')
def mufu(suffixes, a):
    name = {'RCP': 'mufu_rcp', 'RCP64H': 'mufu_rcp64h', 'RSQ64H': 'mufu_rsq64h'}.get(suffixes[0])
    if not name:
        raise Unknown('MUFU.' + suffixes[0])
    if name != 'mufu_rcp' and not is_register(a[1].strip('-|')):        # the upper word of a number
        return [to(a[0], '%s(%s >> 32)' % (name, source(a[1], True, 64)))]
    return [to(a[0], '%s(%s)' % (name, source(a[1], float_bits=32)))]


@means('I2F')
def i2f(suffixes, a):
    wide = 'S64' in suffixes or 'U64' in suffixes
    x = source(a[1], wide)
    if not ('U64' in suffixes or 'U32' in suffixes):
        x = signed(x, 64 if wide else 32)
    if 'F64' in suffixes:
        return [to(a[0], 'bits64(float(%s))' % x, 2)]
    if 'RP' not in suffixes:
        raise Unknown('I2F')
    return [to(a[0], 'float32_up(%s)' % x)]


@means('F2I')
def f2i(suffixes, a):
    x = 'float64(%s)' % source(a[1], True, 64) if 'F64' in suffixes else 'float32(%s)' % source(a[1], float_bits=32)
    least, most, words = (0, MASK, 1) if 'U32' in suffixes else (0, MASK64, 2) if 'U64' in suffixes else \
        (-(1 << 63), (1 << 63) - 1, 2) if 'S64' in suffixes else (-(1 << 31), (1 << 31) - 1, 1)
    return [to(a[0], 'whole(%s, %d, %d, %r) & MASK64' % (x, least, most, way(suffixes)), words)]


@means('FRND')
def frnd(suffixes, a):
    return [to(a[0], 'rounded(%s, %r)' % (source(a[1], True, 64), way(suffixes)), 2)]


def way(suffixes):
    return ([s for s in suffixes if s in WHOLE] + [''])[0]


# -- memory ----------------------------------------------------------------------------------------------------------------------
def width(suffixes):
    return next((n for s, n in (('128', 16), ('64', 8), ('S64', 8), ('U16', 2), ('S16', 2), ('U8', 1), ('S8', 1))
                 if s in suffixes), 4)


def address(x, generic):
    terms = []
    for q in re.sub(r'^desc\[UR\d+\]', '', x)[1:-1].replace('+-', '+~').split('+'):
        m = re.match(r'(U?R(?:\d+|Z))(?:\.64|\.U32)?$', q)
        terms.append(source(m.group(1), generic and '.U32' not in q) if m else str(int(q.replace('~', '-'), 0)))
    return '(%s) & %s' % (' + '.join(terms), 'MASK64' if generic else '0xFFFFFF')


def space(name):
    """Statements that find the memory, m, and the place there, a, of address a."""
    if name.endswith('S'):
        return 'm = S'
    if name.endswith('L'):
        return 'm, a = t.near(), a & 0xFFFF'
    return 'm, a = block.space(t, a)'


def load(name):
    def made(suffixes, a):
        n = width(suffixes)
        value = 'm.load(a, %d)' % n
        if 'S8' in suffixes or 'S16' in suffixes:
            value = '(%s ^ %d) - %d' % (value, 1 << 8 * n - 1, 1 << 8 * n - 1)
        return ['a = ' + address(a[1], name in ('LD', 'LDG')), space(name), to(a[0], value, max(n // 4, 1)) or value]
    return made


def store(name):
    def made(suffixes, a):
        n = width(suffixes)
        register = re.match(r'R(\d+)$', a[1])
        value = ' | '.join('R[%d] << %d' % (int(register.group(1)) + k, 32 * k) for k in range(4)) if n == 16 and register \
            else source(a[1], n == 8)
        return ['a = ' + address(a[0], name in ('ST', 'STG')), space(name), 'm.store(a, %d, %s)' % (n, value)]
    return made


for letter in ('', 'G', 'S', 'L'):
    MEANINGS['LD' + letter], MEANINGS['ST' + letter] = load('LD' + letter), store('ST' + letter)

CHANGES = {'ADD': 'old + x', 'MIN': 'min(x, old%s)', 'MAX': 'max(x, old%s)', 'EXCH': 'x', 'OR': 'old | x', 'AND': 'old & x',
           'CAS': 'y if old == x else old', 'CAST': 'y if old == x else old'}


def atomic(name):
    def made(suffixes, a):
        n = 8 if '64' in suffixes or 'S64' in suffixes else 4
        done = predicates(a)
        old = None if name == 'RED' or name == 'REDG' else a.pop(0)
        key = ', key=s%d' % (8 * n) if 'S64' in suffixes or 'S32' in suffixes else ''
        change = next(CHANGES[s] for s in suffixes if s in CHANGES)
        lines = ['a = ' + address(a[0], name != 'ATOMS'), space(name), 'old, x = m.load(a, %d), %s' % (n, source(a[1], n == 8))]
        if len(a) > 2:
            lines.append('y = ' + source(a[2], n == 8))
        lines += ['m.store(a, %d, %s)' % (n, change % key if '%s' in change else change)]
        if old:
            lines.append(to(old, 'old', n // 4))
        if name == 'ATOM':              # not done in shared memory: the program looks where it is, and does it by ATOMS
            told = done[0] if done else 'PT'
            lines[1:] = ['if a >> 32 in (SHARED, LOCAL):', ' ' + (say(told, 'False') or 'pass'), 'else:'] + [
                ' ' + line for line in lines[1:] + [say(told, 'True')] if line]
        elif done:
            lines.append(say(done[0], 'old == x'))
        return lines
    return made


for name in ('ATOM', 'ATOMG', 'ATOMS', 'RED', 'REDG'):
    MEANINGS[name] = atomic(name)


@means('QSPC')
def qspc(suffixes, a):
    return [say(a[0], '(%s) >> 32 == SHARED' % address(a[-1], True))]
