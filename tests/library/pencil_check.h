/* Whether eigenvalues and eigenvectors of two matrices are right: by those of the standard problem that they
 * come from (eigen_check.h), which is made here of both matrices in double precision. Independent of the
 * library. */
#ifndef LAVA_TESTS_PENCIL_CHECK_H
#define LAVA_TESTS_PENCIL_CHECK_H

#include <math.h>
#include <stdlib.h>

#include "tests/library/eigen_check.h"

/* `itype` as LAPACK counts them: A z = l B z, A B z = l z, B A z = l z. */
struct pencil {
    struct eigen a; /* with values and vectors */
    int itype;
    int64_t ldb;
    const void *b; /* the matrix; what is not stored is not read */
};

/* L <- the lower factor of B. Returns false if B has none. */
static inline bool pencil_factor(const struct pencil *x, struct eigen_number *l) {
    struct eigen b = x->a;
    int64_t n = b.n;
    b.before = x->b;
    b.ld = x->ldb;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            struct eigen_number sum = eigen_stored(&b, i, j);
            for (int64_t k = 0; k < j; k++) {
                const struct eigen_number one = l[i + k * n], other = l[j + k * n];
                sum.real -= one.real * other.real + one.imaginary * other.imaginary;
                sum.imaginary -= one.imaginary * other.real - one.real * other.imaginary;
            }
            if (i == j && !(sum.real > 0))
                return false;
            const double scale = i == j ? 1 / sqrt(sum.real) : 1 / l[j + j * n].real;
            l[i + j * n] = (struct eigen_number){sum.real * scale, i == j ? 0 : sum.imaginary * scale};
        }
    return true;
}

/* Columns <- inv(L) or L^H times them. */
static inline void pencil_apply(const struct eigen_number *l, int64_t n, bool inverse, struct eigen_number *m,
                                int64_t columns) {
    for (struct eigen_number *to = m; to < m + columns * n; to += n)
        for (int64_t i = 0; i < n; i++) {
            int64_t from = inverse ? 0 : i, end = inverse ? i : n;
            struct eigen_number sum = inverse ? to[i] : (struct eigen_number){0, 0};
            for (int64_t k = from; k < end; k++) {
                const struct eigen_number one = inverse ? l[i + k * n] : l[k + i * n];
                const double sign = inverse ? -1 : 1, imaginary = inverse ? one.imaginary : -one.imaginary;
                sum.real += sign * (one.real * to[k].real - imaginary * to[k].imaginary);
                sum.imaginary += sign * (one.real * to[k].imaginary + imaginary * to[k].real);
            }
            const double scale = inverse ? 1 / l[i + i * n].real : 1;
            to[i] = (struct eigen_number){sum.real * scale, sum.imaginary * scale};
        }
}

/* C <- inv(L) A inv(L^H), or L^H A L: the same from one side, turned, twice. */
static inline void pencil_reduce(const struct pencil *x, const struct eigen_number *l,
                                 struct eigen_number *c) {
    int64_t n = x->a.n;
    for (int64_t at = 0; at < n * n; at++)
        c[at] = eigen_stored(&x->a, at % n, at / n);
    for (int turn = 0; turn < 2; turn++) {
        pencil_apply(l, n, x->itype == 1, c, n);
        for (int64_t at = 0; at < n * n; at++) {
            int64_t i = at % n, j = at / n;
            const struct eigen_number one = c[i + j * n], other = c[j + i * n];
            if (i <= j) {
                c[i + j * n] = (struct eigen_number){other.real, -other.imaginary};
                c[j + i * n] = (struct eigen_number){one.real, -one.imaginary};
            }
        }
    }
}

/* Errors of the standard problem, in units of the type. expected as for eigen_errors_of. */
static inline struct eigen_errors pencil_errors_of(const struct pencil *x, const void *expected) {
    enum lava_type type = x->a.type, real = lava_type_real(type);
    int64_t n = x->a.n, count = x->a.count;
    size_t matrix = (size_t)(n * n + 1) * sizeof(struct eigen_number);
    struct eigen_number *l = calloc(1, matrix), *c = malloc(matrix), *y = malloc(matrix);
    double *values = malloc((size_t)(2 * n + 1) * sizeof *values), *wanted = values + n;
    struct eigen_errors errors = {INFINITY, INFINITY, INFINITY};
    struct eigen standard = {.type = LAVA_TYPE_CFP64,
                             .is_lower = true,
                             .n = n,
                             .ld = n,
                             .ldz = n,
                             .count = count,
                             .before = c,
                             .values = values,
                             .vectors = x->a.vectors ? y : NULL};
    if (pencil_factor(x, l)) {
        pencil_reduce(x, l, c);
        for (int64_t i = 0; i < count; i++) {
            values[i] = (double)naive_read(real, x->a.values, i).real;
            wanted[i] = expected ? (double)naive_read(real, expected, i).real : 0;
        }
        for (int64_t at = 0; at < n * count && x->a.vectors; at++)
            y[at] = eigen_read(type, x->a.vectors, at % n + at / n * x->a.ldz);
        if (x->a.vectors)
            pencil_apply(l, n, x->itype == 3, y, count);
        errors = eigen_errors_of(&standard, expected ? wanted : NULL);
        const double units = lava_type_facts(LAVA_TYPE_FP64)->unit / lava_type_facts(type)->unit;
        errors.residual *= units;
        errors.orthogonality *= units;
        errors.values *= units;
    }
    free(l);
    free(c);
    free(y);
    free(values);
    return errors;
}

#endif
