#ifndef NESSIE_CUDA_H
#define NESSIE_CUDA_H
#include "common/unit.h"

/* The CUDA back end, a pass: u->ir is mem, checked; gives u->text, one .cu file to be compiled with
 * backend/rt on the include path and linked with nesl_main.c, its companions, and nesl_sort.cu. */
void emit_cuda(Unit *u);

#endif
