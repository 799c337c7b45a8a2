/* What ?gemv, ?symv and ?trmv share: the arguments as the caller gave them, in any calling convention, and
 * the operation. Any thread may call these functions. */
#ifndef LAVA_ABI_VECTORS_H
#define LAVA_ABI_VECTORS_H

#include "lib/offload/offload.h"

struct lava_vectors_arguments {
    enum lava_routine routine;
    int layout, option; /* enumerators; Fortran passes characters and no layout. trans, or uplo */
    int64_t m, n, lda, incx, incy;
    const void *alpha, *beta; /* numbers of the routine's scalar type */
    const void *a, *x;
    void *y;
};

/* Returns the address of a vector's first element: with a negative increment, the last one in memory. */
void *lava_vectors_first(const void *vector, enum lava_type type, int64_t length, int64_t increment);

/* Makes the operation of valid arguments. rows and columns are those of op(A), the matrix. */
void lava_vectors_translate(const struct lava_vectors_arguments *x, const struct lava_operand *matrix,
                            int64_t rows, int64_t columns, struct lava_operation *operation);

#endif
