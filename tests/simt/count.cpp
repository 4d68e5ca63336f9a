/* count.cpp: what the memory system of a GPU would have to do.
 *
 * In   each load and store of a thread, in its order
 * Out  requests of warps, the 32-byte sectors that those of global memory touch, the turns that those of shared memory
 *      take beyond the first: 32 banks of 4 bytes; accesses of 8 bytes go by half warps, of 16 by quarters
 * How  The lanes of a warp run an instruction together the k-th time if it is the k-th time for each of them: a request
 *      is complete when all have come, or when the block ends. */
#include "machine.h"
#include <algorithm>
#include <deque>
#include <unordered_map>

namespace {
struct Request {
	unsigned lanes, n;
	bool shared;
	u64 at[LANES];
};

/* One instruction. */
struct Place {
	u64 first;                      /* the number of the first request that waits */
	std::deque<Request> waiting;
	u64 times[LANES];               /* how often each lane has been there */
};
}

struct Warps {
	std::unordered_map<const void *, Place> place[MAX_THREADS / LANES];
};

static void
count_sectors(const Request &q)
{
	std::vector<u64> sector;

	for (int i = 0; i < LANES; i++)
		if (q.lanes >> i & 1)
			for (u64 s = q.at[i] / 32; s <= (q.at[i] + q.n - 1) / 32; s++)
				sector.push_back(s);
	std::sort(sector.begin(), sector.end());
	machine.count[SIMT_REQUESTS]++;
	machine.count[SIMT_SECTORS] += std::unique(sector.begin(), sector.end()) - sector.begin();
	machine.count[SIMT_GLOBAL_BYTES] += (int64_t)q.n * __builtin_popcount(q.lanes);
}

/* Lanes that read one word take it in one turn. */
static int
turns(const Request &q, int from, int to)
{
	std::vector<u64> word;
	int in_bank[32] = {}, most = 0;

	for (int i = from; i < to; i++)
		if (q.lanes >> i & 1)
			for (u64 w = q.at[i] / 4; w <= (q.at[i] + q.n - 1) / 4; w++)
				word.push_back(w);
	std::sort(word.begin(), word.end());
	word.erase(std::unique(word.begin(), word.end()), word.end());
	for (u64 w : word)
		most = std::max(most, ++in_bank[w % 32]);
	return most;
}

static void
count_turns(const Request &q)
{
	const int group = q.n <= 4 ? LANES : q.n <= 8 ? LANES / 2 : LANES / 4;

	machine.count[SIMT_SHARED_REQUESTS]++;
	for (int i = 0; i < LANES; i += group)
		machine.count[SIMT_BANK_CONFLICTS] += std::max(0, turns(q, i, i + group) - 1);
}

static void
count_request(const Request &q)
{
	if (q.shared)
		count_turns(q);
	else
		count_sectors(q);
}

void
count_access(Fiber *f, const void *pc, const Region *r, size_t offset, unsigned n)
{
	Block *b = f->block;
	const int lane = f->thread % LANES, lanes = std::min((int)LANES, b->threads - f->thread / LANES * LANES);
	u64 k;

	if (!b->warps)
		b->warps = std::make_shared<Warps>();
	Place &p = b->warps->place[f->thread / LANES][pc];
	k = p.times[lane]++ - p.first;
	if (k == p.waiting.size())
		p.waiting.push_back({0, n, r->shared, {}});
	p.waiting[k].lanes |= 1u << lane;
	p.waiting[k].at[lane] = r->shared ? offset : (u64)(r->at + offset);
	while (!p.waiting.empty() && __builtin_popcount(p.waiting.front().lanes) == lanes) {
		count_request(p.waiting.front());
		p.waiting.pop_front();
		p.first++;
	}
}

void
count_block_done(Block *b)
{
	if (!b->warps)
		return;
	for (const auto &warp : b->warps->place)
		for (const auto &p : warp)
			for (const Request &q : p.second.waiting)
				count_request(q);
}
