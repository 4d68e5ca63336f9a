/* host.c: what runs on the host: scalars, calls, branches, library operations, counts.
 *
 * In   blocks of mem, outside tasks
 * Out  C++ statements, one a binding; what nobody mentions is left out */
#include "backend/cuda/gen.h"
#include <string.h>

static const char *
arguments(Gen *g, const Opnd *o, int n)
{
	const char *r = "";

	for (int i = 0; i < n; i++)
		r = arena_printf(g->a, "%s%s%s", r, i ? ", " : "", gen_name(g, o[i]));
	return r;
}

static bool
is_used(const Gen *g, const Var *v)
{
	return g->used[v->id];
}

static void
define(Gen *g, const Var *v, const char *value)
{
	if (is_used(g, v))
		emit_line(g->e, "const %s %s = %s;", gen_type(g, v->ty), emit_cname(g->e, v->name), value);
}

/* -- values -------------------------------------------------------------------------------------- */
/* The first argument of an operation that has figures, and a comma; else "". */
static const char *
figures_of(Gen *g, const Bind *b)
{
	return lcu_has_figures(g->p, b) ? arena_printf(g->a, "%d, ", gen_task(g, b)) : "";
}

static const char *
rank_value(Gen *g, const Bind *b, bool down)
{
	return arena_printf(g->a, "%s(%s%s, %s)", b->narg == 2 ? "nesl_seg_rank" : "nesl_rank", figures_of(g, b),
		arguments(g, b->arg, b->narg), down ? "true" : "false");
}

/* From one list of operands; an empty list makes an empty result. */
static const char *
list_value(Gen *g, const Bind *b, const char *call, const char *empty)
{
	const char *type = emit_ctype(b->dst[0]->ty);

	if (b->narg == 0)
		return arena_printf(g->a, empty, type);
	return arena_printf(g->a, "%s(%s{%s})", arena_printf(g->a, call, type), figures_of(g, b), arguments(g, b->arg, b->narg));
}

const char *
host_value(Gen *g, const Bind *b)
{
	const char *args = arguments(g, b->arg, b->narg);
	const char *first = b->narg ? gen_name(g, b->arg[0]) : "";

	switch (b->op) {
	case LCU_length:
		return arena_printf(g->a, "%s.n", first);
	case LCU_rows:
		return arena_printf(g->a, "%s.rows", first);
	case LCU_elem:
		if (g->each)
			return arena_printf(g->a, "%s[%s]", first, gen_name(g, b->arg[1]));
		return arena_printf(g->a, "nesl_elem(%s)", args);
	case LCU_row_start:
		return arena_printf(g->a, "nesl_%srow_start(%s)", g->each ? "" : "read_", args);
	case LCU_row_length:
		return arena_printf(g->a, "nesl_%srow_length(%s)", g->each ? "" : "read_", args);
	case LCU_append:
		return list_value(g, b, "nesl_append<%s>", "nesl_new<%s>(0)");
	case LCU_concat:
		return list_value(g, b, "nesl_concat", "nesl_new_segdes(0, 0)");
	case LCU_vector:
		return list_value(g, b, "nesl_vector<%s>", "nesl_new<%s>(0)");
	case LCU_chars:
		return arena_printf(g->a, "nesl_chars(%s, %d)", emit_string(g->e, b->text, b->textlen), b->textlen);
	case LCU_rank:
	case LCU_seg_rank:
		return rank_value(g, b, false);
	case LCU_rank_down:
	case LCU_seg_rank_down:
		return rank_value(g, b, true);
	case LCU_put:
		return arena_printf(g->a, "nesl_write(%s%s)", figures_of(g, b), args);
	default:
		if (gen_info(g, b)->cls == OP_SCALAR)
			return gen_scalar(g, b);
		return arena_printf(g->a, "nesl_%s(%s%s)", gen_info(g, b)->name, figures_of(g, b), args);
	}
}

/* -- effects --------------------------------------------------------------------------------------- */
/* Operands and results pass as leaves: variables of their own, as a leaf points to one. */
static void
host_effect(Gen *g, const Bind *b)
{
	const char *in = "", *out = "", *name = emit_cname(g->e, b->dst[0]->name);

	emit_place(g->e, b->span);
	for (int i = 0; i < b->narg; i++) {
		emit_line(g->e, "%s %s_in%d_ = %s;", gen_type(g, opnd_ty(b->arg[i])), name, i, gen_name(g, b->arg[i]));
		in = arena_printf(g->a, "%s%snesl_show(%s_in%d_, '%c')", in, i ? ", " : "", name, i,
			emit_base(g->e, opnd_ty(b->arg[i])));
	}
	for (int i = 0; i < b->ndst; i++) {
		const char *r = emit_cname(g->e, b->dst[i]->name);

		emit_line(g->e, "%s %s = {};", gen_type(g, b->dst[i]->ty), r);
		out = arena_printf(g->a, "%s%snesl_show(%s, '%c')", out, i ? ", " : "", r,
			emit_base(g->e, b->dst[i]->ty));
	}
	emit_line(g->e, "const nesl_leaf %s_in_[] = {%s};", name, in);
	emit_line(g->e, "nesl_leaf %s_out_[] = {%s};", name, out);
	emit_line(g->e, "nesl_run_effect(\"%s\", %s, %s_in_, %d, %s_out_, %d);", b->name,
		emit_string(g->e, b->text, b->textlen), name, b->narg, name, b->ndst);
	for (int i = 0; i < b->ndst; i++)
		emit_line(g->e, "nesl_take(%s, %s_out_[%d]);", emit_cname(g->e, b->dst[i]->name), name, i);
}

/* -- control --------------------------------------------------------------------------------------- */
/* What a function gives that ends early: nobody looks at it. */
static void
give_nothing(Gen *g)
{
	emit_line(g->e, g->each->nresult == 1 ? "return 0;" : "return;");
}

static void
check_of_element(Gen *g, const Bind *b)
{
	emit_open(g->e, "if (!%s) {", gen_name(g, b->arg[0]));
	emit_line(g->e, "nesl_stop(calls_, %d%s%s);", gen_site(g, b), b->narg > 1 ? ", " : "",
		arguments(g, b->arg + 1, b->narg - 1));
	give_nothing(g);
	emit_close(g->e, "}");
}

static void
host_check(Gen *g, const Bind *b)
{
	emit_place(g->e, b->span);
	if (g->each) {
		check_of_element(g, b);
		return;
	}
	emit_line(g->e, "nesl_host_check(%s, %d, {%s}%s%s);", gen_name(g, b->arg[0]), gen_site(g, b),
		gen_way(g, b), b->narg > 1 ? ", " : "", arguments(g, b->arg + 1, b->narg - 1));
}

static void
host_cell(Gen *g, const Bind *b)
{
	const char *cell = emit_cname(g->e, b->name);

	emit_line(g->e, "nesl_need(cell_%s.bound, %d, {%s});", cell, gen_site(g, b),
		gen_way(g, b));
	for (int i = 0; i < b->ndst; i++)
		define(g, b->dst[i], arena_printf(g->a, "cell_%s.v%d", cell, i + 1));
}

/* The first result is whether the cell has a value; without one, all is of no elements or 0. */
static void
host_peek(Gen *g, const Bind *b)
{
	const char *cell = emit_cname(g->e, b->name);

	define(g, b->dst[0], arena_printf(g->a, "cell_%s.bound", cell));
	for (int i = 1; i < b->ndst; i++)
		define(g, b->dst[i], arena_printf(g->a, "cell_%s.v%d", cell, i));
}

static void
host_forget(Gen *g, const Bind *b)
{
	const TyList l = cell_leaves(g->a, cell_find(g->p, b->name));

	for (int i = 0; i < l.n; i++)
		if (ty_counted(l.at[i]))
			emit_line(g->e, "nesl_forget(cell_%s.v%d);", emit_cname(g->e, b->name), i + 1);
}

const char *
host_called(Gen *g, const Fun *to, bool own)
{
	return arena_printf(g->a, "%s_%s", own ? "each" : gen_has_own_way(to) ? "all" : "fn", emit_cname(g->e, tail_first(g->tail, to)->name));
}

const char *
host_operands(Gen *g, const Fun *to, const char *calls, const char *args)
{
	args = tail_operands(g->a, g->tail, to, args, "{}");
	return calls ? arena_printf(g->a, "%s%s%s", calls, *args ? ", " : "", args) : args;
}

/* One result is returned; of several, each has a reference. */
void
host_call(Gen *g, const Bind *b, const char *calls)
{
	const bool own = scalar_calls_own(g->scalars, b, g->each), told = own && scalar_call_faults(g->scalars, b);
	const Fun *to = fun_find(g->p, b->name);
	const char *f = host_called(g, to, own), *args = host_operands(g, to, told ? calls : NULL, arguments(g, b->arg, b->narg));

	if (b->ndst == 1 && is_used(g, b->dst[0])) {
		define(g, b->dst[0], arena_printf(g->a, "%s(%s)", f, args));
		return;
	}
	for (int i = 0; b->ndst > 1 && i < b->ndst; i++) {
		const char *name = emit_cname(g->e, b->dst[i]->name);

		emit_line(g->e, told ? "%s %s = 0;" : "%s %s;", gen_type(g, b->dst[i]->ty), name);
		args = arena_printf(g->a, "%s%s%s", args, *args ? ", " : "", name);
	}
	emit_line(g->e, "%s(%s);", f, args);
}

static void
jump(Gen *g, const Fun *f, const Bind *b)
{
	emit_place(g->e, b->span);
	for (int i = 0; i < b->narg; i++)
		if (tail_copies(f, b, i))
			emit_line(g->e, "const %s %s_next_ = %s;", gen_type(g, f->param[i]->ty),
				emit_cname(g->e, f->param[i]->name), gen_name(g, b->arg[i]));
	for (int i = 0; i < b->narg; i++)
		if (!tail_keeps(f, b, i)) {
			const char *name = emit_cname(g->e, f->param[i]->name);

			emit_line(g->e, "%s = %s;", name,
				tail_copies(f, b, i) ? arena_printf(g->a, "%s_next_", name) : gen_name(g, b->arg[i]));
		}
	if (tail_place(g->tail, f) >= 0)
		emit_line(g->e, "at_ = %d;", tail_place(g->tail, f));
	emit_line(g->e, "continue;");
}

/* In scalar code of an element: a call that may meet a fault. */
static void
call_of_element(Gen *g, const Bind *b)
{
	const bool counted = tail_counted(g->p, g->tail, b);

	if (counted) {
		emit_open(g->e, "if (nesl_too_deep(calls_, %d))", gen_site(g, b));
		give_nothing(g);
		emit_close(g->e, "");
	}
	host_call(g, b, "calls_");
	if (counted)
		emit_line(g->e, "calls_.depth--;");
	if (scalar_call_faults(g->scalars, b)) {
		emit_open(g->e, "if (calls_.fault >= 0)");
		give_nothing(g);
		emit_close(g->e, "");
	}
}

/* Depth is counted around the call, so that a fault stands where the call does. */
static void
counted_call(Gen *g, const Bind *b)
{
	const bool counted = tail_counted(g->p, g->tail, b);

	emit_place(g->e, b->span);
	if (g->each) {
		call_of_element(g, b);
		return;
	}
	if (b->nway > 0)
		emit_line(g->e, "nesl_call({%s});", gen_way(g, b));
	if (counted)
		emit_line(g->e, "nesl_enter(&nesl_sites[%d], nesl_calls());", gen_site(g, b));
	host_call(g, b, "");
	if (counted)
		emit_line(g->e, "nesl_leave();");
	if (b->nway > 0)
		emit_line(g->e, "nesl_return();");
}

static void
arm(Gen *g, const Bind *b, const Block *arm)
{
	host_block(g, arm);
	if (tail_ends(g->tail, arm))
		return;
	for (int i = 0; i < b->ndst; i++)
		if (is_used(g, b->dst[i]))
			emit_line(g->e, "%s = %s;", emit_cname(g->e, b->dst[i]->name), gen_name(g, arm->yield[i]));
}

static void
host_if(Gen *g, const Bind *b)
{
	const bool ends = tail_ends(g->tail, b->block[0]) && tail_ends(g->tail, b->block[1]);

	for (int i = 0; i < b->ndst; i++)
		if (is_used(g, b->dst[i]) && !ends)
			emit_line(g->e, "%s %s;", gen_type(g, b->dst[i]->ty), emit_cname(g->e, b->dst[i]->name));
	emit_place(g->e, b->span);
	emit_open(g->e, "if (%s) {", gen_name(g, b->arg[0]));
	arm(g, b, b->block[0]);
	emit_else(g->e);
	arm(g, b, b->block[1]);
	emit_close(g->e, "}");
}

/* What is measured is made even if nobody else looks at it. */
static void
host_clock(Gen *g, const Bind *b)
{
	for (int i = 0; i < b->narg; i++)
		if (b->arg[i].kind == OPND_VAR && ty_scalar(opnd_ty(b->arg[i])))
			emit_line(g->e, "(void)%s;", gen_name(g, b->arg[i]));
	define(g, b->dst[0], "nesl_clock()");
}

static void
confirm(Gen *g, const Bind *b)
{
	const char *v = gen_name(g, b->arg[0]);
	const char *at = arena_printf(g->a, "%s at %s:%d", v, b->span.file ? b->span.file : "", b->span.line);

	emit_line(g->e, "nesl_confirm(%s, %s);", v, emit_string(g->e, at, (int)strlen(at)));
}

static void
host_bind(Gen *g, const Bind *b)
{
	if (await_later(g, b))
		return;
	if (gen_takes_memory(g, b))
		emit_line(g->e, "nesl_at = &nesl_sites[%d];", gen_site(g, b));
	await_before(g, b);
	switch (b->op) {
	case LCU_task:
		task_call(g, b);
		break;
	case LCU_host_check:
		host_check(g, b);
		break;
	case LCU_cell:
		host_cell(g, b);
		break;
	case LCU_peek:
		host_peek(g, b);
		break;
	case LCU_call:
		if (tail_call(g->tail, b))
			jump(g, tail_call(g->tail, b), b);
		else
			counted_call(g, b);
		break;
	case LCU_effect:
		host_effect(g, b);
		break;
	case LCU_clock:
		host_clock(g, b);
		break;
	case LCU_if:
		host_if(g, b);
		break;
	case LCU_reserve:
		emit_line(g->e, "%s;", host_value(g, b));
		break;
	case LCU_free:
		emit_line(g->e, "nesl_free(%s);", gen_name(g, b->arg[0]));
		break;
	case LCU_forget:
		host_forget(g, b);
		break;
	case LCU_retain:
		emit_line(g->e, "nesl_retain(%s);", gen_name(g, b->arg[0]));
		break;
	case LCU_counted:
		emit_line(g->e, "nesl_total(%s);", gen_name(g, b->arg[0]));
		break;
	case LCU_own:
	case LCU_disown:
		emit_line(g->e, "nesl_%s(%s);", gen_info(g, b)->name, gen_name(g, b->arg[0]));
		break;
	case LCU_confirm:
		confirm(g, b);
		break;
	default:
		if (reads_value(b) && !g->each)
			reads_together(g, b);
		else
			define(g, b->dst[0], host_value(g, b));
		break;
	}
}

void
host_block(Gen *g, const Block *b)
{
	for (const Bind *x = b->first; x; x = x->next)
		host_bind(g, x);
	await_all(g);
}

void
host_length(Gen *g, const Bind *b)
{
	define(g, b->dst[0], host_value(g, b));
}
