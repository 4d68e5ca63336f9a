/* type.c: types with variables.
 *
 * In   nothing but an arena.
 * Out  types, unified in place by binding variables.
 * How  Robinson's unification.  A class of a variable is one of four; two meet only if one contains the
 *      other, as in CMU's NESL, so int is in ordinal and logical, yet these two do not meet. */
#include "frontend/type.h"
#include <stdlib.h>
#include <string.h>

Type *
type_new(Arena *a, TypeKind kind)
{
	Type *t = NEW(a, Type, 1);

	t->kind = kind;
	return t;
}

static Type *
type_node(Arena *ar, TypeKind kind, Type *a, Type *b)
{
	Type *t = type_new(ar, kind);

	t->a = a;
	t->b = b;
	return t;
}

Type *
type_pair(Arena *ar, Type *a, Type *b)
{
	return type_node(ar, TYPE_PAIR, a, b);
}

Type *
type_seq(Arena *ar, Type *a)
{
	return type_node(ar, TYPE_SEQ, a, NULL);
}

Type *
type_fun(Arena *ar, Type *a, Type *b)
{
	return type_node(ar, TYPE_FUN, a, b);
}

Type *
type_var(Arena *ar, TypeClass cls)
{
	Type *t = type_new(ar, TYPE_VAR);

	t->cls = cls;
	return t;
}

static Type *
type_record(Arena *ar, const Record *r, Type *args)
{
	Type *t = type_node(ar, TYPE_RECORD, args, NULL);

	t->record = r;
	return t;
}

Type *
type_of_ty(Arena *ar, const Ty *ty)
{
	switch (ty->kind) {
	case TY_INT: return type_new(ar, TYPE_INT);
	case TY_FLOAT: return type_new(ar, TYPE_FLOAT);
	case TY_BOOL: return type_new(ar, TYPE_BOOL);
	case TY_CHAR: return type_new(ar, TYPE_CHAR);
	case TY_PAIR: return type_pair(ar, type_of_ty(ar, ty->a), type_of_ty(ar, ty->b));
	case TY_SEQ: return type_seq(ar, type_of_ty(ar, ty->a));
	case TY_VEC:
	case TY_SEGDES: break;
	}
	ice((Span){0}, "type", "a vector is no NESL type");
}

Type *
type_head(Type *t)
{
	while (t->kind == TYPE_VAR && t->a)
		t = t->a;
	return t;
}

/* -- unification -------------------------------------------------------------------------------- */

static bool
class_contains(TypeClass big, TypeClass small)
{
	return big == small || big == CLASS_ANY || (big == CLASS_ORDINAL && small == CLASS_NUMBER);
}

static bool
class_holds(TypeClass cls, TypeKind kind)
{
	switch (cls) {
	case CLASS_ANY: return kind != TYPE_FUN;
	case CLASS_ORDINAL: return kind == TYPE_INT || kind == TYPE_FLOAT || kind == TYPE_CHAR;
	case CLASS_NUMBER: return kind == TYPE_INT || kind == TYPE_FLOAT;
	case CLASS_LOGICAL: return kind == TYPE_INT || kind == TYPE_BOOL;
	}
	return false;
}

static bool
occurs(const Type *var, Type *t)
{
	for (;;) {
		t = type_head(t);
		if (t == var)
			return true;
		if (t->kind == TYPE_PAIR || t->kind == TYPE_FUN) {
			if (occurs(var, t->a))
				return true;
			t = t->b;
		} else if (t->kind == TYPE_SEQ || (t->kind == TYPE_RECORD && t->a))
			t = t->a;
		else
			return false;
	}
}

static void
log_var(Types *ts, Type *var)
{
	LIST_ADD(ts->arena, &ts->trail, ((Undo){var, var->cls}));
}

static bool
bind_var(Types *ts, Type *var, Type *t)
{
	if (t->kind == TYPE_VAR) {
		if (class_contains(t->cls, var->cls)) {
			log_var(ts, t);
			t->cls = var->cls;
		} else if (!class_contains(var->cls, t->cls))
			return false;
	} else if (t->kind != TYPE_ERROR && (!class_holds(var->cls, t->kind) || occurs(var, t)))
		return false;
	log_var(ts, var);
	var->a = t;
	return true;
}

static bool
unify(Types *ts, Type *a, Type *b)
{
	for (;;) {
		a = type_head(a);
		b = type_head(b);
		if (a == b)
			return true;
		if (a->kind == TYPE_VAR)
			return bind_var(ts, a, b);
		if (b->kind == TYPE_VAR)
			return bind_var(ts, b, a);
		if (a->kind == TYPE_ERROR || b->kind == TYPE_ERROR)
			return true;
		if (a->kind != b->kind || a->record != b->record)
			return false;
		if (a->kind == TYPE_RECORD && !a->a)
			return true;
		if (a->kind == TYPE_SEQ || a->kind == TYPE_RECORD) {
			a = a->a;
			b = b->a;
			continue;
		}
		if (a->kind != TYPE_PAIR && a->kind != TYPE_FUN)
			return true;
		if (!unify(ts, a->a, b->a))
			return false;
		a = a->b;
		b = b->b;
	}
}

bool
type_unify(Types *ts, Type *a, Type *b)
{
	bool ok;

	ts->trail.n = 0;
	ok = unify(ts, a, b);
	while (!ok && ts->trail.n > 0) {
		Undo u = ts->trail.at[--ts->trail.n];
		u.var->a = NULL;
		u.var->cls = u.cls;
	}
	return ok;
}

/* -- questions and copies ------------------------------------------------------------------------ */

bool
type_broken(Type *t)
{
	for (;;) {
		t = type_head(t);
		if (t->kind == TYPE_ERROR)
			return true;
		if (t->kind == TYPE_SEQ || (t->kind == TYPE_RECORD && t->a))
			t = t->a;
		else if (t->kind == TYPE_PAIR || t->kind == TYPE_FUN) {
			if (type_broken(t->a))
				return true;
			t = t->b;
		} else
			return false;
	}
}

static int spend(Type *t, int budget);

/* The k-th argument of a record. */
static Type *
record_arg(Type *t, int k)
{
	Type *args = type_head(t->a);

	for (int i = 0; i < k; i++)
		args = type_head(args->b);
	return k + 1 < t->record->nvar ? args->a : args;
}

static int
spend_record(Type *t, int budget)
{
	const Record *r = t->record;

	budget -= r->size;
	for (int i = 0; i < r->nvar; i++)
		for (int k = 0; k < r->uses[i] && budget >= 0; k++)
			budget = spend(record_arg(t, i), budget);
	return budget;
}

/* How much of the budget is left after t; negative if it does not suffice. */
static int
spend(Type *t, int budget)
{
	for (;;) {
		t = type_head(t);
		if (t->kind == TYPE_RECORD)
			return spend_record(t, budget);
		if (--budget < 0 || t->kind < TYPE_PAIR || t->kind > TYPE_FUN)
			return budget;
		if (t->kind != TYPE_SEQ) {
			budget = spend(t->a, budget);
			t = t->b;
		} else
			t = t->a;
	}
}

bool
type_larger(Type *t, int limit)
{
	return spend(t, limit) < 0;
}

typedef LIST(Type *) TypeList;

static int
var_index(const TypeList *l, const Type *v)
{
	for (int i = 0; i < l->n; i++)
		if (l->at[i] == v)
			return i;
	return -1;
}

static void
collect_vars(Arena *ar, Type *t, TypeList *l)
{
	t = type_head(t);
	if (t->kind == TYPE_VAR) {
		if (var_index(l, t) < 0)
			LIST_ADD(ar, l, t);
	} else if (t->kind == TYPE_SEQ || (t->kind == TYPE_RECORD && t->a))
		collect_vars(ar, t->a, l);
	else if (t->kind == TYPE_PAIR || t->kind == TYPE_FUN) {
		collect_vars(ar, t->a, l);
		collect_vars(ar, t->b, l);
	}
}

Type **
type_vars(Arena *ar, Type *t, int *n)
{
	TypeList l = {0};

	collect_vars(ar, t, &l);
	*n = l.n;
	return l.at;
}

Type *
type_subst(Arena *ar, Type *t, Type **var, Type **by, int n)
{
	Type *copy;

	t = type_head(t);
	for (int i = 0; i < n; i++)
		if (var[i] == t)
			return by[i];
	if (!t->a)
		return t;
	copy = type_node(ar, t->kind, type_subst(ar, t->a, var, by, n),
		t->b ? type_subst(ar, t->b, var, by, n) : NULL);
	copy->record = t->record;
	copy->from = t->from;
	return copy;
}

Type *
type_from(Arena *ar, Type *t, const Origin *from)
{
	Type *copy;

	t = type_head(t);
	if (t->kind == TYPE_VAR)
		return t;
	copy = type_node(ar, t->kind, t->a ? type_from(ar, t->a, from) : NULL,
		t->b ? type_from(ar, t->b, from) : NULL);
	copy->record = t->record;
	copy->from = t->from ? t->from : from;
	return copy;
}

/* -- records --------------------------------------------------------------------------------------- */

static Type *
record_contents(Arena *ar, Type *t)
{
	const Record *r = t->record;
	Type **by = NEW(ar, Type *, r->nvar + 1);

	for (int i = 0; i < r->nvar; i++)
		by[i] = record_arg(t, i);
	return type_subst(ar, r->contents, r->var, by, r->nvar);
}

Type *
type_strip(Arena *ar, Type *t)
{
	t = type_head(t);
	switch (t->kind) {
	case TYPE_SEQ: return type_seq(ar, type_strip(ar, t->a));
	case TYPE_PAIR: case TYPE_FUN: return type_node(ar, t->kind, type_strip(ar, t->a), type_strip(ar, t->b));
	case TYPE_RECORD: return type_strip(ar, record_contents(ar, t));
	case TYPE_INT: case TYPE_FLOAT: case TYPE_BOOL: case TYPE_CHAR: case TYPE_VAR: case TYPE_ERROR: break;
	}
	return t;
}

/* How many parts t has; of var[i], which are none of them, uses[i]. */
static int
count_parts(Type *t, const TypeList *var, int *uses)
{
	t = type_head(t);
	if (t->kind == TYPE_VAR) {
		uses[var_index(var, t)]++;
		return 0;
	}
	return 1 + (t->a ? count_parts(t->a, var, uses) : 0) + (t->b ? count_parts(t->b, var, uses) : 0);
}

Type *
type_datatype(Arena *ar, const char *name, Type *contents)
{
	Record *r = NEW(ar, Record, 1);
	TypeList l = {0};
	Type *args = NULL;

	collect_vars(ar, contents, &l);
	r->name = name;
	r->contents = contents;
	r->var = l.at;
	r->nvar = l.n;
	r->uses = NEW(ar, int, l.n + 1);
	r->size = count_parts(type_strip(ar, contents), &l, r->uses);
	for (int i = l.n - 1; i >= 0; i--)
		args = args ? type_pair(ar, l.at[i], args) : l.at[i];
	return type_record(ar, r, args);
}

/* -- questions, continued ---------------------------------------------------------------------------- */

static bool
same(Arena *ar, Type *a, Type *b, TypeList *va, TypeList *vb)
{
	a = type_head(a);
	b = type_head(b);
	if (a->kind != b->kind || a->record != b->record)
		return false;
	if (a->kind == TYPE_VAR) {
		int i = var_index(va, a), k = var_index(vb, b);
		if (i < 0 && k < 0) {
			LIST_ADD(ar, va, a);
			LIST_ADD(ar, vb, b);
		}
		return i == k && a->cls == b->cls;
	}
	if (a->kind == TYPE_SEQ || (a->kind == TYPE_RECORD && a->a))
		return same(ar, a->a, b->a, va, vb);
	if (a->kind == TYPE_PAIR || a->kind == TYPE_FUN)
		return same(ar, a->a, b->a, va, vb) && same(ar, a->b, b->b, va, vb);
	return true;
}

bool
type_same(Arena *ar, Type *a, Type *b)
{
	TypeList va = {0}, vb = {0};

	return same(ar, a, b, &va, &vb);
}

void
type_default(Arena *ar, Type *t)
{
	int n;
	Type **v = type_vars(ar, t, &n);

	for (int i = 0; i < n; i++)
		v[i]->a = type_new(ar, TYPE_INT);
}

const Ty *
type_ty(Arena *ar, Type *t)
{
	t = type_head(t);
	switch (t->kind) {
	case TYPE_INT: return &ty_int;
	case TYPE_FLOAT: return &ty_float;
	case TYPE_BOOL: return &ty_bool;
	case TYPE_CHAR: return &ty_char;
	case TYPE_PAIR: return ty_pair(ar, type_ty(ar, t->a), type_ty(ar, t->b));
	case TYPE_SEQ: return ty_seq(ar, type_ty(ar, t->a));
	case TYPE_RECORD: return type_ty(ar, record_contents(ar, t));
	case TYPE_FUN:
	case TYPE_VAR:
	case TYPE_ERROR: break;
	}
	ice((Span){0}, "type", "a type that is not concrete is left: %s", type_text(ar, t));
}

/* -- text ---------------------------------------------------------------------------------------- */

static const char *const class_name[] = {
	[CLASS_ANY] = "any", [CLASS_ORDINAL] = "ordinal",
	[CLASS_NUMBER] = "number", [CLASS_LOGICAL] = "logical",
};

bool
class_named(const char *name, TypeClass *cls)
{
	for (int i = CLASS_ANY; i <= CLASS_LOGICAL; i++)
		if (strcmp(name, class_name[i]) == 0) {
			*cls = (TypeClass)i;
			return true;
		}
	return false;
}

static void
print_var(FILE *out, int i)
{
	if (i >= 26)
		fprintf(out, "%c%d", 'a' + i % 26, i / 26);
	else
		fputc('a' + i, out);
}

typedef struct {
	FILE *out;
	const TypeList *vars;
	Arena *contents;        /* for the contents of records, to be shown; NULL: they are not */
} TypePrinter;

static void print_type(const TypePrinter *tp, Type *t, bool tight);

static void
print_record(const TypePrinter *tp, Type *t)
{
	fputs(t->record->name, tp->out);
	if (t->a) {
		fputc('(', tp->out);
		print_type(tp, t->a, false);
		fputc(')', tp->out);
	}
	if (tp->contents) {
		fputc('<', tp->out);
		print_type(tp, record_contents(tp->contents, t), false);
		fputc('>', tp->out);
	}
}

/* tight: a tuple needs parentheses here */
static void
print_type(const TypePrinter *tp, Type *t, bool tight)
{
	FILE *out = tp->out;

	t = type_head(t);
	switch (t->kind) {
	case TYPE_INT: fputs("int", out); break;
	case TYPE_FLOAT: fputs("float", out); break;
	case TYPE_BOOL: fputs("bool", out); break;
	case TYPE_CHAR: fputs("char", out); break;
	case TYPE_ERROR: fputs("?", out); break;
	case TYPE_VAR: print_var(out, var_index(tp->vars, t)); break;
	case TYPE_RECORD: print_record(tp, t); break;
	case TYPE_SEQ:
		fputc('[', out);
		print_type(tp, t->a, true);
		fputc(']', out);
		break;
	case TYPE_FUN:
		print_type(tp, t->a, true);
		fputs(" -> ", out);
		print_type(tp, t->b, true);
		break;
	case TYPE_PAIR:
		if (tight)
			fputc('(', out);
		print_type(tp, t->a, true);
		fputs(", ", out);
		print_type(tp, t->b, false);
		if (tight)
			fputc(')', out);
		break;
	}
}

static void
print_context(FILE *out, const TypeList *vars)
{
	for (int i = 0; i < vars->n; i++) {
		fputs(i == 0 ? " :: (" : "; ", out);
		print_var(out, i);
		fprintf(out, " in %s", class_name[vars->at[i]->cls]);
	}
	if (vars->n > 0)
		fputc(')', out);
}

static const char *
text(Arena *ar, Type *t, const TypeList *vars, bool tight, bool context, bool contents)
{
	char *buf = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&buf, &n);
	TypePrinter tp = {out, vars, contents ? ar : NULL};
	const char *s;

	if (!out)
		ice((Span){0}, "type", "no memory for the text of a type");
	print_type(&tp, t, tight);
	if (context)
		print_context(out, vars);
	fclose(out);
	s = arena_strndup(ar, buf, n);
	free(buf);
	return s;
}

const char *
type_text(Arena *ar, Type *t)
{
	TypeList l = {0};

	collect_vars(ar, t, &l);
	return text(ar, t, &l, false, true, false);
}

const char *
type_text_shown(Arena *ar, Type *t)
{
	TypeList l = {0};

	collect_vars(ar, t, &l);
	return text(ar, t, &l, false, true, true);
}

const char *
type_text_inner(Arena *ar, Type *t)
{
	TypeList l = {0};

	collect_vars(ar, t, &l);
	return text(ar, t, &l, true, false, false);
}

const char *
type_text_part(Arena *ar, Type *whole, Type *t)
{
	TypeList l = {0};

	collect_vars(ar, whole, &l);
	collect_vars(ar, t, &l);
	return text(ar, t, &l, true, false, false);
}

void
type_text2(Arena *ar, Type *a, Type *b, const char **ta, const char **tb)
{
	TypeList l = {0};

	collect_vars(ar, a, &l);
	collect_vars(ar, b, &l);
	*ta = text(ar, a, &l, true, false, false);
	*tb = text(ar, b, &l, true, false, false);
}
