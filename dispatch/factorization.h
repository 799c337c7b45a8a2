/* Plans a factorization, ?potrf and ?getrf, and solves with the factors, ?potrs, ?posv, ?getrs and ?gesv,
 * from host memory. The matrix stays on the device until all of it is done. Right-hand sides stream through
 * in chunks, as in solve.h. If the matrix does not fit it goes by block columns (block_columns.h). Pure
 * functions, called by policy.c. */
#ifndef LAVA_DISPATCH_FACTORIZATION_H
#define LAVA_DISPATCH_FACTORIZATION_H

#include "dispatch/solve.h"

/* Each with two solves for its right-hand sides. */
double lava_factorization_cholesky_flops(const struct lava_operation *operation);
double lava_factorization_lu_flops(const struct lava_operation *operation);

/* Writes the factorization, unless the factors are given, and the solves. Returns how many there are. */
int lava_factorization_steps(const struct lava_operation *operation, struct lava_operation *steps);

/* Factors that are there already are only read. */
lava_kind_reads lava_factorization_reads;

/* Returns whether the device can run the kernels. */
bool lava_factorization_fits(const struct lava_capabilities *device, enum lava_type type);

/* Fills in the kernel of the products, its shape and rate, the blocking of the largest product, the chunks of
 * right-hand sides and gpu_ns. chunks.product_bytes is what the products need besides the matrices. Returns
 * LAVA_REASON_FORCED, or why there is no plan: NO_KERNEL, or MEMORY, if not even a narrow block column
 * fits the device, or if its columns are too long to be downloaded whole. */
lava_kind_plan lava_factorization_plan;

#endif
