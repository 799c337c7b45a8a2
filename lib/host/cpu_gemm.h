/* Calls the CPU BLAS's own products. */
#ifndef LAVA_HOST_CPU_GEMM_H
#define LAVA_HOST_CPU_GEMM_H

#include "lib/host/cpu_blas.h"

/* Computes the problem, of the gemm's type, whose sizes and leading dimensions fit its integers; by the
 * built-in loop where there is no function. Operands that are conjugated are transposed too. Any thread. */
void lava_cpu_gemm_gemm(const struct lava_cpu_gemm *gemm, const struct lava_problem *problem);

#endif
