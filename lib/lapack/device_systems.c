/* Swaps, solves with one triangle, then with the other. Called by factorizer.c and block_factorizer.c. */
#include "lib/lapack/device_systems.h"

#include "lib/lapack/device_lu.h"

/* P comes before L, and its inverse after L'. */
static enum lava_status swap(struct lava_stream *stream, const struct lava_device_systems *systems,
                             const struct lava_device_matrix *sides, bool is_before) {
    const struct lava_operation *operation = systems->operation;
    bool is_n = operation->sides.op == LAVA_OP_N;
    const struct lava_device_swap swap = {
        .a = *sides, .pivots = systems->pivots, .count = operation->n, .backwards = !is_n};
    return lava_operation_row(operation)->pivots && is_n == is_before ? lava_device_swap_rows(stream, &swap)
                                                                      : LAVA_OK;
}

enum lava_status lava_device_systems_solve(struct lava_stream *stream,
                                           const struct lava_device_systems *systems,
                                           const struct lava_device_matrix *sides) {
    struct lava_operation solves[2];
    lava_operation_solves(systems->operation, solves);
    enum lava_status status = swap(stream, systems, sides, true);
    for (int i = 0; i < 2 && !status; i++)
        status = systems->solve(systems->context, &solves[i].a, sides);
    return status ? status : swap(stream, systems, sides, false);
}
