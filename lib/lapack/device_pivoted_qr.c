/* Factors with column pivoting, block by block, each column with three dispatches. Called by
 * pivoted_qr_runner.c.
 *
 *        fixed    block       The first block ends at a multiple of LAVA_PIVOTED_BLOCK, and so do the others.
 *     +-------+----+------+
 *     |  R    | R  |  R   |   Invariant: the rest of the matrix, F's rows for its columns, and V's rows for
 *     |       +----+------+   its rows are aligned if A is.
 *     |  V    | V  | rest |
 *     +-------+----+------+ */
#include "lib/lapack/device_pivoted_qr.h"

#include <assert.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "dispatch/pivoted_qr.h"
#include "lib/lapack/device_arrange.h"
#include "lib/lapack/device_qr.h"
#include "lib/lapack/form_check.h"
#include "shaders/interface.h"

/* A wait may last longer by the time that a column takes at this rate, by all that it reads. A processor's
 * core reaches it. */
#define COLUMN_BYTES_PER_S 1e8
#define STEPS_PER_S        1e4

#define BLOCK ((int64_t)LAVA_PIVOTED_BLOCK)
/* Rows of a finished column that an invocation writes. */
#define ROWS_EACH 8

static_assert(sizeof(struct lava_pivoted_constants) <= 128, "every device has room for 128 bytes");
static_assert(LAVA_PIVOTED_INVOCATIONS % LAVA_PIVOTED_ROWS == 0 &&
                  LAVA_PIVOTED_INVOCATIONS % LAVA_PIVOTED_COLUMNS == 0 &&
                  LAVA_PIVOTED_INVOCATIONS % LAVA_PIVOTED_BLOCK == 0 &&
                  LAVA_PIVOTED_TILE_COLUMNS % LAVA_PIVOTED_BLOCK == 0 && LAVA_PIVOTED_COLUMNS <= 32,
              "shaders/pivoted.glsl");

/* The steps of a column, each of which has its own shader. */
enum step { COLUMN, TILES, FINISH, STEPS };
static const enum lava_shader shaders[STEPS] = {LAVA_SHADER_PIVOTED_COLUMN, LAVA_SHADER_PIVOTED_TILES,
                                                LAVA_SHADER_PIVOTED_FINISH};

struct task {
    struct lava_stream *stream;
    const struct lava_device_pivoted_qr *pivoted;
    struct lava_device_matrix f;
    int64_t order; /* reflections */
    const struct lava_pipeline *pipelines[STEPS];
    struct lava_pivoted_constants constants;
};

/* How many parts of that size there are. */
static int64_t parts_of(int64_t size, int64_t part) {
    return size > 0 ? (size - 1) / part + 1 : 0;
}

static int64_t ldf_of(int64_t columns) {
    return parts_of(columns, LAVA_PIVOTED_TILE_COLUMNS) * LAVA_PIVOTED_TILE_COLUMNS;
}

/* As shaders/pivoted.glsl lays it out; or the scratch of fixed columns, in turn. */
int64_t lava_device_pivoted_qr_work_elements(enum lava_type type, int64_t rows, int64_t columns) {
    int64_t m = lava_maximum(rows, 1), n = lava_maximum(columns, 1), ld = ldf_of(n);
    int64_t groups = parts_of(m, LAVA_PIVOTED_ROWS), tiles = parts_of(m, LAVA_PIVOTED_TILE_ROWS);
    int64_t key_elements = LAVA_PIVOTED_KEY_BYTES / (int64_t)lava_type_bytes(type);
    int64_t own = ld * BLOCK + groups * LAVA_PIVOTED_ROWS + tiles * ld + groups + 2 * ld +
                  (groups + ld / LAVA_PIVOTED_COLUMNS) * key_elements;
    return lava_maximum(own, lava_device_qr_work_elements(type, m, n));
}

static enum lava_status dispatch(struct task *task, enum step step, int64_t groups) {
    return lava_stream_dispatch(task->stream, task->pipelines[step], &task->constants, sizeof task->constants,
                                (uint32_t)lava_minimum(groups, INT32_MAX));
}

/* The columns after that one, and the rows from it on. */
static enum lava_status finish(struct task *task, int64_t column, uint32_t flags) {
    const struct lava_device_matrix *a = &task->pivoted->a;
    int64_t before = (column + 1) / LAVA_PIVOTED_COLUMNS,
            columns = parts_of(a->columns, LAVA_PIVOTED_COLUMNS) - before,
            rows = parts_of(a->rows - column, LAVA_PIVOTED_INVOCATIONS * ROWS_EACH);
    task->constants.column = (uint32_t)column;
    task->constants.flags = flags;
    return dispatch(task, FINISH, flags & LAVA_PIVOTED_MEASURES ? columns : lava_maximum(columns, rows));
}

static enum lava_status factor_column(struct task *task, int64_t block, int64_t column) {
    const struct lava_device_matrix *a = &task->pivoted->a;
    int64_t tiles = parts_of(a->rows, LAVA_PIVOTED_TILE_ROWS) - (column + 1) / LAVA_PIVOTED_TILE_ROWS,
            columns = parts_of(a->columns, LAVA_PIVOTED_TILE_COLUMNS) - block / LAVA_PIVOTED_TILE_COLUMNS;
    task->constants.column = (uint32_t)column;
    enum lava_status status = dispatch(task, COLUMN, parts_of(a->rows, LAVA_PIVOTED_ROWS));
    if (!status && column + 1 < a->rows && column + 1 < a->columns)
        status = dispatch(task, TILES, tiles * columns);
    return status ? status : finish(task, column, 0);
}

/* What is left of the matrix after the block <- itself - V F^H. */
static enum lava_status update(const struct task *task, int64_t block, int64_t end) {
    const struct lava_device_pivoted_qr *pivoted = task->pivoted;
    const struct lava_device_matrix *a = &pivoted->a;
    int64_t rows = a->rows - end, columns = a->columns - end;
    const struct lava_device_product product = {
        .a = lava_device_matrix_block(a, end, rows, block, end - block),
        .b = lava_device_matrix_block(&task->f, end, columns, 0, end - block),
        .c = lava_device_matrix_block(a, end, rows, end, columns),
        .op_b = LAVA_OP_T,
        .conjugate_b = lava_type_is_complex(a->type),
        .alpha.real = -1,
        .beta.real = 1,
        .precision = pivoted->precision,
        .overrides = pivoted->overrides};
    return lava_device_product(task->stream, &product);
}

static enum lava_status factor_block(struct task *task, int64_t block, int64_t end) {
    enum lava_status status = LAVA_OK;
    task->constants.block = (uint32_t)block;
    for (int64_t column = block; column < end && !status; column++)
        status = factor_column(task, block, column);
    return status || end == task->order ? status : update(task, block, end);
}

/* Columns that stay are factored as they are, and the others become Q^H times them. */
static enum lava_status factor_fixed(const struct task *task) {
    const struct lava_device_pivoted_qr *pivoted = task->pivoted;
    int64_t fixed = lava_minimum(pivoted->fixed, task->order);
    const struct lava_device_qr qr = {.a = pivoted->a,
                                      .beside = pivoted->a.columns - fixed,
                                      .tau = lava_device_matrix_block(&pivoted->form, 0, fixed, 0, 1),
                                      .work = pivoted->work,
                                      .precision = pivoted->precision,
                                      .overrides = pivoted->overrides};
    return fixed > 0 ? lava_device_qr(task->stream, &qr) : LAVA_OK;
}

static bool is_valid(const struct lava_stream *stream, const struct lava_device_pivoted_qr *pivoted) {
    const struct lava_device_matrix *a = &pivoted->a;
    int64_t order = lava_minimum(a->rows, a->columns);
    return lava_pivoted_qr_fits(&stream->engine->capabilities, a->type) && lava_device_matrix_is_aligned(a) &&
           lava_device_matrix_is_vector(&pivoted->form, a->type, 3 * order) &&
           lava_device_matrix_is_vector(&pivoted->work, a->type,
                                        lava_device_pivoted_qr_work_elements(a->type, a->rows, a->columns)) &&
           !lava_device_matrix_overlap(a, &pivoted->form) && !lava_device_matrix_overlap(a, &pivoted->work) &&
           !lava_device_matrix_overlap(&pivoted->form, &pivoted->work);
}

static enum lava_status begin(struct task *task) {
    const struct lava_device_pivoted_qr *pivoted = task->pivoted;
    const struct lava_device_matrix *a = &pivoted->a;
    double elements = (double)a->rows * (double)a->columns, order = (double)task->order;
    lava_stream_expect(task->stream,
                       elements * order * (double)lava_type_bytes(a->type) / COLUMN_BYTES_PER_S +
                           order / STEPS_PER_S);
    task->f = pivoted->work;
    task->f.rows = task->f.ld = ldf_of(a->columns);
    task->f.columns = BLOCK;
    task->constants = (struct lava_pivoted_constants){.a = lava_device_matrix_address(a),
                                                      .form = lava_device_matrix_address(&pivoted->form),
                                                      .work = lava_device_matrix_address(&pivoted->work),
                                                      .ld = (uint32_t)a->ld,
                                                      .rows = (uint32_t)a->rows,
                                                      .columns = (uint32_t)a->columns,
                                                      .order = (uint32_t)task->order};
    enum lava_status status = LAVA_OK;
    for (int step = 0; step < STEPS && !status; step++)
        status = lava_pipelines_get_module(task->stream->device, lava_module_of(shaders[step], a->type),
                                           &task->pipelines[step]);
    return status;
}

enum lava_status lava_device_pivoted_qr(struct lava_stream *stream,
                                        const struct lava_device_pivoted_qr *pivoted) {
    struct task task = {
        .stream = stream, .pivoted = pivoted, .order = lava_minimum(pivoted->a.rows, pivoted->a.columns)};
    if (stream->failure)
        return stream->failure;
    if (!is_valid(stream, pivoted))
        return LAVA_ERROR_UNAVAILABLE;
    enum lava_status status = begin(&task);
    status = status ? status : factor_fixed(&task);
    if (!status && pivoted->fixed < task.order)
        status = finish(&task, pivoted->fixed - 1, LAVA_PIVOTED_MEASURES);
    for (int64_t block = pivoted->fixed, end; block < task.order && !status; block = end) {
        end = lava_minimum((block / BLOCK + 1) * BLOCK, task.order);
        status = factor_block(&task, block, end);
        status = status ? status : lava_stream_end_step(stream);
    }
    return lava_stream_keep(stream, status ? status : lava_stream_flush(stream));
}

static const void *form_at(enum lava_type type, const void *form, int64_t at) {
    return lava_operation_element((void *)(uintptr_t)form, type, at, 0, 1);
}

enum lava_status lava_device_pivoted_qr_check(struct lava_device *device, enum lava_type type,
                                              const void *form, int64_t order, int64_t fixed) {
    const struct lava_form_part parts[] = {{0, order, true}, {order + fixed, order - fixed, false}};
    enum lava_status status = lava_device_qr_check(device, type, form, lava_minimum(fixed, order));
    return status ? status : lava_form_check(type, form, parts, sizeof parts / sizeof parts[0]);
}

int64_t lava_device_pivoted_qr_pivot(enum lava_type type, const void *form, int64_t order, int64_t at) {
    uint32_t word;
    memcpy(&word, form_at(type, form, 2 * order + at), sizeof word);
    return word;
}

enum lava_status lava_device_pivoted_qr_swap(struct lava_stream *stream,
                                             const struct lava_device_pivoted_qr *pivoted, int64_t i,
                                             int64_t j) {
    const struct lava_device_matrix *a = &pivoted->a;
    struct lava_device_matrix kept = pivoted->work;
    kept.rows = a->rows;
    const struct lava_device_matrix one = lava_device_matrix_block(a, 0, a->rows, i, 1),
                                    other = lava_device_matrix_block(a, 0, a->rows, j, 1);
    const struct lava_device_arrange moves[] = {
        {.a = one, .b = kept, .s = 1}, {.a = other, .b = one, .s = 1}, {.a = kept, .b = other, .s = 1}};
    enum lava_status status = LAVA_OK;
    for (int move = 0; move < 3 && !status; move++)
        status = lava_device_arrange(stream, &moves[move]);
    return status;
}
