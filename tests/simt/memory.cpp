/* memory.cpp: the device's memory, and the host's calls that concern it.
 *
 * How  Every allocation is a region of its own.  What was freed stays where it is for a while, so that late accesses are
 *      known for what they are.  New memory holds nonsense, and so does what the host has not waited for. */
#include "machine.h"
#include <cstdio>
#include <cstdlib>
#include <map>

static const size_t DEVICE_BYTES = (size_t)2 << 30, LITTLE_BYTES = (size_t)1 << 20, KEPT_BYTES = (size_t)64 << 20;
enum { FRESH = 0xcb, STALE = 0xdb, ALIGNED = 256 };

/* -- regions --------------------------------------------------------------------------------------- */
/* Accesses come before and after main. */
static std::map<const char *, Region> &
all_regions()
{
	static std::map<const char *, Region> &all = *new std::map<const char *, Region>;

	return all;
}
static Region *recent[2];

Region *
region_add(char *at, size_t n, bool shared)
{
	Region r = {};

	r.at = at;
	r.n = n;
	r.shared = shared;
	r.written.assign(machine.checks ? n : 0, 0);
	return &(all_regions()[at] = r);
}

void
region_drop(char *at)
{
	recent[0] = recent[1] = NULL;
	all_regions().erase(at);
}

std::vector<Region *>
regions_in_use()
{
	std::vector<Region *> r;

	for (auto &named : all_regions())
		if (!named.second.shared && !named.second.freed)
			r.push_back(&named.second);
	return r;
}

static bool
holds(const Region *r, const void *p)
{
	return r && (const char *)p >= r->at && (const char *)p < r->at + r->n;
}

Region *
region_near(const void *p)
{
	if (holds(recent[1], p))
		std::swap(recent[0], recent[1]);
	if (!holds(recent[0], p)) {
		auto after = all_regions().upper_bound((const char *)p);

		if (after == all_regions().begin())
			return NULL;
		recent[1] = recent[0];
		recent[0] = &(--after)->second;
	}
	return recent[0];
}

Region *
region_of(const void *p, size_t n)
{
	Region *r = region_near(p);

	return holds(r, p) && n <= (size_t)(r->at + r->n - (const char *)p) ? r : NULL;
}

/* As the host sees it. */
static Region *
device_region(const void *p, size_t n, const char *what)
{
	Region *r = region_of(p, n);

	if (!r)
		machine_fault(NULL, "%s: %zu bytes that are not all in one allocation of the device", what, n);
	if (r->freed)
		machine_fault(NULL, "%s: memory of the device that was freed", what);
	return r;
}

void
region_read(const void *from, size_t n, const char *what)
{
	const Region *r = device_region(from, n, what);
	const size_t first = (size_t)((const char *)from - r->at);

	for (size_t i = first; i < first + n && machine.checks; i++)
		if (!r->written[i])
			machine_fault(NULL, "%s: byte %zu of an allocation of %zu was never written", what, i, r->n);
}

static void
region_is(void *at, size_t n, const char *what, bool written)
{
	Region *r = device_region(at, n, what);
	const size_t first = (size_t)((const char *)at - r->at);

	for (size_t i = first; i < first + n && machine.checks; i++)
		r->written[i] = written;
}

void
region_written(void *to, size_t n, const char *what)
{
	region_is(to, n, what, true);
}

void
region_lost(void *at, size_t n, const char *what)
{
	region_is(at, n, what, false);
	memset(at, FRESH, n);
}

/* -- allocation ---------------------------------------------------------------------------------------- */
static size_t in_use, kept;
static std::vector<Region *> freed;     /* in the order of their end */

/* SIMT_FAIL=N: the N-th allocation is refused, and all that come after it. */
static bool
refused()
{
	static const char *const which = getenv("SIMT_FAIL");
	static u64 n;

	return which && ++n >= strtoull(which, NULL, 10);
}

cudaError_t
cudaMalloc(void **at, size_t n)
{
	*at = NULL;
	if (n == 0)
		return cudaSuccess;
	if (refused() || n > (machine_lacks("memory") ? LITTLE_BYTES : DEVICE_BYTES) - in_use)
		return cudaErrorMemoryAllocation;
	/* between two allocations there is always something that is in none */
	*at = aligned_alloc(ALIGNED, (n / ALIGNED + 2) * ALIGNED);
	if (!*at)
		return cudaErrorMemoryAllocation;
	memset(*at, FRESH, n);
	region_add((char *)*at, n, false);
	in_use += n;
	return cudaSuccess;
}

/* The allocation is as long as its first part, and the others are regions like it.  A part may lie where others have ended. */
void
simt_part(void *at, size_t n)
{
	auto &all = all_regions();
	const auto there = all.find((const char *)at);
	const bool begins = there != all.end() && !there->second.part;
	const size_t parts = !begins ? 0 : there->second.parts ? there->second.parts : there->second.n;
	Region *r;

	recent[0] = recent[1] = NULL;
	all.erase(all.upper_bound((const char *)at), all.lower_bound((const char *)at + n));
	r = region_add((char *)at, n, false);
	r->part = !begins;
	r->parts = parts;
}

void
simt_part_ends(void *at)
{
	Region *r = region_of(at, 1);

	if (r->freed)
		machine_fault(NULL, "a part of an allocation ends twice");
	r->freed = true;
}

/* What it was when it was allocated; r is where it begins. */
static void
whole_again(Region *r)
{
	auto &all = all_regions();

	if (r->parts == 0)
		return;
	recent[0] = recent[1] = NULL;
	all.erase(all.upper_bound(r->at), all.lower_bound(r->at + r->parts));
	r->n = r->parts;
	r->parts = 0;
	r->freed = false;
}

cudaError_t
cudaMallocAsync(void **at, size_t n, cudaStream_t)
{
	return cudaMalloc(at, n);
}

static void
forget_oldest()
{
	char *at = freed.front()->at;

	kept -= freed.front()->n;
	freed.erase(freed.begin());
	region_drop(at);
	free(at);
}

cudaError_t
cudaFree(void *at)
{
	Region *r = at ? region_of(at, 1) : NULL;

	if (!at)
		return machine_lacks("context") ? cudaErrorMemoryAllocation : cudaSuccess;
	if (!r || r->at != at || r->shared || r->part)
		machine_fault(NULL, "cudaFree of what is no allocation");
	whole_again(r);
	if (r->freed)
		machine_fault(NULL, "cudaFree of %zu bytes that were freed before", r->n);
	memset(at, STALE, r->n);
	r->freed = true;
	r->cell = std::vector<Cell>();
	r->written = std::vector<char>();
	in_use -= r->n;
	kept += r->n;
	freed.push_back(r);
	while (kept > KEPT_BYTES || freed.size() > 1000)
		forget_oldest();
	return cudaSuccess;
}

cudaError_t
cudaFreeAsync(void *at, cudaStream_t)
{
	return cudaFree(at);
}

cudaError_t
cudaMallocHost(void **at, size_t n)
{
	Region *r;

	*at = refused() ? NULL : malloc(n);
	if (!*at)
		return cudaErrorMemoryAllocation;
	r = region_add((char *)*at, n, false);
	r->pinned = true;
	r->late.assign(machine.checks ? n : 0, 0);
	return cudaSuccess;
}

cudaError_t
cudaFreeHost(void *at)
{
	region_drop((char *)at);
	free(at);
	return cudaSuccess;
}

/* What nobody freed when the program ends, of its own will. */
__attribute__((destructor)) static void
tell_leaks()
{
	for (const auto &r : all_regions())
		if (!r.second.freed && !r.second.pinned)
			machine_fault(NULL, "%zu bytes of the device were never freed", r.second.n);
}

/* -- copies ------------------------------------------------------------------------------------------------ */
struct Late {
	void *to;
	std::vector<char> bytes;
};
static std::vector<Late> late;          /* on their way to the host */

cudaError_t
cudaStreamSynchronize(cudaStream_t)
{
	for (const Late &l : late)
		memcpy(l.to, l.bytes.data(), l.bytes.size());
	late.clear();
	return machine.launched && machine_lacks("health") ? cudaErrorLaunchFailure : cudaSuccess;
}

void
pinned_are_late()
{
	for (auto &named : all_regions()) {
		std::vector<char> &wrote = named.second.late;
		char *const at = named.second.at;

		for (size_t i = 0, n; i < wrote.size(); i += n) {
			n = 1;
			while (i + n < wrote.size() && wrote[i + n] == wrote[i])
				n++;
			if (wrote[i]) {
				late.push_back({at + i, std::vector<char>(at + i, at + i + n)});
				memset(at + i, FRESH, n);
			}
		}
		wrote.assign(wrote.size(), 0);
	}
}

static bool
is_of_device(const void *p)
{
	const Region *r = region_of(p, 1);

	return r && !r->pinned;
}

static void
copy(void *to, const void *from, size_t n, cudaMemcpyKind kind)
{
	if (n == 0)
		return;
	if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice)
		region_read(from, n, "cudaMemcpy reads");
	else if (machine.checks && is_of_device(from))
		machine_fault(NULL, "cudaMemcpy reads memory of the device as if it were the host's");
	if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice)
		region_written(to, n, "cudaMemcpy writes");
	else if (machine.checks && is_of_device(to))
		machine_fault(NULL, "cudaMemcpy writes memory of the device as if it were the host's");
	memmove(to, from, n);
}

cudaError_t
cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind kind)
{
	cudaStreamSynchronize(NULL);
	copy(to, from, n, kind);
	return cudaSuccess;
}

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind kind, cudaStream_t)
{
	copy(to, from, n, kind);
	if (kind != cudaMemcpyDeviceToHost || n == 0)
		return cudaSuccess;
	late.push_back({to, std::vector<char>((char *)to, (char *)to + n)});
	memset(to, FRESH, n);
	return cudaSuccess;
}

cudaError_t
cudaMemsetAsync(void *to, int byte, size_t n, cudaStream_t)
{
	if (n == 0)
		return cudaSuccess;
	region_written(to, n, "cudaMemset");
	memset(to, byte, n);
	return cudaSuccess;
}

/* -- the device ----------------------------------------------------------------------------------------------- */
bool
machine_lacks(const char *what)
{
	const char *lacks = getenv("SIMT_LACKS");

	return lacks && strcmp(lacks, what) == 0;
}

cudaError_t
cudaGetDeviceCount(int *n)
{
	*n = 0;
	if (machine_lacks("driver") || machine_lacks("newer driver"))
		return cudaErrorInsufficientDriver;
	if (machine_lacks("device"))
		return cudaErrorNoDevice;
	*n = 1;
	return cudaSuccess;
}

cudaError_t
cudaGetDevice(int *device)
{
	*device = 0;
	return cudaSuccess;
}

cudaError_t
cudaGetDeviceProperties(cudaDeviceProp *prop, int)
{
	snprintf(prop->name, sizeof prop->name, "SIMT emulator, schedule %llu", (unsigned long long)machine.seed);
	prop->totalGlobalMem = DEVICE_BYTES;
	prop->multiProcessorCount = 2;
	prop->maxThreadsPerMultiProcessor = 2048;
	prop->major = 9;
	prop->minor = 0;
	return cudaSuccess;
}

cudaError_t
cudaDriverGetVersion(int *version)
{
	*version = machine_lacks("driver") ? 0 : machine_lacks("newer driver") ? 11040 : 12000;
	return cudaSuccess;
}

cudaError_t
cudaRuntimeGetVersion(int *version)
{
	*version = 12000;
	return cudaSuccess;
}

cudaError_t
cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int)
{
	*value = !machine_lacks("pool");
	return cudaSuccess;
}

cudaError_t
cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int)
{
	*pool = NULL;
	return cudaSuccess;
}

cudaError_t
cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *)
{
	return cudaSuccess;
}

/* Before the first launch; the host's frames are larger than a GPU's. */
cudaError_t
cudaDeviceSetLimit(cudaLimit, size_t value)
{
	machine.stack += value;
	return cudaSuccess;
}

cudaError_t
cudaGetLastError()
{
	return machine_lacks("kernels") ? cudaErrorNoKernelImageForDevice : cudaSuccess;
}

const char *
cudaGetErrorString(cudaError_t e)
{
	return e == cudaErrorMemoryAllocation ? "out of memory" : e == cudaErrorLaunchFailure ? "unspecified launch failure"
		: "no error";
}
