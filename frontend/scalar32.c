/* scalar32.c: the scalar operators where int has 32 bits. */
#define NESL_INT 32
#include "frontend/scalar_rows.h"

const ScalarRow *const scalar_rows_32 = rows;
