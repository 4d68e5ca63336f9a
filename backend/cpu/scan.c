/* scan.c: a function that is the scan by another (flatten/lift.c, nesl_cpu_scan.h).
 *
 * In   a scan, and its operator, which is scalar code (common/irscan.c says how their parameters fit)
 * Out  first_NAME_, up_NAME_, down_NAME_, last_NAME_, which apply the operator to pairs of elements or nodes of a block; and all_NAME,
 *      which is called in the scan's place.  Where the operator may meet a fault, and does, the scan's own code does all from
 *      the beginning, and tells it. */
#include "backend/cpu/cpu.h"

typedef struct Scan {
	Cpu *k;
	const Fun *f;
	ScanShape as;
	const char *name, *element;     /* of f's text; the type of an element: what the operator gives */
} Scan;

static Scan
scan_of(Cpu *k, const Fun *f)
{
	const ScanShape as = scan_shape(k->p, k->scalars, f);
	const char *all = cpu_result_type(k, as.by), *type = as.n == 1 ? emit_ctype(as.by->result[0])
		: arena_strndup(k->arena, all, strlen(all) - 1);

	return (Scan){k, f, as, cpu_fun(k, f), type};
}

/* Leaf i of an element that is there as one. */
static const char *
part(const Scan *s, const char *element, int i)
{
	return s->as.n == 1 ? element : cpu_result_of(s->k, s->as.by, element, i);
}

/* Leaf i of element `at` of the columns. */
static const char *
leaf(const Scan *s, const char *at, int i)
{
	return arena_printf(s->k->arena, "v%d_[%s]", i, at);
}

/* An element, of the texts of its leaves. */
static const char *
joined(const Scan *s, const char *leaves)
{
	return s->as.n == 1 ? leaves : cpu_results(s->k, s->as.by, leaves);
}

typedef const char *Leaf(const Scan *s, const char *where, int i);

/* The operator, of a and b. */
static const char *
applied(const Scan *s, Leaf *la, const char *a, Leaf *lb, const char *b)
{
	const char **arg = NEW(s->k->arena, const char *, s->as.by->nparam);

	for (int i = 0; i < s->as.own; i++)
		arg[i] = arena_printf(s->k->arena, "x->%s", cpu_name(s->k, s->f->param[i]));
	for (int i = 0; i < s->as.n; i++) {
		arg[s->as.own + i] = la(s, a, i);
		arg[s->as.own + s->as.n + i] = lb(s, b, i);
	}
	return cpu_call_text(s->k, s->as.by, scalar_has_own(s->k->scalars, s->as.by), "calls_", arg);
}

/* columns: it reads the scan's operands; others only what the operator captured. */
static void
open_function(const Scan *s, const char *kind, const char *params, bool columns)
{
	Emit *e = s->k->e;

	emit_line(e, "static void");
	emit_line(e, "%s_%s_(const void *x_, nesl_scalar_calls *calls_, %s)", kind, s->name, params);
	emit_open(e, "{");
	if (columns || s->as.own > 0)
		emit_line(e, "const struct scan_%s_ *const x = x_;", s->name);
	else
		emit_line(e, "(void)x_;");
	if (!s->as.faults)
		emit_line(e, "(void)calls_;");
}

static void
close_function(const Scan *s)
{
	emit_close(s->k->e, "}");
	emit_blank(s->k->e);
}

/* May result i have the memory of column i?  Where a fault may be met that is needed again. */
static bool
may_replace(const Scan *s, int i)
{
	return s->k->reuses && !s->as.faults && !fun_borrows(s->f, s->as.own + s->as.n + i);
}

/* The columns, from element lo_ on: operands (`v`) or results.  An element is read before a result takes its place. */
static void
columns(const Scan *s, const char *kind, bool results)
{
	for (int i = 0; i < s->as.n; i++)
		emit_line(s->k->e, "%s%s *const %s%s%d_ = x->%s%d_ + lo_;", results ? "" : "const ", emit_ctype(s->as.by->result[i]),
			may_replace(s, i) ? "" : "restrict ", kind, i, kind, i);
}

/* Behind an application, in its loop. */
static void
stop_at_fault(const Scan *s)
{
	if (!s->as.faults)
		return;
	emit_open(s->k->e, "if (calls_->fault)");
	emit_line(s->k->e, "return;");
	emit_close(s->k->e, "");
}

static void
print_first(const Scan *s)
{
	Emit *e = s->k->e;
	const char *one = "";

	open_function(s, "first", "i64 lo_, i64 n_, void *to_", true);
	columns(s, "v", false);
	emit_line(e, "%s *const restrict to = to_;", s->element);
	emit_open(e, "for (i64 i_ = 0; i_ < n_ / 2; i_++) {");
	emit_line(e, "to[i_] = %s;", applied(s, leaf, "2 * i_", leaf, "2 * i_ + 1"));
	stop_at_fault(s);
	emit_close(e, "}");
	for (int i = 0; i < s->as.n; i++)
		one = arena_printf(s->k->arena, "%s%s%s", one, i ? ", " : "", leaf(s, "n_ - 1", i));
	emit_open(e, "if (n_ %% 2)");
	emit_line(e, "to[n_ / 2] = %s;", joined(s, one));
	emit_close(e, "");
	close_function(s);
}

static void
print_up(const Scan *s)
{
	Emit *e = s->k->e;

	open_function(s, "up", "const void *from_, i64 n_, void *to_", false);
	emit_line(e, "const %s *const restrict from = from_;", s->element);
	emit_line(e, "%s *const restrict to = to_;", s->element);
	emit_open(e, "for (i64 i_ = 0; i_ < n_ / 2; i_++) {");
	emit_line(e, "to[i_] = %s;", applied(s, part, "from[2 * i_]", part, "from[2 * i_ + 1]"));
	stop_at_fault(s);
	emit_close(e, "}");
	emit_open(e, "if (n_ %% 2)");
	emit_line(e, "to[n_ / 2] = from[n_ - 1];");
	emit_close(e, "");
	close_function(s);
}

static void
print_down(const Scan *s)
{
	Emit *e = s->k->e;

	open_function(s, "down", "const void *s_, const void *from_, i64 n_, void *to_", false);
	emit_line(e, "const %s *const restrict s = s_;", s->element);
	emit_line(e, "const %s *const restrict from = from_;", s->element);
	emit_line(e, "%s *const restrict to = to_;", s->element);
	emit_open(e, "for (i64 i_ = 0; i_ < n_ / 2; i_++) {");
	emit_line(e, "to[2 * i_] = s[i_];");
	emit_line(e, "to[2 * i_ + 1] = %s;", applied(s, part, "s[i_]", part, "from[2 * i_]"));
	stop_at_fault(s);
	emit_close(e, "}");
	emit_open(e, "if (n_ %% 2)");
	emit_line(e, "to[n_ - 1] = s[n_ / 2];");
	emit_close(e, "");
	close_function(s);
}

/* All leaves of an element become element `at` of the results. */
static void
store(const Scan *s, const char *at, const char *element)
{
	for (int i = 0; i < s->as.n; i++)
		emit_line(s->k->e, "r%d_[%s] = %s;", i, at, part(s, element, i));
}

static void
print_last(const Scan *s)
{
	Emit *e = s->k->e;

	open_function(s, "last", "const void *s_, i64 lo_, i64 n_", true);
	columns(s, "v", false);
	columns(s, "r", true);
	emit_line(e, "const %s *const restrict s = s_;", s->element);
	emit_open(e, "for (i64 i_ = 0; i_ < n_ / 2; i_++) {");
	emit_line(e, "const %s second = %s;", s->element, applied(s, part, "s[i_]", leaf, "2 * i_"));
	stop_at_fault(s);
	store(s, "2 * i_", "s[i_]");
	store(s, "2 * i_ + 1", "second");
	emit_close(e, "}");
	emit_open(e, "if (n_ %% 2) {");
	store(s, "n_ - 1", "s[n_ / 2]");
	emit_close(e, "}");
	close_function(s);
}

static void
print_struct(const Scan *s)
{
	const char *fields = "";

	for (int i = 0; i < s->as.own; i++)
		fields = arena_printf(s->k->arena, "%s%s%s; ", fields, cpu_type(s->f->param[i]->ty), cpu_name(s->k, s->f->param[i]));
	for (int i = 0; i < s->as.n; i++)
		fields = arena_printf(s->k->arena, "%sconst %s *v%d_; %s *r%d_; ", fields, emit_ctype(s->as.by->result[i]), i,
			emit_ctype(s->as.by->result[i]), i);
	emit_line(s->k->e, "struct scan_%s_ { %s};", s->name, fields);
	emit_blank(s->k->e);
}

/* A call of nesl_scan_by, which gives whether it was done. */
static const char *
run(const Scan *s)
{
	Cpu *k = s->k;
	const char *x = "", *total = "";
	const Fun *f = s->f;

	for (int i = 0; i < s->as.n; i++) {
		const char *v = cpu_name(k, scan_column(&s->as, s->f, i));

		emit_line(k->e, "nesl_vec *const r%d_ = %s%s->count, %d);", i, may_replace(s, i) ? arena_printf(k->arena, "nesl_replace(%s, ", v)
			: "nesl_new(", v, emit_size(k->e, f->result[i]));
	}
	for (int i = 0; i < s->as.own; i++)
		x = arena_printf(k->arena, "%s%s%s", x, *x ? ", " : "", cpu_name(k, f->param[i]));
	for (int i = 0; i < s->as.n; i++) {
		x = arena_printf(k->arena, "%s%s%s->data, r%d_->data", x, *x ? ", " : "", cpu_name(k, scan_column(&s->as, s->f, i)), i);
		total = arena_printf(k->arena, "%s%s%s", total, i ? ", " : "", cpu_name(k, scan_identity(&s->as, f, i)));
	}
	emit_line(k->e, "static const nesl_scan_code code_ = {sizeof(%s), first_%s_, up_%s_, down_%s_, last_%s_};", s->element, s->name, s->name,
		s->name, s->name);
	emit_line(k->e, "const struct scan_%s_ x_ = {%s};", s->name, x);
	emit_line(k->e, "%s total_ = %s;", s->element, joined(s, total));
	emit_blank(k->e);
	return arena_printf(k->arena, "nesl_scan_by(&nesl_tasks[%d], &code_, &x_, %s->count, &total_, %d)", cpu_numbered(k, f)->task,
		cpu_name(k, scan_column(&s->as, s->f, 0)), scalar_fun_of(k->scalars, s->as.by)->deep);
}

static void
give(const Scan *s)
{
	Cpu *k = s->k;
	const char *r = "";

	for (int i = 0; i < s->f->nparam; i++) {
		const int column = i - s->as.own - s->as.n;

		if (!ty_counted(s->f->param[i]->ty) || fun_borrows(s->f, i))
			continue;
		if (column >= 0 && column < s->as.n && may_replace(s, column))
			emit_line(k->e, "nesl_replaced(%s, r%d_);", cpu_name(k, s->f->param[i]), column);
		else
			emit_line(k->e, "nesl_free(%s);", cpu_name(k, s->f->param[i]));
	}
	for (int i = 0; i < s->as.n; i++)
		r = arena_printf(k->arena, "%sr%d_, ", r, i);
	for (int i = 0; i < s->as.n; i++)
		r = arena_printf(k->arena, "%s%s%s", r, i ? ", " : "", part(s, "total_", i));
	emit_line(k->e, "return (struct fn_%s){%s};", s->name, r);
}

void
cpu_all_scan(Cpu *k, const Fun *f)
{
	const Scan s = scan_of(k, f);
	const char *call, *args = "";

	print_struct(&s);
	print_first(&s);
	print_up(&s);
	print_down(&s);
	print_last(&s);
	emit_source(k->e, f->span);
	emit_line(k->e, "static %s", cpu_result_type(k, f));
	emit_line(k->e, "all_%s(%s)", s.name, cpu_parameters(k, f));
	emit_open(k->e, "{");
	call = run(&s);
	if (!s.as.faults) {
		emit_line(k->e, "%s;", call);
		give(&s);
	} else {
		emit_open(k->e, "if (%s) {", call);
		give(&s);
		emit_close(k->e, "}");
		for (int i = 0; i < s.as.n; i++)
			emit_line(k->e, "nesl_free(r%d_);", i);
		for (int i = 0; i < f->nparam; i++)
			args = arena_printf(k->arena, "%s%s%s", args, i ? ", " : "", cpu_name(k, f->param[i]));
		emit_line(k->e, "return fn_%s(%s);", s.name, args);
	}
	emit_close(k->e, "}");
	emit_blank(k->e);
}
