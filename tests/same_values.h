#ifndef TESTS_SAME_VALUES_H
#define TESTS_SAME_VALUES_H
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Equal text, but numbers with a point differ by at most `relative` times the larger one, or by `absolute`. */
static inline bool
same_to(const char *a, const char *b, double relative, double absolute)
{
	while (*a && *b) {
		if (*a == *b && !(*a >= '0' && *a <= '9')) {
			a++, b++;
			continue;
		}
		char *ea, *eb;
		double x = strtod(a, &ea), y = strtod(b, &eb);

		if (ea == a || eb == b)
			return false;
		if (!memchr(a, '.', (size_t)(ea - a)) && (ea - a != eb - b || memcmp(a, b, (size_t)(ea - a)) != 0))
			return false;
		if (fabs(x - y) > fmax(absolute, relative * fmax(fabs(x), fabs(y))))
			return false;
		a = ea, b = eb;
	}
	return *a == *b;
}

/* Sums of floats may be grouped in other ways. */
static inline bool
same_values(const char *a, const char *b)
{
	return same_to(a, b, 1e-12, 0);
}

#endif
