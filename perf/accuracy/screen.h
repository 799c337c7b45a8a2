/* Tests of the data that decide which scheme may compute a product. Pure functions.
 *
 *   by exponents   the library's test before the product: dispatch/schemes.h. The library tests panels of a
 *                  tile's width. Here a panel is a single row of A or column of B, so that as little as
 *                  possible is left to fp32 arithmetic
 *   screen_planes  the tests of S1b, two planes of fp16: one before the product and one of C after it.
 *                  doc/numerics.md derives the first; the second is a heuristic */
#ifndef PERF_ACCURACY_SCREEN_H
#define PERF_ACCURACY_SCREEN_H

#include <stdbool.h>

#include "planes.h"

#define SCREEN_LEAST_K 128

/* Biased exponents of the nonzero elements; for zeros only: 255 and 0. */
struct exponents {
    uint32_t least, most;
};
struct exponents screen_exponents(const float *x, int64_t count, int64_t stride);
/* Returns whether planes can represent the operands of a product of a panel of A and one of B. True for
 * schemes that are not the library's. */
bool screen_holds(const struct scheme *scheme, int64_t k, struct exponents a, struct exponents b);

/* Number of elements of a row or column that are zero or more than 6 binades below the exponent of the
 * largest. 0 if there are only zeros, whose products are exact. */
int64_t screen_weak(const float *x, int64_t count, int64_t stride);
/* Before the product: whether a row and a column with that many weak elements may be multiplied. */
bool screen_planes_pair(int64_t weak_a, int64_t weak_b, int64_t k);
/* After the product: whether C is large enough, by its sum of squares, that the partial sums of an fp32
 * product exceed single products, so that their rounding errors exceed those of the planes. In the scaled
 * domain, as in a kernel. */
bool screen_planes_result(const struct problem *p, const struct planes *planes, float c[ROWS][COLUMNS]);

#endif
