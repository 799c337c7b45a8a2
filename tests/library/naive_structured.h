/* Level 3 by definition, in long double: elements of op(X) for an X that is general, symmetric, Hermitian or
 * triangular, stored by columns or by rows, and sums of products of such elements with their magnitudes.
 * Independent of the library, except for the names of types. */
#ifndef LAVA_TESTS_NAIVE_STRUCTURED_H
#define LAVA_TESTS_NAIVE_STRUCTURED_H

#include "tests/library/naive.h"

struct naive_matrix {
    enum lava_type type;
    const void *first;
    int64_t ld;
    bool by_rows;
    char op;        /* 'N', 'T' or 'C' */
    char structure; /* 'G'eneral, 'S'ymmetric, 'H'ermitian or 'T'riangular */
    char uplo;      /* the triangle that is stored, 'U' or 'L', unless it is general */
    bool has_unit_diagonal;
};

/* A number, and a bound for the magnitude of what was added up to it. */
struct naive_sum {
    struct naive_number value;
    long double size;
};

static inline long double naive_magnitude(long double x) {
    return x < 0 ? -x : x;
}

/* The sum of the parts' magnitudes: the error of a complex product is proportional to it. */
static inline long double naive_size(struct naive_number x) {
    return naive_magnitude(x.real) + naive_magnitude(x.imaginary);
}

static inline struct naive_number naive_stored(const struct naive_matrix *x, int64_t row, int64_t column) {
    return naive_read(x->type, x->first, x->by_rows ? row * x->ld + column : row + column * x->ld);
}

/* Returns whether (row, column) of X itself is in the triangle that is not stored. */
static inline bool naive_is_outside(const struct naive_matrix *x, int64_t row, int64_t column) {
    return x->structure != 'G' && (x->uplo == 'L' ? row < column : row > column);
}

/* Returns whether (row, column) of op(X) is zero because X is triangular. */
static inline bool naive_is_zero(const struct naive_matrix *x, int64_t row, int64_t column) {
    return x->structure == 'T' &&
           (x->op == 'N' ? naive_is_outside(x, row, column) : naive_is_outside(x, column, row));
}

/* Element (row, column) of op(X). Reads what the routines may read, and nothing else. */
static inline struct naive_number naive_at(const struct naive_matrix *x, int64_t row, int64_t column) {
    int64_t i = x->op == 'N' ? row : column, j = x->op == 'N' ? column : row;
    bool outside = naive_is_outside(x, i, j), on_diagonal = x->structure != 'G' && i == j;
    struct naive_number value = {0, 0};
    if (on_diagonal && x->has_unit_diagonal)
        value.real = 1;
    else if (!outside)
        value = naive_stored(x, i, j);
    else if (x->structure != 'T')
        value = naive_stored(x, j, i);
    if (x->structure == 'H' && (on_diagonal || outside))
        value.imaginary = on_diagonal ? 0 : -value.imaginary;
    if (x->op == 'C')
        value.imaginary = -value.imaginary;
    return value;
}

static inline void naive_add(struct naive_sum *sum, struct naive_number x, struct naive_number y) {
    const struct naive_number term = naive_times(x, y);
    sum->value.real += term.real;
    sum->value.imaginary += term.imaginary;
    sum->size += naive_size(x) * naive_size(y);
}

/* Element (row, column) of alpha op(A) op(B), with k terms. Zeros of a triangle meet nothing. */
static inline struct naive_sum naive_product_at(const struct naive_matrix *a, const struct naive_matrix *b,
                                                struct naive_number alpha, int64_t k, int64_t row,
                                                int64_t column) {
    struct naive_sum inner = {{0, 0}, 0}, sum = {{0, 0}, 0};
    if (alpha.real == 0 && alpha.imaginary == 0)
        return sum;
    for (int64_t l = 0; l < k; l++)
        if (!naive_is_zero(a, row, l) && !naive_is_zero(b, l, column))
            naive_add(&inner, naive_at(a, row, l), naive_at(b, l, column));
    naive_add(&sum, alpha, inner.value);
    sum.size = naive_size(alpha) * inner.size;
    return sum;
}

/* Adds beta times an element; nothing is read if beta is 0. */
static inline void naive_add_before(struct naive_sum *sum, struct naive_number beta,
                                    const struct naive_matrix *c, int64_t row, int64_t column, bool is_real) {
    if (beta.real == 0 && beta.imaginary == 0)
        return;
    struct naive_number before = naive_stored(c, row, column);
    if (is_real)
        before.imaginary = 0;
    naive_add(sum, beta, before);
}

static inline long double naive_unit(enum lava_type type) {
    return type == LAVA_TYPE_FP32 || type == LAVA_TYPE_CFP32 ? 0x1p-24L : 0x1p-53L;
}

#endif
