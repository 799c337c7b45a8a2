/* Least squares on the CPU, with the CPU BLAS's ?gemm: ?gels. It finishes what a device has begun, and serves
 * if no CPU library has the routine; a well-kept one is several times as fast. Any thread. */
#ifndef LAVA_HOST_CPU_LEAST_SQUARES_H
#define LAVA_HOST_CPU_LEAST_SQUARES_H

#include "lib/host/cpu_parts.h"

/* C <- Q and R, and tau; then the right-hand sides <- Q' times them, and their first n rows <- the X with R X
 * = those. Returns which element of R's diagonal, counted from 1, is the first that is zero: then nothing was
 * solved; or 0. */
lava_cpu_finish lava_cpu_least_squares_run;

/* All of ?gels, as Reference LAPACK 3.12 defines it: sides <- the X for which op(C) X is nearest to them, or,
 * of several, the smallest one; C <- its factors, tau is written. Returns info, or -1 if there is no
 * memory for a copy of C; then nothing was written. */
int64_t lava_cpu_least_squares_compute(const struct lava_cpu_blas *blas,
                                       const struct lava_operation *operation);

#endif
