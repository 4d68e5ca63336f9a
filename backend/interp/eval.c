/* eval.c: blocks, calls, conditionals, apply-to-each.
 *
 * How  Nested, sequential, in the order of the text; the first fault met is the form's.  A call in tail
 *      position ends its frame first, so loops written as recursion run in constant space.  With all_faults
 *      the elements of an apply-to-each go on after one that faults, and then it faults as a whole. */
#include "backend/interp/eval.h"
#include "backend/interp/watch.h"
#include "backend/rt/nesl_effect.h"
#include <string.h>

Value
arg_see(const Value *slot, const Step *s, int k)
{
	return s->arg[k].slot < 0 ? s->arg[k].k : slot[s->arg[k].slot];
}

Value
arg_take(Value *slot, const Arg *a)
{
	Value v;

	if (a->slot < 0)
		return a->k;
	v = slot[a->slot];
	if (!a->last)
		return value_keep(v, a->ty);
	slot[a->slot] = (Value){0};
	return v;
}

Outcome
eval_fault(Machine *m, const Step *s, const char *kind, i64 a, i64 b, i64 c)
{
	LIST_ADD(m->u->arena, &m->faults, ((Fault){.kind = kind, .v = {a, b, c}, .span = s->bind->span}));
	return RUN_FAULT;
}

static void
drop_slots(const Function *f, Value *slot, const int *drop, int n)
{
	for (int i = 0; i < n; i++) {
		value_drop(slot[drop[i]], f->slot[drop[i]]);
		slot[drop[i]] = (Value){0};
	}
}

static Outcome
run_code(Machine *m, Value *slot, const Code *code)
{
	const Function *f = m->running;

	drop_slots(f, slot, code->drop, code->ndrop);
	for (int i = 0; i < code->nstep; i++) {
		const Step *s = &code->step[i];
		Outcome end = s->run(m, slot, s);

		if (end != RUN_OK)
			return end;
		drop_slots(f, slot, s->drop, s->ndrop);
	}
	return RUN_OK;
}

/* -- calls ------------------------------------------------------------------------------------ */
static Outcome
run_frame(Machine *m, const Function *f, const Value *arg, Value *result)
{
	Value slot[f->nslot + 1];
	const Function *caller = m->running;
	Outcome end;

	memset(slot, 0, sizeof slot);
	m->running = f;
	for (int i = 0; i < f->code->nparam; i++)
		slot[f->code->param[i]] = arg[i];
	end = run_code(m, slot, f->code);
	if (end == RUN_OK)
		for (int i = 0; i < f->code->nyield; i++)
			result[i] = arg_take(slot, &f->code->yield[i]);
	else if (end == RUN_FAULT)
		for (int i = 0; i < f->nslot; i++)
			value_drop(slot[i], f->slot[i]);
	m->running = caller;
	return end;
}

Outcome
eval_function(Machine *m, Function *f, Value *arg, Value *result)
{
	Outcome end;

	while ((end = run_frame(m, f, arg, result)) == RUN_TAIL) {
		f = m->tail;
		arg = m->tail_arg;
	}
	return end;
}

static bool
watched(const Function *f)
{
	return f->watch.trace || f->watch.profile;
}

static Outcome
call_deeper(Machine *m, Value *slot, const Step *s)
{
	Value arg[s->bind->narg + 1], result[s->bind->ndst + 1];
	Outcome end;

	for (int i = 0; i < s->bind->narg; i++)
		arg[i] = arg_take(slot, &s->arg[i]);
	if (watched(s->callee))
		watch_enter(m, s->callee, arg);
	end = eval_function(m, s->callee, arg, result);
	if (watched(s->callee))
		watch_leave(m, s->callee, end == RUN_OK ? result : NULL);
	if (end == RUN_OK)
		for (int i = 0; i < s->bind->ndst; i++)
			slot[s->dst[i]] = result[i];
	return end;
}

static Outcome
run_call(Machine *m, Value *slot, const Step *s)
{
	bool counted = s->callee->fun->recursive;
	int before = m->faults.n;
	Outcome end;
	char here;

	if (s->tail && !watched(s->callee)) {
		for (int i = 0; i < s->bind->narg; i++)
			m->tail_arg[i] = arg_take(slot, &s->arg[i]);
		m->tail = s->callee;
		return RUN_TAIL;
	}
	if ((counted && m->depth == m->max_depth) || &here < m->stack_end)
		return eval_fault(m, s, "recursion-depth", m->depth, 0, 0);
	m->depth += counted;
	end = call_deeper(m, slot, s);
	m->depth -= counted;
	for (int i = before; end == RUN_FAULT && i < m->faults.n; i++) {
		Fault *f = &m->faults.at[i];

		if (s->callee->basis && code_in_basis(m->u, f->span.file)) {
			f->span = s->bind->span;
			f->path.n = f->path.more = 0;
		}
	}
	return end;
}

/* -- control ---------------------------------------------------------------------------------- */
static Outcome
run_if(Machine *m, Value *slot, const Step *s)
{
	const Code *arm = s->block[arg_see(slot, s, 0).i ? 0 : 1];
	Outcome end = run_code(m, slot, arm);

	if (end == RUN_OK)
		for (int i = 0; i < s->bind->ndst; i++)
			slot[s->dst[i]] = arg_take(slot, &arm->yield[i]);
	return end;
}

/* Element i of every source, the body, element i of every result. */
static Outcome
run_element(Machine *m, Value *slot, const Step *s, i64 i)
{
	const Code *body = s->block[0];
	Outcome end;

	for (int k = 0; k < body->nparam; k++)
		slot[body->param[k]] = seq_get(arg_see(slot, s, k).s, i);
	end = run_code(m, slot, body);
	if (end == RUN_OK)
		for (int k = 0; k < s->bind->ndst; k++)
			seq_set(slot[s->dst[k]].s, i, arg_take(slot, &body->yield[k]));
	return end;
}

/* What an element that faults leaves: its slots are those from the body's first to what is bound after it. */
static void
drop_body(const Function *f, Value *slot, const Step *s)
{
	for (int i = s->block[0]->param[0]; i < s->dst[0]; i++) {
		value_drop(slot[i], f->slot[i]);
		slot[i] = (Value){0};
	}
}

static Outcome
run_foreach(Machine *m, Value *slot, const Step *s)
{
	i64 n = arg_see(slot, s, 0).s->n;
	Outcome end = RUN_OK;

	for (int k = 1; k < s->bind->narg; k++)
		if (arg_see(slot, s, k).s->n != n)
			return eval_fault(m, s, "length-mismatch", n, arg_see(slot, s, k).s->n, 0);
	for (int k = 0; k < s->bind->ndst; k++)
		slot[s->dst[k]].s = seq_new(s->bind->dst[k]->ty->a, n);
	for (i64 i = 0; i < n && (end == RUN_OK || m->all_faults); i++) {
		int before = m->faults.n;

		if (run_element(m, slot, s, i) == RUN_OK)
			continue;
		end = RUN_FAULT;
		for (Fault *f = m->faults.at + before; f < m->faults.at + m->faults.n; f++)
			if (span_equal(f->span, s->bind->span))         /* both of one library function */
				f->path.n = f->path.more = 0;
			else
				nesl_path_add(&f->path, i);
		drop_body(m->running, slot, s);
	}
	return end;
}

static Outcome
run_cell(Machine *m, Value *slot, const Step *s)
{
	if (!m->bound[s->cell])
		return eval_fault(m, s, "unbound-cell", 0, 0, 0);
	slot[s->dst[0]] = value_keep(m->cell[s->cell], m->cell_type[s->cell]);
	if (m->cell_type[s->cell]->kind == TY_INT)      /* of a literal it holds what is echoed */
		slot[s->dst[0]].i = int_wrapped(m->u->ir->int_bits, slot[s->dst[0]].i);
	return RUN_OK;
}

/* Elements are evaluated one after the other, so each has a time of its own. */
static Outcome
run_clock(Machine *m, Value *slot, const Step *s)
{
	(void)m;
	slot[s->dst[0]].f = nesl_now();
	return RUN_OK;
}

/* -- operators -------------------------------------------------------------------------------- */
/* The same bits. */
static Scalar scalar_of(Value v) { return (Scalar){.i = v.i}; }
static Value value_of(Scalar x) { return (Value){.i = x.i}; }

static Outcome
run_scalar(Machine *m, Value *slot, const Step *s)
{
	int n = s->bind->narg;
	Scalar a = scalar_of(arg_see(slot, s, 0));
	Scalar b = n > 1 ? scalar_of(arg_see(slot, s, 1)) : a, c = n > 2 ? scalar_of(arg_see(slot, s, 2)) : a;

	if (s->guard && !s->guard(a, b, c).i)
		return eval_fault(m, s, m->u->ir->ir->op[s->bind->op].fault, 0, 0, 0);
	slot[s->dst[0]] = value_of(s->fn(a, b, c));
	return RUN_OK;
}

static Outcome
run_reduce(Machine *m, Value *slot, const Step *s)
{
	const Seq *v = arg_see(slot, s, 0).s;
	Scalar sum = s->identity;

	(void)m;
	for (i64 i = 0; i < v->n; i++)
		sum = s->fn(sum, scalar_of(seq_get(v, i)), sum);
	slot[s->dst[0]] = value_of(sum);
	return RUN_OK;
}

/* By what is better than what was found so far. */
static Outcome
run_reduce_at(Machine *m, Value *slot, const Step *s)
{
	const Seq *v = arg_see(slot, s, 0).s, *places = arg_see(slot, s, 1).s;
	const ScalarFn better = s->fn;
	Scalar best = s->identity;
	i64 at = int_greatest(m->u->ir->int_bits);

	for (i64 i = 0; i < v->n; i++) {
		const Scalar x = scalar_of(seq_get(v, i));
		const i64 place = seq_get(places, i).i;
		const bool equal = s->equal(x, best, x).i;

		if (better(x, best, x).i || (equal && place < at)) {
			best = x;
			at = place;
		}
	}
	slot[s->dst[0]].i = at;
	return RUN_OK;
}

static Outcome
run_scan(Machine *m, Value *slot, const Step *s)
{
	const Seq *v = arg_see(slot, s, 0).s;
	Seq *r = seq_new(v->elem, v->n);
	Scalar sum = s->identity;

	(void)m;
	for (i64 i = 0; i < v->n; i++) {
		seq_set(r, i, value_of(sum));
		sum = s->fn(sum, scalar_of(seq_get(v, i)), sum);
	}
	slot[s->dst[0]].s = r;
	return RUN_OK;
}

StepFn
eval_operator(const OpInfo *op)
{
	static const struct {
		const char *name;
		StepFn run;
	} control[] = {{"call", run_call}, {"if", run_if}, {"foreach", run_foreach}, {"cell", run_cell}, {"clock", run_clock}};

	switch (op->cls) {
	case OP_SCALAR: return run_scalar;
	case OP_REDUCE: return op_finds_place(op) ? run_reduce_at : run_reduce;
	case OP_SCAN: return run_scan;
	case OP_SEQUENCE: return sequence_operator(op->name);
	case OP_EFFECT: return strcmp(op->name, "error") == 0 ? run_error : run_effect;
	case OP_CONTROL:
		for (int i = 0; i < (int)(sizeof control / sizeof *control); i++)
			if (strcmp(op->name, control[i].name) == 0)
				return control[i].run;
		return sequence_operator(op->name);
	case OP_VECTOR:
	case OP_SOURCE:
	case OP_SINK:
	case OP_LIBRARY:
	case OP_HOST:
	case OP_STATE: break;
	}
	return NULL;
}
