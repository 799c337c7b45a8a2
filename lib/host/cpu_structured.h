/* Computes operations whose matrices have a structure that ?gemm does not know, with the CPU BLAS's ?gemm:
 * symmetric, Hermitian and triangular operands, two products, solves. Used if the CPU BLAS has no routine of
 * the name, and for what a device has not finished. Any thread. */
#ifndef LAVA_HOST_CPU_STRUCTURED_H
#define LAVA_HOST_CPU_STRUCTURED_H

#include "dispatch/operation.h"

struct lava_cpu_blas;

/* Computes rows x columns from (row, column) of a product that is none of these, or a triangle on its
 * diagonal. */
typedef void lava_cpu_structured_product(const struct lava_cpu_blas *blas,
                                         const struct lava_operation *product, int64_t row, int64_t rows,
                                         int64_t column, int64_t columns);

/* Returns whether the operation is one of these. */
bool lava_cpu_structured_suits(const struct lava_operation *operation);

/* Computes rows x columns of C from (row, column) by such products. Only these elements are written. Of a
 * structured operand, only the stored triangle is read, and no diagonal that is known. The general operand
 * must have op N. It cannot fail, and allocates nothing.
 *
 * In place, and for solves, elements of the block depend on others of the same column (A is triangular) or
 * row (B is). Those outside of the block must be as before a product, and solved already for a solve. */
void lava_cpu_structured_run(const struct lava_cpu_blas *blas, lava_cpu_structured_product *run_product,
                             const struct lava_operation *operation, int64_t row, int64_t rows,
                             int64_t column, int64_t columns);

#endif
