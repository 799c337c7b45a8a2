/* Sums up what a device would win of the program's calls, until one is prepared. Called by offload.c for each
 * call that is large enough for a device.
 *
 * Invariant: no driver and no device is asked for anything here. */
#include "lib/offload/start.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "dispatch/prospect.h"
#include "lib/base/config.h"
#include "lib/calibrate/calibration.h"
#include "lib/calibrate/expected.h"
#include "lib/offload/prepare.h"

/* A process that has spent this long on products that a device would win is expected to go on. It is 7% of a
 * preparation (760 ms with an H200's driver), and keeps programs that end after one small product from
 * starting one. */
#define START_AFTER_NS 50e6

static struct {
    pthread_once_t once;
    struct lava_expected expected;
    struct lava_prospect prospect;
    struct lava_prospect_shares shares;
    _Atomic uint64_t counted_ns;
} start = {.once = PTHREAD_ONCE_INIT};

/* Reads files: the thread cannot be cancelled meanwhile, because it counts as one inside a call. */
static void find_prospect(void) {
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    const struct lava_figures *starting = lava_calibration_figures();
    start.prospect = lava_prospect_guess(starting);
    if (lava_expected_read(starting, &start.expected))
        start.prospect = (struct lava_prospect){
            .device = &start.expected.device, .figures = &start.expected.figures, .is_known = true};
    pthread_setcancelstate(cancel_state, NULL);
}

/* One product of a batch tells nothing about all, and where the device is forced it wins every call. */
static double share_of(const struct lava_operation *operation, double products) {
    if (products > 1 || lava_config_get()->mode == LAVA_MODE_GPU)
        return 1;
    return lava_prospect_class_share(&start.shares, &start.prospect, operation);
}

bool lava_start_is_early(const struct lava_operation *operation, double products) {
    if (!lava_prepare_is_cold())
        return false;
    pthread_once(&start.once, find_prospect);
    double cpu_ns = products * lava_figures_cpu_ns(&start.prospect.figures->cpu, operation);
    double ns = cpu_ns > 0 ? fmin(cpu_ns * share_of(operation, products), START_AFTER_NS) : START_AFTER_NS;
    return (double)atomic_fetch_add(&start.counted_ns, (uint64_t)ns) + ns < START_AFTER_NS;
}
