#ifndef NESSIE_SHAPE_H
#define NESSIE_SHAPE_H
/* What length each vector has, which descriptors are equal. */
#include <stdio.h>
#include "common/unit.h"

/* The pass: flan -> flan without checks that are proved, each descriptor built once; Unit.shapes tells of its
 * variables.  --no-shape: flan as it is, nothing is known of its variables. */
void shape(Unit *u);
/* Of the program as the pass found it: per variable its shape, the checks removed and why (dump --stage=shape). */
void shape_print(const Unit *u, FILE *out);

/* Classes, for variables of flan, and of what totask makes of it: numbers from 0.  Two variables that are in scope
 * together and have one class are equal, in this: the length of a vector, the rows of a descriptor, its total, the
 * value of a host int; and two descriptors, all told.  That holds whatever checks find, and wherever code is moved to
 * within its function.  What nothing is known of has a class of its own. */
int shape_length(Shapes *s, const Var *v);
int shape_rows(Shapes *s, const Var *v);
int shape_total(Shapes *s, const Var *v);
int shape_value(Shapes *s, const Var *v);
int shape_descriptor(Shapes *s, const Var *v);
/* The class of this number, as a value or a size; and is it a class of one number? */
int shape_constant(Shapes *s, int64_t i);
bool shape_is_constant(const Shapes *s, int class, int64_t *i);

/* Of a program of which nothing is known; of another program, in the same classes. */
Shapes *shapes_new(Arena *a, int int_bits);
Shapes *shapes_like(const Shapes *s);
/* w of `to` is what v of `from` is. */
void shapes_same(Shapes *to, const Var *w, Shapes *from, const Var *v);
/* w, a host int, has this value. */
void shapes_value(Shapes *to, const Var *w, int class);

/* A copy in another arena of what it says, of nvar variables those for which there is another in `now`, by Var.id. */
Shapes *shapes_keep(const Shapes *s, Arena *to, int nvar, Var *const *now);

#endif
