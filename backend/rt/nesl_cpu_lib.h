#ifndef NESL_CPU_LIB_H
#define NESL_CPU_LIB_H
/* The library skeletons: what is no task.  Arguments are borrowed, results have one count. */

/* The time when the device is done. */
NESL_OWN double
nesl_clock(void)
{
	nesl_sync();
	return nesl_now();
}

NESL_OWN i64 nesl_rows(const nesl_vec *s) { return s->count - 1; }

NESL_OWN i64
nesl_total(nesl_vec *s)
{
	if (!s->known)
		nesl_sync();
	s->known = 1;
	const i64 n = ((i64 *)s->data)[s->count - 1];
	if (n == INT64_MAX)             /* as far as offsets are counted */
		nesl_too_long(n);
	return nesl_counted(n);
}

/* Is there an element i that the host reads? */
NESL_OWN int
nesl_reads(i64 i, i64 n)
{
	if (nesl_in(i, n))
		nesl_sync();
	return nesl_in(i, n);
}

/* On the host; out of range gives 0. */
NESL_OWN nint nesl_elem_nint(const nesl_vec *v, i64 i) { return nesl_reads(i, v->count) ? ((nint *)v->data)[i] : 0; }
NESL_OWN f64 nesl_elem_f64(const nesl_vec *v, i64 i) { return nesl_reads(i, v->count) ? ((f64 *)v->data)[i] : 0; }
NESL_OWN b8 nesl_elem_b8(const nesl_vec *v, i64 i) { return nesl_reads(i, v->count) ? ((b8 *)v->data)[i] : 0; }
NESL_OWN c32 nesl_elem_c32(const nesl_vec *v, i64 i) { return nesl_reads(i, v->count) ? ((c32 *)v->data)[i] : 0; }

/* That the first begins at 0 nobody has to ask. */
NESL_OWN i64
nesl_host_row_start(const nesl_vec *s, i64 i)
{
	return i != 0 && nesl_reads(i, nesl_rows(s)) ? ((i64 *)s->data)[i] : 0;
}

NESL_OWN i64
nesl_host_row_length(const nesl_vec *s, i64 i)
{
	return nesl_reads(i, nesl_rows(s)) ? ((i64 *)s->data)[i + 1] - ((i64 *)s->data)[i] : 0;
}

/* In scalar code of an element. */
NESL_OWN nint nesl_each_elem_nint(const nesl_vec *v, i64 i) { return nesl_in(i, v->count) ? ((nint *)v->data)[i] : 0; }
NESL_OWN f64 nesl_each_elem_f64(const nesl_vec *v, i64 i) { return nesl_in(i, v->count) ? ((f64 *)v->data)[i] : 0; }
NESL_OWN b8 nesl_each_elem_b8(const nesl_vec *v, i64 i) { return nesl_in(i, v->count) ? ((b8 *)v->data)[i] : 0; }
NESL_OWN c32 nesl_each_elem_c32(const nesl_vec *v, i64 i) { return nesl_in(i, v->count) ? ((c32 *)v->data)[i] : 0; }

NESL_OWN i64
nesl_each_row_start(const nesl_vec *s, i64 i)
{
	return nesl_row_start(s->data, nesl_rows(s), i);
}

NESL_OWN i64
nesl_each_row_length(const nesl_vec *s, i64 i)
{
	return nesl_row_length(s->data, nesl_rows(s), i);
}

NESL_OWN void
nesl_copy_part(void *to, const void *from, nesl_part p, i64 bytes)
{
	if (p.lo < p.hi)
		nesl_copy_into((char *)to + p.lo, (const char *)from + p.lo, p.hi - p.lo, bytes);
}

/* A copy that uses the threads when it is long. */
NESL_OWN void
nesl_copy(void *to, const void *from, i64 bytes)
{
	const i64 nc = nesl_shares(bytes / 64);

	NESL_EACH(c, nc, nesl_copy_part(to, from, nesl_part_of(bytes, c, nc), bytes));
}

/* -- what is kept: arrays that are made before it is known how long they are ---------------------- */
/* The bytes of n elements of this size; 0: of the offsets of n rows. */
NESL_OWN i64
nesl_bytes(i64 n, i64 size)
{
	return size ? n * size : (n + 1) * 8;
}

/* Is there memory for all of them, n[i] elements of n[i + 1] bytes?  Where there is a limit what is kept is counted first, so that
 * nothing is refused that has room. */
NESL_OWN int
nesl_has_room_all(int pairs, const i64 *n)
{
	i64 bytes = 0;

	for (int i = 0; i < pairs; i += 2) {
		if (n[i] > INT64_MAX / 64)
			return 0;
		bytes += nesl_block_size(nesl_bytes(n[i], n[i + 1]));
	}
	return nesl_mem_limit == INT64_MAX && (bytes < 1 << 20 || bytes <= nesl_memory() - nesl_blocks.used);
}

#define nesl_has_room(...) \
	nesl_has_room_all((int)(sizeof (const i64[]){__VA_ARGS__} / sizeof(i64)), (const i64[]){__VA_ARGS__})

/* Room for as many elements as may be; until nesl_kept it has no bytes. */
NESL_OWN nesl_vec *
nesl_new_most(i64 most, i64 size)
{
	const i64 before = nesl_blocks.most_used;
	nesl_vec *v = nesl_scratch(nesl_bytes(most, size));

	if (!nesl_mine)
		nesl_blocks.most_used = before;
	v->count = most + (size == 0);
	if (size == 0)
		*(i64 *)v->data = 0;
	return v;
}

/* v with the first n elements.  If these are few they are moved, as the next array may want all that v had.  What was never
 * touched stays with v, and takes no memory, so that the next array as long finds what v touched; but it counts as used, so only
 * as long as all is little beside what the machine has. */
NESL_OWN nesl_vec *
nesl_kept(nesl_vec *v, i64 n, i64 size)
{
	const i64 bytes = nesl_bytes(n, size);
	nesl_vec *r = v;

	if (!NESL_POOL || n <= 0 || 4 * nesl_block_size(bytes) < v->size) {
		r = size ? nesl_new(n, size) : nesl_new_segdes(n);
		if (n > 0)
			nesl_copy(r->data, v->data, bytes);
		nesl_free(v);
		return r;
	}
	n = nesl_counted(n);
	if (v->state == NESL_USED + NESL_WARM || (!nesl_mine && nesl_blocks.used > nesl_memory() / 8))
		nesl_shorten(v, bytes);
	if (!nesl_mine && nesl_blocks.used > nesl_blocks.most_used)
		nesl_blocks.most_used = nesl_blocks.used;
	v->count = n + (size == 0);
	nesl_unsized(v);
	nesl_sized_as(v, bytes);
	return v;
}

/* What a chunk keeps before it is known where it goes, so many bytes for each thread. */
NESL_OWN nesl_vec *
nesl_asides(i64 bytes)
{
	nesl_vec *v = nesl_scratch(nesl_threads() * bytes);

	v->count = bytes;
	return v;
}

/* The running thread's; NULL: there are none. */
NESL_OWN char *
nesl_aside(const nesl_vec *asides)
{
	return asides ? (char *)asides->data + nesl_thread() * asides->count : NULL;
}

/* How many elements they have. */
NESL_OWN i64
nesl_area(i64 n, i64 k)
{
	if (n > 0 && k > INT64_MAX / n)
		nesl_too_long(INT64_MAX);
	return n > 0 && k > 0 ? nesl_counted(n * k) : 0;
}

NESL_OWN i64 nesl_grid_rows(nesl_grid g) { return g.rows; }
NESL_OWN i64 nesl_grid_total(nesl_grid g) { return nesl_area(g.rows, g.length); }

NESL_OWN void
nesl_offsets_part(i64 *off, i64 length, nesl_part p)
{
	for (i64 i = p.lo; i < p.hi; i++)
		off[i] = i * length;
}

NESL_OWN nesl_vec *
nesl_offsets(nesl_grid g)
{
	nesl_vec *r = nesl_new_kept(g.rows);
	const i64 nc = nesl_shares(r->count);

	nesl_grid_total(g);             /* it can be counted */
	nesl_in_library(0, g.rows * 8);
	if (g.rows > 0)
		NESL_EACH(c, nc, nesl_offsets_part(r->data, g.length, nesl_part_of(r->count, c, nc)));
	return r;
}

NESL_OWN void
nesl_compose_part(i64 *off, const i64 *outer, const nesl_vec *inner, nesl_part p)
{
	const i64 *b = inner->data;

	for (i64 i = p.lo; i < p.hi; i++)
		off[i] = nesl_in(outer[i], inner->count) ? b[outer[i]] : 0;
}

/* outer's rows are of rows of inner: descriptor of the flattened. */
NESL_OWN nesl_vec *
nesl_compose(nesl_task_stats *op, const nesl_vec *outer, const nesl_vec *inner)
{
	nesl_op_begins();
	nesl_vec *r = nesl_new_segdes(nesl_rows(outer));
	const i64 nc = nesl_shares(r->count);

	NESL_EACH(c, nc, nesl_compose_part(r->data, outer->data, inner, nesl_part_of(r->count, c, nc)));
	nesl_op_ran(op, nesl_rows(r) * 16, nesl_rows(r) * 8);
	return r;
}

/* The only one with something in it is the result. */
NESL_OWN nesl_vec *
nesl_append(nesl_task_stats *op, i64 size, int n, nesl_vec *const *v)
{
	i64 count = 0;
	nesl_vec *r = NULL;
	char *to;

	for (int k = 0; k < n; k++) {
		r = v[k]->count == 0 ? r : count == 0 ? v[k] : NULL;
		count += v[k]->count;
	}
	if (r) {
		nesl_retain(r);
		return r;
	}
	nesl_op_begins();
	r = nesl_new(count, size);
	to = r->data;
	for (int k = 0; k < n; k++) {
		if (v[k]->count)
			nesl_copy(to, v[k]->data, v[k]->count * size);
		to += v[k]->count * size;
	}
	nesl_op_ran(op, count * size, count * size);
	return r;
}

/* Where a vector that has grown a few times has to be copied, there is room for as much again: a sequence of these copies each
 * element a bounded number of times, and one that is appended to once takes what it needs. */
enum { NESL_GROWN_OFTEN = 3 };

/* How many bytes of its block an array has given up at the front (nesl_piece).  When they are as many as its own it goes there: each
 * element is moved a bounded number of times. */
NESL_OWN i64
nesl_bytes_before(nesl_vec *v, i64 size)
{
	char *const front = (char *)v + NESL_HEAD;
	const i64 before = v->size > 0 ? (char *)v->data - front : 0;

	if (before == 0 || before < v->count * size)
		return before;
	memcpy(front, v->data, (size_t)(v->count * size));
	v->data = front;
	return 0;
}

/* a, which is taken over, with room for `count` elements, of which it has the first: itself, if b, which comes next, is another, or a
 * copy.  How many bytes are moved for that is added to *moved. */
NESL_OWN nesl_vec *
nesl_grown(nesl_vec *a, const nesl_vec *b, i64 count, i64 size, i64 *moved)
{
	nesl_vec *r = a;

	if (a->refs != 1 || a == b || !nesl_grows(a, nesl_bytes_before(a, size) + count * size)) {
		r = nesl_array(a->grown < NESL_GROWN_OFTEN ? count : 2 * count, size);
		r->grown = (char)(a->grown < NESL_GROWN_OFTEN ? a->grown + 1 : a->grown);
		nesl_copy(r->data, a->data, a->count * size);
		*moved += a->count * size;
		nesl_free(a);
	}
	r->count = count;
	return r;
}

/* a, which is taken over, and then b. */
NESL_OWN nesl_vec *
nesl_extend(nesl_task_stats *op, i64 size, nesl_vec *a, nesl_vec *b)
{
	const i64 before = a->count * size, count = nesl_counted(a->count + b->count);
	i64 moved = b->count * size;
	nesl_vec *r;

	if (b->count == 0)
		return a;
	if (a->count == 0) {
		nesl_free(a);
		nesl_retain(b);
		return b;
	}
	nesl_op_begins();
	r = nesl_grown(a, b, count, size, &moved);
	nesl_copy((char *)r->data + before, b->data, b->count * size);
	nesl_op_ran(op, moved, moved);
	return r;
}

/* a, which is taken over, and then n elements from host memory. */
NESL_OWN nesl_vec *
nesl_push(nesl_task_stats *op, i64 size, nesl_vec *a, i64 n, const void *from)
{
	const i64 before = a->count * size;
	i64 moved = n * size;
	nesl_vec *r;

	nesl_op_begins();
	r = nesl_grown(a, NULL, nesl_counted(a->count + n), size, &moved);
	memcpy((char *)r->data + before, from, (size_t)(n * size));
	nesl_op_ran(op, moved, moved);
	return r;
}

/* n elements of v, which is taken over, from place `from` on: where v has them, if they are three eighths of it.  So what is popped and pushed
 * in turn is not moved each time.  (Places where v has none, which a check tells of, are 0.) */
NESL_OWN nesl_vec *
nesl_piece(nesl_task_stats *op, i64 size, nesl_vec *v, i64 from, i64 n)
{
	const i64 count = n > 0 ? n : 0, moved = count * size;
	const int there = from >= 0 && from <= v->count - count;
	nesl_vec *r;

	if (v->refs == 1 && there && (from == 0 || v->size > 0) && 8 * moved >= 3 * v->bytes) {
		v->data = (char *)v->data + from * size;
		v->count = count;
		return v;
	}
	nesl_op_begins();
	r = nesl_new(count, size);
	r->grown = v->grown;
	if (there)
		nesl_copy(r->data, (char *)v->data + from * size, moved);
	else
		memset(r->data, 0, (size_t)moved);
	nesl_free(v);
	nesl_op_ran(op, moved, moved);
	return r;
}

NESL_OWN void
nesl_concat_part(i64 *to, const i64 *off, i64 base, nesl_part p)
{
	for (i64 i = p.lo; i < p.hi; i++)
		to[i] = base + off[i];
}

/* The rows of each descriptor, one after the other. */
NESL_OWN nesl_vec *
nesl_concat(nesl_task_stats *op, int n, nesl_vec *const *s)
{
	i64 rows = 0, base = 0;
	nesl_vec *r;
	i64 *to;

	nesl_op_begins();
	for (int k = 0; k < n; k++)
		rows += nesl_rows(s[k]);
	r = nesl_new_kept(rows);
	to = r->data;
	for (int k = 0; k < n; k++) {
		const i64 *off = s[k]->data;
		const i64 more = nesl_rows(s[k]), nc = nesl_shares(more);

		NESL_EACH(c, nc, nesl_concat_part(to + 1, off + 1, base, nesl_part_of(more, c, nc)));
		to += more;
		base += nesl_total(s[k]);
	}
	nesl_op_ran(op, rows * 8, rows * 8);
	return r;
}

/* The rows of a, which is taken over, and then those of b. */
NESL_OWN nesl_vec *
nesl_extend_rows(nesl_task_stats *op, nesl_vec *a, nesl_vec *b)
{
	const i64 rows = nesl_rows(a), more = nesl_rows(b), base = nesl_total(a), nc = nesl_shares(more);
	i64 moved = more * 8;
	nesl_vec *r;

	nesl_total(b);
	if (more == 0)
		return a;
	if (rows == 0) {
		nesl_free(a);
		nesl_retain(b);
		return b;
	}
	nesl_op_begins();
	r = nesl_grown(a, b, nesl_counted(rows + more) + 1, 8, &moved);
	r->known = 1;
	NESL_EACH(c, nc, nesl_concat_part((i64 *)r->data + rows + 1, (const i64 *)b->data + 1, base, nesl_part_of(more, c, nc)));
	nesl_op_ran(op, moved, moved);
	return r;
}

NESL_OWN void
nesl_rows_part(i64 *to, const i64 *off, nesl_part p)
{
	for (i64 i = p.lo; i < p.hi; i++)
		to[i] = off[i] - off[-1];
}

/* n rows of s, which is taken over, from row `from` on, likewise: where s has them, if it begins with them.  (Rows that s has not are empty.) */
NESL_OWN nesl_vec *
nesl_piece_rows(nesl_task_stats *op, nesl_vec *s, i64 from, i64 n)
{
	const i64 rows = n > 0 ? n : 0, moved = rows * 8, nc = nesl_shares(rows);
	const int there = from >= 0 && from <= nesl_rows(s) - rows;
	nesl_vec *r;

	if (rows > 0 && s->refs == 1 && there && from == 0 && 8 * (moved + 8) >= 3 * s->bytes) {
		s->count = rows + 1;
		s->known = 0;
		return s;
	}
	nesl_op_begins();
	r = nesl_new_segdes(rows);
	if (rows > 0) {
		r->grown = s->grown;
		if (there)
			NESL_EACH(c, nc, nesl_rows_part((i64 *)r->data + 1, (const i64 *)s->data + from + 1, nesl_part_of(rows, c, nc)));
		else
			memset(r->data, 0, (size_t)(moved + 8));
	}
	nesl_free(s);
	nesl_op_ran(op, moved, moved);
	return r;
}

/* n elements from host memory. */
NESL_OWN nesl_vec *
nesl_vector(i64 size, i64 n, const void *from)
{
	nesl_vec *r = nesl_new(n, size);

	nesl_in_library(0, n * size);
	if (n > 0)
		memcpy(r->data, from, (size_t)(n * size));
	return r;
}

NESL_OWN nesl_vec *
nesl_chars(const char *text, i64 n)
{
	nesl_vec *r = nesl_new(n, 4);
	c32 *to = r->data;

	nesl_in_library(0, n * 4);
	for (i64 i = 0; i < n; i++)
		to[i] = (unsigned char)text[i];
	return r;
}

#endif
