/* Estimates the times of QR factorizations and of what is made with Q, and plans their products: blocks of
 * columns, each with what it does to all columns after it (lib/engine/device_qr.h). Invariant: a pure
 * function; no estimate is below lava_cost_least_ns. */
#include "dispatch/qr.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/halving.h"
#include "dispatch/panels.h"
#include "shaders/interface.h"

/* Time of a column of the panels with a dispatch of its own, as measured on an H200 at 8192 rows. */
static const double column_ns[LAVA_TYPE_COUNT] = {
    [LAVA_TYPE_FP32] = 14.5e3, [LAVA_TYPE_FP64] = 18e3, [LAVA_TYPE_CFP32] = 25e3, [LAVA_TYPE_CFP64] = 20.5e3};
/* Time of what a panel does to its block, three
 * products of four dispatches; and of a block's triangle and of what it does to the rest. The rest is read
 * and written so many times for each block: packed, multiplied, and updated. With these, the estimates of
 * ?geqrf and ?orgqr for orders 1024 and 8192 in fp32 and fp64 are within a quarter of what an H200 took. */
#define PANEL_NS 70e3
#define BLOCK_NS 300e3
#define PASSES   5.0

/* The scratch is one column, which has 32-bit indices, padded. */
#define SCRATCH_MOST ((double)(INT32_MAX - 64))

/* The kernels need less than that for solves. */
bool lava_qr_fits(const struct lava_capabilities *device, enum lava_type type) {
    return lava_solve_fits(device, type);
}

/* Rows of the reflections, and the other side of what they are applied to, right-hand sides included. */
struct sizes {
    int64_t rows, others;
};

static struct sizes sizes_of(const struct lava_operation *operation) {
    if (operation->kind == LAVA_OPERATION_QR_RIGHT)
        return (struct sizes){operation->n, operation->m};
    return (struct sizes){operation->m, operation->n + operation->sides.count};
}

/* The reflectors of a block, transposed, times the whole matrix, or times themselves where that is less.
 * Other products fit in its memory, perhaps in smaller blocks. */
static struct lava_operation largest_product(const struct lava_operation *operation) {
    const struct sizes sizes = sizes_of(operation);
    const struct lava_halving_sizes product_sizes = {.m = LAVA_QR_BLOCK,
                                                     .n = lava_maximum(sizes.others, LAVA_QR_BLOCK),
                                                     .k = lava_maximum(sizes.rows, LAVA_QR_BLOCK)};
    struct lava_operation product = lava_halving_product(operation, &product_sizes, false);
    product.a.op = LAVA_OP_T;
    product.a.conjugate = lava_type_is_complex(operation->type);
    product.a.ld = product.b.ld = product.k;
    product.c.ld = product.m;
    product.alpha.real = 1;
    product.beta.real = 0;
    return product;
}

/* Returns the device's time for the solve with R. */
static double solve_ns(const struct lava_halving *request) {
    const struct lava_operation *operation = request->operation;
    double sides = (double)operation->sides.count, blocks = (double)lava_solve_blocks(operation->k);
    double bytes = sides * (double)operation->k * (double)lava_type_bytes(operation->type) *
                   LAVA_SOLVE_PASSES * ceil(log2(blocks));
    return sides > 0 ? lava_solve_blocks_ns(operation->k) + 1e9 * bytes / request->rates.memory_bytes_per_s
                     : 0;
}

/* Returns the device's time between the upload and the download. The CPU records ahead of the device. */
static double compute_ns(const struct lava_halving *request, double flops_per_s) {
    const struct lava_operation *operation = request->operation;
    bool factors = operation->kind == LAVA_OPERATION_QR;
    double blocks = ceil((double)operation->k / LAVA_QR_BLOCK), columns = factors ? (double)operation->k : 0;
    double panels = ceil(columns / LAVA_QR_PANEL);
    const struct lava_panel_sizes first = {LAVA_PANEL_QR, operation->type, operation->m,
                                           lava_minimum(operation->k, LAVA_QR_PANEL)};
    bool by_columns = factors && lava_panels_take_columns(request->device, &first);
    double touched = lava_operation_is_qr_product(operation) ? blocks : (blocks + 1) / 2;
    double moved_bytes = lava_operation_operand_bytes(operation) * PASSES * touched;
    double device_ns = 1e9 * lava_operation_flops(operation) / flops_per_s +
                       1e9 * moved_bytes / request->rates.memory_bytes_per_s +
                       columns * (by_columns ? column_ns[operation->type] : LAVA_PANELS_COLUMN_NS) +
                       panels * PANEL_NS + blocks * BLOCK_NS + solve_ns(request);
    double record_ns =
        4 * (panels + 2 * blocks) * LAVA_SOLVE_RECORD_NS + (by_columns ? columns * LAVA_PANELS_RECORD_NS : 0);
    return fmax(device_ns, record_ns);
}

/* The bytes of the matrix, with right-hand sides beside it, and of the scratch
 * (lib/engine/device_reflectors.h); UINT64_MAX where one does not fit a buffer. */
static uint64_t matrices_bytes(const struct lava_capabilities *device,
                               const struct lava_operation *operation) {
    const struct sizes sizes = sizes_of(operation);
    uint64_t bytes =
        lava_solve_matrix_bytes(device, operation->type, operation->m, operation->n + operation->sides.count);
    uint64_t scratch = lava_solve_matrix_bytes(device, operation->type, LAVA_QR_BLOCK,
                                               sizes.rows + 2 * sizes.others + 5 * LAVA_QR_BLOCK);
    uint64_t reflectors = 0;
    if (lava_operation_is_qr_product(operation))
        reflectors = lava_solve_matrix_bytes(device, operation->type, sizes.rows, operation->k);
    double scratch_elements =
        (double)LAVA_QR_BLOCK * (double)(sizes.rows + 2 * sizes.others + 5 * LAVA_QR_BLOCK);
    if (scratch_elements > SCRATCH_MOST)
        return UINT64_MAX;
    bool fits = bytes != UINT64_MAX && scratch != UINT64_MAX && reflectors != UINT64_MAX;
    return fits ? bytes + scratch + reflectors : UINT64_MAX;
}

enum lava_reason lava_qr_plan(const struct lava_operation *operation, const struct lava_capabilities *device,
                              const struct lava_figures *figures, const struct lava_overrides *overrides,
                              lava_solve_product *plan_product, struct lava_plan *plan) {
    struct lava_halving request;
    enum lava_reason reason =
        lava_halving_begin(operation, device, figures, overrides, plan_product, &request);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    const struct lava_operation product = largest_product(operation);
    const struct sizes sizes = sizes_of(operation);
    bool has_products = sizes.others > LAVA_SOLVE_ORDER || sizes.rows > LAVA_SOLVE_ORDER;
    reason = lava_halving_plan(&request, &product, has_products, matrices_bytes(device, operation), plan);
    if (reason == LAVA_REASON_FORCED)
        plan->gpu_ns =
            lava_halving_gpu_ns(&request, compute_ns(&request, plan->flops_per_s), plan->flops_per_s);
    return reason;
}
