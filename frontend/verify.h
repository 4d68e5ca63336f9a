#ifndef NESSIE_VERIFY_H
#define NESSIE_VERIFY_H
/* What the stages before the let-form promise (the let-form's verifier is ir_check).  Each returns NULL,
 * or what is wrong with *at set to where: an error of the compiler, never of the user.  Of the library's functions parse and type
 * promise it where the unit has all of it (whole_library). */
#include "common/unit.h"

/* After parse: every node has a position in a source. */
const char *verify_parse(const Unit *u, Span *at);

/* After type: in a form that did not fail everything has a type and every variable its binding, and a use of a
 * polymorphic function carries the types it is used at. */
const char *verify_type(const Unit *u, Span *at);

/* After mono: no type variables, no typecase; what is applied is an instance of that type. */
const char *verify_mono(const Unit *u, Span *at);

#endif
