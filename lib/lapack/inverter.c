/* Takes a triangle or factors to the device, inverts them there, and brings the result back. Called by
 * lib/offload/offload.c. Invariant: nothing of C is written before the whole result is there, and then only
 * columns of it. Where the CPU could not go on from some of its columns, they are collected in a buffer, and
 * copied when that has all of them. */
#include "lib/lapack/inverter.h"

#include <stdlib.h>

#include "lib/host/cpu_inverse.h"
#include "lib/host/matrix_copy.h"
#include "lib/lapack/device_inverse.h"
#include "lib/lapack/trapezoids.h"

struct inverter {
    struct lava_engine *engine;
    struct lava_stream *stream;
    const struct lava_operation *operation;
    const struct lava_plan *plan;
    struct lava_overrides overrides; /* of the products */
    struct lava_trapezoids a;
    struct lava_device_matrix work; /* by LU the result; else scratch of products of a triangle with itself */
    void *buffer;                   /* n x n elements; NULL: C is written as the result comes */
    int64_t *order;                 /* of the buffer's columns in C; NULL: the same */
};

static bool next_stored(void *context, struct lava_stored *stored) {
    struct inverter *inverter = context;
    return lava_trapezoids_stage(&inverter->a, stored);
}

/* Adds the inverse to the stream. */
static enum lava_status invert(const struct inverter *inverter) {
    const struct lava_operation *operation = inverter->operation;
    const struct lava_device_triangle triangle = {.a = inverter->a.matrix,
                                                  .stored = operation->c.region,
                                                  .unit_diagonal = operation->a.unit_diagonal,
                                                  .precision = operation->precision,
                                                  .overrides = &inverter->overrides};
    const struct lava_device_inverse_lu by_lu = {.a = inverter->a.matrix,
                                                 .x = inverter->work,
                                                 .precision = operation->precision,
                                                 .overrides = &inverter->overrides};
    struct lava_stream *stream = inverter->stream;
    enum lava_status status = LAVA_OK;
    const struct lava_inverse_parts *parts = &lava_operation_row(operation)->inverse;
    if (parts->solves)
        return lava_device_invert_lu(stream, &by_lu);
    if (parts->inverts)
        status = lava_device_invert(stream, &triangle);
    if (parts->squares)
        status = status ? status : lava_device_square(stream, &triangle, &inverter->work);
    return status;
}

static enum lava_status download(struct inverter *inverter) {
    const struct lava_operation *operation = inverter->operation;
    bool is_work = lava_operation_row(operation)->inverse.solves;
    const struct lava_trapezoids_result result = {.matrix = is_work ? inverter->work : inverter->a.matrix,
                                                  .first = inverter->buffer ? inverter->buffer
                                                                            : operation->c.first,
                                                  .ld = inverter->buffer ? operation->n : operation->c.ld};
    return lava_trapezoids_download(&inverter->a, &result);
}

/* The columns of C's region <- those of the buffer. */
static void copy_buffer(const struct inverter *inverter) {
    const struct lava_operation *operation = inverter->operation;
    const struct lava_matrix_copy copy = {.type = operation->type,
                                          .source = inverter->buffer,
                                          .source_ld = operation->n,
                                          .target = operation->c.first,
                                          .target_ld = operation->c.ld,
                                          .rows = operation->n,
                                          .columns = operation->n,
                                          .region = operation->c.region,
                                          .order = inverter->order};
    lava_matrix_copy(inverter->stream->pool, &copy);
}

static enum lava_status run(struct inverter *inverter, struct lava_progress *progress) {
    struct lava_stream *stream = inverter->stream;
    enum lava_status status = lava_trapezoids_make_room(&inverter->a, inverter->plan);
    if (status)
        return status;
    lava_stream_look_around(stream);
    stream->staging.next = next_stored;
    stream->staging.context = inverter;
    status = lava_trapezoids_upload(&inverter->a);
    status = status ? status : invert(inverter);
    if (status)
        return status;
    status = download(inverter);
    lava_download_settle(stream);
    if (!status && inverter->buffer)
        copy_buffer(inverter);
    progress->rows = inverter->operation->m;
    if (!status || !inverter->buffer)
        progress->column = lava_trapezoids_written(&inverter->a);
    return status;
}

/* What the kinds need besides the matrix. */
static enum lava_status create_work(struct inverter *inverter) {
    const struct lava_operation *operation = inverter->operation;
    const struct lava_inverse_parts *parts = &lava_operation_row(operation)->inverse;
    int64_t n = operation->n, work = parts->solves ? n : lava_device_square_order(n);
    if (!parts->squares && !parts->solves)
        return LAVA_OK;
    if (parts->solves) {
        inverter->order = malloc((size_t)n * sizeof *inverter->order);
        if (!inverter->order)
            return LAVA_ERROR_HOST_MEMORY;
        lava_cpu_inverse_order(operation->pivots, n, inverter->order);
    }
    if (parts->inverts) {
        inverter->buffer = malloc((size_t)(n * n) * lava_type_bytes(operation->type));
        if (!inverter->buffer)
            return LAVA_ERROR_HOST_MEMORY;
    }
    return lava_device_matrix_create(inverter->engine, operation->type, work, work, &inverter->work);
}

static void free_all(struct inverter *inverter) {
    lava_device_matrix_free(inverter->engine, &inverter->work);
    lava_device_matrix_free(inverter->engine, &inverter->a.matrix);
    free(inverter->buffer);
    free(inverter->order);
}

enum lava_status lava_inverter_run(struct lava_engine *engine, const struct lava_operation *operation,
                                   const struct lava_plan *plan, struct lava_progress *progress) {
    struct lava_stream stream;
    struct inverter inverter = {.engine = engine,
                                .stream = &stream,
                                .operation = operation,
                                .plan = plan,
                                .overrides.memory_bytes = plan->chunks.product_bytes,
                                .a = {.stream = &stream,
                                      .region = operation->c.region,
                                      .first = operation->c.first,
                                      .ld = operation->c.ld}};
    *progress = (struct lava_progress){0};
    enum lava_status status = create_work(&inverter);
    status = status ? status
                    : lava_device_matrix_create(engine, operation->type, operation->n, operation->n,
                                                &inverter.a.matrix);
    if (!status) {
        lava_stream_open(&stream, engine, false);
        status = lava_stream_close(&stream, run(&inverter, progress));
    }
    free_all(&inverter);
    return status;
}
