/* Products computed by definition, one element at a time in long double, for all types except half precision.
 * Independent of the library, except for the names of types. */
#ifndef LAVA_TESTS_NAIVE_H
#define LAVA_TESTS_NAIVE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "dispatch/operation.h"

struct naive_number {
    long double real, imaginary;
};

/* Column-major; operations are 'N', 'T' or 'C'. */
struct naive_product {
    enum lava_type type;
    char transa, transb;
    int64_t m, n, k, lda, ldb, ldc;
    struct naive_number alpha, beta;
    const void *a, *b;
    void *c;
};

static inline struct naive_number naive_read(enum lava_type type, const void *x, int64_t at) {
    switch (type) {
    case LAVA_TYPE_FP32:
        return (struct naive_number){(long double)((const float *)x)[at], 0};
    case LAVA_TYPE_FP64:
        return (struct naive_number){(long double)((const double *)x)[at], 0};
    case LAVA_TYPE_CFP32:
        return (struct naive_number){(long double)((const float *)x)[2 * at],
                                     (long double)((const float *)x)[2 * at + 1]};
    default:
        return (struct naive_number){(long double)((const double *)x)[2 * at],
                                     (long double)((const double *)x)[2 * at + 1]};
    }
}

static inline void naive_write(enum lava_type type, void *x, int64_t at, struct naive_number value) {
    switch (type) {
    case LAVA_TYPE_FP32:
        ((float *)x)[at] = (float)value.real;
        break;
    case LAVA_TYPE_FP64:
        ((double *)x)[at] = (double)value.real;
        break;
    case LAVA_TYPE_CFP32:
        ((float *)x)[2 * at] = (float)value.real;
        ((float *)x)[2 * at + 1] = (float)value.imaginary;
        break;
    default:
        ((double *)x)[2 * at] = (double)value.real;
        ((double *)x)[2 * at + 1] = (double)value.imaginary;
    }
}

static inline struct naive_number naive_times(struct naive_number x, struct naive_number y) {
    return (struct naive_number){x.real * y.real - x.imaginary * y.imaginary,
                                 x.real * y.imaginary + x.imaginary * y.real};
}

/* Not hypotl, which takes several times as long: no square leaves the range of long double. */
static inline long double naive_modulus(struct naive_number x) {
    return x.imaginary == 0 ? fabsl(x.real) : sqrtl(x.real * x.real + x.imaginary * x.imaginary);
}

static inline struct naive_number naive_operand(enum lava_type type, const void *x, int64_t ld, char op,
                                                int64_t row, int64_t column) {
    struct naive_number value = naive_read(type, x, op == 'N' ? row + column * ld : column + row * ld);
    if (op == 'C')
        value.imaginary = -value.imaginary;
    return value;
}

/* The terms' factors of each sum, one after another: rows of op(A), or columns of op(B). */
static inline struct naive_number *naive_factors(const struct naive_product *p, bool of_a) {
    int64_t count = of_a ? p->m : p->n;
    struct naive_number *factors = malloc((size_t)(count * p->k + 1) * sizeof *factors);
    for (int64_t i = 0; i < count && factors; i++)
        for (int64_t l = 0; l < p->k; l++)
            factors[i * p->k + l] = of_a ? naive_operand(p->type, p->a, p->lda, p->transa, i, l)
                                         : naive_operand(p->type, p->b, p->ldb, p->transb, l, i);
    return factors;
}

static inline struct naive_number naive_sum(enum lava_type type, const struct naive_number *a,
                                            const struct naive_number *b, int64_t k) {
    bool is_real = type == LAVA_TYPE_FP32 || type == LAVA_TYPE_FP64;
    struct naive_number sum = {0, 0};
    for (int64_t l = 0; l < k && is_real; l++)
        sum.real += a[l].real * b[l].real;
    for (int64_t l = 0; l < k && !is_real; l++) {
        struct naive_number term = naive_times(a[l], b[l]);
        sum.real += term.real;
        sum.imaginary += term.imaginary;
    }
    return sum;
}

/* alpha times the sum, and beta times C; C is not read if beta is 0. */
static inline struct naive_number naive_result(const struct naive_product *p, struct naive_number sum,
                                               int64_t i, int64_t j) {
    struct naive_number before = {0, 0};
    if (p->beta.real != 0 || p->beta.imaginary != 0)
        before = naive_times(p->beta, naive_read(p->type, p->c, i + j * p->ldc));
    sum = naive_times(p->alpha, sum);
    return (struct naive_number){sum.real + before.real, sum.imaginary + before.imaginary};
}

/* Without terms A and B are not read. */
static inline bool naive_has_terms(const struct naive_product *p) {
    return p->k > 0 && (p->alpha.real != 0 || p->alpha.imaginary != 0);
}

/* Element (i, j) of C, not rounded. */
static inline struct naive_number naive_element(const struct naive_product *p, int64_t i, int64_t j) {
    struct naive_number sum = {0, 0};
    for (int64_t l = 0; l < p->k && naive_has_terms(p); l++) {
        struct naive_number term = naive_times(naive_operand(p->type, p->a, p->lda, p->transa, i, l),
                                               naive_operand(p->type, p->b, p->ldb, p->transb, l, j));
        sum.real += term.real;
        sum.imaginary += term.imaginary;
    }
    return naive_result(p, sum, i, j);
}

/* All of them, for which each factor is read once: in a test of LAPACK's routines most of the time is spent
 * here. */
static inline void naive_run(const struct naive_product *p) {
    bool has_terms = naive_has_terms(p);
    struct naive_number *a = has_terms ? naive_factors(p, true) : NULL;
    struct naive_number *b = has_terms ? naive_factors(p, false) : NULL;
    if (has_terms && !(a && b))
        abort();
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++) {
            struct naive_number sum = {0, 0};
            if (has_terms)
                sum = naive_sum(p->type, a + i * p->k, b + j * p->k, p->k);
            naive_write(p->type, p->c, i + j * p->ldc, naive_result(p, sum, i, j));
        }
    free(a);
    free(b);
}

#endif
