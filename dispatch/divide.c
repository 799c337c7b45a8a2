/* What divide and conquer needs. Called by eigen.c. */
#include "dispatch/divide.h"

#include "dispatch/solve.h"

/* The kernels need less than that for solves. */
bool lava_divide_fits(const struct lava_capabilities *device, enum lava_type type) {
    return (type == LAVA_TYPE_FP32 || type == LAVA_TYPE_FP64) && lava_solve_fits(device, type);
}
