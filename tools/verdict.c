/* Puts a decision into words. Called by explain.c. */
#include "tools/verdict.h"

#include <stdio.h>
#include <string.h>

#include "dispatch/cost.h"
#include "dispatch/policy.h"

/* Why a call runs where it runs, if no estimate has decided. */
static const char *const reasons[LAVA_REASON_COUNT] = {
    [LAVA_REASON_INVALID] = "BLAS refuses these arguments",
    [LAVA_REASON_TRIVIAL] = "there is nothing to compute",
    [LAVA_REASON_CUTOFF] = "the call is so small that no GPU would be faster",
    [LAVA_REASON_MODE_CPU] = "LAVABLAS_MODE is cpu",
    [LAVA_REASON_OFF] = "LAVABLAS_OFF names the routine",
    [LAVA_REASON_ABSENT] =
        "a product with a vector reads each number once, which takes less time than to copy the "
        "matrix to the device; it pays only if the matrix stays there (--stays A)",
    [LAVA_REASON_MEMORY] = "the device has too little memory",
    [LAVA_REASON_HALVES] = "in two halves, which need less memory",
    [LAVA_REASON_PRODUCTS] =
        "its large products, by residues, because the device has no fp64; the CPU computes the rest",
};

/* A share of the device's time from which one part of it is the reason. */
#define DECISIVE 0.5

static double bytes_written(const struct lava_operation *operation) {
    double elements = (double)operation->m * (double)operation->n;
    return elements * (double)lava_type_bytes(operation->c.type) /
           (operation->c.region == LAVA_REGION_ALL ? 1 : 2);
}

/* Returns what takes most of the device's time. Copies and arithmetic overlap; a part that is more than half
 * of the time counts, copies first. */
static const char *find_burden(const struct verdict *verdict) {
    const struct lava_plan *plan = verdict->plan;
    const struct lava_rates rates = lava_cost_rates(plan->profile, &verdict->figures->device);
    const struct lava_operation *operation = verdict->operation;
    double up_s = lava_operation_upload_bytes(operation) / rates.upload_bytes_per_s,
           down_s = bytes_written(operation) / rates.download_bytes_per_s,
           copies_ns = 1e9 * (up_s + down_s) * (operation->series ? (double)operation->series->count : 1);
    if (!verdict->device->unified_memory && copies_ns > DECISIVE * plan->gpu_ns)
        return "the matrices must be copied to it and back";
    if (rates.call_latency_ns > DECISIVE * plan->gpu_ns)
        return "it takes longer to begin a call there than to compute this one";
    return "it computes this more slowly";
}

/* Less is told as no difference. */
#define NOTABLE 1.05

/* "3.1 times as fast as the CPU" for a gain, the reverse of it "as long". */
static void compare(double gain, char *text, size_t size) {
    double ratio = gain > 1 ? gain : 1 / gain;
    if (ratio < NOTABLE)
        snprintf(text, size, "about as %s as the CPU", gain > 1 ? "fast" : "long");
    else
        snprintf(text, size, "%.*f times as %s as the CPU", ratio < 100 ? 1 : 0, ratio,
                 gain > 1 ? "fast" : "long");
}

static void tell_estimates(const struct verdict *verdict, char *text, size_t size) {
    const struct lava_plan *plan = verdict->plan;
    double gain = plan->cpu_ns / plan->gpu_ns;
    char compared[64], times[96];
    compare(gain, compared, sizeof compared);
    snprintf(times, sizeof times, "estimated: %.3f ms instead of %.3f ms",
             (plan->place == LAVA_PLACE_GPU ? plan->gpu_ns : plan->cpu_ns) / 1e6,
             (plan->place == LAVA_PLACE_GPU ? plan->cpu_ns : plan->gpu_ns) / 1e6);
    if (plan->reason == LAVA_REASON_FORCED)
        snprintf(text, size, "GPU, because LAVABLAS_MODE is gpu: it %s%s (%s).", gain > 1 ? "is " : "takes ",
                 compared, times);
    else if (plan->place == LAVA_PLACE_GPU)
        snprintf(text, size, "GPU: %s (%s).", compared, times);
    else if (gain > 1)
        snprintf(text, size, "CPU: the GPU would be %s, which is less than an estimate may be wrong by (%s).",
                 compared, times);
    else
        snprintf(text, size, "CPU: the GPU would take %s, because %s (%s).", compared, find_burden(verdict),
                 times);
    size_t used = strlen(text);
    if (plan->place == LAVA_PLACE_GPU && plan->leaves_tiles)
        snprintf(text + used, size - used,
                 " The device has no fp64: it computes by residues, and the CPU what needs more.");
}

void verdict_of_call(const struct verdict *verdict, char *text, size_t size) {
    const struct lava_plan *plan = verdict->plan;
    bool on_gpu = plan->place == LAVA_PLACE_GPU || plan->reason == LAVA_REASON_HALVES,
         is_estimated = plan->reason == LAVA_REASON_PROFITABLE || plan->reason == LAVA_REASON_UNPROFITABLE ||
                        plan->reason == LAVA_REASON_FORCED;
    const char *why = reasons[plan->reason] ? reasons[plan->reason] : lava_reason_text(plan->reason);
    if (is_estimated && plan->cpu_ns > 0 && plan->gpu_ns > 0)
        tell_estimates(verdict, text, size);
    else if (plan->reason == LAVA_REASON_NO_DEVICE)
        snprintf(text, size, "CPU: there is no usable device (%s).", verdict->no_device);
    else
        snprintf(text, size, "%s: %s.", on_gpu ? "GPU" : "CPU", why);
}
