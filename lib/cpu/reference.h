/* The product in plain C: what is left where no CPU BLAS is found, and what computes a product whose leading
 * dimensions do not fit a CPU BLAS's int. Any thread. */
#ifndef LAVA_CPU_REFERENCE_H
#define LAVA_CPU_REFERENCE_H

#include "lib/cpu/cpu_blas.h"

#define LAVA_REFERENCE_PATH "built-in loop"

/* problem is valid. With beta = 0 C is not read, with alpha = 0 or k = 0 neither A nor B. */
void lava_reference_run(const struct lava_problem *problem);

/* The two entry points over it. Invalid arguments: a complaint as in complain.h, C untouched. */
lava_cblas_sgemm lava_reference_cblas_sgemm;
lava_sgemm lava_reference_sgemm;

#endif
