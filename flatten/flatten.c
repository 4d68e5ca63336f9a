/* flatten.c: the walk over normal.
 *
 * In   normal: nested, typed, each intermediate named.
 * Out  flan: no foreach; what ran inside one is a lifted operator, a gather, or a lifted call.
 * How  Blelloch & Sabot, "Compiling collection-oriented languages onto massively parallel computers",
 *      JPDC 8(2), 1990, with two changes: a binding runs at the shallowest level that its free variables
 *      allow instead of being replicated to the innermost, and free sequences are views instead of copies
 *      (docs/design.md).
 *
 * What moves outward could fault, diverge or cost where the program would not: scalar operators and those that
 * only look at a sequence move freely, their checks holding only for rows that have a descendant where they
 * stand; all else runs only for such rows. */
#include "flatten/flatten.h"
#include "flatten/dead.h"
#include "flatten/flattener.h"
#include <string.h>

/* -- variables of normal ----------------------------------------------------------------------- */

static void
range_of_vars(Var *const *v, int n, int *lo, int *hi)
{
	for (int i = 0; i < n; i++) {
		*lo = v[i]->id < *lo ? v[i]->id : *lo;
		*hi = v[i]->id > *hi ? v[i]->id : *hi;
	}
}

static void
range_of_block(const Block *b, int *lo, int *hi)
{
	range_of_vars(b->param, b->nparam, lo, hi);
	for (const Bind *s = b->first; s; s = s->next) {
		range_of_vars(s->dst, s->ndst, lo, hi);
		for (int i = 0; i < s->nblock; i++)
			range_of_block(s->block[i], lo, hi);
	}
}

Env
env_new(Flattener *f, Var *const *param, int nparam, const Block *body)
{
	int lo = f->in->nvar, hi = 0;

	range_of_vars(param, nparam, &lo, &hi);
	range_of_block(body, &lo, &hi);
	if (hi < lo)
		return (Env){0, 0, NULL};
	return (Env){lo, hi - lo + 1, NEW(f->arena, Val *, hi - lo + 1)};
}

void
env_set(Flattener *f, const Var *v, Val *val)
{
	f->env.at[v->id - f->env.lo] = val;
}

Val *
env_get(const Flattener *f, const Var *v)
{
	int i = v->id - f->env.lo;

	return i >= 0 && i < f->env.n ? f->env.at[i] : NULL;
}

void
env_shadow(Flattener *f, const Var *v, Val *val)
{
	LIST_ADD(f->arena, &f->shadows, ((Shadow){v, env_get(f, v)}));
	env_set(f, v, val);
}

void
env_unshadow(Flattener *f, int to)
{
	while (f->shadows.n > to) {
		Shadow s = f->shadows.at[--f->shadows.n];

		env_set(f, s.var, s.before);
	}
}

/* -- where values are seen from ------------------------------------------------------------------- */

/* Inside an arm, what lives at the level that was split is seen at the arm's own. */
static Level *
effective(const Flattener *f, Level *lv)
{
	Level *seen = f->cur;

	for (Level *in = f->cur; in != lv; in = in->parent) {
		if (!in->parent)
			return lv;
		if (!in->split)
			seen = in->parent;
	}
	return seen;
}

static Val *
localize(Flattener *f, Val *v)
{
	if (v->kind == VAL_PAIR)
		return PAIR(f, localize(f, v->a), localize(f, v->b));
	return val_at(f, v, effective(f, v->level));
}

Val *
use(Flattener *f, Opnd o)
{
	Val *v;

	if (o.kind != OPND_VAR)
		return val_base(f, &f->host, opnd_ty(o), o);
	v = env_get(f, o.u.var);
	if (!v)
		ice(f->span, "flatten", "`%s` has no value", o.u.var->name);
	return localize(f, v);
}

static Level *
deepest_of_val(const Flattener *f, const Val *v)
{
	if (v->kind == VAL_PAIR)
		return deeper(deepest_of_val(f, v->a), deepest_of_val(f, v->b));
	return effective(f, v->level);
}

static Level *
deepest_of_opnd(Flattener *f, Opnd o, Level *lv)
{
	const Val *v = o.kind == OPND_VAR ? env_get(f, o.u.var) : NULL;

	return v ? deeper(lv, deepest_of_val(f, v)) : lv;
}

/* Of the variables a binding uses that are bound outside it (those inside have no value yet). */
static Level *
deepest_of_bind(Flattener *f, const Bind *b, Level *lv)
{
	for (int i = 0; i < b->narg; i++)
		lv = deepest_of_opnd(f, b->arg[i], lv);
	for (int i = 0; i < b->nblock && lv != f->cur; i++) {
		for (const Bind *s = b->block[i]->first; s && lv != f->cur; s = s->next)
			lv = deepest_of_bind(f, s, lv);
		for (int j = 0; j < b->block[i]->nyield; j++)
			lv = deepest_of_opnd(f, b->block[i]->yield[j], lv);
	}
	return lv;
}

/* -- bindings ------------------------------------------------------------------------------------- */

static Val *
scalar(Flattener *f, const Bind *b, Level *lv, Val **arg)
{
	const OpInfo *op = &normal_ir.op[b->op];
	Opnd x[3];

	for (int i = 0; i < b->narg; i++)
		x[i] = operand_at(f, arg[i], lv);
	if (op->guard && !f->unchecked) {
		Opnd ok = scalar_op(f, ir_find(&flan_ir, op->guard), &ty_bool, b->narg, x);

		check_at(f, lv, op->fault, ok, 0, NULL);
	}
	return val_base(f, lv, b->dst[0]->ty, scalar_op(f, b->op, b->dst[0]->ty, b->narg, x));
}

Val *
read_cell(Flattener *f, const char *name, const char *hint, const Ty *ty, Val **bound)
{
	Val *shape = host_shape(f, ty);
	int n, first = bound != NULL;
	const Opnd *leaf = fresh_leaves(f, shape, hint, &n);
	Bind *c = bind_new(f->out, frame_block(f), bound ? FLAN_peek : FLAN_cell, first + n, 0, 0, f->span);
	Way w = {0};

	c->name = name;
	if (bound) {
		c->dst[0] = fresh(f, "bound", &ty_bool);
		made_here(f, c->dst[0], c);
		*bound = val_base(f, &f->host, &ty_bool, opnd_var(c->dst[0]));
	} else {
		way_out(f, f->cur, f->span, &w);
		bind_way(f->out, c, w.n, w.at);
	}
	for (int i = 0; i < n; i++)
		made_here(f, c->dst[first + i] = leaf[i].u.var, c);
	return val_replace(f, shape, &leaf);
}

static void
cell(Flattener *f, const Bind *b)
{
	Val *bound, *value;

	if (scalar_cell(f, b->name, &bound, &value))
		check_at(f, f->cur, "unbound-cell", bound->x, 0, NULL);
	else
		value = read_cell(f, b->name, b->dst[0]->name, b->dst[0]->ty, NULL);
	env_set(f, b->dst[0], value);
}

/* At the host, in parallel code too: there it is one time for all rows. */
static void
clock(Flattener *f, const Bind *b)
{
	Val **v = NEW(f->arena, Val *, b->narg);
	Opnd *leaf;
	Bind *c;
	int n;

	for (int i = 0; i < b->narg; i++)
		v[i] = use(f, b->arg[i]);
	n = all_leaves(f, b->narg, v, &leaf);
	c = bind_new(f->out, frame_block(f), FLAN_clock, 1, n, 0, f->span);
	c->dst[0] = fresh(f, b->dst[0]->name, &ty_float);
	for (int i = 0; i < n; i++)
		c->arg[i] = leaf[i];
	env_set(f, b->dst[0], val_base(f, &f->host, &ty_float, opnd_var(c->dst[0])));
	frame_fence(f);
}

/* Parallel code has none: what is serial is refused there. */
static void
effect(Flattener *f, const Bind *b)
{
	Val **arg = NEW(f->arena, Val *, b->narg), *shape = host_shape(f, b->dst[0]->ty);
	const Opnd *result;
	Opnd *in;
	int nin, nout;
	Bind *e;

	if (f->cur != &f->host)
		ice(b->span, "flatten", "%s in parallel code", normal_ir.op[b->op].name);
	for (int i = 0; i < b->narg; i++)
		arg[i] = val_densify(f, use(f, b->arg[i]), true);
	nin = all_leaves(f, b->narg, arg, &in);
	result = fresh_leaves(f, shape, b->dst[0]->name, &nout);
	e = bind_new(f->out, frame_block(f), FLAN_effect, nout, nin, 0, f->span);
	e->name = intern(f->out->names, normal_ir.op[b->op].name);
	e->text = ty_text(f->arena, opnd_ty(b->arg[0]));
	e->textlen = (int)strlen(e->text);
	for (int i = 0; i < nin; i++)
		e->arg[i] = in[i];
	for (int i = 0; i < nout; i++)
		e->dst[i] = result[i].u.var;
	env_set(f, b->dst[0], val_replace(f, shape, &result));
}

/* The message of the first instance of where we are, of which there is one; a sequence at the host. */
static void
raise_first(Flattener *f, const void *what, Val **out)
{
	Val *v = localize(f, (Val *)what);
	Opnd text, said = opnd_var(fresh(f, "said", &ty_bool));
	Way w = {0};
	Bind *e;

	(void)out;
	if (!at_host(v)) {
		v = val_at(f, v, f->cur);
		v = VIEW(f, &f->host, EMIT(f, FLAN_elem, false, &ty_int, seq_start(f, v), opnd_int(0)),
		             EMIT(f, FLAN_elem, false, &ty_int, seq_length(f, v), opnd_int(0)), v->elem);
	}
	text = val_densify(f, v, true)->elem->x;
	e = bind_new(f->out, frame_block(f), FLAN_effect, 1, 1, 0, f->span);
	e->name = intern(f->out->names, "error");
	e->text = "[char]";
	e->textlen = (int)strlen(e->text);
	e->arg[0] = text;
	e->dst[0] = said.u.var;
	way_out(f, f->cur, f->span, &w);
	emit_check(f, &w, "user-error", opnd_bool(false), 0, NULL);
}

/* A fault, if we have an instance. */
static void
error(Flattener *f, const Bind *b)
{
	Val *v = use(f, b->arg[0]);

	if (f->cur->parent && !f->cur->nonempty)
		run_if_inhabited(f, f->cur, raise_first, v, 0, NULL);
	else
		raise_first(f, v, NULL);
	env_set(f, b->dst[0], val_base(f, &f->host, &ty_bool, opnd_bool(true)));
}

static void
by_class(Flattener *f, const Bind *b)
{
	Val **arg = NEW(f->arena, Val *, b->narg), *r = NULL;
	Level *lv = &f->host;

	for (int i = 0; i < b->narg; i++) {
		arg[i] = use(f, b->arg[i]);
		lv = deeper(lv, deepest_of_val(f, arg[i]));
	}
	switch (normal_ir.op[b->op].cls) {
	case OP_SCALAR: r = scalar(f, b, lv, arg); break;
	case OP_REDUCE: r = reduce_op(f, b, arg); break;
	case OP_SCAN: r = scan_op(f, b, arg[0]); break;
	case OP_SEQUENCE: r = sequence_op(f, b, lv, arg); break;
	case OP_CONTROL: pack_op(f, b, lv, arg); return;
	case OP_VECTOR: case OP_SOURCE: case OP_SINK: case OP_LIBRARY: case OP_HOST: case OP_STATE:
	case OP_EFFECT: break;
	}
	env_set(f, b->dst[0], r);
}

static void
run(Flattener *f, const Bind *b)
{
	switch (b->op) {
	case NORMAL_pair:
		env_set(f, b->dst[0], PAIR(f, use(f, b->arg[0]), use(f, b->arg[1])));
		break;
	case NORMAL_fst:
		env_set(f, b->dst[0], use(f, b->arg[0])->a);
		break;
	case NORMAL_snd:
		env_set(f, b->dst[0], use(f, b->arg[0])->b);
		break;
	case NORMAL_foreach:
		env_set(f, b->dst[0], foreach_op(f, b));
		break;
	case NORMAL_if:
		if_op(f, b);
		break;
	case NORMAL_call:
		call_op(f, b);
		break;
	case NORMAL_clock:
		clock(f, b);
		break;
	case NORMAL_cell:
		cell(f, b);
		break;
	case NORMAL_error:
		error(f, b);
		break;
	default:
		if (normal_ir.op[b->op].cls == OP_EFFECT)
			effect(f, b);
		else
			by_class(f, b);
	}
}

static void
run_as_arm(Flattener *f, const void *what, Val **out)
{
	const Bind *b = what;

	run(f, b);
	for (int i = 0; i < b->ndst; i++)
		out[i] = use(f, opnd_var(b->dst[i]));
}

/* A binding whose free variables live at lv, further out than we are: there, and only for the instances
 * that have a descendant here. */
static void
hoist(Flattener *f, const Bind *b, Level *lv)
{
	Level *saved = f->cur;
	const Hoist hoisted = {lv, saved, f->hoist};
	Val **out = NEW(f->arena, Val *, b->ndst);
	Opnd here = inhabited(f, lv);

	f->cur = lv;
	f->hoist = &hoisted;
	if (is_bool(here, true)) {
		run(f, b);
	} else {
		run_where(f, lv, here, run_as_arm, b, b->ndst, out);
		for (int i = 0; i < b->ndst; i++)
			env_set(f, b->dst[i], out[i]);
	}
	f->hoist = hoisted.outer;
	f->cur = saved;
}

/* The elements of its operand are the instances where we are: then it costs nothing where there are none. */
static bool
of_these_elements(Flattener *f, const Bind *b)
{
	const Val *v = b->narg ? use(f, b->arg[0]) : NULL;

	return v && v->kind == VAL_SEQ && v->segdes && v->segdes == f->cur->segdes;
}

/* Takes time, may diverge, or may fault otherwise than by a check of its own. */
static bool
costly(Flattener *f, const Bind *b)
{
	switch (b->op) {
	case NORMAL_pair: case NORMAL_fst: case NORMAL_snd: case NORMAL_length: case NORMAL_elt:
	case NORMAL_subseq: case NORMAL_string: case NORMAL_clock:
	case NORMAL_range: case NORMAL_dist:    /* as long as 0 for those who do not need them */
		return false;
	case NORMAL_error:
		return true;
	case NORMAL_seq:
		return b->narg > 0 && !ty_scalar(opnd_ty(b->arg[0]));
	default:
		return normal_ir.op[b->op].cls != OP_SCALAR && !of_these_elements(f, b);
	}
}

bool
runs_here(Flattener *f, const Bind *b)
{
	return deepest_of_bind(f, b, &f->host) == f->cur;
}

bool
runs_outside(Flattener *f, const Bind *b)
{
	return !runs_here(f, b) && costly(f, b);
}

void
flatten_bind(Flattener *f, const Bind *b)
{
	const Span outer = f->span;

	if (has_run_early(f, b))
		return;
	run_early(f, b);
	f->span = b->span;
	f->hint = b->ndst ? b->dst[0]->name : NULL;
	if (runs_outside(f, b) && !f->reached)  /* that is of instances here; and what runs for those reached is cheap */
		hoist(f, b, deepest_of_bind(f, b, &f->host));
	else
		run(f, b);
	end_early(f, b);
	f->span = outer;        /* a conditional is joined where it stands, not where its last arm ends */
}

static void
flatten_one(Flattener *f, const Block *b, const Bind *s)
{
	if (calls_back(f, s))
		compact_across(f, b, s, false);
	flatten_bind(f, s);
}

void
flatten_until(Flattener *f, const Block *b, const Bind *end)
{
	for (const Bind *s = b->first, *next; s != end; s = next) {
		next = writes_store(f, s) ? writer_waits_for(s, end) : s->next;
		for (const Bind *t = s->next; t != next; t = t->next)
			flatten_one(f, b, t);
		flatten_one(f, b, s);
	}
}

void
flatten_block(Flattener *f, const Block *b)
{
	flatten_until(f, b, NULL);
}

/* -- what is known beforehand ------------------------------------------------------------------------------ */
static void
look_through_block(Flattener *f, const Block *k)
{
	for (const Bind *b = k->first; b; b = b->next) {
		if (may_guard(b))
			*map_at(f->guards, b->dst[0]) = (void *)b;
		for (int i = 0; i < b->nblock; i++)
			look_through_block(f, b->block[i]);
		if (b->op != NORMAL_if)
			continue;
		*map_at(f->home, b) = (void *)k;
		find_early(f, k, b);
	}
}

static void
look_through(Flattener *f)
{
	f->guards = map_new(f->arena);
	f->home = map_new(f->arena);
	f->early = map_new(f->arena);
	f->ran_early = map_new(f->arena);
	for (const Fun *fun = f->in->funs; fun; fun = fun->next)
		look_through_block(f, fun->body);
	for (const Entry *e = f->in->entries; e; e = e->next)
		if (e->body)
			look_through_block(f, e->body);
}

/* -- the unit --------------------------------------------------------------------------------------- */

static void
flatten_entry(Flattener *f, const Entry *e, Entry *out)
{
	Val **v;
	Opnd *leaf;
	Frame *fr;
	int n;

	*out = *e;
	out->next = NULL;
	if (!e->body)
		return;
	f->frame = NULL;
	f->fun = NULL;
	fr = frame_open(f);
	f->cur = &f->host;
	f->env = env_new(f, NULL, 0, e->body);
	flatten_block(f, e->body);
	f->span = e->span;
	v = NEW(f->arena, Val *, e->body->nyield);
	for (int i = 0; i < e->body->nyield; i++)
		v[i] = val_densify(f, use(f, e->body->yield[i]), true);
	n = all_leaves(f, e->body->nyield, v, &leaf);
	block_yield(f->out, frame_block(f), n, leaf);
	out->body = frame_close(f, fr);
}

static void
one_round(Flattener *f)
{
	Entry **end;

	f->out = program_new(f->arena, f->in->names, &flan_ir);
	f->end = &f->out->funs;
	f->out->cells = f->in->cells;
	f->out->int_bits = f->in->int_bits;
	f->depths.n = 0;
	f->defs.n = f->numbers.n = 0;
	f->as_long.n = 0;
	f->nknown = f->nbucket = 0;
	f->names = map_new(f->arena);
	f->some_segdes = var_new(f->out, "s", &ty_segdes);
	f->again = false;
	f->runners = map_new(f->arena);
	forget_versions(f);
	end = &f->out->entries;
	for (const Entry *e = f->in->entries; e; e = e->next) {
		*end = NEW(f->arena, Entry, 1);
		flatten_entry(f, e, *end);
		end = &(*end)->next;
	}
}

void
flatten(Unit *u)
{
	Flattener f = {.arena = u->arena, .in = u->ir, .plain = u->unoptimized == 2, .rules = rules_new(u->arena, u->fuse == FUSE_ALL),
		.avoids = !u->no_avoid, .batches = u->batches && u->unoptimized < 2, .own_ways = u->unoptimized < 2};

	f.spec_by_key = map_new(u->arena);
	f.specs_of = map_new(u->arena);
	f.loops = map_new(u->arena);
	f.lines = map_new(u->arena);
	f.states = map_new(u->arena);
	f.groups = map_new(u->arena);
	f.uneven = map_new(u->arena);
	f.views = map_new(u->arena);
	f.stores = map_new(u->arena);
	f.host.count = opnd_int(1);
	f.host.nonempty = true;
	find_scalar_funs(&f);
	find_nested_funs(&f);
	look_through(&f);
	do
		one_round(&f);
	while (f.again);
	remove_dead(f.out);
	keep_nested_funs(&f);
	ir_name(f.out);
	u->ir = f.out;
}
