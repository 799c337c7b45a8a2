/* Runs an operation's program. Called by lib/offload/device_run.c and its self-test,
 * lib/calibrate, checkgemm, and lib/lapack/device_matrix.c.
 *
 * Two rules order the device's work:
 *  - A multiply begins with a barrier. It sees everything packed before it, and every earlier dispatch has
 *    finished before a later one starts. So packing the next op(B) into the other buffer needs no barrier of
 *    its own and may overlap the multiply.
 *  - A block is multiplied only after the previous block in its place on the device is written to C. The
 *    program waits for that. On the device there is one place, and that barrier protects it. */
#include "lib/product/runner.h"

#include <stdlib.h>
#include <string.h>

#include "dispatch/program.h"
#include "lib/base/trace.h"
#include "lib/product/residue_run.h"
#include "lib/product/stages.h"
#include "lib/transport/kept.h"

/* Longest dispatch. Drivers reset a GPU that a desktop cannot use for seconds. */
#define DISPATCH_S 0.25
/* A batch is limited by the CPU's copies, and staging memory that is used again soon stays in the CPU's
 * caches. One slot is filled, one is on the bus, one is next. Batches of 32 to 200 take 0.87 of the time with
 * eight (H200, 2026-11-22; two slots: 1.0, four: 0.92). */
#define BATCH_SLOTS 3

/* Leaves the result of a product computed at once in staging memory, visible to the host. Copies it there if
 * no epilogue wrote it there. */
static enum lava_status leave_in_staging(struct lava_run *run, const struct lava_download *download,
                                         struct lava_point *done) {
    struct lava_commands commands;
    enum lava_status status = lava_stream_begin(run->stream, &commands);
    if (status)
        return status;
    lava_queue_barrier(run->device, &commands);
    if (!run->plan->blocking.epilogue) {
        uint64_t elements = (uint64_t)((download->columns - 1) * download->source_ld + download->rows);
        lava_queue_copy(run->device, &commands, download->source, download->source_offset,
                        lava_run_buffer(run, LAVA_ARENA_STAGING_DOWN), 0,
                        elements * lava_type_bytes(download->source_type));
        lava_queue_barrier(run->device, &commands);
    }
    return lava_stream_submit(run->stream, NULL, done);
}

/* Adds the block's products of a batch to its download. */
static void set_products(const struct lava_run *run, const struct lava_block *block,
                         struct lava_download *download) {
    const struct lava_series *series = run->caller->series;
    int64_t bytes = (int64_t)lava_type_bytes(run->caller->c.type);
    download->starts_early = true; /* the bus is busy throughout, in both directions */
    download->columns_each = download->columns;
    download->columns *= block->products;
    download->target_stride = series->stride_c;
    if (series->c)
        download->targets = series->c + block->product;
    else
        download->target = (char *)download->target + block->product * series->stride_c * bytes;
}

/* The block stays on the device, too. */
static void leave(struct lava_run *run, const struct lava_download *download) {
    uint64_t pitch_bytes = (uint64_t)download->source_ld * lava_type_bytes(download->source_type);
    const struct lava_left_block block = {.first = download->target,
                                          .address = download->source->address + download->source_offset,
                                          .pitch_bytes = pitch_bytes,
                                          .rows = download->rows,
                                          .columns = download->columns};
    lava_left_result_copy(&run->left, run->stream, &block);
}

/* Starts the block's download. A later wait writes it to C. */
static enum lava_status start_download(struct lava_run *run, const struct lava_block *block) {
    const struct lava_operation *caller = run->caller;
    const struct lava_blocking *blocking = &run->plan->blocking;
    struct lava_download *download = &run->downloads[block->place];
    int64_t column = block->column / run->each;
    *download = (struct lava_download){
        .source_type = run->result_type,
        .target_type = caller->c.type,
        .source_ld = lava_blocking_padded(block->rows, blocking->epilogue ? LAVA_BLOCKING_RESULT_GROUP
                                                                          : run->plan->kernel->tile_m),
        .target = (char *)caller->c.first +
                  (column * caller->c.ld + block->row) * (int64_t)lava_type_bytes(caller->c.type),
        .target_ld = caller->c.ld,
        .rows = block->rows,
        .columns = block->columns / run->each,
        .region = lava_program_region(run->operation, block),
        .real_diagonal = caller->c.real_diagonal,
        .descends = lava_operation_descends(caller),
        .beta = caller->beta};
    if (caller->series)
        set_products(run, block, download);
    download->source = lava_stages_result(run, block, &download->source_offset);
    enum lava_status status = run->stream->at_once ? leave_in_staging(run, download, &run->done) : LAVA_OK;
    if (status || (status = lava_stream_flush(run->stream)))
        return status;
    download->ready = run->done;
    run->blocks[block->place] = *block;
    if ((status = lava_download_start(run->stream, download)))
        return status;
    run->started = *block;
    if (run->left.hold.resident)
        leave(run, download);
    return LAVA_OK;
}

static enum lava_status run_task(struct lava_run *run, const struct lava_task *task) {
    enum lava_status status;
    switch (task->kind) {
    case LAVA_TASK_PACK_A:
    case LAVA_TASK_PACK_B:
        return lava_stages_pack(run, task);
    case LAVA_TASK_WAIT:
        return lava_download_finish(run->stream, task->unfinished);
    case LAVA_TASK_MULTIPLY:
        status = lava_stages_multiply(run, task, &run->done);
        /* the last multiply is submitted together with the tasks after it */
        return status || run->stream->at_once || task->is_last ? status : lava_stream_flush(run->stream);
    case LAVA_TASK_EPILOGUE:
        return run->operation->on_device ? lava_stages_update(run, task->block)
                                         : lava_stages_epilogue(run, task->block, &run->done);
    default:
        return start_download(run, task->block);
    }
}

/* Records what is written to C: everything before the first unfinished download, or every started block if no
 * download is unfinished. */
static void record_progress(const struct lava_run *run, struct lava_progress *progress) {
    const struct lava_block *block = &run->started;
    if (block->rows == 0) /* no download was started */
        return;
    int64_t columns_done = block->columns / run->each, rows_done = 0, products_done = block->products;
    bool unfinished = run->stream->download_count > 0;
    if (run->stream->download_count > 0) {
        const struct lava_download *first = run->stream->downloads[0];
        block = &run->blocks[first - run->downloads];
        columns_done = first->columns_done;
        rows_done = first->rows_done;
        products_done = columns_done / (block->columns / run->each);
    }
    if (run->caller->series && run->share) {
        progress->blocks = (int64_t)block->number + !unfinished;
        progress->products = unfinished ? products_done : 0;
    } else if (run->caller->series) {
        progress->products = block->product + products_done;
    } else if (run->share) {
        progress->blocks = (int64_t)block->number + !unfinished;
        progress->column = unfinished ? block->column / run->each + columns_done : 0;
        progress->partial = rows_done;
    } else {
        progress->row = block->row;
        progress->rows = block->rows;
        int64_t first = block->column / run->each;
        if (lava_operation_descends(run->caller))
            first = run->caller->n - first - block->columns / run->each;
        progress->column = first + columns_done;
        progress->partial = rows_done;
    }
}

/* The program once more: what it will pack, for the copies to staging memory. */
struct ahead {
    const struct lava_run *run;
    struct lava_program program;
};

static bool next_stored(void *context, struct lava_stored *stored) {
    struct ahead *ahead = context;
    struct lava_task task;
    while (lava_program_next(&ahead->program, &task))
        if ((task.kind == LAVA_TASK_PACK_A || task.kind == LAVA_TASK_PACK_B) &&
            lava_stages_copies(ahead->run, &task, stored))
            return true;
    return false;
}

static void record_all(const struct lava_run *run, uint32_t blocks, struct lava_progress *progress) {
    *progress = (struct lava_progress){.row = run->operation->m,
                                       .column = run->share ? 0 : run->caller->n,
                                       .products = lava_operation_count(run->operation),
                                       .blocks = run->share ? blocks : 0};
}

/* The same as run_program, by residues. */
static enum lava_status run_residues(struct lava_run *run, struct lava_progress *progress) {
    enum lava_status status = lava_residue_run(run);
    if (status) {
        lava_download_settle(run->stream);
        record_progress(run, progress);
        return status;
    }
    for (unsigned i = 0; run->left.hold.resident && i < LAVA_BLOCKING_BLOCKS_HELD; i++)
        if (run->downloads[i].columns > 0)
            leave(run, &run->downloads[i]);
    record_all(run, 0, progress);
    return LAVA_OK;
}

static enum lava_status run_program(struct lava_run *run, struct lava_progress *progress) {
    struct lava_program program;
    struct lava_task task;
    lava_program_begin(&program, run->operation, run->plan->kernel, &run->plan->blocking);
    program.share = run->share;
    struct ahead ahead = {run, program};
    if (!run->operation->on_device) {
        run->stream->staging.next = next_stored;
        run->stream->staging.context = &ahead;
    }
    while (lava_program_next(&program, &task)) {
        enum lava_status status = run_task(run, &task);
        if (status) {
            lava_download_settle(run->stream);
            record_progress(run, progress);
            return status;
        }
    }
    record_all(run, program.blocks, progress);
    return LAVA_OK;
}

/* Sets how many tiles a dispatch may have and how long a wait may last, from the kernel's rate in the
 * plan. */
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
    if (run->operation->on_device) { /* nothing waits between its blocks */
        lava_stream_expect(run->stream, lava_operation_flops(run->caller) / rate);
        return;
    }
    double block_s = 2.0 * (double)plan->blocking.block_m * (double)plan->blocking.block_n *
                     (double)plan->blocking.block_k * (double)plan->blocking.products / rate * run->repeat;
    lava_stream_expect(run->stream, block_s);
}

static void read_timing(struct lava_run *run, struct lava_timing *timing) {
    uint64_t sums[LAVA_STAMP_KINDS];
    lava_stream_time(run->stream, sums);
    timing->pack_ns = sums[LAVA_STAMP_PACK];
    timing->multiply_ns = sums[LAVA_STAMP_MULTIPLY] / run->repeat;
    timing->epilogue_ns = sums[LAVA_STAMP_EPILOGUE] / run->repeat;
}

/* Finds which of the packs of op(A), or of op(B), are used: [1]: K runs along the stored rows. A square on
 * the diagonal is packed from a copy that is not transposed. */
static void find_orientations(const struct lava_operation *operation, bool is_b, bool uses[2]) {
    const struct lava_operand *operand = is_b ? &operation->b : &operation->a;
    const struct lava_operand *other = is_b ? &operation->a : &operation->b;
    bool along_rows = (operand->op == LAVA_OP_T) != is_b,
         is_structured = operand->structure != LAVA_STRUCTURE_GENERAL;
    bool is_symmetric = is_structured && operand->structure != LAVA_STRUCTURE_TRIANGULAR;
    uses[along_rows] = true;
    uses[!along_rows] = is_symmetric || (is_structured && along_rows != is_b) ||
                        (operation->twice && ((other->op == LAVA_OP_T) == is_b) != along_rows);
}

static struct lava_pipeline_specification multiply_for(const struct lava_operation *operation,
                                                       struct lava_pipeline_specification general) {
    return lava_operation_is_triangular(operation) ? lava_pipelines_triangular(general) : general;
}

/* Gets the product's pipelines. They exist already, unless the row was not prepared. */
static enum lava_status get_pipelines(struct lava_run *run) {
    const struct lava_operation *operation = run->operation;
    const struct lava_kernel *kernel = run->plan->kernel;
    const struct lava_capabilities *capabilities = &run->device->capabilities;
    bool epilogue = run->plan->blocking.epilogue, narrow = lava_type_is_half(run->result_type) && !epilogue;
    bool uses_a[2], uses_b[2];
    find_orientations(operation, false, uses_a);
    find_orientations(operation, true, uses_b);
    const struct {
        bool needed;
        struct lava_pipeline_specification specification;
        const struct lava_pipeline **pipeline;
    } needs[] = {
        {true, multiply_for(operation, lava_pipelines_multiply(kernel, capabilities, narrow)),
         &run->multiply},
        {uses_a[0], lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_A, false), &run->pack[0][0]},
        {uses_a[1], lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_A, true), &run->pack[0][1]},
        {uses_b[0], lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_B, false), &run->pack[1][0]},
        {uses_b[1], lava_pipelines_pack(kernel, capabilities, LAVA_PIPELINE_B, true), &run->pack[1][1]},
        {lava_operation_structured(operation), lava_pipelines_of(LAVA_MODULE_SQUARE), &run->square},
        {epilogue && !operation->on_device,
         lava_pipelines_of(lava_module_of(LAVA_SHADER_EPILOGUE, run->result_type)), &run->epilogue},
        {operation->on_device, lava_pipelines_of(lava_module_of(LAVA_SHADER_UPDATE, run->caller->c.type)),
         &run->update},
        {lava_operation_scales_a(run->caller),
         lava_pipelines_of(lava_module_of(LAVA_SHADER_SCALE, run->caller->type)), &run->scale},
        {kernel->fallback, lava_pipelines_of(LAVA_MODULE_SCREEN), &run->screen},
        {kernel->fallback, multiply_for(operation, lava_pipelines_fallback(kernel, capabilities)),
         &run->fallback},
    };
    enum lava_status status = LAVA_OK;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0] && !status; i++)
        if (needs[i].needed)
            status = lava_pipelines_get(run->device, &needs[i].specification, needs[i].pipeline);
    return status;
}

/* The threads populate C's pages while the device computes. Small results are written by the time they would
 * begin. */
static void populate(struct lava_stream *stream, const struct lava_operation *operation) {
    const struct lava_pages pages = {.first = operation->c.first,
                                     .element_bytes = lava_type_bytes(operation->c.type),
                                     .rows = operation->m,
                                     .columns = operation->n,
                                     .ld = operation->c.ld,
                                     .region = operation->c.region};
    bool reads_c = operation->beta.real != 0 || operation->beta.imaginary != 0;
    if (!operation->series && !reads_c)
        lava_copy_pool_populate(stream->pool, &pages);
}

/* Returns whether the whole result, padded as the device leaves it, fits staging memory. */
static bool fits_staging(const struct lava_run *run) {
    const struct lava_blocking *blocking = &run->plan->blocking;
    return blocking->blocks_m * blocking->blocks_n * blocking->blocks_k == 1 &&
           lava_blocking_finished_bytes(blocking) <= run->engine->arena.slot_bytes * LAVA_ARENA_SLOTS;
}

static struct lava_run run_of(struct lava_stream *stream, const struct lava_operation *caller,
                              const struct lava_operation *parts, const struct lava_plan *plan) {
    return (struct lava_run){.engine = stream->engine,
                             .device = stream->device,
                             .caller = caller,
                             .operation = parts,
                             .each = parts->of_parts ? 2 : 1,
                             .plan = plan,
                             .result_type =
                                 parts->of_parts ? caller->c.type : lava_operation_result_type(caller),
                             .repeat = 1,
                             .stream = stream};
}

/* What a caller may want of a run besides the product; NULL: nothing. */
struct wishes {
    struct lava_timing *timing;
    const struct lava_program_share *share;
    const struct lava_runner_member *member; /* NULL: no other engine works on the product */
};

/* A device that has failed may still be reading what its crew shares. */
#define SETTLE_NS UINT64_C(100000000)
static void leave_crew(struct lava_stream *stream, const struct lava_runner_member *role) {
    struct lava_shared_member *member = &stream->staging.shared;
    if (role && role->shares_staging && member->bit == 0)
        lava_shared_staging_forget(role->number); /* it may have failed before it joined */
    bool is_lost =
        member->bit != 0 && stream->device->shared->failed && !lava_queue_settle(stream->device, SETTLE_NS);
    lava_shared_staging_leave(member, is_lost);
}

static enum lava_status run_product(struct lava_engine *engine, const struct lava_operation *operation,
                                    const struct lava_plan *plan, const struct wishes *wishes,
                                    struct lava_progress *progress) {
    const struct lava_operation parts = lava_operation_of_parts(operation);
    const struct lava_runner_member *member = wishes->member;
    struct lava_timing *timing = wishes->timing;
    struct lava_stream stream;
    enum lava_status status;
    *progress = (struct lava_progress){0};
    lava_stream_open(&stream, engine, timing != NULL);
    struct lava_run run = run_of(&stream, operation, &parts, plan);
    run.share = wishes->share;
    run.repeat = timing && timing->repeat > 1 && !plan->residues ? timing->repeat : 1;
    set_limits(&run);
    bool is_scaled_later = plan->residues && operation->alpha.imaginary != 0; /* by the write-back */
    if (!wishes->share && !timing && !plan->leaves_tiles && !is_scaled_later)
        lava_left_result_begin(&run.left, engine, operation);
    if (operation->series)
        stream.slots = BATCH_SLOTS;
    double upload_bytes = lava_operation_operand_bytes(operation) * (double)lava_operation_count(operation);
    status = lava_arena_reserve(&engine->arena, engine->device, &plan->blocking,
                                plan->spares_memory ? 0 : (uint64_t)upload_bytes,
                                lava_operation_scales_a(operation));
    if (!status)
        status = plan->residues ? lava_residue_run_take(&run) : get_pipelines(&run);
    if (!status) {
        lava_stream_look_around(&stream);
        status = wishes->share ? LAVA_OK : lava_kept_open(&stream, operation);
    }
    if (!status) {
        bool is_left = lava_left_result_prepare(&run.left, engine->device);
        engine->is_unusual = engine->is_unusual || is_left;
        stream.at_once = plan->at_once && fits_staging(&run) && !is_left;
        stream.from_staging = stream.from_staging || stream.at_once;
        if (!member || member->number == 0)
            populate(&stream, operation);
        if (member && member->shares_staging)
            lava_shared_staging_join(&stream.staging.shared, member->number, engine->device, &engine->arena,
                                     engine->pool);
        status = plan->residues ? run_residues(&run, progress) : run_program(&run, progress);
        if (!status)
            lava_kept_complete(&stream);
    }
    status = lava_stream_close(&stream, status);
    lava_residue_run_return(&run);
    lava_kept_close(&stream, status);
    lava_left_result_end(&run.left, engine, status);
    leave_crew(&stream, member);
    if (timing) /* nobody needs C */
        free(run.left_tiles);
    else
        progress->left = run.left_tiles;
    if (!status && timing)
        read_timing(&run, timing);
    return status;
}

enum lava_status lava_runner_run(struct lava_engine *engine, const struct lava_operation *operation,
                                 const struct lava_plan *plan, struct lava_progress *progress,
                                 struct lava_timing *timing) {
    const struct wishes wishes = {.timing = timing};
    return run_product(engine, operation, plan, &wishes, progress);
}

enum lava_status lava_runner_run_share(struct lava_engine *engine, const struct lava_operation *operation,
                                       const struct lava_plan *plan, const struct lava_program_share *share,
                                       const struct lava_runner_member *member,
                                       struct lava_progress *progress) {
    const struct wishes wishes = {.share = share, .member = member};
    return run_product(engine, operation, plan, &wishes, progress);
}

/* Makes room for a product's blocks. Buffers are replaced only while the device is idle. */
enum lava_status lava_runner_reserve(struct lava_stream *stream, const struct lava_plan *plan) {
    if (lava_arena_has(stream->arena, &plan->blocking, false))
        return LAVA_OK;
    enum lava_status status = lava_stream_flush(stream);
    if (!status)
        status = lava_queue_drain(stream->device, lava_device_timeout_ns(stream->device));
    return status ? status : lava_arena_reserve(stream->arena, stream->device, &plan->blocking, 0, false);
}

/* The barrier lets the packs see what the stream's earlier products wrote, and keeps them from overwriting
 * what those still read. */
static enum lava_status begin_product(struct lava_stream *stream) {
    struct lava_commands commands;
    enum lava_status status = lava_stream_begin(stream, &commands);
    if (!status)
        lava_queue_barrier_dispatch(stream->device, &commands);
    return status;
}

enum lava_status lava_runner_add(struct lava_stream *stream, const struct lava_operation *operation,
                                 const struct lava_plan *plan) {
    const struct lava_operation parts = lava_operation_of_parts(operation);
    struct lava_run run = run_of(stream, operation, &parts, plan);
    struct lava_progress progress;
    enum lava_status status;
    set_limits(&run);
    if ((status = get_pipelines(&run)) || (status = begin_product(stream)))
        return status;
    status = run_program(&run, &progress);
    return status ? status : lava_stream_end_step(stream);
}

enum lava_status lava_runner_scale(struct lava_stream *stream, const struct lava_operation *operation) {
    const struct lava_operation parts = lava_operation_of_parts(operation);
    struct lava_run run = run_of(stream, operation, &parts, NULL);
    enum lava_status status = lava_pipelines_get_module(
        run.device, lava_module_of(LAVA_SHADER_UPDATE, operation->c.type), &run.update);
    status = status ? status : lava_stages_scale(&run);
    return status ? status : lava_stream_end_step(stream);
}
