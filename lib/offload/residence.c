/* Looks at operands, and decides by the estimates whether they are to stay. Called by offload.c.
 *
 * Invariant: with LAVABLAS_RESIDENT=off, below the cut-off, and while no device is ready, nothing is looked
 * at.
 */
#include "lib/offload/residence.h"

#include <math.h>
#include <pthread.h>

#include "dispatch/cost.h"
#include "lib/base/calm.h"
#include "lib/base/config.h"
#include "lib/base/log.h"
#include "lib/engine/engine.h"
#include "lib/engine/results.h"
#include "lib/offload/context.h"
#include "lib/offload/planning.h"
#include "lib/offload/program_history.h"
#include "lib/offload/threshold.h"

static struct {
    pthread_once_t once;
    _Atomic bool is_done; /* later calls do not even look at `once` */
} opened = {.once = PTHREAD_ONCE_INIT};
static const char *why; /* nothing stays */

/* Called at exit: the device may be used by a thread that goes on. */
static void tell(struct lava_stats_copies *copies) {
    const struct lava_engine *engine = lava_context_engine();
    struct lava_residents *residents = engine ? engine->device->shared->residents : NULL;
    copies->why = why;
    if (!residents)
        return;
    const struct lava_residents_sums sums = lava_residents_sums(residents);
    copies->stored = sums.stored;
    copies->used = sums.used;
    copies->refreshed = sums.refreshed;
    copies->refreshed_bytes = sums.refreshed_bytes;
    copies->forgotten = sums.forgotten;
    copies->evicted = sums.evicted;
    copies->differences = sums.differences;
    copies->count = lava_residents_list(residents, copies->matrices, LAVA_STATS_MATRICES);
}

static void open(void) {
    struct lava_device *device = lava_context_engine()->device;
    why = lava_page_watch_open();
    if (!why) {
        device->shared->residents =
            lava_residents_create(lava_config_get()->resident, device->capabilities.memory_bytes);
    } else {
        LAVA_LOG(INFO, "no matrix stays on the device: %s", why);
        lava_threshold_keeps_nothing();
    }
    lava_stats_ask_copies(tell);
    opened.is_done = true;
}

/* Returns the table that all devices have, NULL if there is none. Whoever waits for the first one to open
 * them would wait for ever if a signal handler jumped out of that. */
static struct lava_residents *residents_of(void) {
    if (lava_config_get()->resident == LAVA_RESIDENT_OFF || !lava_context_engine())
        return NULL;
    if (!opened.is_done) {
        struct lava_calm calm = lava_calm_down();
        pthread_once(&opened.once, open);
        lava_calm_end(&calm);
    }
    const struct lava_device_shared *shared = lava_context_engine()->device->shared;
    return shared->failed ? NULL : shared->residents;
}

static bool may_stay(const struct lava_operation *operation, bool is_b) {
    const struct lava_host_matrix matrix = lava_residents_matrix(operation, is_b);
    return lava_host_matrix_bytes(&matrix) >= LAVA_RESIDENCY_LEAST_BYTES;
}

static bool are_same(const struct lava_operation *operation) {
    const struct lava_operand *a = &operation->a, *b = &operation->b;
    return a->first == b->first && a->ld == b->ld &&
           lava_operation_rows_a(operation) == lava_operation_rows_b(operation) &&
           lava_operation_columns_a(operation) == lava_operation_columns_b(operation);
}

/* If A and B have copies on two devices, the larger one's decides, and the other one is uploaded. */
static void keep_one_device(const struct lava_residents *residents, struct lava_operation *operation) {
    struct lava_operand *a = &operation->a, *b = &operation->b;
    if (!a->is_resident || !b->is_resident ||
        lava_residents_device_of(residents, a->copy) == lava_residents_device_of(residents, b->copy))
        return;
    const struct lava_host_matrix of_a = lava_residents_matrix(operation, false),
                                  of_b = lava_residents_matrix(operation, true);
    struct lava_operand *other = lava_host_matrix_bytes(&of_a) < lava_host_matrix_bytes(&of_b) ? a : b;
    other->is_resident = false;
    other->copy = 0;
}

const struct lava_device_shared *lava_residence_device(const struct lava_operation *operation) {
    const struct lava_residents *residents =
        lava_operation_has_resident(operation) ? lava_context_engine()->device->shared->residents : NULL;
    uint64_t copy = operation->a.is_resident ? operation->a.copy : operation->b.copy;
    return residents ? lava_residents_device_of(residents, copy) : NULL;
}

void lava_residence_share(struct lava_engine *engine) {
    lava_residents_share(lava_context_engine()->device->shared->residents, engine->device);
}

struct lava_residence lava_residence_look(struct lava_operation *operation) {
    struct lava_residence residence = {.is_candidate = {false, false}};
    struct lava_residents *residents = residents_of();
    operation->a.is_resident = operation->a.is_stored = false;
    operation->b.is_resident = operation->b.is_stored = false;
    operation->a.copy = operation->b.copy = 0;
    if (!residents || operation->series || !lava_operation_row(operation)->reads)
        return residence;
    for (int is_b = 0; is_b < 2; is_b++) {
        if (!may_stay(operation, is_b))
            continue;
        const struct lava_host_matrix matrix = lava_residents_matrix(operation, is_b);
        uint64_t *copy = &(is_b ? &operation->b : &operation->a)->copy;
        bool is_twice = is_b && residence.is_candidate[0] && are_same(operation);
        residence.is_candidate[is_b] = true;
        residence.states[is_b] =
            is_twice ? residence.states[0] : lava_residents_look(residents, &matrix, copy);
        if (is_twice)
            *copy = operation->a.copy;
        if (residence.states[is_b] == LAVA_RESIDENT_STAYS)
            lava_results_found(&matrix, LAVA_RESIDENT_STAYS, -1);
    }
    operation->a.is_resident = residence.is_candidate[0] && residence.states[0] == LAVA_RESIDENT_STAYS;
    operation->b.is_resident = residence.is_candidate[1] && residence.states[1] == LAVA_RESIDENT_STAYS;
    keep_one_device(residents, operation);
    for (int i = 0; i < 2; i++)
        residence.is_candidate[i] = residence.is_candidate[i] && residence.states[i] != LAVA_RESIDENT_STAYS &&
                                    residence.states[i] != LAVA_RESIDENT_UNKNOWN;
    return residence;
}

/* Returns how long the call takes as planned: by several devices if they gain. */
static double planned_ns(const struct lava_operation *operation, const struct lava_plan *plan) {
    struct lava_plan shared;
    if (plan->place == LAVA_PLACE_CPU)
        return plan->cpu_ns;
    return lava_planning_share(operation, plan, &shared) ? shared.gpu_ns : plan->gpu_ns;
}

/* Returns what this call would have gained. */
static double gain_of(const struct lava_operation *supposed, const struct lava_plan *plan, double planned) {
    bool is_on_cpu = plan->place == LAVA_PLACE_CPU;
    if (is_on_cpu && lava_planning_is_hopeless(supposed, 1))
        return 0;
    double gpu_ns = lava_planning_suppose(supposed);
    if (!(gpu_ns > 0) ||
        (is_on_cpu && !lava_policy_is_profitable(supposed, lava_context_figures(), plan->cpu_ns, gpu_ns)))
        return 0;
    return fmax(0, planned - gpu_ns);
}

double lava_residence_earned_ns(void) {
    const struct lava_engine *engine = lava_context_engine();
    struct lava_residents *residents = engine ? engine->device->shared->residents : NULL;
    return residents ? lava_residents_sums(residents).earned_ns : 0;
}

/* Returns how long a new copy's upload takes beside the call's own. */
static double upload_ns(const struct lava_operation *operation, bool is_b, const struct lava_plan *plan) {
    double bytes = lava_residency_upload_bytes(operation, is_b, plan->place == LAVA_PLACE_GPU);
    if (!(bytes > 0))
        return 0;
    const struct lava_figures *figures = lava_context_figures();
    struct lava_rates rates =
        lava_cost_rates(lava_profiles_find(lava_context_capabilities()), &figures->device);
    return 1e9 * bytes / rates.upload_bytes_per_s;
}

/* A program whose copies have won before is not expected to write its matrices right after. */
static double price_ns(const struct lava_operation *operation, bool is_b, const struct lava_plan *plan) {
    const struct lava_host_matrix matrix = lava_residents_matrix(operation, is_b);
    double bytes = (double)lava_host_matrix_bytes(&matrix), up_ns = upload_ns(operation, is_b, plan);
    return lava_program_history_have_copies_won() ? lava_residency_cost_ns(bytes, up_ns)
                                                  : lava_residency_price_ns(bytes, up_ns);
}

bool lava_residence_weigh(const struct lava_residence *residence, const struct lava_plan *plan,
                          struct lava_operation *operation) {
    struct lava_residents *residents = lava_context_engine()->device->shared->residents;
    struct lava_operand *operands[] = {&operation->a, &operation->b};
    struct lava_operation supposed = *operation;
    bool is_unchanged[2], stays = false;
    double bytes = 0, gain_ns = 0;
    for (int i = 0; i < 2; i++) {
        const struct lava_host_matrix matrix = lava_residents_matrix(operation, i);
        is_unchanged[i] = residence->is_candidate[i] && residence->states[i] == LAVA_RESIDENT_UNCHANGED;
        (i ? &supposed.b : &supposed.a)->is_resident |= is_unchanged[i];
        bytes += is_unchanged[i] ? (double)lava_host_matrix_bytes(&matrix) : 0;
    }
    if (bytes > 0)
        gain_ns = gain_of(&supposed, plan, planned_ns(operation, plan));
    for (int i = 0; i < 2; i++) {
        const struct lava_host_matrix matrix = lava_residents_matrix(operation, i);
        double own = (double)lava_host_matrix_bytes(&matrix),
               rent_ns = is_unchanged[i] ? gain_ns * own / bytes : 0;
        if (residence->is_candidate[i])
            lava_results_found(&matrix, residence->states[i], rent_ns);
        if (!residence->is_candidate[i] || lava_operation_row(operation)->replaces ||
            !lava_residents_weigh(residents, &matrix, residence->states[i], rent_ns,
                                  price_ns(operation, i, plan)))
            continue;
        operands[i]->is_stored = true;
        stays = true;
    }
    return stays;
}
