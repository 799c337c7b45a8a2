/* Who computes parts of what lib/host composes, in the place of its ?gemm and its small loops: lib/blas has a
 * device do so (lib/blas/by_products.h). Any thread. */
#ifndef LAVA_HOST_CPU_HELP_H
#define LAVA_HOST_CPU_HELP_H

#include "lib/host/find.h"

struct lava_cpu_help {
    /* Returns true if the operation is computed, false if nothing was written. It is a product, a solve, or a
     * factorization of a matrix that has no fewer rows than columns. *info: of a factorization, as LAPACK has
     * it; pivots count from its own first row. */
    bool (*takes)(const struct lava_cpu_help *help, const struct lava_operation *operation, int64_t *info);
};

/* Returns whether somebody has computed it. *info is 0 if nobody says anything else. */
static inline bool lava_cpu_help_takes(const struct lava_cpu_blas *blas,
                                       const struct lava_operation *operation, int64_t *info) {
    *info = 0;
    return blas->help && blas->help->takes(blas->help, operation, info);
}

#endif
