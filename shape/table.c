/* table.c: classes by variable. */
#include "shape/laws.h"
#include "shape/table.h"
#include <string.h>

/* What all tables of one compilation share. */
typedef struct Classes {
	Arena *arena;
	Sizes *z;
	LIST(int) of_size;              /* by Size.number: class + 1, or 0 */
	LIST(const Size *) size;        /* by class; NULL: of one variable */
} Classes;

enum { LENGTH, VALUE, TOTAL, DESCRIPTOR, NKIND };

typedef struct Row {
	int class[NKIND];               /* + 1, or 0: not asked for yet */
} Row;

struct Shapes {
	Classes *c;
	LIST(Row) row;                  /* by Var.id */
	LIST(Shape) shape;              /* by Var.id, of the program that the pass found; value NULL: nothing is known */
	LIST(Removed) removed;
	const Program *program;
};

Shapes *
shapes_over(Arena *a, Sizes *z)
{
	Shapes *s = NEW(a, Shapes, 1);

	s->c = NEW(a, Classes, 1);
	s->c->arena = a;
	s->c->z = z;
	return s;
}

Shapes *
shapes_new(Arena *a, int int_bits)
{
	return shapes_over(a, sizes_new(a, int_bits));
}

Shapes *
shapes_like(const Shapes *s)
{
	Shapes *n = NEW(s->c->arena, Shapes, 1);

	n->c = s->c;
	return n;
}

static int
class_new(Classes *c, const Size *s)
{
	LIST_ADD(c->arena, &c->size, s);
	return c->size.n - 1;
}

static int
class_of(Classes *c, const Size *s)
{
	while (c->of_size.n <= s->number)
		LIST_ADD(c->arena, &c->of_size, 0);
	if (!c->of_size.at[s->number])
		c->of_size.at[s->number] = class_new(c, s) + 1;
	return c->of_size.at[s->number] - 1;
}

static Row *
row(Shapes *s, const Var *v)
{
	while (s->row.n <= v->id)
		LIST_ADD(s->c->arena, &s->row, ((Row){{0}}));
	return &s->row.at[v->id];
}

static int
class(Shapes *s, const Var *v, int kind)
{
	int *at = &row(s, v)->class[kind];

	if (!*at)
		*at = class_new(s->c, NULL) + 1;
	return *at - 1;
}

int shape_length(Shapes *s, const Var *v) { return class(s, v, LENGTH); }
int shape_rows(Shapes *s, const Var *v) { return class(s, v, LENGTH); }
int shape_total(Shapes *s, const Var *v) { return class(s, v, TOTAL); }
int shape_value(Shapes *s, const Var *v) { return class(s, v, VALUE); }
int shape_descriptor(Shapes *s, const Var *v) { return class(s, v, DESCRIPTOR); }

int
shape_constant(Shapes *s, int64_t i)
{
	return class_of(s->c, size_int(s->c->z, i));
}

bool
shape_is_constant(const Shapes *s, int class, int64_t *i)
{
	return s->c->size.at[class] && size_constant(s->c->size.at[class], i);
}

void
shapes_set(Shapes *s, const Var *v, Shape x)
{
	Classes *c = s->c;
	Row *r = row(s, v);

	while (s->shape.n <= v->id)
		LIST_ADD(c->arena, &s->shape, ((Shape){NULL, NULL}));
	s->shape.at[v->id] = x;
	if (ty_scalar(v->ty)) {
		r->class[VALUE] = class_of(c, x.value) + 1;
		return;
	}
	r->class[LENGTH] = class_of(c, x.length) + 1;
	if (v->ty->kind != TY_SEGDES)
		return;
	r->class[TOTAL] = class_of(c, size_sum(c->z, x)) + 1;
	r->class[DESCRIPTOR] = class_of(c, size_apply(c->z, FLAN_segdes, false, 0, true, TY_INT, 1, &x)) + 1;
}

void
shapes_same(Shapes *to, const Var *w, Shapes *from, const Var *v)
{
	for (int i = 0; i < NKIND; i++) {
		int k = class(from, v, i);

		row(to, w)->class[i] = k + 1;
	}
}

void
shapes_value(Shapes *to, const Var *w, int k)
{
	row(to, w)->class[VALUE] = k + 1;
}

/* What a class is the size of is not asked for any more, but numbers. */
static Classes *
classes_keep(const Classes *c, Arena *to)
{
	Classes *k = NEW(to, Classes, 1);
	int64_t i;

	*k = (Classes){.arena = to, .z = sizes_new(to, sizes_int_bits(c->z))};
	k->size.at = NEW(to, const Size *, c->size.n);
	k->size.cap = c->size.n;
	for (int class = 0; class < c->size.n; class++) {
		if (c->size.at[class] && size_constant(c->size.at[class], &i))
			class_of(k, size_int(k->z, i));
		else
			class_new(k, NULL);
	}
	return k;
}

Shapes *
shapes_keep(const Shapes *s, Arena *to, int nvar, Var *const *now)
{
	Shapes *k = NEW(to, Shapes, 1);

	k->c = classes_keep(s->c, to);
	k->row.at = NEW(to, Row, nvar);
	k->row.cap = nvar;
	for (int i = 0; i < nvar && i < s->row.n; i++)
		if (now[i])
			memcpy(row(k, now[i])->class, s->row.at[i].class, sizeof s->row.at[i].class);
	return k;
}

Shape
shapes_of(Shapes *s, const Var *v)
{
	return v->id < s->shape.n ? s->shape.at[v->id] : (Shape){NULL, NULL};
}

Sizes *
shapes_sizes(Shapes *s)
{
	return s->c->z;
}

void
shapes_remove(Shapes *s, Removed r)
{
	LIST_ADD(s->c->arena, &s->removed, r);
}

const Removed *
shapes_removed(const Shapes *s, int i)
{
	return i < s->removed.n ? &s->removed.at[i] : NULL;
}

void
shapes_found(Shapes *s, const Program *p)
{
	s->program = p;
}

const Program *
shapes_program(const Shapes *s)
{
	return s->program;
}
