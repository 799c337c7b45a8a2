/* The arguments of ?trmm and ?trsm as the caller gave them, in any calling convention; ?trsm_batch has them
 * for each group. Any thread may call these functions. */
#ifndef LAVA_ABI_TRIANGULAR_H
#define LAVA_ABI_TRIANGULAR_H

#include "lib/offload/offload.h"

struct lava_triangular_arguments {
    enum lava_routine routine;
    int layout, side, uplo, trans, diag; /* enumerators; Fortran passes characters and no layout */
    int64_t m, n, lda, ldb;
    const void *alpha; /* a number of the routine's scalar type */
    const void *a;
    void *b;
};

/* Returns the first wrong argument in Fortran's count, LAVA_VALIDATE_LAYOUT for the layout, 0 for none. */
int lava_triangular_find_wrong(const struct lava_triangular_arguments *x);

/* Makes the product or the solve. Returns false if an argument is invalid; alpha is not read then. */
bool lava_triangular_translate(const struct lava_triangular_arguments *x, struct lava_operation *operation);

/* For lib/abi/entry.h. */
bool lava_triangular_begin(const struct lava_triangular_arguments *arguments, struct lava_call *call);
void lava_triangular_compute(const struct lava_triangular_arguments *arguments);

#endif
