/* The device's time: arithmetic by tiles and waves of workgroups, device memory and transfers, and for a
 * streamed product how they follow each other, by going through the engine's program with two clocks, the
 * bus's and the compute queue's. Called by policy.c. Invariant: a pure function; no estimate is below
 * lava_cost_least_ns, by which products are refused without a search. */
#include "dispatch/cost.h"

#include <math.h>

#include "dispatch/arithmetic.h"

/* When the first bytes of a streamed product reach the bus, in latencies of the smallest product: on an H200
 * after 60 us of copying to staging memory, where that product took 50 us (2026-11-21; calibration fits 85 to
 * 100 us to products of 256 to 1024). */
#define START_LATENCIES 1.2
/* From the end of a dispatch, or of the upload that the next one waits for, to that one's begin. H200,
 * 2026-11-21: 45 to 50 us. */
#define GAP_NS 50e3
/* The bus turns from uploads to downloads and back: the first and the last chunk have nothing beside them.
 * H200, 2026-11-21: submissions, 10 us, a chunk's merge, 60, and the next one's copy, 30. */
#define TURN_NS 100e3
/* What has come down last is merged when nothing is left to overlap it, computed at once all of it: 4 MiB in
 * 60 us (H200, 16 cores, 2026-11-21). */
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
    return tiles_of(estimate->problem->m, estimate->kernel->tile_m) *
           tiles_of(estimate->problem->n, estimate->kernel->tile_n);
}

/* Part of a block's way: rows of op(A), columns of op(B), and how much of K. */
struct extent {
    int64_t rows, columns, k;
};

/* Tiles of the extent, all slices. */
static double units_of(const struct lava_estimate *estimate, const struct extent *extent) {
    return tiles_of(extent->rows, estimate->kernel->tile_m) *
           tiles_of(extent->columns, estimate->kernel->tile_n) * estimate->blocking.split_k;
}

double lava_cost_units(const struct lava_estimate *estimate) {
    const struct lava_blocking *blocking = &estimate->blocking;
    const struct extent block = {blocking->block_m, blocking->block_n, blocking->block_k};
    return units_of(estimate, &block);
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
static double arithmetic_ns(const struct lava_estimate *estimate, const struct extent *extent) {
    const struct lava_kernel *kernel = estimate->kernel;
    const struct lava_profile_kernel *row = &estimate->row;
    double resident = (double)lava_cost_slots(estimate);
    double multiprocessors = fmin(estimate->multiprocessors, resident);
    double steps = ceil(tiles_of(extent->k, kernel->tile_k) / estimate->blocking.split_k);
    double depth = steps * kernel->tile_k + row->start_k;
    double unit_flops = 2.0 * kernel->tile_m * kernel->tile_n * depth;
    double unit_ns = 1e9 * unit_flops * estimate->multiprocessors / row->flops_per_s;

    double units = units_of(estimate, extent);
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
static double multiply_ns(const struct lava_estimate *estimate, const struct extent *extent) {
    const struct lava_kernel *kernel = estimate->kernel;
    const struct lava_blocking *blocking = &estimate->blocking;
    double bytes = read_bytes(estimate, extent->rows, kernel->tile_m, extent->k) +
                   read_bytes(estimate, extent->columns, kernel->tile_n, extent->k);
    size_t sum_bytes = lava_type_bytes(blocking->epilogue ? lava_type_sums(estimate->problem->type)
                                                          : lava_problem_result_type(estimate->problem));
    double passes = 2.0 - 1.0 / (double)blocking->blocks_k;
    double sums = units_of(estimate, extent) * kernel->tile_m * kernel->tile_n * (double)sum_bytes * passes;
    double memory_ns = 1e9 / estimate->rates.memory_bytes_per_s;
    double screen_ns = lava_scheme(kernel->scheme)->screened ? SCREEN_NS : 0;
    return hypot(arithmetic_ns(estimate, extent), bytes * memory_ns) + sums * memory_ns + screen_ns;
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

/* A piece of op(A), or a whole block where op(A) is there already. */
struct step {
    double upload_ns, compute_ns;
};

/* A panel of K of a block: op(B), then op(A)'s pieces, all alike but the last. */
struct panel {
    double upload_b_ns, pack_b_ns;
    int64_t pieces;
    struct step piece, last;
};

/* A column block: its panels of K, all alike but the last. */
struct block {
    struct panel panel, last;
    double epilogue_ns, download_ns;
};

/* The column blocks of a row block: wide, later, and what is left. */
enum { FIRST, LATER, LAST, COLUMN_BLOCKS };

static struct step measure_step(const struct lava_estimate *estimate, const struct extent *extent,
                                bool a_is_there) {
    struct step step = {.compute_ns = GAP_NS + multiply_ns(estimate, extent)};
    if (!a_is_there) {
        step.upload_ns = upload_ns(estimate, extent->rows, extent->k);
        step.compute_ns += pack_ns(estimate, extent->rows, estimate->kernel->tile_m, extent->k);
    }
    return step;
}

static struct panel measure_panel(const struct lava_estimate *estimate, const struct extent *extent,
                                  bool a_is_there) {
    int64_t rows = a_is_there ? extent->rows : lava_minimum(estimate->blocking.piece_m, extent->rows);
    struct extent part = {rows, extent->columns, extent->k};
    struct panel panel = {.upload_b_ns = upload_b_ns(estimate, extent->columns, extent->k),
                          .pack_b_ns =
                              pack_ns(estimate, extent->columns, estimate->kernel->tile_n, extent->k),
                          .pieces = (extent->rows - 1) / rows + 1};
    if (panel.pieces > 1)
        panel.piece = measure_step(estimate, &part, a_is_there);
    part.rows = extent->rows - (panel.pieces - 1) * rows;
    panel.last = measure_step(estimate, &part, a_is_there);
    return panel;
}

static void measure_block(const struct lava_estimate *estimate, int64_t rows, int64_t columns, bool is_first,
                          struct block *block) {
    const struct lava_blocking *blocking = &estimate->blocking;
    bool a_is_there = blocking->blocks_k == 1 && !is_first;
    struct extent extent = {rows, columns, blocking->block_k};
    if (blocking->blocks_k > 1)
        block->panel = measure_panel(estimate, &extent, a_is_there);
    extent.k = estimate->problem->k - (blocking->blocks_k - 1) * blocking->block_k;
    block->last = measure_panel(estimate, &extent, a_is_there);
    block->epilogue_ns = epilogue_ns(estimate, rows, columns);
    block->download_ns = download_ns(estimate, rows, columns);
}

static void measure_rows(const struct lava_estimate *estimate, int64_t rows,
                         struct block blocks[COLUMN_BLOCKS]) {
    const struct lava_blocking *blocking = &estimate->blocking;
    measure_block(estimate, rows, blocking->block_n, true, &blocks[FIRST]);
    if (blocking->blocks_n > 2)
        measure_block(estimate, rows, blocking->later_n, false, &blocks[LATER]);
    if (blocking->blocks_n > 1) {
        int64_t before = blocking->block_n + (blocking->blocks_n - 2) * blocking->later_n;
        measure_block(estimate, rows, estimate->problem->n - before, false, &blocks[LAST]);
    }
}

/* A product on its way through the engine, in the order of its program. ns from the call's begin on. */
struct timeline {
    double bus_ns, compute_ns; /* when each is free */
    struct {
        double ready_ns, takes_ns;
    } downloads[LAVA_BLOCKING_BLOCKS_HELD]; /* in turn */
    unsigned started, carried;              /* of the row block's downloads */
    unsigned steps;
};

static void carry_download(struct timeline *timeline) {
    unsigned place = timeline->carried++ % LAVA_BLOCKING_BLOCKS_HELD;
    timeline->bus_ns = fmax(timeline->bus_ns, timeline->downloads[place].ready_ns);
    timeline->bus_ns += timeline->downloads[place].takes_ns;
}

static void start_download(struct timeline *timeline, double takes_ns) {
    unsigned place = timeline->started++ % LAVA_BLOCKING_BLOCKS_HELD;
    timeline->downloads[place].ready_ns = timeline->compute_ns;
    timeline->downloads[place].takes_ns = takes_ns;
}

static void run_step(struct timeline *timeline, const struct step *step) {
    timeline->bus_ns += step->upload_ns;
    timeline->compute_ns = fmax(timeline->compute_ns, timeline->bus_ns) + step->compute_ns;
    timeline->steps++;
}

/* Uploads come first: downloads are carried when the next block needs the place of one, and then half of
 * those that wait. */
static void run_panel(struct timeline *timeline, const struct panel *panel, uint32_t blocks_held) {
    timeline->bus_ns += panel->upload_b_ns;
    timeline->compute_ns = fmax(timeline->compute_ns, timeline->bus_ns) + panel->pack_b_ns;
    if (timeline->started - timeline->carried >= blocks_held) {
        while (timeline->started - timeline->carried > blocks_held / 2)
            carry_download(timeline);
        timeline->bus_ns += TURN_NS;
    }
    for (int64_t piece = 1; piece < panel->pieces; piece++)
        run_step(timeline, &panel->piece);
    run_step(timeline, &panel->last);
}

/* Returns the elements of K done: all but where there are too many panels. */
static int64_t run_block(const struct lava_estimate *estimate, const struct block *block,
                         struct timeline *timeline) {
    const struct lava_blocking *blocking = &estimate->blocking;
    int64_t panels = 1;
    for (; panels < blocking->blocks_k; panels++) {
        if (timeline->steps >= STEPS_MAX)
            return (panels - 1) * blocking->block_k;
        run_panel(timeline, &block->panel, blocking->blocks_held);
    }
    run_panel(timeline, &block->last, blocking->blocks_held);
    timeline->compute_ns += block->epilogue_ns;
    start_download(timeline, block->download_ns);
    return estimate->problem->k;
}

/* The share of the product that was simulated. */
static double run_blocks(const struct lava_estimate *estimate, struct timeline *timeline) {
    const struct lava_problem *problem = estimate->problem;
    const struct lava_blocking *blocking = &estimate->blocking;
    double done = 0, all = (double)problem->m * (double)problem->n * (double)problem->k;
    struct block blocks[COLUMN_BLOCKS];
    for (int64_t row = 0; row < problem->m && timeline->steps < STEPS_MAX; row += blocking->block_m) {
        int64_t rows = lava_minimum(blocking->block_m, problem->m - row);
        if (row == 0 || rows < blocking->block_m)
            measure_rows(estimate, rows, blocks);
        int64_t columns;
        for (int64_t column = 0; column < problem->n && timeline->steps < STEPS_MAX; column += columns) {
            columns = lava_minimum(column ? blocking->later_n : blocking->block_n, problem->n - column);
            int kind = column == 0 ? FIRST : column + columns < problem->n ? LATER : LAST;
            double k = (double)run_block(estimate, &blocks[kind], timeline);
            done += (double)rows * (double)columns * k;
        }
        while (timeline->carried < timeline->started)
            carry_download(timeline);
    }
    return done / all;
}

/* The bus is taken for one that carries one direction at a time: on an H200 both together reach 51 to 63 GB/s
 * where each alone reaches 48. */
static double streamed_ns(const struct lava_estimate *estimate) {
    const struct lava_problem *problem = estimate->problem;
    double start_ns = START_LATENCIES * estimate->rates.call_latency_ns;
    struct timeline timeline = {.bus_ns = start_ns};
    double share = run_blocks(estimate, &timeline);
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
    return estimate->rates.call_latency_ns + upload_ns(estimate, all.rows, all.k) +
           upload_b_ns(estimate, all.columns, all.k) + pack_ns(estimate, all.rows, kernel->tile_m, all.k) +
           pack_ns(estimate, all.columns, kernel->tile_n, all.k) + multiply_ns(estimate, &all) +
           epilogue_ns(estimate, all.rows, all.columns) + download_ns(estimate, all.rows, all.columns) +
           1e9 * result_bytes(problem, all.rows, all.columns) / MERGE_BYTES_PER_S;
}

double lava_cost_gpu_ns(const struct lava_estimate *estimate) {
    return estimate->at_once ? at_once_ns(estimate) : streamed_ns(estimate);
}

double lava_cost_least_ns(const struct lava_problem *problem, const struct lava_rates *rates,
                          double flops_per_s) {
    double up = lava_problem_operand_bytes(problem);
    double transfers_s = up / rates->upload_bytes_per_s +
                         result_bytes(problem, problem->m, problem->n) / rates->download_bytes_per_s;
    double arithmetic_s = flops_per_s > 0 ? lava_problem_flops(problem) / flops_per_s : 0;
    return rates->call_latency_ns + 1e9 * fmax(transfers_s, arithmetic_s);
}
