/* Whether ?gebrd's result is right: A = Q B P' by its reflections, B lies in A, too, and Q and P are unitary.
 * Independent of the library. */
#ifndef LAVA_TESTS_BIDIAGONAL_CHECK_H
#define LAVA_TESTS_BIDIAGONAL_CHECK_H

#include <stdlib.h>

#include "tests/library/naive.h"
#include "tests/library/reflect.h"

struct bidiagonal {
    enum lava_type type;
    int64_t m, n, ld;
    const void *before, *after, *d, *e, *tauq, *taup;
};

/* Element of the matrix, or of its adjoint if it is wide: that has an upper bidiagonal form, with Q and P
 * exchanged. */
static inline struct naive_number bidiagonal_at(const struct bidiagonal *x, const void *matrix, int64_t i,
                                                int64_t j) {
    bool turns = x->m < x->n;
    struct naive_number z = naive_read(x->type, matrix, turns ? j + i * x->ld : i + j * x->ld);
    z.imaginary = turns ? -z.imaginary : z.imaginary;
    return z;
}

/* Element i of reflection r, of the tall matrix: of a column, or of a row. */
static inline struct naive_number bidiagonal_v(const struct bidiagonal *x, bool of_row, int64_t r,
                                               int64_t i) {
    int64_t first = of_row ? r + 1 : r;
    if (i <= first)
        return (struct naive_number){i == first, 0};
    struct naive_number z = bidiagonal_at(x, x->after, of_row ? r : i, of_row ? i : r);
    z.imaginary = of_row ? -z.imaginary : z.imaginary;
    return z;
}

/* y <- Q y, or P y, of the tall matrix; or their adjoints times y. Returns how far a reflection is from
 * unitary, at least. */
static inline long double bidiagonal_reflect(const struct bidiagonal *x, bool of_row, bool adjoint,
                                             struct naive_number *y) {
    bool is_wide = x->m < x->n;
    int64_t size = (x->m < x->n) != of_row ? x->n : x->m, k = is_wide ? x->m : x->n,
            count = of_row ? k - 1 : k;
    const void *taus = of_row != is_wide ? x->taup : x->tauq;
    struct naive_number *v = malloc((size_t)(size + 1) * sizeof *v);
    long double worst = 0;
    for (int64_t number = 0; number < count; number++) {
        int64_t r = adjoint ? number : count - 1 - number;
        for (int64_t i = r; i < size; i++)
            v[i] = bidiagonal_v(x, of_row, r, i);
        worst = fmaxl(worst, reflect(v + r, size - r, naive_read(x->type, taus, r), adjoint, y + r));
    }
    free(v);
    return worst;
}

/* Returns |A y - Q B P' y| in units of |A| |y| and of the type's last place, for a random y, or how far the
 * reflections are from unitary, if that is more; infinite if the matrix has another B, or the last tau is not
 * 0. */
static inline long double bidiagonal_error(const struct bidiagonal *x, unsigned seed) {
    bool is_wide = x->m < x->n;
    enum lava_type real = lava_type_real(x->type);
    int64_t rows = is_wide ? x->n : x->m, k = is_wide ? x->m : x->n;
    size_t bytes = (size_t)(rows + 1) * sizeof(struct naive_number);
    struct naive_number *y = calloc(1, bytes), *z = calloc(1, bytes), *t = calloc(1, bytes);
    long double unit = lava_type_facts(x->type)->unit, of_a = 0, worst = 0;
    for (int64_t i = 0; i < k; i++) {
        seed = seed * 1664525u + 1013904223u;
        z[i] = (struct naive_number){(int)seed / 0x1p31L, 0};
    }
    long double of_y = reflect_norm(z, k);
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < rows; i++) {
            const struct naive_number a = bidiagonal_at(x, x->before, i, j), term = naive_times(a, z[j]);
            of_a += a.real * a.real + a.imaginary * a.imaginary;
            y[i].real += term.real;
            y[i].imaginary += term.imaginary;
        }
    worst = bidiagonal_reflect(x, true, true, z);
    for (int64_t i = 0; i < k; i++) {
        long double d = naive_read(real, x->d, i).real, e = i < k - 1 ? naive_read(real, x->e, i).real : 0;
        const struct naive_number last = i < k - 1 ? z[i + 1] : (struct naive_number){0, 0};
        t[i].real = d * z[i].real + e * last.real;
        t[i].imaginary = d * z[i].imaginary + e * last.imaginary;
        const struct naive_number on = bidiagonal_at(x, x->after, i, i),
                                  beside = i < k - 1 ? bidiagonal_at(x, x->after, i, i + 1) : last;
        if (on.real != d || on.imaginary != 0 || beside.real != e || beside.imaginary != 0)
            worst = INFINITY;
    }
    const struct naive_number none = naive_read(x->type, is_wide ? x->tauq : x->taup, k - 1);
    if (none.real != 0 || none.imaginary != 0)
        worst = INFINITY;
    worst = fmaxl(worst, bidiagonal_reflect(x, false, false, t));
    for (int64_t i = 0; i < rows; i++) {
        y[i].real -= t[i].real;
        y[i].imaginary -= t[i].imaginary;
    }
    long double error = reflect_norm(y, rows) / (of_a > 0 ? sqrtl(of_a) * of_y : 1);
    free(y);
    free(z);
    free(t);
    return (isnan(error) || isnan(worst) ? INFINITY : fmaxl(error, worst / 4)) / unit;
}

/* y <- op(Q) y, or op(P) y, of the matrix as it is. */
static inline void bidiagonal_times(const struct bidiagonal *x, bool is_q, bool adjoint,
                                    struct naive_number *y) {
    bidiagonal_reflect(x, is_q == (x->m < x->n), adjoint, y);
}

#endif
