/* Plans the eigenvalues of a Hermitian matrix, and its eigenvectors, from host memory: ?syevd and the like.
 * The matrix becomes tridiagonal on the device and stays there. Eigenvalues alone are found by bisection;
 * vectors by divide and conquer, and multiplied by the reflections (lib/lapack/eigen_runner.c). If the
 * matrices do not fit, there is no plan. Pure functions, called by policy.c. */
#ifndef LAVA_DISPATCH_EIGEN_H
#define LAVA_DISPATCH_EIGEN_H

#include "dispatch/solve.h"

double lava_eigen_flops(const struct lava_operation *operation);

/* Returns whether the device can run the kernels. */
bool lava_eigen_fits(const struct lava_capabilities *device, enum lava_type type);
/* Returns the device's time between the upload and the download. */
struct lava_halving;
double lava_eigen_device_ns(const struct lava_halving *request, double flops_per_s);
/* Fills in the kernel of the products, its shape and rate, the blocking (total_bytes with the matrices) and
 * gpu_ns. Returns LAVA_REASON_FORCED, or why there is no plan, as lava_solve_plan. */
lava_kind_plan lava_eigen_plan;

#endif
