/* The inside of lava_cpu_blas_run, apart so that tests can cut small products. */
#ifndef LAVA_HOST_RUN_H
#define LAVA_HOST_RUN_H

#include "lib/host/cpu_blas.h"

/* Computes the problem in pieces of at most `piece` rows, columns and terms (1 ... INT_MAX each), and by the
 * built-in loop where a leading dimension exceeds largest_ld. */
void lava_run_pieces(const struct lava_cpu_blas *blas, const struct lava_problem *problem, int64_t piece,
                     int64_t largest_ld);

#endif
