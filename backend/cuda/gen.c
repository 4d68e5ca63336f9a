/* gen.c: what is known of a program before its text is written, and the texts of small things.
 *
 * In   mem
 * Out  numbers for places that can fail and for tasks, in the order in which they stand; which step of
 *      which task makes a variable; which variables are used at all (nvcc warns of the others); whether the sort is needed. */
#include "backend/cuda/gen.h"

/* -- the scan ----------------------------------------------------------------------------------- */
static void
use(Gen *g, const Opnd *o, int n)
{
	for (int i = 0; i < n; i++)
		if (o[i].kind == OPND_VAR)
			g->used[o[i].u.var->id] = true;
}

static void
site(Gen *g, const Bind *who, const char *kind, bool in_task)
{
	void **number = map_at(g->site_of, who);
	int k = in_task ? g->site.n : 0;

	while (k < g->site.n && !(span_equal(g->site.at[k].span, who->span) && strcmp(g->site.at[k].kind, kind) == 0))
		k++;
	if (k == g->site.n)
		LIST_ADD(g->a, &g->site, ((Site){kind, who->span}));
	if (!*number)
		*number = (void *)(intptr_t)(k + 1);
}

/* A task that makes no array may need memory to work in. */
bool
gen_takes_memory(const Gen *g, const Bind *b)
{
	return g->u->mem_limit && (bind_makes_array(g->p, b) || (b->op == LCU_task && b->span.file));
}

static void
scan_block(Gen *g, const Block *b, bool in_task)
{
	for (Bind *x = b->first; x; x = x->next) {
		use(g, x->arg, x->narg);
		use(g, x->way, x->nway);
		g->sorts = g->sorts || lcu_sorts(x);
		if (gen_takes_memory(g, x))
			site(g, x, "memory", in_task);
		if (x->op == LCU_check || x->op == LCU_host_check)
			site(g, x, x->name, in_task);
		else if (x->op == LCU_cell)
			site(g, x, "unbound-cell", in_task);
		else if (in_task ? scalar_call_faults(g->scalars, x) : tail_counted(g->p, g->tail, x))
			site(g, x, "recursion-depth", in_task);
		else if (x->op == LCU_task || lcu_has_figures(g->p, x))
			LIST_ADD(g->a, &g->task, x);
		for (int i = 0; in_task && i < x->ndst; i++)
			g->step[x->dst[i]->id] = x;
		for (int i = 0; i < x->nblock; i++)
			scan_block(g, x->block[i], x->op == LCU_task);
	}
	use(g, b->yield, b->nyield);
}

bool
gen_has_own_way(const Fun *f)
{
	return f->nested || f->scans;
}

void
gen_scan(Gen *g)
{
	g->site_of = map_new(g->a);
	g->step = NEW(g->a, Bind *, g->p->nvar + 1);
	g->used = NEW(g->a, bool, g->p->nvar + 1);
	g->read = NEW(g->a, bool, g->p->nvar + 1);
	for (const Fun *f = g->p->funs; f; f = f->next) {
		scan_block(g, f->body, false);
		if (gen_has_own_way(f))
			LIST_ADD(g->a, &g->own_way, f);
		g->scans = g->scans || f->scans;
	}
	for (const Entry *e = g->p->entries; e; e = e->next)
		if (e->body)
			scan_block(g, e->body, false);
}

int
gen_site(const Gen *g, const Bind *who)
{
	const int number = (int)(intptr_t)*map_at(g->site_of, who);

	if (!number)
		ice(who->span, "cuda", "a place that can fail has no number");
	return number - 1;
}

int
gen_task_site(const Gen *g, const Bind *task)
{
	for (const Bind *b = task->block[0]->first; b; b = b->next)
		if (scalar_tells(g->scalars, b))
			return gen_site(g, b);
	return 0;
}

const char *
gen_way(Gen *g, const Bind *b)
{
	const char *s = "";
	int numbers = 0;

	for (int i = 0; i < b->nway; i++) {
		const Opnd o = b->way[i];

		if (emit_step_number(o, &numbers))
			s = arena_printf(g->a, "%s{NESL_PARTS, %s}, ", s, gen_name(g, o));
		else if (o.kind == OPND_VAR)
			s = arena_printf(g->a, "%snesl_%s(%s), ", s, ty_descriptor(o.u.var->ty) ? "rows_of" : "picked_by",
				gen_name(g, o));
		else if (o.u.i > 0)
			s = arena_printf(g->a, "%s{NESL_INWARD, %d}, ", s, (int)o.u.i);
		else
			s = arena_printf(g->a, "%s%s, ", s, emit_step_kind(o.u.i));
	}
	return b->nway ? arena_printf(g->a, "%sNESL_END", s) : "";
}

int
gen_task(const Gen *g, const Bind *task)
{
	for (int i = 0; i < g->task.n; i++)
		if (g->task.at[i] == task)
			return i + 1;
	ice(task->span, "cuda", "%s has no number", task->name ? task->name : gen_info(g, task)->name);
}

/* -- texts ----------------------------------------------------------------------------------------- */
const char *
gen_type(Gen *g, const Ty *t)
{
	if (t->kind == TY_SEGDES)
		return "nesl_segdes";
	if (t->kind == TY_VEC)
		return arena_printf(g->a, "nesl_vec<%s>", emit_ctype(t));
	return emit_ctype(t);
}

const char *
gen_name(Gen *g, Opnd o)
{
	return emit_const(g->e, o);
}

const char *
gen_scalar(Gen *g, const Bind *b)
{
	const char *arg[3] = {0};

	for (int i = 0; i < b->narg && i < 3; i++)
		arg[i] = gen_name(g, b->arg[i]);
	return emit_scalar(g->e, gen_info(g, b), opnd_ty(b->arg[0]), arg, b->narg);
}

static const OpInfo *
base_of(Gen *g, const Bind *b)
{
	const int row = ir_find(g->p->ir, gen_info(g, b)->base);

	if (row < 0)
		ice(b->span, "cuda", "operator %s folds by an unknown one", gen_info(g, b)->name);
	return &g->p->ir->op[row];
}

const char *
gen_operator(Gen *g, const Bind *b)
{
	if (plan_segdes(b))
		return "nesl_add_lengths";
	return arena_printf(g->a, "nesl_%s_%s", gen_info(g, b)->name, emit_ctype(opnd_ty(b->arg[0])));
}

const OpInfo *
gen_info(const Gen *g, const Bind *b)
{
	return &g->p->ir->op[b->op];
}

/* Floats that are compared: of 0.0 and -0.0 the second stays, if not only its place does. */
bool
gen_commutes(Gen *g, const Bind *b)
{
	const OpInfo *op = gen_info(g, b);

	return opnd_ty(b->arg[0])->kind != TY_FLOAT || op->sig[0][0] != 'o' || op_finds_place(op);
}

const char *
gen_base(Gen *g, const Bind *b)
{
	const char *arg[2] = {"x", "y"};

	if (op_finds_place(gen_info(g, b)))
		return emit_combine(g->e, g->p->ir, gen_info(g, b), opnd_ty(b->arg[0]), arg[0], arg[1]);
	return emit_scalar(g->e, base_of(g, b), opnd_ty(b->arg[0]), arg, 2);
}
