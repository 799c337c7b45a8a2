/* The device's time: arithmetic by tiles and waves of workgroups, device memory and transfers, and for a
 * streamed product how they follow each other, by going through the engine's program with two clocks, the
 * bus's and the compute queue's. Called by policy.c. Invariant: a pure function; no estimate is below
 * lava_cost_least_ns, by which products are refused without a search. */
#include "dispatch/cost.h"

#include <math.h>

#include "dispatch/arithmetic.h"
#include "dispatch/program.h"

/* When the first bytes of a streamed product reach the bus, in latencies of the smallest product: on an H200
 * after 60 us of copying to staging memory, where that product took 50 us (2026-11-21; calibration fits 85 to
 * 100 us to products of 256 to 1024). */
#define START_LATENCIES 1.2
/* From the end of a dispatch, or of the upload that the next one waits for, to that one's begin. H200,
 * 2026-11-21: 45 to 50 us. */
#define GAP_NS 50e3
/* The bus turns from uploads to downloads and back: the first and the last chunk have nothing beside them.
 * H200, 2026-11-21: submissions, 10 us, a chunk's write-back, 60, and the next one's copy, 30. */
#define TURN_NS 100e3
/* What has come down last is written back when nothing is left to overlap it, computed at once all of it: 4
 * MiB in 60 us (H200, 16 cores, 2026-11-21). */
#define LAST_CHUNK_BYTES  4194304.0
#define MERGE_BYTES_PER_S 70e9
/* Submitting the epilogue, as a share of a call's latency, which is two submissions and their waits. On
 * an H200 the kernel itself takes 3 us where there is little to sum (2026-11-21). */
#define EPILOGUE_SHARE 0.03125
/* Gathering exponents, and the fallback's dispatch, where there is nothing for it to do. H200, 2026-11-21:
 * what products of 512 and 1024 took beyond their arithmetic. */
#define SCREEN_NS 12e3
/* Of a product in more steps the first ones stand for the others. */
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

struct lava_profile_kernel lava_cost_row(const struct lava_profile_kernel *row,
                                         const struct lava_kernel *kernel,
                                         const struct lava_device_figures *figures) {
    struct lava_profile_kernel measured = *row;
    measured.flops_per_s = measured_or(lava_figures_flops_per_s(figures, kernel), row->flops_per_s);
    return measured;
}

uint64_t lava_cost_slots(const struct lava_estimate *estimate) {
    uint64_t all = (uint64_t)estimate->multiprocessors * estimate->row.workgroups_per_multiprocessor;
    if (all > estimate->device->max_workgroups)
        all = estimate->device->max_workgroups;
    return all ? all : 1;
}

static double tiles_of(int64_t size, uint32_t tile) {
    return (double)(lava_blocking_padded(size, tile) / tile);
}

double lava_cost_tiles(const struct lava_estimate *estimate) {
    double all = tiles_of(estimate->problem->m, estimate->kernel->tile_m) *
                 tiles_of(estimate->problem->n, estimate->kernel->tile_n);
    return estimate->problem->region == LAVA_REGION_ALL ? all : all / 2;
}

/* Part of a block's way: rows of op(A), columns of op(B), and how much of K. */
struct extent {
    int64_t rows, columns, k;
};

/* Tiles of the extent that are in the region, all slices. */
static double units_of(const struct lava_estimate *estimate, const struct extent *extent,
                       const struct lava_region_tiles *region) {
    const struct lava_kernel *kernel = estimate->kernel;
    double tiles = tiles_of(extent->rows, kernel->tile_m) * tiles_of(extent->columns, kernel->tile_n);
    if (region->block.region != LAVA_REGION_ALL)
        tiles = (double)lava_region_count(region, (uint32_t)tiles_of(extent->rows, kernel->tile_m),
                                          (uint32_t)tiles_of(extent->columns, kernel->tile_n));
    return tiles * estimate->blocking.split_k;
}

/* Of a triangle, the share that a strip has of them. */
double lava_cost_units(const struct lava_estimate *estimate) {
    const struct lava_blocking *blocking = &estimate->blocking;
    if (estimate->problem->region != LAVA_REGION_ALL)
        return lava_cost_tiles(estimate) * blocking->split_k / (double)blocking->blocks_n;
    return tiles_of(blocking->block_m, estimate->kernel->tile_m) *
           tiles_of(blocking->block_n, estimate->kernel->tile_n) * blocking->split_k;
}

/* Time of a multiprocessor for `workgroups` side by side, in units of one at the full rate: with few of them
 * it waits more. */
static double busy(const struct lava_profile_kernel *row, double workgroups) {
    double most = row->workgroups_per_multiprocessor, lone = row->lone_share;
    if (workgroups >= most)
        return workgroups;
    if (workgroups <= 1)
        return workgroups / lone;
    return workgroups / (lone + (1.0 - lone) * (workgroups - 1.0) / (most - 1.0));
}

/* Arithmetic of a dispatch: full waves of all resident workgroups, then the rest, spread evenly. */
static double arithmetic_ns(const struct lava_estimate *estimate, const struct extent *extent, double units) {
    const struct lava_kernel *kernel = estimate->kernel;
    const struct lava_profile_kernel *row = &estimate->row;
    double resident = (double)lava_cost_slots(estimate);
    double multiprocessors = fmin(estimate->multiprocessors, resident);
    double steps = ceil(tiles_of(extent->k, kernel->tile_k) / estimate->blocking.split_k);
    double depth = steps * kernel->tile_k + row->start_k;
    double unit_flops = 2.0 * kernel->tile_m * kernel->tile_n * depth;
    double unit_ns = 1e9 * unit_flops * estimate->multiprocessors / row->flops_per_s;

    double waves = floor(units / resident);
    double rest = ceil((units - waves * resident) / multiprocessors);
    return unit_ns * (waves * busy(row, ceil(resident / multiprocessors)) + busy(row, rest));
}

static double element_bytes(const struct lava_estimate *estimate) {
    return (double)lava_type_bytes(estimate->problem->type);
}

/* `size` rows of op(A), or columns of op(B), padded to whole tiles: all that is packed, and what multiply
 * reads of it. */
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

/* However fast the arithmetic, each packed element is read from device memory once: what decides for a few
 * columns of C. The two overlap, but not well where they are alike: the root of the sum of squares is within
 * 12% of what 40 thin products took on an H200 with 1 to 32 slices (checkgemm --bench --split, 4096 x N x
 * 4096 and 11008). The sums are written besides, and for each further panel of K read and written. */
static double multiply_ns(const struct lava_estimate *estimate, const struct extent *extent,
                          const struct lava_region_tiles *region) {
    const struct lava_kernel *kernel = estimate->kernel;
    const struct lava_blocking *blocking = &estimate->blocking;
    double bytes = read_bytes(estimate, extent->rows, kernel->tile_m, extent->k) +
                   read_bytes(estimate, extent->columns, kernel->tile_n, extent->k);
    size_t sum_bytes = lava_type_bytes(blocking->epilogue ? lava_type_sums(estimate->problem->type)
                                                          : lava_problem_result_type(estimate->problem));
    double passes = 2.0 - 1.0 / (double)blocking->blocks_k;
    double units = units_of(estimate, extent, region);
    double sums = units * kernel->tile_m * kernel->tile_n * (double)sum_bytes * passes;
    double memory_ns = 1e9 / estimate->rates.memory_bytes_per_s;
    double screen_ns = lava_scheme(kernel->scheme)->screened ? SCREEN_NS : 0;
    return hypot(arithmetic_ns(estimate, extent, units), bytes * memory_ns) + sums * memory_ns + screen_ns;
}

/* Packing passes through device memory: in, and padded out; of parts, in and out once more before. */
static double pack_ns(const struct lava_estimate *estimate, int64_t size, uint32_t tile, int64_t k) {
    double passes = estimate->problem->of_parts ? 3 : 1;
    double bytes = (double)size * (double)k * element_bytes(estimate) * passes;
    return 1e9 * (bytes + (double)packed_of(estimate, size, tile, k).bytes) /
           estimate->rates.memory_bytes_per_s;
}

static double upload_ns(const struct lava_estimate *estimate, int64_t size, int64_t k) {
    return 1e9 * (double)size * (double)k * element_bytes(estimate) / estimate->rates.upload_bytes_per_s;
}

/* Of op(B): parts are stored once for twice. */
static double upload_b_ns(const struct lava_estimate *estimate, int64_t size, int64_t k) {
    return upload_ns(estimate, estimate->problem->of_parts ? size / 2 : size, k);
}

/* Bytes of a block of C over the bus: C0 stays where it is. */
static double result_bytes(const struct lava_problem *problem, int64_t rows, int64_t columns) {
    return (double)rows * (double)columns * (double)lava_type_bytes(lava_problem_result_type(problem));
}

static double download_ns(const struct lava_estimate *estimate, int64_t rows, int64_t columns) {
    return 1e9 * result_bytes(estimate->problem, rows, columns) / estimate->rates.download_bytes_per_s;
}

/* All slices in, the result out. */
static double epilogue_ns(const struct lava_estimate *estimate, int64_t rows, int64_t columns) {
    if (!estimate->blocking.epilogue)
        return 0;
    double sums = (double)rows * (double)columns *
                  (double)lava_type_bytes(lava_type_sums(estimate->problem->type)) *
                  estimate->blocking.split_k;
    return EPILOGUE_SHARE * estimate->rates.call_latency_ns +
           1e9 * (sums + result_bytes(estimate->problem, rows, columns)) / estimate->rates.memory_bytes_per_s;
}

struct pack_times {
    int64_t size, k;
    double upload_ns, pack_ns;
};

/* A product on its way through the engine. Times are ns from the call's begin on. */
struct timeline {
    const struct lava_estimate *estimate;
    double bus_ns, compute_ns; /* when each is free */
    struct {
        double ready_ns, takes_ns;
    } downloads[LAVA_BLOCKING_BLOCKS_HELD]; /* in turn */
    unsigned started, carried;
    unsigned steps;
    double work;                /* m n k of the multiplies so far */
    struct pack_times packs[2]; /* the last of op(A) and of op(B) */
    struct extent extent;       /* of the last multiply, which took so long */
    double multiply_ns;
};

static void carry_download(struct timeline *timeline) {
    unsigned place = timeline->carried++ % LAVA_BLOCKING_BLOCKS_HELD;
    timeline->bus_ns = fmax(timeline->bus_ns, timeline->downloads[place].ready_ns);
    timeline->bus_ns += timeline->downloads[place].takes_ns;
}

/* Downloads are carried when somebody waits for them: uploads come first. Between a download and the upload
 * that follows it the bus turns. */
static void wait_for_downloads(struct timeline *timeline, const struct lava_task *task) {
    while (timeline->started - timeline->carried > task->unfinished)
        carry_download(timeline);
    if (task->ends_rows)
        return;
    timeline->bus_ns += TURN_NS;
    timeline->compute_ns = fmax(timeline->compute_ns, timeline->bus_ns); /* the next block needs the place */
}

static void start_download(struct timeline *timeline, const struct lava_block *block) {
    unsigned place = timeline->started++ % LAVA_BLOCKING_BLOCKS_HELD;
    timeline->downloads[place].ready_ns = timeline->compute_ns;
    timeline->downloads[place].takes_ns = download_ns(timeline->estimate, block->rows, block->columns);
}

/* Sizes of one operand's packs, most of which are like the one before. */
static void measure_pack(const struct lava_estimate *estimate, const struct lava_task *task, bool is_b,
                         struct pack_times *times) {
    const struct lava_kernel *kernel = estimate->kernel;
    int64_t size = is_b ? task->columns : task->rows;
    if (times->size == size && times->k == task->k)
        return;
    *times = (struct pack_times){
        .size = size,
        .k = task->k,
        .upload_ns = is_b ? upload_b_ns(estimate, size, task->k) : upload_ns(estimate, size, task->k),
        .pack_ns = pack_ns(estimate, size, is_b ? kernel->tile_n : kernel->tile_m, task->k)};
}

static void pack(struct timeline *timeline, const struct lava_task *task) {
    bool is_b = task->kind == LAVA_TASK_PACK_B;
    struct pack_times *times = &timeline->packs[is_b];
    measure_pack(timeline->estimate, task, is_b, times);
    timeline->bus_ns += times->upload_ns;
    timeline->compute_ns = fmax(timeline->compute_ns, timeline->bus_ns) + times->pack_ns;
    if (task->serves_both) {
        measure_pack(timeline->estimate, task, true, &timeline->packs[true]);
        timeline->compute_ns += timeline->packs[true].pack_ns;
    }
}

static double measure_multiply(const struct lava_estimate *estimate, const struct lava_task *task) {
    const struct extent extent = {task->rows, task->block->columns, task->k};
    static const struct lava_region_tiles all = {.block = {.region = LAVA_REGION_ALL}};
    if (estimate->problem->region == LAVA_REGION_ALL)
        return GAP_NS + multiply_ns(estimate, &extent, &all);
    struct lava_region_tiles tiles =
        lava_program_tiles(estimate->problem, estimate->kernel, task->block, task->row, task->rows);
    return GAP_NS + multiply_ns(estimate, &extent, &tiles);
}

static void multiply(struct timeline *timeline, const struct lava_task *task) {
    const struct extent extent = {task->rows, task->block->columns, task->k};
    if (timeline->extent.rows != extent.rows || timeline->extent.columns != extent.columns ||
        timeline->extent.k != extent.k) {
        timeline->extent = extent;
        timeline->multiply_ns = measure_multiply(timeline->estimate, task);
    }
    timeline->compute_ns += timeline->multiply_ns;
    timeline->work += (double)extent.rows * (double)extent.columns * (double)extent.k;
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
        timeline->compute_ns += epilogue_ns(timeline->estimate, task->block->rows, task->block->columns);
        return;
    default:
        start_download(timeline, task->block);
    }
}

/* The share of the product that was gone through: all of it, unless it has too many steps. */
static double run_program(struct timeline *timeline) {
    const struct lava_problem *problem = timeline->estimate->problem;
    struct lava_program program;
    struct lava_task task;
    lava_program_begin(&program, problem, timeline->estimate->kernel, &timeline->estimate->blocking);
    while (lava_program_next(&program, &task)) {
        if (timeline->steps >= STEPS_MAX && task.kind != LAVA_TASK_EPILOGUE &&
            task.kind != LAVA_TASK_DOWNLOAD) {
            while (timeline->carried < timeline->started)
                carry_download(timeline);
            return timeline->work / ((double)problem->m * (double)problem->n * (double)problem->k);
        }
        run_task(timeline, &task);
    }
    return 1;
}

/* The bus is taken for one that carries one direction at a time: on an H200 both together reach 51 to 63 GB/s
 * where each alone reaches 48. */
static double streamed_ns(const struct lava_estimate *estimate) {
    const struct lava_problem *problem = estimate->problem;
    double start_ns = START_LATENCIES * estimate->rates.call_latency_ns;
    struct timeline timeline = {.estimate = estimate, .bus_ns = start_ns};
    double share = run_program(&timeline);
    double bytes = fmin(LAST_CHUNK_BYTES, result_bytes(problem, problem->m, problem->n));
    double end_ns = fmax(timeline.bus_ns, timeline.compute_ns);
    double ns = start_ns + (end_ns - start_ns) / share + 1e9 * bytes / MERGE_BYTES_PER_S;
    if (share >= 1.0)
        return ns;
    /* what was not simulated may be more than its share */
    return fmax(ns, lava_cost_least_ns(problem, &estimate->rates, estimate->row.flops_per_s));
}

/* One after another. */
static double at_once_ns(const struct lava_estimate *estimate) {
    const struct lava_problem *problem = estimate->problem;
    const struct lava_kernel *kernel = estimate->kernel;
    const struct extent all = {problem->m, problem->n, problem->k};
    const struct lava_block block = {.rows = problem->m, .columns = problem->n};
    const struct lava_region_tiles region = lava_program_tiles(problem, kernel, &block, 0, problem->m);
    double upload_b = problem->b_is_a ? 0 : upload_b_ns(estimate, all.columns, all.k);
    return estimate->rates.call_latency_ns + upload_ns(estimate, all.rows, all.k) + upload_b +
           pack_ns(estimate, all.rows, kernel->tile_m, all.k) +
           pack_ns(estimate, all.columns, kernel->tile_n, all.k) + multiply_ns(estimate, &all, &region) +
           epilogue_ns(estimate, all.rows, all.columns) + download_ns(estimate, all.rows, all.columns) +
           1e9 * result_bytes(problem, all.rows, all.columns) / MERGE_BYTES_PER_S;
}

double lava_cost_gpu_ns(const struct lava_estimate *estimate) {
    return estimate->at_once ? at_once_ns(estimate) : streamed_ns(estimate);
}

double lava_cost_least_ns(const struct lava_problem *problem, const struct lava_rates *rates,
                          double flops_per_s) {
    double up = lava_problem_operand_bytes(problem);
    double down = result_bytes(problem, problem->m, problem->n);
    down = problem->region == LAVA_REGION_ALL ? down : down / 2;
    double transfers_s = up / rates->upload_bytes_per_s + down / rates->download_bytes_per_s;
    double arithmetic_s = flops_per_s > 0 ? lava_problem_flops(problem) / flops_per_s : 0;
    return rates->call_latency_ns + 1e9 * fmax(transfers_s, arithmetic_s);
}
