/* Halves the columns of a matrix down to panels (panel.h). Between them are row swaps by
 * shaders/swap_rows.comp, the solves of device_solve.c and the products of device_matrix.c. Called by whoever
 * works on matrices on the device.
 *
 * Invariant: blocks begin at multiples of LAVA_LU_PANEL, so they are aligned if A is. */
#include "lib/lapack/device_lu.h"

#include <assert.h>

#include "dispatch/arithmetic.h"
#include "dispatch/solve.h"
#include "lib/engine/engine.h"
#include "lib/lapack/device_solve.h"
#include "lib/lapack/panel.h"

/* A wait may last longer by the time that panels and swaps take at these rates. A processor's core reaches
 * them. */
#define PANEL_FLOPS_PER_S   1e9
#define SWAPPED_WORDS_PER_S 1e8
#define STEPS_PER_S         1e4

static_assert(sizeof(struct lava_swap_constants) <= 128, "every device has room for 128 bytes");

/* What the parts of a factorization have in common. */
struct task {
    struct lava_stream *stream;
    const struct lava_device_lu *lu;
    const struct lava_pipeline *swap;
    struct lava_panels panels;
};

static enum lava_status swap_rows(struct lava_stream *stream, const struct lava_pipeline *pipeline,
                                  const struct lava_device_swap *swap) {
    uint32_t words = (uint32_t)lava_type_bytes(swap->a.type) / 4;
    uint32_t each = LAVA_SWAP_INVOCATIONS / (2 * LAVA_SWAP_PIVOTS * words) * LAVA_SWAP_BATCH;
    const struct lava_swap_constants constants = {.a = lava_device_matrix_address(&swap->a),
                                                  .pivots = lava_device_matrix_address(&swap->pivots),
                                                  .ld = (uint32_t)swap->a.ld,
                                                  .columns = (uint32_t)swap->a.columns,
                                                  .first = (uint32_t)swap->first,
                                                  .count = (uint32_t)swap->count,
                                                  .backwards = swap->backwards,
                                                  .element_words = words};
    return lava_stream_dispatch(stream, pipeline, &constants, sizeof constants,
                                (constants.columns - 1) / each + 1);
}

/* Applies the swaps of pivots [from, from + count) to columns [column, column + columns). */
static enum lava_status apply(const struct task *task, int64_t from, int64_t count, int64_t column,
                              int64_t columns) {
    const struct lava_device_lu *lu = task->lu;
    const struct lava_device_swap swap = {
        .a = lava_device_matrix_block(&lu->a, 0, lu->a.rows, column, columns),
        .pivots = lu->pivots,
        .first = from,
        .count = count};
    return swap_rows(task->stream, task->swap, &swap);
}

/* Columns [column, column + columns) of rows [from, from + count) <- U's block; the rows below, less what L's
 * columns [from, from + count) contribute. Their rows are swapped already. */
static enum lava_status update(const struct task *task, int64_t from, int64_t count, int64_t column,
                               int64_t columns) {
    const struct lava_device_matrix *a = &task->lu->a;
    int64_t below = from + count, rows = a->rows - below;
    const struct lava_device_solve solve = {.a = lava_device_matrix_block(a, from, count, from, count),
                                            .b = lava_device_matrix_block(a, from, count, column, columns),
                                            .stored = LAVA_REGION_LOWER,
                                            .unit_diagonal = true,
                                            .alpha.real = 1,
                                            .chain = LAVA_CHAIN_OF_FACTORS,
                                            .precision = task->lu->precision,
                                            .overrides = task->lu->overrides};
    enum lava_status status = lava_device_solve(task->stream, &solve);
    if (status || rows == 0)
        return status;
    const struct lava_device_product product = {.a = lava_device_matrix_block(a, below, rows, from, count),
                                                .b = solve.b,
                                                .c =
                                                    lava_device_matrix_block(a, below, rows, column, columns),
                                                .alpha.real = -1,
                                                .beta.real = 1,
                                                .chain = LAVA_CHAIN_OF_FACTORS,
                                                .precision = task->lu->precision,
                                                .overrides = task->lu->overrides};
    return lava_device_product(task->stream, &product);
}

int64_t lava_device_lu_work_words(enum lava_type type, int64_t rows) {
    return lava_panels_lu_bytes(type, rows) / 4;
}

/* Columns [from, from + count) from row `from` on <- their L and U; and their pivots. At most LAVA_LU_PANEL
 * columns. */
static enum lava_status factor_panel(struct task *task, int64_t from, int64_t count) {
    const struct lava_device_lu *lu = task->lu;
    int64_t rows = lu->a.rows - from;
    const struct lava_device_matrix block = lava_device_matrix_block(&lu->a, from, rows, from, count);
    const struct lava_panel_run run = lava_panel_next(&task->panels, rows, count);
    struct lava_lu_constants constants = {.a = lava_device_matrix_address(&block),
                                          .pivots =
                                              lava_device_matrix_address(&lu->pivots) + (uint64_t)from * 4,
                                          .work = run.work,
                                          .ld = (uint32_t)block.ld,
                                          .rows = (uint32_t)rows,
                                          .columns = (uint32_t)count,
                                          .first_row = (uint32_t)from,
                                          .panel = run.panel,
                                          .polls = run.polls};
    return lava_panel_dispatch(&task->panels, &run, &constants, sizeof constants, &constants.step);
}

/* Factors columns [from, from + count) from row `from` on. Rows above belong to U and stay. */
static enum lava_status factor(struct task *task, int64_t from, int64_t count) {
    if (count <= LAVA_LU_PANEL)
        return factor_panel(task, from, count);
    int64_t left = lava_blocking_padded((count + 1) / 2, LAVA_LU_PANEL), right = count - left;
    enum lava_status status = factor(task, from, left);
    status = status ? status : apply(task, from, left, from + left, right);
    status = status ? status : update(task, from, left, from + left, right);
    status = status ? status : factor(task, from + left, right);
    return status ? status : apply(task, from + left, right, from, left);
}

/* Returns whether the matrix is a vector of at least `words` words. */
static bool has_words(const struct lava_device_matrix *matrix, int64_t words) {
    return matrix->type == LAVA_TYPE_FP32 && matrix->columns == 1 && matrix->rows >= words &&
           lava_device_matrix_is_aligned(matrix);
}

static bool is_valid(const struct lava_device_lu *lu) {
    const struct lava_device_matrix *a = &lu->a;
    return lava_device_matrix_is_aligned(a) && has_words(&lu->pivots, lava_minimum(a->rows, a->columns)) &&
           has_words(&lu->work, lava_device_lu_work_words(a->type, a->rows)) &&
           !lava_device_matrix_overlap(a, &lu->pivots) && !lava_device_matrix_overlap(a, &lu->work) &&
           !lava_device_matrix_overlap(&lu->pivots, &lu->work);
}

static void expect(struct lava_stream *stream, const struct lava_device_matrix *a) {
    double m = (double)a->rows, n = (double)a->columns, k = m < n ? m : n;
    double words = (double)lava_type_bytes(a->type) / 4, flops = LAVA_LU_PANEL * m * k;
    lava_stream_expect(stream, (lava_type_is_complex(a->type) ? 4 : 1) * flops / PANEL_FLOPS_PER_S +
                                   words * k * n / SWAPPED_WORDS_PER_S + k / STEPS_PER_S);
}

enum lava_status lava_device_lu(struct lava_stream *stream, const struct lava_device_lu *lu) {
    const struct lava_device_matrix *a = &lu->a;
    struct task task = {.stream = stream,
                        .lu = lu,
                        .panels = {.stream = stream,
                                   .kind = LAVA_PANEL_LU,
                                   .type = a->type,
                                   .rows = a->rows,
                                   .work = lava_device_matrix_address(&lu->work)}};
    if (stream->failure)
        return stream->failure;
    if (!lava_solve_fits(&stream->engine->capabilities, a->type) || !is_valid(lu))
        return LAVA_ERROR_UNAVAILABLE;
    if (a->rows == 0 || a->columns == 0)
        return LAVA_OK;
    int64_t order = lava_minimum(a->rows, a->columns), rest = a->columns - order;
    expect(stream, a);
    enum lava_status status = lava_pipelines_get_module(stream->device, LAVA_MODULE_SWAP_ROWS, &task.swap);
    status = status ? status : lava_panel_open(&task.panels, order);
    status = status ? status : factor(&task, 0, order);
    if (rest > 0) {
        status = status ? status : apply(&task, 0, order, order, rest);
        status = status ? status : update(&task, 0, order, order, rest);
    }
    return lava_stream_keep(stream, status ? status : lava_stream_end_step(stream));
}

enum lava_status lava_device_lu_check(struct lava_device *device, const uint32_t *pivots, int64_t count) {
    int64_t i = 0;
    while (i < count && pivots[i] > i && !(pivots[i] & LAVA_LU_TOO_SMALL))
        i++;
    if (i < count && (pivots[i] & LAVA_LU_TOO_SMALL))
        return LAVA_ERROR_UNDERFLOW;
    return i == count ? LAVA_OK : lava_panel_stalled(device);
}

enum lava_status lava_device_swap_rows(struct lava_stream *stream, const struct lava_device_swap *swap) {
    const struct lava_device_matrix *a = &swap->a;
    const struct lava_pipeline *pipeline;
    int64_t end = swap->first + swap->count;
    if (stream->failure)
        return stream->failure;
    if (lava_type_is_half(a->type) || swap->first < 0 || swap->count < 0 || end > a->rows ||
        !has_words(&swap->pivots, end) || lava_device_matrix_overlap(a, &swap->pivots) ||
        !lava_device_matrix_is_aligned(a))
        return LAVA_ERROR_UNAVAILABLE;
    if (swap->count == 0 || a->columns == 0)
        return LAVA_OK;
    lava_stream_expect(stream, (double)lava_type_bytes(a->type) / 4 * (double)swap->count *
                                   (double)a->columns / SWAPPED_WORDS_PER_S);
    enum lava_status status = lava_pipelines_get_module(stream->device, LAVA_MODULE_SWAP_ROWS, &pipeline);
    status = status ? status : swap_rows(stream, pipeline, swap);
    return lava_stream_keep(stream, status ? status : lava_stream_end_step(stream));
}
