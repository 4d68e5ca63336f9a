/* rules.c: the algebra of lengths, descriptors, indices and scalars.
 *
 * A law is two terms, FROM and TO, in flan's words: `op term ..`, parentheses, constants, and variables of one letter:
 *
 *     i j k   an int             u v     a float                         p q   a bool
 *     n m     never negative     w       a float never below zero        s t   a descriptor
 *     a b     a constant         d       a float that is never 0.0       x y   anything
 *     c       a constant, neither 0 nor -1         g   an int that is never 0 nor -1
 *
 * Each stands for a host value or a vector.  A scalar operator of FROM may be lifted, one of TO is if an operand is a
 * vector.  op^ is lifted, op' the second result of op; (..)! is a value that nothing else uses.  Where `when` is given
 * it must be the same value as `is`; `fused`: TO has more steps for an element, which cost little where tasks are put
 * together, and only there the law holds.
 *
 * What holds of all of them.  No size is negative.  An element outside its vector is never looked at: a check was
 * before it, or the row has no descendant (build.h); so an index may be taken to be in range.  TO costs no more than
 * FROM: no more passes over vectors, none that is longer. */
#include "flatten/rules.h"
#include "flatten/flattener.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *from, *to, *when, *is;
} law[] = {
	/* sizes */
	{"length (iota k)", "k", 0, 0},
	{"length (dist x k)", "k", 0, 0},
	{"length (iota^ s)", "total s", 0, 0},
	{"length (dist^ s x)", "total s", 0, 0},
	{"length (rowid s)", "total s", 0, 0},
	{"length (lengths s)", "rows s", 0, 0},
	{"length (starts s)", "rows s", 0, 0},
	{"length (row_start^ s i)", "length i", 0, 0},
	{"length (row_length^ s i)", "length i", 0, 0},
	{"length (permute x i)", "length x", 0, 0},
	{"length (permute_ok i)", "length i", 0, 0},
	{"length (put x i y)", "length y", 0, 0},
	{"length (mark x i y)", "length y", 0, 0},
	{"length (put_sum x i k)", "k", 0, 0},
	{"length (put_max x i k)", "k", 0, 0},
	{"length (rank x)", "length x", 0, 0},
	{"length (rank_down x)", "length x", 0, 0},
	{"length (sort x)", "length x", 0, 0},
	{"length (group s i x)", "total s", 0, 0},
	{"length (group_sum s i x)", "rows s", 0, 0},
	{"length (rank^ s x)", "length x", 0, 0},
	{"length (rank_down^ s x)", "length x", 0, 0},
	{"length (sort^ s x)", "length x", 0, 0},
	{"length (combine p x y)", "length p", 0, 0},
	{"rows (segdes i)", "length i", 0, 0},
	{"rows (uniform i k)", "i", 0, 0},
	{"rows (pack^ s p)", "rows s", 0, 0},
	{"rows (compose s t)", "rows s", 0, 0},
	{"total (uniform i k)", "area i k", 0, 0},
	{"total (compose s t)", "total t", 0, 0},
	{"area i 0", "0", 0, 0},
	{"area 0 i", "0", 0, 0},
	{"area i 1", "i", 0, 0},
	{"area 1 i", "i", 0, 0},
	{"sum (lengths s)", "total s", 0, 0},

	/* descriptors */
	{"segdes (dist k i)", "uniform i k", 0, 0},
	{"segdes (lengths s)", "s", 0, 0},
	{"lengths (segdes i)", "i", 0, 0},
	{"lengths (uniform i k)", "dist k i", 0, 0},
	{"starts (uniform i k)", "mul (iota i) k", 0, 0},
	{"plus_scan (lengths s)", "starts s", 0, 0},
	{"compose (uniform i j) (uniform k n)", "uniform i (area j n)", 0, 0},
	{"uniform k (select (gt k 0) i j)", "uniform k i", 0, 0},
	{"concat (uniform i k) (uniform j k)", "uniform (add i j) k", 0, 0},
	{"compose (uniform 1 k) s", "uniform 1 (total s)", 0, 0},
	{"compose (uniform k 1) s", "s", "rows s", "k"},
	{"row_start^ (compose (uniform i k) s) j", "row_start^ s (mul j k)", 0, 0},
	{"row_length^ (compose (uniform i 2) s) j", "add (row_length^ s (mul j 2)) (row_length^ s (add (mul j 2) 1))", "fused", 0},
	{"row_length^ (segdes i) j", "gather i j", 0, 0},
	{"row_length (segdes i) j", "elem i j", 0, 0},
	{"row_length^ (uniform i k) j", "dist k (length j)", 0, 0},
	{"row_length (uniform i k) j", "k", 0, 0},
	{"row_start^ (uniform i k) j", "mul j k", 0, 0},
	{"row_start (uniform i k) j", "mul j k", 0, 0},
	{"row_start^ s (iota k)", "starts s", "rows s", "k"},
	{"row_length^ s (iota k)", "lengths s", "rows s", "k"},
	{"gather (starts s) i", "row_start^ s i", 0, 0},
	{"gather (lengths s) i", "row_length^ s i", 0, 0},
	{"elem (starts s)! i", "row_start s i", 0, 0},
	{"elem (lengths s)! i", "row_length s i", 0, 0},

	/* indices */
	{"iota^ (uniform 1 k)", "iota k", 0, 0},
	{"iota^ (uniform k 1)", "dist 0 k", 0, 0},
	{"rowid (uniform k 1)", "iota k", 0, 0},
	{"rowid (uniform 1 k)", "dist 0 k", 0, 0},
	{"add (dist^ s (starts s)) (iota^ s)", "iota (total s)", 0, 0},
	{"gather x (iota k)", "x", "length x", "k"},
	{"gather (iota k) i", "i", 0, 0},
	{"gather x (group s i (iota k))!", "group s i x", "length x", "k"},
	{"elem (iota k) i", "i", 0, 0},
	{"gather x (rowid s)", "dist^ s x", "length x", "rows s"},
	{"gather (gather x i)! (pack p)", "gather x (gather i (pack p))", "length i", "length p"},
	{"gather (gather x i)! (pack^' s p)", "gather x (gather i (pack^' s p))", "length i", "length p"},
	{"gather (rem (iota i) c) (mul (iota k) c)", "dist 0 k", 0, 0},
	{"gather (div (iota i) c) (mul (iota k) c)", "iota k", 0, 0},
	{"gather (rem (iota i) c) (add (mul (iota k) c) a)", "dist a k", "in_range a c", "true"},
	{"gather (div (iota i) c) (add (mul (iota k) c) a)", "iota k", "in_range a c", "true"},
	{"permute x (iota k)", "x", "length x", "k"},
	{"permute x (rank x)!", "sort x", 0, 0},        /* moves no positions */
	{"permute x (add (dist^ s (starts s)) (rank^ s x)!)!", "sort^ s x", 0, 0},
	{"put (dist x k) i y", "mark x i y", "length i", "k"},
	{"permute_ok (iota k)", "dist true k", 0, 0},
	{"permute_ok (rank x)", "dist true (length x)", 0, 0},
	{"permute_ok (rank_down x)", "dist true (length x)", 0, 0},
	{"permute_ok (add (dist^ s (starts s)) (rank^ s x))", "dist true (length x)", 0, 0},
	{"permute_ok (add (dist^ s (starts s)) (rank_down^ s x))", "dist true (length x)", 0, 0},
	{"in_range (iota k) k", "true", 0, 0},
	{"in_range (rowid s) k", "true", "rows s", "k"},
	{"in_range (pack p) k", "true", "length p", "k"},
	{"in_range (pack^' s p) k", "true", "length p", "k"},
	{"in_range (rank x) k", "true", "length x", "k"},
	{"in_range (rank_down x) k", "true", "length x", "k"},
	{"in_range (rank^ s x) (dist^ s (lengths s))", "true", 0, 0},
	{"in_range (rank_down^ s x) (dist^ s (lengths s))", "true", 0, 0},
	{"in_range (iota^ s) (dist^ s (lengths s))", "true", 0, 0},
	{"in_range 0 n", "gt n 0", 0, 0},
	{"in_range (select (in_range i j) i j) (max (add j 1) 0)", "in_range j (max (add j 1) 0)", 0, 0},       /* one more, for what is in none */

	/* vectors of one value */
	{"dist^ s (dist x k)", "dist x (total s)", 0, 0},
	{"dist^ (uniform k 1) x", "x", "length x", "k"},
	{"gather (dist x k) i", "dist x (length i)", 0, 0},
	{"elem (dist x k) i", "x", 0, 0},
	{"pack (dist true k)", "iota k", 0, 0},
	{"pack (dist false k)", "iota 0", 0, 0},
	{"append (dist x i) (dist x k)", "dist x (add i k)", 0, 0},
	{"combine (dist true k) x y", "x", 0, 0},
	{"combine (dist false k) x y", "y", 0, 0},
	{"combine p (dist x i) (dist y k)", "select p x y", 0, 0},
	{"combine p (gather x (split p)) (gather x (split' p))", "x", "length x", "length p"},
	{"sum (dist i k)", "mul i k", 0, 0},
	{"sum^ s (dist 1 k)", "lengths s", 0, 0},
	/* a row of one is what it has; floats need not be: 0.0 + -0.0 is not -0.0, and the greatest passes over a NaN */
	{"sum^ (uniform k 1) i", "i", 0, 0},
	{"product^ (uniform k 1) i", "i", 0, 0},
	{"max_val^ (uniform k 1) i", "i", 0, 0},
	{"min_val^ (uniform k 1) i", "i", 0, 0},
	{"any^ (uniform k 1) p", "p", 0, 0},
	{"all^ (uniform k 1) p", "p", 0, 0},
	{"parity^ (uniform k 1) p", "p", 0, 0},
	{"plus_scan (dist 1 k)", "iota k", 0, 0},
	{"plus_scan^ s (dist 1 k)", "iota^ s", 0, 0},
	{"all (dist p k)", "or p (eq k 0)", 0, 0},
	{"any (dist p k)", "and p (gt k 0)", 0, 0},

	/* ints, which wrap */
	{"add i 0", "i", 0, 0},
	{"sub i 0", "i", 0, 0},
	{"sub i i", "0", 0, 0},
	{"mul i 0", "0", 0, 0},
	{"mul i 1", "i", 0, 0},
	{"div i 1", "i", 0, 0},
	{"rem i 1", "0", 0, 0},
	{"add (add i a) b", "add i (add a b)", 0, 0},
	{"add (sub i a) b", "add i (sub b a)", 0, 0},
	{"sub (add i a) b", "add i (sub a b)", 0, 0},
	{"sub (sub i a) b", "sub i (add a b)", 0, 0},
	{"sub (add i j) j", "i", 0, 0},
	{"sub (add i j) i", "j", 0, 0},
	{"add (sub i j) j", "i", 0, 0},
	{"sub i (sub i j)", "j", 0, 0},
	{"and i 0", "0", 0, 0},
	{"or i 0", "i", 0, 0},
	{"xor i 0", "i", 0, 0},
	{"lshift i 0", "i", 0, 0},
	{"rshift i 0", "i", 0, 0},
	{"max i i", "i", 0, 0},
	{"min i i", "i", 0, 0},
	{"max n 0", "n", 0, 0},
	{"min n 0", "0", 0, 0},

	/* floats: x + 0.0 is not x where x is -0.0 */
	{"sub u 0.0", "u", 0, 0},
	{"mul u 1.0", "u", 0, 0},
	{"div u 1.0", "u", 0, 0},

	/* comparisons; a float need not be equal to itself */
	{"eq i i", "true", 0, 0},
	{"le i i", "true", 0, 0},
	{"ge i i", "true", 0, 0},
	{"ne i i", "false", 0, 0},
	{"lt i i", "false", 0, 0},
	{"gt i i", "false", 0, 0},
	{"ge n 0", "true", 0, 0},
	{"lt n 0", "false", 0, 0},
	{"le 0 n", "true", 0, 0},
	{"gt 0 n", "false", 0, 0},
	{"div_ok i g", "true", 0, 0},
	{"div_ok u d", "true", 0, 0},
	{"rem_ok i g", "true", 0, 0},
	{"nonneg_ok w", "true", 0, 0},

	/* truth */
	{"not (not p)", "p", 0, 0},
	{"not (eq i j)!", "ne i j", 0, 0},
	{"not (ne i j)!", "eq i j", 0, 0},
	{"not (lt i j)!", "ge i j", 0, 0},
	{"not (ge i j)!", "lt i j", 0, 0},
	{"not (gt i j)!", "le i j", 0, 0},
	{"not (le i j)!", "gt i j", 0, 0},
	{"and p p", "p", 0, 0},
	{"and (ne i j) (lt i j)", "lt i j", 0, 0},
	{"and p true", "p", 0, 0},
	{"and p false", "false", 0, 0},
	{"or p p", "p", 0, 0},
	{"or p false", "p", 0, 0},
	{"or p true", "true", 0, 0},
	{"xor p false", "p", 0, 0},
	{"xor p true", "not p", 0, 0},
	{"select p x x", "x", 0, 0},
	{"select true x y", "x", 0, 0},
	{"select false x y", "y", 0, 0},
	{"select (not p) x y", "select p y x", 0, 0},
	{"select p true false", "p", 0, 0},
	{"select p q false", "and p q", 0, 0},
	{"select p true q", "or p q", 0, 0},
};

enum { NLAW = sizeof law / sizeof *law, NLETTER = 26 };

typedef struct Term {
	enum { LETTER, CONSTANT, OPERATOR } kind;
	int letter;             /* 0..25 */
	Opnd constant;
	int op, narg, result;   /* result: which one of op's */
	bool lifted, once;
	const struct Term *arg[3];
} Term;

typedef struct Rule {
	const Term *from, *to, *when, *is;
	struct Rule *next;      /* of those with the same operator */
} Rule;

struct Rules {
	Rule *by_op[FLAN_NOP];
};

/* -- reading ---------------------------------------------------------------------------------------- */

typedef struct Text {
	Arena *arena;
	const char *at;
} Text;

static const char *
word(Text *t)
{
	const char *s = t->at;
	size_t n = strcspn(s, " ()!'^");

	t->at += n;
	return arena_strndup(t->arena, s, n);
}

static const Term *
atom(Text *t, const char *s)
{
	Term *x = NEW(t->arena, Term, 1);

	if (isalpha((unsigned char)s[0]) && !s[1]) {
		x->kind = LETTER;
		x->letter = s[0] - 'a';
		return x;
	}
	x->kind = CONSTANT;
	if (isdigit((unsigned char)s[0]))
		x->constant = strchr(s, '.') ? opnd_float(strtod(s, NULL)) : opnd_int(atoi(s));
	else
		x->constant = opnd_bool(strcmp(s, "true") == 0);
	return x;
}

static bool
is_operator(const char *s)
{
	return isalpha((unsigned char)s[0]) && s[1] && strcmp(s, "true") != 0 && strcmp(s, "false") != 0;
}

static bool
passed(Text *t, char c)
{
	bool yes = *t->at == c;

	t->at += yes;
	return yes;
}

/* To the end of the text, or the parenthesis that closes. */
static const Term *
term(Text *t)
{
	Term *x = NEW(t->arena, Term, 1);
	const char *s = word(t);

	if (!is_operator(s))
		return atom(t, s);
	x->kind = OPERATOR;
	x->op = ir_find(&flan_ir, s);
	if (x->op < 0)
		ice((Span){0}, "rules", "no operator %s", s);
	x->lifted = passed(t, '^');
	x->result = passed(t, '\'');
	while (passed(t, ' ')) {
		if (passed(t, '(')) {
			Term *in = (Term *)term(t);
			passed(t, ')');
			in->once = passed(t, '!');
			x->arg[x->narg++] = in;
		} else {
			x->arg[x->narg++] = atom(t, word(t));
		}
	}
	return x;
}

static const Term *
read_term(Arena *a, const char *s)
{
	return s ? term(&(Text){a, s}) : NULL;
}

const Rules *
rules_new(Arena *a, bool fused)
{
	Rules *r = NEW(a, Rules, 1);

	for (int i = NLAW; i-- > 0; ) {
		Rule *n = NEW(a, Rule, 1);
		const bool if_fused = law[i].when && strcmp(law[i].when, "fused") == 0;

		if (if_fused && !fused)
			continue;
		*n = (Rule){read_term(a, law[i].from), read_term(a, law[i].to), if_fused ? NULL : read_term(a, law[i].when),
			read_term(a, law[i].is), NULL};
		n->next = r->by_op[n->from->op];
		r->by_op[n->from->op] = n;
	}
	return r;
}

const char *
rules_text(Arena *a, int i)
{
	return i < NLAW ? arena_printf(a, "%s = %s", law[i].from, law[i].to) : NULL;
}

/* -- matching --------------------------------------------------------------------------------------- */

typedef struct Match {
	Flattener *f;
	unsigned bound;                 /* the letters that are, a set */
	Opnd value[NLETTER];            /* of these */
} Match;

static const Ty *
base_of(Opnd o)
{
	const Ty *t = opnd_ty(o);

	return t->kind == TY_VEC ? t->a : t;
}

static bool
letter_fits(Flattener *f, char c, Opnd o)
{
	TyKind t = base_of(o)->kind;

	switch (c) {
	case 'i': case 'j': case 'k': return t == TY_INT;
	case 'n': case 'm': return t == TY_INT && never_negative(f, o);
	case 'a': case 'b': return o.kind == OPND_INT;
	case 'c': return o.kind == OPND_INT && o.u.i != 0 && o.u.i != -1;
	case 'u': case 'v': return t == TY_FLOAT;
	case 'w': return t == TY_FLOAT && never_negative(f, o);
	case 'd': return t == TY_FLOAT && always_divides(f, o);
	case 'g': return t == TY_INT && always_divides(f, o);
	case 'p': case 'q': return t == TY_BOOL;
	case 's': case 't': return t == TY_SEGDES;
	default: return true;
	}
}

static bool
is_scalar_op(int op)
{
	return flan_ir.op[op].cls == OP_SCALAR;
}

static bool match(Match *m, const Term *t, Opnd o);

static bool
match_args(Match *m, const Term *t, const Opnd *arg)
{
	for (int i = 0; i < t->narg; i++)
		if (!match(m, t->arg[i], arg[i]))
			return false;
	return true;
}

/* The operands in either order, where that is the same. */
static bool
match_op(Match *m, const Term *t, int op, bool lifted, int narg, const Opnd *arg)
{
	const unsigned bound = m->bound;

	if (op != t->op || narg != t->narg || (lifted != t->lifted && !is_scalar_op(op)))
		return false;
	if (match_args(m, t, arg))
		return true;
	m->bound = bound;
	return commutes(op) && match_args(m, t, (Opnd[]){arg[1], arg[0]});
}

static bool
match(Match *m, const Term *t, Opnd o)
{
	const Bind *b;

	switch (t->kind) {
	case CONSTANT:
		return same_opnd(t->constant, o);
	case LETTER:
		if (m->bound & 1u << t->letter)
			return same_opnd(m->value[t->letter], o);
		if (!letter_fits(m->f, (char)('a' + t->letter), o))
			return false;
		m->bound |= 1u << t->letter;
		m->value[t->letter] = o;
		return true;
	case OPERATOR:
		break;
	}
	b = made_by(m->f, o);
	return b && t->result < b->ndst && b->dst[t->result] == o.u.var && (!t->once || used_once(m->f, o))
	       && match_op(m, t, b->op, b->lifted, b->narg, b->arg);
}

/* -- building --------------------------------------------------------------------------------------- */

/* The type of what the row says, from its operands: a letter that stands for one type in operand and result, or a type
 * of its own. */
static const Ty *
result_type(const OpInfo *op, bool lifted, int result, const Opnd *arg)
{
	static const Ty *const own[] = {['i'] = &ty_int, ['f'] = &ty_float, ['b'] = &ty_bool, ['c'] = &ty_char,
		['S'] = &ty_segdes};
	const char *sig = op->sig[lifted], *to = strchr(sig, ':') + 1;
	const Ty *t;
	int i = 0;
	char c;

	for (; result > 0; result--)
		to += *to == '<' ? 3 : 1;
	c = *to == '<' ? to[1] : *to;
	t = c < (int)(sizeof own / sizeof *own) ? own[(int)c] : NULL;
	for (; !t && *sig != ':'; sig++) {
		if (*sig == c)
			t = base_of(arg[i]);
		i += *sig != '<' && *sig != '>';
	}
	return *to == '<' ? ty_vec(t) : t;
}

static Opnd
build(Match *m, const Term *t)
{
	Opnd arg[3], both[2];
	const OpInfo *op = &flan_ir.op[t->op];

	if (t->kind == LETTER)
		return m->value[t->letter];
	if (t->kind == CONSTANT)
		return t->constant;
	for (int i = 0; i < t->narg; i++)
		arg[i] = build(m, t->arg[i]);
	if (op->cls == OP_SCALAR)
		return scalar_op(m->f, t->op, result_type(op, false, 0, arg), t->narg, arg);
	if (!t->result)
		return emit(m->f, t->op, t->lifted, result_type(op, t->lifted, 0, arg), t->narg, arg);
	emit_many(m->f, t->op, t->lifted, 2, (const Ty *[]){result_type(op, t->lifted, 0, arg),
		result_type(op, t->lifted, 1, arg)}, t->narg, arg, both);
	return both[1];
}

bool
rules_apply(Flattener *f, int op, bool lifted, const Ty *ty, int narg, const Opnd *arg, Opnd *out)
{
	Match m;

	m.f = f;
	for (const Rule *r = f->rules->by_op[op]; r; r = r->next) {
		m.bound = 0;
		if (!match_op(&m, r->from, op, lifted, narg, arg))
			continue;
		if (r->when && !same_opnd(build(&m, r->when), build(&m, r->is)))
			continue;
		*out = build(&m, r->to);
		if (ty->kind == TY_VEC && !is_vector(*out))
			*out = EMIT(f, FLAN_dist, false, ty, *out, length_of(f, first_vector(narg, arg)));
		return true;
	}
	return false;
}
