/* text.c: the texts of small things: names, types, operands, what a reduction folds with. */
#include "backend/cpu/cpu.h"
#include <ctype.h>
#include <string.h>

Numbered *
cpu_numbered(Cpu *k, const void *key)
{
	void **at = map_at(k->number, key);

	if (!*at)
		*at = NEW(k->arena, Numbered, 1);
	return *at;
}

const char *
cpu_name(Cpu *k, const Var *v)
{
	const char *name = emit_cname(k->e, v->name);

	if (!cpu_is_kept(k, v))
		return name;
	return arena_printf(k->arena, ty_counted(v->ty) ? "&same_->%s" : "same_->%s", name);
}

const char *
cpu_fun(Cpu *k, const Fun *f)
{
	return emit_cname(k->e, tail_first(k->tail, f)->name);
}

static const char *
free_name(Cpu *k, const char *name)
{
	while (*map_at(k->used, intern(k->p->names, name)))
		name = arena_printf(k->arena, "%s_", name);
	return name;
}

const char *
cpu_name_of(Cpu *k, const Var *v, const char *suffix)
{
	if (!*suffix)
		return cpu_name(k, v);
	return free_name(k, arena_printf(k->arena, "%s%s", cpu_name(k, v), suffix));
}

void
cpu_choose_fixed(Cpu *k)
{
	k->fixed = (Fixed){
		.nc = free_name(k, "nc"), .c = free_name(k, "c"), .n2 = free_name(k, "n2"), .hi = free_name(k, "hi"),
		.end = free_name(k, "end"), .cuts = free_name(k, "cuts"), .failure = free_name(k, "failure"),
		.worst = free_name(k, "worst"), .stats = free_name(k, "stats"), .sites = free_name(k, "sites"),
		.way = free_name(k, "way"), .threads = free_name(k, "threads"),
	};
}

const char *
cpu_operand(Cpu *k, Opnd o)
{
	return o.kind == OPND_VAR ? cpu_name(k, o.u.var) : emit_const(k->e, o);
}

const char *
cpu_type(const Ty *t)
{
	switch (t->kind) {
	case TY_INT:
		return "nint ";
	case TY_FLOAT:
		return "f64 ";
	case TY_BOOL:
		return "b8 ";
	case TY_CHAR:
		return "c32 ";
	case TY_UNIFORM:
		return "nesl_grid ";
	case TY_VEC:
	case TY_SEGDES:
	case TY_PAIR:
	case TY_SEQ:
		break;
	}
	return "nesl_vec *";
}

const char *
cpu_way(Cpu *k, const Bind *b)
{
	const char *s = "";
	int numbers = 0;

	for (int i = 0; i < b->nway; i++) {
		const Opnd o = b->way[i];

		if (emit_step_number(o, &numbers))
			s = arena_printf(k->arena, "%s{NESL_PARTS, %s, NULL}, ", s, cpu_operand(k, o));
		else if (o.kind == OPND_VAR)
			s = arena_printf(k->arena, "%sNESL_%s(%s), ", s,
				o.u.var->ty->kind == TY_UNIFORM ? "GRID_OF" : o.u.var->ty->kind == TY_SEGDES ? "ROWS_OF" : "PICKED_BY",
				cpu_operand(k, o));
		else
			s = arena_printf(k->arena, "%s{%s, %d, NULL, 0}, ", s, emit_step_kind(o.u.i), o.u.i > 0 ? (int)o.u.i : 0);
	}
	return arena_printf(k->arena, "%s{NESL_END, 0, NULL, 0}", s);
}

const char *
cpu_param_type(Cpu *k, const Fun *f, const Ty *t)
{
	return arena_printf(k->arena, "%s%s", f->scalar && ty_counted(t) ? "const " : "", cpu_type(t));
}

const OpInfo *
cpu_op(const Cpu *k, const Bind *b)
{
	return &k->p->ir->op[b->op];
}

bool
cpu_reads(const Cpu *k, const Bind *b, int i)
{
	const OpInfo *op = cpu_op(k, b);
	const char *s = op->cls == OP_SCALAR ? op->expr[op_column(op, opnd_ty(b->arg[0]))] : NULL;
	const Fun *f = b->op == LCU_call ? tail_call(k->tail, b) : NULL;

	if (!s)
		return !f || !tail_keeps(f, b, i);
	for (const char *word = s; *word; word = s) {
		for (; isalnum((unsigned char)*s) || *s == '_'; s++)
			;
		if (s - word == 1 && *word == 'a' + i)
			return true;
		if (s == word)
			s++;
	}
	return false;
}

/* The reduction or scan that b is, or that it puts by. */
static const OpInfo *
folding(const Cpu *k, const Bind *b)
{
	const int puts = lcu_puts(b);

	return puts == LCU_NOP ? cpu_op(k, b) : &k->p->ir->op[puts];
}

const char *
cpu_combine(Cpu *k, const Bind *b, const char *acc, const char *x)
{
	return emit_combine(k->e, k->p->ir, folding(k, b), opnd_ty(b->arg[0]), acc, x);
}

const char *
cpu_combine_as_ints(Cpu *k, const Bind *b, const char *acc, const char *x)
{
	return emit_combine(k->e, k->p->ir, folding(k, b), &ty_int, x, acc);
}

const char *
cpu_identity(Cpu *k, const Bind *b)
{
	return emit_identity(k->e, folding(k, b), opnd_ty(b->arg[0]));
}
