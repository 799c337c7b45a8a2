/* Products through the library. Called by check.c and checkgemm.c. */
#include "tests/checkgemm/through.h"

#include <string.h>

#include "lib/base/stats.h"
#include "lib/offload/context.h"
#include "lib/offload/more_devices.h"
#include "lib/offload/offload.h"
#include "lib/offload/state.h"
#include "lib/offload/steps.h"

/* Short products are not shared. At this rate few are short. */
#define SLOW_FLOPS 1e8
static struct lava_figures slow;

const char *through_prepare(enum lava_type type, unsigned devices) {
    const struct lava_operation product = {.type = type, .c.type = type};
    const char *why;
    if (lava_state_await(-1, &why) != LAVA_STATE_READY)
        return why;
    if (lava_context_devices() != devices)
        return "the library has not so many devices";
    lava_more_devices_want(lava_steps_needs(&product), devices - 1, true);
    slow = *lava_context_figures();
    for (int row = 0; row < LAVA_FIGURES_MAX_KERNELS; row++)
        slow.device.flops_per_s[row] = SLOW_FLOPS;
    lava_context_set_figures(&slow);
    return NULL;
}

/* The routine's name is for statistics alone. */
const char *through_compute(const struct lava_operation *operation, struct lava_plan *plan) {
    struct lava_call call = {.routine = LAVA_ROUTINE_cblas_sgemm, .valid = true, .operation = *operation};
    if (plan)
        memset(plan, 0, sizeof *plan);
    bool finished = lava_offload_begin(&call);
    lava_offload_end(&call);
    return finished && call.place == LAVA_PLACE_GPU ? NULL : lava_reason_text(call.reason);
}

uint64_t through_shared(void) {
    return lava_stats_of_shared();
}
