/* Takes a matrix to the device, factors it there, and brings the factor back; solves for the right-hand sides
 * while the matrix is there. Called by lib/offload/offload.c.
 *
 *     upload queue      compute queue      download queue
 *     A                 factor A
 *     B, chunks 0..2    solve in them      status or pivots, then A
 *                                          chunk 0
 *     chunk 3           solve in it        chunk 1 ...
 *
 * Invariant: nothing of C is written before the whole factor is there, and then only columns of the factor.
 * Nothing of the right-hand sides is written before all of C is. */
#include "lib/lapack/factorizer.h"

#include <stdlib.h>

#include "dispatch/arithmetic.h"
#include "dispatch/solve.h"
#include "lib/host/cpu_lu.h"
#include "lib/lapack/device_cholesky.h"
#include "lib/lapack/device_lu.h"
#include "lib/lapack/device_solve.h"
#include "lib/lapack/device_systems.h"
#include "lib/lapack/rhs_chunks.h"
#include "lib/lapack/trapezoids.h"

struct factorizer {
    struct lava_engine *engine;
    struct lava_stream *stream;
    const struct lava_operation *operation;
    const struct lava_plan *plan;
    struct lava_overrides overrides; /* of the products */
    struct lava_trapezoids a;
    struct lava_device_matrix words; /* Cholesky: its status; LU: the pivots */
    struct lava_device_matrix work;  /* LU alone */
    uint32_t *host_words;
    struct lava_download words_download;
    struct lava_point factored; /* reached when the device has the factor */
    struct lava_rhs_chunks chunks;
};

static bool is_lu(const struct factorizer *factorizer) {
    return lava_operation_row(factorizer->operation)->pivots;
}

static bool is_factored(const struct factorizer *factorizer) {
    return factorizer->operation->sides.factored;
}

static bool has_sides(const struct factorizer *factorizer) {
    return factorizer->operation->sides.count > 0;
}

/* Everything that is uploaded, in order, but for the words: A's trapezoids, then the chunks. */
static bool next_stored(void *context, struct lava_stored *stored) {
    struct factorizer *factorizer = context;
    return lava_trapezoids_stage(&factorizer->a, stored) ||
           (has_sides(factorizer) && lava_rhs_chunks_stage(&factorizer->chunks, stored));
}

/* The words go first: the trapezoids are staged ahead from here on. */
static enum lava_status upload(struct factorizer *factorizer) {
    struct lava_stream *stream = factorizer->stream;
    enum lava_status status =
        lava_device_matrix_upload(stream, &factorizer->words, factorizer->host_words, factorizer->words.rows);
    stream->staging.next = next_stored;
    stream->staging.context = factorizer;
    return status ? status : lava_trapezoids_upload(&factorizer->a);
}

static enum lava_status run_cholesky(const struct factorizer *factorizer) {
    const struct lava_device_cholesky cholesky = {.a = factorizer->a.matrix,
                                                  .status = factorizer->words,
                                                  .stored = factorizer->operation->c.region,
                                                  .precision = factorizer->operation->precision,
                                                  .overrides = &factorizer->overrides};
    return lava_device_cholesky(factorizer->stream, &cholesky);
}

static enum lava_status run_lu(const struct factorizer *factorizer) {
    const struct lava_device_lu lu = {.a = factorizer->a.matrix,
                                      .pivots = factorizer->words,
                                      .work = factorizer->work,
                                      .precision = factorizer->operation->precision,
                                      .overrides = &factorizer->overrides};
    return lava_device_lu(factorizer->stream, &lu);
}

/* Adds the factorization to the stream. */
static enum lava_status factor(struct factorizer *factorizer) {
    enum lava_status status = is_lu(factorizer) ? run_lu(factorizer) : run_cholesky(factorizer);
    factorizer->factored = factorizer->stream->computed;
    return status;
}

/* Returns LAVA_OK when the device has the whole factor. */
static enum lava_status await_factor(struct factorizer *factorizer) {
    const struct lava_operation *operation = factorizer->operation;
    const uint32_t *words = factorizer->host_words;
    const struct lava_device_download how = {.matrix = factorizer->words,
                                             .host = factorizer->host_words,
                                             .ld = factorizer->words.rows,
                                             .after = factorizer->factored};
    enum lava_status status =
        lava_device_matrix_download_beside(factorizer->stream, &how, &factorizer->words_download);
    status = status ? status : lava_download_finish(factorizer->stream, 0);
    if (status)
        return status;
    if (is_lu(factorizer) && (status = lava_device_lu_check(factorizer->stream->device, words, operation->k)))
        return status;
    for (int64_t i = 0; i < operation->k && is_lu(factorizer); i++)
        operation->pivots[i] = (int64_t)words[i] - 1;
    return is_lu(factorizer) ? LAVA_OK : lava_device_cholesky_check(words[0]);
}

static enum lava_status solve_triangle(void *context, const struct lava_operand *triangle,
                                       const struct lava_device_matrix *sides) {
    const struct factorizer *factorizer = context;
    const struct lava_device_solve solve = {.a = factorizer->a.matrix,
                                            .b = *sides,
                                            .stored = triangle->stored,
                                            .op = triangle->op,
                                            .conjugate = triangle->conjugate,
                                            .unit_diagonal = triangle->unit_diagonal,
                                            .alpha.real = 1,
                                            .chain = LAVA_CHAIN_OF_FACTORS,
                                            .precision = factorizer->operation->precision,
                                            .overrides = &factorizer->overrides};
    return lava_device_solve(factorizer->stream, &solve);
}

static enum lava_status solve_chunk(void *context, const struct lava_device_matrix *sides) {
    struct factorizer *factorizer = context;
    const struct lava_device_systems systems = {.operation = factorizer->operation,
                                                .pivots = factorizer->words,
                                                .solve = solve_triangle,
                                                .context = factorizer};
    return lava_device_systems_solve(factorizer->stream, &systems, sides);
}

static enum lava_status download(struct factorizer *factorizer) {
    const struct lava_result *c = &factorizer->operation->c;
    const struct lava_trapezoids_result factor = {
        .matrix = factorizer->a.matrix, .first = c->first, .ld = c->ld, .after = factorizer->factored};
    return lava_trapezoids_download(&factorizer->a, &factor);
}

/* Where U has a zero on its diagonal there is no X. */
static enum lava_status finish_sides(struct factorizer *factorizer) {
    const struct lava_operation *operation = factorizer->operation;
    if (!is_factored(factorizer) && is_lu(factorizer) && lava_cpu_lu_find_zero(operation))
        return LAVA_OK;
    return lava_rhs_chunks_finish(&factorizer->chunks);
}

static void record_progress(const struct factorizer *factorizer, struct lava_progress *progress) {
    progress->rows = factorizer->operation->m;
    progress->column = lava_trapezoids_written(&factorizer->a);
    if (has_sides(factorizer) && factorizer->a.is_written) {
        const struct lava_side_progress sides = lava_rhs_chunks_progress(&factorizer->chunks);
        progress->sides = sides.side + sides.columns;
    }
}

/* What can be done before anything is written. */
static enum lava_status prepare(struct factorizer *factorizer) {
    enum lava_status status = upload(factorizer);
    if (!status && !is_factored(factorizer))
        status = factor(factorizer);
    if (!status && has_sides(factorizer))
        status = lava_rhs_chunks_begin(&factorizer->chunks);
    return status || is_factored(factorizer) ? status : await_factor(factorizer);
}

static enum lava_status run(struct factorizer *factorizer, struct lava_progress *progress) {
    struct lava_stream *stream = factorizer->stream;
    enum lava_status status = lava_trapezoids_make_room(&factorizer->a, factorizer->plan);
    if (status)
        return status;
    lava_stream_look_around(stream);
    status = prepare(factorizer);
    if (status)
        return status;
    factorizer->a.is_written = is_factored(factorizer);
    status = is_factored(factorizer) ? LAVA_OK : download(factorizer);
    if (!status && has_sides(factorizer))
        status = finish_sides(factorizer);
    lava_download_settle(stream);
    record_progress(factorizer, progress);
    return status;
}

/* The pivots of factors that are there already are uploaded. */
static enum lava_status create(struct factorizer *factorizer) {
    const struct lava_operation *operation = factorizer->operation;
    struct lava_engine *engine = factorizer->engine;
    int64_t words = is_lu(factorizer) ? operation->k : 1;
    factorizer->host_words = calloc((size_t)words, sizeof *factorizer->host_words);
    if (!factorizer->host_words)
        return LAVA_ERROR_HOST_MEMORY;
    for (int64_t i = 0; i < words && is_lu(factorizer) && is_factored(factorizer); i++)
        factorizer->host_words[i] = (uint32_t)operation->pivots[i] + 1;
    enum lava_status status =
        lava_device_matrix_create(engine, operation->type, operation->m, operation->n, &factorizer->a.matrix);
    if (!status)
        status = lava_device_matrix_create(engine, LAVA_TYPE_FP32, words, 1, &factorizer->words);
    if (!status && is_lu(factorizer) && !is_factored(factorizer)) {
        int64_t work = lava_device_lu_work_words(operation->type, operation->m);
        status = lava_device_matrix_create(engine, LAVA_TYPE_FP32, work, 1, &factorizer->work);
    }
    if (!status && has_sides(factorizer))
        status = lava_rhs_chunks_create(&factorizer->chunks, engine);
    return status;
}

static void free_all(struct factorizer *factorizer) {
    lava_rhs_chunks_free(&factorizer->chunks, factorizer->engine);
    lava_device_matrix_free(factorizer->engine, &factorizer->work);
    lava_device_matrix_free(factorizer->engine, &factorizer->words);
    lava_device_matrix_free(factorizer->engine, &factorizer->a.matrix);
    free(factorizer->host_words);
}

enum lava_status lava_factorizer_run(struct lava_engine *engine, const struct lava_operation *operation,
                                     const struct lava_plan *plan, struct lava_progress *progress) {
    struct lava_stream stream;
    struct factorizer factorizer = {
        .engine = engine,
        .stream = &stream,
        .operation = operation,
        .plan = plan,
        .overrides.memory_bytes = plan->chunks.product_bytes,
        .a = {.stream = &stream,
              .region = operation->c.region,
              .first = operation->c.first,
              .ld = operation->c.ld},
        .chunks = {.stream = &stream,
                   .plan = &plan->chunks,
                   .type = operation->type,
                   .sizes = {.order = operation->n, .sides = operation->sides.count},
                   .first = operation->sides.first,
                   .ld = operation->sides.ld,
                   .solve = solve_chunk,
                   .context = &factorizer}};
    *progress = (struct lava_progress){0};
    enum lava_status status = create(&factorizer);
    if (!status) {
        lava_stream_open(&stream, engine, false);
        status = lava_stream_close(&stream, run(&factorizer, progress));
    }
    free_all(&factorizer);
    return status;
}
