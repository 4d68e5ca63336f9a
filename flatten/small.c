/* small.c: rows of few elements one after the other.
 *
 * In   a recursive function, for the rows of a level
 * Out  flan: rows of fewer than `small` elements are split off, for a function NAME_small.  A target may run that by what the
 *      function is in normal, row after row (backend/cpu/small.c): the last levels of a recursion, where most of its rows are, then
 *      cost what the elements do and not what the rows do.  The others go the way of all rows.
 *      For a device (not Flattener.batches) the rows stay together: where all of them have fewer than `small` elements they are given
 *      to NAME_small, which the host runs so (backend/cuda/few.c), as each level of the rest would be a dozen launches of nothing.
 * How  Granularity control: Acar, Aksenov, Chargueraud and Rainey, PPoPP 2019; here of rows, by how many elements they have.
 *
 * NAME_small calls the version of the function for its rows, so it means the same where a target does not run rows so, or finds
 * that it cannot (an error, more work than small rows should be): there `small` is 0, and no row is as small as that.
 * What stays nested must give and be given scalars, or sequences of scalars or of tuples of them.
 *
 * A recursion meets small rows on its way down, so its function splits them off wherever it is entered.  A loop is entered once: who calls
 * it does. */
#include "flatten/flattener.h"

/* -- what can be run in nested form ----------------------------------------------------------------- */

static bool nests(const Flattener *f, const Block *body);

static bool
bind_nests(const Flattener *f, const Bind *b)
{
	if (b->op == NORMAL_call && (b->ndst != 1 || !*map_at(f->nested, b->name)))
		return false;
	for (int i = 0; i < b->nblock; i++)
		if (!nests(f, b->block[i]))
			return false;
	return op_nests(&normal_ir.op[b->op]);
}

static bool
nests(const Flattener *f, const Block *body)
{
	for (const Bind *b = body->first; b; b = b->next)
		if (!bind_nests(f, b))
			return false;
	return true;
}

void
find_nested_funs(Flattener *f)
{
	bool again = f->own_ways;

	f->nested = map_new(f->arena);
	for (const Fun *x = f->in->funs; x; x = x->next)
		*map_at(f->nested, x->name) = x->nresult == 1 ? (void *)x : NULL;
	while (again) {
		again = false;
		for (const Fun *x = f->in->funs; x; x = x->next)
			if (*map_at(f->nested, x->name) && !nests(f, x->body)) {
				*map_at(f->nested, x->name) = NULL;
				again = true;
			}
	}
}

static void keep_nested(Flattener *f, const Fun *fun, Program *to, Map *seen);

static void
keep_called(Flattener *f, const Block *body, Program *to, Map *seen)
{
	for (const Bind *b = body->first; b; b = b->next) {
		if (b->op == NORMAL_call)
			keep_nested(f, fun_find(f->in, b->name), to, seen);
		for (int i = 0; i < b->nblock; i++)
			keep_called(f, b->block[i], to, seen);
	}
}

static void
keep_nested(Flattener *f, const Fun *fun, Program *to, Map *seen)
{
	Fun **end = &to->funs;

	if (*map_at(seen, fun))
		return;
	*map_at(seen, fun) = (void *)fun;
	while (*end)
		end = &(*end)->next;
	*end = NEW(f->arena, Fun, 1);
	**end = *fun;
	(*end)->next = NULL;
	(*end)->scans = NULL;
	keep_called(f, fun->body, to, seen);
}

void
keep_nested_funs(Flattener *f)
{
	Map *seen = map_new(f->arena);

	for (const Fun *x = f->out->funs; x; x = x->next) {
		if (!x->nested)
			continue;
		if (!f->out->nested) {
			f->out->nested = program_new(f->arena, f->in->names, &normal_ir);
			f->out->nested->nvar = f->in->nvar;
			f->out->nested->int_bits = f->in->int_bits;
		}
		keep_nested(f, fun_find(f->in, x->nested), f->out->nested, seen);
	}
}

/* -- which rows are small ----------------------------------------------------------------------------- */

/* Can each row be given it as it is?  size: takes on how many elements its sequences have, of each row. */
static bool
row_value(Flattener *f, const Val *v, Opnd *size)
{
	if (v->kind == VAL_PAIR)
		return row_value(f, v->a, size) && row_value(f, v->b, size);
	if (v->kind == VAL_BASE)
		return true;
	if (at_host(v))
		return ty_scalar(v->ty->a);
	if (is_vector(constant_of(f, seq_length(f, v))))
		*size = ADD(f, *size, seq_length(f, v));
	return scalars_only(v->ty->a);
}

/* How many elements there are of all rows, or more: as many as lie where those of rows do. */
static void
add_elements(Flattener *f, const Val *v, Opnd *all)
{
	Opnd *leaf;

	if (v->kind == VAL_PAIR) {
		add_elements(f, v->a, all);
		add_elements(f, v->b, all);
	} else if (v->kind != VAL_BASE && all_leaves(f, 1, &(Val *){v->elem}, &leaf) > 0) {
		*all = ADD(f, *all, length_of(f, leaf[0]));
	}
}

/* Can rows with these arguments be run one after the other?  size: how many elements each has, which are not all as many. */
static bool
may_nest(Flattener *f, const Fun *fun, Val *const *arg, Opnd *size)
{
	*size = opnd_int(0);
	if (!f->own_ways || !fun->recursive || fun_find(f->in, fun->name) != fun || !*map_at(f->nested, fun->name))
		return false;
	for (int i = 0; i < fun->nresult; i++)
		if (!ty_is_row(fun->result[i]))
			return false;
	for (int i = 0; i < fun->nparam; i++)
		if (!ty_is_row(fun->param[i]->ty) || !row_value(f, arg[i], size))
			return false;
	return is_vector(*size);
}

static Opnd
is_less(Flattener *f, Opnd size)
{
	return SCALAR_OP(f, FLAN_lt, &ty_bool, size, emit(f, FLAN_small, false, &ty_int, 0, NULL));
}

static bool
are_small(Flattener *f, const Fun *fun, Val *const *arg, Opnd *small)
{
	Opnd size;

	if (!f->batches || !may_nest(f, fun, arg, &size))
		return false;
	*small = is_less(f, size);
	return true;
}

static Val **
params(Flattener *f, const Fun *fun)
{
	Val **v = NEW(f->arena, Val *, fun->nparam);

	for (int i = 0; i < fun->nparam; i++)
		v[i] = env_get(f, fun->param[i]);
	return v;
}

bool
has_small_rows(Flattener *f, const Fun *fun, Opnd *small)
{
	return !loops(f, fun) && are_small(f, fun, params(f, fun), small);
}

bool
has_few_rows(Flattener *f, const Fun *fun, Val *const *arg, Opnd *few)
{
	Opnd size, all = f->cur->count;

	if (f->batches || !f->cur->parent || loops(f, fun) || !may_nest(f, fun, arg, &size))
		return false;
	for (int i = 0; i < fun->nparam; i++)
		add_elements(f, arg[i], &all);
	*few = is_less(f, all);
	return true;
}

/* In a function that may be run in nested form rows are not small, or all are in flat code. */
bool
loops_for_small_rows(Flattener *f, const Fun *fun, Val *const *arg, Opnd *small)
{
	const bool within = f->fun && f->fun->recursive && *map_at(f->nested, f->fun->name);

	return !within && f->cur->parent && loops(f, fun) && are_small(f, fun, arg, small);
}

/* -- the function of small rows, and its call ------------------------------------------------------------ */

/* All sequences as starts and lengths: of rows, or the host's. */
static Val *
as_views(Flattener *f, Val *v, Level *lv)
{
	if (v->kind == VAL_PAIR)
		return PAIR(f, as_views(f, v->a, lv), as_views(f, v->b, lv));
	lv = at_host(v) ? &f->host : lv;
	v = val_at(f, v, lv);
	return v->kind == VAL_BASE ? v : VIEW(f, lv, seq_start(f, v), seq_length(f, v), v->elem);
}

/* What is dense where there are not few rows is made so: of the flat code there is one version. */
static Val *
made_like(Flattener *f, Val *v, const Val *called)
{
	if (v->kind == VAL_PAIR)
		return PAIR(f, made_like(f, v->a, called->a), made_like(f, v->b, called->b));
	return v->kind == VAL_SEQ && !called->view && !at_host(v) && !at_host(called) ? val_densify(f, v, false) : v;
}

static void
small_body(Flattener *f, Fun *to, const Fun *fun, Level *rows, Opnd cuts)
{
	Val **r = NEW(f->arena, Val *, fun->nresult), **arg = params(f, fun);

	(void)cuts;
	to->nested = fun->name;
	for (int i = 0; i < fun->nparam && f->few; i++)
		arg[i] = made_like(f, arg[i], f->few[i]);
	call_rows(f, fun, arg, rows, r);
	give_dense(f, to, fun, r, rows);
}

typedef struct Entered {
	const Fun *fun;
	Val *const *arg;
} Entered;

static Val **
views(Flattener *f, const Entered *e)
{
	Val **view = NEW(f->arena, Val *, e->fun->nparam);

	for (int i = 0; i < e->fun->nparam; i++)
		view[i] = as_views(f, e->arg[i], f->cur);
	return view;
}

static void
call_small(Flattener *f, const void *what, Val **out)
{
	const Entered *e = what;

	call_runner(f, "small", small_body, e->fun, views(f, e), f->cur, NULL, out);
}

/* By the version that is the flat code of small rows, too. */
static void
call_others(Flattener *f, const void *what, Val **out)
{
	const Entered *e = what;

	call_rows(f, e->fun, views(f, e), f->cur, out);
}

/* others: what is done for those that are not small; NULL: the function's body. */
static void
by_size(Flattener *f, const Entered *e, Opnd small, Arm *others, Val **out)
{
	const int n = e->fun->nresult;
	Fork k = {.level = f->cur, .n = 2, .by = small};
	Val **v[2] = {NEW(f->arena, Val *, n), NEW(f->arena, Val *, n)};

	fork_by(f, &k);
	run_arm_of(f, k.rows[0], call_small, e, n, v[0]);
	if (others)
		run_arm_of(f, k.rows[1], others, e, n, v[1]);
	else
		run_arm_if_any(f, e->fun->body, k.rows[1], v[1]);
	for (int i = 0; i < n; i++)
		out[i] = merge_if_needed(f, &k, (Val *const[]){v[0][i], v[1][i]});
}

void
flatten_by_size(Flattener *f, const Fun *fun, Opnd small, Val **out)
{
	by_size(f, &(Entered){fun, params(f, fun)}, small, NULL, out);
}

void
call_by_size(Flattener *f, const Fun *fun, Val *const *arg, Opnd small, Val **out)
{
	by_size(f, &(Entered){fun, arg}, small, call_others, out);
}

void
call_few(Flattener *f, const Fun *fun, Val *const *arg, Val **out)
{
	Val *const *const before = f->few;

	f->few = arg;
	call_small(f, &(Entered){fun, arg}, out);
	f->few = before;
}
