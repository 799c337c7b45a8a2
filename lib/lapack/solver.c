/* Takes a triangular matrix to the device and streams the right-hand sides through (lapack_runner.h), or both
 * band by band (solve_bands.c). Called by lib/offload/way_rows.c. */
#include "lib/lapack/families.h"

#include "lib/lapack/device_solve.h"
#include "lib/lapack/lapack_runner.h"

static enum lava_status solve_chunk(void *context, const struct lava_device_matrix *sides) {
    const struct lava_lapack_run *run = context;
    const struct lava_operand *triangle = lava_operation_structured(run->operation);
    const struct lava_device_solve solve = {.a = run->c.matrix,
                                            .b = *sides,
                                            .a_on_right = run->chunks.sizes.on_right,
                                            .stored = triangle->stored,
                                            .op = triangle->op,
                                            .conjugate = triangle->conjugate,
                                            .unit_diagonal = triangle->unit_diagonal,
                                            .alpha = run->operation->alpha,
                                            .precision = run->operation->precision,
                                            .overrides = &run->overrides};
    return lava_device_solve(run->stream, &solve);
}

/* The matrix is the triangle, and C is the right-hand sides. */
static enum lava_status create(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_operand *triangle = lava_operation_structured(operation);
    const struct lava_solve_sizes sizes = lava_solve_sizes(operation);
    run->only_reads = true;
    run->overrides = lava_solve_overrides(&run->plan->chunks, sizes.on_right);
    run->c.region = triangle->stored;
    run->c.first = triangle->first;
    run->c.ld = triangle->ld;
    run->chunks.sizes = sizes;
    run->chunks.first = operation->c.first;
    run->chunks.ld = operation->c.ld;
    run->chunks.descends = lava_operation_descends(operation);
    run->chunks.solve = solve_chunk;
    return lava_lapack_runner_create(run, sizes.order, sizes.order);
}

static enum lava_status finish(struct lava_lapack_run *run) {
    return lava_rhs_chunks_finish(&run->chunks);
}

static void record(const struct lava_lapack_run *run, struct lava_progress *progress) {
    const struct lava_side_progress sides = lava_rhs_chunks_progress(&run->chunks);
    if (run->chunks.sizes.on_right)
        *progress = (struct lava_progress){.row = sides.side, .rows = sides.sides, .column = sides.columns};
    else
        *progress = (struct lava_progress){.rows = run->operation->m, .column = sides.side + sides.columns};
}

enum lava_status lava_solver_run(struct lava_engine *engine, const struct lava_operation *operation,
                                 const struct lava_plan *plan, struct lava_progress *progress) {
    static const struct lava_lapack_family family = {.create = create, .finish = finish, .record = record};
    if (plan->chunks.band > 0)
        return lava_solve_bands_run(engine, operation, plan, progress);
    return lava_lapack_runner_run(&family, engine, operation, plan, progress);
}
