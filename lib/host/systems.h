/* Factorizations with their right-hand sides on the CPU, with the CPU BLAS's ?gemm: ?potrs, ?posv, ?getrs and
 * ?gesv. It finishes what a device has begun, and serves where no CPU library has the routine. Any thread. */
#ifndef LAVA_HOST_SYSTEMS_H
#define LAVA_HOST_SYSTEMS_H

#include "lib/host/cpu_blas.h"

/* C <- its factors, of which the first `columns` columns are there already, with the pivots; none where
 * sides.factored is set. Then the right-hand sides <- X, of which the first `sides` ones are X already.
 * Returns info; where it is not 0, the right-hand sides are as they were. */
int64_t lava_systems_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                         int64_t columns, int64_t sides);

#endif
