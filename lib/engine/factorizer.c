/* Takes a matrix to the device, factors it there, and brings the factor back. Called by
 * lib/offload/offload.c. Invariant: nothing of C is written before the whole factor is there, and then only
 * columns of the factor. */
#include "lib/engine/factorizer.h"

#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "dispatch/solve.h"
#include "lib/engine/device_cholesky.h"
#include "lib/engine/device_lu.h"
#include "lib/engine/device_qr.h"
#include "lib/engine/download.h"

/* Downloads under way at once: one is written back while another is on the bus. */
#define HELD 3

struct factorizer {
    struct lava_engine *engine;
    struct lava_stream *stream;
    const struct lava_operation *operation;
    const struct lava_plan *plan;
    struct lava_device_matrix a;
    struct lava_device_matrix words; /* Cholesky: its status; LU: the pivots; QR: tau */
    struct lava_device_matrix work;  /* LU and QR */
    struct lava_device_matrix q;     /* of products with Q: the reflections */
    unsigned char *result; /* where every column of C is made of all: the product, until it is there */
    uint32_t *host_words;  /* QR has operation->tau */
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

/* The operand of a product with Q. */
static const struct lava_operand *reflections_of(const struct lava_operation *operation) {
    return operation->kind == LAVA_OPERATION_QR_LEFT ? &operation->a : &operation->b;
}

static void *first_of(const struct factorizer *factorizer, const struct lava_trapezoid *part) {
    const struct lava_result *c = &factorizer->operation->c;
    return lava_operation_element(c->first, c->type, part->row, part->column, c->ld);
}

static struct lava_device_matrix block_of(const struct factorizer *factorizer,
                                          const struct lava_trapezoid *part) {
    return lava_device_matrix_block(&factorizer->a, part->row, part->rows, part->column, part->columns);
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

/* QR's tau are where the caller has them. */
static void *words_of(const struct factorizer *factorizer) {
    bool is_qr = lava_operation_is_qr(factorizer->operation);
    return is_qr ? factorizer->operation->tau : factorizer->host_words;
}

/* The words go first: the trapezoids are staged ahead from here on. */
static enum lava_status upload(struct factorizer *factorizer) {
    const struct lava_point nothing = {0};
    struct lava_stream *stream = factorizer->stream;
    enum lava_status status = LAVA_OK;
    if (factorizer->operation->kind != LAVA_OPERATION_QR)
        status = lava_device_matrix_upload(stream, &factorizer->words, words_of(factorizer),
                                           factorizer->words.rows);
    if (lava_operation_is_qr_product(factorizer->operation)) {
        const struct lava_operand *operand = reflections_of(factorizer->operation);
        status =
            status ? status : lava_device_matrix_upload(stream, &factorizer->q, operand->first, operand->ld);
    }
    stream->staging.next = next_stored;
    stream->staging.context = factorizer;
    for (int64_t i = 0; i < count_of(factorizer) && !status; i++) {
        const struct lava_trapezoid part = trapezoid_at(factorizer, i);
        const struct lava_device_matrix block = block_of(factorizer, &part);
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

static enum lava_status run_qr(const struct factorizer *factorizer, const struct lava_overrides *overrides) {
    const struct lava_operation *operation = factorizer->operation;
    bool multiplies = lava_operation_is_qr_product(operation);
    const struct lava_device_qr qr = {.a = multiplies ? factorizer->q : factorizer->a,
                                      .tau = factorizer->words,
                                      .work = factorizer->work,
                                      .precision = operation->precision,
                                      .overrides = overrides};
    const struct lava_device_qr_product product = {.q = qr,
                                                   .c = factorizer->a,
                                                   .adjoint = operation->adjoint,
                                                   .on_right = operation->kind == LAVA_OPERATION_QR_RIGHT};
    if (multiplies)
        return lava_device_qr_multiply(factorizer->stream, &product);
    return operation->kind == LAVA_OPERATION_QR_FORM ? lava_device_qr_form(factorizer->stream, &qr)
                                                     : lava_device_qr(factorizer->stream, &qr);
}

/* Returns LAVA_OK when the device has the whole factor. */
static enum lava_status factor(const struct factorizer *factorizer) {
    const struct lava_operation *operation = factorizer->operation;
    const struct lava_overrides overrides = {.memory_bytes = factorizer->plan->chunks.product_bytes};
    bool is_lu = operation->kind == LAVA_OPERATION_LU, is_qr = lava_operation_is_qr(operation);
    const uint32_t *words = factorizer->host_words;
    enum lava_status status = is_lu   ? run_lu(factorizer, &overrides)
                              : is_qr ? run_qr(factorizer, &overrides)
                                      : run_cholesky(factorizer, &overrides);
    if (status || (is_qr && operation->kind != LAVA_OPERATION_QR))
        return status;
    status = lava_device_matrix_download(factorizer->stream, &factorizer->words, LAVA_REGION_ALL,
                                         words_of(factorizer), factorizer->words.rows);
    if (status || is_qr)
        return status;
    for (int64_t i = 0; i < operation->k && is_lu; i++)
        operation->pivots[i] = (int64_t)words[i] - 1;
    return !is_lu && words[0] ? LAVA_ERROR_NOT_DEFINITE : LAVA_OK;
}

/* Where a trapezoid's columns are downloaded to. */
static void *target_of(const struct factorizer *factorizer, const struct lava_trapezoid *part) {
    const struct lava_operation *operation = factorizer->operation;
    return factorizer->result ? lava_operation_element(factorizer->result, operation->type, part->row,
                                                       part->column, operation->m)
                              : first_of(factorizer, part);
}

/* C <- the whole result. */
static void copy_result(const struct factorizer *factorizer) {
    const struct lava_operation *operation = factorizer->operation;
    size_t bytes = (size_t)operation->m * lava_type_bytes(operation->type);
    for (int64_t j = 0; j < operation->n; j++)
        memcpy(lava_operation_element(operation->c.first, operation->type, 0, j, operation->c.ld),
               factorizer->result + (size_t)j * bytes, bytes);
}

static enum lava_status download(struct factorizer *factorizer) {
    enum lava_status status = LAVA_OK;
    bool descends = lava_operation_descends(factorizer->operation);
    int64_t count = count_of(factorizer);
    for (int64_t i = 0; i < count && !status; i++) {
        const struct lava_trapezoid part = trapezoid_at(factorizer, descends ? count - 1 - i : i);
        const struct lava_device_download how = {.matrix = block_of(factorizer, &part),
                                                 .region = factorizer->operation->c.region,
                                                 .diagonal = part.column - part.row,
                                                 .descends = descends,
                                                 .host = target_of(factorizer, &part),
                                                 .ld = factorizer->result ? factorizer->operation->m
                                                                          : factorizer->operation->c.ld};
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

/* Columns of so many trapezoids, of the last ones where the last column is written first. */
static int64_t columns_of(const struct factorizer *factorizer, int64_t parts) {
    int64_t n = factorizer->operation->n, left = count_of(factorizer) - parts;
    if (lava_operation_descends(factorizer->operation))
        return parts == 0 ? 0 : n - left * LAVA_SOLVE_TRAPEZOID;
    return lava_minimum(parts * LAVA_SOLVE_TRAPEZOID, n);
}

/* Trapezoids are written one after the other, so everything before the first unfinished one is. */
static void record_progress(const struct factorizer *factorizer, struct lava_progress *progress) {
    const struct lava_stream *stream = factorizer->stream;
    int64_t part = factorizer->started, columns = 0;
    if (stream->download_count > 0) {
        const struct lava_download *first = stream->downloads[0];
        part = factorizer->parts[first - factorizer->downloads];
        columns = first->columns_done;
    }
    progress->rows = factorizer->operation->m;
    progress->column = columns_of(factorizer, part) + columns;
}

/* Room for the largest product is made before anything is under way. */
static enum lava_status run(struct factorizer *factorizer, struct lava_progress *progress) {
    const struct lava_plan *plan = factorizer->plan;
    struct lava_stream *stream = factorizer->stream;
    enum lava_status status = LAVA_OK;
    if (plan->chunks.product_bytes > 0)
        status = lava_arena_reserve(stream->arena, stream->device, &plan->blocking, 0,
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
    if (factorizer->result && status)
        return status;
    if (factorizer->result)
        copy_result(factorizer);
    record_progress(factorizer, progress);
    return status;
}

/* The scratch, and what products with Q need. */
static enum lava_status create_for_qr(struct factorizer *factorizer) {
    const struct lava_operation *operation = factorizer->operation;
    enum lava_type type = operation->type;
    bool on_right = operation->kind == LAVA_OPERATION_QR_RIGHT;
    int64_t rows = on_right ? operation->n : operation->m, others = on_right ? operation->m : operation->n;
    if (on_right)
        factorizer->result = malloc((size_t)operation->m * (size_t)operation->n * lava_type_bytes(type));
    if (on_right && !factorizer->result)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status = LAVA_OK;
    if (lava_operation_is_qr_product(operation))
        status = lava_device_matrix_create(factorizer->engine, type, rows, operation->k, &factorizer->q);
    int64_t work = lava_device_qr_work_elements(type, rows, others);
    return status ? status : lava_device_matrix_create(factorizer->engine, type, work, 1, &factorizer->work);
}

static enum lava_status create(struct factorizer *factorizer) {
    const struct lava_operation *operation = factorizer->operation;
    struct lava_engine *engine = factorizer->engine;
    bool is_lu = operation->kind == LAVA_OPERATION_LU, is_qr = lava_operation_is_qr(operation);
    enum lava_type type = operation->type;
    int64_t words = is_lu || is_qr ? operation->k : 1;
    factorizer->host_words = calloc((size_t)words, sizeof *factorizer->host_words);
    if (!factorizer->host_words)
        return LAVA_ERROR_HOST_MEMORY;
    enum lava_status status =
        lava_device_matrix_create(engine, type, operation->m, operation->n, &factorizer->a);
    if (!status)
        status =
            lava_device_matrix_create(engine, is_qr ? type : LAVA_TYPE_FP32, words, 1, &factorizer->words);
    if (!status && is_lu) {
        int64_t work = lava_device_lu_work_words(type, operation->m);
        status = lava_device_matrix_create(engine, LAVA_TYPE_FP32, work, 1, &factorizer->work);
    }
    if (!status && is_qr)
        status = create_for_qr(factorizer);
    return status;
}

static void free_all(struct factorizer *factorizer) {
    lava_device_matrix_free(factorizer->engine, &factorizer->q);
    lava_device_matrix_free(factorizer->engine, &factorizer->work);
    lava_device_matrix_free(factorizer->engine, &factorizer->words);
    lava_device_matrix_free(factorizer->engine, &factorizer->a);
    free(factorizer->host_words);
    free(factorizer->result);
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
