/* coverage.c: which operators of normal generated programs reach, on what, how deep.
 *
 * Linked into build/gen-coverage in front of what flattening exports (ld --wrap); when the program ends it prints, for
 * each operator, how often it was flattened with an operand of each kind, at 0 to 3 levels of apply-to-each around it (in a
 * lifted function: 1 and more, as it sees one level of its callers'):
 *     host    a scalar, or a sequence, of level 0, thus free where the depth is not 0; a condition of the host
 *     dense   one per row: of scalars, too
 *     view    a view, of the host or of rows
 * Flattening runs in processes of their own, so the counts are in memory that all share. */
#include "flatten/flattener.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { HOST, DENSE, VIEW, NKIND, DEPTHS = 4 };

typedef long Row[NKIND][DEPTHS];

static Row *count;

static size_t size(void) { return sizeof(Row) * (size_t)normal_ir.nop; }

__attribute__((constructor)) static void
start(void)
{
	count = mmap(NULL, size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static int
depth(const Flattener *f)
{
	int n = 0;

	for (const Level *lv = f->cur; lv->parent; lv = lv->parent)
		n += !lv->split;
	return n < DEPTHS ? n : DEPTHS - 1;
}

static void
seen(const Flattener *f, int op, int kind)
{
	count[op][kind][depth(f)]++;
}

static void
seen_value(const Flattener *f, int op, const Val *v)
{
	if (v && v->kind == VAL_PAIR) {
		seen_value(f, op, v->a);
		seen_value(f, op, v->b);
	} else if (v) {
		seen(f, op, v->kind == VAL_SEQ && v->view ? VIEW : at_host(v) ? HOST : DENSE);
	}
}

static void
seen_values(const Flattener *f, const Bind *b, Val **arg)
{
	for (int i = 0; i < b->narg; i++)
		seen_value(f, b->op, arg[i]);
	if (b->narg == 0)
		seen(f, b->op, HOST);
}

/* Operands as they are, not as they are seen from here: that makes code. */
static void
seen_operands(const Flattener *f, const Bind *b)
{
	for (int i = 0; i < b->narg; i++) {
		int id = b->arg[i].kind == OPND_VAR ? b->arg[i].u.var->id - f->env.lo : -1;

		if (id >= 0 && id < f->env.n)
			seen_value(f, b->op, f->env.at[id]);
		else
			seen(f, b->op, HOST);
	}
}

/* -- what is wrapped ------------------------------------------------------------------------------- */

Val *__real_sequence_op(Flattener *f, const Bind *b, Level *lv, Val **arg);
Val *__real_reduce_op(Flattener *f, const Bind *b, Val *arg);
Val *__real_scan_op(Flattener *f, const Bind *b, Val *arg);
void __real_pack_op(Flattener *f, const Bind *b, Level *lv, Val **arg);
Val *__real_foreach_op(Flattener *f, const Bind *b);
void __real_if_op(Flattener *f, const Bind *b);
void __real_call_op(Flattener *f, const Bind *b);
Opnd __real_scalar_op(Flattener *f, int op, const Ty *ty, int narg, const Opnd *arg);

Val *__wrap_sequence_op(Flattener *f, const Bind *b, Level *lv, Val **arg);
Val *__wrap_reduce_op(Flattener *f, const Bind *b, Val *arg);
Val *__wrap_scan_op(Flattener *f, const Bind *b, Val *arg);
void __wrap_pack_op(Flattener *f, const Bind *b, Level *lv, Val **arg);
Val *__wrap_foreach_op(Flattener *f, const Bind *b);
void __wrap_if_op(Flattener *f, const Bind *b);
void __wrap_call_op(Flattener *f, const Bind *b);
Opnd __wrap_scalar_op(Flattener *f, int op, const Ty *ty, int narg, const Opnd *arg);

Val *
__wrap_sequence_op(Flattener *f, const Bind *b, Level *lv, Val **arg)
{
	seen_values(f, b, arg);
	return __real_sequence_op(f, b, lv, arg);
}

Val *
__wrap_reduce_op(Flattener *f, const Bind *b, Val *arg)
{
	seen_value(f, b->op, arg);
	return __real_reduce_op(f, b, arg);
}

Val *
__wrap_scan_op(Flattener *f, const Bind *b, Val *arg)
{
	seen_value(f, b->op, arg);
	return __real_scan_op(f, b, arg);
}

void
__wrap_pack_op(Flattener *f, const Bind *b, Level *lv, Val **arg)
{
	seen_values(f, b, arg);
	__real_pack_op(f, b, lv, arg);
}

Val *
__wrap_foreach_op(Flattener *f, const Bind *b)
{
	seen_operands(f, b);
	return __real_foreach_op(f, b);
}

void
__wrap_if_op(Flattener *f, const Bind *b)
{
	seen_operands(f, b);
	__real_if_op(f, b);
}

void
__wrap_call_op(Flattener *f, const Bind *b)
{
	seen_operands(f, b);
	__real_call_op(f, b);
}

/* Of the program or made on the way: operators of flan have the same numbers as long as they are scalar. */
Opnd
__wrap_scalar_op(Flattener *f, int op, const Ty *ty, int narg, const Opnd *arg)
{
	bool vector = false;

	for (int i = 0; i < narg; i++)
		vector |= is_vector(arg[i]);
	seen(f, op, vector ? DENSE : HOST);
	return __real_scalar_op(f, op, ty, narg, arg);
}

/* -- the report --------------------------------------------------------------------------------------- */

static long
sum(Row *r, int kind)
{
	long n = 0;

	for (int d = 0; d < DEPTHS; d++)
		n += (*r)[kind][d];
	return n;
}

static bool
counted(const OpInfo *op)
{
	static const char *const more[] = {"if", "call", "foreach", "pack"};

	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		if (strcmp(op->name, more[i]) == 0)
			return true;
	return op->cls == OP_SCALAR || op->cls == OP_REDUCE || op->cls == OP_SCAN || op->cls == OP_SEQUENCE;
}

/* Children leave by _exit: only the program itself comes here. */
__attribute__((destructor)) static void
report(void)
{
	static const char *const kind[] = {"host", "dense", "view"};

	printf("%-13s", "operator");
	for (int k = 0; k < NKIND; k++)
		for (int d = 0; d < DEPTHS; d++)
			printf(" %6s %d", kind[k], d);
	putchar('\n');
	for (int i = 0; i < normal_ir.nop; i++) {
		if (!counted(&normal_ir.op[i]))
			continue;
		printf("%-13s", normal_ir.op[i].name);
		for (int k = 0; k < NKIND; k++)
			for (int d = 0; d < DEPTHS; d++)
				printf(" %8ld", count[i][k][d]);
		putchar('\n');
	}
	printf("never reached:");
	for (int i = 0; i < normal_ir.nop; i++)
		for (int k = 0; k < NKIND; k++)
			if (counted(&normal_ir.op[i]) && sum(&count[i], k) == 0 && (k != VIEW || normal_ir.op[i].cls != OP_SCALAR))
				printf(" %s/%s", normal_ir.op[i].name, kind[k]);
	putchar('\n');
	munmap(count, size());
}
