#ifndef NESSIE_IRTEXT_H
#define NESSIE_IRTEXT_H
/* What the printer and the reader of the let-form must agree on. */
#include "common/ir.h"

/* A name stands after the operator: function, cell, task, kind of check. */
bool op_has_name(const OpInfo *op);
/* Bytes in quotes stand after the operator. */
bool op_has_text(const OpInfo *op);

#endif
