/* Sets the threshold that every call is compared with. Called by offload.c at the first call, by prepare.c
 * when a preparation begins or ends or the device is given up, and by the calibration when it has measured.
 * The cut-off is never raised. */
#include "lib/offload/threshold.h"

#include <math.h>
#include <stdbool.h>

#include "lib/base/config.h"

/* No device wins a product that the CPU finishes in this time: a submission and the wait for it take half of
 * it (49 us on an H200, 128 us on lavapipe), and the matrices have to travel. */
#define UNBEATABLE_S 100e-6

/* It has a cache line of its own, because every call reads it. */
_Alignas(128) struct lava_threshold lava_threshold = {.forward_below = -INFINITY};

static _Atomic double cutoff = INFINITY; /* until the threshold is opened */

/* No lock: a child of fork() closes the threshold, whatever another thread was doing. */
static _Atomic bool is_open, spares_processor;
static _Atomic bool is_closed; /* for good, even if it is opened later */
static _Atomic double usual;   /* if nothing is prepared */

static double first_cutoff(const struct lava_cpu_blas *blas) {
    double work = lava_cpu_blas_figures(blas).flops_per_s[LAVA_TYPE_FP32] * UNBEATABLE_S / 2.0;
    return work > LAVA_POLICY_CUTOFF ? work : LAVA_POLICY_CUTOFF;
}

static double usual_threshold(const struct lava_config *config) {
    if (config->stats || config->mode == LAVA_MODE_GPU || config->log_level >= LAVA_LOG_DEBUG)
        return 0;
    return config->mode == LAVA_MODE_CPU ? INFINITY : lava_threshold_cutoff();
}

/* A threshold that is closed, or lets every call pass, stays as it is. */
static double due(void) {
    double work = usual;
    /* while a device is prepared, a call of several threads leaves a processor to that (lib/host/spare.h) */
    bool spares = spares_processor && isfinite(work);
    return spares ? fmin(work, LAVA_ONE_THREAD_WORK) : work;
}

static double due_to_count(void) {
    const struct lava_config *config = lava_config_get();
    if (!config->stats || config->mode == LAVA_MODE_GPU || config->log_level >= LAVA_LOG_DEBUG)
        return 0;
    double work = lava_threshold_cutoff();
    return spares_processor ? fmin(work, LAVA_ONE_THREAD_WORK) : work;
}

/* Whoever stores last looks again, so that nothing stays that another thread has changed meanwhile. */
static void publish(void) {
    double work, counted;
    if (!is_open)
        return;
    do {
        work = due();
        counted = due_to_count();
        atomic_store(&lava_threshold.forward_below, work);
        atomic_store(&lava_threshold.count_below, counted);
    } while (work != due() || counted != due_to_count());
}

double lava_threshold_cutoff(void) {
    return atomic_load_explicit(&cutoff, memory_order_relaxed);
}

void lava_threshold_measured(const struct lava_figures *figures) {
    double work = lava_figures_least_work(&figures->cpu, figures->device.call_latency_ns);
    if (!(figures->device.call_latency_ns > 0) || !(work > 0))
        return;
    work = work > LAVA_POLICY_CUTOFF ? work : LAVA_POLICY_CUTOFF;
    double before = lava_threshold_cutoff();
    if (work >= before)
        return;
    atomic_store_explicit(&cutoff, work, memory_order_relaxed);
    atomic_compare_exchange_strong(&usual, &before, work);
    publish();
}

void lava_threshold_spare(bool spares) {
    spares_processor = spares;
    publish();
}

void lava_threshold_open(void) {
    const struct lava_cpu_blas *blas = lava_cpu_blas_get();
    atomic_store_explicit(&cutoff, first_cutoff(blas), memory_order_relaxed);
    usual = is_closed ? INFINITY : usual_threshold(lava_config_get());
    is_open = true;
    publish();
}

void lava_threshold_close(void) {
    const struct lava_config *config = lava_config_get();
    if (config->stats || config->log_level >= LAVA_LOG_DEBUG)
        return;
    is_closed = true;
    usual = INFINITY;
    is_open = true;
    publish();
}
