/* Cholesky factorization on the CPU, with the CPU BLAS's ?gemm. It finishes what a device has begun, and
 * serves if no CPU library has ?potrf; a well-kept one is several times as fast. Any thread. */
#ifndef LAVA_HOST_CPU_CHOLESKY_H
#define LAVA_HOST_CPU_CHOLESKY_H

#include "lib/host/cpu_parts.h"

/* C <- its factor. Returns 0, or the order of the first leading minor that is not positive definite; then the
 * columns before that one are those of the factor. */
lava_cpu_finish lava_cpu_cholesky_run;

#endif
