#ifndef NESL_CPU_SMALL_H
#define NESL_CPU_SMALL_H
/* Rows of few elements, one after the other, by a function in nested form (flatten/small.c, backend/nested.c, nesl_nested.h). */

enum {
	NESL_SMALL = NESL_GRAIN == 1 ? 3 : 129, /* a row has fewer elements (so that with the smallest grain most take the flat way) */
	NESL_SMALL_MORE = 2             /* elements that a chunk of rows may give, over its rows and elements, where many run at once */
};

/* > 0: the flat code of small rows is running, where none are. */
static NESL_THREAD int nesl_all_flat;

NESL_OWN nint
nesl_small(void)
{
	return nesl_all_flat || NESL_DEBUG || nesl_mem_limit != INT64_MAX ? 0 : NESL_SMALL;
}

/* Of a descriptor the lengths of rows, else elements: what a chunk of rows gives. */
struct nesl_given {
	nesl_vec *of;
	i64 n, most;
};

/* Where n more go. */
NESL_OWN void *
nesl_row_gives(nesl_row_room *s, nesl_given *g, i64 n, i64 size)
{
	const i64 at = g->n;

	g->n += n;
	if (g->n > g->most) {
		nesl_vec *more;

		if (!s->grows)
			NESL_NO_ROW(s);
		g->most = 2 * g->n;
		more = nesl_scratch(g->most * size);
		memcpy(more->data, g->of->data, (size_t)(at * size));
		nesl_free(g->of);
		g->of = more;
	}
	return (char *)g->of->data + at * size;
}

typedef struct {
	nesl_row_code *code;
	const void *x;
	i64 n, nc;
	int ngiven, failed;
	const i64 *size;                /* of an element; 0: a descriptor */
	i64 first[NESL_CHUNKS + 1];     /* of the rows of each chunk */
	nesl_given *given;              /* of each chunk, ngiven */
	nesl_vec **out;
} nesl_small_rows;

/* May calls nest as deep as there is room for? */
NESL_OWN int
nesl_row_depth(void)
{
	i64 depth, most;

	nesl_depth(&depth, &most);
	return most - depth >= NESL_SMALL_ROOM / NESL_SMALL_CALL;
}

NESL_OWN i64
nesl_row_items(i64 i, int nlength, nesl_vec *const *length)
{
	i64 n = 1;

	for (int k = 0; k < nlength; k++)
		n += ((const nint *)length[k]->data)[i];
	return n;
}

/* Chunks of about as many items; and for what each gives, as much room as it has itself, or more where it may not grow. */
NESL_OWN void
nesl_small_cut(nesl_small_rows *r, i64 items, int nlength, nesl_vec *const *length)
{
	i64 row = 0, taken = 0;

	for (i64 c = 0; c < r->nc; c++) {
		const i64 before = taken, to = nesl_lo(items, c + 1, r->nc);

		r->first[c] = row;
		while (row < r->n && taken < to)
			taken += nesl_row_items(row++, nlength, length);
		for (int k = 0; k < r->ngiven; k++) {
			const i64 most = r->size[k] ? (taken - before) * (r->nc > 1 ? NESL_SMALL_MORE : 1) : row - r->first[c];

			r->given[c * r->ngiven + k] = (nesl_given){nesl_scratch(most * (r->size[k] ? r->size[k] : 8)), 0, most};
		}
	}
	r->first[r->nc] = r->n;
}

NESL_OWN void
nesl_small_chunk(nesl_small_rows *r, i64 c)
{
	_Alignas(16) char room[NESL_SMALL_ROOM];
	nesl_row_room s = {.at = room, .end = room + sizeof room, .stack_end = nesl_own_stack_end(), .grows = r->nc == 1,
		.failed = &r->failed};

	if (r->failed)
		return;
	if (setjmp(s.out) != 0 || !nesl_row_depth())
		NESL_MARK(r->failed, 1);
	else
		r->code(&s, r->x, r->first[c], r->first[c + 1], r->given + c * r->ngiven);
}

/* What chunk c gave goes to its place. */
NESL_OWN void
nesl_small_put(const nesl_small_rows *r, i64 c)
{
	for (int k = 0; k < r->ngiven; k++) {
		const nesl_given *g = &r->given[c * r->ngiven + k];
		i64 at = 0;

		/* rows begin where the elements do that come next */
		for (i64 b = 0; b < c; b++)
			at += r->given[b * r->ngiven + k + (r->size[k] == 0)].n;
		if (r->size[k] > 0) {
			memcpy((char *)r->out[k]->data + at * r->size[k], g->of->data, (size_t)(g->n * r->size[k]));
			continue;
		}
		i64 *const end = (i64 *)r->out[k]->data + r->first[c] + 1;

		for (i64 i = 0; i < g->n; i++)
			end[i] = at += ((const i64 *)g->of->data)[i];
	}
}

/* The n rows, whose sequences have these lengths; whether it could be done so. */
NESL_OWN int
nesl_run_small(nesl_task_stats *task, nesl_row_code *code, const void *x, i64 n, int nlength, nesl_vec *const *length, int ngiven,
	const i64 *size, nesl_vec **out)
{
	i64 items = 0, bytes = 0;
	nesl_vec *given;
	nesl_small_rows r;

	for (i64 i = 0; i < n; i++)
		items += nesl_row_items(i, nlength, length);
	r = (nesl_small_rows){.code = code, .x = x, .n = n, .nc = nesl_chunks(items), .ngiven = ngiven, .size = size, .out = out};
	given = nesl_scratch(r.nc * ngiven * (i64)sizeof(nesl_given));
	r.given = given->data;
	nesl_small_cut(&r, items, nlength, length);
	NESL_EACH(c, r.nc, nesl_small_chunk(&r, c));
	for (int k = 0; k < ngiven && !r.failed; k++) {
		i64 total = 0;

		for (i64 c = 0; c < r.nc; c++)
			total += r.given[c * ngiven + k].n;
		out[k] = size[k] ? nesl_new(total, size[k]) : nesl_new_segdes(n);
		bytes += total * (size[k] ? size[k] : 8);
	}
	if (!r.failed)
		NESL_EACH(c, r.nc, nesl_small_put(&r, c));
	for (i64 i = 0; i < r.nc * ngiven; i++)
		nesl_free(r.given[i].of);
	nesl_free(given);
	if (!r.failed)
		nesl_ran(task, bytes, bytes);
	return !r.failed;
}

#endif
