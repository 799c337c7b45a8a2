/* The answer of `lavablas explain --json`. Called by explain.c. */
#include <inttypes.h>
#include <stdio.h>

#include "dispatch/policy.h"
#include "lib/base/json.h"
#include "lib/base/stats.h"
#include "lib/calibrate/calibration.h"
#include "lib/offload/prepare.h"
#include "tools/explain.h"

static void put_kernel(const struct lava_plan *plan) {
    lava_json_put_member(stdout, "kernel", plan->kernel->name);
    lava_json_put_member(stdout, "profile", plan->profile->label);
    lava_json_put_member(stdout, "order", lava_tile_order_name(plan->order));
    printf(",\"is_persistent\":%s,\"flops_per_s\":%.0f,\"split_k\":%" PRIu32 ",\"memory_bytes\":%" PRIu64,
           plan->persistent ? "true" : "false", plan->flops_per_s, plan->blocking.split_k,
           plan->blocking.total_bytes);
}

int explain_put(const struct lava_call *call, const struct lava_plan *plan) {
    const struct lava_operation *operation = &call->operation;
    printf("{\"routine\":\"%s\",\"type\":\"%s\",\"type_c\":\"%s\",\"m\":%" PRId64 ",\"n\":%" PRId64
           ",\"k\":%" PRId64 ",\"place\":\"%s\"",
           lava_routine_name(call->routine), lava_type_name(operation->type),
           lava_type_name(operation->c.type), operation->m, operation->n, operation->k,
           lava_stats_place(call->place));
    lava_json_put_member(stdout, "reason", lava_reason_text(call->reason));
    if (call->reason == LAVA_REASON_NO_DEVICE)
        lava_json_put_member(stdout, "no_device", lava_readiness_explanation());
    if (plan->cpu_ns > 0)
        printf(",\"cpu_ns\":%.0f,\"gpu_ns\":%.0f,\"is_measured\":%s", plan->cpu_ns, plan->gpu_ns,
               lava_calibration_is_stored() ? "true" : "false");
    if (plan->kernel)
        put_kernel(plan);
    puts("}");
    return call->reason == LAVA_REASON_NO_DEVICE;
}
