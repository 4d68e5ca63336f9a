#ifndef NESSIE_SHAPE_JOIN_H
#define NESSIE_SHAPE_JOIN_H
/* What holds behind a conditional. */
#include "shape/walk.h"

/* Of b, a conditional whose arms yield this, the results have their shapes from here on.  never: an arm does not come to its end;
 * waits: nothing is known yet of what one arm's calls give; outside: unknowns below this are of outside. */
void join_arms(Walk *w, const Bind *b, Shape *const yield[2], const bool never[2], bool waits, int outside);
/* What both arms have checked holds behind them; and what one has, if the other does not come to its end. */
void join_passed(Walk *w, const Bind *b, Shape *const yield[2], const PassedList checks[2], const bool never[2], int outside);

#endif
