#ifndef NESL_THREADS_H
#define NESL_THREADS_H
/* The processors of threads. */

#ifdef __cplusplus
extern "C" {
#endif

/* The calling thread, and a program that it becomes, may use these n processors, whatever it was bound to. */
void nesl_may_use(const int *processors, int n);

#ifdef __cplusplus
}
#endif
#endif
