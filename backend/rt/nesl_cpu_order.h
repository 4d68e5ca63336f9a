#ifndef NESL_CPU_ORDER_H
#define NESL_CPU_ORDER_H
/* rank and sort: keys, with positions, in order, stably. */

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

/* Of n elements; scratch: nesl_order_room of them, or of more. */
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

/* The bytes that a row of n elements, or of less, is ordered in. */
NESL_OWN i64
nesl_order_room(i64 n)
{
	const i64 few = 2 * (n < NESL_SHORT ? n : NESL_SHORT) * (i64)sizeof(nesl_ranked), many = 2 * n * (i64)sizeof(uint64_t);

	return n > NESL_SHORT && many > few ? many : few;
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
	nesl_vec *scratch = nesl_scratch(nesl_order_room(v->count));

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
	i64 most;               /* elements of a row that one thread orders */
	const nesl_vec *v;
	nesl_vec *r;
	int is_float, down;
} nesl_rows_to_order;

/* Elements lo..hi-1. */
NESL_OWN void
nesl_order_at(const nesl_rows_to_order *o, void *scratch, i64 lo, i64 hi)
{
	const nesl_keys keys = {(const char *)o->v->data + lo * nesl_key_size(o->is_float), o->is_float, o->down};

	if (lo < hi)
		nesl_order_row(o->what, scratch, &keys, hi - lo, (char *)o->r->data + lo * o->size);
}

/* The most elements that a row from one border to the next has: of those that one thread orders, and of the others. */
NESL_OWN void
nesl_longest_rows(const nesl_rows_to_order *o, const i64 *off, const nesl_border *cut, i64 *fits, i64 *longer)
{
	i64 longest[2] = {0, 0};

	for (i64 k = cut[0].row; k < cut[1].row; k++) {
		const i64 n = off[k + 1] - off[k];
		i64 *at = &longest[n > o->most];

		*at = n > *at ? n : *at;
	}
	*fits = longest[0];
	*longer = longest[1];
}

/* The rows from one border to the next that one thread orders. */
NESL_OWN void
nesl_order_part(const nesl_rows_to_order *o, void *scratch, const i64 *off, const nesl_border *cut)
{
	for (i64 k = cut[0].row; k < cut[1].row; k++)
		if (off[k + 1] - off[k] <= o->most)
			nesl_order_at(o, scratch, off[k], off[k + 1]);
}

/* Within each row, in room for the longest that a chunk may have.  Rows that are longer than a chunk are ordered by all threads, one
 * after the other. */
NESL_OWN nesl_vec *
nesl_seg_order(nesl_task_stats *op, nesl_order_of what, const nesl_vec *s, const nesl_vec *v, int is_float, int down)
{
	const i64 size = nesl_order_size(what, is_float);
	const i64 *off = s->data, rows = nesl_rows(s), nc = nesl_shares(v->count);
	nesl_vec *r = nesl_new(v->count, size), *scratch;
	const nesl_rows_to_order o = {what, size, nc > 1 ? v->count / nc : v->count, v, r, is_float, down};
	nesl_border cut[NESL_CHUNKS + 1];
	i64 fits[NESL_CHUNKS], longer[NESL_CHUNKS], room, most;

	nesl_op_begins();
	nesl_cut(cut, off, rows, nc);
	NESL_EACH(c, nc, nesl_longest_rows(&o, off, &cut[c], &fits[c], &longer[c]));
	for (i64 c = 1; c < nc; c++) {
		fits[0] = fits[c] > fits[0] ? fits[c] : fits[0];
		longer[0] = longer[c] > longer[0] ? longer[c] : longer[0];
	}
	room = nesl_order_room(fits[0]);
	most = nesl_order_room(longer[0]);
	scratch = nesl_scratch(nc * room > most ? nc * room : most);
	NESL_EACH(c, nc, nesl_order_part(&o, (char *)scratch->data + c * room, off, &cut[c]));
	for (i64 k = 0; longer[0] > 0 && k < rows; k++)
		if (off[k + 1] - off[k] > o.most)
			nesl_order_at(&o, scratch->data, off[k], off[k + 1]);
	nesl_free(scratch);
	nesl_op_ran(op, v->count * nesl_key_size(is_float) + rows * 8, v->count * size);
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
