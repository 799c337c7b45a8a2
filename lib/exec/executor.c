/* The streaming executor. Called by lib/exec/runtime.c, self_test.c and checkgemm.
 *
 * Order on the device comes from two rules. A multiply begins with a barrier, so it sees everything packed
 * before it and every dispatch before it has finished before one after it starts; that is why packing the
 * next B into the other buffer needs no barrier of its own and may overlap the multiply. And a block is
 * multiplied only after the one that had its place on the device before is merged. */
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
    uint32_t lists_used; /* a bit for each list of tiles that a dispatch of this run reads */
    struct lava_download downloads[LAVA_BLOCKING_BLOCKS_HELD];
    int64_t download_column[LAVA_BLOCKING_BLOCKS_HELD]; /* where the block starts in C */
    int64_t columns_started;                            /* of the row block: whose download has begun */
};

/* A block of C: rows x columns at (row, column), and where and how it lies on the device. */
struct block {
    int64_t row, column, rows, columns;
    uint32_t tiles_m, tiles_n;
    uint32_t place; /* of blocks_held */
};

/* Rows of a block that are multiplied by one dispatch, from a tile on. */
struct piece {
    int64_t row, rows;
    uint32_t first_tile, tiles;
};

static const struct lava_buffer *buffer_of(const struct run *run, enum lava_workspace_role role) {
    return &run->executor->workspace.buffers[role];
}

static uint64_t accumulators_of(const struct run *run, const struct block *block) {
    return buffer_of(run, LAVA_WORKSPACE_ACCUMULATOR)->address +
           block->place * run->plan->blocking.accumulator_bytes;
}

/* The two in turn. */
static const struct lava_buffer *packed_b(const struct run *run, uint32_t pack) {
    return buffer_of(run, pack % 2 ? LAVA_WORKSPACE_PACKED_B_OTHER : LAVA_WORKSPACE_PACKED_B);
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

void lava_executor_release(struct lava_executor *executor) {
    lava_workspace_release(&executor->workspace, executor->device);
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

/* Where the piece's panels of op(A) begin, bytes. */
static uint64_t packed_offset(const struct run *run, const struct piece *piece, int64_t k) {
    const struct lava_kernel *kernel = run->plan->kernel;
    return (uint64_t)piece->first_tile * kernel->tile_m * (uint64_t)lava_blocking_padded(k, kernel->tile_k) *
           lava_type_bytes(kernel->type);
}

/* op(A)'s rows of the piece, K from k0. */
static enum lava_status pack_a(struct run *run, const struct block *block, const struct piece *piece,
                               int64_t k0, int64_t k) {
    const struct lava_problem *problem = run->problem;
    const struct lava_kernel *kernel = run->plan->kernel;
    bool transpose = problem->op_a == LAVA_OP_T;
    int64_t row = block->row + piece->row;
    const struct lava_operand operand = {
        .source = element_of(problem->a, problem->type,
                             transpose ? row * problem->lda + k0 : k0 * problem->lda + row),
        .element_bytes = lava_type_bytes(problem->type),
        .source_ld = problem->lda,
        .rows = transpose ? k : piece->rows,
        .columns = transpose ? piece->rows : k,
        .transpose = transpose,
        .pack = run->pack_a,
        .width_padded = (int64_t)piece->tiles * kernel->tile_m,
        .k_padded = lava_blocking_padded(k, kernel->tile_k),
        .target = buffer_of(run, LAVA_WORKSPACE_PACKED_A),
        .target_offset = packed_offset(run, piece, k),
        .wait_for_readers = piece->row == 0};
    return lava_transfer_pack(&run->transfer, &operand);
}

/* op(B)'s columns of the block, into the buffer that the multiply before the last one read. */
static enum lava_status pack_b(struct run *run, const struct block *block, int64_t k0, int64_t k) {
    const struct lava_problem *problem = run->problem;
    bool transpose = problem->op_b == LAVA_OP_N;
    const struct lava_operand operand = {.source = element_of(problem->b, problem->type,
                                                              transpose ? block->column * problem->ldb + k0
                                                                        : k0 * problem->ldb + block->column),
                                         .element_bytes = lava_type_bytes(problem->type),
                                         .source_ld = problem->ldb,
                                         .rows = transpose ? k : block->columns,
                                         .columns = transpose ? block->columns : k,
                                         .transpose = transpose,
                                         .pack = run->pack_b,
                                         .width_padded = (int64_t)block->tiles_n * run->plan->kernel->tile_n,
                                         .k_padded = lava_blocking_padded(k, run->plan->kernel->tile_k),
                                         .target = packed_b(run, run->packs_of_b)};
    run->packs_of_b++;
    return lava_transfer_pack(&run->transfer, &operand);
}

/* The place of the list of that shape, or LAVA_BLOCKING_SCHEDULES; *free_place is one that no dispatch of
 * this run reads, or the same. */
static uint32_t find_list(const struct run *run, uint64_t shape, uint32_t *free_place) {
    const struct lava_workspace *workspace = &run->executor->workspace;
    *free_place = LAVA_BLOCKING_SCHEDULES;
    for (uint32_t place = 0; place < LAVA_BLOCKING_SCHEDULES; place++) {
        if (workspace->lists[place].shape == shape &&
            workspace->lists[place].schedule == (int)run->plan->schedule)
            return place;
        if (!(run->lists_used & 1u << place))
            *free_place = place;
    }
    return LAVA_BLOCKING_SCHEDULES;
}

static enum lava_status make_list(struct run *run, uint32_t place, uint32_t tiles_m, uint32_t tiles_n) {
    struct lava_workspace *workspace = &run->executor->workspace;
    size_t count = (size_t)tiles_m * tiles_n;
    uint32_t *entries = malloc(count * sizeof *entries);
    if (!entries)
        return LAVA_ERROR_HOST_MEMORY;
    lava_schedule_fill(run->plan->schedule, tiles_m, tiles_n, entries);
    workspace->lists[place].shape = 0;
    enum lava_status status =
        lava_transfer_upload(&run->transfer, entries, count * sizeof *entries,
                             buffer_of(run, LAVA_WORKSPACE_SCHEDULE), place * workspace->list_bytes);
    free(entries);
    if (!status) {
        workspace->lists[place].shape = tiles_m | (uint64_t)tiles_n << 32;
        workspace->lists[place].schedule = (int)run->plan->schedule;
    }
    return status;
}

/* Where a list of tiles lies on the device; made and uploaded unless it is there from before. */
static enum lava_status schedule_of(struct run *run, uint32_t tiles_m, uint32_t tiles_n, uint64_t *address) {
    uint32_t free_place, place = find_list(run, tiles_m | (uint64_t)tiles_n << 32, &free_place);
    enum lava_status status = LAVA_OK;
    if (place == LAVA_BLOCKING_SCHEDULES) {
        place = free_place;
        if (place == LAVA_BLOCKING_SCHEDULES) { /* all are read */
            place = run->lists_used = 0;
            status = lava_transfer_flush(&run->transfer);
            status = status ? status : lava_queue_drain(run->device, run->device->timeout_ns);
        }
        status = status ? status : make_list(run, place, tiles_m, tiles_n);
    }
    run->lists_used |= 1u << place;
    *address = buffer_of(run, LAVA_WORKSPACE_SCHEDULE)->address + place * run->executor->workspace.list_bytes;
    return status;
}

/* The constants of a piece's multiply for the panel of K that was packed last. */
static struct lava_multiply_constants multiply_constants(const struct run *run, const struct block *block,
                                                         const struct piece *piece, int64_t k,
                                                         bool accumulate) {
    const struct lava_kernel *kernel = run->plan->kernel;
    const struct lava_blocking *blocking = &run->plan->blocking;
    uint32_t steps = (uint32_t)(lava_blocking_padded(k, kernel->tile_k) / kernel->tile_k);
    uint32_t ld = block->tiles_m * kernel->tile_m;
    uint64_t sum_bytes = blocking->finish ? sizeof(float) : lava_type_bytes(run->result_type);
    return (struct lava_multiply_constants){
        .packed_a = buffer_of(run, LAVA_WORKSPACE_PACKED_A)->address + packed_offset(run, piece, k),
        .packed_b = packed_b(run, run->packs_of_b - 1)->address,
        .target = accumulators_of(run, block) + (uint64_t)piece->first_tile * kernel->tile_m * sum_bytes,
        .slab_stride = (uint64_t)ld * block->tiles_n * kernel->tile_n,
        .tiles = piece->tiles * block->tiles_n,
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

/* Each dispatch in a submission of its own; the last is collected. */
static enum lava_status submit_multiply(struct run *run, struct lava_multiply_constants *constants,
                                        uint32_t units, struct lava_point *done) {
    struct lava_device *device = run->device;
    uint32_t most = device->capabilities.max_workgroups;
    if (run->plan->persistent && run->plan->resident_workgroups < most)
        most = run->plan->resident_workgroups;
    for (uint32_t first = 0; first < units; first += run->units_per_dispatch) {
        struct lava_commands commands;
        enum lava_status status = first > 0 ? lava_transfer_flush(&run->transfer) : LAVA_OK;
        if (status || (status = lava_transfer_begin(&run->transfer, &commands)))
            return status;
        uint32_t count = units - first < run->units_per_dispatch ? units - first : run->units_per_dispatch;
        constants->first_unit = first;
        constants->end_unit = first + count;
        const struct dispatch dispatch = {LAVA_STAMP_MULTIPLY, run->multiply, constants, sizeof *constants,
                                          count < most ? count : most};
        record(run, &commands, &dispatch);
        if ((status = lava_transfer_submit(&run->transfer, &run->transfer.uploaded, done)))
            return status;
    }
    return LAVA_OK;
}

/* Where the finished block is left. */
static const struct lava_buffer *result_of(const struct run *run, const struct block *block,
                                           uint64_t *offset) {
    const struct lava_blocking *blocking = &run->plan->blocking;
    *offset = block->place * lava_blocking_finished_bytes(blocking);
    if (!blocking->finish)
        return buffer_of(run, LAVA_WORKSPACE_ACCUMULATOR);
    return buffer_of(run, run->transfer.at_once ? LAVA_WORKSPACE_STAGING_DOWN : LAVA_WORKSPACE_RESULT);
}

/* Alpha, the sum of the slabs, and the block without its padding. */
static enum lava_status submit_finish(struct run *run, const struct block *block, struct lava_point *done) {
    const struct lava_kernel *kernel = run->plan->kernel;
    struct lava_commands commands;
    enum lava_status status = lava_transfer_begin(&run->transfer, &commands);
    if (status)
        return status;
    uint64_t offset;
    const struct lava_buffer *result = result_of(run, block, &offset);
    uint32_t ld = block->tiles_m * kernel->tile_m;
    uint32_t words_per_column = (uint32_t)(lava_blocking_padded(block->rows, 4) / 4);
    const struct lava_finish_constants constants = {.source = accumulators_of(run, block),
                                                    .target = result->address + offset,
                                                    .slab_stride =
                                                        (uint64_t)ld * block->tiles_n * kernel->tile_n,
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
    return lava_transfer_submit(&run->transfer, NULL, done);
}

/* At once: the result in staging memory, where finish has not put it there, and for the host to see. */
static enum lava_status leave_in_staging(struct run *run, const struct lava_download *download,
                                         struct lava_point *done) {
    struct lava_commands commands;
    enum lava_status status = lava_transfer_begin(&run->transfer, &commands);
    if (status)
        return status;
    lava_queue_barrier(run->device, &commands);
    if (!run->plan->blocking.finish) {
        uint64_t elements = (uint64_t)((download->columns - 1) * download->source_ld + download->rows);
        lava_queue_copy(run->device, &commands, download->source, download->source_offset,
                        buffer_of(run, LAVA_WORKSPACE_STAGING_DOWN), 0,
                        elements * lava_type_bytes(download->source_type));
        lava_queue_barrier(run->device, &commands);
    }
    return lava_transfer_submit(&run->transfer, NULL, done);
}

static enum lava_status multiply_piece(struct run *run, const struct block *block, const struct piece *piece,
                                       int64_t k, bool accumulate, struct lava_point *done) {
    struct lava_multiply_constants constants = multiply_constants(run, block, piece, k, accumulate);
    enum lava_status status = schedule_of(run, piece->tiles, block->tiles_n, &constants.schedule);
    if (status)
        return status;
    return submit_multiply(run, &constants, constants.tiles * run->plan->blocking.split_k, done);
}

/* A panel of K, from k0 on. Where op(A) has to be packed, each piece of it is multiplied as soon as it is. */
static enum lava_status multiply_panel(struct run *run, const struct block *block, int64_t k0,
                                       struct lava_point *done) {
    const struct lava_blocking *blocking = &run->plan->blocking;
    uint32_t tile_m = run->plan->kernel->tile_m;
    int64_t k = lava_minimum(blocking->block_k, run->problem->k - k0);
    bool a_is_there = blocking->blocks_k == 1 && block->column > 0;
    int64_t rows = a_is_there ? block->rows : blocking->piece_m;
    enum lava_status status = pack_b(run, block, k0, k);
    /* the block's place is free when the one that was there before is merged, and with it others: several on
     * their way together take the bus for less */
    if (!status && run->transfer.download_count == blocking->blocks_held)
        status = lava_transfer_finish_downloads(&run->transfer, blocking->blocks_held / 2);
    for (int64_t row = 0; row < block->rows && !status; row += rows) {
        struct piece piece = {.row = row, .rows = lava_minimum(rows, block->rows - row)};
        piece.first_tile = (uint32_t)(row / tile_m);
        piece.tiles = (uint32_t)(lava_blocking_padded(piece.rows, tile_m) / tile_m);
        if (!a_is_there && (status = pack_a(run, block, &piece, k0, k)))
            break;
        status = multiply_piece(run, block, &piece, k, k0 > 0, done);
        bool last = row + rows >= block->rows && k0 + k == run->problem->k; /* run_block goes on */
        if (!status && !run->transfer.at_once && !last)
            status = lava_transfer_flush(&run->transfer);
    }
    return status;
}

/* Everything of a block up to the finished result on the device, and its download begun. */
static enum lava_status run_block(struct run *run, const struct block *block) {
    const struct lava_blocking *blocking = &run->plan->blocking;
    const struct lava_problem *problem = run->problem;
    struct lava_download *download = &run->downloads[block->place];
    struct lava_point done = {0};
    enum lava_status status = LAVA_OK;
    for (int64_t k0 = 0; k0 < problem->k && !status; k0 += blocking->block_k)
        status = multiply_panel(run, block, k0, &done);
    if (!status && blocking->finish)
        status = submit_finish(run, block, &done);
    if (status)
        return status;
    *download = (struct lava_download){
        .source_type = run->result_type,
        .target_type = problem->type_c,
        .source_ld = blocking->finish ? lava_blocking_padded(block->rows, 4)
                                      : (int64_t)block->tiles_m * run->plan->kernel->tile_m,
        .target = (char *)problem->c +
                  (block->column * problem->ldc + block->row) * (int64_t)lava_type_bytes(problem->type_c),
        .target_ld = problem->ldc,
        .rows = block->rows,
        .columns = block->columns,
        .beta = (float)problem->beta};
    download->source = result_of(run, block, &download->source_offset);
    status = run->transfer.at_once ? leave_in_staging(run, download, &done) : LAVA_OK;
    if (status || (status = lava_transfer_flush(&run->transfer)))
        return status;
    download->ready = done;
    run->download_column[block->place] = block->column;
    run->columns_started = block->column + block->columns;
    return lava_transfer_start_download(&run->transfer, download);
}

/* What of the row block is in C: all before the first download that is not finished. */
static void record_progress(const struct run *run, struct lava_progress *progress) {
    progress->column = run->columns_started;
    if (run->transfer.download_count > 0) {
        const struct lava_download *first = run->transfer.downloads[0];
        progress->column = run->download_column[first - run->downloads] + first->columns_done;
        progress->partial = first->rows_done;
    }
}

/* One row block: its column blocks one after another, each on its way down while the next are computed. */
static enum lava_status run_rows(struct run *run, struct block *block) {
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

static enum lava_status run_blocks(struct run *run, struct lava_progress *progress) {
    const struct lava_problem *problem = run->problem;
    const struct lava_kernel *kernel = run->plan->kernel;
    struct block block = {0};
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

/* Whether the result, padded as the device leaves it, can lie in staging memory all at once. */
static bool fits_staging(const struct run *run) {
    const struct lava_blocking *blocking = &run->plan->blocking;
    return blocking->blocks_m * blocking->blocks_n * blocking->blocks_k == 1 &&
           lava_blocking_finished_bytes(blocking) <=
               run->executor->workspace.slot_bytes * LAVA_WORKSPACE_SLOTS;
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
    run.transfer.at_once = plan->at_once && fits_staging(&run);
    run.transfer.from_staging = run.transfer.at_once || executor->device->capabilities.unified_memory;
    if ((status = lava_workspace_reserve(&executor->workspace, executor->device, &plan->blocking,
                                         (uint64_t)lava_problem_operand_bytes(problem))) ||
        (status = get_pipelines(&run)))
        return status;
    status = run_blocks(&run, progress);
    lava_transfer_abandon(&run.transfer);
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
