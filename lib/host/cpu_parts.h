/* What LAPACK's operations on the CPU have in common: how far they are, and the steps between halves of a
 * matrix, each by the CPU BLAS. Used by cpu_cholesky.c, cpu_inverse.c, cpu_lu.c and others. Any thread. */
#ifndef LAVA_HOST_CPU_PARTS_H
#define LAVA_HOST_CPU_PARTS_H

#include "lib/host/cpu_blas.h"
#include "lib/host/numbers.h"

/* What is there already: C's first columns, of Q its last ones; and, if all of C is, the first right-hand
 * sides. Of C Q and of inverses by factors none or all columns are there. Columns of LU are with all pivots,
 * whose swaps are in them; by_columns: with as many pivots, and nothing has happened to the other columns. */
struct lava_cpu_done {
    int64_t columns, sides;
    bool by_columns;
};

/* Finishes an operation of LAPACK from there. Returns info: then the right-hand sides are as they were. */
typedef int64_t lava_cpu_finish(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                                struct lava_cpu_done done);

struct lava_cpu_range {
    int64_t first, size;
};

/* The element of C. */
static inline void *lava_cpu_parts_at(const struct lava_operation *operation, int64_t row, int64_t column) {
    return lava_operation_element(operation->c.first, operation->type, row, column, operation->c.ld);
}
static inline struct lava_number lava_cpu_parts_read(const struct lava_operation *operation, int64_t row,
                                                     int64_t column) {
    return lava_number_read(operation->type, lava_cpu_parts_at(operation, row, column));
}
static inline void lava_cpu_parts_write(const struct lava_operation *operation, int64_t row, int64_t column,
                                        struct lava_number number) {
    lava_number_write(operation->type, lava_cpu_parts_at(operation, row, column), number);
}

/* Returns which element of a triangular matrix's diagonal, counted from 1, is the first that is exactly zero;
 * 0 if none is. The matrix is the triangular operand of a solve, else C, or U in it. */
int64_t lava_cpu_parts_find_zero(const struct lava_operation *operation);

/* C's rectangle of these rows and columns <- alpha op(T) times it, or it times op(T), for C's triangle of the
 * range; or with the inverse of op(T) instead. */
struct lava_cpu_application {
    struct lava_cpu_range rows, columns, triangle;
    enum lava_region stored;
    bool unit_diagonal, on_right, transposed, solves;
    double alpha;
};
void lava_cpu_parts_apply(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                          const struct lava_cpu_application *x);

/* C's square on the diagonal, of which the region counts, <- itself plus alpha X X' for the X in its rows and
 * the other columns; transposed: plus alpha X' X for the X in its columns and the other rows. */
struct lava_cpu_square {
    struct lava_cpu_range square, others;
    bool transposed;
    double alpha;
};
void lava_cpu_parts_add_square(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                               const struct lava_cpu_square *x);

/* Returns the operation with its later right-hand sides alone. */
struct lava_operation lava_cpu_parts_sides_from(const struct lava_operation *operation, int64_t side);

#endif
