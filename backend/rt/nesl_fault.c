/* nesl_fault.c: a run-time error as the user sees it.  The texts are listed in docs/ir.md. */
#include "nesl_fault.h"
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 160, BEFORE = 60 };     /* of a longer source line only a part is shown, as in common/diag.c */

/* The message of each kind, over its values.  bad-permute has a second one, for a third value not 0:
 * as many indices as the first, for a sequence as long as the second. */
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

static void
fault_message(FILE *out, const char *kind, const i64 v[3])
{
	long long b = strcmp(kind, "bad-permute") == 0 ? v[1] - 1 : v[1];

	if (strcmp(kind, "user-error") == 0) {
		fputs(said ? said : "", out);
		return;
	}
	if (strcmp(kind, "bad-permute") == 0 && v[2] != 0) {
		fprintf(out, "%lld indices for a sequence of length %lld", (long long)v[0], (long long)v[1]);
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
	int n = (int)strlen(at->text), col = at->col - 1, from = 0, to = n, end;

	if (col < 0 || col > n)
		return;
	if (n > WINDOW) {
		from = col > BEFORE ? col - BEFORE : 0;
		if (from + WINDOW > n)
			from = n - WINDOW;
		to = from + WINDOW;
	}
	fprintf(out, "%5d | %s", at->line, from > 0 ? "..." : "");
	for (int i = from; i < to; i++)
		fputc((unsigned char)at->text[i] < ' ' && at->text[i] != '\t' ? '?' : at->text[i], out);
	fprintf(out, "%s\n      | %s", to < n ? "..." : "", from > 0 ? "   " : "");
	for (int i = from; i < col; i++)
		if (((unsigned char)at->text[i] & 0xC0) != 0x80)
			fputc(at->text[i] == '\t' ? '\t' : ' ', out);
	fputc('^', out);
	end = at->len > to - col ? to : col + at->len;
	for (int i = col + 1; i < end; i++)
		if (((unsigned char)at->text[i] & 0xC0) != 0x80)
			fputc('^', out);
	fputc('\n', out);
}

void
nesl_fault_print(FILE *out, const nesl_site *site, const i64 v[3])
{
	if (site->file)
		fprintf(out, "%s:%d:%d: ", site->file, site->line, site->col);
	fprintf(out, "error[%s]: ", site->kind);
	fault_message(out, site->kind, v);
	fputc('\n', out);
	if (site->file && site->text)
		fault_line(out, site);
}
