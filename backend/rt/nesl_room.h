#ifndef NESL_ROOM_H
#define NESL_ROOM_H
/* Where the arrays of one block of memory lie.
 *
 * In   How many elements of how many bytes they have, in the order in which they come, and when which of them ends.
 * How  Each lies at the lowest place where there is room, and leaves that to others when it ends (first fit; Knuth, The
 *      Art of Computer Programming 1, 2.5).  So how large the block must be is found before there is one, by doing it. */
#include <stdlib.h>
#include <string.h>

typedef struct {
	i64 at, size;
} nesl_place;

/* Those that are there, by their places. */
typedef struct {
	nesl_place *part;
	int n;
} nesl_places;

/* Where one more begins. */
static inline i64
nesl_part_comes(nesl_places *p, i64 size)
{
	i64 at = 0;
	int i = 0;

	for (; i < p->n && p->part[i].at - at < size; i++)
		at = p->part[i].at + p->part[i].size;
	memmove(p->part + i + 1, p->part + i, sizeof *p->part * (size_t)(p->n++ - i));
	p->part[i].at = at;
	p->part[i].size = size;
	return at;
}

static inline void
nesl_part_goes(nesl_places *p, i64 at)
{
	int i = 0;

	while (p->part[i].at != at)
		i++;
	memmove(p->part + i, p->part + i + 1, sizeof *p->part * (size_t)(--p->n - i));
}

typedef struct {
	i64 size;       /* of the block; 0: none is wanted */
	i64 most;       /* how much of it is in use at once */
	i64 left;       /* how much in the end */
	int arrays;     /* that lie in it */
} nesl_plan;

enum { NESL_ENDS = -1 };

/* n: pairs of how many elements, and bytes of one, or k and NESL_ENDS: array k, counted from 0, ends.  size_of gives what
 * an array takes: 0, nothing; below 0, more than there can be. */
static inline nesl_plan
nesl_plan_of(const i64 *n, int pairs, i64 (*size_of)(i64 count, i64 bytes))
{
	nesl_place *const array = (nesl_place *)malloc(2 * (size_t)pairs * sizeof(nesl_place));
	const nesl_plan none = {0, 0, 0, 0};
	nesl_places parts = {NULL, 0};
	nesl_plan plan = none;
	int k = 0, too_large = 0;

	if (!array)
		return none;
	parts.part = array + pairs;
	for (int i = 0; i < pairs && !too_large; i++) {
		nesl_place *a = &array[n[2 * i + 1] == NESL_ENDS ? (int)n[2 * i] : k];

		if (n[2 * i + 1] == NESL_ENDS) {
			if (a->size > 0)
				nesl_part_goes(&parts, a->at);
			plan.left -= a->size;
			continue;
		}
		k++;
		a->size = size_of(n[2 * i], n[2 * i + 1]);
		too_large = a->size < 0 || a->size > INT64_MAX / 4 - plan.size;
		if (a->size <= 0 || too_large)
			continue;
		a->at = nesl_part_comes(&parts, a->size);
		plan.arrays++;
		plan.left += a->size;
		plan.most = plan.left > plan.most ? plan.left : plan.most;
		plan.size = a->at + a->size > plan.size ? a->at + a->size : plan.size;
	}
	free(array);
	return too_large || plan.arrays < 2 ? none : plan;
}

/* Is at most an eighth of so much not used? */
static inline int
nesl_is_tight(i64 size, i64 used)
{
	return size - used <= used / 8;
}

#endif
