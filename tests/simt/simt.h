#ifndef SIMT_H
#define SIMT_H
/* What a CUDA file sees in place of cuda_runtime.h when a host C++ compiler compiles it: the names that our run time
 * uses, no others.  One-dimensional grids, the default stream; every thread of a block is a fiber.
 *
 * In   a file compiled with -fsanitize=thread (and linked without its library): each of its loads and stores calls
 *      the emulator, which checks and counts them.  Without that flag it runs unchecked.
 * Out  results; where the file does what CUDA does not define, one message and exit status 5
 * How  simt.cpp schedules, memory.cpp is the host API, check.cpp finds races and wild accesses, count.cpp counts.
 *      $SIMT_SEED: 0, the default, runs blocks and threads in their order; each other number is another schedule.
 *      $SIMT_LACKS: what this machine has not: `driver`, `newer driver`, `device`, `pool`, `memory` (all but a megabyte);
 *      `context`: the memory that this takes; `kernels`: any that it can start; `health`: kernels fail.  $SIMT_RECORD: a file for launches, which tests/sass runs again (record.cpp).
 *
 * A function that a thread waits in takes the file and line of its call, to be told in messages. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define SIMT_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()

/* Copies, of structs too, that a compiler leaves to the C library; clang++ 16 and later call these by themselves. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#ifdef __SANITIZE_THREAD__
__asm__(".set memcpy, __tsan_memcpy\n.set memmove, __tsan_memmove\n.set memset, __tsan_memset");
#endif

/* -- where a thread is ----------------------------------------------------------------------------- */
struct simt_place {
	unsigned x;
};
__attribute__((const)) simt_place simt_thread();
__attribute__((const)) simt_place simt_block();
__attribute__((const)) simt_place simt_grid();
#define threadIdx simt_thread()
#define blockIdx simt_block()
#define gridDim simt_grid()

/* -- launches --------------------------------------------------------------------------------------- */
/* What launches did.  A request is one load or store instruction of a warp; lanes run it together the k-th time if it
 * is the k-th time for each.  A sector is 32 bytes of global memory; a bank conflict is a further turn that shared
 * memory takes for a request. */
enum simt_count {
	SIMT_GLOBAL_BYTES, SIMT_REQUESTS, SIMT_SECTORS, SIMT_SHARED_REQUESTS, SIMT_BANK_CONFLICTS, SIMT_BARRIERS, SIMT_ATOMICS,
	SIMT_COUNTS
};

/* count: where to add, by simt_count; `at`, of n bytes, is what `call` runs a kernel with. */
void simt_run(const char *name, int64_t *count, unsigned blocks, unsigned threads, void (*call)(const void *),
	const void *at, size_t n);

template<class Call>
static void
simt_call(const void *at)
{
	(*(const Call *)at)();
}

/* Which kernel is launched next, and its parameters as a device gets them, n bytes. */
bool simt_records();
void simt_record(const void *kernel, const char *parameters, size_t n);

template<class T>
static size_t
simt_parameter(char *to, size_t n, T x)
{
	n = (n + alignof(T) - 1) / alignof(T) * alignof(T);
	memcpy(to + n, &x, sizeof x);
	return n + sizeof x;
}

template<class... P, class... A>
static inline void
simt_launch(const char *name, int64_t *count, void (*kernel)(P...), unsigned blocks, unsigned threads, const A &... arg)
{
	const auto call = [=] { kernel(arg...); };

	if (simt_records()) {
		alignas(16) char parameters[(sizeof(P) + ... + 0) + 16 * sizeof...(P)];
		size_t n = 0;

		((n = simt_parameter<P>(parameters, n, arg)), ...);
		simt_record((const void *)kernel, parameters, n);
	}
	simt_run(name, count, blocks, threads, simt_call<decltype(call)>, &call, sizeof call);
}

/* A block's own memory for one declaration, which `declared` names. */
void *simt_shared(const void *declared, size_t n);

/* -- barriers and warps --------------------------------------------------------------------------------- */
enum simt_warp_op { SIMT_SYNC, SIMT_SHUFFLE, SIMT_BALLOT };

void __syncthreads(SIMT_SITE);
void __threadfence();
/* Meets the lanes of `mask`; for shuffles the value of lane `from`, for ballots a bit for each x that is not 0. */
uint64_t simt_meet(unsigned mask, simt_warp_op op, uint64_t x, int from, const char *file, int line);
int simt_lane();

static inline void
__syncwarp(unsigned mask = 0xffffffffu, SIMT_SITE)
{
	simt_meet(mask, SIMT_SYNC, 0, 0, file, line);
}

static inline unsigned
__ballot_sync(unsigned mask, int x, SIMT_SITE)
{
	return (unsigned)simt_meet(mask, SIMT_BALLOT, x != 0, 0, file, line);
}

/* From a lane outside the warp comes the lane's own value. */
static inline unsigned
simt_shuffle(unsigned mask, unsigned x, int from, const char *file, int line)
{
	return (unsigned)simt_meet(mask, SIMT_SHUFFLE, x, from < 0 || from > 31 ? simt_lane() : from, file, line);
}

static inline unsigned
__shfl_sync(unsigned mask, unsigned x, int from, SIMT_SITE)
{
	return simt_shuffle(mask, x, from & 31, file, line);
}

static inline unsigned
__shfl_up_sync(unsigned mask, unsigned x, unsigned by, SIMT_SITE)
{
	return simt_shuffle(mask, x, simt_lane() - (int)by, file, line);
}

static inline unsigned
__shfl_down_sync(unsigned mask, unsigned x, unsigned by, SIMT_SITE)
{
	return simt_shuffle(mask, x, simt_lane() + (int)by, file, line);
}

static inline unsigned
__shfl_xor_sync(unsigned mask, unsigned x, int by, SIMT_SITE)
{
	return simt_shuffle(mask, x, simt_lane() ^ by, file, line);
}

static inline int
__ffs(unsigned x)
{
	return __builtin_ffs((int)x);
}

static inline int
__popc(unsigned x)
{
	return __builtin_popcount(x);
}

static inline int
__clz(unsigned x)
{
	return x ? __builtin_clz(x) : 32;
}

/* -- atomics ---------------------------------------------------------------------------------------------- */
/* Fibers take turns, so plain code is atomic once the emulator has been told.  What it is told: */
enum { SIMT_LOAD = 1, SIMT_STORE = 2, SIMT_ACQUIRE = 4, SIMT_RELEASE = 8 };
void simt_atomic(const void *at, size_t n, int kind, const char *file, int line);
void simt_part(void *at, size_t n);             /* of an allocation, the next part that an array has: what is between parts is in none */
void simt_part_ends(void *at);                  /* nobody may look at it */
void simt_host_runs();                          /* the kernel that has begun is over: what comes next is done by no thread of it */
void simt_any(const void *at, size_t n);        /* a store like others, but where others may store at the same time */
void simt_aligned(const void *at, size_t n);    /* what comes next is an access of these n bytes as a word */
void simt_poll();                       /* before a load that may be repeated until others get on */

template<class T> struct simt_is { typedef T type; };
#define SIMT_ATOMIC(name, after) \
	template<class T> __attribute__((no_sanitize("thread"))) static inline T \
	name(T *at, typename simt_is<T>::type x, SIMT_SITE) \
	{ \
		simt_atomic(at, sizeof *at, SIMT_LOAD | SIMT_STORE, file, line); \
		const T old = *at; \
		*at = after; \
		return old; \
	}
SIMT_ATOMIC(atomicAdd, old + x)
SIMT_ATOMIC(atomicMin, x < old ? x : old)
SIMT_ATOMIC(atomicMax, x > old ? x : old)
SIMT_ATOMIC(atomicOr, old | x)
SIMT_ATOMIC(atomicExch, x)
#undef SIMT_ATOMIC

template<class T> __attribute__((no_sanitize("thread"))) static inline T
atomicCAS(T *at, typename simt_is<T>::type was, typename simt_is<T>::type x, SIMT_SITE)
{
	simt_atomic(at, sizeof *at, SIMT_LOAD | SIMT_STORE, file, line);
	const T old = *at;
	*at = old == was ? x : old;
	return old;
}

template<class T> __attribute__((no_sanitize("thread"))) static inline T
simt_load(const T *at, int kind, const char *file, int line)
{
	simt_poll();
	simt_atomic(at, sizeof *at, SIMT_LOAD | kind, file, line);
	return *at;
}

template<class T> __attribute__((no_sanitize("thread"))) static inline void
simt_store(T *at, T x, int kind, const char *file, int line)
{
	simt_atomic(at, sizeof *at, SIMT_STORE | kind, file, line);
	*at = x;
}

/* -- the host's side ---------------------------------------------------------------------------------------- */
enum cudaError_t {
	cudaSuccess = 0, cudaErrorMemoryAllocation = 2, cudaErrorInsufficientDriver = 35, cudaErrorNoDevice = 100,
	cudaErrorNoKernelImageForDevice = 209, cudaErrorUnsupportedPtxVersion = 222,
	cudaErrorLaunchFailure = 719
};
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaDeviceAttr { cudaDevAttrMemoryPoolsSupported };
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold };
enum cudaLimit { cudaLimitStackSize };
typedef struct simt_stream *cudaStream_t;
typedef struct simt_pool *cudaMemPool_t;
struct cudaDeviceProp {
	char name[256];
	size_t totalGlobalMem;
	int multiProcessorCount, maxThreadsPerMultiProcessor, major, minor;
};

cudaError_t cudaGetDeviceCount(int *n);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *prop, int device);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attr, int device);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attr, void *value);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaGetLastError();
const char *cudaGetErrorString(cudaError_t e);
/* Each allocation is one of its own, of exactly that size. */
cudaError_t cudaMalloc(void **at, size_t n);
cudaError_t cudaMallocAsync(void **at, size_t n, cudaStream_t stream);
cudaError_t cudaMallocHost(void **at, size_t n);
cudaError_t cudaFree(void *at);
cudaError_t cudaFreeAsync(void *at, cudaStream_t stream);
cudaError_t cudaFreeHost(void *at);
/* What is copied to the host asynchronously is there after the next wait, nonsense before. */
cudaError_t cudaMemcpy(void *to, const void *from, size_t n, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void *to, int byte, size_t n, cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);

#endif
