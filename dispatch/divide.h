/* Plans eigenvalues and eigenvectors of a tridiagonal matrix, from host memory: ?stedc, and estimates them as
 * parts of others. Values alone are found by multisection, vectors by divide and conquer
 * (lib/lapack/divide_runner.c). If the matrices do not fit, there is no plan. Pure functions, called by
 * policy.c and eigen.c. */
#ifndef LAVA_DISPATCH_DIVIDE_H
#define LAVA_DISPATCH_DIVIDE_H

#include "dispatch/capabilities.h"
#include "dispatch/kinds.h"
#include "dispatch/types.h"

/* Returns whether the device can run the kernels of divide and conquer, for a real type. */
bool lava_divide_fits(const struct lava_capabilities *device, enum lava_type type);
/* How often multisection divides an interval, which is about 2 for a matrix whose norm is 1, until it is as
 * small as the unit of the type. */
int lava_divide_rounds(enum lava_type type);

double lava_divide_vectors_flops(int64_t order);
/* Return the device's time for the eigenvalues or eigenvectors of a tridiagonal matrix of the operation's
 * order and real type. */
struct lava_halving;
double lava_divide_values_ns(const struct lava_halving *request, double flops_per_s);
double lava_divide_vectors_ns(const struct lava_halving *request, double flops_per_s);

/* The estimates and the plan of the kinds of such a matrix. */
double lava_divide_flops(const struct lava_operation *operation);
double lava_divide_operand_bytes(const struct lava_operation *operation);
/* Fills in the kernel of the products, its shape and rate, the blocking (total_bytes with the matrices) and
 * gpu_ns. Returns LAVA_REASON_FORCED, or why there is no plan, as lava_solve_plan. */
lava_kind_plan lava_divide_plan;

#endif
