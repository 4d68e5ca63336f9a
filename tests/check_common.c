/* check_common.c: arena, names, diagnostics. */
#include "common/diag.h"
#include "common/embed.h"
#include "common/hash.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *common_suite(void);

START_TEST(arena_memory_is_zeroed_and_kept)
{
	Arena *a = arena_new();
	char *small = arena_alloc(a, 10), *large = arena_alloc(a, 300000), *next;

	for (int i = 0; i < 300000; i++)
		ck_assert_int_eq(large[i], 0);
	memset(small, 1, 10);
	memset(large, 2, 300000);
	for (int i = 0; i < 10000; i++) {
		next = arena_alloc(a, 33);
		ck_assert_uint_eq((size_t)next % sizeof(void *), 0);
		for (int k = 0; k < 33; k++)
			ck_assert_int_eq(next[k], 0);
		memset(next, 3, 33);
	}
	ck_assert_int_eq(small[9], 1);
	ck_assert_int_eq(large[299999], 2);
	arena_free(a);
}
END_TEST

/* What is given back is handed out again, of the same size and zeroed; what is large is no memory of the process's any more. */
START_TEST(arena_memory_that_is_given_back)
{
	Arena *a = arena_new();
	size_t most;
	char *p;

	arena_most();
	for (int i = 0; i < 1000; i++) {
		p = arena_alloc(a, i % 2 ? 1000000 : 100);
		for (int k = 0; k < 100; k++)
			ck_assert_int_eq(p[k], 0);
		memset(p, 1, i % 2 ? 1000000 : 100);
		arena_give_back(a, p, i % 2 ? 1000000 : 100);
	}
	most = arena_most();
	ck_assert_msg(most >= 1000000 && most < 1200000, "%zu", most);
	ck_assert_uint_lt(arena_most(), 200000);
	arena_free(a);
}
END_TEST

/* Two that grow in turn, and one alone. */
START_TEST(lists_grow_in_turn)
{
	Arena *a = arena_new();
	LIST(int) one = {0}, other = {0}, alone = {0};

	for (int i = 0; i < 100000; i++) {
		LIST_ADD(a, &one, i);
		LIST_ADD(a, &other, -i);
	}
	for (int i = 0; i < 100000; i++)
		LIST_ADD(a, &alone, 2 * i);
	for (int i = 0; i < 100000; i++)
		ck_assert(one.at[i] == i && other.at[i] == -i && alone.at[i] == 2 * i);
	LIST_DROP(a, &one);
	arena_free(a);
}
END_TEST

START_TEST(arena_strings)
{
	Arena *a = arena_new();

	ck_assert_str_eq(arena_strndup(a, "quicksort", 5), "quick");
	ck_assert_str_eq(arena_strndup(a, NULL, 0), "");
	ck_assert_str_eq(arena_printf(a, "%s_%d", "x", 2), "x_2");
	ck_assert_uint_eq(strlen(arena_printf(a, "%100000s", "x")), 100000);
	arena_free(a);
}
END_TEST

START_TEST(lists_grow)
{
	Arena *a = arena_new();
	LIST(int) l = {0};

	for (int i = 0; i < 1000; i++)
		LIST_ADD(a, &l, i);
	ck_assert_int_eq(l.n, 1000);
	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq(l.at[i], i);
	arena_free(a);
}
END_TEST

START_TEST(equal_names_are_one_pointer)
{
	Arena *a = arena_new();
	Names *t = names_new(a);
	const char *first[5000];

	ck_assert_ptr_eq(intern(t, "abc"), intern_n(t, "abcd", 3));
	ck_assert_ptr_ne(intern(t, "abc"), intern(t, "abd"));
	ck_assert_str_eq(intern_n(t, "", 0), "");
	for (int i = 0; i < 5000; i++)
		first[i] = intern(t, arena_printf(a, "v%d", i));
	for (int i = 0; i < 5000; i++)
		ck_assert_ptr_eq(first[i], intern(t, arena_printf(a, "v%d", i)));
	arena_free(a);
}
END_TEST

/* -- diagnostics -------------------------------------------------------------------------------- */

/* What is shown for one error with this source and span. */
static char *
shown(Arena *a, const char *text, Span at)
{
	char *buffer = NULL, *copy;
	size_t n = 0;
	FILE *out = open_memstream(&buffer, &n);
	Diag *d = diag_new(a, out);

	diag_source(d, "a.nesl", text, strlen(text), 0);
	diag_error(d, at, "type", "no %s", "good");
	diag_error(d, at, "type", "no %s", "good");
	ck_assert_int_eq(diag_errors(d), 2);
	fclose(out);
	copy = arena_strndup(a, buffer, n);
	free(buffer);
	return copy;
}

START_TEST(a_message_quotes_its_line_once)
{
	Arena *a = arena_new();

	ck_assert_str_eq(shown(a, "x = 1;\ny = x + z;\n", (Span){"a.nesl", 2, 5, 5}),
		"a.nesl:2:5: error[type]: no good\n"
		"    2 | y = x + z;\n"
		"      |     ^^^^^\n");
	ck_assert_str_eq(shown(a, "x;", (Span){NULL, 0, 0, 0}), "error[type]: no good\n");
	ck_assert_str_eq(shown(a, "x;", (Span){"b.nesl", 1, 1, 1}), "b.nesl:1:1: error[type]: no good\n");
	ck_assert_str_eq(shown(a, "x;", (Span){"a.nesl", 9, 1, 1}), "a.nesl:9:1: error[type]: no good\n");
	arena_free(a);
}
END_TEST

START_TEST(the_caret_stands_under_its_span)
{
	Arena *a = arena_new();

	ck_assert_str_eq(shown(a, "\tx\t+ y;\r\n", (Span){"a.nesl", 1, 6, 99}),
		"a.nesl:1:6: error[type]: no good\n"
		"    1 | \tx\t+ y;\n"
		"      | \t \t  ^^\n");
	ck_assert_str_eq(shown(a, "\"\xc3\xa9\" y", (Span){"a.nesl", 1, 6, 1}),
		"a.nesl:1:6: error[type]: no good\n"
		"    1 | \"\xc3\xa9\" y\n"
		"      |     ^\n");
	ck_assert_str_eq(shown(a, "ab", (Span){"a.nesl", 1, 3, 1}),
		"a.nesl:1:3: error[type]: no good\n"
		"    1 | ab\n"
		"      |   ^\n");
	arena_free(a);
}
END_TEST

START_TEST(of_a_long_line_a_window_is_shown)
{
	Arena *a = arena_new();
	char *text = arena_alloc(a, 1001), *s, *line, *caret;

	memset(text, 'x', 1000);
	text[500] = '?';
	s = shown(a, text, (Span){"a.nesl", 1, 501, 1});
	line = strchr(s, '\n') + 1;
	caret = strchr(line, '\n') + 1;
	ck_assert_int_lt(caret - line, 180);
	ck_assert_int_eq(line[strcspn(caret, "^")], '?');
	ck_assert_ptr_nonnull(strstr(line, "| ...xxx"));
	ck_assert_ptr_nonnull(strstr(line, "xxx...\n"));
	arena_free(a);
}
END_TEST

START_TEST(notes_follow_their_message)
{
	Arena *a = arena_new();
	char *buffer = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&buffer, &n);
	Diag *d = diag_new(a, out);
	Span at = {"a.nesl", 1, 1, 1};

	for (int i = 0; i < 2; i++) {
		diag_error(d, at, "type", "bad");
		diag_note(d, (Span){NULL, 0, 0, 0}, "try again");
	}
	fclose(out);
	ck_assert_str_eq(buffer, "a.nesl:1:1: error[type]: bad\nnote: try again\n");
	free(buffer);
	arena_free(a);
}
END_TEST

START_TEST(a_flood_of_messages_ends)
{
	Arena *a = arena_new();
	char *buffer = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&buffer, &n);
	Diag *d = diag_new(a, out);

	for (int i = 1; i <= 200; i++) {
		diag_error(d, (Span){"a.nesl", i, 1, 1}, "type", "bad");
		diag_note(d, (Span){"a.nesl", i, 1, 1}, "try again");
	}
	fclose(out);
	ck_assert_int_eq(diag_errors(d), 200);
	ck_assert_ptr_nonnull(strstr(buffer, "a.nesl:100:1: error[type]: bad\na.nesl:100:1: note: try again\n"
		"more than 100 errors: no more of them are shown\n"));
	ck_assert_ptr_null(strstr(buffer, "a.nesl:101"));
	free(buffer);
	arena_free(a);
}
END_TEST

START_TEST(an_internal_error_exits_with_5)
{
	ck_assert(freopen("/dev/null", "w", stderr));   /* no alarm among the results of the tests */
	ice((Span){"a.nesl", 1, 2, 3}, "fuse", "no row for %s", "sum");
}
END_TEST

START_TEST(spans_join)
{
	Span s = span_join((Span){"a", 1, 9, 2}, (Span){"a", 1, 3, 1});

	ck_assert_int_eq(s.col, 3);
	ck_assert_int_eq(s.len, 8);
	s = span_join((Span){"a", 2, 1, 4}, (Span){"a", 1, 3, 1});
	ck_assert_int_eq(s.line, 1);
	ck_assert_int_eq(s.len, 1);
	s = span_join((Span){NULL, 0, 0, 0}, (Span){"a", 1, 3, 1});
	ck_assert_int_eq(s.col, 3);
}
END_TEST

/* FIPS 180-4's own examples: of one block, and of two, in pieces. */
START_TEST(hashes_are_sha_256)
{
	static const char text[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	char name[65];
	Hash h;

	hash_start(&h);
	hash_bytes(&h, "abc", 3);
	hash_end(&h, name);
	ck_assert_str_eq(name, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	hash_start(&h);
	hash_bytes(&h, text, 5);
	hash_bytes(&h, text + 5, sizeof text - 6);
	hash_end(&h, name);
	ck_assert_str_eq(name, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}
END_TEST

/* What the files that nessie carries are known by is of their names and texts as they are in it, so that no program is taken for one that
 * another run time was compiled with. */
START_TEST(carried_files_are_known)
{
	char all[65], one[65];
	Hash h, of;

	hash_start(&h);
	for (int i = 0; i < embedded_count; i++) {
		hash_start(&of);
		hash_bytes(&of, embedded_file[i].text, strlen(embedded_file[i].text));
		hash_end(&of, one);
		hash_bytes(&h, one, 64);
		hash_bytes(&h, "  ", 2);
		hash_bytes(&h, embedded_file[i].path, strlen(embedded_file[i].path));
		hash_bytes(&h, "\n", 1);
	}
	hash_end(&h, all);
	ck_assert_str_eq(all, embedded_digest);
}
END_TEST

Suite *
common_suite(void)
{
	Suite *s = suite_create("common");
	TCase *c = tcase_create("common");

	tcase_add_test(c, arena_memory_is_zeroed_and_kept);
	tcase_add_test(c, arena_memory_that_is_given_back);
	tcase_add_test(c, lists_grow_in_turn);
	tcase_add_test(c, arena_strings);
	tcase_add_test(c, lists_grow);
	tcase_add_test(c, equal_names_are_one_pointer);
	tcase_add_test(c, a_message_quotes_its_line_once);
	tcase_add_test(c, the_caret_stands_under_its_span);
	tcase_add_test(c, of_a_long_line_a_window_is_shown);
	tcase_add_test(c, notes_follow_their_message);
	tcase_add_test(c, a_flood_of_messages_ends);
	tcase_add_exit_test(c, an_internal_error_exits_with_5, 5);
	tcase_add_test(c, spans_join);
	tcase_add_test(c, hashes_are_sha_256);
	tcase_add_test(c, carried_files_are_known);
	suite_add_tcase(s, c);
	return s;
}
