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
type_labelled(Arena *ar, Type *t, Type *label)
{
	Type *f = type_node(ar, TYPE_FUN, t->a, t->b);

	f->label = label;
	f->from = t->from;
	return f;
}

Type *
type_fun(Arena *ar, Type *a, Type *b)
{
	Type *f = type_node(ar, TYPE_FUN, a, b);

	f->label = type_var(ar, CLASS_LABEL);
	return f;
}

Type *
type_label(Arena *ar, struct Decl *decl, Type *captured, Type *vars)
{
	Type *l = type_node(ar, TYPE_LABEL, captured, vars);

	l->decl = decl;
	return l;
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
	case TY_SEGDES:
	case TY_UNIFORM: break;
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
	case CLASS_ANY: return kind != TYPE_LABEL;
	case CLASS_ORDINAL: return kind == TYPE_INT || kind == TYPE_FLOAT || kind == TYPE_CHAR;
	case CLASS_NUMBER: return kind == TYPE_INT || kind == TYPE_FLOAT;
	case CLASS_LOGICAL: return kind == TYPE_INT || kind == TYPE_BOOL;
	case CLASS_LABEL: return kind == TYPE_LABEL;
	}
	return false;
}

static bool
occurs(const Type *var, Type *t)
{
	for (; t; t = t->a) {
		t = type_head(t);
		if (t == var || (t->b && occurs(var, t->b)) || (t->label && occurs(var, t->label)))
			return true;
	}
	return false;
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
	} else if (t->kind != TYPE_ERROR) {
		ts->endless = occurs(var, t);
		if (ts->endless || !class_holds(var->cls, t->kind))
			return false;
	}
	log_var(ts, var);
	var->a = t;
	return true;
}

static bool unify(Types *ts, Type *a, Type *b);

/* Parts that both have, or neither has. */
static bool
unify_parts(Types *ts, Type *a, Type *b)
{
	return !a == !b && (!a || unify(ts, a, b));
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
		if (a->kind != b->kind || a->record != b->record || a->decl != b->decl)
			return false;
		if (!unify_parts(ts, a->label, b->label) || !unify_parts(ts, a->a, b->a) || !a->b != !b->b)
			return false;
		if (!a->b)
			return true;
		a = a->b;
		b = b->b;
	}
}

bool
type_unify(Types *ts, Type *a, Type *b)
{
	bool ok;

	ts->trail.n = 0;
	ts->endless = false;
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
	for (; t; t = t->b) {
		t = type_head(t);
		if (t->kind == TYPE_ERROR || (t->a && type_broken(t->a)) || (t->label && type_broken(t->label)))
			return true;
	}
	return false;
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
	for (; t && budget >= 0; t = t->b) {
		t = type_head(t);
		if (t->kind == TYPE_RECORD)
			return spend_record(t, budget);
		budget--;
		if (t->a)
			budget = spend(t->a, budget);
		if (t->label)
			budget = spend(t->label, budget);
	}
	return budget;
}

int
type_constructors(Type *t, int limit)
{
	return limit - spend(t, limit);
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
	for (; t; t = t->b) {
		t = type_head(t);
		if (t->kind == TYPE_VAR && var_index(l, t) < 0)
			LIST_ADD(ar, l, t);
		if (t->a)
			collect_vars(ar, t->a, l);
		if (t->label)
			collect_vars(ar, t->label, l);
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

/* A copy of t with these parts. */
static Type *
rebuilt(Arena *ar, const Type *t, Type *a, Type *b, Type *label)
{
	Type *copy = NEW(ar, Type, 1);

	*copy = *t;
	copy->a = a;
	copy->b = b;
	copy->label = label;
	return copy;
}

Type *
type_subst(Arena *ar, Type *t, Type **var, Type **by, int n)
{
	t = type_head(t);
	for (int i = 0; i < n; i++)
		if (var[i] == t)
			return by[i];
	if (!t->a && !t->b)
		return t;
	return rebuilt(ar, t, t->a ? type_subst(ar, t->a, var, by, n) : NULL,
		t->b ? type_subst(ar, t->b, var, by, n) : NULL,
		t->label ? type_subst(ar, t->label, var, by, n) : NULL);
}

Type *
type_fresh(Arena *ar, Type *t, Type ***by)
{
	int n;
	Type **v = type_vars(ar, t, &n), **w = NEW(ar, Type *, n + 1);

	for (int i = 0; i < n; i++)
		w[i] = type_var(ar, v[i]->cls);
	if (by)
		*by = w;
	return type_subst(ar, t, v, w, n);
}

Type *
type_from(Arena *ar, Type *t, const Origin *from)
{
	Type *copy;

	t = type_head(t);
	if (t->kind == TYPE_VAR || t->kind == TYPE_LABEL)
		return t;
	copy = rebuilt(ar, t, t->a ? type_from(ar, t->a, from) : NULL, t->b ? type_from(ar, t->b, from) : NULL,
		t->label);
	copy->from = t->from ? t->from : from;
	return copy;
}

Type *
type_unlabelled(Arena *ar, Type *t)
{
	t = type_head(t);
	if (t->kind == TYPE_LABEL)
		return type_var(ar, CLASS_LABEL);
	return t->kind == TYPE_VAR ? t : rebuilt(ar, t, t->a ? type_unlabelled(ar, t->a) : NULL,
		t->b ? type_unlabelled(ar, t->b) : NULL, t->label ? type_unlabelled(ar, t->label) : NULL);
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
	if (t->kind == TYPE_RECORD)
		return type_strip(ar, record_contents(ar, t));
	if (!t->a && !t->b)
		return t;
	return rebuilt(ar, t, t->a ? type_strip(ar, t->a) : NULL, t->b ? type_strip(ar, t->b) : NULL,
		t->label ? type_strip(ar, t->label) : NULL);
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

static bool same(Arena *ar, Type *a, Type *b, TypeList *va, TypeList *vb);

static bool
same_parts(Arena *ar, Type *a, Type *b, TypeList *va, TypeList *vb)
{
	return !a == !b && (!a || same(ar, a, b, va, vb));
}

static bool
same(Arena *ar, Type *a, Type *b, TypeList *va, TypeList *vb)
{
	a = type_head(a);
	b = type_head(b);
	if (a->kind != b->kind || a->record != b->record || a->decl != b->decl)
		return false;
	if (a->kind == TYPE_VAR) {
		int i = var_index(va, a), k = var_index(vb, b);
		if (i < 0 && k < 0) {
			LIST_ADD(ar, va, a);
			LIST_ADD(ar, vb, b);
		}
		return i == k && a->cls == b->cls;
	}
	return same_parts(ar, a->a, b->a, va, vb) && same_parts(ar, a->b, b->b, va, vb)
		&& same_parts(ar, a->label, b->label, va, vb);
}

bool
type_same(Arena *ar, Type *a, Type *b)
{
	TypeList va = {0}, vb = {0};

	return same(ar, a, b, &va, &vb);
}

static void
default_var(Arena *ar, Type *v)
{
	v->a = v->cls == CLASS_LABEL ? type_label(ar, NULL, NULL, NULL) : type_new(ar, TYPE_INT);
}

void
type_default(Arena *ar, Type *t)
{
	int n;
	Type **v = type_vars(ar, t, &n);

	for (int i = 0; i < n; i++)
		default_var(ar, v[i]);
}

void
type_settle(Arena *ar, Type *t)
{
	while (t) {
		t = type_head(t);
		if (t->kind == TYPE_VAR)
			default_var(ar, t);
		else if (t->kind == TYPE_FUN)
			t = t->label;
		else {
			if (t->b && t->kind != TYPE_LABEL)
				type_settle(ar, t->b);
			t = t->a;
		}
	}
}

bool
type_hollow(Type *t)
{
	t = type_head(t);
	return t->kind == TYPE_FUN && !type_head(t->label)->a;
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
	case TYPE_FUN: return type_ty(ar, t->label);
	case TYPE_LABEL: return t->a ? type_ty(ar, t->a) : &ty_bool;
	case TYPE_VAR:
	case TYPE_ERROR: break;
	}
	ice((Span){0}, "type", "a type that is not concrete is left: %s", type_text(ar, t));
}

/* -- text ---------------------------------------------------------------------------------------- */

static const char *const class_name[] = {
	[CLASS_ANY] = "any", [CLASS_ORDINAL] = "ordinal",
	[CLASS_NUMBER] = "number", [CLASS_LOGICAL] = "logical", [CLASS_LABEL] = "any",
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
	Arena *contents;        /* for the contents of records and functions, to be shown; NULL: they are not */
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

static void
print_function(const TypePrinter *tp, Type *t)
{
	TypePrinter bare = {tp->out, tp->vars, NULL};
	bool bracket = type_head(t->a)->kind == TYPE_FUN;

	if (tp->contents)
		fprintf(tp->out, "<%s>", ty_text(tp->contents, type_ty(tp->contents, t)));
	fputs(bracket ? "(" : "", tp->out);
	print_type(&bare, t->a, true);
	fputs(bracket ? ") -> " : " -> ", tp->out);
	print_type(&bare, t->b, true);
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
	case TYPE_FUN: print_function(tp, t); break;
	case TYPE_LABEL: break;
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

/* The variables in the order in which they are named: that of the text or, if `unknown`, that of CMU's NESL: of a
 * function inside a type first which it is, then its result, then its argument. */
static void
name_vars(Arena *ar, Type *t, bool unknown, TypeList *l)
{
	t = type_head(t);
	if (t->kind == TYPE_VAR) {
		if (var_index(l, t) < 0)
			LIST_ADD(ar, l, t);
	} else if (t->kind == TYPE_FUN && unknown) {
		if (type_head(t->label)->kind == TYPE_VAR)
			name_vars(ar, t->label, unknown, l);
		name_vars(ar, t->b, unknown, l);
		name_vars(ar, t->a, unknown, l);
	} else {
		if (t->a)
			name_vars(ar, t->a, unknown, l);
		if (t->b)
			name_vars(ar, t->b, unknown, l);
	}
}

/* The outermost function is known. */
static TypeList
named_vars(Arena *ar, Type *t, bool unknown)
{
	TypeList l = {0};

	t = type_head(t);
	if (t->kind == TYPE_FUN) {
		name_vars(ar, t->a, unknown, &l);
		name_vars(ar, t->b, unknown, &l);
	} else
		name_vars(ar, t, unknown, &l);
	return l;
}

const char *
type_text(Arena *ar, Type *t)
{
	TypeList l = named_vars(ar, t, false);

	return text(ar, t, &l, false, true, false);
}

const char *
type_text_echo(Arena *ar, Type *t)
{
	TypeList l = named_vars(ar, t, true);

	return text(ar, t, &l, false, true, false);
}

const char *
type_text_shown(Arena *ar, Type *t)
{
	TypeList l = named_vars(ar, t, true);

	return text(ar, t, &l, false, true, true);
}

const char *
type_text_inner(Arena *ar, Type *t)
{
	TypeList l = named_vars(ar, t, false);

	return text(ar, t, &l, true, false, false);
}

const char *
type_text_part(Arena *ar, Type *whole, Type *t)
{
	TypeList l = named_vars(ar, whole, false);

	name_vars(ar, t, false, &l);
	return text(ar, t, &l, true, false, false);
}

void
type_text2(Arena *ar, Type *a, Type *b, const char **ta, const char **tb)
{
	TypeList l = named_vars(ar, a, false);

	name_vars(ar, b, false, &l);
	*ta = text(ar, a, &l, true, false, false);
	*tb = text(ar, b, &l, true, false, false);
}
