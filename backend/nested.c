/* nested.c: functions in nested form -> C, or C++ of the host, which run for one row of few elements.
 *
 * In   the functions of p->nested, in normal
 * Out  nested_NAME_, which makes what it needs in the room of a row (nesl_nested.h)
 * How  A sequence is a length and where its elements are, a tuple a struct.  What only one loop of the same block reads, element by
 *      element, is no sequence but part of that loop.  Packs that read as many elements, and do not need one another, are one
 *      loop.  A function that ends in a call of itself is a loop, whose rounds begin with what they are given and nothing else. */
#include <string.h>
#include "backend/nested.h"
#include "frontend/normal.h"

/* An element that has a name, in the body of one loop. */
typedef struct Read {
	const char *name;
	int loop;
} Read;

typedef struct Nest {
	Emit *e;
	Arena *arena;
	const Program *p;
	bool cxx;               /* it is C++ */
	int *uses;              /* by variable id */
	const Bind **later;     /* by variable id: what makes a sequence in the loop that reads it; NULL: it is there */
	const Var **as_long;    /* by variable id: the first sequence that it is known to be as long as; NULL: itself */
	int *made;              /* by variable id: the how manieth binding of the function makes it, of blocks around where we are */
	const Bind **with;      /* by variable id, of a pack's first result: the pack in whose loop it is done; NULL: its own */
	Map *types;             /* those that have been declared, by name */
	int bindings;           /* seen so far */
	int loops;              /* around where we are */
	int *loop, opened;      /* by how many are around it: the how manieth it is of those that were opened */
	Read *read;             /* by variable id, of a sequence */
	int line;               /* of the source, that was told last */
	const Fun *fun;         /* whose body it is */
} Nest;

/* -- types ------------------------------------------------------------------------------------------ */

const char *
nested_type(Arena *a, const Ty *ty)
{
	if (ty->kind == TY_SEQ)
		return arena_printf(a, "seq_%s_", nested_type(a, ty->a));
	if (ty->kind == TY_PAIR)
		return arena_printf(a, "pair_%s_%s_", nested_type(a, ty->a), nested_type(a, ty->b));
	return emit_ctype(ty);
}

const char *
nested_made(Arena *a, const Ty *ty, bool cxx)
{
	return arena_printf(a, cxx ? "%s" : "(%s)", nested_type(a, ty));
}

static const char *
type_of(const Nest *t, const Ty *ty)
{
	return nested_type(t->arena, ty);
}

static void
declare_type(Nest *t, const Ty *ty)
{
	const char *name;

	if (ty->kind != TY_PAIR && ty->kind != TY_SEQ)
		return;
	name = intern(t->p->names, type_of(t, ty));
	if (*map_at(t->types, name))
		return;
	*map_at(t->types, name) = t;
	declare_type(t, ty->a);
	if (ty->kind == TY_PAIR)
		declare_type(t, ty->b);
	if (ty->kind == TY_PAIR)
		emit_line(t->e, "typedef struct { %s a; %s b; } %s;", type_of(t, ty->a), type_of(t, ty->b), name);
	else
		emit_line(t->e, "typedef struct { i64 n; const %s *at; } %s;", type_of(t, ty->a), name);
}

static void
declare_types(Nest *t, const Block *body)
{
	for (int i = 0; i < body->nparam; i++)
		declare_type(t, body->param[i]->ty);
	for (const Bind *b = body->first; b; b = b->next) {
		for (int i = 0; i < b->ndst; i++)
			declare_type(t, b->dst[i]->ty);
		for (int i = 0; i < b->nblock; i++)
			declare_types(t, b->block[i]);
	}
}

/* -- names ------------------------------------------------------------------------------------------ */

static bool
unused(const Nest *t, const Var *v)
{
	return t->uses[v->id] == 0;
}

static const char *
name_of(Nest *t, const Var *v)
{
	return emit_cname(t->e, v->name);
}

/* No variable's name ends so. */
static const char *
part_name(Nest *t, const Var *v, const char *part)
{
	return arena_printf(t->arena, "%s_%s_", name_of(t, v), part);
}

static const char *
operand(Nest *t, Opnd o)
{
	return emit_const(t->e, o);
}

/* Is it as long as its operands? */
static bool
keeps_length(const Bind *b)
{
	return b->op == NORMAL_foreach || b->op == NORMAL_positions;
}

static const char *
length(Nest *t, Opnd o)
{
	const Bind *b = t->later[o.u.var->id];

	if (b && keeps_length(b))
		return length(t, b->arg[0]);
	return b ? part_name(t, o.u.var, "n") : arena_printf(t->arena, "%s.n", operand(t, o));
}

/* -- what is made in the loop that reads it --------------------------------------------------------- */

static bool
is_elements(const Bind *b)
{
	return keeps_length(b) || b->op == NORMAL_range || b->op == NORMAL_dist;
}

static void
count_uses(Nest *t, const Block *body)
{
	for (const Bind *b = body->first; b; b = b->next) {
		for (int i = 0; i < b->narg; i++)
			if (b->arg[i].kind == OPND_VAR)
				t->uses[b->arg[i].u.var->id]++;
		for (int i = 0; i < b->nblock; i++)
			count_uses(t, b->block[i]);
	}
	for (int i = 0; i < body->nyield; i++)
		if (body->yield[i].kind == OPND_VAR)
			t->uses[body->yield[i].u.var->id]++;
}

/* Is it done where it is appended, if nobody else reads it? */
static bool
is_part(const Bind *b)
{
	return b->op == NORMAL_append || b->op == NORMAL_seq;
}

static void
put_off(Nest *t, const Block *body)
{
	for (const Bind *x = body->first; x; x = x->next) {
		t->bindings++;
		for (int i = 0; i < x->ndst; i++)
			t->made[x->dst[i]->id] = t->bindings;
		if (x->ndst != 1 || t->uses[x->dst[0]->id] != 1 || !(is_elements(x) || is_part(x)))
			continue;
		for (const Bind *b = x->next; b; b = b->next)
			for (int i = 0; i < b->narg; i++)
				if (same_opnd(b->arg[i], opnd_var(x->dst[0])) && (is_elements(x) ? normal_reads_elements(b) : b->op == NORMAL_append))
					t->later[x->dst[0]->id] = x;
	}
}

/* -- what is made in one loop ----------------------------------------------------------------------- */

static const Var *
root(const Nest *t, Opnd o)
{
	const Var *as = t->as_long[o.u.var->id];

	return as ? as : o.u.var;
}

/* The same, as far as that is seen without a check, of what is not made yet too. */
static const Var *
long_as(const Nest *t, Opnd o)
{
	const Bind *b = t->later[o.u.var->id];

	if (!b || !keeps_length(b))
		return root(t, o);
	for (int i = 1; i < b->narg; i++)
		if (long_as(t, b->arg[i]) != long_as(t, b->arg[0]))
			return o.u.var;
	return long_as(t, b->arg[0]);
}

/* Does it take nothing of the room? */
static bool
is_value(const Bind *b)
{
	return normal_ir.op[b->op].cls == OP_SCALAR || b->op == NORMAL_pair || b->op == NORMAL_fst || b->op == NORMAL_snd
		|| b->op == NORMAL_length || b->op == NORMAL_elt;
}

/* Is all there before b is, and is nothing made but values? */
static bool
is_simple(const Nest *t, const Block *body, const Bind *b)
{
	for (const Bind *x = body->first; x; x = x->next) {
		if (!is_value(x))
			return false;
		for (int i = 0; i < x->narg; i++)
			if (x->arg[i].kind == OPND_VAR && t->made[x->arg[i].u.var->id] >= t->made[b->dst[0]->id])
				return false;
	}
	return true;
}

/* Can its elements be read in the loop of b? */
static bool
is_there(const Nest *t, Opnd o, const Bind *b)
{
	const Bind *x = t->later[o.u.var->id];

	if (!x || x->op != NORMAL_foreach)
		return t->made[o.u.var->id] < t->made[b->dst[0]->id];
	for (int i = 0; i < x->narg; i++)
		if (!is_there(t, x->arg[i], b))
			return false;
	return is_simple(t, x->block[0], b);
}

static bool
goes_with(const Nest *t, const Bind *p, const Bind *b)
{
	for (int i = 0; i < p->narg; i++)
		if (!is_there(t, p->arg[i], b) || long_as(t, p->arg[i]) != long_as(t, b->arg[0]))
			return false;
	return true;
}

static void
put_together(Nest *t, const Block *body)
{
	for (const Bind *b = body->first; b; b = b->next)
		if (b->op == NORMAL_pack && !t->with[b->dst[0]->id] && goes_with(t, b, b))
			for (const Bind *p = b->next; p; p = p->next)
				if (p->op == NORMAL_pack && !t->with[p->dst[0]->id] && goes_with(t, p, b))
					t->with[p->dst[0]->id] = b;
}

/* -- elements --------------------------------------------------------------------------------------- */

static void block(Nest *t, const Block *body);

static const char *
index_name(Nest *t)
{
	return arena_printf(t->arena, t->loops > 1 ? "i%d_" : "i_", t->loops);
}

static const char *element(Nest *t, Opnd o, const char *i);

/* What a foreach gives for element i. */
static const char *
each(Nest *t, const Bind *b, const char *i)
{
	const Block *body = b->block[0];

	for (int k = 0; k < body->nparam; k++) {
		const Var *v = body->param[k];
		const char *x = element(t, b->arg[k], i);

		if (unused(t, v) && t->later[b->arg[k].u.var->id]) {    /* nobody looks at it, but it must be defined */
			emit_line(t->e, "(void)(%s);", x);
		} else if (!unused(t, v)) {
			emit_line(t->e, "const %s %s = %s;", type_of(t, v->ty), name_of(t, v), x);
			t->read[b->arg[k].u.var->id] = (Read){name_of(t, v), t->loop[t->loops]};
		}
	}
	block(t, body);
	return operand(t, body->yield[0]);
}

/* Its text; what it needs stands before. */
static const char *
element(Nest *t, Opnd o, const char *i)
{
	const Bind *b = t->later[o.u.var->id];

	if (!b && t->read[o.u.var->id].loop == t->loop[t->loops])
		return t->read[o.u.var->id].name;
	if (!b)
		return arena_printf(t->arena, "%s.at[%s]", operand(t, o), i);
	switch (b->op) {
	case NORMAL_foreach:
		return each(t, b, i);
	case NORMAL_positions:
		return arena_printf(t->arena, "(nint)%s", i);
	case NORMAL_range:
		return arena_printf(t->arena, "%s + (nint)%s * %s", operand(t, b->arg[0]), i, operand(t, b->arg[2]));
	default:
		return operand(t, b->arg[0]);
	}
}

static void
tell_place(Nest *t, const Bind *b)
{
	if (b->span.line != t->line)
		emit_place(t->e, b->span);
	t->line = b->span.line;
}

/* for (i < n) { */
static const char *
open_loop(Nest *t, const char *n)
{
	const char *i;

	t->loop[++t->loops] = ++t->opened;
	i = index_name(t);
	emit_open(t->e, "for (i64 %s = 0; %s < %s; %s++) {", i, i, n, i);
	return i;
}

static void
close_loop(Nest *t)
{
	t->loops--;
	emit_close(t->e, "}");
}

static void
unless(Nest *t, const char *holds)
{
	emit_open(t->e, "if (!(%s))", holds);
	emit_line(t->e, "NESL_NO_ROW(s_);");
	emit_close(t->e, "");
}

/* nint *const x_at_ = room for n */
static const char *
take(Nest *t, const Var *v, const char *n)
{
	const char *at = part_name(t, v, "at"), *type = type_of(t, v->ty->a);

	emit_line(t->e, "%s *const %s = nesl_row_take(s_, %s, sizeof(%s));", type, at, n, type);
	return at;
}

static void
is_sequence(Nest *t, const Var *v, const char *n, const char *at)
{
	if (!unused(t, v))
		emit_line(t->e, "const %s %s = {%s, %s};", type_of(t, v->ty), name_of(t, v), n, at);
}

/* Operands that are read together are of one length. */
static void
one_length(Nest *t, const Bind *b)
{
	for (int i = 1; i < b->narg; i++)
		if (root(t, b->arg[i]) != root(t, b->arg[0]))
			unless(t, arena_printf(t->arena, "%s == %s", length(t, b->arg[i]), length(t, b->arg[0])));
}

/* How many elements a sequence has that is made element by element; and what must hold. */
static const char *
elements_length(Nest *t, const Bind *b)
{
	const char *n;

	switch (b->op) {
	case NORMAL_foreach:
		one_length(t, b);
		/* fall through */
	case NORMAL_positions:
		t->as_long[b->dst[0]->id] = root(t, b->arg[0]);
		return length(t, b->arg[0]);
	case NORMAL_range:
		n = arena_printf(t->arena, "(%s, %s, %s)", operand(t, b->arg[0]), operand(t, b->arg[1]), operand(t, b->arg[2]));
		unless(t, arena_printf(t->arena, "irange_ok%s", n));
		return arena_printf(t->arena, "irange%s", n);
	default:
		unless(t, arena_printf(t->arena, "%s >= 0", operand(t, b->arg[1])));
		return operand(t, b->arg[1]);
	}
}

static void
make_elements(Nest *t, const Bind *b)
{
	const Var *v = b->dst[0];
	const char *n = part_name(t, v, "n"), *at, *i, *x;

	x = elements_length(t, b);
	if (t->later[v->id] && keeps_length(b))
		return;
	emit_line(t->e, "const i64 %s = %s;", n, x);
	if (t->later[v->id])
		return;
	at = take(t, v, n);
	i = open_loop(t, n);
	t->later[v->id] = b;            /* its elements are as they are where it is not stored */
	x = element(t, opnd_var(b->dst[0]), i);
	t->later[v->id] = NULL;
	emit_line(t->e, "%s[%s] = %s;", at, i, x);
	close_loop(t);
	is_sequence(t, v, n, at);
}

/* -- operators -------------------------------------------------------------------------------------- */

static void
open_pack(Nest *t, const Bind *b)
{
	tell_place(t, b);
	for (int k = 0; k < b->ndst; k++)
		take(t, b->dst[k], length(t, b->arg[0]));
	emit_line(t->e, "i64 %s = 0;", part_name(t, b->dst[0], "n"));
}

/* Each is stored where the next that is kept goes. */
static void
pack_element(Nest *t, const Bind *b, const char *i)
{
	const char *n = part_name(t, b->dst[0], "n"), *keeps = element(t, b->arg[0], i);

	for (int k = 0; k < b->ndst; k++) {
		const char *x = element(t, b->arg[k + 1], i);

		emit_line(t->e, "%s[%s] = %s;", part_name(t, b->dst[k], "at"), n, x);
	}
	emit_line(t->e, "%s += %s;", n, keeps);
}

static void
close_pack(Nest *t, const Bind *b)
{
	for (int k = 0; k < b->ndst; k++)
		is_sequence(t, b->dst[k], part_name(t, b->dst[0], "n"), part_name(t, b->dst[k], "at"));
}

/* The next after p that is done in the loop of b. */
static const Bind *
next_with(const Nest *t, const Bind *p, const Bind *b)
{
	do
		p = p->next;
	while (p && !(p->op == NORMAL_pack && t->with[p->dst[0]->id] == b));
	return p;
}

static void
pack(Nest *t, const Bind *b)
{
	const Bind *last = b;
	const char *i;

	if (t->with[b->dst[0]->id])
		return;
	one_length(t, b);
	for (const Bind *p = b; p; p = next_with(t, p, b)) {
		open_pack(t, p);
		last = p;
	}
	i = open_loop(t, length(t, b->arg[0]));
	for (const Bind *p = b; p; p = next_with(t, p, b))
		pack_element(t, p, i);
	close_loop(t);
	for (const Bind *p = b; p; p = next_with(t, p, b))
		close_pack(t, p);
	/* what was made to choose by is not needed either */
	if (last->ndst == 1 && (last != b || !t->later[b->arg[1].u.var->id]))
		emit_line(t->e, "nesl_row_leave(s_, %s + %s);", part_name(t, last->dst[0], "at"), part_name(t, last->dst[0], "n"));
}

static void
fold(Nest *t, const Bind *b)
{
	const OpInfo *op = &normal_ir.op[b->op];
	const bool scans = op->cls == OP_SCAN, keeps_more = scans || op_finds_place(op);
	const Ty *ty = opnd_ty(b->arg[0])->a;
	const char *n = length(t, b->arg[0]), *acc = keeps_more ? part_name(t, b->dst[0], "sum") : name_of(t, b->dst[0]), *at = NULL;
	const char *i, *x[2];

	one_length(t, b);
	if (scans)
		at = take(t, b->dst[0], n);
	else
		emit_line(t->e, "nesl_row_take(s_, %s, 1);", n);        /* not endless either */
	emit_line(t->e, "%s %s = %s;", emit_fold_type(t->e, op, ty), acc, emit_identity(t->e, op, ty));
	i = open_loop(t, n);
	for (int k = 0; k < b->narg; k++)
		x[k] = element(t, b->arg[k], i);
	if (scans)
		emit_line(t->e, "%s[%s] = %s;", at, i, acc);
	emit_line(t->e, "%s = %s;", acc, emit_combine(t->e, &normal_ir, op, ty, acc, emit_folded(t->e, op, ty, x)));
	close_loop(t);
	if (scans)
		is_sequence(t, b->dst[0], n, at);
	else if (keeps_more)
		emit_line(t->e, "const %s %s = %s;", type_of(t, b->dst[0]->ty), name_of(t, b->dst[0]), emit_fold_result(t->e, op, acc));
}

/* All that is appended, from left to right. */
static void
appended(Nest *t, const Bind *b, Var **out, int *n)
{
	for (int k = 0; k < 2; k++) {
		const Bind *of = t->later[b->arg[k].u.var->id];

		if (of && of->op == NORMAL_append)
			appended(t, of, out, n);
		else
			out[(*n)++] = b->arg[k].u.var;
	}
}

static int
count_appended(const Nest *t, const Bind *b)
{
	int n = 0;

	for (int k = 0; k < 2; k++) {
		const Bind *of = t->later[b->arg[k].u.var->id];

		n += of && of->op == NORMAL_append ? count_appended(t, of) : 1;
	}
	return n;
}

/* A literal that stands in the append; else NULL. */
static const Bind *
literal_part(const Nest *t, const Var *v)
{
	const Bind *b = t->later[v->id];

	return b && b->op == NORMAL_seq ? b : NULL;
}

static const char *
part_length(Nest *t, const Var *v)
{
	const Bind *b = literal_part(t, v);

	return b ? arena_printf(t->arena, "%d", b->narg) : arena_printf(t->arena, "%s.n", name_of(t, v));
}

/* Elements of v go to *to++. */
static void
append_part(Nest *t, const Var *v, const char *to)
{
	const Bind *b = literal_part(t, v);
	const char *i;

	for (int k = 0; b && k < b->narg; k++)
		emit_line(t->e, "*%s++ = %s;", to, operand(t, b->arg[k]));
	if (b)
		return;
	i = open_loop(t, part_length(t, v));
	emit_line(t->e, "*%s++ = %s.at[%s];", to, name_of(t, v), i);
	close_loop(t);
}

/* Behind the first, where that is if it is what was made last. */
static void
append(Nest *t, const Bind *b)
{
	const Var *v = b->dst[0];
	Var **part;
	const char *n = "", *at = part_name(t, v, "at"), *to = part_name(t, v, "to"), *type = type_of(t, v->ty->a), *first;
	int parts = 0, k = 0;

	part = NEW(t->arena, Var *, count_appended(t, b));
	appended(t, b, part, &parts);
	for (int i = 0; i < parts; i++)
		n = arena_printf(t->arena, "%s%s%s", n, i ? " + " : "", part_length(t, part[i]));
	emit_line(t->e, "const i64 %s = %s;", part_name(t, v, "n"), n);
	if (literal_part(t, part[0])) {
		take(t, v, part_name(t, v, "n"));
		emit_line(t->e, "%s *%s = %s;", type, to, at);
	} else {
		first = name_of(t, part[k++]);
		emit_line(t->e, "%s *const %s = nesl_row_append(s_, %s.at, %s.n, %s, sizeof(%s));", type, at, first, first, part_name(t, v, "n"), type);
		emit_line(t->e, "%s *%s = %s + %s.n;", type, to, at, first);
	}
	while (k < parts)
		append_part(t, part[k++], to);
	is_sequence(t, v, part_name(t, v, "n"), at);
}

static void
flatten(Nest *t, const Bind *b)
{
	const Var *v = b->dst[0];
	const char *x = operand(t, b->arg[0]), *n = part_name(t, v, "n"), *to = part_name(t, v, "to"), *at, *i, *j;

	emit_line(t->e, "i64 %s = 0;", n);
	i = open_loop(t, arena_printf(t->arena, "%s.n", x));
	emit_line(t->e, "%s += %s.at[%s].n;", n, x, i);
	close_loop(t);
	at = take(t, v, n);
	emit_line(t->e, "%s *%s = %s;", type_of(t, v->ty->a), to, at);
	i = open_loop(t, arena_printf(t->arena, "%s.n", x));
	j = open_loop(t, arena_printf(t->arena, "%s.at[%s].n", x, i));
	emit_line(t->e, "*%s++ = %s.at[%s].at[%s];", to, x, i, j);
	close_loop(t);
	close_loop(t);
	is_sequence(t, v, n, at);
}

static void
literal(Nest *t, const Bind *b)
{
	const char *n = arena_printf(t->arena, "%d", b->narg), *at = take(t, b->dst[0], n);

	for (int i = 0; i < b->narg; i++)
		emit_line(t->e, "%s[%d] = %s;", at, i, operand(t, b->arg[i]));
	is_sequence(t, b->dst[0], n, at);
}

static void
string(Nest *t, const Bind *b)
{
	const char *n = arena_printf(t->arena, "%d", b->textlen), *at = take(t, b->dst[0], n), *i = open_loop(t, n);

	emit_line(t->e, "%s[%s] = (unsigned char)%s[%s];", at, i, emit_string(t->e, b->text, b->textlen), i);
	close_loop(t);
	is_sequence(t, b->dst[0], n, at);
}

static void
subseq(Nest *t, const Bind *b)
{
	const char *x = operand(t, b->arg[0]), *from = operand(t, b->arg[1]), *to = operand(t, b->arg[2]);

	unless(t, arena_printf(t->arena, "0 <= %s && %s <= %s && %s <= %s.n", from, from, to, to, x));
	if (!unused(t, b->dst[0]))
		emit_line(t->e, "const %s %s = {%s - %s, %s.at + %s};", type_of(t, b->dst[0]->ty), name_of(t, b->dst[0]), to, from, x, from);
}

/* By a number above 0. */
static bool
cannot_fail(const Bind *b)
{
	return (b->op == NORMAL_div || b->op == NORMAL_rem) && b->arg[1].kind == OPND_INT && b->arg[1].u.i > 0;
}

static void
scalar(Nest *t, const Bind *b)
{
	const OpInfo *op = &normal_ir.op[b->op];
	const char *arg[3] = {0};

	for (int i = 0; i < b->narg && i < 3; i++)
		arg[i] = operand(t, b->arg[i]);
	if (op->guard && !cannot_fail(b))
		unless(t, emit_scalar(t->e, &normal_ir.op[ir_find(&normal_ir, op->guard)], opnd_ty(b->arg[0]), arg, b->narg));
	if (!unused(t, b->dst[0]))
		emit_line(t->e, "const %s %s = %s;", type_of(t, b->dst[0]->ty), name_of(t, b->dst[0]),
			emit_scalar(t->e, op, opnd_ty(b->arg[0]), arg, b->narg));
}

static void
branch(Nest *t, const Bind *b)
{
	for (int i = 0; i < b->ndst; i++)
		if (!unused(t, b->dst[i]))
			emit_line(t->e, "%s %s;", type_of(t, b->dst[i]->ty), name_of(t, b->dst[i]));
	emit_open(t->e, "if (%s) {", operand(t, b->arg[0]));
	for (int k = 0; k < 2; k++) {
		block(t, b->block[k]);
		for (int i = 0; i < b->ndst; i++)
			if (!unused(t, b->dst[i]))
				emit_line(t->e, "%s = %s;", name_of(t, b->dst[i]), operand(t, b->block[k]->yield[i]));
		if (k == 0)
			emit_else(t->e);
	}
	emit_close(t->e, "}");
}

static const char *
call_text(Nest *t, const Bind *b)
{
	const char *s = arena_printf(t->arena, "nested_%s_(s_", emit_cname(t->e, b->name));

	for (int i = 0; i < b->narg; i++)
		s = arena_printf(t->arena, "%s, %s", s, operand(t, b->arg[i]));
	return arena_printf(t->arena, "%s)", s);
}

/* The text of what is no statement but a value; NULL: it is one. */
static const char *
value_text(Nest *t, const Bind *b)
{
	switch (b->op) {
	case NORMAL_pair:
		return arena_printf(t->arena, "{%s, %s}", operand(t, b->arg[0]), operand(t, b->arg[1]));
	case NORMAL_fst:
		return arena_printf(t->arena, "%s.a", operand(t, b->arg[0]));
	case NORMAL_snd:
		return arena_printf(t->arena, "%s.b", operand(t, b->arg[0]));
	case NORMAL_length:
		return arena_printf(t->arena, "(nint)%s", length(t, b->arg[0]));
	case NORMAL_call:
		return call_text(t, b);
	case NORMAL_elt:
		unless(t, arena_printf(t->arena, "nesl_in(%s, %s.n)", operand(t, b->arg[1]), operand(t, b->arg[0])));
		return arena_printf(t->arena, "%s.at[%s]", operand(t, b->arg[0]), operand(t, b->arg[1]));
	default:
		return NULL;
	}
}

static void
binding(Nest *t, const Bind *b)
{
	const char *value;

	if (!(b->op == NORMAL_pack || (is_elements(b) && t->later[b->dst[0]->id])))
		tell_place(t, b);
	value = value_text(t, b);
	if (value && unused(t, b->dst[0]) && b->op == NORMAL_call)
		emit_line(t->e, "%s;", value);
	else if (value && !unused(t, b->dst[0]))
		emit_line(t->e, "const %s %s = %s;", type_of(t, b->dst[0]->ty), name_of(t, b->dst[0]), value);
	else if (value)
		return;
	else if (is_elements(b))
		make_elements(t, b);
	else if (b->op == NORMAL_if)
		branch(t, b);
	else if (b->op == NORMAL_pack)
		pack(t, b);
	else if (b->op == NORMAL_append)
		append(t, b);
	else if (b->op == NORMAL_flatten)
		flatten(t, b);
	else if (b->op == NORMAL_seq)
		literal(t, b);
	else if (b->op == NORMAL_string)
		string(t, b);
	else if (b->op == NORMAL_subseq)
		subseq(t, b);
	else if (op_folds(&normal_ir.op[b->op]))
		fold(t, b);
	else
		scalar(t, b);
}

/* All but `end`; NULL: all. */
static void
block_until(Nest *t, const Block *body, const Bind *end)
{
	put_off(t, body);
	put_together(t, body);
	for (const Bind *b = body->first; b != end; b = b->next)
		if (!(is_part(b) && t->later[b->dst[0]->id]))
			binding(t, b);
}

static void
block(Nest *t, const Block *body)
{
	block_until(t, body, NULL);
}

/* -- functions -------------------------------------------------------------------------------------- */

static const char *
head(Nest *t, const Fun *f)
{
	const char *s = arena_printf(t->arena, "nested_%s_(nesl_row_room *s_", emit_cname(t->e, f->name));

	for (int i = 0; i < f->nparam; i++)
		s = arena_printf(t->arena, "%s, %s %s", s, type_of(t, f->param[i]->ty), name_of(t, f->param[i]));
	return arena_printf(t->arena, "%s)", s);
}

/* All that a function makes ends with it, but for its result; if that is scalars, or one sequence of them. */
static bool
ends_with_call(const Ty *result)
{
	return scalars_only(result) || (result->kind == TY_SEQ && scalars_only(result->a));
}

static void
give_result(Nest *t, Opnd r)
{
	const Ty *ty = opnd_ty(r);
	const char *s = operand(t, r);

	if (scalars_only(ty))
		emit_line(t->e, "nesl_row_leave(s_, room_);");
	else if (ends_with_call(ty))
		s = arena_printf(t->arena, "%s{%s.n, nesl_row_result(s_, room_, %s.at, %s.n * (i64)sizeof(%s))}",
			nested_made(t->arena, ty, t->cxx), s, s, s, type_of(t, ty->a));
	emit_line(t->e, "return %s;", s);
}

/* -- calls of itself that are the last it does -------------------------------------------------------- */

static bool
is_jump(const Nest *t, const Bind *b)
{
	return b && b->op == NORMAL_call && strcmp(b->name, t->fun->name) == 0;
}

static bool
jumps(const Nest *t, const Block *body)
{
	const Bind *b = block_tail(body);

	if (b && b->op == NORMAL_if)
		return jumps(t, b->block[0]) || jumps(t, b->block[1]);
	return is_jump(t, b);
}

/* Can what is behind it in the room be left out? */
static bool
can_move(const Ty *ty)
{
	return ty->kind == TY_PAIR ? can_move(ty->a) && can_move(ty->b) : ends_with_call(ty);
}

/* x.at = HOW(x.at, bytes), for the sequences in x. */
static void
move(Nest *t, const Ty *ty, const char *x, const char *how)
{
	if (ty->kind == TY_PAIR) {
		move(t, ty->a, arena_printf(t->arena, "%s.a", x), how);
		move(t, ty->b, arena_printf(t->arena, "%s.b", x), how);
	} else if (ty->kind == TY_SEQ) {
		emit_line(t->e, "%s.at = %s(s_, &round_, %s.at, %s.n * (i64)sizeof(%s));", x, how, x, x, type_of(t, ty->a));
	}
}

static void
move_params(Nest *t, const char *how)
{
	for (int i = 0; i < t->fun->nparam; i++)
		move(t, t->fun->param[i]->ty, name_of(t, t->fun->param[i]), how);
}

/* The next round; of what was made so far only the parameters are needed. */
static void
jump(Nest *t, const Bind *b)
{
	const Fun *f = t->fun;
	bool movable = true, moves = false;

	emit_open(t->e, "{");
	for (int i = 0; i < f->nparam; i++)
		if (!same_opnd(b->arg[i], opnd_var(f->param[i])))
			emit_line(t->e, "const %s %s = %s;", type_of(t, f->param[i]->ty), part_name(t, f->param[i], "next"), operand(t, b->arg[i]));
	for (int i = 0; i < f->nparam; i++) {
		if (!same_opnd(b->arg[i], opnd_var(f->param[i])))
			emit_line(t->e, "%s = %s;", name_of(t, f->param[i]), part_name(t, f->param[i], "next"));
		movable &= can_move(f->param[i]->ty);
		moves |= !scalars_only(f->param[i]->ty);
	}
	emit_close(t->e, "}");
	emit_line(t->e, "nesl_row_round(s_, &round_);");
	if (!moves) {
		emit_line(t->e, "nesl_row_leave(s_, round_.from);");
	} else if (movable) {
		emit_open(t->e, "if (nesl_row_full(s_, &round_)) {");
		move_params(t, "nesl_row_aside");
		emit_line(t->e, "nesl_row_down(s_, &round_);");
		move_params(t, "nesl_row_moved");
		emit_close(t->e, "}");
	}
	emit_line(t->e, "round_.round = s_->at;");
	emit_line(t->e, "continue;");
}

/* What the function ends with. */
static void
ending(Nest *t, const Block *body)
{
	const Bind *b = block_tail(body);

	if (is_jump(t, b)) {
		block_until(t, body, b);
		jump(t, b);
		return;
	}
	if (!jumps(t, body)) {
		block(t, body);
		give_result(t, body->yield[0]);
		return;
	}
	block_until(t, body, b);
	tell_place(t, b);
	emit_open(t->e, "if (%s) {", operand(t, b->arg[0]));
	ending(t, b->block[0]);
	emit_else(t->e);
	ending(t, b->block[1]);
	emit_close(t->e, "}");
}

static void
print_nested(Nest *t, const Fun *f)
{
	bool loops;

	t->fun = f;
	loops = jumps(t, f->body);
	emit_source(t->e, f->span);
	emit_line(t->e, "static %s", type_of(t, f->result[0]));
	emit_line(t->e, "%s", head(t, f));
	emit_open(t->e, "{");
	emit_line(t->e, "%snesl_row_call(s_);", loops || ends_with_call(f->result[0]) ? "void *const room_ = " : "");
	t->line = f->span.line;
	if (loops) {
		emit_line(t->e, "nesl_row_rounds round_ = nesl_row_loop(room_);");
		emit_open(t->e, "for (;;) {");
	}
	ending(t, f->body);
	if (loops)
		emit_close(t->e, "}");
	emit_close(t->e, "}");
	emit_blank(t->e);
}

void
nested_functions(Emit *e, const Program *p, bool cxx)
{
	Nest t = {.e = e, .arena = p->arena, .p = p->nested, .cxx = cxx};

	if (!t.p)
		return;
	t.uses = NEW(t.arena, int, t.p->nvar + 1);
	t.later = NEW(t.arena, const Bind *, t.p->nvar + 1);
	t.as_long = NEW(t.arena, const Var *, t.p->nvar + 1);
	t.made = NEW(t.arena, int, t.p->nvar + 1);
	t.loop = NEW(t.arena, int, t.p->nvar + 3);
	t.read = NEW(t.arena, Read, t.p->nvar + 1);
	t.with = NEW(t.arena, const Bind *, t.p->nvar + 1);
	t.types = map_new(t.arena);
	for (const Fun *f = t.p->funs; f; f = f->next) {
		for (int i = 0; i < f->nparam; i++)
			declare_type(&t, f->param[i]->ty);
		declare_types(&t, f->body);
		count_uses(&t, f->body);
	}
	emit_blank(e);
	for (const Fun *f = t.p->funs; f; f = f->next)
		emit_line(e, "static %s %s;", type_of(&t, f->result[0]), head(&t, f));
	emit_blank(e);
	for (const Fun *f = t.p->funs; f; f = f->next)
		print_nested(&t, f);
}
