#ifndef NESSIE_SCALARS_H
#define NESSIE_SCALARS_H
/* What a back end must know of scalar functions. Where the text for the host and that for an element's call differ,
 * as what fails ends the form on the host, and only the element's calls elsewhere, it prints two. */
#include "fuse/tail.h"

typedef struct {
	bool faults;            /* it has checks or counted calls: an element's call says whether it met a fault */
	bool deep;              /* it has counted calls, itself or through others */
	bool reads;             /* it reads sequences */
	bool loops;             /* it is recursive, or calls what is: on what no fault-free element gives it may not end */
	bool host, each;        /* it is called on the host; for elements: from tasks, and from scans */
} ScalarFun;

/* All of a program: the name of a scalar function -> its ScalarFun. */
Map *scalar_funs(const Program *p, Map *tail);
/* What b calls, if that is a scalar function; else NULL. */
const ScalarFun *scalar_called(Map *m, const Bind *b);
const ScalarFun *scalar_fun_of(Map *m, const Fun *f);
/* Does the task call one that loops?  Before it runs, faults must be heard. */
bool scalar_task_loops(Map *m, const Bind *task);
/* Do elements of tasks make counted calls? */
bool scalar_recursion(const Program *p, Map *m);
/* Does it meet faults?  An element's call tells of them. */
bool scalar_call_faults(Map *m, const Bind *b);
/* Does this step of a task tell of faults: is it a check, or such a call? */
bool scalar_tells(Map *m, const Bind *step);
/* The texts of any function: the host's, which elements may share; that of elements alone. */
bool scalar_has_host(Map *m, const Fun *f);
bool scalar_is_shared(Map *m, const Fun *f);
bool scalar_has_own(Map *m, const Fun *f);
/* Does b, in a task or in the text that elements of `each` have (NULL: on the host), call a text that elements alone have? */
bool scalar_calls_own(Map *m, const Bind *b, const Fun *each);

#endif
