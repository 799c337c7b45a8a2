/* The largest of several errors, as tests compare them with a bound. */
#ifndef LAVA_TESTS_WORST_ERROR_H
#define LAVA_TESTS_WORST_ERROR_H

#include <math.h>

/* Returns the larger one; INFINITY if one is NaN, so that no later error hides it. fmaxl would return the
 * other. */
static inline long double worst_of(long double worst, long double error) {
    return isnan(worst) || isnan(error) ? (long double)INFINITY : error > worst ? error : worst;
}

#endif
