/* Plans QR factorizations and what is made with Q: blocks of columns, each with what it does to all columns
 * after it (lib/lapack/device_qr.h). Invariant: a pure function; no estimate is below lava_cost_least_ns. */
#include "dispatch/qr.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/halving.h"
#include "dispatch/panels.h"
#include "shaders/interface.h"

/* The errors of these products reach all columns that come later. Shorter chains cost slices, whose sums are
 * written and read, and OpenBLAS's own error grows with the rows: with 256 the device's was up to 3.0 times
 * as large at 245 x 184, but 1.7 times at 1200 x 900; with 128, up to 1.9 times for orders 130 to 229
 * (tests/library/test_lapack_errors.c, lavapipe, 2026-11-25). */
#define CHAIN_OF_FEW  128
#define CHAIN_OF_MANY 256
#define MANY_ROWS     1024

/* A block's reflections are no more than such a chain. */
int64_t lava_qr_chain(int64_t depth) {
    if (depth <= LAVA_QR_BLOCK)
        return 0;
    return depth < MANY_ROWS ? CHAIN_OF_FEW : CHAIN_OF_MANY;
}

bool lava_qr_is_wide(const struct lava_operation *operation) {
    return lava_operation_row(operation)->qr.factors && operation->sides.count > 0 &&
           operation->m < operation->n;
}

bool lava_qr_is_by_rows(const struct lava_operation *operation) {
    const struct lava_qr_parts *parts = &lava_operation_row(operation)->qr;
    if (parts->forms)
        return operation->adjoint;
    return parts->multiplies &&
           (parts->on_right ? operation->b.op == LAVA_OP_N : operation->a.op == LAVA_OP_T);
}

bool lava_qr_is_turned(const struct lava_operation *operation) {
    bool forms = lava_operation_row(operation)->qr.forms;
    return lava_qr_is_wide(operation) || (forms && (operation->adjoint || operation->a.first));
}

struct lava_operation lava_qr_tall(const struct lava_operation *operation) {
    struct lava_operation tall = *operation;
    if (!lava_qr_is_turned(operation))
        return tall;
    bool turns = lava_qr_is_wide(operation) || operation->adjoint;
    tall.m = turns ? operation->n : operation->m;
    tall.n = turns ? operation->m : operation->n;
    tall.c.ld = tall.m;
    tall.adjoint = turns && !operation->adjoint;
    if (lava_operation_row(operation)->qr.forms)
        tall.a.first = NULL;
    return tall;
}

double lava_qr_flops(const struct lava_operation *operation) {
    double m = (double)operation->m, n = (double)operation->n, k = (double)operation->k;
    double each = lava_operation_pair_flops(operation), sides = (double)operation->sides.count;
    return 2 * each * k * (m * n - (m + n) * k / 2 + k * k / 3) + each * k * (2 * fmax(m, n) - k) * sides +
           each * lava_triangle_of(k, k) * sides;
}

double lava_qr_product_flops(const struct lava_operation *operation) {
    double m = (double)operation->m, n = (double)operation->n, k = (double)operation->k;
    double others = lava_operation_row(operation)->qr.on_right ? m : n;
    return lava_operation_pair_flops(operation) * k * (2 * m * n - others * k);
}

double lava_qr_product_bytes(const struct lava_operation *operation) {
    double m = (double)operation->m, n = (double)operation->n, k = (double)operation->k;
    double rows = lava_operation_row(operation)->qr.on_right ? n : m;
    return (m * n + rows * k) * (double)lava_type_bytes(operation->type);
}

int lava_qr_steps(const struct lava_operation *operation, struct lava_operation *steps) {
    const struct lava_operation tall = lava_qr_tall(operation);
    steps[0] = lava_operation_without_sides(&tall);
    steps[1] = lava_operation_times_q(&tall);
    steps[2] = lava_operation_solve_r(&tall);
    return 3;
}

/* The kernels need less than that for solves. */
bool lava_qr_fits(const struct lava_capabilities *device, enum lava_type type) {
    return lava_solve_fits(device, type);
}

/* Time of a column of the panels with a dispatch of its own, as measured on an H200 at 8192 rows. */
static const double column_ns[LAVA_TYPE_COUNT] = {
    [LAVA_TYPE_FP32] = 14.5e3, [LAVA_TYPE_FP64] = 18e3, [LAVA_TYPE_CFP32] = 25e3, [LAVA_TYPE_CFP64] = 20.5e3};
/* Time of what a panel does to its block, three products of four dispatches; and of a block's triangle and of
 * the steps of what it does to the rest. The rest is read and written PASSES times for each block: packed,
 * multiplied, and updated. With these, the estimates of ?geqrf and ?orgqr for orders 1024 and 8192 in fp32
 * and fp64 are within a quarter of what an H200 took. */
#define PANEL_NS 70e3
#define BLOCK_NS 300e3
#define PASSES   5.0

/* Returns the bytes of the scratch (lib/lapack/device_reflectors.h) for reflections of this many rows,
 * applied to a matrix with `others` rows or columns on its other side; UINT64_MAX if it does not fit a
 * buffer. */
static uint64_t scratch_bytes(const struct lava_capabilities *device, enum lava_type type, int64_t rows,
                              int64_t others) {
    int64_t columns = rows + 2 * others + 5 * LAVA_QR_BLOCK;
    if ((double)LAVA_QR_BLOCK * (double)columns > LAVA_SOLVE_SCRATCH_MOST)
        return UINT64_MAX;
    return lava_solve_matrix_bytes(device, type, LAVA_QR_BLOCK, columns);
}

/* Returns the device's time for the solve with R. */
static double solve_ns(const struct lava_halving *request, const struct lava_operation *operation) {
    double sides = (double)operation->sides.count, blocks = (double)lava_solve_blocks(operation->k);
    double bytes = sides * (double)operation->k * (double)lava_type_bytes(operation->type) *
                   LAVA_SOLVE_PASSES * ceil(log2(blocks));
    return sides > 0 ? lava_solve_blocks_ns(operation->k) + 1e9 * bytes / request->rates.memory_bytes_per_s
                     : 0;
}

/* The CPU records ahead of the device. */
double lava_qr_device_ns(const struct lava_halving *request, double flops_per_s) {
    const struct lava_operation *operation = request->operation;
    const struct lava_qr_parts *parts = &lava_operation_row(operation)->qr;
    double blocks = ceil((double)operation->k / LAVA_QR_BLOCK),
           columns = parts->factors ? (double)operation->k : 0;
    double panels = ceil(columns / LAVA_QR_PANEL);
    const struct lava_panel_sizes first = {LAVA_PANEL_QR, operation->type, operation->m,
                                           lava_minimum(operation->k, LAVA_QR_PANEL)};
    bool by_columns = parts->factors && lava_panels_take_columns(request->device, &first);
    double touched = parts->multiplies ? blocks : (blocks + 1) / 2;
    double moved_bytes = lava_operation_operand_bytes(operation) * PASSES * touched;
    double compute_ns = 1e9 * lava_operation_flops(operation) / flops_per_s +
                        1e9 * moved_bytes / request->rates.memory_bytes_per_s +
                        columns * (by_columns ? column_ns[operation->type] : LAVA_PANELS_COLUMN_NS) +
                        panels * PANEL_NS + blocks * BLOCK_NS + solve_ns(request, operation);
    double record_ns =
        4 * (panels + 2 * blocks) * LAVA_SOLVE_RECORD_NS + (by_columns ? columns * LAVA_PANELS_RECORD_NS : 0);
    return fmax(compute_ns, record_ns);
}

/* Rows of the reflections, and the other side of what they are applied to, right-hand sides included. */
struct sizes {
    int64_t rows, others;
};

static struct sizes sizes_of(const struct lava_operation *operation) {
    if (lava_operation_row(operation)->qr.on_right)
        return (struct sizes){operation->n, operation->m};
    return (struct sizes){operation->m, operation->n + operation->sides.count};
}

/* The reflectors of a block, transposed, times the whole matrix, or times themselves if that is less.
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
    product.chain = lava_qr_chain(product.k);
    product.alpha.real = 1;
    product.beta.real = 0;
    return product;
}

/* The bytes of the matrix, with right-hand sides beside it, and of the scratch
 * (lib/lapack/device_reflectors.h); UINT64_MAX if one does not fit a buffer. */
static uint64_t matrices_bytes(const struct lava_capabilities *device,
                               const struct lava_operation *operation) {
    const struct sizes sizes = sizes_of(operation);
    uint64_t bytes =
        lava_solve_matrix_bytes(device, operation->type, operation->m, operation->n + operation->sides.count);
    uint64_t scratch = scratch_bytes(device, operation->type, sizes.rows, sizes.others);
    uint64_t reflectors = 0;
    if (lava_operation_row(operation)->qr.multiplies)
        reflectors = lava_solve_matrix_bytes(device, operation->type, sizes.rows, operation->k);
    bool fits = bytes != UINT64_MAX && scratch != UINT64_MAX && reflectors != UINT64_MAX;
    return fits ? bytes + scratch + reflectors : UINT64_MAX;
}

/* The copy threads turn a wide matrix into a buffer and back, and copy the right-hand sides
 * (lib/lapack/qr_runner.c). A starting value: a thread turns a third of what it copies
 * (lib/host/matrix_copy.c). */
#define TURN_BYTES_PER_S (LAVA_HALVING_BUFFER_BYTES_PER_S / 3)
static double buffer_ns(const struct lava_operation *operation) {
    return 2e9 * lava_operation_operand_bytes(operation) / TURN_BYTES_PER_S;
}

static enum lava_reason plan_whole(const struct lava_halving *request, struct lava_plan *plan) {
    const struct lava_operation *operation = request->operation;
    const struct lava_operation product = largest_product(operation);
    const struct sizes sizes = sizes_of(operation);
    bool has_products = sizes.others > LAVA_SOLVE_ORDER || sizes.rows > LAVA_SOLVE_ORDER;
    enum lava_reason reason =
        lava_halving_plan(request, &product, has_products, matrices_bytes(request->device, operation), plan);
    if (reason == LAVA_REASON_FORCED)
        plan->gpu_ns =
            lava_halving_gpu_ns(request, lava_qr_device_ns(request, plan->flops_per_s), plan->flops_per_s);
    return reason;
}

enum lava_reason lava_qr_plan(const struct lava_plan_request *asked, struct lava_plan *plan) {
    const struct lava_operation tall = lava_qr_tall(asked->operation);
    struct lava_plan_request of_tall = *asked;
    struct lava_halving request;
    of_tall.operation = &tall;
    enum lava_reason reason = lava_halving_begin(&of_tall, &request);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    reason = plan_whole(&request, plan);
    if (reason == LAVA_REASON_FORCED && lava_qr_is_turned(asked->operation))
        plan->gpu_ns += buffer_ns(asked->operation);
    return reason;
}
