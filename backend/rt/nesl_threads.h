#ifndef NESL_THREADS_H
#define NESL_THREADS_H
/* The processors and the stacks of threads. */
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The calling thread, and a program that it becomes, may use these n processors, whatever it was bound to. */
void nesl_may_use(const int *processors, int n);

/* Does work(with) on a thread of its own and waits for it.  Its stack is mapped, so that no limit of the shell applies: `most` bytes, or half of
 * that, and so on, down to `least`; *stack is told where it begins before the work does.  0, or an errno: it was not started. */
int nesl_on_stack(size_t most, size_t least, void *(*work)(void *), void *with, const char **stack);

#ifdef __cplusplus
}
#endif
#endif
