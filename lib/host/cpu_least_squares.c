/* Least squares by QR. A matrix of fewer rows than columns is factored as its adjoint, A' = Q R, so that A =
 * R' Q' is its LQ factorization, and op(A) becomes the other one:
 *
 *     rows >= columns, not adjoint     B <- Q' B, then R X = its first rows
 *     rows >= columns, adjoint         R' Y = B's first rows, zeros below them, B <- Q Y
 *
 * Called by lib/abi if there is no other routine, and by lib/offload for what a device has begun. */
#include "lib/host/cpu_least_squares.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "lib/host/cpu_parts.h"
#include "lib/host/cpu_qr.h"

/* A stored matrix. */
struct stored {
    enum lava_type type;
    void *first;
    int64_t rows, columns, ld;
};

static void *at(const struct stored *matrix, int64_t row, int64_t column) {
    return lava_operation_element(matrix->first, matrix->type, row, column, matrix->ld);
}

/* Rows from `row` on <- 0. */
static void clear(const struct stored *matrix, int64_t row) {
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = row; i < matrix->rows; i++)
            lava_number_write(matrix->type, at(matrix, i, j), (struct lava_number){0, 0});
}

/* B <- X, by the factors. If R has a zero on its diagonal, B is Q' B, or, of the adjoint, what it was, as
 * LAPACK leaves it. */
static int64_t solve(const struct lava_cpu_blas *blas, const struct lava_operation *operation) {
    const struct lava_operation product = lava_operation_times_q(operation),
                                triangle = lava_operation_solve_r(operation);
    const struct stored b = {operation->type, operation->sides.first, operation->m, operation->sides.count,
                             operation->sides.ld};
    if (!operation->adjoint)
        lava_cpu_qr_multiply_run(blas, &product, (struct lava_cpu_done){0});
    int64_t zero = lava_cpu_parts_find_zero(&triangle);
    if (zero)
        return zero;
    lava_cpu_blas_run(blas, &triangle);
    if (operation->adjoint) {
        clear(&b, operation->n);
        lava_cpu_qr_multiply_run(blas, &product, (struct lava_cpu_done){0});
    }
    return 0;
}

int64_t lava_cpu_least_squares_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                                   struct lava_cpu_done done) {
    const struct lava_operation rest = lava_cpu_parts_sides_from(operation, done.sides);
    if (done.columns < operation->n)
        lava_cpu_qr_run(blas, operation, done);
    return rest.sides.count == 0 ? 0 : solve(blas, &rest);
}

/* The largest absolute value; NaN if there is one (?lange). */
static double largest(const struct stored *matrix) {
    double most = 0;
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++) {
            const struct lava_number z = lava_number_read(matrix->type, at(matrix, i, j));
            double size = z.imaginary == 0 ? fabs(z.real) : hypot(z.real, z.imaginary);
            most = isnan(most) || size <= most ? most : size;
        }
    return most;
}

/* The matrix <- itself times that, which is not far from 1: the range of doubles is much wider. */
static void multiply(const struct stored *matrix, double by) {
    for (int64_t j = 0; j < matrix->columns; j++)
        for (int64_t i = 0; i < matrix->rows; i++) {
            const struct lava_number z = lava_number_read(matrix->type, at(matrix, i, j));
            lava_number_write(matrix->type, at(matrix, i, j),
                              (struct lava_number){z.real * by, z.imaginary * by});
        }
}

/* Scales the matrix if its largest value is beyond what LAPACK computes with. Returns the factor. */
static double moderate(const struct stored *matrix, double most) {
    bool is_fp32 = lava_type_real(matrix->type) == LAVA_TYPE_FP32;
    double least = is_fp32 ? (double)(FLT_MIN / FLT_EPSILON) : DBL_MIN / DBL_EPSILON;
    double by = most > 0 && most < least ? least / most : most > 1 / least ? 1 / least / most : 1;
    if (by != 1)
        multiply(matrix, by);
    return by;
}

/* to <- from's adjoint. */
static void turn(const struct stored *from, const struct stored *to) {
    for (int64_t j = 0; j < from->columns; j++)
        for (int64_t i = 0; i < from->rows; i++) {
            const struct lava_number z = lava_number_read(from->type, at(from, i, j));
            lava_number_write(to->type, at(to, j, i), (struct lava_number){z.real, -z.imaginary});
        }
}

/* C is moderate, as the right-hand sides are, and has at least as many rows as columns. */
static int64_t factor_and_solve(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                                const struct stored *c, bool adjoint) {
    struct lava_operation tall = *operation;
    tall.m = c->rows;
    tall.n = c->columns;
    tall.c.first = c->first;
    tall.c.ld = c->ld;
    tall.adjoint = adjoint;
    return lava_cpu_least_squares_run(blas, &tall, (struct lava_cpu_done){0});
}

int64_t lava_cpu_least_squares_compute(const struct lava_cpu_blas *blas, const struct lava_operation *x) {
    const struct lava_right_sides *sides = &x->sides;
    int64_t m = x->m, n = x->n, known = x->adjoint ? n : m, unknown = x->adjoint ? m : n;
    const struct stored a = {x->type, x->c.first, m, n, x->c.ld};
    const struct stored b = {x->type, sides->first, lava_maximum(m, n), sides->count, sides->ld};
    const struct stored given = {x->type, sides->first, known, sides->count, sides->ld};
    const struct stored result = {x->type, sides->first, unknown, sides->count, sides->ld};
    struct stored turned = {x->type, NULL, n, m, n};
    double most = largest(&a);
    if (m == 0 || n == 0 || sides->count == 0 || most == 0) {
        clear(&b, 0);
        return 0;
    }
    if (m < n && !(turned.first = malloc((size_t)(m * n) * lava_type_bytes(x->type))))
        return -1;
    double by_a = moderate(&a, most), by_b = moderate(&given, largest(&given));
    int64_t info;
    if (m < n) {
        turn(&a, &turned);
        info = factor_and_solve(blas, x, &turned, !x->adjoint);
        turn(&turned, &a);
        free(turned.first);
    } else {
        info = factor_and_solve(blas, x, &a, x->adjoint);
    }
    if (info == 0 && (by_a != 1 || by_b != 1))
        multiply(&result, by_a / by_b);
    return info;
}
