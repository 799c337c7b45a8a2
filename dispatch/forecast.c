/* Weighs calls before a device is open. Called by lib/offload/start. Invariant: an operation that the policy
 * would leave on the CPU, by measured figures, counts nothing. */
#include "dispatch/forecast.h"

#include <math.h>
#include <stdatomic.h>

#include "dispatch/experience.h"
#include "dispatch/policy.h"
#include "dispatch/profiles.h"

/* By known figures so many times the predicted saving counts. A device that needs half of the CPU's time is
 * asked for as early as one that needs none. */
#define SAVING_WEIGHT 2.0
/* By a guess this share of a call counts that the device would lose: the CPU may be slower than guessed. */
#define LOST_SHARE (1.0 / 16)

/* A class's word: the upper 48 bits are the key's, the others the ratio's logarithm, from 1/2^31 to 2^31 in
 * steps of 1/1024 octave. 0: not known. */
#define RATIO_BITS   UINT64_C(0xffff)
#define OCTAVE_STEPS 1024
#define MOST_OCTAVES 31

/* A class may stand in so many places, one after the other. */
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

static uint64_t encode(double ratio) {
    double octaves = fmin(fmax(log2(ratio), -MOST_OCTAVES), MOST_OCTAVES);
    return ratio > 0 ? 1 + (uint64_t)lrint((octaves + MOST_OCTAVES) * OCTAVE_STEPS) : 0;
}

static double decode(uint64_t code) {
    return code > 0 ? exp2((double)(code - 1) / OCTAVE_STEPS - MOST_OCTAVES) : 0;
}

/* Fibonacci hashing, as in experience.c. */
static uint64_t spread(uint64_t key) {
    return key * UINT64_C(0x9e3779b97f4a7c15);
}

double lava_forecast_class_ratio(struct lava_forecast_ratios *ratios, const struct lava_forecast *prospect,
                                 const struct lava_operation *operation) {
    if (lava_operation_overlaps(operation)) /* others of its class do not */
        return INFINITY;
    uint64_t name = spread(lava_experience_key(operation)) & ~RATIO_BITS;
    for (unsigned i = 0; i < PLACES; i++) {
        _Atomic uint64_t *place = &ratios->classes[((name >> 32) + i) % LAVA_FORECAST_CLASSES];
        uint64_t found = atomic_load_explicit(place, memory_order_relaxed);
        if (found == 0) {
            found = name | encode(lava_forecast_ratio(prospect, operation));
            atomic_store_explicit(place, found, memory_order_relaxed);
        }
        if ((found & ~RATIO_BITS) == name)
            return decode(found & RATIO_BITS);
    }
    return LAVA_FORECAST_NO_PLACE;
}
