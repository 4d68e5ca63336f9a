"""A multiprocessor that runs one block at a time: warps, where their threads part and meet, and memory.

Threads of a warp that are at one place are a group.  A branch that not all take makes two of it; they are one again at the
BSYNC whose BSSY both have passed, at a WARPSYNC, and for the length of a collective.  Nothing else lets them meet, as on a
device, so a vote or a shuffle that not all lanes have come to has what it has there: other lanes' values are not to be had.
"""
import bisect

from meaning import LOCAL, SHARED, UNIFORM, translated

SHARED_BYTES, LOCAL_BYTES = 0x400 + (50 << 10), 0x8000
MOST_STEPS = 20000000                   # of threads, in a block that goes on for ever
SHARE = 4000                            # steps of a warp before the next has its turn


class Wrong(Exception):
    """What no right kernel does."""


class Memory:
    """Of the device: regions apart from each other."""

    def __init__(self):
        self.begins, self.bytes, self.last = [], [], 0

    def add(self, at, data):
        k = bisect.bisect(self.begins, at)
        self.begins.insert(k, at)
        self.bytes.insert(k, bytearray(data))

    def find(self, at, n):
        """The region that holds n bytes, and where in it they are."""
        k = self.last
        if k >= len(self.begins) or not self.begins[k] <= at <= self.begins[k] + len(self.bytes[k]) - n:
            k = bisect.bisect_right(self.begins, at) - 1
            if k < 0 or at + n > self.begins[k] + len(self.bytes[k]):
                raise Wrong('%d bytes at %x are in no region' % (n, at))
            self.last = k
        return self.bytes[k], at - self.begins[k]

    def load(self, at, n):
        data, i = self.find(at, n)
        return int.from_bytes(data[i:i + n], 'little')

    def store(self, at, n, x):
        data, i = self.find(at, n)
        data[i:i + n] = (x & ((1 << 8 * n) - 1)).to_bytes(n, 'little')


class Near:
    """Shared memory, or a thread's own.  What nobody has written is `fill`; that may be read, as what is not used may be
    loaded, too."""

    def __init__(self, n, fill):
        self.bytes, self.written, self.doubted = bytearray([fill]) * n, bytearray(n), False

    def check(self, at, n):
        if at + n > len(self.bytes):
            raise Wrong('shared or local memory has no byte %x' % at)

    def load(self, at, n):
        self.check(at, n)
        self.doubted = self.doubted or 0 in self.written[at:at + n]
        return int.from_bytes(self.bytes[at:at + n], 'little')

    def store(self, at, n, x):
        self.check(at, n)
        self.bytes[at:at + n] = (x & ((1 << 8 * n) - 1)).to_bytes(n, 'little')
        self.written[at:at + n] = b'\1' * n


class Thread:
    __slots__ = ('number', 'lane', 'R', 'P', 'own', 'out')

    def __init__(self, number):
        self.number, self.lane, self.out = number, number & 31, False
        self.R, self.P = [0xDEAD0000 + k for k in range(256)], [False] * 7
        self.own = None

    def near(self):
        if self.own is None:
            self.own = Near(LOCAL_BYTES, 0)
        return self.own


RUNS, AT_BARRIER, WAITS, COLLECTS = range(4)


class Group:
    __slots__ = ('at', 'threads', 'barriers', 'state', 'needs', 'apart')

    def __init__(self, at, threads, barriers):
        self.at, self.threads, self.barriers = at, threads, dict(barriers)
        self.state, self.needs = RUNS, None
        self.apart = None               # in a collective: the groups that it is made of


class Warp:
    def __init__(self, first):
        self.threads = [Thread(first + i) for i in range(32)]
        self.groups = [Group(0, self.threads[:], {})]
        self.U, self.UP = [0] * 64, [False] * 8


class Block:
    """Block `number` of a kernel's grid; constants: bank 0; memory: the device's; fill: see Near."""

    def __init__(self, kernel, constants, memory, number, fill, threads=256):
        self.kernel, self.constants, self.memory, self.number = kernel, constants, memory, number
        self.shared, self.steps = Near(SHARED_BYTES, fill), 0
        self.warps = [Warp(first) for first in range(0, threads, 32)]

    # -- what translated instructions call ----------------------------------------------------------------------------
    def constant(self, at, n):
        return int.from_bytes(self.constants[at:at + n], 'little')

    def space(self, thread, at):
        """Whose memory a generic address is in, and where there."""
        if at >> 32 == SHARED:
            return self.shared, at & 0xFFFFFF
        if at >> 32 == LOCAL:
            return thread.near(), at & 0xFFFF
        return self.memory, at

    # -- running ------------------------------------------------------------------------------------------------------
    def run(self):
        while True:
            moved = False
            for warp in self.warps:
                moved = self.run_warp(warp) or moved
            groups = [g for warp in self.warps for g in warp.groups]
            if not groups:
                return
            if all(g.state == AT_BARRIER for g in groups):
                for g in groups:
                    g.state, g.at = RUNS, g.at + 16
            elif not moved:
                raise Wrong('a deadlock, at ' + ', '.join('%x' % g.at for g in groups))
            if self.steps > MOST_STEPS:
                raise Wrong('no end')

    def run_warp(self, warp):
        steps = 0
        while steps < SHARE:
            g = min((g for g in warp.groups if g.state == RUNS), key=lambda g: g.at, default=None)
            if g is None:
                return steps > 0
            steps += 1
            while self.step(warp, g) and len(warp.groups) == 1 and steps < SHARE:
                steps += 1
        return True

    def step(self, warp, g):
        """One instruction of group g; false if others may be first now."""
        i = self.kernel.instructions[g.at >> 4]
        self.steps += len(g.threads)
        active = g.threads
        if i.guard and i.guard.lstrip('!') not in ('PT', 'UPT'):
            active = self.chosen(warp, active, i.guard)
        special = SPECIAL.get(i.name)
        if special:
            return special(self, warp, g, active, i)
        if i.run is None:
            i.run = translated(i)
        if active:
            if i.name == 'R2UR' and len({t.R[int(i.operands[1][1:])] for t in active if i.operands[1] != 'RZ'}) > 1:
                raise Wrong('one register of the warp for values that differ')
            i.run(self, active[:1] if i.name in UNIFORM else active, warp)
        g.at += 16
        return True

    @staticmethod
    def chosen(warp, threads, predicate):
        wanted, name = predicate[0] != '!', predicate.lstrip('!')
        if name in ('PT', 'UPT'):
            return threads if wanted else []
        if name[0] == 'U':
            return threads if warp.UP[int(name[2:])] == wanted else []
        k = int(name[1:])
        return [t for t in threads if t.P[k] == wanted]

    # -- parting and meeting --------------------------------------------------------------------------------------------
    @staticmethod
    def part(warp, g, leaving, at):
        """Those who leave go on at `at`, the others behind the branch."""
        if len(leaving) == len(g.threads):
            g.at = at
            return True
        g.at += 16
        if not leaving:
            return True
        gone = set(leaving)
        g.threads = [t for t in g.threads if t not in gone]
        warp.groups.append(Group(at, leaving, g.barriers))
        return False

    def branch(self, warp, g, active, i):
        operands = i.operands
        if 'DIV' in i.suffixes:         # to where a collective waits for the others
            live = sum(not t.out for t in warp.threads)
            return self.part(warp, g, g.threads if len(g.threads) != live else [], self.kernel.target(operands[-1]))
        if len(operands) > 1:
            active = self.chosen(warp, active, operands[0])
        if 'U' in i.suffixes and len(active) != len(g.threads):
            active = []
        return self.part(warp, g, active, self.kernel.target(operands[-1]))

    def call(self, warp, g, active, i):
        return self.part(warp, g, active, self.kernel.target(i.operands[-1]))

    def ret(self, warp, g, active, i):
        register, to = int(i.operands[0].split()[0][1:]), {}
        for t in g.threads:
            to.setdefault(t.R[register] if t in active else g.at + 16, []).append(t)
        warp.groups.remove(g)
        warp.groups += [Group(at, threads, g.barriers) for at, threads in to.items()]
        return False

    def bssy(self, warp, g, active, i):
        g.barriers[i.operands[0]] = frozenset(g.threads)
        g.at += 16
        return True

    def bsync(self, warp, g, active, i):
        if i.name == 'BSYNC':
            g.needs = g.barriers[i.operands[0]]
        elif i.suffixes == ['ALL']:
            g.needs = frozenset(warp.threads)
        else:
            g.needs = self.lanes(warp, g.threads[0].R[int(i.operands[0][1:])])
        if i.suffixes == ['COLLECTIVE']:
            g.state = COLLECTS
            here = [h for h in warp.groups if h.state == COLLECTS and h.at == g.at]
            if {t for t in g.needs if not t.out} <= {t for h in here for t in h.threads}:
                self.join(warp, here).apart = here
                for h in here:
                    h.at, h.state = self.kernel.target(i.operands[1]), RUNS
            return False
        g.state = WAITS
        self.meet(warp)
        return False

    @staticmethod
    def lanes(warp, mask):
        return frozenset(t for t in warp.threads if mask >> t.lane & 1)

    @staticmethod
    def join(warp, groups):
        joined = Group(groups[0].at + 16, sorted((t for h in groups for t in h.threads), key=lambda t: t.lane),
                       groups[0].barriers)
        warp.groups = [h for h in warp.groups if h not in groups] + [joined]
        return joined

    def meet(self, warp):
        for g in list(warp.groups):
            if g in warp.groups and g.state == WAITS:
                here = [h for h in warp.groups if h.state == WAITS and h.at == g.at and h.needs == g.needs]
                if {t for t in g.needs if not t.out} <= {t for h in here for t in h.threads}:
                    self.join(warp, here)

    def end_collective(self, warp, g, active, i):
        warp.groups = [h for h in warp.groups if h is not g] + g.apart
        return False

    def leave_barrier(self, warp, g, active, i):        # BREAK
        name = i.operands[-1]
        of = g.barriers[name]           # in another call the name is another barrier's
        for h in warp.groups:
            if h.barriers.get(name) == of:
                h.barriers[name] = of - set(active)
            if h.state == WAITS and h.needs == of:
                h.needs = of - set(active)
        g.at += 16
        self.meet(warp)
        return False

    def move_barrier(self, warp, g, active, i):         # BMOV: who takes part is kept as a mask
        to, of = i.operands
        if to[0] == 'B':
            g.barriers[to] = self.lanes(warp, g.threads[0].R[int(of[1:])])
        else:
            for t in active:
                t.R[int(to[1:])] = sum(1 << u.lane for u in g.barriers.get(of, ()))
        g.at += 16
        return True

    def leave(self, warp, g, active, i):                # EXIT
        for t in active:
            t.out = True
        g.threads = [t for t in g.threads if not t.out]
        g.at += 16
        if not g.threads:
            warp.groups.remove(g)
        self.meet(warp)
        return False

    def barrier(self, warp, g, active, i):
        g.state = AT_BARRIER
        return False

    # -- of all lanes -----------------------------------------------------------------------------------------------------
    def vote(self, warp, g, active, i):
        yes = set(self.chosen(warp, active, i.operands[-1]))
        mask = sum(1 << t.lane for t in yes)
        all_or_any = len(yes) == len(active) if 'ALL' in i.suffixes else bool(yes)
        for to in i.operands[:-1]:
            if to in ('PT', 'UPT', 'RZ', 'URZ'):
                continue
            if to[0] == 'U':
                where, x = (warp.UP, all_or_any) if to[1] == 'P' else (warp.U, mask)
                where[int(to[2:])] = x
                continue
            for t in active:
                where, x = (t.P, all_or_any) if to[0] == 'P' else (t.R, mask)
                where[int(to[1:])] = x
        g.at += 16
        return True

    def shuffle(self, warp, g, active, i):
        inside, to, of, by, bounds = i.operands
        value = lambda t, x: 0 if x == 'RZ' else t.R[int(x[1:])] if x[0] == 'R' else int(x, 0)
        given = {t.lane: value(t, of) for t in active}
        got = []
        for t in active:
            n, b = value(t, by) & 31, value(t, bounds)
            segment, clamp = b >> 8 & 31, b & 31
            least = t.lane & segment
            most = least | clamp & ~segment
            lane = {'UP': t.lane - n, 'DOWN': t.lane + n, 'BFLY': t.lane ^ n, 'IDX': least | n & ~segment}[i.suffixes[0]]
            is_inside = lane >= most if i.suffixes[0] == 'UP' else lane <= most
            if not is_inside:
                lane = t.lane
            if lane not in given:
                raise Wrong('a shuffle from lane %d, which is not there' % lane)
            got.append((t, given[lane], is_inside))
        for t, x, is_inside in got:
            if to != 'RZ':
                t.R[int(to[1:])] = x
            if inside != 'PT':
                t.P[int(inside[1:])] = is_inside
        g.at += 16
        return True

    def nothing(self, warp, g, active, i):
        g.at += 16
        return True


SPECIAL = {
    'BRA': Block.branch, 'CALL': Block.call, 'RET': Block.ret, 'EXIT': Block.leave, 'BAR': Block.barrier,
    'BSSY': Block.bssy, 'BSYNC': Block.bsync, 'WARPSYNC': Block.bsync, 'ENDCOLLECTIVE': Block.end_collective,
    'BREAK': Block.leave_barrier, 'BMOV': Block.move_barrier, 'VOTE': Block.vote, 'VOTEU': Block.vote, 'SHFL': Block.shuffle,
}
for name in ('NOP', 'YIELD', 'ERRBAR', 'CGAERRBAR', 'MEMBAR', 'CCTL'):
    SPECIAL[name] = Block.nothing
