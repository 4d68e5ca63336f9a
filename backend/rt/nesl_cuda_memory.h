#ifndef NESL_CUDA_MEMORY_H
#define NESL_CUDA_MEMORY_H
/* Memory of the device: counted blocks, several of which may share an allocation; what is given back after a fault.
 *
 * All is in the order of the one stream: a block may be freed as soon as its last use has been launched.  Where there is not as
 * much, that is told as nesl_no_room says (nesl_main.h). */
#include "nesl_cuda.h"

/* -- the pool ------------------------------------------------------------------------------------- */
/* What was freed is kept for what comes next of its size: the driver, whose calls take as long as small kernels, is asked for
 * what is new only.  Sizes are those of eight classes between powers of two. */
static inline i64
nesl_class_size(i64 bytes)
{
	const i64 n = bytes > 2048 ? bytes : 2048, step = n > 2048 ? 1ll << (60 - __builtin_clzll((nesl_u64)(n - 1))) : 256;

	return bytes > 0 ? (bytes + step - 1) / step * step : step;
}

/* By its size. */
static inline nesl_kept *
nesl_class_of(i64 size)
{
	const int octave = size > 2048 ? 53 - __builtin_clzll((nesl_u64)(size - 1)) : 0;

	return &nesl_run.kept[octave][size <= 2048 ? size / 256 - 1 : (size - 1) >> (octave + 7) & 7];
}

static inline void
nesl_give_back(void *at)
{
	nesl_check(nesl_run.pooled ? cudaFreeAsync(at, 0) : cudaFree(at), "free");
}

/* All that is kept; whether there was any. */
static inline bool
nesl_give_back_kept(void)
{
	bool any = false;

	for (int i = 0; i < NESL_OCTAVES * 8; i++) {
		nesl_kept *const k = &nesl_run.kept[i / 8][i % 8];

		any = any || k->n > 0;
		while (k->n > 0)
			nesl_give_back(k->at[--k->n]);
		free(k->at);
		*k = nesl_kept{};
	}
	return any;
}

/* From the driver; NULL: it has not as much. */
static inline void *
nesl_ask_driver(i64 bytes)
{
	void *at = NULL;
	const cudaError_t e = nesl_run.pooled ? cudaMallocAsync(&at, (size_t)bytes, 0) : cudaMalloc(&at, (size_t)bytes);

	if (e == cudaErrorMemoryAllocation)
		cudaGetLastError();             /* told here, and not of the next launch */
	else
		nesl_check(e, "allocation");
	return at;
}

/* NULL: there is not as much. */
static inline void *
nesl_try_allocate(i64 bytes)
{
	const i64 size = nesl_class_size(bytes);
	nesl_kept *const k = nesl_class_of(size);
	void *at;

	if (bytes > nesl_mem_limit - nesl_run.live)
		return NULL;
	if (k->n > 0) {
		nesl_run.stats.allocations++;
		nesl_run.stats.allocations_reused++;
		return k->at[--k->n];
	}
	at = nesl_ask_driver(size);
	if (!at && nesl_give_back_kept())
		at = nesl_ask_driver(size);
	nesl_run.stats.allocations += at != NULL;
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

/* What was allocated for so many bytes. */
static inline void
nesl_deallocate(void *at, i64 bytes)
{
	nesl_kept *const k = nesl_class_of(nesl_class_size(bytes));

	if (nesl_is_cut)
		return;
	if (k->n == k->room) {
		void **more = (void **)realloc(k->at, sizeof *more * (size_t)(2 * k->room + 8));

		if (!more) {
			nesl_give_back(at);
			return;
		}
		k->at = more;
		k->room = 2 * k->room + 8;
	}
	k->at[k->n++] = at;
}

/* -- blocks and rooms ------------------------------------------------------------------------------ */
/* n arrays of a room are gone. */
static inline void
nesl_leave(nesl_room *r, int n)
{
	r->arrays -= n;
	if (r->arrays > 0)
		return;
	nesl_deallocate(r->at, r->bytes);
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

#ifndef NESL_LITTLE_ROOM
#define NESL_LITTLE_ROOM (1 << 18)      /* bytes; nothing is counted to save them */
#endif

/* Are n elements, of so many bytes, more than there may be, or more than was needed so far, and not few? */
static inline bool
nesl_is_much(i64 n, i64 size)
{
	const i64 bytes = n < INT64_MAX / size ? n * size : INT64_MAX;

	return bytes > nesl_mem_limit - nesl_run.live
		|| (bytes > NESL_LITTLE_ROOM && bytes > nesl_run.stats.peak_bytes - nesl_run.live);
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

/* scratch: a skeleton's own, no array of the room; it counts like any other. */
static inline nesl_block *
nesl_block_new(i64 n, i64 size, bool scratch)
{
	nesl_block *b;
	nesl_room *room;
	void *at;

	if (n > (INT64_MAX >> 8) / size)
		nesl_fail_here("out of device memory: %lld elements wanted", (long long)n);
	room = scratch ? NULL : nesl_take_part(n * size, &at);
	if (!room) {
		at = nesl_allocate(n * size);
		nesl_is_part(at, (size_t)(n * size));
	}
	b = (nesl_block *)calloc(1, sizeof *b);
	if (!b)
		nesl_fail("out of memory");
	b->bytes = n * size;
	b->at = at;
	b->room = room;
	b->count = 1;
	b->total = b->longest = -1;
	b->next = nesl_run.blocks;
	b->prev = &nesl_run.blocks;
	if (b->next)
		b->next->prev = &b->next;
	nesl_run.blocks = b;
	nesl_run.live += b->bytes;
	if (nesl_run.live > nesl_run.stats.peak_bytes)
		nesl_run.stats.peak_bytes = nesl_run.live;
	return b;
}

static inline void
nesl_block_free(nesl_block *b)
{
	nesl_run.live -= b->bytes;
	nesl_forget_longest(b);
	nesl_part_ends(b->at);
	if (b->room) {
		nesl_part_goes(&b->room->parts, (char *)b->at - b->room->at);
		nesl_leave(b->room, 1);
	} else {
		nesl_deallocate(b->at, b->bytes);
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

/* A skeleton's working memory; free with nesl_block_free. */
static inline nesl_block *
nesl_work(i64 bytes)
{
	return nesl_block_new(bytes, 1, true);
}

/* Memory that is zero for one kernel, 16 bytes aligned.  Little of it is taken from what is there, which is cleared as a whole when
 * all was taken: a kernel that is small takes no longer than to clear something for it.  *own: what must be freed then. */
static inline void *
nesl_zeroed(i64 bytes, nesl_block **own)
{
	void *at;

	if (bytes > NESL_ZEROS / 8) {
		*own = nesl_work(bytes);
		nesl_check(cudaMemsetAsync((*own)->at, 0, (size_t)bytes, 0), "scratch");
		return (*own)->at;
	}
	*own = NULL;
	if (nesl_run.nonzero + bytes > NESL_ZEROS) {
		nesl_check(cudaMemsetAsync(nesl_run.zeros, 0, NESL_ZEROS, 0), "scratch");
		nesl_run.nonzero = 0;
	}
	at = nesl_run.zeros + nesl_run.nonzero;
	nesl_run.nonzero += (bytes + 15) / 16 * 16;
	return at;
}

/* An entry begins: a fault will bring back the counts of now. */
static inline void
nesl_entry_begins(void)
{
	nesl_run.all_flat = 0;
	for (nesl_block *b = nesl_run.blocks; b; b = b->next)
		b->count_at_entry = b->owners = b->count;
}

/* After a fault, or where the run is cut off in a kernel: release what the entry made. */
static inline void
nesl_cuda_sweep(void)
{
	nesl_block *next;

	nesl_host_runs();
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
		nesl_run.stats.bytes_swept += b->bytes;
		nesl_block_free(b);
	}
}

static inline void
nesl_cuda_finish(nesl_memory_stats *stats)
{
	nesl_run.stats.live_bytes_at_exit = nesl_run.live;
	nesl_unreserve();
	*stats = nesl_run.stats;
	if (nesl_is_cut)
		return;
	nesl_give_back_kept();
	if (nesl_profiling) {
		nesl_check(cudaStreamSynchronize(0), "kernel");
		nesl_timer_close();
	}
	nesl_check(cudaFree(nesl_run.notes), "free");
	nesl_check(cudaFree(nesl_run.zeros), "free");
	nesl_check(cudaFreeHost(nesl_run.answers), "free");
	nesl_check(cudaFreeHost(nesl_run.values), "free");
	nesl_check(cudaFreeHost(nesl_run.few), "free");
	free(nesl_run.few_room);
}

static inline void
nesl_too_long(i64 n)
{
	nesl_settle();          /* a fault before it may be why */
	nesl_fail_here(NESL_TOO_LONG(n, 8 * sizeof(nint)));
}

/* A length or total, which is an int of the program. */
static inline i64
nesl_counted(i64 n)
{
	if (n != (nint)n)
		nesl_too_long(n);
	return n;
}

/* n rows of k: how many elements they have. */
static inline i64
nesl_area(i64 n, i64 k)
{
	if (n > 0 && k > INT64_MAX / n)
		nesl_fail_here(NESL_TOO_LONG(INT64_MAX, 8 * sizeof(nint)));
	return n > 0 && k > 0 ? nesl_counted(n * k) : 0;
}

#endif
