#ifndef NESL_CPU_SCAN_H
#define NESL_CPU_SCAN_H
/* The scan by a function of the program (basis/reduce.nesl, backend/cpu/scan.c), with the applications that the library's definition has.
 *
 * That puts neighbours together, level by level, until one node is left, and on the way down gives each left node what its
 * parent has, and each right one that and the left one's value.  A block is as many elements as are under one node: its levels are in
 * cache.  From block to block goes what the levels above do: of the blocks so far the nodes that are whole, one for each bit of
 * their number, as in a counter that goes up; and what stands before block c is what stands before the block that c without its lowest bit
 * is, and then the node between, which is the last of these. */

enum { NESL_SCANNED = NESL_GRAIN == 1 ? 4 : 1024 };    /* elements of a block, a power of two */

/* What the program has for it.  x: its operands and results; calls: what scalar functions tell; s: of each pair what stands before it.
 * Of n that are not even the last is no pair: it goes up as it is. */
typedef struct {
	i64 size;                       /* of an element, in bytes */
	/* the n elements from lo on, pairs put together; the same of n nodes */
	void (*first)(const void *x, nesl_scalar_calls *calls, i64 lo, i64 n, void *to);
	void (*up)(const void *x, nesl_scalar_calls *calls, const void *from, i64 n, void *to);
	/* what stands before each of these nodes; before each of the elements, as results */
	void (*down)(const void *x, nesl_scalar_calls *calls, const void *s, const void *from, i64 n, void *to);
	void (*last)(const void *x, nesl_scalar_calls *calls, const void *s, i64 lo, i64 n);
} nesl_scan_code;

typedef struct {
	const nesl_scan_code *code;
	const void *x;
	i64 n, nc;
	char *room, *before, *whole;    /* of each thread; by block; by bit */
	i64 bytes;                      /* of a thread's room */
	void *total;
	i64 turn;
	int failed;
} nesl_scan;

enum { NESL_SCAN_LEVELS = 11 };         /* of a block */

/* a and b put together, by a room of two. */
NESL_OWN void
nesl_scan_two(const nesl_scan *r, nesl_scalar_calls *calls, const void *a, const void *b, void *to, char *room)
{
	const i64 size = r->code->size;

	if (calls->fault)
		return;
	memcpy(room, a, (size_t)size);
	memcpy(room + size, b, (size_t)size);
	r->code->up(r->x, calls, room, 2, to);
}

/* Chunk c and its root: what stands before the next, or, of the last, the total. */
NESL_OWN void
nesl_scan_tell(nesl_scan *r, nesl_scalar_calls *calls, i64 c, char *root, char *room)
{
	const i64 size = r->code->size;
	int bit = 0;

	if (c + 1 == r->nc) {
		for (; c >> bit; bit++)
			if (c >> bit & 1)
				nesl_scan_two(r, calls, r->whole + bit * size, root, root, room);
		memcpy(r->total, root, (size_t)size);
		return;
	}
	for (; c >> bit & 1; bit++)
		nesl_scan_two(r, calls, r->whole + bit * size, root, root, room);
	memcpy(r->whole + bit * size, root, (size_t)size);
	nesl_scan_two(r, calls, r->before + ((c + 1) & c) * size, root, r->before + (c + 1) * size, room);
}

/* Chunk c, up to its root, which goes where `at` is then; which levels there are. */
typedef struct {
	i64 lo, n;
	int top;
	char *level[NESL_SCAN_LEVELS + 1], *at;
	i64 width[NESL_SCAN_LEVELS + 1];
} nesl_scan_nodes;

NESL_OWN void
nesl_scan_up(const nesl_scan *r, nesl_scalar_calls *calls, nesl_scan_nodes *k)
{
	const nesl_scan_code *const code = r->code;

	k->top = 1;
	k->level[1] = k->at;
	k->width[1] = (k->n + 1) / 2;
	code->first(r->x, calls, k->lo, k->n, k->at);
	for (int i = 1; k->width[i] > 1 && !calls->fault; i++) {
		k->at += k->width[i] * code->size;
		k->level[i + 1] = k->at;
		k->width[i + 1] = (k->width[i] + 1) / 2;
		k->top = i + 1;
		code->up(r->x, calls, k->level[i], k->width[i], k->at);
	}
	memcpy(k->at + code->size, k->level[k->top], (size_t)code->size);
	k->at += code->size;
}

/* s: what stands before all of it. */
NESL_OWN void
nesl_scan_down(const nesl_scan *r, nesl_scalar_calls *calls, nesl_scan_nodes *k, const char *s)
{
	for (int i = k->top - 1; i > 0 && !calls->fault; i--) {
		r->code->down(r->x, calls, s, k->level[i], k->width[i], k->at);
		s = k->at;
		k->at += k->width[i] * r->code->size;
	}
	if (!calls->fault)
		r->code->last(r->x, calls, s, k->lo, k->n);
}

/* Behind a fault nothing is applied to what was not made. */
NESL_OWN void
nesl_scan_chunk(nesl_scan *r, i64 c, nesl_scalar_calls calls)
{
	const volatile int *const failed = &r->failed;
	const i64 size = r->code->size;
	nesl_scan_nodes k = {.lo = c * NESL_SCANNED, .n = nesl_least(NESL_SCANNED, r->n - c * NESL_SCANNED),
		.at = r->room + nesl_thread() * r->bytes};

	if (!*failed)
		nesl_scan_up(r, &calls, &k);
	if (calls.fault)
		NESL_MARK(r->failed, 1);
	nesl_wait_turn(&r->turn, c);
	if (!*failed)
		nesl_scan_tell(r, &calls, c, k.at, k.at + size);
	if (calls.fault)
		NESL_MARK(r->failed, 1);
	nesl_end_turn(&r->turn);
	k.at += size;
	if (!*failed)
		nesl_scan_down(r, &calls, &k, r->before + c * size);
	if (calls.fault)
		NESL_MARK(r->failed, 1);
}

/* Of n elements; total: the identity, and then what all come to.  Whether no application had a fault; if one had, the program's own way
 * is to say which is the first. */
NESL_OWN int
nesl_scan_by(nesl_task_stats *task, const nesl_scan_code *code, const void *x, i64 n, void *total, int deep)
{
	const i64 size = code->size, blocks = (nesl_chunks(n), (n + NESL_SCANNED - 1) / NESL_SCANNED);
	nesl_vec *room, *before;
	nesl_scan r = {.code = code, .x = x, .n = n, .nc = blocks, .total = total};

	r.bytes = (2 * (nesl_least(NESL_SCANNED, n) + NESL_SCAN_LEVELS) * size + 63) / 64 * 64;
	room = nesl_scratch(nesl_threads_for(blocks) * r.bytes);
	before = nesl_scratch((blocks + 64) * size);
	r.room = room->data;
	r.before = before->data;
	r.whole = r.before + blocks * size;
	memcpy(r.before, total, (size_t)size);
	NESL_EACH_IN_ORDER(c, blocks, nesl_scan_chunk(&r, c, deep ? nesl_deep_calls(NULL) : (nesl_scalar_calls)NESL_NO_CALLS));
	nesl_free(room);
	nesl_free(before);
	if (!r.failed)
		nesl_ran(task, n * size, n * size);
	return !r.failed;
}

#endif
