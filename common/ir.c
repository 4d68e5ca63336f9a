/* ir.c: types, and building programs in the let-form. */
#include "common/ir.h"
#include "common/map.h"
#include <ctype.h>
#include <limits.h>
#include <string.h>

/* -- types ------------------------------------------------------------------------------------ */
const Ty ty_int = {TY_INT, 0, 0}, ty_float = {TY_FLOAT, 0, 0};
const Ty ty_bool = {TY_BOOL, 0, 0}, ty_char = {TY_CHAR, 0, 0};
const Ty ty_segdes = {TY_SEGDES, 0, 0}, ty_uniform = {TY_UNIFORM, 0, 0};
const Ty ty_ints = {TY_VEC, &ty_int, 0}, ty_bools = {TY_VEC, &ty_bool, 0};
static const Ty ty_floats = {TY_VEC, &ty_float, 0}, ty_chars = {TY_VEC, &ty_char, 0};

const Ty *
ty_pair(Arena *ar, const Ty *a, const Ty *b)
{
	Ty *t = NEW(ar, Ty, 1);
	*t = (Ty){TY_PAIR, a, b};
	return t;
}

const Ty *
ty_seq(Arena *ar, const Ty *a)
{
	Ty *t = NEW(ar, Ty, 1);
	*t = (Ty){TY_SEQ, a, 0};
	return t;
}

const Ty *
ty_vec(const Ty *base)
{
	switch (base->kind) {
	case TY_INT: return &ty_ints;
	case TY_FLOAT: return &ty_floats;
	case TY_BOOL: return &ty_bools;
	case TY_CHAR: return &ty_chars;
	case TY_PAIR:
	case TY_SEQ:
	case TY_VEC:
	case TY_SEGDES:
	case TY_UNIFORM: break;
	}
	ice((Span){0}, "ty_vec", "a vector holds scalars only");
}

const Ty *
ty_copy(Arena *ar, const Ty *t)
{
	switch (t->kind) {
	case TY_INT: return &ty_int;
	case TY_FLOAT: return &ty_float;
	case TY_BOOL: return &ty_bool;
	case TY_CHAR: return &ty_char;
	case TY_SEGDES: return &ty_segdes;
	case TY_UNIFORM: return &ty_uniform;
	case TY_VEC: return ty_vec(t->a);
	case TY_SEQ: return ty_seq(ar, ty_copy(ar, t->a));
	case TY_PAIR: return ty_pair(ar, ty_copy(ar, t->a), ty_copy(ar, t->b));
	}
	return NULL;
}

bool
ty_equal(const Ty *a, const Ty *b)
{
	while (a != b) {
		if (a->kind != b->kind)
			return false;
		switch (a->kind) {
		case TY_PAIR:
			if (!ty_equal(a->a, b->a))
				return false;
			a = a->b;
			b = b->b;
			break;
		case TY_SEQ:
		case TY_VEC:
			a = a->a;
			b = b->a;
			break;
		case TY_INT:
		case TY_FLOAT:
		case TY_BOOL:
		case TY_CHAR:
		case TY_SEGDES:
		case TY_UNIFORM: return true;
		}
	}
	return true;
}

bool
ty_scalar(const Ty *t)
{
	return t->kind == TY_INT || t->kind == TY_FLOAT || t->kind == TY_BOOL || t->kind == TY_CHAR;
}

bool
scalars_only(const Ty *t)
{
	return t->kind == TY_PAIR ? scalars_only(t->a) && scalars_only(t->b) : ty_scalar(t);
}

bool
ty_counted(const Ty *t)
{
	return t->kind == TY_VEC || t->kind == TY_SEGDES;
}

int
ty_bytes(const Ty *t, int int_bits)
{
	const TyKind kind = (t->kind == TY_VEC ? t->a : t)->kind;

	if (kind == TY_INT)
		return int_bits / 8;
	return kind == TY_BOOL ? 1 : kind == TY_CHAR ? 4 : 8;
}

bool
ty_descriptor(const Ty *t)
{
	return t->kind == TY_SEGDES || t->kind == TY_UNIFORM;
}

void
ty_leaves(Arena *ar, const Ty *t, bool below, TyList *to)
{
	if (t->kind == TY_PAIR) {
		ty_leaves(ar, t->a, below, to);
		ty_leaves(ar, t->b, below, to);
	} else if (t->kind == TY_SEQ) {
		if (below)
			LIST_ADD(ar, to, &ty_segdes);
		ty_leaves(ar, t->a, true, to);
	} else {
		LIST_ADD(ar, to, below ? ty_vec(t) : t);
	}
}

const char *
ty_text(Arena *ar, const Ty *t)
{
	switch (t->kind) {
	case TY_INT: return "int";
	case TY_FLOAT: return "float";
	case TY_BOOL: return "bool";
	case TY_CHAR: return "char";
	case TY_SEGDES: return "segdes";
	case TY_UNIFORM: return "uniform";
	case TY_VEC: return arena_printf(ar, "<%s>", ty_text(ar, t->a));
	case TY_SEQ:
		return arena_printf(ar, t->a->kind == TY_PAIR ? "[(%s)]" : "[%s]", ty_text(ar, t->a));
	case TY_PAIR:
		return arena_printf(ar, t->a->kind == TY_PAIR ? "(%s), %s" : "%s, %s",
			ty_text(ar, t->a), ty_text(ar, t->b));
	}
	return NULL;
}

/* -- operators -------------------------------------------------------------------------------- */
int
ir_find(const Ir *ir, const char *name)
{
	for (int i = 0; i < ir->nop; i++)
		if (ir->op[i].name[0] == name[0] && strcmp(ir->op[i].name, name) == 0)
			return i;
	return -1;
}

bool
op_folds(const OpInfo *op)
{
	return op->cls == OP_REDUCE || op->cls == OP_SCAN;
}

bool
op_finds_place(const OpInfo *op)
{
	return op->cls == OP_REDUCE && (strcmp(op->base, "gt") == 0 || strcmp(op->base, "lt") == 0);
}

int
op_column(const OpInfo *op, const Ty *t)
{
	const char *letter = op->sig[0] + strcspn(op->sig[0], "nol:");
	if (*letter == 'l')
		return t->kind == TY_BOOL;
	return (*letter == 'n' || *letter == 'o') && t->kind == TY_FLOAT;
}

/* -- building --------------------------------------------------------------------------------- */
Program *
program_new(Arena *ar, Names *names, const Ir *ir)
{
	Program *p = NEW(ar, Program, 1);
	p->ir = ir;
	p->arena = ar;
	p->names = names;
	p->funs_found = NEW(ar, FunsFound, 1);
	p->funs_found->by_name = map_new(ar);
	p->cells_found = NEW(ar, CellsFound, 1);
	p->cells_found->by_name = map_new(ar);
	p->int_bits = 64;
	return p;
}

Program *
program_copy(const Program *p, const Ir *ir)
{
	Program *to = NEW(p->arena, Program, 1);
	Fun **fun = &to->funs;
	Entry **entry = &to->entries;

	*to = *p;
	to->ir = ir;
	to->funs_found = NEW(p->arena, FunsFound, 1);
	to->funs_found->by_name = map_new(p->arena);
	for (const Fun *f = p->funs; f; f = f->next, fun = &(*fun)->next) {
		*fun = NEW(p->arena, Fun, 1);
		**fun = *f;
	}
	for (const Entry *e = p->entries; e; e = e->next, entry = &(*entry)->next) {
		*entry = NEW(p->arena, Entry, 1);
		**entry = *e;
	}
	return to;
}

int64_t
int_wrapped(int bits, int64_t i)
{
	return bits == 32 ? (int32_t)(uint32_t)i : i;
}

int64_t
int_greatest(int bits)
{
	return bits == 32 ? INT32_MAX : INT64_MAX;
}

Var *
var_new(Program *p, const char *hint, const Ty *ty)
{
	Var *v = NEW(p->arena, Var, 1);
	v->name = intern(p->names, hint);
	v->ty = ty;
	v->id = p->nvar++;
	return v;
}

Block *
block_new(Program *p)
{
	Block *b = NEW(p->arena, Block, 1);
	b->end = &b->first;
	return b;
}

Opnd
opnd_var(Var *v)
{
	return (Opnd){.kind = OPND_VAR, .u.var = v};
}

Opnd
opnd_int(int64_t i)
{
	return (Opnd){.kind = OPND_INT, .u.i = i};
}

Opnd
opnd_float(double f)
{
	return (Opnd){.kind = OPND_FLOAT, .u.f = f};
}

Opnd
opnd_bool(bool b)
{
	return (Opnd){.kind = OPND_BOOL, .u.i = b};
}

Opnd
opnd_char(int64_t c)
{
	return (Opnd){.kind = OPND_CHAR, .u.i = c};
}

bool
same_opnd(Opnd a, Opnd b)
{
	if (a.kind != b.kind)
		return false;
	if (a.kind == OPND_VAR)
		return a.u.var == b.u.var;
	return a.u.i == b.u.i;          /* floats by their bits */
}

const Ty *
opnd_ty(Opnd o)
{
	switch (o.kind) {
	case OPND_VAR: return o.u.var->ty;
	case OPND_INT: return &ty_int;
	case OPND_FLOAT: return &ty_float;
	case OPND_BOOL: return &ty_bool;
	case OPND_CHAR: return &ty_char;
	}
	return NULL;
}

bool
is_vector(Opnd o)
{
	return opnd_ty(o)->kind == TY_VEC;
}

Bind *
bind_new(Program *p, Block *b, int op, int ndst, int narg, int nblock, Span span)
{
	Bind *n = NEW(p->arena, Bind, 1);
	n->op = op;
	n->ndst = ndst;
	n->narg = narg;
	n->nblock = nblock;
	n->dst = NEW(p->arena, Var *, ndst);
	n->arg = NEW(p->arena, Opnd, narg);
	n->block = NEW(p->arena, Block *, nblock);
	n->span = span;
	*b->end = n;
	b->end = &n->next;
	return n;
}

Bind *
bind_at(Program *p, Bind **at, int op, Var *v, int narg, const Opnd *arg, Span span)
{
	Block none = {.end = &none.first};
	Bind *b = bind_new(p, &none, op, v != NULL, narg, 0, span);

	if (v)
		b->dst[0] = v;
	if (narg > 0)
		memcpy(b->arg, arg, sizeof *arg * (size_t)narg);
	b->next = *at;
	*at = b;
	return b;
}

void
block_yield(Program *p, Block *b, int n, const Opnd *v)
{
	b->nyield = n;
	b->yield = NEW(p->arena, Opnd, n);
	if (n > 0)
		memcpy(b->yield, v, sizeof *v * (size_t)n);
}

void
bind_way(Program *p, Bind *b, int n, const Opnd *step)
{
	b->nway = n;
	b->way = NEW(p->arena, Opnd, n);
	if (n > 0)
		memcpy(b->way, step, sizeof *step * (size_t)n);
}

static bool
among(int n, const Opnd *o, const Var *v, const bool *marked)
{
	for (int i = 0; i < n; i++)
		if (o[i].kind == OPND_VAR && (o[i].u.var == v || (marked && marked[o[i].u.var->id])))
			return true;
	return false;
}

bool
bind_reads(const Bind *b, const Var *v)
{
	return among(b->narg, b->arg, v, NULL);
}

void
opnds_mark(bool *marked, int n, const Opnd *x, bool value)
{
	for (int i = 0; i < n; i++)
		if (x[i].kind == OPND_VAR)
			marked[x[i].u.var->id] = value;
}

bool
bind_mentions(const Bind *b, const Var *v, const bool *marked)
{
	if (among(b->narg, b->arg, v, marked) || among(b->nway, b->way, v, marked))
		return true;
	for (int i = 0; i < b->nblock; i++) {
		for (const Bind *x = b->block[i]->first; x; x = x->next)
			if (bind_mentions(x, v, marked))
				return true;
		if (among(b->block[i]->nyield, b->block[i]->yield, v, marked))
			return true;
	}
	return false;
}

bool
bind_same(const Bind *a, const Bind *b)
{
	bool same = a->op == b->op && a->lifted == b->lifted && a->level == b->level && a->name == b->name
		&& a->narg == b->narg && a->ndst == b->ndst && ty_equal(a->dst[0]->ty, b->dst[0]->ty);

	for (int i = 0; same && i < a->narg; i++)
		same = same_opnd(a->arg[i], b->arg[i]);
	return same;
}

uint64_t
bind_hash(const Bind *b)
{
	uint64_t h = (uint64_t)b->op * 8 + (uint64_t)b->level * 2 + b->lifted + (uintptr_t)b->name;

	for (int i = 0; i < b->narg; i++)
		h = (h ^ (b->arg[i].kind == OPND_VAR ? (uint64_t)b->arg[i].u.var->id : (uint64_t)b->arg[i].u.i * 7 + 3))
			* 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

const Bind *
block_tail(const Block *b)
{
	const Bind *last = b->first;

	while (last && last->next)
		last = last->next;
	if (!last || last->ndst != b->nyield)
		return NULL;
	for (int i = 0; i < b->nyield; i++)
		if (!same_opnd(b->yield[i], opnd_var(last->dst[i])))
			return NULL;
	return last;
}

int
op_told(const OpInfo *op)
{
	int n = 0, inside = 0;

	for (const char *s = op->sig[0]; *s && *s != ':'; s++) {
		if (*s == 'h')
			return n;
		inside += (strchr("<[(", *s) != NULL) - (strchr(">])", *s) != NULL);
		n += !inside && *s != '?' && *s != '*';
	}
	return INT_MAX;
}

bool
block_binds(const Block *b, const Bind *end, const Var *v)
{
	for (int i = 0; i < b->nparam; i++)
		if (b->param[i] == v)
			return true;
	for (const Bind *s = b->first; s != end; s = s->next)
		for (int i = 0; i < s->ndst; i++)
			if (s->dst[i] == v)
				return true;
	return false;
}

bool
fun_borrows(const Fun *f, int i)
{
	return f->scalar || (f->lent && f->lent[i]);
}

bool
bind_takes(const Program *p, const Bind *b, int i)
{
	const int n = p->ir->op[b->op].takes;

	return n == ALL_OPERANDS ? !fun_borrows(fun_find(p, b->name), i) : i < n;
}

bool
bind_makes_array(const Program *p, const Bind *b)
{
	const OpInfo *op = &p->ir->op[b->op];
	bool any = false;
	for (int i = 0; i < b->ndst && b->span.file; i++)
		any = any || ty_counted(b->dst[i]->ty);
	if (strcmp(op->name, "reserve") == 0)
		return b->span.file;
	return any && (op->cls == OP_LIBRARY || op->cls == OP_EFFECT || strcmp(op->name, "task") == 0);
}

int
block_bindings(const Block *b)
{
	int n = 0;
	for (const Bind *s = b->first; s; s = s->next) {
		n++;
		for (int i = 0; i < s->nblock; i++)
			n += block_bindings(s->block[i]);
	}
	return n;
}

int
ir_bindings(const Program *p)
{
	int n = 0;
	for (const Fun *f = p->funs; f; f = f->next)
		n += block_bindings(f->body);
	for (const Entry *e = p->entries; e; e = e->next)
		n += e->body ? block_bindings(e->body) : 0;
	return n;
}

Fun *
fun_find(const Program *p, const char *name)
{
	FunsFound *k = p->funs_found;

	for (Fun *f = k->last ? k->last->next : p->funs; f; f = f->next) {
		void **at = map_at(k->by_name, intern(p->names, f->name));

		*at = *at ? *at : f;
		k->last = f;
	}
	return *map_at(k->by_name, intern(p->names, name));
}

Cell *
cell_find(const Program *p, const char *name)
{
	CellsFound *k = p->cells_found;

	for (Cell *c = k->last ? k->last->next : p->cells; c; c = c->next) {
		*map_at(k->by_name, intern(p->names, c->name)) = c;
		k->last = c;
	}
	return *map_at(k->by_name, intern(p->names, name));
}

TyList
cell_leaves(Arena *a, const Cell *c)
{
	TyList l = {0};

	ty_leaves(a, c->ty, false, &l);
	return l;
}

/* -- names ------------------------------------------------------------------------------------ */
/* What the text form would take for something else: constants, and the start of a block's end. */
static const char *const reserved[] = {"true", "false", "inf", "nan", "yield"};

typedef struct Scope {
	Arena *scratch;
	Names *names;
	Map *taken;
} Scope;

static Scope
scope_open(Program *p, Arena *scratch)
{
	const Scope s = {scratch, p->names, map_new(scratch)};

	for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
		map_fresh(s.taken, scratch, p->names, intern(p->names, reserved[i]));
	return s;
}

static void
scope_close(const Scope *s)
{
	map_drop(s->taken);
}

static bool
is_word(const char *s)
{
	if (!*s || isdigit((unsigned char)*s))
		return false;
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	return !*s;
}

static const char *
word_like(Arena *a, const char *s)
{
	char *word = arena_printf(a, !*s || isdigit((unsigned char)*s) ? "t%s" : "%s", s);

	for (char *c = word; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			*c = '_';
	return word;
}

static void
name_var(const Scope *s, Var *v)
{
	const char *word = is_word(v->name) ? v->name : intern(s->names, word_like(s->scratch, v->name));

	v->name = map_fresh(s->taken, s->scratch, s->names, word);
}

static void
name_block(const Scope *s, Block *b)
{
	for (int i = 0; i < b->nparam; i++)
		name_var(s, b->param[i]);
	for (Bind *x = b->first; x; x = x->next) {
		for (int i = 0; i < x->ndst; i++)
			name_var(s, x->dst[i]);
		for (int i = 0; i < x->nblock; i++)
			name_block(s, x->block[i]);
	}
}

static void
name_fun(const Scope *s, const Fun *f)
{
	for (int i = 0; i < f->nparam; i++)
		name_var(s, f->param[i]);
	name_block(s, f->body);
}

void
ir_name_together(Program *p, const Fun *const *fun, int n)
{
	Arena *scratch = arena_new();
	const Scope s = scope_open(p, scratch);

	for (int k = 0; k < n; k++)
		name_fun(&s, fun[k]);
	arena_free(scratch);
}

void
ir_name(Program *p)
{
	Arena *scratch = arena_new();

	for (const Fun *f = p->funs; f; f = f->next) {
		const Scope s = scope_open(p, scratch);

		name_fun(&s, f);
		scope_close(&s);
	}
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body) {
			const Scope s = scope_open(p, scratch);

			name_block(&s, e->body);
			scope_close(&s);
		}
	arena_free(scratch);
}
