/* Takes a triangular matrix to the device and streams the right-hand sides through (side_chunks.h). Called by
 * lib/offload/offload.c. */
#include "lib/engine/solver.h"

#include "lib/engine/device_solve.h"
#include "lib/engine/side_chunks.h"

struct solver {
    struct lava_engine *engine;
    struct lava_stream *stream;
    const struct lava_operation *operation;
    const struct lava_plan *plan;
    const struct lava_operand *triangle;
    struct lava_overrides overrides; /* of the products */
    struct lava_device_matrix a;
    struct lava_side_chunks chunks;
    int64_t staged; /* trapezoids that were staged ahead */
};

static int64_t order_of(const struct solver *solver) {
    return solver->chunks.sizes.order;
}

static struct lava_trapezoid trapezoid_at(const struct solver *solver, int64_t index) {
    return lava_trapezoid_at(order_of(solver), order_of(solver), solver->triangle->stored, index);
}

static const void *first_of(const struct solver *solver, const struct lava_trapezoid *part) {
    const struct lava_operand *triangle = solver->triangle;
    return lava_operation_element(triangle->first, solver->operation->type, part->row, part->column,
                                  triangle->ld);
}

/* Everything that is uploaded, in order: A's trapezoids, then the chunks. */
static bool next_stored(void *context, struct lava_stored *stored) {
    struct solver *solver = context;
    if (solver->staged == lava_trapezoid_count(order_of(solver)))
        return lava_side_chunks_stage(&solver->chunks, stored);
    const struct lava_trapezoid part = trapezoid_at(solver, solver->staged++);
    *stored = (struct lava_stored){.first = first_of(solver, &part),
                                   .ld = solver->triangle->ld,
                                   .element_bytes = lava_type_bytes(solver->operation->type),
                                   .rows = part.rows,
                                   .columns = part.columns};
    return true;
}

/* Nothing uses A yet, so its uploads wait for nothing. */
static enum lava_status upload_triangle(struct solver *solver) {
    const struct lava_point nothing = {0};
    enum lava_status status = LAVA_OK;
    for (int64_t i = 0; i < lava_trapezoid_count(order_of(solver)) && !status; i++) {
        const struct lava_trapezoid part = trapezoid_at(solver, i);
        const struct lava_device_matrix block =
            lava_device_matrix_block(&solver->a, part.row, part.rows, part.column, part.columns);
        status = lava_device_matrix_upload_after(solver->stream, &block, first_of(solver, &part),
                                                 solver->triangle->ld, nothing);
    }
    return status;
}

static enum lava_status solve_chunk(void *context, const struct lava_device_matrix *sides) {
    const struct solver *solver = context;
    const struct lava_operand *triangle = solver->triangle;
    const struct lava_device_solve solve = {.a = solver->a,
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
    const struct lava_side_progress sides = lava_side_chunks_progress(&solver->chunks);
    if (solver->chunks.sizes.on_right)
        *progress = (struct lava_progress){.row = sides.side, .rows = sides.sides, .column = sides.columns};
    else
        *progress =
            (struct lava_progress){.rows = solver->operation->m, .column = sides.side + sides.columns};
}

/* Room for the largest product is made before anything is under way. */
static enum lava_status run(struct solver *solver, struct lava_progress *progress) {
    const struct lava_plan *plan = solver->plan;
    struct lava_stream *stream = solver->stream;
    enum lava_status status = LAVA_OK;
    if (plan->chunks.product_bytes > 0)
        status = lava_arena_reserve(stream->arena, stream->device, &plan->blocking,
                                    LAVA_ARENA_SLOTS * stream->arena->slot_bytes,
                                    lava_type_is_complex(solver->operation->type));
    if (status)
        return status;
    lava_stream_look_around(stream);
    stream->staging.next = next_stored;
    stream->staging.context = solver;
    status = upload_triangle(solver);
    status = status ? status : lava_side_chunks_finish(&solver->chunks);
    lava_download_settle(stream);
    record_progress(solver, progress);
    return status;
}

enum lava_status lava_solver_run(struct lava_engine *engine, const struct lava_operation *operation,
                                 const struct lava_plan *plan, struct lava_progress *progress) {
    struct lava_stream stream;
    struct solver solver = {.engine = engine,
                            .stream = &stream,
                            .operation = operation,
                            .plan = plan,
                            .triangle = lava_operation_structured(operation),
                            .overrides.memory_bytes = plan->chunks.product_bytes,
                            .chunks = {.stream = &stream,
                                       .plan = &plan->chunks,
                                       .type = operation->type,
                                       .sizes = lava_solve_sizes(operation),
                                       .first = operation->c.first,
                                       .ld = operation->c.ld,
                                       .descends = lava_operation_descends(operation),
                                       .solve = solve_chunk,
                                       .context = &solver}};
    int64_t order = order_of(&solver);
    *progress = (struct lava_progress){0};
    enum lava_status status = lava_device_matrix_create(engine, operation->type, order, order, &solver.a);
    status = status ? status : lava_side_chunks_create(&solver.chunks, engine);
    if (!status) {
        lava_stream_open(&stream, engine, false);
        status = lava_stream_close(&stream, run(&solver, progress));
    }
    lava_side_chunks_free(&solver.chunks, engine);
    lava_device_matrix_free(engine, &solver.a);
    return status;
}
