/* task.c: a task of mem -> a C function.
 *
 * In   the plan of a task (plan.h)
 * Out  a function that returns its result, or stores several through pointers
 * How  Room, passes over the chunks (pass.c), the chunks' reductions together, results. */
#include "backend/cpu/plan.h"
#include <string.h>

static void
add_param(Cpu *k, VarList *l, Opnd o, Map *seen)
{
	if (o.kind != OPND_VAR || *map_at(seen, o.u.var))
		return;
	*map_at(seen, o.u.var) = o.u.var;
	LIST_ADD(k->arena, l, o.u.var);
}

/* What a live step reads; of a fetch or mark the length that its place is compared with, too (same_checked). */
static void
add_params(const Plan *t, VarList *l, const Step *s, Map *seen)
{
	const Bind *checked = same_checked(t->k->same, t->task, s->b);

	for (int a = 0; a < s->b->narg; a++)
		if (!cpu_step(t, s->b->arg[a]) && cpu_reads(t->k, s->b, a))
			add_param(t->k, l, s->b->arg[a], seen);
	if (checked)
		add_param(t->k, l, checked->arg[1], seen);
}

static void
params_of(const Plan *t, VarList *l)
{
	Map *seen = map_new(t->k->arena);

	for (int i = 0; i < t->task->narg; i++)
		add_param(t->k, l, t->task->arg[i], seen);
	for (int i = 0; i < t->n; i++)
		if (t->step[i].live)
			add_params(t, l, &t->step[i], seen);
}

void
cpu_task_params(Cpu *k, const Bind *task, VarList *l)
{
	params_of(cpu_plan(k, task), l);
}

enum { PLACES = 6 };

static bool
same_place(Span a, Span b)
{
	return a.file == b.file && a.line == b.line && a.col == b.col;
}

/* Where the others are that share the function; places that were named already are left out. */
static void
print_others(Cpu *k, const Bind *task)
{
	int n, shown = 0, more = 0;
	const Bind *const *all = same_all(k->same, task, &n);
	const char *s = "";

	for (int i = 1; i < n; i++) {
		bool named = false;

		for (int j = 0; j < i; j++)
			named = named || same_place(all[i]->span, all[j]->span);
		if (named)
			continue;
		if (shown++ < PLACES)
			s = arena_printf(k->arena, "%s%s%s:%d:%d", s, *s ? ", " : "", all[i]->span.file,
				all[i]->span.line, all[i]->span.col);
		else
			more++;
	}
	if (more)
		emit_line(k->e, "// also %s and %d more", s, more);
	else if (*s)
		emit_line(k->e, "// also %s", s);
}

static void
print_head(Plan *t, bool shared)
{
	Cpu *k = t->k;
	const Bind *b = t->task;
	const char *s = "";
	VarList l = {0};

	params_of(t, &l);
	if (shared)
		s = arena_printf(k->arena, t->checks ? "nesl_task_stats *%s, const nesl_site *%s" : "nesl_task_stats *%s",
			k->fixed.stats, k->fixed.sites);
	if (cpu_task_has_way(k, b))
		s = arena_printf(k->arena, "%s%sconst nesl_step *%s", s, *s ? ", " : "", k->fixed.way);
	for (int i = 0; i < l.n; i++) {
		const char *name = cpu_name_of(k, l.at[i], ty_counted(l.at[i]->ty) ? "_v" : "");

		s = arena_printf(k->arena, "%s%s%s%s%s", s, *s ? ", " : "",
			l.at[i]->ty->kind == TY_VEC && !cpu_replaced(t, l.at[i]) ? "const " : "", cpu_type(l.at[i]->ty), name);
		cpu_share(t, ty_counted(l.at[i]->ty) ? "const nesl_vec *" : cpu_type(l.at[i]->ty), name);
	}
	for (int i = 0; i < b->ndst && b->ndst > 1; i++)
		s = arena_printf(k->arena, "%s%s%s*%s", s, *s ? ", " : "", cpu_type(b->dst[i]->ty),
			cpu_name_of(k, b->dst[i], "_out"));
	emit_sources(k->e, b);
	print_others(k, b);
	t->before = emit_here(k->e);
	emit_line(k->e, "static %s", b->ndst == 1 ? cpu_type(b->dst[0]->ty) : "void");
	emit_line(k->e, "%s(%s)", cpu_numbered(k, b)->name, *s ? s : "void");
}

/* What makes the array of a step whose length is known before the passes; NULL: it has none. */
static const char *
array_made(const Plan *t, const Step *s)
{
	const char *n = s->level == 2 ? t->k->fixed.n2 : t->n1;
	const int size = s->b->ndst ? emit_size(t->k->e, s->b->dst[0]->ty) : 0;
	Arena *a = t->k->arena;

	switch (s->b->op) {
	case LCU_store:
	case LCU_scatter:
		return arena_printf(a, "nesl_new(%s, %d)", n, size);
	case LCU_replace:
		return arena_printf(a, "nesl_replace(%s, %s, %d)", cpu_name_of(t->k, s->b->arg[1].u.var, "_v"), n, size);
	case LCU_mark:
		return arena_printf(a, "nesl_taken(%s, %d)", cpu_name_of(t->k, s->b->arg[2].u.var, "_v"), size);
	case LCU_segdes:
		return arena_printf(a, "nesl_new_segdes(%s)", t->n1);
	case LCU_segdes_of:
	case LCU_keep_segdes:
		return arena_printf(a, "nesl_new_kept(%s)", t->n1);
	}
	return NULL;
}

/* Room for what each chunk must know, and the arrays whose length is known. */
static void
print_room(Plan *t)
{
	Emit *e = t->k->e;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		const char *made = s->live ? array_made(t, s) : NULL;

		if (s->live && (s->doing == DO_KEEP ? s->group == i : s->doing != DO_VALUE && s->doing != DO_SINK)) {
			const char *type = s->doing == DO_KEEP ? "i64" : cpu_step_kept_type(t, s);

			emit_line(e, "%s %s[NESL_CHUNKS + 1];", type, cpu_step_name(t, s, "_at"));
			cpu_share_array(t, arena_printf(t->k->arena, "%s ", type), cpu_step_name(t, s, "_at"));
		}
		if (made) {
			emit_line(e, "nesl_vec *const %s = %s;", cpu_step_name(t, s, "_v"), made);
			cpu_share(t, "const nesl_vec *", cpu_step_name(t, s, "_v"));
		}
	}
}

/* The tables of what puts. */
static void
print_tables(Plan *t)
{
	const Fixed *f = &t->k->fixed;
	Emit *e = t->k->e;
	const char *sum = "";

	for (int i = 0; i < t->n; i++)
		if (cpu_step_puts(&t->step[i]))
			sum = arena_printf(t->k->arena, "%s%s%s", sum, *sum ? " + " : "", cpu_operand(t->k, t->step[i].b->arg[2]));
	emit_line(e, "const int %s = nesl_tables(%s, %s, %s);", f->threads, f->nc, t->two ? f->n2 : t->n1, sum);
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		const char *n = s->b->narg > 2 ? cpu_operand(t->k, s->b->arg[2]) : "", *id;

		if (!cpu_step_puts(s))
			continue;
		id = cpu_step_identity(t, s);
		cpu_share(t, "const nesl_vec *", cpu_step_name(t, s, "_v"));
		cpu_share(t, "const nesl_vec *", cpu_step_name(t, s, "_more"));
		emit_line(e, "nesl_vec *const %s = nesl_filled(nesl_new(%s, sizeof(nint)), %s, %s);", cpu_step_name(t, s, "_v"), n, n, id);
		emit_line(e, "nesl_vec *const %s = nesl_more_tables(%s, %s, %s);", cpu_step_name(t, s, "_more"), f->threads, n, id);
	}
}

static void
print_joined_tables(const Plan *t)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (cpu_step_puts(s))
			emit_line(t->k->e, "nesl_join_tables(%s, %s, %s, %s);", cpu_step_name(t, s, "_v"), cpu_step_name(t, s, "_more"),
				t->k->fixed.threads, lcu_puts(s->b) == LCU_sum ? "NESL_SUMS" : "NESL_MAXIMA");
	}
}

/* Chunk 0 has nothing before it. */
static void
print_first(const Plan *t)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (s->live && s->doing == DO_KEEP && s->group == i)
			emit_line(t->k->e, "%s[0] = 0;", cpu_step_group(t, s, "_at"));
		else if (s->live && (s->doing == DO_SCAN || s->doing == DO_SEGDES
				|| (s->doing == DO_REDUCE && s->level == 2)))
			emit_line(t->k->e, "%s[0] = %s;", cpu_step_name(t, s, "_at"), cpu_step_identity(t, s));
	}
}

static void
print_host_reductions(const Plan *t)
{
	const Fixed *f = &t->k->fixed;
	Emit *e = t->k->e;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		const bool more = cpu_step_finds_place(t, s);
		const char *r = cpu_step_name(t, s, more ? "_run" : ""), *at = cpu_step_name(t, s, "_at");

		if (!s->live || s->doing != DO_REDUCE || s->level != 1)
			continue;
		emit_line(e, "%s %s = %s[0];", cpu_step_kept_type(t, s), r, at);
		emit_open(e, "for (i64 %s = 1; %s < %s; %s++)", f->c, f->c, f->nc, f->c);
		emit_line(e, "%s = %s;", r, cpu_step_combined(t, s, r, arena_printf(t->k->arena, "%s[%s]", at, f->c)));
		emit_close(e, "");
		if (more)
			emit_line(e, "const %s %s = %s;", cpu_step_type(s), cpu_step_name(t, s, ""), cpu_step_result(t, s, r));
	}
}

static void
print_results(const Plan *t)
{
	const Bind *b = t->task;

	for (int i = 0; i < t->n; i++)
		if (t->step[i].live && t->step[i].b->op == LCU_replace)
			emit_line(t->k->e, "nesl_replaced(%s, %s);", cpu_name_of(t->k, t->step[i].b->arg[1].u.var, "_v"),
				cpu_step_name(t, &t->step[i], "_v"));
	for (int i = 0; i < b->ndst; i++) {
		const Var *v = b->block[0]->yield[i].u.var;
		const char *r = cpu_name_of(t->k, v, ty_scalar(v->ty) ? "" : "_v");

		if (b->ndst == 1)
			emit_line(t->k->e, "return %s;", r);
		else
			emit_line(t->k->e, "*%s = %s;", cpu_name_of(t->k, b->dst[i], "_out"), r);
	}
}

/* -- figures ----------------------------------------------------------------------------------- */
static const char *
add_term(const Plan *t, const char *sum, int bytes, const char *count)
{
	if (bytes == 0)
		return sum;
	return arena_printf(t->k->arena, "%s%s%dL * %s", sum, *sum ? " + " : "", bytes, count);
}

static const char *
by_level(const Plan *t, const int bytes[3])
{
	return add_term(t, add_term(t, "", bytes[1], t->n1), bytes[2], t->k->fixed.n2);
}

/* One chunk is still in cache when it is read again. */
static const char *
bytes_read(const Plan *t)
{
	const char *once = by_level(t, t->read), *again = by_level(t, t->again);

	if (*again)
		return arena_printf(t->k->arena, "%s + (%s > 1 ? %s : 0)", once, t->k->fixed.nc, again);
	return *once ? once : "0";
}

static const char *
bytes_written(const Plan *t)
{
	const char *sum = "";
	int bytes[3] = {0};

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (!s->live || s->doing <= DO_SCAN || s->sum || s->b->op == LCU_check)
			continue;
		if (cpu_step_puts(s))
			sum = add_term(t, sum, emit_size(t->k->e, s->b->dst[0]->ty), cpu_operand(t->k, s->b->arg[2]));
		else if (cpu_step_keeps(s))
			sum = add_term(t, sum, emit_size(t->k->e, s->b->dst[0]->ty), arena_printf(t->k->arena, "%s[%s]",
				cpu_step_group(t, s, "_at"), t->k->fixed.nc));
		else
			bytes[s->b->op == LCU_keep_segdes ? 1 : s->level] += emit_size(t->k->e, s->b->dst[0]->ty);
	}
	sum = arena_printf(t->k->arena, "%s%s%s", by_level(t, bytes), bytes[1] + bytes[2] && *sum ? " + " : "", sum);
	return *sum ? sum : "0";
}

/* Does the host get a number from it: a reduction, the count of a keep? */
static bool
is_waited_for(const Plan *t)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (s->live && (s->doing == DO_KEEP || (s->doing == DO_REDUCE && s->level == 1)))
			return true;
	}
	return false;
}

static void
print_figures(const Plan *t, int mismatches)
{
	Emit *e = t->k->e;

	emit_line(e, "nesl_ran(%s, %s, %s);", t->stats, bytes_read(t), bytes_written(t));
	if (mismatches)
		emit_line(e, "nesl_count.checks += %d;", mismatches);
	if (is_waited_for(t))
		emit_line(e, "nesl_sync();");
}

/* -- the function ------------------------------------------------------------------------------ */
int
cpu_task_site(Cpu *k, const Bind *task)
{
	for (const Bind *b = task->block[0]->first; b; b = b->next)
		if (scalar_tells(k->scalars, b))
			return cpu_numbered(k, b)->site;
	return -1;
}

bool
cpu_task_has_way(const Cpu *k, const Bind *task)
{
	for (const Bind *b = task->block[0]->first; b; b = b->next)
		if (b->nway > 0 && scalar_tells(k->scalars, b))
			return true;
	return false;
}

static int
mismatches(const Plan *t)
{
	int n = 0;

	for (int i = 0; i < t->n; i++)
		n += t->step[i].b->op == LCU_check && strcmp(t->step[i].b->name, "length-mismatch") == 0;
	return n;
}

/* Is what it made as much as the host was told? */
static void
print_told(const Plan *t)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (!s->live || s->sum)
			continue;
		if (lcu_count(s->b))
			emit_line(t->k->e, "nesl_told_kept(%s[%s], %s);", cpu_step_group(t, s, "_at"), t->k->fixed.nc,
				cpu_operand(t->k, *lcu_count(s->b)));
		if (lcu_total(s->b))
			emit_line(t->k->e, "nesl_told(%s, %s);", cpu_step_name(t, s, "_v"), cpu_operand(t->k, *lcu_total(s->b)));
	}
}

static bool
is_light(const Plan *t)
{
	const Bind *b = t->task->block[0]->first;

	while (b && !lcu_is_heavy(t->k->p->ir, b))
		b = b->next;
	return !b;
}

static void
print_body(Plan *t)
{
	const Fixed *f = &t->k->fixed;
	Emit *e = t->k->e;
	const char *rows = t->two ? cpu_name_of(t->k, t->task->arg[1].u.var, t->grid ? "" : "_v") : "", *chunks;

	if (t->two) {
		emit_line(e, t->grid ? "const i64 %s = nesl_grid_total(%s);" : "const i64 %s = nesl_total(%s);", f->n2, rows);
		cpu_share(t, "i64 ", f->n2);
	}
	chunks = arena_printf(t->k->arena, t->two ? "nesl_row_chunks(%s + %s)" : "nesl_chunks(%s)", t->n1, f->n2);
	emit_line(e, is_light(t) ? "const i64 %s = nesl_light(%s);" : "const i64 %s = %s;", f->nc, chunks);
	if (t->by_row) {
		emit_line(e, "nesl_border %s[NESL_CHUNKS + 1];", f->cuts);
		cpu_share_array(t, "const nesl_border ", f->cuts);
	}
	if (t->checks) {
		emit_line(e, "nesl_failure %s = NESL_NO_FAILURE;", f->worst);
		cpu_share_place(t, "nesl_failure ", f->worst);
		cpu_share(t, "const nesl_site *", f->sites);
	}
	print_room(t);
	if (cpu_plan_puts(t))
		print_tables(t);
	emit_blank(e);
	if (t->by_row && t->grid)
		emit_line(e, "nesl_cut_grid(%s, %s, %s);", f->cuts, rows, f->nc);
	else if (t->by_row)
		emit_line(e, "nesl_cut(%s, %s->data, %s, %s);", f->cuts, rows, t->n1, f->nc);
	print_first(t);
	cpu_passes(t);
	print_joined_tables(t);
	print_host_reductions(t);
	print_figures(t, mismatches(t));
	if (t->checks)
		emit_line(e, "nesl_test(&%s, %s, %s);", f->worst, t->sites, cpu_task_has_way(t->k, t->task) ? f->way : "NULL");
	print_told(t);
	print_results(t);
}

/* A task that others are the same as gets what differs as arguments. */
void
cpu_task(Cpu *k, const Bind *task)
{
	Plan *t = cpu_plan(k, task);
	int site = cpu_task_site(k, task), n;

	same_all(k->same, task, &n);
	t->checks = site >= 0;
	t->stats = n > 1 ? k->fixed.stats : arena_printf(k->arena, "&nesl_tasks[%d]", cpu_numbered(k, task)->task);
	t->sites = n > 1 ? k->fixed.sites : arena_printf(k->arena, "&nesl_sites[%d]", site);
	cpu_share(t, "i64 ", k->fixed.nc);
	print_head(t, n > 1);
	emit_open(k->e, "{");
	print_body(t);
	emit_close(k->e, "}");
	emit_blank(k->e);
}
