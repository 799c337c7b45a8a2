/* Plans products with vectors. Called by offload.c for those that are worth a look (threshold.h).
 *
 * Invariant: in mode auto nothing goes up for one call alone. */
#include "lib/offload/vectors.h"

#include "lib/base/config.h"
#include "lib/offload/context.h"
#include "lib/offload/planning.h"
#include "lib/offload/readiness.h"
#include "lib/offload/residence.h"
#include "lib/offload/steps.h"

/* The thread's last matrices: several for programs whose iterations use more than one. */
#define LAST 4
static _Thread_local struct {
    struct lava_read_matrix matrices[LAST];
    unsigned next;
} last;

static bool are_same(const struct lava_read_matrix *x, const struct lava_read_matrix *y) {
    return x->first == y->first && x->ld == y->ld && x->rows == y->rows && x->columns == y->columns;
}

static bool was_passed(const struct lava_operation *operation) {
    const struct lava_read_matrix matrix = lava_operation_reads(operation, 0);
    for (int i = 0; i < LAST; i++)
        if (are_same(&last.matrices[i], &matrix))
            return true;
    last.matrices[last.next++ % LAST] = matrix;
    return false;
}

bool lava_vectors_may_gain(const struct lava_operation *operation) {
    return !lava_readiness_ask(lava_steps_needs(operation)).starts || was_passed(operation);
}

/* The CPU takes it, and its time is learnt from. Returns by how much longer than estimated it takes. */
static double watch(struct lava_call *call, const struct lava_plan *plan) {
    const double expected_ns[LAVA_PLACE_COUNT] = {[LAVA_PLACE_CPU] = plan->cpu_ns};
    double factor =
        lava_learning_watch(&call->operation, lava_context_figures(), expected_ns, &call->learning);
    return factor > 0 ? factor : 1;
}

bool lava_vectors_are_off(const struct lava_operation *operation) {
    return lava_operation_row(operation)->is_vector && lava_config_get()->resident == LAVA_RESIDENT_OFF;
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
