/* ircheck.c: is this a program?
 *
 * In   a program of any of the IRs.
 * Out  NULL, or the first thing that is wrong.
 * How  Every binding is held against its row's signature:
 *
 *          i f b c     int, float, bool, char; h: an int that the host has, in a task too
 *          n o l x y   int|float, int|float|char, int|bool, any scalar, another
 *          a d         any type
 *          S U D       a segment descriptor: offsets, uniform, of either kind
 *          [t] <t>     sequence, vector        (td) pair
 *          t*          the rest of the operands or results, also none, each of type t
 *          t?          one that may be left out
 *
 *      operands ':' results; a letter stands for one type throughout.  A lifted scalar operator has
 *      vectors in place of any of its operands (one at least) and of its result.  Rows with "?" are
 *      checked by a function of their own, found by name (`special`).  Scopes are blocks; a step of
 *      a task has a level, and what it makes may be used at that level and above. */
#include "backend/rt/nesl_value.h"
#include "common/ircheck.h"
#include "common/irtext.h"
#include "common/map.h"
#include <stdarg.h>
#include <string.h>

enum { UNBOUND, BOUND, GONE };  /* Place.state */
enum { SUNK = 9 };              /* Place.level of what leaves a task: no step may use it */

typedef struct {
	char state, level;
} Place;

typedef struct Check Check;
typedef void Special(Check *, const Bind *);

typedef struct {
	Special *check;         /* of an operator whose signature says "?" */
	int level;              /* the only one where it makes sense; 0: any */
} Own;

struct Check {
	const Program *p;
	const Own *own;         /* by operator */
	Place *place;           /* by Var.id */
	Map *names;             /* name -> Var, in this function */
	int levels;             /* of the task we are in; 0: on the host */
	int sinks;              /* results of the task so far */
	bool scalar;            /* in a scalar function */
	const char *message;
	Span at;
};

/* -- messages --------------------------------------------------------------------------------- */
__attribute__((format(printf, 3, 4))) static void
wrong(Check *c, const Bind *b, const char *fmt, ...)
{
	char text[400];
	va_list ap;
	if (c->message)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (b) {
		c->at = b->span;
		c->message = arena_printf(c->p->arena, "%s%s%s: %s", b->ndst > 0 ? b->dst[0]->name : "",
			b->ndst > 0 ? " = " : "", c->p->ir->op[b->op].name, text);
	} else
		c->message = arena_printf(c->p->arena, "%s", text);
}

static const char *
text(const Check *c, const Ty *t)
{
	return ty_text(c->p->arena, t);
}

/* -- scopes ----------------------------------------------------------------------------------- */
static void
bind(Check *c, const Bind *b, Var *v, int level)
{
	if (v->id < 0 || v->id >= c->p->nvar) {
		wrong(c, b, "%s is no variable of this program", v->name);
		return;
	}
	if (c->place[v->id].state != UNBOUND)
		wrong(c, b, "%s is bound twice", v->name);
	void **name = map_at(c->names, v->name);
	if (*name)
		wrong(c, b, "two variables are called %s", v->name);
	*name = v;
	if (v->ty->kind == TY_UNIFORM && !(b && strcmp(c->p->ir->op[b->op].name, "uniform") == 0))
		wrong(c, b, "%s is uniform: where kinds of descriptors meet they are offsets", v->name);
	c->place[v->id] = (Place){BOUND, (char)level};
}

static void
unbind(Check *c, Var *v)
{
	if (v->id >= 0 && v->id < c->p->nvar)
		c->place[v->id].state = GONE;
}

/* An operand of b (NULL: of a yield), at a level. */
static void
use(Check *c, const Bind *b, Opnd o, int level)
{
	if (o.kind != OPND_VAR)
		return;
	const Var *v = o.u.var;
	if (v->id < 0 || v->id >= c->p->nvar || c->place[v->id].state != BOUND)
		wrong(c, b, "%s is not bound here", v->name);
	else if (c->place[v->id].level == SUNK)
		wrong(c, b, "%s is not there before the task ends", v->name);
	else if (c->place[v->id].level > level)
		wrong(c, b, "%s is of level %d", v->name, c->place[v->id].level);
}

/* -- signatures ------------------------------------------------------------------------------- */
typedef struct {
	const Ty *of[128];      /* what each letter stands for, once seen */
} Letters;

static bool
letter_fits(char c, const Ty *t)
{
	switch (c) {
	case 'i': case 'h': return t->kind == TY_INT;
	case 'f': return t->kind == TY_FLOAT;
	case 'b': return t->kind == TY_BOOL;
	case 'c': return t->kind == TY_CHAR;
	case 'n': return t->kind == TY_INT || t->kind == TY_FLOAT;
	case 'o': return t->kind == TY_INT || t->kind == TY_FLOAT || t->kind == TY_CHAR;
	case 'l': return t->kind == TY_INT || t->kind == TY_BOOL;
	case 'x': case 'y': return ty_scalar(t);
	case 'S': return t->kind == TY_SEGDES;
	case 'U': return t->kind == TY_UNIFORM;
	case 'D': return ty_descriptor(t);
	case 'a':
	case 'd': return !ty_counted(t) && !ty_descriptor(t);
	default: return false;
	}
}

/* The term at *sig fits t; moves past the term in any case. */
static bool
term(const char **sig, const Ty *t, Letters *l)
{
	char c = *(*sig)++;
	bool ok;
	switch (c) {
	case '[':
	case '<':
		ok = t && t->kind == (c == '[' ? TY_SEQ : TY_VEC);
		ok = term(sig, ok ? t->a : NULL, l) && ok;
		++*sig;
		return ok;
	case '(':
		ok = t && t->kind == TY_PAIR;
		ok = term(sig, ok ? t->a : NULL, l) && ok;
		ok = term(sig, ok ? t->b : NULL, l) && ok;
		++*sig;
		return ok;
	default:
		if (!t || !letter_fits(c, t))
			return false;
		if (!l->of[(int)c])
			l->of[(int)c] = t;
		return ty_equal(l->of[(int)c], t);
	}
}

/* One side of a signature against types; moves past it. */
static bool
side(const char **sig, const TyList *t, Letters *l)
{
	int i = 0;
	while (**sig && **sig != ':') {
		const char *start = *sig;
		bool ok = term(sig, i < t->n ? t->at[i] : NULL, l);
		if (**sig == '*') {
			for (; i < t->n; i++) {
				const char *again = start;
				if (!term(&again, t->at[i], l))
					return false;
			}
			++*sig;
		} else if (**sig == '?') {
			i += ok;
			++*sig;
		} else if (!ok)
			return false;
		else
			i++;
	}
	return i == t->n;
}

static TyList
arg_types(const Check *c, const Bind *b)
{
	TyList t = {0};
	for (int i = 0; i < b->narg; i++)
		LIST_ADD(c->p->arena, &t, opnd_ty(b->arg[i]));
	return t;
}

static TyList
dst_types(const Check *c, const Bind *b)
{
	TyList t = {0};
	for (int i = 0; i < b->ndst; i++)
		LIST_ADD(c->p->arena, &t, b->dst[i]->ty);
	return t;
}

/* Vectors of a lifted scalar operator become their elements; how many there were. */
static int
elements(TyList *t)
{
	int n = 0;
	for (int i = 0; i < t->n; i++)
		if (t->at[i]->kind == TY_VEC) {
			t->at[i] = t->at[i]->a;
			n++;
		}
	return n;
}

static void
check_signature(Check *c, const Bind *b)
{
	const OpInfo *op = &c->p->ir->op[b->op];
	const char *sig = op->sig[b->lifted];
	TyList arg = arg_types(c, b), dst = dst_types(c, b);
	Letters l = {{0}};
	if (b->nblock > 0)
		wrong(c, b, "takes no block");
	if (op->cls == OP_SCALAR && b->lifted && (elements(&arg) == 0 || elements(&dst) != dst.n))
		wrong(c, b, "lifted, but no vector");
	if (!side(&sig, &arg, &l))
		wrong(c, b, "operands do not fit %s", op->sig[b->lifted]);
	else if (sig++, !side(&sig, &dst, &l))
		wrong(c, b, "results do not fit %s", op->sig[b->lifted]);
	LIST_DROP(c->p->arena, &arg);
	LIST_DROP(c->p->arena, &dst);
}

/* -- types of lists --------------------------------------------------------------------------- */
static bool
same_types(Check *c, const Bind *b, const char *what, const TyList *want, const TyList *have)
{
	if (want->n != have->n) {
		wrong(c, b, "%d %s, not %d", have->n, what, want->n);
		return false;
	}
	for (int i = 0; i < want->n; i++)
		if (!ty_equal(want->at[i], have->at[i])) {
			wrong(c, b, "%s: %s, not %s", what, text(c, have->at[i]), text(c, want->at[i]));
			return false;
		}
	return true;
}

static TyList
yield_types(const Check *c, const Block *b)
{
	TyList t = {0};
	for (int i = 0; i < b->nyield; i++)
		LIST_ADD(c->p->arena, &t, opnd_ty(b->yield[i]));
	return t;
}

/* What stands for a cell's value. */
static void
cell_types(const Check *c, const Cell *cell, TyList *out)
{
	if (c->p->ir == &normal_ir)
		LIST_ADD(c->p->arena, out, cell->ty);
	else
		ty_leaves(c->p->arena, cell->ty, false, out);
}

/* -- special forms ---------------------------------------------------------------------------- */
static void check_block(Check *c, const Block *k);

/* Not for tasks, whose results are no uses. */
static void
inner_block(Check *c, const Bind *b, const Block *k, int nparam, const TyList *want)
{
	if (k->nparam != nparam)
		wrong(c, b, "%d block parameters, not %d", k->nparam, nparam);
	for (int i = 0; i < k->nparam; i++)
		bind(c, b, k->param[i], 0);
	check_block(c, k);
	for (int i = 0; i < k->nyield; i++)
		use(c, b, k->yield[i], 0);
	for (int i = 0; i < k->nyield; i++)
		if (opnd_ty(k->yield[i])->kind == TY_UNIFORM)
			wrong(c, b, "yields a uniform descriptor");
	TyList have = yield_types(c, k);
	same_types(c, b, "results of a block", want, &have);
	for (const Bind *x = k->first; x; x = x->next)
		for (int i = 0; i < x->ndst; i++)
			unbind(c, x->dst[i]);
	for (int i = 0; i < k->nparam; i++)
		unbind(c, k->param[i]);
}

static bool
shape(Check *c, const Bind *b, int nblock, bool ok, const char *what)
{
	if (b->nblock != nblock)
		wrong(c, b, "%d blocks, not %d", b->nblock, nblock);
	else if (!ok)
		wrong(c, b, "wants %s", what);
	return !c->message;
}

/* A call for each element: first the count; a scalar may be given as a vector; results are vectors. */
static void
check_call_each(Check *c, const Bind *b, const TyList *param, TyList *arg, TyList *dst)
{
	bool ok = arg->n > 0 && arg->at[0]->kind == TY_INT && elements(dst) == dst->n;
	if (!shape(c, b, 0, ok, "a count, and gives vectors"))
		return;
	arg->at++;
	arg->n--;
	for (int i = 0; i < arg->n && i < param->n; i++)
		if (arg->at[i]->kind == TY_VEC && ty_scalar(param->at[i]))
			arg->at[i] = arg->at[i]->a;
}

static void
check_call(Check *c, const Bind *b)
{
	const Fun *f = fun_find(c->p, b->name);
	TyList arg = arg_types(c, b), dst = dst_types(c, b), param = {0}, result = {0};
	if (!f) {
		wrong(c, b, "no function %s", b->name);
		return;
	}
	if ((b->lifted || c->levels > 0 || c->scalar) && !f->scalar)
		wrong(c, b, "%s is no scalar function", b->name);
	for (int i = 0; i < f->nparam; i++)
		LIST_ADD(c->p->arena, &param, f->param[i]->ty);
	for (int i = 0; i < f->nresult; i++)
		LIST_ADD(c->p->arena, &result, f->result[i]);
	if (b->lifted)
		check_call_each(c, b, &param, &arg, &dst);
	if (shape(c, b, 0, true, "") && same_types(c, b, "arguments", &param, &arg))
		same_types(c, b, "results", &result, &dst);
}

static void
check_cell(Check *c, const Bind *b)
{
	const Cell *cell = cell_find(c->p, b->name);
	TyList dst = dst_types(c, b), want = {0};
	if (!cell) {
		wrong(c, b, "no cell %s", b->name);
		return;
	}
	if (strcmp(c->p->ir->op[b->op].name, "peek") == 0)
		LIST_ADD(c->p->arena, &want, &ty_bool);
	cell_types(c, cell, &want);
	if (shape(c, b, 0, b->narg == 0, "no operands"))
		same_types(c, b, "results", &want, &dst);
}

static void
check_forget(Check *c, const Bind *b)
{
	if (!cell_find(c->p, b->name))
		wrong(c, b, "no cell %s", b->name);
	else if (shape(c, b, 0, b->narg == 0 && b->ndst == 0, "no operands, and gives nothing") && !ir_counts(c->p->ir))
		wrong(c, b, "only in mem");
}

static void
check_if(Check *c, const Bind *b)
{
	TyList want = dst_types(c, b);
	if (shape(c, b, 2, b->narg == 1 && opnd_ty(b->arg[0])->kind == TY_BOOL, "one bool"))
		for (int i = 0; i < 2; i++)
			inner_block(c, b, b->block[i], 0, &want);
}

static void
check_foreach(Check *c, const Bind *b)
{
	TyList want = {0};
	bool ok = b->narg > 0 && b->ndst == 1 && b->dst[0]->ty->kind == TY_SEQ;
	if (!shape(c, b, 1, ok, "sequences, and gives one"))
		return;
	for (int i = 0; i < b->narg && i < b->block[0]->nparam; i++) {
		const Ty *t = opnd_ty(b->arg[i]);
		if (t->kind != TY_SEQ || !ty_equal(t->a, b->block[0]->param[i]->ty))
			wrong(c, b, "%s is no element of operand %d", b->block[0]->param[i]->name, i + 1);
	}
	LIST_ADD(c->p->arena, &want, b->dst[0]->ty->a);
	inner_block(c, b, b->block[0], b->narg, &want);
}

static void
check_pack(Check *c, const Bind *b)
{
	const char *flags = "[b]";
	Letters l = {{0}};
	bool ok = b->narg >= 2 && b->ndst == b->narg - 1 && term(&flags, opnd_ty(b->arg[0]), &l);
	for (int i = 1; i < b->narg && ok; i++)
		ok = opnd_ty(b->arg[i])->kind == TY_SEQ && ty_equal(opnd_ty(b->arg[i]), b->dst[i - 1]->ty);
	shape(c, b, 0, ok, "[bool] and sequences, and gives as many");
}

static void
check_check(Check *c, const Bind *b)
{
	TyList t = arg_types(c, b);
	bool vector = b->lifted && t.n > 0 && t.at[0]->kind == TY_VEC;
	if (b->lifted)
		elements(&t);
	bool ok = t.n >= 1 && t.n <= 4 && b->ndst == 0 && vector == b->lifted && t.at[0]->kind == TY_BOOL;
	for (int i = 1; i < t.n && ok; i++)
		ok = t.at[i]->kind == TY_INT;
	shape(c, b, 0, ok, "a condition and at most three ints");
}

static void
check_clock(Check *c, const Bind *b)
{
	shape(c, b, 0, b->ndst == 1 && b->dst[0]->ty->kind == TY_FLOAT, "anything, and gives a float");
}

static void
check_count(Check *c, const Bind *b)
{
	bool ok = b->narg == 1 && b->ndst == 0 && b->arg[0].kind == OPND_VAR
		&& ty_counted(opnd_ty(b->arg[0]));
	if (shape(c, b, 0, ok, "one vector or descriptor") && !ir_counts(c->p->ir))
		wrong(c, b, "only in mem");
}

static void
check_counted(Check *c, const Bind *b)
{
	shape(c, b, 0, b->narg == 1 && b->ndst == 0 && opnd_ty(b->arg[0])->kind == TY_SEGDES, "one descriptor");
}

/* Pairs of a number of elements and bytes of one, or of an array of these, counted from 0, and -1: it ends. */
static void
check_reserve(Check *c, const Bind *b)
{
	bool ok = b->ndst == 0 && b->narg % 2 == 1, *there = NEW(c->p->arena, bool, b->narg);
	int64_t arrays = 0;

	for (int i = 0; i < b->narg; i++)
		ok = ok && opnd_ty(b->arg[i])->kind == TY_INT && (i == 0 || i % 2 || b->arg[i].kind == OPND_INT);
	if (shape(c, b, 0, ok, "a limit, and pairs of an int and a number") && !ir_counts(c->p->ir))
		wrong(c, b, "only in mem");
	for (int i = 2; i < b->narg && !c->message; i += 2) {
		const Opnd k = b->arg[i - 1];

		if (b->arg[i].u.i >= 0)
			there[arrays++] = true;
		else if (b->arg[i].u.i != -1 || k.kind != OPND_INT || k.u.i < 0 || k.u.i >= arrays || !there[k.u.i])
			wrong(c, b, "what ends is no array of it, or ends twice");
		else
			there[k.u.i] = false;
	}
}

/* What a task yields is what its sinks made, each once. */
static void
check_results(Check *c, const Bind *b, const Block *k)
{
	for (int i = 0; i < k->nyield && !c->message; i++) {
		const Opnd o = k->yield[i];
		if (o.kind != OPND_VAR || o.u.var->id < 0 || o.u.var->id >= c->p->nvar
			|| c->place[o.u.var->id].state != BOUND || c->place[o.u.var->id].level != SUNK)
			wrong(c, b, "result %d is not made by a sink of this task, or yielded twice", i + 1);
		else
			c->place[o.u.var->id].level = 0;
	}
	if (c->sinks != k->nyield)
		wrong(c, b, "%d sinks, but %d results", c->sinks, k->nyield);
}

/* Each level has a place.  Rows that run apart cannot know what rows before them keep. */
static void
check_mapping(Check *c, const Bind *b)
{
	const bool task = strcmp(c->p->ir->op[b->op].name, "task") == 0, by_rows = b->by & ~(unsigned)BY_FLAT;
	if (b->by && (c->p->ir != &map_ir || !task))
		wrong(c, b, "is mapped, but %s", task ? "only in map" : "is no task");
	else if (c->p->ir == &map_ir && task && !b->by)
		wrong(c, b, "is mapped nowhere");
	else if (by_rows && b->narg < 2)
		wrong(c, b, "is mapped by rows, but has none");
	for (const Bind *x = by_rows && b->nblock ? b->block[0]->first : NULL; x; x = x->next)
		if (x->level == 2 && strncmp(c->p->ir->op[x->op].name, "keep", 4) == 0)
			wrong(c, x, "is not known row by row, but the task is mapped so");
}

static void
check_task(Check *c, const Bind *b)
{
	TyList want = dst_types(c, b);
	bool ok = (b->narg == 1 || b->narg == 2) && opnd_ty(b->arg[0])->kind == TY_INT
		&& (b->narg == 1 || ty_descriptor(opnd_ty(b->arg[1])));
	if (!shape(c, b, 1, ok, "an int, and perhaps a descriptor"))
		return;
	const Block *k = b->block[0];
	if (k->nparam > 0)
		wrong(c, b, "the block has parameters");
	c->levels = b->narg;
	c->sinks = 0;
	check_block(c, k);
	check_results(c, b, k);
	c->levels = 0;
	TyList have = yield_types(c, k);
	same_types(c, b, "results of the task", &want, &have);
	for (const Bind *x = k->first; x; x = x->next)
		for (int i = 0; i < x->ndst; i++)
			unbind(c, x->dst[i]);
}

/* The type of a term; `letter`: what a letter for more than one type stands for. */
static const Ty *
term_type(const Check *c, const char **sig, const Ty *letter)
{
	static const Ty *const base[] = {['i'] = &ty_int, ['f'] = &ty_float, ['b'] = &ty_bool, ['c'] = &ty_char};
	char s = *(*sig)++;
	const Ty *a;
	if (s != '[' && s != '(')
		return strchr("ifbc", s) ? base[(int)s] : letter;
	a = term_type(c, sig, letter);
	a = s == '[' ? ty_seq(c->p->arena, a) : ty_pair(c->p->arena, a, term_type(c, sig, letter));
	++*sig;
	return a;
}

/* The leaves of one side of a signature, which is passed. */
static TyList
side_leaves(const Check *c, const char **sig, const Ty *letter)
{
	TyList t = {0};
	while (**sig && **sig != ':')
		ty_leaves(c->p->arena, term_type(c, sig, letter), false, &t);
	return t;
}

/* An operator of normal, whose operands and results are leaves here; its text is the type of the first operand. */
static void
check_effect(Check *c, const Bind *b)
{
	int op = ir_find(&normal_ir, b->name);
	const Ty *first = ty_read(c->p->arena, c->p->names, b->text);
	TyList arg = arg_types(c, b), dst = dst_types(c, b), want;
	const char *sig;
	if (op < 0 || normal_ir.op[op].cls != OP_EFFECT)
		wrong(c, b, "no effect %s", b->name);
	if (!shape(c, b, 0, first != NULL, "the type of its first operand"))
		return;
	sig = normal_ir.op[op].sig[0];
	want = side_leaves(c, &sig, first);
	sig++;
	if (same_types(c, b, "operands", &want, &arg)) {
		want = side_leaves(c, &sig, first);
		same_types(c, b, "results", &want, &dst);
	}
}

/* -- ways out --------------------------------------------------------------------------------- */
/* A step from an element to the row that it belongs to. */
static bool
leads_out(Opnd o)
{
	if (o.kind == OPND_VAR)
		return ty_descriptor(o.u.var->ty) || ty_equal(o.u.var->ty, &ty_ints);
	return o.kind == OPND_INT && o.u.i == WAY_HOST;
}

static bool
has_way(const Check *c, const OpInfo *op)
{
	static const char *const with_way[] = {"call", "cell", "check", "host_check"};
	for (size_t i = 0; c->p->ir != &normal_ir && i < sizeof with_way / sizeof *with_way; i++)
		if (strcmp(op->name, with_way[i]) == 0)
			return true;
	return false;
}

static void check_steps(Check *c, const Bind *b, int from, int to);

/* Step i leads from parts; where what comes after them begins. */
static int
check_parts(Check *c, const Bind *b, int i, int to)
{
	const Opnd *n = &b->way[i + 1], *k = &b->way[i + 2];
	if (i + 3 >= to || !ty_equal(opnd_ty(n[0]), &ty_int) || k[0].kind != OPND_INT || k[1].kind != OPND_INT || k[0].u.i < 0
	    || k[1].u.i < 0 || k[0].u.i > to - i - 4 || k[1].u.i > to - i - 4 - k[0].u.i) {
		wrong(c, b, "step %d of the way out wants the ways of two parts behind it", i + 1);
		return to;
	}
	use(c, b, n[0], 0);
	const int second = i + 4 + (int)k[0].u.i, end = second + (int)k[1].u.i;
	check_steps(c, b, i + 4, second);
	check_steps(c, b, second, end);
	return end;
}

/* Step i leads into a row; where what comes after it begins. */
static int
check_into(Check *c, const Bind *b, int i, int to)
{
	if (i + 2 >= to || b->way[i + 1].kind != OPND_INT || b->way[i + 1].u.i < 0 || !ty_descriptor(opnd_ty(b->way[i + 2]))) {
		wrong(c, b, "step %d of the way out wants an element and a descriptor behind it", i + 1);
		return to;
	}
	use(c, b, b->way[i + 2], 0);
	return i + 3;
}

static void
check_steps(Check *c, const Bind *b, int from, int to)
{
	for (int i = from; i < to && !c->message; i++) {
		const Opnd o = b->way[i];
		if (o.kind != OPND_VAR && (o.kind != OPND_INT || o.u.i < WAY_INTO))
			wrong(c, b, "step %d of the way out is none", i + 1);
		else if (o.kind == OPND_VAR && !leads_out(o))
			wrong(c, b, "%s is no step of a way out", o.u.var->name);
		else if (o.kind == OPND_INT && o.u.i == WAY_LOST && i + 1 < to)
			wrong(c, b, "the way out is lost, but goes on");
		for (int64_t k = 1; o.kind == OPND_INT && k <= o.u.i && !c->message; k++)
			if (i + k >= to || !leads_out(b->way[i + k]))
				wrong(c, b, "step %d of the way out wants %d behind it", i + 1, (int)o.u.i);
		use(c, b, o, 0);
		if (!c->message && o.kind == OPND_INT && o.u.i == WAY_PARTS)
			i = check_parts(c, b, i, to) - 1;
		if (!c->message && o.kind == OPND_INT && o.u.i == WAY_INTO)
			i = check_into(c, b, i, to) - 1;
	}
}

static void
check_way(Check *c, const Bind *b)
{
	if (b->nway > 0 && !has_way(c, &c->p->ir->op[b->op]))
		wrong(c, b, "has no way out");
	check_steps(c, b, 0, b->nway);
}

static const struct {
	const char *name;
	Special *check;
} special[] = {
	{"call", check_call}, {"cell", check_cell}, {"peek", check_cell}, {"if", check_if}, {"foreach", check_foreach},
	{"pack", check_pack}, {"check", check_check}, {"host_check", check_check}, {"task", check_task},
	{"free", check_count}, {"retain", check_count}, {"own", check_count}, {"disown", check_count}, {"confirm", check_count},
	{"counted", check_counted}, {"reserve", check_reserve}, {"forget", check_forget},
	{"effect", check_effect}, {"clock", check_clock},
};

/* -- levels ----------------------------------------------------------------------------------- */
/* Steps that make sense at one level only. */
static const struct {
	const char *name;
	int level;
} fixed[] = {{"inner", 2}, {"row", 2}, {"keep_segdes", 2}, {"segdes", 1}, {"keep_lengths", 1}};

static void
check_step(Check *c, const Bind *b)
{
	const OpInfo *op = &c->p->ir->op[b->op];
	bool call = strcmp(op->name, "call") == 0;
	if (op->cls == OP_LIBRARY || op->cls == OP_HOST || (op->cls == OP_CONTROL && !call) || op->cls == OP_EFFECT)
		wrong(c, b, "not inside a task");
	if (!ir_counts(c->p->ir) && strcmp(op->name, "replace") == 0)
		wrong(c, b, "only in mem");
	if (b->level < 1 || b->level > c->levels)
		wrong(c, b, "level %d, but the task has %d", b->level, c->levels);
	if (c->own[b->op].level && b->level != c->own[b->op].level)
		wrong(c, b, "only at level %d", c->own[b->op].level);
	for (int k = op_told(op); k < b->narg; k++)
		use(c, b, b->arg[k], 0);
}

/* Sources that read one number wherever they stand. */
static bool
on_host_too(const OpInfo *op)
{
	return strcmp(op->name, "row_start") == 0 || strcmp(op->name, "row_length") == 0;
}

static void
check_host(Check *c, const Bind *b)
{
	OpClass cls = c->p->ir->op[b->op].cls;
	if (b->level != 0)
		wrong(c, b, "a level, but in no task");
	if ((c->p->ir == &lcu_ir || ir_counts(c->p->ir))
		&& (cls == OP_SOURCE || cls == OP_SINK || cls == OP_REDUCE || cls == OP_SCAN) && !on_host_too(&c->p->ir->op[b->op]))
		wrong(c, b, "only inside a task");
}

/* What scalar code has besides scalar operators: it reads sequences and makes none. */
static void
check_scalar_code(Check *c, const Bind *b)
{
	static const char *const reads[] = {"length", "rows", "elem", "row_start", "row_length", "check",
		"host_check", "call", "if"};
	const OpInfo *op = &c->p->ir->op[b->op];
	bool ok = op->cls == OP_SCALAR;
	for (size_t i = 0; i < sizeof reads / sizeof *reads; i++)
		ok = ok || strcmp(op->name, reads[i]) == 0;
	if (!ok || b->lifted || b->nway > 0)
		wrong(c, b, "no scalar code");
	for (int i = 0; i < b->ndst; i++)
		if (!ty_scalar(b->dst[i]->ty))
			wrong(c, b, "%s is no scalar", b->dst[i]->name);
}

/* At which level the results of b live. */
static int
result_level(Check *c, const Bind *b)
{
	OpClass cls = c->p->ir->op[b->op].cls;
	if (c->levels == 0)
		return 0;
	if (cls == OP_SINK || (cls == OP_REDUCE && b->level == 1)) {
		c->sinks += b->ndst;
		return SUNK;
	}
	return cls == OP_REDUCE ? b->level - 1 : b->level;
}

/* -- bindings, blocks, programs --------------------------------------------------------------- */
static void
check_bind(Check *c, const Bind *b)
{
	const OpInfo *op = &c->p->ir->op[b->op];
	if (!op->sig[b->lifted])
		wrong(c, b, "is never lifted");
	if (op->cls == OP_STATE)
		wrong(c, b, "stands in library code only");
	if (op_has_name(op) != (b->name != NULL) || op_has_text(op) != (b->text != NULL))
		wrong(c, b, "a name or text too many or missing");
	if (c->levels > 0)
		check_step(c, b);
	else
		check_host(c, b);
	if (c->scalar)
		check_scalar_code(c, b);
	for (int i = 0; i < b->narg; i++)
		use(c, b, b->arg[i], b->level);
	check_way(c, b);
	check_mapping(c, b);
	if (!c->message) {
		if (op->sig[b->lifted][0] != '?')
			check_signature(c, b);
		else if (c->own[b->op].check)
			c->own[b->op].check(c, b);
		else
			wrong(c, b, "no check for this operator");
	}
	int level = result_level(c, b);
	for (int i = 0; i < b->ndst; i++)
		bind(c, b, b->dst[i], level);
}

static void
check_block(Check *c, const Block *k)
{
	for (const Bind *x = k->first; x && !c->message; x = x->next) {
		if (x->op < 0 || x->op >= c->p->ir->nop)
			wrong(c, NULL, "operator %d is no row of %s", x->op, c->p->ir->name);
		else
			check_bind(c, x);
	}
}

static void
check_body(Check *c, const Block *body, const TyList *want, const char *name, Span at)
{
	if (body)
		inner_block(c, NULL, body, 0, want);
	else
		wrong(c, NULL, "no body");
	if (c->message) {
		c->message = arena_printf(c->p->arena, "in %s: %s", name, c->message);
		if (!c->at.file)
			c->at = at;
	}
}

static void
check_fun(Check *c, const Fun *f)
{
	TyList want = {0};
	c->names = map_new(c->p->arena);
	if (fun_find(c->p, f->name) != f)
		wrong(c, NULL, "two functions are called %s", f->name);
	for (int i = 0; i < f->nparam; i++)
		bind(c, NULL, f->param[i], 0);
	for (int i = 0; i < f->nresult; i++) {
		LIST_ADD(c->p->arena, &want, f->result[i]);
		if (f->scalar && !ty_scalar(f->result[i]))
			wrong(c, NULL, "%s is scalar, but its result %d is not", f->name, i + 1);
	}
	if (f->scalar && f->nresult == 0)
		wrong(c, NULL, "%s is scalar, but has no result", f->name);
	if (f->scalar && c->p->ir == &normal_ir)
		wrong(c, NULL, "%s: scalar functions are flan's", f->name);
	c->scalar = f->scalar;
	check_body(c, f->body, &want, f->name, f->span);
	c->scalar = false;
	for (int i = 0; i < f->nparam; i++)
		unbind(c, f->param[i]);
	map_drop(c->names);
}

/* The type that is printed is that of the values: as many leaves, each of its kind. */
static bool
is_typed(Arena *a, const Entry *e)
{
	TyList is = {0};
	nesl_leaf *leaf;
	bool same;

	for (int i = 0; i < e->ncell; i++)
		ty_leaves(a, e->cell[i]->ty, false, &is);
	leaf = NEW(a, nesl_leaf, is.n);
	same = nesl_type_leaves(e->type, leaf, is.n) == is.n;
	for (int i = 0; i < is.n && same; i++) {
		const Ty *t = is.at[i], *scalar = t->kind == TY_VEC ? t->a : t;
		same = leaf[i].kind == (t->kind == TY_SEGDES ? LEAF_OFFSETS : t->kind == TY_VEC ? LEAF_VECTOR : LEAF_SCALAR)
			&& (t->kind == TY_SEGDES || leaf[i].base == "ifbc"[scalar->kind]);
	}
	return same;
}

static void
check_entry(Check *c, const Entry *e)
{
	TyList want = {0};
	if (!e->body)
		return;
	if (!is_typed(c->p->arena, e)) {
		c->message = arena_printf(c->p->arena, "in %s: it is printed as %s, which its value is not", e->shown, e->type);
		return;
	}
	c->names = map_new(c->p->arena);
	for (int i = 0; i < e->ncell; i++)
		cell_types(c, e->cell[i], &want);
	check_body(c, e->body, &want, e->shown, e->span);
	map_drop(c->names);
}

/* What is said above by the names of operators. */
static const Own *
own_of(const Ir *ir, Arena *a)
{
	Own *own = NEW(a, Own, ir->nop);

	for (int op = 0; op < ir->nop; op++) {
		for (size_t i = 0; i < sizeof special / sizeof *special; i++)
			if (strcmp(special[i].name, ir->op[op].name) == 0)
				own[op].check = special[i].check;
		for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
			if (strcmp(fixed[i].name, ir->op[op].name) == 0)
				own[op].level = fixed[i].level;
	}
	return own;
}

static const char *
check_program(const Program *p, Span *at)
{
	Check c = {.p = p, .own = own_of(p->ir, p->arena), .place = NEW(p->arena, Place, p->nvar + 1)};

	for (const Fun *f = p->funs; f && !c.message; f = f->next)
		check_fun(&c, f);
	for (const Entry *e = p->entries; e && !c.message; e = e->next)
		check_entry(&c, e);
	*at = c.at;
	if (!c.message && p->nested)
		c.message = ir_check(p->nested, at);
	if (!c.message)
		c.message = nested_check(p, at);
	if (!c.message)
		c.message = scan_check(p, at);
	if (!c.message)
		c.message = rows_check(p, at);
	if (!c.message && p->ir == &normal_ir)
		return serial_check(p, at);
	if (!c.message && ir_counts(p->ir))
		return owner_check(p, at);
	return c.message;
}

/* Of what is made for it only the message stays. */
const char *
ir_check(const Program *p, Span *at)
{
	Program in_scratch = *p;
	const char *message;

	in_scratch.arena = arena_new();
	message = check_program(&in_scratch, at);
	if (message)
		message = arena_strndup(p->arena, message, strlen(message));
	arena_free(in_scratch.arena);
	return message;
}
