/* Matrices in long double, and the residuals of products, for tests of routines of LAPACK. Included after
 * cmocka.h. */
#ifndef LAVA_TESTS_LIBRARY_DENSE_H
#define LAVA_TESTS_LIBRARY_DENSE_H

#include <math.h>
#include <stdlib.h>

#include "tests/library/naive.h"

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

static inline long double size_of(struct naive_number value) {
    return hypotl(value.real, value.imaginary);
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

/* Returns the largest |x y - expected| / (|x| |y|), element by element; Inf where one is not a number. */
static inline long double error_of(const struct dense *x, const struct dense *y,
                                   const struct dense *expected) {
    long double worst = 0;
    for (int64_t j = 0; j < y->columns; j++)
        for (int64_t i = 0; i < x->rows; i++) {
            struct naive_number rest = *at(expected, i, j);
            long double size = 0;
            for (int64_t l = 0; l < x->columns; l++) {
                const struct naive_number a = *at(x, i, l), b = *at(y, l, j), term = naive_times(a, b);
                rest.real -= term.real;
                rest.imaginary -= term.imaginary;
                size += size_of(a) * size_of(b);
            }
            long double error = size_of(rest) == 0 ? 0 : size_of(rest) / size;
            worst = !isfinite(error) ? INFINITY : error > worst ? error : worst;
        }
    return worst;
}

#endif
