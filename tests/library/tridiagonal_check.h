/* Whether ?sytrd's result is right: T's forms differ between two right results by far more than rounding,
 * once the matrix has many rows, so they are not compared with each other. Independent of the library. */
#ifndef LAVA_TESTS_TRIDIAGONAL_CHECK_H
#define LAVA_TESTS_TRIDIAGONAL_CHECK_H

#include <stdlib.h>

#include "tests/library/naive.h"
#include "tests/library/reflect.h"

struct tridiagonal {
    enum lava_type type;
    bool is_lower;
    int64_t n, ld;
    const void *before, *after; /* the matrix; what is not stored is not read */
    const void *d, *e, *tau;
};

static inline struct naive_number tridiagonal_stored(const struct tridiagonal *x, const void *matrix,
                                                     int64_t i, int64_t j) {
    bool is_there = x->is_lower ? i >= j : i <= j;
    struct naive_number value = naive_read(x->type, matrix, is_there ? i + j * x->ld : j + i * x->ld);
    value.imaginary = i == j ? 0 : is_there ? value.imaginary : -value.imaginary;
    return value;
}

/* Element i of reflection r's vector. */
static inline struct naive_number tridiagonal_v(const struct tridiagonal *x, int64_t r, int64_t i) {
    int64_t one = x->is_lower ? r + 1 : r;
    if (x->is_lower ? i <= one : i >= one)
        return (struct naive_number){i == one, 0};
    return tridiagonal_stored(x, x->after, i, x->is_lower ? r : r + 1);
}

/* y <- Q y, or Q' y. Returns how far the reflections are from unitary. */
static inline long double tridiagonal_q(const struct tridiagonal *x, bool adjoint, struct naive_number *y) {
    struct naive_number *v = malloc((size_t)(x->n + 1) * sizeof *v);
    long double worst = 0;
    for (int64_t k = 0; k < x->n - 1; k++) {
        int64_t r = adjoint == x->is_lower ? k : x->n - 2 - k; /* Q is H1 H2 ..., or ... H2 H1 */
        for (int64_t i = 0; i < x->n; i++)
            v[i] = tridiagonal_v(x, r, i);
        worst = fmaxl(worst, reflect(v, x->n, naive_read(x->type, x->tau, r), adjoint, y));
    }
    free(v);
    return worst;
}

/* Returns |A y - Q T Q' y| in units of |A| |y| and of the type's last place, for a random y, or how
 * far the reflections are from unitary, if that is more; infinite if the matrix has another T. */
static inline long double tridiagonal_error(const struct tridiagonal *x, unsigned seed) {
    enum lava_type real = lava_type_real(x->type);
    size_t bytes = (size_t)(x->n + 1) * sizeof(struct naive_number);
    struct naive_number *y = malloc(bytes), *z = malloc(bytes), *t = malloc(bytes);
    long double unit = lava_type_facts(x->type)->unit, of_a = 0, worst = 0;
    for (int64_t i = 0; i < x->n; i++) {
        seed = seed * 1664525u + 1013904223u;
        z[i] = (struct naive_number){(int)seed / 0x1p31L, 0};
        y[i] = (struct naive_number){0, 0};
    }
    long double of_y = reflect_norm(z, x->n);
    for (int64_t j = 0; j < x->n; j++)
        for (int64_t i = 0; i < x->n; i++) {
            const struct naive_number a = tridiagonal_stored(x, x->before, i, j), term = naive_times(a, z[j]);
            of_a += a.real * a.real + a.imaginary * a.imaginary;
            y[i].real += term.real;
            y[i].imaginary += term.imaginary;
        }
    worst = tridiagonal_q(x, true, z);
    for (int64_t i = 0; i < x->n; i++) {
        long double d = naive_read(real, x->d, i).real, low = i > 0 ? naive_read(real, x->e, i - 1).real : 0,
                    high = i < x->n - 1 ? naive_read(real, x->e, i).real : 0;
        const struct naive_number none = {0, 0}, before = i > 0 ? z[i - 1] : none,
                                  after = i < x->n - 1 ? z[i + 1] : none;
        t[i].real = d * z[i].real + low * before.real + high * after.real;
        t[i].imaginary = d * z[i].imaginary + low * before.imaginary + high * after.imaginary;
        bool has_other = tridiagonal_stored(x, x->after, i, i).real != d ||
                         (i > 0 && tridiagonal_stored(x, x->after, i, i - 1).real != low);
        worst = has_other ? INFINITY : worst;
    }
    tridiagonal_q(x, false, t);
    for (int64_t i = 0; i < x->n; i++) {
        y[i].real -= t[i].real;
        y[i].imaginary -= t[i].imaginary;
    }
    long double error = of_a > 0 ? reflect_norm(y, x->n) / (sqrtl(of_a) * of_y) : reflect_norm(y, x->n);
    free(y);
    free(z);
    free(t);
    return (isnan(error) || isnan(worst) ? INFINITY : fmaxl(error, worst / 4)) / unit;
}

#endif
