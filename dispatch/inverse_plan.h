/* Plans an inverse, ?trtri, ?lauum, ?potri and ?getri, from host memory. The matrix stays on the device until
 * all of it is done. If it does not fit, there is no plan. Pure functions, called by policy.c. */
#ifndef LAVA_DISPATCH_INVERSE_PLAN_H
#define LAVA_DISPATCH_INVERSE_PLAN_H

#include "dispatch/solve.h"

/* Triangles of this many rows are multiplied with themselves as general matrices, zeros included. The rest of
 * a large matrix takes far longer; smaller blocks would be more products, of some 10 us each. */
#define LAVA_INVERSE_SQUARE 256

double lava_inverse_flops(const struct lava_operation *operation);

/* Fills in the kernel of the products, its shape and rate, the blocking of the largest product and gpu_ns.
 * chunks.product_bytes is what the products need besides the matrices. Returns
 * LAVA_REASON_FORCED, or why there is no plan, as lava_solve_plan. */
lava_kind_plan lava_inverse_plan;

#endif
