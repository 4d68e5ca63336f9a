#ifndef NESSIE_REPRESENT_H
#define NESSIE_REPRESENT_H
/* What flattening knows of a value: how a NESL value stands in flat vectors, and where it lives.
 *
 * A *context* is a chain of levels.  Level 0 is the host.  A foreach adds a level with one instance per
 * element; an arm of a parallel `if` adds a *split* level whose instances are some of its parent's.
 * A value lives at the shallowest level its free variables allow, and is never copied to a deeper one:
 * scalars are gathered by the row of the ancestor, sequences become *views* (start and length per row).
 *
 * Sequences come in two kinds (docs/design.md says why):
 *   dense   level 0: the elements, all of them; deeper: a segdes and the elements of all rows, in order
 *   view    level 0: start, length (host ints); deeper: two <int>, per row; into elements of any order
 * Views compose: a view of a view addresses the same elements. */
#include "common/ir.h"
#include "flatten/build.h"

typedef struct Level {
	struct Level *parent;   /* NULL: the host */
	Opnd count;             /* instances, a host int */
	Var *segdes;            /* a foreach below level 0: rows are the parent's instances */
	Span span;              /* of what made it */
	Var *origin;            /* a split: the parent's instance of each of ours */
	bool split;
	bool entry;             /* of a lifted function: rows of its caller */
	struct Level **part;    /* npart > 1: the rows of these, one after the other */
	int npart;
	bool nonempty;          /* known to have an instance */
} Level;

typedef enum { VAL_BASE, VAL_PAIR, VAL_SEQ } ValKind;

/* A value at a level, or (level NULL) a column: one value per element of some sequence. */
typedef struct Val {
	ValKind kind;
	const Ty *ty;           /* the NESL type of one instance */
	Level *level;           /* BASE, SEQ; NULL in columns */
	Opnd x;                 /* BASE: a host scalar at level 0, else a vector */
	struct Val *a, *b;      /* PAIR */
	bool view;              /* SEQ */
	bool even;              /* BASE, SEQ at an edge: x, or the length of each row, is the host's; see even.c */
	Var *segdes;            /* SEQ, dense, not at level 0 */
	Opnd start, length;     /* SEQ, view; length also even */
	struct Val *elem;       /* SEQ: a column */
	const struct Pieces *pieces;      /* SEQ, dense, not at level 0: what its rows were put together from; may be NULL */
} Val;

/* Rows of elem from start, at a level: each is a piece of a row. */
typedef struct Piece {
	Opnd start, length;
	Val *elem;
	Val *rows;              /* that it is, all of them; NULL: others */
} Piece;

enum { MOST_PIECES = 8 };
typedef struct Pieces {
	Opnd length;                    /* of each row, all its pieces together */
	bool chosen;                    /* they are rows of what was there, one of which is taken: nobody has made anything for them */
	int n;
	Piece at[MOST_PIECES];
} Pieces;

typedef struct Flattener Flattener;

/* -- making values; none of these emits code ---------------------------------------------------- */
Val *val_base(Flattener *f, Level *lv, const Ty *ty, Opnd x);
Val *val_dense(Flattener *f, Level *lv, Var *segdes, Val *elem);        /* at level 0: segdes NULL */
/* Of these the parts are made in their order, as what initializes is; which of its arguments comes first is a compiler's choice, and the
 * same program is to be the same text whatever compiled us. */
Val *val_pair(Flattener *f, const Val *of);
Val *val_view(Flattener *f, Level *lv, const Val *of);
#define PAIR(f, first, second) val_pair(f, &(Val){.a = (first), .b = (second)})
#define VIEW(f, lv, from, count, of) val_view(f, lv, &(Val){.start = (from), .length = (count), .elem = (of)})
bool at_host(const Val *v);             /* lives at level 0 (a column does not) */

/* The operands a value consists of, depth first, and the same value over other operands. */
int val_leaves(const Val *v, Opnd *out);                /* how many; out may be NULL */
int all_leaves(Flattener *f, int n, Val *const *v, Opnd **leaf);        /* of n values, in new memory */
Val *val_replace(Flattener *f, const Val *shape, const Opnd **leaf);
/* Are these the same operands?  Then two sequences share their elements. */
bool val_same(const Val *a, const Val *b);

/* Is it, or is anything in it, a view? */
bool val_has_views(const Val *v);

/* -- moving values; these emit code -------------------------------------------------------------- */
/* The elements idx of a column (idx: <int>); nested sequences become views. */
Val *val_gather(Flattener *f, const Val *column, Opnd idx);
/* The rows idx of a sequence that is not of the host, as a view at lv (NULL: as a column). */
Val *gather_rows(Flattener *f, const Val *v, Level *lv, Opnd idx);
/* The value as seen from level lv, an ancestor's or its own: one instance each, as a column. */
Val *val_lift(Flattener *f, const Val *v, Level *lv);
/* The same with a level: what `val_lift` gives, living at lv; at the host the value itself. */
Val *val_at(Flattener *f, const Val *v, Level *lv);
/* A scalar's operand for use at lv: of the host as it is, else one per instance of lv. */
Opnd operand_at(Flattener *f, const Val *v, Level *lv);
/* A column as a value at lv. */
Val *val_with_level(Flattener *f, const Val *column, Level *lv);
/* The same value said to live at lv, unless at the host. */
Val *val_said_at(Flattener *f, const Val *v, Level *lv);
/* A dense sequence (its elements as they come; deep: those dense too), rows in order. */
Val *val_densify(Flattener *f, Val *v, bool deep);
/* Columns one after the other, as one column; sequences in them share their elements if all do. */
Val *val_concat(Flattener *f, int n, Val **column);
/* Both as one shape: kinds that differ become views, levels that differ the deeper one. */
bool val_same_shape(const Val *a, const Val *b);
Val *val_join_shape(Flattener *f, const Val *a, const Val *b);
Val *val_convert(Flattener *f, Val *v, const Val *shape);
/* 0, 0.0, F or the character 0. */
Opnd zero_of(const Ty *ty);
/* The value that stands in rows that nobody takes: no rows (level lv or column), or at the host zeros.  Scalars of the host and
 * elements of `shape` made outside block depth `depth` are kept, so that nothing is chosen between, and views need no new base. */
Val *val_nothing(Flattener *f, const Val *shape, int depth);

/* -- edges (even.c) --------------------------------------------------------------------------------- */
/* What is one number for all instances as `even`, nowhere but in a function's parameters and results and where arms of the
 * host meet; and back, the level known. */
Val *val_to_edge(Flattener *f, Val *v);
Val *val_from_edge(Flattener *f, Val *e);
/* v, of a level, as it is if each of its rows has k elements. */
Val *val_of_length(Flattener *f, const Val *v, Opnd k);
/* v as it is if `cond`, which takes on what that needs, holds: all rows of a sequence are of one length.  look: at the lengths, if
 * need be; NULL: nothing else would tell. */
Val *val_if_even(Flattener *f, Val *v, bool look, Opnd *cond);

/* -- pieces (pieces.c) ------------------------------------------------------------------------------- */
/* What the rows of a sequence, not of the host, consist of: half of MOST_PIECES at most. */
const Pieces *pieces_of(Flattener *f, Val *v);
/* As seen from lv, if v was put together from pieces and its elements are scalars; NULL: take it as it is. */
const Pieces *pieces_at(Flattener *f, const Val *v, Level *lv);
/* Element i of the rows that these pieces are, one for each, as a column; and their elements from `from` to before `to`, chosen too. */
Val *element_of_pieces(Flattener *f, const Pieces *p, Opnd i);
Pieces *cut_pieces(Flattener *f, const Pieces *p, Opnd from, Opnd to);
/* Has nobody made anything for its rows: are they views, or chosen from what was there? */
bool val_was_there(const Val *v);
/* Of x, one for each row where cond holds, that of its row i; elsewhere 0.  The pieces of an arm's rows likewise, for all rows. */
Opnd rows_where(Flattener *f, Opnd cond, Opnd x, Opnd i);
Pieces pieces_where(Flattener *f, Opnd cond, const Pieces *of, Opnd i);
/* First those of a, then those of b, of one level. */
Pieces pieces_together(Flattener *f, const Pieces *a, const Pieces *b);
/* Rows that are these pieces, one after the other, at lv. */
Val *val_of_pieces(Flattener *f, Level *lv, const Pieces *p);
/* The elements of n vectors of this type, one after the other, each taken from where it is: for who wants no more than these. */
Opnd joined_elements(Flattener *f, const Ty *ty, int n, const Opnd *x);

/* -- sequences ------------------------------------------------------------------------------------ */
Opnd column_count(Flattener *f, const Val *column);     /* its elements: a host int */
Opnd seq_length(Flattener *f, const Val *v);    /* host int, or <int> per row */
Opnd seq_start(Flattener *f, const Val *v);     /* where its elements start: host int, or <int> */
/* The level of its elements, and the elements as a column in the order of that level. */
Level *level_of_elements(Flattener *f, Val *v, Val **elements);

/* -- levels --------------------------------------------------------------------------------------- */
Level *deeper(Level *a, Level *b);
Level *level_new(Flattener *f, Level *parent, Opnd count);
/* The way out from an instance of lv, by its first descendant in the context we are in, as the program has it; what
 * stands at `at` may fault. */
void way_out(Flattener *f, const Level *lv, Span at, Way *w);
/* For each instance of `from` its instance at the ancestor `to` (not the host). */
Opnd ancestor(Flattener *f, Level *from, Level *to);
/* For each instance of lv: has it a descendant in the context we are in?  A host bool for level 0. */
Opnd inhabited(Flattener *f, Level *lv);

#endif
