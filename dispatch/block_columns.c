/* Estimates the time of LU and Cholesky by block columns, and of solves with such factors: what the search of
 * block_search.c needs to know of them. All that was factored before passes by once for each block column.
 * Invariant: a pure function. */
#include "dispatch/block_columns.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/block_search.h"
#include "dispatch/factor_time.h"
#include "dispatch/panels.h"

/* An exchange of two elements in host memory. A starting value. */
#define SWAP_NS 1.0

/* Columns are right-hand sides where the factors are given. */
static struct lava_block_lengths lengths_of(const struct lava_operation *operation, int64_t width) {
    bool is_factored = operation->sides.factored;
    int64_t widest = is_factored ? lava_blocking_padded(operation->n, LAVA_BLOCK_COLUMNS_ALIGN) : width;
    return (struct lava_block_lengths){.rows = operation->m,
                                       .columns = is_factored ? operation->sides.count : operation->n,
                                       .width = width,
                                       .slice = lava_minimum(LAVA_BLOCK_COLUMNS_SLICE, widest)};
}

/* Returns the bytes of a block column, or of a chunk, of the slices, and of LU's pivots and scratch. */
static uint64_t bytes_of(const struct lava_halving *request, const struct lava_block_lengths *lengths) {
    const struct lava_operation *operation = request->operation;
    uint64_t block = lava_solve_matrix_bytes(request->device, operation->type, lengths->rows,
                                             lava_minimum(lengths->width, lengths->columns));
    uint64_t slice = lava_solve_matrix_bytes(request->device, operation->type, lengths->rows, lengths->slice);
    bool fits = block != UINT64_MAX && slice != UINT64_MAX;
    int64_t words = 0;
    if (lava_operation_row(operation)->pivots)
        words = 4 * operation->k + lava_panels_lu_bytes(operation->type, lengths->rows);
    return fits ? block + LAVA_BLOCK_COLUMNS_SLICES * slice + (uint64_t)words : UINT64_MAX;
}

/* What takes a slice from a block column, and from its square on the diagonal; within a block column by LU;
 * and the sums over all rows that solves with a transposed triangle take. Others fit in their memory, perhaps
 * in smaller blocks. */
static int shapes_of(const struct lava_operation *operation, const struct lava_block_lengths *lengths,
                     struct lava_block_shape shapes[LAVA_BLOCK_SHAPES]) {
    int64_t m = lengths->rows, width = lengths->width, half = lava_halving_half(width);
    bool is_upper = operation->c.region == LAVA_REGION_UPPER, is_lu = lava_operation_row(operation)->pivots;
    bool is_factored = operation->sides.factored;
    int count = 0;
    shapes[count++] = (struct lava_block_shape){{m, width, lengths->slice}, false};
    if (is_lu && !is_factored)
        shapes[count++] = (struct lava_block_shape){{m, half, half}, false};
    if (!is_lu && !is_factored)
        shapes[count++] = (struct lava_block_shape){{width, width, lengths->slice}, true};
    if (is_upper || operation->sides.count > 0)
        shapes[count++] = (struct lava_block_shape){{lengths->slice, width, m}, false};
    return count;
}

/* A block column from `from` on: what is transferred and computed. */
struct step {
    double elements;                /* of the block column: uploaded, and downloaded */
    double streamed;                /* elements of the slices */
    double flops;                   /* of the slices' work */
    struct lava_operation factored; /* what the block column's own part is; no rows: nothing */
};

static struct step step_at(const struct lava_operation *operation, int64_t from, int64_t width) {
    struct step step = {.factored = lava_operation_without_sides(operation)};
    int64_t done = lava_minimum(from, operation->k), rest = operation->m - from;
    double m = (double)operation->m, w = (double)width, j = (double)done, below = (double)rest;
    step.factored.n = width;
    step.factored.m = lava_operation_row(operation)->pivots ? lava_maximum(rest, 0) : width;
    step.factored.k = lava_minimum(step.factored.m, width);
    if (lava_operation_row(operation)->pivots)
        step = (struct step){m * w, j * (m - j / 2), j * w * (2 * m - j), step.factored};
    else if (operation->c.region == LAVA_REGION_LOWER)
        step = (struct step){below * w, below * j, (2 * j * below + w * (below - w)) * w, step.factored};
    else
        step = (struct step){(j + w) * w, j * j / 2, j * (j + w) * w, step.factored};
    if (lava_type_is_complex(operation->type))
        step.flops *= 4;
    return step;
}

/* Returns the time in which so many elements pass by, while the device works. */
static double pass_ns(const struct lava_block_candidate *candidate, double streamed, double flops) {
    const struct lava_block_pass pass = {.streamed = streamed,
                                         .rows = (double)candidate->request->operation->m,
                                         .flops = flops,
                                         .slice_ns = lava_solve_blocks_ns(candidate->plan.columns.slice)};
    return lava_block_pass_ns(candidate, &pass);
}

static double factor_ns(const struct lava_block_candidate *candidate) {
    const struct lava_operation *operation = candidate->request->operation;
    int64_t each = candidate->plan.columns.width;
    double ns = 0;
    for (int64_t from = 0; from < operation->n; from += each) {
        const struct step step = step_at(operation, from, lava_minimum(each, operation->n - from));
        ns +=
            lava_block_transfer_ns(candidate, step.elements) + pass_ns(candidate, step.streamed, step.flops);
        if (step.factored.k > 0)
            ns += lava_factor_time_ns(candidate->request, &step.factored, candidate->plan.flops_per_s);
        if (lava_operation_row(operation)->pivots)
            ns += SWAP_NS * (double)from * (double)step.factored.k;
    }
    return ns;
}

/* Two triangles pass by for each chunk. */
static double sides_ns(const struct lava_block_candidate *candidate) {
    const struct lava_operation *operation = candidate->request->operation;
    double n = (double)operation->n, sides = (double)operation->sides.count,
           chunks = ceil(sides / (double)candidate->plan.chunks.sides), each = sides / chunks;
    double flops = n * n * each * (lava_type_is_complex(operation->type) ? 4 : 1);
    return chunks * (lava_block_transfer_ns(candidate, n * each) + 2 * pass_ns(candidate, n * n / 2, flops));
}

static double gpu_ns(const struct lava_block_candidate *candidate) {
    const struct lava_operation *operation = candidate->request->operation;
    return (operation->sides.factored ? 0 : factor_ns(candidate)) +
           (operation->sides.count > 0 ? sides_ns(candidate) : 0);
}

enum lava_reason lava_block_columns_plan(const struct lava_halving *request, struct lava_plan *plan) {
    const struct lava_block_kind kind = {.least =
                                             request->operation->sides.factored ? 1 : LAVA_BLOCK_MOST_SHARE,
                                         .sides = request->operation->sides.count,
                                         .lengths = lengths_of,
                                         .bytes = bytes_of,
                                         .shapes = shapes_of,
                                         .gpu_ns = gpu_ns};
    return lava_block_search(request, &kind, plan);
}
