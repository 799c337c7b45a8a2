/* Passes over matrices in host memory that the threads of a copy pool share. The pool's user calls them. */
#ifndef LAVA_HOST_MATRIX_COPY_H
#define LAVA_HOST_MATRIX_COPY_H

#include "lib/host/copy_pool.h"

/* Column j of the target <- column order[j] of the source, or column j if order is NULL, but only the rows
 * of the region, which is the target's. Matrices of one type that do not overlap. */
struct lava_matrix_copy {
    enum lava_type type;
    const void *source;
    int64_t source_ld;
    void *target;
    int64_t target_ld;
    int64_t rows, columns; /* equal unless the region is all */
    enum lava_region region;
    const int64_t *order;
};
void lava_matrix_copy(struct lava_copy_pool *pool, const struct lava_matrix_copy *copy);

/* Target <- the adjoint of the source, which is columns x rows. The region is all, and order is not used. */
void lava_matrix_copy_turn(struct lava_copy_pool *pool, const struct lava_matrix_copy *copy);

/* Returns the largest absolute value of an element, of a complex type that of a part; 0 if there are no
 * elements, and NaN if one is. Half precision is not supported. */
double lava_matrix_copy_largest(struct lava_copy_pool *pool, enum lava_type type, const void *first,
                                int64_t rows, int64_t columns, int64_t ld);

#endif
