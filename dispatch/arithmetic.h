/* Minimum and maximum of sizes. */
#ifndef LAVA_DISPATCH_ARITHMETIC_H
#define LAVA_DISPATCH_ARITHMETIC_H

#include <stdint.h>

static inline int64_t lava_minimum(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t lava_maximum(int64_t a, int64_t b) {
    return a > b ? a : b;
}

#endif
