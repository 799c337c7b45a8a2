/* Plans factorizations and solves with the factors, and their products. The matrix is halved down to blocks
 * that have kernels of their own: factor the first half, solve for the rectangle beside it, subtract a
 * product, factor the second half (lib/lapack/device_cholesky.h, device_lu.h). Invariant: a pure function; no
 * estimate is below lava_cost_least_ns. */
#include "dispatch/factorization.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/block_columns.h"
#include "dispatch/factor_time.h"
#include "dispatch/halving.h"
#include "shaders/interface.h"

static double solves_flops(const struct lava_operation *operation) {
    double k = (double)operation->k, each = lava_operation_pair_flops(operation);
    return 2 * each * lava_triangle_of(k, k) * (double)operation->sides.count;
}

double lava_factorization_cholesky_flops(const struct lava_operation *operation) {
    double m = (double)operation->m, n = (double)operation->n, k = (double)operation->k;
    double solves = solves_flops(operation);
    if (operation->sides.factored)
        return solves;
    return lava_operation_pair_flops(operation) * lava_triangle_of(m, n) * (k + 2) / 3 + solves;
}

double lava_factorization_lu_flops(const struct lava_operation *operation) {
    double m = (double)operation->m, n = (double)operation->n, k = (double)operation->k;
    double solves = solves_flops(operation);
    if (operation->sides.factored)
        return solves;
    return lava_operation_pair_flops(operation) * k * (m * n - (m + n) * k / 2 + k * k / 3) + solves;
}

int lava_factorization_steps(const struct lava_operation *operation, struct lava_operation *steps) {
    int count = 0;
    if (!operation->sides.factored)
        steps[count++] = lava_operation_without_sides(operation);
    lava_operation_solves(operation, &steps[count]);
    return count + 2;
}

struct lava_read_matrix lava_factorization_reads(const struct lava_operation *operation, int index) {
    return operation->sides.factored ? lava_operation_matrix_read(operation, index)
                                     : (struct lava_read_matrix){0};
}

/* Their kernels need less than those of solves. */
bool lava_factorization_fits(const struct lava_capabilities *device, enum lava_type type) {
    return lava_solve_fits(device, type);
}

/* The rest of the matrix after the first half less what that contributes. */
static struct lava_operation largest_product(const struct lava_operation *operation) {
    int64_t half = lava_halving_half(operation->k);
    const struct lava_halving_sizes sizes = {.m = lava_maximum(operation->m - half, half),
                                             .n = lava_maximum(operation->n - half, half),
                                             .k = half};
    return lava_halving_product(operation, &sizes, !lava_operation_row(operation)->pivots);
}

/* Plans the largest product beside the matrices. *plan keeps what it has of the CPU. */
static enum lava_reason plan_factors(const struct lava_halving *request, uint64_t matrices_bytes,
                                     struct lava_plan *plan) {
    const struct lava_operation *operation = request->operation;
    const struct lava_operation product = largest_product(operation);
    bool has_products = operation->n > LAVA_SOLVE_ORDER || operation->m > LAVA_SOLVE_ORDER;
    enum lava_reason reason = lava_halving_plan(request, &product, has_products, matrices_bytes, plan);
    if (reason == LAVA_REASON_FORCED)
        plan->gpu_ns = lava_halving_gpu_ns(
            request, lava_factor_time_ns(request, operation, plan->flops_per_s), plan->flops_per_s);
    return reason;
}

/* Plans both solves, after the factorization of the plan if there is one. */
static enum lava_reason plan_sides(const struct lava_halving *request, const struct lava_plan *factors,
                                   struct lava_plan *plan) {
    const struct lava_operation *operation = request->operation;
    const struct lava_operation factorization = lava_operation_without_sides(operation);
    double bytes = lava_trapezoid_bytes(operation->type, operation->n, operation->c.region);
    bool stays = lava_operation_has_resident(operation);
    struct lava_solve_frame frame = {.solves = 2, .upload_bytes = stays ? 0 : bytes};
    struct lava_operation solves[2];
    if (factors) {
        frame.factor_ns = lava_factor_time_ns(request, &factorization, factors->flops_per_s);
        frame.factors_bytes = bytes;
    }
    lava_operation_solves(operation, solves);
    solves[0].a.is_resident = stays;
    const struct lava_plan_request one = {&solves[0], request->device, request->figures, &request->overrides,
                                          request->plan_product};
    enum lava_reason reason = lava_solve_plan_within(&frame, &one, plan);
    const struct lava_operation parts = lava_operation_of_parts(operation);
    if (reason == LAVA_REASON_FORCED)
        plan->gpu_ns = fmax(plan->gpu_ns, lava_cost_least_ns(&parts, &request->rates, plan->flops_per_s));
    return reason;
}

/* The chunks are those of the solves; the blocks are those of the product that needs more memory. */
static enum lava_reason plan_both(const struct lava_halving *request, const struct lava_plan *alone,
                                  struct lava_plan *plan) {
    struct lava_plan factors = *alone, solves = *plan;
    enum lava_reason reason = plan_sides(request, alone, &solves);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    uint64_t matrices_bytes = solves.blocking.total_bytes - solves.chunks.product_bytes;
    reason = plan_factors(request, matrices_bytes, &factors);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    bool is_factors_larger = factors.chunks.product_bytes > solves.chunks.product_bytes;
    struct lava_solve_chunks chunks = solves.chunks;
    *plan = is_factors_larger ? factors : solves;
    chunks.product_bytes = plan->chunks.product_bytes;
    plan->chunks = chunks;
    plan->gpu_ns = solves.gpu_ns;
    return LAVA_REASON_FORCED;
}

/* Plans with the whole matrix on the device. */
static enum lava_reason plan_whole(const struct lava_halving *request, struct lava_plan *plan) {
    const struct lava_operation *operation = request->operation;
    struct lava_plan factors = *plan;
    if (operation->sides.factored)
        return plan_sides(request, NULL, plan);
    uint64_t bytes = lava_solve_matrix_bytes(request->device, operation->type, operation->m, operation->n);
    enum lava_reason reason = plan_factors(request, bytes, &factors);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    if (operation->sides.count > 0)
        return plan_both(request, &factors, plan);
    *plan = factors;
    return LAVA_REASON_FORCED;
}

enum lava_reason lava_factorization_plan(const struct lava_plan_request *asked, struct lava_plan *plan) {
    struct lava_halving request;
    enum lava_reason reason = lava_halving_begin(asked, &request);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    reason = asked->overrides->columns_each ? LAVA_REASON_MEMORY : plan_whole(&request, plan);
    return reason == LAVA_REASON_MEMORY ? lava_block_columns_plan(&request, plan) : reason;
}
