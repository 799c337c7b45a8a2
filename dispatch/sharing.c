/* Plans products and batches that several engines share. Called by lib/offload and lib/blas for those that go
 * to a device, if there are several, and by `lavablas explain`. Invariant: a plan that is returned
 * computes every element of C as the plan for one engine does. */
#include "dispatch/sharing.h"

#include "dispatch/arithmetic.h"
#include "dispatch/batches.h"
#include "dispatch/cost.h"
#include "dispatch/solve.h"

/* Shorter products are not shared: threads that begin 100 us late would cost what they gain. Two H100: hgemm
 * 4096 takes 2.3 ms on one and 2.5 on both, sgemm 4.8 and 4.4 (2026-11-25). */
#define LEAST_NS 3e6
/* More engines must take at most this share of the time of fewer: they are missing elsewhere, and the
 * estimate knows little of how they disturb each other. A starting value. */
#define GAIN_SHARE 0.9
/* Column blocks of each engine that are tried: 1, 2, 4. More of them fit the end better, and each engine
 * begins sooner; fewer keep the device busier. The strips of a triangle grow, so that the last one is long
 * if they are few.
 *
 * The first block of each engine may be wider than the others, 2 or 4 times: while A is uploaded, an engine
 * has nothing else to compute. Two H200, 8192, best of equal blocks, and of one of 2048 and then 512:
 * sgemm 17.1 ms and 15.5, dgemm 37.5 and 34.8, hgemm 6.8 and 6.7 (2026-11-26). */
#define BLOCKS_EACH_MAX 4
#define STRIPS_EACH_MAX 8
/* A cut that is faster by less than this share counts as equal, because the bus decides. Among equal cuts,
 * the one with the fewest blocks each and the narrowest later ones is taken. */
#define EQUAL_SHARE 0.01
/* The parts of a solve by bands have multiples of this many right-hand sides, as tiles have. */
#define PART_ALIGN 128

/* Blocks of each engine: op(B) is packed for each row block, so there is one. */
static int64_t most_each(const struct lava_operation *operation) {
    if (lava_operation_is_by_rows(operation))
        return 1;
    return operation->c.region == LAVA_REGION_ALL ? BLOCKS_EACH_MAX : STRIPS_EACH_MAX;
}

/* Returns whether there is a block for each engine, of whole columns or whole rows if they depend on each
 * other. */
static bool has_blocks(const struct lava_operation *operation, const struct lava_blocking *blocking,
                       uint32_t engines) {
    bool by_rows = lava_operation_is_by_rows(operation), by_columns = operation->in_place && !by_rows;
    int64_t blocks = by_rows ? blocking->blocks_m : blocking->blocks_n;
    return blocks >= (int64_t)engines && blocking->blocks_m * blocking->blocks_n <= LAVA_SHARING_BLOCKS_MAX &&
           (!by_rows || blocking->blocks_n * blocking->blocks_k == 1) &&
           (!by_columns || blocking->blocks_m == 1);
}

/* The blocks are those of one engine: they have nothing in common. */
static bool share_batch(const struct lava_operation *operation, const struct lava_capabilities *device,
                        const struct lava_figures *figures, const struct lava_plan *one, uint32_t engines,
                        struct lava_plan *plan) {
    double best_ns = one->gpu_ns;
    *plan = *one;
    plan->one_ns = one->gpu_ns;
    uint32_t most = (uint32_t)lava_minimum(engines, one->blocking.blocks_n), count = 1;
    while (count < most) { /* 2, 4, 8 and so on, and all */
        count = count <= most / 2 ? 2 * count : most;
        double ns = lava_batches_shared_ns(operation, device, figures, one, count);
        if (ns >= GAIN_SHARE * best_ns)
            continue;
        plan->gpu_ns = best_ns = ns;
        plan->engines = count;
    }
    return plan->engines > 1;
}

struct lava_operation lava_sharing_part(const struct lava_operation *solve, const struct lava_plan *plan,
                                        uint32_t index) {
    const struct lava_solve_sizes sizes = lava_solve_sizes(solve);
    int64_t first = index * plan->chunks.part, count = lava_minimum(plan->chunks.part, sizes.sides - first);
    struct lava_operation part = lava_operation_without_residents(solve);
    part.c.first = lava_operation_element(solve->c.first, solve->c.type, sizes.on_right ? first : 0,
                                          sizes.on_right ? 0 : first, solve->c.ld);
    (sizes.on_right ? &part.a : &part.b)->first = part.c.first;
    *(sizes.on_right ? &part.m : &part.n) = count;
    return part;
}

uint32_t lava_sharing_parts(const struct lava_operation *solve, const struct lava_plan *plan) {
    return (uint32_t)((lava_solve_sizes(solve).sides - 1) / plan->chunks.part + 1);
}

/* Plans a part for each of n engines: of its bands or of its only chunk, else whole chunks. */
static bool plan_parts(const struct lava_operation *solve, const struct lava_capabilities *device,
                       const struct lava_figures *figures, const struct lava_plan *one, uint32_t engines,
                       struct lava_plan *plan) {
    const struct lava_solve_chunks *chunks = &one->chunks;
    int64_t sides = lava_solve_sizes(solve).sides;
    bool by_bands = chunks->band > 0, is_cut = by_bands || chunks->sides >= sides;
    int64_t each = is_cut ? PART_ALIGN : chunks->sides;
    struct lava_overrides overrides = {.band = chunks->band};
    struct lava_plan whole = *one;
    whole.chunks.part = ((sides - 1) / each / engines + 1) * each;
    if (lava_sharing_parts(solve, &whole) < engines)
        return false;
    const struct lava_operation part = lava_sharing_part(solve, &whole, 0);
    overrides.sides_each = by_bands ? 0 : is_cut ? whole.chunks.part : chunks->sides;
    lava_policy_choose(&part, device, figures, LAVA_MODE_GPU, &overrides, plan);
    if (plan->place != LAVA_PLACE_GPU || plan->chunks.band != chunks->band)
        return false;
    uint64_t products = plan->chunks.product_bytes, most = chunks->product_bytes;
    most = products > most ? products : most;
    plan->blocking.total_bytes += most - products;
    plan->chunks.product_bytes = most;
    plan->chunks.part = whole.chunks.part;
    plan->chunks.as_sides = is_cut ? sides : 0;
    plan->chunks.as_bytes = is_cut ? chunks->product_bytes : 0;
    return true;
}

/* Each engine solves for a part of the right-hand sides, which do not depend on each other, and needs all of
 * the triangle. */
bool lava_sharing_solve(const struct lava_operation *solve, const struct lava_capabilities *device,
                        const struct lava_figures *figures, const struct lava_plan *one, unsigned engines,
                        struct lava_plan *plan) {
    const struct lava_solve_sizes sizes = lava_solve_sizes(solve);
    double best_ns = one->gpu_ns;
    double triangle = lava_trapezoid_bytes(solve->type, sizes.order, LAVA_REGION_LOWER),
           b = (double)sizes.order * (double)sizes.sides * (double)lava_type_bytes(solve->type);
    bool found = false;
    for (uint32_t count = 2; count <= engines; count++) {
        struct lava_plan other;
        if (!plan_parts(solve, device, figures, one, count, &other))
            continue;
        other.gpu_ns =
            lava_cost_shared_ns(count, other.gpu_ns, count * triangle + 2 * b, count * triangle + b);
        if (other.gpu_ns >= GAIN_SHARE * best_ns)
            continue;
        best_ns = other.gpu_ns;
        *plan = other;
        plan->engines = count;
        found = true;
    }
    if (found) {
        plan->reason = one->reason;
        plan->cpu_ns = one->cpu_ns;
        plan->one_ns = one->gpu_ns;
    }
    return found;
}

/* One way to cut a product for several engines. */
struct cut {
    uint32_t engines;
    int64_t each, later_parts; /* column blocks of each engine before the later ones are narrowed */
};

/* Plans the cut. Returns false if C has too few columns for it, or if there is no memory. */
static bool plan_cut(const struct lava_operation *operation, const struct lava_capabilities *device,
                     const struct lava_figures *figures, const struct lava_plan *one, const struct cut *cut,
                     struct lava_plan *plan) {
    bool by_rows = lava_operation_is_by_rows(operation);
    const struct lava_overrides overrides = {.kernel = one->kernel,
                                             .split_k = one->blocking.split_k,
                                             .block_k = one->blocking.block_k,
                                             .column_blocks = by_rows ? 1 : cut->engines * cut->each,
                                             .row_blocks = by_rows ? cut->engines : 0,
                                             .later_parts = cut->later_parts,
                                             .at_once = 1,
                                             .engines = cut->engines};
    lava_policy_choose(operation, device, figures, LAVA_MODE_GPU, &overrides, plan);
    return plan->place == LAVA_PLACE_GPU && lava_plan_has_same_sums(plan, one) &&
           has_blocks(operation, &plan->blocking, cut->engines);
}

/* Returns how many times narrower the later blocks may be. With one block for each engine there are none. */
static int64_t most_parts(const struct lava_operation *operation, int64_t each) {
    return each > 1 && operation->c.region == LAVA_REGION_ALL ? LAVA_BLOCKING_LATER_PARTS : 1;
}

/* Finds the fastest cut for n engines. Returns false if none is enough faster than `best_ns` for the engines
 * to be worth it. */
static bool share_product(const struct lava_operation *operation, const struct lava_capabilities *device,
                          const struct lava_figures *figures, const struct lava_plan *one, uint32_t engines,
                          double best_ns, struct lava_plan *plan) {
    double allowed_ns = GAIN_SHARE * best_ns;
    bool found = false;
    for (int64_t each = 1; each <= most_each(operation); each *= 2) {
        for (int64_t parts = most_parts(operation, each); parts >= 1; parts /= 2) {
            const struct cut cut = {engines, each, parts};
            struct lava_plan other;
            if (!plan_cut(operation, device, figures, one, &cut, &other)) {
                if (parts > 1)
                    continue; /* there may be too many narrow blocks */
                return found;
            }
            if (other.gpu_ns >= allowed_ns)
                continue;
            allowed_ns = (1 - EQUAL_SHARE) * other.gpu_ns;
            *plan = other;
            found = true;
        }
    }
    return found;
}

/* A product writes each element of C once, from operands that nobody writes. In place: a block of C depends
 * on no other one, and is packed before it is written. */
bool lava_sharing_product(const struct lava_operation *operation, const struct lava_capabilities *device,
                          const struct lava_figures *figures, const struct lava_plan *one, unsigned engines,
                          struct lava_plan *plan) {
    bool found = false;
    if (operation->series)
        return share_batch(operation, device, figures, one, engines, plan);
    for (uint32_t count = 2; count <= engines; count++)
        if (share_product(operation, device, figures, one, count, found ? plan->gpu_ns : one->gpu_ns, plan))
            found = true;
    if (found) {
        plan->reason = one->reason;
        plan->one_ns = one->gpu_ns;
    }
    return found;
}

bool lava_sharing_plan(const struct lava_operation *operation, const struct lava_capabilities *device,
                       const struct lava_figures *figures, const struct lava_plan *one, uint32_t engines,
                       struct lava_plan *plan) {
    lava_kind_share *const share = lava_operation_row(operation)->share;
    bool pays =
        engines >= 2 && !operation->on_device && one->place == LAVA_PLACE_GPU && one->gpu_ns >= LEAST_NS;
    return share && pays && share(operation, device, figures, one, engines, plan);
}

void lava_sharing_reconsider(const struct lava_plan_request *asked, enum lava_mode mode, uint32_t engines,
                             struct lava_plan *plan) {
    const struct lava_operation uploaded = lava_operation_without_residents(asked->operation);
    struct lava_overrides overrides = *asked->overrides;
    struct lava_plan plain, shared;
    bool is_forced = overrides.residues == LAVA_RESIDUE_ON || asked->device->residues == LAVA_RESIDUE_ON;
    if (engines < 2 || plan->place != LAVA_PLACE_GPU || !plan->residues || is_forced)
        return;
    overrides.residues = LAVA_RESIDUE_OFF;
    lava_policy_choose(asked->operation, asked->device, asked->figures, mode, &overrides, &plain);
    if (plain.place == LAVA_PLACE_GPU &&
        lava_sharing_plan(&uploaded, asked->device, asked->figures, &plain, engines, &shared) &&
        shared.gpu_ns < plan->gpu_ns)
        *plan = plain;
}
