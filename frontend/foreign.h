#ifndef NESSIE_FOREIGN_H
#define NESSIE_FOREIGN_H
/* Names, words and operators of other languages, and what NESL has in their place: for messages. */
#include <stdbool.h>

/* What is written instead of the function or value of this name; NULL: nothing is known of it. */
const char *foreign_name(const char *name);

/* The same of a word that begins something, as in `for x ..`. */
const char *foreign_word(const char *name);

/* The same of a function that has several arguments here, and one where it is known from. */
const char *foreign_of_one(const char *name);

/* Does what begins with this word bind the name behind it? */
bool foreign_defines(const char *word);

/* The same, as the end of a message, of the operator of two characters that the token at `text` is part of, which was not
 * expected; "" if there is none.  first: nothing stands before it. */
const char *foreign_sign(const char *text, bool first);

#endif
