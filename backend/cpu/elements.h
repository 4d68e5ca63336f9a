#ifndef NESSIE_CPU_ELEMENTS_H
#define NESSIE_CPU_ELEMENTS_H
/* A loop over elements, by what it is made of: what holds of a run of them (run.c), lanes (lanes.c), pieces (pieces.c), and loops of
 * single elements (elements.c). */
#include "backend/cpu/plan.h"

typedef struct Run {
	Plan *t;
	int level;
	bool last_pass;
	const bool *need;       /* by step: at the outset */
	int pieces;             /* texts so far */
	bool single;            /* the piece is one element */
	bool whole;             /* the piece is not cut again */
} Run;

extern const Opnd cpu_no, cpu_yes;

/* -- run.c -------------------------------------------------------------------------------------------- */
/* Is it the same for all elements?  Steps of level 1 are, for those of level 2. */
bool cpu_run_fixes(const Run *r, Opnd o);
/* The step, if it goes up by one from each element to the next; else NULL. */
const Step *cpu_run_counter(const Plan *t, int level, Opnd o);
/* What o is at the next element, if it goes up by one from there on; else NULL. */
const char *cpu_run_goes_up(const Run *r, Opnd o);
/* The same, if it goes down. */
const char *cpu_run_goes_down(const Run *r, Opnd o);
/* When a place is one up to stop, if that can be asked at once: it goes up evenly, or is at most a number; else NULL. */
const char *cpu_run_within(const Run *r, const Step *s, const char *stop);
/* Marks what is needed of the level, with what is known: choices that are made, and checks that hold, need nothing. */
void cpu_run_settle(Run *r);

/* -- lanes.c ------------------------------------------------------------------------------------------ */
/* Is what runs for each element nothing but folds and scans, and what they and sinks need? */
bool cpu_lanes_serve(const Plan *t, int level);
/* Does it give the last of some that are equal and may differ? */
bool cpu_lane_gives_last(const Step *s, int level);
/* Do all steps of this level look for places, one element after the other?  Then a few elements are worth to be asked for together. */
bool cpu_finds_places(const Plan *t, int level);
/* Gives whether less than NESL_LANES elements are left behind it, or what it found wrong. */
bool cpu_lanes(Run *r, const char *stop);

/* -- pieces.c ----------------------------------------------------------------------------------------- */
/* Is there something to be asked once for a run, or a place to cut it at? */
bool cpu_pieces_serve(const Run *r);
void cpu_pieces(Run *r, const char *stop);

/* -- elements.c: one element; all of them, one after the other; map: a compiler may do several at once ----- */
void cpu_element(const Plan *t, int level, bool last_pass);
/* NESL_LANES elements; lane: where the one of lane_ is, from that of the first on. */
void cpu_side_by_side(Plan *t, int level, bool last_pass, const char *lane);
void cpu_loop(const Plan *t, int level, const char *from, const char *stop, bool last_pass, bool map);
void cpu_all(Plan *t, int level, const char *from, const char *stop, bool last_pass);
/* Is this text none of those asked for so far? */
bool cpu_first_time(const Plan *t, Map *asked, const char *text);

#endif
