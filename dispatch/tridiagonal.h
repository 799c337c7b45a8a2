/* Plans the reduction of a Hermitian matrix to tridiagonal form, ?sytrd and ?hetrd, from host memory. The
 * matrix stays on the device until all of it is done. If it does not fit, there is no plan. Pure functions,
 * called by policy.c. */
#ifndef LAVA_DISPATCH_TRIDIAGONAL_H
#define LAVA_DISPATCH_TRIDIAGONAL_H

#include "dispatch/solve.h"

double lava_tridiagonal_flops(const struct lava_operation *operation);

/* Returns whether the device can run the kernels. */
bool lava_tridiagonal_fits(const struct lava_capabilities *device, enum lava_type type);
/* Fills in the kernel of the products, its shape and rate, the blocking (total_bytes with the matrices) and
 * gpu_ns. Returns LAVA_REASON_FORCED, or why there is no plan, as lava_solve_plan. */
lava_kind_plan lava_tridiagonal_plan;

#endif
