#ifndef NESL_CPU_BLOCKS_H
#define NESL_CPU_BLOCKS_H
/* Memory for arrays.  One thread at a time comes here (nesl_cpu_lock.h), but for what is lent to a thread.
 *
 * Address space comes from the system in regions, each at least twice as large as all before; only what is touched
 * takes memory.  A region is blocks from end to end, free neighbours are one, and free ones are found by size class,
 * four to each power of two (segregated fits: Wilson, Johnstone, Neely and Boles, IWMM 1995).  Small blocks have
 * regions of their own, so that they do not split large ones.
 *
 * A free block is *warm*, memory of blocks that were freed, or *cold*, never touched or given back.  Neighbours merge
 * if they are of one kind, and warm ones are taken first: a program in a steady state makes no system call.
 * What is used and what is warm take together at most an eighth, and 16 MB, more than was ever used at once, and no
 * more than the machine has: before this would be exceeded, warm large blocks are given back, the largest first.
 *
 * While batches of rows run, each thread has blocks *lent*: what is between two fences is cut up and joined by that thread alone, without
 * a lock, and what it frees it takes next, which is in its cache (a heap for each thread, which nobody else frees into: Berger, McKinley,
 * Blumofe and Wilson, ASPLOS 2000, section 2.1).  When all have ended these blocks are the region's again, end to end as before. */
#include "nesl_room.h"
#include <sys/mman.h>

#ifndef NESL_DEBUG
#define NESL_DEBUG 0
#endif

/* The head of a block, which is that of an array. */
typedef struct nesl_vec {
	i64 count;
	void *data;
	i64 bytes;                      /* asked for; below 0: no array, but to work in */
	i64 size;                       /* of the block, head included; 0: data came from malloc, elsewhere */
	struct nesl_vec *next, *prev;   /* among those that live, or are free and of its class */
	struct nesl_vec *below;         /* the block that ends where it begins; NULL: its region begins there */
	int refs;                       /* below 0: static */
	char known;                     /* of a descriptor: a GPU's host would have its total without reading */
	char state, kind;
	char grown;                     /* how often it was copied to be appended to */
#if NESL_DEBUG
	int owners;                     /* as the compiler counts */
#endif
} nesl_vec;

enum { NESL_WARM, NESL_COLD, NESL_USED };     /* state; used: and what it was before */
enum { NESL_SMALLER, NESL_LARGER, NESL_LENT };     /* kind */
enum { NESL_HEAD = NESL_DEBUG ? 128 : 64, NESL_LEAST = 2 * NESL_HEAD, NESL_LARGE = 1 << 15, NESL_PAGE = 4096, NESL_CLASSES = 240 };
typedef char nesl_head_has_room[sizeof(nesl_vec) <= NESL_HEAD ? 1 : -1];
enum { NESL_FEW_TRIED = 8 };            /* of a class, whose blocks may be too small */

static struct {
	nesl_vec *list[2][2][NESL_CLASSES];     /* smaller, larger; warm, cold */
	i64 mapped[2];                  /* smaller, larger */
	i64 used, most_used, warm;
} nesl_blocks;

/* What the arrays of a program come to, or those that a thread has made in batches. */
typedef struct {
	i64 asked;                      /* what --mem-limit bounds: bytes asked for, without heads and what sizes are rounded to */
	i64 live, peak;                 /* of these, bytes of arrays; at once, at most */
	i64 taken, reused;              /* how many blocks; and of warm memory */
	nesl_vec ring;                  /* all of them */
} nesl_arrays;

static nesl_arrays nesl_all_arrays;

/* What a thread has of its own while batches run. */
typedef struct {
	nesl_vec *list[2][NESL_CLASSES];        /* warm, cold */
	nesl_vec *fence;                /* the upper ones of what is lent to it */
	i64 lent;                       /* bytes */
	nesl_arrays arrays;
	struct { i64 launches, bytes_read, bytes_written; } task[];
} nesl_private;

static NESL_THREAD nesl_private *nesl_mine;   /* this thread's; NULL: no batches run */

/* This thread's block for arrays that come next. */
static NESL_THREAD struct {
	nesl_vec *at;                   /* what nobody has of it, by address */
	char *from, *to;                /* it */
	int parts;                      /* how many arrays come */
} nesl_room;

/* Of a block of so many bytes. */
NESL_OWN int
nesl_class(i64 size)
{
	int c = 0;

	for (; size >= 2 * NESL_LEAST; size /= 2)
		c += 4;
	return c + (int)(size / (NESL_LEAST / 4)) - 4;
}

/* A system that overcommits hands out more memory than there is, and ends the program when it is used. */
NESL_OWN i64
nesl_memory(void)
{
	static i64 most;                /* to ask is a system call */

	if (most == 0) {
		const i64 all = (i64)sysconf(_SC_PHYS_PAGES) * (i64)sysconf(_SC_PAGESIZE);

		most = all > 0 ? all - all / 16 : INT64_MAX / 4;
	}
	return most;
}

/* With sanitizers each block is the system's, so that they see what is used after it was freed. */
#if defined(__clang__)
#define NESL_POOL !__has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define NESL_POOL 0
#else
#define NESL_POOL 1
#endif

__attribute__((noreturn)) static inline void
nesl_no_memory(i64 size)
{
	nesl_unlock_all();
	nesl_no_room("memory", size, nesl_all_arrays.asked + (nesl_mine ? nesl_mine->arrays.asked : 0));
}

/* So many more bytes are wanted of memory. */
NESL_OWN void
nesl_keep_to_limit(i64 bytes)
{
	if (nesl_mem_limit < INT64_MAX && bytes > nesl_mem_limit - nesl_all_arrays.asked)
		nesl_no_memory(bytes);
}

/* One more block; the tests let one of them fail. */
NESL_OWN void
nesl_count_block(i64 size)
{
#ifdef NESL_FAIL_ALLOCATION
	static i64 n;

	if (NESL_ADD(n, 1) == (getenv("NESL_FAIL_ALLOCATION") ? atoll(getenv("NESL_FAIL_ALLOCATION")) : 0))
		nesl_no_memory(size);
#else
	(void)size;
#endif
	(nesl_mine ? &nesl_mine->arrays : &nesl_all_arrays)->taken++;
}

/* -- free blocks -------------------------------------------------------------------------------- */
NESL_OWN nesl_vec *
nesl_above(const nesl_vec *v)
{
	return (nesl_vec *)((char *)v + v->size);
}

NESL_OWN nesl_vec **
nesl_list_of(const nesl_vec *v)
{
	nesl_vec **const list = v->kind == NESL_LENT ? nesl_mine->list[(int)v->state] : nesl_blocks.list[(int)v->kind][(int)v->state];

	return &list[nesl_class(v->size)];
}

NESL_OWN void
nesl_enlist(nesl_vec *v)
{
	nesl_vec **list = nesl_list_of(v);

	v->prev = NULL;
	v->next = *list;
	if (v->next)
		v->next->prev = v;
	*list = v;
}

NESL_OWN void
nesl_delist(nesl_vec *v)
{
	if (v->prev)
		v->prev->next = v->next;
	else
		*nesl_list_of(v) = v->next;
	if (v->next)
		v->next->prev = v->prev;
}

/* The head of a block that ends where another begins. */
NESL_OWN void
nesl_lay(nesl_vec *v, nesl_vec *below, i64 size, int kind)
{
	v->below = below;
	v->size = size;
	v->kind = (char)kind;
	nesl_above(v)->below = v;
}

/* v becomes free, together with its neighbours of that kind. */
NESL_OWN void
nesl_join_free(nesl_vec *v, int state)
{
	nesl_vec *above = nesl_above(v), *below = v->below;

	if (above->state == state) {
		nesl_delist(above);
		nesl_lay(v, below, v->size + above->size, v->kind);
	}
	if (below && below->state == state) {
		nesl_delist(below);
		nesl_lay(below, below->below, below->size + v->size, v->kind);
		v = below;
	}
	v->state = (char)state;
	nesl_enlist(v);
}

/* NULL: there is none. */
NESL_OWN nesl_vec *
nesl_find(i64 size, nesl_vec *const *list)
{
	nesl_vec *v;
	int c = nesl_class(size), few = NESL_FEW_TRIED;

	for (v = list[c]; v && few > 0; v = v->next, few--)
		if (v->size >= size)
			return v;
	for (c++; c < NESL_CLASSES; c++)
		if (list[c])
			return list[c];
	return NULL;
}

/* v comes into use. */
NESL_OWN void
nesl_count_used(const nesl_vec *v, int was)
{
	if (v->kind == NESL_LENT)
		return;
	if (was == NESL_WARM)
		nesl_blocks.warm -= v->size;
	nesl_blocks.used += v->size;
	if (nesl_blocks.used > nesl_blocks.most_used)
		nesl_blocks.most_used = nesl_blocks.used;
}

/* .. and out of it again, so many bytes. */
NESL_OWN void
nesl_count_unused(const nesl_vec *v, i64 size, int becomes)
{
	if (v->kind == NESL_LENT)
		return;
	nesl_blocks.used -= size;
	if (becomes == NESL_WARM)
		nesl_blocks.warm += size;
}

/* The rest of v stays free. */
NESL_OWN void
nesl_use(nesl_vec *v, i64 size)
{
	const i64 rest = v->size - size;
	const int state = v->state;

	nesl_delist(v);
	v->state = (char)(NESL_USED + state);
	if (rest >= NESL_LEAST) {
		nesl_vec *r = (nesl_vec *)((char *)v + size);

		nesl_lay(r, v, rest, v->kind);
		v->size = size;
		nesl_join_free(r, state);
	}
	nesl_count_used(v, state);
}

/* -- the system --------------------------------------------------------------------------------- */
NESL_OWN void *
nesl_map(i64 bytes)
{
	return mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* A cold block of at least this size.  At the end of a region stands a head that is never free. */
NESL_OWN nesl_vec *
nesl_region(i64 size, int large)
{
	const i64 least = size + NESL_PAGE, first = large ? 4 << 20 : 1 << 20, twice = 2 * nesl_blocks.mapped[large];
	i64 bytes = least > twice ? least : twice;
	void *at;

	bytes = bytes > first ? bytes : first;
	at = nesl_map(bytes);
	if (at == MAP_FAILED)
		at = nesl_map(bytes = least);
	if (at == MAP_FAILED)
		nesl_no_memory(size);
#ifdef MADV_HUGEPAGE
	if (bytes >= 4 << 20)           /* a fault for 2 MB, not for each 4 KB; not for the head at the end */
		madvise(at, (size_t)bytes - (2 << 20), MADV_HUGEPAGE);
#endif
	nesl_blocks.mapped[large] += bytes;
	nesl_lay(at, NULL, bytes - NESL_PAGE, large);
	nesl_above(at)->state = NESL_USED;
	nesl_join_free(at, NESL_COLD);
	return at;
}

/* Until at most so much is warm.  Only whole pages, which some systems have of 64 KB; the one with the head stays. */
NESL_OWN void
nesl_give_back(i64 most)
{
	nesl_vec *const *list = nesl_blocks.list[1][NESL_WARM];
	const i64 page = (i64)sysconf(_SC_PAGESIZE);

	for (int c = NESL_CLASSES - 1; c >= 0 && nesl_blocks.warm > most; c--)
		while (list[c] && nesl_blocks.warm > most) {
			nesl_vec *v = list[c];
			const i64 at = (i64)(uintptr_t)v, from = at / page * page + page, to = (at + v->size) / page * page;

			nesl_delist(v);
			nesl_blocks.warm -= v->size;
			if (from < to)
				madvise((char *)v + (from - at), (size_t)(to - from), MADV_DONTNEED);
			nesl_join_free(v, NESL_COLD);
		}
}

/* For a block that no warm one holds. */
NESL_OWN nesl_vec *
nesl_cold(i64 size, int large)
{
	const i64 all = nesl_memory(), used = nesl_blocks.used + size;
	i64 most = used > nesl_blocks.most_used ? used : nesl_blocks.most_used;
	nesl_vec *v;

	if (used > all)
		nesl_no_memory(size);
	most += most / 8 + (16 << 20);
	nesl_give_back((most < all ? most : all) - used);
	v = nesl_find(size, nesl_blocks.list[large][NESL_COLD]);
	return v ? v : nesl_region(size, large);
}

/* -- blocks ------------------------------------------------------------------------------------- */
/* Of a block for so many bytes, its head included. */
NESL_OWN i64
nesl_sized(i64 bytes, int large)
{
	const i64 unit = large ? NESL_PAGE : 64;
	const i64 size = (bytes + NESL_HEAD + unit - 1) / unit * unit;

	return size < NESL_LEAST ? NESL_LEAST : size;
}

NESL_OWN i64
nesl_block_size(i64 bytes)
{
	return nesl_sized(bytes, bytes + NESL_HEAD >= NESL_LARGE);
}

/* Of such a size, from what all threads have. */
NESL_OWN nesl_vec *
nesl_common_block(i64 size, int large)
{
	nesl_vec *v = nesl_find(size, nesl_blocks.list[large][NESL_WARM]);

	if (!v)
		v = nesl_cold(size, large);
	nesl_use(v, size);
	return v;
}

/* A block for this thread alone, of at least this size, free; twice as much each time, where that is little beside what there is.  It and the
 * one above become what is between them. */
NESL_OWN nesl_vec *
nesl_lend(i64 size)
{
	enum { FIRST = 1 << 18, MORE = 1 << 24 };
	const i64 least = size + 2 * NESL_LEAST, lent = nesl_mine->lent < MORE ? nesl_mine->lent : MORE;
	i64 bytes = lent > FIRST ? lent : FIRST;
	nesl_vec *below, *v, *fence;

	nesl_lock();
	if (bytes < least || bytes > (nesl_memory() - nesl_blocks.used) / 8)
		bytes = least;
	below = nesl_common_block(nesl_sized(bytes, 1), 1);
	nesl_unlock();
	nesl_mine->lent += below->size;
	v = (nesl_vec *)((char *)below + NESL_LEAST);
	fence = (nesl_vec *)((char *)below + below->size - NESL_LEAST);
	nesl_lay(fence, v, NESL_LEAST, NESL_LARGER);
	fence->state = below->state;
	fence->next = nesl_mine->fence;
	fence->data = below;
	nesl_mine->fence = fence;
	nesl_lay(v, below, (char *)fence - (char *)v, NESL_LENT);
	below->size = NESL_LEAST;
	nesl_join_free(v, below->state - NESL_USED);
	return v;
}

/* v is no longer this thread's alone; if it is free it is one of `unused`. */
NESL_OWN nesl_vec *
nesl_unlend(nesl_vec *v, nesl_vec *unused)
{
	v->kind = NESL_LARGER;
	if (v->state >= NESL_USED)
		return unused;
	v->state += NESL_USED;
	v->next = unused;
	return v;
}

/* All that was lent to a thread, which has ended. */
NESL_OWN void
nesl_take_back(const nesl_private *own)
{
	nesl_vec *unused = NULL, *next;

	for (nesl_vec *fence = own->fence, *below; fence; fence = next) {
		next = fence->next;
		below = fence->data;
		for (nesl_vec *v = nesl_above(below); v != fence; v = nesl_above(v))
			unused = nesl_unlend(v, unused);
		below->state = fence->state -= NESL_USED;
		unused = nesl_unlend(fence, nesl_unlend(below, unused));
	}
	for (nesl_vec *v = unused; v; v = next) {
		const int state = v->state - NESL_USED;

		next = v->next;
		nesl_count_unused(v, v->size, state);
		nesl_join_free(v, state);
	}
}

/* Room for so many bytes, 64-byte aligned, not cleared. */
NESL_OWN nesl_vec *
nesl_block(i64 bytes)
{
	const int large = !nesl_mine && bytes + NESL_HEAD >= NESL_LARGE;
	const i64 size = nesl_sized(bytes, large);
	nesl_vec *v;

	nesl_count_block(size);
#if NESL_POOL
	if (nesl_mine) {
		v = nesl_find(size, nesl_mine->list[NESL_WARM]);
		nesl_mine->arrays.reused += v != NULL;
		if (!v)
			v = nesl_find(size, nesl_mine->list[NESL_COLD]);
		if (!v)
			v = nesl_lend(size);
		nesl_use(v, size);
	} else {
		v = nesl_common_block(size, large);
		nesl_all_arrays.reused += v->state == NESL_USED + NESL_WARM;
	}
#else
	nesl_lock();
	if (size > nesl_memory() - nesl_blocks.used || posix_memalign((void **)&v, 64, (size_t)size) != 0)
		nesl_no_memory(size);
	v->kind = nesl_mine ? NESL_LENT : NESL_LARGER;
	v->size = size;
	nesl_blocks.used += size;
	nesl_unlock();
#endif
	v->data = (char *)v + NESL_HEAD;
	return v;
}

/* below, at whose end v begins, has v too. */
NESL_OWN void
nesl_unite(nesl_vec *below, const nesl_vec *v)
{
	below->next = v->next;
	below->state = NESL_USED + NESL_WARM;
	nesl_lay(below, below->below, below->size + v->size, below->kind);
}

/* v is a part of the room again. */
NESL_OWN void
nesl_hold(nesl_vec *v)
{
	nesl_vec **at = &nesl_room.at, *below = NULL;

	for (; *at && *at < v; at = &(*at)->next)
		below = *at;
	v->next = *at;
	*at = v;
	if (v->next && nesl_above(v) == v->next)
		nesl_unite(v, v->next);
	if (below && nesl_above(below) == v)
		nesl_unite(below, v);
}

/* Is it a part of a block for several arrays? */
NESL_OWN int
nesl_is_part(const nesl_vec *v)
{
	return (const char *)v >= nesl_room.from && (const char *)v < nesl_room.to;
}

NESL_OWN void
nesl_unblock(nesl_vec *v)
{
	if (nesl_is_part(v)) {
		nesl_hold(v);
		return;
	}
#if NESL_POOL
	nesl_count_unused(v, v->size, NESL_WARM);
	nesl_join_free(v, NESL_WARM);
#else
	nesl_lock();
	nesl_blocks.used -= v->size;
	nesl_unlock();
	free(v);
#endif
}

/* Of a block in use what its first `bytes` do not need becomes free, as it was. */
NESL_OWN void
nesl_shorten(nesl_vec *v, i64 bytes)
{
	const i64 size = nesl_sized(bytes, v->kind == NESL_LARGER), rest = v->size - size;
	const int was = v->state - NESL_USED;
	nesl_vec *r = (nesl_vec *)((char *)v + size);

	if (rest < NESL_LEAST)
		return;
	nesl_lay(r, v, rest, v->kind);
	v->size = size;
	nesl_count_unused(v, rest, was);
	nesl_join_free(r, was);
}

/* Has the block of v, an array which nobody else has, room for so many bytes?  It may have the beginning of the one above, if that is
 * free: what was cut from v when it was known how long it is, say. */
NESL_OWN int
nesl_lengthen(nesl_vec *v, i64 bytes)
{
#if NESL_POOL
	const i64 more = nesl_sized(bytes, v->kind == NESL_LARGER) - v->size;
	nesl_vec *above;

	if (v->size == 0 || nesl_is_part(v) || bytes - v->bytes > nesl_mem_limit - nesl_all_arrays.asked)
		return 0;
	if (more <= 0)
		return 1;
	above = nesl_above(v);
	if (above->state >= NESL_USED || above->size < more)
		return 0;
	nesl_use(above, more);
	v->state = NESL_USED + NESL_WARM;
	nesl_lay(v, v->below, v->size + above->size, v->kind);
	return 1;
#else
	(void)v;
	(void)bytes;
	return 0;
#endif
}

/* -- rooms -------------------------------------------------------------------------------------- */
/* What is left is no longer kept for arrays. */
NESL_OWN void
nesl_unreserve(void)
{
	nesl_room.from = nesl_room.to = NULL;
	for (nesl_vec *v; (v = nesl_room.at);) {
		nesl_room.at = v->next;
		nesl_unblock(v);
	}
}

/* So that what is left of a part can be one. */
NESL_OWN i64
nesl_part_size(i64 bytes)
{
	return (nesl_block_size(bytes) + NESL_LEAST - 1) / NESL_LEAST * NESL_LEAST;
}

/* Of n elements of so many bytes; 0: offsets of n rows. */
NESL_OWN i64
nesl_size_in_room(i64 n, i64 bytes)
{
	const i64 each = bytes > 0 ? bytes : 8, count = n + (bytes == 0);

	if (n <= 0)
		return 0;
	return count > INT64_MAX / 4 / each ? -1 : nesl_part_size(count * each);
}

/* One block for the next arrays, of which each becomes a block of its own, as nesl_room.h says.  If there is not as much memory nothing
 * is done: the array that has no room will tell.  Nor is it if the block is more than `most` bytes, if that is not 0, of which
 * more than an eighth is never used, or there is a limit to keep. */
NESL_OWN void
nesl_reserve_all(i64 most, int pairs, const i64 *n)
{
	const nesl_plan plan = nesl_plan_of(n, pairs, nesl_size_in_room);

	nesl_unreserve();
	if (plan.size == 0 || (most > 0 && nesl_mem_limit < INT64_MAX))
		return;
	if (most > 0 && plan.size > most && !nesl_is_tight(plan.size, plan.most))
		return;
#if NESL_POOL
	if (plan.size <= nesl_memory() - nesl_blocks.used) {
		nesl_room.at = nesl_block(plan.size - NESL_HEAD);
		nesl_room.at->next = NULL;
		nesl_room.from = (char *)nesl_room.at;
		nesl_room.to = nesl_room.from + nesl_room.at->size;
		nesl_room.parts = plan.arrays;
	}
#endif
}

#define nesl_reserve(most, ...) \
	nesl_reserve_all(most, (int)(sizeof (const i64[]){__VA_ARGS__} / sizeof(i64) / 2), (const i64[]){__VA_ARGS__})

/* A part of the room; NULL: there is none, or none is left that is as large, and then it ends. */
NESL_OWN nesl_vec *
nesl_take_part(i64 bytes)
{
	const i64 size = nesl_part_size(bytes);
	nesl_vec **at = &nesl_room.at, *v;

	while (*at && (*at)->size < size)
		at = &(*at)->next;
	if (!(v = *at)) {
		nesl_unreserve();
		return NULL;
	}
	*at = v->next;
	if (v->size - size >= NESL_LEAST) {
		nesl_vec *r = (nesl_vec *)((char *)v + size);

		r->state = v->state;
		nesl_lay(r, v, v->size - size, v->kind);
		r->next = v->next;
		*at = r;
		v->size = size;
	}
	if (--nesl_room.parts == 0)
		nesl_unreserve();
	v->data = (char *)v + NESL_HEAD;
	return v;
}

#endif
