/* Plans LU and Cholesky by block columns, and solves with such factors: chooses the width of the block
 * columns, and estimates their time. Wide ones are better: all that was factored before passes by once for
 * each of them. Invariant: a pure function. */
#include "dispatch/block_columns.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/factor_time.h"
#include "dispatch/panels.h"

/* No narrower blocks are tried if memory suffices: a slice would take longer on the bus than at work. A
 * starting value. */
#define LEAST_WIDTH 512
/* Buffers that the device keeps are larger than their matrices: this share of the memory is left for that. */
#define SLACK_SHARE 16
/* The host has a buffer for a block: at most this share of the matrix, unless the block is as narrow as it
 * can be. */
#define MOST_SHARE 8
/* An exchange of two elements in host memory. A starting value. */
#define SWAP_NS 1.0
/* Most products that are planned for a width. */
#define MOST_SHAPES 3

struct lengths {
    int64_t rows;    /* of a slice */
    int64_t columns; /* that are cut into blocks: the matrix's, or, by given factors, the right-hand sides */
    int64_t width, slice;
};

/* A product. is_square: of a square of which the region is written. */
struct shape {
    struct lava_halving_sizes sizes;
    bool is_square;
};

/* A plan whose time is estimated. */
struct candidate {
    const struct lava_halving *request;
    struct lava_plan plan;
    double slice_flops_per_s; /* of the first product, in its blocks */
};

/* Columns are right-hand sides if the factors are given. */
static struct lengths lengths_of(const struct lava_operation *operation, int64_t width) {
    bool is_factored = operation->sides.factored;
    int64_t widest = is_factored ? lava_blocking_padded(operation->n, LAVA_BLOCK_COLUMNS_ALIGN) : width;
    return (struct lengths){.rows = operation->m,
                            .columns = is_factored ? operation->sides.count : operation->n,
                            .width = width,
                            .slice = lava_minimum(LAVA_BLOCK_COLUMNS_SLICE, widest)};
}

/* Returns the bytes of a block column, or of a chunk, of the slices, and of LU's pivots and scratch, with
 * slack; UINT64_MAX if a matrix does not fit a buffer. */
static uint64_t bytes_of(const struct lava_halving *request, const struct lengths *lengths) {
    const struct lava_operation *operation = request->operation;
    uint64_t block = lava_solve_matrix_bytes(request->device, operation->type, lengths->rows,
                                             lava_minimum(lengths->width, lengths->columns));
    uint64_t slice = lava_solve_matrix_bytes(request->device, operation->type, lengths->rows, lengths->slice);
    bool fits = block != UINT64_MAX && slice != UINT64_MAX;
    int64_t words = 0;
    if (lava_operation_row(operation)->pivots)
        words = 4 * operation->k + lava_panels_lu_bytes(operation->type, lengths->rows);
    return fits ? block + LAVA_BLOCK_COLUMNS_SLICES * slice + (uint64_t)words +
                      request->overrides.memory_bytes / SLACK_SHARE
                : UINT64_MAX;
}

/* What takes a slice from a block column, and from its square on the diagonal; within a block column by LU;
 * and the sums over all rows that solves with a transposed triangle take. Others fit in their memory, perhaps
 * in smaller blocks. */
static int shapes_of(const struct lava_operation *operation, const struct lengths *lengths,
                     struct shape shapes[MOST_SHAPES]) {
    int64_t m = lengths->rows, width = lengths->width, half = lava_halving_half(width);
    bool is_upper = operation->c.region == LAVA_REGION_UPPER, is_lu = lava_operation_row(operation)->pivots;
    bool is_factored = operation->sides.factored;
    int count = 0;
    shapes[count++] = (struct shape){{m, width, lengths->slice}, false};
    if (is_lu && !is_factored)
        shapes[count++] = (struct shape){{m, half, half}, false};
    if (!is_lu && !is_factored)
        shapes[count++] = (struct shape){{width, width, lengths->slice}, true};
    if (is_upper || operation->sides.count > 0)
        shapes[count++] = (struct shape){{lengths->slice, width, m}, false};
    return count;
}

/* Plans the product that needs the most memory. What is left of it for blocks decides how fast the products
 * are. */
static enum lava_reason plan_products(const struct lengths *lengths, struct candidate *candidate) {
    const struct lava_halving *request = candidate->request;
    struct lava_operation whole = *request->operation;
    struct shape shapes[MOST_SHAPES];
    const struct lava_plan before = candidate->plan;
    uint64_t bytes = bytes_of(request, lengths);
    int count = shapes_of(request->operation, lengths, shapes);
    whole.c.region = LAVA_REGION_ALL;
    for (int i = 0; i < count; i++) {
        bool is_square = shapes[i].is_square;
        struct lava_operation product =
            lava_halving_product(is_square ? request->operation : &whole, &shapes[i].sizes, is_square);
        struct lava_plan one = before;
        enum lava_reason reason = lava_halving_plan(request, &product, true, bytes, &one);
        if (reason != LAVA_REASON_FORCED)
            return reason;
        if (i == 0)
            candidate->slice_flops_per_s = 1e9 * lava_operation_flops(&product) / one.gpu_ns;
        if (i == 0 || one.chunks.product_bytes > candidate->plan.chunks.product_bytes)
            candidate->plan = one;
    }
    return LAVA_REASON_FORCED;
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

/* Returns the time in which `streamed` elements of slices pass by, while the device works. */
static double pass_ns(const struct candidate *candidate, double streamed, double flops) {
    const struct lava_halving *request = candidate->request;
    int64_t slice = candidate->plan.columns.slice;
    double slices = ceil(streamed / ((double)request->operation->m * (double)slice));
    double device_ns = 1e9 * flops / candidate->slice_flops_per_s + slices * lava_solve_blocks_ns(slice);
    return fmax(1e9 * streamed * (double)lava_type_bytes(request->operation->type) /
                    request->rates.upload_bytes_per_s,
                device_ns);
}

/* Returns the time of the elements that go up, and come down again. */
static double transfer_ns(const struct candidate *candidate, double elements) {
    double bytes = elements * (double)lava_type_bytes(candidate->request->operation->type);
    const struct lava_rates *rates = &candidate->request->rates;
    return 1e9 * bytes / rates->upload_bytes_per_s + 1e9 * bytes / rates->download_bytes_per_s +
           lava_cost_last_write_ns(bytes);
}

static double factor_ns(const struct candidate *candidate) {
    const struct lava_operation *operation = candidate->request->operation;
    int64_t each = candidate->plan.columns.width;
    double ns = 0;
    for (int64_t from = 0; from < operation->n; from += each) {
        const struct step step = step_at(operation, from, lava_minimum(each, operation->n - from));
        ns += transfer_ns(candidate, step.elements) + pass_ns(candidate, step.streamed, step.flops);
        if (step.factored.k > 0)
            ns += lava_factor_time_ns(candidate->request, &step.factored, candidate->plan.flops_per_s);
        if (lava_operation_row(operation)->pivots)
            ns += SWAP_NS * (double)from * (double)step.factored.k;
    }
    return ns;
}

/* Two triangles pass by for each chunk. */
static double sides_ns(const struct candidate *candidate) {
    const struct lava_operation *operation = candidate->request->operation;
    double n = (double)operation->n, sides = (double)operation->sides.count,
           chunks = ceil(sides / (double)candidate->plan.chunks.sides), each = sides / chunks;
    double flops = n * n * each * (lava_type_is_complex(operation->type) ? 4 : 1);
    return chunks * (transfer_ns(candidate, n * each) + 2 * pass_ns(candidate, n * n / 2, flops));
}

static double gpu_ns(const struct candidate *candidate) {
    const struct lava_operation *operation = candidate->request->operation;
    return (operation->sides.factored ? 0 : factor_ns(candidate)) +
           (operation->sides.count > 0 ? sides_ns(candidate) : 0);
}

/* Plans blocks of that width, with slices as wide as fit. Keeps the plan in *best if its estimate is lower.
 */
static enum lava_reason consider(const struct lava_halving *request, int64_t width,
                                 const struct lava_plan *empty, struct lava_plan *best) {
    const struct lava_operation parts = lava_operation_of_parts(request->operation);
    struct lengths lengths = lengths_of(request->operation, width);
    struct candidate candidate = {.request = request, .plan = *empty};
    if (request->overrides.columns_each)
        lengths.slice = lava_minimum(lengths.slice, width);
    enum lava_reason reason = plan_products(&lengths, &candidate);
    while (reason == LAVA_REASON_MEMORY && lengths.slice > LAVA_BLOCK_COLUMNS_ALIGN) {
        lengths.slice = lava_blocking_padded(lengths.slice / 2, LAVA_BLOCK_COLUMNS_ALIGN);
        candidate.plan = *empty;
        reason = plan_products(&lengths, &candidate);
    }
    if (reason != LAVA_REASON_FORCED)
        return reason;
    candidate.plan.columns = (struct lava_block_columns){.width = width, .slice = lengths.slice};
    int64_t sides = request->operation->sides.count;
    if (sides > 0) { /* a chunk takes no more memory than a block */
        candidate.plan.chunks.sides = lava_minimum(sides, width);
        candidate.plan.chunks.held = 1;
    }
    candidate.plan.gpu_ns = fmax(lava_cost_start_ns(&request->rates) + gpu_ns(&candidate),
                                 lava_cost_least_ns(&parts, &request->rates, candidate.plan.flops_per_s));
    if (!best->kernel || candidate.plan.gpu_ns < best->gpu_ns)
        *best = candidate.plan;
    return LAVA_REASON_FORCED;
}

enum lava_reason lava_block_columns_plan(const struct lava_halving *request, struct lava_plan *plan) {
    const struct lengths all = lengths_of(request->operation, LAVA_BLOCK_COLUMNS_ALIGN);
    int64_t forced = request->overrides.columns_each, before = 0;
    struct lava_plan best = {.kernel = NULL};
    enum lava_reason reason = LAVA_REASON_MEMORY;
    for (int64_t count = request->operation->sides.factored ? 1 : MOST_SHARE;
         before != LAVA_BLOCK_COLUMNS_ALIGN; count += lava_maximum(count / 2, 1)) {
        int64_t width = lava_blocking_padded((all.columns - 1) / count + 1, LAVA_BLOCK_COLUMNS_ALIGN);
        width = forced ? forced : width;
        if (best.kernel && (width < LEAST_WIDTH || forced))
            break;
        if (width != before)
            reason = consider(request, width, plan, &best);
        if (reason == LAVA_REASON_NO_KERNEL || forced)
            break;
        before = width;
    }
    if (!best.kernel)
        return reason;
    *plan = best;
    return LAVA_REASON_FORCED;
}
