/* Plans products with vectors. Called by offload.c for those that are worth a look (threshold.h).
 *
 * Invariant: in mode auto nothing goes up for one call alone. */
#include "lib/offload/vectors.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/base/config.h"
#include "lib/host/page_watch.h"
#include "lib/level2/vector_kernel.h"
#include "lib/offload/context.h"
#include "lib/offload/planning.h"
#include "lib/offload/readiness.h"
#include "lib/offload/residence.h"
#include "lib/offload/steps.h"
#include "lib/offload/threshold.h"

/* What is known of matrices that were passed: a hash of each with some of its elements, by its address.
 * Threads that write one place at once forget a matrix, and no more. */
#define PASSED  64
#define SAMPLES 8
static _Atomic uint64_t passed[PASSED];

/* Fibonacci hashing, as in dispatch/experience.c */
static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Elements near the diagonal belong to what every routine reads, or may at least be read. */
static uint64_t sample(const struct lava_read_matrix *matrix, enum lava_type type, uint64_t hash) {
    size_t bytes = lava_type_bytes(type);
    for (int i = 0; i < SAMPLES; i++) {
        const void *element = lava_operation_element(matrix->first, type, (matrix->rows - 1) * i / SAMPLES,
                                                     (matrix->columns - 1) * i / SAMPLES, matrix->ld);
        uint64_t words[2] = {0};
        memcpy(words, element, bytes);
        hash = mix(mix(hash, words[0]), words[1]);
    }
    return hash;
}

static bool was_passed(const struct lava_operation *operation) {
    const struct lava_read_matrix matrix = lava_operation_reads(operation, 0);
    uint64_t place = mix(0, (uint64_t)(uintptr_t)matrix.first);
    uint64_t hash =
        mix(mix(mix(place, (uint64_t)matrix.ld), (uint64_t)matrix.rows), (uint64_t)matrix.columns);
    hash = sample(&matrix, operation->type, hash);
    return atomic_exchange_explicit(&passed[place % PASSED], hash, memory_order_relaxed) == hash;
}

/* Whether a factorization may have left its factors on a device that is ready: then they are there when they
 * are first passed. */
static bool may_be_left(const struct lava_operation *operation) {
    uint64_t needs = lava_steps_needs(operation);
    return lava_operation_row(operation)->by_factors && lava_readiness_is_open() &&
           (lava_readiness_in(LAVA_READINESS_USABLE) & needs) == needs;
}

bool lava_vectors_may_gain(const struct lava_operation *operation) {
    if (!was_passed(operation) && !may_be_left(operation))
        return false;
    if (lava_page_watch_open())
        lava_threshold_keeps_nothing();
    return lava_threshold_looks_at_vectors();
}

void lava_vectors_adopt(struct lava_call *call) {
    if (call->valid && lava_threshold_looks_at_vectors())
        lava_vector_plan_adopt(&call->operation);
}

/* The CPU takes it, and its time is learnt from. Returns by how much longer than estimated it takes. */
static double watch(struct lava_call *call, const struct lava_plan *plan) {
    const double expected_ns[LAVA_PLACE_COUNT] = {[LAVA_PLACE_CPU] = plan->cpu_ns};
    double factor =
        lava_learning_watch(&call->operation, lava_context_figures(), expected_ns, &call->learning);
    return factor > 0 ? factor : 1;
}

bool lava_vectors_are_off(const struct lava_operation *operation) {
    return lava_operation_row(operation)->is_vector && !lava_threshold_looks_at_vectors();
}

void lava_vectors_settle(const struct lava_operation *operation, struct lava_plan *plan) {
    bool is_there = operation->a.is_resident || operation->a.is_stored;
    if (!lava_operation_row(operation)->is_vector || is_there || !(plan->gpu_ns > 0) ||
        plan->reason == LAVA_REASON_FORCED)
        return;
    plan->place = LAVA_PLACE_CPU;
    plan->reason = LAVA_REASON_ABSENT;
}

bool lava_vectors_plan(struct lava_call *call, struct lava_plan *plan) {
    struct lava_operation *operation = &call->operation;
    struct lava_vector_kernel kernel;
    *plan = (struct lava_plan){.place = LAVA_PLACE_CPU, .reason = LAVA_REASON_NO_KERNEL};
    call->reason = plan->reason;
    if (!lava_vector_kernel_plan(operation, operation->a.ld, lava_context_capabilities(), NULL, &kernel))
        return false;
    const struct lava_residence residence = lava_residence_look(operation);
    bool is_forced = lava_config_get()->mode == LAVA_MODE_GPU;
    lava_planning_choose(operation, 0, plan);
    if (operation->a.is_resident && !is_forced)
        lava_learning_decide(operation, lava_context_figures(), plan, &call->learning);
    call->reason = plan->reason;
    if (operation->a.is_resident || plan->gpu_ns <= 0)
        return plan->place == LAVA_PLACE_GPU;
    struct lava_plan on_cpu = *plan;
    on_cpu.place = LAVA_PLACE_CPU;
    on_cpu.cpu_ns *= watch(call, plan);
    if (residence.is_candidate[0] && lava_residence_weigh(&residence, &on_cpu, operation) && !is_forced)
        lava_planning_insist(operation, plan);
    if (is_forced || operation->a.is_stored)
        call->learning = (struct lava_learning){0};
    lava_vectors_settle(operation, plan);
    call->reason = plan->reason;
    return plan->place == LAVA_PLACE_GPU;
}
