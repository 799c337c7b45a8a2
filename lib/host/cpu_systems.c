/* Factors, swaps the rows of the right-hand sides and solves with both factors, one after the other. Called
 * by lib/abi if there is no other routine, and by lib/offload for what a device has begun. */
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

int64_t lava_cpu_systems_run(const struct lava_cpu_blas *blas, const struct lava_operation *operation,
                             struct lava_cpu_done done) {
    lava_cpu_finish *factor = lava_operation_row(operation)->pivots ? lava_cpu_lu_run : lava_cpu_cholesky_run;
    const struct lava_operation rest = lava_cpu_parts_sides_from(operation, done.sides);
    int64_t info = operation->sides.factored ? 0 : factor(blas, operation, done);
    struct lava_operation solves[2];
    if (info || rest.sides.count == 0)
        return info;
    lava_operation_solves(&rest, solves);
    swap_rows(&rest, true);
    for (int i = 0; i < 2; i++)
        lava_cpu_blas_run(blas, &solves[i]);
    swap_rows(&rest, false);
    return 0;
}
