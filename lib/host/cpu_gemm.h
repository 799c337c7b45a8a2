/* Calls the CPU BLAS's gemm routines. */
#ifndef LAVA_HOST_CPU_GEMM_H
#define LAVA_HOST_CPU_GEMM_H

#include "lib/host/cpu_blas.h"

/* Computes the operation. Its type must be the gemm's, and its sizes and leading dimensions must fit the
 * gemm's integers. Uses the built-in loop if there is no function. Conjugated operands are also transposed.
 * Any thread. */
void lava_cpu_gemm_gemm(const struct lava_cpu_gemm *gemm, const struct lava_operation *operation);

#endif
