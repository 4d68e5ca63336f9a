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

NESL_OWN i64
nesl_host_row_start(const nesl_vec *s, i64 i)
{
	return nesl_reads(i, nesl_rows(s)) ? ((i64 *)s->data)[i] : 0;
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
nesl_copy_part(void *to, const void *from, nesl_part p)
{
	if (p.lo < p.hi)
		memcpy((char *)to + p.lo, (const char *)from + p.lo, (size_t)(p.hi - p.lo));
}

/* A copy that uses the threads when it is long. */
NESL_OWN void
nesl_copy(void *to, const void *from, i64 bytes)
{
	const i64 nc = nesl_shares(bytes / 64);

	NESL_EACH(c, nc, nesl_copy_part(to, from, nesl_part_of(bytes, c, nc)));
}

/* -- what is kept: arrays that are made before it is known how long they are ---------------------- */
/* The bytes of n elements of this size; 0: of the offsets of n rows. */
NESL_OWN i64
nesl_bytes(i64 n, i64 size)
{
	return size ? n * size : (n + 1) * 8;
}

/* Is there memory for all of them, n[i] elements of n[i + 1] bytes? */
NESL_OWN int
nesl_has_room_all(int pairs, const i64 *n)
{
	i64 bytes = 0;

	for (int i = 0; i < pairs; i += 2) {
		if (n[i] > INT64_MAX / 64)
			return 0;
		bytes += nesl_block_size(nesl_bytes(n[i], n[i + 1]));
	}
	return bytes <= nesl_mem_limit - nesl_blocks.used && (bytes < 1 << 20 || bytes <= nesl_memory() - nesl_blocks.used);
}

#define nesl_has_room(...) \
	nesl_has_room_all((int)(sizeof (const i64[]){__VA_ARGS__} / sizeof(i64)), (const i64[]){__VA_ARGS__})

/* Room for as many elements as may be; until nesl_kept it has no bytes. */
NESL_OWN nesl_vec *
nesl_new_most(i64 most, i64 size)
{
	nesl_vec *v;
	i64 before;

	nesl_lock();
	before = nesl_blocks.most_used;
	v = nesl_scratch(nesl_bytes(most, size));
	nesl_blocks.most_used = before;
	nesl_unlock();
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
	nesl_lock();
	if (v->state == NESL_USED + NESL_WARM || nesl_mem_limit < INT64_MAX || nesl_blocks.used > nesl_memory() / 8)
		nesl_shorten(v, bytes);
	if (nesl_blocks.used > nesl_blocks.most_used)
		nesl_blocks.most_used = nesl_blocks.used;
	v->count = n + (size == 0);
	nesl_sized_as(v, bytes);
	nesl_unlock();
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

/* a, which is taken over, and then b. */
NESL_OWN nesl_vec *
nesl_extend(nesl_task_stats *op, i64 size, nesl_vec *a, nesl_vec *b)
{
	const i64 count = nesl_counted(a->count + b->count);
	nesl_vec *r = a;
	i64 moved = b->count * size;

	if (b->count == 0)
		return a;
	if (a->count == 0) {
		nesl_free(a);
		nesl_retain(b);
		return b;
	}
	nesl_op_begins();
	if (a->refs != 1 || a == b || !nesl_grows(a, count * size)) {
		r = nesl_array(a->grown < NESL_GROWN_OFTEN ? count : 2 * count, size);
		r->grown = (char)(a->grown < NESL_GROWN_OFTEN ? a->grown + 1 : a->grown);
		nesl_copy(r->data, a->data, a->count * size);
		moved += a->count * size;
	}
	nesl_copy((char *)r->data + a->count * size, b->data, b->count * size);
	r->count = count;
	if (r != a)
		nesl_free(a);
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

/* -- elements for places: where these are more than a cache holds and indices jump about among them, each thread has some of
 * the places, and looks among all indices for those of them.  What comes to one place does so in order, by any number of
 * threads ---------------------------------------------------------------------------------------------------------------- */
enum { NESL_LISTED = 1024, NESL_CACHED = 4096 * NESL_GRAIN, NESL_SAMPLES = 64, NESL_NEAR = 4096 };

/* Do indices jump about, so that each is waited for?  Some are looked at, and what follows them. */
NESL_OWN int
nesl_jump_about(i64 size, const nint *at, i64 n)
{
	int far = 0;

	for (i64 s = 0; s < NESL_SAMPLES; s++) {
		const i64 k = nesl_lo(n - 1, s, NESL_SAMPLES), step = (i64)at[k + 1] - (i64)at[k];

		far += step > NESL_NEAR / size || step < -NESL_NEAR / size;
	}
	return far > NESL_SAMPLES / 2;
}

/* How many parts of the places there are for n indices; one if a thread alone is as fast. */
NESL_OWN i64
nesl_place_parts(i64 places, i64 size, const nint *at, i64 n)
{
	const i64 threads = nesl_threads(), parts = nesl_shares(n);

	if (threads == 1 || parts == 1 || places * size < NESL_CACHED || !nesl_jump_about(size, at, n))
		return 1;
	return parts < threads ? parts : threads;
}

/* Which of the indices of `some` are of these places.  Without a jump: there is no telling which are. */
NESL_OWN i64
nesl_list(i64 *list, const nint *at, nesl_part some, nesl_part places)
{
	i64 n = 0;

	for (i64 k = some.lo; k < some.hi; k++) {
		list[n] = k;
		n += (uint64_t)(at[k] - places.lo) < (uint64_t)(places.hi - places.lo);
	}
	return n;
}

/* `what`, for each k of n whose index is of these places, in order; all of them: those of `count`. */
#define NESL_EACH_PLACED(k, at, n, places, count, what) \
	do { \
		if ((places).hi - (places).lo == (count)) { \
			for (i64 k = 0; k < (n); k++) \
				if (nesl_in((at)[k], (count))) \
					what; \
		} else { \
			i64 list_[NESL_LISTED]; \
			for (i64 lo_ = 0; lo_ < (n); lo_ += NESL_LISTED) { \
				const i64 hi_ = (n) - lo_ < NESL_LISTED ? (n) : lo_ + NESL_LISTED; \
				const i64 m_ = nesl_list(list_, (at), (nesl_part){lo_, hi_}, (places)); \
				for (i64 j_ = 0; j_ < m_; j_++) { \
					const i64 k = list_[j_]; \
					what; \
				} \
			} \
		} \
	} while (0)

/* Which of the indices are the first for their place; of those of no place nothing is said. */
NESL_OWN void
nesl_first_of_each(b8 *ok, b8 *mark, const nint *at, i64 n, nesl_part places)
{
	if (places.hi > places.lo)
		memset(mark + places.lo, 0, (size_t)(places.hi - places.lo));
	NESL_EACH_PLACED(k, at, n, places, n, (ok[k] = !mark[at[k]], mark[at[k]] = 1));
}

/* r[k]: is i[k] in range, and no earlier one equal to it? */
NESL_OWN nesl_vec *
nesl_permute_ok(nesl_task_stats *op, const nesl_vec *i)
{
	const i64 n = i->count, parts = nesl_place_parts(n, 1, i->data, n);
	nesl_vec *r = nesl_new(n, 1), *seen = nesl_new(n, 1);

	nesl_op_begins();
	if (n > 0)
		memset(r->data, 0, (size_t)n);
	NESL_EACH(c, parts, nesl_first_of_each(r->data, seen->data, i->data, n, nesl_part_of(n, c, parts)));
	nesl_free(seen);
	nesl_op_ran(op, n * (i64)(sizeof(nint) + 1), n * 3);
	return r;
}

/* d, which is taken over, to be written to: itself if nobody else has it, else a copy. */
NESL_OWN nesl_vec *
nesl_taken(nesl_vec *d, i64 size)
{
	nesl_vec *r = nesl_sole(d) || d->count == 0 ? d : nesl_new(d->count, size);

	if (r == d)
		return d;
	nesl_in_library(d->count * size, d->count * size);
	nesl_copy(r->data, d->data, d->count * size);
	nesl_free(d);
	return r;
}

/* Elements of a size that is a constant where this is called. */
NESL_EACH_CALL void
nesl_put_of(i64 size, const nesl_vec *r, const nesl_vec *v, const nesl_vec *i, i64 n, nesl_part places)
{
	const nint *const restrict at = i->data;
	const char *const restrict from = v->data;
	char *const restrict to = r->data;

	NESL_EACH_PLACED(k, at, n, places, r->count, memcpy(to + at[k] * size, from + k * size, (size_t)size));
}

NESL_OWN void
nesl_put_part(i64 size, const nesl_vec *r, const nesl_vec *v, const nesl_vec *i, i64 n, nesl_part places)
{
	if (size == 8)
		nesl_put_of(8, r, v, i, n, places);
	else if (size == 4)
		nesl_put_of(4, r, v, i, n, places);
	else
		nesl_put_of(1, r, v, i, n, places);
}

/* d, which is taken over, with v[k] at i[k], the last k wins; an index out of range is ignored. */
NESL_OWN nesl_vec *
nesl_put(nesl_task_stats *op, i64 size, nesl_vec *d, const nesl_vec *v, const nesl_vec *i)
{
	nesl_vec *r = nesl_sole(d) && d != v && d != i ? d : nesl_new(d->count, size);
	const i64 n = v->count < i->count ? v->count : i->count, parts = nesl_place_parts(r->count, size, i->data, n);

	const i64 copied = r == d ? 0 : d->count * size;

	nesl_op_begins();
	if (copied)
		nesl_copy(r->data, d->data, copied);
	NESL_EACH(c, parts, nesl_put_part(size, r, v, i, n, nesl_part_of(r->count, c, parts)));
	nesl_op_ran(op, copied + n * (size + (i64)sizeof(nint)), copied + n * size);
	nesl_replaced(d, r);
	return r;
}

/* -- rank and sort: keys, with positions, in order, stably ------------------------------------------ */
typedef struct { uint64_t key; i64 pos; } nesl_ranked;
enum { NESL_SHORT = 1500, NESL_RADIX_CHUNKS = 32 };     /* rows that are merged; how many chunks a pass has at most */
/* Elements and their order; down: greatest first. */
typedef struct { const void *at; int is_float, down; } nesl_keys;

NESL_OWN uint64_t
nesl_key_int(nint x)
{
	return (uint64_t)(i64)x ^ (uint64_t)1 << 63;
}

/* Ordered as floats are, -0.0 below 0.0. */
NESL_OWN uint64_t
nesl_key_f64(f64 x)
{
	uint64_t u;

	memcpy(&u, &x, 8);
	return u >> 63 ? ~u : u | (uint64_t)1 << 63;
}

/* A NaN is above all numbers. */
NESL_OWN uint64_t
nesl_key(const nesl_keys *v, i64 k)
{
	const f64 x = v->is_float ? ((const f64 *)v->at)[k] : 0;
	const uint64_t key = x != x ? UINT64_MAX : v->is_float ? nesl_key_f64(x) : nesl_key_int(((const nint *)v->at)[k]);

	return v->down ? ~key : key;
}

/* The element of a key.  Of a NaN that it is one is all that can be seen. */
NESL_OWN void
nesl_put_key(void *to, i64 k, uint64_t key, int is_float)
{
	const uint64_t top = (uint64_t)1 << 63, u = key & top ? key ^ top : ~key;

	if (is_float)
		memcpy((f64 *)to + k, &u, 8);
	else
		((nint *)to)[k] = (nint)(key ^ top);
}

NESL_OWN void
nesl_insertion(nesl_ranked *a, i64 n)
{
	for (i64 i = 1; i < n; i++) {
		const nesl_ranked x = a[i];
		i64 k = i;

		for (; k > 0 && a[k - 1].key > x.key; k--)
			a[k] = a[k - 1];
		a[k] = x;
	}
}

NESL_OWN void
nesl_merge(nesl_ranked *to, const nesl_ranked *from, i64 lo, i64 mid, i64 hi)
{
	i64 a = lo, b = mid;

	for (i64 k = lo; k < hi; k++)
		to[k] = a < mid && (b >= hi || from[a].key <= from[b].key) ? from[a++] : from[b++];
}

/* Runs of 16 by insertion, then merges back and forth.  The result is where it returns. */
NESL_OWN nesl_ranked *
nesl_merge_sort(nesl_ranked *a, nesl_ranked *b, i64 n)
{
	for (i64 lo = 0; lo < n; lo += 16)
		nesl_insertion(a + lo, n - lo < 16 ? n - lo : 16);
	for (i64 w = 16; w < n; w *= 2) {
		nesl_ranked *const t = a;

		for (i64 lo = 0; lo < n; lo += 2 * w)
			nesl_merge(b, a, lo, lo + w < n ? lo + w : n, lo + 2 * w < n ? lo + 2 * w : n);
		a = b;
		b = t;
	}
	return a;
}

/* n <= 1500; a, b: n each.  The result is where it returns. */
NESL_OWN const nesl_ranked *
nesl_order_short(nesl_ranked *a, nesl_ranked *b, const nesl_keys *v, i64 n)
{
	for (i64 k = 0; k < n; k++)
		a[k] = (nesl_ranked){nesl_key(v, k), k};
	return nesl_merge_sort(a, b, n);
}

NESL_OWN i64
nesl_radix_chunks(i64 n)
{
	const i64 most = n / NESL_GRAIN;

	return most < 2 ? 1 : most < NESL_RADIX_CHUNKS ? most : NESL_RADIX_CHUNKS;
}

NESL_OWN void
nesl_key_range(const nesl_keys *v, nesl_part p, uint64_t *least, uint64_t *greatest)
{
	uint64_t lo = UINT64_MAX, hi = 0;

	for (i64 k = p.lo; k < p.hi; k++) {
		const uint64_t key = nesl_key(v, k);

		lo = key < lo ? key : lo;
		hi = key > hi ? key : hi;
	}
	*least = lo;
	*greatest = hi;
}

/* The least key, and how many bits the others have above it. */
NESL_OWN int
nesl_key_bits(const nesl_keys *v, i64 n, i64 nc, uint64_t *from)
{
	uint64_t least[NESL_RADIX_CHUNKS], greatest[NESL_RADIX_CHUNKS];
	int bits = 0;

	NESL_EACH(c, nc, nesl_key_range(v, nesl_part_of(n, c, nc), &least[c], &greatest[c]));
	for (i64 c = 1; c < nc; c++) {
		least[0] = least[c] < least[0] ? least[c] : least[0];
		greatest[0] = greatest[c] > greatest[0] ? greatest[c] : greatest[0];
	}
	while (bits < 64 && (greatest[0] - least[0]) >> bits)
		bits++;
	*from = least[0];
	return bits;
}

NESL_OWN void
nesl_radix_count(i64 *at, const uint64_t *a, nesl_part p, int shift)
{
	memset(at, 0, 256 * sizeof *at);
	for (i64 i = p.lo; i < p.hi; i++)
		at[a[i] >> shift & 255]++;
}

NESL_OWN void
nesl_radix_move(uint64_t *b, i64 *at, const uint64_t *a, nesl_part p, int shift)
{
	for (i64 i = p.lo; i < p.hi; i++)
		b[at[a[i] >> shift & 255]++] = a[i];
}

/* One pass: a -> b, stably by the 8 bits from `shift` on.  Each chunk counts, and then moves its own. */
NESL_OWN void
nesl_radix_pass(uint64_t *b, const uint64_t *a, i64 n, int shift, i64 nc)
{
	i64 at[NESL_RADIX_CHUNKS][256], sum = 0;

	NESL_EACH(c, nc, nesl_radix_count(at[c], a, nesl_part_of(n, c, nc), shift));
	for (int d = 0; d < 256; d++)
		for (i64 c = 0; c < nc; c++) {
			const i64 here = at[c][d];

			at[c][d] = sum;
			sum += here;
		}
	NESL_EACH(c, nc, nesl_radix_move(b, at[c], a, nesl_part_of(n, c, nc), shift));
}

/* Bits of the keys from `done` on, in `room` of them, and where the key is. */
NESL_OWN void
nesl_rank_words(uint64_t *a, const nesl_keys *v, nesl_part p, uint64_t least, int done, int room)
{
	const uint64_t mask = ((uint64_t)1 << (64 - room)) - 1;

	for (i64 k = p.lo; k < p.hi; k++) {
		const uint64_t at = done ? a[k] & mask : (uint64_t)k;

		a[k] = (nesl_key(v, (i64)at) - least) >> done << (64 - room) | at;
	}
}

NESL_OWN void
nesl_put_ranks(nint *rank, const uint64_t *a, nesl_part p, uint64_t mask)
{
	for (i64 k = p.lo; k < p.hi; k++)
		rank[a[k] & mask] = (nint)k;
}

/* The least key is subtracted; then an element is one word, its position below as many bits of its key as there is room
 * for, least ones first.  Bits that all keys share cost nothing.  a, b: n words each. */
NESL_OWN void
nesl_rank_long(uint64_t *a, uint64_t *b, const nesl_keys *v, i64 n, nint *rank)
{
	const i64 nc = nesl_radix_chunks(n);
	uint64_t least;
	const int bits = nesl_key_bits(v, n, nc, &least);
	int room = 64, done = 0;

	while (n >> (64 - room))
		room--;
	do {
		const int end = bits - done < room ? bits - done : room;

		NESL_EACH(c, nc, nesl_rank_words(a, v, nesl_part_of(n, c, nc), least, done, room));
		for (int bit = 0; bit < end; bit += 8) {
			uint64_t *const t = a;

			nesl_radix_pass(b, a, n, 64 - room + bit, nc);
			a = b;
			b = t;
		}
		done += room;
	} while (done < bits);
	NESL_EACH(c, nc, nesl_put_ranks(rank, a, nesl_part_of(n, c, nc), ((uint64_t)1 << (64 - room)) - 1));
}

NESL_OWN void
nesl_sort_words(uint64_t *a, const nesl_keys *v, nesl_part p, uint64_t least)
{
	for (i64 k = p.lo; k < p.hi; k++)
		a[k] = nesl_key(v, k) - least;
}

NESL_OWN void
nesl_put_keys(void *to, const uint64_t *a, nesl_part p, uint64_t least, int is_float)
{
	for (i64 k = p.lo; k < p.hi; k++)
		nesl_put_key(to, k, a[k] + least, is_float);
}

/* The same of keys alone. */
NESL_OWN void
nesl_sort_long(uint64_t *a, uint64_t *b, const nesl_keys *v, i64 n, void *to)
{
	const i64 nc = nesl_radix_chunks(n);
	uint64_t least;
	const int bits = nesl_key_bits(v, n, nc, &least);

	NESL_EACH(c, nc, nesl_sort_words(a, v, nesl_part_of(n, c, nc), least));
	for (int bit = 0; bit < bits; bit += 8) {
		uint64_t *const t = a;

		nesl_radix_pass(b, a, n, bit, nc);
		a = b;
		b = t;
	}
	NESL_EACH(c, nc, nesl_put_keys(to, a, nesl_part_of(n, c, nc), least, v->is_float));
}

/* What is asked of a row: the elements in order, or the position of each. */
typedef enum { NESL_RANKS, NESL_SORTS } nesl_order_of;

/* Of n elements; scratch: what nesl_order_scratch gives for them. */
NESL_OWN void
nesl_order_row(nesl_order_of what, void *scratch, const nesl_keys *v, i64 n, void *to)
{
	const nesl_ranked *r;

	if (n > NESL_SHORT && what == NESL_SORTS) {
		nesl_sort_long(scratch, (uint64_t *)scratch + n, v, n, to);
	} else if (n > NESL_SHORT) {
		nesl_rank_long(scratch, (uint64_t *)scratch + n, v, n, to);
	} else {
		r = nesl_order_short(scratch, (nesl_ranked *)scratch + n, v, n);
		for (i64 k = 0; k < n; k++)
			if (what == NESL_SORTS)
				nesl_put_key(to, k, r[k].key, v->is_float);
			else
				((nint *)to)[r[k].pos] = (nint)k;
	}
}

/* For rows of n elements together that may be short, or one that is as long. */
NESL_OWN nesl_vec *
nesl_order_scratch(i64 n, int rows)
{
	return nesl_scratch(2 * n * (i64)(rows || n <= NESL_SHORT ? sizeof(nesl_ranked) : sizeof(uint64_t)));
}

NESL_OWN i64
nesl_key_size(int is_float)
{
	return (i64)(is_float ? sizeof(f64) : sizeof(nint));
}

NESL_OWN i64
nesl_order_size(nesl_order_of what, int is_float)
{
	return what == NESL_SORTS ? nesl_key_size(is_float) : (i64)sizeof(nint);
}

/* All elements. */
NESL_OWN nesl_vec *
nesl_order(nesl_task_stats *op, nesl_order_of what, const nesl_vec *v, int is_float, int down)
{
	const i64 size = nesl_order_size(what, is_float);
	const nesl_keys keys = {v->data, is_float, down};
	nesl_vec *r = nesl_new(v->count, size);
	nesl_vec *scratch = nesl_order_scratch(v->count, 0);

	nesl_op_begins();
	nesl_order_row(what, scratch->data, &keys, v->count, r->data);
	nesl_free(scratch);
	nesl_op_ran(op, v->count * nesl_key_size(is_float), v->count * size);
	return r;
}

/* What all rows have in common. */
typedef struct {
	nesl_order_of what;
	i64 size;               /* of an element of r */
	nesl_ranked *scratch;
	const nesl_vec *v;
	nesl_vec *r;
	int is_float, down;
} nesl_rows_to_order;

/* Elements lo..hi-1, in their part of the scratch. */
NESL_OWN void
nesl_order_at(const nesl_rows_to_order *o, i64 lo, i64 hi)
{
	const nesl_keys keys = {(const char *)o->v->data + lo * nesl_key_size(o->is_float), o->is_float, o->down};

	if (lo < hi)
		nesl_order_row(o->what, o->scratch + 2 * lo, &keys, hi - lo, (char *)o->r->data + lo * o->size);
}

/* The rows from one border to the next that have this many elements at most. */
NESL_OWN void
nesl_order_part(const nesl_rows_to_order *o, const i64 *off, const nesl_border *cut, i64 most)
{
	for (i64 k = cut[0].row; k < cut[1].row; k++)
		if (off[k + 1] - off[k] <= most)
			nesl_order_at(o, off[k], off[k + 1]);
}

/* Within each row; a row uses its part of the scratch.  Rows that are longer than a chunk are ordered by all threads, one
 * after the other. */
NESL_OWN nesl_vec *
nesl_seg_order(nesl_task_stats *op, nesl_order_of what, const nesl_vec *s, const nesl_vec *v, int is_float, int down)
{
	const i64 size = nesl_order_size(what, is_float);
	const i64 *off = s->data, rows = nesl_rows(s), nc = nesl_shares(v->count), most = nc > 1 ? v->count / nc : v->count;
	nesl_vec *r = nesl_new(v->count, size);
	nesl_vec *scratch = nesl_order_scratch(v->count, 1);
	const nesl_rows_to_order o = {what, size, scratch->data, v, r, is_float, down};
	nesl_border cut[NESL_CHUNKS + 1];

	nesl_op_begins();
	nesl_cut(cut, off, rows, nc);
	NESL_EACH(c, nc, nesl_order_part(&o, off, &cut[c], most));
	for (i64 k = 0; k < rows; k++)
		if (off[k + 1] - off[k] > most)
			nesl_order_at(&o, off[k], off[k + 1]);
	nesl_free(scratch);
	nesl_op_ran(op, v->count * nesl_key_size(is_float) + rows * 8, v->count * size);
	return r;
}

/* How many elements of a part come to each row. */
NESL_OWN void
nesl_group_count(i64 *n, i64 rows, const nint *to, nesl_part p)
{
	memset(n, 0, (size_t)rows * 8);
	for (i64 i = p.lo; i < p.hi; i++)
		if (nesl_in(to[i], rows))
			n[to[i]]++;
}

/* Elements of a size that is a constant where this is called go to their rows, where at[k] is the next place of row k. */
NESL_EACH_CALL void
nesl_group_move_of(i64 size, const nesl_vec *row, const nesl_vec *x, const nesl_vec *r, nesl_part p, i64 *at, i64 rows)
{
	const nint *const restrict to = row->data;
	const char *const restrict from = x->data;
	char *const restrict all = r->data;
	i64 *const restrict next = at;
	const i64 n = r->count;

	for (i64 i = p.lo; i < p.hi; i++)
		if (nesl_in(to[i], rows) && next[to[i]] < n)
			memcpy(all + next[to[i]]++ * size, from + i * size, (size_t)size);
}

NESL_OWN void
nesl_group_move(i64 size, const nesl_vec *row, const nesl_vec *x, const nesl_vec *r, nesl_part p, i64 *at, i64 rows)
{
	if (size == 8)
		nesl_group_move_of(8, row, x, r, p, at, rows);
	else if (size == 4)
		nesl_group_move_of(4, row, x, r, p, at, rows);
	else
		nesl_group_move_of(1, row, x, r, p, at, rows);
}

/* x by rows of s, which has as many as come to each.  Each part of the elements but the last counts where the next begins. */
NESL_OWN nesl_vec *
nesl_group(nesl_task_stats *op, i64 size, nesl_vec *s, const nesl_vec *row, const nesl_vec *x)
{
	const i64 n = row->count < x->count ? row->count : x->count, rows = nesl_rows(s);
	const int parts = nesl_tables(nesl_shares(n), n, rows);
	nesl_vec *r = nesl_new(nesl_total(s), size), *tables = nesl_scratch(parts * rows * 8);
	i64 *const table = tables->data;

	nesl_op_begins();
	NESL_EACH(c, parts - 1, nesl_group_count(table + (c + 1) * rows, rows, row->data, nesl_part_of(n, c, parts)));
	memcpy(table, s->data, (size_t)rows * 8);
	for (i64 c = 1; c < parts; c++)
		for (i64 k = 0; k < rows; k++)
			table[c * rows + k] += table[(c - 1) * rows + k];
	NESL_EACH(c, parts, nesl_group_move(size, row, x, r, nesl_part_of(n, c, parts), table + c * rows, rows));
	nesl_free(tables);
	nesl_op_ran(op, n * ((i64)sizeof(nint) + size) + rows * 8, r->count * size);
	return r;
}

NESL_OWN nesl_vec *
nesl_rank(nesl_task_stats *op, const nesl_vec *v, int is_float, int down)
{
	return nesl_order(op, NESL_RANKS, v, is_float, down);
}

NESL_OWN nesl_vec *
nesl_sort(nesl_task_stats *op, const nesl_vec *v, int is_float)
{
	return nesl_order(op, NESL_SORTS, v, is_float, 0);
}

NESL_OWN nesl_vec *
nesl_seg_rank(nesl_task_stats *op, const nesl_vec *s, const nesl_vec *v, int is_float, int down)
{
	return nesl_seg_order(op, NESL_RANKS, s, v, is_float, down);
}

NESL_OWN nesl_vec *
nesl_seg_sort(nesl_task_stats *op, const nesl_vec *s, const nesl_vec *v, int is_float)
{
	return nesl_seg_order(op, NESL_SORTS, s, v, is_float, 0);
}

#endif
