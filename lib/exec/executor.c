/* The streaming executor. Called by lib/exec/runtime.c, self_test.c and checkgemm.
 *
 * Order on the device comes from two rules. A multiply begins with a barrier, so it sees everything packed
 * before it and every dispatch before it has finished before one after it starts; that is why
 * packing the next B into the other buffer needs no barrier of its own and may overlap the multiply. And
 * block j is submitted only after block j - 2 is merged, so its accumulators are free. */
#include "lib/exec/executor.h"

#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/base/log.h"

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

/* The last executor whose device may still be at work on its buffers and pipelines: it keeps them. */
static struct lava_executor *_Atomic abandoned;

/* What one run of the executor knows. */
struct run {
    struct lava_executor *executor;
    struct lava_device *device;
    const struct lava_problem *problem;
    const struct lava_plan *plan;
    const struct lava_pipeline *multiply, *finish, *pack_a, *pack_b;
    enum lava_type result_type; /* of what comes down */
    struct lava_transfer transfer;
    struct lava_stamps stamps;
    uint32_t repeat;
    uint32_t units_per_dispatch;
    uint32_t packs_of_b; /* so far: which of the two buffers is next */
    struct lava_download downloads[2];
    int64_t download_column[2]; /* where the block starts in C */
};

/* A block of C: rows x columns at (row, column), and how it lies in its accumulators. */
struct block {
    int64_t row, column, rows, columns;
    uint32_t tiles_m, tiles_n;
    uint32_t parity; /* which accumulators */
};

static const struct lava_buffer *buffer_of(const struct run *run, enum lava_workspace_role role,
                                           uint32_t parity) {
    return &run->executor->workspace.buffers[(uint32_t)role + parity];
}

enum lava_status lava_executor_create(struct lava_device *device, unsigned copy_threads,
                                      struct lava_executor **result) {
    struct lava_executor *executor = calloc(1, sizeof *executor);
    *result = NULL;
    if (!executor) {
        lava_device_destroy(device);
        return LAVA_ERROR_HOST_MEMORY;
    }
    executor->device = device;
    enum lava_status status = lava_workspace_init(&executor->workspace, device);
    if (!status) {
        executor->pool = lava_copy_pool_create(copy_threads);
        status = executor->pool ? LAVA_OK : LAVA_ERROR_HOST_MEMORY;
    }
    if (status) {
        lava_executor_destroy(executor);
        return status;
    }
    executor->capabilities = device->capabilities;
    executor->capabilities.memory_bytes -= lava_workspace_overhead_bytes(&executor->workspace);
    *result = executor;
    return LAVA_OK;
}

void lava_executor_destroy(struct lava_executor *executor) {
    if (!executor)
        return;
    lava_copy_pool_destroy(executor->pool);
    if (lava_queue_drain(executor->device, (uint64_t)(TIMEOUT_S * NS_PER_S))) {
        executor->pool = NULL;
        abandoned = executor;
        return;
    }
    lava_workspace_finish(&executor->workspace, executor->device);
    lava_device_destroy(executor->device);
    free(executor);
}

/* With results in fp32 and in the type of A and B; for fp32 the two are the same. */
enum lava_status lava_executor_prepare(struct lava_executor *executor, const struct lava_kernel *kernel) {
    const struct lava_capabilities *capabilities = &executor->device->capabilities;
    const struct lava_pipeline_specification specifications[] = {
        lava_pipelines_multiply(kernel, capabilities, false),
        lava_pipelines_multiply(kernel, capabilities, kernel->type != LAVA_TYPE_FP32),
        lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_A, false),
        lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_A, true),
        lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_B, false),
        lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_B, true),
        lava_pipelines_finish(LAVA_TYPE_FP32),
        lava_pipelines_finish(kernel->type),
    };
    enum lava_status status = LAVA_OK;
    for (size_t i = 0; i < sizeof specifications / sizeof specifications[0] && !status; i++) {
        const struct lava_pipeline *pipeline;
        status = lava_pipelines_get(executor->device, &specifications[i], &pipeline);
    }
    return status;
}

static const void *element_of(const void *matrix, enum lava_type type, int64_t index) {
    return (const char *)matrix + index * (int64_t)lava_type_bytes(type);
}

/* op(A)'s rows of the block, K from k0. */
static enum lava_status pack_a(struct run *run, const struct block *block, int64_t k0, int64_t k) {
    const struct lava_problem *problem = run->problem;
    bool transpose = problem->op_a == LAVA_OP_T;
    const struct lava_operand operand = {
        .source = element_of(problem->a, problem->type,
                             transpose ? block->row * problem->lda + k0 : k0 * problem->lda + block->row),
        .element_bytes = lava_type_bytes(problem->type),
        .source_ld = problem->lda,
        .rows = transpose ? k : block->rows,
        .columns = transpose ? block->rows : k,
        .transpose = transpose,
        .pack = run->pack_a,
        .width_padded = (int64_t)block->tiles_m * run->plan->kernel->tile_m,
        .k_padded = lava_blocking_padded(k, run->plan->kernel->tile_k),
        .target = buffer_of(run, LAVA_WORKSPACE_PACKED_A, 0),
        .wait_for_readers = true};
    return lava_transfer_pack(&run->transfer, &operand);
}

/* op(B)'s columns of the block, into the buffer that the multiply before the last one read. */
static enum lava_status pack_b(struct run *run, const struct block *block, int64_t k0, int64_t k) {
    const struct lava_problem *problem = run->problem;
    bool transpose = problem->op_b == LAVA_OP_N;
    const struct lava_operand operand = {
        .source =
            element_of(problem->b, problem->type,
                       transpose ? block->column * problem->ldb + k0 : k0 * problem->ldb + block->column),
        .element_bytes = lava_type_bytes(problem->type),
        .source_ld = problem->ldb,
        .rows = transpose ? k : block->columns,
        .columns = transpose ? block->columns : k,
        .transpose = transpose,
        .pack = run->pack_b,
        .width_padded = (int64_t)block->tiles_n * run->plan->kernel->tile_n,
        .k_padded = lava_blocking_padded(k, run->plan->kernel->tile_k),
        .target = buffer_of(run, LAVA_WORKSPACE_PACKED_B, run->packs_of_b % 2)};
    run->packs_of_b++;
    return lava_transfer_pack(&run->transfer, &operand);
}

/* Where the block's tile list lies on the device; made and uploaded unless it is there from before. Interior
 * blocks and those at the edges of C have different tiles: one of four places each. */
static enum lava_status schedule_of(struct run *run, const struct block *block, uint64_t *address) {
    struct lava_workspace *workspace = &run->executor->workspace;
    const struct lava_buffer *buffer = buffer_of(run, LAVA_WORKSPACE_SCHEDULE, 0);
    uint32_t place = (block->row + block->rows == run->problem->m ? 1u : 0u) +
                     (block->column + block->columns == run->problem->n ? 2u : 0u);
    uint64_t shape = block->tiles_m | (uint64_t)block->tiles_n << 32;
    uint64_t offset = place * workspace->list_bytes;
    *address = buffer->address + offset;
    if (workspace->lists[place].shape == shape &&
        workspace->lists[place].schedule == (int)run->plan->schedule)
        return LAVA_OK;

    size_t count = (size_t)block->tiles_m * block->tiles_n;
    uint32_t *entries = malloc(count * sizeof *entries);
    if (!entries)
        return LAVA_ERROR_HOST_MEMORY;
    lava_schedule_fill(run->plan->schedule, block->tiles_m, block->tiles_n, entries);
    workspace->lists[place].shape = 0;
    enum lava_status status =
        lava_transfer_upload(&run->transfer, entries, count * sizeof *entries, buffer, offset);
    free(entries);
    if (!status) {
        workspace->lists[place].shape = shape;
        workspace->lists[place].schedule = (int)run->plan->schedule;
    }
    return status;
}

/* The constants of a block's multiply for the panel of K that was packed last. */
static struct lava_multiply_constants multiply_constants(const struct run *run, const struct block *block,
                                                         int64_t k, bool accumulate) {
    const struct lava_kernel *kernel = run->plan->kernel;
    const struct lava_blocking *blocking = &run->plan->blocking;
    uint32_t steps = (uint32_t)(lava_blocking_padded(k, kernel->tile_k) / kernel->tile_k);
    uint32_t ld = block->tiles_m * kernel->tile_m;
    return (struct lava_multiply_constants){
        .packed_a = buffer_of(run, LAVA_WORKSPACE_PACKED_A, 0)->address,
        .packed_b = buffer_of(run, LAVA_WORKSPACE_PACKED_B, (run->packs_of_b - 1) % 2)->address,
        .target = buffer_of(run, LAVA_WORKSPACE_ACCUMULATOR, block->parity)->address,
        .slab_stride = (uint64_t)ld * block->tiles_n * kernel->tile_n,
        .tiles = block->tiles_m * block->tiles_n,
        .steps = steps,
        .steps_per_slab = (steps + blocking->split_k - 1) / blocking->split_k,
        .target_ld = ld,
        .accumulate = accumulate,
        .alpha = blocking->finish ? 1.0f : (float)run->problem->alpha};
}

/* A dispatch along x, and what it is timed as. */
struct dispatch {
    enum lava_stamp_kind kind;
    const struct lava_pipeline *pipeline;
    const void *constants;
    uint32_t constants_bytes, groups;
};

/* After everything submitted before; as often as the run says. */
static void record(struct run *run, const struct lava_commands *commands, const struct dispatch *dispatch) {
    lava_queue_barrier_dispatch(run->device, commands);
    lava_transfer_stamp_begin(&run->transfer, commands, dispatch->kind);
    for (uint32_t i = 0; i < run->repeat; i++) {
        if (i > 0)
            lava_queue_barrier_dispatch(run->device, commands);
        lava_queue_dispatch(run->device, commands, dispatch->pipeline, dispatch->constants,
                            dispatch->constants_bytes, dispatch->groups, 1);
    }
    lava_transfer_stamp_end(&run->transfer, commands);
}

static enum lava_status submit_multiply(struct run *run, struct lava_multiply_constants *constants,
                                        uint32_t units, struct lava_point *done) {
    struct lava_device *device = run->device;
    uint32_t most = device->capabilities.max_workgroups;
    if (run->plan->persistent && run->plan->resident_workgroups < most)
        most = run->plan->resident_workgroups;
    for (uint32_t first = 0; first < units; first += run->units_per_dispatch) {
        struct lava_commands commands;
        enum lava_status status = lava_queue_begin(device, LAVA_ROLE_COMPUTE, &commands);
        if (status)
            return status;
        uint32_t count = units - first < run->units_per_dispatch ? units - first : run->units_per_dispatch;
        constants->first_unit = first;
        constants->end_unit = first + count;
        const struct dispatch dispatch = {LAVA_STAMP_MULTIPLY, run->multiply, constants, sizeof *constants,
                                          count < most ? count : most};
        record(run, &commands, &dispatch);
        if ((status = lava_queue_submit(device, &commands, &run->transfer.uploaded, 1, done)))
            return status;
    }
    return LAVA_OK;
}

/* Alpha, the sum of the slabs, and the block without its padding. */
static enum lava_status submit_finish(struct run *run, const struct block *block, struct lava_point *done) {
    const struct lava_kernel *kernel = run->plan->kernel;
    struct lava_commands commands;
    enum lava_status status = lava_queue_begin(run->device, LAVA_ROLE_COMPUTE, &commands);
    if (status)
        return status;
    uint32_t ld = block->tiles_m * kernel->tile_m;
    uint32_t words_per_column = (uint32_t)(lava_blocking_padded(block->rows, 4) / 4);
    const struct lava_finish_constants constants = {
        .source = buffer_of(run, LAVA_WORKSPACE_ACCUMULATOR, block->parity)->address,
        .target = buffer_of(run, LAVA_WORKSPACE_RESULT, block->parity)->address,
        .slab_stride = (uint64_t)ld * block->tiles_n * kernel->tile_n,
        .slabs = run->plan->blocking.split_k,
        .source_ld = ld,
        .words_per_column = words_per_column,
        .words = words_per_column * (uint32_t)block->columns,
        .alpha = (float)run->problem->alpha};
    uint32_t groups = (constants.words - 1) / LAVA_FINISH_INVOCATIONS + 1;
    uint32_t most = run->device->capabilities.max_workgroups;
    const struct dispatch dispatch = {LAVA_STAMP_FINISH, run->finish, &constants, sizeof constants,
                                      groups < most ? groups : most};
    record(run, &commands, &dispatch);
    return lava_queue_submit(run->device, &commands, NULL, 0, done);
}

/* Everything of a block up to the finished result on the device. */
static enum lava_status compute_block(struct run *run, const struct block *block) {
    const struct lava_blocking *blocking = &run->plan->blocking;
    const struct lava_problem *problem = run->problem;
    struct lava_point done = {0};
    uint64_t schedule;
    enum lava_status status = schedule_of(run, block, &schedule);
    for (int64_t k0 = 0; k0 < problem->k && !status; k0 += blocking->block_k) {
        int64_t k = lava_minimum(blocking->block_k, problem->k - k0);
        bool a_is_there = blocking->blocks_k == 1 && block->column > 0;
        if ((!a_is_there && (status = pack_a(run, block, k0, k))) || (status = pack_b(run, block, k0, k)))
            return status;
        struct lava_multiply_constants constants = multiply_constants(run, block, k, k0 > 0);
        constants.schedule = schedule;
        status = submit_multiply(run, &constants, constants.tiles * blocking->split_k, &done);
    }
    if (!status && blocking->finish)
        status = submit_finish(run, block, &done);

    run->download_column[block->parity] = block->column;
    run->downloads[block->parity] = (struct lava_download){
        .source = buffer_of(run, blocking->finish ? LAVA_WORKSPACE_RESULT : LAVA_WORKSPACE_ACCUMULATOR,
                            block->parity),
        .source_type = run->result_type,
        .target_type = problem->type_c,
        .source_ld = blocking->finish ? lava_blocking_padded(block->rows, 4)
                                      : (int64_t)block->tiles_m * run->plan->kernel->tile_m,
        .target = (char *)problem->c +
                  (block->column * problem->ldc + block->row) * (int64_t)lava_type_bytes(problem->type_c),
        .target_ld = problem->ldc,
        .rows = block->rows,
        .columns = block->columns,
        .beta = (float)problem->beta,
        .ready = done};
    return status;
}

/* Merges a block that was computed and keeps the record of what is in C, also where it fails half way. */
static enum lava_status merge_block(struct run *run, uint32_t parity, struct lava_progress *progress) {
    struct lava_download *download = &run->downloads[parity];
    enum lava_status status = lava_transfer_finish_download(&run->transfer, download);
    progress->column = run->download_column[parity] + download->columns_done;
    progress->partial = download->rows_done;
    return status;
}

/* One row block: its column blocks one after another, each merged while the next is computed. */
static enum lava_status run_rows(struct run *run, struct block *block, struct lava_progress *progress) {
    const struct lava_kernel *kernel = run->plan->kernel;
    int64_t n = run->problem->n, block_n = run->plan->blocking.block_n;
    enum lava_status status = LAVA_OK;
    for (block->column = 0; block->column < n; block->column += block_n) {
        block->columns = lava_minimum(block_n, n - block->column);
        block->tiles_n = (uint32_t)(lava_blocking_padded(block->columns, kernel->tile_n) / kernel->tile_n);
        if ((status = compute_block(run, block)))
            break;
        if (block->column > 0 && (status = merge_block(run, block->parity ^ 1, progress)))
            return status;
        if ((status = lava_transfer_start_download(&run->transfer, &run->downloads[block->parity])))
            break;
        block->parity ^= 1;
    }
    if (!status)
        status = merge_block(run, block->parity ^ 1, progress);
    return status;
}

static enum lava_status run_blocks(struct run *run, struct lava_progress *progress) {
    const struct lava_problem *problem = run->problem;
    const struct lava_kernel *kernel = run->plan->kernel;
    struct block block = {0};
    for (block.row = 0; block.row < problem->m; block.row += run->plan->blocking.block_m) {
        block.rows = lava_minimum(run->plan->blocking.block_m, problem->m - block.row);
        block.tiles_m = (uint32_t)(lava_blocking_padded(block.rows, kernel->tile_m) / kernel->tile_m);
        *progress = (struct lava_progress){.row = block.row, .rows = block.rows};
        enum lava_status status = run_rows(run, &block, progress);
        if (status)
            return status;
    }
    *progress = (struct lava_progress){.row = problem->m};
    return LAVA_OK;
}

/* How many tiles a dispatch may have, and how long a wait may last, from the kernel's rate in the profile. */
static void set_limits(struct run *run) {
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
    bool software = run->device->capabilities.kind == LAVA_DEVICE_CPU;
    run->device->timeout_ns =
        (uint64_t)(((software ? SOFTWARE_TIMEOUT_S : TIMEOUT_S) + TIMEOUT_FACTOR * block_s) * NS_PER_S);
}

static void read_timing(struct run *run, struct lava_timing *timing) {
    uint64_t elapsed[LAVA_QUEUE_STAMP_PAIRS], sums[LAVA_STAMP_KINDS] = {0};
    if (lava_queue_read_stamps(run->device, LAVA_ROLE_COMPUTE, run->stamps.pairs, elapsed))
        for (uint32_t i = 0; i < run->stamps.pairs; i++)
            sums[run->stamps.kinds[i]] += elapsed[i];
    timing->pack_ns = sums[LAVA_STAMP_PACK];
    timing->multiply_ns = sums[LAVA_STAMP_MULTIPLY] / run->repeat;
    timing->finish_ns = sums[LAVA_STAMP_FINISH] / run->repeat;
}

/* The product's pipelines: there already, unless the row was not prepared. */
static enum lava_status get_pipelines(struct run *run) {
    const struct lava_problem *problem = run->problem;
    const struct lava_kernel *kernel = run->plan->kernel;
    const struct lava_capabilities *capabilities = &run->device->capabilities;
    bool finish = run->plan->blocking.finish, narrow = run->result_type != LAVA_TYPE_FP32 && !finish;
    bool turn_a = problem->op_a == LAVA_OP_T, turn_b = problem->op_b == LAVA_OP_N;
    const struct {
        struct lava_pipeline_specification specification;
        const struct lava_pipeline **pipeline;
    } needs[] = {
        {lava_pipelines_multiply(kernel, capabilities, narrow), &run->multiply},
        {lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_A, turn_a), &run->pack_a},
        {lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_B, turn_b), &run->pack_b},
        {lava_pipelines_finish(run->result_type), &run->finish},
    };
    enum lava_status status = LAVA_OK;
    for (size_t i = 0; i < (finish ? 4 : 3) && !status; i++)
        status = lava_pipelines_get(run->device, &needs[i].specification, needs[i].pipeline);
    return status;
}

enum lava_status lava_executor_run(struct lava_executor *executor, const struct lava_problem *problem,
                                   const struct lava_plan *plan, struct lava_progress *progress,
                                   struct lava_timing *timing) {
    struct run run = {
        .executor = executor,
        .device = executor->device,
        .problem = problem,
        .plan = plan,
        .result_type = lava_problem_result_type(problem),
        .repeat = timing && timing->repeat > 1 ? timing->repeat : 1,
        .transfer = {.device = executor->device, .workspace = &executor->workspace, .pool = executor->pool}};
    enum lava_status status;
    *progress = (struct lava_progress){0};
    run.transfer.stamps = timing ? &run.stamps : NULL;
    set_limits(&run);
    if ((status = lava_workspace_reserve(&executor->workspace, executor->device, &plan->blocking)) ||
        (status = get_pipelines(&run)))
        return status;
    status = run_blocks(&run, progress);
    /* buffers are reused by the next product, so nothing may be running when this one ends */
    enum lava_status drained =
        executor->device->failed ? LAVA_OK : lava_queue_drain(executor->device, run.device->timeout_ns);
    if (drained) /* what is in flight would meet the next product's data */
        lava_device_fail(executor->device, drained);
    status = status ? status : drained;
    if (!status && timing)
        read_timing(&run, timing);
    if (!status)
        lava_pipelines_save(executor->device);
    return status;
}
