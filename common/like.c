/* like.c: the nearest of some words.
 *
 * How  Edit distance in which swapping two neighbours is one step (Damerau, CACM 1964; the variant in which no part is edited twice). */
#include "common/like.h"
#include <string.h>

enum { LONGEST = 40 };

static int
distance(const char *a, const char *b)
{
	int row[3][LONGEST + 1], n = (int)strlen(a), m = (int)strlen(b);

	if (n > LONGEST || m > LONGEST)
		return LONGEST;
	for (int i = 0; i <= n; i++)
		for (int k = 0; k <= m; k++) {
			int *r = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3], d;
			if (i == 0 || k == 0) {
				r[k] = i + k;
				continue;
			}
			d = up[k - 1] + (a[i - 1] != b[k - 1]);
			d = up[k] + 1 < d ? up[k] + 1 : d;
			d = r[k - 1] + 1 < d ? r[k - 1] + 1 : d;
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] && up2[k - 2] + 1 < d)
				d = up2[k - 2] + 1;
			r[k] = d;
		}
	return row[n % 3][m];
}

Like
like(const char *word)
{
	const size_t n = strlen(word);

	return (Like){word, NULL, n <= 2 ? 1 : n <= 4 ? 2 : 3};
}

void
like_try(Like *l, const char *candidate)
{
	const int d = distance(l->word, candidate);

	if (d < l->distance || (d == l->distance && l->best && strcmp(candidate, l->best) < 0)) {
		l->distance = d;
		l->best = candidate;
	}
}
