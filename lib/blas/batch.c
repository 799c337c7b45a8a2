/* Computes a batch on the device, with one decision for the whole batch. Called by lib/abi. */
#include "lib/blas/batch.h"

#include <stdlib.h>

#include "dispatch/batches.h"
#include "dispatch/sharing.h"
#include "lib/base/log.h"
#include "lib/offload/context.h"
#include "lib/offload/crew.h"
#include "lib/offload/further.h"
#include "lib/offload/idle.h"
#include "lib/offload/steps.h"

struct lava_operation lava_batch_product(const struct lava_batch *batch, int64_t i) {
    return lava_operation_of_series(&batch->operation, &batch->series, i);
}

/* The addresses of all A, all B or all C of a batch. */
struct places {
    const void *first;
    const void *const *pointers;
    int64_t stride;  /* bytes */
    uintptr_t bytes; /* of one matrix, from its first byte past its last */
};

static struct places places_of(const void *first, const void *const *pointers, int64_t stride, int64_t rows,
                               int64_t columns, int64_t ld, enum lava_type type) {
    int64_t bytes = (int64_t)lava_type_bytes(type);
    return (struct places){first, pointers, stride * bytes, (uintptr_t)(((columns - 1) * ld + rows) * bytes)};
}

static uintptr_t place(const struct places *places, int64_t i) {
    return places->pointers ? (uintptr_t)places->pointers[i]
                            : (uintptr_t)places->first + (uintptr_t)(i * places->stride);
}

static int by_address(const void *a, const void *b) {
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

/* Returns whether all the matrices lie before `first`, or at or after `end`. */
static bool is_apart(const struct places *places, uintptr_t first, uintptr_t end, int64_t count) {
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (int64_t i = 0; i < count; i++) {
        uintptr_t begin = place(places, i);
        low = begin < low ? begin : low;
        high = begin + places->bytes > high ? begin + places->bytes : high;
    }
    return high <= first || end <= low;
}

/* Returns whether one of the matrices shares a byte with one of `count` blocks of c_bytes in ascending
 * order. */
static bool meets(const struct places *places, const uintptr_t *c, uintptr_t c_bytes, int64_t count) {
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): there are blocks */
    if (is_apart(places, c[0], c[count - 1] + c_bytes, count))
        return false;
    for (int64_t i = 0; i < count; i++) {
        uintptr_t begin = place(places, i), end = begin + places->bytes;
        int64_t low = 0, high = count; /* search for the first block that ends after begin */
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (c[middle] + c_bytes <= begin)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < count && c[low] < end)
            return true;
    }
    return false;
}

/* Returns whether a product's C shares memory with another product's C or with an operand. Results are
 * written back while later products are read, so the order of the products would then show. Returns true if
 * there is no memory to find out. */
static bool shares_memory(const struct lava_batch *batch) {
    const struct lava_operation *p = &batch->operation;
    const struct places a = places_of(p->a.first, batch->series.a, batch->series.stride_a,
                                      lava_operation_rows_a(p), lava_operation_columns_a(p), p->a.ld,
                                      p->type),
                        b = places_of(p->b.first, batch->series.b, batch->series.stride_b,
                                      lava_operation_rows_b(p), lava_operation_columns_b(p), p->b.ld,
                                      p->type),
                        c = places_of(p->c.first, (const void *const *)batch->series.c,
                                      batch->series.stride_c, p->m, p->n, p->c.ld, p->c.type);
    uintptr_t *sorted = malloc((size_t)batch->series.count * sizeof *sorted);
    if (!sorted)
        return true;
    bool ascending = true, shared = false;
    for (int64_t i = 0; i < batch->series.count; i++) {
        sorted[i] = place(&c, i);
        ascending = ascending && (i == 0 || sorted[i - 1] <= sorted[i]);
    }
    if (!ascending)
        qsort(sorted, (size_t)batch->series.count, sizeof *sorted, by_address);
    for (int64_t i = 1; i < batch->series.count && !shared; i++)
        shared = sorted[i] - sorted[i - 1] < c.bytes;
    shared = shared || meets(&a, sorted, c.bytes, batch->series.count) ||
             meets(&b, sorted, c.bytes, batch->series.count);
    free(sorted);
    return shared;
}

struct attempt {
    const struct lava_batch *batch;
    int64_t finished;
};

static void choose(const struct lava_operation *operation, uint64_t memory_bytes, struct lava_plan *plan) {
    lava_batches_choose(operation, lava_context_capabilities(), lava_context_figures(),
                        lava_config_get()->mode, memory_bytes, plan);
}

/* Runs the plan. If the device has less memory than it said, that of other lanes is freed, the product moves
 * to the first lane, or it is planned with smaller blocks. */
static enum lava_status run_plan(struct lava_lane_lock *lock, const struct lava_operation *operation,
                                 struct lava_plan *plan, int64_t *finished) {
    struct lava_progress progress;
    uint64_t memory_bytes = plan->blocking.total_bytes;
    for (;;) {
        enum lava_status status = lava_runner_run(lock->engine, operation, plan, &progress, NULL);
        *finished = progress.products;
        if (status != LAVA_ERROR_DEVICE_MEMORY || *finished > 0 || lock->engine->device->shared->failed)
            return status;
        if (lava_context_find_memory(lock))
            continue;
        if (!lock->engine)
            return status;
        memory_bytes /= 2;
        choose(operation, memory_bytes, plan);
        if (plan->place != LAVA_PLACE_GPU)
            return status;
    }
}

/* Runs the plan on one device, or with several where they gain. *lost: the one has failed. */
static enum lava_status run_once(struct lava_call *call, const struct lava_operation *operation,
                                 struct lava_plan *plan, int64_t *finished, bool *lost) {
    struct lava_lane_lock lock;
    struct lava_plan shared;
    uint64_t needs = lava_steps_needs(operation);
    bool shares = lava_sharing_plan(operation, lava_context_capabilities(), lava_context_figures(), plan,
                                    lava_context_devices(), &shared);
    enum lava_status status = LAVA_OK;
    bool is_untouched = true;
    *lost = true;
    if (shares)
        lava_further_want(needs, shared.engines - 1, lava_config_get()->init_sync);
    if (!lava_further_take(plan->blocking.total_bytes, needs, &lock)) {
        call->reason = LAVA_REASON_FAILED;
        return LAVA_ERROR_UNAVAILABLE;
    }
    if (shares)
        status = lava_crew_run(operation, &shared, needs, &lock, &call->learning, &is_untouched);
    if (!is_untouched) {
        *finished = operation->series->count;
    } else if (!shares || !lock.engine->device->shared->failed) {
        lava_learning_begin_device(&call->learning, lock.engine, plan);
        status = run_plan(&lock, operation, plan, finished);
        if (lock.engine)
            lava_learning_end_device(&call->learning, lock.engine, plan, status);
    }
    *lost = !lock.engine || lock.engine->device->shared->failed;
    if (lock.engine) {
        lava_idle_touch();
        lava_context_unlock_lane(&lock);
    }
    if (status) {
        call->reason = LAVA_REASON_FAULT;
        LAVA_LOG(INFO, "batch on the device: %s", lava_status_name(status));
    }
    return status;
}

/* A batch whose device failed before anything was written goes to another one; else the CPU computes the
 * rest. There are fewer devices each time. */
static enum lava_status run(struct lava_call *call, const struct lava_operation *operation,
                            struct lava_plan *plan, int64_t *finished) {
    enum lava_status status;
    bool lost;
    do
        status = run_once(call, operation, plan, finished, &lost);
    while (status && status != LAVA_ERROR_UNAVAILABLE && lost && *finished == 0 && !lava_context_is_failed());
    if (!status)
        call->reason = plan->reason;
    return status;
}

static bool try_device(struct lava_call *call, void *context) {
    struct attempt *attempt = context;
    const struct lava_batch *batch = attempt->batch;
    struct lava_operation operation = batch->operation;
    struct lava_plan plan;
    operation.series = &batch->series;
    choose(&operation, 0, &plan);
    lava_learning_decide(&operation, lava_context_figures(), &plan, &call->learning);
    call->reason = plan.reason;
    if (plan.place != LAVA_PLACE_GPU)
        return false;
    if (shares_memory(batch)) {
        call->reason = LAVA_REASON_OVERLAP;
        return false;
    }
    if (run(call, &operation, &plan, &attempt->finished))
        return false;
    call->place = LAVA_PLACE_GPU;
    return true;
}

int64_t lava_batch_run(struct lava_call *call, const struct lava_batch *batch) {
    struct attempt attempt = {.batch = batch};
    call->operation = batch->operation;
    call->valid = true;
    call->products = batch->series.count;
    lava_offload_begin_by(call, try_device, &attempt);
    return attempt.finished;
}
