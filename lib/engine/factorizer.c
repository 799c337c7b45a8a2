/* Takes a matrix to the device, factors or inverts it there, and brings the result back. Called by
 * lib/offload/offload.c. Invariant: nothing of C is written before the whole result is there, and then only
 * columns of it. Where the CPU could not go on from some of its columns, they are collected in a buffer, and
 * copied when that has all of them. */
#include "lib/engine/factorizer.h"

#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "dispatch/solve.h"
#include "lib/engine/device_cholesky.h"
#include "lib/engine/device_inverse.h"
#include "lib/engine/device_lu.h"
#include "lib/engine/download.h"
#include "lib/host/inverse.h"

/* Downloads under way at once: one is written back while another is on the bus. */
#define HELD 3

struct factorizer {
    struct lava_engine *engine;
    struct lava_stream *stream;
    const struct lava_operation *operation;
    const struct lava_plan *plan;
    struct lava_device_matrix a;
    struct lava_device_matrix words; /* Cholesky: its status; LU: the pivots; else empty */
    struct lava_device_matrix work;  /* scratch; of the inverse by LU, the result */
    uint32_t *host_words;            /* NULL: there are none */
    void *buffer;                    /* n x n elements; NULL: C is written as the result comes */
    int64_t *order;                  /* of the buffer's columns in C; NULL: the same */
    struct lava_download downloads[HELD];
    int64_t parts[HELD]; /* the trapezoids that these download */
    int64_t started;     /* trapezoids that are, or were, being downloaded */
    int64_t staged;      /* trapezoids that were staged ahead */
};

static int64_t count_of(const struct factorizer *factorizer) {
    return lava_trapezoid_count(factorizer->operation->n);
}

static struct lava_trapezoid trapezoid_at(const struct factorizer *factorizer, int64_t index) {
    const struct lava_operation *operation = factorizer->operation;
    return lava_trapezoid_at(operation->m, operation->n, operation->c.region, index);
}

static void *first_of(const struct factorizer *factorizer, const struct lava_trapezoid *part) {
    const struct lava_result *c = &factorizer->operation->c;
    return lava_operation_element(c->first, c->type, part->row, part->column, c->ld);
}

static struct lava_device_matrix block_of(const struct lava_device_matrix *whole,
                                          const struct lava_trapezoid *part) {
    return lava_device_matrix_block(whole, part->row, part->rows, part->column, part->columns);
}

/* Everything that is uploaded, in order, but for the words. */
static bool next_stored(void *context, struct lava_stored *stored) {
    struct factorizer *factorizer = context;
    if (factorizer->staged == count_of(factorizer))
        return false;
    const struct lava_trapezoid part = trapezoid_at(factorizer, factorizer->staged++);
    *stored = (struct lava_stored){.first = first_of(factorizer, &part),
                                   .ld = factorizer->operation->c.ld,
                                   .element_bytes = lava_type_bytes(factorizer->operation->type),
                                   .rows = part.rows,
                                   .columns = part.columns};
    return true;
}

/* The words go first: the trapezoids are staged ahead from here on. */
static enum lava_status upload(struct factorizer *factorizer) {
    const struct lava_point nothing = {0};
    struct lava_stream *stream = factorizer->stream;
    enum lava_status status = LAVA_OK;
    if (factorizer->host_words)
        status = lava_device_matrix_upload(stream, &factorizer->words, factorizer->host_words,
                                           factorizer->words.rows);
    stream->staging.next = next_stored;
    stream->staging.context = factorizer;
    for (int64_t i = 0; i < count_of(factorizer) && !status; i++) {
        const struct lava_trapezoid part = trapezoid_at(factorizer, i);
        const struct lava_device_matrix block = block_of(&factorizer->a, &part);
        status = lava_device_matrix_upload_after(stream, &block, first_of(factorizer, &part),
                                                 factorizer->operation->c.ld, nothing);
    }
    return status;
}

static enum lava_status run_cholesky(const struct factorizer *factorizer,
                                     const struct lava_overrides *overrides) {
    const struct lava_device_cholesky cholesky = {.a = factorizer->a,
                                                  .status = factorizer->words,
                                                  .stored = factorizer->operation->c.region,
                                                  .precision = factorizer->operation->precision,
                                                  .overrides = overrides};
    return lava_device_cholesky(factorizer->stream, &cholesky);
}

static enum lava_status run_lu(const struct factorizer *factorizer, const struct lava_overrides *overrides) {
    const struct lava_device_lu lu = {.a = factorizer->a,
                                      .pivots = factorizer->words,
                                      .work = factorizer->work,
                                      .precision = factorizer->operation->precision,
                                      .overrides = overrides};
    return lava_device_lu(factorizer->stream, &lu);
}

static enum lava_status run_inverse(const struct factorizer *factorizer,
                                    const struct lava_overrides *overrides) {
    const struct lava_operation *operation = factorizer->operation;
    const struct lava_device_triangle triangle = {.a = factorizer->a,
                                                  .stored = operation->c.region,
                                                  .unit_diagonal = operation->a.unit_diagonal,
                                                  .precision = operation->precision,
                                                  .overrides = overrides};
    const struct lava_device_inverse_lu by_lu = {
        .a = factorizer->a, .x = factorizer->work, .precision = operation->precision, .overrides = overrides};
    struct lava_stream *stream = factorizer->stream;
    enum lava_status status = LAVA_OK;
    if (operation->kind == LAVA_OPERATION_INVERT_LU)
        return lava_device_invert_lu(stream, &by_lu);
    if (operation->kind != LAVA_OPERATION_SQUARE_TRIANGLE)
        status = lava_device_invert(stream, &triangle);
    if (operation->kind != LAVA_OPERATION_INVERT_TRIANGLE)
        status = status ? status : lava_device_square(stream, &triangle, &factorizer->work);
    return status;
}

/* Returns LAVA_OK when the device has the whole factor. */
static enum lava_status factor(const struct factorizer *factorizer) {
    const struct lava_operation *operation = factorizer->operation;
    const struct lava_overrides overrides = {.memory_bytes = factorizer->plan->chunks.product_bytes};
    bool is_lu = operation->kind == LAVA_OPERATION_LU;
    uint32_t *words = factorizer->host_words;
    if (!words)
        return run_inverse(factorizer, &overrides);
    enum lava_status status = is_lu ? run_lu(factorizer, &overrides) : run_cholesky(factorizer, &overrides);
    status = status ? status
                    : lava_device_matrix_download(factorizer->stream, &factorizer->words, LAVA_REGION_ALL,
                                                  words, factorizer->words.rows);
    if (status)
        return status;
    for (int64_t i = 0; i < operation->k && is_lu; i++)
        operation->pivots[i] = (int64_t)words[i] - 1;
    return !is_lu && words[0] ? LAVA_ERROR_NOT_DEFINITE : LAVA_OK;
}

static enum lava_status download(struct factorizer *factorizer) {
    const struct lava_operation *operation = factorizer->operation;
    bool is_work = operation->kind == LAVA_OPERATION_INVERT_LU;
    const struct lava_device_matrix *result = is_work ? &factorizer->work : &factorizer->a;
    void *target = factorizer->buffer ? factorizer->buffer : operation->c.first;
    int64_t ld = factorizer->buffer ? operation->n : operation->c.ld;
    enum lava_status status = LAVA_OK;
    for (int64_t i = 0; i < count_of(factorizer) && !status; i++) {
        const struct lava_trapezoid part = trapezoid_at(factorizer, i);
        const struct lava_device_download how = {
            .matrix = block_of(result, &part),
            .region = operation->c.region,
            .diagonal = part.column - part.row,
            .host = lava_operation_element(target, operation->type, part.row, part.column, ld),
            .ld = ld};
        status = lava_download_finish(factorizer->stream, HELD - 1);
        if (!status)
            factorizer->parts[i % HELD] = i;
        status = status ? status
                        : lava_device_matrix_download_beside(factorizer->stream, &how,
                                                             &factorizer->downloads[i % HELD]);
        if (!status)
            factorizer->started = i + 1;
    }
    return status ? status : lava_download_finish(factorizer->stream, 0);
}

/* The columns of C's region <- those of the buffer. */
static void copy_buffer(const struct factorizer *factorizer) {
    const struct lava_operation *operation = factorizer->operation;
    const struct lava_region_block all = {.region = operation->c.region, .rows = operation->n};
    for (int64_t j = 0; j < operation->n; j++) {
        int64_t first, end = lava_region_rows(&all, j, &first);
        memcpy(lava_operation_element(operation->c.first, operation->type, first, j, operation->c.ld),
               lava_operation_element(factorizer->buffer, operation->type, first,
                                      factorizer->order ? factorizer->order[j] : j, operation->n),
               (size_t)(end - first) * lava_type_bytes(operation->type));
    }
}

/* Trapezoids are written one after the other, so everything before the first unfinished one is. */
static void record_progress(const struct factorizer *factorizer, struct lava_progress *progress) {
    const struct lava_stream *stream = factorizer->stream;
    int64_t part = factorizer->started, columns = 0;
    if (factorizer->buffer && (stream->download_count > 0 || part < count_of(factorizer)))
        return; /* nothing is written */
    if (stream->download_count > 0) {
        const struct lava_download *first = stream->downloads[0];
        part = factorizer->parts[first - factorizer->downloads];
        columns = first->columns_done;
    }
    progress->rows = factorizer->operation->m;
    progress->column = lava_minimum(part * LAVA_SOLVE_TRAPEZOID, factorizer->operation->n) + columns;
}

/* Room for the largest product is made before anything is under way. */
static enum lava_status run(struct factorizer *factorizer, struct lava_progress *progress) {
    const struct lava_plan *plan = factorizer->plan;
    struct lava_stream *stream = factorizer->stream;
    enum lava_status status = LAVA_OK;
    if (plan->chunks.product_bytes > 0)
        status = lava_arena_reserve(stream->arena, stream->device, &plan->blocking,
                                    LAVA_ARENA_SLOTS * stream->arena->slot_bytes,
                                    lava_type_is_complex(factorizer->operation->type));
    if (status)
        return status;
    lava_stream_look_around(stream);
    status = upload(factorizer);
    status = status ? status : factor(factorizer);
    if (status)
        return status;
    status = download(factorizer);
    lava_download_settle(stream);
    if (!status && factorizer->buffer)
        copy_buffer(factorizer);
    record_progress(factorizer, progress);
    return status;
}

/* What the kinds need besides the matrix: words, which begin as zeros, and scratch of their type. */
static enum lava_status create_words(struct factorizer *factorizer) {
    const struct lava_operation *operation = factorizer->operation;
    bool is_lu = operation->kind == LAVA_OPERATION_LU;
    int64_t words = is_lu ? operation->k : 1;
    factorizer->host_words = calloc((size_t)words, sizeof *factorizer->host_words);
    if (!factorizer->host_words)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status =
        lava_device_matrix_create(factorizer->engine, LAVA_TYPE_FP32, words, 1, &factorizer->words);
    if (!status && is_lu) {
        int64_t work = lava_device_lu_work_words(operation->type, operation->m);
        status = lava_device_matrix_create(factorizer->engine, LAVA_TYPE_FP32, work, 1, &factorizer->work);
    }
    return status;
}

static enum lava_status create_for_inverse(struct factorizer *factorizer) {
    const struct lava_operation *operation = factorizer->operation;
    bool is_by_lu = operation->kind == LAVA_OPERATION_INVERT_LU;
    int64_t n = operation->n, work = is_by_lu ? n : lava_device_square_order(n);
    if (operation->kind == LAVA_OPERATION_INVERT_TRIANGLE)
        return LAVA_OK;
    if (is_by_lu) {
        factorizer->order = malloc((size_t)n * sizeof *factorizer->order);
        if (!factorizer->order)
            return LAVA_ERROR_HOST_MEMORY;
        lava_inverse_order(operation->pivots, n, factorizer->order);
    }
    if (operation->kind != LAVA_OPERATION_SQUARE_TRIANGLE) {
        factorizer->buffer = malloc((size_t)(n * n) * lava_type_bytes(operation->type));
        if (!factorizer->buffer)
            return LAVA_ERROR_HOST_MEMORY;
    }
    return lava_device_matrix_create(factorizer->engine, operation->type, work, work, &factorizer->work);
}

static enum lava_status create(struct factorizer *factorizer) {
    const struct lava_operation *operation = factorizer->operation;
    enum lava_status status =
        lava_operation_is_inverse(operation) ? create_for_inverse(factorizer) : create_words(factorizer);
    return status ? status
                  : lava_device_matrix_create(factorizer->engine, operation->type, operation->m, operation->n,
                                              &factorizer->a);
}

static void free_all(struct factorizer *factorizer) {
    lava_device_matrix_free(factorizer->engine, &factorizer->work);
    lava_device_matrix_free(factorizer->engine, &factorizer->words);
    lava_device_matrix_free(factorizer->engine, &factorizer->a);
    free(factorizer->host_words);
    free(factorizer->buffer);
    free(factorizer->order);
}

enum lava_status lava_factorizer_run(struct lava_engine *engine, const struct lava_operation *operation,
                                     const struct lava_plan *plan, struct lava_progress *progress) {
    struct lava_stream stream;
    struct factorizer factorizer = {
        .engine = engine, .stream = &stream, .operation = operation, .plan = plan};
    *progress = (struct lava_progress){0};
    enum lava_status status = create(&factorizer);
    if (!status) {
        lava_stream_open(&stream, engine, false);
        status = lava_stream_close(&stream, run(&factorizer, progress));
    }
    free_all(&factorizer);
    return status;
}
