/* The product in plain C. Used if no CPU BLAS is found, and for leading dimensions that do not fit a CPU
 * BLAS's integers. Any thread. */
#ifndef LAVA_HOST_REFERENCE_BLAS_H
#define LAVA_HOST_REFERENCE_BLAS_H

#include "dispatch/operation.h"

#define LAVA_REFERENCE_PATH "built-in loop"

/* operation must be valid, of fp32, fp64 or a complex type. With beta = 0 C is not read; with alpha = 0 or k
 * = 0 neither A nor B is read. */
void lava_reference_run(const struct lava_operation *operation);

#endif
