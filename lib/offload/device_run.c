/* Runs a planned operation on the process's devices: with one, or with a crew. Called by offload.c.
 *
 * Invariant: what progress does not count is as it was. */
#include "lib/offload/device_run.h"

#include "lib/base/config.h"
#include "lib/base/log.h"
#include "lib/engine/engine.h"
#include "lib/offload/context.h"
#include "lib/offload/crew.h"
#include "lib/offload/idle.h"
#include "lib/offload/more_devices.h"
#include "lib/offload/planning.h"
#include "lib/offload/residence.h"
#include "lib/offload/steps.h"
#include "lib/offload/ways.h"

/* With less memory than this the CPU takes the product. */
#define LEAST_MEMORY_BYTES (1ull << 20)

/* All columns of factors that were there already count as written. */
bool lava_device_run_wrote_nothing(const struct lava_operation *operation,
                                   const struct lava_progress *progress) {
    if (operation->series)
        return progress->products == 0;
    if (operation->sides.factored)
        return progress->sides == 0;
    return progress->row == 0 && progress->column == 0 && progress->partial == 0;
}

/* Returns how much memory to plan with after an allocation of this much failed. All blocks of a product
 * become smaller. A matrix of LAPACK, or of a solve, stays as it is, and at half the memory would not fit. */
static uint64_t less_memory(const struct lava_operation *operation, uint64_t bytes) {
    return bytes - bytes / (lava_operation_row(operation)->is_product ? 2 : 8);
}

/* Returns whether copies that stay on a device are used or made. */
static bool keeps(const struct lava_operation *operation) {
    return lava_operation_has_resident(operation) || lava_operation_stores(operation);
}

/* Runs the plan. If the device has less memory than it said, matrices that stay are freed, then what other
 * lanes have, the product moves to the first lane, or it is planned with smaller blocks. */
static enum lava_status run_plan(struct lava_lane_lock *lock, const struct lava_operation *caller,
                                 struct lava_plan *plan, struct lava_progress *progress) {
    const struct lava_operation uploaded = lava_operation_without_residents(caller);
    const struct lava_operation *operation = caller;
    lava_planning_spare_memory(lock->engine, operation, plan);
    uint64_t memory_bytes = plan->blocking.total_bytes;
    bool released = false;
    for (;;) {
        enum lava_status status = lava_ways_run(lock->engine, operation, plan, progress);
        if (lava_operation_row(operation)->is_vector) /* it pays with a copy alone: none is freed for it */
            return status;
        if (status != LAVA_ERROR_DEVICE_MEMORY || !lava_device_run_wrote_nothing(operation, progress) ||
            lock->engine->device->shared->failed)
            return status;
        bool had_residents = operation == caller && keeps(caller);
        operation = &uploaded;
        lock->engine->is_unusual = lock->engine->is_unusual || had_residents;
        if (lava_engine_release_residents(lock->engine, true) || had_residents)
            continue;
        if (lava_context_find_memory(lock))
            continue;
        if (!lock->engine)
            return status;
        lava_engine_release(lock->engine); /* what is kept of earlier tries may fit the next one badly */
        if (!released) {
            released = true;
            continue;
        }
        memory_bytes = less_memory(operation, memory_bytes);
        if (memory_bytes < LEAST_MEMORY_BYTES)
            return status;
        lava_planning_choose(operation, memory_bytes, plan);
        if (plan->place != LAVA_PLACE_GPU)
            return status;
    }
}

/* Shares the product among the lane's engine and others at rest. Returns false if nothing is computed. */
static bool run_shared(struct lava_call *call, const struct lava_plan *plan, uint64_t needs,
                       const struct lava_lane_lock *lock, struct lava_progress *progress,
                       enum lava_status *status) {
    bool is_untouched;
    *status = lava_crew_run(&call->operation, plan, needs, lock, &call->learning, &is_untouched);
    *progress = (struct lava_progress){0};
    if (!is_untouched) /* nothing is left, whatever its region */
        *progress = (struct lava_progress){.row = call->operation.m,
                                           .column = call->operation.n,
                                           .products = lava_operation_count(&call->operation)};
    return *status == LAVA_OK || !is_untouched;
}

/* Runs the plan on one device, or that for several if they gain. *lost: the one has failed. */
static enum lava_status run_once(struct lava_call *call, struct lava_plan *plan,
                                 struct lava_progress *progress, bool *lost) {
    struct lava_lane_lock lock;
    struct lava_plan shared;
    uint64_t needs = lava_steps_needs(&call->operation), bytes = plan->blocking.total_bytes;
    bool shares =
        !lava_operation_stores(&call->operation) && lava_planning_share(&call->operation, plan, &shared);
    const struct lava_device_shared *with_copies = shares ? NULL : lava_residence_device(&call->operation);
    enum lava_status status;
    *progress = (struct lava_progress){0};
    if (shares) {
        lava_more_devices_want(needs, shared.engines - 1, lava_config_get()->init_sync);
        bytes = bytes > shared.blocking.total_bytes ? bytes : shared.blocking.total_bytes;
    }
    if (!lava_more_devices_take(with_copies, bytes, needs, &lock)) {
        *lost = true;
        return LAVA_ERROR_UNAVAILABLE;
    }
    lava_residence_share(lock.engine);
    bool is_done = shares && run_shared(call, &shared, needs, &lock, progress, &status);
    if (!is_done && (!shares || !lock.engine->device->shared->failed)) {
        lava_learning_begin_device(&call->learning, lock.engine, plan);
        status = run_plan(&lock, &call->operation, plan, progress);
        if (lock.engine)
            lava_learning_end_device(&call->learning, lock.engine, plan, status);
    }
    *lost = !lock.engine || lock.engine->device->shared->failed;
    if (status)
        LAVA_LOG(INFO, "product on %s: %s", lock.engine ? lock.engine->capabilities.label : "the device",
                 lava_status_name(status));
    if (lock.engine) {
        lava_idle_touch();
        lava_context_unlock_lane(&lock);
    }
    return status;
}

/* A product whose device failed before anything of C was written goes to another one. There are fewer of
 * them each time. */
enum lava_status lava_device_run(struct lava_call *call, struct lava_plan *plan,
                                 struct lava_progress *progress, bool *lost) {
    for (;;) {
        enum lava_status status = run_once(call, plan, progress, lost);
        bool has_none = status == LAVA_ERROR_UNAVAILABLE && !keeps(&call->operation); /* else not that one */
        if (!*lost || status == LAVA_OK || has_none || lava_context_is_failed() ||
            !lava_device_run_wrote_nothing(&call->operation, progress))
            return status;
        LAVA_LOG(INFO, "another device computes the product");
        if (keeps(&call->operation))
            call->learning.key = 0; /* it takes longer there */
        call->operation = lava_operation_without_residents(&call->operation);
    }
}
