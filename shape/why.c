/* why.c: from the condition of a check back to where its sizes come from.
 *
 * What is asked of a variable is its length or its value (its elements).  The rule of the operator that makes it, with the
 * operands for their letters, is one constraint; what the rule names is asked next. */
#include <ctype.h>
#include <string.h>
#include "shape/why.h"
#include "flatten/flan.h"
#include "shape/rules.h"
#include "shape/table.h"
#include "shape/text.h"

enum { MOST = 24 };             /* constraints: who reads more */

struct Why {
	Arena *arena;
	Shapes *shapes;
	Map *names;
	const Bind **def;               /* by variable: what makes it */
	Map *asked[2];                  /* by what is asked: Var -> it was, for this check */
	Reasons *to;
};

enum { VALUE, LENGTH };

static void ask(Why *w, Opnd o, int what);

static void
definitions(const Bind **def, const Block *b)
{
	for (const Bind *x = b->first; x; x = x->next) {
		for (int i = 0; i < x->ndst; i++)
			def[x->dst[i]->id] = x;
		for (int i = 0; i < x->nblock; i++)
			definitions(def, x->block[i]);
	}
}

static const char *
operand_text(Why *w, Opnd o)
{
	if (o.kind == OPND_VAR)
		return o.u.var->name;
	if (o.kind == OPND_FLOAT)
		return arena_printf(w->arena, "%g", o.u.f);
	return arena_printf(w->arena, "%lld", (long long)o.u.i);
}

/* The operator itself, on its operands. */
static const char *
applied(Why *w, const Bind *b)
{
	const char *s = arena_printf(w->arena, "%s%s(", flan_ir.op[b->op].name, b->lifted ? "^" : "");

	for (int i = 0; i < b->narg; i++) {
		s = arena_printf(w->arena, "%s%s%s", s, i ? ", " : "", operand_text(w, b->arg[i]));
		ask(w, b->arg[i], VALUE);
	}
	return arena_printf(w->arena, "%s)", s);
}

/* #a + #b + .. */
static const char *
all_lengths(Why *w, const Bind *b)
{
	const char *s = "";

	for (int i = 0; i < b->narg; i++) {
		s = arena_printf(w->arena, "%s%s#%s", s, i ? " + " : "", operand_text(w, b->arg[i]));
		ask(w, b->arg[i], LENGTH);
	}
	return s;
}

/* The rule `from`, up to its end, over b's operands and results. */
static const char *
instance(Why *w, const Bind *b, const char *from, const char *end)
{
	static const char all[] = "all(#)", args[] = "args";
	const char *s = "";

	if (strncmp(from, all, strlen(all)) == 0)
		return all_lengths(w, b);
	if (strncmp(from, args, strlen(args)) == 0)
		return arena_printf(w->arena, "%d", b->narg);
	for (const char *c = from; c < end; c++) {
		bool letter = isalpha((unsigned char)*c) && !(c > from && isalpha((unsigned char)c[-1])) && !isalpha((unsigned char)c[1]);
		const Opnd o = !letter ? opnd_int(0) : *c == 'r' ? opnd_var(b->dst[0]) : *c - 'a' < b->narg ? b->arg[*c - 'a'] : opnd_int(0);

		if (letter)
			ask(w, o, c > from && c[-1] == '#' ? LENGTH : VALUE);
		s = *c == '?' ? arena_printf(w->arena, "%s%s", s, applied(w, b))
			: letter ? arena_printf(w->arena, "%s%s", s, operand_text(w, o)) : arena_printf(w->arena, "%s%c", s, *c);
	}
	return s;
}

static void
say(Why *w, Span at, const char *text)
{
	if (w->to->n < MOST)
		LIST_ADD(w->arena, w->to, ((Reason){at, text}));
}

/* What is known of a length or value in the end: of what arms or calls give. */
static const char *
known(Why *w, const Var *v, int what)
{
	const Shape s = shapes_of(w->shapes, v);
	const Size *x = what == LENGTH ? s.length : s.value;

	return x ? size_text(w->arena, w->names, x) : "unknown";
}

static void
ask(Why *w, Opnd o, int what)
{
	const Bind *b;
	const char *left, *rule, *end;
	void **at;
	int result = 0;

	if (o.kind != OPND_VAR || w->to->n == MOST)
		return;
	at = map_at(w->asked[what], o.u.var);
	b = w->def[o.u.var->id];
	if (*at || !b)
		return;
	*at = w;
	left = arena_printf(w->arena, "%s%s", what == LENGTH ? "#" : "", o.u.var->name);
	while (b->dst[result] != o.u.var)
		result++;
	rule = rules_says(b, result, what == LENGTH, &end);
	if (rule)
		say(w, b->span, arena_printf(w->arena, "%s = %s", left, instance(w, b, rule, end)));
	else if (b->op == FLAN_call || b->op == FLAN_if)
		say(w, b->span, arena_printf(w->arena, "%s = %s, as %s", left, known(w, o.u.var, what),
			b->op == FLAN_if ? "both arms give" : arena_printf(w->arena, "%s gives", b->name)));
}

Why *
why_new(Shapes *s, Arena *a, Map *names)
{
	const Program *p = shapes_program(s);
	Why *w = NEW(a, Why, 1);

	*w = (Why){.arena = a, .shapes = s, .names = names, .def = NEW(a, const Bind *, p->nvar)};
	for (const Fun *f = p->funs; f; f = f->next)
		definitions(w->def, f->body);
	for (const Entry *e = p->entries; e; e = e->next)
		if (e->body)
			definitions(w->def, e->body);
	return w;
}

void
why_proved(Why *w, const Bind *check, Reasons *to)
{
	w->to = to;
	for (int what = VALUE; what <= LENGTH; what++)
		w->asked[what] = map_new(w->arena);
	ask(w, check->arg[0], VALUE);
	for (int what = VALUE; what <= LENGTH; what++)
		map_drop(w->asked[what]);
}
