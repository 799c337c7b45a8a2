/* Multiplies by a tridiagonal form's reflections, block by block. Called by eigen_runner.c.
 *
 *     lower                        upper
 *     d                            d e v v
 *     e d                            d e v     v of reflection r: 1 in row r + 1 and below it in column r,
 *     v e d                            d e     or 1 in row r and above it in column r + 1
 *     v v e d                            d     Q = H0 H1 ..., or ... H1 H0
 *
 * The last block of a lower triangle's reflections comes first, and the first one of an upper triangle's,
 * whose own last reflection is V's first column: so both are products H H' ... in the order of V's columns.
 *
 * Invariant: V begins in a row that is a multiple of LAVA_QR_BLOCK, so what it multiplies is aligned if C is.
 * Rows that its reflections do not reach are zeros. */
#include "lib/lapack/device_tridiagonal_q.h"

#include <assert.h>

#include "dispatch/arithmetic.h"
#include "dispatch/eigen.h"
#include "lib/lapack/device_reflectors.h"

static_assert(sizeof(struct lava_tridiagonal_reflectors_constants) <= 128, "every device has room for them");
static_assert(sizeof(struct lava_expand_constants) <= 128, "every device has room for 128 bytes");

struct task {
    struct lava_reflectors reflectors;
    const struct lava_device_tridiagonal_q *q;
    const struct lava_pipeline *copies;
};

int64_t lava_device_tridiagonal_q_work_elements(enum lava_type type, int64_t order, int64_t columns) {
    return lava_reflectors_work_elements(type, order, columns);
}

static bool is_upper(const struct task *task) {
    return task->q->stored == LAVA_REGION_UPPER;
}

/* Reflections [from, from + count), and the rows of C that they reach. */
struct block {
    int64_t from, count, row, rows;
};

static struct block block_at(const struct task *task, int64_t from) {
    int64_t n = task->q->a.rows, count = lava_minimum(LAVA_QR_BLOCK, n - 1 - from);
    if (is_upper(task))
        return (struct block){.from = from, .count = count, .row = 0, .rows = from + count};
    return (struct block){.from = from, .count = count, .row = from, .rows = n - from};
}

static uint32_t groups_of(int64_t rows, int64_t columns) {
    int64_t strips = (rows - 1) / LAVA_REFLECTORS_INVOCATIONS + 1;
    return (uint32_t)lava_minimum(strips * columns, INT32_MAX);
}

/* V <- the block's reflections. */
static enum lava_status copy(const struct task *task, const struct block *block) {
    const struct lava_device_matrix *a = &task->q->a, *v = &task->reflectors.work.v;
    bool is_wide = lava_type_real(a->type) == LAVA_TYPE_FP64, turns = is_upper(task);
    int64_t column = turns ? block->from + block->count : block->from;
    const struct lava_device_matrix source = lava_device_matrix_block(a, block->row, block->rows, column, 1);
    const struct lava_tridiagonal_reflectors_constants constants = {
        .source = lava_device_matrix_address(&source),
        .v = lava_device_matrix_address(v),
        .column_step = (int32_t)(turns ? -a->ld : a->ld),
        .ldv = (uint32_t)v->ld,
        .rows = (uint32_t)block->rows,
        .columns = (uint32_t)block->count,
        .one = (int32_t)(turns ? column - 1 : 1),
        .one_step = turns ? -1 : 1,
        .element_words = (uint32_t)lava_type_bytes(a->type) / 4,
        .one_word = is_wide ? 1 : 0,
        .one_bits = is_wide ? 0x3ff00000 : 0x3f800000};
    return lava_stream_dispatch(task->reflectors.stream, task->copies, &constants, sizeof constants,
                                groups_of(block->rows, block->count));
}

static enum lava_status apply(const struct task *task, int64_t from) {
    const struct lava_reflectors *reflectors = &task->reflectors;
    const struct lava_device_matrix *c = &task->q->c;
    const struct block block = block_at(task, from);
    const struct lava_reflectors_block both = {
        .v = lava_device_matrix_block(&reflectors->work.v, 0, block.rows, 0, block.count),
        .t = lava_device_matrix_block(&reflectors->work.t, 0, block.count, 0, block.count)};
    const struct lava_device_matrix part = lava_device_matrix_block(c, block.row, block.rows, 0, c->columns);
    enum lava_status status = copy(task, &block);
    status = status ? status : lava_reflectors_triangle(reflectors, from, block.count, block.rows);
    return status ? status : lava_reflectors_apply(reflectors, &both, &part);
}

static bool is_valid(const struct lava_stream *stream, const struct lava_device_tridiagonal_q *q) {
    const struct lava_device_matrix *a = &q->a, *c = &q->c;
    int64_t elements = lava_device_tridiagonal_q_work_elements(a->type, a->rows, c->columns);
    return lava_eigen_fits(&stream->engine->capabilities, a->type) && a->rows == a->columns &&
           q->stored != LAVA_REGION_ALL && c->type == a->type && c->rows == a->rows &&
           lava_device_matrix_is_aligned(a) && lava_device_matrix_is_aligned(c) &&
           lava_device_matrix_is_vector(&q->form, a->type, a->rows) &&
           lava_device_matrix_is_vector(&q->work, a->type, elements) && !lava_device_matrix_overlap(a, c) &&
           !lava_device_matrix_overlap(a, &q->work) && !lava_device_matrix_overlap(c, &q->work) &&
           !lava_device_matrix_overlap(&q->form, &q->work);
}

enum lava_status lava_device_tridiagonal_multiply(struct lava_stream *stream,
                                                  const struct lava_device_tridiagonal_q *q) {
    struct task task = {.q = q};
    if (stream->failure)
        return stream->failure;
    if (!is_valid(stream, q))
        return LAVA_ERROR_UNAVAILABLE;
    if (q->a.rows < 2 || q->c.columns == 0)
        return LAVA_OK;
    task.reflectors = (struct lava_reflectors){.stream = stream,
                                               .tau = q->form,
                                               .descends = is_upper(&task),
                                               .work = lava_reflectors_cut(&q->work, q->a.rows, q->c.columns),
                                               .precision = q->precision,
                                               .overrides = q->overrides};
    enum lava_status status = lava_reflectors_begin(&task.reflectors, q->a.type);
    status =
        status ? status
               : lava_pipelines_get_module(stream->device, LAVA_MODULE_TRIDIAGONAL_REFLECTORS, &task.copies);
    int64_t last = (q->a.rows - 2) / LAVA_QR_BLOCK * LAVA_QR_BLOCK;
    for (int64_t at = 0; at <= last && !status; at += LAVA_QR_BLOCK)
        status = apply(&task, is_upper(&task) ? at : last - at);
    return lava_stream_keep(stream, status ? status : lava_stream_flush(stream));
}

enum lava_status lava_device_expand(struct lava_stream *stream, const struct lava_device_matrix *real,
                                    const struct lava_device_matrix *c) {
    const struct lava_pipeline *pipeline = NULL;
    if (stream->failure)
        return stream->failure;
    if (lava_type_is_complex(real->type) || lava_type_facts(real->type)->complex_type != c->type ||
        real->rows != c->rows || real->columns != c->columns || lava_device_matrix_overlap(real, c))
        return LAVA_ERROR_UNAVAILABLE;
    const struct lava_expand_constants constants = {.source = lava_device_matrix_address(real),
                                                    .target = lava_device_matrix_address(c),
                                                    .ld = (uint32_t)real->ld,
                                                    .ldt = (uint32_t)c->ld,
                                                    .rows = (uint32_t)c->rows,
                                                    .columns = (uint32_t)c->columns,
                                                    .number_words =
                                                        (uint32_t)lava_type_bytes(real->type) / 4};
    enum lava_status status = lava_pipelines_get_module(stream->device, LAVA_MODULE_EXPAND, &pipeline);
    status = status ? status
                    : lava_stream_dispatch(stream, pipeline, &constants, sizeof constants,
                                           groups_of(c->rows, c->columns));
    return lava_stream_keep(stream, status);
}
