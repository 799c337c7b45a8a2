/* Level 3 of BLAS, LU, Cholesky and inverses of triangles in fp64 on a device that has products of general
 * matrices alone, because it has no fp64: the CPU cuts them, and the device gets large products. Called by
 * lib/abi. Any thread. */
#ifndef LAVA_BLAS_BY_PRODUCTS_H
#define LAVA_BLAS_BY_PRODUCTS_H

#include "lib/offload/offload.h"

/* Computes a call that was begun, and that the device has no kernel for, or a product that does not fit its
 * memory. Returns true if it is finished, with
 * call->info, and false if nothing was written. */
bool lava_by_products_take(struct lava_call *call);
/* The same for a product that is a part of the call; in halves if a device without fp64 lacks the memory. */
bool lava_by_products_take_product(struct lava_call *call, const struct lava_operation *product);
/* Changes the answer of lava_offload_explain if the call would be computed so. */
void lava_by_products_explain(struct lava_call *call, struct lava_plan *plan);

/* Returns whether a triangle or panel of an operation is left to the CPU's own routine: if its order is small
 * beside the whole one. */
bool lava_by_products_is_small(const struct lava_operation *part, const struct lava_operation *whole);

#endif
