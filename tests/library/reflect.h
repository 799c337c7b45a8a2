/* Reflections by their definition, for the checks of forms that they make. Independent of the library. */
#ifndef LAVA_TESTS_REFLECT_H
#define LAVA_TESTS_REFLECT_H

#include <math.h>
#include <stdint.h>

#include "tests/library/naive.h"

/* y <- H y for H = 1 - tau v v', or H' y. Returns how far H is from unitary. */
static inline long double reflect(const struct naive_number *v, int64_t n, struct naive_number tau,
                                  bool adjoint, struct naive_number *y) {
    struct naive_number sum = {0, 0};
    long double square = 0;
    for (int64_t i = 0; i < n; i++) {
        const struct naive_number conjugate = {v[i].real, -v[i].imaginary},
                                  term = naive_times(conjugate, y[i]);
        square += v[i].real * v[i].real + v[i].imaginary * v[i].imaginary;
        sum.real += term.real;
        sum.imaginary += term.imaginary;
    }
    long double error = fabsl((tau.real * tau.real + tau.imaginary * tau.imaginary) * square - 2 * tau.real);
    tau.imaginary = adjoint ? -tau.imaginary : tau.imaginary;
    sum = naive_times(tau, sum);
    for (int64_t i = 0; i < n; i++) {
        const struct naive_number term = naive_times(sum, v[i]);
        y[i].real -= term.real;
        y[i].imaginary -= term.imaginary;
    }
    return error;
}

static inline long double reflect_norm(const struct naive_number *y, int64_t n) {
    long double square = 0;
    for (int64_t i = 0; i < n; i++)
        square += y[i].real * y[i].real + y[i].imaginary * y[i].imaginary;
    return sqrtl(square);
}

#endif
