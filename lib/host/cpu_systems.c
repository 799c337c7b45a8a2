/* Factors, swaps the rows of the right-hand sides and solves with both factors, one after the other. Called
 * by lib/abi where there is no other routine, and by lib/offload for what a device has begun. */
#include "lib/host/cpu_systems.h"

#include "lib/host/cpu_cholesky.h"
#include "lib/host/cpu_lu.h"

/* P comes before L, and its inverse after L'. */
static void swap_rows(const struct lava_operation *operation, bool is_before) {
    bool is_n = operation->sides.op == LAVA_OP_N;
    const struct lava_swaps swaps = {.type = operation->type,
                                     .matrix = operation->sides.first,
                                     .ld = operation->sides.ld,
                                     .columns = operation->sides.count,
                                     .pivots = operation->pivots,
                                     .end = operation->n,
                                     .backwards = !is_n};
    if (lava_operation_row(operation)->pivots && is_n == is_before)
        lava_cpu_lu_swap_rows(&swaps);
}

static int64_t factor(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                      struct lava_systems_done done) {
    const struct lava_lu_done lu = {.columns = done.columns, .by_columns = done.by_columns};
    return lava_operation_row(operation)->pivots ? lava_cpu_lu_run(blas, operation, lu, operation->pivots)
                                                 : lava_cpu_cholesky_run(blas, operation, done.columns);
}

int64_t lava_cpu_systems_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                             struct lava_systems_done done) {
    struct lava_operation rest = *operation, solves[2];
    int64_t sides = done.sides, info = operation->sides.factored ? 0 : factor(blas, operation, done);
    if (info || operation->sides.count == sides)
        return info;
    rest.sides.first =
        lava_operation_element(operation->sides.first, operation->type, 0, sides, operation->sides.ld);
    rest.sides.count -= sides;
    lava_operation_solves(&rest, solves);
    swap_rows(&rest, true);
    for (int i = 0; i < 2; i++)
        lava_cpu_blas_run(blas, &solves[i]);
    swap_rows(&rest, false);
    return 0;
}
