#ifndef SIMT_MACHINE_H
#define SIMT_MACHINE_H
/* The emulated machine, as the emulator's own files see it. */
#include "simt.h"
#include <csetjmp>
#include <memory>
#include <utility>
#include <vector>

typedef uint32_t u32;
typedef uint64_t u64;

enum { LANES = 32, MAX_THREADS = 1024 };

/* -- what threads know of each other (check.cpp) ------------------------------------------------------- */
/* A number that grows with each event after which one thread may know what another did before. */
typedef u32 Time;
/* Whose past is known up to which time: of a block, a warp or a thread, ordered. */
typedef std::vector<std::pair<u64, Time>> Clock;
typedef std::shared_ptr<const Clock> Known;     /* empty: nothing since the launch */

/* -- threads, blocks -------------------------------------------------------------------------------------- */
enum State { READY, AT_BARRIER, AT_WARP, DONE };

struct Site {
	const char *file;
	int line;
};

struct Block;
struct Fiber {
	jmp_buf at;
	char *stack;
	Block *block;
	int thread;
	State state;
	bool polls;             /* it waits for others: no reason to resume it at once */
	Site site;              /* where it waits, or waited last */
	unsigned mask;          /* of the warp operation it is in */
	simt_warp_op op;
	int from;
	u64 given, got;
	Known known, heard, fenced;     /* heard: by relaxed loads, known after a fence; fenced: known at the last fence */
};

/* A block's memory for one declaration. */
struct Shared {
	const void *declared;
	char *at;
	size_t n;
};

struct Warps;                   /* count.cpp: requests that not all lanes have made yet */
struct Block {
	u32 id;
	int threads, waiting, done;
	std::vector<Fiber *> fiber;
	std::vector<int> order;
	std::vector<Shared> shared;
	std::shared_ptr<Warps> warps;
	Time barrier;           /* of the last one */
};

/* -- the machine ---------------------------------------------------------------------------------------------- */
struct Machine {
	u64 seed, random;       /* 0: everything in its order */
	int window = 4;         /* blocks in flight */
	int preempt;            /* one of so many accesses lets others run; 0: none does */
	bool checks;            /* the program's accesses come to us */
	Fiber *current;         /* NULL: the host runs */
	const char *kernel;     /* that runs */
	u32 blocks, threads;
	const char *call;       /* what it is run with */
	size_t ncall;
	Time now = 1, launched;
	u64 progress;           /* grows when a thread gets on in a way that others can notice */
	int64_t *count;
	size_t stack = 64 << 10;/* of a thread, bytes */
};
extern Machine machine;

u64 machine_random(u64 n);      /* below n */
void machine_leave();           /* let others run */
/* One message, where in the source, and the end: exit status 5.  pc: NULL or where the program is. */
__attribute__((noreturn, format(printf, 2, 3))) void machine_fault(const void *pc, const char *fmt, ...);

bool machine_lacks(const char *what);   /* see simt.h */

/* -- memory (memory.cpp) ----------------------------------------------------------------------------------------- */
/* Somebody did something at a place. */
struct Event {
	u32 who;                /* thread + 1; 0: nobody */
	Time when;
	bool atomic;
};

/* An element, as large as the smallest access to its region so far. */
struct Cell {
	Event write, read[2];
};

struct Region {
	char *at;
	size_t n;
	bool shared, freed;
	bool pinned;            /* the host's, but kernels may write it */
	std::vector<char> late; /* pinned: of each byte, has the kernel that runs written it? */
	bool part;              /* of an allocation, and not its beginning */
	size_t parts;           /* bytes of all parts of the allocation, if it has some and begins here */
	size_t grain;           /* bytes of a cell; 0: no access yet */
	std::vector<Cell> cell;
	std::vector<char> written;      /* of each byte: was it? */
};

Region *region_add(char *at, size_t n, bool shared);
void region_drop(char *at);             /* forget it */
/* The region that holds p, or the last before it, or NULL. */
Region *region_near(const void *p);
Region *region_of(const void *p, size_t n);     /* the one that holds all of it, or NULL */
/* The n bytes are all defined, or are so now; or are no more. */
void region_read(const void *from, size_t n, const char *what);
void region_written(void *to, size_t n, const char *what);
void region_lost(void *at, size_t n, const char *what);
void pinned_are_late(void);             /* what a kernel wrote there comes with the next wait */
std::vector<Region *> regions_in_use(); /* all that kernels may look at but shared memory */

/* -- knowledge (check.cpp) -------------------------------------------------------------------------------------------- */
void known_barrier(Block *b);
void known_warp(Fiber *const *lane, unsigned mask, bool all);

/* -- launches to be run again (record.cpp) ---------------------------------------------------------------------------- */
void record_begins(unsigned blocks);
void record_ends();

/* -- counts (count.cpp) ------------------------------------------------------------------------------------------------ */
void count_access(Fiber *f, const void *pc, const Region *r, size_t offset, unsigned n);
void count_block_done(Block *b);

#endif
