/* Plans a solve with a triangular matrix, ?trsm, from host memory. The triangular matrix stays on the device,
 * the right-hand sides (columns of C, or rows where the matrix is on the right) stream through in chunks.
 * Pure functions, called by policy.c. */
#ifndef LAVA_DISPATCH_SOLVE_H
#define LAVA_DISPATCH_SOLVE_H

#include "dispatch/plan.h"

/* Columns (lower triangle: rows) of the trapezoids in which a triangle is uploaded. */
#define LAVA_SOLVE_TRAPEZOID LAVA_BLOCKING_SQUARE

/* Sizes of a solve, whatever the side. */
struct lava_solve_sizes {
    bool on_right;
    int64_t order, sides; /* of the triangular matrix; right-hand sides */
};
struct lava_solve_sizes lava_solve_sizes(const struct lava_operation *operation);

/* Returns whether the device can run the kernel that solves with blocks of the diagonal. */
bool lava_solve_fits(const struct lava_capabilities *device, enum lava_type type);

/* Plans a product whose matrices are on the device. */
typedef void lava_solve_product(const struct lava_operation *product, const struct lava_capabilities *device,
                                const struct lava_figures *figures, const struct lava_overrides *overrides,
                                struct lava_plan *plan);

/* Fills in the kernel, its shape and rate, the blocking, the chunks and gpu_ns. Returns LAVA_REASON_FORCED,
 * or why there is no plan: NO_KERNEL, or MEMORY, where the triangular matrix does not fit the device, or
 * where the columns of C are too long to be downloaded whole. */
enum lava_reason lava_solve_plan(const struct lava_operation *operation,
                                 const struct lava_capabilities *device, const struct lava_figures *figures,
                                 const struct lava_overrides *overrides, lava_solve_product *plan_product,
                                 struct lava_plan *plan);

#endif
