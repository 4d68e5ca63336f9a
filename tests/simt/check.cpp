/* check.cpp: every load and store of the program, where it was compiled with -fsanitize=thread.
 *
 * How  An access must be in a region, of the device or of the thread's block, and what is read must have been written.
 *      Two accesses of a cell by two threads, one of them a write and one of them no atomic, must be ordered: the later
 *      thread must know of the earlier one's past, by a barrier of the block or the warp, or by a release and an acquire
 *      (a fence and an atomic access) in between.  Shuffles and ballots order nothing, as in CUDA.  A cell remembers its
 *      last write and two reads, so some races are seen only in some schedules.
 *
 *      Happened-before: Lamport, CACM 21(7), 1978, with vector clocks whose entries are whole blocks and warps where they
 *      can be. */
#include "machine.h"
#include <algorithm>
#include <cstdio>
#include <unordered_map>

/* -- knowledge ---------------------------------------------------------------------------------------- */
/* Entries of a clock: block id, then 0 for all of it, 1 + w for warp w, 64 + t for thread t. */
static u64
of_block(u32 block)
{
	return (u64)block << 16;
}

static u64
of_warp(u32 block, int thread)
{
	return of_block(block) + 1 + (u64)(thread / LANES);
}

static u64
of_thread(u32 block, int thread)
{
	return of_block(block) + 64 + (u64)thread;
}

static Time
time_of(const Clock &c, u64 whose)
{
	auto i = std::lower_bound(c.begin(), c.end(), std::make_pair(whose, (Time)0));

	return i != c.end() && i->first == whose ? i->second : 0;
}

/* a and b */
static Known
join(const Known &a, const Known &b)
{
	Clock c;

	if (!b || a == b)
		return a;
	if (!a)
		return b;
	c.reserve(a->size() + b->size());
	for (auto x = a->begin(), y = b->begin(); x != a->end() || y != b->end(); )
		if (y == b->end() || (x != a->end() && x->first < y->first)) {
			c.push_back(*x++);
		} else if (x == a->end() || y->first < x->first) {
			c.push_back(*y++);
		} else {
			c.push_back({x->first, std::max(x->second, y->second)});
			x++, y++;
		}
	return std::make_shared<const Clock>(std::move(c));
}

/* k, and everything up to now of these, `past` entries from there on being older. */
static Known
with_all_of(const Known &k, u64 whose, u64 past)
{
	Clock c = k ? *k : Clock();
	auto from = std::lower_bound(c.begin(), c.end(), std::make_pair(whose, (Time)0));
	auto to = std::lower_bound(from, c.end(), std::make_pair(whose + past, (Time)0));

	from = c.erase(from, to);
	c.insert(from, {whose, machine.now});
	return std::make_shared<const Clock>(std::move(c));
}

void
known_barrier(Block *b)
{
	Known k;

	if (!machine.checks)
		return;
	for (const Fiber *f : b->fiber)
		k = join(k, f->known);
	b->barrier = ++machine.now;
	k = with_all_of(k, of_block(b->id), (u64)1 << 16);
	for (Fiber *f : b->fiber)
		f->known = k;
}

void
known_warp(Fiber *const *lane, unsigned mask, bool all)
{
	const u32 block = lane[0]->block->id;
	Known k;

	if (!machine.checks)
		return;
	++machine.now;
	for (int i = 0; i < LANES; i++)
		if (mask >> i & 1)
			k = join(k, lane[i]->known);
	for (int i = 0; i < LANES; i++)
		if (mask >> i & 1 && (!all || i == 0))
			k = with_all_of(k, all ? of_warp(block, lane[0]->thread) : of_thread(block, lane[i]->thread), 1);
	for (int i = 0; i < LANES; i++)
		if (mask >> i & 1)
			lane[i]->known = k;
}

/* What f and those it knows of did up to now. */
static Known
everything(const Fiber *f)
{
	++machine.now;
	return with_all_of(f->known, of_thread(f->block->id, f->thread), 1);
}

void
__threadfence()
{
	Fiber *f = machine.current;

	if (!machine.checks)
		return;
	f->known = join(f->known, f->heard);
	f->heard = Known();
	f->fenced = everything(f);
}

static bool
knows(const Fiber *f, const Event &e)
{
	const u32 who = e.who - 1, block = who / machine.threads;
	const int thread = (int)(who % machine.threads);

	if (e.who == 0 || e.when < machine.launched)
		return true;
	if (block == f->block->id && (thread == f->thread || e.when < f->block->barrier))
		return true;
	return f->known && (e.when < time_of(*f->known, of_block(block)) || e.when < time_of(*f->known, of_warp(block, thread))
		|| e.when < time_of(*f->known, of_thread(block, thread)));
}

/* -- races ---------------------------------------------------------------------------------------------- */
struct Access {
	const char *at;
	unsigned n;
	bool write, atomic;
	const void *pc;         /* NULL: `site` tells */
	Site site;
};

static const char *
kind_of(bool write, bool atomic)
{
	return atomic ? "an atomic access" : write ? "a write" : "a read";
}

__attribute__((noreturn)) static void
tell_race(const Access &a, const Region *r, size_t offset, const Event &e, bool wrote)
{
	char where[300] = "";

	if (!a.pc)
		snprintf(where, sizeof where, " at %s:%d", a.site.file, a.site.line);
	machine_fault(a.pc, "race: %s%s of byte %zu of %zu bytes of %s memory, and %s by block %u, thread %u",
		kind_of(a.write, a.atomic), where, offset, r->n, r->shared ? "shared" : "global", kind_of(wrote, e.atomic),
		(e.who - 1) / machine.threads, (e.who - 1) % machine.threads);
}

static void
race_with(const Access &a, const Region *r, size_t offset, const Event &e, bool wrote)
{
	if ((a.write || wrote) && !(a.atomic && e.atomic) && !knows(machine.current, e))
		tell_race(a, r, offset, e, wrote);
}

static void
check_cell(Cell &c, const Access &a, const Region *r, size_t offset)
{
	Fiber *f = machine.current;
	const Event now = {f->block->id * machine.threads + (u32)f->thread + 1, machine.now, a.atomic};

	race_with(a, r, offset, c.write, true);
	if (a.write) {
		race_with(a, r, offset, c.read[0], false);
		race_with(a, r, offset, c.read[1], false);
		c.write = now;
	} else {
		/* in place of a read that this one knows of, else of any */
		const int i = c.read[0].who == now.who || knows(f, c.read[0]) ? 0
			: c.read[1].who == now.who || knows(f, c.read[1]) ? 1 : (int)machine_random(2);
		c.read[i] = now;
	}
}

/* Cells of `grain` bytes, each with the past of the larger one that it was part of. */
static void
cut_cells(Region *r, size_t grain)
{
	std::vector<Cell> cell((r->n + grain - 1) / grain);

	for (size_t i = 0; r->grain && i < cell.size(); i++)
		cell[i] = r->cell[i * grain / r->grain];
	r->cell.swap(cell);
	r->grain = grain;
}

static void
check_races(const Access &a, Region *r, size_t offset)
{
	const size_t grain = std::min(8u, a.n & -a.n), unit = offset % grain ? 1 : grain;

	if (!r->grain || unit < r->grain)
		cut_cells(r, unit);
	for (size_t i = offset / r->grain; i * r->grain < offset + a.n; i++)
		check_cell(r->cell[i], a, r, i * r->grain);
}

/* -- accesses --------------------------------------------------------------------------------------------- */
__attribute__((noreturn)) static void
tell_outside(const Access &a, const char *what)
{
	enum { NEAR = 4096 };
	const Region *r = region_near(a.at);
	char where[300] = "";

	if (!a.pc)
		snprintf(where, sizeof where, " at %s:%d", a.site.file, a.site.line);
	if (r && a.at < r->at + r->n + NEAR)
		machine_fault(a.pc, "%s of %u bytes%s %s; %td bytes from the start of %zu of %s memory%s", kind_of(a.write, a.atomic),
			a.n, where, what, a.at - r->at, r->n, r->shared ? "shared" : "global", r->freed ? " that was freed" : "");
	machine_fault(a.pc, "%s of %u bytes%s %s", kind_of(a.write, a.atomic), a.n, where, what);
}

static void
check_aligned(const Access &a)
{
	if ((uintptr_t)a.at % a.n)
		tell_outside(a, "that is not aligned");
}

/* A load or store of a kernel. */
static void
check_access(const Access &a)
{
	Fiber *f = machine.current;
	Region *r = region_of(a.at, a.n);
	size_t offset;

	if (!r)
		tell_outside(a, "outside of the device's memory");
	if (r->freed)
		tell_outside(a, "of freed memory");
	if (r->shared && std::none_of(f->block->shared.begin(), f->block->shared.end(),
			[r](const Shared &s) { return s.at == r->at; }))
		tell_outside(a, "of another block's memory");
	offset = (size_t)(a.at - r->at);
	for (size_t i = offset; i < offset + a.n; i++)
		if (a.write)
			(r->pinned ? r->late : r->written)[i] = true;
		else if (!r->written[i])
			tell_outside(a, "of memory that was never written");
	check_races(a, r, offset);
	if (a.pc)
		count_access(f, a.pc, r, offset, a.n);
}

static bool
in(const void *p, const void *from, size_t n)
{
	return (const char *)p >= (const char *)from && (const char *)p < (const char *)from + n;
}

/* A thread's own stack, its arguments, constants of the program. */
static bool
is_private(const Fiber *f, const char *at, bool write)
{
	extern const char __executable_start, __data_start;

	return in(at, f->stack, machine.stack + 4096)
		|| (!write && (in(at, machine.call, machine.ncall)
			|| in(at, &__executable_start, (size_t)(&__data_start - &__executable_start))));
}

static void
access(const void *at, unsigned n, bool write, const void *pc, bool atomic = false)
{
	const Access a = {(const char *)at, n, write, atomic, pc, {}};
	const Fiber *f = machine.current;

	if (!f) {
		const Region *r = region_of(at, 1);

		if (r && !r->shared && !r->pinned)
			machine_fault(pc, "the host %s memory of the device", write ? "writes" : "reads");
		return;
	}
	if (is_private(f, a.at, write))
		return;
	check_access(a);
	if (machine.preempt && machine_random((u64)machine.preempt) == 0)
		machine_leave();
}

/* An access that the compiler takes for aligned; of 16 bytes it may be of a struct, whose members are smaller. */
static void
access_aligned(const void *at, unsigned n, bool write, const void *pc)
{
	access(at, n, write, pc);
	if (machine.current && n <= 8)
		check_aligned({(const char *)at, n, write, false, pc, {}});
}

void
simt_aligned(const void *at, size_t n)
{
	check_aligned({(const char *)at, (unsigned)n, false, false, __builtin_return_address(0), {}});
}

/* -- atomics ------------------------------------------------------------------------------------------------- */
void
simt_any(const void *at, size_t n)
{
	if (machine.checks)
		access(at, (unsigned)n, true, __builtin_return_address(0), true);
}

static std::unordered_map<const void *, std::pair<Time, Known>> published;      /* at an address, since when */

static bool
is_shared(const void *at, size_t n)
{
	const Region *r = region_of(at, n);

	return r && r->shared;
}

void
simt_atomic(const void *at, size_t n, int kind, const char *file, int line)
{
	Fiber *f = machine.current;
	const Access a = {(const char *)at, (unsigned)n, (kind & SIMT_STORE) != 0, true, NULL, {file, line}};

	/* before what is heard is taken over: between that and the access nobody may come */
	if (machine.preempt && machine_random((u64)machine.preempt) == 0)
		machine_leave();
	if (!(kind & SIMT_LOAD))        /* others may be how a thread waits */
		machine.progress++;
	machine.count[SIMT_ATOMICS] += !is_shared(at, n);
	if (!machine.checks)
		return;
	f->site = a.site;
	if (kind & SIMT_LOAD && kind & SIMT_STORE) {
		const Access load = {a.at, a.n, false, true, NULL, a.site};

		check_access(load);
	}
	check_access(a);
	check_aligned(a);
	auto &p = published[at];
	if (p.first < machine.launched)
		p = {machine.now, Known()};
	if (kind & SIMT_LOAD && kind & SIMT_ACQUIRE)
		f->known = join(f->known, p.second);
	else if (kind & SIMT_LOAD)
		f->heard = join(f->heard, p.second);
	if (kind & SIMT_STORE) {
		const Known mine = kind & SIMT_RELEASE ? everything(f) : f->fenced;

		p.second = kind & SIMT_LOAD ? join(p.second, mine) : mine;
	}
}

/* -- what the compiler calls ------------------------------------------------------------------------------------ */
#define HERE __builtin_return_address(0)
#define ACCESSES(n) \
	extern "C" void __tsan_read##n(void *p) { access_aligned(p, n, false, HERE); } \
	extern "C" void __tsan_write##n(void *p) { access_aligned(p, n, true, HERE); } \
	extern "C" void __tsan_unaligned_read##n(void *p) { access(p, n, false, HERE); } \
	extern "C" void __tsan_unaligned_write##n(void *p) { access(p, n, true, HERE); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

/* n may be 0. */
static void
access_range(const void *at, size_t n, bool write, const void *pc)
{
	if (n)
		access(at, (unsigned)n, write, pc);
}

extern "C" void __tsan_read_range(void *p, size_t n) { access_range(p, n, false, HERE); }
extern "C" void __tsan_write_range(void *p, size_t n) { access_range(p, n, true, HERE); }

extern "C" void *
__tsan_memmove(void *to, const void *from, size_t n)
{
	access_range(from, n, false, HERE);
	access_range(to, n, true, HERE);
	return memmove(to, from, n);
}

extern "C" void *
__tsan_memcpy(void *to, const void *from, size_t n)
{
	access_range(from, n, false, HERE);
	access_range(to, n, true, HERE);
	return memcpy(to, from, n);
}

extern "C" void *
__tsan_memset(void *to, int byte, size_t n)
{
	access_range(to, n, true, HERE);
	return memset(to, byte, n);
}

extern "C" void __tsan_vptr_read(void *) {}
extern "C" void __tsan_vptr_update(void *, void *) {}
extern "C" void __tsan_func_entry(void *) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_init() { machine.checks = true; }
