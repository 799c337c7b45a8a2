/* Least squares on the CPU, with the CPU BLAS's ?gemm: ?gels. It finishes what a device has begun, and serves
 * where no CPU library has the routine; a well-kept one is several times as fast. Any thread. */
#ifndef LAVA_HOST_CPU_LEAST_SQUARES_H
#define LAVA_HOST_CPU_LEAST_SQUARES_H

#include "lib/host/cpu_blas.h"

/* Finishes QR with right-hand sides: C <- Q and R, of which the first `columns` columns are there already,
 * with all of tau if they are more than none; then the right-hand sides, of which the first `sides` ones are
 * finished, <- Q' times them, and their first n rows <- the X with R X = those. Returns which element of R's
 * diagonal, counted from 1, is the first that is zero: then nothing was solved; or 0. */
int64_t lava_cpu_least_squares_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                                   int64_t columns, int64_t sides);

/* All of ?gels, as Reference LAPACK 3.12 defines it: sides <- the X for which op(C) X is nearest to them, or,
 * of several, the smallest one; C <- its factors, tau is written. Returns info, or -1 where there is no
 * memory for a copy of C; then nothing was written. */
int64_t lava_cpu_least_squares_compute(const struct lava_cpu_blas *blas,
                                       const struct lava_operation *operation);

#endif
