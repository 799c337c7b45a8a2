/* The tests of the data that decide what a scheme of three products may compute, one before and one after.
 * doc/numerics.md derives the first; the second is a heuristic. Pure functions. */
#ifndef PERF_ACCURACY_SCREEN_H
#define PERF_ACCURACY_SCREEN_H

#include <stdbool.h>

#include "planes.h"

#define SCREEN_LEAST_K 128

/* How many of a row's or a column's elements are zero or more than 6 binades below the exponent of the
 * largest; 0 for nothing but zeros, whose products are exact. */
int64_t screen_weak(const float *x, int64_t count, int64_t stride);
/* Before: whether a row and a column with so many weak elements may meet. */
bool screen_pair(int64_t weak_a, int64_t weak_b, int64_t k);
/* After: whether C is large enough, by its sum of squares, that the partial sums of an fp32 product exceed
 * single products, so that their rounding errors exceed those of the planes. In the scaled domain, as a
 * kernel has it. */
bool screen_result(const struct problem *p, const struct planes *planes, float c[ROWS][COLUMNS]);

#endif
