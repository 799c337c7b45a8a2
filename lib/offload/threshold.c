/* Sets the threshold that every call is compared with. Called by offload.c at the first call, by prepare.c
 * when a preparation begins or ends or the device is given up, and by the calibration when it has measured.
 * The cut-off is never raised. */
#include "lib/offload/threshold.h"

#include <math.h>
#include <stdbool.h>

#include "lib/base/config.h"
#include "lib/base/stats.h"

/* No device wins a product that the CPU finishes in this time: a submission and the wait for it take half of
 * it (49 us on an H200, 128 us on lavapipe), and the matrices have to travel. */
#define UNBEATABLE_S 100e-6

/* It has a cache line of its own, because every call reads it. */
_Alignas(128) struct lava_threshold lava_threshold = {.forward_below = -INFINITY,
                                                      .forward_vector_below = -INFINITY};

static _Atomic double cutoff = INFINITY; /* until the threshold is opened */

/* No lock: a child of fork() closes the threshold, whatever another thread was doing. */
static _Atomic bool is_open, spares_processor;
static _Atomic bool is_closed, keeps_nothing; /* for good, even if it is opened later */

static double first_cutoff(const struct lava_cpu_blas *blas) {
    double work = lava_cpu_blas_figures(blas).flops_per_s[LAVA_TYPE_FP32] * UNBEATABLE_S / 2.0;
    return fmax(work, LAVA_POLICY_CUTOFF);
}

static bool looks_at_each_call(const struct lava_config *config) {
    return lava_stats_are_wanted() || config->log_level >= LAVA_LOG_CALLS;
}

/* While a device is prepared, a call of several threads leaves a processor to that (lib/host/spare.h). */
static double lowered_cutoff(void) {
    return spares_processor ? fmin(lava_threshold_cutoff(), LAVA_ONE_THREAD_WORK) : lava_threshold_cutoff();
}

static double due(void) {
    const struct lava_config *config = lava_config_get();
    if (looks_at_each_call(config))
        return 0;
    if (is_closed || config->mode == LAVA_MODE_CPU)
        return INFINITY;
    return config->mode == LAVA_MODE_GPU ? 0 : lowered_cutoff();
}

/* Returns the bytes below which a matrix times a vector is not worth a look, with statistics, too. */
static double vector_cutoff(void) {
    const struct lava_config *config = lava_config_get();
    if (is_closed || config->mode == LAVA_MODE_CPU || config->resident == LAVA_RESIDENT_OFF)
        return INFINITY;
    if (config->mode == LAVA_MODE_GPU)
        return 0;
    return keeps_nothing ? INFINITY : LAVA_POLICY_VECTOR_BYTES;
}

static double due_of_vectors(void) {
    return looks_at_each_call(lava_config_get()) ? 0 : vector_cutoff();
}

static double due_to_count(void) {
    const struct lava_config *config = lava_config_get();
    bool counts =
        lava_stats_are_wanted() && config->mode != LAVA_MODE_GPU && config->log_level < LAVA_LOG_CALLS;
    return counts ? lowered_cutoff() : 0;
}

/* Whoever stores last looks again, so that nothing stays that another thread has changed meanwhile. */
static void publish(void) {
    double work, counted, vector_bytes;
    if (!is_open)
        return;
    do {
        work = due();
        counted = due_to_count();
        vector_bytes = due_of_vectors();
        atomic_store(&lava_threshold.forward_below, work);
        atomic_store(&lava_threshold.count_below, counted);
        atomic_store(&lava_threshold.forward_vector_below, vector_bytes);
    } while (work != due() || counted != due_to_count() || vector_bytes != due_of_vectors());
}

double lava_threshold_cutoff(void) {
    return cutoff;
}

/* Answers as lava_threshold_forwards_vector does. A matrix that is said to stay is large enough from a fixed
 * size on, whatever is set. */
static bool is_small_of_vectors(const struct lava_operation *operation) {
    double cutoff_bytes = vector_cutoff();
    if (operation->a.is_resident)
        cutoff_bytes = fmin(cutoff_bytes, LAVA_POLICY_VECTOR_BYTES);
    return (double)operation->m * (double)operation->k * (double)lava_type_bytes(operation->type) <
           cutoff_bytes;
}

bool lava_threshold_is_below(const struct lava_operation *operation, int64_t n) {
    if (lava_operation_row(operation)->is_vector)
        return is_small_of_vectors(operation);
    return lava_config_get()->mode != LAVA_MODE_GPU &&
           lava_operation_work_of(operation, n) < lava_threshold_cutoff();
}

bool lava_threshold_only_counts(const struct lava_operation *operation) {
    double below = atomic_load_explicit(&lava_threshold.count_below, memory_order_relaxed);
    if (lava_operation_row(operation)->is_vector)
        return below > 0 && is_small_of_vectors(operation);
    return lava_operation_work(operation) < below;
}

bool lava_threshold_looks_at_vectors(void) {
    return isfinite(vector_cutoff());
}

void lava_threshold_keeps_nothing(void) {
    keeps_nothing = true;
    publish();
}

void lava_threshold_measured(const struct lava_figures *figures) {
    double work = lava_figures_least_work(&figures->cpu, figures->device.call_latency_ns);
    if (!(figures->device.call_latency_ns > 0) || !(work > 0))
        return;
    work = fmax(work, LAVA_POLICY_CUTOFF);
    if (work >= lava_threshold_cutoff())
        return;
    cutoff = work;
    publish();
}

void lava_threshold_spare(bool spares) {
    spares_processor = spares;
    publish();
}

void lava_threshold_count(void) {
    publish();
}

void lava_threshold_open(void) {
    const struct lava_cpu_blas *blas = lava_cpu_blas_get();
    cutoff = first_cutoff(blas);
    is_open = true;
    publish();
}

void lava_threshold_close(void) {
    if (looks_at_each_call(lava_config_get()))
        return;
    is_closed = true;
    is_open = true;
    publish();
}
