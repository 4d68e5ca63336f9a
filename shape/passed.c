/* passed.c: what checks have said, kept for those who come after. */
#include "shape/passed.h"

enum { MOST_CHECKS = 64, MOST_CHANGES = 8 };    /* that are kept of one; of these, until none are */

static bool
among(const PassedList *l, Passed p)
{
	for (int i = 0; i < l->n; i++)
		if (l->at[i].says == p.says && l->at[i].by == p.by)
			return true;
	return false;
}

static bool
same(const PassedList *a, const PassedList *b)
{
	for (int i = 0; i < a->n && a->n == b->n; i++)
		if (a->at[i].says != b->at[i].says || a->at[i].by != b->at[i].by)
			return false;
	return a->n == b->n;
}

bool
passed_met(Arena *a, PassedBy *by, const PassedList *passed)
{
	PassedList kept = {0};

	for (int i = 0; i < passed->n && kept.n < MOST_CHECKS && by->changes < MOST_CHANGES; i++)
		if (!among(&kept, passed->at[i]))
			LIST_ADD(a, &kept, passed->at[i]);
	if (same(&by->all, &kept))
		return false;
	by->all = kept;
	by->changes++;
	return true;
}
