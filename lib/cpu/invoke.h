/* Calls the CPU BLAS's own products. */
#ifndef LAVA_CPU_INVOKE_H
#define LAVA_CPU_INVOKE_H

#include "lib/cpu/cpu_blas.h"

/* Computes the problem, of the gemm's type, whose sizes and leading dimensions fit its integers; by the
 * built-in loop where there is no function. Operands that are conjugated are transposed too. Any thread. */
void lava_invoke_gemm(const struct lava_cpu_gemm *gemm, const struct lava_problem *problem);

#endif
