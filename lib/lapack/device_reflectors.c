/* Cuts the scratch of a task, makes V and T of a block of reflections, and applies them by three products.
 * Called by device_qr.c.
 *
 * Invariant: every part of the scratch, and every column of it, begins at a multiple of
 * LAVA_DEVICE_MATRIX_ALIGN. */
#include "lib/lapack/device_reflectors.h"

#include <assert.h>

#include "dispatch/arithmetic.h"
#include "dispatch/qr.h"
#include "lib/lapack/panel.h"

/* Parts begin at multiples of these bytes: a cache line. */
#define PART_BYTES 64

static_assert(sizeof(struct lava_qr_triangle_constants) <= 128, "every device has room for 128 bytes");
static_assert(sizeof(struct lava_reflectors_constants) <= 128, "every device has room for 128 bytes");

static int64_t padded(enum lava_type type, int64_t elements) {
    return lava_blocking_padded(elements, PART_BYTES / (uint32_t)lava_type_bytes(type));
}

/* Returns the scratch that panels need, whatever their form. */
static int64_t sums_elements(enum lava_type type, int64_t rows) {
    int64_t bytes = (int64_t)lava_type_bytes(type), some = lava_maximum(rows, 1);
    int64_t groups = lava_panel_groups(some, LAVA_QR_INVOCATIONS, LAVA_QR_GROUPS);
    return padded(type, lava_panel_grid_bytes(LAVA_PANEL_QR, type, some) / bytes +
                            2 * ((groups + 1) * LAVA_QR_PANEL + groups * LAVA_QR_KEY_BYTES / bytes));
}

int64_t lava_reflectors_work_elements(enum lava_type type, int64_t rows, int64_t others) {
    return LAVA_QR_BLOCK * (padded(type, rows) + 2 * padded(type, others) + 2 * LAVA_QR_BLOCK) +
           sums_elements(type, rows);
}

/* Takes columns of `rows` elements from the rest of the scratch. */
static struct lava_device_matrix cut(struct lava_device_matrix *rest, int64_t rows, int64_t columns) {
    struct lava_device_matrix part = *rest;
    int64_t elements = padded(rest->type, rows) * columns;
    part.rows = rows;
    part.columns = columns;
    part.ld = padded(rest->type, rows);
    rest->offset += (uint64_t)elements * lava_type_bytes(rest->type);
    rest->rows -= elements;
    return part;
}

struct lava_reflectors_work lava_reflectors_cut(const struct lava_device_matrix *work, int64_t rows,
                                                int64_t others) {
    struct lava_device_matrix rest = *work;
    struct lava_reflectors_work parts;
    parts.v = cut(&rest, rows, LAVA_QR_BLOCK);
    for (int i = 0; i < 2; i++)
        parts.w[i] = cut(&rest, padded(rest.type, others) * LAVA_QR_BLOCK, 1);
    parts.gram = cut(&rest, LAVA_QR_BLOCK, LAVA_QR_BLOCK);
    parts.t = cut(&rest, LAVA_QR_BLOCK, LAVA_QR_BLOCK);
    parts.sums = cut(&rest, sums_elements(rest.type, rows), 1);
    assert(rest.rows >= 0);
    return parts;
}

enum lava_status lava_reflectors_begin(struct lava_reflectors *task, enum lava_type type) {
    struct lava_device *device = task->stream->device;
    enum lava_status status =
        lava_pipelines_get_module(device, lava_module_of(LAVA_SHADER_QR_TRIANGLE, type), &task->triangle);
    return status ? status : lava_pipelines_get_module(device, LAVA_MODULE_REFLECTORS, &task->copies);
}

static enum lava_status copy(const struct lava_reflectors *task, const struct lava_device_matrix *a,
                             int64_t from, int64_t count, uint32_t flags) {
    bool is_wide = lava_type_real(a->type) == LAVA_TYPE_FP64;
    const struct lava_device_matrix source = lava_device_matrix_block(a, 0, a->rows, from, count);
    const struct lava_reflectors_constants constants = {.source = lava_device_matrix_address(&source),
                                                        .v = lava_device_matrix_address(&task->work.v),
                                                        .ld = (uint32_t)a->ld,
                                                        .ldv = (uint32_t)task->work.v.ld,
                                                        .rows = (uint32_t)a->rows,
                                                        .columns = (uint32_t)count,
                                                        .first = (uint32_t)from,
                                                        .flags = flags,
                                                        .element_words =
                                                            (uint32_t)lava_type_bytes(a->type) / 4,
                                                        .one_word = is_wide ? 1 : 0,
                                                        .one_bits = is_wide ? 0x3ff00000 : 0x3f800000};
    int64_t strips = (a->rows - 1) / LAVA_REFLECTORS_INVOCATIONS + 1;
    if (count == 0)
        return LAVA_OK;
    return lava_stream_dispatch(task->stream, task->copies, &constants, sizeof constants,
                                (uint32_t)lava_minimum(strips * count, INT32_MAX));
}

enum lava_status lava_reflectors_copy(const struct lava_reflectors *task, const struct lava_device_matrix *a,
                                      int64_t from, int64_t count, bool resets) {
    return copy(task, a, from, count, LAVA_REFLECTORS_COPIES | (resets ? LAVA_REFLECTORS_RESETS : 0));
}

enum lava_status lava_reflectors_reset(const struct lava_reflectors *task, const struct lava_device_matrix *a,
                                       int64_t from, int64_t count) {
    return copy(task, a, from, count, LAVA_REFLECTORS_RESETS);
}

/* The address of element `at` of a vector, which may have any alignment. */
static uint64_t element_address(const struct lava_device_matrix *vector, int64_t at) {
    return lava_device_matrix_address(vector) + (uint64_t)at * lava_type_bytes(vector->type);
}

enum lava_status lava_reflectors_triangle(const struct lava_reflectors *task, int64_t from, int64_t count,
                                          int64_t rows) {
    const struct lava_reflectors_work *work = &task->work;
    const struct lava_device_matrix v = lava_device_matrix_block(&work->v, 0, rows, 0, count);
    struct lava_device_product product = {.a = v,
                                          .b = v,
                                          .c = lava_device_matrix_block(&work->gram, 0, count, 0, count),
                                          .op_a = LAVA_OP_T,
                                          .conjugate_a = lava_type_is_complex(v.type),
                                          .alpha.real = 1,
                                          .region = LAVA_REGION_UPPER,
                                          .precision = task->precision,
                                          .chain = lava_qr_chain(rows),
                                          .overrides = task->overrides};
    const struct lava_qr_triangle_constants constants = {
        .gram = lava_device_matrix_address(&work->gram),
        .t = lava_device_matrix_address(&work->t),
        .tau = element_address(&task->tau, from + (task->descends ? count - 1 : 0)),
        .order = (uint32_t)count,
        .tau_step = task->descends ? -1 : 1};
    enum lava_status status = lava_device_product(task->stream, &product);
    if (status == LAVA_ERROR_DEVICE_MEMORY) {
        /* A triangle needs all of V packed at once, the whole square parts of it. */
        product.region = LAVA_REGION_ALL;
        status = lava_device_product(task->stream, &product);
    }
    return status ? status
                  : lava_stream_dispatch(task->stream, task->triangle, &constants, sizeof constants, 1);
}

/* A factor of one of the three products. */
struct factor {
    struct lava_device_matrix matrix;
    bool adjoint;
};

/* C <- C - A B, or A B if it is new. */
static enum lava_status multiply(const struct lava_reflectors *task, struct factor a, struct factor b,
                                 const struct lava_device_matrix *c, bool is_new) {
    bool is_complex = lava_type_is_complex(c->type);
    int64_t depth = a.adjoint ? a.matrix.rows : a.matrix.columns;
    const struct lava_device_product product = {.a = a.matrix,
                                                .b = b.matrix,
                                                .c = *c,
                                                .op_a = a.adjoint ? LAVA_OP_T : LAVA_OP_N,
                                                .op_b = b.adjoint ? LAVA_OP_T : LAVA_OP_N,
                                                .conjugate_a = a.adjoint && is_complex,
                                                .conjugate_b = b.adjoint && is_complex,
                                                .alpha.real = is_new ? 1 : -1,
                                                .beta.real = is_new ? 0 : 1,
                                                .precision = task->precision,
                                                .chain = lava_qr_chain(depth),
                                                .overrides = task->overrides};
    return lava_device_product(task->stream, &product);
}

enum lava_status lava_reflectors_apply(const struct lava_reflectors *task,
                                       const struct lava_reflectors_block *block,
                                       const struct lava_device_matrix *c) {
    const struct factor v = {block->v, false}, v_adjoint = {block->v, true}, all = {*c, false};
    const struct factor t = {block->t, block->adjoint};
    int64_t count = block->v.columns, others = block->on_right ? c->rows : c->columns;
    struct factor w[2];
    if (c->rows == 0 || c->columns == 0)
        return LAVA_OK;
    for (int i = 0; i < 2; i++) {
        w[i] = (struct factor){task->work.w[i], false};
        w[i].matrix.rows = block->on_right ? others : count;
        w[i].matrix.columns = block->on_right ? count : others;
        w[i].matrix.ld = block->on_right ? padded(c->type, others) : LAVA_QR_BLOCK;
    }
    enum lava_status status = block->on_right ? multiply(task, all, v, &w[0].matrix, true)
                                              : multiply(task, v_adjoint, all, &w[0].matrix, true);
    status = status
                 ? status
                 : multiply(task, block->on_right ? w[0] : t, block->on_right ? t : w[0], &w[1].matrix, true);
    if (status)
        return status;
    return block->on_right ? multiply(task, w[1], v_adjoint, c, false) : multiply(task, v, w[1], c, false);
}
