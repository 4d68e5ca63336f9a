/* mono_print.c: the dump of stage mono: each instance as NESL with concrete types, then the user's forms. */
#include "frontend/mono.h"
#include "frontend/type_print.h"
#include <ctype.h>

/* Operators keep their name, whatever their types. */
static const char *
inst_callee(const Expr *fn)
{
	const Inst *i = fn->u.var.decl;

	return isalpha((unsigned char)i->decl->name[0]) || i->decl->name[0] == '_' ? i->name : i->decl->name;
}

void
mono_print(const Unit *u, FILE *out)
{
	TypedPrinter tp = {.out = out, .arena = u->arena, .callee = inst_callee};

	for (const Inst *i = u->mono->insts; i; i = i->next)
		typed_function(&tp, i->name, i->form->param, i->type, i->form->body);
	for (const MonoEntry *e = u->mono->entries; e; e = e->next) {
		if (!e->body)
			continue;
		if (e->form->kind == FORM_ASSIGN)
			typed_assign(&tp, e->form->param, e->body);
		else
			typed_toplevel(&tp, e->body);
	}
}
