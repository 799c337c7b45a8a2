/* Inverts a triangle on the device, or by factors (lapack_runner.h). Called by lib/offload/way_rows.c. The
 * CPU could not go on from some columns of an inverse by factors: those are collected in a buffer. */
#include "lib/lapack/families.h"

#include <stdlib.h>

#include "lib/host/cpu_inverse.h"
#include "lib/lapack/device_inverse.h"
#include "lib/lapack/lapack_runner.h"

static const struct lava_inverse_parts *parts_of(const struct lava_lapack_run *run) {
    return &lava_operation_row(run->operation)->inverse;
}

/* `work` is the result by LU, or scratch of products of a triangle with itself. */
static enum lava_status create(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_inverse_parts *parts = parts_of(run);
    int64_t n = operation->n, work = parts->solves ? n : lava_device_square_order(n);
    run->is_in_work = parts->solves;
    if (parts->solves) {
        run->order = malloc((size_t)n * sizeof *run->order);
        if (!run->order)
            return LAVA_ERROR_HOST_MEMORY;
        lava_cpu_inverse_order(operation->pivots, n, run->order);
    }
    if (parts->inverts && (parts->squares || parts->solves)) {
        run->buffer = malloc((size_t)(n * n) * lava_type_bytes(operation->type));
        if (!run->buffer)
            return LAVA_ERROR_HOST_MEMORY;
    }
    enum lava_status status = LAVA_OK;
    if (parts->squares || parts->solves)
        status = lava_device_matrix_create(run->engine, operation->type, work, work, &run->work);
    status = status ? status : lava_device_matrix_create(run->engine, operation->type, n, n, &run->whole);
    run->c.matrix = run->whole;
    return status;
}

static enum lava_status compute(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_inverse_parts *parts = parts_of(run);
    const struct lava_device_triangle triangle = {.a = run->c.matrix,
                                                  .stored = operation->c.region,
                                                  .unit_diagonal = operation->a.unit_diagonal,
                                                  .precision = operation->precision,
                                                  .overrides = &run->overrides};
    const struct lava_device_inverse_lu by_lu = {
        .a = run->c.matrix, .x = run->work, .precision = operation->precision, .overrides = &run->overrides};
    if (parts->solves)
        return lava_device_invert_lu(run->stream, &by_lu);
    enum lava_status status = parts->inverts ? lava_device_invert(run->stream, &triangle) : LAVA_OK;
    return status || !parts->squares ? status : lava_device_square(run->stream, &triangle, &run->work);
}

enum lava_status lava_inverter_run(struct lava_engine *engine, const struct lava_operation *operation,
                                   const struct lava_plan *plan, struct lava_progress *progress) {
    static const struct lava_lapack_family family = {.create = create, .compute = compute};
    return lava_lapack_runner_run(&family, engine, operation, plan, progress);
}
