/* Copies factors to memory that stays. Called by lapack_runner.c.
 *
 * Invariant: the watch of the host's matrix begins when the call has written all of it, and before the call
 * returns; nobody finds the copy before. */
#include "lib/lapack/left_result.h"

#include "lib/base/config.h"
#include "lib/engine/results.h"
#include "lib/transport/columns.h"

/* Returns false if the matrix is too small to stay, or nothing stays. */
static bool give_up(struct lava_engine *engine, const struct lava_operation *operation,
                    struct lava_host_matrix *host) {
    struct lava_residents *residents = engine->device->shared->residents;
    uint64_t written_bytes;
    *host = (struct lava_host_matrix){.first = operation->c.first,
                                      .ld = operation->c.ld,
                                      .rows = operation->m,
                                      .columns = operation->n,
                                      .element_bytes = (uint32_t)lava_type_bytes(operation->type),
                                      .part = operation->c.region};
    if (!residents || lava_host_matrix_bytes(host) < LAVA_RESIDENCY_LEAST_BYTES)
        return false;
    if (lava_residents_give_up(residents, host, &written_bytes)) /* else what it cost before still counts */
        lava_results_written(host, written_bytes);
    return true;
}

void lava_left_result_begin(struct lava_left_result *left, struct lava_engine *engine,
                            const struct lava_operation *operation) {
    struct lava_host_matrix host;
    if (lava_operation_row(operation)->has_factors && !operation->sides.factored &&
        give_up(engine, operation, &host))
        left->host = host;
}

void lava_left_result_replace(struct lava_engine *engine, const struct lava_operation *operation) {
    struct lava_host_matrix host;
    if (give_up(engine, operation, &host))
        lava_results_found(&host, LAVA_RESIDENT_CHANGED, 0);
}

void lava_left_result_copy(struct lava_left_result *left, struct lava_stream *stream,
                           const struct lava_device_matrix *factors) {
    struct lava_residents *residents = stream->device->shared->residents;
    uint64_t element_bytes = left->host.element_bytes;
    struct lava_point done;
    if (!left->host.first ||
        !lava_results_leave(&left->host, lava_config_get()->resident == LAVA_RESIDENT_CHECK) ||
        !lava_residents_prepare(residents, stream->device, &left->host, &left->hold))
        return;
    const struct lava_columns columns = {.source = lava_device_matrix_address(factors),
                                         .target = left->hold.buffer->address,
                                         .source_pitch = (uint64_t)factors->ld * element_bytes,
                                         .target_pitch = (uint64_t)left->hold.ld * element_bytes,
                                         .bytes = (uint64_t)factors->rows * element_bytes,
                                         .count = (uint64_t)factors->columns};
    left->has_failed = lava_columns_copy(stream, &columns, LAVA_STAMP_EPILOGUE, NULL, &done) != LAVA_OK;
}

void lava_left_result_end(struct lava_left_result *left, struct lava_engine *engine,
                          enum lava_status status) {
    struct lava_residents *residents = engine->device->shared->residents;
    if (!left->host.first)
        return;
    lava_residents_adopt(residents, engine->device, &left->hold, !status && !left->has_failed);
    if (status)
        lava_results_found(&left->host, LAVA_RESIDENT_CHANGED, 0);
    else
        lava_residents_sight(residents, &left->host);
}
