/* Whether eigenvalues and eigenvectors are right: by |A Z - Z L|, by |Z' Z - I|, and by values that another
 * routine found. Independent of the library. */
#ifndef LAVA_TESTS_EIGEN_CHECK_H
#define LAVA_TESTS_EIGEN_CHECK_H

#include <math.h>
#include <stdlib.h>

#include "tests/library/naive.h"

struct eigen {
    enum lava_type type;
    bool is_lower;
    int64_t n, ld, ldz, count;
    const void *before;           /* the matrix; what is not stored is not read */
    const void *values, *vectors; /* count of them; vectors may be NULL */
};

/* In units of the type: Frobenius's norms, of the residual divided by that of A; the largest difference of
 * the values, divided by the largest value. */
struct eigen_errors {
    double residual, orthogonality, values;
};

/* Numbers as doubles. The sums of long doubles cost too much for products of matrices, and those of fp64
 * are as exact as OpenBLAS's results are compared. */
struct eigen_number {
    double real, imaginary;
};

static inline struct eigen_number eigen_read(enum lava_type type, const void *matrix, int64_t at) {
    const struct naive_number number = naive_read(type, matrix, at);
    return (struct eigen_number){(double)number.real, (double)number.imaginary};
}

static inline struct eigen_number eigen_stored(const struct eigen *x, int64_t i, int64_t j) {
    bool is_there = x->is_lower ? i >= j : i <= j;
    struct eigen_number value = eigen_read(x->type, x->before, is_there ? i + j * x->ld : j + i * x->ld);
    value.imaginary = i == j ? 0 : is_there ? value.imaginary : -value.imaginary;
    return value;
}

/* y <- A z */
static inline void eigen_multiply(const struct eigen *x, const struct eigen_number *a,
                                  const struct eigen_number *z, struct eigen_number *y) {
    for (int64_t i = 0; i < x->n; i++)
        y[i] = (struct eigen_number){0, 0};
    for (int64_t j = 0; j < x->n; j++)
        for (int64_t i = 0; i < x->n; i++) {
            const struct eigen_number one = a[i + j * x->n];
            y[i].real += one.real * z[j].real - one.imaginary * z[j].imaginary;
            y[i].imaginary += one.real * z[j].imaginary + one.imaginary * z[j].real;
        }
}

static inline double eigen_square(const struct eigen_number *y, int64_t n, double scale) {
    double square = 0;
    for (int64_t i = 0; i < n; i++)
        square +=
            (y[i].real * scale) * (y[i].real * scale) + (y[i].imaginary * scale) * (y[i].imaginary * scale);
    return square;
}

/* The squares of the residual of A times the scale, and of Z' Z - I. */
static inline void eigen_sum(const struct eigen *x, const struct eigen_number *a, double scale,
                             struct eigen_number *z, struct eigen_errors *squares) {
    int64_t n = x->n;
    struct eigen_number *y = malloc((size_t)n * sizeof *y);
    for (int64_t j = 0; j < x->count; j++)
        for (int64_t i = 0; i < n; i++)
            z[i + j * n] = eigen_read(x->type, x->vectors, i + j * x->ldz);
    for (int64_t j = 0; j < x->count; j++) {
        const struct eigen_number *own = z + j * n;
        double value = (double)naive_read(lava_type_real(x->type), x->values, j).real * scale;
        eigen_multiply(x, a, own, y);
        for (int64_t i = 0; i < n; i++) {
            y[i].real -= own[i].real * value;
            y[i].imaginary -= own[i].imaginary * value;
        }
        squares->residual += eigen_square(y, n, 1);
        for (int64_t k = 0; k <= j; k++) {
            const struct eigen_number *other = z + k * n;
            struct eigen_number sum = {k == j ? -1 : 0, 0};
            for (int64_t i = 0; i < n; i++) {
                sum.real += own[i].real * other[i].real + own[i].imaginary * other[i].imaginary;
                sum.imaginary += own[i].real * other[i].imaginary - own[i].imaginary * other[i].real;
            }
            squares->orthogonality += (k == j ? 1 : 2) * eigen_square(&sum, 1, 1);
        }
    }
    free(y);
}

/* expected: `count` values; NULL: they are not compared. */
static inline struct eigen_errors eigen_errors_of(const struct eigen *x, const void *expected) {
    enum lava_type real = lava_type_real(x->type);
    struct eigen_errors errors = {0};
    double unit = lava_type_facts(x->type)->unit, largest = 0, scale;
    int64_t n = x->n;
    struct eigen_number *a = malloc((size_t)(n * n + 1) * sizeof *a),
                        *z = malloc((size_t)(n * n + 1) * sizeof *z);
    for (int64_t at = 0; at < n * n; at++) {
        a[at] = eigen_stored(x, at % n, at / n);
        largest = fmax(largest, fmax(fabs(a[at].real), fabs(a[at].imaginary)));
    }
    scale = largest > 0 ? exp2(-ilogb(largest)) : 1;
    for (int64_t at = 0; at < n * n; at++) {
        a[at].real *= scale;
        a[at].imaginary *= scale;
    }
    double norm = sqrt(eigen_square(a, n * n, 1));
    if (x->vectors)
        eigen_sum(x, a, scale, z, &errors);
    errors.residual = sqrt(errors.residual) / (norm > 0 ? norm : 1) / unit;
    errors.orthogonality = sqrt(errors.orthogonality) / unit;
    for (int64_t i = 0; i < x->count && expected; i++) {
        double got = (double)naive_read(real, x->values, i).real,
               wanted = (double)naive_read(real, expected, i).real;
        double error = fabs(got - wanted) * scale / (norm > 0 ? norm : 1) / unit;
        errors.values = isnan(error) ? INFINITY : fmax(errors.values, error);
    }
    for (int64_t i = 1; i < x->count; i++) /* ascending */
        if (!(naive_read(real, x->values, i).real >= naive_read(real, x->values, i - 1).real))
            errors.values = INFINITY;
    errors.residual = isnan(errors.residual) ? INFINITY : errors.residual;
    errors.orthogonality = isnan(errors.orthogonality) ? INFINITY : errors.orthogonality;
    free(a);
    free(z);
    return errors;
}

#endif
