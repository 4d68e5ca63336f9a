#ifndef NESL_EFFECT_H
#define NESL_EFFECT_H
/* The operators of normal.def with an effect on what is outside of the program, or that need to know a value's
 * type: one function each, called in the order of the program, by interp, C and CUDA alike. */
#include "nesl_value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Runs the operator of this name.  type: of its first operand.  in: the leaves of its operands, out: of its
 * result, kinds and bases set; of a scalar data says where it goes, data of the others is made by malloc.
 * Nonzero: out of memory, nothing was made. */
int nesl_effect(const char *name, const char *type, int int_bits, const nesl_leaf *in, int nin, nesl_leaf *out, int nout);

/* Seconds since some time in the past, by a clock that is never set. */
double nesl_now(void);

#ifdef __cplusplus
}
#endif
#endif
