/* Matrices in long double, and the residuals of products, for tests of matrices on the device. Included after
 * cmocka.h.
 */
#ifndef LAVA_TESTS_ROBUSTNESS_DENSE_RESIDUALS_H
#define LAVA_TESTS_ROBUSTNESS_DENSE_RESIDUALS_H

#include <math.h>
#include <stdlib.h>

#include "tests/robustness/problem.h"
#include "tests/worst_error.h"

/* Row by row, in long double. */
struct dense_matrix {
    int64_t rows, columns;
    struct value *values;
};

static inline struct dense_matrix dense_new(int64_t rows, int64_t columns) {
    struct dense_matrix dense = {rows, columns, calloc((size_t)(rows * columns), sizeof *dense.values)};
    assert_non_null(dense.values);
    return dense;
}

static inline struct value *at(const struct dense_matrix *dense, int64_t i, int64_t j) {
    return &dense->values[i * dense->columns + j];
}

/* A triangle with its zeros and ones; all of the matrix for LAVA_REGION_ALL. */
static inline struct dense_matrix dense_of(const struct matrix *matrix, enum lava_region stored, bool unit) {
    struct dense_matrix dense = dense_new(matrix->rows, matrix->columns);
    for (int64_t i = 0; i < matrix->rows; i++)
        for (int64_t j = 0; j < matrix->columns; j++) {
            bool is_in = stored == LAVA_REGION_ALL || (stored == LAVA_REGION_LOWER ? i >= j : i <= j);
            if (i == j && unit)
                at(&dense, i, j)->re = 1;
            else if (is_in)
                *at(&dense, i, j) = matrix_get(matrix, i, j);
        }
    return dense;
}

static inline struct dense_matrix conjugate_transposed(const struct dense_matrix *x) {
    struct dense_matrix turned = dense_new(x->columns, x->rows);
    for (int64_t i = 0; i < x->rows; i++)
        for (int64_t j = 0; j < x->columns; j++)
            *at(&turned, j, i) = (struct value){at(x, i, j)->re, -at(x, i, j)->im};
    return turned;
}

static inline struct value times(struct value a, struct value b) {
    return (struct value){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline struct dense_matrix transposed(const struct dense_matrix *x) {
    struct dense_matrix turned = dense_new(x->columns, x->rows);
    for (int64_t i = 0; i < x->rows; i++)
        for (int64_t j = 0; j < x->columns; j++)
            *at(&turned, j, i) = *at(x, i, j);
    return turned;
}

static inline bool is_real(const struct dense_matrix *x) {
    for (int64_t i = 0; i < x->rows * x->columns; i++)
        if (x->values[i].im != 0)
            return false;
    return true;
}

/* Zeros at the ends of rows and columns, as triangles have them, are not multiplied. */
static inline struct dense_matrix product_of(const struct dense_matrix *x, const struct dense_matrix *y) {
    struct dense_matrix product = dense_new(x->rows, y->columns), columns = transposed(y);
    const bool are_real = is_real(x) && is_real(y);
    struct problem_range *ranges = malloc((size_t)y->columns * sizeof *ranges);
    assert_non_null(ranges);
    for (int64_t j = 0; j < y->columns; j++)
        ranges[j] = problem_nonzeros(at(&columns, j, 0), y->rows);
    for (int64_t i = 0; i < x->rows; i++) {
        const struct problem_range row = problem_nonzeros(at(x, i, 0), x->columns);
        for (int64_t j = 0; j < y->columns; j++) {
            const int64_t begin = row.begin > ranges[j].begin ? row.begin : ranges[j].begin,
                          end = row.end < ranges[j].end ? row.end : ranges[j].end;
            *at(&product, i, j) =
                problem_dot(at(x, i, begin), at(&columns, j, begin), end - begin, false, are_real);
        }
    }
    free(ranges);
    free(columns.values);
    return product;
}

/* The absolute values. */
static inline struct dense_matrix sizes_of(const struct dense_matrix *x) {
    struct dense_matrix sizes = dense_new(x->rows, x->columns);
    for (int64_t i = 0; i < x->rows * x->columns; i++)
        sizes.values[i].re = problem_size_of(x->values[i]);
    return sizes;
}

/* Returns the largest |x - y| / bound, element by element; Inf if one is not a number. */
static inline long double distance(const struct dense_matrix *x, const struct dense_matrix *y,
                                   const struct dense_matrix *bound) {
    long double worst = 0;
    for (int64_t i = 0; i < x->rows * x->columns; i++) {
        const struct value rest = {x->values[i].re - y->values[i].re, x->values[i].im - y->values[i].im};
        long double size = problem_size_of(rest), error = size == 0 ? 0 : size / bound->values[i].re;
        worst = worst_of(worst, error);
    }
    return worst;
}

static inline struct dense_matrix identity(int64_t n) {
    struct dense_matrix one = dense_new(n, n);
    for (int64_t i = 0; i < n; i++)
        at(&one, i, i)->re = 1;
    return one;
}

/* Returns the largest |x y - expected| / (|x| |y|) in units of u. */
static inline long double error_of(enum lava_type type, const struct dense_matrix *x,
                                   const struct dense_matrix *y, const struct dense_matrix *expected) {
    struct dense_matrix product = product_of(x, y), sizes_x = sizes_of(x), sizes_y = sizes_of(y),
                        bound = product_of(&sizes_x, &sizes_y);
    long double error = distance(&product, expected, &bound) / (long double)lava_type_facts(type)->unit;
    free(product.values);
    free(sizes_x.values);
    free(sizes_y.values);
    free(bound.values);
    return error;
}

#endif
