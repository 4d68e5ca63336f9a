/* cpu.c: mem -> the text of one C program.
 *
 * In   u->ir over mem_ir
 * Out  u->text: sites, cells, tasks and functions, entries, and the tables that nesl_main runs
 * How  One walk numbers sites and tasks and counts uses; a second one prints. */
#include "backend/cpu/cpu.h"
#include <string.h>

/* -- the first walk ---------------------------------------------------------------------------- */
typedef LIST(const char *) Lines;

typedef struct {
	Cpu *k;
	Lines sites, tasks;
} Walk;

static void
add_site(Walk *w, const void *key, const char *kind, Span at)
{
	Cpu *k = w->k;

	cpu_numbered(k, key)->site = k->nsite++;
	LIST_ADD(k->arena, &w->sites, arena_printf(k->arena, "%s,", emit_site(k->e, kind, at)));
}

/* "n" or "n; s": the rows, and the descriptor of level 2. */
static const char *
space_of(Cpu *k, const Bind *task)
{
	const char *n = cpu_operand(k, task->arg[0]);

	return task->narg == 1 ? n : arena_printf(k->arena, "%s; %s", n, cpu_operand(k, task->arg[1]));
}

const char *
cpu_task_name(Cpu *k, const char *like)
{
	return map_fresh(k->task_names, k->arena, k->p->names, intern(k->p->names, like));
}

static void
add_row(Walk *w, const void *key, const char *name, const char *where, const char *space)
{
	Cpu *k = w->k;
	Numbered *x = cpu_numbered(k, key);

	x->task = k->ntask++;
	x->name = cpu_task_name(k, arena_printf(k->arena, "task_%s", emit_cname(k->e, name)));
	LIST_ADD(k->arena, &w->tasks, arena_printf(k->arena, "{\"%s\", %s, \"%s\", 0, 0, 0, {0}, 0},", x->name + strlen("task_"),
		emit_string(k->e, where, (int)strlen(where)), space));
}

static void
add_task(Walk *w, const Bind *b)
{
	add_row(w, b, b->name, lines_text(w->k->arena, b), space_of(w->k, b));
}

static void
add_operation(Walk *w, const Bind *b)
{
	Cpu *k = w->k;
	const char *where = lines_text(k->arena, b);

	cpu_numbered(k, b)->task = k->ntask++;
	LIST_ADD(k->arena, &w->tasks, arena_printf(k->arena, "{\"%s\", %s, \"\", 0, 0, 0, {0}, 0},", cpu_op(k, b)->name,
		emit_string(k->e, where, (int)strlen(where))));
}

/* Small rows are run as by a task, and so are scans. */
static void
add_function(Walk *w, const Fun *f)
{
	add_row(w, f, f->name, lines_function(w->k->arena, w->k->p, f), cpu_name(w->k, scan_space(w->k->p, f)));
}

static void
walk_name(Walk *w, const Var *v)
{
	*map_at(w->k->used, intern(w->k->p->names, cpu_name(w->k, v))) = w;
}

static void
walk_use(Walk *w, Opnd o)
{
	if (o.kind == OPND_VAR)
		w->k->uses[o.u.var->id]++;
}

static void
walk_block(Walk *w, const Block *body)
{
	for (const Bind *b = body->first; b; b = b->next) {
		if (b->op == LCU_check || b->op == LCU_host_check)
			add_site(w, b, b->name, b->span);
		else if (b->op == LCU_cell)
			add_site(w, b, "unbound-cell", b->span);
		else if (b->level ? scalar_call_faults(w->k->scalars, b) : tail_counted(w->k->p, w->k->tail, b))
			add_site(w, b, "recursion-depth", b->span);
		else if (b->op == LCU_task)
			add_task(w, b);
		else if (lcu_has_figures(w->k->p, b))
			add_operation(w, b);
		if (w->k->mem_limit && bind_makes_array(w->k->p, b))
			add_site(w, b, "memory", b->span);
		for (int i = 0; i < b->ndst; i++)
			walk_name(w, b->dst[i]);
		for (int i = 0; i < b->narg; i++)
			if (cpu_reads(w->k, b, i))
				walk_use(w, b->arg[i]);
		for (int i = 0; i < b->nway; i++)
			walk_use(w, b->way[i]);
		for (int i = 0; i < b->nblock; i++)
			walk_block(w, b->block[i]);
	}
	for (int i = 0; i < body->nyield; i++)
		walk_use(w, body->yield[i]);
}

static void
walk_program(Walk *w)
{
	LIST_ADD(w->k->arena, &w->tasks, "{\"library\", \"\", \"\", 0, 0, 0, {0}, 0},");
	w->k->ntask = 1;
	for (const Fun *f = w->k->p->funs; f; f = f->next) {
		for (int i = 0; i < f->nparam; i++)
			walk_name(w, f->param[i]);
		if (f->nested || f->scans)
			add_function(w, f);
		walk_block(w, f->body);
	}
	for (const Entry *x = w->k->p->entries; x; x = x->next)
		if (x->body)
			walk_block(w, x->body);
}

static void
print_table(Cpu *k, const char *head, const Lines *l)
{
	if (l->n == 0)
		return;
	emit_open(k->e, "%s[] = {", head);
	for (int i = 0; i < l->n; i++)
		emit_line(k->e, "%s", l->at[i]);
	emit_close(k->e, "};");
	emit_blank(k->e);
}

/* -- functions --------------------------------------------------------------------------------- */
static void
print_tasks(Cpu *k, const Block *body)
{
	for (const Bind *b = body->first; b; b = b->next)
		if (b->op == LCU_task && same_first(k->same, b) == b)
			cpu_task(k, b);
		else if (b->op != LCU_task)
			for (int i = 0; i < b->nblock; i++)
				print_tasks(k, b->block[i]);
}

/* The run time has a type for what gives them (nesl_cpu.h). */
static bool
two_floats(const Fun *f)
{
	return f->nresult == 2 && f->result[0]->kind == TY_FLOAT && f->result[1]->kind == TY_FLOAT;
}

const char *
cpu_result_type(Cpu *k, const Fun *f)
{
	if (f->nresult == 0)
		return "void ";
	if (f->nresult == 1)
		return cpu_type(f->result[0]);
	if (two_floats(f))
		return "nesl_floats ";
	return arena_printf(k->arena, "struct fn_%s ", cpu_fun(k, f));
}

const char *
cpu_results(Cpu *k, const Fun *f, const char *values)
{
	if (two_floats(f))
		return arena_printf(k->arena, "NESL_FLOATS(%s)", *values ? values : "0, 0");
	return arena_printf(k->arena, "(struct fn_%s){%s}", cpu_fun(k, f), *values ? values : "0");
}

const char *
cpu_result_of(Cpu *k, const Fun *f, const char *all, int i)
{
	if (two_floats(f))
		return arena_printf(k->arena, "%s(%s)", i ? "NESL_SECOND" : "NESL_FIRST", all);
	return arena_printf(k->arena, "%s.r%d", all, i);
}

/* What a scalar function is told of its calls; "" where it needs nothing. */
static const char *
calls_parameter(Cpu *k, const Fun *f)
{
	return k->each && scalar_fun_of(k->scalars, f)->faults ? "nesl_scalar_calls *calls_" : "";
}

/* Of f's text. */
const char *
cpu_parameters(Cpu *k, const Fun *f)
{
	const TailText *text = tail_text(k->tail, f);
	const char *s = calls_parameter(k, f);

	if (text->fun.n > 1)
		s = arena_printf(k->arena, "%s%sint at_", s, *s ? ", " : "");
	if (k->each && cpu_keeps_some(k, f))
		s = arena_printf(k->arena, "%s%sconst struct same_%s *same_", s, *s ? ", " : "", cpu_fun(k, f));
	for (int j = 0; j < text->fun.n; j++) {
		f = text->fun.at[j];
		for (int i = 0; i < f->nparam; i++)
			if (!cpu_is_kept(k, f->param[i]))
				s = arena_printf(k->arena, "%s%s%s%s", s, *s ? ", " : "", cpu_param_type(k, f, f->param[i]->ty),
					cpu_name(k, f->param[i]));
	}
	return *s ? s : "void";
}

static const char *
prefix(const Cpu *k)
{
	return k->each ? "each" : "fn";
}

static void
declare_function(Cpu *k, const Fun *f)
{
	if (k->each && cpu_keeps_some(k, f))
		cpu_declare_kept(k, f);
	emit_line(k->e, "static %s%s_%s(%s);", cpu_result_type(k, f), prefix(k), emit_cname(k->e, f->name), cpu_parameters(k, f));
}

static void
declare_result(Cpu *k, const Fun *f)
{
	const char *s = "";

	for (int i = 0; i < f->nresult; i++)
		s = arena_printf(k->arena, "%s%s%sr%d;", s, i ? " " : "", cpu_type(f->result[i]), i);
	if (f->nresult > 1 && !two_floats(f))
		emit_line(k->e, "struct fn_%s { %s };", cpu_fun(k, f), s);
}

/* Once, or twice: for the host, and for elements.  Nothing where f is told by another's text. */
static void
for_each_text(Cpu *k, const Fun *f, void (*print)(Cpu *, const Fun *))
{
	if (tail_first(k->tail, f) != f || scan_never_fails(k->p, k->scalars, f))
		return;
	if (scalar_has_host(k->scalars, f))
		print(k, f);
	k->each = f;
	if (scalar_has_own(k->scalars, f))
		print(k, f);
	k->each = NULL;
}

static void
print_return(Cpu *k, const Fun *f)
{
	const char *s = "";

	for (int i = 0; i < f->body->nyield; i++)
		s = arena_printf(k->arena, "%s%s%s", s, i ? ", " : "", cpu_operand(k, f->body->yield[i]));
	if (f->nresult == 1)
		emit_line(k->e, "return %s;", s);
	else if (f->nresult > 1)
		emit_line(k->e, "return %s;", cpu_results(k, f, s));
}

static void
print_body(Cpu *k, const Fun *f)
{
	cpu_block(k, f->body);
	if (!tail_ends(k->tail, f->body))
		print_return(k, f);
}

/* Functions that jump to each other. */
static void
print_bodies(Cpu *k, const TailText *text)
{
	emit_line(k->e, "switch (at_) {");
	for (int j = 0; j < text->fun.n; j++) {
		emit_source(k->e, text->fun.at[j]->span);
		emit_open(k->e, "case %d: {", j);
		print_body(k, text->fun.at[j]);
		emit_close(k->e, "}");
	}
	emit_line(k->e, "}");
}

static void
print_unused(Cpu *k, const TailText *text)
{
	for (int j = 0; j < text->fun.n; j++)
		for (int i = 0; i < text->fun.at[j]->nparam; i++)
			if (k->uses[text->fun.at[j]->param[i]->id] == 0 && !cpu_is_kept(k, text->fun.at[j]->param[i]))
				emit_line(k->e, "(void)%s;", cpu_name(k, text->fun.at[j]->param[i]));
}

static void
print_function(Cpu *k, const Fun *f)
{
	const TailText *text = tail_text(k->tail, f);

	for (int j = 0; j < text->fun.n; j++)
		print_tasks(k, text->fun.at[j]->body);
	if (text->fun.n == 1)
		emit_source(k->e, f->span);
	/* in the task's loop, if it is not long */
	emit_line(k->e, "static %s%s", (k->each || scalar_is_shared(k->scalars, f)) && !f->recursive ? "inline " : "", cpu_result_type(k, f));
	emit_line(k->e, "%s_%s(%s)", prefix(k), cpu_fun(k, f), cpu_parameters(k, f));
	emit_open(k->e, "{");
	print_unused(k, text);
	if (text->jumps)
		emit_open(k->e, "for (;;) {");
	if (text->fun.n > 1)
		print_bodies(k, text);
	else
		print_body(k, f);
	if (text->jumps)
		emit_close(k->e, "}");
	emit_close(k->e, "}");
	emit_blank(k->e);
}

/* -- cells ------------------------------------------------------------------------------------- */
static void
declare_cell(Cpu *k, const Cell *c)
{
	TyList l = cell_leaves(k->arena, c);
	const char *s = "";

	for (int i = 0; i < l.n; i++)
		s = arena_printf(k->arena, "%s %sleaf%d;", s, cpu_type(l.at[i]), i);
	emit_line(k->e, "static struct { b8 bound;%s } cell_%s;", s, emit_cname(k->e, c->name));
}

/* One call per array that a cell holds. */
static void
for_cell_arrays(Cpu *k, const char *function)
{
	for (const Cell *c = k->p->cells; c; c = c->next) {
		TyList l = cell_leaves(k->arena, c);

		for (int i = 0; i < l.n; i++)
			if (!ty_scalar(l.at[i]))
				emit_line(k->e, "%s(cell_%s.leaf%d);", function, emit_cname(k->e, c->name), i);
	}
}

static void
print_input(Cpu *k, const Cell *c)
{
	const char *name = emit_cname(k->e, c->name);
	TyList l = cell_leaves(k->arena, c);

	emit_line(k->e, "static void");
	emit_line(k->e, "entry_input_%s(nesl_leaf *leaf)", name);
	emit_open(k->e, "{");
	for (int i = 0; i < l.n; i++)
		if (ty_scalar(l.at[i]))
			emit_line(k->e, "cell_%s.leaf%d = *(%s *)leaf[%d].data;", name, i, emit_ctype(l.at[i]), i);
		else
			emit_line(k->e, "cell_%s.leaf%d = nesl_take(&leaf[%d], sizeof(%s));", name, i, i, emit_ctype(l.at[i]));
	emit_line(k->e, "cell_%s.bound = 1;", name);
	emit_close(k->e, "}");
	emit_blank(k->e);
}

/* -- entries ----------------------------------------------------------------------------------- */
static int
entry_leaves(Cpu *k, const Entry *x)
{
	int n = 0;

	for (int i = 0; i < x->ncell; i++)
		n += cell_leaves(k->arena, x->cell[i]).n;
	return n;
}

/* All values are there before the first cell changes: a fault leaves the cells as they were. */
static void
set_cells(Cpu *k, const Entry *x)
{
	int y = 0;

	for (int i = 0; i < x->ncell; i++) {
		const char *name = emit_cname(k->e, x->cell[i]->name);
		TyList l = cell_leaves(k->arena, x->cell[i]);

		for (int j = 0; j < l.n; j++, y++)
			if (ty_scalar(l.at[j]))
				emit_line(k->e, "cell_%s.leaf%d = %s;", name, j, cpu_operand(k, x->body->yield[y]));
			else
				emit_line(k->e, "nesl_set(&cell_%s.leaf%d, %s);", name, j,
					cpu_operand(k, x->body->yield[y]));
		emit_line(k->e, "cell_%s.bound = 1;", name);
	}
}

static void
print_entry_leaves(Cpu *k, const Entry *x, int number)
{
	int y = 0;

	emit_line(k->e, "static void");
	emit_line(k->e, "entry_%d_leaves(nesl_leaf *leaf)", number);
	emit_open(k->e, "{");
	for (int i = 0; i < x->ncell; i++) {
		const char *name = emit_cname(k->e, x->cell[i]->name);
		TyList l = cell_leaves(k->arena, x->cell[i]);

		for (int j = 0; j < l.n; j++, y++)
			if (emit_wide_leaf(k->e, x->body->yield[y], y))
				continue;
			else if (ty_scalar(l.at[j]))
				emit_line(k->e, "leaf[%d] = (nesl_leaf){LEAF_SCALAR, '%c', 1, &cell_%s.leaf%d, NULL};",
					y, emit_base(k->e, l.at[j]), name, j);
			else
				emit_line(k->e, "leaf[%d] = nesl_leaf_of(cell_%s.leaf%d, %s, '%c');", y, name, j,
					l.at[j]->kind == TY_SEGDES ? "LEAF_OFFSETS" : "LEAF_VECTOR", emit_base(k->e, l.at[j]));
	}
	emit_close(k->e, "}");
	emit_blank(k->e);
}

static void
print_entry(Cpu *k, const Entry *x, int number)
{
	if (!x->body)
		return;
	print_tasks(k, x->body);
	emit_source(k->e, x->span);
	emit_line(k->e, "static void");
	emit_line(k->e, "entry_%d(void)", number);
	emit_open(k->e, "{");
	if (k->debug)
		emit_line(k->e, "nesl_entry_begins();");
	cpu_block(k, x->body);
	emit_line(k->e, "nesl_settle();");
	set_cells(k, x);
	emit_close(k->e, "}");
	emit_blank(k->e);
	print_entry_leaves(k, x, number);
}

/* -- what nesl_main runs ----------------------------------------------------------------------- */
static void
entry_table(Cpu *k)
{
	Lines l = {0};
	int n = 1;

	for (const Entry *x = k->p->entries; x; x = x->next, n++)
		LIST_ADD(k->arena, &l, emit_entry(k->e, x, arena_printf(k->arena, "entry_%d", n), entry_leaves(k, x)));
	print_table(k, "static const nesl_entry nesl_entries", &l);
}

static int
input_table(Cpu *k)
{
	Lines l = {0};

	for (const Cell *c = k->p->cells; c; c = c->next)
		if (c->input)
			LIST_ADD(k->arena, &l, arena_printf(k->arena, "{%s, \"%s\", %d, entry_input_%s},",
				emit_string(k->e, c->shown, (int)strlen(c->shown)), ty_text(k->arena, c->ty),
				cell_leaves(k->arena, c).n, emit_cname(k->e, c->name)));
	print_table(k, "static const nesl_input_cell nesl_inputs", &l);
	return l.n;
}

/* Are there batches, or small rows? */
static bool
any_runners(const Cpu *k)
{
	const Fun *f = k->p->funs;

	while (f && !lcu_is_runner(f))
		f = f->next;
	return f;
}

static void
print_memory(Cpu *k)
{
	emit_line(k->e, "static void");
	emit_line(k->e, "nesl_sweep(void)");
	emit_open(k->e, "{");
	if (any_runners(k))
		emit_line(k->e, "nesl_sweep_batches();");
	emit_line(k->e, "nesl_sweep_begin();");
	for_cell_arrays(k, "nesl_mark");
	emit_line(k->e, "nesl_sweep_end();");
	emit_line(k->e, "nesl_calls = NULL;");
	emit_line(k->e, "nesl_all_flat = 0;");
	emit_close(k->e, "}");
	emit_blank(k->e);
	emit_line(k->e, "static void");
	emit_line(k->e, "nesl_finish(nesl_memory_stats *stats)");
	emit_open(k->e, "{");
	for_cell_arrays(k, "nesl_free");
	emit_line(k->e, "nesl_measure(stats);");
	emit_close(k->e, "}");
	emit_blank(k->e);
}

static void
print_main(Cpu *k)
{
	int ninput, nentry = 0;

	for (const Entry *x = k->p->entries; x; x = x->next)
		nentry++;
	entry_table(k);
	ninput = input_table(k);
	print_memory(k);
	emit_line(k->e, "int");
	emit_line(k->e, "main(int argc, char **argv)");
	emit_open(k->e, "{");
	emit_open(k->e, "const nesl_program program = {");
	emit_line(k->e, "\"cpu\", 8 * sizeof(nint), %s, %d, %s, %d, nesl_tasks, %d,", nentry ? "nesl_entries" : "NULL", nentry,
		ninput ? "nesl_inputs" : "NULL", ninput, k->ntask);
	emit_line(k->e, "NULL, nesl_sweep, nesl_finish, nesl_ran_on, nesl_read_cpu_step, nesl_settle,");
	emit_close(k->e, "};");
	emit_blank(k->e);
	if (k->mem_limit)
		emit_line(k->e, "nesl_mem_limit = %lld;", k->mem_limit);
	emit_line(k->e, "nesl_set_threads(argv, %s);", scalar_recursion(k->p, k->scalars) ? "\"512M\"" : any_runners(k) ? "\"64M\"" : "NULL");
	emit_line(k->e, "return nesl_main(argc, argv, &program);");
	emit_close(k->e, "}");
}

/* -- the pass ---------------------------------------------------------------------------------- */
static Cpu
cpu_new(Unit *u)
{
	Map *tail = tail_calls(u->ir);

	return (Cpu){
		.e = emit_new(u), .p = u->ir, .arena = u->arena, .diag = u->diag, .mem_limit = u->mem_limit, .debug = u->debug,
		.reuses = !u->no_reuse,
		.used = map_new(u->arena), .put = map_new(u->arena), .number = map_new(u->arena), .task_names = map_new(u->arena), .named_by = map_new(u->arena),
		.uses = NEW(u->arena, int, u->ir->nvar + 1), .same = same_tasks(u->ir, tail), .tail = tail,
		.kept = map_new(u->arena),
	};
}

static void
print_definitions(Cpu *k)
{
	int n = 1;

	for (const Cell *c = k->p->cells; c; c = c->next)
		declare_cell(k, c);
	for (const Fun *f = k->p->funs; f; f = f->next) {
		if (tail_first(k->tail, f) == f)
			declare_result(k, f);
		for_each_text(k, f, declare_function);
		if (lcu_is_runner(f) || f->scans)
			emit_line(k->e, "static %sall_%s(%s);", cpu_result_type(k, f), cpu_fun(k, f), cpu_parameters(k, f));
	}
	emit_blank(k->e);
	for (const Cell *c = k->p->cells; c; c = c->next)
		if (c->input)
			print_input(k, c);
	nested_functions(k->e, k->p, false);
	for (const Fun *f = k->p->funs; f; f = f->next) {
		for_each_text(k, f, print_function);
		if (f->nested)
			cpu_all_small(k, f);
		else if (f->scans)
			cpu_all_scan(k, f);
		else if (lcu_cuts(f))
			cpu_all_batches(k, f);
	}
	for (const Entry *x = k->p->entries; x; x = x->next)
		print_entry(k, x, n++);
}

void
emit_c(Unit *u)
{
	Cpu k;
	Walk w = {.k = &k};

	u->ir = scans_by_operators(cpu_split(u->ir));
	k = cpu_new(u);
	k.scalars = scalar_funs(k.p, k.tail);
	walk_program(&w);
	cpu_choose_fixed(&k);
	emit_line(k.e, "// Made by nessie: C11, OpenMP if there.");
	emit_width(k.e);
	if (u->debug)
		emit_line(k.e, "#define NESL_DEBUG 1");
	if (u->grain)
		emit_line(k.e, "#define NESL_GRAIN %lld", u->grain);
	emit_line(k.e, "#include \"nesl_cpu.h\"");
	emit_blank(k.e);
	print_table(&k, "static const nesl_site nesl_sites", &w.sites);
	print_table(&k, "nesl_task_stats nesl_tasks", &w.tasks);
	print_definitions(&k);
	print_main(&k);
	emit_done(k.e, u);
}
