#ifndef NESL_CPU_TASK_H
#define NESL_CPU_TASK_H
/* Chunks of tasks.  How many chunks a task has depends on its sizes only, never on the threads, so that
 * what is summed in which order does not either.  A task of two levels is cut by merge path: a chunk is
 * an equal share of row ends and elements together (Merrill & Garland, SC16), however long the rows are. */

#ifndef NESL_GRAIN
#define NESL_GRAIN 4096                 /* items of a chunk, at least */
#endif
enum { NESL_CHUNKS = 256 };             /* at most */

/* When the running task began, if that is wanted. */
static NESL_THREAD double nesl_began;

/* How many shares so many items make. */
NESL_OWN i64
nesl_shares(i64 items)
{
	const i64 n = items / NESL_GRAIN;

	return n < 5 ? 1 : n < NESL_CHUNKS ? n : NESL_CHUNKS;
}

/* Numbers from 0 that are asked one after the other, in turns of k: e / k, and e mod k.  A division where a turn begins; a task that
 * has rows of few elements would wait for one at each. */
typedef struct { nint turn, begin; } nesl_turns;

NESL_FN nint
nesl_turn(nesl_turns *t, nint e, nint k)
{
	if (k <= 0 || e < 0)
		return idiv(e, k);
	if ((nuint)(e - t->begin) >= (nuint)k) {
		t->turn = idiv(e, k);
		t->begin = imul(t->turn, k);
	}
	return t->turn;
}

NESL_FN nint
nesl_in_turn(nesl_turns *t, nint e, nint k)
{
	return k <= 0 || e < 0 ? irem(e, k) : e - imul(nesl_turn(t, e, k), k);
}

/* The first thing that a task does. */
NESL_OWN i64
nesl_chunks(i64 items)
{
	if (nesl_profiling)
		nesl_began = nesl_now();
	return nesl_shares(items);
}

/* The same of a task of rows and elements.  To begin a chunk there takes a microsecond: where its first row begins is looked for, and
 * its last is begun twice.  So chunks get larger where there are some anyway. */
NESL_OWN i64
nesl_row_chunks(i64 items)
{
	enum { SOME = 16, LARGER = 4 };
	const i64 n = nesl_chunks(items), larger = nesl_shares(items / LARGER);

	return n < SOME ? n : larger < SOME ? SOME : larger;
}

/* Of a task whose elements take but the time to read and write them: they are alike, so half as many chunks are enough. */
NESL_OWN i64
nesl_light(i64 nc)
{
	return nc < NESL_CHUNKS / 2 ? nc : NESL_CHUNKS / 2;
}

/* How many threads run chunks, at most; and which one asks, the first being 0. */
NESL_OWN i64
nesl_threads(void)
{
#ifdef _OPENMP
	return nesl_in_batch ? 1 : omp_get_max_threads();
#else
	return 1;
#endif
}

NESL_OWN i64
nesl_thread(void)
{
#ifdef _OPENMP
	return nesl_in_batch ? 0 : omp_get_thread_num();
#else
	return 0;
#endif
}

/* How many of them do so many chunks. */
NESL_OWN i64
nesl_threads_for(i64 nc)
{
	const i64 most = nc < NESL_CHUNKS ? nc : NESL_CHUNKS, threads = most > 1 ? nesl_threads() : 1;

	return threads < most ? threads : most;
}

/* Where chunk c of nc begins among n items. */
NESL_OWN i64
nesl_lo(i64 n, i64 c, i64 nc)
{
	return n / nc * c + n % nc * c / nc;
}

/* That chunk. */
typedef struct { i64 lo, hi; } nesl_part;

NESL_OWN nesl_part
nesl_part_of(i64 n, i64 c, i64 nc)
{
	return (nesl_part){nesl_lo(n, c, nc), nesl_lo(n, c + 1, nc)};
}

/* The next chunk of a thread's own, in a line of memory that no other thread has. */
typedef struct { _Alignas(64) i64 next; } nesl_chunks_own;

NESL_OWN i64
nesl_next_own(nesl_chunks_own *own)
{
#ifdef _OPENMP
	return __atomic_fetch_add(&own->next, 1, __ATOMIC_RELAXED);
#else
	return own->next++;
#endif
}

/* Each chunk c, as a call of its function, by so many threads.  They are begun in order, and a thread goes on to later ones only.
 * A parallel region takes 0.3 us, 0.7 within another, even if it has one thread. */
#define NESL_EACH_BY(threads, c, nc, chunk) \
	do { \
		if ((threads) > 1) { \
			NESL_PRAGMA(omp parallel for schedule(monotonic: dynamic) num_threads((int)(threads))) \
			for (i64 c = 0; c < (nc); c++) \
				chunk; \
		} else { \
			for (i64 c = 0; c < (nc); c++) \
				chunk; \
		} \
	} while (0)

/* The same where a chunk waits for those before it; by all threads, in a batch of rows by the one that runs it. */
#define NESL_EACH_IN_ORDER(c, nc, chunk) NESL_EACH_BY(nesl_threads_for(nc), c, nc, chunk)

/* Where the order of chunks does not matter.  A thread has chunks side by side: what it reads was written, or read before, by itself, and it
 * seldom stores in lines of memory in which others do; who has done its own helps others. */
#define NESL_EACH(c, nc, chunk) \
	do { \
		const i64 threads_ = nesl_threads_for(nc); \
		if (threads_ > 1) { \
			nesl_chunks_own own_[NESL_CHUNKS]; \
			for (i64 t_ = 0; t_ < threads_; t_++) \
				own_[t_].next = nesl_lo(nc, t_, threads_); \
			NESL_PRAGMA(omp parallel num_threads((int)threads_)) \
			for (i64 t_ = 0; t_ < threads_; t_++) { \
				const i64 of_ = (nesl_thread() + t_) % threads_; \
				for (i64 c; (c = nesl_next_own(&own_[of_])) < nesl_lo(nc, of_ + 1, threads_);) \
					chunk; \
			} \
		} else { \
			for (i64 c = 0; c < (nc); c++) \
				chunk; \
		} \
	} while (0)

/* -- turns: a chunk waits until those before it have told what they found, and tells the next; all the rest of it may
 * run at the same time as theirs.  (`omp ordered` would not do: libgomp lets the next one in at the chunk's end.) --- */
#ifdef _OPENMP
NESL_OWN void
nesl_wait_turn(const i64 *turn, i64 c)
{
	enum { POLLS = 1000 };          /* then others may have the processor */

	for (int i = 0; __atomic_load_n(turn, __ATOMIC_ACQUIRE) != c; i++)
		if (i >= POLLS)
			sched_yield();
}

NESL_OWN void
nesl_end_turn(i64 *turn)
{
	__atomic_store_n(turn, *turn + 1, __ATOMIC_RELEASE);
}
#else
NESL_OWN void
nesl_wait_turn(const i64 *turn, i64 c)
{
	(void)turn;
	(void)c;
}

NESL_OWN void
nesl_end_turn(i64 *turn)
{
	(void)turn;
}
#endif

/* Chunk c holds the ends of rows cut[c].row .. cut[c+1].row - 1, and elements cut[c].e .. cut[c+1].e - 1; row
 * cut[c+1].row, which begins at cut[c+1].start, is open at its end. */
typedef struct { i64 row, e, start; } nesl_border;

NESL_OWN void
nesl_cut(nesl_border *cut, const i64 *off, i64 rows, i64 nc)
{
	const i64 total = off[rows], items = rows + total;

	for (i64 c = 0; c <= nc; c++) {
		const i64 d = nesl_lo(items, c, nc);
		i64 lo = d > total ? d - total : 0, hi = d < rows ? d : rows;

		while (lo < hi) {
			const i64 mid = lo + (hi - lo) / 2;

			if (off[mid + 1] <= d - 1 - mid)
				lo = mid + 1;
			else
				hi = mid;
		}
		cut[c] = (nesl_border){lo, d - lo, off[lo]};
	}
}

/* The same of rows of one length. */
NESL_OWN void
nesl_cut_grid(nesl_border *cut, nesl_grid g, i64 nc)
{
	const i64 items = g.rows + g.rows * g.length;

	for (i64 c = 0; c <= nc; c++) {
		const i64 d = nesl_lo(items, c, nc), row = nesl_grid_ends(g, d);

		cut[c] = (nesl_border){row, d - row, row * g.length};
	}
}

/* -- runs of elements (backend/cpu/pieces.c, lanes.c): of so many something is asked once for all of them, of so few where each is looked
 * at for its place; so many are folded or scanned in lanes, or are many, of which few are better than all before.  Small grains let short ones
 * take these ways. -- */
enum {
	NESL_RUN = NESL_GRAIN < 16 ? NESL_GRAIN : 16,
	NESL_FOLDED = NESL_RUN < NESL_LANES ? NESL_LANES : NESL_RUN,
	NESL_SOME = 2,
	NESL_MANY = NESL_GRAIN < 96 ? NESL_GRAIN : 96
};

/* Are they all in, from i on? */
NESL_OWN int
nesl_within(i64 i, i64 count, i64 n)
{
	return i >= 0 && count <= n && i <= n - count;
}

/* And if each is so much more than the one before?  Where a product could be too large the answer is no. */
NESL_OWN int
nesl_evenly_within(i64 i, i64 by, i64 count, i64 n)
{
	const i64 most = (i64)1 << 31;

	return by > -most && by < most && count <= most && nesl_in(i, n) && nesl_in(i + by * (count - 1), n);
}

NESL_OWN i64
nesl_least(i64 a, i64 b)
{
	return a < b ? a : b;
}

/* How many places there are from `at` on to k, which is no less; so many at most. */
NESL_OWN i64
nesl_up_to(i64 at, i64 k, i64 most)
{
	const uint64_t n = (uint64_t)k - (uint64_t)at;

	return n < (uint64_t)most ? (i64)n : most;
}

/* How many elements there are before the one at which what is `at` now, and goes up by one, and wraps, is k; so many at most. */
NESL_OWN i64
nesl_until(nint at, nint k, i64 most)
{
	const uint64_t n = sizeof(nint) == 4 ? (uint32_t)k - (uint32_t)at : (uint64_t)k - (uint64_t)at;

	return n < (uint64_t)most ? (i64)n : most;
}

NESL_OWN i64
nesl_row_start(const i64 *off, i64 rows, i64 i)
{
	return nesl_in(i, rows) ? off[i] : 0;
}

NESL_OWN i64
nesl_row_length(const i64 *off, i64 rows, i64 i)
{
	return nesl_in(i, rows) ? off[i + 1] - off[i] : 0;
}

/* Behind n more elements, as far as can be counted, so offsets never fall. */
NESL_OWN i64
nesl_further(i64 at, i64 n)
{
	const uint64_t end = (uint64_t)at + (uint64_t)n;

	if (NESL_SELDOM((i64)(end | (uint64_t)n) < 0))  /* a jump: the next sum waits for no choice */
		return INT64_MAX;
	return (i64)end;
}

/* Where a row ends that begins at `at`, or rows that have so many elements together, an i64.  A length below 0 is the sum of two,
 * wrapped: the total will be too large. */
#define nesl_offset(at, length) nesl_further(at, _Generic((length), nint: (i64)(nuint)(length), default: (length)))

/* Counts of chunks -> where each begins; at[nc] becomes the total. */
NESL_OWN void
nesl_begins(i64 *at, i64 nc)
{
	i64 sum = 0;

	for (i64 c = 0; c <= nc; c++) {
		const i64 n = c < nc ? at[c] : 0;

		at[c] = sum;
		sum += n;
	}
}

/* The first failed check of a task: least rank of its place, then least element.  site: where it is, if the place is a
 * call of a scalar function; else NULL. */
typedef struct { int rank; i64 element, v[3]; const nesl_site *site; } nesl_failure;
#define NESL_NO_FAILURE {INT32_MAX, INT64_MAX, {0, 0, 0}, NULL}

NESL_OWN int
nesl_earlier(const nesl_failure *f, int rank, i64 element)
{
	return rank < f->rank || (rank == f->rank && element < f->element);
}

/* f is the chunk's own. */
NESL_RARE void
nesl_failed(nesl_failure *f, int rank, i64 element, i64 a, i64 b, i64 c)
{
	if (nesl_earlier(f, rank, element))
		*f = (nesl_failure){rank, element, {a, b, c}, NULL};
}

/* Scalar functions called for an element: how deep their calls nest, and may; the fault that one of them has met,
 * after which all return at once. */
typedef struct {
	const nesl_site *fault;         /* NULL: none */
	i64 v[3], depth, most;
	uintptr_t stack_end;            /* the lowest address that recursion may reach */
} nesl_scalar_calls;
#define NESL_NO_CALLS {NULL, {0, 0, 0}, 0, 0, 0}

/* The first fault stays. */
NESL_RARE void
nesl_stop(nesl_scalar_calls *calls, const nesl_site *site, i64 a, i64 b, i64 c)
{
	if (calls->fault)
		return;
	calls->fault = site;
	calls->v[0] = a;
	calls->v[1] = b;
	calls->v[2] = c;
}

/* One call more; whether that is one too many, which is a fault. */
NESL_OWN int
nesl_too_deep(nesl_scalar_calls *calls, const nesl_site *site)
{
	char here;

	if (calls->depth < calls->most && (uintptr_t)&here >= calls->stack_end) {
		calls->depth++;
		return 0;
	}
	nesl_stop(calls, site, calls->depth, 0, 0);
	return 1;
}

/* For calls of the running thread that are counted.  first: the site of the element's own, NULL if that is not. */
NESL_OWN nesl_scalar_calls
nesl_deep_calls(const nesl_site *first)
{
	nesl_scalar_calls calls = NESL_NO_CALLS;

	nesl_depth(&calls.depth, &calls.most);
	calls.stack_end = nesl_own_stack_end();
	if (first)
		nesl_too_deep(&calls, first);
	return calls;
}

/* The element's fault into the chunk's; the next element has none. */
NESL_RARE void
nesl_failed_call(nesl_failure *f, int rank, i64 element, nesl_scalar_calls *calls)
{
	if (nesl_earlier(f, rank, element))
		*f = (nesl_failure){rank, element, {calls->v[0], calls->v[1], calls->v[2]}, calls->fault};
	calls->fault = NULL;
}

/* The end of a chunk: its failure into the task's. */
NESL_OWN void
nesl_join_failure(nesl_failure *all, const nesl_failure *f)
{
	if (f->rank == INT32_MAX)
		return;
	NESL_PRAGMA(omp critical(nesl_failure))
	{
		if (nesl_earlier(all, f->rank, f->element))
			*all = *f;
	}
}

/* The steps of ways out, of arrays. */
#define NESL_ROWS_OF(s) {NESL_ROWS, (s)->count - 1, (s)->data, 0}
#define NESL_GRID_OF(g) {NESL_GRID, (g).rows, NULL, (g).length}
#define NESL_PICKED_BY(x) {NESL_PICKED, (x)->count, (x)->data, 0}

NESL_OWN i64
nesl_read_cpu_step(const nesl_step *s, i64 i)
{
	return s->kind == NESL_ROWS ? ((const i64 *)s->at)[i] : ((const nint *)s->at)[i];
}

/* The innermost call that has a way out. */
static NESL_THREAD const nesl_frame *nesl_calls;

/* way: those of all checks of the task, one after the other; NULL: there are none. */
NESL_OWN void
nesl_test(const nesl_failure *f, const nesl_site *first, const nesl_step *way)
{
	nesl_count.unseen = 1;
	if (f->rank == INT32_MAX)
		return;
	nesl_settle();
	for (int i = 0; way && i < f->rank; i++)
		while (way++->kind != NESL_END)
			;
	nesl_raise(f->site ? f->site : &first[f->rank], f->v, f->element, way, nesl_calls);
}

/* Defined by the generated file; the first is the library. */
extern nesl_task_stats nesl_tasks[];

/* From when it began until now. */
NESL_RARE void
nesl_profile_task(const nesl_task_stats *task)
{
	const double seconds = nesl_now() - nesl_began;

	nesl_lock();
	nesl_profile_run(task, nesl_began, seconds, nesl_in_batch ? nesl_in_batch->thread : 0, nesl_in_batch ? nesl_in_batch->threads : 1);
	nesl_unlock();
}

/* So many launches more, and bytes. */
NESL_OWN void
nesl_tally(nesl_task_stats *task, i64 launches, i64 bytes_read, i64 bytes_written)
{
	const i64 k = task - nesl_tasks;

	if (nesl_mine) {
		nesl_mine->task[k].launches += launches;
		nesl_mine->task[k].bytes_read += bytes_read;
		nesl_mine->task[k].bytes_written += bytes_written;
	} else {
		task->launches += launches;
		task->bytes_read += bytes_read;
		task->bytes_written += bytes_written;
	}
}

/* The task has been run. */
NESL_OWN void
nesl_ran(nesl_task_stats *task, i64 bytes_read, i64 bytes_written)
{
	nesl_tally(task, 1, bytes_read, bytes_written);
	if (nesl_interrupted)
		nesl_end_run();
	if (nesl_in_batch)
		nesl_batch_goes_on(nesl_in_batch);
	if (nesl_profiling)
		nesl_profile_task(task);
}

/* An operation of the library begins; it has been run. */
NESL_OWN void
nesl_op_begins(void)
{
	if (nesl_profiling)
		nesl_began = nesl_now();
}

NESL_OWN void
nesl_op_ran(nesl_task_stats *op, i64 bytes_read, i64 bytes_written)
{
	nesl_tally(op, 0, bytes_read, bytes_written);
	if (nesl_profiling)
		nesl_profile_task(op);
}

/* One that has no figures of its own. */
NESL_OWN void
nesl_in_library(i64 bytes_read, i64 bytes_written)
{
	nesl_tally(&nesl_tasks[0], 0, bytes_read, bytes_written);
}

/* A check of host code. */
NESL_OWN void
nesl_check(b8 ok, const nesl_site *site, i64 a, i64 b, i64 c, const nesl_step *way)
{
	if (ok)
		return;
	nesl_settle();
	nesl_raise(site, (const i64[3]){a, b, c}, 0, way, nesl_calls);
}

#ifdef _OPENMP
/* What runs next in this process's place may use what this one could: libgomp has bound this thread by now, if it was asked to. */
NESL_OWN void
nesl_unbind(void)
{
#if _OPENMP >= 201511
	const int places = omp_get_num_places();
	int n = 0, *processor;

	for (int k = 0; k < places; k++)
		n += omp_get_place_num_procs(k);
	processor = n > 0 ? malloc((size_t)n * sizeof *processor) : NULL;
	if (!processor)
		return;
	n = 0;
	for (int k = 0; k < places; k++) {
		omp_get_place_proc_ids(k, processor + n);
		n += omp_get_place_num_procs(k);
	}
	nesl_may_use(processor, n);
	free(processor);
#endif
}
#endif

/* What the threads' last caches hold, of bytes: nothing by small grains.  Results of more are stored a strip at a time (nesl_strips.h). */
enum { NESL_SMALL_GRAIN = NESL_GRAIN < 256 };
static i64 nesl_last_cache = NESL_SMALL_GRAIN ? 0 : 32 << 20;

/* OpenMP reads its settings before main, so the program starts itself once more with those that the user has not chosen.
 * By default a thread of libgomp that has nothing to do spins for milliseconds.  Where other work wants the cores that
 * costs far more than it saves (a quicksort of 200,000 elements took 10 s instead of 0.6).  With a thousand
 * turns programs of many short tasks take a tenth less than with a hundred, where each task has to wake its threads, and two
 * at once on the same cores a twentieth more at most.  stack: of each thread, where more than the main one recur; NULL: only that.
 * A million calls of a scalar function take some 100 MB; what a batch has no stack for is done without batches. */
NESL_OWN void
nesl_set_threads(char **argv, const char *stack)
{
	nesl_batch_here = nesl_this_batch;
#ifdef _OPENMP
	int again = 0;

#if defined(__GNUC__) && !defined(__clang__)
	if (!getenv("GOMP_SPINCOUNT") && !getenv("OMP_WAIT_POLICY"))
		again |= setenv("GOMP_SPINCOUNT", "1000", 0) == 0;
#endif
	if (stack && !getenv("OMP_STACKSIZE"))
		again |= setenv("OMP_STACKSIZE", stack, 0) == 0;
	if (again) {
		nesl_unbind();
		execv("/proc/self/exe", argv);          /* where it fails we go on as we are */
	}
#else
	(void)argv;
	(void)stack;
#endif
	if (!NESL_SMALL_GRAIN)
		nesl_last_cache = nesl_strips_from((int)nesl_threads());
}

NESL_OWN const char *
nesl_ran_on(void)
{
	static char text[40];
	const int threads = (int)nesl_threads();

	snprintf(text, sizeof text, "cpu, %d thread%s", threads, threads == 1 ? "" : "s");
	return text;
}

#endif
