/* call.c: a task in its place on the host.
 *
 * In   the plan of a task or of one that is the same, the functors written
 * Out  its results' memory, the figures of --stats, one call of a skeleton for each pass; what these found, when the host has
 *      waited for it (await.c) */
#include "backend/cuda/functor.h"

typedef struct {
	Gen *g;
	const Bind *task;
	const Plan *t;          /* of the first task that is the same */
} Call;

/* -- from the first task to this one ------------------------------------------------------------- */
/* What stands here where the first has v, a result or a variable of the host. */
static const Var *
var_here(const Call *c, const Var *v)
{
	for (int i = 0; i < c->task->ndst; i++)
		if (c->t->task->dst[i] == v)
			return c->task->dst[i];
	return same_var(c->g->same, c->task, v);
}

static const Bind *
step_here(const Call *c, const Bind *step)
{
	const Bind *here = c->task->block[0]->first;

	for (const Bind *b = c->t->body->first; b != step; b = b->next)
		here = here->next;
	return here;
}

static const Var *
result_here(const Call *c, const Bind *sink)
{
	const Var *r = plan_result(c->t, sink);

	return r ? var_here(c, r) : NULL;
}

/* Of what belongs to this call of the task alone: no name of the program ends in an underscore. */
static const char *
own_name(const Call *c, const char *what)
{
	return arena_printf(c->g->a, "%s_%d_", what, gen_task(c->g, c->task));
}

/* Is the host told how many elements a descriptor of it has? */
static bool
has_told_total(const Call *c)
{
	for (const Bind *b = c->t->body->first; b; b = b->next)
		if (lcu_total(b))
			return true;
	return false;
}

/* Where the task's checks stand, and the ways out of them, if one has any. */
static void
checks(const Call *c)
{
	const Steps *told = &c->t->told;
	const char *ways = "";
	bool any = false;

	for (int i = 0; i < told->n; i++) {
		const Bind *check = step_here(c, told->at[i]);

		any = any || check->nway > 0;
		ways = arena_printf(c->g->a, "%s%s%s", ways, i ? ", " : "", check->nway ? gen_way(c->g, check) : "NESL_END");
	}
	if (told->n)
		emit_line(c->g->e, "const nesl_faults %s = nesl_checks(%d, %d%s);", own_name(c, "faults"), told->n,
			gen_task_site(c->g, c->task), any ? arena_printf(c->g->a, ", {%s}", ways) : "");
	if (has_told_total(c))          /* ranked behind the checks: where one has failed, lengths may be nonsense */
		emit_line(c->g->e, "const nesl_faults %s = nesl_expects();", own_name(c, "beyond"));
}

static const char *
member_here(const Call *c, const Member *m)
{
	Gen *g = c->g;

	if (m->var)
		return emit_cname(g->e, var_here(c, m->var)->name);
	if (m->spilled)
		return spill_name(g, step_here(c, m->spilled));
	return arena_printf(c->g->a, "%s%d_", m->name, gen_task(c->g, c->task));
}

/* The text that makes a functor. */
static const char *
made(const Call *c, const Functor *f)
{
	const char *r = arena_printf(c->g->a, "%s{", f->name);

	for (int i = 0; i < f->member.n; i++)
		r = arena_printf(c->g->a, "%s%s%s", r, i ? ", " : "", member_here(c, &f->member.at[i]));
	return arena_printf(c->g->a, "%s}", r);
}

/* How many elements a level has, as host text. */
static const char *
count(Gen *g, const Bind *task, int level)
{
	if (level == 2)
		return arena_printf(g->a, "nesl_total(%s)", gen_name(g, task->arg[1]));
	return gen_name(g, task->arg[0]);
}

static bool
task_reads(const Bind *task, const Var *v)
{
	for (const Bind *s = task->block[0]->first; s; s = s->next)
		if (bind_reads(s, v))
			return true;
	return bind_reads(task, v);
}

static bool
frees(const Bind *b, const Var *v)
{
	while (b && b->op == LCU_free && !bind_reads(b, v))
		b = b->next;
	return b && b->op == LCU_free;
}

/* Is all that becomes of what a task keeps that it is appended, or appended to, before anything is called?  Where; else NULL. */
static const Bind *
appended(const Bind *task, const Var *v)
{
	for (const Bind *b = task->next; b; b = b->next) {
		if (b->op == LCU_extend && bind_reads(b, v))
			return b->arg[0].u.var == v || frees(b->next, v) ? b : NULL;
		if (b->op == LCU_task ? task_reads(b, v) : b->nblock > 0 || b->op == LCU_call || (bind_reads(b, v) && b->op != LCU_length))
			return NULL;
	}
	return NULL;
}

/* -- passes that go together ----------------------------------------------------------------------- */
/* How many passes from the k-th on are one launch if rows are apart: none may fold them but the last.  0: it has no rows. */
static int
together(const Call *c, int k)
{
	enum { MOST_MEMBERS = 128 };    /* 24 bytes each, of the 4096 that a kernel takes */
	int n = 0;

	for (int members = 0; c->task->by & ~(unsigned)BY_FLAT && k + n < c->t->pass.n; n++) {
		const Pass *p = &c->t->pass.at[k + n];

		members += p->with->member.n;
		if (p->level == 1 || p->flat || (n > 0 && (p[-1].rows.n || members > MOST_MEMBERS)))
			break;
	}
	return n;
}

/* -- counts that come first ----------------------------------------------------------------------- */
/* May what a task keeps be counted before there is memory for it (nesl_rooms)?  Of several packs of elements, which together have room for
 * more than there are. */
static bool
counts_first(const Call *c)
{
	const Pass *p = c->t->pass.at;
	bool elements = false;

	if (c->t->pass.n != 1 || p->kind != PASS_SCAN || p->fold.n || p->mask.n < 2 || c->t->told.n || c->t->spilled.n || together(c, 0))
		return false;
	for (int i = 0; i < p->keep.n; i++) {
		if (lcu_count(p->keep.at[i]) || p->keep.at[i]->op == LCU_keep_lengths)
			return false;
		elements |= p->keep.at[i]->op == LCU_keep;
	}
	return elements;
}

/* -- results ------------------------------------------------------------------------------------- */
/* Each element is read and stored by one thread, in this order: a map alone.  Other passes read what they need again.  Of two
 * types the compiler may do either first. */
static bool
in_place(const Plan *t, const Bind *sink)
{
	return t->pass.n == 1 && t->pass.at[0].kind == PASS_MAP && ty_equal(opnd_ty(sink->arg[1]), sink->dst[0]->ty);
}

/* How many elements, or rows, it makes at most: so many as there are, unless the host knows how many it keeps. */
static const char *
room(const Call *c, const Bind *sink)
{
	return lcu_count(sink) ? gen_name(c->g, *lcu_count(step_here(c, sink))) : count(c->g, c->task, sink->level);
}

static void
declare(const Call *c, const Bind *sink, const Var *r)
{
	Gen *g = c->g;
	const Bind *task = c->task;
	const char *name = emit_cname(g->e, r->name);

	if (sink->op == LCU_replace && in_place(c->t, sink))
		emit_line(g->e, "const %s %s = nesl_replace(%s, %s);", gen_type(g, r->ty), name, gen_name(g, step_here(c, sink)->arg[1]),
			count(g, task, sink->level));
	else if (lcu_stores(sink) || sink->op == LCU_scatter)
		emit_line(g->e, "const %s %s = nesl_new<%s>(%s);", gen_type(g, r->ty), name, emit_ctype(r->ty),
			count(g, task, sink->level));
	else if (sink->op == LCU_mark)
		emit_line(g->e, "const %s %s = nesl_taken(%s);", gen_type(g, r->ty), name, gen_name(g, step_here(c, sink)->arg[2]));
	else if (lcu_puts(sink) != LCU_NOP)
		emit_line(g->e, "const %s %s = nesl_filled(nesl_new<nint>(%s), %s);", gen_type(g, r->ty), name,
			gen_name(g, step_here(c, sink)->arg[2]), g->p->ir->op[lcu_puts(sink)].identity[0]);
	else if (sink->op == LCU_keep && counts_first(c))
		emit_line(g->e, "%s %s = {};", gen_type(g, r->ty), name);
	else if (sink->op == LCU_keep)
		emit_line(g->e, "%s%s %s = nesl_new<%s>(%s);", lcu_count(sink) ? "const " : "", gen_type(g, r->ty), name,
			emit_ctype(r->ty), room(c, sink));
	else if (sink->op == LCU_keep_segdes)
		emit_line(g->e, "const nesl_segdes %s = nesl_new_kept(%s);", name, gen_name(g, task->arg[1]));
	else if (lcu_total(sink))
		emit_line(g->e, "const nesl_segdes %s = nesl_new_told(%s, %s);", name, room(c, sink),
			gen_name(g, *lcu_total(step_here(c, sink))));
	else if (plan_segdes(sink))
		emit_line(g->e, "%snesl_segdes %s = nesl_new_measured(%s);", lcu_adds_lengths(sink) || lcu_count(sink) ? "const " : "",
			name, room(c, sink));
}

/* -- mappings ------------------------------------------------------------------------------------- */
/* How many lanes have a row of this task, or for its checks, how many elements there are: the host may wait for either, and
 * what it has then heard it forgets, ways of checks too. */
static void
ask_rows(const Call *c)
{
	Gen *g = c->g;
	static const char *const name[NMAPPING] = {"NESL_FLAT", "NESL_THREAD", "NESL_LANES"};
	const char *may = "";
	int most = 0;

	for (int k = 0; k < c->t->pass.n; k++)
		most = together(c, k) > most ? together(c, k) : most;
	if (most == 0) {
		if (c->t->told.n && c->task->narg == 2 && opnd_ty(c->task->arg[1])->kind == TY_SEGDES)
			emit_line(g->e, "%s;", count(g, c->task, 2));
		return;
	}
	for (int i = 0; i < NMAPPING; i++)
		if (c->task->by >> i & 1)
			may = arena_printf(g->a, "%s%s%s", may, *may ? " | " : "", name[i]);
	emit_line(g->e, "const int %s = nesl_lanes(%s, %s%s);", own_name(c, "lanes"), gen_name(g, c->task->arg[1]), may,
		most > 1 ? arena_printf(g->a, ", %d", most) : "");
}

/* -- figures -------------------------------------------------------------------------------------- */
typedef struct {
	int read[3], written[3];        /* bytes of an element, by level */
} Traffic;

static void
add_traffic(const Call *c, Traffic *t, const Pass *p, const Bind *b)
{
	const int level = plan_value_level(c->g, b), size = b->ndst ? emit_size(c->g->e, b->dst[0]->ty) : 0;

	switch (b->op) {
	case LCU_load:
	case LCU_fetch:
	case LCU_seg_length:
	case LCU_seg_start:
	case LCU_row_length:
	case LCU_row_start:
		t->read[b->level] += size;
		break;
	case LCU_store:
	case LCU_replace:
	case LCU_scatter:
	case LCU_mark:
	case LCU_put_sum:
	case LCU_put_max:
	case LCU_segdes:
	case LCU_segdes_of:
	case LCU_keep_segdes:
		t->written[b->op == LCU_keep_segdes ? 1 : b->level] += size;
		break;
	default:
		if (plan_lasts(c->g, c->t, b) && !plan_finds(p, b))
			t->read[level] += size;
		else if (steps_has(&c->t->spilled, b))
			t->written[level] += size;
		break;
	}
}

/* r: others; NULL: none. */
static const char *
bytes(Gen *g, const Bind *task, const int by_level[3], const char *r)
{
	for (int level = 1; level <= 2; level++)
		if (by_level[level])
			r = arena_printf(g->a, "%s%s%dL * %s", r ? r : "", r ? " + " : "", by_level[level],
				count(g, task, level));
	return r ? r : "0";
}

/* What is kept is told of when it is trimmed, unless the host knows how much it is. */
static const char *
kept_bytes(const Call *c)
{
	const char *r = NULL;

	for (const Bind *b = c->t->body->first; b; b = b->next)
		if (lcu_count(b))
			r = arena_printf(c->g->a, "%s%s%dL * %s", r ? r : "", r ? " + " : "", emit_size(c->g->e, b->dst[0]->ty), room(c, b));
	return r;
}

/* Of all passes, each with what it loads, and the offsets it walks along.  What a launch has loaded it has. */
static Traffic
traffic(const Call *c, bool by_rows)
{
	Traffic sum = {0};
	Steps done = {0};

	for (int k = 0, more = 0; k < c->t->pass.n; k++, more--) {
		const Pass *p = &c->t->pass.at[k];

		if (more <= 0) {
			done.n = 0;
			more = by_rows ? together(c, k) : 1;
			if (p->level == 2 && !p->flat && opnd_ty(c->task->arg[1])->kind == TY_SEGDES)
				sum.read[1] += 8;
		}
		for (int i = 0; i < p->step.n; i++)
			if (!steps_has(&done, p->step.at[i]))
				add_traffic(c, &sum, p, p->step.at[i]);
		for (int i = 0; i < p->step.n; i++)
			steps_add(c->g, &done, p->step.at[i]);
	}
	return sum;
}

/* Two texts, of which it depends on the mapping which holds. */
static const char *
either(const Call *c, const char *by_rows, const char *flat)
{
	return strcmp(by_rows, flat) == 0 ? flat
		: arena_printf(c->g->a, "%s ? %s : %s", own_name(c, "lanes"), by_rows, flat);
}

static void
figures(const Call *c)
{
	Gen *g = c->g;
	const Traffic rows = traffic(c, true), flat = traffic(c, false);
	const char *kept = kept_bytes(c);

	emit_line(g->e, "%s(%d, %s, %s);", g->awaited.n ? "nesl_next_task" : "nesl_task", gen_task(g, c->task),
		either(c, bytes(g, c->task, rows.read, NULL), bytes(g, c->task, flat.read, NULL)),
		either(c, bytes(g, c->task, rows.written, kept), bytes(g, c->task, flat.written, kept)));
}

/* -- passes --------------------------------------------------------------------------------------- */
/* The host's variable that wants what this reduction at level 1 gives; NULL: none does. */
static const Var *
scalar_here(const Call *c, const Bind *b)
{
	const Var *r = plan_anchor(c->g, b) ? result_here(c, b) : NULL;

	return r && c->g->used[r->id] ? r : NULL;
}

static bool
some_scalar_here(const Call *c, const Steps *l)
{
	for (int i = 0; i < l->n; i++)
		if (scalar_here(c, l->at[i]))
			return true;
	return false;
}

/* Does the host read what the pass finds? */
static bool
is_awaited(const Call *c, const Pass *p)
{
	if (some_scalar_here(c, &p->fold) || some_scalar_here(c, &p->rows) || some_scalar_here(c, &p->late))
		return true;
	for (int i = 0; i < p->keep.n; i++)
		if (!lcu_count(p->keep.at[i]))
			return true;
	return false;
}

static const char *
found_name(const Call *c, const Pass *p)
{
	const int k = (int)(p - c->t->pass.at) + 1;

	return own_name(c, c->t->pass.n > 1 ? arena_printf(c->g->a, "found_%d", k) : "found");
}

static const char *
found_by(const Call *c, const Pass *p)
{
	return is_awaited(c, p) ? arena_printf(c->g->a, "const auto *%s = ", found_name(c, p)) : "";
}

/* Of a skeleton: what it folds with, and how many outputs it has. */
static const char *
parameters(const Call *c, const Pass *p)
{
	if (p->late.n)
		return arena_printf(c->g->a, "<%s, %d, %s>", p->with->fold, p->mask.n, p->with->late);
	if (p->fold.n)
		return arena_printf(c->g->a, "<%s%s%s%s>", p->with->fold, p->rows.n ? ", " : "", p->rows.n ? p->with->rows : "",
			p->mask.n ? arena_printf(c->g->a, ", %d", p->mask.n) : "");
	return p->mask.n ? arena_printf(c->g->a, "<%d>", p->mask.n) : "";
}

static bool
has_rows(const Pass *p)
{
	return p->level == 2 && !p->flat;
}

/* What the pass goes over, as host text. */
static const char *
space(const Call *c, const Pass *p)
{
	return has_rows(p) ? gen_name(c->g, c->task->arg[1]) : count(c->g, c->task, p->level);
}

static void
call_pass(const Call *c, const Pass *p)
{
	static const char *const skeleton[][2] = {
		[PASS_MAP] = {"nesl_map", "nesl_expand"},
		[PASS_REDUCE] = {"nesl_reduce", "nesl_seg_reduce"},
		[PASS_SCAN] = {"nesl_scan", "nesl_seg_scan"},
	};
	const char *name = skeleton[p->kind][has_rows(p)];

	if (p->fold.n == 0 && p->kind == PASS_SCAN)
		name = has_rows(p) ? "nesl_seg_pack" : "nesl_pack";
	emit_line(c->g->e, "%s%s%s(%s, %s);", found_by(c, p), name, parameters(c, p), space(c, p), made(c, p->with));
}

/* What will be appended to what b keeps, if the same task keeps it. */
static const Bind *
next_part(const Call *c, const Pass *p, const Bind *b)
{
	const Var *r = result_here(c, b);
	const Bind *at = appended(c->task, r);

	for (int i = 0; at && at->arg[0].u.var == r && i < p->keep.n; i++) {
		const Bind *next = p->keep.at[i];

		if (next->op == LCU_keep && next != b && at->arg[1].kind == OPND_VAR
			&& at->arg[1].u.var == result_here(c, next) && appended(c->task, result_here(c, next)) == at)
			return next;
	}
	return NULL;
}

static bool
is_next_part(const Call *c, const Pass *p, const Bind *b)
{
	for (int i = 0; i < p->keep.n; i++)
		if (p->keep.at[i]->op == LCU_keep && next_part(c, p, p->keep.at[i]) == b)
			return true;
	return false;
}

/* Memory for what is kept: for all that there is, or counted. */
static void
take_rooms(const Call *c)
{
	Gen *g = c->g;
	const Pass *p = c->t->pass.at;
	const char *room = own_name(c, "room"), *counted = own_name(c, "counted");
	int size = 0;

	for (int i = 0; i < p->keep.n; i++)
		size += p->keep.at[i]->op == LCU_keep ? emit_size(g->e, p->keep.at[i]->dst[0]->ty) : 0;
	emit_line(g->e, "i64 %s[%d];", room, p->mask.n);
	emit_line(g->e, "const bool %s = nesl_rooms%s(%s, %s, %d, %s, %s, %s);", counted, parameters(c, p), space(c, p),
		count(g, c->task, p->level), size, bytes(g, c->task, traffic(c, false).read, NULL), room, made(c, p->with));
	for (int i = 0; i < p->keep.n; i++) {
		const Bind *b = p->keep.at[i], *next = b->op == LCU_keep ? next_part(c, p, b) : NULL;
		const Var *r = result_here(c, b);
		const char *name = emit_cname(g->e, r->name);

		if (next)
			emit_line(g->e, "nesl_new_two(%s, %s, %s[%d], %s, %s[%d]);", counted, name, room, plan_mask(p, b->arg[0]),
				emit_cname(g->e, result_here(c, next)->name), room, plan_mask(p, next->arg[0]));
		else if (b->op == LCU_keep && !is_next_part(c, p, b))
			emit_line(g->e, "%s = nesl_new<%s>(%s[%d]);", name, emit_ctype(r->ty), room, plan_mask(p, b->arg[0]));
	}
}

/* n passes from p on, that may be one launch. */
static void
call_together(const Call *c, const Pass *p, int n)
{
	static const char *const kind[] = {[PASS_MAP] = "nesl_mapped", [PASS_REDUCE] = "nesl_reduced", [PASS_SCAN] = "nesl_scanned"};
	Gen *g = c->g;
	const Pass *const last = p + n - 1;
	const char *head = arena_printf(g->a, "%snesl_rows(%s, %s,", found_by(c, last), gen_name(g, c->task->arg[1]),
		own_name(c, "lanes"));
	LIST(const char *) pass = {0};

	for (; p <= last; p++)
		LIST_ADD(g->a, &pass, arena_printf(g->a, "%s%s(%s)", kind[p->kind], parameters(c, p), made(c, p->with)));
	if (n == 1) {
		emit_line(g->e, "%s %s);", head, pass.at[0]);
		return;
	}
	emit_open(g->e, "%s", head);
	for (int i = 0; i < n; i++)
		emit_line(g->e, "%s%s", pass.at[i], i < n - 1 ? "," : ");");
	emit_close(g->e, "");
}

static void
call_passes(const Call *c)
{
	for (int k = 0, n; k < c->t->pass.n; k += n ? n : 1) {
		n = together(c, k);
		if (n)
			call_together(c, &c->t->pass.at[k], n);
		else
			call_pass(c, &c->t->pass.at[k]);
	}
}

/* -- what passes have found -------------------------------------------------------------------------- */
/* which: of what the pass has found, that which is of the type of l. */
static void
take_scalars(const Call *c, const Pass *p, const Steps *l, const char *which)
{
	Gen *g = c->g;
	const char *fold = arena_printf(g->a, "%s->%s", found_name(c, p), which);

	for (int i = 0; i < l->n; i++) {
		const Bind *b = l->at[i];

		if (scalar_here(c, b))
			emit_line(g->e, "const %s %s = %s;", emit_ctype(b->dst[0]->ty),
				emit_cname(g->e, scalar_here(c, b)->name), fold_value(g, l, b, fold));
		else if (plan_segdes(b))
			emit_line(g->e, "nesl_has_lengths(%s, %s);", emit_cname(g->e, result_here(c, b)->name),
				fold_value(g, l, b, fold));
	}
}

static void
take_kept(const Call *c, const Pass *p)
{
	Gen *g = c->g;

	for (int i = 0; i < p->keep.n; i++) {
		const Bind *b = p->keep.at[i];
		const char *r = emit_cname(g->e, result_here(c, b)->name);
		const char *kept = arena_printf(g->a, "%s->kept[%d]", found_name(c, p), plan_mask(p, b->arg[0]));

		if (lcu_count(b))
			continue;
		if (b->op == LCU_keep)
			emit_line(g->e, "%s = nesl_%s(%s, %s);", r, appended(c->task, result_here(c, b)) ? "first" : "trim", r, kept);
		else if (b->op == LCU_keep_lengths)
			emit_line(g->e, "%s = nesl_trim_rows(%s, %s);", r, r, kept);
		else
			emit_line(g->e, "nesl_has_kept(%s, %s);", r, kept);
	}
}

static bool
finds(const Call *c)
{
	for (int k = 0; k < c->t->pass.n; k++)
		if (is_awaited(c, &c->t->pass.at[k]))
			return true;
	return false;
}

static Call
call_of(Gen *g, const Bind *task)
{
	return (Call){g, task, g->plan[gen_task(g, same_first(g->same, task)) - 1]};
}

void
task_take(Gen *g, const Bind *task)
{
	const Call c = call_of(g, task);

	for (int k = 0; k < c.t->pass.n; k++) {
		const Pass *p = &c.t->pass.at[k];

		if (!is_awaited(&c, p))
			continue;
		take_scalars(&c, p, &p->fold, "fold");
		take_scalars(&c, p, &p->rows, "fold");
		take_scalars(&c, p, &p->late, "late");
		take_kept(&c, p);
	}
}

/* Memory for values that one pass leaves to another. */
static void
spills(const Call *c, bool begin)
{
	Gen *g = c->g;

	for (int i = 0; i < c->t->spilled.n; i++) {
		const Bind *step = c->t->spilled.at[i];
		const char *name = spill_name(g, step_here(c, step)), *type = emit_ctype(step->dst[0]->ty);

		if (begin)
			emit_line(g->e, "const nesl_vec<%s> %s = nesl_new<%s>(%s);", type, name, type,
				count(g, c->task, plan_value_level(g, step)));
		else
			emit_line(g->e, "nesl_free(%s);", name);
	}
}

/* What the host is told of a descriptor is how many elements it has; how long rows are it hears at some wait, if not of this task. */
static void
measures(const Call *c)
{
	for (int k = 0; k < c->t->pass.n; k++) {
		const Pass *p = &c->t->pass.at[k];

		for (int i = 0; i < p->fold.n && !is_awaited(c, p); i++)
			if (lcu_total(p->fold.at[i]))
				emit_line(c->g->e, "nesl_measures(%s);", emit_cname(c->g->e, result_here(c, p->fold.at[i])->name));
	}
}

void
task_call(Gen *g, const Bind *task)
{
	const Call c = call_of(g, task);
	const Plan *t = c.t;

	emit_place(g->e, task->span);
	if (scalar_task_loops(g->scalars, task))
		emit_line(g->e, "nesl_settle();");
	for (const Bind *b = t->body->first; b; b = b->next)
		if (result_here(&c, b))
			declare(&c, b, result_here(&c, b));
	spills(&c, true);
	ask_rows(&c);
	figures(&c);
	if (counts_first(&c))
		take_rooms(&c);
	checks(&c);
	call_passes(&c);
	measures(&c);
	if (finds(&c))
		LIST_ADD(g->a, &g->awaited, task);
	spills(&c, false);
	for (const Bind *b = t->body->first; b; b = b->next)
		if (b->op == LCU_replace)
			emit_line(g->e, "nesl_replaced(%s, %s);", gen_name(g, step_here(&c, b)->arg[1]),
				emit_cname(g->e, result_here(&c, b)->name));
	await_after(g, task);
}
