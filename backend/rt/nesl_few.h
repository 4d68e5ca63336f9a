#ifndef NESL_FEW_H
#define NESL_FEW_H
/* All rows of a level on the host, one after the other, by a function in nested form (flatten/small.c, backend/cuda/few.c), where they
 * have few elements together: of a device one block would work, while each level of the recursion takes a dozen launches.
 *
 * What the rows have is read in one wait, what they give goes back as any input does.  If it cannot be done so, flat code does all of
 * it from the beginning, as nesl_nested.h says; faults of kernels before are told first. */
#include "nesl_device.h"
#include "nesl_nested.h"

#ifndef NESL_FEW
#define NESL_FEW (NESL_BD * NESL_VT)    /* rows and elements are fewer: what one block does at once */
#endif

/* For what rows have, and the room of one, of which few have more elements than in nesl_cpu_small.h.  A row that does loops in loops,
 * which a device does side by side, has no more than there. */
enum { NESL_FEW_BYTES = 1 << 17, NESL_FEW_ROOM = 1 << 20, NESL_FEW_SHORT = 129 };

static inline nint
nesl_small(void)
{
	return nesl_run.all_flat || nesl_mem_limit != INT64_MAX ? 0 : NESL_FEW;
}

/* What is on its way to the host. */
struct nesl_few {
	i64 bytes;
	bool fits;
};

static inline nesl_few
nesl_few_begin(void)
{
	if (!nesl_run.few)
		nesl_got(cudaMallocHost((void **)&nesl_run.few, NESL_FEW_BYTES), "pinned memory", NESL_FEW_BYTES);
	if (!nesl_run.few_room && !(nesl_run.few_room = (char *)malloc(NESL_FEW_ROOM)))
		nesl_fail("out of memory");
	return nesl_few{0, true};
}

template<class T>
static inline const T *
nesl_few_take(nesl_few &f, nesl_vec<T> v)
{
	const i64 at = f.bytes, bytes = v.n * (i64)sizeof(T);

	if (bytes > NESL_FEW_BYTES - at)
		f.fits = false;
	if (!f.fits || bytes == 0)
		return NULL;
	f.bytes += (bytes + 15) / 16 * 16;
	nesl_check(cudaMemcpyAsync(nesl_run.few + at, v.at, (size_t)bytes, cudaMemcpyDeviceToHost, 0), "read");
	return (const T *)(nesl_run.few + at);
}

/* Of a descriptor the lengths of rows, else elements. */
struct nesl_given {
	char *at;
	i64 n, most;
};

/* Where n more go. */
static inline nesl_row_memory
nesl_row_gives(nesl_row_room *s, nesl_given *g, i64 n, i64 size)
{
	const i64 at = g->n;

	if (at + n > g->most) {
		char *const more = (char *)realloc(g->at, (size_t)(2 * (at + n) * size));

		if (!more)
			NESL_NO_ROW(s);
		g->at = more;
		g->most = 2 * (at + n);
	}
	g->n += n;
	return nesl_row_memory{g->at + at * size};
}

static inline bool
nesl_are_short(i64 n, std::initializer_list<const nint *> lengths)
{
	for (i64 i = 0; i < n; i++) {
		i64 items = 0;

		for (const nint *x : lengths)
			items += x[i];
		if (items >= NESL_FEW_SHORT)
			return false;
	}
	return true;
}

/* The n rows, which give so many lists; whether it could be done so, and if not there are none.  lengths: of their sequences, if they
 * must be short.  In the room there is no place for more calls than may nest. */
static inline bool
nesl_run_few(int task, const nesl_few &f, nesl_row_code *code, const void *x, i64 n, nesl_given *given, int lists,
	std::initializer_list<const nint *> lengths = {})
{
	static uintptr_t stack_end;     /* to ask for it takes as long as some launches */
	const int failed = 0;
	i64 depth, most;

	if (stack_end == 0)
		stack_end = nesl_stack_end();
	if (!f.fits)
		return false;
	nesl_depth(&depth, &most);
	const i64 calls = most - depth < NESL_FEW_ROOM / NESL_SMALL_CALL ? most - depth : NESL_FEW_ROOM / NESL_SMALL_CALL;
	nesl_row_room s = {nesl_run.few_room, nesl_run.few_room + calls * NESL_SMALL_CALL, stack_end, 1, &failed, {}};
	nesl_sync();
	if (!nesl_are_short(n, lengths))
		return false;
	const double began = nesl_profiling ? nesl_now() : 0;
	if (setjmp(s.out) != 0) {
		for (int i = 0; i < lists; i++)
			free(given[i].at);
		return false;
	}
	code(&s, x, 0, n, given);
	nesl_next_task(task, f.bytes, 0);
	if (nesl_profiling)
		nesl_profile_run(nesl_run.task, began, nesl_now() - began, 0, 1);
	return true;
}

/* To the device; the list is gone then. */
template<class T>
static inline nesl_vec<T>
nesl_given_vec(nesl_given &g)
{
	const nesl_vec<T> v = nesl_upload((const T *)g.at, g.n);

	nesl_run.task->bytes_written += g.n * (i64)sizeof(T);
	free(g.at);
	return v;
}

static inline nesl_segdes
nesl_given_rows(nesl_given &g)
{
	const nesl_segdes s = nesl_new_segdes(g.n, 0, 0);
	i64 *const off = (i64 *)malloc((size_t)(g.n + 1) * sizeof *off);
	i64 at = 0;

	if (!off)
		nesl_fail("out of memory");
	for (i64 i = 0; i < g.n; i++) {
		const i64 length = ((const i64 *)g.at)[i];

		off[i] = at;
		at += length;
		s.block->longest = length > s.block->longest ? length : s.block->longest;
	}
	off[g.n] = at;
	if (s.block) {
		s.block->total = at;
		nesl_check(cudaMemcpyAsync(s.off, off, (size_t)(g.n + 1) * sizeof *off, cudaMemcpyHostToDevice, 0), "upload");
	}
	nesl_run.task->bytes_written += g.n * (i64)sizeof(i64);
	free(off);
	free(g.at);
	return s;
}

#endif
