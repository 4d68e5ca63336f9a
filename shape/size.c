/* size.c: sums of products, interned, and what is equal to what beyond arithmetic.
 *
 * The laws, in the words of shape/rules.def.  They hold for every program that runs, whatever its checks find, as each
 * operator gives something for any operands (flatten/flan.def).
 *
 *     sum(sums(s, x)) = sum(x)                  sum(x ++ y) = sum(x) + sum(y)        sum([i, j]) = i + j
 *     not p = 1 - p    ne = 1 - eq              of ints and chars: ge = 1 - lt, gt = 1 - lt - eq, le = lt + eq
 *     x[place] = x                              x[split p] in places of p, x[split' p] elsewhere = x
 *     x[i] = the number that all of x are, for an i that comes from #x places
 *     max n 0 = n, min n 0 = 0, for an n never below zero
 */
#include <limits.h>
#include <string.h>
#include "flatten/flan.h"
#include "frontend/scalar.h"
#include "shape/size.h"

/* More than that becomes an atom. */
enum { MOST_PRODUCTS = 16, MOST_FACTORS = 4, DEEPEST = 40 };

typedef struct SizeEntry {
	uint64_t hash;
	const Size *size;
	struct SizeEntry *next;
} SizeEntry;

typedef struct AtomEntry {
	uint64_t hash;
	Atom *atom;
	struct AtomEntry *next;
} AtomEntry;

struct Sizes {
	Arena *arena;
	int int_bits;
	LIST(const Size *) sizes;
	SizeEntry **size;
	AtomEntry **atom;
	int nsizebucket, natombucket, natom, nunknown;
};

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

static void
more_sizes(Sizes *z)
{
	int n = z->nsizebucket ? 2 * z->nsizebucket : 256;
	SizeEntry **bucket = NEW(z->arena, SizeEntry *, n);

	for (int i = 0; i < z->nsizebucket; i++)
		for (SizeEntry *e = z->size[i], *next; e; e = next) {
			next = e->next;
			e->next = bucket[e->hash % (unsigned)n];
			bucket[e->hash % (unsigned)n] = e;
		}
	z->size = bucket;
	z->nsizebucket = n;
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
	SizeEntry *e;
	Size *s;

	if (z->sizes.n >= z->nsizebucket)
		more_sizes(z);
	for (e = z->size[h % (unsigned)z->nsizebucket]; e; e = e->next)
		if (e->hash == h && same_products(e->size, n, p))
			return e->size;
	s = NEW(z->arena, Size, 1);
	*s = (Size){.number = z->sizes.n, .n = n, .product = NEW(z->arena, Product, n), .oldest = INT_MAX, .newest = -1};
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
			s->oldest = s->oldest < a->oldest ? s->oldest : a->oldest;
			s->newest = larger(s->newest, a->newest);
			s->depth = larger(s->depth, a->depth);
		}
	LIST_ADD(z->arena, &z->sizes, s);
	e = NEW(z->arena, SizeEntry, 1);
	*e = (SizeEntry){h, s, z->size[h % (unsigned)z->nsizebucket]};
	z->size[h % (unsigned)z->nsizebucket] = e;
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
	return z;
}

int
sizes_count(const Sizes *z)
{
	return z->sizes.n;
}

const Size *
sizes_at(const Sizes *z, int number)
{
	return z->sizes.at[number];
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

static void
more_atoms(Sizes *z)
{
	int n = z->natombucket ? 2 * z->natombucket : 256;
	AtomEntry **bucket = NEW(z->arena, AtomEntry *, n);

	for (int i = 0; i < z->natombucket; i++)
		for (AtomEntry *e = z->atom[i], *next; e; e = next) {
			next = e->next;
			e->next = bucket[e->hash % (unsigned)n];
			bucket[e->hash % (unsigned)n] = e;
		}
	z->atom = bucket;
	z->natombucket = n;
}

/* Over its operands: what unknowns it has. */
static void
look_into(Atom *a)
{
	a->oldest = INT_MAX;
	a->newest = -1;
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
	AtomEntry *e;
	Atom *a;

	if (z->natom >= z->natombucket)
		more_atoms(z);
	for (e = z->atom[h % (unsigned)z->natombucket]; e; e = e->next)
		if (e->hash == h && same_atom(e->atom, like))
			return e->atom;
	a = NEW(z->arena, Atom, 1);
	*a = *like;
	a->arg = NEW(z->arena, Shape, a->narg);
	memcpy((Shape *)a->arg, like->arg, sizeof *a->arg * (size_t)a->narg);
	a->number = z->natom++;
	look_into(a);
	a->self = size_of_atom(z, a);
	e = NEW(z->arena, AtomEntry, 1);
	*e = (AtomEntry){h, a, z->atom[h % (unsigned)z->natombucket]};
	z->atom[h % (unsigned)z->natombucket] = e;
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

	return atom(z, &(Atom){.op = op, .vector = a->vector || b->vector, .ty = TY_INT, .narg = 2, .arg = arg})->self;
}

/* a + factor * b */
static const Size *
combine(Sizes *z, const Size *a, const Size *b, int64_t factor)
{
	Product p[2 * MOST_PRODUCTS];
	int n = 0;

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
	const Size *r = size_int(z, 0);

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

/* -- laws -------------------------------------------------------------------------------------------- */

static const Size *
plain(Sizes *z, int op, bool lifted, int result, bool vector, bool natural, TyKind ty, int narg, const Shape *arg)
{
	Atom *a = atom(z, &(Atom){.op = op, .lifted = lifted, .vector = vector, .result = result, .ty = ty, .narg = narg,
		.arg = arg});

	a->natural |= natural;
	return a->is ? a->is : a->self;
}

/* Are these truths, or lengths of a descriptor's rows?  Then their sum is no more than can be counted; that of numbers
 * which are only never below zero, the larger of two, may wrap. */
static bool
countable(const Size *w)
{
	const Atom *a = size_atom(w);

	return a && a->natural && a->op != FLAN_max && (a->op == UNKNOWN_ATOM || flan_ir.op[a->op].cls == OP_SCALAR);
}

/* p = scalars * vectors, with the factor in the first. */
static void
parts(Sizes *z, const Product *p, const Size **scalars, const Size **vectors)
{
	*scalars = size_int(z, p->factor);
	*vectors = size_int(z, 1);
	for (int i = 0; i < p->n; i++) {
		const Size **to = p->atom[i]->vector ? vectors : scalars;

		*to = size_mul(z, *to, p->atom[i]->self);
	}
}

/* Of a product of vectors. */
static const Size *
sum_of(Sizes *z, const Size *w, const Size *length)
{
	const Atom *a = size_atom(w);
	const Size *r = size_int(z, 0);

	if (size_is(w, 1))
		return length;
	if (a && a->op == FLAN_sum && a->lifted)
		return size_sum(z, a->arg[1]);
	if (a && (a->op == FLAN_append || a->op == FLAN_concat)) {
		for (int i = 0; i < a->narg; i++)
			r = size_add(z, r, size_sum(z, a->arg[i]));
		return r;
	}
	if (a && a->op == FLAN_vector) {
		for (int i = 0; i < a->narg; i++)
			r = size_add(z, r, a->arg[i].value);
		return r;
	}
	return plain(z, FLAN_sum, false, 0, false, countable(w), TY_INT, 1, &(Shape){length, w});
}

const Size *
size_sum(Sizes *z, Shape v)
{
	const Size *r = size_int(z, 0), *scalars, *vectors;

	for (int i = 0; i < v.value->n; i++) {
		parts(z, &v.value->product[i], &scalars, &vectors);
		r = size_add(z, r, size_mul(z, scalars, sum_of(z, vectors, v.length)));
	}
	return r;
}

/* Within each row of s, the sum of the elements x. */
static const Size *
sums(Sizes *z, Shape s, const Size *x)
{
	const Size *r = size_int(z, 0), *scalars, *vectors, *total = size_sum(z, s);

	for (int i = 0; i < x->n; i++) {
		parts(z, &x->product[i], &scalars, &vectors);
		if (!size_is(vectors, 1))
			vectors = plain(z, FLAN_sum, true, 0, true, countable(vectors), TY_INT, 2, (Shape[]){s, {total, vectors}});
		else
			vectors = s.value;
		r = size_add(z, r, size_mul(z, scalars, vectors));
	}
	return r;
}

/* A row's number for each of its elements. */
static const Size *
spread(Sizes *z, Shape s, Shape x)
{
	const Size *r = size_int(z, 0), *scalars, *vectors;

	for (int i = 0; i < x.value->n; i++) {
		parts(z, &x.value->product[i], &scalars, &vectors);
		if (!size_is(vectors, 1))
			vectors = plain(z, FLAN_dist, true, 0, true, size_natural(vectors), TY_INT, 2, (Shape[]){s, {NULL, vectors}});
		r = size_add(z, r, size_mul(z, scalars, vectors));
	}
	return r;
}

/* Are these places of a vector of that length? */
static bool
places_of(Sizes *z, const Size *i, const Size *length)
{
	const Atom *a = size_atom(i);

	if (!a)
		return false;
	if (a->op == FLAN_pack || a->op == FLAN_split)
		return (a->lifted ? size_sum(z, a->arg[0]) : a->arg[0].length) == length;
	return a->op == FLAN_rowid && a->arg[0].length == length;
}

/* The elements of arg[0] at arg[1]. */
static const Size *
pick(Sizes *z, bool vector, const Shape *arg)
{
	const Shape x = arg[0], i = arg[1];
	const Atom *v = size_atom(x.value), *p = size_atom(i.value);
	int64_t k, n;

	if (p && p->op == FLAN_iota && !p->lifted && i.length == x.length)
		return x.value;
	if (!x.value->vector && places_of(z, i.value, x.length))
		return x.value;
	if (size_constant(i.value, &k) && size_constant(x.length, &n) && k >= 0 && k < n) {
		if (!x.value->vector)
			return x.value;
		if (v && v->op == FLAN_vector)
			return v->arg[k].value;
	}
	return plain(z, FLAN_gather, false, 0, vector && i.value->vector, v && v->natural, TY_INT, 2,
		(Shape[]){x, {NULL, i.value}});
}

static bool
is_split(const Size *value, const Size *length, int result, Shape p, const Atom **of)
{
	const Atom *g = size_atom(value), *i = g && g->op == FLAN_gather ? size_atom(g->arg[1].value) : NULL;

	*of = g;
	return i && i->op == FLAN_split && i->result == result && i->arg[0].value == p.value && i->arg[0].length == p.length
	       && g->arg[0].length == p.length && length;
}

/* Where p the next of x, else of y. */
static const Size *
merged(Sizes *z, const Shape *arg)
{
	const Shape p = arg[0], x = arg[1], y = arg[2];
	const Atom *a, *b;

	if (is_split(x.value, x.length, 0, p, &a) && is_split(y.value, y.length, 1, p, &b)
	    && a->arg[0].value == b->arg[0].value)
		return a->arg[0].value;
	if (x.value == y.value && !x.value->vector && x.length == size_sum(z, p)
	    && y.length == size_sub(z, p.length, x.length))
		return x.value;
	return plain(z, FLAN_combine, false, 0, true, false, TY_INT, 3, arg);
}

/* A vector of these scalars. */
static const Size *
listed(Sizes *z, int narg, const Shape *arg)
{
	bool natural = true, same = narg > 0;

	for (int i = 0; i < narg; i++) {
		natural = natural && size_natural(arg[i].value);
		same = same && arg[i].value == arg[0].value;
	}
	return same ? arg[0].value : plain(z, FLAN_vector, false, 0, true, natural, TY_INT, narg, arg);
}

/* Vectors one after the other. */
static const Size *
appended(Sizes *z, int narg, const Shape *arg)
{
	bool natural = true, same = narg > 0 && !arg[0].value->vector;

	for (int i = 0; i < narg; i++) {
		natural = natural && size_natural(arg[i].value);
		same = same && arg[i].value == arg[0].value;
	}
	if (same || narg == 1)
		return arg[0].value;
	return plain(z, FLAN_append, false, 0, true, natural, TY_INT, narg, arg);
}

/* -- scalar operators --------------------------------------------------------------------------------- */

static const Size *
truth(Sizes *z, int op, TyKind ty, const Size *a, const Size *b)
{
	return plain(z, op, false, 0, a->vector || b->vector, true, ty, 2, (Shape[]){{NULL, a}, {NULL, b}});
}

/* Of ints, bools, chars. */
static const Size *
compared(Sizes *z, int op, TyKind ty, const Size *a, const Size *b)
{
	static const int mirrored[] = {[FLAN_eq] = FLAN_eq, [FLAN_ne] = FLAN_ne, [FLAN_lt] = FLAN_gt, [FLAN_le] = FLAN_ge,
		[FLAN_gt] = FLAN_lt, [FLAN_ge] = FLAN_le};
	const Size *d = size_sub(z, a, b), *one = size_int(z, 1), *eq, *lt;
	int64_t k, m;

	if (size_constant(d, &k) && (k == 0 || op == FLAN_eq || op == FLAN_ne))
		return size_int(z, k == 0 ? op == FLAN_eq || op == FLAN_le || op == FLAN_ge : op == FLAN_ne);
	if (size_constant(a, &k) && size_constant(b, &m))
		return size_int(z, k < m ? op == FLAN_lt || op == FLAN_le : op == FLAN_gt || op == FLAN_ge);
	if (size_constant(a, &k) || (a->number > b->number && !size_constant(b, &k)))
		return compared(z, mirrored[op], ty, b, a);
	eq = truth(z, FLAN_eq, ty, a, b);
	lt = op == FLAN_eq || op == FLAN_ne ? NULL : truth(z, FLAN_lt, ty, a, b);
	switch (op) {
	case FLAN_eq: return eq;
	case FLAN_ne: return size_sub(z, one, eq);
	case FLAN_lt: return lt;
	case FLAN_le: return size_add(z, lt, eq);
	case FLAN_ge: return size_sub(z, one, lt);
	default: return size_sub(z, size_sub(z, one, lt), eq);
	}
}

static const Size *
junction(Sizes *z, int op, const Size *a, const Size *b)
{
	int64_t k;

	if (a == b)
		return a;
	if (size_constant(a, &k))
		return (k != 0) == (op == FLAN_and) ? b : a;
	if (size_constant(b, &k))
		return (k != 0) == (op == FLAN_and) ? a : b;
	return a->number < b->number ? truth(z, op, TY_BOOL, a, b) : truth(z, op, TY_BOOL, b, a);
}

/* The larger (or smaller) of two ints. */
static const Size *
extreme(Sizes *z, int op, const Size *a, const Size *b)
{
	int64_t k, m;

	if (a == b)
		return a;
	if (size_constant(a, &k) && size_constant(b, &m))
		return (k > m) == (op == FLAN_max) ? a : b;
	if (size_constant(a, &k) && k == 0 && size_natural(b))
		return op == FLAN_max ? b : a;
	if (size_constant(b, &k) && k == 0 && size_natural(a))
		return op == FLAN_max ? a : b;
	if (a->number > b->number)
		return extreme(z, op, b, a);
	return plain(z, op, false, 0, a->vector || b->vector, op == FLAN_max && (size_natural(a) || size_natural(b)), TY_INT, 2,
		(Shape[]){{NULL, a}, {NULL, b}});
}

/* All operands constants: what the operator gives. */
static bool
folded(Sizes *z, int op, TyKind ty, int narg, const Shape *arg, const Size **out)
{
	Scalar x[3] = {{0}};

	for (int i = 0; i < narg; i++)
		if (!size_constant(arg[i].value, &x[i].i))
			return false;
	*out = size_int(z, scalar_fn(z->int_bits, flan_ir.op[op].name, ty == TY_BOOL ? &ty_bool : &ty_int)(x[0], x[1], x[2]).i);
	return true;
}

/* Does it give something of its own for operands like these, which are numbers to us? */
static bool
on_ints(int op, TyKind ty)
{
	const char *sig = flan_ir.op[op].sig[0], *result = strchr(sig, ':') + 1;

	return ty != TY_FLOAT && !strchr(sig, 'f') && strcmp(result, "c") != 0 && sig[0] != 'c';
}

static const Size *
scalar(Sizes *z, int op, TyKind ty, int narg, const Shape *arg)
{
	const Size *a = arg[0].value, *b = narg > 1 ? arg[1].value : NULL, *out;
	bool vector = false, ints = ty == TY_INT, numbers = ty != TY_FLOAT;
	Shape x[3];

	for (int i = 0; i < narg; i++) {
		x[i] = (Shape){NULL, arg[i].value};
		vector |= arg[i].value->vector;
	}
	if (op == FLAN_btoi)
		return a;
	if (ints && op == FLAN_add)
		return size_add(z, a, b);
	if (ints && op == FLAN_sub)
		return size_sub(z, a, b);
	if (ints && op == FLAN_mul)
		return size_mul(z, a, b);
	if (ints && op == FLAN_neg)
		return size_sub(z, size_int(z, 0), a);
	if (ty == TY_BOOL && op == FLAN_not)
		return size_sub(z, size_int(z, 1), a);
	if (ty == TY_BOOL && (op == FLAN_and || op == FLAN_or))
		return junction(z, op, a, b);
	if (op == FLAN_select && (size_is(a, 1) || b == arg[2].value))
		return b;
	if (op == FLAN_select && size_is(a, 0))
		return arg[2].value;
	if (numbers && op >= FLAN_eq && op <= FLAN_ge)
		return compared(z, op, ty, a, b);
	if (op == FLAN_ne)
		return size_sub(z, size_int(z, 1), truth(z, FLAN_eq, ty, a, b));
	if (ints && (op == FLAN_max || op == FLAN_min))
		return extreme(z, op, a, b);
	if (on_ints(op, ty) && op != FLAN_select && folded(z, op, ty, narg, x, &out))
		return out;
	return plain(z, op, false, 0, vector, strcmp(strchr(flan_ir.op[op].sig[0], ':'), ":b") == 0, ty, narg, x);
}

const Size *
size_apply(Sizes *z, int op, bool lifted, int result, bool vector, TyKind ty, int narg, const Shape *arg)
{
	if (flan_ir.op[op].cls == OP_SCALAR)
		return scalar(z, op, ty, narg, arg);
	switch (op) {
	case FLAN_sum:
		if (ty != TY_FLOAT)
			return lifted ? sums(z, arg[0], arg[1].value) : size_sum(z, arg[0]);
		break;
	case FLAN_dist:
		return spread(z, arg[0], arg[1]);
	case FLAN_gather:
		return pick(z, vector, arg);
	case FLAN_combine:
		return merged(z, arg);
	case FLAN_vector:
		return listed(z, narg, arg);
	case FLAN_append: case FLAN_extend: case FLAN_concat:
		return appended(z, narg, arg);
	default:
		break;
	}
	return plain(z, op, lifted, result, vector, op == FLAN_iota, ty, narg, arg);
}

/* -- over other atoms --------------------------------------------------------------------------------- */

static const Size *atom_over(Sizes *z, const Atom *a, Become *become, void *what, int deepest);

const Size *
size_over(Sizes *z, const Size *s, Become *become, void *what, int deepest)
{
	const Size *r = size_int(z, 0);

	if (!s || s->depth > DEEPEST)
		return s;
	for (int i = 0; i < s->n; i++) {
		const Size *p = size_int(z, s->product[i].factor);

		for (int j = 0; j < s->product[i].n; j++)
			p = size_mul(z, p, atom_over(z, s->product[i].atom[j], become, what, deepest));
		r = size_add(z, r, p);
	}
	return r;
}

static const Size *
atom_over(Sizes *z, const Atom *a, Become *become, void *what, int deepest)
{
	const Size *s = become(what, a);
	Shape *arg;
	bool same = true;

	if (s || a->narg == 0 || deepest == 0)
		return s ? s : a->self;
	arg = NEW(z->arena, Shape, a->narg);
	for (int i = 0; i < a->narg; i++) {
		arg[i] = (Shape){size_over(z, a->arg[i].length, become, what, deepest - 1),
			size_over(z, a->arg[i].value, become, what, deepest - 1)};
		same = same && arg[i].length == a->arg[i].length && arg[i].value == a->arg[i].value;
	}
	return same ? a->self : size_apply(z, a->op, a->lifted, a->result, a->vector, a->ty, a->narg, arg);
}
