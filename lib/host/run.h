/* The splitting inside lava_cpu_blas_run, separate so that tests can split small products. */
#ifndef LAVA_HOST_RUN_H
#define LAVA_HOST_RUN_H

#include "lib/host/cpu_blas.h"

/* Computes the operation in parts of at most `piece` rows, columns and terms (1 ... INT_MAX each). Uses the
 * built-in loop if a leading dimension exceeds largest_ld. */
void lava_run_pieces(const struct lava_cpu_blas *blas, const struct lava_operation *operation, int64_t piece,
                     int64_t largest_ld);

#endif
