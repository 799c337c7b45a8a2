/* Whether ?stedc's result is right. What it leaves of Z is Z Q, and Q diagonalizes T: so Z Q L (Z Q)' is
 * Z T Z', and Z Q (Z Q)' is Z Z', whatever Z is. Independent of the library. */
#ifndef LAVA_TESTS_DIVIDE_CHECK_H
#define LAVA_TESTS_DIVIDE_CHECK_H

#include <float.h>
#include <stdlib.h>

#include "tests/library/eigen_check.h"

/* Long doubles are not wider elsewhere, or computed by the compiler's library, which takes minutes. */
#if LDBL_MANT_DIG == 64
typedef long double divide_wide;
#else
typedef double divide_wide;
#endif

struct divided {
    enum lava_type type; /* of Z */
    int64_t n, ld;
    const void *d, *e, *before; /* before the call; before is NULL if Z was not read: then it counts as I */
    const void *values, *after; /* after is NULL: there is no Z */
};

/* X M X', X having ld rows a column; M is tridiagonal, or diagonal if e is NULL, or I if d is, too. */
static inline void divide_product(const struct eigen_number *x, const double *d, const double *e, int64_t n,
                                  struct eigen_number *result) {
    struct eigen_number *y = calloc((size_t)(n * n + 1), sizeof *y);
    for (int64_t j = 0; j < n; j++)
        for (int64_t k = j > 0 && e ? j - 1 : j; k <= (e && j < n - 1 ? j + 1 : j); k++) {
            double element = k == j ? (d ? d[j] : 1) : e[k < j ? k : j];
            for (int64_t i = 0; i < n; i++) {
                y[i + j * n].real += x[i + k * n].real * element;
                y[i + j * n].imaginary += x[i + k * n].imaginary * element;
            }
        }
    for (int64_t at = 0; at < n * n; at++)
        result[at] = (struct eigen_number){0, 0};
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < n; j++) {
            const struct eigen_number other = x[j + k * n];
            for (int64_t i = 0; i < n; i++) {
                const struct eigen_number one = y[i + k * n];
                result[i + j * n].real += one.real * other.real + one.imaginary * other.imaginary;
                result[i + j * n].imaginary += one.imaginary * other.real - one.real * other.imaginary;
            }
        }
    free(y);
}

/* Frobenius's norm of the difference. */
static inline double divide_distance(const struct eigen_number *x, const struct eigen_number *y, int64_t n) {
    double square = 0;
    for (int64_t at = 0; at < n * n; at++)
        square += (x[at].real - y[at].real) * (x[at].real - y[at].real) +
                  (x[at].imaginary - y[at].imaginary) * (x[at].imaginary - y[at].imaginary);
    return sqrt(square);
}

/* Returns how many eigenvalues are less than x, by the signs of the pivots (Sturm's sequence). */
static inline int64_t divide_count(const double *d, const double *e, int64_t n, divide_wide x) {
    divide_wide pivot = 1;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        divide_wide beside = i > 0 ? e[i - 1] : 0;
        pivot = d[i] - x - beside * beside / (pivot == 0 ? 1e-300 : pivot);
        count += pivot < 0;
    }
    return count;
}

/* Eigenvalue i of a matrix whose elements are at most 2, to all digits of the sums. */
static inline divide_wide divide_value(const double *d, const double *e, int64_t n, int64_t i) {
    divide_wide low = -8, high = 8;
    for (int step = 0; step < 70; step++) {
        divide_wide middle = (low + high) / 2;
        if (divide_count(d, e, n, middle) > i)
            high = middle;
        else
            low = middle;
    }
    return (low + high) / 2;
}

/* The first two differences in units of the type, divided by the norm of Z Z', and by the largest element of
 * T; that of the values by the latter. */
static inline struct eigen_errors divide_errors_of(const struct divided *x) {
    enum lava_type real = lava_type_real(x->type);
    int64_t n = x->n;
    double unit = lava_type_facts(x->type)->unit, largest = 0, norm = 0;
    struct eigen_errors errors = {0};
    double *t = malloc((size_t)(3 * n + 1) * sizeof *t);
    struct eigen_number *z[5];
    for (int i = 0; i < 5; i++)
        z[i] = calloc((size_t)(n * n + 1), sizeof *z[i]);
    for (int64_t i = 0; i < n; i++) {
        t[i] = (double)naive_read(real, x->d, i).real;
        t[n + i] = i < n - 1 ? (double)naive_read(real, x->e, i).real : 0;
        t[2 * n + i] = (double)naive_read(real, x->values, i).real;
        largest = fmax(largest, fmax(fabs(t[i]), fabs(t[n + i])));
        errors.values = i > 0 && !(t[2 * n + i] >= t[2 * n + i - 1]) ? INFINITY : errors.values;
    }
    for (int64_t i = 0; i < 3 * n; i++)
        t[i] = ldexp(t[i], largest > 0 ? -ilogb(largest) : 0);
    for (int64_t i = 0; i < n; i++) {
        double error = fabs((double)(t[2 * n + i] - divide_value(t, t + n, n, i))) / unit;
        errors.values = isnan(error) ? INFINITY : fmax(errors.values, error);
    }
    for (int64_t at = 0; at < n * n && x->after; at++) {
        int64_t from = at % n + at / n * x->ld;
        z[0][at] =
            x->before ? eigen_read(x->type, x->before, from) : (struct eigen_number){at % (n + 1) == 0, 0};
        z[1][at] = eigen_read(x->type, x->after, from);
    }
    divide_product(z[0], NULL, NULL, n, z[2]);
    divide_product(z[1], NULL, NULL, n, z[3]);
    norm = divide_distance(z[2], z[4], n);
    errors.orthogonality = divide_distance(z[2], z[3], n) / (norm > 0 ? norm : 1) / unit;
    divide_product(z[0], t, t + n, n, z[2]);
    divide_product(z[1], t + 2 * n, NULL, n, z[3]);
    errors.residual = divide_distance(z[2], z[3], n) / (norm > 0 ? norm : 1) / unit;
    errors.residual = isnan(errors.residual) ? INFINITY : errors.residual;
    errors.orthogonality = isnan(errors.orthogonality) ? INFINITY : errors.orthogonality;
    for (int i = 0; i < 5; i++)
        free(z[i]);
    free(t);
    return errors;
}

#endif
