#ifndef NESSIE_MEMMGMT_PIECE_H
#define NESSIE_MEMMGMT_PIECE_H
#include "common/ir.h"

/* n elements of the vector, or rows of the descriptor, `of`, from place `from` on. */
typedef struct Piece {
	Opnd of, from, n;
} Piece;

/* Is result i of a task a copy of such? */
bool piece_of(const Bind *task, int i, Piece *p);
/* The vector of which result i of a task that has these rows copies their elements; NULL: it is otherwise. */
const Var *piece_elements(const Bind *task, int i, const Piece *rows);

#endif
