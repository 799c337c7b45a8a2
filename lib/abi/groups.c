/* Makes products of a batch's arguments. Called by lib/abi/batch.
 *
 * A group is offered to the device, first as a whole (lib/blas/batch), then its products one by one. If the
 * device takes none and nothing has been written, the whole call goes to the CPU's routine of the same name.
 * Its threads share out small products better than one ?gemm after the other. For this reason, with several
 * groups none is begun before the policy was asked about all of them. */
#include "lib/abi/groups.h"

#include "dispatch/batches.h"
#include "lib/abi/arguments.h"
#include "lib/abi/validate.h"
#include "lib/abi/xerbla.h"
#include "lib/base/config.h"
#include "lib/blas/batch.h"
#include "lib/blas/parts.h"
#include "lib/host/cpu_blas.h"
#include "lib/offload/context.h"
#include "lib/offload/threshold.h"

static int64_t integer_at(bool is_ilp64, const void *integers, int64_t at) {
    return is_ilp64 ? ((const int64_t *)integers)[at] : ((const int *)integers)[at];
}

double lava_groups_work(bool is_ilp64, int64_t count, const void *sizes, const void *m, const void *n,
                        const void *k) {
    double work = 0;
    for (int64_t i = 0; i < count; i++)
        work += (double)integer_at(is_ilp64, sizes, i) * (double)integer_at(is_ilp64, m, i) *
                (double)integer_at(is_ilp64, n, i) * (double)integer_at(is_ilp64, k, i);
    return work;
}

/* The next group, and the number of products before it. */
struct place {
    int64_t group, first;
};

/* A group, with matrices in the caller's order. */
struct group {
    int transa, transb;
    struct lava_operation numbers;
    int64_t count, stride_a, stride_b, stride_c;
    const void *const *a, *const *b, *const *c; /* NULL: strided */
};

static int operation_at(const struct lava_groups_arguments *x, const void *operations, int64_t at) {
    bool fortran = lava_routine_row(x->routine)->convention == LAVA_CONVENTION_FORTRAN;
    return fortran ? ((const char *)operations)[at] : ((const int *)operations)[at];
}

static void read_matrices(const struct lava_groups_arguments *x, int64_t first, struct group *group) {
    bool is_ilp64 = lava_routine_row(x->routine)->is_ilp64;
    if (lava_routine_row(x->routine)->family == LAVA_FAMILY_BATCH) {
        group->a = (const void *const *)x->a + first;
        group->b = (const void *const *)x->b + first;
        group->c = (const void *const *)x->c + first;
    } else {
        group->numbers.a.first = x->a;
        group->numbers.b.first = x->b;
        group->numbers.c.first = (void *)x->c;
        group->stride_a = integer_at(is_ilp64, x->stride_a, 0);
        group->stride_b = integer_at(is_ilp64, x->stride_b, 0);
        group->stride_c = integer_at(is_ilp64, x->stride_c, 0);
    }
}

static struct group read_group(const struct lava_groups_arguments *x, const struct place *place) {
    bool is_ilp64 = lava_routine_row(x->routine)->is_ilp64;
    int64_t at = place->group;
    struct group group = {.transa = operation_at(x, x->transa, at),
                          .transb = operation_at(x, x->transb, at),
                          .numbers = {.type = lava_routine_type(x->routine),
                                      .c.type = lava_routine_type_c(x->routine),
                                      .m = integer_at(is_ilp64, x->m, at),
                                      .n = integer_at(is_ilp64, x->n, at),
                                      .k = integer_at(is_ilp64, x->k, at),
                                      .a.ld = integer_at(is_ilp64, x->lda, at),
                                      .b.ld = integer_at(is_ilp64, x->ldb, at),
                                      .c.ld = integer_at(is_ilp64, x->ldc, at)},
                          .count = integer_at(is_ilp64, x->sizes, at)};
    return group;
}

static struct lava_validate_list list_of(const struct lava_groups_arguments *x, const struct group *group) {
    return (struct lava_validate_list){.routine = x->routine,
                                       .layout = x->layout,
                                       .transa = group->transa,
                                       .transb = group->transb,
                                       .numbers = &group->numbers};
}

/* Translates a group into a batch. A row-major product is that of the exchanged operands. Returns false if an
 * argument is invalid. */
static bool translate(const struct lava_groups_arguments *x, const struct place *place,
                      struct lava_batch *batch) {
    enum { ROW_MAJOR = 101 };
    const struct lava_routine_row *row = lava_routine_row(x->routine);
    bool fortran = row->convention == LAVA_CONVENTION_FORTRAN;
    int64_t scalar_bytes = (int64_t)lava_type_bytes(row->scalar);
    struct lava_operation *operation = &batch->operation;
    struct group group = read_group(x, place);
    if (group.count < 0)
        return false;
    if (group.count > 0)
        read_matrices(x, place->first, &group);
    const struct lava_validate_list list = list_of(x, &group);
    if (!lava_validate_translate(&list, operation))
        return false;
    bool swapped = !fortran && x->layout == ROW_MAJOR;
    operation->alpha =
        lava_arguments_read_scalar(row->scalar, (const char *)x->alpha + scalar_bytes * place->group);
    operation->beta =
        lava_arguments_read_scalar(row->scalar, (const char *)x->beta + scalar_bytes * place->group);
    batch->series.count = group.count;
    batch->series.stride_a = swapped ? group.stride_b : group.stride_a;
    batch->series.stride_b = swapped ? group.stride_a : group.stride_b;
    batch->series.stride_c = group.stride_c;
    batch->series.a = swapped ? group.b : group.a;
    batch->series.b = swapped ? group.a : group.b;
    batch->series.c = (void *const *)group.c;
    return true;
}

/* Reads the next group that has products. Returns false if there is none. All groups must be valid. */
static bool next_group(const struct lava_groups_arguments *x, struct place *place, struct lava_batch *batch) {
    while (place->group < x->count) {
        translate(x, place, batch);
        place->group++;
        place->first += batch->series.count;
        if (batch->series.count > 0)
            return true;
    }
    return false;
}

static void run_on_cpu(const struct lava_batch *batch) {
    for (int64_t i = 0; i < batch->series.count; i++) {
        const struct lava_operation product = lava_batch_product(batch, i);
        lava_cpu_blas_run(lava_cpu_blas_get(), &product);
    }
}

static double work_of(const struct lava_operation *operation) {
    return lava_operation_is_trivial(operation)
               ? 0
               : (double)operation->m * (double)operation->n * (double)operation->k;
}

/* Returns whether the work is so little that no device is asked. */
static bool is_below_cutoff(const struct lava_operation *operation, int64_t products) {
    double work = work_of(operation) * (double)products;
    return work == 0 || (lava_config_get()->mode != LAVA_MODE_GPU && work < lava_threshold_cutoff());
}

static bool device_takes(struct lava_call *call, const struct lava_batch *batch, int64_t i) {
    struct lava_call part = {
        .routine = call->routine, .valid = true, .operation = lava_batch_product(batch, i)};
    return !is_below_cutoff(&part.operation, 1) && lava_parts_try(call, &part);
}

/* Computes the group if the device takes the batch or its first product. Returns false if nothing was
 * written. */
static bool offer(struct lava_call *call, const struct lava_batch *batch) {
    int64_t finished = 0;
    if (is_below_cutoff(&batch->operation, batch->series.count))
        return false;
    if (batch->series.count > 1) {
        struct lava_call part = {.routine = call->routine};
        finished = lava_batch_run(&part, batch);
        lava_parts_begun(call, &part);
    }
    if (finished == 0) {
        if (!device_takes(call, batch, 0))
            return false;
        finished = 1;
    }
    for (; finished < batch->series.count; finished++)
        if (!device_takes(call, batch, finished)) {
            const struct lava_operation product = lava_batch_product(batch, finished);
            lava_cpu_blas_run(lava_cpu_blas_get(), &product);
        }
    return true;
}

/* Returns whether the device would take a group or its first product. If not, *reason says why. */
static bool is_promising(const struct lava_batch *batch, enum lava_reason *reason) {
    const struct lava_capabilities *device = lava_context_capabilities();
    const struct lava_figures *figures = lava_context_figures();
    const struct lava_overrides none = {0};
    struct lava_operation product = lava_batch_product(batch, 0);
    enum lava_mode mode = lava_config_get()->mode;
    struct lava_plan together, alone;
    if (is_below_cutoff(&product, batch->series.count))
        return false;
    if (batch->series.count > 1) {
        product.series = &batch->series;
        lava_batches_choose(&product, device, figures, mode, 0, &together);
        product.series = NULL;
        *reason = together.reason;
        if (together.place == LAVA_PLACE_GPU)
            return true;
    }
    if (is_below_cutoff(&product, 1))
        return false;
    lava_policy_choose(&product, device, figures, mode, &none, &alone);
    *reason = alone.reason;
    return alone.place == LAVA_PLACE_GPU;
}

struct look {
    const struct lava_groups_arguments *arguments;
    bool promising;
};

/* Asks the policy about all groups. Writes nothing. */
static bool look(struct lava_call *call, void *context) {
    struct look *found = context;
    struct place place = {0};
    struct lava_batch batch;
    call->reason = LAVA_REASON_CUTOFF;
    while (!found->promising && next_group(found->arguments, &place, &batch)) {
        batch.operation.precision = call->operation.precision;
        found->promising = is_promising(&batch, &call->reason);
    }
    return false;
}

/* Returns the first invalid argument in Fortran's count, LAVA_VALIDATE_LAYOUT, or 0 if all are valid. */
static int find_wrong(const struct lava_groups_arguments *x) {
    /* by ?gemm's count; ?gemm_batch_strided has the strides between ?gemm's arguments */
    static const int strided[14] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13, 14, 15};
    bool is_strided = lava_routine_row(x->routine)->family == LAVA_FAMILY_STRIDED;
    if (x->count < 0)
        return 14;
    for (struct place place = {0}; place.group < x->count; place.group++) {
        const struct group group = read_group(x, &place);
        const struct lava_validate_list list = list_of(x, &group);
        int number = lava_validate_find(&list);
        if (number)
            return number < 0 || !is_strided ? number : strided[number];
        if (group.count < 0)
            return is_strided ? 17 : 15;
    }
    return 0;
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
    struct place place = {0};
    struct lava_batch batch;
    double most = -1, all = 0;
    for (; next_group(x, &place, &batch); total.groups++) {
        double work = work_of(&batch.operation) * (double)batch.series.count;
        all += work;
        if (work > most) {
            total.largest = batch;
            most = work;
        }
    }
    total.products = most > 0 ? (int64_t)(all / work_of(&total.largest.operation) + 0.5) : place.first;
    return total;
}

/* Runs the groups in order, because a group may read what an earlier one wrote. */
static bool run_groups(const struct lava_groups_arguments *arguments, struct lava_call *call) {
    struct look found = {.arguments = arguments};
    struct place place = {0};
    struct lava_batch batch;
    lava_offload_begin_by(call, look, &found);
    if (!found.promising)
        return false;
    while (next_group(arguments, &place, &batch))
        if (!offer(call, &batch))
            run_on_cpu(&batch);
    return true;
}

bool lava_groups_begin(const struct lava_groups_arguments *arguments, struct lava_call *call) {
    struct total total;
    bool wrote;
    *call = (struct lava_call){.routine = arguments->routine};
    lava_offload_open();
    if (find_wrong(arguments))
        return lava_offload_begin(call);
    total = sum_up(arguments);
    call->valid = true;
    call->operation = total.groups > 0 ? lava_batch_product(&total.largest, 0) : total.largest.operation;
    call->products = total.products;
    wrote = total.groups == 1 ? offer(call, &total.largest) : run_groups(arguments, call);
    if (call->start_ns == 0) { /* no device was asked */
        struct look none = {.arguments = arguments};
        lava_offload_begin_by(call, look, &none);
    }
    return wrote;
}

void lava_groups_compute(const struct lava_groups_arguments *arguments) {
    struct place place = {0};
    struct lava_batch batch;
    int wrong = find_wrong(arguments);
    if (wrong) {
        lava_xerbla_counted(arguments->routine, wrong);
        return;
    }
    while (next_group(arguments, &place, &batch))
        run_on_cpu(&batch);
}
