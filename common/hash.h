#ifndef NESSIE_HASH_H
#define NESSIE_HASH_H
/* SHA-256: names what the cache holds by its content. */
#include <stddef.h>
#include <stdint.h>

typedef struct Hash {
	uint32_t state[8];
	uint64_t length;                /* bytes so far */
	unsigned char block[64];
} Hash;

void hash_start(Hash *h);
void hash_bytes(Hash *h, const void *data, size_t n);
/* The text and its end: "ab", "c" differs from "a", "bc". */
void hash_text(Hash *h, const char *s);
/* 64 hexadecimal digits. */
void hash_end(Hash *h, char name[65]);

#endif
