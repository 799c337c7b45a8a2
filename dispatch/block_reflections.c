/* Estimates the time of QR by block columns, and of what is made with Q: what the search of block_search.c
 * needs to know of them. The reflections that a block needs pass by once for each. Invariant: a pure
 * function.
 */
#include "dispatch/block_reflections.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/block_search.h"
#include "dispatch/qr_time.h"

static bool is_on_right(const struct lava_operation *operation) {
    return operation->kind == LAVA_OPERATION_QR_RIGHT;
}

/* The blocks of C Q are rows. */
static struct lava_block_lengths lengths_of(const struct lava_operation *operation, int64_t width) {
    bool on_right = is_on_right(operation);
    int64_t widest = lava_operation_is_qr_product(operation)
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
             scratch = lava_qr_scratch_bytes(request->device, type, lengths->rows, width);
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
                                         .slice_ns = blocks * LAVA_QR_BLOCK_NS};
    return lava_block_pass_ns(candidate, &pass);
}

/* A block column of QR or of Q, and its own part. */
static double column_ns(const struct lava_block_candidate *candidate, int64_t from, int64_t width) {
    const struct lava_halving *request = candidate->request;
    struct lava_operation own = lava_operation_without_sides(request->operation);
    int64_t done = lava_minimum(from, own.k);
    double ns = lava_block_transfer_ns(candidate, (double)own.m * (double)width) +
                apply_ns(candidate, (double)done, (double)width);
    own.m -= from;
    own.n = width;
    own.k = lava_minimum(own.k - done, width);
    return own.k > 0 ? ns + lava_qr_time_ns(request, &own, candidate->plan.flops_per_s) : ns;
}

static double columns_ns(const struct lava_block_candidate *candidate) {
    int64_t each = candidate->plan.columns.width, columns = candidate->request->operation->n;
    double ns = 0;
    for (int64_t from = 0; from < columns; from += each)
        ns += column_ns(candidate, from, lava_minimum(each, columns - from));
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
    if (lava_operation_is_qr_product(operation))
        return chunks_ns(candidate, is_on_right(operation) ? operation->m : operation->n);
    double ns = columns_ns(candidate);
    return operation->sides.count > 0 ? ns + chunks_ns(candidate, operation->sides.count) : ns;
}

enum lava_reason lava_block_reflections_plan(const struct lava_halving *request, struct lava_plan *plan) {
    const struct lava_operation *operation = request->operation;
    bool on_left = operation->kind == LAVA_OPERATION_QR_LEFT;
    const struct lava_block_kind kind = {.least = on_left ? 1 : LAVA_BLOCK_MOST_SHARE,
                                         .sides = on_left ? operation->n : operation->sides.count,
                                         .lengths = lengths_of,
                                         .bytes = bytes_of,
                                         .shapes = shapes_of,
                                         .gpu_ns = gpu_ns};
    return lava_block_search(request, &kind, plan);
}
