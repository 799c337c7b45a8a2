/* The arguments of a batch as a caller gave them, whatever list they came in, and what becomes of them. Any
 * thread. */
#ifndef LAVA_ABI_GROUPS_H
#define LAVA_ABI_GROUPS_H

#include "lib/offload/offload.h"

/* Groups of products of one shape. Arrays have an element for each group, but those of matrices, which have
 * one for each product; integers are as wide as the routine's. */
struct lava_groups_arguments {
    enum lava_routine routine;
    int layout;
    const void *transa, *transb; /* enumerators, or Fortran's characters */
    const void *m, *n, *k, *lda, *ldb, *ldc;
    const void *alpha, *beta;
    const void *a,
        *b; /* ?gemm_batch: arrays of pointers; ?gemm_batch_strided: the first product's matrices */
    const void *c;
    const void *stride_a, *stride_b, *stride_c; /* ?gemm_batch_strided, of one group */
    int64_t count;
    const void *sizes; /* products of each group */
};

/* Multiply-adds of all products; 0 or less where there is nothing to multiply or a number is negative. */
double lava_groups_work(bool is_ilp64, int64_t count, const void *sizes, const void *m, const void *n,
                        const void *k);

/* True: all products are computed, as if one after the other. False: nothing was written, the caller's
 * arguments are to be forwarded. Either way lava_offload_end(call) comes next. */
bool lava_groups_begin(const struct lava_groups_arguments *arguments, struct lava_call *call);

/* Computes the products by the CPU BLAS's ?gemm, or complains. */
void lava_groups_compute(const struct lava_groups_arguments *arguments);

#endif
