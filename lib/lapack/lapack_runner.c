/* Runs the plan of a LAPACK operation from host memory to host memory. Called by the families' files.
 *
 * Invariant: nothing of C is written before the whole result is on the device, and then only columns of it;
 * nothing of the right-hand sides before all of C is. If the CPU could not go on from some of C's columns,
 * they are collected in a buffer, and copied when that has all of them: nothing can fail then. */
#include "lib/lapack/lapack_runner.h"

#include <stdlib.h>

#include "lib/engine/arena.h"
#include "lib/host/matrix_copy.h"
#include "lib/host/numbers.h"

/* Everything that is uploaded, in order, but for what the family uploads first. */
static bool next_stored(void *context, struct lava_stored *stored) {
    struct lava_lapack_run *run = context;
    return (!run->is_kept && lava_trapezoids_stage(&run->c, stored)) ||
           (run->sides.matrix.columns > 0 && lava_trapezoids_stage(&run->sides, stored)) ||
           (run->chunks.solve && lava_rhs_chunks_stage(&run->chunks, stored));
}

/* C's copy stays as it is until the device has read it. */
static enum lava_status take_kept(struct lava_lapack_run *run) {
    enum lava_status status = lava_kept_matrix_fill(&run->kept, run->stream);
    run->is_kept = lava_kept_matrix_is_there(&run->kept);
    if (status || !run->is_kept || !lava_operation_row(run->operation)->replaces)
        return status;
    return lava_kept_matrix_copy(&run->kept, run->stream, &run->c.matrix, &run->copied);
}

/* C's trapezoids are staged ahead when the family has uploaded what goes before them. */
static enum lava_status upload(const struct lava_lapack_family *family, struct lava_lapack_run *run) {
    enum lava_status status = take_kept(run);
    if (!status && family->upload)
        status = family->upload(run);
    run->stream->staging.next = next_stored;
    run->stream->staging.context = run;
    if (!status && !run->is_kept)
        status = lava_trapezoids_upload(&run->c);
    return status || run->sides.matrix.columns == 0 ? status : lava_trapezoids_upload(&run->sides);
}

enum lava_status lava_lapack_runner_create(struct lava_lapack_run *run, int64_t rows, int64_t columns) {
    if (lava_kept_matrix_is_there(&run->kept))
        return LAVA_OK;
    enum lava_status status =
        lava_device_matrix_create(run->engine, run->operation->type, rows, columns, &run->whole);
    run->c.matrix = run->whole;
    return status;
}

enum lava_status lava_lapack_runner_prepare(struct lava_stream *stream, const struct lava_plan *plan) {
    enum lava_status status = LAVA_OK;
    if (plan->chunks.product_bytes > 0)
        status = lava_arena_reserve(stream->arena, stream->device, &plan->blocking,
                                    LAVA_ARENA_SLOTS * stream->arena->slot_bytes, false);
    if (!status)
        lava_stream_look_around(stream);
    return status;
}

enum lava_status lava_lapack_runner_await(struct lava_lapack_run *run, void *host) {
    const struct lava_device_download how = {
        .matrix = run->small, .host = host, .ld = run->small.rows, .after = run->computed};
    enum lava_status status = lava_device_matrix_download_beside(run->stream, &how, &run->small_download);
    return status ? status : lava_download_finish(run->stream, 0);
}

void lava_lapack_runner_leave(const struct lava_lapack_run *run, void *vector, enum lava_type type,
                              int64_t from, int64_t count) {
    enum lava_type found = run->operation->type;
    for (int64_t i = 0; i < count && vector; i++)
        lava_number_write(type, lava_operation_element(vector, type, i, 0, 1),
                          lava_number_read(found, lava_operation_element(run->words, found, from + i, 0, 1)));
}

static enum lava_status download(struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_trapezoids_result result = {.matrix = run->is_in_work ? run->work : run->c.matrix,
                                                  .first = run->buffer ? run->buffer : operation->c.first,
                                                  .ld = run->buffer ? operation->m : operation->c.ld,
                                                  .after = run->computed,
                                                  .descends = lava_operation_descends(operation)};
    if (run->only_reads) {
        run->c.is_written = true;
        return LAVA_OK;
    }
    return lava_trapezoids_download(&run->c, &result);
}

/* The columns of C's region <- those of the buffer. */
static void copy_buffer(const struct lava_lapack_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_matrix_copy copy = {.type = operation->type,
                                          .source = run->buffer,
                                          .source_ld = operation->m,
                                          .target = operation->c.first,
                                          .target_ld = operation->c.ld,
                                          .rows = operation->m,
                                          .columns = operation->n,
                                          .region = operation->c.region,
                                          .order = run->order};
    lava_matrix_copy(run->stream->pool, &copy);
}

static void record(const struct lava_lapack_run *run, struct lava_progress *progress) {
    progress->rows = run->operation->m;
    if (!run->buffer || run->c.is_written)
        progress->column = lava_trapezoids_written(&run->c);
    if (!run->c.is_written)
        return;
    if (run->chunks.solve) {
        const struct lava_side_progress sides = lava_rhs_chunks_progress(&run->chunks);
        progress->sides = sides.side + sides.columns;
    } else if (run->sides.matrix.columns > 0) {
        progress->sides = lava_trapezoids_written(&run->sides);
    }
}

/* C's matrix holds factors. */
static void leave(struct lava_lapack_run *run) {
    const struct lava_device_matrix *factors = &run->c.matrix;
    if (!lava_left_result_prepare(&run->left, run->engine->device))
        return;
    const struct lava_left_block all = {.first = run->operation->c.first,
                                        .address = lava_device_matrix_address(factors),
                                        .pitch_bytes = (uint64_t)factors->ld * lava_type_bytes(factors->type),
                                        .rows = factors->rows,
                                        .columns = factors->columns};
    lava_left_result_copy(&run->left, run->stream, &all);
}

/* C is about to be written. Its copy is given up before: writes to watched pages are slow. */
static enum lava_status replace(struct lava_lapack_run *run) {
    if (!lava_operation_row(run->operation)->replaces)
        return LAVA_OK;
    if (run->is_kept) {
        enum lava_status status = lava_stream_wait(run->stream, run->copied);
        if (status)
            return status;
        lava_kept_return(run->engine->device, &run->kept, LAVA_OK);
    }
    lava_left_result_replace(run->engine, run->operation);
    return LAVA_OK;
}

static enum lava_status run_family(const struct lava_lapack_family *family, struct lava_lapack_run *run,
                                   struct lava_progress *progress) {
    enum lava_status status = lava_lapack_runner_prepare(run->stream, run->plan);
    status = status ? status : upload(family, run);
    if (!status && family->compute)
        status = family->compute(run);
    if (!status && family->check)
        status = family->check(run);
    if (status)
        return status; /* nothing is written */
    leave(run);
    status = replace(run);
    if (status)
        return status;
    status = download(run);
    if (!status && family->finish)
        status = family->finish(run);
    lava_download_settle(run->stream);
    if (!status && run->buffer)
        copy_buffer(run);
    (family->record ? family->record : record)(run, progress);
    return status;
}

static void free_all(struct lava_lapack_run *run) {
    lava_rhs_chunks_free(&run->chunks, run->engine);
    lava_device_matrix_free(run->engine, &run->second);
    for (int i = LAVA_LAPACK_PARTS - 1; i >= 0; i--)
        lava_device_matrix_free(run->engine, &run->parts[i]);
    lava_device_matrix_free(run->engine, &run->reflections);
    lava_device_matrix_free(run->engine, &run->work);
    lava_device_matrix_free(run->engine, &run->small);
    lava_device_matrix_free(run->engine, &run->whole);
    free(run->words);
    free(run->buffer);
    free(run->vectors);
    free(run->factor);
    free(run->order);
}

enum lava_status lava_lapack_runner_run(const struct lava_lapack_family *family, struct lava_engine *engine,
                                        const struct lava_operation *operation, const struct lava_plan *plan,
                                        struct lava_progress *progress) {
    const struct lava_result *c = &operation->c;
    const struct lava_right_sides *sides = &operation->sides;
    struct lava_stream stream;
    struct lava_lapack_run run = {
        .engine = engine,
        .stream = &stream,
        .operation = operation,
        .plan = plan,
        .overrides.memory_bytes = plan->chunks.product_bytes,
        .c = {.stream = &stream, .region = c->region, .first = c->first, .ld = c->ld},
        .sides = {.stream = &stream, .first = sides->first, .ld = sides->ld},
        .chunks = {.stream = &stream,
                   .plan = &plan->chunks,
                   .type = operation->type,
                   .sizes = {.order = operation->n, .sides = sides->count},
                   .first = sides->first,
                   .ld = sides->ld,
                   .context = &run}};
    *progress = (struct lava_progress){0};
    lava_left_result_begin(&run.left, engine, operation);
    lava_kept_matrix_take(&run.kept, engine, operation, &run.c.matrix);
    enum lava_status status = family->create(&run);
    if (!status && run.chunks.solve)
        status = lava_rhs_chunks_create(&run.chunks, engine);
    if (!status) {
        lava_stream_open(&stream, engine, false);
        status = lava_stream_close(&stream, run_family(family, &run, progress));
    }
    lava_left_result_end(&run.left, engine, status);
    lava_kept_return(engine->device, &run.kept, status);
    free_all(&run);
    return status;
}
