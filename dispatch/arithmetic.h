/* Minimum and maximum of sizes, the elements of a triangle, and the bits of a double. */
#ifndef LAVA_DISPATCH_ARITHMETIC_H
#define LAVA_DISPATCH_ARITHMETIC_H

#include <stdint.h>
#include <string.h>

static inline int64_t lava_minimum(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t lava_maximum(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Returns about half of m x n elements: those of a triangle with its diagonal. */
static inline double lava_triangle_of(double m, double n) {
    return m * (n + 1) / 2;
}

static inline uint64_t lava_double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
