/* Estimates the times of factorizations, and plans their products. The matrix is halved down to blocks that
 * have kernels of their own: factor the first half, solve for the rectangle beside it, subtract a product,
 * factor the second half (lib/engine/device_cholesky.h, device_lu.h). Inverses are halved in the same way,
 * with a product and a solve for each rectangle (device_inverse.h). Invariant: a pure function; no estimate
 * is below lava_cost_least_ns. */
#include "dispatch/factorization.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/cost.h"
#include "shaders/interface.h"

/* Time of a block of Cholesky's, and of a column of LU's panels: two dispatches with their barriers. Starting
 * values: no GPU has been measured. A dispatch with its barrier takes an H200 3.1 us. */
#define BLOCK_NS  40e3
#define COLUMN_NS 8e3
/* The rectangles and the rest of the matrix are read and written this many times for each halving. A starting
 * value. */
#define PASSES 3.5
/* Time of recording a column of LU's panels. A starting value. */
#define RECORD_COLUMN_NS 2e3

/* Their kernels need less than that for solves. */
bool lava_factorization_fits(const struct lava_capabilities *device, enum lava_type type) {
    return lava_solve_fits(device, type);
}

/* Whether a triangle is multiplied with itself. */
static bool has_squares(const struct lava_operation *operation) {
    return operation->kind == LAVA_OPERATION_SQUARE_TRIANGLE ||
           operation->kind == LAVA_OPERATION_INVERT_CHOLESKY;
}

/* The rest of the matrix after the first half less what that contributes. Addresses that do not overlap;
 * nothing is read. */
static struct lava_operation largest_product(const struct lava_operation *operation) {
    int64_t half = lava_blocking_padded((operation->k + 1) / 2, LAVA_SOLVE_ORDER);
    bool is_complex = lava_type_is_complex(operation->type),
         is_upper = operation->c.region == LAVA_REGION_UPPER;
    if (has_squares(operation))
        half = lava_maximum(half, lava_minimum(operation->n, LAVA_FACTORIZATION_SQUARE));
    const struct lava_operand plain = {.first = (const void *)(uintptr_t)(1ull << 44), .ld = operation->m};
    struct lava_operand other = {.first = (const void *)(uintptr_t)(1ull << 45), .ld = operation->m};
    if (operation->kind == LAVA_OPERATION_CHOLESKY || has_squares(operation)) {
        other.op = LAVA_OP_T;
        other.conjugate = is_complex;
    }
    return (struct lava_operation){.type = operation->type,
                                   .precision = operation->precision,
                                   .m = operation->kind == LAVA_OPERATION_INVERT_LU
                                            ? operation->m /* all rows are solved for at once */
                                            : lava_maximum(operation->m - half, half),
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

/* Blocks of the diagonal that all solves together have: half of them at every halving. */
static int64_t solve_blocks_of(int64_t blocks) {
    int64_t sum = 0;
    for (int64_t half = blocks / 2; half > 0; half /= 2)
        sum += blocks / 2;
    return sum;
}

/* How often halves are multiplied or solved with, and how often a solve takes all of the matrix. Starting
 * values, as above. */
struct passes {
    int64_t halving, whole;
};
static struct passes passes_of(const struct lava_operation *operation) {
    switch (operation->kind) {
    case LAVA_OPERATION_INVERT_TRIANGLE:
        return (struct passes){1, 1};
    case LAVA_OPERATION_INVERT_CHOLESKY:
        return (struct passes){2, 1};
    case LAVA_OPERATION_INVERT_LU:
        return (struct passes){1, 2};
    default:
        return (struct passes){1, 0};
    }
}

/* One thread copies the buffer, from and to memory that may be new: the bytes of the result. A starting
 * value. */
#define BUFFER_BYTES_PER_S 5e9
static double buffer_ns(const struct lava_operation *operation, double bytes) {
    bool has_buffer =
        operation->kind == LAVA_OPERATION_INVERT_CHOLESKY || operation->kind == LAVA_OPERATION_INVERT_LU;
    return has_buffer ? 1e9 * bytes / BUFFER_BYTES_PER_S : 0;
}

/* The matrix is uploaded, factored, and downloaded. The CPU records ahead of the device. */
static double gpu_ns(const struct lava_operation *operation, const struct lava_rates *rates,
                     double flops_per_s) {
    bool is_lu = operation->kind == LAVA_OPERATION_LU;
    const struct passes passes = passes_of(operation);
    int64_t blocks = lava_solve_blocks(operation->k),
            solve_blocks = passes.halving * solve_blocks_of(blocks) + passes.whole * blocks;
    double columns = is_lu ? (double)operation->k : 0, bytes = lava_operation_operand_bytes(operation);
    double moved_bytes = (double)(passes.halving + passes.whole) * bytes * PASSES *
                         ceil(log2((double)blocks) + (is_lu ? 1 : 0));
    double compute_ns = 1e9 * lava_operation_flops(operation) / flops_per_s +
                        1e9 * moved_bytes / rates->memory_bytes_per_s +
                        (is_lu ? columns * COLUMN_NS : (double)blocks * BLOCK_NS) +
                        lava_solve_blocks_ns(solve_blocks * LAVA_SOLVE_ORDER);
    double record_ns = (double)(blocks + solve_blocks) * LAVA_SOLVE_RECORD_NS + columns * RECORD_COLUMN_NS;
    double ns = lava_cost_start_ns(rates) + 1e9 * bytes / rates->upload_bytes_per_s +
                fmax(compute_ns, record_ns) + 1e9 * bytes / rates->download_bytes_per_s +
                lava_cost_last_write_ns(bytes) + buffer_ns(operation, bytes);
    const struct lava_operation parts = lava_operation_of_parts(operation);
    return fmax(ns, lava_cost_least_ns(&parts, rates, flops_per_s));
}

enum lava_reason lava_factorization_plan(const struct lava_operation *operation,
                                         const struct lava_capabilities *device,
                                         const struct lava_figures *figures,
                                         const struct lava_overrides *overrides,
                                         lava_solve_product *plan_product, struct lava_plan *plan) {
    const struct lava_rates rates = lava_cost_rates(lava_profiles_find(device), &figures->device);
    struct lava_overrides left = *overrides;
    struct lava_plan product_plan;
    uint64_t bytes = lava_solve_matrix_bytes(device, operation->type, operation->m, operation->n);
    if (operation->kind == LAVA_OPERATION_INVERT_LU && bytes < UINT64_MAX / 2)
        bytes *= 2; /* U's inverse, and what is solved for */
    if (!lava_factorization_fits(device, operation->type))
        return LAVA_REASON_NO_KERNEL;
    if (left.memory_bytes == 0)
        left.memory_bytes = device->memory_bytes;
    if (bytes >= left.memory_bytes || operation->m > lava_solve_most_rows(device, operation->type))
        return LAVA_REASON_MEMORY;
    left.memory_bytes -= bytes;
    const struct lava_operation product = largest_product(operation);
    plan_product(&product, device, figures, &left, &product_plan);
    if (product_plan.place != LAVA_PLACE_GPU)
        return product_plan.reason;
    product_plan.place = plan->place;
    product_plan.cpu_ns = plan->cpu_ns;
    product_plan.imports = plan->imports;
    *plan = product_plan;
    bool is_block = operation->n <= LAVA_SOLVE_ORDER && operation->m <= LAVA_SOLVE_ORDER;
    if (is_block && !has_squares(operation)) /* its products are small */
        plan->blocking = (struct lava_blocking){.products = 1, .split_k = 1};
    plan->chunks = (struct lava_solve_chunks){.product_bytes = plan->blocking.total_bytes};
    plan->blocking.total_bytes += bytes;
    plan->gpu_ns = gpu_ns(operation, &rates, plan->flops_per_s);
    return LAVA_REASON_FORCED;
}
