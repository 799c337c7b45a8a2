/* Reduces panel by panel: two kernels for each reflection, and a product for what is left of the matrix.
 * Called by bidiagonal_runner.c.
 *
 * Invariant: panels begin at multiples of LAVA_BIDIAGONAL_PANEL, so what is left of the matrix, and the rows
 * of L and R for it, are aligned if A is. */
#include "lib/lapack/device_bidiagonal.h"

#include <assert.h>

#include "dispatch/arithmetic.h"
#include "dispatch/bidiagonal.h"
#include "lib/lapack/form_check.h"
#include "shaders/interface.h"

/* A wait may last longer by the time that a column takes at this rate, by all that it reads. A processor's
 * core reaches it. */
#define COLUMN_BYTES_PER_S 1e8
#define STEPS_PER_S        1e4

#define PANEL ((int64_t)LAVA_BIDIAGONAL_PANEL)
#define PAIRS (2 * PANEL)

static_assert(sizeof(struct lava_bidiagonal_constants) <= 128, "every device has room for 128 bytes");
static_assert(LAVA_BIDIAGONAL_INVOCATIONS == LAVA_BIDIAGONAL_TILE_ROWS &&
                  LAVA_BIDIAGONAL_INVOCATIONS % LAVA_BIDIAGONAL_OTHERS == 0 &&
                  LAVA_BIDIAGONAL_INVOCATIONS % (2 * LAVA_BIDIAGONAL_PANEL) == 0 &&
                  LAVA_BIDIAGONAL_INVOCATIONS / 32 <= LAVA_BIDIAGONAL_TILE_COLUMNS &&
                  LAVA_BIDIAGONAL_TILE_ROWS % LAVA_BIDIAGONAL_TILE_COLUMNS == 0 &&
                  LAVA_BIDIAGONAL_TILE_COLUMNS % 32 == 0,
              "shaders/bidiagonal.glsl, bidiagonal_tiles.comp");

struct task {
    struct lava_stream *stream;
    const struct lava_device_bidiagonal *form;
    struct lava_device_matrix l, r;
    const struct lava_pipeline *tiles, *finish;
    struct lava_bidiagonal_constants constants;
};

static int64_t parts_of(int64_t size, int64_t part) {
    return size > 0 ? (size - 1) / part + 1 : 0;
}

/* Rows of L and R, whose columns are aligned as those of a matrix. */
static int64_t ld_of(int64_t size) {
    return parts_of(lava_maximum(size, 1), LAVA_BIDIAGONAL_TILE_ROWS) * LAVA_BIDIAGONAL_TILE_ROWS;
}

/* As shaders/bidiagonal.glsl lays it out. */
int64_t lava_device_bidiagonal_work_elements(enum lava_type type, int64_t rows, int64_t columns) {
    int64_t ldl = ld_of(rows), ldr = ld_of(columns), element = (int64_t)lava_type_bytes(type);
    int64_t sums = (ldl + ldr) / LAVA_BIDIAGONAL_OTHERS * (LAVA_BIDIAGONAL_SUM_BYTES / element),
            dots = ldl / LAVA_BIDIAGONAL_TILE_ROWS * PAIRS,
            products = ldr / LAVA_BIDIAGONAL_TILE_COLUMNS * ldl;
    return (ldl + ldr) * (PAIRS + 1) + sums + dots + products;
}

static enum lava_status dispatch(struct task *task, const struct lava_pipeline *pipeline, int64_t groups) {
    return lava_stream_dispatch(task->stream, pipeline, &task->constants, sizeof task->constants,
                                (uint32_t)lava_minimum(groups, INT32_MAX));
}

/* What the step finishes: rows of a right reflection and of the first step, columns of a left one. Some
 * workgroup writes the reflection, even if nothing is left. */
static enum lava_status finish(struct task *task, int64_t first, uint32_t flags) {
    const struct lava_device_matrix *a = &task->form->a;
    bool is_right = flags & LAVA_BIDIAGONAL_RIGHT;
    int64_t next = is_right ? first : first + 1,
            groups = parts_of(is_right ? a->rows : a->columns, LAVA_BIDIAGONAL_OTHERS) -
                     next / LAVA_BIDIAGONAL_OTHERS;
    task->constants.first = (uint32_t)first;
    task->constants.flags = flags;
    return dispatch(task, task->finish, lava_maximum(groups, 1));
}

/* The reflection whose vector begins there. */
static enum lava_status reflect(struct task *task, int64_t first, uint32_t flags) {
    const struct lava_device_matrix *a = &task->form->a;
    bool is_right = flags & LAVA_BIDIAGONAL_RIGHT;
    int64_t size = is_right ? a->columns : a->rows, below = first + 1, row = is_right ? first : below;
    int64_t pairs = parts_of(task->constants.pairs, LAVA_BIDIAGONAL_TILE_COLUMNS),
            lines = parts_of(size, LAVA_BIDIAGONAL_TILE_ROWS) - below / LAVA_BIDIAGONAL_TILE_ROWS,
            rows = parts_of(a->rows, LAVA_BIDIAGONAL_TILE_ROWS) - row / LAVA_BIDIAGONAL_TILE_ROWS,
            columns =
                parts_of(a->columns, LAVA_BIDIAGONAL_TILE_COLUMNS) - below / LAVA_BIDIAGONAL_TILE_COLUMNS;
    enum lava_status status = LAVA_OK;
    task->constants.first = (uint32_t)first;
    task->constants.flags = flags;
    if (below < size && (is_right || below < a->columns))
        status = dispatch(task, task->tiles, lines * pairs + rows * columns);
    status = status ? status : finish(task, first, flags);
    task->constants.pairs++;
    return status;
}

/* What is left of the matrix <- itself - L R^H. */
static enum lava_status update(const struct task *task, int64_t done) {
    const struct lava_device_bidiagonal *form = task->form;
    int64_t rows = form->a.rows - done, columns = form->a.columns - done;
    const struct lava_device_product product = {
        .a = lava_device_matrix_block(&task->l, done, rows, 0, PAIRS),
        .b = lava_device_matrix_block(&task->r, done, columns, 0, PAIRS),
        .c = lava_device_matrix_block(&form->a, done, rows, done, columns),
        .op_b = LAVA_OP_T,
        .conjugate_b = lava_type_is_complex(form->a.type),
        .alpha.real = -1,
        .beta.real = 1,
        .precision = form->precision,
        .overrides = form->overrides};
    return lava_device_product(task->stream, &product);
}

static enum lava_status reduce_panel(struct task *task, int64_t panel) {
    int64_t n = task->form->a.columns, end = lava_minimum(panel + PANEL, n);
    enum lava_status status = LAVA_OK;
    task->constants.pairs = 0;
    for (int64_t column = panel; column < end && !status; column++) {
        status = reflect(task, column, 0);
        if (!status && column + 1 < n)
            status = reflect(task, column + 1, LAVA_BIDIAGONAL_RIGHT);
    }
    return status || end == n ? status : update(task, end);
}

static bool is_valid(const struct lava_stream *stream, const struct lava_device_bidiagonal *form) {
    const struct lava_device_matrix *a = &form->a;
    return lava_bidiagonal_fits(&stream->engine->capabilities, a->type) && a->rows >= a->columns &&
           lava_device_matrix_is_aligned(a) &&
           lava_device_matrix_is_vector(&form->form, a->type, 4 * a->columns) &&
           lava_device_matrix_is_vector(&form->work, a->type,
                                        lava_device_bidiagonal_work_elements(a->type, a->rows, a->columns)) &&
           !lava_device_matrix_overlap(a, &form->form) && !lava_device_matrix_overlap(a, &form->work) &&
           !lava_device_matrix_overlap(&form->form, &form->work);
}

/* The first column is the first vector: as that of a right reflection leaves it, of which there is none. */
static enum lava_status begin(struct task *task) {
    const struct lava_device_bidiagonal *form = task->form;
    const struct lava_device_matrix *a = &form->a;
    double m = (double)a->rows, n = (double)a->columns, bytes = (double)lava_type_bytes(a->type);
    uint64_t at = 0;
    lava_stream_expect(task->stream, m * n * n * bytes / COLUMN_BYTES_PER_S + 2 * n / STEPS_PER_S);
    task->l = lava_device_matrix_cut(&form->work, a->type, ld_of(a->rows), PAIRS, &at);
    task->r = lava_device_matrix_cut(&form->work, a->type, ld_of(a->columns), PAIRS, &at);
    task->constants = (struct lava_bidiagonal_constants){.a = lava_device_matrix_address(a),
                                                         .form = lava_device_matrix_address(&form->form),
                                                         .work = lava_device_matrix_address(&form->work),
                                                         .ld = (uint32_t)a->ld,
                                                         .rows = (uint32_t)a->rows,
                                                         .columns = (uint32_t)a->columns};
    enum lava_status status = lava_pipelines_get_module(
        task->stream->device, lava_module_of(LAVA_SHADER_BIDIAGONAL_TILES, a->type), &task->tiles);
    if (!status)
        status = lava_pipelines_get_module(
            task->stream->device, lava_module_of(LAVA_SHADER_BIDIAGONAL_FINISH, a->type), &task->finish);
    return status ? status : finish(task, 0, LAVA_BIDIAGONAL_RIGHT | LAVA_BIDIAGONAL_BEGINS);
}

enum lava_status lava_device_bidiagonal(struct lava_stream *stream,
                                        const struct lava_device_bidiagonal *bidiagonal) {
    struct task task = {.stream = stream, .form = bidiagonal};
    int64_t n = bidiagonal->a.columns;
    if (stream->failure)
        return stream->failure;
    if (!is_valid(stream, bidiagonal))
        return LAVA_ERROR_UNAVAILABLE;
    enum lava_status status = begin(&task);
    for (int64_t panel = 0; panel < n && !status; panel += PANEL) {
        status = reduce_panel(&task, panel);
        status = status ? status : lava_stream_end_step(stream);
    }
    return lava_stream_keep(stream, status ? status : lava_stream_flush(stream));
}

/* Both taup and E have one element fewer than there are columns. */
enum lava_status lava_device_bidiagonal_check(enum lava_type type, const void *form, int64_t columns) {
    const struct lava_form_part parts[] = {{0, 2 * columns - 1, true}, {2 * columns, 2 * columns - 1, false}};
    return lava_form_check(type, form, parts, sizeof parts / sizeof parts[0]);
}
