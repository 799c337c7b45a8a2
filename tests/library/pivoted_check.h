/* Whether ?geqp3's result is right: A P = Q R for its order of the columns, |R|'s diagonal does not grow, and
 * the reflections are unitary. Independent of the library. Orders differ between two right results where
 * norms are nearly equal, so they are not compared with each other. */
#ifndef LAVA_TESTS_PIVOTED_CHECK_H
#define LAVA_TESTS_PIVOTED_CHECK_H

#include <stdlib.h>

#include "tests/library/naive.h"

/* Columns that are checked. */
#define PIVOTED_SAMPLES 8

struct pivoted {
    enum lava_type type;
    bool is_wide; /* the order's integers are int64_t */
    int64_t m, n, ld, fixed;
    const void *before, *after, *tau, *order;
};

static inline int64_t pivoted_place(const struct pivoted *x, int64_t j) {
    return x->is_wide ? ((const int64_t *)x->order)[j] : ((const int *)x->order)[j];
}

/* y <- H y for reflection e. Returns how far it is from unitary. */
static inline long double pivoted_reflect(const struct pivoted *x, int64_t e, struct naive_number *y) {
    const struct naive_number tau = naive_read(x->type, x->tau, e);
    struct naive_number sum = y[e];
    long double square = 1;
    for (int64_t i = e + 1; i < x->m; i++) {
        struct naive_number v = naive_read(x->type, x->after, i + e * x->ld);
        square += v.real * v.real + v.imaginary * v.imaginary;
        v.imaginary = -v.imaginary;
        const struct naive_number term = naive_times(v, y[i]);
        sum.real += term.real;
        sum.imaginary += term.imaginary;
    }
    sum = naive_times(tau, sum);
    for (int64_t i = e; i < x->m; i++) {
        const struct naive_number one = {1, 0},
                                  term = naive_times(
                                      sum, i == e ? one : naive_read(x->type, x->after, i + e * x->ld));
        y[i].real -= term.real;
        y[i].imaginary -= term.imaginary;
    }
    return fabsl((tau.real * tau.real + tau.imaginary * tau.imaginary) * square - 2 * tau.real);
}

/* ||A P e - Q R e|| for unit vector e, in units of the column's norm; y has m elements. *unitary becomes how
 * far a reflection is from that, at least. */
static inline long double pivoted_column(const struct pivoted *x, int64_t j, struct naive_number *y,
                                         long double *unitary) {
    int64_t k = x->m < x->n ? x->m : x->n, source = pivoted_place(x, j) - 1;
    long double square = 0, norm = 0;
    for (int64_t i = 0; i < x->m; i++)
        y[i] = i <= j ? naive_read(x->type, x->after, i + j * x->ld) : (struct naive_number){0, 0};
    for (int64_t e = (j < k ? j + 1 : k) - 1; e >= 0; e--)
        *unitary = fmaxl(*unitary, pivoted_reflect(x, e, y));
    for (int64_t i = 0; i < x->m; i++) {
        const struct naive_number a = naive_read(x->type, x->before, i + source * x->ld);
        norm += a.real * a.real + a.imaginary * a.imaginary;
        square += (a.real - y[i].real) * (a.real - y[i].real) +
                  (a.imaginary - y[i].imaginary) * (a.imaginary - y[i].imaginary);
    }
    return norm > 0 ? sqrtl(square / norm) : sqrtl(square);
}

/* Whether the order has each column once, and R's diagonal is real and does not grow by more than what norms
 * may be wrong by. */
static inline bool pivoted_is_ordered(const struct pivoted *x) {
    int64_t k = x->m < x->n ? x->m : x->n;
    bool *taken = calloc((size_t)x->n + 1, sizeof *taken), is_right = true;
    long double last = INFINITY, first = 0;
    for (int64_t j = 0; j < x->n && is_right; j++) {
        int64_t place = pivoted_place(x, j);
        is_right = place >= 1 && place <= x->n && !taken[place];
        if (is_right)
            taken[place] = true;
    }
    for (int64_t e = x->fixed; e < k && is_right; e++) {
        const struct naive_number beta = naive_read(x->type, x->after, e * (x->ld + 1));
        long double size = fabsl(beta.real);
        first = fmaxl(first, size);
        is_right =
            beta.imaginary == 0 && size <= last * (1 + 0.01L) + 100 * first * lava_type_facts(x->type)->unit;
        last = size;
    }
    free(taken);
    return is_right;
}

/* Returns the largest error of a column, in units of its norm and of the type's last place, or of a
 * reflection; infinite if the order is wrong. */
static inline long double pivoted_error(const struct pivoted *x) {
    struct naive_number *y = malloc((size_t)(x->m + 1) * sizeof *y);
    long double worst = 0, unitary = 0;
    int64_t step = x->n / PIVOTED_SAMPLES + 1;
    bool is_number = true;
    for (int64_t j = 0; j < x->n && x->m > 0; j += step) {
        long double error = pivoted_is_ordered(x) ? pivoted_column(x, x->n - 1 - j, y, &unitary) : INFINITY;
        is_number = is_number && !isnan(error) && !isnan(unitary);
        worst = fmaxl(worst, error);
    }
    free(y);
    return is_number ? fmaxl(worst, unitary / 4) / lava_type_facts(x->type)->unit : INFINITY;
}

#endif
