#ifndef NESL_CPU_POOL_H
#define NESL_CPU_POOL_H
/* Arrays of a running program: vectors and segment descriptors (rows + 1 offsets) alike.
 *
 * Each array has as many counts as owners; the last nesl_free gives it back.  Arrays of no elements,
 * and descriptors of no rows, are two static objects that own nothing.  All live arrays are in one list,
 * so that what a fault left behind can be found; of those that a thread makes in batches it has a list of its own.  What changes the common
 * list, or common memory, is done by one thread at a time (nesl_cpu_lock.h), and counts are changed at once. */

static i64 nesl_zero_offset[1] = {0};
static nesl_vec nesl_empty = {.data = nesl_zero_offset, .refs = -1, .known = 1};
static nesl_vec nesl_no_rows = {.count = 1, .data = nesl_zero_offset, .refs = -1, .known = 1};

/* Waits are counted where a GPU's host would wait: for a number, or to know that no check failed. */
static NESL_THREAD struct {
	i64 syncs, checks;              /* checks: of lengths */
	int unseen;                     /* checks were made since the last wait */
} nesl_count;

NESL_OWN void
nesl_sync(void)
{
	nesl_count.syncs++;
	nesl_count.unseen = 0;
}

/* Before an entry sets its cells all checks have been seen. */
NESL_OWN void
nesl_settle(void)
{
	if (nesl_count.unseen)
		nesl_sync();
}

static i64 nesl_swept_bytes;

/* Those to which v belongs.  Until batches end only the thread that made it has it. */
NESL_OWN nesl_arrays *
nesl_arrays_of(const nesl_vec *v)
{
	return v->kind == NESL_LENT ? &nesl_mine->arrays : &nesl_all_arrays;
}

/* Of an array of this kind. */
NESL_OWN void
nesl_lock_of(int kind)
{
	if (kind != NESL_LENT)
		nesl_lock();
}

NESL_OWN void
nesl_unlock_of(int kind)
{
	if (kind != NESL_LENT)
		nesl_unlock();
}

/* v, of no bytes so far, has these; below 0: to work in. */
NESL_OWN void
nesl_sized_as(nesl_vec *v, i64 bytes)
{
	nesl_arrays *const a = nesl_arrays_of(v);

	v->bytes = bytes;
	a->asked += bytes < 0 ? -bytes : bytes;
	a->live += bytes < 0 ? 0 : bytes;
	if (a->live > a->peak)
		a->peak = a->live;
}

/* v ends, or is about to have another number of bytes. */
NESL_OWN void
nesl_unsized(const nesl_vec *v)
{
	nesl_arrays *const a = nesl_arrays_of(v);

	a->asked -= v->bytes < 0 ? -v->bytes : v->bytes;
	a->live -= v->bytes < 0 ? 0 : v->bytes;
}

NESL_OWN void
nesl_into_ring(nesl_vec *v, nesl_vec *ring)
{
	if (!ring->next)
		ring->next = ring->prev = ring;
	v->next = ring->next;
	v->prev = ring;
	ring->next->prev = v;
	ring->next = v;
}

NESL_OWN void
nesl_link(nesl_vec *v, i64 count, i64 bytes)
{
	v->count = count;
	v->refs = 1;
#if NESL_DEBUG
	v->owners = 0;
#endif
	v->known = 0;
	v->grown = 0;
	nesl_into_ring(v, &nesl_arrays_of(v)->ring);
	nesl_sized_as(v, bytes);
}

/* v, which nobody else has, has room for so many bytes, if it could be made so without moving it. */
NESL_OWN int
nesl_grows(nesl_vec *v, i64 bytes)
{
	int grows = bytes <= v->bytes;

	if (grows)
		return 1;
	nesl_lock_of(v->kind);
	grows = nesl_lengthen(v, bytes);
	if (grows) {
		nesl_unsized(v);
		nesl_sized_as(v, bytes);
	}
	nesl_unlock_of(v->kind);
	return grows;
}

NESL_RARE void
nesl_too_long(i64 n)
{
	nesl_fail_here(NESL_TOO_LONG(n, 8 * sizeof(nint)));
}

/* A length or total, which is an int of the program. */
NESL_OWN i64
nesl_counted(i64 n)
{
	if (n != (nint)n)
		nesl_too_long(n);
	return n;
}

/* count elements of `size` bytes, not cleared; one count of it. */
NESL_OWN nesl_vec *
nesl_array(i64 count, i64 size)
{
	nesl_vec *v;

	if (count > (INT64_MAX / 4) / size)
		nesl_fail_here("out of memory: an array of %lld elements", (long long)count);
	nesl_keep_to_limit(count * size);
	v = nesl_take_part(count * size);
	if (!v)
		v = nesl_block(count * size);
	nesl_link(v, count, count * size);
	return v;
}

/* Bytes that a task or an operation of the library works with, no array of the program, but in its list: a fault may leave them. */
NESL_OWN nesl_vec *
nesl_scratch(i64 bytes)
{
	nesl_vec *v;

	nesl_keep_to_limit(bytes);
	v = nesl_block(bytes);
	nesl_link(v, 0, -bytes);
	return v;
}

NESL_OWN nesl_vec *
nesl_new(i64 count, i64 size)
{
	return count <= 0 ? &nesl_empty : nesl_array(nesl_counted(count), size);
}

NESL_OWN nesl_vec *
nesl_new_segdes(i64 rows)
{
	nesl_vec *s = rows <= 0 ? &nesl_no_rows : nesl_array(rows + 1, 8);

	*(i64 *)s->data = 0;
	return s;
}

/* Lengths that have this sum as ints, but another one: it overflows. */
NESL_OWN void
nesl_told(const nesl_vec *s, i64 total)
{
	const i64 n = ((const i64 *)s->data)[s->count - 1];

	if (n != total)
		nesl_too_long(n);
}

/* How much is kept, and how much the host was told. */
NESL_OWN void
nesl_told_kept(i64 n, i64 told)
{
	if (n != told)
		nesl_fail("internal error: %lld are kept, not %lld", (long long)n, (long long)told);
}

/* A descriptor whose total is counted as it is made. */
NESL_OWN nesl_vec *
nesl_new_kept(i64 rows)
{
	nesl_vec *s = nesl_new_segdes(rows);

	s->known = 1;
	return s;
}

/* An array around the leaf's data, memory from malloc; the leaf has none then. */
NESL_OWN nesl_vec *
nesl_take(nesl_leaf *l, i64 size)
{
	const int is_segdes = l->kind == LEAF_OFFSETS;
	const i64 bytes = l->count * size;
	nesl_vec *v;

	if (l->count <= is_segdes) {
		free(l->data);
		l->data = NULL;
		return is_segdes ? &nesl_no_rows : &nesl_empty;
	}
	nesl_keep_to_limit(bytes);
	nesl_count_block(bytes);
	if (!(v = malloc(sizeof *v)))
		nesl_no_memory(sizeof *v);
	v->data = l->data;
	l->data = NULL;
	v->size = 0;
	v->kind = NESL_LARGER;
	nesl_blocks.used += bytes;
	nesl_link(v, nesl_counted(l->count - is_segdes) + is_segdes, bytes);
	v->known = 1;
	return v;
}

/* Not inlined: where it is known that v is static, gcc would warn of frees that never happen. */
NESL_CALLED void
nesl_release(nesl_vec *v)
{
	const int kind = v->kind;

	nesl_lock_of(kind);
	nesl_unsized(v);
	v->prev->next = v->next;
	v->next->prev = v->prev;
	if (v->size > 0) {
		nesl_unblock(v);
	} else {
		nesl_blocks.used -= v->bytes;
		free(v->data);
		free(v);
	}
	nesl_unlock_of(kind);
}

/* NULL is a cell that was never set. */
NESL_OWN void
nesl_free(nesl_vec *v)
{
	if (v && v->refs > 0 && NESL_ADD(v->refs, -1) == 0)
		nesl_release(v);
}

/* Has v one owner? */
NESL_OWN b8
nesl_sole(const nesl_vec *v)
{
	return v->refs == 1;
}

/* v, which is given up, if nobody else has it and it is as long; else a new array, and v stays until nesl_replaced. */
NESL_OWN nesl_vec *
nesl_replace(nesl_vec *v, i64 count, i64 size)
{
	return nesl_sole(v) && v->count == count ? v : nesl_new(count, size);
}

NESL_OWN void
nesl_replaced(nesl_vec *v, const nesl_vec *r)
{
	if (r != v)
		nesl_free(v);
}

NESL_OWN void
nesl_retain(nesl_vec *v)
{
	if (v->refs > 0)
		NESL_ADD(v->refs, 1);
}

/* A cell takes over v. */
NESL_OWN void
nesl_set(nesl_vec **cell, nesl_vec *v)
{
	nesl_vec *old = *cell;

	*cell = v;
	nesl_free(old);
}

/* A cell that nobody reads again has nothing. */
NESL_OWN void
nesl_forget(nesl_vec **cell)
{
#if NESL_DEBUG
	if (*cell)
		(*cell)->owners--;
#endif
	nesl_set(cell, NULL);
}

NESL_OWN nesl_leaf
nesl_leaf_of(const nesl_vec *v, nesl_leaf_kind kind, char base)
{
	return (nesl_leaf){kind, base, v->count, v->data, NULL};
}

NESL_OWN nesl_leaf
nesl_leaf_at(void *scalar, char base)
{
	return (nesl_leaf){LEAF_SCALAR, base, 1, scalar, NULL};
}

/* After a fault: forget all counts, let the cells count what they hold (nesl_mark), free the rest. */
NESL_OWN void
nesl_sweep_begin(void)
{
	if (nesl_all_arrays.ring.next)
		for (nesl_vec *v = nesl_all_arrays.ring.next; v != &nesl_all_arrays.ring; v = v->next)
			v->refs = 0;
}

NESL_OWN void
nesl_mark(nesl_vec *v)
{
	if (v && v->refs >= 0)
		v->refs++;
}

NESL_OWN void
nesl_sweep_end(void)
{
	nesl_vec *next;

	nesl_unreserve();
	if (nesl_all_arrays.ring.next)
		for (nesl_vec *v = nesl_all_arrays.ring.next; v != &nesl_all_arrays.ring; v = next) {
			next = v->next;
			if (v->refs == 0) {
				nesl_swept_bytes += v->bytes < 0 ? 0 : v->bytes;
				nesl_release(v);
			}
		}
}

#if NESL_DEBUG
/* What there is when an entry begins is owned by cells. */
NESL_OWN void
nesl_entry_begins(void)
{
	if (nesl_all_arrays.ring.next)
		for (nesl_vec *v = nesl_all_arrays.ring.next; v != &nesl_all_arrays.ring; v = v->next)
			v->owners = v->refs;
}

NESL_OWN void nesl_own(nesl_vec *v) { v->owners++; }
NESL_OWN void nesl_disown(nesl_vec *v) { v->owners--; }

/* The two that own nothing are not counted. */
NESL_OWN void
nesl_confirm(const nesl_vec *v, const char *at)
{
	if (v->refs >= 0 && v->owners != v->refs)
		nesl_miscounted(at, v->refs, v->owners);
}
#endif

NESL_OWN void
nesl_measure(nesl_memory_stats *stats)
{
	stats->host_syncs = nesl_count.syncs;
	stats->checks_done = nesl_count.checks;
	stats->peak_bytes = nesl_all_arrays.peak;
	stats->live_bytes_at_exit = nesl_all_arrays.live;
	stats->bytes_swept = nesl_swept_bytes;
	stats->allocations = nesl_all_arrays.taken;
	stats->allocations_reused = nesl_all_arrays.reused;
}

#endif
