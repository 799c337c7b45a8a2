/* Enters calls that have ended into the statistics and the trace. Called by offload.c. */
#include "lib/offload/account.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/base/config.h"
#include "lib/base/log.h"
#include "lib/base/sizes.h"
#include "lib/base/stats.h"
#include "lib/host/cpu_blas.h"
#include "lib/offload/call.h"

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

/* doc/settings.md describes the line; `lavablas replay --profile` reads it. */
void lava_account_log(const struct lava_call *call, uint64_t elapsed_ns) {
    const struct lava_operation *operation = &call->operation;
    const char *place = lava_stats_place(call->place), *reason = lava_stats_reason(call->reason);
    enum lava_routine outer = lava_tally_outer((uintptr_t)call);
    bool is_inside = outer < LAVA_ROUTINE_COUNT;
    char sides[32] = "", products[32] = "";
    if (call->valid && operation->sides.count > 0)
        snprintf(sides, sizeof sides, " sides %" PRId64, operation->sides.count);
    if (call->products > 0)
        snprintf(products, sizeof products, " products %" PRId64, call->products);
    if (!call->valid)
        LAVA_LOG(CALLS, "%s: %s: %s", lava_routine_name(call->routine), place, reason);
    else
        LAVA_LOG(CALLS, "%s m %" PRId64 " n %" PRId64 " k %" PRId64 "%s%s: %s, %.3f ms%s%s: %s",
                 lava_routine_name(call->routine), operation->m, operation->n, operation->k, sides, products,
                 place, (double)elapsed_ns * 1e-6, is_inside ? ", in " : "",
                 is_inside ? lava_routine_name(outer) : "", reason);
}

double lava_account_cpu_ns(const struct lava_operation *operation, double products) {
    double rate = lava_cpu_blas_figures(lava_cpu_blas_get()).flops_per_s[operation->type];
    return rate > 0 ? 1e9 * products * lava_operation_flops(operation) / rate : 0;
}

/* The statistics show how long the CPU would have taken, also if nobody has estimated it. */
static double cpu_time(const struct lava_call *call) {
    double estimated_ns = call->learning.estimates_ns[LAVA_PLACE_CPU];
    bool lacks = call->valid && call->place == LAVA_PLACE_GPU && estimated_ns == 0 && lava_stats_are_wanted();
    return lacks ? lava_account_cpu_ns(&call->operation, lava_call_products(call)) : estimated_ns;
}

void lava_account_count(const struct lava_call *call, uint64_t elapsed_ns) {
    double cpu_ns = cpu_time(call);
    enum lava_routine outer = lava_tally_outer((uintptr_t)call);
    if (outer < LAVA_ROUTINE_COUNT) {
        double flops = call->valid ? lava_operation_flops(&call->operation) : 0;
        lava_tally_count_under(outer, call->routine, call->place, elapsed_ns,
                               flops * lava_call_products(call), cpu_ns);
        return;
    }
    lava_stats_count(call->routine, call->valid ? &call->operation : NULL, call->products, call->place,
                     call->reason, elapsed_ns);
    if (call->valid && lava_stats_are_wanted())
        lava_stats_count_shape(call->routine, &call->operation, call->products, call->place, elapsed_ns,
                               call->place == LAVA_PLACE_GPU ? cpu_ns
                                                             : call->learning.estimates_ns[LAVA_PLACE_GPU]);
}

/* Counts the call by its sizes, which are those of its operation. */
static bool begin(struct lava_call *call, uint64_t flops, uint64_t bytes) {
    const struct lava_operation *operation = &call->operation;
    call->valid = true;
    call->place = LAVA_PLACE_CPU;
    call->reason = lava_stats_small_reason();
    call->scheme = LAVA_SCHEME_NONE;
    bool is_counted = lava_tally_begin(&call->small, call->routine, (uintptr_t)call,
                                       lava_sizes_class(operation->m, operation->n, operation->k));
    call->small.flops = flops;
    call->small.bytes = bytes;
    return is_counted;
}

/* Nothing overflows: m n k is below the cut-off. */
bool lava_account_begin_product(struct lava_call *call, const int64_t sizes[3], enum lava_type type,
                                enum lava_type type_c) {
    uint64_t m = (uint64_t)sizes[0], n = (uint64_t)sizes[1], k = (uint64_t)sizes[2];
    call->operation.m = sizes[0];
    call->operation.n = sizes[1];
    call->operation.k = sizes[2];
    return begin(call, (lava_type_is_complex(type) ? 8 : 2) * m * n * k,
                 (m + n) * k * lava_type_bytes(type) + m * n * lava_type_bytes(type_c));
}

/* A product with a vector may have any size. */
static uint64_t whole(double number) {
    return number < 0x1p63 ? (uint64_t)number : UINT64_C(1) << 63;
}

bool lava_account_begin_small(struct lava_call *call) {
    const struct lava_operation *operation = &call->operation;
    return call->valid && !call->products && !lava_operation_is_trivial(operation) &&
           lava_threshold_only_counts(operation) && !lava_trace_on() &&
           begin(call, whole(lava_operation_flops(operation)), whole(lava_stats_bytes(operation)));
}
