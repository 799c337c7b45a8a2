/* Tests of the data that decide what a scheme may compute. Pure functions.
 *
 *   by exponents   the library's, before: dispatch/schemes.h. It looks at panels of a tile's width; here a
 * panel is a single row of A or column of B, so that as little as possible is left to fp32 arithmetic
 *   screen_planes  of S1b, two planes of fp16: one before and one of C after. doc/numerics.md derives the
 * first; the second is a heuristic */
#ifndef PERF_ACCURACY_SCREEN_H
#define PERF_ACCURACY_SCREEN_H

#include <stdbool.h>

#include "planes.h"

#define SCREEN_LEAST_K 128

/* Biased exponents of what is not 0; of zeros alone: 255 and 0. */
struct exponents {
    uint32_t least, most;
};
struct exponents screen_exponents(const float *x, int64_t count, int64_t stride);
/* Whether planes hold what a panel of A and one of B multiply. Schemes that are not the library's hold
 * everything. */
bool screen_holds(const struct scheme *scheme, int64_t k, struct exponents a, struct exponents b);

/* How many of a row's or a column's elements are zero or more than 6 binades below the exponent of the
 * largest; 0 for nothing but zeros, whose products are exact. */
int64_t screen_weak(const float *x, int64_t count, int64_t stride);
/* Before: whether a row and a column with so many weak elements may meet. */
bool screen_planes_pair(int64_t weak_a, int64_t weak_b, int64_t k);
/* After: whether C is large enough, by its sum of squares, that the partial sums of an fp32 product exceed
 * single products, so that their rounding errors exceed those of the planes. In the scaled domain, as a
 * kernel has it. */
bool screen_planes_result(const struct problem *p, const struct planes *planes, float c[ROWS][COLUMNS]);

#endif
