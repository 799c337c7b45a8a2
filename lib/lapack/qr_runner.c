/* Takes a matrix to the device, factors it by reflections there, makes Q of them, or multiplies with that,
 * and brings the result back. Right-hand sides of least squares are columns beside the matrix: what a block
 * of reflections does to the columns right of it includes them. With the matrix's adjoint they are solved for
 * and multiplied after the factorization. Called by lib/offload/offload.c and wide_least_squares.c.
 *
 * Invariant: nothing of C is written before the whole result is there, and then only columns of it. Where the
 * CPU could not go on from some of its columns, they are collected in a buffer, and copied when that has all
 * of them. Nothing of the right-hand sides is written before all of C is. */
#include "lib/lapack/qr_runner.h"

#include <stdlib.h>

#include "lib/host/cpu_inverse.h"
#include "lib/host/matrix_copy.h"
#include "lib/lapack/device_qr.h"
#include "lib/lapack/device_solve.h"
#include "lib/lapack/qr_parts.h"
#include "lib/lapack/trapezoids.h"

struct qr_runner {
    struct lava_engine *engine;
    struct lava_stream *stream;
    const struct lava_operation *operation;
    const struct lava_plan *plan;
    struct lava_overrides overrides; /* of the products */
    struct lava_device_matrix whole; /* C, and the right-hand sides beside it */
    struct lava_trapezoids c, sides;
    struct lava_point factored; /* reached when the device has C's result */
    struct lava_download tau_download;
    struct lava_device_matrix tau;
    struct lava_device_matrix work;
    struct lava_device_matrix q; /* of products with Q: the reflections */
    void *buffer;                /* m x n elements; NULL: C is written as the result comes */
};

static bool has_sides(const struct qr_runner *runner) {
    return runner->operation->sides.count > 0;
}

static struct lava_device_matrix all_sides(const struct qr_runner *runner) {
    const struct lava_operation *operation = runner->operation;
    return lava_device_matrix_block(&runner->whole, 0, operation->m, operation->n, operation->sides.count);
}

static bool next_stored(void *context, struct lava_stored *stored) {
    struct qr_runner *runner = context;
    return lava_trapezoids_stage(&runner->c, stored) ||
           (has_sides(runner) && lava_trapezoids_stage(&runner->sides, stored));
}

/* With C's adjoint the right-hand sides are zero below the given rows, as Q needs them: all of them become
 * zero before those come, by a product that multiplies nothing. */
static enum lava_status clear_sides(struct qr_runner *runner) {
    const struct lava_device_product nothing = {
        .a = runner->c.matrix, .b = runner->sides.matrix, .c = all_sides(runner)};
    enum lava_status status = lava_device_product(runner->stream, &nothing);
    runner->sides.after = runner->stream->computed;
    return status;
}

/* The reflections go first: C's trapezoids are staged ahead from here on. */
static enum lava_status upload(struct qr_runner *runner) {
    const struct lava_operation *operation = runner->operation;
    struct lava_stream *stream = runner->stream;
    enum lava_status status = LAVA_OK;
    if (!lava_operation_row(operation)->qr.factors)
        status = lava_device_matrix_upload(stream, &runner->tau, operation->tau, runner->tau.rows);
    if (!status && lava_operation_row(operation)->qr.multiplies) {
        const struct lava_operand *operand = lava_qr_parts_reflections(operation);
        status = lava_device_matrix_upload(stream, &runner->q, operand->first, operand->ld);
    }
    if (!status && has_sides(runner) && operation->adjoint)
        status = clear_sides(runner);
    stream->staging.next = next_stored;
    stream->staging.context = runner;
    status = status ? status : lava_trapezoids_upload(&runner->c);
    return status || !has_sides(runner) ? status : lava_trapezoids_upload(&runner->sides);
}

/* The right-hand sides' first rows <- X, or of C's adjoint the Y with R' Y = them. */
static enum lava_status solve(const struct qr_runner *runner) {
    const struct lava_operation *operation = runner->operation;
    const struct lava_device_matrix *whole = &runner->whole;
    int64_t n = operation->n;
    const struct lava_device_solve r = {.a = lava_device_matrix_block(whole, 0, n, 0, n),
                                        .b = lava_device_matrix_block(whole, 0, n, n, operation->sides.count),
                                        .stored = LAVA_REGION_UPPER,
                                        .op = operation->adjoint ? LAVA_OP_T : LAVA_OP_N,
                                        .conjugate =
                                            operation->adjoint && lava_type_is_complex(operation->type),
                                        .alpha.real = 1,
                                        .chain = LAVA_CHAIN_OF_FACTORS,
                                        .precision = operation->precision,
                                        .overrides = &runner->overrides};
    return lava_device_solve(runner->stream, &r);
}

/* The right-hand sides, which are zero below Y, <- Q Y. */
static enum lava_status multiply_sides(const struct qr_runner *runner, const struct lava_device_qr *qr) {
    const struct lava_device_qr_product product = {.q = *qr, .c = all_sides(runner)};
    return lava_device_qr_multiply(runner->stream, &product);
}

/* Adds the operation to the stream. Where Q' belongs to the right-hand sides, they are beside C. */
static enum lava_status compute(struct qr_runner *runner) {
    const struct lava_operation *operation = runner->operation;
    bool multiplies = lava_operation_row(operation)->qr.multiplies,
         is_beside = has_sides(runner) && !operation->adjoint;
    const struct lava_device_qr qr = {.a = multiplies  ? runner->q
                                           : is_beside ? runner->whole
                                                       : runner->c.matrix,
                                      .beside = is_beside ? operation->sides.count : 0,
                                      .tau = runner->tau,
                                      .work = runner->work,
                                      .precision = operation->precision,
                                      .overrides = &runner->overrides};
    const struct lava_device_qr_product product = {.q = qr,
                                                   .c = runner->c.matrix,
                                                   .adjoint = operation->adjoint,
                                                   .on_right = lava_operation_row(operation)->qr.on_right};
    if (multiplies)
        return lava_device_qr_multiply(runner->stream, &product);
    if (lava_operation_row(operation)->qr.forms)
        return lava_device_qr_form(runner->stream, &qr);
    enum lava_status status = lava_device_qr(runner->stream, &qr);
    runner->factored = runner->stream->computed;
    if (!status && has_sides(runner))
        status = solve(runner);
    return status || !has_sides(runner) || is_beside ? status : multiply_sides(runner, &qr);
}

/* Leaves tau when the device has the whole factorization, and says whether there is one. */
static enum lava_status download_tau(struct qr_runner *runner) {
    const struct lava_operation *operation = runner->operation;
    struct lava_stream *stream = runner->stream;
    const struct lava_device_download how = {
        .matrix = runner->tau, .host = operation->tau, .ld = runner->tau.rows, .after = runner->factored};
    enum lava_status status = lava_device_matrix_download_beside(stream, &how, &runner->tau_download);
    status = status ? status : lava_download_finish(stream, 0);
    return status ? status
                  : lava_device_qr_check(stream->device, operation->type, operation->tau, runner->tau.rows);
}

static enum lava_status download(struct qr_runner *runner) {
    const struct lava_operation *operation = runner->operation;
    const struct lava_trapezoids_result result = {.matrix = runner->c.matrix,
                                                  .first =
                                                      runner->buffer ? runner->buffer : operation->c.first,
                                                  .ld = runner->buffer ? operation->m : operation->c.ld,
                                                  .after = runner->factored,
                                                  .descends = lava_operation_descends(operation)};
    return lava_trapezoids_download(&runner->c, &result);
}

/* Where R has a zero on its diagonal there is no X, and the right-hand sides stay as they were: the CPU
 * leaves what LAPACK does. */
static enum lava_status download_sides(struct qr_runner *runner) {
    const struct lava_right_sides *sides = &runner->operation->sides;
    const struct lava_operation r = lava_operation_solve_r(runner->operation);
    const struct lava_trapezoids_result result = {
        .matrix = all_sides(runner), .first = sides->first, .ld = sides->ld};
    if (lava_cpu_inverse_find_zero(&r))
        return LAVA_ERROR_SINGULAR;
    runner->sides.matrix = result.matrix;
    return lava_trapezoids_download(&runner->sides, &result);
}

/* C <- the buffer. */
static void copy_buffer(const struct qr_runner *runner) {
    const struct lava_operation *operation = runner->operation;
    const struct lava_matrix_copy copy = {.type = operation->type,
                                          .source = runner->buffer,
                                          .source_ld = operation->m,
                                          .target = operation->c.first,
                                          .target_ld = operation->c.ld,
                                          .rows = operation->m,
                                          .columns = operation->n};
    lava_matrix_copy(runner->stream->pool, &copy);
}

static void record_progress(const struct qr_runner *runner, struct lava_progress *progress) {
    progress->rows = runner->operation->m;
    if (!runner->buffer || runner->c.is_written)
        progress->column = lava_trapezoids_written(&runner->c);
    if (has_sides(runner) && runner->c.is_written)
        progress->sides = lava_trapezoids_written(&runner->sides);
}

/* What is done before anything of C is written. */
static enum lava_status prepare(struct qr_runner *runner) {
    enum lava_status status = upload(runner);
    status = status ? status : compute(runner);
    if (!status && has_sides(runner))
        status = lava_qr_parts_check_scale(runner->stream, runner->operation);
    if (!status && lava_operation_row(runner->operation)->qr.factors)
        status = download_tau(runner);
    return status;
}

static enum lava_status run(struct qr_runner *runner, struct lava_progress *progress) {
    enum lava_status status = lava_trapezoids_make_room(&runner->c, runner->plan);
    if (status)
        return status;
    lava_stream_look_around(runner->stream);
    status = prepare(runner);
    if (status)
        return status;
    status = download(runner);
    if (!status && has_sides(runner))
        status = download_sides(runner);
    lava_download_settle(runner->stream);
    if (!status && runner->buffer)
        copy_buffer(runner);
    record_progress(runner, progress);
    return status;
}

static void set_blocks(struct qr_runner *runner) {
    const struct lava_operation *operation = runner->operation;
    int64_t m = operation->m, n = operation->n;
    runner->c.matrix = lava_device_matrix_block(&runner->whole, 0, m, 0, n);
    runner->sides.matrix = all_sides(runner);
    runner->sides.matrix.rows = operation->adjoint ? n : m; /* those that are given */
}

static enum lava_status create(struct qr_runner *runner) {
    const struct lava_operation *operation = runner->operation;
    struct lava_engine *engine = runner->engine;
    enum lava_type type = operation->type;
    bool on_right = lava_operation_row(operation)->qr.on_right;
    int64_t columns = operation->n + operation->sides.count, rows = on_right ? operation->n : operation->m,
            others = on_right ? operation->m : columns;
    if (on_right)
        runner->buffer = malloc((size_t)operation->m * (size_t)operation->n * lava_type_bytes(type));
    if (on_right && !runner->buffer)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status = lava_device_matrix_create(engine, type, operation->m, columns, &runner->whole);
    if (!status)
        set_blocks(runner);
    status = status ? status : lava_device_matrix_create(engine, type, operation->k, 1, &runner->tau);
    if (!status && lava_operation_row(operation)->qr.multiplies)
        status = lava_device_matrix_create(engine, type, rows, operation->k, &runner->q);
    int64_t work = lava_device_qr_work_elements(type, rows, others);
    return status ? status : lava_device_matrix_create(engine, type, work, 1, &runner->work);
}

static void free_all(struct qr_runner *runner) {
    lava_device_matrix_free(runner->engine, &runner->q);
    lava_device_matrix_free(runner->engine, &runner->work);
    lava_device_matrix_free(runner->engine, &runner->tau);
    lava_device_matrix_free(runner->engine, &runner->whole);
    free(runner->buffer);
}

enum lava_status lava_qr_runner_run(struct lava_engine *engine, const struct lava_operation *operation,
                                    const struct lava_plan *plan, struct lava_progress *progress) {
    struct lava_stream stream;
    struct qr_runner runner = {
        .engine = engine,
        .stream = &stream,
        .operation = operation,
        .plan = plan,
        .overrides.memory_bytes = plan->chunks.product_bytes,
        .c = {.stream = &stream,
              .region = operation->c.region,
              .first = operation->c.first,
              .ld = operation->c.ld},
        .sides = {.stream = &stream, .first = operation->sides.first, .ld = operation->sides.ld}};
    *progress = (struct lava_progress){0};
    enum lava_status status = create(&runner);
    if (!status) {
        lava_stream_open(&stream, engine, false);
        status = lava_stream_close(&stream, run(&runner, progress));
    }
    free_all(&runner);
    return status;
}
