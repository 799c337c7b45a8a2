/* Halves the rows of a triangle down to blocks on the diagonal: shaders/solve.comp inverts them, and a
 * product of device_matrix.c multiplies them with themselves. What is between them is done by device_solve.c
 * and device_matrix.c. Called by whoever works on matrices on the device.
 *
 * Invariant: blocks of A begin at multiples of LAVA_SOLVE_ORDER, so they are aligned if A is. */
#include "lib/lapack/device_inverse.h"

#include "dispatch/arithmetic.h"
#include "dispatch/inverse_plan.h"
#include "dispatch/solve.h"
#include "lib/lapack/device_solve.h"

/* A wait may last longer by the time that the blocks take at this rate. A processor's core reaches twice
 * that. */
#define BLOCK_FLOPS_PER_S 5e8
/* What the parts have in common. */
struct task {
    struct lava_stream *stream;
    const struct lava_device_triangle *triangle;
    const struct lava_pipeline *pipeline; /* of a block */
    const struct lava_device_matrix *work;
    bool is_complex, is_upper;
    bool from_end; /* the last rows of X are found first, or the last columns */
};

/* Rows or columns. */
struct range {
    int64_t first, size;
};

/* A block of A. */
static struct lava_device_matrix block_of(const struct task *task, struct range rows, struct range columns) {
    return lava_device_matrix_block(&task->triangle->a, rows.first, rows.size, columns.first, columns.size);
}

/* Both halves of a range; the first one is whole blocks. */
static struct range halve(struct range range, struct range *high) {
    int64_t half = lava_blocking_padded((range.size + 1) / 2, LAVA_SOLVE_ORDER);
    *high = (struct range){range.first + half, range.size - half};
    return (struct range){range.first, half};
}

static enum lava_status invert_block(const struct task *task, struct range range) {
    const struct lava_device_matrix a = block_of(task, range, range);
    const struct lava_solve_constants constants = {
        .a = lava_device_matrix_address(&a),
        .b = lava_device_matrix_address(&a),
        .lda = (uint32_t)a.ld,
        .ldb = (uint32_t)a.ld,
        .order = (uint32_t)range.size,
        .sides = (uint32_t)range.size,
        .flags = (task->is_upper ? LAVA_SOLVE_REVERSED : 0u) |
                 (task->triangle->unit_diagonal ? LAVA_SOLVE_UNIT : 0u)};
    return lava_stream_dispatch(task->stream, task->pipeline, &constants, sizeof constants, 1);
}

/* The same of X: its columns take the place of rows if X A = I is solved. */
static struct lava_device_matrix part_of(const struct task *task, struct range rows, struct range columns) {
    return task->triangle->by_columns ? block_of(task, columns, rows) : block_of(task, rows, columns);
}

/* What the triangle of a range does to the rectangle of these rows and columns. */
static struct lava_device_solve with_triangle(const struct task *task, struct range triangle,
                                              struct range rows, struct range columns) {
    const struct lava_device_triangle *whole = task->triangle;
    return (struct lava_device_solve){.a = block_of(task, triangle, triangle),
                                      .b = part_of(task, rows, columns),
                                      .stored = whole->stored,
                                      .unit_diagonal = whole->unit_diagonal,
                                      .alpha.real = 1,
                                      .chain = LAVA_CHAIN_OF_FACTORS,
                                      .precision = whole->precision,
                                      .overrides = whole->overrides};
}

/* Columns of X that are finished when the rows of a range are found: those before it, or after it. */
static struct range known_beside(const struct task *task, struct range range) {
    int64_t end = range.first + range.size;
    return task->from_end ? (struct range){end, task->triangle->a.rows - end}
                          : (struct range){0, range.first};
}

/* These rows, which hold their sums of products with X, <- the solution with their block, with the sign of X.
 */
static enum lava_status solve_known(const struct task *task, struct range range, struct range known) {
    struct lava_device_solve solve = with_triangle(task, range, range, known);
    solve.a_on_right = task->triangle->by_columns;
    solve.alpha.real = -1;
    return known.size > 0 ? lava_device_solve(task->stream, &solve) : LAVA_OK;
}

/* These rows of the known columns <- themselves, plus what the finished rows contribute. */
static enum lava_status add_known(const struct task *task, struct range rows, struct range done,
                                  struct range known) {
    bool by_columns = task->triangle->by_columns;
    const struct lava_device_matrix factor = part_of(task, rows, done), found = part_of(task, done, known);
    const struct lava_device_product product = {.a = by_columns ? found : factor,
                                                .b = by_columns ? factor : found,
                                                .c = part_of(task, rows, known),
                                                .alpha.real = 1,
                                                .beta.real = 1,
                                                .chain = LAVA_CHAIN_OF_FACTORS,
                                                .precision = task->triangle->precision,
                                                .overrides = task->triangle->overrides};
    return known.size > 0 ? lava_device_product(task->stream, &product) : LAVA_OK;
}

/* Finds the rows of a range. In the known columns they hold what A's rows contribute there. */
static enum lava_status invert(const struct task *task, struct range range) {
    const struct range known = known_beside(task, range);
    enum lava_status status;
    if (range.size <= LAVA_SOLVE_ORDER) {
        status = solve_known(task, range, known);
        return status ? status : invert_block(task, range);
    }
    struct range high, low = halve(range, &high);
    const struct range done = task->from_end ? high : low, rest = task->from_end ? low : high;
    struct lava_device_solve product = with_triangle(task, done, rest, done);
    product.a_on_right = !task->triangle->by_columns;
    status = invert(task, done);
    status = status ? status : add_known(task, rest, done, known);
    status = status ? status : lava_device_multiply_triangle(task->stream, &product);
    return status ? status : invert(task, rest);
}

/* target <- a triangle, with zeros in the other one. */
static enum lava_status fill(struct lava_stream *stream, const struct lava_pipeline *pipeline,
                             const struct lava_device_matrix *source, enum lava_region stored,
                             const struct lava_device_matrix *target) {
    uint32_t words = (uint32_t)lava_type_bytes(source->type) / 4;
    const struct lava_square_constants constants = {
        .source = lava_device_matrix_address(source),
        .target = lava_device_matrix_address(target),
        .source_ld = (uint32_t)source->ld,
        .target_ld = (uint32_t)target->ld,
        .size = (uint32_t)source->rows,
        .element_words = words,
        .part_words = lava_type_is_complex(source->type) ? words / 2 : words,
        .structure = LAVA_STRUCTURE_TRIANGULAR,
        .stored = (uint32_t)stored};
    struct lava_commands commands;
    struct lava_point done;
    enum lava_status status = lava_stream_begin(stream, &commands);
    if (status)
        return status;
    lava_queue_barrier_dispatch(stream->device, &commands);
    lava_queue_dispatch(stream->device, &commands, pipeline, &constants, sizeof constants,
                        (constants.size + LAVA_ELEMENT_ROWS - 1) / LAVA_ELEMENT_ROWS,
                        (constants.size + LAVA_ELEMENT_COLUMNS - 1) / LAVA_ELEMENT_COLUMNS);
    return lava_stream_submit(stream, &stream->uploaded, &done);
}

/* A's block <- beta times it, plus X^H X for a lower triangle or what is below it; X X^H for an upper one. */
static enum lava_status add_square(const struct task *task, struct range range,
                                   const struct lava_device_matrix *x, double beta) {
    bool is_upper = task->is_upper, is_complex = task->is_complex;
    const struct lava_device_product product = {.a = *x,
                                                .b = *x,
                                                .c = block_of(task, range, range),
                                                .op_a = is_upper ? LAVA_OP_N : LAVA_OP_T,
                                                .op_b = is_upper ? LAVA_OP_T : LAVA_OP_N,
                                                .conjugate_a = is_complex && !is_upper,
                                                .conjugate_b = is_complex && is_upper,
                                                .alpha.real = 1,
                                                .beta.real = beta,
                                                .region = task->triangle->stored,
                                                .real_diagonal = is_complex,
                                                .chain = LAVA_CHAIN_OF_FACTORS,
                                                .precision = task->triangle->precision,
                                                .overrides = task->triangle->overrides};
    return lava_device_product(task->stream, &product);
}

static enum lava_status square_block(const struct task *task, struct range range) {
    const struct lava_device_matrix a = block_of(task, range, range),
                                    filled =
                                        lava_device_matrix_block(task->work, 0, range.size, 0, range.size);
    enum lava_status status = fill(task->stream, task->pipeline, &a, task->triangle->stored, &filled);
    return status ? status : add_square(task, range, &filled, 0);
}

/* L21 <- L22^H L21, or U12 <- U12 U22^H. */
static enum lava_status scale_beside(const struct task *task, struct range low, struct range high) {
    struct lava_device_solve product =
        task->is_upper ? with_triangle(task, high, low, high) : with_triangle(task, high, high, low);
    product.a_on_right = task->is_upper;
    product.op = LAVA_OP_T;
    product.conjugate = task->is_complex;
    return lava_device_multiply_triangle(task->stream, &product);
}

static enum lava_status square(const struct task *task, struct range range) {
    if (range.size <= LAVA_INVERSE_SQUARE)
        return square_block(task, range);
    struct range high, low = halve(range, &high);
    const struct lava_device_matrix beside =
        task->is_upper ? block_of(task, low, high) : block_of(task, high, low);
    enum lava_status status = square(task, low);
    status = status ? status : add_square(task, low, &beside, 1);
    status = status ? status : scale_beside(task, low, high);
    return status ? status : square(task, high);
}

static struct task task_of(struct lava_stream *stream, const struct lava_device_triangle *triangle) {
    return (struct task){.stream = stream,
                         .triangle = triangle,
                         .is_complex = lava_type_is_complex(triangle->a.type),
                         .is_upper = triangle->stored == LAVA_REGION_UPPER,
                         .from_end = (triangle->stored == LAVA_REGION_UPPER) != triangle->by_columns};
}

static bool is_valid(const struct task *task) {
    const struct lava_device_matrix *a = &task->triangle->a;
    return lava_solve_fits(&task->stream->engine->capabilities, a->type) && a->rows == a->columns &&
           task->triangle->stored != LAVA_REGION_ALL && lava_device_matrix_is_aligned(a);
}

enum lava_status lava_device_invert(struct lava_stream *stream, const struct lava_device_triangle *triangle) {
    const struct lava_device_matrix *a = &triangle->a;
    struct task task = task_of(stream, triangle);
    if (stream->failure)
        return stream->failure;
    if (!is_valid(&task))
        return LAVA_ERROR_UNAVAILABLE;
    if (a->rows == 0)
        return LAVA_OK;
    double flops = (double)a->rows * LAVA_SOLVE_ORDER * LAVA_SOLVE_ORDER / 3;
    lava_stream_expect(stream, (task.is_complex ? 4 : 1) * flops / BLOCK_FLOPS_PER_S);
    enum lava_status status = lava_pipelines_get_module(
        stream->device, lava_module_of(LAVA_SHADER_INVERT, a->type), &task.pipeline);
    status = status ? status : invert(&task, (struct range){0, a->rows});
    return lava_stream_keep(stream, status ? status : lava_stream_end_step(stream));
}

int64_t lava_device_square_order(int64_t n) {
    return lava_minimum(n, LAVA_INVERSE_SQUARE);
}

enum lava_status lava_device_square(struct lava_stream *stream, const struct lava_device_triangle *triangle,
                                    const struct lava_device_matrix *work) {
    const struct lava_device_matrix *a = &triangle->a;
    struct task task = task_of(stream, triangle);
    int64_t order = lava_device_square_order(a->rows);
    task.work = work;
    if (stream->failure)
        return stream->failure;
    if (!is_valid(&task) || triangle->unit_diagonal || triangle->by_columns || work->type != a->type ||
        work->rows < order || work->columns < order || !lava_device_matrix_is_aligned(work) ||
        lava_device_matrix_overlap(a, work))
        return LAVA_ERROR_UNAVAILABLE;
    if (a->rows == 0)
        return LAVA_OK;
    enum lava_status status = lava_pipelines_get_module(stream->device, LAVA_MODULE_SQUARE, &task.pipeline);
    status = status ? status : square(&task, (struct range){0, a->rows});
    return lava_stream_keep(stream, status ? status : lava_stream_end_step(stream));
}

/* target <- a stored triangle, with zeros in the other one. Both are square, of one size and type, and do not
 * overlap. Returns what lava_device_invert returns. */
static enum lava_status fill_triangle(struct lava_stream *stream, const struct lava_device_matrix *source,
                                      enum lava_region stored, const struct lava_device_matrix *target) {
    const struct lava_pipeline *pipeline;
    int64_t n = source->rows;
    if (stream->failure)
        return stream->failure;
    if (!lava_solve_fits(&stream->engine->capabilities, source->type) || source->columns != n ||
        target->type != source->type || target->rows != n || target->columns != n ||
        lava_device_matrix_overlap(source, target))
        return LAVA_ERROR_UNAVAILABLE;
    if (n == 0)
        return LAVA_OK;
    enum lava_status status = lava_pipelines_get_module(stream->device, LAVA_MODULE_SQUARE, &pipeline);
    status = status ? status : fill(stream, pipeline, source, stored, target);
    return lava_stream_keep(stream, status ? status : lava_stream_end_step(stream));
}

enum lava_status lava_device_invert_lu(struct lava_stream *stream,
                                       const struct lava_device_inverse_lu *inverse) {
    const struct lava_device_matrix *a = &inverse->a, *x = &inverse->x;
    const struct lava_device_triangle upper = {.a = *a,
                                               .stored = LAVA_REGION_UPPER,
                                               .by_columns = true,
                                               .precision = inverse->precision,
                                               .overrides = inverse->overrides};
    const struct lava_device_solve solve = {.a = *a,
                                            .b = *x,
                                            .a_on_right = true,
                                            .stored = LAVA_REGION_LOWER,
                                            .unit_diagonal = true,
                                            .alpha.real = 1,
                                            .chain = LAVA_CHAIN_OF_FACTORS,
                                            .precision = inverse->precision,
                                            .overrides = inverse->overrides};
    if (stream->failure)
        return stream->failure;
    if (x->type != a->type || x->rows != a->rows || x->columns != a->columns ||
        !lava_device_matrix_is_aligned(x) || lava_device_matrix_overlap(a, x))
        return LAVA_ERROR_UNAVAILABLE;
    enum lava_status status = lava_device_invert(stream, &upper);
    if (status || a->rows == 0)
        return status;
    status = fill_triangle(stream, a, LAVA_REGION_UPPER, x);
    status = status ? status : lava_device_solve(stream, &solve);
    return lava_stream_keep(stream, status);
}
