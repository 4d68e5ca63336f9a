/* cuda.c: mem -> one CUDA file.
 *
 * In   u->ir, a Program over mem_ir
 * Out  u->text: the places that can fail, operators, cells; each function after the functors of its tasks;
 *      the entries; a nesl_program that describes all of it, and main
 * How  Parallel code is small functors for the skeletons of backend/rt/nesl_device.h; host code is plain
 *      C++ in the order of the bindings.  Nothing is decided here. */
#include "backend/cuda/cuda.h"
#include <string.h>
#include "backend/cuda/functor.h"
#include "backend/nested.h"

/* -- tables ------------------------------------------------------------------------------------- */
static void
emit_sites(Gen *g)
{
	emit_open(g->e, "const nesl_site nesl_sites[] = {");
	if (g->site.n == 0)
		emit_line(g->e, "{}     // nothing can fail");
	for (int i = 0; i < g->site.n; i++)
		emit_line(g->e, "%s,", emit_site(g->e, g->site.at[i].kind, g->site.at[i].span));
	emit_close(g->e, "};");
	emit_blank(g->e);
}

static void
emit_task_table(Gen *g)
{
	emit_open(g->e, "nesl_task_stats nesl_tasks[] = {");
	emit_line(g->e, "{\"library\", \"\", \"\"},");
	for (int i = 0; i < g->task.n; i++) {
		const Bind *b = g->task.at[i];
		const char *where = lines_text(g->a, b);

		if (b->op != LCU_task)
			emit_line(g->e, "{\"%s\", %s, \"\"},", gen_info(g, b)->name, emit_string(g->e, where, (int)strlen(where)));
		else
			emit_line(g->e, "{%s, %s, \"%s%s%s\"},", emit_string(g->e, b->name, (int)strlen(b->name)),
				emit_string(g->e, where, (int)strlen(where)), emit_const(g->e, b->arg[0]),
				b->narg == 2 ? "; " : "", b->narg == 2 ? emit_const(g->e, b->arg[1]) : "");
	}
	for (int i = 0; i < g->own_way.n; i++) {
		const Fun *f = g->own_way.at[i];
		const char *where = lines_function(g->a, g->p, f);

		emit_line(g->e, "{%s, %s, \"%s\"},", emit_string(g->e, f->name, (int)strlen(f->name)),
			emit_string(g->e, where, (int)strlen(where)), emit_cname(g->e, scan_space(g->p, f)->name));
	}
	emit_close(g->e, "};");
	emit_blank(g->e);
}

/* -- operators ------------------------------------------------------------------------------------ */
/* What a reduction or scan folds with.  Floats are grouped: the result shows the order of the folds, but where it is a place. */
static void
emit_operator(Gen *g, const Bind *b, const char *name)
{
	const Ty *t = opnd_ty(b->arg[0]);
	const OpInfo *op = gen_info(g, b);
	const bool place = op_finds_place(op);
	const char *type = emit_fold_type(g->e, op, t), *id = op->identity[op_column(op, t)];

	if (!id)
		id = op->identity[0];
	emit_open(g->e, "struct %s {", name);
	emit_line(g->e, "typedef %s T;", type);
	emit_line(g->e, "static const bool exact = %s, commutes = %s;", t->kind == TY_FLOAT && !place ? "false" : "true",
		gen_commutes(g, b) ? "true" : "false");
	if (t->kind == TY_CHAR)
		id = arena_printf(g->a, "nesl_char_limit(%s)", id);
	if (place)
		id = arena_printf(g->a, "{%s, MAX_INT}", id);
	emit_line(g->e, "static __host__ __device__ %s id() { return %s; }", type, id);
	emit_line(g->e, "static __device__ %s op(%s x, %s y) { return %s; }", type, type, type, gen_base(g, b));
	if (place)              /* either side may be an element */
		emit_line(g->e, t->kind == TY_FLOAT ? "static __device__ %s of(%s x, nint at) { return x == x ? %s{x, at} : id(); }"
			: "static __device__ %s of(%s x, nint at) { return %s{x, at}; }", type, emit_ctype(t), type);
	emit_close(g->e, "};");
	emit_blank(g->e);
}

static void
emit_operators(Gen *g)
{
	LIST(const char *) done = {0};

	for (int i = 0; i < g->task.n; i++)
		for (const Bind *b = g->task.at[i]->nblock ? g->task.at[i]->block[0]->first : NULL; b; b = b->next) {
			const char *name;
			bool seen = false;

			if (!plan_anchor(g, b))
				continue;
			name = gen_operator(g, b);
			for (int k = 0; k < done.n; k++)
				seen = seen || strcmp(done.at[k], name) == 0;
			if (!seen)
				emit_operator(g, b, name);
			if (!seen)
				LIST_ADD(g->a, &done, name);
		}
}

/* -- cells ----------------------------------------------------------------------------------------- */
static void
emit_cell(Gen *g, const Cell *c)
{
	const TyList l = cell_leaves(g->a, c);

	emit_open(g->e, "static struct {         // %s : %s", c->shown, ty_text(g->a, c->ty));
	emit_line(g->e, "bool bound;");
	for (int i = 0; i < l.n; i++)
		emit_line(g->e, "%s v%d;", gen_type(g, l.at[i]), i + 1);
	emit_close(g->e, arena_printf(g->a, "} cell_%s;", emit_cname(g->e, c->name)));
	emit_blank(g->e);
}

/* -- functions -------------------------------------------------------------------------------------- */
/* Where it runs: on the host, unless it is a scalar function that elements call. */
static const char *
where_it_runs(const Gen *g, const Fun *f)
{
	if (g->each)
		return "__device__ ";
	return scalar_is_shared(g->scalars, f) ? "__host__ __device__ " : "";
}

/* Of f's text; kind: what stands before its name. */
static const char *
signature(Gen *g, const Fun *f, const char *kind)
{
	const TailText *text = tail_text(g->tail, f);
	const char *r = f->nresult == 1 ? gen_type(g, f->result[0]) : "void", *sep = "";

	r = arena_printf(g->a, "static %s%s %s_%s(", where_it_runs(g, f), r, kind,
		emit_cname(g->e, f->name));
	if (g->each && scalar_fun_of(g->scalars, f)->faults) {
		r = arena_printf(g->a, "%snesl_scalar_calls &calls_", r);
		sep = ", ";
	}
	if (text->fun.n > 1) {
		r = arena_printf(g->a, "%s%sint at_", r, sep);
		sep = ", ";
	}
	for (int j = 0; j < text->fun.n; j++)
		for (int i = 0; i < text->fun.at[j]->nparam; i++, sep = ", ")
			r = arena_printf(g->a, "%s%s%s %s", r, sep, gen_type(g, text->fun.at[j]->param[i]->ty),
				emit_cname(g->e, text->fun.at[j]->param[i]->name));
	for (int i = 0; f->nresult > 1 && i < f->nresult; i++, sep = ", ")
		r = arena_printf(g->a, "%s%s%s &r%d_", r, sep, gen_type(g, f->result[i]), i + 1);
	return arena_printf(g->a, "%s)", r);
}

static const char *
text_kind(const Gen *g)
{
	return g->each ? "each" : "fn";
}

/* Once, or twice: for the host, and for elements.  Nothing where f is told by another's text. */
static void
for_each_text(Gen *g, const Fun *f, void (*emit)(Gen *, const Fun *))
{
	if (tail_first(g->tail, f) != f || scan_never_fails(g->p, g->scalars, f))
		return;
	if (scalar_has_host(g->scalars, f))
		emit(g, f);
	g->each = f;
	if (scalar_has_own(g->scalars, f))
		emit(g, f);
	g->each = NULL;
}

static void
emit_prototype(Gen *g, const Fun *f)
{
	emit_line(g->e, "%s;", signature(g, f, text_kind(g)));
}

static void
emit_prototypes(Gen *g)
{
	for (const Fun *f = g->p->funs; f; f = f->next) {
		for_each_text(g, f, emit_prototype);
		if (gen_has_own_way(f))
			emit_line(g->e, "%s;", signature(g, f, "all"));
	}
	if (g->p->funs)
		emit_blank(g->e);
}

static void
emit_tasks_of(Gen *g, const Block *b)
{
	for (const Bind *x = b->first; x; x = x->next)
		if (x->op == LCU_task && same_first(g->same, x) == x)
			task_functors(g, x);
		else if (x->op != LCU_task)
			for (int i = 0; i < x->nblock; i++)
				emit_tasks_of(g, x->block[i]);
}

static void
emit_return(Gen *g, const Fun *f, bool in_loop)
{
	for (int i = 0; f->nresult > 1 && i < f->nresult; i++)
		emit_line(g->e, "r%d_ = %s;", i + 1, gen_name(g, f->body->yield[i]));
	if (f->nresult == 1)
		emit_line(g->e, "return %s;", gen_name(g, f->body->yield[0]));
	else if (in_loop)
		emit_line(g->e, "return;");
}

static void
emit_body(Gen *g, const Fun *f, bool in_loop)
{
	host_block(g, f->body);
	if (!tail_ends(g->tail, f->body))
		emit_return(g, f, in_loop);
}

/* Functions that jump to each other. */
static void
emit_bodies(Gen *g, const TailText *text)
{
	emit_line(g->e, "switch (at_) {");
	for (int j = 0; j < text->fun.n; j++) {
		emit_source(g->e, text->fun.at[j]->span);
		emit_open(g->e, "case %d: {", j);
		emit_body(g, text->fun.at[j], true);
		emit_close(g->e, "}");
	}
	emit_line(g->e, "}");
}

static void
emit_fun(Gen *g, const Fun *f)
{
	const TailText *text = tail_text(g->tail, f);

	for (int j = 0; j < text->fun.n; j++)
		emit_tasks_of(g, text->fun.at[j]->body);
	if (text->fun.n == 1)
		emit_source(g->e, f->span);
	emit_line(g->e, "%s", signature(g, f, text_kind(g)));
	emit_open(g->e, "{");
	if (text->jumps)
		emit_open(g->e, "for (;;) {");
	if (text->fun.n > 1)
		emit_bodies(g, text);
	else
		emit_body(g, f, text->jumps);
	if (text->jumps)
		emit_close(g->e, "}");
	emit_close(g->e, "}");
	emit_blank(g->e);
}

/* -- entries ------------------------------------------------------------------------------------------ */
/* The old value goes only once the new one is there: they may share memory. */
static void
set_cell(Gen *g, const Cell *c, const Opnd *yield)
{
	const TyList l = cell_leaves(g->a, c);
	const char *cell = emit_cname(g->e, c->name);

	for (int i = 0; i < l.n; i++) {
		if (ty_counted(l.at[i]))
			emit_line(g->e, "nesl_free(cell_%s.v%d);", cell, i + 1);
		emit_line(g->e, "cell_%s.v%d = %s;", cell, i + 1, gen_name(g, yield[i]));
	}
	emit_line(g->e, "cell_%s.bound = true;", cell);
}

static void
emit_entry_run(Gen *g, const Entry *x, int number)
{
	const Opnd *yield = x->body->yield;

	emit_tasks_of(g, x->body);
	emit_source(g->e, x->span);
	emit_line(g->e, "static void entry_%d()", number);
	emit_open(g->e, "{");
	emit_line(g->e, "nesl_entry_begins();");
	host_block(g, x->body);
	emit_line(g->e, "nesl_settle();");
	for (int i = 0; i < x->ncell; i++) {
		set_cell(g, x->cell[i], yield);
		yield += cell_leaves(g->a, x->cell[i]).n;
	}
	emit_close(g->e, "}");
	emit_blank(g->e);
}

static int
emit_entry_leaves(Gen *g, const Entry *x, int number)
{
	int n = 0;

	emit_line(g->e, "static void entry_%d_leaves(nesl_leaf *leaf)", number);
	emit_open(g->e, "{");
	for (int i = 0; i < x->ncell; i++) {
		const TyList l = cell_leaves(g->a, x->cell[i]);

		for (int k = 0; k < l.n; k++, n++)
			if (!emit_wide_leaf(g->e, x->body->yield[n], n))
				emit_line(g->e, "leaf[%d] = nesl_show(cell_%s.v%d, '%c');", n,
					emit_cname(g->e, x->cell[i]->name), k + 1, emit_base(g->e, l.at[k]));
	}
	emit_close(g->e, "}");
	emit_blank(g->e);
	return n;
}

/* Lines made before their place comes. */
typedef LIST(const char *) Rows;

/* Functions for each entry; gives the rows of the table of entries. */
static Rows
emit_entries(Gen *g)
{
	Rows rows = {0};

	for (const Entry *x = g->p->entries; x; x = x->next) {
		const int number = rows.n + 1;
		int n = 0;

		if (x->body) {
			emit_entry_run(g, x, number);
			n = emit_entry_leaves(g, x, number);
		}
		LIST_ADD(g->a, &rows, emit_entry(g->e, x, arena_printf(g->a, "entry_%d", number), n));
	}
	return rows;
}

/* -- inputs, main --------------------------------------------------------------------------------------- */
static Rows
emit_inputs(Gen *g)
{
	Rows rows = {0};

	for (const Cell *c = g->p->cells; c; c = c->next) {
		const char *name = emit_cname(g->e, c->name);
		const TyList l = cell_leaves(g->a, c);
		const char *type = ty_text(g->a, c->ty);

		if (!c->input)
			continue;
		emit_line(g->e, "static void cell_%s_bind(nesl_leaf *leaf)", name);
		emit_open(g->e, "{");
		for (int i = 0; i < l.n; i++)
			emit_line(g->e, "nesl_take(cell_%s.v%d, leaf[%d]);", name, i + 1, i);
		emit_line(g->e, "cell_%s.bound = true;", name);
		emit_close(g->e, "}");
		emit_blank(g->e);
		LIST_ADD(g->a, &rows, arena_printf(g->a, "{%s, %s, %d, cell_%s_bind},",
			emit_string(g->e, c->shown, (int)strlen(c->shown)), emit_string(g->e, type, (int)strlen(type)),
			l.n, name));
	}
	return rows;
}

static void
emit_rows(Gen *g, const char *head, const Rows *rows)
{
	if (rows->n == 0)
		return;
	emit_open(g->e, "%s", head);
	for (int i = 0; i < rows->n; i++)
		emit_line(g->e, "%s", rows->at[i]);
	emit_close(g->e, "};");
	emit_blank(g->e);
}

static void
emit_finish(Gen *g)
{
	emit_line(g->e, "static void finish(nesl_memory_stats *stats)");
	emit_open(g->e, "{");
	for (const Cell *c = g->p->cells; c; c = c->next) {
		const TyList l = cell_leaves(g->a, c);

		for (int i = 0; i < l.n; i++)
			if (ty_counted(l.at[i]))
				emit_line(g->e, "nesl_free(cell_%s.v%d);", emit_cname(g->e, c->name), i + 1);
	}
	emit_line(g->e, "nesl_cuda_finish(stats);");
	emit_close(g->e, "}");
	emit_blank(g->e);
}

static void
emit_main(Gen *g)
{
	const Rows entries = emit_entries(g), inputs = emit_inputs(g);

	emit_finish(g);
	emit_rows(g, "static const nesl_entry entries[] = {", &entries);
	emit_rows(g, "static const nesl_input_cell inputs[] = {", &inputs);
	emit_line(g->e, "int");
	emit_line(g->e, "main(int argc, char **argv)");
	emit_open(g->e, "{");
	emit_open(g->e, "static const nesl_program program = {");
	emit_line(g->e, "\"cuda\", 8 * sizeof(nint), %s, %d, %s, %d, nesl_tasks, %d,", entries.n ? "entries" : "NULL", entries.n,
		inputs.n ? "inputs" : "NULL", inputs.n, g->task.n + g->own_way.n + 1);
	emit_line(g->e, "nesl_cuda_start, nesl_cuda_sweep, finish, nesl_cuda_ran_on, nesl_read_cuda_step, nesl_settle,");
	emit_close(g->e, "};");
	emit_blank(g->e);
	if (g->u->mem_limit)
		emit_line(g->e, "nesl_mem_limit = %lld;", g->u->mem_limit);
	emit_line(g->e, "return nesl_main(argc, argv, &program);");
	emit_close(g->e, "}");
}

/* Tiles of as many items as were asked for, more threads for more of them; few shares, so that small spaces need several
 * rounds of their blocks and of the last one; and what packs of little keep is counted first too. */
static void
emit_grain(const Gen *g)
{
	enum { MOST_THREADS = 256, FEW_ITEMS = 4, MOST_ITEMS = 8, SHARES = 40, MANY = 64, LITTLE = 64 };
	const long long grain = g->u->grain;
	int threads = 32;

	if (grain == 0)
		return;
	while (threads < MOST_THREADS && grain > FEW_ITEMS * threads)
		threads *= 2;
	emit_line(g->e, "#define NESL_BD %d", threads);
	emit_line(g->e, "#define NESL_VT %d", grain > MOST_ITEMS * threads ? MOST_ITEMS
		: (int)((grain + threads - 1) / threads));
	emit_line(g->e, "#define NESL_SHARES %d", SHARES);
	emit_line(g->e, "#define NESL_MANY %d", MANY);
	emit_line(g->e, "#define NESL_LITTLE_ROOM %d", LITTLE);
}

static void
emit_functions(Gen *g)
{
	int task = g->task.n + 1;

	nested_functions(g->e, g->p, true);
	for (const Fun *f = g->p->funs; f; f = f->next) {
		for_each_text(g, f, emit_fun);
		if (gen_has_own_way(f))
			(f->nested ? few_call : scan_call)(g, f, task++, signature(g, f, "all"));
	}
}

void
emit_cuda(Unit *u)
{
	Gen g = {.u = u, .p = scans_by_operators(u->ir), .a = u->arena, .e = emit_new(u)};

	g.tail = tail_calls(g.p);
	g.same = same_tasks(g.p, g.tail);
	g.scalars = scalar_funs(g.p, g.tail);
	gen_scan(&g);
	g.plan = NEW(g.a, Plan *, g.task.n + 1);
	emit_width(g.e);
	emit_grain(&g);
	if (scalar_recursion(g.p, g.scalars))
		emit_line(g.e, "#define NESL_DEEP");
	if (g.p->nested && (u->debug || u->grain))
		emit_line(g.e, "#define NESL_FEW %lld", u->debug ? 0ll : (long long)u->grain);
	emit_line(g.e, "#include \"%s\"", g.sorts ? "nesl_sort.h" : "nesl_device.h");
	if (g.p->nested)
		emit_line(g.e, "#include \"nesl_few.h\"");
	if (g.scans)
		emit_line(g.e, "#include \"nesl_scan_by.h\"");
	emit_blank(g.e);
	emit_sites(&g);
	emit_task_table(&g);
	emit_operators(&g);
	for (const Cell *c = g.p->cells; c; c = c->next)
		emit_cell(&g, c);
	emit_prototypes(&g);
	emit_functions(&g);
	emit_main(&g);
	emit_done(g.e, u);
}
