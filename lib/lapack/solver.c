/* Takes a triangular matrix to the device and streams the right-hand sides through (rhs_chunks.h), or both
 * band by band (solve_bands.h). Called by lib/offload/offload.c. */
#include "lib/lapack/solver.h"

#include "lib/lapack/device_solve.h"
#include "lib/lapack/rhs_chunks.h"
#include "lib/lapack/solve_bands.h"
#include "lib/lapack/trapezoids.h"

struct solver {
    struct lava_engine *engine;
    struct lava_stream *stream;
    const struct lava_operation *operation;
    const struct lava_plan *plan;
    const struct lava_operand *triangle;
    struct lava_overrides overrides; /* of the products */
    struct lava_trapezoids a;
    struct lava_rhs_chunks chunks;
};

/* Everything that is uploaded, in order: A's trapezoids, then the chunks. */
static bool next_stored(void *context, struct lava_stored *stored) {
    struct solver *solver = context;
    return lava_trapezoids_stage(&solver->a, stored) || lava_rhs_chunks_stage(&solver->chunks, stored);
}

static enum lava_status solve_chunk(void *context, const struct lava_device_matrix *sides) {
    const struct solver *solver = context;
    const struct lava_operand *triangle = solver->triangle;
    const struct lava_device_solve solve = {.a = solver->a.matrix,
                                            .b = *sides,
                                            .a_on_right = solver->chunks.sizes.on_right,
                                            .stored = triangle->stored,
                                            .op = triangle->op,
                                            .conjugate = triangle->conjugate,
                                            .unit_diagonal = triangle->unit_diagonal,
                                            .alpha = solver->operation->alpha,
                                            .precision = solver->operation->precision,
                                            .overrides = &solver->overrides};
    return lava_device_solve(solver->stream, &solve);
}

static void record_progress(const struct solver *solver, struct lava_progress *progress) {
    const struct lava_side_progress sides = lava_rhs_chunks_progress(&solver->chunks);
    if (solver->chunks.sizes.on_right)
        *progress = (struct lava_progress){.row = sides.side, .rows = sides.sides, .column = sides.columns};
    else
        *progress =
            (struct lava_progress){.rows = solver->operation->m, .column = sides.side + sides.columns};
}

static enum lava_status run(struct solver *solver, struct lava_progress *progress) {
    struct lava_stream *stream = solver->stream;
    enum lava_status status = lava_trapezoids_make_room(&solver->a, solver->plan);
    if (status)
        return status;
    lava_stream_look_around(stream);
    stream->staging.next = next_stored;
    stream->staging.context = solver;
    status = lava_trapezoids_upload(&solver->a);
    status = status ? status : lava_rhs_chunks_finish(&solver->chunks);
    lava_download_settle(stream);
    record_progress(solver, progress);
    return status;
}

static enum lava_status run_chunks(struct lava_engine *engine, const struct lava_operation *operation,
                                   const struct lava_plan *plan, struct lava_progress *progress) {
    struct lava_stream stream;
    const struct lava_operand *triangle = lava_operation_structured(operation);
    struct solver solver = {
        .engine = engine,
        .stream = &stream,
        .operation = operation,
        .plan = plan,
        .triangle = triangle,
        .overrides = lava_solve_overrides(&plan->chunks, lava_solve_sizes(operation).on_right),
        .a = {.stream = &stream, .region = triangle->stored, .first = triangle->first, .ld = triangle->ld},
        .chunks = {.stream = &stream,
                   .plan = &plan->chunks,
                   .type = operation->type,
                   .sizes = lava_solve_sizes(operation),
                   .first = operation->c.first,
                   .ld = operation->c.ld,
                   .descends = lava_operation_descends(operation),
                   .solve = solve_chunk,
                   .context = &solver}};
    int64_t order = solver.chunks.sizes.order;
    *progress = (struct lava_progress){0};
    enum lava_status status =
        lava_device_matrix_create(engine, operation->type, order, order, &solver.a.matrix);
    status = status ? status : lava_rhs_chunks_create(&solver.chunks, engine);
    if (!status) {
        lava_stream_open(&stream, engine, false);
        status = lava_stream_close(&stream, run(&solver, progress));
    }
    lava_rhs_chunks_free(&solver.chunks, engine);
    lava_device_matrix_free(engine, &solver.a.matrix);
    return status;
}

enum lava_status lava_solver_run(struct lava_engine *engine, const struct lava_operation *operation,
                                 const struct lava_plan *plan, struct lava_progress *progress) {
    if (plan->chunks.band > 0)
        return lava_solve_bands_run(engine, operation, plan, progress);
    return run_chunks(engine, operation, plan, progress);
}
