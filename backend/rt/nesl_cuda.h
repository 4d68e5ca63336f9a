#ifndef NESL_CUDA_H
#define NESL_CUDA_H
/* The host half of a generated CUDA program: the device, launches, host reads, faults; memory and values are built on it
 * (nesl_cuda_memory.h, nesl_cuda_values.h).
 *
 * In   nesl_sites and nesl_tasks, defined by the generated file, the only one that includes this.
 * How  everything runs on one stream, so memory may be given back as soon as its last use has been
 *      launched.  The host waits only in nesl_sync; there a fault of the kernels so far is raised
 *      before any value read is used.  Structs are plain: nesl_raise leaves by longjmp. */
#include "nesl_grid.h"
#include "nesl_main.h"
#include <initializer_list>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <tuple>

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
nesl_start(const char *, nesl_task_stats *, void (*kernel)(P...), unsigned blocks, const A &... arg)
{
	kernel<<<blocks, NESL_BD>>>(arg...);
}
static inline void nesl_is_part(void *, size_t) {}     /* of an allocation, an array: the emulator watches its ends */
static inline void nesl_part_ends(void *) {}
static inline void nesl_host_runs() {}                  /* whatever kernel had begun */
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

/* Allocations of one size that ended. */
struct nesl_kept {
	void **at;
	int n, room;
};
enum { NESL_OCTAVES = 53 };

struct nesl_block {
	void *at;
	nesl_room *room;        /* that it is a part of; NULL: an allocation of its own */
	i64 bytes, count;
	i64 total, longest;     /* of a descriptor: its elements, -1: not read yet; no row has more, -1: nobody knows */
	bool measured;          /* longest stands behind the offsets, and is read with total */
	bool asked;             /* or at the next wait: it is among nesl_run.unmeasured */
	i64 count_at_entry;     /* 0: made by the running entry */
	i64 owners;             /* --debug: as the compiler counts; what ways out hold too */
	int grown;              /* how often it was copied to be appended to */
	nesl_block *next, **prev;
};

/* The lowest fault: key orders faults, rec is the key that site and v belong to. */
struct nesl_record {
	nesl_u64 key, rec;
	unsigned *raised;               /* of nesl_answers */
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

/* What kernels leave for each other, on the device. */
struct nesl_notes {
	nesl_record record;
	unsigned done;                  /* blocks of the running kernel, if its last one folds; 0 between kernels */
};

/* What they leave for the host, in pinned memory that they write themselves, so that no copy has to be waited for: what folds and
 * packs found; and, of a fault, that there is one. */
enum { NESL_FOUND = 1 << 15 };          /* bytes; see backend/cuda/await.c */
struct nesl_answers {
	alignas(16) char found[NESL_FOUND];
	unsigned raised;
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

/* Of memory that is zero, for the states of tiles.  What one kernel takes is at most an eighth of it. */
enum { NESL_ZEROS = 1 << 16 };

/* The values that a read takes at most, and behind them those of descriptors that are measured at the next wait. */
enum { NESL_VALUES = 16, NESL_UNMEASURED = 8 };

struct nesl_state {
	bool pooled;                    /* the device has a stream-ordered pool */
	nesl_kept kept[NESL_OCTAVES][8];
	nesl_block *blocks;
	nesl_room *room;                /* for the arrays that come next */
	int parts;                      /* how many those are */
	i64 live;
	nesl_notes *notes;
	char *zeros;                    /* NESL_ZEROS bytes; from `nonzero` on they are zero */
	i64 nonzero;
	nesl_answers *answers;
	size_t asked;                   /* bytes of found that tasks have taken since nesl_await */
	bool unfound;                   /* some of them since the host waited for anything */
	char known[NESL_FOUND];         /* what it found without a kernel */
	size_t knew;                    /* bytes of it */
	i64 *values;                    /* pinned: what was read */
	char *few, *few_room;           /* nesl_few.h; few: pinned */
	int all_flat;                   /* > 0: the flat code of few rows is running */
	nesl_block *unmeasured[NESL_UNMEASURED];        /* the newest of those that are */
	int asking;                     /* how many those are */
	i64 checks;                     /* ranks given to checks so far */
	i64 stack;                      /* of a thread, for recursion: bytes */
	bool unseen;                    /* a kernel that may have faulted runs since the last wait */
	nesl_way *calls;                /* the innermost one; frame.up is the next */
	nesl_way *passed;               /* of checks that were not heard, and of calls that have returned since */
	nesl_task_stats *task;
	nesl_memory_stats stats;
	char name[256];
	int arch;                       /* 10 * major + minor of its compute capability */
};
static nesl_state nesl_run;

static inline void
nesl_check(cudaError_t e, const char *what)
{
	if (e != cudaSuccess)
		nesl_fail("CUDA: %s: %s", what, cudaGetErrorString(e));
}

/* Of kernels that were to start. */
static inline void
nesl_check_started(cudaError_t e, const char *what)
{
	if (e == cudaErrorNoKernelImageForDevice || e == cudaErrorUnsupportedPtxVersion)
		nesl_fail("this program was not made for this GPU and its driver (%s): build it with --arch=sm_%d", nesl_run.name, nesl_run.arch);
	nesl_check(e, what);
}

/* Between these the device works for the running task. */
static inline void
nesl_work_begins(void)
{
	if (nesl_profiling)
		nesl_timer_begin(nesl_run.task);
}

static inline void
nesl_work_ends(void)
{
	if (nesl_profiling)
		nesl_timer_end(nesl_run.task);
}

/* What all launches share: false, there is nothing to start. */
static inline bool
nesl_launch_begins(const char *name, i64 blocks)
{
	if (blocks <= 0)
		return false;
	if (blocks > 0x7fffffff)
		nesl_fail("CUDA: %s: too many elements for one launch", name);
	nesl_run.task->launches++;
	nesl_run.unseen = nesl_run.checks > 0;
	nesl_work_begins();
	return true;
}

static inline void
nesl_launch_ends(const char *name)
{
	nesl_check_started(cudaGetLastError(), name);
	nesl_work_ends();
}

/* The one way to start a kernel: NESL_LAUNCH(kernel, blocks, arguments ...).  No blocks: nothing. */
#define NESL_LAUNCH(kernel, ...) nesl_launch(#kernel, kernel, __VA_ARGS__)
template<class... P, class... A>
static inline void
nesl_launch(const char *name, void (*kernel)(P...), i64 blocks, const A &... arg)
{
	if (!nesl_launch_begins(name, blocks))
		return;
	nesl_start(name, nesl_run.task, kernel, (unsigned)blocks, arg...);
	nesl_launch_ends(name);
}

/* Elements from one place of the device to another, in the time of the running task. */
static inline void
nesl_copy(void *to, const void *from, i64 bytes, const char *what)
{
	nesl_work_begins();
	nesl_check(cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToDevice, 0), what);
	nesl_work_ends();
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
	nesl_run.unfound = false;
	nesl_next_task(task, bytes_read, bytes_written);
}

/* What runs next is an operation of the library that has no figures of its own; what tasks before it find may still be awaited. */
static inline void
nesl_in_library(i64 bytes_read, i64 bytes_written)
{
	nesl_next_task(0, bytes_read, bytes_written);
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
		nesl_fail(getenv("CUDA_VISIBLE_DEVICES") ? "no NVIDIA GPU that CUDA_VISIBLE_DEVICES leaves; use --target=cpu"
			: "no NVIDIA GPU on this machine; use --target=cpu");
	nesl_fail("no usable GPU: %s%s", cudaGetErrorString(e),
		e == cudaErrorMemoryAllocation ? " (do other programs have its memory?)" : "");
}

static inline void
nesl_clear_notes(void)
{
	const nesl_notes none = {{~0ull, ~0ull, &nesl_run.answers->raised, 0, 0, {}}, 0};

	nesl_check(cudaMemcpy(nesl_run.notes, &none, sizeof none, cudaMemcpyHostToDevice), "fault record");
	nesl_run.answers->raised = 0;
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
	nesl_run.arch = 10 * prop.major + prop.minor;
	e = cudaFree(NULL);             /* the first call that takes memory of the device, for itself */
	if (e != cudaSuccess)
		nesl_no_device(e);
	nesl_open_pool(device);
#ifdef NESL_DEEP
	nesl_open_stacks(&prop);
#else
	nesl_run.stack = INT64_MAX;     /* calls that are no recursion are not measured */
#endif
	nesl_got(cudaMalloc((void **)&nesl_run.notes, sizeof(nesl_notes)), "device memory", sizeof(nesl_notes));
	nesl_got(cudaMalloc((void **)&nesl_run.zeros, NESL_ZEROS), "device memory", NESL_ZEROS);
	nesl_run.nonzero = NESL_ZEROS;
	nesl_got(cudaMallocHost((void **)&nesl_run.answers, sizeof(nesl_answers)), "pinned memory", sizeof(nesl_answers));
	nesl_got(cudaMallocHost((void **)&nesl_run.values, (NESL_VALUES + NESL_UNMEASURED) * sizeof(i64)), "pinned memory",
		(NESL_VALUES + NESL_UNMEASURED) * sizeof(i64));
	nesl_clear_notes();
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
/* The fault that there is. */
__attribute__((noreturn)) static inline void
nesl_raise_noted(void)
{
	static nesl_record seen;
	const nesl_record *const r = &seen;

	nesl_check(cudaMemcpy(&seen, &nesl_run.notes->record, sizeof seen, cudaMemcpyDeviceToHost), "read");
	nesl_clear_notes();
	const i64 rank = (i64)(r->rec >> 44), e = (i64)(r->rec & ((1ull << 44) - 1));
	const nesl_way *w = nesl_run.passed;
	const nesl_step *s;

	if (r->site == NESL_BEYOND)
		nesl_fail_here(NESL_TOO_LONG(r->v[0], 8 * sizeof(nint)));
	while (w && (rank < w->first || rank >= w->first + w->checks))
		w = w->next;
	s = w ? w->frame.way : NULL;
	for (i64 i = w ? w->first : rank; s && i < rank; i++)
		while (s++->kind != NESL_END)
			;
	nesl_raise(&nesl_sites[r->site], r->v, e, s, w ? w->frame.up : NULL);
}

/* The longest row of b, which a kernel has left behind the offsets, is read at the next wait. */
static inline void
nesl_ask_longest(nesl_block *b)
{
	if (nesl_run.asking == NESL_UNMEASURED) {
		nesl_run.unmeasured[0]->asked = false;
		memmove(nesl_run.unmeasured, nesl_run.unmeasured + 1, --nesl_run.asking * sizeof b);
	}
	b->asked = true;
	nesl_run.unmeasured[nesl_run.asking++] = b;
}

/* It is not there any more. */
static inline void
nesl_forget_longest(nesl_block *b)
{
	int i = 0;

	if (!b->asked)
		return;
	while (nesl_run.unmeasured[i] != b)
		i++;
	b->asked = false;
	memmove(nesl_run.unmeasured + i, nesl_run.unmeasured + i + 1, (size_t)(--nesl_run.asking - i) * sizeof b);
}

/* Wait for the device; what is asked of descriptors is there then. */
static inline void
nesl_wait(void)
{
	i64 *const longest = nesl_run.values + NESL_VALUES;
	const int n = nesl_run.asking;

	for (int i = 0; i < n; i++) {
		const nesl_block *b = nesl_run.unmeasured[i];

		nesl_check(cudaMemcpyAsync(longest + i, (char *)b->at + b->bytes - sizeof(i64), sizeof(i64), cudaMemcpyDeviceToHost, 0), "read");
	}
	nesl_check(cudaStreamSynchronize(0), "kernel");
	for (int i = 0; i < n; i++)
		nesl_run.unmeasured[i]->longest = longest[i];
	while (nesl_run.asking > 0)
		nesl_run.unmeasured[--nesl_run.asking]->asked = false;
}

/* Wait for the device; raise the first fault of the checks since the last wait. */
static inline void
nesl_sync(void)
{
	const bool checked = nesl_run.unseen;

	nesl_run.stats.host_syncs++;
	nesl_run.unseen = nesl_run.unfound = false;
	nesl_wait();
	if (nesl_profiling)
		nesl_timer_read();
	if (checked && nesl_run.answers->raised)
		nesl_raise_noted();
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

/* Room for a T that a kernel finds, which the host has after nesl_await. */
template<class T>
static inline T *
nesl_ask(const T **seen)
{
	T *const found = (T *)(nesl_run.answers->found + nesl_take_room(&nesl_run.asked, sizeof(T)));

	*seen = found;
	nesl_run.unfound = true;
	return found;
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

/* What tasks have found since the last time: one wait, if the host has not waited since for something else. */
static inline void
nesl_await(void)
{
	if (nesl_run.unfound)
		nesl_sync();
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

/* n values, at most NESL_VALUES, from the device. */
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
	return nesl_faults{&nesl_run.notes->record, nesl_run.checks - n, site, depth, most, nesl_run.stack};
}

/* For a task that makes a descriptor whose total the host knows: where it tells if lengths that overflow have another sum. */
static inline nesl_faults
nesl_expects(void)
{
	return nesl_faults{&nesl_run.notes->record, nesl_rank(1), NESL_BEYOND, 0, 0, 0};
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

#endif
