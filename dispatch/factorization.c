/* Estimates the times of factorizations, and plans their products. The matrix is halved down to blocks that
 * have kernels of their own: factor the first half, solve for the rectangle beside it, subtract a product,
 * factor the second half (lib/engine/device_cholesky.h, device_lu.h). Invariant: a pure function; no estimate
 * is below lava_cost_least_ns. */
#include "dispatch/factorization.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/cost.h"
#include "dispatch/panels.h"
#include "shaders/interface.h"

/* What the parts of a factorization take, with their barriers, as measured on an H200 (fp32; fp64 takes 1.1
 * to 1.4 times as long): a block of Cholesky's and the solve below it, a product, a column of LU's panels,
 * and what comes between two panels: swaps, the solve with one block, a product. */
#define BLOCK_NS   97e3
#define PRODUCT_NS 43e3
#define COLUMN_NS  11.5e3 /* with a dispatch of its own */
#define HALVING_NS 35e3
/* The matrix is read and written this many times for each halving. With these, the estimates for orders 1024
 * and 8192 are within a tenth of what an H200 took: Cholesky 1.3 and 17.0 ms, LU 12.9 and 119.6 ms. */
#define PASSES_CHOLESKY 13
#define PASSES_LU       3.5
/* Time of a column where a panel is one dispatch (panels.h). A starting value: no GPU has been measured. */
#define COLUMN_TOGETHER_NS 6e3
/* Time of recording a column of LU's panels that has a dispatch. */
#define RECORD_COLUMN_NS 2e3

/* Their kernels need less than that for solves. */
bool lava_factorization_fits(const struct lava_capabilities *device, enum lava_type type) {
    return lava_solve_fits(device, type);
}

/* The rest of the matrix after the first half less what that contributes. Addresses that do not overlap;
 * nothing is read. */
static struct lava_operation largest_product(const struct lava_operation *operation) {
    int64_t half = lava_blocking_padded((operation->k + 1) / 2, LAVA_SOLVE_ORDER);
    bool is_complex = lava_type_is_complex(operation->type),
         is_upper = operation->c.region == LAVA_REGION_UPPER;
    const struct lava_operand plain = {.first = (const void *)(uintptr_t)(1ull << 44), .ld = operation->m};
    struct lava_operand other = {.first = (const void *)(uintptr_t)(1ull << 45), .ld = operation->m};
    if (operation->kind == LAVA_OPERATION_CHOLESKY) {
        other.op = LAVA_OP_T;
        other.conjugate = is_complex;
    }
    return (struct lava_operation){.type = operation->type,
                                   .precision = operation->precision,
                                   .m = lava_maximum(operation->m - half, half),
                                   .n = lava_maximum(operation->n - half, half),
                                   .k = half,
                                   .a = is_upper ? other : plain,
                                   .b = is_upper ? plain : other,
                                   .c = {.first = (void *)(uintptr_t)(1ull << 46),
                                         .ld = operation->m,
                                         .type = operation->type,
                                         .region = operation->c.region,
                                         .real_diagonal = operation->c.real_diagonal},
                                   .alpha.real = -1,
                                   .beta.real = 1,
                                   .on_device = true};
}

/* Blocks of the diagonal that all solves of LU together have: half of them at every halving. */
static int64_t solve_blocks_of(int64_t blocks) {
    int64_t sum = 0;
    for (int64_t half = blocks / 2; half > 0; half /= 2)
        sum += blocks / 2;
    return sum;
}

/* What all plans of a call share. */
struct request {
    const struct lava_operation *operation;
    const struct lava_capabilities *device;
    const struct lava_figures *figures;
    struct lava_overrides overrides; /* memory_bytes is the limit for everything */
    lava_solve_product *plan_product;
    struct lava_rates rates;
};

/* Time of everything whose number does not depend on the rows. Blocks that are the last of a half have no
 * product below them. */
static double cholesky_steps_ns(int64_t blocks) {
    double halvings = (double)blocks - 1, products = 2 * halvings - ceil(log2((double)blocks));
    return (double)blocks * BLOCK_NS + products * PRODUCT_NS;
}

/* Whether LU's columns have dispatches of their own, while there are many rows. */
static bool takes_columns(const struct request *request, const struct lava_operation *operation) {
    const struct lava_panel_choice free_choice = {0};
    return operation->kind == LAVA_OPERATION_LU &&
           lava_panels_form(request->device, operation->type, operation->m,
                            lava_minimum(operation->k, LAVA_LU_PANEL), false,
                            &free_choice) == LAVA_PANEL_COLUMNS;
}

/* A halving has one block to solve with, or more: those beyond the first are added. */
static double lu_steps_ns(int64_t columns, int64_t blocks, bool by_columns) {
    int64_t panels = (columns - 1) / LAVA_LU_PANEL + 1, more = solve_blocks_of(blocks) - (blocks - 1);
    return (double)columns * (by_columns ? COLUMN_NS : COLUMN_TOGETHER_NS) +
           (double)(panels - 1) * HALVING_NS + (more > 0 ? lava_solve_blocks_ns(more * LAVA_SOLVE_ORDER) : 0);
}

/* Returns the device's time between the upload and the download. The CPU records ahead of the device. */
static double factor_ns(const struct request *request, const struct lava_operation *operation,
                        double flops_per_s) {
    bool is_lu = operation->kind == LAVA_OPERATION_LU, by_columns = takes_columns(request, operation);
    int64_t blocks = lava_solve_blocks(operation->k);
    double levels = ceil(log2((double)blocks)) + (is_lu ? 1 : 0);
    double moved_bytes =
        lava_operation_operand_bytes(operation) * levels * (is_lu ? PASSES_LU : PASSES_CHOLESKY);
    double compute_ns = 1e9 * lava_operation_flops(operation) / flops_per_s +
                        1e9 * moved_bytes / request->rates.memory_bytes_per_s +
                        (is_lu ? lu_steps_ns(operation->k, blocks, by_columns) : cholesky_steps_ns(blocks));
    double record_ns = 2 * (double)blocks * LAVA_SOLVE_RECORD_NS +
                       (by_columns ? (double)operation->k * RECORD_COLUMN_NS : 0);
    return fmax(compute_ns, record_ns);
}

static double gpu_ns(const struct request *request, const struct lava_operation *operation,
                     double flops_per_s) {
    const struct lava_rates *rates = &request->rates;
    double bytes = lava_operation_operand_bytes(operation);
    double ns = lava_cost_start_ns(rates) + 1e9 * bytes / rates->upload_bytes_per_s +
                factor_ns(request, operation, flops_per_s) + 1e9 * bytes / rates->download_bytes_per_s +
                lava_cost_last_write_ns(bytes);
    const struct lava_operation parts = lava_operation_of_parts(operation);
    return fmax(ns, lava_cost_least_ns(&parts, rates, flops_per_s));
}

/* Plans the largest product beside matrices of so many bytes. *plan keeps what it has of the CPU. */
static enum lava_reason plan_factors(const struct request *request, uint64_t matrices_bytes,
                                     struct lava_plan *plan) {
    const struct lava_operation *operation = request->operation;
    struct lava_overrides left = request->overrides;
    struct lava_plan product_plan;
    if (matrices_bytes >= left.memory_bytes)
        return LAVA_REASON_MEMORY;
    left.memory_bytes -= matrices_bytes;
    const struct lava_operation product = largest_product(operation);
    request->plan_product(&product, request->device, request->figures, &left, &product_plan);
    if (product_plan.place != LAVA_PLACE_GPU)
        return product_plan.reason;
    product_plan.place = plan->place;
    product_plan.cpu_ns = plan->cpu_ns;
    product_plan.imports = plan->imports;
    *plan = product_plan;
    if (operation->n <= LAVA_SOLVE_ORDER && operation->m <= LAVA_SOLVE_ORDER) /* its products are small */
        plan->blocking = (struct lava_blocking){.products = 1, .split_k = 1};
    plan->chunks = (struct lava_solve_chunks){.product_bytes = plan->blocking.total_bytes};
    plan->blocking.total_bytes += matrices_bytes;
    plan->gpu_ns = gpu_ns(request, operation, plan->flops_per_s);
    return LAVA_REASON_FORCED;
}

/* Plans both solves, after the factorization of the plan where there is one. */
static enum lava_reason plan_sides(const struct request *request, const struct lava_plan *factors,
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
static enum lava_reason plan_both(const struct request *request, const struct lava_plan *alone,
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
    struct request request = {.operation = operation,
                              .device = device,
                              .figures = figures,
                              .overrides = *overrides,
                              .plan_product = plan_product,
                              .rates = lava_cost_rates(lava_profiles_find(device), &figures->device)};
    struct lava_plan factors = *plan;
    if (!lava_factorization_fits(device, operation->type))
        return LAVA_REASON_NO_KERNEL;
    if (request.overrides.memory_bytes == 0)
        request.overrides.memory_bytes = device->memory_bytes;
    if (operation->m > lava_solve_most_rows(device, operation->type))
        return LAVA_REASON_MEMORY;
    if (lava_operation_is_factored(operation))
        return plan_sides(&request, NULL, plan);
    uint64_t bytes = lava_solve_matrix_bytes(device, operation->type, operation->m, operation->n);
    enum lava_reason reason = plan_factors(&request, bytes, &factors);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    if (operation->sides.count > 0)
        return plan_both(&request, &factors, plan);
    *plan = factors;
    return LAVA_REASON_FORCED;
}
