#ifndef NESSIE_CUDA_H
#define NESSIE_CUDA_H
#include <stdio.h>
#include "common/unit.h"

/* The CUDA back end, a pass: u->ir is mem, checked; gives u->text, one .cu file to be compiled with
 * backend/rt on the include path and linked with nesl_main.c, its companions, and, if it includes nesl_sort.h,
 * nesl_sort.cu.  Tasks that are the same share functors; a fault is raised where the host waits, and until then
 * kernels stay inside their arrays whatever the failed check has let through. */
void emit_cuda(Unit *u);
/* One JSON object: the tasks of u->ir, lcu, with their kernels, and what they load, store and compute for an element. */
void task_counts(const Unit *u, FILE *out);

#endif
