/* Plans the largest product of a matrix that is halved, and estimates the transfers. Called by
 * factorization.c, block_columns.c, qr.c and inverse_plan.c. Invariant: a pure function; no estimate is below
 * lava_cost_least_ns. */
#include "dispatch/halving.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "shaders/interface.h"

enum lava_reason lava_halving_begin(const struct lava_plan_request *asked, struct lava_halving *halving) {
    const struct lava_operation *operation = asked->operation;
    const struct lava_capabilities *device = asked->device;
    *halving =
        (struct lava_halving){.operation = operation,
                              .device = device,
                              .figures = asked->figures,
                              .overrides = *asked->overrides,
                              .plan_product = asked->plan_product,
                              .rates = lava_cost_rates(lava_profiles_find(device), &asked->figures->device)};
    if (!lava_solve_fits(device, operation->type)) /* other kernels need less */
        return LAVA_REASON_NO_KERNEL;
    if (halving->overrides.memory_bytes == 0)
        halving->overrides.memory_bytes = device->memory_bytes;
    if (operation->m > lava_solve_most_rows(device, operation->type))
        return LAVA_REASON_MEMORY;
    return LAVA_REASON_FORCED;
}

int64_t lava_halving_half(int64_t size) {
    return lava_blocking_padded((size + 1) / 2, LAVA_SOLVE_ORDER);
}

int64_t lava_halving_solve_blocks(int64_t blocks) {
    int64_t sum = 0;
    for (int64_t half = blocks / 2; half > 0; half /= 2)
        sum += blocks / 2;
    return sum;
}

struct lava_operation lava_halving_product(const struct lava_operation *operation,
                                           const struct lava_halving_sizes *sizes, bool is_square) {
    bool is_upper = operation->c.region == LAVA_REGION_UPPER;
    const struct lava_operand plain = {.first = LAVA_PLANNED_A, .ld = operation->m};
    struct lava_operand other = {.first = LAVA_PLANNED_B, .ld = operation->m};
    if (is_square) {
        other.op = LAVA_OP_T;
        other.conjugate = lava_type_is_complex(operation->type);
    }
    return (struct lava_operation){.type = operation->type,
                                   .precision = operation->precision,
                                   .m = sizes->m,
                                   .n = sizes->n,
                                   .k = sizes->k,
                                   .a = is_upper ? other : plain,
                                   .b = is_upper ? plain : other,
                                   .c = {.first = LAVA_PLANNED_C,
                                         .ld = operation->m,
                                         .type = operation->type,
                                         .region = operation->c.region,
                                         .real_diagonal = operation->c.real_diagonal},
                                   .alpha.real = -1,
                                   .beta.real = 1,
                                   .on_device = true};
}

enum lava_reason lava_halving_plan(const struct lava_halving *halving, const struct lava_operation *largest,
                                   bool has_products, uint64_t matrices_bytes, struct lava_plan *plan) {
    struct lava_overrides left = halving->overrides;
    struct lava_plan product_plan;
    if (matrices_bytes >= left.memory_bytes)
        return LAVA_REASON_MEMORY;
    left.memory_bytes -= matrices_bytes;
    halving->plan_product(largest, halving->device, halving->figures, &left, &product_plan);
    if (product_plan.place != LAVA_PLACE_GPU)
        return product_plan.reason;
    product_plan.place = plan->place;
    product_plan.cpu_ns = plan->cpu_ns;
    product_plan.imports = plan->imports;
    *plan = product_plan;
    if (!has_products)
        plan->blocking = (struct lava_blocking){.products = 1, .split_k = 1};
    plan->chunks = (struct lava_solve_chunks){.product_bytes = plan->blocking.total_bytes};
    plan->blocking.total_bytes += matrices_bytes;
    return LAVA_REASON_FORCED;
}

enum lava_reason lava_halving_plan_parts(const struct lava_halving_parts *parts, bool has_products,
                                         const struct lava_plan_request *asked, struct lava_plan *plan) {
    struct lava_halving request;
    enum lava_reason reason = lava_halving_begin(asked, &request);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    const struct lava_operation product = parts->largest_product(asked->operation);
    reason = lava_halving_plan(&request, &product, has_products,
                               parts->matrices_bytes(request.device, asked->operation), plan);
    if (reason == LAVA_REASON_FORCED)
        plan->gpu_ns = parts->gpu_ns(&request, plan->flops_per_s);
    return reason;
}

double lava_halving_gpu_ns(const struct lava_halving *halving, double device_ns, double flops_per_s) {
    const struct lava_rates *rates = &halving->rates;
    const struct lava_operation parts = lava_operation_of_parts(halving->operation);
    const struct lava_operation *operation = halving->operation;
    double bytes = lava_operation_operand_bytes(operation), result_bytes = bytes;
    if (lava_operation_row(operation)->qr.multiplies) /* the reflections stay there */
        result_bytes = (double)operation->m * (double)operation->n * (double)lava_type_bytes(operation->type);
    double up_ns = 1e9 * lava_operation_upload_bytes(operation) / rates->upload_bytes_per_s;
    double ns = lava_cost_start_ns(rates) + up_ns + device_ns +
                1e9 * result_bytes / rates->download_bytes_per_s + lava_cost_last_write_ns(result_bytes);
    return fmax(ns, lava_cost_least_ns(&parts, rates, flops_per_s));
}
