/* nesl_slice.c: how large the slices of large apply-to-eaches are (nesl_slice.h). */
#include "nesl_slice.h"
#include <stdlib.h>

i64 nesl_mem_limit = INT64_MAX;
const nesl_site *nesl_at;

static struct {
	i64 *most, loops;               /* elements of a slice, by loop; 0: no bound yet */
	i64 loop, from, n;              /* the slice that runs: of which loop, -1 none; its first element, how many */
	bool shown;
} slice = {.loop = -1};

/* Room to remember loop k. */
static bool
known(i64 k)
{
	i64 *most = k < slice.loops ? slice.most : realloc(slice.most, (size_t)(k + 1) * sizeof *most);

	if (!most)
		return false;
	for (; slice.loops <= k; slice.loops++)
		most[slice.loops] = 0;
	slice.most = most;
	return true;
}

i64
nesl_slice(i64 k, i64 from, i64 n)
{
	slice.loop = -1;
	if (n <= 0 || !known(k))
		return n > 0 ? n : 0;
	slice.loop = k;
	slice.from = from;
	slice.n = slice.most[k] > 0 && slice.most[k] < n ? slice.most[k] : n;
	return slice.n;
}

bool
nesl_smaller_slices(void)
{
	if (slice.loop < 0 || slice.n <= 1 || slice.shown)
		return false;
	slice.most[slice.loop] = slice.n / 2;
	return true;
}

void
nesl_slices_begin(void)
{
	slice.loop = -1;
	slice.shown = false;
}

void
nesl_shows(void)
{
	slice.shown = true;
}

bool
nesl_shown(void)
{
	return slice.shown;
}

i64
nesl_slice_begins(void)
{
	return slice.loop < 0 ? 0 : slice.from;
}
