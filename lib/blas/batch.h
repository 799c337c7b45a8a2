/* Batches: many products of one shape. Called by lib/abi, which goes on with what is not finished.
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

/* Of each product the problem, but for its matrices: those of product i begin i times the stride (elements)
 * after the problem's own, or, where the pointers are not NULL, at the i-th. */
struct lava_batch {
    struct lava_problem problem;
    int64_t count;
    int64_t stride_a, stride_b, stride_c;
    const void *const *a, *const *b;
    void *const *c;
};

/* The i-th product of it. */
struct lava_problem lava_batch_product(const struct lava_batch *batch, int64_t i);

/* Begins the call as lava_offload_begin does and computes products on the device where that is worth it, from
 * the first on, so that each is as if it were computed alone, in order. Returns how many are finished: all,
 * or none, or where the device fails what it had finished; the rest is untouched. */
int64_t lava_batch_run(struct lava_call *call, const struct lava_batch *batch);

#endif
