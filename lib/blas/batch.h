/* Batches: many products of one shape, or updates of triangles or solves. Called by lib/abi, which computes
 * the unfinished products.
 *
 *     struct lava_call call = {.routine = ...};
 *     int64_t finished = lava_batch_run(&call, &batch);
 *     products from `finished` on: the CPU BLAS
 *     lava_offload_end(&call);
 *
 * Any thread. */
#ifndef LAVA_BLAS_BATCH_H
#define LAVA_BLAS_BATCH_H

#include "lib/offload/offload.h"

/* The operation describes every product, except for the addresses of its matrices. Its own series is not set.
 * The caller owns the arrays. */
struct lava_batch {
    struct lava_operation operation;
    struct lava_series series;
};

/* Returns the operation of product i. */
struct lava_operation lava_batch_product(const struct lava_batch *batch, int64_t i);

/* Begins the call as lava_offload_begin does and computes products on the device if that is worth it, from
 * the first one on. The results are those of computing each product alone, in order. Returns the number of
 * finished products: all, none, or what the device finished before it failed. The other products are
 * untouched. */
int64_t lava_batch_run(struct lava_call *call, const struct lava_batch *batch);

#endif
