/* Chooses the width of block columns, and estimates the time. Wide ones are better: all that was factored
 * before passes by once for each of them. Invariant: a pure function; no estimate is below
 * lava_cost_least_ns. */
#include "dispatch/block_columns.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/factor_time.h"

/* No narrower blocks are tried where memory suffices: a slice would take longer on the bus than at work. A
 * starting value. */
#define LEAST_WIDTH 512
/* A block column is read and written this many times for each slice: multiply writes the sums, the update
 * reads them and the block column, and writes that. */
#define SLICE_PASSES 4.0
/* An exchange of two elements in host memory. A starting value. */
#define SWAP_NS 1.0
/* Products that are planned, see below. */
#define SHAPES 3

struct lengths {
    int64_t rows, columns; /* of the matrix; columns are right-hand sides where the factors are given */
    int64_t width, slice;
};

static struct lengths lengths_of(const struct lava_operation *operation, int64_t width) {
    bool is_factored = lava_operation_is_factored(operation);
    int64_t widest = is_factored ? lava_blocking_padded(operation->n, LAVA_BLOCK_COLUMNS_ALIGN) : width;
    return (struct lengths){.rows = operation->m,
                            .columns = is_factored ? operation->sides.count : operation->n,
                            .width = width,
                            .slice = lava_minimum(LAVA_BLOCK_COLUMNS_SLICE, widest)};
}

/* Returns the most right-hand sides of a chunk: a chunk takes no more memory than a block column. */
static int64_t sides_each(const struct lava_operation *operation, const struct lengths *lengths) {
    return lava_minimum(operation->sides.count, lengths->width);
}

/* Returns the bytes of a block column, or of a chunk, and of the slices; UINT64_MAX where one does not fit a
 * buffer. */
static uint64_t matrices_bytes(const struct lava_halving *request, const struct lengths *lengths) {
    const struct lava_operation *operation = request->operation;
    uint64_t block = lava_solve_matrix_bytes(request->device, operation->type, lengths->rows,
                                             lava_minimum(lengths->width, lengths->columns));
    uint64_t slice = lava_solve_matrix_bytes(request->device, operation->type, lengths->rows, lengths->slice);
    bool fits = block != UINT64_MAX && slice != UINT64_MAX;
    return fits ? block + LAVA_BLOCK_COLUMNS_SLICES * slice : UINT64_MAX;
}

/* What takes a slice from a block column; within a block column by LU; and the sums over all rows that U'
 * takes, and solves with a transposed triangle. Others fit in their memory, perhaps in smaller blocks. */
static int shapes_of(const struct lava_operation *operation, const struct lengths *lengths,
                     struct lava_halving_sizes shapes[SHAPES]) {
    int64_t m = lengths->rows, width = lengths->width, half = lava_halving_half(width);
    bool is_upper = operation->c.region == LAVA_REGION_UPPER;
    int count = 0;
    shapes[count++] = (struct lava_halving_sizes){m, width, lengths->slice};
    if (operation->kind == LAVA_OPERATION_LU && !lava_operation_is_factored(operation))
        shapes[count++] = (struct lava_halving_sizes){m, half, half};
    if (is_upper || operation->sides.count > 0)
        shapes[count++] = (struct lava_halving_sizes){lava_maximum(width, lengths->slice), width, m};
    return count;
}

/* Plans the product that needs the most memory. */
static enum lava_reason plan_products(const struct lava_halving *request, const struct lengths *lengths,
                                      struct lava_plan *plan) {
    struct lava_operation whole = *request->operation;
    struct lava_halving_sizes shapes[SHAPES];
    const struct lava_plan before = *plan;
    uint64_t bytes = matrices_bytes(request, lengths);
    int count = shapes_of(request->operation, lengths, shapes);
    whole.c.region = LAVA_REGION_ALL;
    for (int i = 0; i < count; i++) {
        const struct lava_operation product = lava_halving_product(&whole, &shapes[i], false);
        struct lava_plan one = before;
        enum lava_reason reason = lava_halving_plan(request, &product, true, bytes, &one);
        if (reason != LAVA_REASON_FORCED)
            return reason;
        if (i == 0 || one.chunks.product_bytes > plan->chunks.product_bytes)
            *plan = one;
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
    step.factored.m = operation->kind == LAVA_OPERATION_LU ? lava_maximum(rest, 0) : width;
    step.factored.k = lava_minimum(step.factored.m, width);
    if (operation->kind == LAVA_OPERATION_LU)
        step = (struct step){m * w, j * (m - j / 2), j * w * (2 * m - j), step.factored};
    else if (operation->c.region == LAVA_REGION_LOWER)
        step = (struct step){below * w, below * j, (2 * j * below + w * (below - w)) * w, step.factored};
    else
        step = (struct step){(j + w) * w, j * j / 2, j * (j + w) * w, step.factored};
    if (lava_type_is_complex(operation->type))
        step.flops *= 4;
    return step;
}

/* Returns the time of passing `streamed` elements by so many elements on the device. */
static double pass_ns(const struct lava_halving *request, const struct lava_plan *plan, double streamed,
                      double elements, double flops) {
    double bytes = (double)lava_type_bytes(request->operation->type);
    double slices = ceil(streamed / ((double)request->operation->m * (double)plan->columns.slice));
    double device_ns = 1e9 * flops / plan->flops_per_s +
                       1e9 * slices * SLICE_PASSES * elements * bytes / request->rates.memory_bytes_per_s +
                       slices * lava_solve_blocks_ns(plan->columns.slice);
    return fmax(1e9 * streamed * bytes / request->rates.upload_bytes_per_s, device_ns);
}

/* What goes up comes down again. */
static double transfer_ns(const struct lava_halving *request, double elements) {
    double bytes = elements * (double)lava_type_bytes(request->operation->type);
    const struct lava_rates *rates = &request->rates;
    return 1e9 * bytes / rates->upload_bytes_per_s + 1e9 * bytes / rates->download_bytes_per_s +
           lava_cost_last_write_ns(bytes);
}

static double factor_ns(const struct lava_halving *request, const struct lava_plan *plan) {
    const struct lava_operation *operation = request->operation;
    double ns = 0;
    for (int64_t from = 0; from < operation->n; from += plan->columns.width) {
        int64_t width = lava_minimum(plan->columns.width, operation->n - from);
        const struct step step = step_at(operation, from, width);
        ns += transfer_ns(request, step.elements) +
              pass_ns(request, plan, step.streamed, step.elements, step.flops);
        if (step.factored.k > 0)
            ns += lava_factor_time_ns(request, &step.factored, plan->flops_per_s);
        if (operation->kind == LAVA_OPERATION_LU)
            ns += SWAP_NS * (double)from * (double)step.factored.k;
    }
    return ns;
}

/* Two triangles pass by for each chunk. */
static double sides_ns(const struct lava_halving *request, const struct lava_plan *plan) {
    const struct lava_operation *operation = request->operation;
    double n = (double)operation->n, sides = (double)operation->sides.count,
           chunks = ceil(sides / (double)plan->chunks.sides), each = sides / chunks;
    double flops = n * n * each * (lava_type_is_complex(operation->type) ? 4 : 1);
    return chunks * (transfer_ns(request, n * each) + 2 * pass_ns(request, plan, n * n / 2, n * each, flops));
}

static double gpu_ns(const struct lava_halving *request, const struct lava_plan *plan) {
    const struct lava_operation *operation = request->operation;
    const struct lava_operation parts = lava_operation_of_parts(operation);
    double ns = lava_cost_start_ns(&request->rates);
    if (!lava_operation_is_factored(operation))
        ns += factor_ns(request, plan);
    if (operation->sides.count > 0)
        ns += sides_ns(request, plan);
    return fmax(ns, lava_cost_least_ns(&parts, &request->rates, plan->flops_per_s));
}

/* Plans blocks of that width. Keeps the plan in *best if its estimate is lower. */
static enum lava_reason consider(const struct lava_halving *request, int64_t width,
                                 const struct lava_plan *empty, struct lava_plan *best) {
    const struct lengths lengths = lengths_of(request->operation, width);
    struct lava_plan plan = *empty;
    enum lava_reason reason = plan_products(request, &lengths, &plan);
    if (reason != LAVA_REASON_FORCED)
        return reason;
    plan.columns = (struct lava_block_columns){.width = width, .slice = lengths.slice};
    if (request->operation->sides.count > 0) {
        plan.chunks.sides = sides_each(request->operation, &lengths);
        plan.chunks.held = 1;
    }
    plan.gpu_ns = gpu_ns(request, &plan);
    if (!best->kernel || plan.gpu_ns < best->gpu_ns)
        *best = plan;
    return LAVA_REASON_FORCED;
}

enum lava_reason lava_block_columns_plan(const struct lava_halving *request, struct lava_plan *plan) {
    const struct lengths all = lengths_of(request->operation, LAVA_BLOCK_COLUMNS_ALIGN);
    int64_t forced = request->overrides.columns_each, before = 0;
    struct lava_plan best = {.kernel = NULL};
    enum lava_reason reason = LAVA_REASON_MEMORY;
    for (int64_t count = 1; before != LAVA_BLOCK_COLUMNS_ALIGN; count += lava_maximum(count / 2, 1)) {
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
