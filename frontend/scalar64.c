/* scalar64.c: the scalar operators where int has 64 bits. */
#define NESL_INT 64
#include "frontend/scalar_rows.h"

const ScalarRow *const scalar_rows_64 = rows;
