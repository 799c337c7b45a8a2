/* A batch's arguments as the caller gave them, in any calling convention, and the functions that compute it.
 * Any thread. */
#ifndef LAVA_ABI_GROUPS_H
#define LAVA_ABI_GROUPS_H

#include "lib/offload/offload.h"

/* Groups of products of one shape. Arrays have one element per group, but arrays of matrices have one per
 * product. Integers are as wide as the routine's. The caller owns all arrays. */
struct lava_groups_arguments {
    enum lava_routine routine;
    int layout;
    const void *transa, *transb; /* enumerators, or characters for Fortran */
    const void *m, *n, *k, *lda, *ldb, *ldc;
    const void *alpha, *beta;
    const void *a,
        *b; /* ?gemm_batch: arrays of pointers; ?gemm_batch_strided: the first product's matrices */
    const void *c;
    const void *stride_a, *stride_b, *stride_c; /* ?gemm_batch_strided, which has one group */
    int64_t count;
    const void *sizes; /* number of products of each group */
};

/* Returns the multiply-adds of all products; 0 or less if there is nothing to multiply or a number is
 * negative. */
double lava_groups_work(bool is_ilp64, int64_t count, const void *sizes, const void *m, const void *n,
                        const void *k);

/* Returns true if all products are computed, with the same results as one after the other. Returns false if
 * nothing was written; the caller then forwards its arguments. Either way lava_offload_end(call) must
 * follow. */
bool lava_groups_begin(const struct lava_groups_arguments *arguments, struct lava_call *call);

/* Computes the products with the CPU BLAS's ?gemm, or reports the first invalid argument through xerbla. */
void lava_groups_compute(const struct lava_groups_arguments *arguments);

#endif
