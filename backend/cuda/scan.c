/* scan.c: a function that is the scan by another (flatten/lift.c, nesl_scan_by.h).
 *
 * In   a scan, and its operator, which is scalar code (backend/scans.h says how their parameters fit)
 * Out  scan_NAME_, what nesl_scan_by is called with; and all_NAME, which is called in the scan's place.  Where the operator may
 *      meet a fault, and does, the scan's own code does all from the beginning, and tells it. */
#include "backend/cuda/gen.h"

typedef struct {
	Gen *g;
	const Fun *f;
	ScanShape as;
	const char *name, *type;        /* of f; of the struct */
} Scan;

static const char *
cname(const Scan *s, const Var *v)
{
	return emit_cname(s->g->e, v->name);
}

static const char *
leaf_type(const Scan *s, int i)
{
	return emit_ctype(s->as.by->result[i]);
}

/* all, and one more. */
static const char *
listed(const Scan *s, const char *all, const char *one)
{
	return arena_printf(s->g->a, "%s%s%s", all, *all ? ", " : "", one);
}

/* Leaf i of x, an element. */
static const char *
leaf(const Scan *s, const char *x, int i)
{
	return arena_printf(s->g->a, "%s.of%d", x, i + 1);
}

/* -- what it is called with ---------------------------------------------------------------------------- */
/* The operator, of a and b. */
static void
emit_apply(const Scan *s)
{
	Emit *e = s->g->e;
	const bool own = scalar_has_own(s->g->scalars, s->as.by);
	const char *args = "";

	for (int i = 0; i < s->as.own; i++)
		args = listed(s, args, cname(s, s->f->param[i]));
	for (int i = 0; i < 2 * s->as.n; i++)
		args = listed(s, args, leaf(s, i < s->as.n ? "a_" : "b_", i % s->as.n));
	args = host_operands(s->g, s->as.by, s->as.faults ? "calls_" : NULL, args);
	emit_line(e, "__device__ T apply_(const T &a_, const T &b_, bool &failed_) const");
	emit_open(e, "{");
	emit_line(e, "T r_ = {};");
	if (s->as.faults)
		emit_line(e, "nesl_scalar_calls calls_ = nesl_first_call(faults_, %d);", s->as.by->recursive ? 0 : -1);
	emit_blank(e);
	for (int i = 0; s->as.n > 1 && i < s->as.n; i++)
		args = listed(s, args, leaf(s, "r_", i));
	emit_line(e, s->as.n > 1 ? "%s(%s);" : "r_.of1 = %s(%s);", host_called(s->g, s->as.by, own), args);
	if (s->as.faults)
		emit_line(e, "failed_ = failed_ || calls_.fault >= 0;");
	emit_line(e, "return r_;");
	emit_close(e, "}");
}

static void
emit_struct(const Scan *s)
{
	Emit *e = s->g->e;
	const char *leaves = "", *loaded = "", *stored = "";

	emit_open(e, "struct %s {", s->type);
	for (int i = 0; i < s->as.own; i++)
		emit_line(e, "%s %s;", gen_type(s->g, s->f->param[i]->ty), cname(s, s->f->param[i]));
	for (int i = 0; i < s->as.n; i++) {
		const char *v = cname(s, scan_column(&s->as, s->f, i));

		emit_line(e, "nesl_vec<%s> %s, to%d_;", leaf_type(s, i), v, i + 1);
		leaves = arena_printf(s->g->a, "%s%s of%d; ", leaves, leaf_type(s, i), i + 1);
		loaded = listed(s, loaded, arena_printf(s->g->a, "%s[e_]", v));
		stored = arena_printf(s->g->a, "%sto%d_.at[e_] = x_.of%d; ", stored, i + 1, i + 1);
	}
	if (s->as.faults)
		emit_line(e, "nesl_faults faults_;");
	emit_line(e, "struct T { %s};", leaves);
	emit_line(e, "static const bool fails_ = %s;", s->as.faults ? "true" : "false");
	emit_line(e, "__device__ T load_(i64 e_) const { return {%s}; }", loaded);
	emit_line(e, "__device__ void store_(i64 e_, const T &x_) const { %s}", stored);
	emit_apply(s);
	emit_close(e, "};");
	emit_blank(e);
}

/* -- the call ---------------------------------------------------------------------------------------- */
/* May result i have the memory of column i?  Where a fault may be met that is needed again. */
static bool
may_replace(const Scan *s, int i)
{
	return !s->g->u->no_reuse && !s->as.faults && !fun_borrows(s->f, s->as.own + s->as.n + i);
}

/* nesl_scan_by, which gives whether it was done. */
static const char *
call(const Scan *s, int task)
{
	Gen *g = s->g;
	const char *with = "", *total = "", *n = cname(s, scan_column(&s->as, s->f, 0));

	for (int i = 0; i < s->as.own; i++)
		with = listed(s, with, cname(s, s->f->param[i]));
	for (int i = 0; i < s->as.n; i++) {
		const char *v = cname(s, scan_column(&s->as, s->f, i)), *type = leaf_type(s, i);

		emit_line(g->e, "const nesl_vec<%s> to%d_ = %s%s.n);", type, i + 1, may_replace(s, i) ? arena_printf(g->a, "nesl_replace(%s, ", v)
			: arena_printf(g->a, "nesl_new<%s>(", type), n);
		with = arena_printf(g->a, "%s%s%s, to%d_", with, *with ? ", " : "", v, i + 1);
		total = listed(s, total, cname(s, scan_identity(&s->as, s->f, i)));
	}
	if (s->as.faults)
		with = listed(s, with, "nesl_unrecorded()");
	emit_line(g->e, "%s::T total_ = {%s};", s->type, total);
	emit_blank(g->e);
	return arena_printf(g->a, "nesl_scan_by(%d, %s.n, %s{%s}, &total_)", task, n, s->type, with);
}

/* The columns that it owns end; what it gives. */
static void
give(const Scan *s)
{
	Gen *g = s->g;

	for (int i = 0; i < s->f->nparam; i++) {
		const int column = i - s->as.own - s->as.n;

		if (!ty_counted(s->f->param[i]->ty) || fun_borrows(s->f, i))
			continue;
		if (column >= 0 && column < s->as.n && may_replace(s, column))
			emit_line(g->e, "nesl_replaced(%s, to%d_);", cname(s, s->f->param[i]), column + 1);
		else
			emit_line(g->e, "nesl_free(%s);", cname(s, s->f->param[i]));
	}
	for (int i = 0; i < s->as.n; i++) {
		emit_line(g->e, "r%d_ = to%d_;", i + 1, i + 1);
		emit_line(g->e, "r%d_ = %s;", s->as.n + i + 1, leaf(s, "total_", i));
	}
}

static void
own_code(const Scan *s)
{
	Gen *g = s->g;
	const char *args = "";

	for (int i = 0; i < s->as.n; i++)
		emit_line(g->e, "nesl_free(to%d_);", i + 1);
	for (int i = 0; i < s->f->nparam; i++)
		args = listed(s, args, cname(s, s->f->param[i]));
	for (int i = 0; i < s->f->nresult; i++)
		args = listed(s, args, arena_printf(g->a, "r%d_", i + 1));
	emit_line(g->e, "fn_%s(%s);", s->name, args);
}

void
scan_call(Gen *g, const Fun *f, int task, const char *head)
{
	const char *name = emit_cname(g->e, f->name), *done;
	const Scan s = {g, f, scan_shape(g->p, g->scalars, f), name, arena_printf(g->a, "scan_%s_", name)};

	emit_struct(&s);
	emit_source(g->e, f->span);
	emit_line(g->e, "%s", head);
	emit_open(g->e, "{");
	if (scalar_fun_of(g->scalars, s.as.by)->loops)          /* on nonsense it may not end */
		emit_line(g->e, "nesl_settle();");
	done = call(&s, task);
	if (!s.as.faults) {
		emit_line(g->e, "%s;", done);
		give(&s);
	} else {
		emit_open(g->e, "if (%s) {", done);
		give(&s);
		emit_else(g->e);
		own_code(&s);
		emit_close(g->e, "}");
	}
	emit_close(g->e, "}");
	emit_blank(g->e);
}
