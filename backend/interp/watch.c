/* watch.c: calls shown as they come and go, one deeper for each that is open; or counted, with the time from the outermost
 * call of the function to its end. */
#include "backend/interp/watch.h"
#include "backend/rt/nesl_effect.h"
#include <string.h>

enum { TRACE_ARGUMENTS = 2, TRACE_RESULT = 3, TRACE_WHOLE = 4 };

void
watch_set(Function *all, const char *setting, i64 value)
{
	const char *name = strchr(setting, ' ') + 1;

	for (Function *f = all; f; f = f->next) {
		if (strcmp(f->fun->name, name) != 0)
			continue;
		if (strncmp(setting, "trace ", 6) == 0)
			f->watch.trace = (int)value;
		else
			f->watch.profile = value != 0;
	}
}

static void
show_start(Machine *m, const Function *f)
{
	fflush(m->out);
	for (i64 i = 0; i < m->traced; i++)
		fputs("| ", m->err);
	fputs(f->fun->name, m->err);
}

static i64
limit(const Machine *m, const Function *f)
{
	return f->watch.trace == TRACE_WHOLE ? MAX_INT - 1 : m->print_length;
}

static void
show_arguments(Machine *m, const Function *f, const Value *arg)
{
	for (int i = 0; i < f->fun->nparam; i++) {
		const Ty *t = f->fun->param[i]->ty;
		fputs(i ? ", " : "(", m->err);
		value_print(m->err, ty_text(m->u->arena, t), &t, &arg[i], 1, limit(m, f));
	}
	fputs(f->fun->nparam ? ")" : "()", m->err);
}

void
watch_enter(Machine *m, Function *f, const Value *arg)
{
	Watch *w = &f->watch;

	if (w->trace) {
		show_start(m, f);
		if (w->trace >= TRACE_ARGUMENTS)
			show_arguments(m, f, arg);
		fputc('\n', m->err);
		m->traced++;
	}
	w->calls++;
	if (w->profile && w->open++ == 0)
		w->start = nesl_now();
}

void
watch_leave(Machine *m, Function *f, const Value *result)
{
	Watch *w = &f->watch;

	if (w->profile && --w->open == 0)
		w->seconds += nesl_now() - w->start;
	if (!w->trace)
		return;
	m->traced--;
	if (w->trace < TRACE_RESULT || !result)
		return;
	show_start(m, f);
	fputs(" = ", m->err);
	value_print(m->err, ty_text(m->u->arena, f->fun->result[0]), f->fun->result, result, 1, limit(m, f));
	fputc('\n', m->err);
}

void
watch_report(Machine *m, Function *all)
{
	for (Function *f = all; f; f = f->next) {
		Watch *w = &f->watch;
		if (w->profile && w->calls) {
			fflush(m->out);
			fprintf(m->err, "%s: %lld call%s, %.6f s\n", f->fun->name, (long long)w->calls, w->calls == 1 ? "" : "s",
				w->seconds);
		}
		*w = (Watch){.trace = w->trace, .profile = w->profile};
	}
}
