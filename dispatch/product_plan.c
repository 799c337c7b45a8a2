/* Plans products: with which kernel row, split, tile order and blocks. Called by policy.c through the row of
 * products (kinds.h). Invariant: a pure function. */
#include "dispatch/product_plan.h"

#include <math.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "dispatch/cost.h"
#include "dispatch/residue_choice.h"

/* Most column blocks tried (1, 2, 4 ...), and most strips of a triangle. */
#define COLUMN_BLOCKS_MAX 8
#define STRIPS_MAX        16
/* Number of rows that are also tried with C cut, each with its best split. They are the best rows with C
 * whole. For 6000 products on three devices, the estimate found this way was 0.1% above the one from trying
 * all rows and splits (geometric mean; 99th percentile 4%, worst 17%). It takes 20 us instead of 187 (1024 on
 * an H200's profile, 2 cores, 2026-11-21). */
#define FINALISTS 2
/* Halves of K are to take at most this share of the whole's time. The second half adds to C, which the
 * estimate does not count. */
#define HALVES_SHARE 0.9

// clang-format off
/* Slices of K that are tried if C has too few tiles to fill the device, up to those that fill it twice
 * over. */
static const uint32_t splits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
// clang-format on

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* From this much work on (m n k, of real numbers), op(B) comes with the pieces of a triangular op(A). On an
 * H100, 16 cores, 2026-11-25, that gained 20% of dtrmm of order 8192 and 11% of ztrmm of order 4096 (2.7e11),
 * and lost 3 to 4% of dtrmm of orders 2048 and 4096 (0.7e11). On a software device no size is worth telling
 * apart. */
#define LEAST_WORK_BY_PIECES 2e11

/* What all candidates for a product share. */
struct request {
    const struct lava_profile *profile;
    const struct lava_device_figures *figures;
    const struct lava_overrides *overrides;
    struct lava_row_ratios row_ratios;
    struct lava_blocking_limits limits;
    struct lava_estimate estimate; /* common to all ways: kernel, row, blocking and at_once are not set */
};

/* One way to compute the product: a row of the profile, a split, and the blocks that follow from them. */
struct candidate {
    struct lava_estimate estimate;
    double gpu_ns;
};

/* Splitting K pays only if the tiles alone leave workgroup slots empty. */
static bool worth_splitting(const struct lava_estimate *estimate) {
    return lava_cost_tiles(estimate) < (double)lava_cost_slots(estimate);
}

static void keep_better(const struct lava_estimate *estimate, struct candidate *best) {
    double gpu_ns = lava_cost_gpu_ns(estimate);
    if (!best->estimate.kernel || gpu_ns < best->gpu_ns)
        *best = (struct candidate){.estimate = *estimate, .gpu_ns = gpu_ns};
}

/* Tries the candidate streamed, and also at once if that is possible. */
static void consider_ways(const struct request *request, struct lava_estimate estimate,
                          struct candidate *best) {
    int forced = request->overrides->at_once;
    bool possible = lava_blocking_fits_at_once(estimate.operation, &estimate.blocking);
    estimate.at_once = true;
    if (possible && forced != 1)
        keep_better(&estimate, best);
    estimate.at_once = false;
    if (!possible || forced != 2)
        keep_better(&estimate, best);
}

static struct lava_blocking_limits limits_of(const struct request *request,
                                             const struct lava_estimate *estimate) {
    struct lava_blocking_limits limits = request->limits;
    const struct lava_operation *operation = estimate->operation;
    limits.wide_sums = !lava_kernel_narrows(estimate->kernel, estimate->device);
    limits.b_by_pieces =
        estimate->device->kind == LAVA_DEVICE_CPU ||
        (double)operation->m * (double)operation->n * (double)operation->k >= LEAST_WORK_BY_PIECES;
    return limits;
}

/* Tries one row with each split, up to the one that fills the device twice. Uses as few column blocks as fit,
 * or as many as were forced. Keeps a candidate in *best if its estimate is lower. */
static void consider_splits(const struct request *request, struct lava_estimate estimate,
                            struct candidate *best) {
    struct lava_blocking_limits limits = limits_of(request, &estimate);
    uint32_t forced = request->overrides->split_k, tried = 0;
    double most_units = 2.0 * (double)lava_cost_slots(&estimate);
    size_t count = forced || !worth_splitting(&estimate) ? 1 : COUNT(splits);
    limits.piece_tiles = (uint32_t)lava_cost_slots(&estimate);
    for (size_t i = 0; i < count; i++) {
        limits.split_k = forced ? forced : splits[i];
        if (!lava_blocking_plan(estimate.operation, estimate.kernel, &limits, &estimate.blocking) ||
            estimate.blocking.split_k <= tried)
            return; /* no memory, or K is too short for more slices than were already tried */
        tried = estimate.blocking.split_k;
        consider_ways(request, estimate, best);
        if (lava_cost_units(&estimate) >= most_units)
            return;
    }
}

/* Tries limits.column_blocks column blocks; later blocks may be narrower than the first. Returns the number
 * of blocks of equal width. Tries none of them if that is at most `before`, the number tried already. */
static int64_t consider_widths(const struct request *request, struct lava_estimate estimate,
                               struct lava_blocking_limits limits, int64_t before, struct candidate *best) {
    bool forced = limits.later_parts > 0;
    int64_t width = INT64_MAX, blocks = 0;
    for (int64_t parts = 1; parts <= (forced ? 1 : LAVA_BLOCKING_LATER_PARTS); parts *= 2) {
        if (!forced)
            limits.later_parts = parts;
        if (!lava_blocking_plan(estimate.operation, estimate.kernel, &limits, &estimate.blocking) ||
            estimate.blocking.later_n >= width)
            break;
        if (parts == 1)
            blocks = estimate.blocking.blocks_n;
        if (blocks <= before)
            break;
        width = estimate.blocking.later_n;
        consider_ways(request, estimate, best);
    }
    return blocks;
}

/* Tries a row and split with C cut, so that transfers overlap arithmetic. */
static void consider_cuts(const struct request *request, const struct lava_estimate *estimate,
                          struct candidate *best) {
    if (estimate->operation->on_device)
        return;
    struct lava_blocking_limits limits = limits_of(request, estimate);
    bool is_region = estimate->operation->c.region != LAVA_REGION_ALL;
    int64_t forced = request->overrides->column_blocks,
            most = forced      ? forced
                   : is_region ? STRIPS_MAX
                               : COLUMN_BLOCKS_MAX,
            before = 0;
    limits.piece_tiles = (uint32_t)lava_cost_slots(estimate);
    for (; limits.column_blocks <= most; limits.column_blocks *= 2) {
        limits.split_k = estimate->blocking.split_k;
        int64_t blocks = consider_widths(request, *estimate, limits, before, best);
        limits.split_k *= (uint32_t)limits.column_blocks;
        if (limits.column_blocks > 1 && !request->overrides->split_k && worth_splitting(estimate))
            consider_widths(request, *estimate, limits, before, best);
        before = blocks;
    }
}

/* Tries a row with its best split. Keeps the best rows in order; of equal rows the earlier one goes first. */
static void consider(const struct request *request, const struct lava_kernel *kernel,
                     const struct lava_profile_kernel *row, struct candidate finalists[FINALISTS]) {
    struct lava_estimate estimate = request->estimate;
    struct candidate candidate = {.gpu_ns = 0};
    estimate.kernel = kernel;
    estimate.row = lava_cost_row(row, kernel, request->figures, &request->row_ratios);
    consider_splits(request, estimate, &candidate);
    if (!candidate.estimate.kernel)
        return;
    for (size_t i = 0; i < FINALISTS; i++) {
        if (!finalists[i].estimate.kernel || candidate.gpu_ns < finalists[i].gpu_ns) {
            struct candidate beaten = finalists[i];
            finalists[i] = candidate;
            candidate = beaten;
            if (!candidate.estimate.kernel)
                return;
        }
    }
}

/* Returns the profile's figures for a row that was forced by name. A row that the profile does not list is
 * assumed to be as slow as the slowest listed row of its type, or of all types if none is listed. */
static struct lava_profile_kernel row_of(const struct lava_profile *profile,
                                         const struct lava_kernel *kernel) {
    struct lava_profile_kernel slowest = profile->kernels[0];
    bool of_type = false;
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_profile_kernel *row = &profile->kernels[i];
        if (strcmp(row->kernel, kernel->name) == 0)
            return *row;
        const struct lava_kernel *listed = lava_kernels_find(row->kernel);
        bool same_type = listed && listed->type == kernel->type;
        if ((same_type && !of_type) || (same_type == of_type && row->flops_per_s < slowest.flops_per_s))
            slowest = *row;
        of_type = of_type || same_type;
    }
    slowest.workgroups_per_multiprocessor = 1; /* no more than are certainly resident */
    return slowest;
}

/* Returns whether the row can compute the product. A forced row may be one that no precision admits. */
static bool usable(const struct request *request, const struct lava_kernel *kernel) {
    const struct lava_operation *operation = request->estimate.operation;
    bool forced = kernel && kernel == request->overrides->kernel && kernel->type == operation->type;
    return kernel && (forced || lava_kernel_serves(kernel, operation)) &&
           lava_kernel_fits(kernel, request->estimate.device, NULL);
}

/* Tries the forced row, or all rows of the profile. Returns false if the device can run none. */
static bool consider_rows(const struct request *request, struct candidate finalists[FINALISTS]) {
    const struct lava_kernel *forced = request->overrides->kernel;
    bool fitted = false;
    if (forced) {
        struct lava_profile_kernel row = row_of(request->profile, forced);
        if (!usable(request, forced))
            return false;
        consider(request, forced, &row, finalists);
        return true;
    }
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && request->profile->kernels[i].kernel; i++) {
        const struct lava_profile_kernel *row = &request->profile->kernels[i];
        const struct lava_kernel *kernel = lava_kernels_find(row->kernel);
        if (!usable(request, kernel))
            continue;
        fitted = true;
        consider(request, kernel, row, finalists);
    }
    return fitted;
}

/* Finds the best candidate. Returns false if there is none: the device can run none of the rows, or, if
 * *fitted is set, it has no memory for any of them. */
static bool choose(const struct request *request, struct candidate *best, bool *fitted) {
    struct candidate finalists[FINALISTS];
    memset(finalists, 0, sizeof finalists);
    *fitted = consider_rows(request, finalists);
    *best = finalists[0];
    for (size_t i = 0; i < FINALISTS && finalists[i].estimate.kernel; i++)
        consider_cuts(request, &finalists[i].estimate, best);
    return best->estimate.kernel != NULL;
}

static struct request prepare(const struct lava_operation *operation, const struct lava_capabilities *device,
                              const struct lava_device_figures *figures,
                              const struct lava_overrides *overrides) {
    const struct lava_profile *profile = lava_profiles_find(device);
    uint32_t multiprocessors = device->multiprocessors ? device->multiprocessors : profile->multiprocessors;
    return (struct request){
        .profile = profile,
        .figures = figures,
        .overrides = overrides,
        .row_ratios = lava_cost_row_ratios(profile, figures, operation->type),
        .limits = {.memory_bytes = overrides->memory_bytes ? overrides->memory_bytes : device->memory_bytes,
                   .max_buffer_bytes = device->max_buffer_bytes,
                   .column_blocks = overrides->column_blocks ? overrides->column_blocks : 1,
                   .row_blocks = overrides->row_blocks,
                   .wide_blocks = overrides->engines,
                   .later_parts = overrides->later_parts,
                   .pieces = overrides->pieces,
                   .block_k = overrides->block_k,
                   .slot_bytes = device->slot_bytes},
        .estimate = {.operation = operation,
                     .engines = overrides->engines,
                     .device = device,
                     .rates = lava_cost_rates(profile, figures),
                     .multiprocessors = multiprocessors}};
}

static void adopt(const struct request *request, const struct candidate *candidate, struct lava_plan *plan) {
    const struct lava_overrides *overrides = request->overrides;
    const struct lava_estimate *estimate = &candidate->estimate;
    const struct lava_profile_kernel *row = &estimate->row;
    const struct lava_matrix_shape *shape = lava_kernel_shape(estimate->kernel, request->estimate.device);
    plan->kernel = estimate->kernel;
    if (shape)
        plan->shape = *shape;
    plan->blocking = estimate->blocking;
    plan->at_once = estimate->at_once;
    plan->engines = estimate->engines;
    plan->resident_workgroups = (uint32_t)lava_cost_slots(estimate);
    plan->order = overrides->order ? (enum lava_tile_order)(overrides->order - 1) : row->order;
    plan->persistent = overrides->persistent ? overrides->persistent == 2 : row->persistent;
    plan->flops_per_s = row->flops_per_s;
    plan->gpu_ns = candidate->gpu_ns;
}

double lava_product_plan_best_flops_per_s(const struct lava_profile *profile,
                                          const struct lava_device_figures *figures,
                                          const struct lava_operation *operation) {
    const struct lava_row_ratios ratios = lava_cost_row_ratios(profile, figures, operation->type);
    double best = 0;
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_kernel *kernel = lava_kernels_find(profile->kernels[i].kernel);
        if (kernel && lava_kernel_serves(kernel, operation))
            best = fmax(best, lava_cost_row(&profile->kernels[i], kernel, figures, &ratios).flops_per_s);
    }
    return best;
}

/* Returns the estimate of two products (?syr2k) in halves of K; 0 if the device takes none, or if the
 * whole, if it fits, has the fastest row. A faster one may have memory for the packed operands of a half
 * only. */
static double halves_ns(const struct lava_plan_request *asked, const struct request *request,
                        const struct candidate *whole) {
    struct lava_operation half = *asked->operation;
    struct lava_plan plan;
    if (!half.twice || asked->overrides->kernel || half.k < 2)
        return 0;
    if (whole && whole->estimate.row.flops_per_s >=
                     lava_product_plan_best_flops_per_s(request->profile, request->figures,
                                                        request->estimate.operation))
        return 0;
    half.k -= half.k / 2;
    half.beta = (struct lava_scalar){.real = 1};
    asked->plan_product(&half, asked->device, asked->figures, asked->overrides, &plan);
    return 2 * plan.gpu_ns;
}

enum lava_reason lava_product_plan(const struct lava_plan_request *asked, struct lava_plan *plan) {
    const struct lava_operation parts = lava_operation_of_parts(asked->operation);
    const struct lava_device_figures *figures = &asked->figures->device;
    struct request request = prepare(&parts, asked->device, figures, asked->overrides);
    struct candidate best;
    bool fitted;
    double *upload_bytes_per_s = &request.estimate.rates.upload_bytes_per_s;
    *upload_bytes_per_s = lava_imports_upload_rate(asked->operation, asked->device, figures,
                                                   asked->overrides->imports, *upload_bytes_per_s);
    bool found = choose(&request, &best, &fitted);
    if (!fitted)
        return lava_residue_plan_alone(asked, plan);
    plan->gpu_ns = halves_ns(asked, &request, found ? &best : NULL);
    if (plan->gpu_ns > 0 && (!found || plan->gpu_ns < HALVES_SHARE * best.gpu_ns))
        return LAVA_REASON_HALVES;
    if (!found)
        return LAVA_REASON_MEMORY;
    adopt(&request, &best, plan);
    lava_residue_choose(asked, plan);
    return LAVA_REASON_FORCED;
}
