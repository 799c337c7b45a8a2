/* Enters calls that have ended into the statistics and the trace. Called by offload.c. */
#include "lib/offload/account.h"

#include <string.h>

#include "lib/base/config.h"
#include "lib/base/stats.h"
#include "lib/base/trace.h"
#include "lib/offload/holder.h"
#include "lib/offload/offload.h"
#include "lib/offload/threshold.h"

void lava_account_trace(const struct lava_call *call, uint64_t elapsed_ns) {
    const struct lava_operation *operation = &call->operation;
    const struct lava_trace_span span = {
        .name = lava_routine_name(call->routine),
        .begin_ns = call->start_ns,
        .end_ns = call->start_ns + elapsed_ns,
        .where = call->place == LAVA_PLACE_GPU ? "gpu" : "cpu",
        .why = lava_reason_text(call->reason),
        .labels = {"m", "n", "k", call->products ? "products" : NULL},
        .numbers = {operation->m, operation->n, operation->k, call->products}};
    lava_trace_add(&span);
}

bool lava_account_lacks_estimate(const struct lava_call *call) {
    return call->valid && call->place == LAVA_PLACE_GPU && call->learning.estimates_ns[LAVA_PLACE_CPU] == 0 &&
           lava_config_get()->stats;
}

void lava_account_count(const struct lava_call *call, uint64_t elapsed_ns, double expected_ns) {
    double estimated_ns = call->learning.estimates_ns[LAVA_PLACE_CPU];
    double cpu_ns = estimated_ns == 0 ? expected_ns : estimated_ns;
    enum lava_routine outer = lava_tally_outer((uintptr_t)call);
    if (outer < LAVA_ROUTINE_COUNT) {
        double flops = call->valid ? lava_operation_flops(&call->operation) : 0;
        lava_tally_count_under(outer, call->routine, call->place, elapsed_ns,
                               flops * (call->products > 1 ? (double)call->products : 1), cpu_ns);
        return;
    }
    lava_stats_count(call->routine, call->valid ? &call->operation : NULL, call->products, call->place,
                     call->reason, elapsed_ns);
    if (call->valid && lava_config_get()->stats)
        lava_stats_count_shape(call->routine, &call->operation, call->products, call->place, elapsed_ns,
                               call->place == LAVA_PLACE_GPU ? cpu_ns
                                                             : call->learning.estimates_ns[LAVA_PLACE_GPU]);
}

bool lava_account_begin_small(struct lava_call *call) {
    if (!call->valid || call->products || lava_trace_on() || lava_holder_has_begun() ||
        lava_operation_is_trivial(&call->operation) ||
        !(lava_operation_work(&call->operation) < lava_threshold_small()))
        return false;
    call->place = LAVA_PLACE_CPU;
    call->reason = lava_stats_small_reason();
    return lava_tally_begin(&call->small, call->routine, lava_tally_outer((uintptr_t)call),
                            lava_stats_size(&call->operation));
}

uint64_t lava_account_end_small(const struct lava_call *call) {
    return lava_tally_end(&call->small, lava_operation_flops(&call->operation),
                          lava_stats_bytes(&call->operation));
}

void lava_account_begin_device(struct lava_engine *engine) {
    memset(engine->transferred, 0, sizeof engine->transferred);
}

void lava_account_end_device(const struct lava_engine *engine) {
    for (int direction = 0; engine && direction < LAVA_TRANSFERS; direction++)
        lava_stats_transferred((enum lava_transfer)direction, engine->transferred[direction].bytes,
                               engine->transferred[direction].ns);
}
