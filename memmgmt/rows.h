#ifndef NESSIE_MEMMGMT_ROWS_H
#define NESSIE_MEMMGMT_ROWS_H
#include "common/ir.h"

/* lcu, in place: the elements of neighbouring rows are a piece of a vector (piece.h), where that and the rows are updated later. */
void rows_pieces(Program *p);

#endif
