/* interp.c: a unit's inputs and entries, run by the evaluator on a stack of its own.
 *
 * In   u->ir: normal; u->inputs with their paths.
 * Out  values on out, run-time errors on err, the exit status.
 * How  The stack is mapped without reserving memory for it, large enough that the limit on recursion
 *      comes first; where it cannot be had so large, its end is the limit. */
#include "backend/interp/interp.h"
#include "backend/interp/eval.h"
#include "backend/interp/watch.h"
#include "backend/rt/nesl_effect.h"
#include "backend/rt/nesl_fault.h"
#include "backend/rt/nesl_stream.h"
#include "backend/rt/nesl_threads.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const size_t stack_largest = (size_t)64 << 30, stack_smallest = (size_t)64 << 20;
static const size_t stack_margin = (size_t)16 << 20;    /* for what runs within a call */

typedef struct {
	Unit *u;
	InterpOptions o;
	Machine m;
	Function *all;
	int status;
} Interp;

/* -- inputs ----------------------------------------------------------------------------------- */
static const Cell *
input_cell(const Program *p, const char *name)
{
	for (const Cell *c = p->cells; c; c = c->next)
		if (c->input && strcmp(c->shown, name) == 0)
			return c;
	return NULL;
}

static int
read_input(Interp *in, const Input *input)
{
	const Cell *c = input_cell(in->u->ir, input->name);
	const char *type = c ? ty_text(in->u->arena, c->ty) : NULL;
	nesl_value v;
	nesl_leaf *leaf;
	char err[1024];
	int k;

	if (!c)
		return 0;       /* no form uses it */
	k = code_cell(in->u->ir, c->name);
	if (in->m.bound[k])
		return 0;
	if (!input->path) {
		fprintf(in->o.err, "nessie: the input %s needs a file: --input %s=PATH\n", input->name, input->name);
		return 4;
	}
	if (nesl_read_input(input->path, in->u->ir->int_bits, &v, err, sizeof err)) {
		fprintf(in->o.err, "%s\n", err);
		return 4;
	}
	if (strcmp(v.type, type) != 0) {
		fprintf(in->o.err, "nessie: input %s is declared %s, but %s holds a value of type %s\n",
			input->name, type, input->path, v.type);
		nesl_value_free(&v);
		return 4;
	}
	leaf = v.leaf;
	in->m.cell[k] = value_from_leaves(c->ty, &leaf);
	in->m.bound[k] = true;
	nesl_value_free(&v);
	return 0;
}

/* Inputs of a program read back from its text may have no file. */
static int
read_inputs(Interp *in)
{
	int status;

	for (const Input *i = in->u->inputs; i; i = i->next)
		if ((status = read_input(in, i)) != 0)
			return status;
	for (const Cell *c = in->u->ir->cells; c; c = c->next) {
		if (!c->input || in->m.bound[code_cell(in->u->ir, c->name)])
			continue;
		fprintf(in->o.err, "nessie: the input %s needs a file: --input %s=PATH\n", c->shown, c->shown);
		return 4;
	}
	return 0;
}

/* -- entries ---------------------------------------------------------------------------------- */
static nesl_site
site_of(const Interp *in, const char *kind, Span at)
{
	int n = 0, skipped = 0;
	bool more = false;
	const char *line = diag_shown(in->u->diag, at, &n, &skipped, &more);

	return (nesl_site){kind, at.file, at.line, at.col, at.len, line ? arena_printf(in->u->arena, "%.*s", n, line) : NULL, skipped, more};
}

static void
tell_fault(Interp *in, const Fault *f)
{
	const nesl_site site = site_of(in, f->kind, f->span);

	if (f->said && !nesl_fault_say(f->said))
		value_no_memory();
	nesl_fault_print(in->o.err, &site, f->v, &f->path);
}

/* Elements of the library's own apply-to-each are all the one call in the user's program. */
static bool
same_fault(const Fault *a, const Fault *b)
{
	return a->kind == b->kind && a->span.file == b->span.file && a->span.line == b->span.line
		&& a->span.col == b->span.col && a->path.n == b->path.n && a->path.more == b->path.more
		&& memcmp(a->path.index, b->path.index, sizeof *a->path.index * (size_t)a->path.n) == 0;
}

static void
tell_faults(Interp *in)
{
	fflush(in->o.out);
	for (int i = 0; i < in->m.faults.n; i++)
		if (i == 0 || !same_fault(&in->m.faults.at[i - 1], &in->m.faults.at[i]))
			tell_fault(in, &in->m.faults.at[i]);
	in->m.faults.n = 0;
}

static bool
echoes(const Interp *in, const Entry *e)
{
	if (e->show == SHOW_NOTHING)
		return false;
	if (strcmp(in->o.echo, "all") == 0)
		return true;
	return strcmp(in->o.echo, "values") == 0 && e->kind == ENTRY_EXPR;
}

static void
echo_value(const Interp *in, const Entry *e, const Value *v)
{
	const Ty **ty = NEW(in->u->arena, const Ty *, e->ncell + 1);

	for (int i = 0; i < e->ncell; i++)
		ty[i] = e->cell[i]->ty;
	fputs(e->shown, in->o.out);
	if (e->show == SHOW_VALUE) {
		fputs(" = ", in->o.out);
		value_print(in->o.out, e->type, ty, v, e->ncell, in->m.print_length);
	}
	fputs(" : ", in->o.out);
	nesl_print_type(in->o.out, e->type);
	fputc('\n', in->o.out);
}

static void
run_entry(Interp *in, const Entry *e)
{
	Value *v = NEW(in->u->arena, Value, e->ncell + 1);
	Function *f = code_entry(in->u, in->all, e);

	in->m.depth = in->m.traced = 0;
	if (eval_function(&in->m, f, NULL, v) == RUN_FAULT) {
		tell_faults(in);
		in->status = 3;
		return;
	}
	for (int i = 0; i < e->ncell; i++) {
		int k = code_cell(in->u->ir, e->cell[i]->name);

		value_drop(in->m.cell[k], e->cell[i]->ty);
		in->m.cell[k] = v[i];
		in->m.bound[k] = true;
	}
	if (echoes(in, e))
		echo_value(in, e, v);
}

static void
set(Interp *in, const Entry *e)
{
	if (strcmp(e->shown, "print_length") == 0)
		in->m.print_length = e->number;
	else
		watch_set(in->all, e->shown, e->number);
}

static void *
run_entries(void *arg)
{
	Interp *in = arg;

	in->m.stack_end += stack_margin;
	for (const Entry *e = in->u->ir->entries; e; e = e->next) {
		if (e->body) {
			const nesl_site form = site_of(in, "memory", e->span);

			value_form = form.file ? &form : NULL;
			run_entry(in, e);
			value_form = NULL;
			watch_report(&in->m, in->all);
		} else if (e->kind == ENTRY_SAY)
			fputs(e->shown, in->o.answers);
		else if (e->kind == ENTRY_SET)
			set(in, e);
		else if (echoes(in, e))
			fprintf(in->o.out, "%s = fn : %s\n", e->shown, e->type);
		if (fflush(in->o.out) != 0 || ferror(in->o.out)) {
			fprintf(in->o.err, "nessie: cannot write the output: %s\n", strerror(errno));
			in->status = 4;
			return NULL;
		}
	}
	return NULL;
}

/* -- machine ---------------------------------------------------------------------------------- */
static void
machine_start(Interp *in)
{
	int ncell = 0, nparam = 0;

	for (const Cell *c = in->u->ir->cells; c; c = c->next)
		ncell++;
	for (const Fun *f = in->u->ir->funs; f; f = f->next)
		if (f->nparam > nparam)
			nparam = f->nparam;
	in->m.u = in->u;
	in->m.max_depth = in->o.max_depth;
	in->m.all_faults = in->o.all_faults;
	in->m.out = in->o.out;
	in->m.err = in->o.err;
	in->m.print_length = in->o.print_length;
	in->m.cell = NEW(in->u->arena, Value, ncell + 1);
	in->m.bound = NEW(in->u->arena, bool, ncell + 1);
	in->m.cell_type = NEW(in->u->arena, const Ty *, ncell + 1);
	in->m.tail_arg = NEW(in->u->arena, Value, nparam + 1);
	ncell = 0;
	for (const Cell *c = in->u->ir->cells; c; c = c->next) {
		in->m.cell_type[ncell] = c->ty;
		in->m.bound[ncell] = in->o.session && session_get(in->o.session, c, &in->m.cell[ncell]);
		ncell++;
	}
	in->all = code_functions(in->u);
}

static void
machine_end(Interp *in)
{
	int k = 0;

	for (const Cell *c = in->u->ir->cells; c; c = c->next, k++)
		if (in->o.session && in->m.bound[k])
			session_put(in->o.session, c, in->m.cell[k]);
		else
			value_drop(in->m.cell[k], c->ty);
}

static int
run_on_large_stack(Interp *in)
{
	if (nesl_on_stack(stack_largest, stack_smallest, run_entries, in, &in->m.stack_end) == 0)
		return in->status;
	fprintf(in->o.err, "nessie: no memory for the interpreter's stack\n");
	return 4;
}

static void
interrupted(int sig)
{
	(void)sig;
	_exit(130);
}

int
interp_run(Unit *u, const InterpOptions *o)
{
	Interp in = {.u = u, .o = *o};
	void (*before)(int) = signal(SIGINT, interrupted);
	double start = nesl_now(), read;
	int status;

	if (!in.o.echo)
		in.o.echo = "values";
	if (in.o.print_length <= 0)
		in.o.print_length = 100;
	if (in.o.max_depth <= 0)
		in.o.max_depth = 1000000;
	in.o.out = o->out ? o->out : stdout;
	in.o.err = o->err ? o->err : stderr;
	nesl_stream_start(in.o.out, in.o.err);
	in.o.answers = o->answers ? o->answers : in.o.err;
	machine_start(&in);
	status = read_inputs(&in);
	read = nesl_now();
	if (status == 0)
		status = run_on_large_stack(&in);
	machine_end(&in);
	if (in.o.time)
		fprintf(in.o.err, "input %.3f s, run %.6f s (interp)\n", read - start, nesl_now() - read);
	signal(SIGINT, before);
	return status;
}
