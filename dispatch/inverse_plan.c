/* Estimates the times of inverses, and plans their products. The matrix is halved down to blocks that have
 * kernels of their own, with a product and a solve for each rectangle (lib/lapack/device_inverse.h).
 * Invariant: a pure function; no estimate is below lava_cost_least_ns. */
#include "dispatch/inverse_plan.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/block_search.h"

struct lava_inverse_parts lava_inverse_parts(const struct lava_operation *operation) {
    return lava_operation_row(operation)->inverse;
}

/* A solve with all columns takes three times as much as a triangle's inverse. */
double lava_inverse_flops(const struct lava_operation *operation) {
    const struct lava_inverse_parts parts = lava_inverse_parts(operation);
    double m = (double)operation->m, n = (double)operation->n, k = (double)operation->k;
    return lava_operation_pair_flops(operation) * lava_triangle_of(m, n) * (k + 2) / 3 *
           (parts.inverts + parts.squares + 3 * parts.solves);
}

/* What the first half adds to the rest of the matrix. By LU all rows are solved for at once. */
static struct lava_operation largest_product(const struct lava_operation *operation) {
    const struct lava_inverse_parts parts = lava_inverse_parts(operation);
    int64_t n = operation->n, half = lava_halving_half(n);
    if (parts.squares)
        half = lava_maximum(half, lava_minimum(n, LAVA_INVERSE_SQUARE));
    int64_t rest = lava_maximum(n - half, half);
    const struct lava_halving_sizes sizes = {.m = parts.solves ? n : rest, .n = rest, .k = half};
    return lava_halving_product(operation, &sizes, parts.squares);
}

/* Returns the time of everything whose number does not depend on the rows. A product with the triangle of a
 * half takes as long as a solve with it. A triangle's inverse has one at each halving, and a product; its
 * product with itself has the same, and a product for each block. */
static double steps_ns(const struct lava_inverse_parts *parts, int64_t n) {
    int64_t blocks = lava_solve_blocks(n), squares = (n - 1) / LAVA_INVERSE_SQUARE + 1;
    double halves_ns = lava_solve_blocks_ns(lava_halving_solve_blocks(blocks) * LAVA_SOLVE_ORDER), ns = 0;
    if (parts->inverts)
        ns += (double)blocks * LAVA_HALVING_BLOCK_NS + (double)(blocks - 1) * LAVA_HALVING_PRODUCT_NS +
              halves_ns;
    if (parts->squares)
        ns += (double)(2 * squares - 1) * LAVA_HALVING_PRODUCT_NS + halves_ns;
    return ns + (parts->solves ? lava_solve_blocks_ns(n) : 0);
}

/* How often all of a triangle is read and written for each halving, and all of the matrix. The inverse also
 * solves with the columns that are there, at each block. */
static double moved_bytes(const struct lava_inverse_parts *parts, const struct lava_operation *operation) {
    double bytes = lava_operation_operand_bytes(operation),
           triangle_bytes = operation->c.region == LAVA_REGION_ALL ? bytes / 2 : bytes;
    double passes = LAVA_HALVING_PASSES * ((parts->inverts ? 2 : 0) + (parts->squares ? 1 : 0));
    return (passes * triangle_bytes + (parts->solves ? LAVA_SOLVE_PASSES : 0) * bytes) *
           ceil(log2((double)lava_solve_blocks(operation->n)));
}

/* Returns the device's time between the upload and the download. The CPU records ahead of the device. */
static double device_ns(const struct lava_halving *request, double flops_per_s) {
    const struct lava_operation *operation = request->operation;
    const struct lava_inverse_parts parts = lava_inverse_parts(operation);
    int64_t blocks = lava_solve_blocks(operation->n), halves = lava_halving_solve_blocks(blocks);
    int64_t recorded = blocks + (parts.inverts ? halves + blocks : 0) + (parts.squares ? halves : 0) +
                       (parts.solves ? blocks : 0);
    double compute_ns = 1e9 * lava_operation_flops(operation) / flops_per_s +
                        1e9 * moved_bytes(&parts, operation) / request->rates.memory_bytes_per_s +
                        steps_ns(&parts, operation->n);
    return fmax(compute_ns, (double)recorded * LAVA_SOLVE_RECORD_NS);
}

/* The copy threads copy the buffer that collects inverses by factors: the bytes of the result. */
static double buffer_ns(const struct lava_operation *operation) {
    const struct lava_inverse_parts parts = lava_inverse_parts(operation);
    bool has_buffer = parts.inverts && (parts.squares || parts.solves);
    return has_buffer ? 1e9 * lava_operation_operand_bytes(operation) / LAVA_HALVING_BUFFER_BYTES_PER_S : 0;
}

/* Plans with the whole matrix on the device. */
static enum lava_reason plan_whole(const struct lava_halving *request, struct lava_plan *plan) {
    const struct lava_operation *operation = request->operation;
    const struct lava_operation product = largest_product(operation);
    const struct lava_inverse_parts parts = lava_inverse_parts(operation);
    bool has_products = operation->n > LAVA_SOLVE_ORDER || parts.squares;
    uint64_t bytes = lava_solve_matrix_bytes(request->device, operation->type, operation->n, operation->n);
    if (parts.solves && bytes < UINT64_MAX / 2)
        bytes *= 2; /* U's inverse, and what is solved for */
    enum lava_reason reason = lava_halving_plan(request, &product, has_products, bytes, plan);
    if (reason == LAVA_REASON_FORCED)
        plan->gpu_ns =
            lava_halving_gpu_ns(request, device_ns(request, plan->flops_per_s), plan->flops_per_s) +
            buffer_ns(operation);
    return reason;
}

static struct lava_block_lengths lengths_of(const struct lava_operation *operation, int64_t width) {
    return (struct lava_block_lengths){.rows = operation->n,
                                       .columns = operation->n,
                                       .width = width,
                                       .slice = lava_minimum(LAVA_BLOCK_COLUMNS_SLICE, width)};
}

/* Returns the bytes of a block column and of the slices. The inverse by LU has a block column of L and one of
 * X; products of a triangle with itself have scratch. */
static uint64_t bytes_of(const struct lava_halving *request, const struct lava_block_lengths *lengths) {
    const struct lava_operation *operation = request->operation;
    const struct lava_inverse_parts parts = lava_inverse_parts(operation);
    int64_t scratch = lava_minimum(LAVA_INVERSE_SQUARE, lengths->width);
    uint64_t block = lava_solve_matrix_bytes(request->device, operation->type, lengths->rows,
                                             lava_minimum(lengths->width, lengths->columns)),
             slice = lava_solve_matrix_bytes(request->device, operation->type, lengths->rows, lengths->slice),
             square = lava_solve_matrix_bytes(request->device, operation->type, scratch, scratch);
    if (block == UINT64_MAX || slice == UINT64_MAX)
        return UINT64_MAX;
    return (parts.solves ? 2 : 1) * block + LAVA_BLOCK_COLUMNS_SLICES * slice + (parts.squares ? square : 0);
}

/* What a slice does to a block column; what the halves of the square on the diagonal do; and what is added to
 * the square, or it becomes of itself. In lower triangles' products with themselves the sums
 * are over all rows below. Others fit in their memory, perhaps in smaller blocks. */
static int shapes_of(const struct lava_operation *operation, const struct lava_block_lengths *lengths,
                     struct lava_block_shape shapes[LAVA_BLOCK_SHAPES]) {
    int64_t n = lengths->rows, width = lengths->width, half = lava_halving_half(width),
            slice = lengths->slice;
    int64_t own = lava_maximum(half, lava_minimum(width, LAVA_INVERSE_SQUARE));
    bool squares = lava_inverse_parts(operation).squares, is_lower = operation->c.region == LAVA_REGION_LOWER;
    int count = 0;
    shapes[count++] = (struct lava_block_shape){{n, width, slice}, false};
    shapes[count++] = (struct lava_block_shape){{n, half, half}, false};
    if (squares)
        shapes[count++] = (struct lava_block_shape){{width, width, lava_maximum(slice, own)}, true};
    if (squares && is_lower)
        shapes[count++] = (struct lava_block_shape){{slice, width, n}, false};
    return count;
}

/* What a step does with the block column from `from` on: elements that are uploaded and downloaded, elements
 * of the slices, and operations with them and with the block column alone. */
struct work {
    double elements, streamed, flops, own_flops;
};

/* Columns, or rows beside and below the diagonal, before a block, in it and after it. */
struct place {
    double before, width, after;
};

/* On the diagonal: half of what a general block takes, and its inverse, or its product with itself. */
static double own_flops(double beside, double width) {
    return beside * width * width + width * width * width / 3;
}

/* A lower triangle's block columns have as much to do, in the other order. */
static struct work invert_at(struct place at) {
    return (struct work){.elements = (at.before + at.width) * at.width,
                         .streamed = at.before * at.before / 2,
                         .flops = at.before * at.before * at.width,
                         .own_flops = own_flops(at.before, at.width)};
}

static struct work square_upper_at(struct place at) {
    return (struct work){.elements = (at.before + at.width) * at.width,
                         .streamed = (at.before + at.width) * at.after,
                         .flops = (2 * at.before + at.width) * at.width * at.after,
                         .own_flops = own_flops(at.before, at.width)};
}

static struct work square_lower_at(struct place at) {
    return (struct work){.elements = (at.width + at.after) * at.width,
                         .streamed = at.after * at.after / 2,
                         .flops = (at.after + at.width) * at.after * at.width,
                         .own_flops = own_flops(0, at.width)};
}

static struct work solve_at(struct place at) {
    double n = at.before + at.width + at.after;
    return (struct work){.elements = n * at.width,
                         .streamed = n * at.after,
                         .flops = 2 * n * at.width * at.after,
                         .own_flops = n * at.width * at.width};
}

typedef struct work work_at(struct place at);

/* The time of a block's halves, each with a product and a solve or a product with a triangle. */
static double halves_ns(int64_t width) {
    return (double)lava_solve_blocks(width) * (LAVA_HALVING_BLOCK_NS + LAVA_HALVING_PRODUCT_NS) +
           2 * lava_solve_blocks_ns(width);
}

static double step_ns(const struct lava_block_candidate *candidate, work_at *at) {
    const struct lava_operation *operation = candidate->request->operation;
    int64_t each = candidate->plan.columns.width, n = operation->n;
    double real_parts = lava_type_is_complex(operation->type) ? 4 : 1, ns = 0;
    for (int64_t from = 0; from < n; from += each) {
        int64_t width = lava_minimum(each, n - from);
        const struct work work = at((struct place){(double)from, (double)width, (double)(n - from - width)});
        const struct lava_block_pass pass = {.streamed = work.streamed,
                                             .rows = (double)n,
                                             .flops = real_parts * work.flops,
                                             .slice_ns = lava_solve_blocks_ns(candidate->plan.columns.slice)};
        ns += lava_block_transfer_ns(candidate, work.elements) + lava_block_pass_ns(candidate, &pass) +
              1e9 * real_parts * work.own_flops / candidate->plan.flops_per_s + halves_ns(width);
    }
    return ns;
}

static double gpu_ns(const struct lava_block_candidate *candidate) {
    const struct lava_operation *operation = candidate->request->operation;
    const struct lava_inverse_parts parts = lava_inverse_parts(operation);
    bool is_lower = operation->c.region == LAVA_REGION_LOWER;
    double ns = parts.inverts ? step_ns(candidate, invert_at) : 0;
    if (parts.squares)
        ns += step_ns(candidate, is_lower ? square_lower_at : square_upper_at);
    return parts.solves ? ns + step_ns(candidate, solve_at) : ns;
}

/* Plans with a block of columns on the device at a time. What it needs of the others passes by in slices
 * (lib/lapack/block_inverter.h). */
static enum lava_reason plan_blocks(const struct lava_halving *request, struct lava_plan *plan) {
    const struct lava_block_kind kind = {.least = LAVA_BLOCK_MOST_SHARE,
                                         .lengths = lengths_of,
                                         .bytes = bytes_of,
                                         .shapes = shapes_of,
                                         .gpu_ns = gpu_ns};
    return lava_block_search(request, &kind, plan);
}

enum lava_reason lava_inverse_plan(const struct lava_operation *operation,
                                   const struct lava_capabilities *device, const struct lava_figures *figures,
                                   const struct lava_overrides *overrides, lava_solve_product *plan_product,
                                   struct lava_plan *plan) {
    struct lava_halving request;
    enum lava_reason reason =
        lava_halving_begin(operation, device, figures, overrides, plan_product, &request);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    reason = overrides->columns_each ? LAVA_REASON_MEMORY : plan_whole(&request, plan);
    return reason == LAVA_REASON_MEMORY ? plan_blocks(&request, plan) : reason;
}
