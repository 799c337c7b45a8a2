/* How long a device takes to factor a matrix that it has. For the plans of factorizations: factorization.c
 * and block_columns.c. A pure function. */
#ifndef LAVA_DISPATCH_FACTOR_TIME_H
#define LAVA_DISPATCH_FACTOR_TIME_H

#include "dispatch/halving.h"

/* Returns the device's time between the upload and the download of the operation's matrix, whose products
 * have that rate. The operation, Cholesky or LU without right-hand sides, need not be the request's. */
double lava_factor_time_ns(const struct lava_halving *request, const struct lava_operation *operation,
                           double flops_per_s);

#endif
