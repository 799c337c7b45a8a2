/* Streams the right-hand sides of a solve through the device. Called by lib/offload/offload.c.
 *
 *     CPU threads            upload queue        compute queue       download queue
 *     A, chunk 0 -> slots    slot -> A, X0
 *     chunk 1 -> slots       slot -> X1          solve in X0
 *     chunk 2 -> slots       slot -> X2          solve in X1         X0 -> slots
 *     write back chunk 0
 *     chunk 3 -> slots       slot -> X0          solve in X2         X1 -> slots
 *
 * Invariant: a matrix is filled again only when its last chunk has been written back. */
#include "lib/engine/solver.h"

#include "dispatch/arithmetic.h"
#include "dispatch/solve.h"
#include "lib/engine/device_solve.h"
#include "lib/engine/download.h"

struct solver {
    struct lava_engine *engine;
    struct lava_stream *stream;
    const struct lava_operation *operation;
    const struct lava_plan *plan;
    const struct lava_operand *triangle;
    struct lava_solve_sizes sizes;
    struct lava_overrides overrides; /* of the products */
    struct lava_device_matrix a, x[LAVA_SOLVE_HELD];
    struct lava_download downloads[LAVA_SOLVE_HELD];
    int64_t chunks[LAVA_SOLVE_HELD]; /* what these download */
    int64_t started;                 /* chunks that are, or were, being downloaded */
    int64_t staged;                  /* trapezoids, then chunks, that were staged ahead */
};

/* A rectangle of A, or of C: the first element in host memory, and where it is in the matrix. */
struct part {
    void *first;
    int64_t ld, row, rows, column, columns;
};

static struct part part_of(const struct solver *solver, const void *matrix, int64_t ld, struct part part) {
    part.first = lava_operation_element(matrix, solver->operation->type, part.row, part.column, ld);
    part.ld = ld;
    return part;
}

static int64_t count_of(int64_t size, int64_t each) {
    return (size + each - 1) / each;
}

static struct part trapezoid_at(const struct solver *solver, int64_t index) {
    int64_t order = solver->sizes.order;
    const struct lava_trapezoid at = lava_trapezoid_at(order, order, solver->triangle->stored, index);
    const struct part part = {.row = at.row, .rows = at.rows, .column = at.column, .columns = at.columns};
    return part_of(solver, solver->triangle->first, solver->triangle->ld, part);
}

static struct part chunk_at(const struct solver *solver, int64_t index) {
    const struct lava_result *c = &solver->operation->c;
    int64_t first = index * solver->plan->chunks.sides,
            sides = lava_minimum(solver->plan->chunks.sides, solver->sizes.sides - first);
    struct part part = {.row = first, .rows = sides, .columns = solver->sizes.order};
    if (!solver->sizes.on_right)
        part = (struct part){.rows = solver->sizes.order, .column = first, .columns = sides};
    return part_of(solver, c->first, c->ld, part);
}

/* Everything that is uploaded, in order: A's trapezoids, then the chunks. */
static bool next_stored(void *context, struct lava_stored *stored) {
    struct solver *solver = context;
    int64_t trapezoids = lava_trapezoid_count(solver->sizes.order), index = solver->staged;
    if (index >= trapezoids + count_of(solver->sizes.sides, solver->plan->chunks.sides))
        return false;
    struct part part =
        index < trapezoids ? trapezoid_at(solver, index) : chunk_at(solver, index - trapezoids);
    *stored = (struct lava_stored){.first = part.first,
                                   .ld = part.ld,
                                   .element_bytes = lava_type_bytes(solver->operation->type),
                                   .rows = part.rows,
                                   .columns = part.columns};
    solver->staged++;
    return true;
}

static enum lava_status create(struct solver *solver) {
    const struct lava_solve_sizes *sizes = &solver->sizes;
    const struct lava_solve_chunks *chunks = &solver->plan->chunks;
    enum lava_type type = solver->operation->type;
    int64_t sides = lava_minimum(chunks->sides, sizes->sides);
    enum lava_status status =
        lava_device_matrix_create(solver->engine, type, sizes->order, sizes->order, &solver->a);
    for (uint32_t i = 0; i < chunks->held && !status; i++)
        status = lava_device_matrix_create(solver->engine, type, sizes->on_right ? sides : sizes->order,
                                           sizes->on_right ? sizes->order : sides, &solver->x[i]);
    return status;
}

static void free_all(struct solver *solver) {
    lava_device_matrix_free(solver->engine, &solver->a);
    for (size_t i = 0; i < LAVA_SOLVE_HELD; i++)
        lava_device_matrix_free(solver->engine, &solver->x[i]);
}

/* Nothing uses A yet, so its uploads wait for nothing. */
static enum lava_status upload_triangle(struct solver *solver) {
    const struct lava_point nothing = {0};
    enum lava_status status = LAVA_OK;
    for (int64_t i = 0; i < lava_trapezoid_count(solver->sizes.order) && !status; i++) {
        const struct part part = trapezoid_at(solver, i);
        const struct lava_device_matrix block =
            lava_device_matrix_block(&solver->a, part.row, part.rows, part.column, part.columns);
        status = lava_device_matrix_upload_after(solver->stream, &block, part.first, part.ld, nothing);
    }
    return status;
}

/* The matrix is free: the chunk before in it was written back. */
static enum lava_status run_chunk(struct solver *solver, int64_t index) {
    const struct lava_point nothing = {0};
    const struct lava_operand *triangle = solver->triangle;
    uint32_t place = (uint32_t)(index % solver->plan->chunks.held);
    struct lava_stream *stream = solver->stream;
    const struct part part = chunk_at(solver, index);
    const struct lava_device_solve solve = {
        .a = solver->a,
        .b = lava_device_matrix_block(&solver->x[place], 0, part.rows, 0, part.columns),
        .a_on_right = solver->sizes.on_right,
        .stored = triangle->stored,
        .op = triangle->op,
        .conjugate = triangle->conjugate,
        .unit_diagonal = triangle->unit_diagonal,
        .alpha = solver->operation->alpha,
        .precision = solver->operation->precision,
        .overrides = &solver->overrides};
    enum lava_status status = lava_device_matrix_upload_after(stream, &solve.b, part.first, part.ld, nothing);
    status = status ? status : lava_device_solve(stream, &solve);
    if (status)
        return status;
    solver->chunks[place] = index;
    const struct lava_device_download download = {.matrix = solve.b,
                                                  .descends = lava_operation_descends(solver->operation),
                                                  .host = part.first,
                                                  .ld = part.ld};
    status = lava_device_matrix_download_beside(stream, &download, &solver->downloads[place]);
    if (!status)
        solver->started = index + 1;
    return status;
}

/* Chunks are written one after the other, so everything before the first unfinished download is. */
static void record_progress(const struct solver *solver, struct lava_progress *progress) {
    const struct lava_stream *stream = solver->stream;
    int64_t chunk = solver->started, columns = 0;
    if (stream->download_count > 0) {
        const struct lava_download *first = stream->downloads[0];
        chunk = solver->chunks[first - solver->downloads];
        columns = first->columns_done;
    }
    int64_t side = lava_minimum(chunk * solver->plan->chunks.sides, solver->sizes.sides);
    int64_t sides = lava_minimum(solver->plan->chunks.sides, solver->sizes.sides - side);
    if (solver->sizes.on_right)
        *progress = (struct lava_progress){.row = side, .rows = sides, .column = columns};
    else
        *progress = (struct lava_progress){.rows = solver->operation->m, .column = side + columns};
}

/* While a chunk is being solved, the next one is uploaded and the one before downloaded: the host waits only
 * for the matrix that it fills next. */
static enum lava_status run_chunks(struct solver *solver) {
    uint32_t held = solver->plan->chunks.held;
    int64_t count = count_of(solver->sizes.sides, solver->plan->chunks.sides);
    enum lava_status status = upload_triangle(solver);
    for (int64_t i = 0; i < count && !status; i++) {
        status = lava_download_finish(solver->stream, held - 1);
        status = status ? status : run_chunk(solver, i);
    }
    return status ? status : lava_download_finish(solver->stream, 0);
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
    status = run_chunks(solver);
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
                            .sizes = lava_solve_sizes(operation),
                            .overrides.memory_bytes = plan->chunks.product_bytes};
    *progress = (struct lava_progress){0};
    enum lava_status status = create(&solver);
    if (!status) {
        lava_stream_open(&stream, engine, false);
        status = lava_stream_close(&stream, run(&solver, progress));
    }
    free_all(&solver);
    return status;
}
