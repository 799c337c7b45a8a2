/* Plans QR with column pivoting, ?geqp3, from host memory. The matrix stays on the device until all of it is
 * done. If it does not fit, there is no plan. Pure functions, called by policy.c. */
#ifndef LAVA_DISPATCH_PIVOTED_QR_H
#define LAVA_DISPATCH_PIVOTED_QR_H

#include "dispatch/solve.h"

/* Returns whether the device can run the kernels. */
bool lava_pivoted_qr_fits(const struct lava_capabilities *device, enum lava_type type);
/* Fills in the kernel of the products, its shape and rate, the blocking (total_bytes with the matrices) and
 * gpu_ns. Returns LAVA_REASON_FORCED, or why there is no plan, as lava_solve_plan. */
lava_kind_plan lava_pivoted_qr_plan;

#endif
