/* Matrices whose elements are a hash of their index, for tests that compute them anew instead of keeping
 * them. Used by test_huge.c and crowded.c. */
#ifndef LAVA_TESTS_ROBUSTNESS_HASHED_H
#define LAVA_TESTS_ROBUSTNESS_HASHED_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t hashed_by;

static inline void hashed_seed(void) {
    const char *given = getenv("LAVA_TEST_SEED");
    hashed_by = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    printf("LAVA_TEST_SEED=%llu\n", (unsigned long long)hashed_by);
}

static inline uint64_t hashed(uint64_t index) {
    uint64_t x = (index + hashed_by) * UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return x ^ x >> 32;
}

/* From -2 to 1. */
static inline float hashed_small(uint64_t index) {
    return (float)(int)(hashed(index) >> 40 & 3) - 2;
}

static inline double hashed_uniform(uint64_t index) {
    return (double)(int64_t)hashed(index) * 0x1p-63;
}

/* products[0] <- A x, [1] <- U x, [2] <- |U| |x|, which begin with zeros. */
static inline void hashed_multiply(int64_t n, const double *lu, double *products[4]) {
    for (int64_t j = 0; j < n; j++) {
        double x = hashed_uniform((UINT64_C(1) << 40) + (uint64_t)j);
        for (int64_t i = 0; i < n; i++)
            products[0][i] += hashed_uniform((uint64_t)(j * n + i)) * x;
        for (int64_t i = 0; i <= j; i++) {
            products[1][i] += lu[j * n + i] * x;
            products[2][i] += fabs(lu[j * n + i] * x);
        }
    }
}

/* Returns the largest component of P A x - L U x beside n u |L| |U| |x|, for an A of uniform elements of the
 * indices 0 to n n - 1, whose leading dimension is n; INFINITY without memory, or if a
 * pivot is no row. At most 1 is right. */
static inline double hashed_lu_error(int64_t n, const double *lu, const int64_t *pivots) {
    double *products[4] = {NULL}, worst = 0;
    bool is_there = true;
    for (int i = 0; i < 4; i++)
        is_there = (products[i] = calloc((size_t)n, sizeof(double))) && is_there;
    if (is_there)
        hashed_multiply(n, lu, products);
    for (int64_t i = 0; i < n; i++)
        is_there = is_there && pivots[i] > i && pivots[i] <= n;
    for (int64_t i = 0; i < n && is_there; i++) {
        double kept = products[0][i];
        products[0][i] = products[0][pivots[i] - 1];
        products[0][pivots[i] - 1] = kept;
    }
    for (int64_t j = 0; j < n && is_there; j++) { /* [0] less L U x, [3] <- |L| |U| |x| */
        products[0][j] -= products[1][j];
        products[3][j] += products[2][j];
        for (int64_t i = j + 1; i < n; i++) {
            products[0][i] -= lu[j * n + i] * products[1][j];
            products[3][i] += fabs(lu[j * n + i]) * products[2][j];
        }
    }
    for (int64_t i = 0; i < n && is_there; i++) {
        double error = fabs(products[0][i]) / ((double)n * DBL_EPSILON / 2 * products[3][i]);
        worst = isnan(worst) || error <= worst ? worst : error;
    }
    for (int i = 0; i < 4; i++)
        free(products[i]);
    return is_there ? worst : INFINITY;
}

#endif
