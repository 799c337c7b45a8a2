/* Plans QR with column pivoting, ?geqp3, from host memory. The matrix stays on the device until all of it is
 * done. If it does not fit, there is no plan. Pure functions, called by policy.c. */
#ifndef LAVA_DISPATCH_PIVOTED_QR_H
#define LAVA_DISPATCH_PIVOTED_QR_H

#include "dispatch/solve.h"

/* The steps of a column, which have shaders of their own: shaders/pivoted_column.comp and so on. */
enum lava_pivoted_qr_step {
    LAVA_PIVOTED_QR_COLUMN,
    LAVA_PIVOTED_QR_TILES,
    LAVA_PIVOTED_QR_FINISH,
    LAVA_PIVOTED_QR_STEPS
};

/* FP32, FP64, CFP32 or CFP64. */
enum lava_module lava_pivoted_qr_module(enum lava_type type, enum lava_pivoted_qr_step step);

/* Returns whether the device can run the kernels. */
bool lava_pivoted_qr_fits(const struct lava_capabilities *device, enum lava_type type);
/* Fills in the kernel of the products, its shape and rate, the blocking (total_bytes with the matrices) and
 * gpu_ns. Returns LAVA_REASON_FORCED, or why there is no plan, as lava_solve_plan. */
lava_kind_plan lava_pivoted_qr_plan;

#endif
