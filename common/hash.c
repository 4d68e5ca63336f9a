/* hash.c: SHA-256, FIPS 180-4 section 6.2. */
#include <stdio.h>
#include <string.h>
#include "common/hash.h"

static const uint32_t k256[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t
rotr(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void
schedule(uint32_t w[64], const unsigned char *p)
{
	for (int i = 0; i < 16; i++, p += 4)
		w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];
		w[i] = w[i - 16] + w[i - 7] + (rotr(a, 7) ^ rotr(a, 18) ^ a >> 3)
			+ (rotr(b, 17) ^ rotr(b, 19) ^ b >> 10);
	}
}

static void
compress(uint32_t state[8], const unsigned char *p)
{
	uint32_t w[64], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];

	schedule(w, p);
	for (int i = 0; i < 64; i++) {
		const uint32_t ch = (e & f) ^ (~e & g), maj = (a & b) ^ (a & c) ^ (b & c);
		const uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ch + k256[i] + w[i];
		const uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + maj;

		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

void
hash_start(Hash *h)
{
	static const uint32_t start[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};

	memcpy(h->state, start, sizeof start);
	h->length = 0;
}

void
hash_bytes(Hash *h, const void *data, size_t n)
{
	const unsigned char *p = data;

	while (n > 0) {
		size_t have = h->length % 64, take = 64 - have < n ? 64 - have : n;
		memcpy(h->block + have, p, take);
		h->length += take;
		p += take;
		n -= take;
		if (have + take == 64)
			compress(h->state, h->block);
	}
}

void
hash_text(Hash *h, const char *s)
{
	hash_bytes(h, s, strlen(s) + 1);
}

void
hash_end(Hash *h, char name[65])
{
	uint64_t bits = h->length * 8;
	unsigned char tail[72] = {0x80}, *p = tail;
	size_t pad = 64 - (h->length + 8) % 64;

	for (int i = 0; i < 8; i++)
		p[pad + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
	hash_bytes(h, tail, pad + 8);
	for (int i = 0; i < 8; i++)
		snprintf(name + 8 * i, 9, "%08x", (unsigned)h->state[i]);
}
