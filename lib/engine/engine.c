/* The streaming engine. Called by lib/offload/offload.c, self_test.c and checkgemm.
 *
 * Order on the device comes from two rules. A multiply begins with a barrier, so it sees everything packed
 * before it and every dispatch before it has finished before one after it starts; that is why packing the
 * next B into the other buffer needs no barrier of its own and may overlap the multiply. And a block is
 * multiplied only after the one that had its place on the device before is merged. */
#include "lib/engine/engine.h"

#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/base/log.h"
#include "lib/engine/stages.h"
#include "lib/vk/gpu.h"

#define NS_PER_S 1e9
/* A dispatch is kept this short: drivers reset a GPU that a desktop cannot use for seconds. */
#define DISPATCH_S 0.25
/* A wait gives up after this, plus the estimated time of a block this many times over. */
#define TIMEOUT_S      20.0
#define TIMEOUT_FACTOR 50.0
/* Software compiles a kernel when it is first dispatched: a second for cooperative matrices with rolled
 * loops, half a minute for what tests compile unrolled (lavapipe of Mesa 26.1.6, 2 idle cores, 2026-11-21;
 * tens of times that under a sanitizer). */
#define SOFTWARE_TIMEOUT_S 300.0

/* The last engine whose device may still be at work on its buffers and pipelines: it keeps them. */
static struct lava_engine *_Atomic abandoned;

enum lava_status lava_engine_create(struct lava_device *device, unsigned copy_threads,
                                    struct lava_engine **result) {
    struct lava_engine *engine = calloc(1, sizeof *engine);
    *result = NULL;
    if (!engine) {
        lava_gpu_close(device);
        return LAVA_ERROR_HOST_MEMORY;
    }
    engine->device = device;
    enum lava_status status = lava_arena_init(&engine->arena, device);
    if (!status) {
        engine->pool = lava_copy_pool_create(copy_threads);
        status = engine->pool ? LAVA_OK : LAVA_ERROR_HOST_MEMORY;
    }
    if (status) {
        lava_engine_destroy(engine);
        return status;
    }
    engine->capabilities = device->capabilities;
    engine->capabilities.memory_bytes -= lava_arena_overhead_bytes(&engine->arena);
    *result = engine;
    return LAVA_OK;
}

void lava_engine_destroy(struct lava_engine *engine) {
    if (!engine)
        return;
    lava_copy_pool_destroy(engine->pool);
    if (lava_queue_drain(engine->device, (uint64_t)(TIMEOUT_S * NS_PER_S))) {
        engine->pool = NULL;
        abandoned = engine;
        return;
    }
    lava_arena_finish(&engine->arena, engine->device);
    lava_gpu_close(engine->device);
    free(engine);
}

void lava_engine_release(struct lava_engine *engine) {
    lava_arena_release(&engine->arena, engine->device);
}

/* For results of every type. */
enum lava_status lava_engine_prepare(struct lava_engine *engine, const struct lava_kernel *kernel) {
    const struct lava_capabilities *capabilities = &engine->device->capabilities;
    bool is_half = lava_type_is_half(kernel->type);
    enum lava_type of_parts = kernel->type == LAVA_TYPE_FP64 ? LAVA_TYPE_CFP64 : LAVA_TYPE_CFP32;
    const struct {
        bool needed;
        struct lava_pipeline_specification specification;
    } needs[] = {
        {true, lava_pipelines_multiply(kernel, capabilities, false)},
        {is_half, lava_pipelines_multiply(kernel, capabilities, true)},
        {true, lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_A, false)},
        {true, lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_A, true)},
        {true, lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_B, false)},
        {true, lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_B, true)},
        {true, lava_pipelines_epilogue(lava_type_sums(kernel->type))},
        {is_half, lava_pipelines_epilogue(kernel->type)},
        {!is_half, lava_pipelines_epilogue(of_parts)},
        {!is_half, lava_pipelines_split(of_parts)},
        {kernel->fallback, lava_pipelines_screen()},
        {kernel->fallback, lava_pipelines_fallback(kernel, capabilities)},
    };
    enum lava_status status = LAVA_OK;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0] && !status; i++) {
        const struct lava_pipeline *pipeline;
        if (needs[i].needed)
            status = lava_pipelines_get(engine->device, &needs[i].specification, &pipeline);
    }
    return status;
}

/* At once: the result in staging memory, where the epilogue has not put it there, and for the host to see. */
static enum lava_status leave_in_staging(struct lava_run *run, const struct lava_download *download,
                                         struct lava_point *done) {
    struct lava_commands commands;
    enum lava_status status = lava_transfer_begin(&run->transfer, &commands);
    if (status)
        return status;
    lava_queue_barrier(run->device, &commands);
    if (!run->plan->blocking.epilogue) {
        uint64_t elements = (uint64_t)((download->columns - 1) * download->source_ld + download->rows);
        lava_queue_copy(run->device, &commands, download->source, download->source_offset,
                        lava_stages_buffer(run, LAVA_ARENA_STAGING_DOWN), 0,
                        elements * lava_type_bytes(download->source_type));
        lava_queue_barrier(run->device, &commands);
    }
    return lava_transfer_submit(&run->transfer, NULL, done);
}

/* A panel of K, from k0 on. Where op(A) has to be packed, each piece of it is multiplied as soon as it is. */
static enum lava_status multiply_panel(struct lava_run *run, const struct lava_run_block *block, int64_t k0,
                                       struct lava_point *done) {
    const struct lava_blocking *blocking = &run->plan->blocking;
    uint32_t tile_m = run->plan->kernel->tile_m;
    int64_t k = lava_minimum(blocking->block_k, run->problem->k - k0);
    bool a_is_there = blocking->blocks_k == 1 && block->column > 0;
    int64_t rows = a_is_there ? block->rows : blocking->piece_m;
    enum lava_status status = lava_stages_pack_b(run, block, k0, k);
    /* the block's place is free when the one that was there before is merged, and with it others: several on
     * their way together take the bus for less */
    if (!status && run->transfer.download_count == blocking->blocks_held)
        status = lava_transfer_finish_downloads(&run->transfer, blocking->blocks_held / 2);
    for (int64_t row = 0; row < block->rows && !status; row += rows) {
        struct lava_run_piece piece = {.row = row, .rows = lava_minimum(rows, block->rows - row)};
        piece.first_tile = (uint32_t)(row / tile_m);
        piece.tiles = (uint32_t)(lava_blocking_padded(piece.rows, tile_m) / tile_m);
        if (!a_is_there && (status = lava_stages_pack_a(run, block, &piece, k0, k)))
            break;
        status = lava_stages_multiply(run, block, &piece, k, k0 > 0, done);
        bool last = row + rows >= block->rows && k0 + k == run->problem->k; /* run_block goes on */
        if (!status && !run->transfer.at_once && !last)
            status = lava_transfer_flush(&run->transfer);
    }
    return status;
}

/* Everything of a block up to the finished result on the device, and its download begun. */
static enum lava_status run_block(struct lava_run *run, const struct lava_run_block *block) {
    const struct lava_blocking *blocking = &run->plan->blocking;
    const struct lava_problem *problem = run->problem;
    struct lava_download *download = &run->downloads[block->place];
    int64_t column = block->column / run->each;
    struct lava_point done = {0};
    enum lava_status status = LAVA_OK;
    for (int64_t k0 = 0; k0 < problem->k && !status; k0 += blocking->block_k)
        status = multiply_panel(run, block, k0, &done);
    if (!status && blocking->epilogue)
        status = lava_stages_epilogue(run, block, &done);
    if (status)
        return status;
    *download = (struct lava_download){
        .source_type = run->result_type,
        .target_type = run->caller->type_c,
        .source_ld = blocking->epilogue ? lava_blocking_padded(block->rows, 4)
                                        : (int64_t)block->tiles_m * run->plan->kernel->tile_m,
        .target = (char *)problem->c +
                  (column * problem->ldc + block->row) * (int64_t)lava_type_bytes(run->caller->type_c),
        .target_ld = problem->ldc,
        .rows = block->rows,
        .columns = block->columns / run->each,
        .beta = {problem->beta, problem->beta_imaginary}};
    download->source = lava_stages_result(run, block, &download->source_offset);
    status = run->transfer.at_once ? leave_in_staging(run, download, &done) : LAVA_OK;
    if (status || (status = lava_transfer_flush(&run->transfer)))
        return status;
    download->ready = done;
    run->download_column[block->place] = column;
    run->columns_started = column + download->columns;
    return lava_transfer_start_download(&run->transfer, download);
}

/* What of the row block is in C: all before the first download that is not finished. */
static void record_progress(const struct lava_run *run, struct lava_progress *progress) {
    progress->column = run->columns_started;
    if (run->transfer.download_count > 0) {
        const struct lava_download *first = run->transfer.downloads[0];
        progress->column = run->download_column[first - run->downloads] + first->columns_done;
        progress->partial = first->rows_done;
    }
}

/* One row block: its column blocks one after another, each on its way down while the next are computed. */
static enum lava_status run_rows(struct lava_run *run, struct lava_run_block *block) {
    const struct lava_kernel *kernel = run->plan->kernel;
    int64_t n = run->problem->n;
    enum lava_status status = LAVA_OK;
    run->columns_started = 0;
    for (block->column = 0; block->column < n && !status; block->column += block->columns) {
        int64_t columns = block->column == 0 ? run->plan->blocking.block_n : run->plan->blocking.later_n;
        block->columns = lava_minimum(columns, n - block->column);
        block->tiles_n = (uint32_t)(lava_blocking_padded(block->columns, kernel->tile_n) / kernel->tile_n);
        status = run_block(run, block);
        block->place = (block->place + 1) % run->plan->blocking.blocks_held;
    }
    return status ? status : lava_transfer_finish_downloads(&run->transfer, 0);
}

static enum lava_status run_blocks(struct lava_run *run, struct lava_progress *progress) {
    const struct lava_problem *problem = run->problem;
    const struct lava_kernel *kernel = run->plan->kernel;
    struct lava_run_block block = {0};
    for (block.row = 0; block.row < problem->m; block.row += run->plan->blocking.block_m) {
        block.rows = lava_minimum(run->plan->blocking.block_m, problem->m - block.row);
        block.tiles_m = (uint32_t)(lava_blocking_padded(block.rows, kernel->tile_m) / kernel->tile_m);
        *progress = (struct lava_progress){.row = block.row, .rows = block.rows};
        enum lava_status status = run_rows(run, &block);
        if (status) {
            record_progress(run, progress);
            return status;
        }
    }
    *progress = (struct lava_progress){.row = problem->m};
    return LAVA_OK;
}

void lava_engine_expect(struct lava_engine *engine, double seconds) {
    bool software = engine->capabilities.kind == LAVA_DEVICE_CPU;
    engine->device->timeout_ns =
        (uint64_t)(((software ? SOFTWARE_TIMEOUT_S : TIMEOUT_S) + TIMEOUT_FACTOR * seconds) * NS_PER_S);
}

/* How many tiles a dispatch may have, and how long a wait may last, from the kernel's rate in the profile. */
static void set_limits(struct lava_run *run) {
    const struct lava_plan *plan = run->plan;
    const struct lava_kernel *kernel = plan->kernel;
    double rate = plan->flops_per_s;
    double unit_s = 2.0 * kernel->tile_m * kernel->tile_n * (double)plan->blocking.block_k /
                    plan->blocking.split_k / rate;
    double units = DISPATCH_S / unit_s;
    double least = plan->resident_workgroups > 0 ? plan->resident_workgroups : 1;
    units = units > least ? units : least;
    run->units_per_dispatch = units < 1e9 ? (uint32_t)units : 1000000000u;
    double block_s = 2.0 * (double)plan->blocking.block_m * (double)plan->blocking.block_n *
                     (double)plan->blocking.block_k / rate * run->repeat;
    lava_engine_expect(run->engine, block_s);
}

static void read_timing(struct lava_run *run, struct lava_timing *timing) {
    uint64_t elapsed[LAVA_QUEUE_STAMP_PAIRS], sums[LAVA_STAMP_KINDS] = {0};
    if (lava_queue_read_stamps(run->device, LAVA_ROLE_COMPUTE, run->stamps.pairs, elapsed))
        for (uint32_t i = 0; i < run->stamps.pairs; i++)
            sums[run->stamps.kinds[i]] += elapsed[i];
    timing->pack_ns = sums[LAVA_STAMP_PACK];
    timing->multiply_ns = sums[LAVA_STAMP_MULTIPLY] / run->repeat;
    timing->epilogue_ns = sums[LAVA_STAMP_EPILOGUE] / run->repeat;
}

/* The product's pipelines: there already, unless the row was not prepared. */
static enum lava_status get_pipelines(struct lava_run *run) {
    const struct lava_problem *problem = run->problem;
    const struct lava_kernel *kernel = run->plan->kernel;
    const struct lava_capabilities *capabilities = &run->device->capabilities;
    bool epilogue = run->plan->blocking.epilogue, narrow = lava_type_is_half(run->result_type) && !epilogue;
    bool turn_a = problem->op_a == LAVA_OP_T, turn_b = problem->op_b == LAVA_OP_N;
    const struct {
        bool needed;
        struct lava_pipeline_specification specification;
        const struct lava_pipeline **pipeline;
    } needs[] = {
        {true, lava_pipelines_multiply(kernel, capabilities, narrow), &run->multiply},
        {true, lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_A, turn_a), &run->pack_a},
        {true, lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_B, turn_b), &run->pack_b},
        {epilogue, lava_pipelines_epilogue(run->result_type), &run->epilogue},
        {problem->of_parts, lava_pipelines_split(run->caller->type), &run->split},
        {kernel->fallback, lava_pipelines_screen(), &run->screen},
        {kernel->fallback, lava_pipelines_fallback(kernel, capabilities), &run->fallback},
    };
    enum lava_status status = LAVA_OK;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0] && !status; i++)
        if (needs[i].needed)
            status = lava_pipelines_get(run->device, &needs[i].specification, needs[i].pipeline);
    return status;
}

/* Whether the result, padded as the device leaves it, can lie in staging memory all at once. */
static bool fits_staging(const struct lava_run *run) {
    const struct lava_blocking *blocking = &run->plan->blocking;
    return blocking->blocks_m * blocking->blocks_n * blocking->blocks_k == 1 &&
           lava_blocking_finished_bytes(blocking) <= run->engine->arena.slot_bytes * LAVA_ARENA_SLOTS;
}

enum lava_status lava_runner_run(struct lava_engine *engine, const struct lava_problem *problem,
                                 const struct lava_plan *plan, struct lava_progress *progress,
                                 struct lava_timing *timing) {
    const struct lava_problem parts = lava_problem_of_parts(problem);
    struct lava_run run = {
        .engine = engine,
        .device = engine->device,
        .caller = problem,
        .problem = &parts,
        .each = parts.of_parts ? 2 : 1,
        .plan = plan,
        .result_type = parts.of_parts ? problem->type_c : lava_problem_result_type(problem),
        .repeat = timing && timing->repeat > 1 ? timing->repeat : 1,
        .transfer = {.device = engine->device, .arena = &engine->arena, .pool = engine->pool}};
    enum lava_status status;
    *progress = (struct lava_progress){0};
    run.transfer.stamps = timing ? &run.stamps : NULL;
    set_limits(&run);
    run.transfer.at_once = plan->at_once && fits_staging(&run);
    run.transfer.from_staging = run.transfer.at_once || engine->device->capabilities.unified_memory;
    if ((status = lava_arena_reserve(&engine->arena, engine->device, &plan->blocking,
                                     (uint64_t)lava_problem_operand_bytes(problem), parts.of_parts)) ||
        (status = get_pipelines(&run)))
        return status;
    status = run_blocks(&run, progress);
    lava_transfer_abandon(&run.transfer);
    /* buffers are reused by the next product, so nothing may be running when this one ends */
    enum lava_status drained =
        engine->device->failed ? LAVA_OK : lava_queue_drain(engine->device, run.device->timeout_ns);
    if (drained) /* what is in flight would meet the next product's data */
        lava_device_fail(engine->device, drained);
    status = status ? status : drained;
    if (!status && timing)
        read_timing(&run, timing);
    if (!status)
        lava_pipelines_save(engine->device);
    return status;
}
