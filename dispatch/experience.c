/* Keeps what was learnt from products, in a table of four-way sets. Called by lib/offload/learning for every
 * product with a plan. Invariant: the same sequence of calls gives the same decisions. */
#include "dispatch/experience.h"

#include <math.h>
#include <string.h>

/* Overruled products per trial, for each time that the other side takes longer. */
#define TRIAL_SHARE 16.0

/* Appends `bits` bits of the value to the key. */
static uint64_t append(uint64_t key, uint64_t value, unsigned bits) {
    return key << bits | (value & ((UINT64_C(1) << bits) - 1));
}

/* Rounds to half octaves, so that a power of two is in the middle of its class. */
static uint64_t half_octaves(int64_t size) {
    return size > 1 ? (uint64_t)lrint(2 * log2((double)size)) : 0;
}

uint64_t lava_experience_key(const struct lava_operation *operation) {
    bool beta_is_zero = operation->beta.real == 0 && operation->beta.imaginary == 0;
    uint64_t key = 1; /* a class is never 0 */
    key = append(key, operation->type, 3);
    key = append(key, operation->c.type, 3);
    key = append(key, operation->precision, 2);
    key = append(key, operation->c.region, 2);
    key = append(key, (operation->a.op | operation->sides.op | operation->adjoint), 1);
    key = append(key, operation->b.op, 1);
    key = append(key, operation->b_is_a, 1);
    key = append(key, operation->a.is_resident && !lava_operation_row(operation)->is_vector, 1);
    key = append(key, operation->b.is_resident, 1);
    key = append(key, operation->a.structure, 2);
    key = append(key, operation->b.structure, 2);
    key = append(key, operation->twice, 1);
    key = append(key, operation->kind, 5);
    key = append(key, operation->sides.factored, 1);
    key = append(key, operation->sides.count > 0 ? 1 + half_octaves(operation->sides.count) : 0, 7);
    key = append(key, beta_is_zero, 1);
    key = append(key, operation->series != NULL, 1);
    key = append(key, half_octaves(lava_operation_count(operation)), 7);
    key = append(key, half_octaves(operation->m), 7);
    key = append(key, half_octaves(operation->n), 7);
    return append(key, half_octaves(operation->k), 7);
}

/* Fibonacci hashing: the upper bits of the product depend on all bits of the key. */
static size_t set_of(uint64_t key) {
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) % LAVA_EXPERIENCE_SETS;
}

static const struct lava_experience_class *find(const struct lava_experience *experience, uint64_t key) {
    const struct lava_experience_class *set = experience->classes[set_of(key)];
    for (size_t i = 0; i < LAVA_EXPERIENCE_WAYS; i++)
        if (set[i].key == key)
            return &set[i];
    return NULL;
}

/* Returns NULL if there is no such class. */
static struct lava_experience_class *use(struct lava_experience *experience, uint64_t key) {
    struct lava_experience_class *class = (struct lava_experience_class *)find(experience, key);
    if (class)
        class->used = experience->clock++;
    return class;
}

/* Returns whether a is given up before b. Most classes have times of the CPU alone, of calls that stay there
 * by every estimate: they are many, and are learnt again for nothing. */
static bool is_given_up_before(const struct lava_experience *experience,
                               const struct lava_experience_class *a, const struct lava_experience_class *b) {
    bool a_was_there = a->sides[LAVA_PLACE_GPU].count > 0, b_was_there = b->sides[LAVA_PLACE_GPU].count > 0;
    if (!a->key || !b->key)
        return !a->key && b->key;
    if (a_was_there != b_was_there)
        return b_was_there;
    /* differences stay right even if the clock has wrapped */
    return experience->clock - a->used > experience->clock - b->used;
}

static struct lava_experience_class *replace(struct lava_experience *experience, uint64_t key) {
    struct lava_experience_class *set = experience->classes[set_of(key)], *class = set;
    for (size_t i = 1; i < LAVA_EXPERIENCE_WAYS; i++)
        if (is_given_up_before(experience, &set[i], class))
            class = &set[i];
    *class = (struct lava_experience_class){.key = key, .used = experience->clock++};
    return class;
}

static void sort(float *values, size_t count) {
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && values[j] < values[j - 1]; j--) {
            float lower = values[j];
            values[j] = values[j - 1];
            values[j - 1] = lower;
        }
}

/* Returns the correction; 0: there are fewer samples than `least`. */
static float factor_of(const struct lava_experience_side *side, size_t least) {
    float sorted[LAVA_EXPERIENCE_SAMPLES];
    size_t count = side->count;
    if (count < least)
        return 0;
    memcpy(sorted, side->samples, sizeof sorted);
    sort(sorted, count);
    double median = ((double)sorted[(count - 1) / 2] + (double)sorted[count / 2]) / 2;
    return (float)fmin(fmax(exp2(median), LAVA_EXPERIENCE_LOWEST), LAVA_EXPERIENCE_HIGHEST);
}

double lava_experience_record(struct lava_experience *experience, uint64_t key, enum lava_place place,
                              double estimated_ns, double measured_ns) {
    struct lava_experience_class *class = use(experience, key);
    if (!class)
        class = replace(experience, key);
    struct lava_experience_side *side = &class->sides[place];
    side->samples[side->next] = (float)log2(measured_ns / estimated_ns);
    side->next = (uint8_t)((side->next + 1) % LAVA_EXPERIENCE_SAMPLES);
    if (side->count < LAVA_EXPERIENCE_SAMPLES)
        side->count++;
    side->factor = factor_of(side, LAVA_EXPERIENCE_LEAST);
    return (double)side->factor;
}

static double corrected(const struct lava_experience_side *side, double ns) {
    return side->factor > 0 ? ns * (double)side->factor : ns;
}

static struct lava_experience_times times_of(const struct lava_experience_class *class, double cpu_ns,
                                             double gpu_ns) {
    return (struct lava_experience_times){corrected(&class->sides[LAVA_PLACE_CPU], cpu_ns),
                                          corrected(&class->sides[LAVA_PLACE_GPU], gpu_ns)};
}

struct lava_experience_times lava_experience_correct(const struct lava_experience *experience, uint64_t key,
                                                     double cpu_ns, double gpu_ns) {
    const struct lava_experience_class *class = find(experience, key);
    return class ? times_of(class, cpu_ns, gpu_ns) : (struct lava_experience_times){cpu_ns, gpu_ns};
}

double lava_experience_cpu_factor(struct lava_experience *experience, uint64_t key, bool *is_due) {
    struct lava_experience_class *class = use(experience, key);
    *is_due = !class || class->sides[LAVA_PLACE_CPU].count < LAVA_EXPERIENCE_SAMPLES ||
              ++class->untimed >= LAVA_EXPERIENCE_UNTIMED;
    if (class && *is_due)
        class->untimed = 0;
    return class ? (double)class->sides[LAVA_PLACE_CPU].factor : 0;
}

/* The more a trial costs, the later is the first. */
static uint16_t first_interval(double ratio) {
    uint16_t interval = LAVA_EXPERIENCE_FIRST_TRIAL;
    while (interval < LAVA_EXPERIENCE_LAST_TRIAL && interval < TRIAL_SHARE * ratio)
        interval = (uint16_t)(2 * interval);
    return interval;
}

/* Counts one more product that is overruled. Returns true if it is to be a trial. ratio: how many times as
 * long the plan's side takes. */
static bool is_trial(struct lava_experience_class *class, double ratio) {
    if (class->interval == 0)
        class->interval = first_interval(ratio);
    if (class->repeat == 1) {
        class->repeat = 2;
        return true;
    }
    if (class->waited < class->interval) {
        class->waited++;
        return false;
    }
    class->waited = 0;
    class->repeat = 0;
    if (class->interval < LAVA_EXPERIENCE_LAST_TRIAL)
        class->interval = (uint16_t)(2 * class->interval);
    return true;
}

static void overrule(struct lava_experience_class *class, const struct lava_experience_times *times,
                     struct lava_plan *plan) {
    bool to_cpu = plan->place == LAVA_PLACE_GPU;
    double ratio = to_cpu ? times->gpu_ns / times->cpu_ns : times->cpu_ns / times->gpu_ns;
    if (is_trial(class, ratio)) {
        plan->reason = LAVA_REASON_TRIAL;
        return;
    }
    plan->place = to_cpu ? LAVA_PLACE_CPU : LAVA_PLACE_GPU;
    plan->reason = to_cpu ? LAVA_REASON_LEARNT_CPU : LAVA_REASON_LEARNT_GPU;
}

/* Returns the time of a side by all samples that there are; 0: there are none. */
static double seen_ns(const struct lava_experience_side *side, double estimated_ns) {
    return (double)factor_of(side, 1) * estimated_ns;
}

/* Returns whether the device is tried by a long call that the CPU would get. */
static bool is_first_try(struct lava_experience_class *class, const struct lava_operation *operation,
                         const struct lava_figures *figures, const struct lava_experience_times *times) {
    if (class->sides[LAVA_PLACE_GPU].count > 0 || class->sides[LAVA_PLACE_CPU].count == 0 ||
        class->tries >= LAVA_EXPERIENCE_FIRST_TRIES || lava_policy_is_measured(operation, figures) ||
        times->gpu_ns > LAVA_EXPERIENCE_DOUBT * times->cpu_ns)
        return false;
    class->tries++;
    return true;
}

void lava_experience_decide(struct lava_experience *experience, uint64_t key,
                            const struct lava_operation *operation, const struct lava_figures *figures,
                            struct lava_plan *plan) {
    struct lava_experience_class *class = use(experience, key);
    if (!class)
        return;
    double cpu_ns = seen_ns(&class->sides[LAVA_PLACE_CPU], plan->cpu_ns),
           gpu_ns = seen_ns(&class->sides[LAVA_PLACE_GPU], plan->gpu_ns);
    bool is_long = fmax(cpu_ns, gpu_ns) >= LAVA_EXPERIENCE_LONG_NS;
    if (!is_long && !(class->sides[LAVA_PLACE_CPU].factor > 0) && !(class->sides[LAVA_PLACE_GPU].factor > 0))
        return;
    struct lava_experience_times times = times_of(class, plan->cpu_ns, plan->gpu_ns);
    if (is_long)
        times = (struct lava_experience_times){cpu_ns > 0 ? cpu_ns : plan->cpu_ns,
                                               gpu_ns > 0 ? gpu_ns : plan->gpu_ns};
    bool to_gpu = lava_policy_is_profitable(operation, figures, times.cpu_ns, times.gpu_ns);
    if (is_long && !to_gpu && is_first_try(class, operation, figures, &times)) {
        plan->place = LAVA_PLACE_GPU;
        plan->reason = LAVA_REASON_TRIAL;
    } else if (to_gpu == (plan->place == LAVA_PLACE_GPU)) {
        class->interval = class->waited = class->repeat = 0;
    } else {
        overrule(class, &times, plan);
    }
}

void lava_experience_repeat_trial(struct lava_experience *experience, uint64_t key) {
    struct lava_experience_class *class = use(experience, key);
    if (class && class->repeat == 0)
        class->repeat = 1;
}
