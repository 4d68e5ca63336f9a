/* host.c: host code of mem -> C statements.
 *
 * In   blocks of bindings: scalars, library calls, checks, cells, calls, ifs, tasks, frees
 * Out  one statement or two per binding; scalars nobody uses are left out
 * How  a row of `library` per skeleton; the few others one function each. */
#include "backend/cpu/cpu.h"
#include <string.h>

static const char *const *
operand_texts(Cpu *k, const Opnd *arg, int n)
{
	const char **s = NEW(k->arena, const char *, n + 1);

	for (int i = 0; i < n; i++)
		s[i] = cpu_operand(k, arg[i]);
	return s;
}

static const char *
listed(Cpu *k, const char *const *text, int n)
{
	const char *s = "";

	for (int i = 0; i < n; i++)
		s = arena_printf(k->arena, "%s%s%s", s, i ? ", " : "", text[i]);
	return s;
}

static const char *
operand_list(Cpu *k, const Opnd *arg, int n)
{
	return listed(k, operand_texts(k, arg, n), n);
}

/* const f64 x =   or   nesl_vec *v =   */
static const char *
declared(Cpu *k, const Var *v)
{
	return arena_printf(k->arena, "%s%s%s", ty_counted(v->ty) ? "" : "const ", cpu_type(v->ty), cpu_name(k, v));
}

static bool
unused(const Cpu *k, const Var *v)
{
	return !ty_counted(v->ty) && k->uses[v->id] == 0;
}

/* -- the library ------------------------------------------------------------------------------- */
/* The first argument of an operation that has figures, and a comma; else "". */
static const char *
figures_of(Cpu *k, const Bind *b)
{
	return lcu_has_figures(k->p, b) ? arena_printf(k->arena, "&nesl_tasks[%d], ", cpu_numbered(k, b)->task) : "";
}

static const char *
array_of(Cpu *k, const Bind *b)
{
	return arena_printf(k->arena, "%d, (nesl_vec *const[]){%s}", b->narg, operand_list(k, b->arg, b->narg));
}

static const char *
order_text(Cpu *k, const Bind *b, const char *name, const char *down)
{
	const Ty *t = opnd_ty(b->arg[b->narg - 1])->a;

	return arena_printf(k->arena, "%s(%s%s, %d%s)", name, figures_of(k, b), operand_list(k, b->arg, b->narg),
		t->kind == TY_FLOAT, down);
}

/* How many they are, and an array of them. */
static const char *
numbers_text(Cpu *k, const Bind *b)
{
	return arena_printf(k->arena, "%d, (const %s[]){%s}", b->narg, emit_ctype(b->dst[0]->ty), operand_list(k, b->arg, b->narg));
}

static const char *
vector_text(Cpu *k, const Bind *b)
{
	if (b->narg == 0)
		return "nesl_new(0, 1)";
	return arena_printf(k->arena, "nesl_vector(%d, %s)", emit_size(k->e, b->dst[0]->ty), numbers_text(k, b));
}

/* A vector of the host's numbers that is only appended to others, and then ends, is not made: they are put there.  Is v such a one? */
static bool
is_put(Cpu *k, const Bind *v)
{
	int reads = 0;
	bool put = false;

	if (v->op != LCU_vector || v->narg == 0)
		return false;
	for (const Bind *b = v->next; b; b = b->next)
		for (int i = 0; i < b->narg; i++) {
			if (!same_opnd(b->arg[i], opnd_var(v->dst[0])))
				continue;
			reads += cpu_reads(k, b, i);
			if (b->op == LCU_free && put)
				return k->uses[v->dst[0]->id] == reads;
			if (b->op != LCU_extend || i != 1)
				return false;
			put = true;
		}
	return false;
}

static const char *
extend_text(Cpu *k, const Bind *b)
{
	const Bind *put = *map_at(k->put, b->arg[1].u.var);

	return put ? arena_printf(k->arena, "nesl_push(%s%d, %s, %s)", figures_of(k, b), emit_size(k->e, b->dst[0]->ty),
			cpu_operand(k, b->arg[0]), numbers_text(k, put))
		: arena_printf(k->arena, "nesl_extend(%s%d, %s)", figures_of(k, b), emit_size(k->e, b->dst[0]->ty), operand_list(k, b->arg, 2));
}

static const char *
library_text(Cpu *k, const Bind *b)
{
	int size = b->ndst ? emit_size(k->e, b->dst[0]->ty) : 8;

	switch (b->op) {
	case LCU_append:
		if (b->narg == 0)
			return "nesl_new(0, 1)";
		return arena_printf(k->arena, "nesl_append(%s%d, %s)", figures_of(k, b), size, array_of(k, b));
	case LCU_concat:
		if (b->narg == 0)
			return "nesl_new_segdes(0)";
		return arena_printf(k->arena, "nesl_concat(%s%s)", figures_of(k, b), array_of(k, b));
	case LCU_vector:
		return vector_text(k, b);
	case LCU_extend:
		return extend_text(k, b);
	case LCU_chars:
		return arena_printf(k->arena, "nesl_chars(%s, %d)", emit_string(k->e, b->text, b->textlen), b->textlen);
	case LCU_rank:
	case LCU_rank_down:
		return order_text(k, b, "nesl_rank", b->op == LCU_rank ? ", 0" : ", 1");
	case LCU_seg_rank:
	case LCU_seg_rank_down:
		return order_text(k, b, "nesl_seg_rank", b->op == LCU_seg_rank ? ", 0" : ", 1");
	case LCU_sort:
		return order_text(k, b, "nesl_sort", "");
	case LCU_seg_sort:
		return order_text(k, b, "nesl_seg_sort", "");
	case LCU_elem:
		return arena_printf(k->arena, "nesl_%selem_%s(%s)", k->each ? "each_" : "", emit_ctype(b->dst[0]->ty),
			operand_list(k, b->arg, b->narg));
	case LCU_length:
		return cpu_is_kept(k, b->arg[0].u.var) ? arena_printf(k->arena, "same_->%s.count", emit_cname(k->e, b->arg[0].u.var->name))
			: arena_printf(k->arena, "%s->count", cpu_operand(k, b->arg[0]));
	case LCU_row_start:
	case LCU_row_length:
		return arena_printf(k->arena, "nesl_%s_%s(%s)", k->each ? "each" : "host", cpu_op(k, b)->name,
			operand_list(k, b->arg, b->narg));
	case LCU_rows:
	case LCU_total:
		return arena_printf(k->arena, opnd_ty(b->arg[0])->kind == TY_UNIFORM ? "nesl_grid_%s(%s)" : "nesl_%s(%s)",
			cpu_op(k, b)->name, cpu_operand(k, b->arg[0]));
	default:        /* of vectors of any type the run time is told how large an element is */
		if (strstr(cpu_op(k, b)->sig[0], ":<x>"))
			return arena_printf(k->arena, "nesl_%s(%s%d, %s)", cpu_op(k, b)->name, figures_of(k, b), size,
				operand_list(k, b->arg, b->narg));
		return arena_printf(k->arena, "nesl_%s(%s%s)", cpu_op(k, b)->name, figures_of(k, b), operand_list(k, b->arg, b->narg));
	}
}

static const char *
scalar_text(Cpu *k, const Bind *b)
{
	const char *arg[3] = {0};

	for (int i = 0; i < b->narg && i < 3; i++)
		arg[i] = cpu_operand(k, b->arg[i]);
	return emit_scalar(k->e, cpu_op(k, b), opnd_ty(b->arg[0]), arg, b->narg);
}

/* -- effects ----------------------------------------------------------------------------------- */
/* x: an expression; of a scalar, its address. */
static const char *
leaf_text(Cpu *k, const Ty *t, const char *x)
{
	if (ty_scalar(t))
		return arena_printf(k->arena, "nesl_leaf_at(%s, '%c')", x, emit_base(k->e, t));
	return arena_printf(k->arena, "nesl_leaf_of(%s, %s, '%c')", x,
		t->kind == TY_SEGDES ? "LEAF_OFFSETS" : "LEAF_VECTOR", emit_base(k->e, t));
}

static const char *
operand_leaf(Cpu *k, Opnd o)
{
	const Ty *t = opnd_ty(o);
	const char *x = cpu_operand(k, o);

	return leaf_text(k, t, ty_scalar(t) ? arena_printf(k->arena, "&(%s){%s}", emit_ctype(t), x) : x);
}

/* Of a vector only what it is; it is made afterwards. */
static const char *
result_leaf(Cpu *k, const Var *v)
{
	return leaf_text(k, v->ty, ty_scalar(v->ty) ? arena_printf(k->arena, "&%s", cpu_name(k, v)) : "&nesl_empty");
}

static void
effect(Cpu *k, const Bind *b)
{
	const char *in = cpu_name_of(k, b->dst[0], "_in"), *out = cpu_name_of(k, b->dst[0], "_out");

	emit_place(k->e, b->span);
	for (int i = 0; i < b->ndst; i++)
		if (ty_scalar(b->dst[i]->ty))
			emit_line(k->e, "%s%s;", cpu_type(b->dst[i]->ty), cpu_name(k, b->dst[i]));
	emit_line(k->e, "nesl_leaf %s[%d], %s[%d];", in, b->narg, out, b->ndst);
	for (int i = 0; i < b->narg; i++)
		emit_line(k->e, "%s[%d] = %s;", in, i, operand_leaf(k, b->arg[i]));
	for (int i = 0; i < b->ndst; i++)
		emit_line(k->e, "%s[%d] = %s;", out, i, result_leaf(k, b->dst[i]));
	emit_line(k->e, "nesl_run_effect(\"%s\", %s, %s, %d, %s, %d);", b->name, emit_string(k->e, b->text, b->textlen),
		in, b->narg, out, b->ndst);
	for (int i = 0; i < b->ndst; i++)
		if (!ty_scalar(b->dst[i]->ty))
			emit_line(k->e, "%s = nesl_take(&%s[%d], sizeof(%s));", declared(k, b->dst[i]), out, i,
				emit_ctype(b->dst[i]->ty));
}

/* -- control ----------------------------------------------------------------------------------- */
/* As an i64 for a message. */
static const char *
check_value(Cpu *k, const Bind *b, int i)
{
	if (i >= b->narg)
		return "0";
	return arena_printf(k->arena, opnd_ty(b->arg[i])->kind == TY_INT ? "%s" : "(i64)%s",
		cpu_operand(k, b->arg[i]));
}

/* NULL, or an array that lives as long as the block. */
static const char *
way_text(Cpu *k, const Bind *b)
{
	if (b->nway == 0)
		return "NULL";
	return arena_printf(k->arena, "(const nesl_step[]){%s}", cpu_way(k, b));
}

static const char *
check_values(Cpu *k, const Bind *b)
{
	return arena_printf(k->arena, "&nesl_sites[%d], %s, %s, %s", cpu_numbered(k, b)->site, check_value(k, b, 1),
		check_value(k, b, 2), check_value(k, b, 3));
}

/* What a function gives that ends early: nobody looks at it. */
static void
give_nothing(Cpu *k)
{
	if (k->each->nresult == 1)
		emit_line(k->e, "return 0;");
	else
		emit_line(k->e, "return %s;", cpu_results(k, k->each, ""));
}

static void
check_of_element(Cpu *k, const Bind *b)
{
	emit_open(k->e, "if (!%s) {", cpu_operand(k, b->arg[0]));
	emit_line(k->e, "nesl_stop(calls_, %s);", check_values(k, b));
	give_nothing(k);
	emit_close(k->e, "}");
}

static void
host_check(Cpu *k, const Bind *b)
{
	emit_place(k->e, b->span);
	if (k->each) {
		check_of_element(k, b);
		return;
	}
	if (strcmp(b->name, "length-mismatch") == 0)
		emit_line(k->e, "nesl_count.checks++;");
	emit_line(k->e, "nesl_check(%s, %s, %s);", cpu_operand(k, b->arg[0]), check_values(k, b), way_text(k, b));
}

static void
read_cell(Cpu *k, const Bind *b)
{
	const char *cell = emit_cname(k->e, b->name);

	emit_line(k->e, "nesl_check(cell_%s.bound, &nesl_sites[%d], 0, 0, 0, %s);", cell, cpu_numbered(k, b)->site,
		way_text(k, b));
	for (int i = 0; i < b->ndst; i++)
		if (k->uses[b->dst[i]->id])
			emit_line(k->e, "%s = cell_%s.leaf%d;", declared(k, b->dst[i]), cell, i);
}

/* The first result is whether the cell has a value. */
static void
peek_cell(Cpu *k, const Bind *b)
{
	const char *cell = emit_cname(k->e, b->name);

	for (int i = 0; i < b->ndst; i++) {
		const Ty *t = b->dst[i]->ty;

		if (k->uses[b->dst[i]->id] == 0)
			continue;
		if (i == 0)
			emit_line(k->e, "%s = cell_%s.bound;", declared(k, b->dst[i]), cell);
		else if (ty_scalar(t))
			emit_line(k->e, "%s = cell_%s.leaf%d;", declared(k, b->dst[i]), cell, i - 1);
		else
			emit_line(k->e, "%s = cell_%s.bound ? cell_%s.leaf%d : &%s;", declared(k, b->dst[i]), cell, cell,
				i - 1, t->kind == TY_SEGDES ? "nesl_no_rows" : "nesl_empty");
	}
}

static void
forget_cell(Cpu *k, const Bind *b)
{
	const TyList l = cell_leaves(k->arena, cell_find(k->p, b->name));

	for (int i = 0; i < l.n; i++)
		if (!ty_scalar(l.at[i]))
			emit_line(k->e, "nesl_forget(&cell_%s.leaf%d);", emit_cname(k->e, b->name), i);
}

const char *
cpu_call_text(Cpu *k, const Fun *f, bool own, const char *calls, const char *const *arg)
{
	bool told = own && scalar_fun_of(k->scalars, f)->faults;
	const char *args = own && cpu_keeps_some(k, f) ? cpu_kept_operands(k, f, arg)
		: tail_operands(k->arena, k->tail, f, listed(k, arg, f->nparam), "0");

	return arena_printf(k->arena, "%s_%s(%s%s%s)", own ? "each" : lcu_is_runner(f) || f->scans ? "all" : "fn", cpu_fun(k, f),
		told ? calls : "", told && *args ? ", " : "", args);
}

void
cpu_call(Cpu *k, const Bind *b, const char *calls, const char *const *arg)
{
	const Fun *f = fun_find(k->p, b->name);
	const char *text = cpu_call_text(k, f, scalar_calls_own(k->scalars, b, k->each), calls, arg), *all;

	if (b->ndst == 0 || (b->ndst == 1 && unused(k, b->dst[0]))) {
		emit_line(k->e, "%s;", text);
		return;
	}
	if (b->ndst == 1) {
		emit_line(k->e, "%s = %s;", declared(k, b->dst[0]), text);
		return;
	}
	all = cpu_name_of(k, b->dst[0], "_all");
	emit_line(k->e, "const %s%s = %s;", cpu_result_type(k, f), all, text);
	for (int i = 0; i < b->ndst; i++)
		if (unused(k, b->dst[i]))
			emit_line(k->e, "(void)%s;", cpu_result_of(k, f, all, i));
		else
			emit_line(k->e, "%s = %s;", declared(k, b->dst[i]), cpu_result_of(k, f, all, i));
}

static void
jump(Cpu *k, const Fun *f, const Bind *b)
{
	emit_place(k->e, b->span);
	for (int i = 0; i < b->narg; i++)
		if (tail_copies(f, b, i))
			emit_line(k->e, "%s%s = %s;", cpu_param_type(k, f, f->param[i]->ty), cpu_name_of(k, f->param[i], "_next"),
				cpu_operand(k, b->arg[i]));
	for (int i = 0; i < b->narg; i++)
		if (!tail_keeps(f, b, i))
			emit_line(k->e, "%s = %s;", cpu_name(k, f->param[i]), tail_copies(f, b, i)
				? cpu_name_of(k, f->param[i], "_next") : cpu_operand(k, b->arg[i]));
	if (tail_place(k->tail, f) >= 0)
		emit_line(k->e, "at_ = %d;", tail_place(k->tail, f));
	emit_line(k->e, "continue;");
}

/* In scalar code of an element: a call that may meet a fault. */
static void
call_of_element(Cpu *k, const Bind *b)
{
	bool counted = tail_counted(k->p, k->tail, b);

	if (counted) {
		emit_open(k->e, "if (nesl_too_deep(calls_, &nesl_sites[%d]))", cpu_numbered(k, b)->site);
		give_nothing(k);
		emit_close(k->e, "");
	}
	cpu_call(k, b, "calls_", operand_texts(k, b->arg, b->narg));
	if (counted)
		emit_line(k->e, "calls_->depth--;");
	if (scalar_call_faults(k->scalars, b)) {
		emit_open(k->e, "if (calls_->fault)");
		give_nothing(k);
		emit_close(k->e, "");
	}
}

/* Depth is counted around the call, so that a fault stands where the call does. */
static void
counted_call(Cpu *k, const Bind *b)
{
	bool counted = tail_counted(k->p, k->tail, b);

	emit_place(k->e, b->span);
	if (k->each) {
		call_of_element(k, b);
		return;
	}
	if (b->nway > 0)
		emit_line(k->e, "nesl_calls = &(const nesl_frame){%s, nesl_calls};", way_text(k, b));
	if (counted)
		emit_line(k->e, "nesl_enter(&nesl_sites[%d], nesl_calls);", cpu_numbered(k, b)->site);
	cpu_call(k, b, "", operand_texts(k, b->arg, b->narg));
	if (counted)
		emit_line(k->e, "nesl_leave();");
	if (b->nway > 0)
		emit_line(k->e, "nesl_calls = nesl_calls->up;");
}

static void
arm(Cpu *k, const Bind *b, const Block *body)
{
	cpu_block(k, body);
	if (tail_ends(k->tail, body))
		return;
	for (int i = 0; i < b->ndst; i++)
		if (!unused(k, b->dst[i]))
			emit_line(k->e, "%s = %s;", cpu_name(k, b->dst[i]), cpu_operand(k, body->yield[i]));
}

static void
branch(Cpu *k, const Bind *b)
{
	bool ends = tail_ends(k->tail, b->block[0]) && tail_ends(k->tail, b->block[1]);

	for (int i = 0; i < b->ndst; i++)
		if (!unused(k, b->dst[i]) && !ends)
			emit_line(k->e, "%s%s;", cpu_type(b->dst[i]->ty), cpu_name(k, b->dst[i]));
	emit_place(k->e, b->span);
	emit_open(k->e, "if (%s) {", cpu_operand(k, b->arg[0]));
	arm(k, b, b->block[0]);
	emit_else(k->e);
	arm(k, b, b->block[1]);
	emit_close(k->e, "}");
}

static const char *
task_way(Cpu *k, const Bind *task)
{
	const char *s = "";

	if (!cpu_task_has_way(k, task))
		return "";
	for (const Bind *b = task->block[0]->first; b; b = b->next)
		if (scalar_tells(k->scalars, b))
			s = arena_printf(k->arena, "%s%s%s", s, *s ? ", " : "", cpu_way(k, b));
	return arena_printf(k->arena, "(const nesl_step[]){%s}", s);
}

/* What a function that several tasks share is told besides operands. */
static const char *
shared_arguments(Cpu *k, const Bind *task)
{
	int n, site = cpu_task_site(k, task), number = cpu_numbered(k, task)->task;

	same_all(k->same, task, &n);
	if (n == 1)
		return "";
	if (site < 0)
		return arena_printf(k->arena, "&nesl_tasks[%d]", number);
	return arena_printf(k->arena, "&nesl_tasks[%d], &nesl_sites[%d]", number, site);
}

static void
run_task(Cpu *k, const Bind *b)
{
	VarList params = {0};
	const Bind *first = same_first(k->same, b);
	const char *f = cpu_numbered(k, first)->name, *s = shared_arguments(k, b), *way = task_way(k, b);

	emit_place(k->e, b->span);
	if (scalar_task_loops(k->scalars, b))
		emit_line(k->e, "nesl_settle();");
	s = arena_printf(k->arena, "%s%s%s", s, *s && *way ? ", " : "", way);
	cpu_task_params(k, first, &params);
	for (int i = 0; i < params.n; i++)
		s = arena_printf(k->arena, "%s%s%s", s, *s ? ", " : "",
			cpu_name(k, same_var(k->same, b, params.at[i])));
	if (b->ndst == 1) {
		emit_line(k->e, "%s%s%s(%s);", unused(k, b->dst[0]) ? "" : declared(k, b->dst[0]),
			unused(k, b->dst[0]) ? "" : " = ", f, s);
		return;
	}
	for (int i = 0; i < b->ndst; i++) {
		emit_line(k->e, "%s%s;", cpu_type(b->dst[i]->ty), cpu_name(k, b->dst[i]));
		s = arena_printf(k->arena, "%s%s&%s", s, *s ? ", " : "", cpu_name(k, b->dst[i]));
	}
	emit_line(k->e, "%s(%s);", f, s);
}

/* What is measured is made even if nobody else looks at it. */
static void
read_clock(Cpu *k, const Bind *b)
{
	for (int i = 0; i < b->narg; i++)
		if (b->arg[i].kind == OPND_VAR && ty_scalar(opnd_ty(b->arg[i])))
			emit_line(k->e, "(void)%s;", cpu_operand(k, b->arg[i]));
	if (!unused(k, b->dst[0]))
		emit_line(k->e, "%s = nesl_clock();", declared(k, b->dst[0]));
}

static void
control(Cpu *k, const Bind *b)
{
	switch (b->op) {
	case LCU_cell:
		read_cell(k, b);
		return;
	case LCU_peek:
		peek_cell(k, b);
		return;
	case LCU_call:
		if (tail_call(k->tail, b))
			jump(k, tail_call(k->tail, b), b);
		else
			counted_call(k, b);
		return;
	case LCU_if:
		branch(k, b);
		return;
	case LCU_task:
		run_task(k, b);
		return;
	}
	ice(b->span, "c", "%s on the host", cpu_op(k, b)->name);
}

static void
give_up(Cpu *k, const Bind *b, const char *function)
{
	for (int i = 0; i < b->narg; i++)
		emit_line(k->e, "%s(%s);", function, cpu_operand(k, b->arg[i]));
}

/* --debug. */
static void
owners(Cpu *k, const Bind *b)
{
	const char *v = cpu_operand(k, b->arg[0]);
	const char *at = arena_printf(k->arena, "%s at %s:%d", v, b->span.file ? b->span.file : "", b->span.line);

	if (!k->debug)
		return;
	if (b->op == LCU_confirm)
		emit_line(k->e, "nesl_confirm(%s, %s);", v, emit_string(k->e, at, (int)strlen(at)));
	else
		emit_line(k->e, "nesl_%s(%s);", cpu_op(k, b)->name, v);
}

static void
binding(Cpu *k, const Bind *b)
{
	const OpInfo *op = cpu_op(k, b);

	if (is_put(k, b)) {
		*map_at(k->put, b->dst[0]) = (void *)b;
		return;
	}
	if (b->op == LCU_free && *map_at(k->put, b->arg[0].u.var))
		return;
	if (k->mem_limit && bind_makes_array(k->p, b))
		emit_line(k->e, "nesl_at = &nesl_sites[%d];", cpu_numbered(k, b)->site);
	if (op->cls == OP_CONTROL)
		control(k, b);
	else if (op->cls == OP_EFFECT)
		effect(k, b);
	else if (b->op == LCU_host_check)
		host_check(k, b);
	else if (b->op == LCU_clock)
		read_clock(k, b);
	else if (b->op == LCU_reserve)
		emit_line(k->e, "nesl_reserve(%s);", operand_list(k, b->arg, b->narg));
	else if (b->op == LCU_free)
		give_up(k, b, "nesl_free");
	else if (b->op == LCU_counted)
		emit_line(k->e, "nesl_total(%s);", cpu_operand(k, b->arg[0]));
	else if (b->op == LCU_retain)
		give_up(k, b, "nesl_retain");
	else if (b->op == LCU_forget)
		forget_cell(k, b);
	else if (b->op == LCU_own || b->op == LCU_disown || b->op == LCU_confirm)
		owners(k, b);
	else if (b->ndst != 1)
		ice(b->span, "c", "%s on the host", op->name);
	else if (!unused(k, b->dst[0]))
		emit_line(k->e, "%s = %s;", declared(k, b->dst[0]),
			op->cls == OP_SCALAR ? scalar_text(k, b) : library_text(k, b));
}

void
cpu_block(Cpu *k, const Block *body)
{
	for (const Bind *b = body->first; b; b = b->next)
		binding(k, b);
}
