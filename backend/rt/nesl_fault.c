/* nesl_fault.c: a run-time error as the user sees it.  The texts are listed in docs/ir.md. */
#include "nesl_fault.h"
#include <stdlib.h>
#include <string.h>


/* The message of each kind, over its values.  bad-permute has a second one, for a third value not 0:
 * as many indices as the first, for a sequence as long as the second.  So has index-range, for an index inside: where a part begins.
 * memory has another: sequences of the first two lengths together, in ints of the third width. */
static const struct {
	const char *kind, *text;
} messages[] = {
	{"index-range", "index %lld is outside a sequence of length %lld"},
	{"length-mismatch", "lengths differ: %lld and %lld"},
	{"bad-range", "no range from %lld to %lld by %lld"},
	{"bad-permute", "index %lld twice, or outside 0..%lld"},
	{"div-by-zero", "division by zero, or min_int / -1"},
	{"domain", "argument outside the function's domain"},
	{"recursion-depth", "recursion deeper than %lld calls"},
	{"unbound-cell", "this variable has no value: the form that gives it one had a run-time error"},
};

static char *said;

const char *
nesl_fault_say(const char *text)
{
	char *copy = (char *)malloc(strlen(text) + 1);

	if (copy)
		strcpy(copy, text);
	free(said);
	return said = copy;
}

char *
nesl_fault_swap(char *text)
{
	char *was = said;

	said = text;
	return was;
}

static const char fact[] = "shape:";

int
nesl_fault_internal(const nesl_site *site)
{
	return strncmp(site->kind, fact, strlen(fact)) == 0;
}

static void
fault_message(FILE *out, const char *kind, const i64 v[3])
{
	long long b = strcmp(kind, "bad-permute") == 0 ? v[1] - 1 : v[1];

	if (strcmp(kind, "user-error") == 0) {
		fputs(said ? said : "", out);
		return;
	}
	if (strcmp(kind, "bad-permute") == 0 && v[2] != 0) {
		fprintf(out, "%lld %s for a sequence of length %lld", (long long)v[0], v[0] == 1 ? "index" : "indices", (long long)v[1]);
		return;
	}
	if (strcmp(kind, "index-range") == 0 && 0 <= v[0] && v[0] < v[1]) {
		fprintf(out, "a part from index %lld of a sequence of length %lld would end before it begins", (long long)v[0], (long long)v[1]);
		return;
	}
	if (strcmp(kind, "memory") == 0) {
		fprintf(out, NESL_TOO_LONG(v[0] > INT64_MAX - v[1] ? INT64_MAX : v[0] + v[1], v[2]));
		return;
	}
	for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
		if (strcmp(messages[i].kind, kind) != 0)
			continue;
		fprintf(out, messages[i].text, (long long)v[0], b, (long long)v[2]);
		return;
	}
	fprintf(out, "run-time error");
}

static void
fault_line(FILE *out, const nesl_site *at)
{
	const int n = (int)strlen(at->text), col = at->col - 1 - at->skipped;
	int end;

	if (col < 0 || col > n)
		return;
	fprintf(out, "%5d | %s", at->line, at->skipped ? "..." : "");
	for (int i = 0; i < n; i++)
		fputc((unsigned char)at->text[i] < ' ' && at->text[i] != '\t' ? '?' : at->text[i], out);
	fprintf(out, "%s\n      | %s", at->more ? "..." : "", at->skipped ? "   " : "");
	for (int i = 0; i < col; i++)
		if (((unsigned char)at->text[i] & 0xC0) != 0x80)
			fputc(at->text[i] == '\t' ? '\t' : ' ', out);
	fputc('^', out);
	end = at->len > n - col ? n : col + at->len;
	for (int i = col + 1; i < end; i++)
		if (((unsigned char)at->text[i] & 0xC0) != 0x80)
			fputc('^', out);
	fputc('\n', out);
}

/* -- paths ------------------------------------------------------------------------------------- */
void
nesl_path_add(nesl_index_path *p, i64 index)
{
	if (p->n < NESL_PATH_MAX)
		p->index[p->n++] = index;
	else
		p->more = 1;
}

/* Where row r of a descriptor begins. */
static i64
offset(const nesl_step *s, i64 r, nesl_read_step *read)
{
	return s->kind == NESL_GRID ? r * s->length : read(s, r);
}

/* The elements that it leads out of; those of the host's apply-to-each that lead to r. */
static i64
elements_of(const nesl_step *s, i64 r, nesl_read_step *read)
{
	if (s->kind == NESL_HOST)
		return r == 0;
	return s->kind == NESL_PICKED || s->n == 0 ? s->n : offset(s, s->n, read);
}

/* The row that element e is in: the last that begins at or before it and is not empty. */
static i64
row_of(const nesl_step *s, i64 e, nesl_read_step *read)
{
	i64 lo = 0, hi = s->n;

	while (lo < hi) {
		const i64 mid = lo + (hi - lo) / 2;

		if (offset(s, mid + 1, read) <= e)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static i64
one_out(const nesl_step *s, i64 e, nesl_read_step *read)
{
	if (s->kind == NESL_HOST || e < 0)
		return e < 0 ? e : 0;
	if (e >= elements_of(s, 0, read))
		return -1;
	return s->kind == NESL_PICKED ? read(s, e) : row_of(s, e, read);
}

/* The first element that n steps lead from to row r; -1: there is none. */
static i64
first_within(const nesl_step *s, i64 n, i64 r, nesl_read_step *read)
{
	i64 lo = 0, hi = elements_of(s, r, read), e;

	while (lo < hi) {
		const i64 mid = lo + (hi - lo) / 2;

		e = mid;
		for (i64 k = 0; k < n; k++)
			e = one_out(&s[k], e, read);
		if (e < r)
			lo = mid + 1;
		else
			hi = mid;
	}
	e = lo;
	for (i64 k = 0; k < n; k++)
		e = one_out(&s[k], e, read);
	return e == r ? lo : -1;
}

static i64 go_steps(nesl_index_path *p, const nesl_step *s, const nesl_step *end, i64 e, nesl_read_step *read);

/* From a row of the parts that s leads from; *end: what comes behind them. */
static i64
go_part(nesl_index_path *p, const nesl_step *s, i64 e, nesl_read_step *read, const nesl_step **end)
{
	const nesl_step *one = s + 4, *other = one + s[2].n;

	*end = other + s[3].n;
	return e < s[1].n ? go_steps(p, one, other, e, read) : go_steps(p, other, *end, e - s[1].n, read);
}

/* Goes the way, to its end or this one; where it ends, or -1. */
static i64
go_steps(nesl_index_path *p, const nesl_step *s, const nesl_step *end, i64 e, nesl_read_step *read)
{
	for (; s != end && s->kind != NESL_END && e >= 0; s++) {
		i64 row;

		switch (s->kind) {
		case NESL_ROWS:
		case NESL_GRID:
		case NESL_HOST:
			row = one_out(s, e, read);
			nesl_path_add(p, s->kind == NESL_HOST || row < 0 ? e : e - offset(s, row, read));
			e = row;
			break;
		case NESL_PICKED:
			e = one_out(s, e, read);
			break;
		case NESL_INWARD:
			e = first_within(s + 1, s->n, e, read);
			s += s->n;
			break;
		case NESL_HIDDEN:
			p->n = p->more = 0;
			break;
		case NESL_PARTS:
			e = go_part(p, s, e, read, &s);
			s--;
			break;
		case NESL_INTO:
			e = offset(s + 2, e, read) + s[1].n;
			s += 2;
			break;
		case NESL_LOST:
		case NESL_END:
			return -1;
		}
	}
	return e;
}

nesl_index_path
nesl_path_of(const nesl_step *way, const nesl_frame *f, i64 e, nesl_read_step *read)
{
	nesl_index_path p = {{0}, 0, 0};

	for (e = go_steps(&p, way, NULL, e, read); f && e >= 0 && !p.more; f = f->up)
		e = go_steps(&p, f->way, NULL, e, read);
	if (e < 0)
		p.more = 1;
	return p;
}

static void
fault_path(FILE *out, const nesl_index_path *p)
{
	if (p->n == 0 && !p->more)
		return;
	fprintf(out, p->n == 0 ? "  in some element" : "  in element %s", p->more ? "..." : "");
	for (int i = p->n - 1; i >= 0; i--)
		fprintf(out, "[%lld]", (long long)p->index[i]);
	fputc('\n', out);
}

static void
fault_place(FILE *out, const nesl_site *site)
{
	if (site->file)
		fprintf(out, "%s:%d:%d: ", site->file, site->line, site->col);
}

static void
fault_tail(FILE *out, const nesl_site *site)
{
	fputc('\n', out);
	if (site->file && site->text)
		fault_line(out, site);
}

void
nesl_fault_print(FILE *out, const nesl_site *site, const i64 v[3], const nesl_index_path *path)
{
	fault_place(out, site);
	if (nesl_fault_internal(site))
		fprintf(out, "internal error in shape: %s does not hold: %lld and %lld", site->kind + strlen(fact), (long long)v[0], (long long)v[1]);
	else {
		fprintf(out, "error[%s]: ", site->kind);
		fault_message(out, site->kind, v);
	}
	fault_tail(out, site);
	fault_path(out, path);
}

void
nesl_site_print(FILE *out, const nesl_site *site, const char *message)
{
	fault_place(out, site);
	fprintf(out, "error[%s]: %s", site->kind, message);
	fault_tail(out, site);
}
