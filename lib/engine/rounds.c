/* Runs the rounds of a batch. Two rounds are in progress at a time. Each uses one half of the staging memory,
 * of the raw chunks and of the results:
 *
 *     the CPU        copies round 0    copies 1   writes back 0   copies 2   writes back 1
 *     upload                  round 0           round 1             round 2
 *     compute                          packs, multiplies, epilogue of 0     1
 *     download                                                   0
 *
 * Called by batch.c. Invariant: only the write-back (C <- result + beta C on the CPU) writes C, whole
 * products at a time. */
#include "lib/engine/rounds.h"

#include <stdlib.h>
#include <string.h>

#include "dispatch/arithmetic.h"
#include "lib/base/fault.h"
#include "lib/engine/upload.h"

#define WORD_BYTES 16

struct rounds {
    struct lava_engine *engine;
    const struct lava_batch *batch;
    const struct lava_batch_plan *plan;
    const struct lava_pipeline *pack_a, *pack_b, *multiply, *epilogue;
    uint64_t half_up, half_raw, half_down; /* bytes */
    struct lava_point staged[2], computed[2], down[2];
    uint32_t stamps;
    bool timed;
};

/* The products of a round. */
struct round {
    int64_t first, count;
    uint32_t half;
};

static const struct lava_buffer *buffer_of(const struct rounds *rounds, enum lava_arena_role role) {
    return &rounds->engine->arena.buffers[role];
}

static bool from_staging(const struct rounds *rounds) {
    return rounds->engine->device->capabilities.unified_memory;
}

/* A stored operand of one product, and where the round's matrices begin in the upload. */
struct stored {
    int64_t rows, columns, ld, stride;
    const void *first;
    const void *const *pointers;
    int64_t raw_ld;
    uint64_t raw_offset;
};

static struct stored stored_of(const struct rounds *rounds, const struct round *round, bool is_b) {
    const struct lava_batch *batch = rounds->batch;
    const struct lava_operation *operation = &batch->operation;
    const struct lava_batch_plan *plan = rounds->plan;
    bool turned = (is_b ? operation->b.op : operation->a.op) == LAVA_OP_T;
    int64_t bytes = (int64_t)lava_type_bytes(operation->type);
    int64_t down = is_b ? operation->k : operation->m, across = is_b ? operation->n : operation->k;
    struct stored stored = {.rows = turned ? across : down,
                            .columns = turned ? down : across,
                            .ld = is_b ? operation->b.ld : operation->a.ld,
                            .stride = is_b ? batch->stride_b : batch->stride_a,
                            .pointers = is_b ? batch->b : batch->a,
                            .raw_offset = is_b ? (uint64_t)round->count * plan->raw_a_bytes : 0};
    stored.raw_ld = lava_blocking_padded(stored.rows, WORD_BYTES / (uint32_t)bytes);
    if (stored.pointers)
        stored.pointers += round->first;
    else
        stored.first = (const char *)(is_b ? operation->b.first : operation->a.first) +
                       round->first * stored.stride * bytes;
    return stored;
}

static uint64_t up_bytes(const struct rounds *rounds, const struct round *round) {
    return (uint64_t)round->count * (rounds->plan->raw_a_bytes + rounds->plan->raw_b_bytes);
}

/* Copies both operands of the round into its half of the staging memory and uploads them. */
static enum lava_status upload(struct rounds *rounds, const struct round *round) {
    struct lava_device *device = rounds->engine->device;
    size_t element_bytes = lava_type_bytes(rounds->batch->operation.type);
    const struct lava_buffer *staging = buffer_of(rounds, LAVA_ARENA_STAGING_UP);
    uint64_t offset = round->half * rounds->half_up;
    enum lava_status status = lava_queue_wait(device, rounds->staged[round->half], device->timeout_ns);
    if (!status && lava_fault_hit(LAVA_FAULT_UPLOAD))
        status = LAVA_ERROR_DRIVER;
    if (status)
        return status;
    for (int is_b = 0; is_b < 2; is_b++) {
        const struct stored stored = stored_of(rounds, round, is_b);
        const struct lava_copies copies = {
            .copy = {.source = stored.first,
                     .source_ld = stored.ld,
                     .target = (char *)staging->mapped + offset + stored.raw_offset,
                     .target_ld = stored.raw_ld,
                     .rows = stored.rows,
                     .columns = stored.columns},
            .count = round->count,
            .source_stride = stored.stride,
            .target_stride = stored.raw_ld * stored.columns,
            .sources = stored.pointers};
        lava_copy_pool_copy_each(rounds->engine->pool, &copies, element_bytes);
    }
    if (from_staging(rounds))
        return LAVA_OK;
    struct lava_commands commands;
    if ((status = lava_queue_begin(device, LAVA_ROLE_UPLOAD, &commands)))
        return status;
    lava_queue_copy(device, &commands, staging, offset, buffer_of(rounds, LAVA_ARENA_RAW),
                    round->half * rounds->half_raw, up_bytes(rounds, round));
    lava_queue_barrier(device, &commands);
    /* the raw chunks of the earlier round in this half are packed by then */
    return lava_queue_submit(device, &commands, &rounds->computed[round->half], 1,
                             &rounds->staged[round->half]);
}

static void record_pack(struct rounds *rounds, const struct lava_commands *commands,
                        const struct round *round, bool is_b) {
    const struct lava_batch_plan *plan = rounds->plan;
    const struct lava_operation *operation = &rounds->batch->operation;
    const struct stored stored = stored_of(rounds, round, is_b);
    bool k_along_rows = is_b ? operation->b.op == LAVA_OP_N : operation->a.op == LAVA_OP_T;
    uint32_t width = is_b ? plan->tiles_n * plan->kernel->tile_n : plan->tiles_m * plan->kernel->tile_m;
    uint32_t k = (uint32_t)plan->k_padded;
    uint64_t source = from_staging(rounds)
                          ? buffer_of(rounds, LAVA_ARENA_STAGING_UP)->address + round->half * rounds->half_up
                          : buffer_of(rounds, LAVA_ARENA_RAW)->address + round->half * rounds->half_raw;
    const struct lava_pack_constants constants = {
        .source = source + stored.raw_offset,
        .target = buffer_of(rounds, is_b ? LAVA_ARENA_PACKED_B : LAVA_ARENA_PACKED_A)->address,
        .source_ld = (uint32_t)stored.raw_ld,
        .rows = (uint32_t)stored.rows,
        .columns = (uint32_t)stored.columns,
        .rows_filled = k_along_rows ? k : width,
        .columns_filled = k_along_rows ? width : k,
        .k_padded = k,
        .source_each = (uint32_t)(stored.raw_ld * stored.columns),
        .width_each = width};
    uint32_t block = lava_kernel_pack_block(plan->kernel);
    lava_queue_dispatch_each(rounds->engine->device, commands, is_b ? rounds->pack_b : rounds->pack_a,
                             &constants, sizeof constants, (constants.rows_filled + block - 1) / block,
                             (constants.columns_filled + block - 1) / block, (uint32_t)round->count);
}

static void record_multiply(struct rounds *rounds, const struct lava_commands *commands,
                            const struct round *round) {
    const struct lava_batch_plan *plan = rounds->plan;
    struct lava_device *device = rounds->engine->device;
    uint32_t tiles = (uint32_t)round->count * plan->tiles_m * plan->tiles_n;
    uint32_t steps = (uint32_t)(plan->k_padded / plan->kernel->tile_k);
    double one = 1;
    struct lava_multiply_constants constants = {.packed_a = buffer_of(rounds, LAVA_ARENA_PACKED_A)->address,
                                                .packed_b = buffer_of(rounds, LAVA_ARENA_PACKED_B)->address,
                                                .target = buffer_of(rounds, LAVA_ARENA_ACCUMULATOR)->address,
                                                .schedule = buffer_of(rounds, LAVA_ARENA_TILE_LISTS)->address,
                                                .tiles = tiles,
                                                .end_unit = tiles,
                                                .steps = steps,
                                                .steps_per_slice = steps,
                                                .target_ld = plan->tiles_m * plan->kernel->tile_m,
                                                .alpha = 1,
                                                .tiles_each = plan->tiles_m};
    memcpy(&constants.alpha_fp64, &one, sizeof one);
    uint32_t most = device->capabilities.max_workgroups;
    lava_queue_dispatch(device, commands, rounds->multiply, &constants, sizeof constants,
                        tiles < most ? tiles : most, 1);
}

static void record_epilogue(struct rounds *rounds, const struct lava_commands *commands,
                            const struct round *round) {
    const struct lava_batch_plan *plan = rounds->plan;
    const struct lava_operation *operation = &rounds->batch->operation;
    struct lava_device *device = rounds->engine->device;
    uint32_t ld = plan->tiles_m * plan->kernel->tile_m;
    uint32_t words_per_column = (uint32_t)(lava_blocking_padded(operation->m, 4) / 4);
    struct lava_epilogue_constants constants = {.source = buffer_of(rounds, LAVA_ARENA_ACCUMULATOR)->address,
                                                .target = buffer_of(rounds, LAVA_ARENA_RESULT)->address +
                                                          round->half * rounds->half_down,
                                                .slices = 1,
                                                .source_ld = ld,
                                                .words_per_column = words_per_column,
                                                .words = words_per_column * (uint32_t)operation->n,
                                                .alpha = (float)operation->alpha.real,
                                                .source_each = ld * plan->tiles_n * plan->kernel->tile_n,
                                                .target_each = 4 * words_per_column * (uint32_t)operation->n};
    memcpy(&constants.alpha_fp64, &operation->alpha.real, sizeof operation->alpha.real);
    lava_queue_dispatch_each(device, commands, rounds->epilogue, &constants, sizeof constants,
                             (constants.words - 1) / LAVA_EPILOGUE_INVOCATIONS + 1, 1,
                             (uint32_t)round->count);
}

static enum lava_status compute(struct rounds *rounds, const struct round *round) {
    struct lava_device *device = rounds->engine->device;
    struct lava_commands commands;
    enum lava_status status = lava_queue_begin(device, LAVA_ROLE_COMPUTE, &commands);
    if (status)
        return status;
    bool stamped = rounds->timed && rounds->stamps < LAVA_QUEUE_STAMP_PAIRS;
    if (stamped && rounds->stamps == 0)
        lava_queue_reset_stamps(device, &commands);
    /* the previous round reads the buffers that are packed now */
    lava_queue_barrier_dispatch(device, &commands);
    record_pack(rounds, &commands, round, false);
    record_pack(rounds, &commands, round, true);
    lava_queue_barrier_dispatch(device, &commands);
    if (stamped)
        lava_queue_stamp(device, &commands, 2 * rounds->stamps);
    record_multiply(rounds, &commands, round);
    if (stamped)
        lava_queue_stamp(device, &commands, 2 * rounds->stamps++ + 1);
    lava_queue_barrier_dispatch(device, &commands);
    record_epilogue(rounds, &commands, round);
    lava_queue_barrier(device, &commands);
    const struct lava_point points[] = {rounds->staged[round->half], rounds->down[round->half]};
    status = lava_queue_submit(device, &commands, points, 2, &rounds->computed[round->half]);
    if (!status && from_staging(rounds))
        rounds->staged[round->half] = rounds->computed[round->half];
    return status;
}

static uint64_t down_bytes(const struct rounds *rounds, const struct round *round) {
    return (uint64_t)round->count * rounds->plan->result_bytes;
}

static enum lava_status download(struct rounds *rounds, const struct round *round) {
    struct lava_device *device = rounds->engine->device;
    struct lava_commands commands;
    enum lava_status status = lava_queue_begin(device, LAVA_ROLE_DOWNLOAD, &commands);
    if (status)
        return status;
    lava_queue_copy(device, &commands, buffer_of(rounds, LAVA_ARENA_RESULT), round->half * rounds->half_down,
                    buffer_of(rounds, LAVA_ARENA_STAGING_DOWN), round->half * rounds->half_up,
                    down_bytes(rounds, round));
    lava_queue_barrier(device, &commands);
    return lava_queue_submit(device, &commands, &rounds->computed[round->half], 1,
                             &rounds->down[round->half]);
}

/* Waits for the round's download and writes it back to C. */
static enum lava_status write_back(struct rounds *rounds, const struct round *round) {
    const struct lava_batch *batch = rounds->batch;
    const struct lava_operation *operation = &batch->operation;
    struct lava_device *device = rounds->engine->device;
    int64_t ld = lava_blocking_padded(operation->m, 4), bytes = (int64_t)lava_type_bytes(operation->c.type);
    enum lava_status status = lava_queue_wait(device, rounds->down[round->half], device->timeout_ns);
    if (!status && lava_fault_hit(LAVA_FAULT_DOWNLOAD))
        status = LAVA_ERROR_DRIVER;
    if (status)
        return status;
    const struct lava_copies copies = {
        .copy = {.source = (const char *)buffer_of(rounds, LAVA_ARENA_STAGING_DOWN)->mapped +
                           round->half * rounds->half_up,
                 .source_ld = ld,
                 .target =
                     batch->c ? NULL : (char *)operation->c.first + round->first * batch->stride_c * bytes,
                 .target_ld = operation->c.ld,
                 .rows = operation->m,
                 .columns = operation->n},
        .count = round->count,
        .source_stride = ld * operation->n,
        .target_stride = batch->stride_c,
        .targets = batch->c ? batch->c + round->first : NULL};
    const struct lava_write_back how = {.source_type = lava_type_sums(operation->c.type),
                                        .target_type = operation->c.type,
                                        .beta = {operation->beta.real, 0}};
    lava_copy_pool_write_back_each(rounds->engine->pool, &copies, &how);
    return LAVA_OK;
}

/* Uploads the list of tiles: product after product, each tile by tile. */
static enum lava_status upload_schedule(struct rounds *rounds) {
    const struct lava_batch_plan *plan = rounds->plan;
    struct lava_engine *engine = rounds->engine;
    size_t count = (size_t)plan->round * plan->tiles_m * plan->tiles_n;
    uint32_t *entries = malloc(count * sizeof *entries), *entry = entries;
    if (!entries)
        return LAVA_ERROR_HOST_MEMORY;
    for (uint32_t product = 0; product < (uint32_t)plan->round; product++)
        for (uint32_t n = 0; n < plan->tiles_n; n++)
            for (uint32_t m = 0; m < plan->tiles_m; m++)
                *entry++ = (product * plan->tiles_m + m) | (product * plan->tiles_n + n) << 16;
    struct lava_stream stream;
    lava_stream_open(&stream, engine, false);
    enum lava_status status = lava_upload_bytes(&stream, entries, count * sizeof *entries,
                                                buffer_of(rounds, LAVA_ARENA_TILE_LISTS), 0);
    free(entries);
    if (!status)
        status = lava_queue_wait(engine->device, stream.uploaded, engine->device->timeout_ns);
    memset(engine->arena.lists, 0, sizeof engine->arena.lists); /* the upload replaced them */
    return status;
}

static enum lava_status reserve(struct rounds *rounds) {
    const struct lava_batch_plan *plan = rounds->plan;
    struct lava_engine *engine = rounds->engine;
    uint64_t count = (uint64_t)plan->round;
    const struct round whole = {.count = plan->round};
    const struct lava_blocking blocking = {.blocks_m = 1,
                                           .blocks_n = 1,
                                           .blocks_k = 1,
                                           .blocks_held = 1,
                                           .packed_a_bytes = count * plan->packed_a_bytes,
                                           .packed_b_bytes = count * plan->packed_b_bytes,
                                           .accumulator_bytes = count * plan->accumulator_bytes,
                                           .result_bytes = 2 * count * plan->result_bytes,
                                           .tile_list_bytes = count * plan->tiles_m * plan->tiles_n * 4};
    rounds->half_up = LAVA_ARENA_SLOTS / 2 * engine->arena.slot_bytes;
    rounds->half_raw = up_bytes(rounds, &whole);
    rounds->half_down = down_bytes(rounds, &whole);
    enum lava_status status =
        lava_arena_reserve(&engine->arena, engine->device, &blocking, 2 * rounds->half_raw, false);
    if (!status && !from_staging(rounds) && buffer_of(rounds, LAVA_ARENA_RAW)->bytes < 2 * rounds->half_raw)
        status = LAVA_ERROR_DEVICE_MEMORY;
    return status;
}

static enum lava_status get_pipelines(struct rounds *rounds) {
    const struct lava_operation *operation = &rounds->batch->operation;
    const struct lava_kernel *kernel = rounds->plan->kernel;
    struct lava_device *device = rounds->engine->device;
    const struct lava_capabilities *capabilities = &device->capabilities;
    const struct {
        struct lava_pipeline_specification specification;
        const struct lava_pipeline **pipeline;
    } needs[] = {
        {lava_pipelines_multiply(kernel, capabilities, false), &rounds->multiply},
        {lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_A, operation->a.op == LAVA_OP_T),
         &rounds->pack_a},
        {lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_B, operation->b.op == LAVA_OP_N),
         &rounds->pack_b},
        {lava_pipelines_epilogue(operation->type), &rounds->epilogue},
    };
    enum lava_status status = LAVA_OK;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0] && !status; i++)
        status = lava_pipelines_get(device, &needs[i].specification, needs[i].pipeline);
    return status;
}

/* Writes back each round while the next one is computed. */
static enum lava_status run_rounds(struct rounds *rounds, int64_t *finished) {
    const struct lava_batch_plan *plan = rounds->plan;
    struct round before = {0};
    enum lava_status status = LAVA_OK;
    for (int64_t first = 0; first < rounds->batch->count && !status; first += plan->round) {
        int64_t left = rounds->batch->count - first;
        const struct round round = {.first = first,
                                    .count = left < plan->round ? left : plan->round,
                                    .half = (uint32_t)(first / plan->round % 2)};
        if ((status = upload(rounds, &round)) || (status = compute(rounds, &round)) ||
            (status = download(rounds, &round)))
            break;
        if (before.count > 0 && !(status = write_back(rounds, &before)))
            *finished += before.count;
        before = round;
    }
    if (!status && !(status = write_back(rounds, &before)))
        *finished += before.count;
    return status;
}

static void read_timing(const struct rounds *rounds, struct lava_timing *timing) {
    struct lava_interval intervals[LAVA_QUEUE_STAMP_PAIRS];
    timing->multiply_ns = 0;
    if (lava_queue_read_stamps(rounds->engine->device, LAVA_ROLE_COMPUTE, rounds->stamps, intervals))
        for (uint32_t i = 0; i < rounds->stamps; i++)
            timing->multiply_ns += intervals[i].end_ns - intervals[i].begin_ns;
}

/* Returns how many products fit a round: their operands fit half of the staging memory and of the raw chunks,
 * and their results fit half of the staging memory for downloads. */
static int64_t fitting(const struct lava_engine *engine, const struct lava_batch_plan *plan) {
    const struct lava_arena *arena = &engine->arena;
    uint64_t staging = LAVA_ARENA_SLOTS / 2 * arena->slot_bytes, up = staging;
    uint64_t raw = arena->raw_slots_max * arena->slot_bytes / 2;
    if (!engine->device->capabilities.unified_memory && raw < up)
        up = raw;
    int64_t by_up = (int64_t)(up / (plan->raw_a_bytes + plan->raw_b_bytes));
    return lava_minimum(plan->round, lava_minimum(by_up, (int64_t)(staging / plan->result_bytes)));
}

enum lava_status lava_rounds_run(struct lava_engine *engine, const struct lava_batch *batch,
                                 const struct lava_batch_plan *plan, int64_t *finished,
                                 struct lava_timing *timing) {
    struct lava_batch_plan fitted = *plan;
    struct rounds rounds = {.engine = engine, .batch = batch, .plan = &fitted, .timed = timing != NULL};
    *finished = 0;
    fitted.round = lava_minimum(fitting(engine, plan), batch->count);
    lava_engine_expect(engine, 1e-9 * plan->gpu_ns);
    enum lava_status status = fitted.round < 1 ? LAVA_ERROR_HOST_MEMORY : reserve(&rounds);
    while (status == LAVA_ERROR_DEVICE_MEMORY && fitted.round > 1 && !engine->device->failed) {
        fitted.round /= 2;
        status = reserve(&rounds);
    }
    if (status || (status = get_pipelines(&rounds)))
        return status;
    if (!(status = upload_schedule(&rounds)))
        status = run_rounds(&rounds, finished);
    enum lava_status drained =
        engine->device->failed ? LAVA_OK : lava_queue_drain(engine->device, engine->device->timeout_ns);
    if (drained) /* work in flight would overwrite the next product's data */
        lava_device_fail(engine->device, drained);
    if (!status && !drained && timing)
        read_timing(&rounds, timing);
    if (!status)
        lava_pipelines_save(engine->device);
    return status ? status : drained;
}
