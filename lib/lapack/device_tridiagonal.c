/* Reduces panel by panel: one kernel for a panel, or two in turn for each column, and a product for what is
 * left of the matrix. Called by tridiagonal_runner.c and eigen_runner.c.
 *
 * Invariant: panels begin at multiples of LAVA_TRIDIAGONAL_PANEL from the first column of a lower triangle,
 * and from the last one of an upper triangle, so what is left of the matrix is aligned if A is. */
#include "lib/lapack/device_tridiagonal.h"

#include <assert.h>

#include "dispatch/arithmetic.h"
#include "dispatch/tridiagonal.h"
#include "lib/host/numbers.h"
#include "lib/lapack/form_check.h"
#include "lib/lapack/panel.h"
#include "shaders/interface.h"

/* A wait may last longer by the time that a column takes at this rate, by all that it reads. A processor's
 * core reaches it. */
#define COLUMN_BYTES_PER_S 1e8
#define STEPS_PER_S        1e4

#define PANEL ((int64_t)LAVA_TRIDIAGONAL_PANEL)
#define TILE  ((int64_t)LAVA_TRIDIAGONAL_TILE)

static_assert(sizeof(struct lava_tridiagonal_constants) <= 128, "every device has room for 128 bytes");
static_assert(LAVA_TRIDIAGONAL_INVOCATIONS % LAVA_TRIDIAGONAL_ROWS == 0 &&
                  LAVA_TRIDIAGONAL_INVOCATIONS >= LAVA_TRIDIAGONAL_PANEL &&
                  LAVA_TRIDIAGONAL_INVOCATIONS == 16 * 16,
              "shaders/tridiagonal_column.glsl, tridiagonal_tiles.glsl");
static_assert(3 * LAVA_TRIDIAGONAL_INVOCATIONS + 16 + 4 * LAVA_TRIDIAGONAL_PANEL <=
                  LAVA_TRIDIAGONAL_TILE * 17,
              "shaders/tridiagonal_column.glsl has its sums in the tiles' shares");

struct task {
    struct lava_stream *stream;
    const struct lava_device_tridiagonal *form;
    struct lava_device_matrix v; /* V, W and V again */
    const struct lava_pipeline *columns, *tiles, *panels;
    uint32_t groups; /* that reduce a panel; 0: columns have dispatches */
    struct lava_tridiagonal_constants constants;
};

static int64_t blocks_of(int64_t order) {
    return (order - 1) / TILE + 1;
}

/* Workgroups that have a column's rows. */
static int64_t groups_of(int64_t order) {
    return (order - 1) / LAVA_TRIDIAGONAL_ROWS + 1;
}

/* Rows of V, whose columns are aligned as those of a matrix. */
static int64_t ldv_of(int64_t order) {
    return blocks_of(order) * TILE;
}

/* As shaders/tridiagonal.glsl lays it out, after V. */
int64_t lava_device_tridiagonal_work_elements(enum lava_type type, int64_t order) {
    int64_t some = lava_maximum(order, 1), blocks = blocks_of(some), groups = groups_of(some),
            ld = blocks * TILE;
    int64_t element = (int64_t)lava_type_bytes(type), key_elements = LAVA_TRIDIAGONAL_KEY_BYTES / element;
    return 3 * PANEL * ld + ld + LAVA_TRIDIAGONAL_HEAD + 2 * PANEL + blocks * (blocks + 1) / 2 +
           groups * key_elements + blocks * ld + LAVA_TRIDIAGONAL_STATE_BYTES / element;
}

static bool is_upper(const struct task *task) {
    return task->form->stored == LAVA_REGION_UPPER;
}

/* The address of element `at` of a vector, which may have any alignment. */
static uint64_t element_address(const struct lava_device_matrix *vector, int64_t at) {
    return lava_device_matrix_address(vector) + (uint64_t)at * lava_type_bytes(vector->type);
}

static void set_constants(struct task *task) {
    const struct lava_device_tridiagonal *form = task->form;
    int64_t n = form->a.rows, last = is_upper(task) ? n - 1 : 0;
    int64_t columns = 3 * PANEL * task->v.ld, work = lava_device_tridiagonal_work_elements(form->a.type, n),
            state = LAVA_TRIDIAGONAL_STATE_BYTES / (int64_t)lava_type_bytes(form->a.type);
    task->constants = (struct lava_tridiagonal_constants){
        .a = element_address(&form->a, last * (form->a.ld + 1)),
        .v = element_address(&task->v, last),
        .tau = element_address(&form->form, last - (is_upper(task) ? 1 : 0)),
        .diagonal = element_address(&form->form, 2 * n + last),
        .work = element_address(&form->work, columns),
        .state = element_address(&form->work, work - state),
        .mark = element_address(&form->form, n - 1),
        .row_step = is_upper(task) ? -1 : 1,
        .column_step = (int32_t)(is_upper(task) ? -form->a.ld : form->a.ld),
        .ldv = (uint32_t)task->v.ld,
        .order = (uint32_t)n,
        .polls = task->stream->engine->capabilities.resident_polls};
}

static enum lava_status dispatch(struct task *task, const struct lava_pipeline *pipeline, int64_t groups) {
    return lava_stream_dispatch(task->stream, pipeline, &task->constants, sizeof task->constants,
                                (uint32_t)lava_minimum(groups, UINT32_MAX));
}

static enum lava_status step(struct task *task, int64_t column, uint32_t flags) {
    task->constants.column = (uint32_t)column;
    task->constants.flags = flags;
    return dispatch(task, task->columns, groups_of(task->form->a.rows) - column / LAVA_TRIDIAGONAL_ROWS);
}

static enum lava_status multiply_tiles(struct task *task, int64_t panel, int64_t column) {
    int64_t count = blocks_of(task->form->a.rows) - (column + 1) / TILE;
    return dispatch(task, task->tiles, 1 + column - panel + count * (count + 1) / 2);
}

/* What is left of the matrix <- itself - V W^H - W V^H, as one product. */
static enum lava_status update(const struct task *task, int64_t done) {
    const struct lava_device_tridiagonal *form = task->form;
    int64_t rest = form->a.rows - done, from = is_upper(task) ? 0 : done;
    bool is_complex = lava_type_is_complex(form->a.type);
    const struct lava_device_product product = {
        .a = lava_device_matrix_block(&task->v, from, rest, 0, 2 * PANEL),
        .b = lava_device_matrix_block(&task->v, from, rest, PANEL, 2 * PANEL),
        .c = lava_device_matrix_block(&form->a, from, rest, from, rest),
        .op_b = LAVA_OP_T,
        .conjugate_b = is_complex,
        .alpha.real = -1,
        .beta.real = 1,
        .region = form->stored,
        .real_diagonal = is_complex,
        .precision = form->precision,
        .overrides = form->overrides};
    return lava_device_product(task->stream, &product);
}

static enum lava_status reduce_columns(struct task *task, int64_t panel, int64_t end) {
    int64_t n = task->form->a.rows;
    enum lava_status status = LAVA_OK;
    for (int64_t column = panel; column < end && !status; column++) {
        uint32_t finishes = column > panel ? LAVA_TRIDIAGONAL_FINISHES : 0;
        status = step(task, column, LAVA_TRIDIAGONAL_BEGINS | finishes);
        if (column < n - 1)
            status = status ? status : multiply_tiles(task, panel, column);
    }
    return status || end == n ? status : step(task, end, LAVA_TRIDIAGONAL_FINISHES);
}

/* The same by workgroups that wait for each other twice for each column, but for the last one of all. */
static enum lava_status reduce_together(struct task *task, int64_t panel, int64_t end) {
    int64_t columns = lava_minimum(end, task->form->a.rows - 1) - panel;
    enum lava_status status = dispatch(task, task->panels, task->groups);
    task->constants.arrived += 2 * (uint32_t)columns * task->groups;
    return status;
}

static enum lava_status reduce_panel(struct task *task, int64_t panel) {
    int64_t n = task->form->a.rows, end = lava_minimum(panel + PANEL, n);
    task->constants.panel = (uint32_t)panel;
    enum lava_status status =
        task->groups > 0 ? reduce_together(task, panel, end) : reduce_columns(task, panel, end);
    return status || end == n ? status : update(task, end);
}

static bool is_valid(const struct lava_stream *stream, const struct lava_device_tridiagonal *form) {
    const struct lava_device_matrix *a = &form->a;
    return lava_tridiagonal_fits(&stream->engine->capabilities, a->type) && a->rows == a->columns &&
           form->stored != LAVA_REGION_ALL && lava_device_matrix_is_aligned(a) &&
           lava_device_matrix_is_vector(&form->form, a->type, 3 * a->rows) &&
           lava_device_matrix_is_vector(&form->work, a->type,
                                        lava_device_tridiagonal_work_elements(a->type, a->rows)) &&
           !lava_device_matrix_overlap(a, &form->form) && !lava_device_matrix_overlap(a, &form->work) &&
           !lava_device_matrix_overlap(&form->form, &form->work);
}

static enum lava_status begin(struct task *task) {
    enum lava_type type = task->form->a.type;
    double n = (double)task->form->a.rows, bytes = (double)lava_type_bytes(type);
    lava_stream_expect(task->stream, n * n * n / 6 * bytes / COLUMN_BYTES_PER_S + n / STEPS_PER_S);
    task->v = task->form->work;
    task->v.rows = task->v.ld = ldv_of(task->form->a.rows);
    task->v.columns = 3 * PANEL;
    set_constants(task);
    const struct lava_engine *engine = task->stream->engine;
    task->groups = lava_tridiagonal_groups(&engine->capabilities, task->form->a.rows,
                                           engine->device->shared->stalled, &engine->panels);
    enum lava_status status = lava_pipelines_get_module(
        task->stream->device, lava_module_of(LAVA_SHADER_TRIDIAGONAL_COLUMN, type), &task->columns);
    if (!status)
        status = lava_pipelines_get_module(
            task->stream->device,
            lava_module_of(task->groups > 0 ? LAVA_SHADER_TRIDIAGONAL_PANEL : LAVA_SHADER_TRIDIAGONAL_TILES,
                           type),
            task->groups > 0 ? &task->panels : &task->tiles);
    task->constants.flags = LAVA_TRIDIAGONAL_CLEARS;
    return status ? status : dispatch(task, task->columns, 1);
}

enum lava_status lava_device_tridiagonal(struct lava_stream *stream,
                                         const struct lava_device_tridiagonal *tridiagonal) {
    struct task task = {.stream = stream, .form = tridiagonal};
    int64_t n = tridiagonal->a.rows;
    if (stream->failure)
        return stream->failure;
    if (!is_valid(stream, tridiagonal))
        return LAVA_ERROR_UNAVAILABLE;
    enum lava_status status = begin(&task);
    for (int64_t panel = 0; panel < n && !status; panel += PANEL) {
        status = reduce_panel(&task, panel);
        status = status ? status : lava_stream_end_step(stream);
    }
    return lava_stream_keep(stream, status ? status : lava_stream_flush(stream));
}

/* The sign of workgroups that gave up, in place of the tau that there is not. */
#define GAVE_UP (-1)

enum lava_status lava_device_tridiagonal_check(struct lava_device *device, enum lava_type type,
                                               const void *form, int64_t order) {
    const struct lava_number mark =
        lava_number_read(type, lava_operation_element((void *)(uintptr_t)form, type, order - 1, 0, 1));
    if (mark.real == GAVE_UP)
        return lava_panel_stalled(device);
    const struct lava_form_part parts[] = {
        {0, order - 1, true}, {order, order - 1, false}, {2 * order, order, false}};
    return lava_form_check(type, form, parts, sizeof parts / sizeof parts[0]);
}
