#ifndef NESL_CPU_BATCH_H
#define NESL_CPU_BATCH_H
/* Rows that a recursion goes down with, in batches (flatten/batch.c).
 *
 * A batch is run by one thread, its tasks from their first chunk to the last, and several batches run at the same time.  Where
 * rows come apart depends on their lengths only, so what is folded in which order does not depend on the threads.  In a batch
 * rows do not come apart again, nor where memory is limited, or owners are counted.
 * A fault ends its batch; once all are done the form ends with that of the first batch that has one, as those behind it would not
 * have been run. */

enum {
	NESL_BATCHES = 256,             /* at most */
	/* elements of a batch, about: they and what is made of them fit into the cache of a core */
	NESL_BATCH = NESL_GRAIN < 4096 ? 4 * NESL_GRAIN : 1 << 13,
	/* the longest row has at most such a part of all elements: batches are alike (with small grains, nearly any) */
	NESL_APART = NESL_GRAIN < 4096 ? 2 : 8
};

/* The first row of each batch, and how many rows there are. */
NESL_OWN nesl_vec *
nesl_apart(nesl_task_stats *op, const nesl_vec *lengths)
{
	const nint *length = lengths->data;
	const i64 n = lengths->count;
	i64 total = 0, longest = 0, batches = 1, taken = 0, row = 0, k = 0;
	nint cut[NESL_BATCHES + 1] = {0};

	nesl_op_begins();
	if (!NESL_DEBUG && !nesl_in_batch && !nesl_no_batches && nesl_mem_limit == INT64_MAX && n >= NESL_APART)
		for (i64 i = 0; i < n; i++) {
			total += length[i];
			longest = length[i] > longest ? length[i] : longest;
		}
	if (longest <= total / NESL_APART)
		batches = total / NESL_BATCH < NESL_BATCHES ? total / NESL_BATCH : NESL_BATCHES;
	for (i64 c = 0; c < batches; c++) {
		if (row < n && (k == 0 || row > cut[k - 1]))
			cut[k++] = (nint)row;
		while (row < n && taken < nesl_lo(total, c + 1, batches))
			taken += length[row++];
	}
	k = k > 0 ? k : 1;
	cut[k] = (nint)n;
	nesl_op_ran(op, n * (i64)sizeof *length, 0);
	return nesl_vector(sizeof *cut, k + 1, cut);
}

/* The rows of the batch that runs, if it is one of these; else all. */
NESL_OWN nint
nesl_batch_from(const nesl_vec *cuts)
{
	return nesl_in_batch && nesl_in_batch->cuts == cuts ? ((const nint *)cuts->data)[nesl_in_batch->number] : 0;
}

NESL_OWN nint
nesl_batch_rows(const nesl_vec *cuts, nint n)
{
	const nint *cut = cuts->data;

	return nesl_in_batch && nesl_in_batch->cuts == cuts ? cut[nesl_in_batch->number + 1] - cut[nesl_in_batch->number] : n;
}

/* -- all batches of some rows -------------------------------------------------------------------- */
typedef struct {
	nesl_vec *cuts;
	i64 n;
	nesl_vec *own;                  /* what each of nown threads has of its own, `apart` bytes for each */
	i64 nown, apart, ntask, live;   /* live: bytes before they began */
	const nesl_frame *calls;
	i64 depth, syncs, checks;       /* as the host's, and what batches that ended add */
	int unseen, threads, all_flat;
	volatile i64 over;              /* the first that ended early, so far; n: none */
	nesl_batch first;               /* it, if over < n */
} nesl_batches;

/* Those that run; NULL: none do. */
static nesl_batches *nesl_running_batches;

/* What thread k has of its own. */
NESL_OWN nesl_private *
nesl_private_of(const nesl_batches *all, i64 k)
{
	return (nesl_private *)((char *)all->own->data + k * all->apart);
}

NESL_OWN void
nesl_batches_begin_with(nesl_batches *all, nesl_vec *cuts, i64 ntask)
{
	enum { LINES = 128 };           /* of a cache, which come in pairs */
	const i64 own = (i64)(sizeof(nesl_private) + (size_t)ntask * sizeof *nesl_mine->task);
	i64 most;

	nesl_retain(cuts);              /* until all have ended: batches know theirs by where it is */
	*all = (nesl_batches){.cuts = cuts, .n = cuts->count - 1, .calls = nesl_calls, .over = cuts->count - 1,
		.syncs = nesl_count.syncs, .checks = nesl_count.checks, .unseen = nesl_count.unseen,
		.all_flat = nesl_all_flat};
	nesl_depth(&all->depth, &most);
	nesl_unreserve();
	all->threads = (int)nesl_least(all->n, nesl_threads());
	all->ntask = ntask;
	all->live = nesl_all_arrays.live;
	all->apart = (own + LINES - 1) / LINES * LINES;
	all->nown = nesl_threads();
	all->own = nesl_scratch(all->nown * all->apart);
	memset(all->own->data, 0, (size_t)(all->nown * all->apart));
	nesl_running_batches = all;
}

#define nesl_batches_begin(all, cuts) nesl_batches_begin_with(all, cuts, (i64)(sizeof nesl_tasks / sizeof *nesl_tasks))

/* A count of v for each batch, of which there is one. */
NESL_OWN void
nesl_share(nesl_vec *v, const nesl_batches *all)
{
	if (v->refs > 0)
		v->refs += (int)all->n - 1;
}

/* Whether it is to run: none behind one that ended early. */
NESL_OWN int
nesl_batch_begin(nesl_batch *b, const nesl_batches *all, i64 k)
{
	*b = (nesl_batch){.cuts = all->cuts, .number = k, .over = &all->over, .depth = all->depth, .stack_end = nesl_own_stack_end(),
		.thread = (int)nesl_thread(), .threads = all->threads};
	nesl_calls = all->calls;
	nesl_all_flat = all->all_flat;
	nesl_count.syncs = nesl_count.checks = nesl_count.unseen = 0;
	nesl_mine = nesl_private_of(all, nesl_thread());
	nesl_in_batch = b;
	return k < *b->over;
}

NESL_OWN void
nesl_batch_end(nesl_batch *b, nesl_batches *all)
{
	nesl_unlock_all();
	nesl_unreserve();
	nesl_lock();
	all->syncs += nesl_count.syncs;
	all->checks += nesl_count.checks;
	all->unseen |= nesl_count.unseen;
	if (b->ended != NESL_GOES_ON && b->number < all->over) {
		all->over = b->number;
		free(all->first.said);
		all->first = *b;
	} else {
		free(b->said);
	}
	nesl_unlock();
	nesl_mine = NULL;
	nesl_in_batch = NULL;
	nesl_calls = all->calls;
	nesl_all_flat = all->all_flat;
}

/* What a thread had of its own is the program's. */
NESL_OWN void
nesl_join_private(nesl_private *own, i64 ntask)
{
	nesl_arrays *const all = &nesl_all_arrays, *const a = &own->arrays;

	nesl_take_back(own);
	for (nesl_vec *v = a->ring.next; v && v != &a->ring; v = a->ring.next) {
		v->kind = NESL_LARGER;          /* with sanitizers it was not in what was lent */
		a->ring.next = v->next;
		nesl_into_ring(v, &all->ring);
	}
	all->asked += a->asked;
	all->live += a->live;
	all->taken += a->taken;
	all->reused += a->reused;
	for (i64 k = 0; k < ntask; k++) {
		nesl_tasks[k].launches += own->task[k].launches;
		nesl_tasks[k].bytes_read += own->task[k].bytes_read;
		nesl_tasks[k].bytes_written += own->task[k].bytes_written;
	}
}

/* At once there was at most what there was before, and what each thread had at most. */
NESL_OWN void
nesl_join_all_private(const nesl_batches *all)
{
	i64 most = all->live;

	nesl_running_batches = NULL;
	for (i64 k = 0; k < all->nown; k++)
		most += nesl_private_of(all, k)->arrays.peak;
	if (most > nesl_all_arrays.peak)
		nesl_all_arrays.peak = most;
	for (i64 k = 0; k < all->nown; k++)
		nesl_join_private(nesl_private_of(all, k), all->ntask);
	nesl_free(all->own);
}

/* Before a sweep: where batches were cut off, what their threads have is the program's. */
NESL_OWN void
nesl_sweep_batches(void)
{
	nesl_mine = NULL;
	nesl_in_batch = NULL;
	if (nesl_running_batches)
		nesl_join_all_private(nesl_running_batches);
}

NESL_OWN void
nesl_batches_end(nesl_batches *all)
{
	nesl_join_all_private(all);
	nesl_count.syncs = all->syncs;
	nesl_count.checks = all->checks;
	nesl_count.unseen = all->unseen;
	nesl_free(all->cuts);
	if (all->over < all->n)
		nesl_end_as(&all->first);
	if (nesl_interrupted)
		nesl_end_run();
}

#define NESL_EACH_BATCH(all) NESL_PRAGMA(omp parallel for schedule(monotonic: dynamic) if (all.threads > 1))
#define NESL_BATCH_RUNS(b, all, k) (nesl_batch_begin(&b, &all, k) && setjmp(b.out) == 0)

/* What they gave, one after the other: vectors of elements of this size, or (0) descriptors. */
NESL_OWN nesl_vec *
nesl_together(i64 size, const nesl_batches *all, nesl_vec *const *r)
{
	nesl_vec *v = size ? nesl_append(&nesl_tasks[0], size, (int)all->n, r) : nesl_concat(&nesl_tasks[0], (int)all->n, r);

	for (i64 k = 0; k < all->n; k++)
		nesl_free(r[k]);
	return v;
}

#endif
