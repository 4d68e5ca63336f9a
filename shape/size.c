/* size.c: sums of products and atoms, each there once; arithmetic over them. */
#include <limits.h>
#include <string.h>
#include "flatten/flan.h"
#include "shape/size.h"

/* More than that becomes an atom. */
enum { MOST_PRODUCTS = 32, MOST_FACTORS = 4 };

typedef struct Item {
	uint64_t hash;
	void *is;                       /* Size, Atom; NULL: none */
} Item;

typedef struct Table {                  /* open addressing, linear probing, at most half full */
	Item *item;
	int size, n;                    /* size is a power of two, or 0 */
} Table;

struct Sizes {
	Arena *arena;
	int int_bits;
	Table size, atom;
	int natom, nunknown, nround;
	const Size *nowhere;
};

/* -- tables ----------------------------------------------------------------------------------------- */

/* The next place, from place i on, of what has this hash; -1: there is none. */
static int
table_next(const Table *t, uint64_t hash, uint64_t i)
{
	if (t->size == 0)
		return -1;
	for (i &= (unsigned)t->size - 1; t->item[i].is; i = (i + 1) & ((unsigned)t->size - 1))
		if (t->item[i].hash == hash)
			return (int)i;
	return -1;
}

static void
table_put(Table *t, Item x)
{
	uint64_t i = x.hash & ((unsigned)t->size - 1);

	while (t->item[i].is)
		i = (i + 1) & ((unsigned)t->size - 1);
	t->item[i] = x;
}

static void
table_add(Arena *a, Table *t, uint64_t hash, void *is)
{
	if (2 * t->n >= t->size) {
		const Table old = *t;

		t->size = old.size ? 2 * old.size : 256;
		t->item = NEW(a, Item, t->size);
		for (int i = 0; i < old.size; i++)
			if (old.item[i].is)
				table_put(t, old.item[i]);
		arena_give_back(a, old.item, sizeof *old.item * (size_t)old.size);
	}
	table_put(t, (Item){hash, is});
	t->n++;
}

/* -- interning -------------------------------------------------------------------------------------- */

static uint64_t
mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t
hash_of(int n, const Product *p)
{
	uint64_t h = (uint64_t)n;

	for (int i = 0; i < n; i++) {
		h = mix(h, (uint64_t)p[i].factor);
		for (int j = 0; j < p[i].n; j++)
			h = mix(h, (uint64_t)p[i].atom[j]->number + 1);
	}
	return h;
}

/* By degree, then by the numbers of the atoms. */
static int
compare(const Product *a, const Product *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (int i = 0; i < a->n; i++)
		if (a->atom[i] != b->atom[i])
			return a->atom[i]->number < b->atom[i]->number ? -1 : 1;
	return 0;
}

static bool
same_products(const Size *s, int n, const Product *p)
{
	if (s->n != n)
		return false;
	for (int i = 0; i < n; i++)
		if (s->product[i].factor != p[i].factor || compare(&s->product[i], &p[i]) != 0)
			return false;
	return true;
}

static int
larger(int a, int b)
{
	return a > b ? a : b;
}

/* The sum of these, in order and each with a factor; they are copied. */
static const Size *
size_of(Sizes *z, int n, const Product *p)
{
	uint64_t h = hash_of(n, p);
	Size *s;

	for (int i = table_next(&z->size, h, h); i >= 0; i = table_next(&z->size, h, (uint64_t)i + 1))
		if (same_products(z->size.item[i].is, n, p))
			return z->size.item[i].is;
	s = NEW(z->arena, Size, 1);
	*s = (Size){.number = z->size.n, .n = n, .product = NEW(z->arena, Product, n), .oldest = INT_MAX, .newest = -1};
	for (int i = 0; i < n; i++) {
		const Atom **atom = NEW(z->arena, const Atom *, p[i].n);

		if (p[i].n)
			memcpy(atom, p[i].atom, sizeof *atom * (size_t)p[i].n);
		((Product *)s->product)[i] = (Product){p[i].factor, p[i].n, atom};
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < p[i].n; j++) {
			const Atom *a = p[i].atom[j];

			s->vector |= a->vector;
			s->counts |= a->counts;
			s->oldest = s->oldest < a->oldest ? s->oldest : a->oldest;
			s->newest = larger(s->newest, a->newest);
			s->depth = larger(s->depth, a->depth);
		}
	table_add(z->arena, &z->size, h, s);
	return s;
}

static const Size *
size_of_atom(Sizes *z, const Atom *a)
{
	return size_of(z, 1, &(Product){1, 1, &a});
}

Sizes *
sizes_new(Arena *a, int int_bits)
{
	Sizes *z = NEW(a, Sizes, 1);

	z->arena = a;
	z->int_bits = int_bits;
	z->nowhere = size_unknown(z, true, true);
	return z;
}

Arena *
sizes_arena(const Sizes *z)
{
	return z->arena;
}

int
sizes_int_bits(const Sizes *z)
{
	return z->int_bits;
}

const Size *
size_int(Sizes *z, int64_t i)
{
	const Product p = {int_wrapped(z->int_bits, i), 0, NULL};

	return size_of(z, p.factor != 0, &p);
}

/* -- atoms ------------------------------------------------------------------------------------------ */

static bool
same_atom(const Atom *a, const Atom *b)
{
	if (a->op != b->op || a->lifted != b->lifted || a->vector != b->vector || a->result != b->result
	    || a->narg != b->narg || a->ty != b->ty || a->bits != b->bits)
		return false;
	for (int i = 0; i < a->narg; i++)
		if (a->arg[i].length != b->arg[i].length || a->arg[i].value != b->arg[i].value)
			return false;
	return true;
}

static uint64_t
hash_of_atom(const Atom *a)
{
	uint64_t h = mix(mix((uint64_t)(a->op + 3) * 4 + a->lifted * 2 + a->vector, (uint64_t)a->result), (uint64_t)a->bits);

	for (int i = 0; i < a->narg; i++) {
		h = mix(h, a->arg[i].length ? (uint64_t)a->arg[i].length->number + 1 : 0);
		h = mix(h, (uint64_t)a->arg[i].value->number);
	}
	return h;
}

/* Over its operands: what unknowns it has. */
static void
look_into(Atom *a)
{
	a->oldest = INT_MAX;
	a->newest = -1;
	a->counts = a->vector && a->op == FLAN_iota && !a->lifted;
	for (int i = 0; i < a->narg; i++)
		a->counts |= !a->arg[i].length && a->arg[i].value->counts;
	for (int i = 0; i < 2 * a->narg; i++) {
		const Size *s = i % 2 ? a->arg[i / 2].length : a->arg[i / 2].value;

		if (!s)
			continue;
		a->oldest = a->oldest < s->oldest ? a->oldest : s->oldest;
		a->newest = larger(a->newest, s->newest);
		a->depth = larger(a->depth, s->depth + 1);
	}
}

static Atom *
atom(Sizes *z, const Atom *like)
{
	uint64_t h = hash_of_atom(like);
	Atom *a;

	for (int i = table_next(&z->atom, h, h); i >= 0; i = table_next(&z->atom, h, (uint64_t)i + 1))
		if (same_atom(z->atom.item[i].is, like))
			return z->atom.item[i].is;
	a = NEW(z->arena, Atom, 1);
	*a = *like;
	a->arg = NEW(z->arena, Shape, a->narg);
	if (a->narg > 0)
		memcpy((Shape *)a->arg, like->arg, sizeof *a->arg * (size_t)a->narg);
	a->number = z->natom++;
	look_into(a);
	a->self = size_of_atom(z, a);
	table_add(z->arena, &z->atom, h, a);
	return a;
}

const Size *
size_literal(Sizes *z, double f)
{
	Atom a = {.op = LITERAL_ATOM};

	memcpy(&a.bits, &f, sizeof f);
	return atom(z, &a)->self;
}

const Size *
size_result(Sizes *z, const Atom *like)
{
	Atom *a = atom(z, like);

	a->natural |= like->natural;
	return a->is ? a->is : a->self;
}

const Size *
size_unknown(Sizes *z, bool vector, bool natural)
{
	Atom *a = NEW(z->arena, Atom, 1);

	*a = (Atom){.number = z->natom++, .op = UNKNOWN_ATOM, .vector = vector, .natural = natural,
		.oldest = z->nunknown, .newest = z->nunknown};
	z->nunknown++;
	return a->self = size_of_atom(z, a);
}

int
size_unknowns(const Sizes *z)
{
	return z->nunknown;
}

int
size_round(Sizes *z)
{
	return ++z->nround;
}

bool
size_became(const Size *s, int round, int deep, const Size **is)
{
	if (s->round != round || s->deep < deep)
		return false;
	*is = s->became;
	return true;
}

void
size_becomes(const Size *s, int round, int deep, const Size *is)
{
	Size *to = (Size *)s;

	to->round = round;
	to->deep = deep;
	to->became = is;
}

const Size *
size_nowhere(const Sizes *z)
{
	return z->nowhere;
}

Atom *
size_atom(const Size *s)
{
	return s->n == 1 && s->product[0].n == 1 && s->product[0].factor == 1 ? (Atom *)s->product[0].atom[0] : NULL;
}

bool
size_constant(const Size *s, int64_t *i)
{
	*i = s->n ? s->product[0].factor : 0;
	return s->n == 0 || (s->n == 1 && s->product[0].n == 0);
}

bool
size_is(const Size *s, int64_t i)
{
	int64_t k;

	return size_constant(s, &k) && k == i;
}

int64_t
size_term(const Size *s)
{
	return s->n > 0 && s->product[0].n == 0 ? s->product[0].factor : 0;
}

bool
size_natural(const Size *s)
{
	int64_t k;

	return size_constant(s, &k) ? k >= 0 : size_atom(s) && size_atom(s)->natural;
}

/* -- arithmetic ------------------------------------------------------------------------------------- */

/* What an operator on these two is, if it is not taken apart. */
static const Size *
opaque(Sizes *z, int op, const Size *a, const Size *b)
{
	const Shape arg[] = {{NULL, a->number < b->number ? a : b}, {NULL, a->number < b->number ? b : a}};

	return size_result(z, &(Atom){.op = op, .vector = a->vector || b->vector, .ty = TY_INT, .narg = 2, .arg = arg});
}

/* a + factor * b */
static const Size *
combine(Sizes *z, const Size *a, const Size *b, int64_t factor)
{
	Product p[2 * MOST_PRODUCTS];
	int n = 0;

	if (b->n == 0 || (a->n == 0 && factor == 1))
		return b->n == 0 ? a : b;
	for (int i = 0, j = 0; i < a->n || j < b->n; ) {
		int c = i == a->n ? 1 : j == b->n ? -1 : compare(&a->product[i], &b->product[j]);

		p[n] = c <= 0 ? a->product[i] : b->product[j];
		p[n].factor = int_wrapped(z->int_bits, (int64_t)((c <= 0 ? (uint64_t)a->product[i].factor : 0)
			+ (c >= 0 ? (uint64_t)factor * (uint64_t)b->product[j].factor : 0)));
		n += p[n].factor != 0;
		i += c <= 0;
		j += c >= 0;
	}
	if (n > MOST_PRODUCTS)
		return factor == 1 ? opaque(z, FLAN_add, a, b)
		                   : opaque(z, FLAN_add, a, opaque(z, FLAN_mul, size_int(z, factor), b));
	return size_of(z, n, p);
}

const Size *
size_add(Sizes *z, const Size *a, const Size *b)
{
	return combine(z, a, b, 1);
}

const Size *
size_sub(Sizes *z, const Size *a, const Size *b)
{
	return combine(z, a, b, -1);
}

static const Size *
times(Sizes *z, const Product *a, const Product *b)
{
	const Atom *both[2 * MOST_FACTORS];
	int n = 0;

	for (int i = 0, j = 0; i < a->n || j < b->n; )
		if (j == b->n || (i < a->n && a->atom[i]->number <= b->atom[j]->number))
			both[n++] = a->atom[i++];
		else
			both[n++] = b->atom[j++];
	return size_of(z, 1, &(Product){int_wrapped(z->int_bits, (int64_t)((uint64_t)a->factor * (uint64_t)b->factor)), n, both});
}

static int
degree(const Size *s)
{
	return s->n ? s->product[s->n - 1].n : 0;
}

const Size *
size_mul(Sizes *z, const Size *a, const Size *b)
{
	const Size *r;

	if (size_is(a, 1) || size_is(b, 1))
		return size_is(a, 1) ? b : a;
	r = size_int(z, 0);
	if (a->n * b->n > MOST_PRODUCTS || degree(a) + degree(b) > MOST_FACTORS)
		return opaque(z, FLAN_mul, a, b);
	for (int i = 0; i < a->n; i++)
		for (int j = 0; j < b->n; j++) {
			const Size *p = times(z, &a->product[i], &b->product[j]);

			if (p->n && p->product[0].factor)
				r = size_add(z, r, p);
		}
	return r;
}

static uint64_t
divisor(uint64_t a, uint64_t b)
{
	return b ? divisor(b, a % b) : a;
}

const Size *
size_primitive(Sizes *z, const Size *s, int64_t *k)
{
	Product p[MOST_PRODUCTS];
	uint64_t d = 0;

	for (int i = 0; i < s->n; i++) {
		const uint64_t factor = (uint64_t)s->product[i].factor;

		d = divisor(s->product[i].factor < 0 ? -factor : factor, d);
	}
	*k = d > 1 && d <= INT64_MAX ? (int64_t)d : 1;  /* of min_int it is more */
	if (*k == 1)
		return s;
	for (int i = 0; i < s->n; i++)
		p[i] = (Product){s->product[i].factor / *k, s->product[i].n, s->product[i].atom};
	return size_of(z, s->n, p);
}
