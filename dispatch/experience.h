/* What a process has learnt from its own products: how far measured times were from the estimates, for each
 * class of similar products and each side. lib/offload/learning records every product and asks before each
 * decision.
 *
 * Pure functions on a struct that the caller owns; zero-initialized, it knows nothing. It allocates nothing,
 * reads no clock and takes no lock: one thread at a time.
 *
 * A class is left for the other side if its corrected times say so, by the policy's own margin. The
 * correction of a side is the median of its last ratios of measured to estimated time, at least three of
 * them, so that one unusual product decides nothing.
 *
 * A long call, of LAVA_EXPERIENCE_LONG_NS or more on a side, is not made three times to learn that: one
 * sample of a side counts. If such a call is left to the CPU by estimates of which one was not measured,
 * the device is tried early if it is estimated to take at most LAVA_EXPERIENCE_DOUBT times as long as the
 * CPU. A device that turns out slow costs once. The other way round nothing is tried: the CPU's guess is one
 * of its best times.
 *
 * If the corrections overrule the plan, a product goes to the plan's side every now and then, as a trial:
 * after 32 overruled products, then after 64 more, up to 1024. The numbers start again when the corrected
 * times agree with the plan. If the plan's side takes R times as long as the chosen one, the first interval
 * is at least 16 R (1024 at most). So as long as R is at most 64 and stays what it was, a trial adds less
 * than a sixteenth to the time of the products since the last one, and each further trial half as much until
 * the interval has reached 1024. A trial that says nothing is repeated once. */
#ifndef LAVA_DISPATCH_EXPERIENCE_H
#define LAVA_DISPATCH_EXPERIENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "dispatch/policy.h"

#define LAVA_EXPERIENCE_SETS        64 /* a power of two */
#define LAVA_EXPERIENCE_WAYS        4
#define LAVA_EXPERIENCE_SAMPLES     5
#define LAVA_EXPERIENCE_LEAST       3    /* samples */
#define LAVA_EXPERIENCE_FIRST_TRIAL 32   /* products */
#define LAVA_EXPERIENCE_LAST_TRIAL  1024 /* products */
#define LAVA_EXPERIENCE_UNTIMED     16   /* one call in 16 is timed */
#define LAVA_EXPERIENCE_LONG_NS     20e6
#define LAVA_EXPERIENCE_DOUBT       4.0
#define LAVA_EXPERIENCE_FIRST_TRIES 2 /* the first one may have to allocate, and then says nothing */
#define LAVA_EXPERIENCE_LOWEST      0.125
#define LAVA_EXPERIENCE_HIGHEST     16.0

/* The times of one side. */
struct lava_experience_side {
    float samples[LAVA_EXPERIENCE_SAMPLES]; /* log2 of measured / estimated, the last ones */
    float factor;                           /* the correction; 0: too few samples */
    uint8_t count, next;
};

/* Products of one type and kind whose sizes differ by less than half an octave. */
struct lava_experience_class {
    uint64_t key; /* 0: free */
    uint32_t used;
    uint16_t interval; /* overruled products before the next trial; 0: nothing was overruled */
    uint16_t waited;   /* overruled products since the last trial */
    uint8_t repeat;    /* of a trial that said nothing: 1: it is due, 2: it was made */
    uint8_t tries;     /* of a device without a time */
    uint8_t untimed;   /* products that the CPU got without a choice, since the last one that was timed */
    struct lava_experience_side sides[LAVA_PLACE_COUNT];
};

struct lava_experience {
    struct lava_experience_class classes[LAVA_EXPERIENCE_SETS][LAVA_EXPERIENCE_WAYS];
    uint32_t clock; /* counts uses */
};

struct lava_experience_times {
    double cpu_ns, gpu_ns;
};

/* Returns the product's class: types, precision, region, operations, whether B is A, whether beta is 0, and
 * the number of products of a batch, m, n and k in half octaves. Never 0. */
uint64_t lava_experience_key(const struct lava_operation *operation);

/* Adds a product that took measured_ns there. Both times must be positive. Returns the side's correction; 0
 * before there are three samples. One class of four makes room for a new one: the least recently used of
 * those that were never on the device, else of all. */
double lava_experience_record(struct lava_experience *experience, uint64_t key, enum lava_place place,
                              double estimated_ns, double measured_ns);

/* Returns the estimates, each times its correction: 1 before there are three samples, and never outside of
 * 1/8 to 16. */
struct lava_experience_times lava_experience_correct(const struct lava_experience *experience, uint64_t key,
                                                     double cpu_ns, double gpu_ns);

/* For a product that the CPU gets without a choice. Returns the CPU's correction; 0 before there are three
 * samples. *is_due: the product is to be recorded: each one until the side is full, then one of sixteen. */
double lava_experience_cpu_factor(struct lava_experience *experience, uint64_t key, bool *is_due);

/* Changes the place and the reason of a plan that has both estimates, if the corrected times say so and no
 * trial is due. The estimates stay as they are. key is the operation's. */
void lava_experience_decide(struct lava_experience *experience, uint64_t key,
                            const struct lava_operation *operation, const struct lava_figures *figures,
                            struct lava_plan *plan);

/* The last trial of the class could not be recorded: the next product of the class is a trial too, once. */
void lava_experience_repeat_trial(struct lava_experience *experience, uint64_t key);

#endif
