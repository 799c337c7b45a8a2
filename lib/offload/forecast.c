/* Sums up what a device would win of the program's calls, until it is prepared for them. Called by offload.c
 * for each call that is large enough for a device.
 *
 * Invariant: no driver and no device is asked for anything here, and an operation that the policy would leave
 * on the CPU, by measured figures, counts nothing. */
#include "lib/offload/forecast.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "dispatch/experience.h"
#include "dispatch/policy.h"
#include "dispatch/profiles.h"
#include "lib/base/config.h"
#include "lib/calibrate/calibration.h"
#include "lib/calibrate/expected.h"
#include "lib/offload/context.h"
#include "lib/offload/program_history.h"
#include "lib/offload/readiness.h"
#include "lib/offload/steps.h"

/* A process that has spent this long on products that a device would win is expected to go on. It is 9% of a
 * preparation (760 ms with an H200's driver), and keeps programs that end after one small product from
 * starting one. */
#define START_AFTER_NS 70e6
/* If figures are known, the predicted saving counts this many times. A device that needs half of the CPU's
 * time is asked for as early as one that needs none. */
#define SAVING_WEIGHT 2.0
/* If figures are guessed, this share of a call counts that the device would lose: the CPU may be slower than
 * guessed. */
#define LOST_SHARE (1.0 / 16)

/* A class of operations; all zero: free. The name is a part of the key's hash, made odd so that it is not 0.
 */
union forecast_class {
    uint64_t word;
    struct {
        uint32_t name;
        float ratio; /* 0: not known */
    };
};

/* A class may stand in this many places, one after the other. */
#define PLACES 8

struct lava_forecast lava_forecast_guess(const struct lava_figures *figures) {
    return (struct lava_forecast){.device = lava_profiles_fastest(), .figures = figures};
}

double lava_forecast_ratio(const struct lava_forecast *prospect, const struct lava_operation *operation) {
    struct lava_plan plan;
    if (lava_operation_overlaps(operation))
        return INFINITY;
    lava_policy_choose(operation, prospect->device, prospect->figures, LAVA_MODE_AUTO, NULL, &plan);
    return plan.cpu_ns > 0 && plan.gpu_ns > 0 ? plan.gpu_ns / plan.cpu_ns : 0;
}

double lava_forecast_share(const struct lava_forecast *prospect, const struct lava_operation *operation,
                           double ratio) {
    if (isinf(ratio))
        return 0;
    if (ratio == 0)
        return prospect->is_known ? 0 : 1;
    if (!prospect->is_known)
        return ratio < 1 ? 1 : LOST_SHARE;
    if (!lava_policy_is_profitable(operation, prospect->figures, 1, ratio))
        return 0;
    return fmin(1, SAVING_WEIGHT * (1 - ratio));
}

double lava_forecast_class_ratio(struct lava_forecast_ratios *ratios, const struct lava_forecast *prospect,
                                 const struct lava_operation *operation) {
    if (lava_operation_overlaps(operation)) /* others of its class do not */
        return INFINITY;
    /* Fibonacci hashing, as in dispatch/experience.c */
    uint64_t hash = lava_experience_key(operation) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t name = (uint32_t)(hash >> 32) | 1;
    for (unsigned i = 0; i < PLACES; i++) {
        _Atomic uint64_t *place = &ratios->classes[((name >> 1) + i) % LAVA_FORECAST_CLASSES];
        union forecast_class found = {.word = atomic_load_explicit(place, memory_order_relaxed)};
        if (found.word == 0) {
            found.name = name;
            found.ratio = (float)lava_forecast_ratio(prospect, operation);
            atomic_store_explicit(place, found.word, memory_order_relaxed);
        }
        if (found.name == name)
            return (double)found.ratio;
    }
    return LAVA_FORECAST_NO_PLACE;
}

static struct {
    pthread_once_t once;
    struct lava_expected expected;
    struct lava_forecast prospect;
    struct lava_forecast_ratios ratios;
    _Atomic uint64_t counted_ns;
    _Atomic uint64_t lost_ns;                            /* by all calls that are watched */
    _Atomic uint64_t lost_by_need[LAVA_READINESS_NEEDS]; /* by those whose last need this is */
} start = {.once = PTHREAD_ONCE_INIT};

/* Reads files: the thread cannot be cancelled meanwhile, because it counts as one inside a call. */
static void find_prospect(void) {
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    const struct lava_figures *starting = lava_calibration_figures();
    start.prospect = lava_forecast_guess(starting);
    if (lava_expected_read(starting, &start.expected))
        start.prospect = (struct lava_forecast){
            .device = &start.expected.device, .figures = &start.expected.figures, .is_known = true};
    pthread_setcancelstate(cancel_state, NULL);
}

static double ratio_of(const struct lava_operation *operation) {
    pthread_once(&start.once, find_prospect);
    return lava_forecast_class_ratio(&start.ratios, &start.prospect, operation);
}

/* One product of a batch tells nothing about all, and if the device is forced it wins every call. */
static double share_of(const struct lava_operation *operation, double products) {
    if (products > 1 || lava_config_get()->mode == LAVA_MODE_GPU)
        return 1;
    return lava_forecast_share(&start.prospect, operation, ratio_of(operation));
}

bool lava_forecast_is_early(const struct lava_operation *operation, double products) {
    if (lava_readiness_in(LAVA_READINESS_IN(COLD)) != LAVA_READINESS_ALL)
        return false;
    pthread_once(&start.once, find_prospect);
    double patience = lava_program_history_patience();
    double cpu_ns = products * lava_figures_cpu_ns(&start.prospect.figures->cpu, operation);
    double most_ns = fmin(patience, LAVA_HISTORY_QUIET_TIMES) * START_AFTER_NS; /* of one call, too */
    double ns = cpu_ns > 0 ? fmin(cpu_ns * share_of(operation, products), most_ns) : most_ns;
    bool is_early = (double)atomic_fetch_add(&start.counted_ns, (uint64_t)ns) + ns < most_ns;
    return isinf(patience) || (is_early && (double)start.lost_ns < patience * LAVA_HISTORY_PREPARATION_NS);
}

double lava_forecast_device_ns(const struct lava_operation *operation) {
    double ratio = ratio_of(operation);
    bool is_known = isfinite(ratio) && ratio > LAVA_FORECAST_NO_PLACE;
    return is_known ? ratio * lava_figures_cpu_ns(&start.prospect.figures->cpu, operation) : 0;
}

/* Once a device was opened its own figures are there. */
void lava_forecast_watch(const struct lava_operation *operation, struct lava_learning *learning) {
    double expected_ns[LAVA_PLACE_COUNT] = {[LAVA_PLACE_GPU] = lava_forecast_device_ns(operation)};
    const struct lava_figures *figures = lava_context_figures();
    if (!figures)
        figures = start.prospect.figures;
    expected_ns[LAVA_PLACE_CPU] = lava_figures_cpu_ns(&figures->cpu, operation);
    lava_learning_watch(operation, figures, expected_ns, learning);
}

static _Atomic uint64_t *lost_by(const struct lava_operation *operation) {
    return &start.lost_by_need[63 - __builtin_clzll(lava_steps_needs(operation))];
}

void lava_forecast_count_lost(const struct lava_operation *operation, double lost_ns) {
    start.lost_ns += (uint64_t)lost_ns;
    *lost_by(operation) += (uint64_t)lost_ns;
}

bool lava_forecast_has_lost(const struct lava_operation *operation, double next_ns) {
    return (double)*lost_by(operation) + next_ns >=
           lava_program_history_patience() * LAVA_HISTORY_PREPARATION_NS;
}
