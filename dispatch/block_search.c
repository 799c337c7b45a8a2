/* Chooses the width of blocks. Wide ones are better: what they need of the rest passes by once for each of
 * them. Called by block_columns.c, inverse_plan.c and qr.c. Invariant: a pure function. */
#include "dispatch/block_search.h"

#include <math.h>

#include "dispatch/arithmetic.h"

/* No narrower blocks are tried where memory suffices: a slice would take longer on the bus than at work. A
 * starting value. */
#define LEAST_WIDTH 512
/* Buffers that the device keeps are larger than their matrices: this share of the memory is left for that. */
#define SLACK_SHARE 16

static uint64_t bytes_of(const struct lava_halving *request, const struct lava_block_kind *kind,
                         const struct lava_block_lengths *lengths) {
    uint64_t bytes = kind->bytes(request, lengths);
    return bytes == UINT64_MAX ? bytes : bytes + request->overrides.memory_bytes / SLACK_SHARE;
}

/* Plans the product that needs the most memory. What is left of it for blocks decides how fast the products
 * are. */
static enum lava_reason plan_products(const struct lava_block_kind *kind,
                                      const struct lava_block_lengths *lengths,
                                      struct lava_block_candidate *candidate) {
    const struct lava_halving *request = candidate->request;
    struct lava_operation whole = *request->operation;
    struct lava_block_shape shapes[LAVA_BLOCK_SHAPES];
    const struct lava_plan before = candidate->plan;
    uint64_t bytes = bytes_of(request, kind, lengths);
    int count = kind->shapes(request->operation, lengths, shapes);
    whole.c.region = LAVA_REGION_ALL;
    for (int i = 0; i < count; i++) {
        bool is_square = shapes[i].is_square;
        struct lava_operation product =
            lava_halving_product(is_square ? request->operation : &whole, &shapes[i].sizes, is_square);
        product.chain = kind->chain ? kind->chain(product.k) : 0;
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

double lava_block_pass_ns(const struct lava_block_candidate *candidate, const struct lava_block_pass *pass) {
    const struct lava_halving *request = candidate->request;
    double slices = ceil(pass->streamed / (pass->rows * (double)candidate->plan.columns.slice));
    double device_ns = 1e9 * pass->flops / candidate->slice_flops_per_s + slices * pass->slice_ns;
    return fmax(1e9 * pass->streamed * (double)lava_type_bytes(request->operation->type) /
                    request->rates.upload_bytes_per_s,
                device_ns);
}

double lava_block_transfer_ns(const struct lava_block_candidate *candidate, double elements) {
    double bytes = elements * (double)lava_type_bytes(candidate->request->operation->type);
    const struct lava_rates *rates = &candidate->request->rates;
    return 1e9 * bytes / rates->upload_bytes_per_s + 1e9 * bytes / rates->download_bytes_per_s +
           lava_cost_last_write_ns(bytes);
}

/* Plans blocks of that width, with slices as wide as fit. Keeps the plan in *best if its estimate is lower.
 */
static enum lava_reason consider(const struct lava_halving *request, const struct lava_block_kind *kind,
                                 int64_t width, const struct lava_plan *empty, struct lava_plan *best) {
    const struct lava_operation parts = lava_operation_of_parts(request->operation);
    struct lava_block_lengths lengths = kind->lengths(request->operation, width);
    struct lava_block_candidate candidate = {.request = request, .plan = *empty};
    if (request->overrides.columns_each)
        lengths.slice = lava_minimum(lengths.slice, width);
    enum lava_reason reason = plan_products(kind, &lengths, &candidate);
    while (reason == LAVA_REASON_MEMORY && lengths.slice > LAVA_BLOCK_COLUMNS_ALIGN) {
        lengths.slice = lava_blocking_padded(lengths.slice / 2, LAVA_BLOCK_COLUMNS_ALIGN);
        candidate.plan = *empty;
        reason = plan_products(kind, &lengths, &candidate);
    }
    if (reason != LAVA_REASON_FORCED)
        return reason;
    candidate.plan.columns = (struct lava_block_columns){.width = width, .slice = lengths.slice};
    if (kind->sides > 0) { /* a chunk takes no more memory than a block */
        candidate.plan.chunks.sides = lava_minimum(kind->sides, width);
        candidate.plan.chunks.held = 1;
    }
    candidate.plan.gpu_ns = fmax(lava_cost_start_ns(&request->rates) + kind->gpu_ns(&candidate),
                                 lava_cost_least_ns(&parts, &request->rates, candidate.plan.flops_per_s));
    if (!best->kernel || candidate.plan.gpu_ns < best->gpu_ns)
        *best = candidate.plan;
    return LAVA_REASON_FORCED;
}

enum lava_reason lava_block_search(const struct lava_halving *request, const struct lava_block_kind *kind,
                                   struct lava_plan *plan) {
    const struct lava_block_lengths all = kind->lengths(request->operation, LAVA_BLOCK_COLUMNS_ALIGN);
    int64_t forced = request->overrides.columns_each, before = 0;
    struct lava_plan best = {.kernel = NULL};
    enum lava_reason reason = LAVA_REASON_MEMORY;
    for (int64_t count = kind->least; before != LAVA_BLOCK_COLUMNS_ALIGN;
         count += lava_maximum(count / 2, 1)) {
        int64_t width = lava_blocking_padded((all.columns - 1) / count + 1, LAVA_BLOCK_COLUMNS_ALIGN);
        width = forced ? forced : width;
        if (best.kernel && (width < LEAST_WIDTH || forced))
            break;
        if (width != before)
            reason = consider(request, kind, width, plan, &best);
        if (reason == LAVA_REASON_NO_KERNEL || forced)
            break;
        before = width;
    }
    if (!best.kernel)
        return reason;
    *plan = best;
    return LAVA_REASON_FORCED;
}
