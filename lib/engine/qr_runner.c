/* Takes a matrix to the device, factors it by reflections there, makes Q of them, or multiplies with that,
 * and brings the result back. Called by lib/offload/offload.c. Invariant: nothing of C is written before the
 * whole result is there, and then only columns of it. Where the CPU could not go on from some of its columns,
 * they are collected in a buffer, and copied when that has all of them. */
#include "lib/engine/qr_runner.h"

#include <stdlib.h>
#include <string.h>

#include "lib/engine/device_qr.h"
#include "lib/engine/trapezoids.h"

struct qr_runner {
    struct lava_engine *engine;
    struct lava_stream *stream;
    const struct lava_operation *operation;
    const struct lava_plan *plan;
    struct lava_overrides overrides; /* of the products */
    struct lava_trapezoids c;
    struct lava_device_matrix tau;
    struct lava_device_matrix work;
    struct lava_device_matrix q; /* of products with Q: the reflections */
    void *buffer;                /* m x n elements; NULL: C is written as the result comes */
};

/* The operand of a product with Q. */
static const struct lava_operand *reflections_of(const struct lava_operation *operation) {
    return operation->kind == LAVA_OPERATION_QR_LEFT ? &operation->a : &operation->b;
}

static bool next_stored(void *context, struct lava_stored *stored) {
    struct qr_runner *runner = context;
    return lava_trapezoids_stage(&runner->c, stored);
}

/* The reflections go first: C's trapezoids are staged ahead from here on. */
static enum lava_status upload(struct qr_runner *runner) {
    const struct lava_operation *operation = runner->operation;
    struct lava_stream *stream = runner->stream;
    enum lava_status status = LAVA_OK;
    if (operation->kind != LAVA_OPERATION_QR)
        status = lava_device_matrix_upload(stream, &runner->tau, operation->tau, runner->tau.rows);
    if (!status && lava_operation_is_qr_product(operation)) {
        const struct lava_operand *operand = reflections_of(operation);
        status = lava_device_matrix_upload(stream, &runner->q, operand->first, operand->ld);
    }
    stream->staging.next = next_stored;
    stream->staging.context = runner;
    return status ? status : lava_trapezoids_upload(&runner->c);
}

/* Adds the operation to the stream. */
static enum lava_status compute(const struct qr_runner *runner) {
    const struct lava_operation *operation = runner->operation;
    bool multiplies = lava_operation_is_qr_product(operation);
    const struct lava_device_qr qr = {.a = multiplies ? runner->q : runner->c.matrix,
                                      .tau = runner->tau,
                                      .work = runner->work,
                                      .precision = operation->precision,
                                      .overrides = &runner->overrides};
    const struct lava_device_qr_product product = {.q = qr,
                                                   .c = runner->c.matrix,
                                                   .adjoint = operation->adjoint,
                                                   .on_right = operation->kind == LAVA_OPERATION_QR_RIGHT};
    if (multiplies)
        return lava_device_qr_multiply(runner->stream, &product);
    return operation->kind == LAVA_OPERATION_QR_FORM ? lava_device_qr_form(runner->stream, &qr)
                                                     : lava_device_qr(runner->stream, &qr);
}

/* Leaves tau when the device has the whole factorization, and says whether there is one. */
static enum lava_status download_tau(struct qr_runner *runner) {
    const struct lava_operation *operation = runner->operation;
    struct lava_stream *stream = runner->stream;
    enum lava_status status =
        lava_device_matrix_download(stream, &runner->tau, LAVA_REGION_ALL, operation->tau, runner->tau.rows);
    return status ? status
                  : lava_device_qr_check(stream->device, operation->type, operation->tau, runner->tau.rows);
}

/* tau is written before C. */
static enum lava_status download(struct qr_runner *runner) {
    const struct lava_operation *operation = runner->operation;
    const struct lava_trapezoids_result result = {.matrix = runner->c.matrix,
                                                  .first =
                                                      runner->buffer ? runner->buffer : operation->c.first,
                                                  .ld = runner->buffer ? operation->m : operation->c.ld,
                                                  .descends = lava_operation_descends(operation)};
    enum lava_status status = operation->kind == LAVA_OPERATION_QR ? download_tau(runner) : LAVA_OK;
    return status ? status : lava_trapezoids_download(&runner->c, &result);
}

/* C <- the buffer. */
static void copy_buffer(const struct qr_runner *runner) {
    const struct lava_operation *operation = runner->operation;
    for (int64_t j = 0; j < operation->n; j++)
        memcpy(lava_operation_element(operation->c.first, operation->type, 0, j, operation->c.ld),
               lava_operation_element(runner->buffer, operation->type, 0, j, operation->m),
               (size_t)operation->m * lava_type_bytes(operation->type));
}

static enum lava_status run(struct qr_runner *runner, struct lava_progress *progress) {
    enum lava_status status = lava_trapezoids_make_room(&runner->c, runner->plan);
    if (status)
        return status;
    lava_stream_look_around(runner->stream);
    status = upload(runner);
    status = status ? status : compute(runner);
    if (status)
        return status;
    status = download(runner);
    lava_download_settle(runner->stream);
    if (!status && runner->buffer)
        copy_buffer(runner);
    progress->rows = runner->operation->m;
    if (!status || !runner->buffer)
        progress->column = lava_trapezoids_written(&runner->c);
    return status;
}

static enum lava_status create(struct qr_runner *runner) {
    const struct lava_operation *operation = runner->operation;
    struct lava_engine *engine = runner->engine;
    enum lava_type type = operation->type;
    bool on_right = operation->kind == LAVA_OPERATION_QR_RIGHT;
    int64_t rows = on_right ? operation->n : operation->m, others = on_right ? operation->m : operation->n;
    if (on_right)
        runner->buffer = malloc((size_t)operation->m * (size_t)operation->n * lava_type_bytes(type));
    if (on_right && !runner->buffer)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status =
        lava_device_matrix_create(engine, type, operation->m, operation->n, &runner->c.matrix);
    status = status ? status : lava_device_matrix_create(engine, type, operation->k, 1, &runner->tau);
    if (!status && lava_operation_is_qr_product(operation))
        status = lava_device_matrix_create(engine, type, rows, operation->k, &runner->q);
    int64_t work = lava_device_qr_work_elements(type, rows, others);
    return status ? status : lava_device_matrix_create(engine, type, work, 1, &runner->work);
}

static void free_all(struct qr_runner *runner) {
    lava_device_matrix_free(runner->engine, &runner->q);
    lava_device_matrix_free(runner->engine, &runner->work);
    lava_device_matrix_free(runner->engine, &runner->tau);
    lava_device_matrix_free(runner->engine, &runner->c.matrix);
    free(runner->buffer);
}

enum lava_status lava_qr_runner_run(struct lava_engine *engine, const struct lava_operation *operation,
                                    const struct lava_plan *plan, struct lava_progress *progress) {
    struct lava_stream stream;
    struct qr_runner runner = {.engine = engine,
                               .stream = &stream,
                               .operation = operation,
                               .plan = plan,
                               .overrides.memory_bytes = plan->chunks.product_bytes,
                               .c = {.stream = &stream,
                                     .region = operation->c.region,
                                     .first = operation->c.first,
                                     .ld = operation->c.ld}};
    *progress = (struct lava_progress){0};
    enum lava_status status = create(&runner);
    if (!status) {
        lava_stream_open(&stream, engine, false);
        status = lava_stream_close(&stream, run(&runner, progress));
    }
    free_all(&runner);
    return status;
}
