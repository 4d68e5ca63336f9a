/* Kernels and host code, each with one defect, for the emulator to find; some are right, to be left alone.
 *
 *     planted NAME
 *
 * The line where a defect is to be seen ends in its name, as a comment. */
#include "simt.h"
#include <stdio.h>
#include <stdlib.h>
#include <initializer_list>

enum { BD = 64, BLOCKS = 2, ALL = BD * BLOCKS };
typedef long long i64;
template<class T> using same = T;
#define SHARED(T, name) \
	static const char name##_declared = 0; \
	same<T> &name = *(same<T> *)simt_shared(&name##_declared, sizeof(same<T>))

static i64 *a, *b;              /* ALL elements each; a is zeroed, b is not */
static unsigned *flag;          /* two, zeroed */
static i64 of_host[ALL];

/* -- where memory is -------------------------------------------------------------------------------- */
__global__ void
past_the_end(i64 *a)
{
	a[blockIdx.x * BD + threadIdx.x + 1] = 0;       // past-the-end
}

__global__ void
before_the_start(i64 *a)
{
	a[-1] = threadIdx.x;    // before-the-start
}

__global__ void
misaligned(i64 *a)
{
	*(i64 *)((int *)a + 2 * threadIdx.x + 1) = 0;   // misaligned
}

__global__ void
misaligned_word(i64 *a)
{
	simt_aligned(a + 2 * threadIdx.x + 1, 16);      // misaligned-word
}

__global__ void
shared_past_the_end(i64 *a)
{
	SHARED(i64[BD], s);

	s[threadIdx.x] = threadIdx.x;
	__syncthreads();
	a[blockIdx.x * BD + threadIdx.x] = s[threadIdx.x + 1];  // shared-past-the-end
}

__global__ void
reads(const i64 *from, i64 *to)
{
	to[blockIdx.x * BD + threadIdx.x] = from[blockIdx.x * BD + threadIdx.x];        // never-written freed host-pointer
}

__global__ void
shared_never_written(i64 *a)
{
	SHARED(i64[BD], s);

	if (threadIdx.x % 2)
		s[threadIdx.x] = 1;
	__syncthreads();
	a[blockIdx.x * BD + threadIdx.x] = s[threadIdx.x] == 1;  // shared-never-written
}

__global__ void
much_shared(i64 *a)
{
	SHARED(char[49153], s);

	s[threadIdx.x] = 1;
	a[blockIdx.x * BD + threadIdx.x] = s[threadIdx.x];
}

/* What the host has in pinned memory. */
__global__ void
for_the_host(i64 *pinned)
{
	if (threadIdx.x == 0)
		pinned[blockIdx.x] = 7;
}

__global__ void
host_variable(i64 *a)
{
	a[blockIdx.x * BD + threadIdx.x] = of_host[threadIdx.x];        // host-variable
}

__global__ void
another_blocks_memory(i64 **where)
{
	SHARED(i64, s);

	if (threadIdx.x == 0 && blockIdx.x == 0) {
		s = 1;
		*where = &s;
		__threadfence();
		atomicExch((unsigned *)where + 2, 1u);
		while (atomicAdd((unsigned *)where + 3, 0u) == 0)
			simt_poll();
	}
	if (threadIdx.x == 0 && blockIdx.x == 1) {
		while (atomicAdd((unsigned *)where + 2, 0u) == 0)
			simt_poll();
		__threadfence();
		**where = 2;    // another-blocks-memory
	}
}

/* -- races ---------------------------------------------------------------------------------------------- */
__global__ void
all_write_one(i64 *a)
{
	a[0] = threadIdx.x;     // all-write-one
}

__global__ void
no_barrier(i64 *a)
{
	SHARED(i64[BD], s);

	s[threadIdx.x] = threadIdx.x;
	a[blockIdx.x * BD + threadIdx.x] = s[BD - 1 - threadIdx.x];     // no-barrier
}

__global__ void
written_before_all_have_read(i64 *a)
{
	SHARED(i64[BD], s);

	for (int k = 0; k < 2; k++) {
		s[threadIdx.x] = k;     // written-before-all-have-read
		__syncthreads();
		a[blockIdx.x * BD + threadIdx.x] = s[BD - 1 - threadIdx.x];
	}
}

template<bool SYNC> __global__ void
within_warp(i64 *a)
{
	SHARED(i64[BD], s);

	s[threadIdx.x] = threadIdx.x;
	if (SYNC)
		__syncwarp();
	a[blockIdx.x * BD + threadIdx.x] = s[threadIdx.x ^ 1];  // no-syncwarp
}

__global__ void
shuffles_order_nothing(i64 *a)
{
	SHARED(i64[BD], s);

	s[threadIdx.x] = threadIdx.x;
	__shfl_xor_sync(~0u, 0, 1);
	a[blockIdx.x * BD + threadIdx.x] = s[threadIdx.x ^ 1];  // shuffles-order-nothing
}

__global__ void
another_blocks_result(i64 *a)
{
	if (blockIdx.x == 0)
		a[threadIdx.x] = 1;     // another-blocks-result
	else
		a[BD + threadIdx.x] = a[threadIdx.x];   // another-blocks-result
}

struct pair {
	i64 x, y;
	static pair of(pair a, pair b) { return pair{a.x + b.x, a.y + b.y}; }
};

/* Operators take objects of several words by value. */
__global__ void
taken_by_value(i64 *a)
{
	SHARED(pair[BD], s);
	const pair mine = {threadIdx.x, 1};

	s[threadIdx.x] = mine;
	a[blockIdx.x * BD + threadIdx.x] = pair::of(s[BD - 1 - threadIdx.x], mine).x;   // taken-by-value
}

/* The C library copies. */
__global__ void
copied(i64 *a, size_t n)
{
	SHARED(pair[BD], s);
	pair got;

	memset(s + threadIdx.x, 0, n);
	memcpy(&got, s + (BD - 1 - threadIdx.x), n);    // copied
	memmove(a + blockIdx.x * BD + threadIdx.x, &got.x, sizeof got.x);
}

/* Block 0 hands a value to block 1. */
template<bool RELEASE, bool ACQUIRE> __global__ void
hand_over(i64 *a, unsigned *flag)
{
	if (threadIdx.x != 0)
		return;
	if (blockIdx.x == 0) {
		a[0] = 7;
		if (RELEASE)
			__threadfence();
		atomicExch(flag, 1u);
	} else {
		while (atomicAdd(flag, 0u) == 0)
			simt_poll();
		if (ACQUIRE)
			__threadfence();
		a[1] = a[0];    // no-release no-acquire
	}
}

__global__ void
plain_read_of_a_counter(i64 *a, unsigned *count)
{
	atomicAdd(count, 1u);   // plain-read-of-a-counter
	if (threadIdx.x == 0)
		a[blockIdx.x] = *count; // plain-read-of-a-counter
}

/* -- who meets whom -------------------------------------------------------------------------------------------- */
__global__ void
two_barriers(i64 *a)
{
	if (threadIdx.x < 32)
		__syncthreads();        // two-barriers
	else
		__syncthreads();        // two-barriers
	a[blockIdx.x * BD + threadIdx.x] = 1;
}

__global__ void
left_before_barrier(i64 *a)
{
	if (threadIdx.x >= 40)
		return;
	__syncthreads();        // left-before-barrier
	a[blockIdx.x * BD + threadIdx.x] = 1;
}

__global__ void
shuffle_in_a_branch(i64 *a)
{
	unsigned x = threadIdx.x;

	if (threadIdx.x % 2)
		x = __shfl_down_sync(~0u, x, 1);        // shuffle-in-a-branch
	a[blockIdx.x * BD + threadIdx.x] = x;
}

__global__ void
shuffle_from_outside(i64 *a)
{
	unsigned x = threadIdx.x;

	if (threadIdx.x % 32 < 16)
		x = __shfl_down_sync(0xffffu, x, 8);    // shuffle-from-outside
	a[blockIdx.x * BD + threadIdx.x] = x;
}

__global__ void
two_shuffles(i64 *a)
{
	unsigned x = threadIdx.x;

	if (threadIdx.x % 2)
		x = __shfl_up_sync(~0u, x, 1);  // two-shuffles
	else
		x = __shfl_up_sync(~0u, x, 2);  // two-shuffles
	a[blockIdx.x * BD + threadIdx.x] = x;
}

__global__ void
waits_for_ever(unsigned *flag)
{
	while (atomicAdd(flag, 0u) == 0)        // waits-for-ever
		simt_poll();
}

/* Nobody says that both run at once: with a window of one block they do not. */
__global__ void
blocks_wait_for_each_other(unsigned *flag)
{
	if (threadIdx.x == 0)
		simt_store(&flag[blockIdx.x], 1u, SIMT_RELEASE, __FILE__, __LINE__);
	while (simt_load(&flag[!blockIdx.x], SIMT_ACQUIRE, __FILE__, __LINE__) == 0)    // blocks-wait-for-each-other
		;
}

/* -- what is counted ---------------------------------------------------------------------------------------------- */
__global__ void
global_stride(const i64 *a, i64 *b, int stride)
{
	b[blockIdx.x * BD + threadIdx.x] = a[(int)threadIdx.x * stride];
}

template<class T> __global__ void
shared_stride(T, i64 *b, int stride)
{
	SHARED(T[33 * BD], s);

	s[(int)threadIdx.x * stride] = 1;
	__syncthreads();
	b[blockIdx.x * BD + threadIdx.x] = 0;
}

/* -- all of them ----------------------------------------------------------------------------------------------- */
static int64_t counts[SIMT_COUNTS];

#define RUN(kernel, ...) simt_launch(#kernel, counts, kernel, BLOCKS, BD, __VA_ARGS__)

static void
tell_counts(const char *what, int stride)
{
	printf("%s, stride %d: %lld bytes, %lld requests, %lld sectors; shared %lld requests, %lld conflicts; %lld barriers\n",
		what, stride, (long long)counts[SIMT_GLOBAL_BYTES], (long long)counts[SIMT_REQUESTS],
		(long long)counts[SIMT_SECTORS], (long long)counts[SIMT_SHARED_REQUESTS],
		(long long)counts[SIMT_BANK_CONFLICTS], (long long)counts[SIMT_BARRIERS]);
	memset(counts, 0, sizeof counts);
}

static void
host(const char *name)
{
	void *at;

	if (strcmp(name, "host-writes") == 0) {
		a[3] = 1;       // host-writes
	} else if (strcmp(name, "host-reads") == 0) {
		printf("%lld\n", a[3]); // host-reads
	} else if (strcmp(name, "copy-past-the-end") == 0) {
		cudaMemcpy(a, of_host, sizeof of_host + 1, cudaMemcpyHostToDevice);
	} else if (strcmp(name, "copy-never-written") == 0) {
		cudaMemcpy(of_host, b, sizeof of_host, cudaMemcpyDeviceToHost);
	} else if (strcmp(name, "copy-wrong-way") == 0) {
		cudaMemcpy(a, b, sizeof of_host, cudaMemcpyHostToDevice);
	} else if (strcmp(name, "freed-twice") == 0) {
		cudaFree(b);
		cudaFree(b);
	} else if (strcmp(name, "freed-elsewhere") == 0) {
		cudaFree(b + 1);
	} else if (strcmp(name, "leak") == 0) {
		cudaMalloc(&at, 40);
	} else if (strcmp(name, "no-wait") == 0) {
		cudaMemcpyAsync(of_host, a, sizeof of_host, cudaMemcpyDeviceToHost, NULL);
		printf("%s\n", of_host[5] == 0 ? "too early" : "not there yet");
	} else if (strcmp(name, "pinned") == 0) {
		i64 *pinned;

		cudaMallocHost((void **)&pinned, BLOCKS * sizeof *pinned);
		RUN(for_the_host, pinned);
		printf("%s, ", pinned[1] == 7 ? "too early" : "not there yet");
		cudaStreamSynchronize(NULL);
		printf("%s\n", pinned[0] == 7 && pinned[1] == 7 ? "there" : "lost");
		cudaFreeHost(pinned);
	} else if (strcmp(name, "no-blocks") == 0) {
		simt_launch("past_the_end", counts, past_the_end, 0, BD, a);
	} else if (strcmp(name, "too-many-threads") == 0) {
		simt_launch("past_the_end", counts, past_the_end, 1, 2048, a);
	} else if (strcmp(name, "counts") == 0) {
		for (int stride = 0; stride <= 2; stride++) {
			RUN(global_stride, (const i64 *)a, b, stride);
			tell_counts("global", stride);
		}
		for (int stride : {1, 2, 32, 33}) {
			RUN(shared_stride<int>, 0, b, stride);
			tell_counts("shared int", stride);
		}
		for (int stride : {1, 2}) {
			RUN(shared_stride<double>, 0.0, b, stride);
			tell_counts("shared double", stride);
		}
	} else {
		fprintf(stderr, "planted: no %s\n", name);
		exit(2);
	}
}

int
main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	i64 *freed;

	cudaMalloc((void **)&a, sizeof of_host);
	cudaMalloc((void **)&b, sizeof of_host);
	cudaMalloc((void **)&flag, 2 * sizeof *flag);
	cudaMemsetAsync(a, 0, sizeof of_host, NULL);
	cudaMemsetAsync(flag, 0, 2 * sizeof *flag, NULL);
#define IS(text, ...) else if (strcmp(name, text) == 0) RUN(__VA_ARGS__)
	if (strcmp(name, "freed") == 0) {
		cudaMalloc((void **)&freed, sizeof of_host);
		cudaMemsetAsync(freed, 0, sizeof of_host, NULL);
		cudaFree(freed);
		RUN(reads, (const i64 *)freed, b);
	}
	IS("past-the-end", past_the_end, a);
	IS("before-the-start", before_the_start, a);
	IS("misaligned", misaligned, a);
	IS("misaligned-word", misaligned_word, a);
	IS("shared-past-the-end", shared_past_the_end, a);
	IS("never-written", reads, (const i64 *)b, a);
	IS("host-pointer", reads, (const i64 *)&argc, a);
	IS("right", reads, (const i64 *)a, b);
	IS("shared-never-written", shared_never_written, a);
	IS("much-shared", much_shared, a);
	IS("host-variable", host_variable, a);
	IS("another-blocks-memory", another_blocks_memory, (i64 **)a);
	IS("all-write-one", all_write_one, a);
	IS("no-barrier", no_barrier, a);
	IS("written-before-all-have-read", written_before_all_have_read, a);
	IS("no-syncwarp", within_warp<false>, a);
	IS("taken-by-value", taken_by_value, a);
	IS("copied", copied, a, sizeof(pair));
	IS("right-syncwarp", within_warp<true>, a);
	IS("shuffles-order-nothing", shuffles_order_nothing, a);
	IS("another-blocks-result", another_blocks_result, a);
	IS("no-release", (hand_over<false, true>), a, flag);
	IS("no-acquire", (hand_over<true, false>), a, flag);
	IS("right-hand-over", (hand_over<true, true>), a, flag);
	IS("plain-read-of-a-counter", plain_read_of_a_counter, a, flag);
	IS("two-barriers", two_barriers, a);
	IS("left-before-barrier", left_before_barrier, a);
	IS("shuffle-in-a-branch", shuffle_in_a_branch, a);
	IS("shuffle-from-outside", shuffle_from_outside, a);
	IS("two-shuffles", two_shuffles, a);
	IS("waits-for-ever", waits_for_ever, flag);
	IS("blocks-wait-for-each-other", blocks_wait_for_each_other, flag);
	else
		host(name);
	cudaFree(a);
	cudaFree(b);
	cudaFree(flag);
	return 0;
}
