/* simt.cpp: blocks and threads take turns.
 *
 * How  A thread runs until it waits: at a barrier, in a warp operation for the other lanes, or in a poll.  Some blocks
 *      are in flight at once; with a seed, blocks start in any order, threads run in any order, a block may be left while
 *      its threads could go on, and a thread at any access, so that blocks meet each other in every state. */
#include "machine.h"
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum { HOP = 64, LAG = 4, PATIENCE = 10000, GUARD = 4096 };

Machine machine = {};           /* a constant: accesses and constructors come before main */

__attribute__((constructor)) static void
take_seed()
{
	static const int window[] = {1, 4, 40, 2}, preempt[] = {20, 100, 0};
	const char *seed = getenv("SIMT_SEED");

	machine.seed = seed ? strtoull(seed, NULL, 10) : 0;
	machine.random = machine.seed;
	if (machine.seed == 0)
		return;
	machine.window = window[(machine.seed - 1) % 4];
	machine.preempt = preempt[(machine.seed - 1) % 3];
}

u64
machine_random(u64 n)
{
	u64 x = machine.random += 0x9e3779b97f4a7c15;   /* splitmix64 */

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (x ^ x >> 31) % n;
}

template<class T>
static void
shuffle(std::vector<T> &v)
{
	for (size_t i = v.size(); i > 1; i--)
		std::swap(v[i - 1], v[machine_random(i)]);
}

/* -- messages ------------------------------------------------------------------------------------- */
/* Functions and lines that pc stands in, the innermost first. */
static void
print_place(const void *pc)
{
	extern const char __executable_start;
	char exe[1000], command[1200];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	exe[n > 0 ? n : 0] = 0;
	snprintf(command, sizeof command, "addr2line -C -f -i -p -e '%s' 0x%zx 2>/dev/null | "
		"sed 's/ (discriminator [0-9]*)//; s/(inlined by) //; s/^ */  in /' >&2", exe,
		(size_t)((const char *)pc - 1 - &__executable_start));
	if (system(command) != 0)
		fprintf(stderr, "  at %p\n", pc);
}

void
machine_fault(const void *pc, const char *fmt, ...)
{
	const Fiber *f = machine.current;
	va_list ap;

	fflush(stdout);
	fputs("simt: ", stderr);
	if (f)
		fprintf(stderr, "%s: block %u, thread %d: ", machine.kernel, f->block->id, f->thread);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	if (pc)
		print_place(pc);
	_exit(5);
}

/* -- fibers ----------------------------------------------------------------------------------------- */
static jmp_buf scheduler;
static std::vector<Fiber *> idle;
static void (*kernel_call)(const void *);

void
machine_leave()
{
	if (_setjmp(machine.current->at) == 0)
		_longjmp(scheduler, 1);
}

static void
resume(Fiber *f)
{
	machine.current = f;
	f->polls = false;
	if (_setjmp(scheduler) == 0)
		_longjmp(f->at, 1);
	machine.current = NULL;
}

static void barrier_if_all(Block *b);

static void
fiber_main()
{
	for (;;) {
		machine_leave();
		kernel_call(machine.call);
		machine.current->state = DONE;
		machine.current->block->done++;
		machine.progress++;
		barrier_if_all(machine.current->block);
	}
}

/* A new stack, with the fiber in fiber_main's first machine_leave. */
static Fiber *
new_fiber()
{
	static ucontext_t here, there;
	Fiber *f = new Fiber();

	f->stack = (char *)mmap(NULL, machine.stack + GUARD, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (f->stack == MAP_FAILED)
		machine_fault(NULL, "no memory for a thread");
	mprotect(f->stack, GUARD, PROT_NONE);
	getcontext(&there);
	there.uc_stack.ss_sp = f->stack + GUARD;
	there.uc_stack.ss_size = machine.stack;
	makecontext(&there, fiber_main, 0);
	machine.current = f;
	if (_setjmp(scheduler) == 0)
		swapcontext(&here, &there);
	machine.current = NULL;
	return f;
}

simt_place
simt_thread()
{
	return {(unsigned)machine.current->thread};
}

simt_place
simt_block()
{
	return {machine.current->block->id};
}

simt_place
simt_grid()
{
	return {machine.blocks};
}

int
simt_lane()
{
	return machine.current->thread % LANES;
}

void
simt_poll()
{
	machine.current->polls = true;
	machine_leave();
}

/* -- barriers ------------------------------------------------------------------------------------------- */
static bool
same_site(const Site &a, const Site &b)
{
	return a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0);
}

static void
end_barrier(Block *b)
{
	const Fiber *first = NULL;

	for (Fiber *f : b->fiber) {
		if (first && !same_site(f->site, first->site))
			machine_fault(NULL, "divergent barrier: thread %d is at %s:%d, thread %d at %s:%d", first->thread,
				first->site.file, first->site.line, f->thread, f->site.file, f->site.line);
		first = f;
	}
	for (Fiber *f : b->fiber)
		f->state = READY;
	b->waiting = 0;
	machine.count[SIMT_BARRIERS]++;
	machine.progress++;
	known_barrier(b);
}

static void
barrier_if_all(Block *b)
{
	if (b->waiting == 0 || b->waiting + b->done < b->threads)
		return;
	if (b->done)
		for (const Fiber *f : b->fiber)
			if (f->state == AT_BARRIER)
				machine_fault(NULL, "divergent barrier: %d threads wait at %s:%d, %d have ended", b->waiting,
					f->site.file, f->site.line, b->done);
	end_barrier(b);
}

void
__syncthreads(const char *file, int line)
{
	Fiber *f = machine.current;

	f->site = {file, line};
	f->state = AT_BARRIER;
	f->block->waiting++;
	barrier_if_all(f->block);
	if (f->state != READY)
		machine_leave();
}

/* -- warps -------------------------------------------------------------------------------------------------- */
static bool
in_mask(unsigned mask, int lane)
{
	return mask >> lane & 1;
}

/* All lanes of the mask are here. */
static void
end_meeting(Fiber *const *lane, int lanes, unsigned mask)
{
	unsigned ballot = 0;

	for (int i = 0; i < lanes; i++)
		if (in_mask(mask, i) && lane[i]->given)
			ballot |= 1u << i;
	for (int i = 0; i < lanes; i++) {
		Fiber *f = lane[i];

		if (!in_mask(mask, i))
			continue;
		if (f->op == SIMT_SHUFFLE && !in_mask(mask, f->from))
			machine_fault(NULL, "%s:%d: lane %d shuffles from lane %d, which is not in its mask %08x", f->site.file,
				f->site.line, i, f->from, mask);
		f->got = f->op == SIMT_SHUFFLE ? lane[f->from]->given : ballot;
		f->state = READY;
	}
	if (lane[__builtin_ctz(mask)]->op == SIMT_SYNC)
		known_warp(lane, mask, __builtin_popcount(mask) == lanes);
}

u64
simt_meet(unsigned mask, simt_warp_op op, u64 x, int from, const char *file, int line)
{
	Fiber *f = machine.current;
	const int first = f->thread / LANES * LANES, lanes = std::min((int)LANES, f->block->threads - first);
	Fiber *const *lane = &f->block->fiber[first];

	f->site = {file, line};
	f->mask = mask;
	f->op = op;
	f->from = from;
	f->given = x;
	f->state = AT_WARP;
	if (!in_mask(mask, f->thread - first))
		machine_fault(NULL, "%s:%d: lane %d is not in its mask %08x", file, line, f->thread - first, mask);
	for (int i = 0; i < LANES; i++) {
		if (!in_mask(mask, i))
			continue;
		if (i >= lanes || lane[i]->state == DONE)
			machine_fault(NULL, "%s:%d: lane %d of the mask %08x has ended or does not exist", file, line, i, mask);
		if (lane[i]->state != AT_WARP) {
			machine_leave();
			return f->got;
		}
		if (lane[i]->op != op || lane[i]->mask != mask || !same_site(lane[i]->site, f->site))
			machine_fault(NULL, "divergent warp operations: lane %d at %s:%d with mask %08x, lane %d at %s:%d with %08x",
				f->thread - first, file, line, mask, i, lane[i]->site.file, lane[i]->site.line, lane[i]->mask);
	}
	end_meeting(lane, lanes, mask);
	return f->got;
}

/* -- shared memory ------------------------------------------------------------------------------------------- */
static const size_t SHARED_BYTES = 48 << 10;    /* that a kernel has for what it declares */

void *
simt_shared(const void *declared, size_t n)
{
	Block *b = machine.current->block;
	size_t all = n;
	char *at;

	for (const Shared &s : b->shared)
		if (s.declared == declared)
			return s.at;
	for (const Shared &s : b->shared)
		all += s.n;
	if (all > SHARED_BYTES)
		machine_fault(NULL, "%zu bytes of shared memory, where a block has %zu", all, SHARED_BYTES);
	at = (char *)aligned_alloc(128, (n + 255) / 128 * 128);
	memset(at, 0xa5, n);
	b->shared.push_back({declared, at, n});
	region_add(at, n, true);
	return at;
}

/* -- blocks ---------------------------------------------------------------------------------------------------- */
static Block *
begin_block(u32 id)
{
	Block *b = new Block();

	b->id = id;
	b->threads = (int)machine.threads;
	for (int i = 0; i < b->threads; i++) {
		Fiber *f;

		if (idle.empty())
			idle.push_back(new_fiber());
		f = idle.back();
		idle.pop_back();
		f->block = b;
		f->thread = i;
		f->state = READY;
		f->known = f->heard = f->fenced = Known();
		b->fiber.push_back(f);
		b->order.push_back(i);
	}
	if (machine.seed)
		shuffle(b->order);
	return b;
}

static void
end_block(Block *b)
{
	count_block_done(b);
	idle.insert(idle.end(), b->fiber.begin(), b->fiber.end());
	for (const Shared &s : b->shared) {
		region_drop(s.at);
		free(s.at);
	}
	delete b;
}

static bool
can_go_on(const Block *b)
{
	return std::any_of(b->fiber.begin(), b->fiber.end(), [](const Fiber *f) { return f->state == READY && !f->polls; });
}

/* Its threads run until all wait or poll, or the block is left.  Who polls waits for another turn: else two warps could poll
 * by turns for ever. */
static void
run_block(Block *b, bool alone)
{
	for (Fiber *f : b->fiber)
		f->polls = false;
	do {
		for (int i : b->order) {
			if (b->fiber[i]->state != READY || b->fiber[i]->polls)
				continue;
			resume(b->fiber[i]);
			if (machine.seed && !alone && machine_random(HOP) == 0)
				return;
		}
	} while (b->done < b->threads && can_go_on(b));
}

static void
tell_deadlock(const std::vector<Block *> &running)
{
	static const char *const doing[] = {"polls, after", "waits at the barrier", "waits for its warp at", "has ended, after"};
	std::map<std::string, int> threads;
	std::string text;
	char line[400];

	for (const Block *b : running)
		for (const Fiber *f : b->fiber) {
			snprintf(line, sizeof line, "block %u %s %s:%d", b->id, doing[f->state],
				f->site.file ? f->site.file : "start", f->site.line);
			threads[line]++;
		}
	for (const auto &t : threads)
		text += "\n  " + std::to_string(t.second) + " threads: " + t.first;
	machine_fault(NULL, "%s: deadlock%s", machine.kernel, text.c_str());
}

static void
run_blocks()
{
	std::vector<u32> order(machine.blocks);
	std::vector<Block *> running;
	size_t next = 0;
	int rounds = 0;

	for (u32 i = 0; i < machine.blocks; i++)
		order[i] = i;
	if (machine.seed)
		shuffle(order);
	while (next < order.size() || !running.empty()) {
		const u64 before = machine.progress;

		while ((int)running.size() < machine.window && next < order.size())
			running.push_back(begin_block(order[next++]));
		for (Block *b : running)
			if (!machine.seed || running.size() == 1 || machine_random(LAG))
				run_block(b, running.size() == 1);
		for (size_t i = 0; i < running.size(); )
			if (running[i]->done == running[i]->threads) {
				end_block(running[i]);
				running.erase(running.begin() + i);
			} else {
				i++;
			}
		rounds = machine.progress == before ? rounds + 1 : 0;
		if (rounds > PATIENCE)
			tell_deadlock(running);
	}
}

void
simt_host_runs()
{
	machine.current = NULL;
}

void
simt_run(const char *name, int64_t *count, unsigned blocks, unsigned threads, void (*call)(const void *), const void *at,
	size_t n)
{
	if (blocks == 0 || blocks > 0x7fffffff || threads == 0 || threads > MAX_THREADS)
		machine_fault(NULL, "%s: launched with %u blocks of %u threads", name, blocks, threads);
	machine.kernel = name;
	machine.count = count;
	machine.blocks = blocks;
	machine.threads = threads;
	kernel_call = call;
	machine.call = (const char *)at;
	machine.ncall = n;
	machine.launched = ++machine.now;
	record_begins(blocks);
	run_blocks();
	record_ends();
	machine.kernel = NULL;
	pinned_are_late();
}
