/* Matrices in long double, and the residuals of products, for tests of routines of LAPACK. Included after
 * cmocka.h. */
#ifndef LAVA_TESTS_LIBRARY_DENSE_H
#define LAVA_TESTS_LIBRARY_DENSE_H

#include <math.h>
#include <stdlib.h>

#include "tests/library/naive.h"
#include "tests/worst_error.h"

/* Matrices in long double, column-major without gaps. */
struct dense {
    int64_t rows, columns;
    struct naive_number *numbers;
};

static inline struct dense dense_new(int64_t rows, int64_t columns) {
    struct dense dense = {rows, columns, calloc((size_t)(rows * columns) + 1, sizeof *dense.numbers)};
    assert_non_null(dense.numbers);
    return dense;
}

static inline struct naive_number *at(const struct dense *dense, int64_t i, int64_t j) {
    return &dense->numbers[i + j * dense->rows];
}

/* op(x): a new matrix. */
static inline struct dense turned(const struct dense *x, bool conjugate) {
    struct dense other = dense_new(x->columns, x->rows);
    for (int64_t j = 0; j < x->columns; j++)
        for (int64_t i = 0; i < x->rows; i++) {
            *at(&other, j, i) = *at(x, i, j);
            if (conjugate)
                at(&other, j, i)->imaginary *= -1;
        }
    return other;
}

/* The sizes of the elements, column by column. */
static inline long double *sizes_of(const struct dense *x) {
    long double *sizes = calloc((size_t)(x->rows * x->columns) + 1, sizeof *sizes);
    assert_non_null(sizes);
    for (int64_t i = 0; i < x->rows * x->columns; i++)
        sizes[i] = naive_modulus(x->numbers[i]);
    return sizes;
}

/* Returns the largest |x y - expected| / (|x| |y|), element by element; Inf if one is not a number. */
static inline long double error_of(const struct dense *x, const struct dense *y,
                                   const struct dense *expected) {
    const int64_t depth = x->columns;
    struct dense rows = turned(x, false);
    long double worst = 0, *row_sizes = sizes_of(&rows), *column_sizes = sizes_of(y);
    for (int64_t j = 0; j < y->columns; j++)
        for (int64_t i = 0; i < x->rows; i++) {
            struct naive_number rest = *at(expected, i, j);
            long double size = 0;
            for (int64_t l = 0; l < depth; l++) {
                const struct naive_number term = naive_times(*at(&rows, l, i), *at(y, l, j));
                rest.real -= term.real;
                rest.imaginary -= term.imaginary;
                size += row_sizes[l + i * depth] * column_sizes[l + j * depth];
            }
            long double error = naive_modulus(rest) == 0 ? 0 : naive_modulus(rest) / size;
            worst = worst_of(worst, error);
        }
    free(row_sizes);
    free(column_sizes);
    free(rows.numbers);
    return worst;
}

#endif
