/* FNV-1a, 64 bits: names of files, checksums and fingerprints. It detects accidents, not attackers. */
#ifndef LAVA_BASE_HASH_H
#define LAVA_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define LAVA_HASH_BEGIN UINT64_C(0xcbf29ce484222325)

/* Returns the hash of what it was of, followed by these bytes. */
static inline uint64_t lava_hash_add(uint64_t hash, const void *data, size_t bytes) {
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
