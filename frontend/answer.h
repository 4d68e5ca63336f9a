#ifndef NESSIE_ANSWER_H
#define NESSIE_ANSWER_H
/* What commands of the top level answer, by what is known where they stand. */
#include "frontend/infer_expr.h"

/* Sets f->answer where the command gives one; a name that is not there is reported. */
void command_answer(Infer *in, Form *f);

#endif
