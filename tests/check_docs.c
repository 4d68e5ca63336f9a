/* check_docs.c: the documents are true: they show what the tool prints now, they know every kind of error, and their
 * links lead somewhere. */
#include "common/arena.h"
#include "common/embed.h"
#include "tests/suite.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *docs_suite(void);

static Arena *arena;

static void
setup(void)
{
	arena = arena_new();
}

static void
teardown(void)
{
	arena_free(arena);
}

static const char *
text_of(const char *path)
{
	size_t n;
	const char *s = read_text(arena, path, &n);

	ck_assert_msg(s != NULL, "%s cannot be read", path);
	return s;
}

START_TEST(outputs_shown_are_current)
{
	int status = system("sh tests/transcripts.sh");

	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a document is out of date: make docs");
}
END_TEST

/* -- kinds of errors: each has its heading in docs/errors.md ---------------------------------------------- */

static void
known_kind(const char *kind, const char *where)
{
	const char *heading = arena_printf(arena, "\n### %s\n", kind);

	ck_assert_msg(strstr(text_of("docs/errors.md"), heading) != NULL, "%s gives the error %s, "
		"which docs/errors.md does not know", where, kind);
}

/* The words in quotes after `call(..., ` in a source file: infer_error(in, span, "type", ... */
static void
kinds_in(const char *path, const char *call)
{
	const char *s = text_of(path);

	while ((s = strstr(s, call))) {
		const char *end = strchr(s, ';'), *open = strchr(s, '"'), *close = open ? strchr(open + 1, '"') : NULL;
		s += strlen(call);
		if (!end || !close || close > end || close[1] != ',')
			continue;
		known_kind(arena_strndup(arena, open + 1, (size_t)(close - open - 1)), path);
	}
}

START_TEST(every_static_error_is_documented)
{
	DIR *d = opendir("frontend");

	ck_assert(d != NULL);
	for (const struct dirent *e; (e = readdir(d)); ) {
		const char *path = arena_printf(arena, "frontend/%s", e->d_name);
		if (e->d_name[0] == '.')
			continue;
		kinds_in(path, "infer_error(");
		kinds_in(path, "parse_error(");
	}
	closedir(d);
}
END_TEST

/* The run-time kinds are the first words of the rows of messages[]. */
START_TEST(every_fault_is_documented)
{
	const char *s = strstr(text_of("backend/rt/nesl_fault.c"), "messages[] = {"), *end;
	int n = 0;

	ck_assert(s != NULL);
	end = strstr(s, "};");
	while ((s = strstr(s, "\t{\"")) && s < end) {
		s += 3;
		known_kind(arena_strndup(arena, s, strcspn(s, "\"")), "a program");
		n++;
	}
	ck_assert_int_gt(n, 0);
}
END_TEST

/* `nessie explain KIND` prints the section of a kind: what it means, an example, what to do about it. */
START_TEST(every_kind_is_explained)
{
	const char *s = text_of("docs/errors.md");
	int n = 0;

	while ((s = strstr(s, "\n### "))) {
		const char *kind = arena_strndup(arena, s + 5, strcspn(s + 5, "\n")), *explained;
		int status = system(arena_printf(arena, "./nessie explain %s >build/explained.txt && ./nessie explain 'error[%s]' | cmp - build/explained.txt",
			kind, kind));
		ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "nessie explain %s", kind);
		explained = text_of("build/explained.txt");
		ck_assert_msg(strstr(explained, "\n    $ nessie ") && strstr(explained, arena_printf(arena, "error[%s]", kind))
			&& strstr(explained, "\nTo mend it: "), "%s:\n%s", kind, explained);
		ck_assert_msg(!strstr(explained, "\n#"), "more than %s:\n%s", kind, explained);
		s += 5;
		n++;
	}
	ck_assert_int_gt(n, 10);
}
END_TEST

/* -- links: [text](file) and `directory/file.c` in a document lead to what is there -------------------------- */

static void
links_of(const char *document, const char *base)
{
	const char *s = text_of(document);

	while ((s = strstr(s, "]("))) {
		const char *to = arena_strndup(arena, s + 2, strcspn(s + 2, ")#"));
		s += 2;
		if (!strstr(to, "://") && *to)
			ck_assert_msg(access(arena_printf(arena, "%s%s", base, to), R_OK) == 0, "%s: there is no %s",
				document, to);
	}
}

START_TEST(links_lead_somewhere)
{
	DIR *d = opendir("docs");
	const char *index = text_of("docs/README.md");

	links_of("README.md", "");
	ck_assert(d != NULL);
	for (const struct dirent *e; (e = readdir(d)); ) {
		if (e->d_name[0] == '.')
			continue;
		links_of(arena_printf(arena, "docs/%s", e->d_name), "docs/");
		ck_assert_msg(strcmp(e->d_name, "README.md") == 0
			|| strstr(index, arena_printf(arena, "](%s)", e->d_name)),
			"docs/README.md does not mention %s", e->d_name);
	}
	closedir(d);
}
END_TEST

Suite *
docs_suite(void)
{
	Suite *s = suite_create("docs");
	TCase *tc = case_between(s, "docs", setup, teardown);

	tcase_add_test(tc, outputs_shown_are_current);
	tcase_add_test(tc, every_static_error_is_documented);
	tcase_add_test(tc, every_fault_is_documented);
	tcase_add_test(tc, every_kind_is_explained);
	tcase_add_test(tc, links_lead_somewhere);
	return s;
}
