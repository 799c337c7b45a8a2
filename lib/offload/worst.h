/* The largest of several errors. Called by the self-tests of this folder and by `lavablas verify`. */
#ifndef LAVA_OFFLOAD_WORST_H
#define LAVA_OFFLOAD_WORST_H

#include <math.h>

/* Returns the larger one; INFINITY if one is NaN, so that no later error hides it. */
static inline double lava_worst_of(double worst, double error) {
    return isnan(worst) || isnan(error) ? INFINITY : error > worst ? error : worst;
}

#endif
