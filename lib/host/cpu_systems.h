/* Factorizations with their right-hand sides on the CPU, with the CPU BLAS's ?gemm: ?potrs, ?posv, ?getrs and
 * ?gesv. It finishes what a device has begun, and serves where no CPU library has the routine. Any thread. */
#ifndef LAVA_HOST_CPU_SYSTEMS_H
#define LAVA_HOST_CPU_SYSTEMS_H

#include "lib/host/cpu_blas.h"

/* What is there already. */
struct lava_systems_done {
    int64_t columns; /* of the factors, the first ones, with all pivots; does not count where sides.factored
                      * is set */
    bool by_columns; /* only with the pivots of these columns: nothing has happened to the others */
    int64_t sides;   /* right-hand sides that are X, the first ones */
};
/* C <- its factors. Then the right-hand sides <- X. Returns info; where it is not 0, the right-hand sides are
 * as they were. */
int64_t lava_cpu_systems_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                             struct lava_systems_done done);

#endif
