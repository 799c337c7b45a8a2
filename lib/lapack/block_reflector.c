/* Factors a matrix that stays in host memory by reflections, makes Q of them, or multiplies with that, by
 * blocks. Called by lib/offload/offload.c.
 *
 *     QR          block column J, from the first on: H' of the slices before it, then its own reflections
 *     Q           block column J, from the last on: its own part of Q, then H of the slices before it
 *     Q C, C Q    a block of C's columns, or of its rows: H, or H', of all slices
 *
 * A slice is some columns of reflections, which pass by as they are stored (slices.h). Their triangles T are
 * made again each time: that is a product of a hundredth of the work of a block column.
 *
 * Invariant: what is not written is as it was. Block column J of QR needs the columns before it as they are
 * written, and block column J of Q needs those as they were. A fault leaves C so, because nothing can fail
 * while a buffer is written to C. */
#include "lib/lapack/block_reflector.h"

#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/host/cpu_inverse.h"
#include "lib/lapack/block_buffer.h"
#include "lib/lapack/device_qr.h"
#include "lib/lapack/qr_parts.h"
#include "lib/lapack/rhs_chunks.h"
#include "lib/lapack/slices.h"

struct block_reflector {
    struct lava_engine *engine;
    struct lava_stream *stream;
    const struct lava_operation *operation;
    const struct lava_plan *plan;
    struct lava_overrides overrides; /* of the products */
    int64_t rows;                    /* of the reflections */
    struct lava_slices slices;       /* of the reflections */
    struct lava_device_matrix block; /* as large as the largest */
    struct lava_device_matrix tau, work;
    void *buffer;                  /* a finished block */
    struct lava_rhs_chunks chunks; /* right-hand sides, or C's columns where Q is on the left */
};

/* Reflections [from, from + count), whose columns from row `from` on are A. */
static struct lava_device_qr reflections_at(const struct block_reflector *reflector,
                                            const struct lava_device_matrix *a, int64_t from, int64_t count) {
    return (struct lava_device_qr){
        .a = *a,
        .tau = lava_device_matrix_block(&reflector->tau, count > 0 ? from : 0, count, 0, 1),
        .work = reflector->work,
        .precision = reflector->operation->precision,
        .overrides = &reflector->overrides};
}

/* C <- op(Q) C or C op(Q), for the Q of the first `count` reflections. */
struct multiplication {
    struct lava_device_matrix c;
    int64_t count;
    bool adjoint, on_right;
};

static enum lava_status multiply_slice(struct block_reflector *reflector,
                                       const struct multiplication *multiplication, int64_t from) {
    const struct lava_device_matrix *c = &multiplication->c;
    int64_t columns = lava_minimum(reflector->slices.width, multiplication->count - from),
            rows = reflector->rows - from;
    bool on_right = multiplication->on_right;
    struct lava_device_matrix slice;
    enum lava_status status = lava_slices_begin(&reflector->slices, from, rows, from, columns, &slice);
    if (status)
        return status;
    const struct lava_device_qr_product product = {
        .q = reflections_at(reflector, &slice, from, columns),
        .c = on_right ? lava_device_matrix_block(c, 0, c->rows, from, rows)
                      : lava_device_matrix_block(c, from, rows, 0, c->columns),
        .adjoint = multiplication->adjoint,
        .on_right = on_right};
    status = lava_device_qr_multiply(reflector->stream, &product);
    lava_slices_end(&reflector->slices);
    return status;
}

/* Q = H1 H2 ... begins with the last one on the left, and with the first one on the right. */
static enum lava_status multiply(struct block_reflector *reflector,
                                 const struct multiplication *multiplication) {
    int64_t width = reflector->slices.width, count = (multiplication->count + width - 1) / width;
    bool forwards = multiplication->adjoint != multiplication->on_right;
    enum lava_status status = LAVA_OK;
    for (int64_t i = 0; i < count && !status; i++)
        status = multiply_slice(reflector, multiplication, (forwards ? i : count - 1 - i) * width);
    return status;
}

/* Where a block is, and its reflections. */
struct block {
    struct lava_block_place place;
    int64_t known; /* reflections of the columns before it */
    int64_t own;
    struct lava_device_matrix on_device;
};

/* `from` is a row where Q is on the right, else a column. */
static struct block block_at(const struct block_reflector *reflector, int64_t from) {
    const struct lava_operation *operation = reflector->operation;
    int64_t width = reflector->plan->columns.width, m = operation->m, n = operation->n;
    struct block block = {.place = {0, m, from, lava_minimum(width, n - from)},
                          .known = lava_minimum(from, operation->k)};
    if (lava_operation_row(operation)->qr.on_right)
        block.place = (struct lava_block_place){from, lava_minimum(width, m - from), 0, n};
    block.own = lava_minimum(operation->k - block.known, block.place.columns);
    block.on_device =
        lava_device_matrix_block(&reflector->block, 0, block.place.rows, 0, block.place.columns);
    return block;
}

static void *host_of(const struct block_reflector *reflector, int64_t row, int64_t column) {
    const struct lava_result *c = &reflector->operation->c;
    return lava_operation_element(c->first, c->type, row, column, c->ld);
}

/* The block column's rows from its own diagonal on. */
static struct lava_device_matrix below(const struct block *block) {
    return lava_device_matrix_block(&block->on_device, block->known, block->place.rows - block->known, 0,
                                    block->place.columns);
}

/* Writes the block's tau; the CPU writes them again where the block does not follow. */
static enum lava_status take_tau(const struct block_reflector *reflector, const struct block *block,
                                 const struct lava_device_matrix *tau) {
    const struct lava_operation *operation = reflector->operation;
    void *host = lava_operation_element(operation->tau, operation->type, block->known, 0, 1);
    enum lava_status status =
        lava_device_matrix_download(reflector->stream, tau, LAVA_REGION_ALL, host, block->own);
    return status ? status
                  : lava_device_qr_check(reflector->stream->device, operation->type, host, block->own);
}

static enum lava_status factor(struct block_reflector *reflector, const struct block *block) {
    struct lava_stream *stream = reflector->stream;
    const struct multiplication known = {.c = block->on_device, .count = block->known, .adjoint = true};
    enum lava_status status = lava_device_matrix_upload(
        stream, &block->on_device, host_of(reflector, 0, block->place.column), reflector->operation->c.ld);
    status = status ? status : multiply(reflector, &known);
    if (status || block->own == 0)
        return status;
    const struct lava_device_matrix a = below(block);
    const struct lava_device_qr qr = reflections_at(reflector, &a, block->known, block->own);
    status = lava_device_qr(stream, &qr);
    return status ? status : take_tau(reflector, block, &qr.tau);
}

/* Q's block column: that of the block's own reflections, below zeros, and then what those before do to it.
 * Columns after the last reflection are the unit matrix's at first. */
static enum lava_status form(struct block_reflector *reflector, const struct block *block) {
    const struct lava_operation *operation = reflector->operation;
    struct lava_stream *stream = reflector->stream;
    int64_t from = block->place.column, rows = operation->m - from;
    const struct lava_device_matrix above = lava_device_matrix_block(&block->on_device, 0, from, 0,
                                                                     block->place.columns),
                                    a = lava_device_matrix_block(&block->on_device, from, rows, 0,
                                                                 block->place.columns);
    const struct lava_device_qr qr = reflections_at(reflector, &a, block->known, block->own);
    const struct multiplication known = {.c = block->on_device, .count = block->known};
    enum lava_status status =
        lava_device_matrix_upload(stream, &a, host_of(reflector, from, from), operation->c.ld);
    status = status ? status : lava_device_qr_form(stream, &qr);
    if (from > 0) {
        memset(reflector->buffer, 0,
               (size_t)(from * block->place.columns) * lava_type_bytes(operation->type));
        status = status ? status : lava_device_matrix_upload(stream, &above, reflector->buffer, from);
    }
    return status ? status : multiply(reflector, &known);
}

static enum lava_status multiply_rows(struct block_reflector *reflector, const struct block *block) {
    const struct lava_operation *operation = reflector->operation;
    const struct multiplication all = {
        .c = block->on_device, .count = operation->k, .adjoint = operation->adjoint, .on_right = true};
    enum lava_status status = lava_device_matrix_upload(
        reflector->stream, &block->on_device, host_of(reflector, block->place.row, 0), operation->c.ld);
    return status ? status : multiply(reflector, &all);
}

static enum lava_status run_block(struct block_reflector *reflector, const struct block *block) {
    const struct lava_operation *operation = reflector->operation;
    const struct lava_qr_parts *parts = &lava_operation_row(operation)->qr;
    enum lava_status status = parts->factors ? factor(reflector, block)
                              : parts->forms ? form(reflector, block)
                                             : multiply_rows(reflector, block);
    status = status ? status
                    : lava_device_matrix_download(reflector->stream, &block->on_device, LAVA_REGION_ALL,
                                                  reflector->buffer, block->place.rows);
    if (!status)
        lava_block_buffer_write(reflector->stream, reflector->buffer, &operation->c, &block->place);
    return status;
}

/* Tau of reflections that are given, or finished. */
static enum lava_status upload_tau(const struct block_reflector *reflector) {
    return lava_device_matrix_upload(reflector->stream, &reflector->tau, reflector->operation->tau,
                                     reflector->tau.rows);
}

/* Blocks of columns, or of rows where Q is on the right; Q's from the last one on. */
static enum lava_status run_blocks(struct block_reflector *reflector, struct lava_progress *progress) {
    const struct lava_operation *operation = reflector->operation;
    bool is_right = lava_operation_row(operation)->qr.on_right, descends = lava_operation_descends(operation);
    int64_t width = reflector->plan->columns.width, size = is_right ? operation->m : operation->n,
            count = (size - 1) / width + 1;
    enum lava_status status = lava_block_buffer_begin(reflector->stream, reflector->plan);
    if (!status && operation->sides.count > 0)
        status = lava_qr_parts_check_scale(reflector->stream, operation);
    if (!status && !lava_operation_row(operation)->qr.factors)
        status = upload_tau(reflector);
    for (int64_t i = 0; i < count && !status; i++) {
        const struct block block = block_at(reflector, (descends ? count - 1 - i : i) * width);
        status = run_block(reflector, &block);
        if (!status && is_right)
            progress->row += block.place.rows;
        else if (!status)
            progress->column += block.place.columns;
    }
    if (is_right)
        progress->rows = operation->m - progress->row;
    return status;
}

/* Makes tau, the slices, and scratch for matrices of so many columns, or rows. */
static enum lava_status create(struct block_reflector *reflector, int64_t others) {
    struct lava_engine *engine = reflector->engine;
    enum lava_type type = reflector->operation->type;
    int64_t work = lava_device_qr_work_elements(type, reflector->rows, others);
    enum lava_status status =
        lava_device_matrix_create(engine, type, reflector->operation->k, 1, &reflector->tau);
    status = status ? status : lava_device_matrix_create(engine, type, work, 1, &reflector->work);
    return status ? status : lava_slices_create(&reflector->slices, engine, type, reflector->rows);
}

static enum lava_status create_block(struct block_reflector *reflector) {
    const struct lava_operation *operation = reflector->operation;
    bool is_right = lava_operation_row(operation)->qr.on_right;
    int64_t width = lava_minimum(reflector->plan->columns.width, is_right ? operation->m : operation->n);
    reflector->buffer = malloc((size_t)(reflector->rows * width) * lava_type_bytes(operation->type));
    if (!reflector->buffer)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status =
        lava_device_matrix_create(reflector->engine, operation->type, is_right ? width : operation->m,
                                  is_right ? operation->n : width, &reflector->block);
    return status ? status : create(reflector, width);
}

static void free_matrices(struct block_reflector *reflector) {
    struct lava_engine *engine = reflector->engine;
    lava_rhs_chunks_free(&reflector->chunks, engine);
    lava_slices_free(&reflector->slices, engine);
    lava_device_matrix_free(engine, &reflector->work);
    lava_device_matrix_free(engine, &reflector->tau);
    lava_device_matrix_free(engine, &reflector->block);
    free(reflector->buffer);
    reflector->buffer = NULL;
}

static enum lava_status run_matrix(struct block_reflector *reflector, struct lava_progress *progress) {
    enum lava_status status = create_block(reflector);
    if (!status) {
        lava_stream_open(reflector->stream, reflector->engine, false);
        status = lava_stream_close(reflector->stream, run_blocks(reflector, progress));
    }
    free_matrices(reflector);
    return status;
}

/* A chunk of C <- op(Q) times it; or of right-hand sides, Q^H times them, and their first rows the X. With
 * the adjoint of C, the Y with R^H Y = their first rows, and Q times that. */
static enum lava_status compute_chunk(void *context, const struct lava_device_matrix *chunk) {
    struct block_reflector *reflector = context;
    const struct lava_operation *operation = reflector->operation;
    bool solves = lava_operation_row(operation)->qr.factors, adjoint = operation->adjoint;
    const struct multiplication all = {
        .c = *chunk, .count = operation->k, .adjoint = solves ? !adjoint : adjoint};
    const struct lava_slices_solve r = {
        .b = lava_device_matrix_block(chunk, 0, lava_minimum(operation->n, chunk->rows), 0, chunk->columns),
        .order = operation->n,
        .stored = LAVA_REGION_UPPER,
        .op = adjoint ? LAVA_OP_T : LAVA_OP_N,
        .conjugate = adjoint && lava_type_is_complex(operation->type)};
    enum lava_status status = LAVA_OK;
    if (solves && adjoint)
        status = lava_slices_solve(&reflector->slices, &r);
    status = status ? status : multiply(reflector, &all);
    return status || !solves || adjoint ? status : lava_slices_solve(&reflector->slices, &r);
}

/* *done: the columns that are written. */
static enum lava_status stream_chunks(struct block_reflector *reflector, int64_t *done) {
    enum lava_status status = lava_block_buffer_begin(reflector->stream, reflector->plan);
    status = status ? status : upload_tau(reflector);
    status = status ? status : lava_rhs_chunks_begin(&reflector->chunks);
    status = status ? status : lava_rhs_chunks_finish(&reflector->chunks);
    lava_download_settle(reflector->stream);
    const struct lava_side_progress sides = lava_rhs_chunks_progress(&reflector->chunks);
    *done = sides.side + sides.columns;
    return status;
}

static enum lava_status run_chunks(struct block_reflector *reflector, int64_t *done) {
    enum lava_status status = create(reflector, reflector->plan->chunks.sides);
    status = status ? status : lava_rhs_chunks_create(&reflector->chunks, reflector->engine);
    if (!status) {
        lava_stream_open(reflector->stream, reflector->engine, false);
        status = lava_stream_close(reflector->stream, stream_chunks(reflector, done));
    }
    free_matrices(reflector);
    return status;
}

/* With the adjoint of C, what is below the given rows of the right-hand sides <- 0, as Q needs it. A call
 * does not give these elements, and X will be there: after a fault the CPU writes them, too. */
static void clear_below(const struct lava_operation *operation) {
    const struct lava_right_sides *sides = &operation->sides;
    size_t bytes = (size_t)(operation->m - operation->n) * lava_type_bytes(operation->type);
    for (int64_t j = 0; j < sides->count; j++)
        memset(lava_operation_element(sides->first, operation->type, operation->n, j, sides->ld), 0, bytes);
}

/* Where R has a zero on its diagonal there is no X, and the right-hand sides stay as they were: the CPU
 * leaves what LAPACK does. */
static enum lava_status run(struct block_reflector *reflector, struct lava_progress *progress) {
    const struct lava_operation *operation = reflector->operation;
    const struct lava_qr_parts *parts = &lava_operation_row(operation)->qr;
    if (parts->multiplies && !parts->on_right)
        return run_chunks(reflector, &progress->column);
    enum lava_status status = run_matrix(reflector, progress);
    if (status || operation->sides.count == 0)
        return status;
    const struct lava_operation r = lava_operation_solve_r(operation);
    if (lava_cpu_inverse_find_zero(&r))
        return LAVA_ERROR_SINGULAR;
    if (operation->adjoint)
        clear_below(operation);
    return run_chunks(reflector, &progress->sides);
}

enum lava_status lava_block_reflector_run(struct lava_engine *engine, const struct lava_operation *operation,
                                          const struct lava_plan *plan, struct lava_progress *progress) {
    const struct lava_qr_parts *parts = &lava_operation_row(operation)->qr;
    bool is_product = parts->multiplies, is_left = is_product && !parts->on_right;
    const struct lava_operand *given = lava_qr_parts_reflections(operation);
    struct lava_stream stream;
    struct block_reflector reflector = {.engine = engine,
                                        .stream = &stream,
                                        .operation = operation,
                                        .plan = plan,
                                        .overrides.memory_bytes = plan->chunks.product_bytes,
                                        .rows = parts->on_right ? operation->n : operation->m};
    reflector.slices = (struct lava_slices){.stream = &stream,
                                            .first = is_product ? given->first : operation->c.first,
                                            .ld = is_product ? given->ld : operation->c.ld,
                                            .width = plan->columns.slice,
                                            .precision = operation->precision,
                                            .overrides = &reflector.overrides};
    reflector.chunks = (struct lava_rhs_chunks){
        .stream = &stream,
        .plan = &plan->chunks,
        .type = operation->type,
        .sizes = {.order = operation->m, .sides = is_left ? operation->n : operation->sides.count},
        .first = is_left ? operation->c.first : operation->sides.first,
        .ld = is_left ? operation->c.ld : operation->sides.ld,
        .solve = compute_chunk,
        .context = &reflector};
    *progress = (struct lava_progress){.rows = operation->m};
    return run(&reflector, progress);
}
