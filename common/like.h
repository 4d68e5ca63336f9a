#ifndef NESSIE_LIKE_H
#define NESSIE_LIKE_H
/* What somebody may have meant who wrote another word: for messages. */

typedef struct Like {
	const char *word;               /* as it was written */
	const char *best;               /* NULL: nothing is like it */
	int distance;                   /* of best; at first one more than what is like it at most */
} Like;

Like like(const char *word);
/* Is this one as like, or more?  Of two that are the first by their letters. */
void like_try(Like *l, const char *candidate);

#endif
