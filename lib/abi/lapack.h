/* What LAPACK's families have in common, with all that each includes: operations on one matrix, which is C.
 * The entry points have compared the sizes with the cut-off before. */
#ifndef LAVA_ABI_LAPACK_H
#define LAVA_ABI_LAPACK_H

#include "dispatch/arithmetic.h"
#include "lib/abi/entry.h"
#include "lib/abi/integers.h"
#include "lib/abi/letters.h"
#include "lib/abi/xerbla.h"
#include "lib/blas/by_products.h"

/* The real type of eigenvalues, singular values, norms and bidiagonal forms. */
#define LAVA_LAPACK_REAL_FP32  float
#define LAVA_LAPACK_REAL_FP64  double
#define LAVA_LAPACK_REAL_CFP32 float
#define LAVA_LAPACK_REAL_CFP64 double

/* A matrix as a caller gave it; routines that only read it have it const. */
struct lava_lapack_matrix {
    int64_t m, n;
    const void *first;
    int64_t ld;
};

/* Returns an operation on all of a matrix of the routine's type; k is the smaller one of m and n. */
static inline struct lava_operation
lava_lapack_operation(enum lava_routine routine, enum lava_operation_kind kind, struct lava_lapack_matrix c) {
    enum lava_type type = lava_routine_type(routine);
    return (struct lava_operation){.kind = kind,
                                   .type = type,
                                   .m = c.m,
                                   .n = c.n,
                                   .k = lava_minimum(c.m, c.n),
                                   .c = {.first = (void *)(uintptr_t)c.first, .ld = c.ld, .type = type},
                                   .alpha.real = 1};
}

/* Returns the triangle that uplo names, of a matrix by columns; the upper one if uplo is invalid. */
static inline enum lava_region lava_lapack_region(enum lava_routine routine, int uplo) {
    return lava_options_read_uplo(routine, uplo) == LAVA_UPLO_LOWER ? LAVA_REGION_LOWER : LAVA_REGION_UPPER;
}

/* Begins a call whose only result besides C is info. */
static inline bool lava_lapack_begin(struct lava_call *call, void *info) {
    bool finished = lava_offload_begin(call) || lava_by_products_take(call);
    if (finished)
        lava_integers_write(call->routine, info, 0, call->info);
    return finished;
}

/* Tells of the first wrong argument, by its number in Fortran's count; 0: there is none. Returns whether
 * there is one. */
static inline bool lava_lapack_complains(enum lava_routine routine, void *info, int wrong) {
    if (wrong) {
        lava_xerbla(routine, wrong);
        lava_integers_write(routine, info, 0, -wrong);
    }
    return wrong != 0;
}

/* Returns the pivots of a matrix of n rows, from 0 on; NULL if there are none, one is no row, or there is no
 * memory. */
static inline int64_t *lava_lapack_pivots(enum lava_routine routine, const void *ipiv, int64_t n) {
    int64_t *pivots = lava_integers_new(n);
    for (int64_t i = 0; i < n && pivots; i++) {
        pivots[i] = lava_integers_read(routine, ipiv, i) - 1;
        if (pivots[i] < 0 || pivots[i] >= n) {
            free(pivots);
            pivots = NULL;
        }
    }
    return pivots;
}

#endif
