/* Cuts operations in fp64 into products for a device that has no kernels for them, because it has no fp64.
 * Called by structured_call.c, triangle_call.c and lib/abi after the device has refused the whole call.
 *
 * lib/host composes each operation of products, by halves, down to small loops. Here the CPU BLAS has help:
 *
 *     large product, or triangle of one   ->  the device, by a call of its own, until it gives one back
 *     small triangle or panel             ->  the CPU's own routine
 *     others, and what either refuses     ->  the next halves, or the loops
 *
 * In mode auto nothing is cut unless the device is estimated to gain by the largest product: the CPU's own
 * routine is faster than its parts. */
#include "lib/blas/by_products.h"

#include "dispatch/arithmetic.h"
#include "lib/blas/parts.h"
#include "lib/host/cpu_help.h"
#include "lib/host/own_routine.h"
#include "lib/offload/context.h"
#include "lib/offload/planning.h"
#include "lib/offload/threshold.h"
#include "lib/offload/ways.h"

/* An order is small if it is a 16th of the whole one: then the CPU has a 16th of the work. It is at least
 * LEAST, because residues gain nothing below, and at most MOST. Starting values. */
#define SMALL_SHARE 16
#define LEAST       64
#define MOST        1024
/* The device is to take at most this share of the CPU's time for the largest product, by the estimates:
 * smaller ones gain less, and parts on the CPU nothing. The CPU has no parts of two products, and most of LU
 * and inverses. From an H200 without its fp64 (doc/notes/fp64-by-integers.md). */
#define SHARE_OF_TWO    0.7
#define SHARE_OF_MOST   0.2
#define SHARE_OF_COSTLY 0.1

struct help {
    struct lava_cpu_help base; /* the first member */
    struct lava_call *call;
    enum lava_reason *reason; /* why the CPU had the last product that was offered */
};

/* Returns the order of the triangle, or of the matrix that is factored or symmetric. */
static int64_t order_of(const struct lava_operation *operation) {
    return operation->c.region != LAVA_REGION_ALL ? operation->n : operation->k;
}

bool lava_by_products_is_small(const struct lava_operation *part, const struct lava_operation *whole) {
    int64_t small = lava_minimum(order_of(whole) / SMALL_SHARE, MOST);
    return order_of(part) <= lava_maximum(LEAST, small);
}

/* Cuts the longer side of C. Returns false if it is too short. */
static bool cut(const struct lava_operation *product, struct lava_operation halves[2]) {
    int64_t m = product->m, n = product->n, half = lava_maximum(m, n) / 2 / LEAST * LEAST;
    if (half == 0 || product->c.region != LAVA_REGION_ALL)
        return false;
    halves[0] =
        m >= n ? lava_operation_block(product, 0, half, 0, n) : lava_operation_block(product, 0, m, 0, half);
    halves[1] = m >= n ? lava_operation_block(product, half, m - half, 0, n)
                       : lava_operation_block(product, 0, m, half, n - half);
    return true;
}

static bool take_product(struct lava_call *call, const struct lava_operation *product,
                         enum lava_reason *reason);

/* Takes halves of a product whose matrices do not fit the device, where residues need them as a whole. The
 * CPU gets the second half if the device does not take that. */
static bool take_halves(struct lava_call *call, const struct lava_operation *product,
                        enum lava_reason *reason) {
    struct lava_operation halves[2];
    *reason = LAVA_REASON_MEMORY;
    if (lava_context_capabilities()->fp64 || !cut(product, halves) || !take_product(call, &halves[0], reason))
        return false;
    if (!take_product(call, &halves[1], reason))
        lava_cpu_blas_run(lava_cpu_blas_get(), &halves[1]);
    return true;
}

/* Returns false if nothing was written, and why. */
static bool take_product(struct lava_call *call, const struct lava_operation *product,
                         enum lava_reason *reason) {
    struct lava_call part = {.routine = call->routine, .valid = true, .operation = *product};
    if (lava_parts_try(call, &part))
        return true;
    *reason = part.reason;
    return part.reason == LAVA_REASON_MEMORY && take_halves(call, product, reason);
}

bool lava_by_products_take_product(struct lava_call *call, const struct lava_operation *product) {
    enum lava_reason reason;
    return take_product(call, product, &reason);
}

/* Returns whether the device has given a product back because of its numbers: those of others are alike. */
static bool is_left(const struct help *help) {
    return *help->reason == LAVA_REASON_LEFT;
}

static bool offer(const struct help *help, const struct lava_operation *product) {
    bool is_small = product->m < LEAST || product->n < LEAST || product->k < LEAST ||
                    lava_threshold_is_below(product, 1) || lava_threshold_only_counts(product);
    return !is_small && !is_left(help) && take_product(help->call, product, help->reason);
}

static bool takes(const struct lava_cpu_help *base, const struct lava_operation *operation, int64_t *info) {
    const struct help *help = (const struct help *)base;
    if (lava_operation_is_plain(operation) && offer(help, operation))
        return true;
    bool is_for_cpu = is_left(help) || lava_by_products_is_small(operation, &help->call->operation);
    return is_for_cpu && lava_own_routine_run(lava_cpu_blas_get(), operation, info);
}

static bool is_inverse(const struct lava_operation *operation) {
    const struct lava_inverse_parts *parts = &lava_operation_row(operation)->inverse;
    return (parts->inverts || parts->squares) && !parts->solves;
}

/* Returns the product between two halves: of LU the update after the first half, of Cholesky what is below
 * the diagonal of that, of an inverse half of what is beside the first half. */
static struct lava_operation largest_of(const struct lava_operation *operation) {
    int64_t half = order_of(operation) / 2;
    const struct lava_kind *row = lava_operation_row(operation);
    struct lava_operation product = {.type = operation->type,
                                     .precision = operation->precision,
                                     .m = operation->m,
                                     .n = operation->n,
                                     .k = operation->k,
                                     .a = {.first = LAVA_PLANNED_A},
                                     .b = {.first = LAVA_PLANNED_B},
                                     .c = {.first = LAVA_PLANNED_C, .type = operation->type},
                                     .alpha.real = 1,
                                     .beta.real = 1};
    if (row->is_product) /* a complex alpha that is not finite has no kernel */
        product.alpha = operation->alpha;
    if (row->has_factors) {
        product.m = operation->sides.factored || row->pivots ? operation->m - half : half / 2;
        product.n = operation->sides.factored ? operation->sides.count : row->pivots ? half : half / 2;
        product.k = half;
    } else if (is_inverse(operation)) {
        product.m = product.n = product.k = half;
    } else if (operation->c.region != LAVA_REGION_ALL) {
        product.m = product.n = half;
    } else if (operation->a.structure != LAVA_STRUCTURE_GENERAL) {
        product.m = product.k = half;
    } else {
        product.n = product.k = half;
    }
    product.a.ld = product.c.ld = lava_maximum(product.m, 1);
    product.b.ld = lava_maximum(product.k, 1);
    return product;
}

static double profitable_share(const struct lava_operation *operation) {
    if (operation->twice)
        return SHARE_OF_TWO;
    bool is_costly = lava_operation_row(operation)->pivots || is_inverse(operation);
    return is_costly ? SHARE_OF_COSTLY : SHARE_OF_MOST;
}

/* Returns whether the plan of the largest product gains enough; if not, plan->reason says why. */
static bool gains(const struct lava_operation *operation, struct lava_plan *plan) {
    bool is_profitable = plan->gpu_ns < profitable_share(operation) * plan->cpu_ns;
    bool is_enough = plan->reason == LAVA_REASON_FORCED || is_profitable;
    if (plan->place == LAVA_PLACE_GPU && !is_enough)
        plan->reason = LAVA_REASON_UNPROFITABLE;
    return plan->place == LAVA_PLACE_GPU && is_enough;
}

/* Returns whether the device, which may have to be prepared, would take the largest product; if not,
 * call->reason says why. */
static bool is_promising(struct lava_call *call) {
    struct lava_call probe = {
        .routine = call->routine, .valid = true, .operation = largest_of(&call->operation)};
    struct lava_plan plan;
    bool is_there = lava_offload_consider(&probe);
    lava_parts_begun(call, &probe);
    call->reason = probe.reason;
    if (!is_there)
        return false;
    lava_planning_choose(&probe.operation, 0, &plan);
    lava_learning_decide(&probe.operation, lava_context_figures(), &plan, &probe.learning);
    bool is_taken = gains(&call->operation, &plan);
    call->reason = plan.reason;
    return is_taken;
}

/* Returns whether a device without fp64 has refused a call in fp64 for this reason. */
static bool is_refused(const struct lava_call *call, enum lava_reason reason) {
    return call->valid && call->reason == reason && lava_type_real(call->operation.type) == LAVA_TYPE_FP64 &&
           !call->operation.series && !lava_context_capabilities()->fp64;
}

/* Returns whether the call has products that a device without fp64 may take. */
static bool suits(const struct lava_call *call) {
    const struct lava_operation *operation = &call->operation;
    if (!is_refused(call, LAVA_REASON_NO_KERNEL))
        return false;
    const struct lava_kind *row = lava_operation_row(operation);
    bool has_products = row->is_product || row->solves || row->has_factors || is_inverse(operation);
    if (!has_products || row->is_vector || lava_operation_is_plain(operation))
        return false;
    const struct lava_operation largest = largest_of(operation);
    return !lava_operation_is_trivial(&largest);
}

/* Returns whether the call is a product that does not fit a device without fp64. */
static bool is_too_large(const struct lava_call *call) {
    return is_refused(call, LAVA_REASON_MEMORY) && lava_operation_is_plain(&call->operation);
}

/* Plans the largest half of a product that fits, or the last one. */
static bool halves_gain(const struct lava_operation *product, struct lava_plan *plan) {
    struct lava_operation part = *product, halves[2];
    lava_planning_choose(&part, 0, plan);
    while (plan->reason == LAVA_REASON_MEMORY && cut(&part, halves)) {
        part = halves[0];
        lava_planning_choose(&part, 0, plan);
    }
    return plan->place == LAVA_PLACE_GPU;
}

void lava_by_products_explain(struct lava_call *call, struct lava_plan *plan) {
    struct lava_plan of_part;
    bool is_cut;
    if (is_too_large(call)) {
        is_cut = halves_gain(&call->operation, &of_part);
    } else if (suits(call)) {
        const struct lava_operation largest = largest_of(&call->operation);
        lava_planning_choose(&largest, 0, &of_part);
        is_cut = gains(&call->operation, &of_part);
    } else {
        return;
    }
    call->place = plan->place = is_cut ? LAVA_PLACE_GPU : LAVA_PLACE_CPU;
    call->reason = plan->reason = is_cut ? LAVA_REASON_PRODUCTS : of_part.reason;
}

static void take_parts(struct lava_call *call, enum lava_reason *reason) {
    const struct lava_operation *operation = &call->operation;
    call->learning = (struct lava_learning){0}; /* on both sides */
    const struct help help = {.base.takes = takes, .call = call, .reason = reason};
    struct lava_cpu_blas blas = *lava_cpu_blas_get();
    blas.help = &help.base;
    lava_cpu_finish *finish = lava_ways_of(operation)->finish;
    if (finish)
        call->info = finish(&blas, operation, (struct lava_cpu_done){0});
    else
        lava_cpu_blas_run(&blas, operation);
    call->reason = call->place == LAVA_PLACE_CPU ? *reason : LAVA_REASON_PRODUCTS;
}

bool lava_by_products_take(struct lava_call *call) {
    enum lava_reason reason = LAVA_REASON_UNPROFITABLE;
    if (is_too_large(call)) {
        call->learning = (struct lava_learning){0}; /* on both sides */
        bool is_taken = take_halves(call, &call->operation, &reason);
        call->reason = is_taken ? LAVA_REASON_PRODUCTS : LAVA_REASON_MEMORY;
        return is_taken;
    }
    if (!suits(call) || !is_promising(call))
        return false;
    take_parts(call, &reason);
    return true;
}
