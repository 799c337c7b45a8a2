/* Estimates the device's time: arithmetic by tiles and waves of workgroups, device memory, and transfers. For
 * a streamed product it goes through the engine's program with two clocks, the bus's and the compute queue's.
 * Called by product_plan.c. Invariant: a pure function. No estimate is below lava_cost_least_ns, with which
 * policy.c refuses products without a search. */
#include "dispatch/cost.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/program.h"

/* Time until the first bytes of a streamed product reach the bus, in call latencies (the time of the smallest
 * product). On an H200 it was 60 us of copying to staging memory, while the smallest product took 50 us
 * (2026-11-21; calibration fits 85 to 100 us to products of 256 to 1024). */
#define START_LATENCIES 1.2
/* Time from the end of a dispatch, or of the upload that the next dispatch waits for, to the begin of the
 * next dispatch. H200, 2026-11-21: 45 to 50 us. */
#define GAP_NS 50e3
/* The same if nothing is transferred: a barrier. H200, 2026-11-20: 3 us. */
#define BARRIER_NS 3e3
/* Time in which the bus turns from uploads to downloads and back. Nothing overlaps the first and the last
 * chunk. H200, 2026-11-21: 10 us of submissions, 60 us of writing back a chunk, 30 us of copying the next
 * one. */
#define TURN_NS 100e3
/* Nothing overlaps the write-back of the last downloaded chunk. For a product computed at once that chunk is
 * the whole result. 4 MiB take 60 us (H200, 16 cores, 2026-11-21). */
#define LAST_CHUNK_BYTES  ((double)LAVA_BLOCKING_DOWN_BYTES)
#define MERGE_BYTES_PER_S 70e9
/* Time to submit the epilogue, as a share of a call's latency, which is two submissions and their waits. On
 * an H200 the kernel itself takes 3 us if there is little to sum (2026-11-21). */
#define EPILOGUE_SHARE 0.03125
/* Time to gather exponents and to dispatch the fallback when it has nothing to do. H200, 2026-11-21: the time
 * that products of 512 and 1024 took beyond their arithmetic. */
#define SCREEN_NS 12e3
/* Several engines share the host's memory. The rate of copies to and from staging memory, for each engine.
 * Two H100, 32 cores, 2026-11-25: both together 78 GB/s to it, 88 from it (hgemm, 16384). Machines with more
 * GPUs have more memory: four processes on four of them, with 64 cores, kept the speed of one. */
#define HOST_COPY_BYTES_PER_S 40e9
/* The rate of uploads while all engines upload, for each engine. The same machine: 37 GB/s for each of two,
 * 52 to 55 for one alone. */
#define HOST_BUS_BYTES_PER_S 37e9
/* Time to start the other engines' threads. A starting value. */
#define SHARE_NS 100e3
/* Most steps that are simulated. They represent the rest of a longer product. */
#define STEPS_MAX 200

static double measured_or(double figure, double otherwise) {
    return figure > 0 ? figure : otherwise;
}

struct lava_rates lava_cost_rates(const struct lava_profile *profile,
                                  const struct lava_device_figures *figures) {
    return (struct lava_rates){
        .call_latency_ns = measured_or(figures->call_latency_ns, profile->call_latency_ns),
        .upload_bytes_per_s = measured_or(figures->upload_bytes_per_s, profile->upload_bytes_per_s),
        .download_bytes_per_s = measured_or(figures->download_bytes_per_s, profile->download_bytes_per_s),
        .memory_bytes_per_s = measured_or(figures->memory_bytes_per_s, profile->memory_bytes_per_s)};
}

static double ratio_of(double sum_of_logs, unsigned count) {
    return count > 0 ? exp(sum_of_logs / count) : 1;
}

struct lava_row_ratios lava_cost_row_ratios(const struct lava_profile *profile,
                                            const struct lava_device_figures *figures, enum lava_type type) {
    double sums[2] = {0, 0};
    unsigned counts[2] = {0, 0};
    for (size_t i = 0; i < LAVA_PROFILE_MAX_KERNELS && profile->kernels[i].kernel; i++) {
        const struct lava_kernel *kernel = lava_kernels_find(profile->kernels[i].kernel);
        if (!kernel || kernel->type != type)
            continue;
        double measured = lava_figures_flops_per_s(figures, kernel);
        if (!(measured > 0))
            continue;
        sums[kernel->scheme != LAVA_SCHEME_NONE] += log(measured / profile->kernels[i].flops_per_s);
        counts[kernel->scheme != LAVA_SCHEME_NONE]++;
    }
    return (struct lava_row_ratios){ratio_of(sums[0], counts[0]), ratio_of(sums[1], counts[1])};
}

struct lava_profile_kernel lava_cost_row(const struct lava_profile_kernel *row,
                                         const struct lava_kernel *kernel,
                                         const struct lava_device_figures *figures,
                                         const struct lava_row_ratios *ratios) {
    bool has_scheme = kernel && kernel->scheme != LAVA_SCHEME_NONE;
    struct lava_profile_kernel measured = *row;
    measured.flops_per_s =
        measured_or(lava_figures_flops_per_s(figures, kernel),
                    row->flops_per_s * (has_scheme ? ratios->with_scheme : ratios->without_scheme));
    return measured;
}

uint64_t lava_cost_slots(const struct lava_estimate *estimate) {
    uint64_t all = (uint64_t)estimate->multiprocessors * estimate->row.workgroups_per_multiprocessor;
    if (all > estimate->device->max_workgroups)
        all = estimate->device->max_workgroups;
    return all ? all : 1;
}

static double tiles_of(int64_t size, uint32_t tile) {
    return (double)(lava_blocking_padded(size, tile) / tile); /* NOLINT(bugprone-integer-division): exact */
}

double lava_cost_tiles(const struct lava_estimate *estimate) {
    double all = tiles_of(estimate->operation->m, estimate->kernel->tile_m) *
                 tiles_of(estimate->operation->n, estimate->kernel->tile_n);
    return estimate->operation->c.region == LAVA_REGION_ALL ? all : all / 2;
}

/* A part of a block: rows of op(A), columns of op(B), and a depth of K, of n products. */
struct extent {
    int64_t rows, columns, k, products;
};

/* Returns the units of the extent: its tiles in the region, times the slices of K. */
static double units_of(const struct lava_estimate *estimate, const struct extent *extent,
                       const struct lava_region_tiles *region) {
    const struct lava_kernel *kernel = estimate->kernel;
    double tiles = tiles_of(extent->rows, kernel->tile_m) * tiles_of(extent->columns, kernel->tile_n);
    if (region->block.region != LAVA_REGION_ALL)
        tiles = (double)lava_region_count(region, (uint32_t)tiles_of(extent->rows, kernel->tile_m),
                                          (uint32_t)tiles_of(extent->columns, kernel->tile_n));
    return tiles * estimate->blocking.split_k * (double)extent->products;
}

/* For a triangle, each strip counts as an equal share of the tiles. */
double lava_cost_units(const struct lava_estimate *estimate) {
    const struct lava_blocking *blocking = &estimate->blocking;
    if (estimate->operation->c.region != LAVA_REGION_ALL)
        return lava_cost_tiles(estimate) * blocking->split_k / (double)blocking->blocks_n;
    return tiles_of(blocking->block_m, estimate->kernel->tile_m) *
           tiles_of(blocking->block_n, estimate->kernel->tile_n) * blocking->split_k;
}

/* Returns the time of a multiprocessor for `workgroups` side by side. The unit is the time of one workgroup
 * at the full rate. With few workgroups the multiprocessor waits more. */
static double busy(const struct lava_profile_kernel *row, double workgroups) {
    double most = row->workgroups_per_multiprocessor, lone = row->lone_share;
    if (workgroups >= most)
        return workgroups;
    if (workgroups <= 1)
        return workgroups / lone;
    return workgroups / (lone + (1.0 - lone) * (workgroups - 1.0) / (most - 1.0));
}

/* Returns the depth of K that a tile takes on average. With a triangular operand it ends, or begins, on the
 * diagonal. */
static double mean_depth(const struct lava_estimate *estimate, const struct extent *extent) {
    double k = (double)extent->k;
    if (!lava_operation_is_triangular(estimate->operation))
        return k;
    bool of_b = estimate->operation->b.structure == LAVA_STRUCTURE_TRIANGULAR;
    return (k + fmin(k, of_b ? estimate->kernel->tile_n : estimate->kernel->tile_m)) / 2;
}

/* Returns the time of one tile of this depth of K, or of its slice, at the full rate. */
static double unit_ns(const struct lava_estimate *estimate, double k) {
    const struct lava_kernel *kernel = estimate->kernel;
    double steps = ceil(ceil(k / kernel->tile_k) / estimate->blocking.split_k);
    double depth = steps * kernel->tile_k + estimate->row.start_k;
    double flops = 2.0 * kernel->tile_m * kernel->tile_n * depth;
    return 1e9 * flops * estimate->multiprocessors / estimate->row.flops_per_s;
}

/* Returns the time of the longest tile of a dispatch, that of all of K in a triangle whose rows are all
 * there; else 0. It comes first (lib/product/tile_lists.c), and nothing that follows waits for a longer one.
 */
static double longest_ns(const struct lava_estimate *estimate, const struct extent *extent) {
    const struct lava_operation *operation = estimate->operation;
    bool has_all = operation->a.structure == LAVA_STRUCTURE_TRIANGULAR && extent->rows == operation->m;
    return has_all ? unit_ns(estimate, (double)extent->k) * busy(&estimate->row, 1) : 0;
}

/* Returns the arithmetic time of a dispatch: full waves of all resident workgroups, then the rest, spread
 * evenly. */
static double arithmetic_ns(const struct lava_estimate *estimate, const struct extent *extent, double units) {
    const struct lava_profile_kernel *row = &estimate->row;
    double resident = (double)lava_cost_slots(estimate);
    double multiprocessors = fmin(estimate->multiprocessors, resident);
    double waves = floor(units / resident);
    double rest = ceil((units - waves * resident) / multiprocessors);
    double even_ns = unit_ns(estimate, mean_depth(estimate, extent)) *
                     (waves * busy(row, ceil(resident / multiprocessors)) + busy(row, rest));
    return fmax(even_ns, longest_ns(estimate, extent));
}

static double element_bytes(const struct lava_estimate *estimate) {
    return (double)lava_type_bytes(estimate->operation->type);
}

/* Returns the layout of `size` rows of op(A), or columns of op(B), padded to whole tiles. */
static struct lava_packed packed_of(const struct lava_estimate *estimate, int64_t size, uint32_t tile,
                                    int64_t k) {
    const struct lava_kernel *kernel = estimate->kernel;
    return lava_packed_layout(kernel, tile, (uint64_t)lava_blocking_padded(size, tile),
                              (uint64_t)lava_blocking_padded(k, kernel->tile_k));
}

static double read_bytes(const struct lava_estimate *estimate, int64_t size, uint32_t tile, int64_t k) {
    struct lava_packed packed = packed_of(estimate, size, tile, k);
    return (double)(packed.panels ? packed.panels : packed.bytes);
}

/* Returns the time of a multiply. Each packed element is read from device memory once, however fast the
 * arithmetic is. This dominates if C has few columns. Reading and arithmetic overlap, but not well if they
 * take similar times. The root of the sum of squares is within 12% of what 40 thin products took on an H200
 * with 1 to 32 slices (checkgemm --bench --split, 4096 x N x 4096 and 11008). The sums are also written, and
 * for each further panel of K they are read and written. */
static double multiply_ns(const struct lava_estimate *estimate, const struct extent *extent,
                          const struct lava_region_tiles *region) {
    const struct lava_kernel *kernel = estimate->kernel;
    const struct lava_blocking *blocking = &estimate->blocking;
    double bytes = read_bytes(estimate, extent->rows, kernel->tile_m, extent->k) +
                   read_bytes(estimate, extent->columns, kernel->tile_n, extent->k);
    bytes *= (double)extent->products;
    size_t sum_bytes = lava_type_bytes(blocking->epilogue ? lava_type_sums(estimate->operation->type)
                                                          : lava_operation_result_type(estimate->operation));
    double passes = 2.0 - 1.0 / (double)blocking->blocks_k;
    double units = units_of(estimate, extent, region);
    double sums = units * kernel->tile_m * kernel->tile_n * (double)sum_bytes * passes;
    double memory_ns = 1e9 / estimate->rates.memory_bytes_per_s;
    double screen_ns = lava_scheme(kernel->scheme)->screened ? SCREEN_NS : 0;
    return hypot(arithmetic_ns(estimate, extent, units), bytes * memory_ns) + sums * memory_ns + screen_ns;
}

/* Packing reads the operand from device memory and writes it padded. */
static double pack_ns(const struct lava_estimate *estimate, int64_t size, uint32_t tile, int64_t k) {
    double bytes = (double)size * (double)k * element_bytes(estimate);
    return 1e9 * (bytes + (double)packed_of(estimate, size, tile, k).bytes) /
           estimate->rates.memory_bytes_per_s;
}

static double transfer_ns(const struct lava_estimate *estimate, bool stays, int64_t size, int64_t k) {
    if (estimate->operation->on_device || stays)
        return 0;
    return 1e9 * (double)size * (double)k * element_bytes(estimate) / estimate->rates.upload_bytes_per_s;
}

static double upload_ns(const struct lava_estimate *estimate, int64_t size, int64_t k) {
    return transfer_ns(estimate, estimate->operation->a.is_resident, size, k);
}

/* Each stored number of op(B) becomes two parts, so half as much is uploaded. */
static double upload_b_ns(const struct lava_estimate *estimate, int64_t size, int64_t k) {
    return transfer_ns(estimate, estimate->operation->b.is_resident,
                       estimate->operation->of_parts ? size / 2 : size, k);
}

/* Returns the bytes of a block's result on the bus. The old C is not transferred. */
static double result_bytes(const struct lava_operation *operation, int64_t rows, int64_t columns) {
    return (double)rows * (double)columns * (double)lava_type_bytes(lava_operation_result_type(operation));
}

static double download_ns(const struct lava_estimate *estimate, int64_t rows, int64_t columns) {
    return 1e9 * result_bytes(estimate->operation, rows, columns) / estimate->rates.download_bytes_per_s;
}

/* The epilogue reads all slices and writes the result. */
static double epilogue_ns(const struct lava_estimate *estimate, const struct lava_block *block) {
    if (!estimate->blocking.epilogue)
        return 0;
    double sums = (double)block->rows * (double)block->columns *
                  (double)lava_type_bytes(lava_type_sums(estimate->operation->type)) *
                  estimate->blocking.split_k;
    double bytes = sums + result_bytes(estimate->operation, block->rows, block->columns);
    return EPILOGUE_SHARE * estimate->rates.call_latency_ns +
           1e9 * (double)block->products * bytes / estimate->rates.memory_bytes_per_s;
}

struct pack_times {
    int64_t size, k, products;
    double upload_ns, pack_ns;
};

/* Progress of a simulated product. Times are ns since the begin of the call. */
struct timeline {
    const struct lava_estimate *estimate;
    double bus_ns, compute_ns; /* when the bus and the compute queue are free */
    struct {
        double ready_ns, takes_ns;
    } downloads[LAVA_BLOCKING_BLOCKS_HELD]; /* used in turn */
    unsigned started, carried;
    unsigned steps;
    double work;                /* sum of m n k over the multiplies so far */
    struct pack_times packs[2]; /* the last pack of op(A) and of op(B) */
    struct extent extent;       /* of the last multiply, which took multiply_ns */
    double multiply_ns;
};

static void carry_download(struct timeline *timeline) {
    unsigned place = timeline->carried++ % LAVA_BLOCKING_BLOCKS_HELD;
    timeline->bus_ns = fmax(timeline->bus_ns, timeline->downloads[place].ready_ns);
    timeline->bus_ns += timeline->downloads[place].takes_ns;
}

/* Uploads come first, so downloads are carried when something waits for them. The bus turns between a
 * download and the next upload. */
static void wait_for_downloads(struct timeline *timeline, const struct lava_task *task) {
    while (timeline->started - timeline->carried > task->unfinished)
        carry_download(timeline);
    if (task->ends_rows)
        return;
    if (!timeline->estimate->operation->series) /* a batch's downloads run beside its uploads */
        timeline->bus_ns += TURN_NS;
    timeline->compute_ns = fmax(timeline->compute_ns, timeline->bus_ns); /* the next block needs the
                                                                          * download's place */
}

static void start_download(struct timeline *timeline, const struct lava_block *block) {
    unsigned place = timeline->started++ % LAVA_BLOCKING_BLOCKS_HELD;
    timeline->downloads[place].ready_ns = timeline->compute_ns;
    timeline->downloads[place].takes_ns =
        (double)block->products * download_ns(timeline->estimate, block->rows, block->columns);
}

/* Fills in the times of a pack. Most packs are as large as the previous one, whose times are kept. */
static void measure_pack(const struct lava_estimate *estimate, const struct lava_task *task, bool is_b,
                         struct pack_times *times) {
    const struct lava_kernel *kernel = estimate->kernel;
    int64_t size = is_b ? task->columns : task->rows, products = task->block->products;
    double each_ns = is_b ? upload_b_ns(estimate, size, task->depth) : upload_ns(estimate, size, task->depth);
    if (times->size == size && times->k == task->depth && times->products == products)
        return;
    *times = (struct pack_times){
        .size = size,
        .k = task->depth,
        .products = products,
        .upload_ns = (double)products * each_ns,
        .pack_ns =
            (double)products * pack_ns(estimate, size, is_b ? kernel->tile_n : kernel->tile_m, task->depth)};
}

static void pack(struct timeline *timeline, const struct lava_task *task) {
    bool is_b = task->kind == LAVA_TASK_PACK_B;
    struct pack_times *times = &timeline->packs[is_b];
    measure_pack(timeline->estimate, task, is_b, times);
    timeline->bus_ns += times->upload_ns;
    timeline->compute_ns = fmax(timeline->compute_ns, timeline->bus_ns) + times->pack_ns;
    if (task->serves_both) {
        measure_pack(timeline->estimate, task, !is_b, &timeline->packs[!is_b]);
        timeline->compute_ns += timeline->packs[!is_b].pack_ns;
    }
}

static double measure_multiply(const struct lava_estimate *estimate, const struct lava_task *task) {
    const struct extent extent = {task->rows, task->block->columns, task->k, task->block->products};
    static const struct lava_region_tiles all = {.block = {.region = LAVA_REGION_ALL}};
    double gap_ns = estimate->operation->on_device ? BARRIER_NS : GAP_NS;
    if (estimate->operation->c.region == LAVA_REGION_ALL)
        return gap_ns + multiply_ns(estimate, &extent, &all);
    struct lava_region_tiles tiles =
        lava_program_tiles(estimate->operation, estimate->kernel, task->block, task->row, task->rows);
    return gap_ns + multiply_ns(estimate, &extent, &tiles);
}

static void multiply(struct timeline *timeline, const struct lava_task *task) {
    const struct extent extent = {task->rows, task->block->columns, task->k, task->block->products};
    if (timeline->extent.rows != extent.rows || timeline->extent.columns != extent.columns ||
        timeline->extent.k != extent.k || timeline->extent.products != extent.products) {
        timeline->extent = extent;
        timeline->multiply_ns = measure_multiply(timeline->estimate, task);
    }
    timeline->compute_ns += timeline->multiply_ns;
    timeline->work +=
        (double)extent.rows * (double)extent.columns * (double)extent.k * (double)extent.products;
    timeline->steps++;
}

static void run_task(struct timeline *timeline, const struct lava_task *task) {
    switch (task->kind) {
    case LAVA_TASK_PACK_A:
    case LAVA_TASK_PACK_B:
        pack(timeline, task);
        return;
    case LAVA_TASK_WAIT:
        wait_for_downloads(timeline, task);
        return;
    case LAVA_TASK_MULTIPLY:
        multiply(timeline, task);
        return;
    case LAVA_TASK_EPILOGUE:
        timeline->compute_ns += epilogue_ns(timeline->estimate, task->block);
        return;
    default:
        start_download(timeline, task->block);
    }
}

/* Finds the next block of the first of several engines, if they take turns. Among strips it finds those of
 * the engine that gets the last one, which is the largest. */
static bool take_turn(void *context, uint32_t number, uint32_t *index) {
    const struct lava_estimate *estimate = context;
    uint32_t blocks = (uint32_t)(estimate->blocking.blocks_m * estimate->blocking.blocks_n);
    *index = number * estimate->engines;
    if (estimate->blocking.by_strips)
        *index += (blocks - 1) % estimate->engines;
    return *index < blocks;
}

/* Returns the share of the work that was simulated. One of several engines has its part of it. */
static double simulated_share(const struct timeline *timeline) {
    const struct lava_estimate *estimate = timeline->estimate;
    const struct lava_operation *operation = estimate->operation;
    double all = (double)operation->m * (double)operation->n *
                 (double)lava_blocking_depth(operation, estimate->kernel) *
                 (double)lava_operation_count(operation);
    return fmin(1, timeline->work * fmax(1, estimate->engines) / all);
}

/* Simulates the product and returns the simulated share of it. The share is 1 unless there are too many
 * steps. */
static double run_program(struct timeline *timeline) {
    const struct lava_operation *operation = timeline->estimate->operation;
    struct lava_program program;
    struct lava_task task;
    struct lava_estimate estimate = *timeline->estimate;
    const struct lava_program_share share = {.take = take_turn, .context = &estimate};
    lava_program_begin(&program, operation, timeline->estimate->kernel, &timeline->estimate->blocking);
    if (estimate.engines > 1)
        program.share = &share;
    while (lava_program_next(&program, &task)) {
        if (timeline->steps >= STEPS_MAX && task.kind != LAVA_TASK_EPILOGUE &&
            task.kind != LAVA_TASK_DOWNLOAD) {
            while (timeline->carried < timeline->started)
                carry_download(timeline);
            return simulated_share(timeline);
        }
        run_task(timeline, &task);
    }
    return 1;
}

double lava_cost_start_ns(const struct lava_rates *rates) {
    return START_LATENCIES * rates->call_latency_ns;
}

double lava_cost_last_write_ns(double bytes) {
    return 1e9 * fmin(LAST_CHUNK_BYTES, bytes) / MERGE_BYTES_PER_S;
}

/* Assumes that the bus carries one direction at a time. On an H200 both directions together reach 51 to 63
 * GB/s, and each alone reaches 48. */
static double streamed_ns(const struct lava_estimate *estimate) {
    const struct lava_operation *operation = estimate->operation;
    double start_ns = lava_cost_start_ns(&estimate->rates);
    struct timeline timeline = {.estimate = estimate, .bus_ns = start_ns};
    double share = run_program(&timeline);
    double bytes = operation->on_device ? 0
                                        : result_bytes(operation, operation->m, operation->n) *
                                              (double)lava_operation_count(operation);
    double end_ns = fmax(timeline.bus_ns, timeline.compute_ns);
    double ns = start_ns + (end_ns - start_ns) / share + lava_cost_last_write_ns(bytes);
    if (share >= 1.0)
        return ns;
    /* the part that was not simulated may take more than its share */
    return fmax(ns, lava_cost_least_ns(operation, &estimate->rates, estimate->row.flops_per_s));
}

/* Products computed at once: the steps run one after another. */
static double at_once_ns(const struct lava_estimate *estimate) {
    const struct lava_operation *operation = estimate->operation;
    const struct lava_kernel *kernel = estimate->kernel;
    const struct extent all = {operation->m, operation->n, lava_blocking_depth(operation, kernel), 1};
    const struct lava_block block = {.rows = operation->m, .columns = operation->n, .products = 1};
    const struct lava_region_tiles region = lava_program_tiles(operation, kernel, &block, 0, operation->m);
    double upload_b = operation->b_is_a ? 0 : upload_b_ns(estimate, all.columns, operation->k);
    return estimate->rates.call_latency_ns + upload_ns(estimate, all.rows, operation->k) + upload_b +
           pack_ns(estimate, all.rows, kernel->tile_m, all.k) +
           pack_ns(estimate, all.columns, kernel->tile_n, all.k) + multiply_ns(estimate, &all, &region) +
           epilogue_ns(estimate, &block) + download_ns(estimate, all.rows, all.columns) +
           1e9 * result_bytes(operation, all.rows, all.columns) / MERGE_BYTES_PER_S;
}

/* Returns the bytes that the host gets back. */
static double downloaded_bytes(const struct lava_operation *operation) {
    double c = result_bytes(operation, operation->m, operation->n);
    double sides = result_bytes(operation, lava_operation_rows_sides(operation), operation->sides.count);
    const struct lava_kind *row = lava_operation_row(operation);
    if (row->has_values && !row->has_vectors)
        return result_bytes(operation, operation->k, 1);
    c = operation->c.region == LAVA_REGION_ALL ? c : c / 2;
    return operation->sides.factored ? sides : c + sides;
}

/* Finds what each of several engines uploads, and what they upload between them, in bytes. Each uploads A,
 * and all of them together op(B), for each row block. If K is cut, op(A) is uploaded for each column block.
 * For a triangle each engine uploads what all strips need: both matrices if each of them is in both operands.
 * A triangular op(B) has row blocks, one for each engine. The products of a batch have operands of their own.
 */
struct uploads {
    double each, together;
};

static struct uploads uploads_of(const struct lava_estimate *estimate) {
    const struct lava_operation *operation = estimate->operation;
    const struct lava_blocking *blocking = &estimate->blocking;
    double rounds = blocking->blocks_k > 1 ? (double)blocking->blocks_n / estimate->engines : 1.0;
    double a = rounds * (double)operation->m * (double)operation->k * element_bytes(estimate);
    double b = (double)operation->k * (double)operation->n * (operation->of_parts ? 0.5 : 1.0) *
               (double)blocking->blocks_m * element_bytes(estimate);
    if (operation->series)
        return (struct uploads){.together = lava_operation_operand_bytes(operation) *
                                            (double)lava_operation_count(operation)};
    if (lava_operation_is_triangular(operation))
        return lava_operation_is_by_rows(operation)
                   ? (struct uploads){.each = b / 2 / (double)blocking->blocks_m, .together = a}
                   : (struct uploads){.each = a / 2, .together = b};
    if (operation->b_is_a)
        return (struct uploads){.each = a};
    if (operation->twice)
        return (struct uploads){.each = a + b};
    return (struct uploads){a, b};
}

double lava_cost_shared_ns(uint32_t engines, double longest_ns, double copied_bytes, double uploaded_bytes) {
    double copies_ns = 1e9 * copied_bytes / (HOST_COPY_BYTES_PER_S * engines);
    double bus_ns = 1e9 * uploaded_bytes / (HOST_BUS_BYTES_PER_S * engines);
    return SHARE_NS + fmax(longest_ns, fmax(copies_ns, bus_ns));
}

/* What all engines upload is copied to staging memory once if their devices import it. */
static double shared_ns(const struct lava_estimate *estimate) {
    const struct lava_operation *operation = estimate->operation;
    const struct uploads uploads = uploads_of(estimate);
    double copies_of_each = estimate->device->import_page_bytes > 0 ? 1.0 : estimate->engines;
    double copied = copies_of_each * uploads.each + uploads.together +
                    downloaded_bytes(operation) * (double)lava_operation_count(operation);
    double uploaded = estimate->engines * uploads.each + uploads.together;
    struct lava_estimate slower = *estimate; /* while all upload; uploads end before the arithmetic does */
    slower.rates.upload_bytes_per_s = fmin(slower.rates.upload_bytes_per_s, HOST_BUS_BYTES_PER_S);
    return lava_cost_shared_ns(estimate->engines, streamed_ns(&slower), copied, uploaded);
}

double lava_cost_gpu_ns(const struct lava_estimate *estimate) {
    if (estimate->engines > 1)
        return shared_ns(estimate);
    return estimate->at_once ? at_once_ns(estimate) : streamed_ns(estimate);
}

double lava_cost_least_ns(const struct lava_operation *operation, const struct lava_rates *rates,
                          double flops_per_s) {
    bool stays = operation->on_device;
    double up = stays ? 0 : lava_operation_upload_bytes(operation);
    double down = stays ? 0 : downloaded_bytes(operation);
    double transfers_s = up / rates->upload_bytes_per_s + down / rates->download_bytes_per_s;
    double arithmetic_s = flops_per_s > 0 ? lava_operation_flops(operation) / flops_per_s : 0;
    return rates->call_latency_ns + 1e9 * fmax(transfers_s, arithmetic_s);
}
