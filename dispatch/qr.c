/* Plans QR factorizations and what is made with Q: blocks of columns, each with what it does to all columns
 * after it (lib/engine/device_qr.h). Invariant: a pure function; no estimate is below lava_cost_least_ns. */
#include "dispatch/qr.h"

#include "dispatch/arithmetic.h"
#include "dispatch/block_reflections.h"
#include "dispatch/halving.h"
#include "dispatch/qr_time.h"
#include "shaders/interface.h"

/* What these products lose is lost of all columns that come later. Shorter chains cost slices, whose sums are
 * written and read, and OpenBLAS's own error grows with the rows: with 256 the device's was up to 3.0 times
 * as large at 245 x 184, but 1.7 times at 1200 x 900; with 128, up to 1.9 times for orders 130 to 229
 * (test_lapack_errors.c, lavapipe, 2026-11-25). */
#define CHAIN_OF_FEW  128
#define CHAIN_OF_MANY 256
#define MANY_ROWS     1024

/* A block's reflections are no more than such a chain. */
int64_t lava_qr_chain(int64_t depth) {
    if (depth <= LAVA_QR_BLOCK)
        return 0;
    return depth < MANY_ROWS ? CHAIN_OF_FEW : CHAIN_OF_MANY;
}

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

/* The bytes of the matrix, with right-hand sides beside it, and of the scratch
 * (lib/engine/device_reflectors.h); UINT64_MAX where one does not fit a buffer. */
static uint64_t matrices_bytes(const struct lava_capabilities *device,
                               const struct lava_operation *operation) {
    const struct sizes sizes = sizes_of(operation);
    uint64_t bytes =
        lava_solve_matrix_bytes(device, operation->type, operation->m, operation->n + operation->sides.count);
    uint64_t scratch = lava_qr_scratch_bytes(device, operation->type, sizes.rows, sizes.others);
    uint64_t reflectors = 0;
    if (lava_operation_is_qr_product(operation))
        reflectors = lava_solve_matrix_bytes(device, operation->type, sizes.rows, operation->k);
    bool fits = bytes != UINT64_MAX && scratch != UINT64_MAX && reflectors != UINT64_MAX;
    return fits ? bytes + scratch + reflectors : UINT64_MAX;
}

/* The copy threads turn a wide matrix into a buffer and back, and copy the right-hand sides
 * (lib/engine/wide_squares.h). A starting value: a thread turns a third of what it copies
 * (lib/host/passes.c). */
#define TURN_BYTES_PER_S (LAVA_HALVING_BUFFER_BYTES_PER_S / 3)
static double buffer_ns(const struct lava_operation *operation) {
    return 2e9 * lava_operation_operand_bytes(operation) / TURN_BYTES_PER_S;
}

/* Plans with the whole matrix on the device. */
static enum lava_reason plan_whole(const struct lava_halving *request, struct lava_plan *plan) {
    const struct lava_operation *operation = request->operation;
    const struct lava_operation product = largest_product(operation);
    const struct sizes sizes = sizes_of(operation);
    bool has_products = sizes.others > LAVA_SOLVE_ORDER || sizes.rows > LAVA_SOLVE_ORDER;
    enum lava_reason reason =
        lava_halving_plan(request, &product, has_products, matrices_bytes(request->device, operation), plan);
    if (reason == LAVA_REASON_FORCED)
        plan->gpu_ns = lava_halving_gpu_ns(request, lava_qr_time_ns(request, operation, plan->flops_per_s),
                                           plan->flops_per_s);
    return reason;
}

/* A wide matrix does not go by blocks: its buffer would be a second matrix that does not fit a device. */
enum lava_reason lava_qr_plan(const struct lava_operation *operation, const struct lava_capabilities *device,
                              const struct lava_figures *figures, const struct lava_overrides *overrides,
                              lava_solve_product *plan_product, struct lava_plan *plan) {
    const struct lava_operation tall = lava_operation_tall(operation);
    struct lava_halving request;
    enum lava_reason reason = lava_halving_begin(&tall, device, figures, overrides, plan_product, &request);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    reason = overrides->columns_each ? LAVA_REASON_MEMORY : plan_whole(&request, plan);
    if (lava_operation_is_wide(operation)) {
        plan->gpu_ns += reason == LAVA_REASON_FORCED ? buffer_ns(operation) : 0;
        return reason;
    }
    return reason == LAVA_REASON_MEMORY ? lava_block_reflections_plan(&request, plan) : reason;
}
