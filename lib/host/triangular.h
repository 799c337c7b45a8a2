/* Products with a triangular matrix, in place, and solves with one. Called by structured.c. Any thread. */
#ifndef LAVA_HOST_TRIANGULAR_H
#define LAVA_HOST_TRIANGULAR_H

#include "lib/host/structured.h"

/* Computes a block of C as lava_structured_run does. The operation has a triangular operand and alpha is not
 * 0. */
void lava_triangular_run(const struct lava_cpu_blas *blas, lava_structured_product *run_product,
                         const struct lava_operation *operation, int64_t row, int64_t rows, int64_t column,
                         int64_t columns);

#endif
