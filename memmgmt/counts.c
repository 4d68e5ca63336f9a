/* counts.c: what memory management has decided, in numbers (counts.h). */
#include "memmgmt/counts.h"
#include "fuse/lcu.h"
#include "memmgmt/peak.h"

typedef struct {
	int allocations;        /* blocks of memory for results: one for each, or for those that have one together */
	int reuses;             /* that have an operand's where nobody else has it: replace, mark, put, extend */
	int frees, retains;
} Counts;

static int
arrays(const Bind *b)
{
	int n = 0;
	for (int i = 0; i < b->ndst; i++)
		n += ty_counted(b->dst[i]->ty);
	return n;
}

/* How many arrays have this block; the other operands of `reserve` are ends. */
static int
together(const Bind *b)
{
	int n = 0;
	for (int i = 2; i < b->narg; i += 2)
		n += b->arg[i].u.i != LCU_ENDS;
	return n;
}

static void
count(Counts *c, const Block *block)
{
	for (const Bind *b = block->first; b; b = b->next) {
		const OpInfo *op = &mem_ir.op[b->op];
		c->frees += b->op == LCU_free;
		c->retains += b->op == LCU_retain;
		c->allocations -= b->op == LCU_reserve ? together(b) - 1 : 0;
		if (lcu_takes_place(b) || (op->cls == OP_LIBRARY && op->takes > 0))
			c->reuses++;
		else if (op->cls == OP_SINK || op->cls == OP_LIBRARY || op->cls == OP_EFFECT)
			c->allocations += arrays(b);
		for (int i = 0; i < b->nblock; i++)
			count(c, b->block[i]);
	}
}

static void
print(FILE *out, const Counts *c)
{
	fprintf(out, "\"allocations\": %d, \"reuses\": %d, \"frees\": %d, \"retains\": %d", c->allocations, c->reuses, c->frees,
		c->retains);
}

static void
print_part(FILE *out, const char *kind, const char *name, const Block *body, const Peaks *most, const Entry *e,
	const char **between)
{
	Counts c = {0};
	count(&c, body);
	fprintf(out, "%s\n  {\"%s\": \"%s\", ", *between, kind, name);
	print(out, &c);
	if (e) {
		fputs(", ", out);
		peak_print(most, e, out);
	}
	fputc('}', out);
	*between = ",";
}

void
memory_counts(const Unit *u, FILE *out)
{
	Counts all = {0};
	const char *between = "";
	const Peaks *most = peaks(u);
	for (const Fun *f = u->ir->funs; f; f = f->next)
		count(&all, f->body);
	for (const Entry *e = u->ir->entries; e; e = e->next)
		if (e->body)
			count(&all, e->body);
	fputc('{', out);
	print(out, &all);
	fputs(", \"parts\": [", out);
	for (const Fun *f = u->ir->funs; f; f = f->next)
		print_part(out, "function", f->name, f->body, NULL, NULL, &between);
	for (const Entry *e = u->ir->entries; e; e = e->next)
		if (e->body)
			print_part(out, "entry", e->shown, e->body, most, e, &between);
	fputs("]}\n", out);
}
