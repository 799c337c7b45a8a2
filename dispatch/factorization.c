/* Estimates the times of factorizations, and plans their products. The matrix is halved down to blocks that
 * have kernels of their own: factor the first half, solve for the rectangle beside it, subtract a product,
 * factor the second half (lib/engine/device_cholesky.h, device_lu.h). For QR it is blocks of columns, each
 * with what it does to all columns after it (device_qr.h). Invariant: a pure function; no estimate is below
 * lava_cost_least_ns. */
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
/* Time of a column of QR's panels, one dispatch; of what a panel does to its block, three products of four
 * dispatches; and of a block's triangle and of what it does to the rest. The rest is read and written so many
 * times for each block: packed, multiplied, and updated. Starting values: no GPU has been measured. */
#define QR_COLUMN_NS 6e3
#define QR_PANEL_NS  40e3
#define QR_BLOCK_NS  120e3
#define QR_PASSES    5.0

/* Their kernels need less than that for solves. */
bool lava_factorization_fits(const struct lava_capabilities *device, enum lava_type type) {
    return lava_solve_fits(device, type);
}

/* A product on the device. Addresses that do not overlap; nothing is read. */
static struct lava_operation product_of(const struct lava_operation *operation, int64_t m, int64_t n,
                                        int64_t k) {
    return (struct lava_operation){.type = operation->type,
                                   .precision = operation->precision,
                                   .m = m,
                                   .n = n,
                                   .k = k,
                                   .a = {.first = (const void *)(uintptr_t)(1ull << 44)},
                                   .b = {.first = (const void *)(uintptr_t)(1ull << 45)},
                                   .c = {.first = (void *)(uintptr_t)(1ull << 46), .type = operation->type},
                                   .alpha.real = 1,
                                   .on_device = true};
}

/* Of QR and of products with Q: rows of the reflections, and the other side of what they are applied to. */
struct qr_sizes {
    int64_t rows, others;
};

static struct qr_sizes qr_sizes_of(const struct lava_operation *operation) {
    if (operation->kind == LAVA_OPERATION_QR_RIGHT)
        return (struct qr_sizes){operation->n, operation->m};
    return (struct qr_sizes){operation->m, operation->n};
}

/* The reflectors of a block, transposed, times the whole matrix, or times themselves where that is less.
 * Other products fit in its memory, perhaps in smaller blocks. */
static struct lava_operation largest_qr_product(const struct lava_operation *operation) {
    const struct qr_sizes sizes = qr_sizes_of(operation);
    struct lava_operation product =
        product_of(operation, LAVA_QR_BLOCK, lava_maximum(sizes.others, LAVA_QR_BLOCK),
                   lava_maximum(sizes.rows, LAVA_QR_BLOCK));
    product.a.op = LAVA_OP_T;
    product.a.conjugate = lava_type_is_complex(operation->type);
    product.a.ld = product.b.ld = product.k;
    product.c.ld = product.m;
    return product;
}

/* The rest of the matrix after the first half less what that contributes. */
static struct lava_operation largest_product(const struct lava_operation *operation) {
    int64_t half = lava_blocking_padded((operation->k + 1) / 2, LAVA_SOLVE_ORDER);
    struct lava_operation product = product_of(operation, lava_maximum(operation->m - half, half),
                                               lava_maximum(operation->n - half, half), half);
    struct lava_operand *adjoint = operation->c.region == LAVA_REGION_UPPER ? &product.a : &product.b;
    if (operation->kind == LAVA_OPERATION_CHOLESKY) {
        adjoint->op = LAVA_OP_T;
        adjoint->conjugate = lava_type_is_complex(operation->type);
    }
    product.a.ld = product.b.ld = product.c.ld = operation->m;
    product.c.region = operation->c.region;
    product.c.real_diagonal = operation->c.real_diagonal;
    product.alpha.real = -1;
    product.beta.real = 1;
    return product;
}

/* Blocks of the diagonal that all solves together have: half of them at every halving. */
static int64_t solve_blocks_of(int64_t blocks) {
    int64_t sum = 0;
    for (int64_t half = blocks / 2; half > 0; half /= 2)
        sum += blocks / 2;
    return sum;
}

/* What a device needs besides the arithmetic, and the CPU's time of recording it. */
struct overhead {
    double moved_bytes, ns, record_ns;
};

static struct overhead overhead_of_halves(const struct lava_operation *operation) {
    bool is_lu = operation->kind == LAVA_OPERATION_LU;
    int64_t blocks = lava_solve_blocks(operation->k), solve_blocks = solve_blocks_of(blocks);
    double columns = is_lu ? (double)operation->k : 0, bytes = lava_operation_operand_bytes(operation);
    return (struct overhead){.moved_bytes = bytes * PASSES * ceil(log2((double)blocks) + (is_lu ? 1 : 0)),
                             .ns = (is_lu ? columns * COLUMN_NS : (double)blocks * BLOCK_NS) +
                                   lava_solve_blocks_ns(solve_blocks * LAVA_SOLVE_ORDER),
                             .record_ns = (double)(blocks + solve_blocks) * LAVA_SOLVE_RECORD_NS +
                                          columns * RECORD_COLUMN_NS};
}

static struct overhead overhead_of_qr(const struct lava_operation *operation) {
    bool factors = operation->kind == LAVA_OPERATION_QR;
    double blocks = ceil((double)operation->k / LAVA_QR_BLOCK), columns = factors ? (double)operation->k : 0;
    double panels = ceil(columns / LAVA_QR_PANEL);
    double touched = lava_operation_is_qr_product(operation) ? blocks : (blocks + 1) / 2;
    return (struct overhead){.moved_bytes = lava_operation_operand_bytes(operation) * QR_PASSES * touched,
                             .ns = columns * QR_COLUMN_NS + panels * QR_PANEL_NS + blocks * QR_BLOCK_NS,
                             .record_ns = 4 * (panels + 2 * blocks) * LAVA_SOLVE_RECORD_NS +
                                          columns * RECORD_COLUMN_NS};
}

/* The matrix is uploaded, factored, and downloaded. The CPU records ahead of the device. */
static double gpu_ns(const struct lava_operation *operation, const struct lava_rates *rates,
                     double flops_per_s) {
    const struct overhead overhead =
        lava_operation_is_qr(operation) ? overhead_of_qr(operation) : overhead_of_halves(operation);
    double bytes = lava_operation_operand_bytes(operation), result_bytes = bytes;
    if (lava_operation_is_qr_product(operation))
        result_bytes = (double)operation->m * (double)operation->n * (double)lava_type_bytes(operation->type);
    double compute_ns = 1e9 * lava_operation_flops(operation) / flops_per_s +
                        1e9 * overhead.moved_bytes / rates->memory_bytes_per_s + overhead.ns;
    double ns = lava_cost_start_ns(rates) + 1e9 * bytes / rates->upload_bytes_per_s +
                fmax(compute_ns, overhead.record_ns) + 1e9 * result_bytes / rates->download_bytes_per_s +
                lava_cost_last_write_ns(result_bytes);
    const struct lava_operation parts = lava_operation_of_parts(operation);
    return fmax(ns, lava_cost_least_ns(&parts, rates, flops_per_s));
}

/* The bytes of the matrix, and of QR's scratch (lib/engine/device_reflectors.h); UINT64_MAX where one does
 * not fit a buffer. */
static uint64_t matrices_bytes(const struct lava_capabilities *device,
                               const struct lava_operation *operation) {
    uint64_t bytes = lava_solve_matrix_bytes(device, operation->type, operation->m, operation->n);
    if (!lava_operation_is_qr(operation) || bytes == UINT64_MAX)
        return bytes;
    const struct qr_sizes sizes = qr_sizes_of(operation);
    uint64_t scratch = lava_solve_matrix_bytes(device, operation->type, LAVA_QR_BLOCK,
                                               sizes.rows + 2 * sizes.others + 4 * LAVA_QR_BLOCK);
    uint64_t reflectors = 0;
    if (lava_operation_is_qr_product(operation))
        reflectors = lava_solve_matrix_bytes(device, operation->type, sizes.rows, operation->k);
    bool fits = scratch != UINT64_MAX && reflectors != UINT64_MAX;
    return fits ? bytes + scratch + reflectors : UINT64_MAX;
}

enum lava_reason lava_factorization_plan(const struct lava_operation *operation,
                                         const struct lava_capabilities *device,
                                         const struct lava_figures *figures,
                                         const struct lava_overrides *overrides,
                                         lava_solve_product *plan_product, struct lava_plan *plan) {
    const struct lava_rates rates = lava_cost_rates(lava_profiles_find(device), &figures->device);
    struct lava_overrides left = *overrides;
    struct lava_plan product_plan;
    uint64_t bytes = matrices_bytes(device, operation);
    if (!lava_factorization_fits(device, operation->type))
        return LAVA_REASON_NO_KERNEL;
    if (left.memory_bytes == 0)
        left.memory_bytes = device->memory_bytes;
    if (bytes >= left.memory_bytes || operation->m > lava_solve_most_rows(device, operation->type))
        return LAVA_REASON_MEMORY;
    left.memory_bytes -= bytes;
    const struct lava_operation product =
        lava_operation_is_qr(operation) ? largest_qr_product(operation) : largest_product(operation);
    plan_product(&product, device, figures, &left, &product_plan);
    if (product_plan.place != LAVA_PLACE_GPU)
        return product_plan.reason;
    product_plan.place = plan->place;
    product_plan.cpu_ns = plan->cpu_ns;
    product_plan.imports = plan->imports;
    *plan = product_plan;
    if (operation->n <= LAVA_SOLVE_ORDER && operation->m <= LAVA_SOLVE_ORDER) /* its products are small */
        plan->blocking = (struct lava_blocking){.products = 1, .split_k = 1};
    plan->chunks = (struct lava_solve_chunks){.product_bytes = plan->blocking.total_bytes};
    plan->blocking.total_bytes += bytes;
    plan->gpu_ns = gpu_ns(operation, &rates, plan->flops_per_s);
    return LAVA_REASON_FORCED;
}
