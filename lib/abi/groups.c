/* Computes ?gemm_batch, ?syrk_batch and ?trsm_batch. Called by the entry points of lib/abi.
 *
 * A group is offered to the device, first as a whole, as one operation with a series, then its operations one
 * by one, each as a call of its own would be. If the device takes none and nothing has been written, the
 * whole call goes to the CPU's routine of the same name. Its threads share out small operations better than
 * one ?gemm after the other. For this reason, with several groups none is begun before the policy was asked
 * about all of them. */
#include "lib/abi/groups.h"

#include <fenv.h>

#include "lib/abi/xerbla.h"
#include "lib/base/config.h"
#include "lib/blas/parts.h"
#include "lib/blas/structured_call.h"
#include "lib/blas/triangle_call.h"
#include "lib/host/cpu_blas.h"
#include "lib/offload/planning.h"
#include "lib/offload/threshold.h"

/* If nothing is multiplied and beta = 1, the reference does not touch C. */
static void run_on_cpu(const struct lava_batch *batch, int64_t i) {
    const struct lava_operation one = lava_operation_of_series(&batch->operation, &batch->series, i);
    if (!lava_operation_is_trivial(&one) || one.beta.real != 1 || one.beta.imaginary != 0)
        lava_cpu_blas_run(lava_cpu_blas_get(), &one);
}

static void run_group_on_cpu(const struct lava_batch *batch) {
    for (int64_t i = 0; i < batch->series.count; i++)
        run_on_cpu(batch, i);
}

static double work_of(const struct lava_operation *operation, int64_t products) {
    return lava_operation_is_trivial(operation) ? 0 : lava_operation_work_of(operation, products);
}

/* Returns whether the work is so little that no device is asked. */
static bool is_below_cutoff(const struct lava_operation *operation, int64_t products) {
    double work = work_of(operation, products);
    return work == 0 || (lava_config_get()->mode != LAVA_MODE_GPU && work < lava_threshold_cutoff());
}

/* Begins it as the routine for one of them does. */
static bool begin_one(struct lava_call *call) {
    if (lava_operation_row(&call->operation)->solves)
        return lava_structured_begin(call);
    return call->operation.c.region == LAVA_REGION_ALL ? lava_offload_begin(call) : lava_triangle_begin(call);
}

/* If the device has no way to compute a group together, the reason is that of its first product. */
static void set_reason_alone(enum lava_reason *reason, enum lava_reason alone) {
    if (*reason == LAVA_REASON_NO_KERNEL)
        *reason = alone;
}

static bool device_takes(struct lava_call *call, const struct lava_batch *batch, int64_t i) {
    struct lava_call part = {.routine = call->routine,
                             .valid = true,
                             .operation = lava_operation_of_series(&batch->operation, &batch->series, i)};
    bool is_small = is_below_cutoff(&part.operation, 1), finished = !is_small && begin_one(&part);
    if (!is_small)
        lava_parts_begun(call, &part);
    set_reason_alone(&call->reason, is_small ? LAVA_REASON_CUTOFF : part.reason);
    return finished;
}

/* Computes the group if the device takes the batch or its first product. Returns false if nothing was
 * written. */
static bool offer(struct lava_call *call, const struct lava_batch *batch) {
    if (is_below_cutoff(&batch->operation, batch->series.count))
        return false;
    if (batch->series.count > 1) {
        struct lava_call part = {.routine = call->routine,
                                 .valid = true,
                                 .operation = batch->operation,
                                 .products = batch->series.count};
        part.operation.series = &batch->series;
        if (lava_parts_try(call, &part))
            return true;
    }
    if (!device_takes(call, batch, 0))
        return false;
    for (int64_t i = 1; i < batch->series.count; i++)
        if (!device_takes(call, batch, i))
            run_on_cpu(batch, i);
    return true;
}

/* Returns whether the device would take a group or its first product, or halves of it. If not, *reason says
 * why. */
static bool is_promising(const struct lava_batch *batch, enum lava_reason *reason) {
    struct lava_operation product = lava_operation_of_series(&batch->operation, &batch->series, 0);
    struct lava_plan together, alone;
    if (is_below_cutoff(&product, batch->series.count))
        return false;
    if (batch->series.count > 1) {
        product.series = &batch->series;
        lava_planning_choose(&product, 0, &together);
        product.series = NULL;
        *reason = together.reason;
        if (together.place == LAVA_PLACE_GPU)
            return true;
    }
    if (is_below_cutoff(&product, 1)) {
        set_reason_alone(reason, LAVA_REASON_CUTOFF);
        return false;
    }
    lava_planning_choose(&product, 0, &alone);
    *reason = alone.reason;
    return alone.place == LAVA_PLACE_GPU ||
           (alone.reason == LAVA_REASON_MEMORY && lava_operation_has_halves(&product));
}

/* Asks the policy about all groups. Writes nothing. The caller's floating-point environment stays. */
static bool are_promising(const struct lava_groups_arguments *arguments, struct lava_call *call) {
    struct lava_group_reader reader = {0};
    struct lava_batch batch;
    bool is_promising_one = false;
    fenv_t callers;
    fegetenv(&callers);
    fesetenv(FE_DFL_ENV);
    call->reason = LAVA_REASON_CUTOFF;
    while (!is_promising_one && lava_group_reader_next(arguments, &reader, &batch)) {
        batch.operation.precision = call->operation.precision;
        is_promising_one = is_promising(&batch, &call->reason);
    }
    fesetenv(&callers);
    return is_promising_one;
}

/* Stands for the whole call: a product of the group with the most work, and how many such products have as
 * much work as all groups together. */
struct total {
    int64_t groups; /* groups that have products */
    struct lava_batch largest;
    int64_t products;
};

static struct total sum_up(const struct lava_groups_arguments *x) {
    struct total total = {.largest.operation.type = lava_routine_type(x->routine)};
    struct lava_group_reader reader = {0};
    struct lava_batch batch;
    double most = -1, all = 0;
    for (; lava_group_reader_next(x, &reader, &batch); total.groups++) {
        double work = work_of(&batch.operation, batch.series.count);
        all += work;
        if (work > most) {
            total.largest = batch;
            most = work;
        }
    }
    total.products =
        most > 0 ? (int64_t)(all / most * (double)total.largest.series.count + 0.5) : reader.first;
    return total;
}

/* Runs the groups in order, because a group may read what an earlier one wrote. */
static bool run_groups(const struct lava_groups_arguments *arguments, struct lava_call *call) {
    struct lava_group_reader reader = {0};
    struct lava_batch batch;
    if (!lava_offload_consider(call) || !are_promising(arguments, call))
        return false;
    while (lava_group_reader_next(arguments, &reader, &batch))
        if (!offer(call, &batch))
            run_group_on_cpu(&batch);
    return true;
}

bool lava_groups_begin(const struct lava_groups_arguments *arguments, struct lava_call *call) {
    struct total total;
    bool wrote;
    *call = (struct lava_call){.routine = arguments->routine};
    lava_offload_open();
    if (lava_group_reader_find_wrong(arguments))
        return lava_offload_begin(call);
    total = sum_up(arguments);
    call->valid = true;
    call->operation = total.groups > 0
                          ? lava_operation_of_series(&total.largest.operation, &total.largest.series, 0)
                          : total.largest.operation;
    call->products = total.products;
    wrote = total.groups == 1 ? offer(call, &total.largest) : run_groups(arguments, call);
    if (call->start_ns == 0 && lava_offload_consider(call)) /* no device was asked */
        are_promising(arguments, call);
    return wrote;
}

void lava_groups_compute(const struct lava_groups_arguments *arguments) {
    struct lava_group_reader reader = {0};
    struct lava_batch batch;
    int wrong = lava_group_reader_find_wrong(arguments);
    if (wrong) {
        lava_xerbla_counted(arguments->routine, wrong);
        return;
    }
    while (lava_group_reader_next(arguments, &reader, &batch))
        run_group_on_cpu(&batch);
}
