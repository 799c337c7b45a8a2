/* Copies results to memory that stays. Called by lib/lapack/lapack_runner.c and lib/product/runner.c.
 *
 * Invariant: the watch of the host's matrix begins when the call has written all of it, and before the call
 * returns; nobody finds the copy before. */
#include "lib/transport/left_result.h"

#include "lib/base/clock.h"
#include "lib/base/config.h"
#include "lib/engine/engine.h"
#include "lib/engine/results.h"
#include "lib/transport/columns.h"

/* Returns false if the matrix is too small to stay, or nothing stays. */
static bool give_up(struct lava_engine *engine, const struct lava_operation *operation,
                    struct lava_host_matrix *host) {
    struct lava_residents *residents = engine->device->shared->residents;
    uint64_t written_bytes, begin_ns = lava_clock_now_ns();
    *host = (struct lava_host_matrix){.first = operation->c.first,
                                      .ld = operation->c.ld,
                                      .rows = operation->m,
                                      .columns = operation->n,
                                      .element_bytes = (uint32_t)lava_type_bytes(operation->c.type),
                                      .part = operation->c.region};
    if (!residents || lava_host_matrix_bytes(host) < LAVA_RESIDENCY_LEAST_BYTES)
        return false;
    if (lava_residents_give_up(residents, host, &written_bytes)) /* else what it cost before still counts */
        lava_results_written(host, written_bytes, (double)(lava_clock_now_ns() - begin_ns));
    return true;
}

/* Returns whether the device has the result as the host gets it: factors, and a whole C to which nothing is
 * added there. */
static bool may_stay(const struct lava_operation *operation) {
    const struct lava_kind *row = lava_operation_row(operation);
    bool adds = operation->beta.real != 0 || operation->beta.imaginary != 0;
    if (row->has_factors)
        return !operation->sides.factored;
    return row->is_product && !operation->series && !adds && operation->c.region == LAVA_REGION_ALL;
}

void lava_left_result_begin(struct lava_left_result *left, struct lava_engine *engine,
                            const struct lava_operation *operation) {
    struct lava_host_matrix host;
    left->is_of_factors = lava_operation_row(operation)->has_factors;
    if (may_stay(operation) && give_up(engine, operation, &host))
        left->host = host;
}

void lava_left_result_replace(struct lava_engine *engine, const struct lava_operation *operation) {
    struct lava_host_matrix host;
    if (give_up(engine, operation, &host))
        lava_results_found(&host, LAVA_RESIDENT_CHANGED, 0);
}

bool lava_left_result_prepare(struct lava_left_result *left, struct lava_device *device) {
    return left->host.first &&
           lava_results_leave(&left->host, lava_config_get()->resident == LAVA_RESIDENT_CHECK) &&
           lava_residents_prepare(device->shared->residents, device, &left->host, &left->hold);
}

void lava_left_result_copy(struct lava_left_result *left, struct lava_stream *stream,
                           const struct lava_left_block *block) {
    uint64_t element_bytes = left->host.element_bytes;
    const struct lava_columns columns = {.source = block->address,
                                         .target = lava_residents_address(&left->hold, block->first),
                                         .source_pitch = block->pitch_bytes,
                                         .target_pitch = (uint64_t)left->hold.ld * element_bytes,
                                         .bytes = (uint64_t)block->rows * element_bytes,
                                         .count = (uint64_t)block->columns};
    struct lava_point done;
    if (lava_columns_copy(stream, &columns, LAVA_STAMP_EPILOGUE, NULL, &done) != LAVA_OK)
        left->has_failed = true;
}

void lava_left_result_end(struct lava_left_result *left, struct lava_engine *engine,
                          enum lava_status status) {
    struct lava_residents *residents = engine->device->shared->residents;
    uint64_t begin_ns = lava_clock_now_ns();
    if (!left->host.first)
        return;
    bool is_there =
        lava_residents_adopt(residents, engine->device, &left->hold, !status && !left->has_failed);
    if (is_there)
        lava_results_watched(&left->host, (double)(lava_clock_now_ns() - begin_ns));
    if (status)
        lava_results_found(&left->host, LAVA_RESIDENT_CHANGED, 0);
    else if (left->is_of_factors || lava_results_is_looked_at(&left->host))
        lava_residents_sight(residents, &left->host);
}
