/* explain.c: what there is to say about a kind of error.
 *
 * In   docs/errors.md, which nessie carries: a heading `### KIND` for each kind.
 * Out  the text under that heading, for a terminal: examples are indented instead of fenced. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "common/embed.h"
#include "common/explain.h"

static const char heading[] = "### ";
static const char fence[] = "```";

static const char *
errors_text(Arena *a)
{
	const char *missing;
	int n;
	const EmbeddedFile *f = embed_files(a, "docs", &n, &missing);

	for (int i = 0; f && i < n; i++)
		if (strcmp(f[i].path, "docs/errors.md") == 0)
			return f[i].text;
	return NULL;
}

static bool
starts(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

static const char *
next_line(const char *line)
{
	size_t n = strcspn(line, "\n");

	return line + n + (line[n] == '\n');
}

/* The first line under the heading of this kind, which may be written as messages have it, error[KIND]; NULL if there is none. */
static const char *
section_of(const char *text, const char *kind)
{
	static const char before[] = "error[";
	const bool as_told = starts(kind, before) && kind[strlen(kind) - 1] == ']';
	const size_t n = strlen(kind) - (as_told ? strlen(before) + 1 : 0);

	kind += as_told ? strlen(before) : 0;

	for (const char *line = text; *line; line = next_line(line))
		if (starts(line, heading) && strncmp(line + strlen(heading), kind, n) == 0 && line[strlen(heading) + n] == '\n')
			return next_line(line);
	return NULL;
}

static void
print_section(const char *line)
{
	bool example = false;

	for (line += *line == '\n'; *line && *line != '#'; line = next_line(line)) {
		int n = (int)strcspn(line, "\n");
		const char *next = next_line(line);
		if (starts(line, fence))
			example = !example;
		else if (n || (*next && *next != '#'))
			printf("%s%.*s\n", example ? "    " : "", n, line);
	}
}

static void
list_kinds(const char *text)
{
	const char *between = "";

	for (const char *line = text; *line; line = next_line(line))
		if (starts(line, heading)) {
			line += strlen(heading);
			fprintf(stderr, "%s%.*s", between, (int)strcspn(line, "\n"), line);
			between = ", ";
		}
	fputc('\n', stderr);
}

int
explain_command(Arena *a, int argc, char **argv)
{
	const char *text = errors_text(a), *section;

	if (!text) {
		fprintf(stderr, "nessie: cannot read docs/errors.md\n");
		return 4;
	}
	section = argc == 2 ? section_of(text, argv[1]) : NULL;
	if (section) {
		print_section(section);
		return 0;
	}
	if (argc == 2)
		fprintf(stderr, "nessie: there is no kind of error `%s`; there are ", argv[1]);
	else
		fprintf(stderr, "nessie: explain wants one kind of error: ");
	list_kinds(text);
	return 2;
}
