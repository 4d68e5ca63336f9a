#ifndef NESL_CUDA_H
#define NESL_CUDA_H
/* The host half of a generated CUDA program: the device, its memory, launches, host reads, faults.
 *
 * In   nesl_sites and nesl_tasks, defined by the generated file, the only one that includes this.
 * Out  vectors and segment descriptors as small values that point to counted blocks of device memory.
 * How  everything runs on one stream, so memory may be given back as soon as its last use has been
 *      launched.  The host waits only in nesl_sync; there a fault of the kernels so far is raised
 *      before any value read is used.  Structs are plain: nesl_raise leaves by longjmp. */
#include "nesl_grid.h"
#include "nesl_main.h"
#include <initializer_list>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifndef NESL_BD
#define NESL_BD 256             /* threads of a block: a multiple of 32 */
#endif
#ifndef NESL_VT
#define NESL_VT 8               /* items of a thread */
#endif
#ifndef NESL_SHARES
#define NESL_SHARES 2048        /* blocks of a reduction at most: its grouping is the same on every device */
#endif

#ifndef NESL_MANY
#define NESL_MANY 2048          /* tiles of rows, of which more are cut by a kernel of its own */
#endif

/* A program may compare with a constant, and compute what it does not use. */
#ifdef __CUDACC__
#pragma nv_diag_suppress 177, 186, 550
#endif

template<class T> using nesl_same = T;
typedef unsigned long long nesl_u64;
struct alignas(16) nesl_pair {
	nesl_u64 lo, hi;
};

#ifdef NESL_EMU
#include "nesl_emu.h"           /* the SIMT emulator's cuda_runtime.h: SHARED, NESL_RESIDENT, nesl_start, polls */
#else
#include <cuda_runtime.h>
#define SHARED(T, name) __shared__ nesl_same<T> name
/* A kernel that waits for loads most of the time: with no more registers than let so many blocks wait at once; 1: as it likes.
 * Where multiprocessors have room for 2048 threads, and it was measured. */
#if __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200
#define NESL_RESIDENT(blocks) __launch_bounds__(NESL_BD, blocks)
#else
#define NESL_RESIDENT(blocks)
#endif
template<class... P, class... A>
static inline void
nesl_start(const char *, nesl_task_stats *, void (*kernel)(P...), unsigned blocks, A... arg)
{
	kernel<<<blocks, NESL_BD>>>(arg...);
}
static inline void nesl_is_part(void *, size_t) {}     /* of an allocation, an array: the emulator watches its ends */
static inline void nesl_part_ends(void *) {}
#endif

#include "nesl_room.h"
#include "nesl_timer.h"

extern const nesl_site nesl_sites[];
extern nesl_task_stats nesl_tasks[];

/* -- state ------------------------------------------------------------------------------------ */
/* An allocation for several arrays; it ends with the last of them. */
struct nesl_room {
	char *at;
	i64 bytes;
	int arrays;             /* that are there, or still to come */
	nesl_places parts;
};

struct nesl_block {
	void *at;
	nesl_room *room;        /* that it is a part of; NULL: an allocation of its own */
	i64 bytes, count;
	i64 total, longest;     /* of a descriptor: its elements, -1: not read yet; no row has more, -1: nobody knows */
	bool measured;          /* longest stands behind the offsets, and is read with total */
	i64 count_at_entry;     /* 0: made by the running entry */
	i64 owners;             /* --debug: as the compiler counts; what ways out hold too */
	bool scratch;           /* a skeleton's own; no part of peak_bytes */
	int grown;              /* how often it was copied to be appended to */
	nesl_block *next, **prev;
};

/* The lowest fault: key orders faults, rec is the key that site and v belong to. */
struct nesl_record {
	nesl_u64 key, rec;
	unsigned lock;
	int site;
	i64 v[3];
};

enum { NESL_BEYOND = -1 };     /* as a site: of no check */

/* What a functor with checks carries: check j of the task faults with rank first + j, and stands at
 * nesl_sites[site + j].  For recursion in scalar functions: how deep calls nest on the host, and may, and how many
 * bytes of a thread's stack they may take. */
struct nesl_faults {
	nesl_record *record;
	i64 first;
	int site;
	i64 depth, most, stack;
};

/* What kernels leave for the host, in one block that one copy brings: the fault, and what folds and packs found. */
enum { NESL_FOUND = 1 << 15 };
struct nesl_answers {
	nesl_record record;
	alignas(16) char found[NESL_FOUND];
};

/* A step of a way out, and the memory it reads. */
struct nesl_held_step {
	nesl_step step;
	nesl_block *block;
	nesl_held_step(nesl_step_kind kind, i64 n = 0, const void *at = NULL, nesl_block *b = NULL, i64 length = 0)
		: step{kind, n, at, length}, block(b) {}
};

/* The way out of a call, or, one after the other, of a task's checks of ranks first .. first + checks - 1.  What it reads
 * is held until the host has heard what the kernels found, and so are the calls around it. */
struct nesl_way {
	nesl_frame frame;
	i64 first;
	int checks;
	nesl_block **held;
	int n;
	nesl_way *next;
};

struct nesl_state {
	bool pooled;                    /* the device has a stream-ordered pool */
	nesl_block *blocks;
	nesl_room *room;                /* for the arrays that come next */
	int parts;                      /* how many those are */
	i64 live;
	nesl_answers *answers;          /* on the device */
	nesl_answers *seen;             /* pinned: their copy */
	size_t asked;                   /* bytes of found that tasks have taken since the last wait for it */
	char known[NESL_FOUND];         /* what it found without a kernel */
	size_t knew;                    /* bytes of it */
	i64 *values;                    /* pinned: 8 values read */
	i64 checks;                     /* ranks given to checks so far */
	i64 stack;                      /* of a thread, for recursion: bytes */
	bool unseen;                    /* a kernel that may have faulted runs since the last wait */
	nesl_way *calls;                /* the innermost one; frame.up is the next */
	nesl_way *passed;               /* of checks that were not heard, and of calls that have returned since */
	nesl_task_stats *task;
	nesl_memory_stats stats;
	char name[256];
};
static nesl_state nesl_run;

static inline void
nesl_check(cudaError_t e, const char *what)
{
	if (e != cudaSuccess)
		nesl_fail("CUDA: %s: %s", what, cudaGetErrorString(e));
}

/* The one way to start a kernel: NESL_LAUNCH(kernel, blocks, arguments ...).  No blocks: nothing. */
#define NESL_LAUNCH(kernel, ...) nesl_launch(#kernel, kernel, __VA_ARGS__)
template<class... P, class... A>
static inline void
nesl_launch(const char *name, void (*kernel)(P...), i64 blocks, A... arg)
{
	if (blocks <= 0)
		return;
	if (blocks > 0x7fffffff)
		nesl_fail("CUDA: %s: too many elements for one launch", name);
	nesl_run.task->launches++;
	nesl_run.unseen = nesl_run.checks > 0;
	if (nesl_profiling)
		nesl_timer_begin(nesl_run.task);
	nesl_start(name, nesl_run.task, kernel, (unsigned)blocks, arg...);
	nesl_check(cudaGetLastError(), name);
	if (nesl_profiling)
		nesl_timer_end(nesl_run.task);
}

/* What runs next belongs to this task; its algorithm reads and writes so many bytes. */
static inline void
nesl_next_task(int task, i64 bytes_read, i64 bytes_written)
{
	nesl_run.task = &nesl_tasks[task];
	nesl_run.task->bytes_read += bytes_read;
	nesl_run.task->bytes_written += bytes_written;
	if (nesl_interrupted)
		nesl_end_run();
}

/* And the host has seen what those before have found. */
static inline void
nesl_task(int task, i64 bytes_read, i64 bytes_written)
{
	nesl_run.asked = nesl_run.knew = 0;
	nesl_next_task(task, bytes_read, bytes_written);
}

/* What runs next is an operation of the library. */
static inline void
nesl_in_library(i64 bytes_read, i64 bytes_written)
{
	nesl_task(0, bytes_read, bytes_written);
}

/* -- start ------------------------------------------------------------------------------------ */
static inline void
nesl_no_device(cudaError_t e)
{
	int driver = 0, runtime = 0;

	if (cudaDriverGetVersion(&driver) != cudaSuccess)
		driver = 0;
	if (cudaRuntimeGetVersion(&runtime) != cudaSuccess)
		runtime = 0;
	if (driver == 0)
		nesl_fail("no NVIDIA driver on this machine (libcuda.so.1 not found); use --target=cpu");
	if (e == cudaErrorInsufficientDriver)
		nesl_fail("the NVIDIA driver (CUDA %d.%d) is older than this program needs (CUDA %d.%d)",
			driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
	if (e == cudaErrorNoDevice || e == cudaSuccess)
		nesl_fail("no NVIDIA GPU on this machine; use --target=cpu");
	nesl_fail("no usable GPU: %s", cudaGetErrorString(e));
}

static inline void
nesl_clear_answers(void)
{
	nesl_check(cudaMemsetAsync(nesl_run.answers, 0, sizeof(nesl_answers), 0), "fault record");
	nesl_check(cudaMemsetAsync(nesl_run.answers, 0xff, 2 * sizeof(nesl_u64), 0), "fault record");
}

/* Keep freed memory in the pool: giving it back to the driver at each wait is what costs. */
static inline void
nesl_open_pool(int device)
{
	int has = 0;
	cudaMemPool_t pool;
	nesl_u64 all = ~0ull;

	nesl_check(cudaDeviceGetAttribute(&has, cudaDevAttrMemoryPoolsSupported, device), "device");
	nesl_run.pooled = has != 0;
	if (!nesl_run.pooled)
		return;
	nesl_check(cudaDeviceGetDefaultMemPool(&pool, device), "memory pool");
	nesl_check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "memory pool");
}

/* Stacks for recursion in scalar functions: of all threads that run at once, an eighth of the device's memory. */
static inline void
nesl_open_stacks(const cudaDeviceProp *prop)
{
	const i64 threads = (i64)prop->multiProcessorCount * prop->maxThreadsPerMultiProcessor;
	i64 bytes = (i64)(prop->totalGlobalMem / 8) / threads / 1024 * 1024;

	bytes = bytes < 2048 ? 2048 : bytes > 65536 ? 65536 : bytes;
	nesl_check(cudaDeviceSetLimit(cudaLimitStackSize, (size_t)bytes), "stacks");
	nesl_run.stack = bytes - 1024;
}

/* So many bytes are there, or were refused. */
static inline void
nesl_got(cudaError_t e, const char *kind, size_t bytes)
{
	if (e == cudaErrorMemoryAllocation)
		nesl_no_room(kind, (i64)bytes, nesl_run.live);
	nesl_check(e, kind);
}

/* Before the first input is bound. */
static inline void
nesl_cuda_start(void)
{
	int n = 0, device = 0;
	cudaError_t e = cudaGetDeviceCount(&n);
	cudaDeviceProp prop;

	if (e != cudaSuccess || n <= 0)
		nesl_no_device(e);
	nesl_check(cudaGetDevice(&device), "device");
	nesl_check(cudaGetDeviceProperties(&prop, device), "device");
	snprintf(nesl_run.name, sizeof nesl_run.name, "%s", prop.name);
	nesl_open_pool(device);
#ifdef NESL_DEEP
	nesl_open_stacks(&prop);
#else
	nesl_run.stack = INT64_MAX;     /* calls that are no recursion are not measured */
#endif
	nesl_got(cudaMalloc((void **)&nesl_run.answers, sizeof(nesl_answers)), "device memory", sizeof(nesl_answers));
	nesl_got(cudaMallocHost((void **)&nesl_run.seen, sizeof(nesl_answers)), "pinned memory", sizeof(nesl_answers));
	nesl_got(cudaMallocHost((void **)&nesl_run.values, 8 * sizeof(i64)), "pinned memory", 8 * sizeof(i64));
	nesl_clear_answers();
	nesl_run.task = nesl_tasks;
	if (nesl_profiling)
		nesl_timer_open();
}

static inline const char *
nesl_cuda_ran_on(void)
{
	return nesl_run.name;
}

/* -- ways out ----------------------------------------------------------------------------------- */
static inline void nesl_drop(nesl_block *b);

static inline const nesl_frame *
nesl_calls()
{
	return nesl_run.calls ? &nesl_run.calls->frame : NULL;
}

static inline nesl_way *
nesl_hold_way(std::initializer_list<nesl_held_step> steps)
{
	const size_t n = steps.size();
	nesl_way *w = (nesl_way *)calloc(1, sizeof *w + n * (sizeof(nesl_step) + sizeof(nesl_block *)));
	nesl_step *s = (nesl_step *)(w + 1);

	if (!w)
		nesl_fail("out of memory");
	w->held = (nesl_block **)(s + n);
	w->frame = nesl_frame{n ? s : NULL, nesl_calls()};
	for (const nesl_held_step &x : steps) {
		*s++ = x.step;
		if (x.block)
			x.block->count++, x.block->owners++, w->held[w->n++] = x.block;
	}
	return w;
}

/* swept: the counts were put right otherwise. */
static inline void
nesl_let_go(nesl_way *w, bool swept)
{
	for (int i = 0; !swept && i < w->n; i++) {
		w->held[i]->owners--;
		nesl_drop(w->held[i]);
	}
	free(w);
}

static inline void
nesl_heard(void)
{
	for (nesl_way *w; (w = nesl_run.passed); nesl_let_go(w, false))
		nesl_run.passed = w->next;
}

static inline void
nesl_pass(nesl_way *w)
{
	w->next = nesl_run.passed;
	nesl_run.passed = w;
}

/* These stand around a call that has a way out. */
static inline void
nesl_call(std::initializer_list<nesl_held_step> steps)
{
	nesl_run.calls = nesl_hold_way(steps);
}

static inline void
nesl_return(void)
{
	nesl_way *w = nesl_run.calls;

	nesl_run.calls = (nesl_way *)w->frame.up;       /* frame is the first member */
	if (nesl_run.passed)
		nesl_pass(w);
	else
		nesl_let_go(w, false);
}

static inline i64
nesl_read_cuda_step(const nesl_step *s, i64 i)
{
	const bool rows = s->kind == NESL_ROWS;
	i64 offset = 0;
	nint row = 0;

	nesl_check(cudaMemcpy(rows ? (void *)&offset : (void *)&row, rows ? (const void *)((const i64 *)s->at + i)
		: (const void *)((const nint *)s->at + i), rows ? sizeof offset : sizeof row, cudaMemcpyDeviceToHost), "read");
	return rows ? offset : row;
}

/* -- waiting, reading, faults ------------------------------------------------------------------- */
/* The fault that was seen. */
__attribute__((noreturn)) static inline void
nesl_raise_seen(void)
{
	const nesl_record *r = &nesl_run.seen->record;
	const i64 rank = (i64)(r->rec >> 44), e = (i64)(r->rec & ((1ull << 44) - 1));
	const nesl_way *w = nesl_run.passed;
	const nesl_step *s;

	if (r->site == NESL_BEYOND)
		nesl_fail(NESL_TOO_LONG, (long long)r->v[0]);
	while (w && (rank < w->first || rank >= w->first + w->checks))
		w = w->next;
	s = w ? w->frame.way : NULL;
	for (i64 i = w ? w->first : rank; s && i < rank; i++)
		while (s++->kind != NESL_END)
			;
	nesl_raise(&nesl_sites[r->site], r->v, e, s, w ? w->frame.up : NULL);
}

/* Wait for the device; raise the first fault of the checks since the last wait.  found: bytes of what the running task
 * has found, to be read too. */
static inline void
nesl_sync(size_t found = 0)
{
	const bool checked = nesl_run.unseen;

	nesl_run.stats.host_syncs++;
	nesl_run.unseen = false;
	if (checked || found)
		nesl_check(cudaMemcpyAsync(nesl_run.seen, nesl_run.answers, offsetof(nesl_answers, found) + found,
			cudaMemcpyDeviceToHost, 0), "read");
	nesl_check(cudaStreamSynchronize(0), "kernel");
	if (nesl_profiling)
		nesl_timer_read();
	if (checked && nesl_run.seen->record.rec != ~0ull) {
		nesl_clear_answers();
		nesl_raise_seen();
	}
	nesl_heard();
}

static inline size_t
nesl_take_room(size_t *used, size_t size)
{
	const size_t at = *used;

	*used += (size + 15) / 16 * 16;
	if (*used > NESL_FOUND)
		nesl_fail("internal error: a task finds too much");
	return at;
}

/* Room for a T that a kernel finds: where on the device; *seen: where the host has it after nesl_await. */
template<class T>
static inline T *
nesl_ask(const T **seen)
{
	const size_t at = nesl_take_room(&nesl_run.asked, sizeof(T));

	*seen = (const T *)(nesl_run.seen->found + at);
	return (T *)(nesl_run.answers->found + at);
}

/* Where there is nothing to run over the host knows what would be found. */
template<class T>
static inline const T *
nesl_know(const T &found)
{
	void *at = nesl_run.known + nesl_take_room(&nesl_run.knew, sizeof found);

	memcpy(at, &found, sizeof found);
	return (const T *)at;
}

/* What tasks have found since the last time: one wait. */
static inline void
nesl_await(void)
{
	if (nesl_run.asked)
		nesl_sync(nesl_run.asked);
	nesl_run.asked = 0;
}

/* The time when the device is done. */
static inline double
nesl_clock(void)
{
	nesl_sync();
	return nesl_now();
}

/* Before an entry sets its cells: whatever its kernels found is raised now. */
static inline void
nesl_settle(void)
{
	if (nesl_run.unseen)
		nesl_sync();
	nesl_heard();
}

/* Operands that do not fit stem from a check that has failed and was not heard: it is heard now. */
static inline void
nesl_fits(bool fits)
{
	if (fits)
		return;
	nesl_settle();
	nesl_fail("internal error: operands of different lengths");
}

/* n values, at most 8, from the device. */
template<class T>
static inline const T *
nesl_read(const T *at, int n)
{
	static_assert(sizeof(T) <= sizeof(i64), "a value is at most 8 bytes");
	nesl_check(cudaMemcpyAsync(nesl_run.values, at, (size_t)n * sizeof(T), cudaMemcpyDeviceToHost, 0),
		"read");
	nesl_sync();
	return (const T *)nesl_run.values;
}

/* The first of n new ranks.  20 bits of a fault's key hold a rank, so now and then we must wait. */
static inline i64
nesl_rank(int n)
{
	if (nesl_run.checks + n >= 1 << 20) {
		nesl_sync();
		nesl_run.checks = 0;
	}
	nesl_run.checks += n;
	return nesl_run.checks - n;
}

/* Ranks for the n checks of a task; steps: their ways out, an end behind each, or nothing. */
static inline nesl_faults
nesl_checks(int n, int site, std::initializer_list<nesl_held_step> steps = {})
{
	nesl_way *w;
	i64 depth, most;

	nesl_rank(n);
	nesl_run.stats.checks_done += n;
	if (steps.size() || nesl_run.calls) {
		w = nesl_hold_way(steps);
		w->first = nesl_run.checks - n;
		w->checks = n;
		nesl_pass(w);
	}
	nesl_depth(&depth, &most);
	return nesl_faults{&nesl_run.answers->record, nesl_run.checks - n, site, depth, most, nesl_run.stack};
}

/* For a task that makes a descriptor whose total the host knows: where it tells if lengths that overflow have another sum. */
static inline nesl_faults
nesl_expects(void)
{
	return nesl_faults{&nesl_run.answers->record, nesl_rank(1), NESL_BEYOND, 0, 0, 0};
}

/* A fault on the host: what the kernels before it found comes first. */
__attribute__((noreturn)) static inline void
nesl_fault_here(int site, std::initializer_list<nesl_held_step> steps, i64 a, i64 b, i64 c)
{
	const i64 v[3] = {a, b, c};

	nesl_settle();
	nesl_run.calls = nesl_hold_way(steps);          /* let go with all others */
	nesl_raise(&nesl_sites[site], v, 0, NULL, nesl_calls());
}

static inline void
nesl_host_check(bool ok, int site, std::initializer_list<nesl_held_step> steps, i64 a = 0, i64 b = 0, i64 c = 0)
{
	nesl_run.stats.checks_done++;
	if (!ok)
		nesl_fault_here(site, steps, a, b, c);
}

/* A variable that a form with a run-time error left without a value cannot be read. */
static inline void
nesl_need(bool bound, int site, std::initializer_list<nesl_held_step> steps)
{
	if (!bound)
		nesl_fault_here(site, steps, 0, 0, 0);
}

/* -- memory ------------------------------------------------------------------------------------- */
/* NULL: there is not as much. */
static inline void *
nesl_try_allocate(i64 bytes)
{
	void *at = NULL;
	cudaError_t e = bytes > nesl_mem_limit - nesl_run.live ? cudaErrorMemoryAllocation
		: nesl_run.pooled ? cudaMallocAsync(&at, (size_t)bytes, 0) : cudaMalloc(&at, (size_t)bytes);

	if (e == cudaErrorMemoryAllocation) {
		cudaGetLastError();             /* told here, and not of the next launch */
		return NULL;
	}
	nesl_check(e, "allocation");
	nesl_run.stats.allocations++;
	return at;
}

static inline void *
nesl_allocate(i64 bytes)
{
	void *at = nesl_try_allocate(bytes);

	if (!at)
		nesl_no_room("device memory", bytes, nesl_run.live);
	return at;
}

static inline void
nesl_deallocate(void *at)
{
	nesl_check(nesl_run.pooled ? cudaFreeAsync(at, 0) : cudaFree(at), "free");
}

/* n arrays of a room are gone. */
static inline void
nesl_leave(nesl_room *r, int n)
{
	r->arrays -= n;
	if (r->arrays > 0)
		return;
	nesl_deallocate(r->at);
	free(r);
}

static inline void
nesl_unreserve(void)
{
	if (nesl_run.room)
		nesl_leave(nesl_run.room, nesl_run.parts);
	nesl_run.room = NULL;
	nesl_run.parts = 0;
}

/* Parts begin where allocations may, and do not touch. */
static inline i64
nesl_part_size(i64 bytes)
{
	return bytes / 256 * 256 + 256;
}

/* Of n elements of so many bytes; 0: offsets of n rows, and what is measured. */
static inline i64
nesl_size_in_room(i64 n, i64 bytes)
{
	const i64 each = bytes ? bytes : (i64)sizeof(i64), count = n + (bytes ? 0 : 2);

	if (n <= 0)
		return 0;
	return count > INT64_MAX / 4 / each ? -1 : nesl_part_size(count * each);
}

enum { NESL_LITTLE = 1 << 20 };        /* so much there must be */

/* One allocation for the next arrays, as nesl_room.h says.  Where there is not as much nothing is done: the array that has no
 * room will tell, if no fault comes before.  Nor is it if they are more than `most` bytes, if that is not 0, of which more than
 * an eighth is never used, or is kept for what is left in the end; or if there is a limit to keep. */
template<class... N>
static inline void
nesl_reserve(i64 most, N... all)
{
	const i64 n[] = {(i64)all...};
	const nesl_plan plan = nesl_plan_of(n, (int)(sizeof...(all) / 2), nesl_size_in_room);
	nesl_room *r;
	char *at;

	nesl_unreserve();
	if (plan.size == 0 || plan.size > nesl_mem_limit - nesl_run.live || (most > 0 && nesl_mem_limit < INT64_MAX))
		return;
	if (most > 0 && plan.size > most && !nesl_is_tight(plan.size, plan.left ? plan.left : plan.most))
		return;
	at = (char *)(plan.size > NESL_LITTLE ? nesl_try_allocate(plan.size) : nesl_allocate(plan.size));
	if (!at)
		return;
	r = (nesl_room *)calloc(1, sizeof *r + sizeof(nesl_place) * (size_t)plan.arrays);
	if (!r)
		nesl_fail("out of memory");
	*r = nesl_room{at, plan.size, plan.arrays, {(nesl_place *)(r + 1), 0}};
	nesl_run.room = r;
	nesl_run.parts = plan.arrays;
}

/* A part of the room; NULL: there is none, or none is left that is as large, and then no more parts come. */
static inline nesl_room *
nesl_take_part(i64 bytes, void **at)
{
	const i64 size = nesl_part_size(bytes);
	nesl_room *r = nesl_run.room;
	i64 begin;

	if (!r)
		return NULL;
	begin = nesl_part_comes(&r->parts, size);
	if (begin + size > r->bytes) {
		nesl_part_goes(&r->parts, begin);
		nesl_unreserve();
		return NULL;
	}
	*at = r->at + begin;
	nesl_is_part(*at, (size_t)bytes);
	if (--nesl_run.parts == 0)
		nesl_run.room = NULL;
	return r;
}

static inline nesl_block *
nesl_block_new(i64 n, i64 size, bool scratch)
{
	nesl_block *b;
	nesl_room *room;
	void *at;

	if (n > (INT64_MAX >> 8) / size)
		nesl_fail("out of device memory: %lld elements wanted", (long long)n);
	room = scratch ? NULL : nesl_take_part(n * size, &at);
	if (!room)
		at = nesl_allocate(n * size);
	b = (nesl_block *)calloc(1, sizeof *b);
	if (!b)
		nesl_fail("out of memory");
	b->bytes = n * size;
	b->at = at;
	b->room = room;
	b->count = 1;
	b->total = b->longest = -1;
	b->scratch = scratch;
	b->next = nesl_run.blocks;
	b->prev = &nesl_run.blocks;
	if (b->next)
		b->next->prev = &b->next;
	nesl_run.blocks = b;
	nesl_run.live += scratch ? 0 : b->bytes;
	if (nesl_run.live > nesl_run.stats.peak_bytes)
		nesl_run.stats.peak_bytes = nesl_run.live;
	return b;
}

static inline void
nesl_block_free(nesl_block *b)
{
	nesl_run.live -= b->scratch ? 0 : b->bytes;
	if (b->room) {
		nesl_part_ends(b->at);
		nesl_part_goes(&b->room->parts, (char *)b->at - b->room->at);
		nesl_leave(b->room, 1);
	} else {
		nesl_deallocate(b->at);
	}
	*b->prev = b->next;
	if (b->next)
		b->next->prev = b->prev;
	free(b);
}

static inline void
nesl_drop(nesl_block *b)
{
	if (b && --b->count == 0)
		nesl_block_free(b);
}

/* A skeleton's working memory, zeroed; free with nesl_block_free. */
static inline nesl_block *
nesl_scratch(i64 bytes)
{
	nesl_block *b = nesl_block_new(bytes, 1, true);

	nesl_check(cudaMemsetAsync(b->at, 0, (size_t)bytes, 0), "scratch");
	return b;
}

/* An entry begins: a fault will bring back the counts of now. */
static inline void
nesl_entry_begins(void)
{
	for (nesl_block *b = nesl_run.blocks; b; b = b->next)
		b->count_at_entry = b->owners = b->count;
}

/* After a fault: release what the entry made. */
static inline void
nesl_cuda_sweep(void)
{
	nesl_block *next;

	nesl_unreserve();
	while (nesl_run.calls) {
		nesl_way *w = nesl_run.calls;

		nesl_run.calls = (nesl_way *)w->frame.up;
		nesl_pass(w);
	}
	for (nesl_way *w; (w = nesl_run.passed); nesl_let_go(w, true))
		nesl_run.passed = w->next;
	for (nesl_block *b = nesl_run.blocks; b; b = next) {
		next = b->next;
		b->count = b->count_at_entry;
		if (b->count)
			continue;
		nesl_run.stats.bytes_swept += b->scratch ? 0 : b->bytes;
		nesl_block_free(b);
	}
}

static inline void
nesl_cuda_finish(nesl_memory_stats *stats)
{
	nesl_run.stats.live_bytes_at_exit = nesl_run.live;
	nesl_run.stats.allocations_reused = -1;
	nesl_unreserve();
	if (nesl_profiling) {
		nesl_check(cudaStreamSynchronize(0), "kernel");
		nesl_timer_close();
	}
	nesl_check(cudaFree(nesl_run.answers), "free");
	nesl_check(cudaFreeHost(nesl_run.seen), "free");
	nesl_check(cudaFreeHost(nesl_run.values), "free");
	*stats = nesl_run.stats;
}

/* A length or total, which is an int of the program. */
static inline i64
nesl_counted(i64 n)
{
	if (n != (nint)n) {
		nesl_settle();          /* a fault before it may be why */
		nesl_fail(NESL_TOO_LONG, (long long)n);
	}
	return n;
}

/* n rows of k: how many elements they have. */
static inline i64
nesl_area(i64 n, i64 k)
{
	if (n > 0 && k > INT64_MAX / n)
		nesl_fail(NESL_TOO_LONG, (long long)INT64_MAX);
	return n > 0 && k > 0 ? nesl_counted(n * k) : 0;
}

/* -- values ------------------------------------------------------------------------------------- */
template<class T> struct nesl_vec {
	T *at;
	i64 n;
	nesl_block *block;      /* none if empty */
	/* i out of range gives 0: a check has said so, and nothing may break before it is heard */
	__device__ T operator[](i64 i) const { return (nesl_u64)i < (nesl_u64)n ? at[i] : T(0); }
};

/* Of rows: how long they are together, and the longest. */
struct nesl_lengths {
	i64 total, longest;
};

struct nesl_segdes {            /* of rows of any lengths; of one length: nesl_grid */
	i64 *off;               /* rows + 1 of them; NULL: no rows */
	i64 rows;
	nesl_block *block;
};

template<class T>
static inline nesl_vec<T>
nesl_new(i64 n)
{
	nesl_block *b;

	if (n <= 0)
		return nesl_vec<T>{NULL, 0, NULL};
	b = nesl_block_new(nesl_counted(n), sizeof(T), false);
	return nesl_vec<T>{(T *)b->at, n, b};
}

/* total, longest: -1 if the host does not know it. */
static inline nesl_segdes
nesl_new_segdes(i64 rows, i64 total, i64 longest = -1)
{
	nesl_block *b;

	if (rows <= 0)
		return nesl_segdes{NULL, 0, NULL};
	b = nesl_block_new(rows + 1, sizeof(i64), false);
	b->total = total;
	b->longest = longest;
	return nesl_segdes{(i64 *)b->at, rows, b};
}

/* For a kernel that makes it of lengths, and leaves the longest behind the offsets. */
static inline nesl_segdes
nesl_new_measured(i64 rows)
{
	nesl_block *b;

	if (rows <= 0)
		return nesl_segdes{NULL, 0, NULL};
	b = nesl_block_new(rows + 2, sizeof(i64), false);
	b->measured = true;
	return nesl_segdes{(i64 *)b->at, rows, b};
}

/* The same of one that is known to have so many elements; lengths that overflow may have a sum below 0. */
static inline nesl_segdes
nesl_new_told(i64 rows, i64 total)
{
	const nesl_segdes s = nesl_new_measured(rows);

	if (s.block)
		s.block->total = total > 0 ? total : 0;
	return s;
}

template<class V>
static inline void
nesl_retain(V v)
{
	if (v.block)
		v.block->count++;
}

/* --debug: one owner more, one less; are they as many as the count? */
template<class V>
static inline void
nesl_own(V v)
{
	if (v.block)
		v.block->owners++;
}

template<class V>
static inline void
nesl_disown(V v)
{
	if (v.block)
		v.block->owners--;
}

template<class V>
static inline void
nesl_confirm(V v, const char *at)
{
	if (v.block && v.block->owners != v.block->count)
		nesl_miscounted(at, v.block->count, v.block->owners);
}

/* Has v one owner? */
template<class V>
static inline bool
nesl_sole(V v)
{
	return v.block && v.block->count == 1;
}

template<class V>
static inline void
nesl_free(V v)
{
	nesl_drop(v.block);
}

/* A leaf of a cell that nobody reads again has nothing, after a fault too. */
template<class V>
static inline void
nesl_forget(V &leaf)
{
	if (leaf.block) {
		leaf.block->count_at_entry--;
		leaf.block->owners--;
		nesl_drop(leaf.block);
	}
	leaf = V{};
}

/* v, which is given up, if nobody else has it and it is as long; else new memory, and v stays until nesl_replaced. */
template<class T>
static inline nesl_vec<T>
nesl_replace(nesl_vec<T> v, i64 n)
{
	return nesl_sole(v) && v.n == n ? v : nesl_new<T>(n);
}

template<class T, class U>
static inline void
nesl_replaced(nesl_vec<T> v, nesl_vec<U> r)
{
	if (r.block != v.block)
		nesl_free(v);
}

/* d, which is taken over, to be written to: itself if nobody else has it, else a copy. */
template<class T>
static inline nesl_vec<T>
nesl_taken(nesl_vec<T> d)
{
	nesl_vec<T> r = d;

	if (nesl_sole(d) || d.n == 0)
		return d;
	nesl_in_library(d.n * (i64)sizeof(T), d.n * (i64)sizeof(T));
	r = nesl_new<T>(d.n);
	nesl_check(cudaMemcpyAsync(r.at, d.at, (size_t)d.n * sizeof(T), cudaMemcpyDeviceToDevice, 0), "mark");
	nesl_free(d);
	return r;
}

/* Steps of ways out. */
static inline nesl_held_step
nesl_rows_of(nesl_segdes s)
{
	return nesl_held_step(NESL_ROWS, s.rows, s.off, s.block);
}

static inline nesl_held_step
nesl_rows_of(nesl_grid g)
{
	return nesl_held_step(NESL_GRID, g.rows, NULL, NULL, g.length);
}

static inline nesl_held_step
nesl_picked_by(nesl_vec<nint> x)
{
	return nesl_held_step(NESL_PICKED, x.n, x.at, x.block);
}

/* How many elements the rows have; read from the device when first asked for. */
static inline i64
nesl_total(nesl_segdes s)
{
	nesl_block *const b = s.block;
	const i64 *read;

	if (!b)
		return 0;
	if (b->total < 0) {
		read = nesl_read(s.off + s.rows, b->measured ? 2 : 1);
		b->total = read[0];
		b->longest = b->measured ? read[1] : b->longest;
	}
	return nesl_counted(b->total);
}

static inline i64
nesl_total(nesl_grid g)
{
	return nesl_area(g.rows, g.length);
}

/* A pass that made s has found them. */
static inline void
nesl_has_lengths(nesl_segdes s, nesl_lengths l)
{
	if (!s.block)
		return;
	s.block->total = l.total;
	s.block->longest = l.longest;
}

template<class T>
static inline T
nesl_elem(nesl_vec<T> v, i64 i)
{
	return i >= 0 && i < v.n ? *nesl_read(v.at + i, 1) : T(0);
}

/* Row i of a descriptor, to the host; out of range gives 0. */
static inline i64
nesl_read_row_start(nesl_segdes s, i64 i)
{
	return i >= 0 && i < s.rows ? *nesl_read(s.off + i, 1) : 0;
}

static inline i64
nesl_read_row_length(nesl_segdes s, i64 i)
{
	const i64 *off = i >= 0 && i < s.rows ? nesl_read(s.off + i, 2) : NULL;

	return off ? off[1] - off[0] : 0;
}

template<class T>
static inline nesl_vec<T>
nesl_upload(const T *data, i64 n)
{
	nesl_vec<T> v = nesl_new<T>(n);

	if (v.n)
		nesl_check(cudaMemcpyAsync(v.at, data, (size_t)n * sizeof(T), cudaMemcpyHostToDevice, 0),
			"upload");
	return v;
}

/* The first n elements of v, which a pack wrote: in memory of their own where that saves half. */
template<class T>
static inline nesl_vec<T>
nesl_trim(nesl_vec<T> v, i64 n)
{
	nesl_vec<T> r;

	nesl_run.task->bytes_written += n * (i64)sizeof(T);
	if (n > v.n / 2)
		return nesl_vec<T>{v.at, n, v.block};
	r = nesl_new<T>(n);
	if (n)
		nesl_check(cudaMemcpyAsync(r.at, v.at, (size_t)n * sizeof(T), cudaMemcpyDeviceToDevice, 0),
			"trim");
	nesl_free(v);
	return r;
}

/* The first n rows of s, likewise. */
static inline nesl_segdes
nesl_trim_rows(nesl_segdes s, i64 n)
{
	nesl_segdes r;

	nesl_run.task->bytes_written += n * (i64)sizeof(i64);
	if (s.block)
		s.block->measured = false;      /* the longest stood behind rows that are no more */
	if (n > s.rows / 2)
		return nesl_segdes{s.off, n, s.block};
	r = nesl_new_segdes(n, s.block ? s.block->total : 0, s.block ? s.block->longest : 0);
	if (n)
		nesl_check(cudaMemcpyAsync(r.off, s.off, (size_t)(n + 1) * sizeof(i64), cudaMemcpyDeviceToDevice, 0), "trim");
	nesl_free(s);
	return r;
}

/* -- the edge: inputs and echo -------------------------------------------------------------------- */
/* The leaf's data is taken over, and it has none then; but for a scalar, which the caller frees. */
template<class T>
static inline void
nesl_take(T &x, nesl_leaf &l)
{
	x = *(const T *)l.data;
}

template<class T>
static inline void
nesl_take(nesl_vec<T> &v, nesl_leaf &l)
{
	v = nesl_upload((const T *)l.data, l.count);
	free(l.data);
	l.data = NULL;
}

static inline void
nesl_take(nesl_segdes &s, nesl_leaf &l)
{
	const i64 rows = l.count - 1, *off = (const i64 *)l.data;
	i64 longest = 0;

	for (i64 i = 0; i < rows; i++)
		longest = off[i + 1] - off[i] > longest ? off[i + 1] - off[i] : longest;
	s = nesl_new_segdes(rows, rows > 0 ? off[rows] : 0, longest);
	if (rows > 0)
		nesl_check(cudaMemcpyAsync(s.off, off, (size_t)(rows + 1) * sizeof(i64),
			cudaMemcpyHostToDevice, 0), "upload");
	free(l.data);
	l.data = NULL;
}

static inline void
nesl_fetch_leaf(const void *data, i64 from, i64 n, size_t size, void *buf)
{
	if (n > 0)
		nesl_check(cudaMemcpy(buf, (const char *)data + (size_t)from * size, (size_t)n * size,
			cudaMemcpyDeviceToHost), "fetch");
}

/* A descriptor without rows has no memory, and one offset, 0. */
static inline void
nesl_fetch_offsets(const void *data, i64 from, i64 n, size_t size, void *buf)
{
	if (data)
		nesl_fetch_leaf(data, from, n, size, buf);
	else
		memset(buf, 0, (size_t)n * size);
}

/* What the kernels before found comes first. */
static inline void
nesl_run_effect(const char *name, const char *type, const nesl_leaf *in, int nin, nesl_leaf *out, int nout)
{
	nesl_settle();
	if (nesl_effect(name, type, NESL_INT, in, nin, out, nout))
		nesl_fail("out of memory");
	if (nesl_interrupted)
		nesl_end_run();
}

/* base: as nesl_leaf names it; ints of 32 bits and chars are one type in C. */
template<class T>
static inline nesl_leaf
nesl_show(T &x, char base)
{
	return nesl_leaf{LEAF_SCALAR, base, 1, &x, NULL};
}

template<class T>
static inline nesl_leaf
nesl_show(nesl_vec<T> &v, char base)
{
	return nesl_leaf{LEAF_VECTOR, base, v.n, v.at, nesl_fetch_leaf};
}

static inline nesl_leaf
nesl_show(nesl_segdes &s, char base)
{
	return nesl_leaf{LEAF_OFFSETS, base, s.rows + 1, s.off, nesl_fetch_offsets};
}

#endif
