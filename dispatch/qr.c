/* Plans QR factorizations and what is made with Q: blocks of columns, each with what it does to all columns
 * after it (lib/lapack/device_qr.h). Invariant: a pure function; no estimate is below lava_cost_least_ns. */
#include "dispatch/qr.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/block_search.h"
#include "dispatch/panels.h"

/* What these products lose is lost of all columns that come later. Shorter chains cost slices, whose sums are
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

struct lava_operation lava_qr_tall(const struct lava_operation *operation) {
    struct lava_operation tall = *operation;
    if (!lava_qr_is_wide(operation))
        return tall;
    tall.m = operation->n;
    tall.n = operation->m;
    tall.c.ld = tall.m;
    tall.adjoint = !operation->adjoint;
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

/* The scratch is one column, which has 32-bit indices, padded. */
#define SCRATCH_MOST ((double)(INT32_MAX - 64))

/* Returns the bytes of the scratch (lib/lapack/device_reflectors.h) for reflections of so many rows, applied
 * to a matrix whose other side is so long; UINT64_MAX where it does not fit a buffer. */
static uint64_t scratch_bytes(const struct lava_capabilities *device, enum lava_type type, int64_t rows,
                              int64_t others) {
    int64_t columns = rows + 2 * others + 5 * LAVA_QR_BLOCK;
    if ((double)LAVA_QR_BLOCK * (double)columns > SCRATCH_MOST)
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

/* Returns the device's time between the upload and the download of an operation, which may be a part of the
 * request's. The CPU records ahead of the device. */
static double device_ns(const struct lava_halving *request, const struct lava_operation *operation,
                        double flops_per_s) {
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
    product.chain = lava_qr_chain(product.k);
    product.alpha.real = 1;
    product.beta.real = 0;
    return product;
}

/* The bytes of the matrix, with right-hand sides beside it, and of the scratch
 * (lib/lapack/device_reflectors.h); UINT64_MAX where one does not fit a buffer. */
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
 * (lib/lapack/wide_least_squares.h). A starting value: a thread turns a third of what it copies
 * (lib/host/matrix_copy.c). */
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
        plan->gpu_ns =
            lava_halving_gpu_ns(request, device_ns(request, operation, plan->flops_per_s), plan->flops_per_s);
    return reason;
}

static bool is_on_right(const struct lava_operation *operation) {
    return lava_operation_row(operation)->qr.on_right;
}

/* The blocks of C Q are rows. */
static struct lava_block_lengths lengths_of(const struct lava_operation *operation, int64_t width) {
    bool on_right = is_on_right(operation);
    int64_t widest = lava_operation_row(operation)->qr.multiplies
                         ? lava_blocking_padded(operation->k, LAVA_BLOCK_COLUMNS_ALIGN)
                         : width;
    return (struct lava_block_lengths){.rows = on_right ? operation->n : operation->m,
                                       .columns = on_right ? operation->m : operation->n,
                                       .width = width,
                                       .slice = lava_minimum(LAVA_BLOCK_COLUMNS_SLICE, widest)};
}

/* Returns the width of the widest block, or of a chunk of right-hand sides where that is wider. */
static int64_t widest_of(const struct lava_operation *operation, const struct lava_block_lengths *lengths) {
    return lava_minimum(lengths->width, lava_maximum(lengths->columns, operation->sides.count));
}

/* Returns the bytes of a block, or of a chunk, of the slices, of tau and of the scratch. */
static uint64_t bytes_of(const struct lava_halving *request, const struct lava_block_lengths *lengths) {
    const struct lava_operation *operation = request->operation;
    enum lava_type type = operation->type;
    int64_t width = widest_of(operation, lengths);
    bool on_right = is_on_right(operation);
    uint64_t block = lava_solve_matrix_bytes(request->device, type, on_right ? width : lengths->rows,
                                             on_right ? lengths->rows : width),
             slice = lava_solve_matrix_bytes(request->device, type, lengths->rows, lengths->slice),
             scratch = scratch_bytes(request->device, type, lengths->rows, width);
    bool fits = block != UINT64_MAX && slice != UINT64_MAX && scratch != UINT64_MAX;
    return fits ? block + LAVA_BLOCK_COLUMNS_SLICES * slice + scratch +
                      (uint64_t)operation->k * lava_type_bytes(type)
                : UINT64_MAX;
}

/* What a block of reflections does to a block column, and the sums over all rows before that; the product
 * with a slice of R. Others fit in their memory, perhaps in smaller blocks. */
static int shapes_of(const struct lava_operation *operation, const struct lava_block_lengths *lengths,
                     struct lava_block_shape shapes[LAVA_BLOCK_SHAPES]) {
    int64_t width = lava_maximum(widest_of(operation, lengths), LAVA_QR_BLOCK),
            rows = lava_maximum(lengths->rows, LAVA_QR_BLOCK);
    int count = 0;
    shapes[count++] = (struct lava_block_shape){{rows, width, LAVA_QR_BLOCK}, false};
    shapes[count++] = (struct lava_block_shape){{LAVA_QR_BLOCK, width, rows}, false};
    if (operation->sides.count > 0)
        shapes[count++] = (struct lava_block_shape){{operation->n, width, lengths->slice}, false};
    return count;
}

/* Returns the time in which so many reflections are applied to so many columns. */
static double apply_ns(const struct lava_block_candidate *candidate, double reflections, double columns) {
    const struct lava_operation *operation = candidate->request->operation;
    double rows = (double)(is_on_right(operation) ? operation->n : operation->m),
           elements = reflections * (rows - reflections / 2),
           blocks = ceil((double)candidate->plan.columns.slice / LAVA_QR_BLOCK),
           real_parts = lava_type_is_complex(operation->type) ? 4 : 1;
    const struct lava_block_pass pass = {.streamed = elements,
                                         .rows = rows,
                                         .flops = real_parts * elements * (4 * columns + LAVA_QR_BLOCK),
                                         .slice_ns = blocks * BLOCK_NS};
    return lava_block_pass_ns(candidate, &pass);
}

/* A block column of QR or of Q, and its own part. */
static double block_column_ns(const struct lava_block_candidate *candidate, int64_t from, int64_t width) {
    const struct lava_halving *request = candidate->request;
    struct lava_operation own = lava_operation_without_sides(request->operation);
    int64_t done = lava_minimum(from, own.k);
    double ns = lava_block_transfer_ns(candidate, (double)own.m * (double)width) +
                apply_ns(candidate, (double)done, (double)width);
    own.m -= from;
    own.n = width;
    own.k = lava_minimum(own.k - done, width);
    return own.k > 0 ? ns + device_ns(request, &own, candidate->plan.flops_per_s) : ns;
}

static double columns_ns(const struct lava_block_candidate *candidate) {
    int64_t each = candidate->plan.columns.width, columns = candidate->request->operation->n;
    double ns = 0;
    for (int64_t from = 0; from < columns; from += each)
        ns += block_column_ns(candidate, from, lava_minimum(each, columns - from));
    return ns;
}

/* So many columns, or rows where Q is on the right, are multiplied in as many chunks as that takes, and,
 * where they are right-hand sides, solved for. */
static double chunks_ns(const struct lava_block_candidate *candidate, int64_t columns) {
    const struct lava_operation *operation = candidate->request->operation;
    double rows = (double)(is_on_right(operation) ? operation->n : operation->m),
           chunks = ceil((double)columns / (double)candidate->plan.columns.width),
           each = (double)columns / chunks, k = (double)operation->k;
    double ns = lava_block_transfer_ns(candidate, rows * each) + apply_ns(candidate, k, each);
    const struct lava_block_pass triangle = {.streamed = k * k / 2,
                                             .rows = rows,
                                             .flops = k * k * each *
                                                      (lava_type_is_complex(operation->type) ? 4 : 1),
                                             .slice_ns = lava_solve_blocks_ns(candidate->plan.columns.slice)};
    return chunks * (operation->sides.count > 0 ? ns + lava_block_pass_ns(candidate, &triangle) : ns);
}

static double gpu_ns(const struct lava_block_candidate *candidate) {
    const struct lava_operation *operation = candidate->request->operation;
    if (lava_operation_row(operation)->qr.multiplies)
        return chunks_ns(candidate, is_on_right(operation) ? operation->m : operation->n);
    double ns = columns_ns(candidate);
    return operation->sides.count > 0 ? ns + chunks_ns(candidate, operation->sides.count) : ns;
}

/* Plans with a block of columns on the device at a time, or of rows where Q is on the right, while the
 * reflections that it needs pass by in slices (lib/lapack/block_reflector.h). Right-hand sides, and the
 * columns of a product with Q on the left, go in chunks of at most as many. */
static enum lava_reason plan_blocks(const struct lava_halving *request, struct lava_plan *plan) {
    const struct lava_operation *operation = request->operation;
    bool on_left = lava_operation_row(operation)->qr.multiplies && !is_on_right(operation);
    const struct lava_block_kind kind = {.least = on_left ? 1 : LAVA_BLOCK_MOST_SHARE,
                                         .sides = on_left ? operation->n : operation->sides.count,
                                         .lengths = lengths_of,
                                         .bytes = bytes_of,
                                         .shapes = shapes_of,
                                         .chain = lava_qr_chain,
                                         .gpu_ns = gpu_ns};
    return lava_block_search(request, &kind, plan);
}

/* A wide matrix does not go by blocks: its buffer would be a second matrix that does not fit a device. */
enum lava_reason lava_qr_plan(const struct lava_operation *operation, const struct lava_capabilities *device,
                              const struct lava_figures *figures, const struct lava_overrides *overrides,
                              lava_solve_product *plan_product, struct lava_plan *plan) {
    const struct lava_operation tall = lava_qr_tall(operation);
    struct lava_halving request;
    enum lava_reason reason = lava_halving_begin(&tall, device, figures, overrides, plan_product, &request);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    reason = overrides->columns_each ? LAVA_REASON_MEMORY : plan_whole(&request, plan);
    if (lava_qr_is_wide(operation)) {
        plan->gpu_ns += reason == LAVA_REASON_FORCED ? buffer_ns(operation) : 0;
        return reason;
    }
    return reason == LAVA_REASON_MEMORY ? plan_blocks(&request, plan) : reason;
}
