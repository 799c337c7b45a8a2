/* Whether singular values and vectors are right: by |A - U S V'|, by |U' U - I| and |V' V - I|, and by values
 * that another routine found. Independent of the library. */
#ifndef LAVA_TESTS_SINGULAR_CHECK_H
#define LAVA_TESTS_SINGULAR_CHECK_H

#include <math.h>
#include <stdlib.h>

#include "tests/library/naive.h"

struct singular {
    enum lava_type type;
    int64_t m, n, ld, ldu, ldvt, columns, rows; /* of U, which has m rows, and of V', which has n columns */
    const void *before, *values, *u, *vt;
};

/* In units of the type: Frobenius's norms, of the residual divided by that of A; the largest difference of
 * the values, divided by the largest one. */
struct singular_errors {
    double residual, orthogonality, values;
};

struct singular_number {
    double real, imaginary;
};

static inline struct singular_number singular_read(enum lava_type type, const void *matrix, int64_t at) {
    const struct naive_number number = naive_read(type, matrix, at);
    return (struct singular_number){(double)number.real, (double)number.imaginary};
}

/* Returns how far vectors are from orthonormal: element i of vector j is i * step + j * next from the first.
 */
static inline double singular_orthogonality(enum lava_type type, const void *vectors, int64_t length,
                                            int64_t count, int64_t step, int64_t next) {
    double square = 0;
    struct singular_number *x = malloc((size_t)(length * count + 1) * sizeof *x);
    for (int64_t at = 0; at < length * count; at++)
        x[at] = singular_read(type, vectors, at % length * step + at / length * next);
    for (int64_t j = 0; j < count; j++)
        for (int64_t k = 0; k <= j; k++) {
            double real = k == j ? -1 : 0, imaginary = 0;
            for (int64_t i = 0; i < length; i++) {
                const struct singular_number a = x[i + j * length], b = x[i + k * length];
                real += a.real * b.real + a.imaginary * b.imaginary;
                imaginary += a.real * b.imaginary - a.imaginary * b.real;
            }
            square += (k == j ? 1 : 2) * (real * real + imaginary * imaginary);
        }
    free(x);
    return sqrt(square);
}

/* Returns |A - U S V'| / |A|, all times the scale, by which nothing overflows. */
static inline double singular_residual(const struct singular *x, double scale) {
    int64_t k = x->m < x->n ? x->m : x->n;
    double square = 0, norm = 0;
    struct singular_number *column = malloc((size_t)(x->m + 1) * sizeof *column),
                           *u = malloc((size_t)(x->m * k + 1) * sizeof *u);
    for (int64_t at = 0; at < x->m * k; at++) {
        double value = (double)naive_read(lava_type_real(x->type), x->values, at / x->m).real * scale;
        u[at] = singular_read(x->type, x->u, at % x->m + at / x->m * x->ldu);
        u[at].real *= value;
        u[at].imaginary *= value;
    }
    for (int64_t j = 0; j < x->n; j++) {
        for (int64_t i = 0; i < x->m; i++) {
            column[i] = singular_read(x->type, x->before, i + j * x->ld);
            column[i].real *= scale;
            column[i].imaginary *= scale;
            norm += column[i].real * column[i].real + column[i].imaginary * column[i].imaginary;
        }
        for (int64_t l = 0; l < k; l++) {
            const struct singular_number v = singular_read(x->type, x->vt, l + j * x->ldvt);
            for (int64_t i = 0; i < x->m; i++) {
                const struct singular_number own = u[i + l * x->m];
                column[i].real -= own.real * v.real - own.imaginary * v.imaginary;
                column[i].imaginary -= own.real * v.imaginary + own.imaginary * v.real;
            }
        }
        for (int64_t i = 0; i < x->m; i++)
            square += column[i].real * column[i].real + column[i].imaginary * column[i].imaginary;
    }
    free(column);
    free(u);
    return sqrt(square) / (norm > 0 ? sqrt(norm) : 1);
}

/* expected: the values; NULL: they are not compared. The residual is 0 unless there are both vectors. */
static inline struct singular_errors singular_errors_of(const struct singular *x, const void *expected) {
    enum lava_type real = lava_type_real(x->type);
    int64_t k = x->m < x->n ? x->m : x->n;
    double unit = lava_type_facts(x->type)->unit,
           largest = k > 0 ? (double)naive_read(real, x->values, 0).real : 0,
           scale = largest > 0 && isfinite(largest) ? exp2(-ilogb(largest)) : 1;
    struct singular_errors errors = {0};
    if (x->columns >= k && x->rows >= k)
        errors.residual = singular_residual(x, scale) / unit;
    errors.orthogonality = fmax(singular_orthogonality(x->type, x->u, x->m, x->columns, 1, x->ldu),
                                singular_orthogonality(x->type, x->vt, x->n, x->rows, x->ldvt, 1)) /
                           unit;
    for (int64_t i = 0; i < k; i++) { /* descending, and not negative */
        double got = (double)naive_read(real, x->values, i).real,
               next = i + 1 < k ? (double)naive_read(real, x->values, i + 1).real : 0,
               wanted = expected ? (double)naive_read(real, expected, i).real : got,
               error = fabs(got - wanted) * scale / unit;
        errors.values = isnan(error) || !(got >= next) ? INFINITY : fmax(errors.values, error);
    }
    errors.residual = isnan(errors.residual) ? INFINITY : errors.residual;
    errors.orthogonality = isnan(errors.orthogonality) ? INFINITY : errors.orthogonality;
    return errors;
}

#endif
