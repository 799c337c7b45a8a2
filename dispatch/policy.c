/* Decides where a product is computed and with which kernel row, split, schedule and blocks. Called by
 * lib/exec/runtime for every product a device could take, and by `lavablas explain`. Invariant: a pure
 * function; the device is chosen only where its estimate beats the CPU's by a margin, or where the caller
 * insists. Estimates are comparisons between choices, not promises: perf/ calibrates the rates they use. */
#include "dispatch/policy.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The device has to be this much faster by estimate: the estimate's own error, for a library never slower
 * than without it. On an H200 the estimates were 0 to 30% below what was measured (768 to 3072). */
#define PROFITABLE_SHARE 0.8
/* Of the shorter of arithmetic and transfers that go on at once, what does not hide behind the longer. H200,
 * 2026-11-21, fp32: nothing up to 8192, a third at 16384. Small, but it lets the faster of two rows win where
 * transfers decide. */
#define OVERLAP_LOSS 0.02
/* Submitting the finish kernel, as a share of a call's latency, which is two submissions and their waits. On
 * an H200 the kernel itself takes 3 us where there is little to sum (2026-11-21). */
#define FINISH_SHARE 0.03125
/* A block's submissions, waits and idle ends. H200, 2026-11-21, checkgemm --bench --column-blocks: what the
 * estimate without it missed per block at 2048 (2 blocks), 4096 (2, 4) and 8192 (4): 0.1 to 0.4 ms. */
#define BLOCK_NS 300e3
/* Column blocks tried: 1, 2, 4 ... On an H200 at 8192 and 16384, 8 and 16 blocks gained less than 1% over 4.
 */
#define COLUMN_BLOCKS_MAX 4

// clang-format off
/* Slabs of K tried where C has too few tiles to fill the device, up to what fills it twice over. */
static const uint32_t splits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};

static const char *const reasons[LAVA_REASON_COUNT] = {
    [LAVA_REASON_INVALID]      = "invalid arguments",
    [LAVA_REASON_TRIVIAL]      = "nothing to multiply",
    [LAVA_REASON_CUTOFF]       = "below the cut-off",
    [LAVA_REASON_MODE_CPU]     = "the mode is cpu",
    [LAVA_REASON_EARLY]        = "too little multiplied so far to prepare a device",
    [LAVA_REASON_STARTING]     = "the device is still being prepared",
    [LAVA_REASON_NO_DEVICE]    = "no usable device",
    [LAVA_REASON_NO_KERNEL]    = "the device has no kernel for this type",
    [LAVA_REASON_FAILED]       = "the device failed earlier",
    [LAVA_REASON_FORKED]       = "a forked child does not own its parent's device",
    [LAVA_REASON_OVERLAP]      = "C overlaps A or B",
    [LAVA_REASON_UNPROFITABLE] = "the CPU is estimated to be faster",
    [LAVA_REASON_MEMORY]       = "not even the smallest block fits the memory",
    [LAVA_REASON_FAULT]        = "the device failed during the product",
    [LAVA_REASON_PROFITABLE]   = "the GPU is estimated to be faster",
    [LAVA_REASON_FORCED]       = "the mode is gpu",
};
// clang-format on

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const char *lava_reason_text(enum lava_reason reason) {
    return (unsigned)reason < LAVA_REASON_COUNT ? reasons[reason] : "unknown";
}

/* What all candidates of a product share. */
struct request {
    const struct lava_problem *problem;
    const struct lava_capabilities *device;
    const struct lava_profile *profile;
    const struct lava_overrides *overrides;
    uint32_t multiprocessors;
    struct lava_blocking_limits limits;
};

/* One way to compute it: a row of the profile, a split, and the blocks that follow. */
struct candidate {
    const struct lava_kernel *kernel;
    struct lava_profile_kernel figures;
    struct lava_blocking blocking;
    double compute_ns, gpu_ns;
};

static uint64_t slots(const struct request *request, const struct lava_profile_kernel *figures) {
    uint64_t all = (uint64_t)request->multiprocessors * figures->workgroups_per_multiprocessor;
    if (all > request->device->max_workgroups)
        all = request->device->max_workgroups;
    return all ? all : 1;
}

static double tiles_of(int64_t size, uint32_t tile) {
    return (double)(lava_blocking_padded(size, tile) / tile);
}

/* Time of a multiprocessor for `workgroups` side by side, in units of one at the full rate: with few of them
 * it waits more. */
static double busy(const struct lava_profile_kernel *figures, double workgroups) {
    double most = figures->workgroups_per_multiprocessor, lone = figures->lone_share;
    if (workgroups >= most)
        return workgroups;
    if (workgroups <= 1)
        return workgroups / lone;
    return workgroups / (lone + (1.0 - lone) * (workgroups - 1.0) / (most - 1.0));
}

/* Tiles of a block, all slabs: what the multiply kernel's workgroups have to do. */
static double units_of(const struct candidate *candidate) {
    const struct lava_blocking *blocking = &candidate->blocking;
    return tiles_of(blocking->block_m, candidate->kernel->tile_m) *
           tiles_of(blocking->block_n, candidate->kernel->tile_n) * blocking->split_k;
}

/* Arithmetic of one block and panel of K: full waves of all resident workgroups, then the rest, spread
 * evenly. */
static double arithmetic_ns(const struct request *request, const struct candidate *candidate) {
    const struct lava_kernel *kernel = candidate->kernel;
    const struct lava_blocking *blocking = &candidate->blocking;
    double resident = (double)slots(request, &candidate->figures);
    double multiprocessors = fmin(request->multiprocessors, resident);
    double units = units_of(candidate);
    double steps = ceil(tiles_of(blocking->block_k, kernel->tile_k) / blocking->split_k);
    double depth = steps * kernel->tile_k + candidate->figures.start_k;
    double unit_flops = 2.0 * kernel->tile_m * kernel->tile_n * depth;
    double unit_ns = 1e9 * unit_flops * request->multiprocessors / candidate->figures.flops_per_s;

    double waves = floor(units / resident);
    double rest = ceil((units - waves * resident) / multiprocessors);
    return unit_ns * (waves * busy(&candidate->figures, ceil(resident / multiprocessors)) +
                      busy(&candidate->figures, rest));
}

/* However fast the arithmetic, each packed element is read from device memory once: what decides for a few
 * columns of C. The two overlap, but not well where they are alike: the root of the sum of squares is within
 * 12% of what 40 thin products took on an H200 with 1 to 32 slabs (checkgemm --bench --split, 4096 x N x 4096
 * and 11008). */
static double multiply_ns(const struct request *request, const struct candidate *candidate) {
    double bytes = (double)candidate->blocking.packed_a_bytes + (double)candidate->blocking.packed_b_bytes;
    return hypot(arithmetic_ns(request, candidate), 1e9 * bytes / request->profile->memory_bytes_per_s);
}

static double blocks_of(const struct lava_blocking *blocking) {
    return (double)blocking->blocks_m * (double)blocking->blocks_n * (double)blocking->blocks_k;
}

/* A stays on the device while the column blocks pass, unless K is cut. */
static double times_a(const struct lava_blocking *blocking) {
    return blocking->blocks_k > 1 ? (double)blocking->blocks_n : 1.0;
}

/* Bytes of op(A) and op(B) over the bus. */
static double upload_bytes(const struct lava_problem *problem, const struct lava_blocking *blocking) {
    double a = (double)problem->m * (double)problem->k * times_a(blocking);
    double b = (double)problem->k * (double)problem->n * (double)blocking->blocks_m;
    return (a + b) * (double)lava_type_bytes(problem->type);
}

/* Bytes of C over the bus: C0 stays where it is. */
static double download_bytes(const struct lava_problem *problem) {
    return (double)problem->m * (double)problem->n *
           (double)lava_type_bytes(lava_problem_result_type(problem));
}

/* Everything that passes through device memory beside the multiply's own reads: packing (in, and padded out),
 * the padded sums (out, and for each further panel of K in and out), finish (all slabs in, the result out).
 */
static double memory_bytes(const struct lava_problem *problem, const struct lava_blocking *blocking) {
    double c = (double)problem->m * (double)problem->n;
    double blocks = (double)blocking->blocks_m * (double)blocking->blocks_n;
    double packed = (double)blocking->packed_a_bytes * (double)(blocking->blocks_m * blocking->blocks_k) *
                        times_a(blocking) +
                    (double)blocking->packed_b_bytes * blocks_of(blocking);
    double sums = (double)blocking->accumulator_bytes * blocks * (2.0 * (double)blocking->blocks_k - 1.0);
    double finish = blocking->finish ? c * sizeof(float) * blocking->split_k + download_bytes(problem) : 0.0;
    return upload_bytes(problem, blocking) + packed + sums + finish;
}

static double compute_ns(const struct request *request, const struct candidate *candidate) {
    const struct lava_blocking *blocking = &candidate->blocking;
    const struct lava_profile *profile = request->profile;
    double finish_ns = blocking->finish ? FINISH_SHARE * profile->call_latency_ns : 0.0;
    return blocks_of(blocking) * multiply_ns(request, candidate) +
           (double)(blocking->blocks_m * blocking->blocks_n) * finish_ns +
           1e9 * memory_bytes(request->problem, blocking) / profile->memory_bytes_per_s;
}

/* The first block's operands must arrive before anything is computed, and the last block's result leaves
 * after everything is; in between arithmetic and transfers go on at once, and the slower decides. Upload and
 * download do not overlap each other: the same threads copy both. */
static double gpu_ns(const struct request *request, const struct candidate *candidate) {
    const struct lava_problem *problem = request->problem;
    const struct lava_blocking *blocking = &candidate->blocking;
    const struct lava_profile *profile = request->profile;
    double block_m = (double)blocking->block_m, block_n = (double)blocking->block_n;
    double up = upload_bytes(problem, blocking);
    double down = download_bytes(problem);
    double first_up =
        fmin(up, (block_m + block_n) * (double)blocking->block_k * (double)lava_type_bytes(problem->type));
    double last_down = down * (block_m / (double)problem->m) * (block_n / (double)problem->n);
    double transfers_ns = 1e9 * (up - first_up) / profile->upload_bytes_per_s +
                          1e9 * (down - last_down) / profile->download_bytes_per_s;
    double between_ns =
        fmax(candidate->compute_ns, transfers_ns) + OVERLAP_LOSS * fmin(candidate->compute_ns, transfers_ns);
    return profile->call_latency_ns + (blocks_of(blocking) - 1.0) * BLOCK_NS +
           1e9 * first_up / profile->upload_bytes_per_s + between_ns +
           1e9 * last_down / profile->download_bytes_per_s;
}

/* Splitting K pays only where the tiles alone leave places for workgroups empty. */
static bool worth_splitting(const struct request *request, const struct candidate *candidate) {
    const struct lava_problem *problem = request->problem;
    double tiles =
        tiles_of(problem->m, candidate->kernel->tile_m) * tiles_of(problem->n, candidate->kernel->tile_n);
    return tiles < (double)slots(request, &candidate->figures);
}

/* Tries one row and number of column blocks with each split, up to what fills the device twice; keeps it in
 * *best where it is estimated to be faster. */
static void consider_blocks(const struct request *request, struct candidate candidate, int64_t column_blocks,
                            struct candidate *best) {
    struct lava_blocking_limits limits = request->limits;
    uint32_t forced = request->overrides->split_k, tried = 0;
    double most_units = 2.0 * (double)slots(request, &candidate.figures);
    size_t count = forced || !worth_splitting(request, &candidate) ? 1 : COUNT(splits);
    limits.column_blocks = column_blocks;
    for (size_t i = 0; i < count; i++) {
        limits.split_k = forced ? forced : splits[i];
        if (!lava_blocking_plan(request->problem, candidate.kernel, &limits, &candidate.blocking) ||
            candidate.blocking.split_k <= tried)
            return; /* no memory, or K too short for more slabs than were tried already */
        tried = candidate.blocking.split_k;
        candidate.compute_ns = compute_ns(request, &candidate);
        candidate.gpu_ns = gpu_ns(request, &candidate);
        if (!best->kernel || candidate.gpu_ns < best->gpu_ns)
            *best = candidate;
        if (units_of(&candidate) >= most_units)
            return;
    }
}

/* Tries one row, with all of C at once and cut so that transfers overlap arithmetic. */
static void consider(const struct request *request, const struct lava_kernel *kernel,
                     const struct lava_profile_kernel *figures, struct candidate *best) {
    const struct candidate candidate = {.kernel = kernel, .figures = *figures};
    int64_t forced = request->overrides->column_blocks;
    if (forced) {
        consider_blocks(request, candidate, forced, best);
        return;
    }
    for (int64_t blocks = 1; blocks <= COLUMN_BLOCKS_MAX; blocks *= 2)
        consider_blocks(request, candidate, blocks, best);
}

/* The profile's figures for a row that was asked for by name; a row the profile does not list is taken to be
 * as slow as the slowest of its type that is, or of all. */
static struct lava_profile_kernel figures_of(const struct lava_profile *profile,
                                             const struct lava_kernel *kernel) {
    struct lava_profile_kernel slowest = profile->kernels[0];
    bool of_type = false;
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_profile_kernel *figures = &profile->kernels[i];
        if (strcmp(figures->kernel, kernel->name) == 0)
            return *figures;
        const struct lava_kernel *listed = lava_kernels_find(figures->kernel);
        bool same_type = listed && listed->type == kernel->type;
        if ((same_type && !of_type) || (same_type == of_type && figures->flops_per_s < slowest.flops_per_s))
            slowest = *figures;
        of_type = of_type || same_type;
    }
    slowest.workgroups_per_multiprocessor = 1; /* the safe side: no more than are certainly resident */
    return slowest;
}

static bool usable(const struct request *request, const struct lava_kernel *kernel) {
    return kernel && kernel->type == request->problem->type &&
           lava_kernel_fits(kernel, request->device, NULL);
}

/* The best candidate; false where the device can run none of the rows, or, with *fitted set, has no memory
 * for any. */
static bool choose(const struct request *request, struct candidate *best, bool *fitted) {
    const struct lava_kernel *forced = request->overrides->kernel;
    memset(best, 0, sizeof *best);
    *fitted = false;
    if (forced) {
        struct lava_profile_kernel figures = figures_of(request->profile, forced);
        *fitted = usable(request, forced);
        if (*fitted)
            consider(request, forced, &figures, best);
        return best->kernel != NULL;
    }
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && request->profile->kernels[i].kernel; i++) {
        const struct lava_profile_kernel *figures = &request->profile->kernels[i];
        const struct lava_kernel *kernel = lava_kernels_find(figures->kernel);
        if (!usable(request, kernel))
            continue;
        *fitted = true;
        consider(request, kernel, figures, best);
    }
    return best->kernel != NULL;
}

static struct request prepare(const struct lava_problem *problem, const struct lava_capabilities *device,
                              const struct lava_overrides *overrides) {
    const struct lava_profile *profile = lava_profiles_find(device);
    return (struct request){
        .problem = problem,
        .device = device,
        .profile = profile,
        .overrides = overrides,
        .multiprocessors = device->multiprocessors ? device->multiprocessors : profile->multiprocessors,
        .limits = {.memory_bytes = overrides->memory_bytes ? overrides->memory_bytes : device->memory_bytes,
                   .max_buffer_bytes = device->max_buffer_bytes}};
}

static void adopt(const struct request *request, const struct candidate *candidate, struct lava_plan *plan) {
    const struct lava_overrides *overrides = request->overrides;
    const struct lava_profile_kernel *figures = &candidate->figures;
    const struct lava_matrix_shape *shape = lava_kernel_shape(candidate->kernel, request->device);
    plan->kernel = candidate->kernel;
    if (shape)
        plan->shape = *shape;
    plan->blocking = candidate->blocking;
    plan->resident_workgroups = (uint32_t)slots(request, figures);
    plan->schedule = overrides->schedule ? (enum lava_schedule)(overrides->schedule - 1) : figures->schedule;
    plan->persistent = overrides->persistent ? overrides->persistent == 2 : figures->persistent;
    plan->flops_per_s = figures->flops_per_s;
    plan->gpu_ns = candidate->gpu_ns;
}

/* 0: nothing is known of the CPU, which then wins. */
static double estimated_cpu_ns(const struct lava_problem *problem, const struct lava_cpu_figures *cpu) {
    double flops_per_s = cpu->flops_per_s[problem->type];
    return flops_per_s > 0 ? 1e9 * lava_problem_flops(problem) / flops_per_s : 0;
}

/* Of the fastest row of a type, whether the device can run it or not; 0: the profile has none. */
static double best_flops_per_s(const struct lava_profile *profile, enum lava_type type) {
    double best = 0;
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_kernel *kernel = lava_kernels_find(profile->kernels[i].kernel);
        if (kernel && kernel->type == type)
            best = fmax(best, profile->kernels[i].flops_per_s);
    }
    return best;
}

/* The transfers first: they settle most, and the rows have to be looked up. Where there is no row, the choice
 * says so. */
bool lava_policy_is_hopeless(const struct lava_problem *problem, const struct lava_capabilities *device,
                             const struct lava_cpu_figures *cpu) {
    const struct lava_profile *profile = lava_profiles_find(device);
    double allowed_ns = PROFITABLE_SHARE * estimated_cpu_ns(problem, cpu) - profile->call_latency_ns;
    double up = ((double)problem->m + (double)problem->n) * (double)problem->k *
                (double)lava_type_bytes(problem->type);
    double transfers_s =
        up / profile->upload_bytes_per_s + download_bytes(problem) / profile->download_bytes_per_s;
    if (1e9 * transfers_s >= allowed_ns)
        return true;
    double best = best_flops_per_s(profile, problem->type);
    return best > 0 && 1e9 * lava_problem_flops(problem) / best >= allowed_ns;
}

/* In the order of certainty: what cannot be done, what was ordered, what the estimates say. Overlapping
 * operands and a device that cannot run the row or hold a block go to the CPU in every mode; a forced row
 * that does not fit, or is of another type, counts as no kernel. */
void lava_policy_choose(const struct lava_problem *problem, const struct lava_capabilities *device,
                        const struct lava_cpu_figures *cpu, enum lava_mode mode,
                        const struct lava_overrides *overrides, struct lava_plan *plan) {
    static const struct lava_overrides none;
    memset(plan, 0, sizeof *plan);
    plan->place = LAVA_PLACE_CPU;
    if (mode == LAVA_MODE_CPU) {
        plan->reason = LAVA_REASON_MODE_CPU;
        return;
    }
    if (lava_problem_overlaps(problem)) {
        plan->reason = LAVA_REASON_OVERLAP;
        return;
    }

    struct request request = prepare(problem, device, overrides ? overrides : &none);
    struct candidate best;
    bool fitted;
    plan->profile = request.profile;
    plan->cpu_ns = estimated_cpu_ns(problem, cpu);
    if (!choose(&request, &best, &fitted)) {
        plan->reason = fitted ? LAVA_REASON_MEMORY : LAVA_REASON_NO_KERNEL;
        return;
    }
    adopt(&request, &best, plan);

    /* an unknown CPU leaves cpu_ns at 0: it wins */
    bool profitable = plan->gpu_ns < PROFITABLE_SHARE * plan->cpu_ns;
    if (mode == LAVA_MODE_GPU)
        plan->reason = LAVA_REASON_FORCED;
    else
        plan->reason = profitable ? LAVA_REASON_PROFITABLE : LAVA_REASON_UNPROFITABLE;
    if (mode == LAVA_MODE_GPU || profitable)
        plan->place = LAVA_PLACE_GPU;
}

/* A line being written, truncated at its end. */
struct line {
    char *text;
    size_t size, length;
};

__attribute__((format(printf, 2, 3))) static void append(struct line *line, const char *format, ...) {
    if (line->length + 1 >= line->size)
        return;
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(line->text + line->length, line->size - line->length, format, arguments);
    va_end(arguments);
    if (written > 0)
        line->length += (size_t)written;
}

static void append_ms(struct line *line, const char *label, double ns) {
    if (ns > 0)
        append(line, ", %s %.3f ms", label, ns / 1e6);
}

/* "fp32", or "fp16 -> fp32" with C's type where there is a choice. */
static void append_types(struct line *line, const struct lava_problem *problem) {
    append(line, "%s", lava_type_name(problem->type));
    if (problem->type != LAVA_TYPE_FP32)
        append(line, " -> %s", lava_type_name(problem->type_c));
}

void lava_policy_describe(const struct lava_problem *problem, const struct lava_plan *plan, char *text,
                          size_t size) {
    struct line line = {.text = text, .size = size};
    if (size)
        text[0] = '\0';
    append_types(&line, problem);
    append(&line, " %c%c m %lld n %lld k %lld: %s (%s)", problem->op_a == LAVA_OP_N ? 'N' : 'T',
           problem->op_b == LAVA_OP_N ? 'N' : 'T', (long long)problem->m, (long long)problem->n,
           (long long)problem->k, plan->place == LAVA_PLACE_GPU ? "GPU" : "CPU",
           lava_reason_text(plan->reason));
    append_ms(&line, "CPU", plan->cpu_ns);
    append_ms(&line, "GPU", plan->gpu_ns);
    if (!plan->kernel)
        return;
    const struct lava_blocking *blocking = &plan->blocking;
    append(&line, ", profile %s, kernel %s", plan->profile ? plan->profile->label : "none",
           plan->kernel->name);
    if (plan->shape.m)
        append(&line, " of %ux%ux%u", plan->shape.m, plan->shape.n, plan->shape.k);
    append(&line, ", %s, ", lava_schedule_name(plan->schedule));
    if (plan->persistent)
        append(&line, "%u persistent workgroups", plan->resident_workgroups);
    else
        append(&line, "a workgroup per tile");
    append(&line, ", %lld x %lld x %lld blocks of %lld x %lld x %lld, split K %u%s, %.1f MiB",
           (long long)blocking->blocks_m, (long long)blocking->blocks_n, (long long)blocking->blocks_k,
           (long long)blocking->block_m, (long long)blocking->block_n, (long long)blocking->block_k,
           blocking->split_k, blocking->finish ? ", finish" : "", (double)blocking->total_bytes / 0x1p20);
}
