/* Plans the reduction of a matrix to bidiagonal form, ?gebrd, from host memory. The matrix stays on the
 * device until all of it is done. If it does not fit, there is no plan. Pure functions, called by policy.c.
 */
#ifndef LAVA_DISPATCH_BIDIAGONAL_H
#define LAVA_DISPATCH_BIDIAGONAL_H

#include "dispatch/solve.h"

double lava_bidiagonal_flops(const struct lava_operation *operation);

/* Returns whether the device can run the kernels. */
bool lava_bidiagonal_fits(const struct lava_capabilities *device, enum lava_type type);
/* Fills in the kernel of the products, its shape and rate, the blocking (total_bytes with the matrices) and
 * gpu_ns. Returns LAVA_REASON_FORCED, or why there is no plan, as lava_solve_plan. */
lava_kind_plan lava_bidiagonal_plan;

#endif
