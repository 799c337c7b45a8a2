/* The numbers of the iteration for the polar factor (lib/lapack/device_polar.c): which function takes all
 * singular values of a matrix, which lie in [l, 1], nearer to 1. Pure functions. */
#ifndef LAVA_DISPATCH_POLAR_H
#define LAVA_DISPATCH_POLAR_H

#include "dispatch/types.h"

/* x (a + b x^2) / (1 + c x^2). */
struct lava_polar_weights {
    double a, b, c;
};
/* Returns the weights that take [l, 1] as near to 1 as any can, but c is limited: for smaller l it is as for
 * the least one that is allowed. */
struct lava_polar_weights lava_polar_weights_of(double l, double unit);
/* Returns the new l. */
double lava_polar_after(const struct lava_polar_weights *weights, double l);

/* x (q0 + q1 e + q2 e^2 + q3 e^3 + q4 e^4) with e = 1 - x^2: products do, and no factorization. If linear, q2
 * to q4 are zero. */
struct lava_polar_polynomial {
    double q[5];
    double error; /* how far from 1 the values are afterwards */
    bool is_linear;
};

/* The iteration begins as if the smallest singular value were `least` times the largest one. When l is
 * `lowest` or more, the first polynomial takes [l, 1] to 1. */
struct lava_polar_facts {
    double least, lowest;
    struct lava_polar_polynomial first;
};
const struct lava_polar_facts *lava_polar_facts_of(enum lava_type real);

/* Returns the polynomial for values whose e is not larger than `most` nor less than its negative. */
struct lava_polar_polynomial lava_polar_near(double most, double unit);

#endif
