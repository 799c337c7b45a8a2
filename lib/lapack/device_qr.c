/* Factors blocks of columns, panel by panel, and applies blocks of reflections (device_reflectors.h). Called
 * by whoever works on matrices on the device.
 *
 * Invariant: blocks and panels begin at multiples of LAVA_QR_PANEL, so they are aligned if A is. */
#include "lib/lapack/device_qr.h"

#include <assert.h>

#include "dispatch/arithmetic.h"
#include "dispatch/solve.h"
#include "lib/host/numbers.h"
#include "lib/lapack/device_reflectors.h"
#include "lib/lapack/panel.h"

/* A wait may last longer by the time that panels take at this rate, and by that of their steps. A processor's
 * core reaches it. */
#define PANEL_FLOPS_PER_S 1e9
#define STEPS_PER_S       1e4

static_assert(LAVA_QR_BLOCK % LAVA_QR_PANEL == 0 && LAVA_QR_GROUPS <= LAVA_QR_INVOCATIONS, "shaders/qr.comp");

/* What the parts of a factorization have in common. */
struct task {
    struct lava_reflectors reflectors;
    const struct lava_device_qr *qr;
    struct lava_panels panels; /* of a factorization */
};

int64_t lava_device_qr_work_elements(enum lava_type type, int64_t rows, int64_t columns) {
    return lava_reflectors_work_elements(type, rows, columns);
}

/* V and T of `count` columns of the block that begins at column `block`, from column `from` of A on. */
static struct lava_reflectors_block part_of(const struct task *task, int64_t block, int64_t from,
                                            int64_t count) {
    const struct lava_reflectors_work *work = &task->reflectors.work;
    int64_t at = from - block, rows = task->qr->a.rows - from;
    return (struct lava_reflectors_block){.v = lava_device_matrix_block(&work->v, at, rows, at, count),
                                          .t = lava_device_matrix_block(&work->t, at, count, at, count),
                                          .adjoint = true};
}

/* Columns [from, from + count) from row `from` on <- their V and R; their tau, and their parts of V and T. */
static enum lava_status factor_panel(struct task *task, int64_t block, int64_t from, int64_t count) {
    const struct lava_device_qr *qr = task->qr;
    const struct lava_reflectors_block part = part_of(task, block, from, count);
    const struct lava_device_matrix a = lava_device_matrix_block(&qr->a, from, part.v.rows, from, count);
    const struct lava_panel_run run = lava_panel_next(&task->panels, a.rows, count);
    struct lava_qr_constants constants = {.a = lava_device_matrix_address(&a),
                                          .v = lava_device_matrix_address(&part.v),
                                          .t = lava_device_matrix_address(&part.t),
                                          .tau = lava_device_matrix_address(&qr->tau) +
                                                 (uint64_t)from * lava_type_bytes(a.type),
                                          .work = run.work,
                                          .ld = (uint32_t)a.ld,
                                          .ldv = (uint32_t)part.v.ld,
                                          .rows = (uint32_t)a.rows,
                                          .columns = (uint32_t)count,
                                          .above = (uint32_t)(from - block),
                                          .panel = run.panel,
                                          .polls = run.polls};
    return lava_panel_dispatch(&task->panels, &run, &constants, sizeof constants, &constants.step);
}
/* Columns [to, end) <- H^H times them, for the reflections of `count` columns from `from` on. */
static enum lava_status update(const struct task *task, int64_t block, int64_t from, int64_t count,
                               int64_t to, int64_t end) {
    const struct lava_device_matrix *a = &task->qr->a;
    const struct lava_reflectors_block part = part_of(task, block, from, count);
    const struct lava_device_matrix c = lava_device_matrix_block(a, from, a->rows - from, to, end - to);
    return lava_reflectors_apply(&task->reflectors, &part, &c);
}

/* Factors a block of columns, and updates those right of it. */
static enum lava_status factor_block(struct task *task, int64_t block, int64_t count) {
    const struct lava_device_matrix *a = &task->qr->a;
    int64_t end = block + count;
    enum lava_status status = LAVA_OK;
    for (int64_t from = block; from < end && !status; from += LAVA_QR_PANEL) {
        int64_t panel = lava_minimum(LAVA_QR_PANEL, end - from);
        status = factor_panel(task, block, from, panel);
        if (from + panel < end)
            status = status ? status : update(task, block, from, panel, from + panel, end);
    }
    if (end == a->columns)
        return status;
    if (count > LAVA_QR_PANEL)
        status = status ? status : lava_reflectors_triangle(&task->reflectors, block, count, a->rows - block);
    return status ? status : update(task, block, block, count, end, a->columns);
}

/* others: what the reflections are applied to has that many columns, or rows. */
static bool is_valid(const struct lava_stream *stream, const struct lava_device_qr *qr, int64_t reflections,
                     int64_t others) {
    const struct lava_device_matrix *a = &qr->a;
    return lava_solve_fits(&stream->engine->capabilities, a->type) && lava_device_matrix_is_aligned(a) &&
           lava_device_matrix_is_vector(&qr->tau, a->type, reflections) &&
           lava_device_matrix_is_vector(&qr->work, a->type,
                                        lava_reflectors_work_elements(a->type, a->rows, others)) &&
           !lava_device_matrix_overlap(a, &qr->tau) && !lava_device_matrix_overlap(a, &qr->work) &&
           !lava_device_matrix_overlap(&qr->tau, &qr->work);
}

static enum lava_status begin(struct task *task, struct lava_stream *stream, const struct lava_device_qr *qr,
                              int64_t others) {
    *task = (struct task){.reflectors = {.stream = stream,
                                         .tau = qr->tau,
                                         .work = lava_reflectors_cut(&qr->work, qr->a.rows, others),
                                         .precision = qr->precision,
                                         .overrides = qr->overrides},
                          .qr = qr};
    return lava_reflectors_begin(&task->reflectors, qr->a.type);
}

enum lava_status lava_device_qr(struct lava_stream *stream, const struct lava_device_qr *qr) {
    const struct lava_device_matrix *a = &qr->a;
    int64_t factored = a->columns - qr->beside, order = lava_minimum(a->rows, factored);
    struct task task;
    if (stream->failure)
        return stream->failure;
    if (order < 0 || (qr->beside > 0 && factored > a->rows) || !is_valid(stream, qr, order, a->columns))
        return LAVA_ERROR_UNAVAILABLE;
    if (order == 0)
        return LAVA_OK;
    double flops = 8.0 * LAVA_QR_PANEL * (double)a->rows * (double)order;
    lava_stream_expect(stream, (lava_type_is_complex(a->type) ? 4 : 1) * flops / PANEL_FLOPS_PER_S +
                                   (double)order / STEPS_PER_S);
    enum lava_status status = begin(&task, stream, qr, a->columns);
    task.panels = (struct lava_panels){.stream = stream,
                                       .kind = LAVA_PANEL_QR,
                                       .type = a->type,
                                       .rows = a->rows,
                                       .work = lava_device_matrix_address(&task.reflectors.work.sums)};
    status = status ? status : lava_panel_open(&task.panels, order);
    for (int64_t block = 0; block < order && !status; block += LAVA_QR_BLOCK)
        status = factor_block(&task, block, lava_minimum(LAVA_QR_BLOCK, order - block));
    return lava_stream_keep(stream, status ? status : lava_stream_flush(stream));
}

/* The shaders' signs: shaders/qr_panel.comp, qr.glsl. */
enum lava_status lava_device_qr_check(struct lava_device *device, enum lava_type type, const void *tau,
                                      int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const struct lava_number one =
            lava_number_read(type, lava_operation_element((void *)(uintptr_t)tau, type, i, 0, 1));
        if (one.real == -1 && one.imaginary == 0)
            return lava_panel_stalled(device);
        if (one.real == -2 && one.imaginary == 0)
            return LAVA_ERROR_UNDERFLOW;
    }
    return LAVA_OK;
}

/* C <- op(Q) C or C op(Q), of the part of C that a block of reflections, from `from` on, reaches. V and T are
 * made of A's columns. */
static enum lava_status apply_block(const struct task *task, const struct lava_device_qr_product *product,
                                    const struct lava_device_matrix *c, int64_t from) {
    const struct lava_reflectors *reflectors = &task->reflectors;
    int64_t count = lava_minimum(LAVA_QR_BLOCK, task->qr->tau.rows - from), rows = task->qr->a.rows - from;
    struct lava_reflectors_block block = part_of(task, from, from, count);
    bool forms = !c;
    block.adjoint = product && product->adjoint;
    block.on_right = product && product->on_right;
    const struct lava_device_matrix *a = &task->qr->a;
    const struct lava_device_matrix part =
        forms            ? lava_device_matrix_block(a, from, rows, from, a->columns - from)
        : block.on_right ? lava_device_matrix_block(c, 0, c->rows, from, rows)
                         : lava_device_matrix_block(c, from, rows, 0, c->columns);
    enum lava_status status = lava_reflectors_copy(reflectors, a, from, count, forms);
    status = status ? status : lava_reflectors_triangle(reflectors, from, count, rows);
    return status ? status : lava_reflectors_apply(reflectors, &block, &part);
}

/* The block of the last reflections begins here. */
static int64_t last_block(int64_t reflections) {
    return (reflections - 1) / LAVA_QR_BLOCK * LAVA_QR_BLOCK;
}

enum lava_status lava_device_qr_form(struct lava_stream *stream, const struct lava_device_qr *qr) {
    const struct lava_device_matrix *a = &qr->a;
    int64_t reflections = qr->tau.rows;
    struct task task;
    if (stream->failure)
        return stream->failure;
    if (reflections > a->columns || a->columns > a->rows || !is_valid(stream, qr, reflections, a->columns))
        return LAVA_ERROR_UNAVAILABLE;
    if (a->columns == 0)
        return LAVA_OK;
    enum lava_status status = begin(&task, stream, qr, a->columns);
    status =
        status ? status : lava_reflectors_reset(&task.reflectors, a, reflections, a->columns - reflections);
    for (int64_t from = last_block(reflections); from >= 0 && reflections > 0 && !status;
         from -= LAVA_QR_BLOCK)
        status = apply_block(&task, NULL, NULL, from);
    return lava_stream_keep(stream, status ? status : lava_stream_flush(stream));
}

enum lava_status lava_device_qr_multiply(struct lava_stream *stream,
                                         const struct lava_device_qr_product *product) {
    const struct lava_device_qr *qr = &product->q;
    const struct lava_device_matrix *c = &product->c;
    int64_t reflections = qr->tau.rows, others = product->on_right ? c->rows : c->columns;
    struct task task;
    if (stream->failure)
        return stream->failure;
    if (c->type != qr->a.type || !lava_device_matrix_is_aligned(c) || reflections > qr->a.columns ||
        reflections > qr->a.rows || qr->a.rows != (product->on_right ? c->columns : c->rows) ||
        !is_valid(stream, qr, reflections, others) || lava_device_matrix_overlap(c, &qr->a) ||
        lava_device_matrix_overlap(c, &qr->tau) || lava_device_matrix_overlap(c, &qr->work))
        return LAVA_ERROR_UNAVAILABLE;
    if (c->rows == 0 || c->columns == 0 || reflections == 0)
        return LAVA_OK;
    enum lava_status status = begin(&task, stream, qr, others);
    /* Q = H1 H2 ... begins with the last one on the left, and with the first one on the right */
    bool forwards = product->adjoint != product->on_right;
    int64_t last = last_block(reflections);
    for (int64_t at = 0; at <= last && !status; at += LAVA_QR_BLOCK)
        status = apply_block(&task, product, c, forwards ? at : last - at);
    return lava_stream_keep(stream, status ? status : lava_stream_flush(stream));
}
