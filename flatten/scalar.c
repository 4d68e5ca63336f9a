/* scalar.c: code without parallel operators is not flattened: it stays scalar code, called for each element.
 *
 * In   normal
 * Out  which functions and conditionals are scalar code; calls of them in parallel code as `call^` of the version
 *      for the host, whose body is scalar already: a row of any sequence is a start and a length there
 * How  Keller, Chakravarty, Leshchinskiy, Lippmeier and Peyton Jones, "Vectorisation avoidance", Haskell 2012; there
 *      loops and recursion stay vectorised.  All functions are scalar code until their bodies show that they are
 *      not: so recursion is.
 *
 * A result may be a row, if it is one of the same sequence in any case: its *root*, a parameter or a part of one.  It is
 * a start and a length; whose elements these are knows the caller. */
#include "flatten/flattener.h"

typedef struct Code {                   /* what is scalar code */
	const Flattener *f;
	Map *root;                      /* Var of a row -> Var that it is a row of; those without are their own */
} Code;

enum { NO_ROOT = -1, ANY_ROOT = -2 };

/* Of each result of a function: its root's number among the parameters; NO_ROOT: it is no row; ANY_ROOT: not known yet. */
typedef struct Roots {
	const Fun *fun;
	int *at;
} Roots;

/* Roots that are no variable: of a recursion that is not known yet; of several. */
static const Var any, several;

static const Var *
root_of(const Code *c, Opnd o)
{
	const Var *root = o.kind == OPND_VAR ? *map_at(c->root, o.u.var) : &several;

	return root ? root : o.u.var;
}

static const Var *
common_root(const Var *a, const Var *b)
{
	return a == &any || a == b ? b : b == &any ? a : &several;
}

static const Var *
root_of_call(const Code *c, const Bind *b, int i)
{
	const Roots *r = *map_at(c->f->scalar, b->name);

	return r->at[i] == ANY_ROOT ? &any : r->at[i] == NO_ROOT ? &several : root_of(c, b->arg[r->at[i]]);
}

/* Of result i, what it consists of being known. */
static const Var *
root_of_result(const Code *c, const Bind *b, int i)
{
	switch (b->op) {
	case NORMAL_elt: case NORMAL_subseq:
		return root_of(c, b->arg[0]);
	case NORMAL_call:
		return root_of_call(c, b, i);
	case NORMAL_if:
		return common_root(root_of(c, b->block[0]->yield[i]), root_of(c, b->block[1]->yield[i]));
	default:
		return &several;
	}
}

static bool
is_row(const Ty *t)
{
	return t->kind == TY_SEQ;
}

static bool code(const Code *c, const Block *body);

static bool
results_fit(const Code *c, const Bind *b)
{
	for (int i = 0; i < b->ndst; i++)
		if (is_row(b->dst[i]->ty) ? root_of_result(c, b, i) == &several : !scalars_only(b->dst[i]->ty))
			return false;
	return true;
}

static bool
scalar_bind(const Code *c, const Bind *b)
{
	switch (b->op) {
	case NORMAL_pair: case NORMAL_fst: case NORMAL_snd: case NORMAL_length: case NORMAL_elt: case NORMAL_subseq:
	case NORMAL_cell:
		break;
	case NORMAL_call:
		if (!*map_at(c->f->scalar, b->name))
			return false;
		break;
	case NORMAL_if:
		if (!code(c, b->block[0]) || !code(c, b->block[1]) || !results_fit(c, b))
			return false;
		break;
	default:
		return normal_ir.op[b->op].cls == OP_SCALAR;
	}
	for (int i = 0; i < b->ndst; i++)
		if (is_row(b->dst[i]->ty))
			*map_at(c->root, b->dst[i]) = (void *)root_of_result(c, b, i);
	return true;
}

static bool
code(const Code *c, const Block *body)
{
	for (const Bind *b = body->first; b; b = b->next)
		if (!scalar_bind(c, b))
			return false;
	return true;
}

static int
number_of_param(const Fun *fun, const Var *v)
{
	for (int i = 0; i < fun->nparam; i++)
		if (fun->param[i] == v)
			return i;
	return NO_ROOT;
}

/* The roots of its results, as far as those of calls in it are known; false: it is no scalar code. */
static bool
find_roots(const Flattener *f, const Fun *fun, int *at)
{
	const Code c = {f, map_new(f->arena)};

	if (!code(&c, fun->body))
		return false;
	for (int i = 0; i < fun->nresult; i++) {
		const Var *root = is_row(fun->result[i]) ? root_of(&c, fun->body->yield[i]) : NULL;

		at[i] = !root ? NO_ROOT : root == &any ? ANY_ROOT : number_of_param(fun, root);
		if (root && at[i] == NO_ROOT)
			return false;
	}
	return true;
}

static bool
branches(const Block *b)
{
	for (const Bind *s = b->first; s; s = s->next)
		if (s->op == NORMAL_if)
			return true;
	return false;
}

const int *
scalar_code(const Flattener *f, const Fun *fun)
{
	const Roots *r = *map_at(f->scalar, fun->name);

	return r ? r->at : NULL;
}

bool
scalar_fun(const Flattener *f, const Fun *fun)
{
	bool rows = false;

	for (int i = 0; i < fun->nresult; i++)
		rows = rows || is_row(fun->result[i]);
	return scalar_code(f, fun) && (!rows || fun->recursive || branches(fun->body));
}

/* Looks again at what is taken for scalar code; true: some of it is another than was thought. */
static bool
look_again(Flattener *f, Roots *r)
{
	int *at = NEW(f->arena, int, r->fun->nresult + 1);
	bool other = !find_roots(f, r->fun, at);

	if (other)
		*map_at(f->scalar, r->fun->name) = NULL;
	for (int i = 0; i < r->fun->nresult && !other; i++)
		other = at[i] != r->at[i];
	r->at = at;
	return other;
}

/* Recursion that gives nothing but itself: a row of nowhere. */
static bool
rooted(const Roots *r)
{
	for (int i = 0; i < r->fun->nresult; i++)
		if (r->at[i] == ANY_ROOT)
			return false;
	return true;
}

void
find_scalar_funs(Flattener *f)
{
	bool again = true;

	f->scalar = map_new(f->arena);
	f->cells = map_new(f->arena);
	for (const Fun *x = f->in->funs; x && f->avoids; x = x->next) {
		Roots *r = NEW(f->arena, Roots, 1);
		bool ok = true;

		*r = (Roots){x, NEW(f->arena, int, x->nresult)};
		for (int i = 0; i < x->nresult; i++) {
			ok = ok && (scalars_only(x->result[i]) || is_row(x->result[i]));
			r->at[i] = is_row(x->result[i]) ? ANY_ROOT : NO_ROOT;
		}
		*map_at(f->scalar, x->name) = ok ? r : NULL;
	}
	while (again) {
		again = false;
		for (const Fun *x = f->in->funs; x; x = x->next)
			again = (scalar_code(f, x) && look_again(f, *map_at(f->scalar, x->name))) || again;
		for (const Fun *x = f->in->funs; x && !again; x = x->next)
			if (scalar_code(f, x) && !rooted(*map_at(f->scalar, x->name))) {
				*map_at(f->scalar, x->name) = NULL;
				again = true;
			}
	}
}

/* -- cells ------------------------------------------------------------------------------------------ */

/* The cells that a function of scalar code reads, through what it calls too; and it with two parameters more for each,
 * whether the cell has a value, and that: for an element's call the host reads them. */
typedef struct Cells {
	LIST(const Cell *) cell;
	const Fun *with;
} Cells;

static void
find_cells(Flattener *f, const Block *body, Cells *c, Map *seen)
{
	for (const Bind *b = body->first; b; b = b->next) {
		const void *key = b->op == NORMAL_cell ? (const void *)cell_find(f->in, b->name)
			: b->op == NORMAL_call ? (const void *)fun_find(f->in, b->name) : NULL;

		if (key && !*map_at(seen, key)) {
			*map_at(seen, key) = f;
			if (b->op == NORMAL_cell)
				LIST_ADD(f->arena, &c->cell, key);
			else
				find_cells(f, ((const Fun *)key)->body, c, seen);
		}
		for (int i = 0; i < b->nblock; i++)
			find_cells(f, b->block[i], c, seen);
	}
}

static const Fun *
with_parameters(Flattener *f, const Fun *fun, const Cells *c)
{
	Fun *with = NEW(f->arena, Fun, 1);

	*with = *fun;
	with->nparam = fun->nparam + 2 * c->cell.n;
	with->param = NEW(f->arena, Var *, with->nparam);
	for (int i = 0; i < fun->nparam; i++)
		with->param[i] = fun->param[i];
	for (int i = 0; i < c->cell.n; i++) {
		with->param[fun->nparam + 2 * i] = var_new(f->in, "bound", &ty_bool);
		with->param[fun->nparam + 2 * i + 1] = var_new(f->in, c->cell.at[i]->name, c->cell.at[i]->ty);
	}
	return with;
}

static const Cells *
cells_of(Flattener *f, const Fun *fun)
{
	Cells *c = *map_at(f->cells, fun);

	if (c)
		return c;
	c = NEW(f->arena, Cells, 1);
	find_cells(f, fun->body, c, map_new(f->arena));
	c->with = c->cell.n ? with_parameters(f, fun, c) : fun;
	*map_at(f->cells, fun) = c;
	*map_at(f->cells, c->with) = c;
	return c;
}

bool
reads_cells(Flattener *f, const Fun *fun)
{
	return cells_of(f, fun)->cell.n > 0;
}

bool
scalar_cell(Flattener *f, const char *name, Val **bound, Val **value)
{
	const Cells *c = f->fun ? *map_at(f->cells, f->fun) : NULL;

	for (int i = 0; c && f->fun == c->with && i < c->cell.n; i++)
		if (c->cell.at[i]->name == name) {
			Var *const *param = f->fun->param + f->fun->nparam - 2 * (c->cell.n - i);

			*bound = use(f, opnd_var(param[0]));
			*value = use(f, opnd_var(param[1]));
			return true;
		}
	return false;
}

const Fun *
scalar_with_cells(Flattener *f, const Fun *fun, Val ***arg)
{
	const Cells *c = cells_of(f, fun);
	Val **all = NEW(f->arena, Val *, fun->nparam + 2 * c->cell.n), **more = all + fun->nparam;

	for (int i = 0; i < fun->nparam; i++)
		all[i] = (*arg)[i];
	for (int i = 0; i < c->cell.n; i++) {
		const Cell *x = c->cell.at[i];

		if (!scalar_cell(f, x->name, &more[2 * i], &more[2 * i + 1]))
			more[2 * i + 1] = read_cell(f, x->name, x->name, x->ty, &more[2 * i]);
	}
	*arg = all;
	return c->with;
}

/* -- calls for each element ------------------------------------------------------------------------- */

/* As an element's call has it: a value of the host, of which only the shape counts. */
static Val *
one_of(Flattener *f, Val *v)
{
	if (v->kind == VAL_PAIR)
		return PAIR(f, one_of(f, v->a), one_of(f, v->b));
	if (at_host(v))
		return v;
	if (v->kind == VAL_BASE)
		return val_base(f, &f->host, v->ty, zero_of(v->ty));
	return VIEW(f, &f->host, opnd_int(0), opnd_int(0), v->elem);
}

/* One for each element: rows as starts and lengths; what is of the host is the same for all. */
static Val *
for_each(Flattener *f, Val *v)
{
	Opnd start;

	if (v->kind == VAL_PAIR)
		return PAIR(f, for_each(f, v->a), for_each(f, v->b));
	if (at_host(v))
		return v;
	v = val_at(f, v, f->cur);
	if (v->kind == VAL_BASE)
		return v;
	start = seq_start(f, v);
	return VIEW(f, f->cur, start, seq_length(f, v), v->elem);
}

/* The elements of rows of this type, in v. */
static Val *
elements_of(Val *v, const Ty *row)
{
	while (!ty_equal(v->ty, row))
		v = v->elem;
	return v->elem;
}

Val *
row_of(Flattener *f, Val *root, const Ty *row, Level *lv, const char *hint, Var **start, Var **length)
{
	*start = fresh(f, hint, lv->parent ? &ty_ints : &ty_int);
	*length = fresh_length(f, hint, !lv->parent);
	return VIEW(f, lv, opnd_var(*start), opnd_var(*length), elements_of(root, row));
}

static Val *
result_of_each(Flattener *f, const Val *one, const char *hint, Vars *dst)
{
	Var *x;

	if (one->kind == VAL_PAIR) {
		Val *a = result_of_each(f, one->a, hint, dst);

		return PAIR(f, a, result_of_each(f, one->b, hint, dst));
	}
	x = fresh(f, hint, ty_vec(one->ty));
	LIST_ADD(f->arena, dst, x);
	return val_base(f, f->cur, one->ty, opnd_var(x));
}

void
call_for_each(Flattener *f, const char *key, const Fun *fun, const int *root, Val **arg, Val **out)
{
	Val **one = NEW(f->arena, Val *, fun->nparam), **each = NEW(f->arena, Val *, fun->nparam), **result;
	const Fun *version;
	Vars dst = {0};
	Opnd *leaf;
	Way way = {0};
	int n;
	Bind *b;

	for (int i = 0; i < fun->nparam; i++) {
		each[i] = for_each(f, arg[i]);
		one[i] = one_of(f, each[i]);
	}
	version = host_version(f, key, fun, root, one, &result);
	for (int i = 0; i < fun->nresult; i++) {
		const char *hint = f->hint ? f->hint : fun->name;
		Var *row[2];

		if (!is_row(fun->result[i])) {
			out[i] = result_of_each(f, result[i], hint, &dst);
			continue;
		}
		out[i] = row_of(f, each[root[i]], fun->result[i], f->cur, hint, &row[0], &row[1]);
		LIST_ADD(f->arena, &dst, row[0]);
		LIST_ADD(f->arena, &dst, row[1]);
	}
	n = all_leaves(f, fun->nparam, each, &leaf);
	b = bind_new(f->out, frame_block(f), FLAN_call, dst.n, n + 1, 0, f->span);
	b->lifted = true;
	b->name = version->name;
	for (int i = 0; i < dst.n; i++)
		b->dst[i] = dst.at[i];
	b->arg[0] = f->cur->count;
	for (int i = 0; i < n; i++)
		b->arg[i + 1] = ty_scalar(version->param[i]->ty) ? constant_of(f, leaf[i]) : leaf[i];
	way_out(f, f->cur, (Span){0}, &way);
	bind_way(f->out, b, way.n, way.at);
}

/* -- conditionals ------------------------------------------------------------------------------------- */

typedef struct {
	Flattener *f;
	Map *bound, *seen;
	Vars vars;
} Free;

static void
free_opnds(Free *x, const Opnd *o, int n)
{
	for (int i = 0; i < n; i++) {
		if (o[i].kind != OPND_VAR || *map_at(x->bound, o[i].u.var) || *map_at(x->seen, o[i].u.var))
			continue;
		*map_at(x->seen, o[i].u.var) = o[i].u.var;
		LIST_ADD(x->f->arena, &x->vars, o[i].u.var);
	}
}

static void
free_bind(Free *x, const Bind *b)
{
	free_opnds(x, b->arg, b->narg);
	for (int i = 0; i < b->nblock; i++) {
		for (const Bind *s = b->block[i]->first; s; s = s->next)
			free_bind(x, s);
		free_opnds(x, b->block[i]->yield, b->block[i]->nyield);
	}
	for (int i = 0; i < b->ndst; i++)
		*map_at(x->bound, b->dst[i]) = b->dst[i];
}

/* The conditional as a function of its free variables. */
static Fun *
outline(Flattener *f, const Bind *b)
{
	Free x = {.f = f, .bound = map_new(f->arena), .seen = map_new(f->arena)};
	Fun *fun = NEW(f->arena, Fun, 1);
	Bind *only = NEW(f->arena, Bind, 1);

	free_bind(&x, b);
	*only = *b;
	only->next = NULL;
	*fun = (Fun){.name = arena_printf(f->arena, "%s_if", b->dst[0]->name), .param = x.vars.at, .nparam = x.vars.n,
		.nresult = b->ndst, .result = NEW(f->arena, const Ty *, b->ndst), .span = b->span};
	fun->body = NEW(f->arena, Block, 1);
	fun->body->first = only;
	fun->body->yield = NEW(f->arena, Opnd, b->ndst);
	fun->body->nyield = b->ndst;
	for (int i = 0; i < b->ndst; i++) {
		fun->result[i] = b->dst[i]->ty;
		fun->body->yield[i] = opnd_var(b->dst[i]);
	}
	return fun;
}

bool
is_scalar(const Flattener *f, const Bind *b)
{
	const Code c = {f, map_new(f->arena)};

	return f->avoids && scalar_bind(&c, b);
}

bool
if_for_each(Flattener *f, const Bind *b, Val **out)
{
	Val **arg;
	const Fun *fun;
	const Code c = {f, map_new(f->arena)};
	int *root = NEW(f->arena, int, b->ndst);

	if (!f->avoids || !scalar_bind(&c, b))
		return false;
	fun = outline(f, b);
	for (int i = 0; i < b->ndst; i++) {
		root[i] = is_row(b->dst[i]->ty) ? number_of_param(fun, root_of(&c, opnd_var(b->dst[i]))) : NO_ROOT;
		if (is_row(b->dst[i]->ty) && root[i] == NO_ROOT)
			return false;
	}
	arg = NEW(f->arena, Val *, fun->nparam);
	for (int i = 0; i < fun->nparam; i++)
		arg[i] = use(f, opnd_var(fun->param[i]));
	fun = scalar_with_cells(f, fun, &arg);
	call_for_each(f, arena_printf(f->arena, "if %d", b->dst[0]->id), fun, root, arg, out);
	return true;
}
