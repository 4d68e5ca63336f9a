/* nesl_value.c: NESL types as text, their leaves, and how values print. */
#include "nesl_value.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* -- types ------------------------------------------------------------------------------------ */
typedef nesl_type_node TypeNode;

typedef struct {
	const char *at;
	TypeNode *node;
	int n, depth;
} TypeText;

enum { MAX_NESTING = 1000 };

static int parse_tuple_type(TypeText *t);

static int
type_node(TypeText *t, char kind, int a, int b)
{
	t->node[t->n] = (TypeNode){kind, a, b, NULL, 0};
	return t->n++;
}

static void
type_space(TypeText *t)
{
	while (*t->at == ' ')
		t->at++;
}

static int
type_word(TypeText *t, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(t->at, word, n) != 0)
		return 0;
	t->at += n;
	return 1;
}

static size_t
name_length(const char *s)
{
	size_t n = 0;

	while (s[n] == '_' || (s[n] >= '0' && s[n] <= '9') || (s[n] >= 'a' && s[n] <= 'z'))
		n++;
	return n;
}

/* Past the arguments of a record. */
static const char *
skip_arguments(const char *s)
{
	int open = 0;

	do
		open += (*s == '(') - (*s == ')');
	while (*s && *s++ && open > 0);
	return s;
}

/* point<int, int>, pt(int)<int, int>: records are named as functions are */
static int
parse_record_type(TypeText *t)
{
	const char *name = t->at, *after = name + name_length(name);
	int a, r;

	if (*after == '(')
		after = skip_arguments(after);
	if (after == name || *after != '<' || t->depth == MAX_NESTING)
		return -1;
	t->at = after + 1;
	t->depth++;
	a = parse_tuple_type(t);
	t->depth--;
	if (a < 0 || *t->at != '>')
		return -1;
	t->at++;
	r = type_node(t, '<', a, -1);
	t->node[r].name = name;
	t->node[r].length = (int)name_length(name);
	return r;
}

/* Past the type of a function, which ends where what it is part of ends or goes on; NULL if it is none. */
static const char *
skip_function(const char *s)
{
	int open = 0, arrows = 0;

	for (; *s && (open > 0 || !strchr(",)]>:", *s)); s++) {
		if (s[0] == '-' && s[1] == '>') {
			s++;
			arrows++;
		} else
			open += (*s == '(' || *s == '[') - (*s == ')' || *s == ']');
	}
	return arrows > 0 ? s : NULL;
}

/* <bool>int -> int: what represents the function, then what is printed */
static int
parse_function_type(TypeText *t)
{
	int a;

	if (t->depth == MAX_NESTING)
		return -1;
	t->at++;
	t->depth++;
	a = parse_tuple_type(t);
	t->depth--;
	if (a < 0 || *t->at != '>')
		return -1;
	t->at = skip_function(t->at + 1);
	return t->at ? type_node(t, '>', a, -1) : -1;
}

static int
parse_item_type(TypeText *t)
{
	static const char *const base[] = {"int", "float", "bool", "char"};
	size_t word = name_length(t->at);
	char close = *t->at == '(' ? ')' : ']', open;
	int a;

	for (int i = 0; i < 4; i++)
		if (word == strlen(base[i]) && type_word(t, base[i]))
			return type_node(t, base[i][0], -1, -1);
	if (word > 0)
		return parse_record_type(t);
	if (*t->at == '<')
		return parse_function_type(t);
	if ((*t->at != '(' && *t->at != '[') || t->depth == MAX_NESTING)
		return -1;
	open = *t->at++;
	t->depth++;
	a = parse_tuple_type(t);
	t->depth--;
	if (a < 0 || *t->at != close)
		return -1;
	t->at++;
	return open == '[' ? type_node(t, '[', a, -1) : a;
}

/* a, b, c is a, (b, c) */
static int
parse_tuple_type(TypeText *t)
{
	int a, b;

	type_space(t);
	a = parse_item_type(t);
	if (a < 0)
		return a;
	type_space(t);
	if (*t->at != ',')
		return a;
	t->at++;
	if (t->depth == MAX_NESTING)
		return -1;
	t->depth++;
	b = parse_tuple_type(t);
	t->depth--;
	return b < 0 ? -1 : type_node(t, '(', a, b);
}

int
nesl_type_parse(const char *type, TypeNode **node)
{
	TypeText t = {type, NULL, 0, 0};
	int root;

	*node = t.node = (TypeNode *)malloc(sizeof *t.node * (strlen(type) + 1));
	if (!t.node)
		return -1;
	root = parse_tuple_type(&t);
	if (root >= 0 && (!*t.at || strncmp(t.at, ":: (", 4) == 0))
		return root;
	free(t.node);
	*node = NULL;
	return -1;
}

typedef struct {
	nesl_leaf *leaf;
	int max, n;
} LeafList;

static void
add_leaf(LeafList *l, nesl_leaf_kind kind, char base)
{
	if (l->leaf && l->n < l->max) {
		memset(&l->leaf[l->n], 0, sizeof *l->leaf);
		l->leaf[l->n].kind = kind;
		l->leaf[l->n].base = base;
		l->leaf[l->n].count = kind == LEAF_SCALAR;
	}
	l->n++;
}

static void
list_leaves(const TypeNode *node, int t, int inside, LeafList *l)
{
	switch (node[t].kind) {
	case '(':
		list_leaves(node, node[t].a, inside, l);
		list_leaves(node, node[t].b, inside, l);
		break;
	case '<': case '>':
		list_leaves(node, node[t].a, inside, l);
		break;
	case '[':
		if (inside)
			add_leaf(l, LEAF_OFFSETS, 'i');
		list_leaves(node, node[t].a, 1, l);
		break;
	default:
		add_leaf(l, inside ? LEAF_VECTOR : LEAF_SCALAR, node[t].kind);
	}
}

int
nesl_type_leaves(const char *type, nesl_leaf *leaf, int max)
{
	LeafList l = {leaf, max, 0};
	TypeNode *node;
	int root = nesl_type_parse(type, &node);

	if (root < 0)
		return -1;
	list_leaves(node, root, 0, &l);
	free(node);
	return l.n;
}

/* -- floats ----------------------------------------------------------------------------------- */
/* 15 significant digits, shortest; plain from 0.001 up to 1e7, else mantissa and exponent. */
void
nesl_format_float(char buf[40], f64 x)
{
	char text[40], digit[20], *o = buf;
	int n = 15, exp;

	if (x != x || x - x != 0.0 || x == 0.0) {
		strcpy(buf, x != x ? "nan" : x == 0.0 ? "0.0" : x > 0.0 ? "inf" : "-inf");
		return;
	}
	snprintf(text, sizeof text, "%.14e", x < 0.0 ? -x : x);         /* d.dddddddddddddde+XX */
	digit[0] = text[0];
	memcpy(digit + 1, text + 2, 14);
	exp = atoi(text + 17);
	while (n > 1 && digit[n - 1] == '0')
		n--;
	if (x < 0.0)
		*o++ = '-';
	if (exp < -3 || exp > 6) {
		*o++ = digit[0];
		*o++ = '.';
		memcpy(o, n > 1 ? digit + 1 : "0", (size_t)(n > 1 ? n - 1 : 1));
		sprintf(o + (n > 1 ? n - 1 : 1), "E%d", exp);
		return;
	}
	for (int k = exp < 0 ? exp : 0; k < n || k <= exp + 1; k++) {
		if (k == exp + 1)
			*o++ = '.';
		*o++ = (char)(k >= 0 && k < n ? digit[k] : '0');
	}
	*o = 0;
}

/* -- values ----------------------------------------------------------------------------------- */
enum { READ_AHEAD = 128 };

/* A leaf being read: what lies elsewhere (on a device) is fetched some elements at a time. */
typedef struct {
	const nesl_leaf *leaf;
	i64 from, n;            /* what is in buf */
	char buf[READ_AHEAD * 8];
} LeafReader;

typedef struct {
	FILE *out;
	const TypeNode *node;
	i64 limit;
} ValuePrinter;

static size_t
base_size(char base)
{
	return base == 'i' || base == 'f' ? 8 : base == 'b' ? sizeof(b8) : 4;
}

static const void *
read_leaf(LeafReader *r, i64 k)
{
	size_t size = base_size(r->leaf->base);

	if (!r->leaf->fetch)
		return (const char *)r->leaf->data + (size_t)k * size;
	if (k < r->from || k >= r->from + r->n) {
		r->from = k;
		r->n = r->leaf->count - k < READ_AHEAD ? r->leaf->count - k : READ_AHEAD;
		r->leaf->fetch(r->leaf->data, r->from, r->n, size, r->buf);
	}
	return r->buf + (size_t)(k - r->from) * size;
}

static void
print_base(const ValuePrinter *p, LeafReader *r, i64 k)
{
	const void *at = read_leaf(r, k);
	char text[40];

	switch (r->leaf->base) {
	case 'i': fprintf(p->out, "%lld", (long long)*(const i64 *)at); break;
	case 'w': fprintf(p->out, "%d", *(const int32_t *)at); break;
	case 'b': fputc(*(const b8 *)at ? 'T' : 'F', p->out); break;
	case 'c':
		fputc('`', p->out);
		fputc((unsigned char)*(const c32 *)at, p->out);
		break;
	default:
		nesl_format_float(text, *(const f64 *)at);
		fputs(text, p->out);
	}
}

static void
print_string(const ValuePrinter *p, LeafReader *r, i64 from, i64 to)
{
	fputc('"', p->out);
	for (i64 k = from; k < to; k++) {
		int c = (unsigned char)*(const c32 *)read_leaf(r, k);

		if (c == '"' || c == '\\')
			fputc('\\', p->out);
		fputc(c, p->out);
	}
	fputc('"', p->out);
}

/* One value of type t: the k-th of its leaves, which begin at r.  Gives the reader after them.
 * `inside`: it is an element of a sequence. */
static LeafReader *
print_at(const ValuePrinter *p, int t, LeafReader *r, i64 k, int inside)
{
	const TypeNode *n = &p->node[t];
	LeafReader *after = r;
	LeafList skipped = {NULL, 0, 0};
	i64 from = 0, to, shown;

	if (n->kind == '(') {
		fputc('(', p->out);
		for (; p->node[t].kind == '('; t = p->node[t].b) {
			r = print_at(p, p->node[t].a, r, k, inside);
			fputs(", ", p->out);
		}
		r = print_at(p, t, r, k, inside);
		fputc(')', p->out);
		return r;
	}
	if (n->kind == '<') {
		int tuple = p->node[n->a].kind == '(';

		fprintf(p->out, tuple ? "%.*s" : "%.*s(", n->length, n->name);
		r = print_at(p, n->a, r, k, inside);
		fputs(tuple ? "" : ")", p->out);
		return r;
	}
	if (n->kind == '>') {
		fputs("fn", p->out);
		list_leaves(p->node, n->a, inside, &skipped);
		return r + skipped.n;
	}
	if (n->kind != '[') {
		print_base(p, r, k);
		return r + 1;
	}
	if (inside) {
		from = *(const i64 *)read_leaf(r, k);
		to = *(const i64 *)read_leaf(r, k + 1);
		after = ++r;
	} else {
		to = r->leaf->count - (r->leaf->kind == LEAF_OFFSETS);
	}
	if (p->node[n->a].kind == 'c') {
		print_string(p, r, from, to);
		return r + 1;
	}
	shown = to - from > p->limit ? p->limit : to - from;
	fputc('[', p->out);
	for (i64 i = 0; i < shown; i++) {
		if (i > 0)
			fputs(", ", p->out);
		after = print_at(p, n->a, r, from + i, 1);
	}
	fputs(shown < to - from ? ",...]" : "]", p->out);
	if (shown <= 0) {
		list_leaves(p->node, n->a, 1, &skipped);
		after = r + skipped.n;
	}
	return after;
}

void
nesl_print_type(FILE *out, const char *type)
{
	int inside = 0;

	for (const char *c = type; *c; c++) {
		inside += *c == '<';
		if (!inside)
			fputc(*c, out);
		inside -= *c == '>' && inside && c[-1] != '-';
	}
}

void
nesl_print_value(FILE *out, const char *type, const nesl_leaf *leaf, i64 limit)
{
	TypeNode *node;
	int root = nesl_type_parse(type, &node), n = nesl_type_leaves(type, NULL, 0);
	LeafReader *reader;
	ValuePrinter p = {out, node, limit < 0 ? 0 : limit};

	if (root < 0)
		return;
	reader = (LeafReader *)malloc(sizeof *reader * (size_t)n);
	if (reader) {
		for (int i = 0; i < n; i++) {
			reader[i].leaf = &leaf[i];
			reader[i].from = reader[i].n = 0;
		}
		print_at(&p, root, reader, 0, 0);
	}
	free(reader);
	free(node);
}

void
nesl_value_free(nesl_value *v)
{
	for (int i = 0; i < v->nleaf; i++)
		free(v->leaf[i].data);
	free(v->leaf);
	v->leaf = NULL;
	v->nleaf = 0;
}

int
nesl_count_of(const char *text, i64 *n)
{
	char *end;
	f64 x;

	errno = 0;
	*n = strtoll(text, &end, 10);
	if (errno || end == text || *end) {
		x = strtod(text, &end);
		if (end == text || *end || !(x >= 1.0 && x < 9.2e18) || x != (f64)(i64)x)
			return 0;
		*n = (i64)x;
	}
	return *n >= 1;
}
