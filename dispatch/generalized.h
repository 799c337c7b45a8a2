/* What a second matrix adds to the plan of eigenvalues (eigen.h): its Cholesky factor, the reduction to a
 * standard problem, and a solve or a product for the eigenvectors. Nothing for operations without one. Pure
 * functions, called by eigen.c and kind_rows.c. */
#ifndef LAVA_DISPATCH_GENERALIZED_H
#define LAVA_DISPATCH_GENERALIZED_H

#include "dispatch/halving.h"

/* Returns the operations, if the eigenvectors have this many columns. */
double lava_generalized_flops(const struct lava_operation *operation, int64_t columns);
/* Returns the bytes of both triangles. */
double lava_generalized_operand_bytes(const struct lava_operation *operation);

/* Returns the bytes of the second matrix on the device; UINT64_MAX if it does not fit a buffer. */
uint64_t lava_generalized_bytes(const struct lava_capabilities *device,
                                const struct lava_operation *operation);
/* Returns the device's time for all of that, but for transfers. */
double lava_generalized_device_ns(const struct lava_halving *request, int64_t columns, double flops_per_s);
/* Returns the bytes of the factor, which is downloaded. */
double lava_generalized_factor_bytes(const struct lava_operation *operation);

#endif
