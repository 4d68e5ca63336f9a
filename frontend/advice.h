#ifndef NESSIE_ADVICE_H
#define NESSIE_ADVICE_H
/* What who wrote a wrong application may have meant: the ends of messages, each "" or "; ..". */
#include "frontend/type.h"

/* x OP y, where x is of type a and y of type b, which do not fit. */
const char *advise_operands(Arena *ar, const char *op, Type *a, Type *b);

/* A value of type got stands where one of type want should, as the argument of the function of this name. */
const char *advise_argument(const char *name, Type *want, Type *got);

/* A wanted type in words: "a sequence of numbers" for `[a] :: (a in number)`, "a function a -> b" if got, which may be
 * NULL, is none; else as NESL prints it. */
const char *wanted_text(Arena *ar, Type *want, Type *got);

/* "numbers" */
const char *class_values(TypeClass cls);

#endif
