/* Plans the reduction of a Hermitian matrix to tridiagonal form, ?sytrd and ?hetrd, from host memory. The
 * matrix stays on the device until all of it is done. If it does not fit, there is no plan. Pure functions,
 * called by policy.c. */
#ifndef LAVA_DISPATCH_TRIDIAGONAL_H
#define LAVA_DISPATCH_TRIDIAGONAL_H

#include "dispatch/panels.h"
#include "dispatch/solve.h"

double lava_tridiagonal_flops(const struct lava_operation *operation);

/* Returns whether the device can run the kernels. */
bool lava_tridiagonal_fits(const struct lava_capabilities *device, enum lava_type type);
/* Returns how many workgroups reduce a panel in one dispatch; 0: each column takes two dispatches. stalled:
 * workgroups that should have run at the same time did not. */
uint32_t lava_tridiagonal_groups(const struct lava_capabilities *device, int64_t order, bool stalled,
                                 const struct lava_panel_choice *forced);
/* Returns the bytes of the matrix and of the scratch, UINT64_MAX if one does not fit a buffer; and the
 * device's time between the upload and the download. */
struct lava_halving;
uint64_t lava_tridiagonal_bytes(const struct lava_capabilities *device,
                                const struct lava_operation *operation);
double lava_tridiagonal_device_ns(const struct lava_halving *request, double flops_per_s);
/* Fills in the kernel of the products, its shape and rate, the blocking (total_bytes with the matrices) and
 * gpu_ns. Returns LAVA_REASON_FORCED, or why there is no plan, as lava_solve_plan. */
lava_kind_plan lava_tridiagonal_plan;

#endif
