#ifndef NESL_SLICE_H
#define NESL_SLICE_H
/* --mem-limit, and the slices in which a program that was made for it does large apply-to-eaches (memmgmt/slices.c).
 *
 * The loop over the slices of apply-to-each number k asks nesl_slice how many of the elements left it is to do next: all of
 * them, at first.  Where an array is refused in a slice of more than one, nesl_smaller_slices halves the slices of this loop,
 * and the form begins anew; that it can if it has done nothing yet that shows outside (nesl_shows). */
#include "nesl_fault.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

extern i64 nesl_mem_limit;              /* bytes of arrays; as many as an i64 holds: no limit */
extern const nesl_site *nesl_at;        /* where the program is: a form, or what makes an array if it was made to tell; NULL before the first form */

/* Of the n elements from `from` on.  Of none left 0: the loop ends. */
i64 nesl_slice(i64 k, i64 from, i64 n);
/* False: what is refused stays so. */
bool nesl_smaller_slices(void);
/* A form begins; it does something that shows. */
void nesl_slices_begin(void);
void nesl_shows(void);
/* Has it? */
bool nesl_shown(void);
/* The element of the apply-to-each that the slice begins with; 0 where none runs. */
i64 nesl_slice_begins(void);

#ifdef __cplusplus
}
#endif
#endif
