/* Estimates the times of factorizations, and plans their products. The matrix is halved down to blocks that
 * have kernels of their own: factor the first half, solve for the rectangle beside it, subtract a product,
 * factor the second half (lib/engine/device_cholesky.h, device_lu.h). Invariant: a pure function; no estimate
 * is below lava_cost_least_ns. */
#include "dispatch/factorization.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/halving.h"
#include "dispatch/panels.h"
#include "shaders/interface.h"

/* What a column of LU's panels takes, and what comes between two panels, swaps, the solve with one block, a
 * product, with their barriers, as measured on an H200. Cholesky's are halving.h's. */
#define COLUMN_NS  11.5e3 /* with a dispatch of its own */
#define HALVING_NS 35e3
/* LU's matrix is read and written this many times for each halving. With this, the estimates for orders 1024
 * and 8192 are within a tenth of what an H200 took, 12.9 and 119.6 ms. */
#define PASSES_LU 3.5

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
    return lava_halving_product(operation, &sizes, operation->kind == LAVA_OPERATION_CHOLESKY);
}

/* Time of everything whose number does not depend on the rows. Blocks that are the last of a half have no
 * product below them. */
static double cholesky_steps_ns(int64_t blocks) {
    double halvings = (double)blocks - 1, products = 2 * halvings - ceil(log2((double)blocks));
    return (double)blocks * LAVA_HALVING_BLOCK_NS + products * LAVA_HALVING_PRODUCT_NS;
}

/* A halving has one block to solve with, or more: those beyond the first are added. */
static double lu_steps_ns(int64_t columns, int64_t blocks, bool by_columns) {
    int64_t panels = (columns - 1) / LAVA_LU_PANEL + 1,
            more = lava_halving_solve_blocks(blocks) - (blocks - 1);
    return (double)columns * (by_columns ? COLUMN_NS : LAVA_PANELS_COLUMN_NS) +
           (double)(panels - 1) * HALVING_NS + (more > 0 ? lava_solve_blocks_ns(more * LAVA_SOLVE_ORDER) : 0);
}

/* Returns the device's time between the upload and the download. The CPU records ahead of the device. */
static double factor_ns(const struct lava_halving *request, const struct lava_operation *operation,
                        double flops_per_s) {
    const struct lava_panel_sizes first = {LAVA_PANEL_LU, operation->type, operation->m,
                                           lava_minimum(operation->k, LAVA_LU_PANEL)};
    bool is_lu = operation->kind == LAVA_OPERATION_LU,
         by_columns = is_lu && lava_panels_take_columns(request->device, &first);
    int64_t blocks = lava_solve_blocks(operation->k);
    double levels = ceil(log2((double)blocks)) + (is_lu ? 1 : 0);
    double moved_bytes =
        lava_operation_operand_bytes(operation) * levels * (is_lu ? PASSES_LU : LAVA_HALVING_PASSES);
    double compute_ns = 1e9 * lava_operation_flops(operation) / flops_per_s +
                        1e9 * moved_bytes / request->rates.memory_bytes_per_s +
                        (is_lu ? lu_steps_ns(operation->k, blocks, by_columns) : cholesky_steps_ns(blocks));
    double record_ns = 2 * (double)blocks * LAVA_SOLVE_RECORD_NS +
                       (by_columns ? (double)operation->k * LAVA_PANELS_RECORD_NS : 0);
    return fmax(compute_ns, record_ns);
}

/* Plans the largest product beside matrices of so many bytes. *plan keeps what it has of the CPU. */
static enum lava_reason plan_factors(const struct lava_halving *request, uint64_t matrices_bytes,
                                     struct lava_plan *plan) {
    const struct lava_operation *operation = request->operation;
    const struct lava_operation product = largest_product(operation);
    bool has_products = operation->n > LAVA_SOLVE_ORDER || operation->m > LAVA_SOLVE_ORDER;
    enum lava_reason reason = lava_halving_plan(request, &product, has_products, matrices_bytes, plan);
    if (reason == LAVA_REASON_FORCED)
        plan->gpu_ns =
            lava_halving_gpu_ns(request, factor_ns(request, operation, plan->flops_per_s), plan->flops_per_s);
    return reason;
}

/* Plans both solves, after the factorization of the plan where there is one. */
static enum lava_reason plan_sides(const struct lava_halving *request, const struct lava_plan *factors,
                                   struct lava_plan *plan) {
    const struct lava_operation *operation = request->operation;
    const struct lava_operation factorization = lava_operation_without_sides(operation);
    double bytes = lava_trapezoid_bytes(operation->type, operation->n, operation->c.region);
    struct lava_solve_frame frame = {.solves = 2, .upload_bytes = bytes};
    struct lava_operation solves[2];
    if (factors) {
        frame.factor_ns = factor_ns(request, &factorization, factors->flops_per_s);
        frame.factors_bytes = bytes;
    }
    lava_operation_solves(operation, solves);
    enum lava_reason reason = lava_solve_plan_within(&frame, &solves[0], request->device, request->figures,
                                                     &request->overrides, request->plan_product, plan);
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

enum lava_reason lava_factorization_plan(const struct lava_operation *operation,
                                         const struct lava_capabilities *device,
                                         const struct lava_figures *figures,
                                         const struct lava_overrides *overrides,
                                         lava_solve_product *plan_product, struct lava_plan *plan) {
    struct lava_halving request;
    struct lava_plan factors = *plan;
    enum lava_reason reason =
        lava_halving_begin(operation, device, figures, overrides, plan_product, &request);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    if (lava_operation_is_factored(operation))
        return plan_sides(&request, NULL, plan);
    uint64_t bytes = lava_solve_matrix_bytes(device, operation->type, operation->m, operation->n);
    reason = plan_factors(&request, bytes, &factors);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    if (operation->sides.count > 0)
        return plan_both(&request, &factors, plan);
    *plan = factors;
    return LAVA_REASON_FORCED;
}
