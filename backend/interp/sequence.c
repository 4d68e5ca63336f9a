/* sequence.c: the operators of normal that work on pairs and sequences as wholes. */
#include "backend/interp/eval.h"
#include <stdlib.h>
#include <string.h>

typedef Value *Slots;

static Outcome
give(Slots slot, const Step *s, Value v)
{
	slot[s->dst[0]] = v;
	return RUN_OK;
}

static Outcome
give_seq(Slots slot, const Step *s, Seq *v)
{
	return give(slot, s, (Value){.s = v});
}

static Seq *
seq_arg(const Value *slot, const Step *s, int k)
{
	return arg_see(slot, s, k).s;
}

/* For n elements of several sequences. */
static Seq *
joined(const Machine *m, const Ty *elem, i64 n)
{
	if (n > int_greatest(m->u->ir->int_bits)) {     /* it says how long a sequence is */
		fflush(stdout);
		fprintf(stderr, "nessie: " NESL_TOO_LONG(n, m->u->ir->int_bits));
		fputc('\n', stderr);
		exit(4);
	}
	return seq_new(elem, n);
}

/* -- pairs and building ----------------------------------------------------------------------- */
static Outcome
run_pair(Machine *m, Slots slot, const Step *s)
{
	Value a = arg_take(slot, &s->arg[0]);

	(void)m;
	return give(slot, s, value_pair(a, arg_take(slot, &s->arg[1])));
}

static Outcome
run_fst(Machine *m, Slots slot, const Step *s)
{
	(void)m;
	return give(slot, s, value_keep(arg_see(slot, s, 0).p->a, s->arg[0].ty->a));
}

static Outcome
run_snd(Machine *m, Slots slot, const Step *s)
{
	(void)m;
	return give(slot, s, value_keep(arg_see(slot, s, 0).p->b, s->arg[0].ty->b));
}

static Outcome
run_seq(Machine *m, Slots slot, const Step *s)
{
	Seq *r = seq_new(s->bind->dst[0]->ty->a, s->bind->narg);

	(void)m;
	for (int i = 0; i < s->bind->narg; i++)
		seq_set(r, i, arg_take(slot, &s->arg[i]));
	return give_seq(slot, s, r);
}

static Outcome
run_string(Machine *m, Slots slot, const Step *s)
{
	Seq *r = seq_new(&ty_char, s->bind->textlen);

	(void)m;
	for (int i = 0; i < s->bind->textlen; i++)
		seq_set(r, i, (Value){.i = (unsigned char)s->bind->text[i]});
	return give_seq(slot, s, r);
}

static Outcome
run_positions(Machine *m, Slots slot, const Step *s)
{
	Seq *r = seq_new(&ty_int, seq_arg(slot, s, 0)->n);

	(void)m;
	for (i64 i = 0; i < r->n; i++)
		seq_set(r, i, (Value){.i = i});
	return give_seq(slot, s, r);
}

static Outcome
run_range(Machine *m, Slots slot, const Step *s)
{
	i64 a = arg_see(slot, s, 0).i, b = arg_see(slot, s, 1).i, d = arg_see(slot, s, 2).i;
	Seq *r;

	if (!irange_ok(a, b, d) || irange(a, b, d) > int_greatest(m->u->ir->int_bits))
		return eval_fault(m, s, "bad-range", a, b, d);
	r = seq_new(&ty_int, irange(a, b, d));
	for (i64 i = 0; i < r->n; i++)
		((i64 *)r->data)[i] = a + i * d;
	return give_seq(slot, s, r);
}

static Outcome
run_dist(Machine *m, Slots slot, const Step *s)
{
	i64 n = arg_see(slot, s, 1).i;
	Seq *r;

	if (n < 0)
		return eval_fault(m, s, "bad-range", 0, n, 1);
	r = seq_new(s->arg[0].ty, n);
	for (i64 i = 0; i < n; i++)
		seq_set(r, i, value_keep(arg_see(slot, s, 0), s->arg[0].ty));
	return give_seq(slot, s, r);
}

/* -- taking apart, putting together ----------------------------------------------------------- */
static Outcome
run_length(Machine *m, Slots slot, const Step *s)
{
	(void)m;
	return give(slot, s, (Value){.i = seq_arg(slot, s, 0)->n});
}

static Outcome
run_elt(Machine *m, Slots slot, const Step *s)
{
	const Seq *v = seq_arg(slot, s, 0);
	i64 i = arg_see(slot, s, 1).i;

	if (i < 0 || i >= v->n)
		return eval_fault(m, s, "index-range", i, v->n, 0);
	return give(slot, s, seq_get(v, i));
}

static Outcome
run_subseq(Machine *m, Slots slot, const Step *s)
{
	Seq *v = seq_arg(slot, s, 0);
	i64 from = arg_see(slot, s, 1).i, to = arg_see(slot, s, 2).i;

	if (from < 0 || from > to || to > v->n)
		return eval_fault(m, s, "index-range", from < 0 || from > to ? from : to, v->n, 0);
	return give_seq(slot, s, seq_slice(v, from, to));
}

static Outcome
run_append(Machine *m, Slots slot, const Step *s)
{
	const Seq *a = seq_arg(slot, s, 0), *b = seq_arg(slot, s, 1);
	Seq *r = joined(m, a->elem, a->n + b->n);

	seq_copy(r, 0, a, 0, a->n);
	seq_copy(r, a->n, b, 0, b->n);
	return give_seq(slot, s, r);
}

static Outcome
run_flatten(Machine *m, Slots slot, const Step *s)
{
	const Seq *v = seq_arg(slot, s, 0), *const *row = v->data;
	i64 n = 0;
	Seq *r;

	for (i64 i = 0; i < v->n; i++)
		n += row[i]->n;
	r = joined(m, v->elem->a, n);
	n = 0;
	for (i64 i = 0; i < v->n; n += row[i++]->n)
		seq_copy(r, n, row[i], 0, row[i]->n);
	return give_seq(slot, s, r);
}

/* pack f, xs, ys .. -> the elements of each where f is true */
static Outcome
run_pack(Machine *m, Slots slot, const Step *s)
{
	const Seq *f = seq_arg(slot, s, 0);
	const b8 *flag = f->data;
	i64 kept = 0;

	for (i64 i = 0; i < f->n; i++)
		kept += flag[i];
	for (int k = 1; k < s->bind->narg; k++)
		if (seq_arg(slot, s, k)->n != f->n)
			return eval_fault(m, s, "length-mismatch", f->n, seq_arg(slot, s, k)->n, 0);
	for (int k = 1; k < s->bind->narg; k++) {
		const Seq *v = seq_arg(slot, s, k);
		Seq *r = seq_new(v->elem, kept);
		i64 to = 0;

		for (i64 i = 0; i < f->n; i++)
			if (flag[i])
				seq_copy(r, to++, v, i, 1);
		slot[s->dst[k - 1]].s = r;
	}
	return RUN_OK;
}

/* -- rearranging ------------------------------------------------------------------------------ */
typedef struct {
	uint64_t key;
	i64 at;
} Ranked;

/* Unsigned keys in the elements' order: NaN last, -0.0 below 0.0. */
static uint64_t
rank_key(const Seq *v, i64 i)
{
	const uint64_t top = (uint64_t)1 << 63;
	Value x = seq_get(v, i);

	if (v->elem->kind != TY_FLOAT)
		return (uint64_t)x.i ^ top;
	if (x.f != x.f)
		return UINT64_MAX;
	return (uint64_t)x.i & top ? ~(uint64_t)x.i : (uint64_t)x.i | top;
}

static int
compare_ranked(const void *x, const void *y)
{
	const Ranked *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->at < b->at ? -1 : 1;
}

/* The elements of v in their order; to be freed. */
static Ranked *
ordered(const Seq *v, uint64_t flip)
{
	Ranked *order = malloc(sizeof *order * (size_t)(v->n + 1));

	if (!order)
		value_no_memory();
	for (i64 i = 0; i < v->n; i++)
		order[i] = (Ranked){rank_key(v, i) ^ flip, i};
	qsort(order, (size_t)v->n, sizeof *order, compare_ranked);
	return order;
}

static Outcome
rank_by(Slots slot, const Step *s, uint64_t flip)
{
	const Seq *v = seq_arg(slot, s, 0);
	Seq *r = seq_new(&ty_int, v->n);
	Ranked *order = ordered(v, flip);

	for (i64 i = 0; i < v->n; i++)
		((i64 *)r->data)[order[i].at] = i;
	free(order);
	return give_seq(slot, s, r);
}

static Outcome
run_rank(Machine *m, Slots slot, const Step *s)
{
	(void)m;
	return rank_by(slot, s, 0);
}

/* The keys' complement: a NaN comes first. */
static Outcome
run_rank_down(Machine *m, Slots slot, const Step *s)
{
	(void)m;
	return rank_by(slot, s, UINT64_MAX);
}

static Outcome
run_sort(Machine *m, Slots slot, const Step *s)
{
	const Seq *v = seq_arg(slot, s, 0);
	Seq *r = seq_new(v->elem, v->n);
	Ranked *order = ordered(v, 0);

	(void)m;
	for (i64 i = 0; i < v->n; i++)
		seq_copy(r, i, v, order[i].at, 1);
	free(order);
	return give_seq(slot, s, r);
}

/* The first position of idx that is out of 0..n-1 or was there before; -1 if it is a permutation. */
static i64
not_permuting(const i64 *idx, i64 n)
{
	b8 *seen = calloc((size_t)n + 1, 1);
	i64 k;

	if (!seen)
		value_no_memory();
	for (k = 0; k < n; k++) {
		if (idx[k] < 0 || idx[k] >= n || seen[idx[k]])
			break;
		seen[idx[k]] = 1;
	}
	free(seen);
	return k < n ? k : -1;
}

static Outcome
run_permute(Machine *m, Slots slot, const Step *s)
{
	const Seq *v = seq_arg(slot, s, 0), *at = seq_arg(slot, s, 1);
	const i64 *idx = at->data;
	Seq *r;
	i64 bad;

	if (v->n != at->n)
		return eval_fault(m, s, "bad-permute", at->n, v->n, 1);
	bad = not_permuting(idx, v->n);
	if (bad >= 0)
		return eval_fault(m, s, "bad-permute", idx[bad], v->n, 0);
	r = seq_new(v->elem, v->n);
	for (i64 k = 0; k < v->n; k++)
		seq_copy(r, idx[k], v, k, 1);
	return give_seq(slot, s, r);
}

/* Each element of v, the first operand, has an index of d, the last? */
static Outcome
indices_fit(Machine *m, Slots slot, const Step *s)
{
	const Seq *v = seq_arg(slot, s, 0), *at = seq_arg(slot, s, 1), *d = seq_arg(slot, s, 2);
	const i64 *idx = at->data;

	if (v->n != at->n)
		return eval_fault(m, s, "length-mismatch", v->n, at->n, 0);
	for (i64 k = 0; k < v->n; k++)
		if (idx[k] < 0 || idx[k] >= d->n)
			return eval_fault(m, s, "index-range", idx[k], d->n, 0);
	return RUN_OK;
}

/* A copy of d, the last operand, where the first can be put at the indices; NULL: they cannot, which is *fault. */
static Seq *
copied(Machine *m, Slots slot, const Step *s, Outcome *fault)
{
	const Seq *d = seq_arg(slot, s, 2);
	Seq *r;

	if ((*fault = indices_fit(m, slot, s)) != RUN_OK)
		return NULL;
	r = seq_new(d->elem, d->n);
	seq_copy(r, 0, d, 0, d->n);
	return r;
}

/* put(v, i, d): d with v[k] at i[k]; the last of equal indices wins */
static Outcome
run_put(Machine *m, Slots slot, const Step *s)
{
	const Seq *v = seq_arg(slot, s, 0);
	const i64 *idx = seq_arg(slot, s, 1)->data;
	Outcome fault;
	Seq *r = copied(m, slot, s, &fault);

	if (!r)
		return fault;
	for (i64 k = 0; k < v->n; k++)
		seq_copy(r, idx[k], v, k, 1);
	return give_seq(slot, s, r);
}

static i64
greater(i64 x, i64 y)
{
	return x > y ? x : y;
}

/* put_FOLD(v, i, d): d, with v[k] folded into d[i[k]] */
static Outcome
put_folded(Machine *m, Slots slot, const Step *s, i64 (*fold)(i64, i64))
{
	const Seq *v = seq_arg(slot, s, 0);
	const i64 *x = v->data, *idx = seq_arg(slot, s, 1)->data;
	Outcome fault;
	Seq *r = copied(m, slot, s, &fault);
	i64 *to;

	if (!r)
		return fault;
	to = r->data;
	for (i64 k = 0; k < v->n; k++)
		to[idx[k]] = int_wrapped(m->u->ir->int_bits, fold(to[idx[k]], x[k]));
	return give_seq(slot, s, r);
}

static Outcome
run_put_sum(Machine *m, Slots slot, const Step *s)
{
	return put_folded(m, slot, s, iadd);
}

static Outcome
run_put_max(Machine *m, Slots slot, const Step *s)
{
	return put_folded(m, slot, s, greater);
}

/* group(v, i, d): how many there are of each, and then each comes behind those of its row that were before it */
static Outcome
run_group(Machine *m, Slots slot, const Step *s)
{
	const Seq *v = seq_arg(slot, s, 0), *d = seq_arg(slot, s, 2);
	const i64 *idx = seq_arg(slot, s, 1)->data;
	const Outcome fault = indices_fit(m, slot, s);
	Seq *r, **row;
	i64 *n;

	if (fault != RUN_OK)
		return fault;
	if (!(n = calloc((size_t)d->n + 1, sizeof *n)))
		value_no_memory();
	for (i64 k = 0; k < v->n; k++)
		n[idx[k]]++;
	r = seq_new(s->bind->dst[0]->ty->a, d->n);
	row = r->data;
	for (i64 k = 0; k < d->n; k++) {
		row[k] = seq_new(v->elem, n[k]);
		n[k] = 0;
	}
	for (i64 k = 0; k < v->n; k++)
		seq_copy(row[idx[k]], n[idx[k]]++, v, k, 1);
	free(n);
	return give_seq(slot, s, r);
}

StepFn
sequence_operator(const char *name)
{
	static const struct {
		const char *name;
		StepFn run;
	} ops[] = {
		{"pair", run_pair}, {"fst", run_fst}, {"snd", run_snd},
		{"seq", run_seq}, {"string", run_string}, {"range", run_range}, {"dist", run_dist},
		{"length", run_length}, {"positions", run_positions}, {"elt", run_elt}, {"subseq", run_subseq},
		{"append", run_append}, {"flatten", run_flatten}, {"pack", run_pack},
		{"rank", run_rank}, {"rank_down", run_rank_down}, {"sort", run_sort},
		{"permute", run_permute}, {"put", run_put}, {"put_sum", run_put_sum}, {"put_max", run_put_max},
		{"group", run_group},
	};

	for (int i = 0; i < (int)(sizeof ops / sizeof *ops); i++)
		if (strcmp(name, ops[i].name) == 0)
			return ops[i].run;
	return NULL;
}
