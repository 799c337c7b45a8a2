/* Weights and coefficients of the iteration for the polar factor. Called by lib/lapack/device_polar.c. */
#include "dispatch/polar.h"

#include <math.h>

/* c times u is at most nearly this: the first of two factorizations has to succeed. */
#define C_MOST_U 0.01

/* The least singular values of random matrices of order n are t / (n (2 n)^(1/4)) times the root of
 * ||A^H A||, by Frobenius's norm, with t <= x in a share x of them. `lowest` is at most what two steps make
 * of `least`. The coefficients are those of the least error of any polynomial on [lowest, 1], found by
 * iterated least squares. */
static const struct lava_polar_facts facts[] = {
    /* clang-format off */
    {3e-7, 0.58, {{1.000671657044081, 0.45330971600411774, 0.875039557890762, -1.4321686989891844, 2.3446231357441767}, 6.72e-4, false}},
    {1e-6, 0.26, {{1.0401710930548798, -1.362128222285398, 13.431719154138989, -28.55916854505075, 20.368343663977136}, 4.02e-2, false}},
    /* clang-format on */
};

const struct lava_polar_facts *lava_polar_facts_of(enum lava_type real) {
    return &facts[real != LAVA_TYPE_FP64];
}

/* The l whose c is the largest that is allowed; c is nearly a^2 / 4 there, and a is 2 / l^(2/3) halved. */
static double least_of(double unit) {
    double a = 2 * sqrt(C_MOST_U / unit);
    return 2 / pow(a, 1.5);
}

struct lava_polar_weights lava_polar_weights_of(double l, double unit) {
    l = fmax(l, least_of(unit));
    double squared = l * l, d = cbrt(4 * (1 - squared) / (squared * squared)), root = sqrt(1 + d);
    double a = root + sqrt(8 - 4 * d + 8 * (2 - squared) / (squared * root)) / 2, b = (a - 1) * (a - 1) / 4;
    return (struct lava_polar_weights){a, b, a + b - 1};
}

double lava_polar_after(const struct lava_polar_weights *w, double l) {
    return fmin(1, l * (w->a + w->b * l * l) / (1 + w->c * l * l));
}

/* Both begin the series of 1 / sqrt(1 - e). The longer one is less its term of e^5 times T5 / 16, Chebyshev's
 * polynomial on [-most, most]: 16 times as near. */
struct lava_polar_polynomial lava_polar_near(double most, double unit) {
    double square = most * most, fifth = 63.0 / 256, sixth = 231.0 / 1024;
    double linear_error = 3.0 / 8 * square;
    if (linear_error <= unit / 2)
        return (struct lava_polar_polynomial){{1, 0.5}, linear_error, true};
    return (struct lava_polar_polynomial){
        {1, 0.5 - fifth * 5 / 16 * square * square, 3.0 / 8, 5.0 / 16 + fifth * 20 / 16 * square, 35.0 / 128},
        (fifth / 16 + sixth * most) * square * square * most,
        false};
}
