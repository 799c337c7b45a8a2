/* Numbers for samples and tests: Knuth's 64-bit linear congruential generator (MMIX). The upper bits are the
 * random ones. The same seed gives the same numbers. */
#ifndef LAVA_BASE_RANDOM_H
#define LAVA_BASE_RANDOM_H

#include <stdint.h>

static inline uint64_t lava_random_next(uint64_t *state) {
    return *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
}

/* Returns a number from -1 to 1, with a full mantissa. */
static inline double lava_random_signed(uint64_t *state) {
    return (double)(int64_t)lava_random_next(state) * 0x1p-63;
}

#endif
